"""What a browser may send to an explorer, and texts that are hard to draw."""

import math
import re
from pathlib import Path

import numpy as np
import pytest

import gpt1lib as g
from gpt1course.viz import diagrams, explorers, figure, plots
from gpt1course.viz.explorers.standalone import page

CONTROLS = {  # what can be chosen in the browser; Python alone sets all else
    "attention": {"head", "row", "mask", "pinned", "text"},
    "bigram": {"row"},
    "block": {"block", "place", "station", "std"},
    "few_labels": {"chosen", "labels", "level"},
    "formats": {"kind", "labels", "lm_coef", "texts"},
    "heads": {"head", "row", "factor", "across", "up"},
    "heads_over_training": {"chosen", "stage", "head", "row"},
    "journey": {"text", "stage", "place"},
    "learning": set(),  # a notebook keeps nothing of it: it learns in the page
    "mask": {"kind"},
    "masked": {"place", "text"},
    "merge": {"step", "turns", "word"},
    "model_map": {"zoom", "block", "head", "place", "other", "text", "factors"},
    "parameters": set(),
    "position": {"table", "place"},
    "query": {"source", "query", "size", "scaled"},
    "sampling": {"text", "joined", "temperature", "top_k", "top_p"},
    "scaling": {"amount", "guesses", "shown", "size", "used"},
    "sweep": {"chosen"},
    "tokens": {"text", "step"},
    "training": {"chosen", "unit", "scale"},
    "tying": {"text", "chosen", "tied"},
    "two_texts": {"texts", "head", "row"},
    "writing": {"text", "seed"},
}
CAUSAL = np.tril(np.ones((2, 3, 5, 5))) / np.arange(1, 6)[:, None]
SWEEP = {v: {"film": {0: 0.6, 1: 0.62}, "logic": {0: 0.4, 1: 0.5}} for v in ("0", "0.5")}
DRAWS = {"ours": {10: {0: 0.5, 1: 0.6}, 100: {0: 0.7}}, "theirs": {10: {0: 0.5, 1: 0.5}}}
LOG = [{"step": 1, "loss": 4.0, "heldout": 4.2}, {"step": 9, "loss": 2.5}]
STATIC = {  # explorers of a few numbers and any text
    "attention": lambda t: explorers.AttentionExplorer(CAUSAL, [t, *"bcde"]),
    "bigram": lambda t: explorers.BigramExplorer([[0.5, 0.5], [1, 0]], [t, "b"]),
    "few_labels": lambda t: explorers.FewLabelsExplorer({t: DRAWS}, {t: {"flat": 0.5}}),
    "heads_over_training": lambda t: explorers.HeadsOverTrainingExplorer(
        [np.stack([CAUSAL, CAUSAL])], [[t, *"bcde"]], [0, 1], [5.0]
    ),
    "mask": lambda t: explorers.MaskExplorer(np.arange(9.0).reshape(3, 3), [t, *"bc"]),
    "merge": lambda t: explorers.MergeExplorer({t: 4, "bc": 3, "abc": 1}),
    "parameters": lambda t: explorers.ParameterExplorer({t: g.TINY}),
    "position": lambda t: explorers.PositionExplorer({t: np.eye(3)}),
    "sampling": lambda t: explorers.SamplingExplorer([2.0, 1, 0], [t, *"bc"], text=t),
    "sweep": lambda t: explorers.SweepExplorer(SWEEP, "0.5", "0", setting=t),
    "training": lambda t: explorers.TrainingExplorer(LOG, [{"step": 1, "text": t}], {t: 3.0}),
}
ASKING = {  # explorers that ask the model
    "block": lambda n: explorers.BlockExplorer.from_checkpoint(n, "The old man"),
    "formats": lambda novelist: explorers.FormatsExplorer.from_checkpoint(novelist),
    "heads": lambda n: explorers.HeadsExplorer.from_checkpoint(n, "The old man", np.eye(4)),
    "journey": lambda n: explorers.JourneyExplorer.from_checkpoint(n, "The old man"),
    "model_map": lambda n: explorers.ModelMapExplorer.from_checkpoint(n, "The old man"),
    "query": lambda n: explorers.QueryExplorer.from_checkpoint(n, "The old man", 0, 1),
    "tokens": lambda n: explorers.TokenExplorer.from_checkpoint(n, "The unbelievable"),
    "tying": lambda n: explorers.TyingExplorer.from_checkpoint(n, "The old man"),
    "two_texts": lambda n: explorers.TwoTextsExplorer.from_checkpoint(n, "a man", "a dog"),
    "writing": lambda n: explorers.WritingExplorer.from_checkpoint(
        n, "He", n_tokens=1, temperatures=()
    ),
}
BAD = [
    None,
    True,
    -2,
    7,
    999,
    2**70,
    0.5,
    9.5,
    math.nan,
    math.inf,
    "999",
    "a\ud800b",
    [],
    [None],
]
BAD += [{}, {"x": 1}, {"classification": ["a"]}, b"", b"abc", [["a", 1]], object()]


def script_of(module):
    """The scripts of an explorer: its own, its parts, and the shared ones."""
    folder = Path(explorers.__file__).parent
    names = [module + ".js", module + ".*.js", "common.*.js", "picture.js", "start.js"]
    paths = [path for name in names for path in folder.glob(name)]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def test_the_browser_changes_the_controls_that_are_listed():
    pattern = r"(?<!function )\b(?:save|setShared|set|ask)\((?:[\w.]+, )?\{ ?(\w+)"
    kinds = {k.__module__.split(".")[-1]: k for k in explorers.Explorer.__subclasses__()}
    assert kinds.keys() == CONTROLS.keys()
    modules = {name: script_of(name) for name in kinds}
    for module, kind in kinds.items():
        assert set(kind.class_trait_names(control=True)) == CONTROLS[module], module
        saved = set(re.findall(pattern, modules[module]))
        assert saved <= CONTROLS[module] | {"name", "text"}, module  # of all


@pytest.mark.parametrize("name", [n for n in STATIC if CONTROLS[n]])
def test_bad_messages_leave_an_explorer_as_it_was(name):
    explorer = STATIC[name]("a")
    traits = [
        t for t in explorer.trait_names(sync=True) if t in CONTROLS[name] or t == "tokens"
    ]
    before = {t: getattr(explorer, t) for t in traits}
    for trait in traits:
        for value in BAD:
            explorer.set_state({trait: value})
            assert repr(explorer).startswith(type(explorer).__name__)
            explorer.set_state({trait: before[trait]})
            assert getattr(explorer, trait) == before[trait]
    explorer.figure()


@pytest.mark.parametrize("name", ASKING)
def test_bad_messages_to_an_explorer_that_asks_the_model(novelist, name):
    explorer = ASKING[name](novelist)
    for trait in CONTROLS[name]:
        for value in BAD:
            explorer.set_state({trait: value})
            assert repr(explorer).startswith(type(explorer).__name__)
    explorer.figure()


def test_python_s_own_traits_take_no_message():
    e = STATIC["attention"]("a")
    tokens, data = e.tokens, e.data
    e.set_state({"tokens": ["x"], "data": b"", "n_layer": 9, "row": 2, "head": 5})
    assert (e.tokens, e.data, e.n_layer) == (tokens, data, 2) and (e.row, e.head) == (2, 5)
    e.set_state({"row": 1, "head": 6})
    assert (e.row, e.head) == (2, 5), "a message is taken as a whole or not at all"
    with pytest.raises(Exception, match="row is 5, it must be from 0 to 4"):
        e.row = 5


HARD = ["$\\frac{1}{$ $^$ {0}", "<!--<script> </script> \ud83d %s \u2028 \u202e"]


@pytest.mark.parametrize("name", STATIC)
def test_any_text_can_be_drawn_and_sent(name, monkeypatch):
    monkeypatch.setattr(figure, "DPI", 40)  # nobody looks
    for text in HARD:
        explorer = STATIC[name](text)
        static = figure.picture(explorer.figure(), explorer.sentence())
        html = page(explorer)
        html.encode(), static["text/html"].encode()
        code = html.split('<script type="module">')[1]
        assert "<!--" not in code and code.count("</script>") == 1


def test_a_dollar_is_a_dollar_but_in_the_one_formula():
    made = STATIC["sampling"]("costs $5 or $6").figure()
    assert not made.axes[0].title.get_parse_math()
    short = plots.lines({"a": ([200, 900], [1, 2])}, logx=True, logy=True)
    figure.png(short)
    axes = short.axes[0]
    ticks = [*axes.get_xticklabels(which="both"), *axes.get_yticklabels(which="both")]
    assert not [t for t in ticks if "$" in t.get_text()]
    texts = diagrams.architecture(g.TINY, n_classes=2).axes[0].texts
    formulas = [t.get_text() for t in texts if t.get_parse_math()]
    assert formulas == ["the same\nmatrix $W_e$", "last row times $W_y$\n(32 x 2)"]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda n: explorers.JourneyExplorer.from_checkpoint(n, ""), "the text is empty"),
        (lambda n: explorers.TyingExplorer.from_checkpoint(n, " "), "the text is empty"),
        (lambda n: explorers.TyingExplorer.from_checkpoint(n, "a", n=0), "n is 0"),
        (lambda n: explorers.AttentionExplorer.from_checkpoint(n, ""), "the text is empty"),
        (lambda n: explorers.AttentionExplorer(CAUSAL, "abcde", row=5), "row is 5.*-5 to 4"),
        (lambda n: explorers.BigramExplorer([[1.0]], "a", row=1), "row is 1"),
        (
            lambda n: explorers.FormatsExplorer.from_checkpoint(
                n, texts={"classification": [""]}
            ),
            "is empty",
        ),
        (lambda n: explorers.FormatsExplorer.from_checkpoint(n, seed=None), "seed is None"),
        (lambda n: explorers.MaskExplorer([[math.inf]], "a"), "scores hold inf"),
        (lambda n: explorers.SamplingExplorer([math.inf], "a"), "largest logit is inf"),
        (lambda n: explorers.TokenExplorer.from_checkpoint(n, "x" * 401), "401 characters"),
        (lambda n: explorers.TokenExplorer.from_checkpoint(n, "ab", step=9), "step is 9"),
        (
            lambda n: explorers.WritingExplorer.from_checkpoint(n, "a", n_tokens=0),
            "n_tokens is 0",
        ),
    ],
)
def test_an_explorer_of_bad_arguments_is_not_made(novelist, make, message):
    with pytest.raises(ValueError, match=message):
        make(novelist)


def test_a_size_that_models_do_not_have_is_named():
    with pytest.raises(TypeError, match="has no n_layers, it has n_vocab"):
        explorers.ParameterExplorer({"a": {"n_layers": 2}})


def test_the_sentence_is_about_what_is_shown(novelist):
    e = explorers.TokenExplorer.from_checkpoint(novelist, "one")
    e.text = "x" * 500
    assert "500 characters" in e.message and "'one' after" in e.sentence()
    e.set_state({"texts": 1})
    s = explorers.SamplingExplorer([1.0, 0], "ab", "one", lambda text: [0.0] * len(text))
    s.text = "three"
    assert "2 words for 5 logits" in s.message and "after 'one'" in s.sentence()


def test_a_run_that_diverged_is_drawn_as_far_as_it_came():
    e = explorers.TrainingExplorer([*LOG, {"step": 19, "loss": math.nan, "heldout": math.inf}])
    e.add({"step": 29, "loss": math.inf})
    assert e.points == [[1, 4.0], [9, 2.5]] and e.heldout == [[1, 4.2]]
    assert "after 9, held out 4.20" in e.sentence()


def test_no_trait_hides_what_a_widget_needs():
    """Such as `model_id`, by which a page finds its widget."""
    needed = set(dir(explorers.base.anywidget.AnyWidget))
    for name in explorers.__all__:
        if name.endswith("Explorer"):
            own = getattr(explorers, name).class_own_traits()
            assert not own.keys() & needed - {"_esm", "_css"}, name


def test_what_a_page_has_answered_is_computed_when_it_is_read(novelist):
    view = explorers.ModelMapExplorer.from_checkpoint(novelist, "He saw")
    view.set_state({"text": "She ran away"})
    view.set_state({"factors": {"3": 0.5}})
    view.set_state({"place": 1})
    assert view.is_stale
    twin = explorers.ModelMapExplorer.from_checkpoint(
        novelist, "She ran away", factors={3: 0.5}
    )
    assert (view.shown, view.lens, view.place) == (twin.shown, twin.lens, 1)
    assert not view.is_stale
    view.set_state({"text": "He"})
    view.set_state({"place": 2**40})  # no page of ours would say so
    assert len(view.tokens) == 1 and view.place == 0
    view.text = "They came"  # a cell asks: what is chosen is as the record says
    assert not view.is_stale and view.place == 1


def test_a_place_may_come_in_one_message_with_its_text(novelist):
    view = explorers.AttentionExplorer.from_checkpoint(novelist, "He saw")
    view.set_state({"row": 5, "text": "The old man went home early"})
    assert (view.row, len(view.tokens)) == (5, 6)


def test_a_page_without_an_engine_is_sent_the_record(novelist):
    view, sent = explorers.SamplingExplorer.from_checkpoint(novelist, "He saw"), []
    view.send = lambda content, buffers=None: sent.append((content, buffers))
    before = view.data
    view._msg_callbacks(view, {"id": 7, "question": {"text": "She ran", "top_k": 5}}, [])
    view._msg_callbacks(view, {"id": 8, "question": {"text": 5}}, [])  # no text: refused
    view._msg_callbacks(view, {"question": {"text": "He"}}, [])  # no question of ours
    (first, [data]), (again, [same]) = sent
    assert first == {"id": 7, "record": {"message": ""}, "arrays": ["data"]}
    assert data == same == view.data != before and again["id"] == 8
    assert (view.text, view.top_k) == ("She ran", 0), "only what asks is taken from a question"
    view.text = "He"  # a cell asks: sent at once
    assert sent[2][0] == {"id": None, "record": {"message": ""}, "arrays": ["data"]}
    alone = explorers.SamplingExplorer.from_checkpoint(novelist, "She ran")
    assert data == alone.data


def test_a_question_that_was_interrupted_is_asked_again(novelist):
    times = []

    def predict(text):
        times.append(text)
        if len(times) == 1:
            raise KeyboardInterrupt
        return [2.0, 1.0]

    view = explorers.SamplingExplorer([0.0, 0.0], "ab", "one", predict)
    view.set_state({"text": "two"})
    with pytest.raises(KeyboardInterrupt):
        view.logits  # noqa: B018
    assert view.is_stale and view.logits.tolist() == [2.0, 1.0] and times == ["two", "two"]

"""The engine in the page computes what the library computes: asked through Node.js."""

import base64
import copy
import json
import math
import random
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from engine_in_node import FOLDER, EngineInNode, numbers
from ipywidgets import DOMWidget
from node import node_or_skip

import gpt1lib as g
from benchmarks.languages import in_javascript
from gpt1course.exercises import lesson08
from gpt1course.viz import engine, explorers
from gpt1lib.generate import beam_search, greedy, next_token_probs

ROOT = Path(__file__).resolve().parents[3]
NEAR = 1e-3  # of a logit
LANGUAGES = ROOT / "data" / "results" / "benchmarks" / "languages.json"
BOOK = ROOT / "data" / "heldout_books" / "joyce_dubliners.txt"
ODD = [
    *" \n\t\x1c\x85\xa0\u3000'’‘“”\"….,;:!?-—_()[]{}|/\\*+~@#$%&^`<>0123456789sſKİıΣσςßn\u0345",
    *["n't", "can", "cannot", "mr.", "St.", "U.S.A.", "i.e.", "'s", "O'Brien", "3.50", "10:30"],
]


@pytest.fixture(scope="module")
def node():
    """Where Node.js is."""
    return node_or_skip()


@pytest.fixture(scope="module")
def ask(node, tmp_path_factory):
    """Answers of the engine to questions; folder: another copy of it."""
    held = EngineInNode(node, g.load_novelist(), tmp_path_factory.mktemp("engine"))
    yield held.ask
    held.close()


@pytest.fixture(scope="module")
def as_stored():
    """The library's model with the weights that the engine has."""
    return engine.as_stored(g.load_novelist().model)


def some_texts(n, seed=0):
    """Any letters of Unicode, odd signs and pieces of a book, mixed."""
    draw, book = random.Random(seed), BOOK.read_text(encoding="utf-8")

    def piece():
        start = draw.randrange(len(book))
        return book[start : start + draw.randrange(1, 20)]

    kinds = (lambda: chr(draw.randrange(0x110000)), lambda: draw.choice(ODD), piece)
    for _ in range(n):
        yield known("".join(draw.choice(kinds)() for _ in range(draw.randrange(1, 25))))


def known(text):
    """The text without what one Unicode's table calls a letter and an older one does not."""
    return "".join(c for c in text if unicodedata.category(c) not in ("Cn", "Cs"))


# ---- the tokenizer --------------------------------------------------------------------


@pytest.mark.parametrize("n", [2_000, pytest.param(10_000, marks=pytest.mark.slow)])
def test_any_text_has_the_same_ids_and_comes_back_the_same(ask, n):
    bpe = g.load_novelist().bpe
    texts = list(some_texts(n))
    ids = [bpe.encode(text) for text in texts]
    decoded = [bpe.decode(i) for i in ids]
    theirs, back, tidy = ask(["encode", texts], ["decode", ids], ["tidy", decoded])
    assert theirs == ids
    assert back == decoded
    assert tidy == [g.text.tidy(text) for text in decoded]


# ---- the forward pass -----------------------------------------------------------------


def prompts(n):
    """n pieces of a held-out book, of 1 to 130 words."""
    words = BOOK.read_text(encoding="utf-8").split()
    return [" ".join(words[100 * i : 100 * i + 1 + (37 * i) % 130]) for i in range(n)]


def difference(ask, model, text, factors=None, **options):
    """The largest difference of a logit, and of a state after each block."""
    return apart_from(model, text, ask(["trace", text, factors or {}], **options)[0])


def apart_from(model, text, answer):
    ids = g.load_novelist().bpe.encode(text)[-256:]
    assert answer["ids"] == ids
    steps = g.trace(model, ids)
    T = len(ids)
    apart = [np.abs(numbers(answer["logits"], T, -1) - steps.logits.numpy()).max()]
    for theirs, ours in zip(answer["blocks"], steps.blocks, strict=True):
        apart.append(np.abs(numbers(theirs["h"], T, -1) - ours.h.numpy()).max())
        weights = numbers(theirs["weights"], 4, T, T)
        apart.append(np.abs(weights - ours.weights.numpy()).max())
    return max(apart)


@pytest.mark.parametrize("n", [6, pytest.param(50, marks=pytest.mark.slow)])
def test_texts_have_the_same_logits_layer_by_layer(ask, as_stored, n):
    bpe = g.load_novelist().bpe
    texts = prompts(n)
    answers = ask(*(["pieces", text, [len(bpe.encode(text))]] for text in texts))
    for text, answer in zip(texts, answers, strict=True):
        with torch.no_grad():
            logits = as_stored(torch.tensor([bpe.encode(text)]))[0, -1].numpy()
        assert np.abs(numbers(answer, -1) - logits).max() < NEAR
    for text in texts[:6]:
        assert difference(ask, as_stored, text) < NEAR


def test_the_map_is_the_kernels(ask, as_stored):
    """Every trait that the engine gives is the one that the kernel sets."""
    text, factors = "She took the letter and began to", {"6": 0, "13": 0.3, "14": 0.9}
    answer = ask(["map", text, 24, factors])[0]
    stored = replace(g.load_novelist(), model=as_stored)
    twin = explorers.ModelMapExplorer.from_checkpoint(stored, text, factors=factors)
    assert answer.keys() <= set(twin.trait_names())
    for name, theirs in answer.items():
        ours = getattr(twin, name)
        if isinstance(ours, bytes):
            kind = "<f4" if name in ("qkv", "scores", "weights") else "<f2"
            ours, theirs = np.frombuffer(ours, kind), numbers(theirs, -1)
            assert np.allclose(ours, theirs, rtol=1e-3, atol=NEAR), name
        elif name == "crowd":
            assert theirs["low"] == pytest.approx(ours["low"], abs=NEAR)
            moved = np.abs(np.subtract(theirs["counts"], ours["counts"])).sum()
            assert moved <= 8, "at the borders of a bin"
        else:
            flat = [list(flattened(x)) for x in (theirs, ours)]
            assert flat[0] == [
                x if isinstance(x, str) else pytest.approx(x, abs=NEAR) for x in flat[1]
            ]


def test_the_view_of_heads_has_the_words_of_both_maps(ask, as_stored):
    """A head turned down: in the view, in the kernel's map, and in the engine's."""
    text, cost = "The captain looked at the sea.", np.eye(4)
    stored = replace(g.load_novelist(), model=as_stored)
    view = explorers.HeadsExplorer.from_checkpoint(stored, text, cost)
    down = [{"13": factor} for factor in (0, 0.5, 0.75)]
    answers = ask(*(["map", text, 24, factors] for factors in down))
    for factors, theirs in zip(down, answers, strict=True):
        at = view.steps.index(factors["13"])
        ours = explorers.ModelMapExplorer.from_checkpoint(stored, text, factors=factors)
        assert ours.words[4][0][2] != pytest.approx(ours.words[4][0][3], abs=1e-3)
        for place, words in [*enumerate(ours.words), *enumerate(theirs["words"])]:
            known = dict(zip(view.words[place], view.scaled[at, 13, place], strict=True))
            for piece, _, p, whole in words[:6]:
                assert known[piece] == pytest.approx(p, abs=1e-4)
                assert view.probs[place, view.words[place].index(piece)] == pytest.approx(
                    whole, abs=1e-4
                )


def flattened(x):
    """The strings and numbers in nested lists."""
    if not isinstance(x, list | tuple):
        yield x
        return
    for part in x:
        yield from flattened(part)


def test_without_simd_the_numbers_are_the_same(ask, as_stored):
    assert difference(ask, as_stored, prompts(3)[2], simd=False) < NEAR


def test_a_text_read_in_pieces_has_the_same_logits(ask):
    text = prompts(6)[5]
    n = len(g.load_novelist().bpe.encode(text))
    sizes = [1, 2, 3, n - 6]
    whole, parts = ask(["pieces", text, [n]], ["pieces", text, sizes])
    assert np.abs(numbers(whole, -1) - numbers(parts, -1)).max() < NEAR


@pytest.mark.parametrize("n", [40, pytest.param(200, marks=pytest.mark.slow)])
def test_greedy_writing_is_the_same_token_for_token(ask, as_stored, n):
    bpe = g.load_novelist().bpe
    for simd in (True, False):
        written = ask(["write", "She looked at", {"n": n, "temperature": 0}], simd=simd)[0]
        ids = torch.tensor([bpe.encode("She looked at")])
        assert written == greedy(as_stored, ids, n)[0, ids.shape[1] :].tolist()


def test_beam_search_finds_the_same_text(ask, as_stored):
    bpe, options = g.load_novelist().bpe, {"temperatures": [0.8], "seed": 3}
    ids = torch.tensor([bpe.encode("She looked at")])
    rows = {
        row[0]: row
        for width in (1, 4)
        for row in ask(["ways", "She looked at", {"n": 12, "n_beams": width, **options}])[0]
    }
    for width in (1, 4):
        beam = beam_search(as_stored, ids, 12, width)[0]
        name, mean, pairs = rows[f"{width} beams"]
        assert [piece for piece, _ in pairs] == bpe.pieces(beam.ids[ids.shape[1] :])
        assert mean == pytest.approx(beam.log_prob / 12, abs=1e-3)
    assert rows["greedy"][1:] == rows["1 beams"][1:]
    assert math.log(rows["T = 0.8"][2][0][1]) < 0


def test_writing_past_the_context_goes_on_as_in_the_library(ask, as_stored):
    text = " ".join(prompts(50)[5:9])
    ids = torch.tensor([g.load_novelist().bpe.encode(text)[-256:]])
    written = ask(["write", text, {"n": 20, "temperature": 0}])[0]
    assert written == greedy(as_stored, ids, 20)[0, 256:].tolist()


@pytest.mark.parametrize("factor", [0, 0.4])
def test_a_head_that_is_turned_down_adds_less(ask, as_stored, factor):
    text, H, D = prompts(3)[1], 4, 64
    kept = as_stored.blocks[2].attention.project.weight.detach().clone()
    with torch.no_grad():
        as_stored.blocks[2].attention.project.weight[:, D : 2 * D] *= factor  # head 1 wrote it
    try:
        assert difference(ask, as_stored, text, {"2.1": factor}) < NEAR
        assert difference(ask, as_stored, text) > NEAR
    finally:
        as_stored.blocks[2].attention.project.weight.data = kept
    assert H * D == as_stored.config.n_embd


FAULTS = {
    "arena.js": [("sum = bias ? bias[n] : 0", "sum = 0")],
    "gpt.js": [
        ("const EPS = 1e-5", "const EPS = 1e-2"),
        ("start + t + 1; //", "Math.min(S, start + t + 2); //"),
        ("row[s] = sum / Math.sqrt(D)", "row[s] = sum / Math.sqrt(C)"),
        ("0.044715", "0.044"),
        ("this.positions[(start + t) * C + c]", "this.positions[t * C + c]"),
    ],
    "weights.js": [("steps[i] * scales[row]", "steps[i] * scales[0]")],
}


@pytest.mark.parametrize(
    ("name", "right", "wrong"), [(n, *pair) for n, pairs in FAULTS.items() for pair in pairs]
)
def test_a_planted_fault_is_seen(ask, as_stored, tmp_path, name, right, wrong):
    copy = shutil.copytree(FOLDER, tmp_path / "engine")
    (tmp_path / "package.json").write_text('{"type": "module"}')
    text = (copy / name).read_text(encoding="utf-8")
    assert text.count(right) == 1
    (copy / name).write_text(text.replace(right, wrong), encoding="utf-8")
    words = "He was a very young man"
    questions = ["pieces", words, [6]], ["pieces", words, [3, 3]], ["trace", words, {}]
    whole, parts, traced = ask(*questions, folder=copy, simd=False)
    apart = np.abs(numbers(whole, -1) - numbers(parts, -1)).max()
    assert max(apart, apart_from(as_stored, words, traced)) > NEAR


# ---- one protocol: what a view asks, answered by Python and by the engine --------------------

ODD_TEXTS = [
    "",
    " \n\t",
    "word " * 2000,
    "She looked at the old man.",
    "İt's 🙂",
    "</script><b>",
    "".join(map(chr, range(0x4E00, 0x4E00 + 22))),
    "a" * 10_001,
]
VIEWS = {  # each that asks, and the control that is a question
    "attention": lambda n, e: (e.AttentionExplorer.from_checkpoint(n, "He saw"), "text"),
    "formats": lambda n, e: (e.FormatsExplorer.from_checkpoint(n), "texts"),
    "journey": lambda n, e: (e.JourneyExplorer.from_checkpoint(n, "He saw"), "text"),
    "map": lambda n, e: (e.ModelMapExplorer.from_checkpoint(n, "He saw"), "text"),
    "sampling": lambda n, e: (e.SamplingExplorer.from_checkpoint(n, "He saw"), "text"),
    "tokens": lambda n, e: (e.TokenExplorer.from_checkpoint(n, "He saw"), "text"),
    "two_texts": lambda n, e: (e.TwoTextsExplorer.from_checkpoint(n, "A", "a"), "texts"),
    "tying": lambda n, e: (e.TyingExplorer.from_checkpoint(n, "He saw", n=3), "text"),
    "writing": lambda n, e: (
        e.WritingExplorer.from_checkpoint(
            n, "He", seed=5, n_tokens=4, temperatures=(0.8,), n_beams=2
        ),
        "text",
    ),
}


def questions_to(name, view):
    """Values of the control that asks."""
    if name == "two_texts":
        return [[text, "She took a letter."] for text in ODD_TEXTS]
    if name == "formats":
        some = {"classification": [ODD_TEXTS[2]], "choice": [ODD_TEXTS[4], "a", "b c", "d"]}
        return [view.texts | some, view.texts | {"similarity": ["a", ""]}]
    return ODD_TEXTS


def as_json(values):
    """Traits as the page has them; arrays as { bytes: base64 }."""

    def plain(value):
        given = isinstance(value, bytes)
        return {"bytes": base64.b64encode(value).decode()} if given else value

    return {name: plain(value) for name, value in values.items()}


def state_of(view):
    """The traits of an explorer that the page has, but for its script and style."""
    names = set(view.keys) - set(DOMWidget.class_trait_names())
    return {name: getattr(view, name) for name in names if name[0] != "_"}


def alike(theirs, ours):
    """Equal, numbers within NEAR; arrays of the page against bytes of float32 or float16."""
    if isinstance(ours, bytes):
        values = numbers(theirs["floats"], -1)
        kind = f"<f{len(ours) // len(values)}"
        given = np.frombuffer(ours, kind).astype(np.float32)
        return np.allclose(values, given, atol=NEAR, rtol=1e-3)
    if isinstance(ours, list | tuple):
        pairs = zip(theirs, ours, strict=False)
        return len(theirs) == len(ours) and all(alike(*pair) for pair in pairs)
    if isinstance(ours, dict):
        return theirs.keys() == ours.keys() and all(alike(theirs[k], ours[k]) for k in ours)
    return theirs == ours or (isinstance(ours, float) and abs(theirs - ours) <= NEAR)


def test_a_view_is_answered_by_the_engine_as_by_python(ask):
    questions, wanted, kinds = [], [], set()
    for name, make in VIEWS.items():
        view, control = make(g.load_novelist(), explorers)
        kinds.add(type(view).__name__)
        for value in questions_to(name, view):
            before = as_json(state_of(view))
            setattr(view, control, value)
            questions.append(["viewed", view._esm, {control: value}, before | {control: value}])
            wanted.append((name, value, view.answer_names(), state_of(view)))
    for (name, value, computed, ours), theirs in zip(
        wanted, ask(*questions, bits=16), strict=True
    ):
        if "error" in theirs:
            assert ours["message"] == f"This cannot be read: {theirs['error']}.", (name, value)
            continue
        assert computed & ours.keys() <= theirs.keys() <= ours.keys()
        different = [trait for trait in theirs if not alike(theirs[trait], ours[trait])]
        assert not different, (name, str(value)[:60], different)
    subclasses = explorers.Explorer.__subclasses__()
    asking = {k.__name__ for k in subclasses if k.answer_names() != {"message"}}
    assert kinds == asking, "each view that asks is asked here"


# ---- drawing --------------------------------------------------------------------------


@pytest.mark.parametrize("temperature", [0, 0.5, 1, 1.7])
@pytest.mark.parametrize(("top_k", "top_p"), [(0, 1), (5, 1), (0, 0.7), (7, 0.6)])
def test_what_can_be_drawn_is_what_the_library_draws_from(ask, temperature, top_k, top_p):
    logits = 3 * torch.randn(40, generator=torch.Generator().manual_seed(0))
    logits[3] = logits[7]  # a tie
    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": 1}
    answer = ask(["drawn", logits.tolist(), options, 2000])[0]
    probs = next_token_probs(logits, temperature, top_k or None, top_p).numpy()
    assert np.allclose(numbers(answer["probs"], -1), probs, atol=1e-6)
    shares = np.bincount(answer["ids"], minlength=40) / 2000
    assert np.abs(shares - probs).max() < 0.05
    assert not shares[probs == 0].any()


def test_a_seed_repeats_a_text_and_another_does_not(ask):
    written = (
        ["write", "Once upon a", {"n": 15, "temperature": 1, "seed": s}] for s in (1, 1, 2)
    )
    one, again, other = ask(*written)
    assert one == again != other


def test_two_texts_are_written_at_once(ask):
    assert ask(["together", ["She looked at", "The old man"], {"n": 5}])[0] == [5, 5]


def test_a_writing_is_stopped_while_the_model_is_loading(ask):
    assert ask(["stoppedEarly"])[0] == ["load", "write", "stop"]


# ---- what cannot be read --------------------------------------------------------------


def test_what_the_model_cannot_read_is_refused_by_name(ask):
    bad = [[], [3] * 257, [8120], [-1], [1.5]]
    said = ask(*(["refused", ids] for ids in bad), ["refused", [3] * 256])
    for words, part in zip(said, ["empty", "257", "8120", "-1", "1.5"], strict=False):
        assert part in words
    assert said[-1] is None


@pytest.mark.parametrize("text", ["", " \n\t", "🙂", "</script><b>", "word " * 2000])
def test_odd_texts_are_read_as_the_library_reads_them(ask, text):
    bpe = g.load_novelist().bpe
    answer = ask(["trace", text, []])[0]
    assert answer["ids"] == (bpe.encode(text) or [bpe.newline])[-256:]


# ---- its parts --------------------------------------------------------------------------


def test_packed_weights_are_near_and_halves_exact():
    model = g.load_novelist().model
    for bits, most in ((8, 1 / 254), (16, 0), (32, 0)):
        for (name, a), b in zip(
            model.named_parameters(), engine.as_stored(model, bits).parameters(), strict=True
        ):
            assert (a - b).abs().max() <= most * a.abs().max() * (1 + 1e-5), name
    with pytest.raises(ValueError, match="bits is 12, it must be 8, 16 or 32"):
        engine.pack(model, 12)


def test_its_own_source_is_cut_out_whole():
    text = engine.source_of("gelu")
    assert text.startswith("// GELU in the tanh form") and text.endswith("\n}")
    block = engine.source_of("readBlock")
    assert block.startswith("  // n = LN(h + attention(h))") and block.endswith('"h", h);\n  }')
    assert engine.source_of("plainLinear", "arena").count("\n") == 10
    with pytest.raises(ValueError, match="gpt.js defines relu 0 times"):
        engine.source_of("relu")


def test_a_line_is_found_by_its_words():
    assert engine.line_with("a = 1  # one\nb = 2;", "a =") == "a = 1"
    assert engine.line_with("a = 1;\n  b = 2; // two", "b =") == "b = 2"
    with pytest.raises(ValueError, match="'=' stands in 2 lines"):
        engine.line_with("a = 1\nb = 2", "=")


def test_the_stored_differences_are_those_of_this_engine(node, tmp_path):
    source, stored = g.load_novelist(), json.loads(LANGUAGES.read_text())
    held = EngineInNode(node, source, tmp_path)
    found = in_javascript(held, lesson08.TEXT, simd=False)
    held.close()
    ids = torch.tensor(source.bpe.encode(lesson08.TEXT))
    measured = lesson08.apart(found, lesson08.states(ids, copy.deepcopy(source.model).double()))
    then = stored["columns"]["JavaScript, float32"]["exact"]
    assert measured.keys() == then.keys()
    for name, far in measured.items():
        assert far <= 3 * then[name] and then[name] <= 3 * far, name

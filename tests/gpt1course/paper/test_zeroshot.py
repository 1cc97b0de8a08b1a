"""The zero-shot heuristics against the same sums done one by one."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
import torch

import gpt1lib as g
from gpt1course.paper import results, zeroshot
from gpt1course.paper.zeroshot import run
from gpt1lib import metrics
from gpt1lib.baselines.lstm import LSTM
from gpt1lib.bpe import BPE
from gpt1lib.io.paths import ROOT
from gpt1lib.io.run_folder import Log
from gpt1lib.model import LanguageModel

BPE_SMALL = BPE.learn("a very good film and a very bad dull film the plot is thin " * 3, 60)


@pytest.fixture
def model():
    torch.manual_seed(0)
    return g.GPT(g.GPTConfig(BPE_SMALL.n_vocab, 24, 2, 2, 16, 0.0)).eval()


def one_by_one(model, given, rest):
    ids = torch.tensor([[*given, *rest]])
    log_probs = model(ids)[0].log_softmax(-1)
    found = [
        log_probs[i - 1, ids[0, i]].item() for i in range(max(1, len(given)), ids.shape[1])
    ]
    return sum(found) / len(found)


@pytest.mark.parametrize("batch", [1, 2, 8])
def test_scores_are_means_of_log_probabilities(model, batch):
    texts = ["a good film", "the plot", "thin", "a very bad dull film and a plot"]
    pairs = [(BPE_SMALL.encode("the film is"), BPE_SMALL.encode(t)) for t in texts]
    pairs += [([], BPE_SMALL.encode(t)) for t in texts if len(BPE_SMALL.encode(t)) > 1]
    found = zeroshot.continuation_scores(model, pairs, batch)
    assert found == pytest.approx([one_by_one(model, *p) for p in pairs], abs=1e-5)


@pytest.mark.parametrize("batch", [1, 2, 16])
@pytest.mark.parametrize("kind", ["gpt", "lstm"])
def test_answers_score_as_if_each_were_read_alone(model, kind, batch):
    """With the cache or without; also where nothing is given, or too much."""
    if kind == "lstm":
        model = LSTM(model.config).eval()
    texts = ["the film is", "a dull plot", "thin", "very good", "", "film " * 21, "film " * 30]
    more = [["a good film", "thin plot"], ["the plot is thin", "a plot", "very bad"]]
    questions = [
        (BPE_SMALL.encode(text), [BPE_SMALL.encode(a) for a in answers])
        for text in texts
        for answers in more
    ]
    found = zeroshot.answer_scores(model, questions, batch)
    for (given, answers), scores in zip(questions, found, strict=True):
        alone = [one_by_one(model, given[-24 + len(a) :], a) for a in answers]
        assert scores == pytest.approx(alone, abs=1e-5)


def test_what_is_too_long_loses_its_beginning(model):
    given, rest = BPE_SMALL.encode("film " * 30), BPE_SMALL.encode("the plot is thin")
    found = zeroshot.continuation_scores(model, [(given, rest)])[0]
    kept = given[len(rest) - 24 :]
    assert found == pytest.approx(one_by_one(model, kept, rest), abs=1e-5)


def test_what_cannot_be_scored_is_refused(model):
    with pytest.raises(ValueError, match="batch is -1"):
        zeroshot.continuation_scores(model, [([1], [2, 3])], batch=-1)
    with pytest.raises(ValueError, match="they must be numbers, at least 1"):
        zeroshot.above_median([])


def test_one_token_alone_has_no_score(model):
    with pytest.raises(ValueError, match="text 1 has no token"):
        zeroshot.continuation_scores(model, [([], [3])])


def test_sentiment_compares_two_words_after_very(model):
    texts = ["the film", "a dull plot is thin", "film " * 40]
    found = zeroshot.sentiment(model, BPE_SMALL, texts)
    bad, good = BPE_SMALL.encode("bad")[0], BPE_SMALL.encode("good")[0]
    for text, guess in zip(texts, found, strict=True):
        ids = torch.tensor([(BPE_SMALL.encode(text)[:23] + BPE_SMALL.encode("very"))])
        logits = model(ids)[0, -1]
        assert guess == int(logits[good] > logits[bad])
    with pytest.raises(ValueError, match="'brilliant' is"):
        zeroshot.likelier_word(model, BPE_SMALL, texts, ("brilliant", "bad"))


class Pairs(LanguageModel):
    """Only the last token counts: after `a`, `b` is likelier than any other of the pairs."""

    has_cache = False

    def __init__(self, **pairs):
        super().__init__()
        n = BPE_SMALL.n_vocab
        self.config = g.GPTConfig(n, 24, 1, 1, n, 0.0)
        self.tokens, self.blocks = torch.nn.Embedding(n, n), torch.nn.ModuleList()
        self.tokens.weight.data = torch.eye(n)
        self.likely = torch.zeros(n, n)
        for a, b in pairs.items():
            (before,), (after,) = BPE_SMALL.encode(a), BPE_SMALL.encode(b)
            self.likely[before, after] = 5.0

    def hidden(self, ids, cache=None):
        return self.likely[ids]


@pytest.mark.parametrize("guess", [0, 1])
def test_sentiment_asks_after_very_and_after_no_other_word(guess):
    right, wrong = (zeroshot.heuristics.SENTIMENT_WORDS[i] for i in (guess, 1 - guess))
    model = Pairs(very=right, film=wrong, plot=wrong, a=wrong, good=wrong, bad=wrong)
    texts = ["the film", "a plot", "a very good film", "very bad", "film " * 40]
    assert zeroshot.sentiment(model, BPE_SMALL, texts) == [guess] * 5


def test_each_question_is_answered_by_its_own_scores():
    model = Pairs(film="is", very="good")
    asked = [
        ("a _ is thin", ["plot", "film"]),
        ("the _ is a plot", ["film", "plot"]),
        ("a very _ is thin", ["plot", "good plot", "bad film"]),
        ("the _ is bad", ["film", "plot"]),
    ]
    assert zeroshot.referents(model, BPE_SMALL, asked) == [1, 0, 2, 0]
    asked = [
        ("the film", ["a plot", "is"]),
        ("a very", ["bad", "thin", "good"]),
        ("film", ["is", "plot", "film"]),
    ]
    assert zeroshot.choices(model, BPE_SMALL, asked) == [1, 2, 0]


def test_next_words_come_back_in_the_order_of_their_texts(model):
    texts = [BPE_SMALL.encode(t) for t in ("the film is very good", "thin", "a plot is")]
    alone = [zeroshot.next_logits(model, [ids])[0] for ids in texts]
    for batch in (1, 2, 3):
        together = zeroshot.next_logits(model, texts, batch)
        assert torch.allclose(together, torch.stack(alone), atol=1e-5)


def test_choices_and_referents_take_the_likelier(model):
    context, options = "the film is", ["very good", "thin", "a dull plot"]
    scores = [
        one_by_one(model, BPE_SMALL.encode(context), BPE_SMALL.encode(o)) for o in options
    ]
    assert (
        zeroshot.choices(model, BPE_SMALL, [(context, options)] * 2)
        == [scores.index(max(scores))] * 2
    )
    text, options = "the plot and _ is thin", ["a film", "a good film"]
    rest = BPE_SMALL.encode(" is thin")
    scores = [one_by_one(model, BPE_SMALL.encode(f"the plot and {o}"), rest) for o in options]
    assert zeroshot.referents(model, BPE_SMALL, [(text, options)]) == [
        scores.index(max(scores))
    ]
    with pytest.raises(ValueError, match="2 places marked _"):
        zeroshot.referents(model, BPE_SMALL, [("_ and _", options)])


def test_threshold_and_scale():
    assert zeroshot.above_median([3.0, 1.0, 2.0, 4.0]) == [1, 0, 0, 1]
    assert zeroshot.relative(0.5, 0.5, 0.9) == 0 and zeroshot.relative(0.9, 0.5, 0.9) == 1
    with pytest.raises(ValueError, match="not above chance"):
        zeroshot.relative(0.5, 0.5, 0.5)


def test_the_probes_read_test_splits_only():
    found = zeroshot.probes()
    sizes = {p.name: len(p.labels) for p in found if p.name != "missing word"}
    assert sizes.pop("he or she") == 700
    assert sizes == {"acceptability": 518, "sentiment": 899, "story cloze": 552, "schemas": 60}
    gaps = g.tasks.load("missing_word").test
    assert found[0].labels == [e.label for e in gaps]
    assert [p.choices for p in found] == [5, 2, 2, 2, 2, 2]


@pytest.mark.slow
def test_pre_training_helps_where_it_should(novelist):
    """Broken sentences are found better than by chance, and than by random weights."""
    probe = zeroshot.probes()[2]
    torch.manual_seed(0)
    chance = probe.score(g.GPT(novelist.model.config).eval(), novelist.bpe)
    found = probe.score(novelist.model, novelist.bpe)
    assert chance["interval"][0] < 0.5 < chance["interval"][1] < found["interval"][1]
    assert found["interval"][0] > 0.5


# ---- what is stored of them ----------------------------------------------------------


def test_what_is_stored_of_the_ends_is_of_the_shipped_models():
    tests = zeroshot.probes()
    for kind, folder in (("novelist", run.NOVELIST_DIR), ("LSTM", run.LSTM_DIR)):
        *_, end = (x for x in results.stored_lines("zeroshot") if x["model"] == kind)
        assert end["loss"] == Log(folder / "log.jsonl").lines()[-1]["loss"]
        for test in tests:
            stored = end["scores"][test.name]
            guesses = [int(digit) for digit in stored["guesses"]]
            assert (
                metrics.rounded(metrics.accuracy(guesses, test.labels)).items()
                <= stored.items()
            )


EARLY = {"step": 16, "tokens": 32768, "loss": 8.5}
MODEL = torch.nn.Identity()
END = {"step": 8000, "tokens": 16384000, "loss": 3.5}


def a_test(name, guesses="10"):
    found = {"accuracy": 0.5, "guesses": guesses}
    return SimpleNamespace(name=name, score=lambda model, bpe: found)


@pytest.fixture
def stored(monkeypatch, tmp_path):
    """The novelist after 16 and 8,000 updates, asked `old`; only the end is at hand."""
    at_hand = {run.NOVELIST_DIR: [(MODEL, END)], run.LSTM_DIR: []}
    monkeypatch.setattr(run.snapshots, "stages", lambda folder: iter(at_hand[folder]))
    monkeypatch.setattr(results, "STORED", tmp_path)
    for facts in (EARLY, END):
        scores = {"old": {"accuracy": 0.25}}
        results.store(
            "zeroshot", {"model": "novelist", **facts, "scores": scores, "commit": "a"}
        )
    return at_hand


def test_a_new_test_joins_what_is_stored(stored, monkeypatch, capsys):
    monkeypatch.setattr(run.probe, "probes", lambda: [a_test("old"), a_test("new", "01")])
    run.run_zero_shot({"commit": "b"})
    early, end = results.stored_lines("zeroshot")
    assert early == {
        "model": "novelist",
        **EARLY,
        "scores": {"old": {"accuracy": 0.25}},
        "commit": "a",
    }
    assert {k: v["guesses"] for k, v in end["scores"].items()} == {"old": "10", "new": "01"}
    assert end["commit"] == "a" and end["added"] == [{"tests": ["old", "new"], "commit": "b"}]
    told = capsys.readouterr().out
    assert (
        "novelist after [16, 31," in told and "4000] updates, so there are holes in new" in told
    )
    again = results.stored_lines("zeroshot")
    run.run_zero_shot({"commit": "c"})
    assert results.stored_lines("zeroshot") == again


def test_a_stage_that_comes_later_takes_its_place(stored, monkeypatch):
    monkeypatch.setattr(run.probe, "probes", lambda: [a_test("old")])
    stored[run.LSTM_DIR] = [(MODEL, END)]
    stored[run.NOVELIST_DIR] = [(MODEL, {**EARLY, "step": 31}), (MODEL, END)]
    run.run_zero_shot({"commit": "b"})
    lines = results.stored_lines("zeroshot")
    found = [(x["model"], x["step"], x["commit"]) for x in lines]
    assert found == [
        ("novelist", 16, "a"),
        ("novelist", 31, "b"),
        ("novelist", 8000, "a"),
        ("LSTM", 8000, "b"),
    ]


def test_scores_of_two_runs_are_not_mixed(stored, monkeypatch):
    monkeypatch.setattr(run.probe, "probes", lambda: [a_test("old")])
    stored[run.NOVELIST_DIR] = [(MODEL, {**END, "loss": 3.4})]
    with pytest.raises(ValueError, match=r"8000 updates is of another run.*3\.5 and not 3\.4"):
        run.run_zero_shot({"commit": "b"})


BY_TWO = """
import os, sys
from pathlib import Path
from types import SimpleNamespace
import torch
from gpt1course.paper import results
from gpt1course.paper import __main__ as command
from gpt1course.paper.zeroshot import run

def a_test(i):
    return SimpleNamespace(
        name=f"test {i}", score=lambda m, b: {"guesses": str(i), "by": os.environ["RANK"]}
    )

results.STORED = Path(sys.argv[1])
at_hand = {run.NOVELIST_DIR: [(torch.nn.Identity(), {"step": 8000, "tokens": 1, "loss": 3.5})]}
run.snapshots.stages = lambda folder: iter(at_hand.get(folder, []))
run.probe.probes = lambda: [a_test(i) for i in range(5)]
command.main(sys.argv[2:])
"""


@pytest.mark.slow
def test_two_processes_share_the_tests_of_a_stage(tmp_path):
    (tmp_path / "script.py").write_text(BY_TWO)
    team = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    team += ["--nproc-per-node", "2", tmp_path / "script.py", tmp_path]
    env = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}
    for asked, said in (("zeroshot", ""), ("readout", "processes share zeroshot and released")):
        done = subprocess.run([*team, asked], env=env, capture_output=True, text=True)
        assert (done.returncode == 0) == (not said) and said in done.stderr, done.stderr[-2000:]
    (line,) = Log(tmp_path / "zeroshot.jsonl").lines()
    found = {name: (x["guesses"], x["by"]) for name, x in line["scores"].items()}
    assert found == {f"test {i}": (str(i), str(i % 2)) for i in range(5)}

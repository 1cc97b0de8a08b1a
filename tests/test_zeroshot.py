"""The zero-shot heuristics against the same sums done one by one."""

import pytest
import torch

import gpt1lib as g
from gpt1lib.bpe import BPE
from gpt1lib.paper import zeroshot

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
        zeroshot.sentiment(model, BPE_SMALL, texts, ("brilliant", "bad"))


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
    sizes = {p.name: len(p.labels) for p in zeroshot.probes()}
    assert sizes == {"acceptability": 518, "sentiment": 899, "story cloze": 552, "schemas": 60}


def test_pre_training_helps_where_it_should(novelist):
    """Broken sentences are found better than by chance, and than by random weights."""
    probe = zeroshot.probes()[0]
    torch.manual_seed(0)
    chance = probe.score(g.GPT(novelist.model.config).eval(), novelist.bpe)
    found = probe.score(novelist.model, novelist.bpe)
    assert chance["interval"][0] < 0.5 < chance["interval"][1] < found["interval"][1]
    assert found["interval"][0] > 0.5

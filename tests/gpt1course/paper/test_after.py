"""What came after the paper, in small: the masked twin, its exam, the sweep's line."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from gpt1course import statistics
from gpt1course.paper import stored_lines
from gpt1course.paper.after import filling, masked, scaling, twins
from gpt1course.paper.trials import Trial
from gpt1lib.config import GPTConfig
from gpt1lib.model import GPT
from gpt1lib.rng import fork_rng

SMALL = GPTConfig(n_vocab=30, n_ctx=8, n_layer=2, n_head=2, n_embd=16, dropout=0.0)


@pytest.fixture(scope="module")
def pair():
    """A causal and a masked model with the same random numbers."""
    models = []
    for kind in (GPT, masked.MaskedGPT):
        with fork_rng(3):
            models.append(kind(SMALL).eval())
    return models


def test_a_masked_model_is_gpt_with_one_argument_changed(pair):
    gpt, bert = pair
    states = gpt.state_dict(), bert.state_dict()
    assert all(torch.equal(states[0][name], states[1][name]) for name in states[0])
    ids = torch.tensor([[3, 1, 4, 1, 5]])
    changed = ids.clone()
    changed[0, -1] = 9
    assert torch.equal(gpt.hidden(ids)[0, 0], gpt.hidden(changed)[0, 0])
    assert not torch.allclose(bert.hidden(ids)[0, 0], bert.hidden(changed)[0, 0], atol=1e-3)
    assert torch.allclose(gpt.hidden(ids[:, :1]), bert.hidden(ids[:, :1]), atol=1e-6)


def test_tokens_are_hidden_by_the_rule(pair):
    ids = torch.randint(29, (2000, 8), generator=torch.Generator().manual_seed(0))
    with fork_rng(1):
        read, labels = masked.mask_tokens(ids, mask_id=29)
    chosen = labels != masked.NO_TARGET
    assert torch.equal(labels[chosen], ids[chosen]) and torch.equal(read[~chosen], ids[~chosen])
    shares = chosen, (read == 29)[chosen], (read == ids)[chosen]
    found = [float(x.float().mean()) for x in shares]
    assert found == pytest.approx([0.15, 0.8, 0.1 + 0.1 / 29], abs=0.02)
    logits = pair[1](read)
    wanted = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten())
    assert torch.allclose(masked.masked_loss(pair[1], read, labels), wanted, atol=1e-5)


def test_something_is_always_hidden_and_a_wrong_share_is_named():
    with fork_rng(0):
        _, labels = masked.mask_tokens(torch.tensor([[1, 2]]), 29, share=1e-9)
    assert (labels != masked.NO_TARGET).sum() == 1
    with pytest.raises(ValueError, match="share"):
        masked.mask_tokens(torch.tensor([[1, 2]]), 29, share=0.0)


def test_covered_words_are_looked_for_where_the_model_may_look(pair):
    ids = torch.tensor([3, 1, 4, 1, 5])
    gpt, bert = (filling.covered(model, ids) for model in pair)
    assert gpt[0][0].isnan().all() and (gpt[1].triu() == 0).all()
    assert torch.allclose(gpt[1][1:].sum(dim=1), torch.ones(4))
    assert torch.allclose(bert[1].sum(dim=1), torch.ones(5)) and (bert[1] > 0).all()
    read = ids.clone()
    read[2] = 29
    assert torch.allclose(bert[0][2], pair[1](read[None])[0, 2].log_softmax(0), atol=1e-6)


def test_whole_sentences_give_the_word_by_bayes_rule(pair):
    ids, gpt = torch.tensor([3, 1, 4, 1, 5]), pair[0]
    found = filling.by_whole_sentences(gpt, ids, 2, 29)
    sums = []
    for token in range(29):
        each = ids.clone()
        each[2] = token
        log_p = gpt(each[None])[0].log_softmax(dim=-1)
        sums.append(sum(log_p[i, each[i + 1]].item() for i in range(4)))
    assert torch.allclose(found, torch.tensor(sums).log_softmax(0), atol=1e-5)


@torch.no_grad()
def test_the_middle_token_of_each_passage_is_scored_in_three_ways(pair, monkeypatch):
    gpt, bert = pair
    heldout = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5, 8, 7])
    monkeypatch.setattr(filling, "load_twins", lambda: (gpt, bert, SimpleNamespace(n_vocab=29)))
    monkeypatch.setattr(filling, "heldout_tokens", lambda bpe: (heldout, 40))
    found = filling.measure_gaps(Trial.of("gaps", passages=2, length=6))["nats"]
    wanted = {"GPT, left only": [], "GPT, whole": [], "BERT": []}
    for ids in (heldout[:6], heldout[5:]):
        true = int(ids[3])
        before = gpt(ids[None, :3])[0, -1].log_softmax(0)
        wanted["GPT, left only"].append(-before[true].item())
        each = ids.repeat(29, 1)
        each[:, 3] = torch.arange(29)
        log_p = gpt(each).log_softmax(-1)[:, :-1].gather(-1, each[:, 1:, None])
        wanted["GPT, whole"].append(-log_p.sum((1, 2)).log_softmax(0)[true].item())
        read = ids.clone()
        read[3] = 29
        wanted["BERT"].append(-bert(read[None])[0, 3].log_softmax(0)[true].item())
    assert found == {way: pytest.approx(nats, abs=2e-4) for way, nats in wanted.items()}


def test_the_stored_twins_are_those_that_were_trained():
    gpt, bert, bpe = twins.load_twins()
    lines = {line["kind"]: line for line in stored_lines("twins")}
    assert bpe.n_vocab + 1 == gpt.config.n_vocab == bert.mask_id + 1
    for kind, model in (("causal", gpt), ("masked", bert)):
        assert model.count_parameters() == lines[kind]["parameters"]
        assert lines[kind]["curve"][-1][0] == lines[kind]["recipe"]["steps"]
    ids = torch.tensor([bpe.encode("she opened the door and went down to the garden.")])
    assert filling.guesses_around(bert, ids, 2)[0].argmax() == ids[0, 2], "the"


def test_a_power_law_is_found_and_its_interval_holds_the_next_point():
    sizes = np.array([1e4, 1e5, 1e6])
    alpha, a = statistics.power_law(sizes, 7 * sizes**-0.08)
    assert (alpha, a) == pytest.approx((0.08, 7))
    noise = np.exp(np.array([0.01, -0.02, 0.01]))
    middle, low, high = statistics.prediction(sizes, 7 * sizes**-0.08 * noise, 1e7)
    assert low < 7 * 1e7**-0.08 < high and math.log(high / middle) == pytest.approx(
        math.log(middle / low)
    )
    nearer = statistics.prediction(sizes, 7 * sizes**-0.08 * noise, 2e6)
    assert nearer[2] / nearer[1] < high / low, "the farther, the less is known"
    with pytest.raises(ValueError, match="2 sizes"):
        statistics.prediction(sizes[:2], [3.0, 2.0], 1e7)


def test_every_size_reads_its_share_of_the_text():
    ids = np.arange(10 * scaling.BLOCK + 5)
    whole = [scaling.every_block(ids, 2, start) for start in (0, 1)]
    assert sorted(np.concatenate(whole)) == list(ids)
    for line in stored_lines("scaling"):
        assert tuple(line["shape"]) in scaling.SHAPES and line["commit"] != "unknown"
        assert line["nats"] <= line["last_nats"] + 0.05

"""L1, L2, L3, against numbers worked out by hand to six digits."""

import math

import pytest
import torch

from gpt1lib import losses as o
from gpt1lib.io import files


def near(value, wanted):
    return float(value) == pytest.approx(wanted, abs=1.01e-6)


def logits_for(probs):
    """Logits (1, T + 1, V) of a sequence 0, 1, ... whose targets have these probs."""
    n = len(probs)
    logits = torch.zeros(1, n + 1, n + 2, dtype=torch.float64)
    for i, p in enumerate(probs):  # target of position i is token i + 1
        logits[0, i] = math.log((1 - p) / (n + 1))
        logits[0, i, i + 1] = math.log(p)
    return logits, torch.arange(n + 1)[None]


def test_l1_of_two_tokens():
    logits, ids = logits_for([0.4, 0.6])
    assert near(o.lm_log_likelihood(logits, ids), -1.427116)
    loss = o.lm_loss(logits, ids)
    assert near(loss, 0.713558)
    assert near(o.perplexity(loss.item()), 2.041241)
    assert near(loss / math.log(2), 1.029447)


def test_a_target_that_is_masked_costs_nothing_even_if_it_is_impossible():
    logits, ids = logits_for([0.25, 0.5])
    logits[0, 1, 2] = -math.inf
    mask = torch.tensor([[1, 1, 0]])
    assert near(o.lm_loss(logits, ids, mask), math.log(4))
    assert near(o.lm_log_likelihood(logits, ids, mask), -math.log(4))


def test_perplexity_of_the_paper():
    assert near(math.log(18.4), 2.912351) and near(math.log(40478), 10.608514)
    assert o.perplexity(2.912351) == pytest.approx(18.4, abs=1e-4)


def test_combined_example_in_both_reductions():
    logits, ids = logits_for([0.02, 0.08, 0.35, 0.05, 0.01])
    L1 = o.lm_log_likelihood(logits, ids)
    task = torch.tensor([[0.85, 0.15]], dtype=torch.float64).log()
    L2 = -o.task_loss(task, torch.tensor([0]))  # of one example, so the sum is the mean
    assert near(L1, -15.088476) and near(L2, -0.162519)
    assert near(L2 + 0.5 * L1, -7.706757)  # the paper's sums
    loss = o.combined_loss(o.task_loss(task, torch.tensor([0])), o.lm_loss(logits, ids))
    assert near(loss, 1.671367)  # the code's means
    assert near(0.5 * o.lm_loss(logits, ids) / loss, 0.902763)


def test_head_example():
    h, W_y = (
        torch.tensor([0.5, 0.8, -0.3]),
        torch.tensor([[0.6, -0.4], [0.3, 0.7], [-0.5, 0.2]]),
    )
    logits = (h @ W_y)[None]
    assert torch.allclose(logits, torch.tensor([[0.69, 0.30]]), atol=1e-6)
    assert near(logits.softmax(-1)[0, 0], 0.596283)
    assert near(o.task_loss(logits, torch.tensor([0])), 0.517040)


def test_lm_head_example():
    h = torch.tensor([0.6, -0.2, 0.8])
    W_e = torch.tensor(
        [[0.4, 0.1, 0.2], [0.1, 0.5, -0.1], [0.7, -0.1, 0.9], [0.2, 0.3, 0.6], [-0.3, 0.4, 0.1]]
    )
    logits = torch.stack([h @ W_e.T, torch.zeros(5)])[None]
    loss = o.lm_loss(logits, torch.tensor([[0, 2]]))
    assert near(loss, 0.930680) and near(o.perplexity(loss.item()), 2.536233)


def test_numbers_here_are_the_reference_s(shared):
    w = files.read_json(shared / "reference/worked_examples.json")
    assert w["001_lm"]["L1"] == -1.427116 and w["001_combined"]["L1_sum"] == -15.088476
    assert w["001_combined"]["L3_mean_convention"] == -1.671367
    assert w["001_combined"]["L3_sum_convention"] == -7.706757
    assert w["000_lm"]["loss_nats"] == 0.93068 and w["ppl_18_4"]["nats"] == 2.912351


def test_each_state_predicts_the_next_token():
    """Off by one: logits that name the token just read must score badly."""
    ids = torch.tensor([[3, 1, 4, 2]])
    next_token = torch.nn.functional.one_hot(ids.roll(-1, 1), 6).float() * 20
    same_token = torch.nn.functional.one_hot(ids, 6).float() * 20
    assert o.lm_loss(next_token, ids) < 1e-3 and o.lm_loss(same_token, ids) > 10


def test_mean_per_sequence_then_over_sequences():
    logits = torch.randn(2, 6, 9, generator=torch.Generator().manual_seed(0))
    ids = torch.randint(9, (2, 6), generator=torch.Generator().manual_seed(1))
    real = torch.tensor([[1, 1, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    log_probs = o.token_log_probs(logits, ids)
    wanted = -(log_probs[0].mean() + log_probs[1, :2].mean()) / 2
    assert torch.allclose(o.lm_loss(logits, ids, real), wanted)
    assert torch.allclose(
        o.lm_log_likelihood(logits, ids, real), log_probs[0].sum() + log_probs[1, :2].sum()
    )


def test_what_padding_predicts_does_not_matter():
    logits = torch.randn(1, 5, 9)
    ids, real = torch.tensor([[1, 2, 3, 0, 0]]), torch.tensor([[1, 1, 1, 0, 0]])
    other = logits.clone()
    other[:, 2:] += torch.randn(1, 3, 9)  # position 2 would predict padding
    assert torch.equal(o.lm_loss(logits, ids, real), o.lm_loss(other, ids, real))


def test_bits_per_character():
    assert near(o.bits_per_character(2 * math.log(2), 8), 0.25)


def test_bad_input():
    logits = torch.zeros(1, 3, 5)
    with pytest.raises(ValueError, match=r"logits and ids are .*\(B, T, V\) and \(B, T\)"):
        o.lm_loss(logits, torch.zeros(1, 4, dtype=torch.long))
    with pytest.raises(ValueError, match=r"logits and ids are \(3, 5\) and \(3,\)"):
        o.lm_loss(logits[0], torch.zeros(3, dtype=torch.long))
    with pytest.raises(ValueError, match="1 token"):
        o.lm_loss(logits[:, :1], torch.zeros(1, 1, dtype=torch.long))
    with pytest.raises(ValueError, match="0 targets in the mask"):
        o.lm_loss(logits, torch.zeros(1, 3, dtype=torch.long), torch.tensor([[1, 0, 0]]))
    for bad in (-0.5, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="lambda"):
            o.combined_loss(torch.tensor(1.0), torch.tensor(1.0), bad)
    with pytest.raises(ValueError, match="n_characters is 0"):
        o.bits_per_character(1.0, 0)

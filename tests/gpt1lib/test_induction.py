"""The measures of copying, on attention and models whose copying is known."""

import math

import pytest
import torch
from torch import nn

import gpt1lib as g
from gpt1lib import induction

LENGTH, V = 6, 50


class Copier(nn.Module):
    """Predicts uniformly, and what followed the same token the first time in a repetition."""

    def __init__(self):
        super().__init__()
        self.config = g.GPTConfig(n_vocab=V, n_ctx=64, n_layer=1, n_head=1, n_embd=8)

    def forward(self, ids):
        logits = torch.zeros(*ids.shape, V)
        for row, tokens in enumerate(ids.tolist()):
            for t, token in enumerate(tokens):
                if token in tokens[:t]:
                    logits[row, t, tokens[tokens.index(token) + 1]] = 20.0
        return logits


def different_tokens(n: int) -> torch.Tensor:
    """As repeated_spans, with no token twice in a span."""
    rng = torch.Generator().manual_seed(0)
    spans = torch.stack([torch.randperm(V, generator=rng)[:LENGTH] for _ in range(n)])
    return spans.repeat(1, 2)


def test_spans_are_said_twice_and_drawn_anew_in_each_row():
    ids = induction.repeated_spans(V, 5, LENGTH)
    assert ids.shape == (5, 2 * LENGTH)
    assert torch.equal(ids[:, :LENGTH], ids[:, LENGTH:])
    assert len({tuple(row) for row in ids.tolist()}) == 5
    assert torch.equal(ids, induction.repeated_spans(V, 5, LENGTH))
    assert not torch.equal(ids, induction.repeated_spans(V, 5, LENGTH, seed=1))


def test_a_model_that_copies_has_no_loss_the_second_time():
    measured = induction.copying(Copier(), different_tokens(3))
    assert measured.first == pytest.approx(math.log(V), abs=1e-5)
    assert measured.second < 1e-5


def test_a_model_that_cannot_has_the_same_loss_twice():
    model = g.GPT(g.GPTConfig(n_vocab=V, n_ctx=64, n_layer=1, n_head=1, n_embd=8))
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    measured = induction.copying(model, different_tokens(3))
    assert measured.first == pytest.approx(math.log(V))
    assert measured.second == pytest.approx(math.log(V))


def attention_to(places: list[int]) -> torch.Tensor:
    """One head (1, T, T) in which each token attends to one place only."""
    return torch.eye(len(places))[places][None]


def test_scores_of_heads_that_do_one_thing_only():
    n = 2 * LENGTH
    before = attention_to([max(t - 1, 0) for t in range(n)])
    after_the_same = attention_to([t - LENGTH + 1 if t >= LENGTH else 0 for t in range(n)])
    uniform = torch.tril(torch.ones(n, n))
    uniform = (uniform / uniform.sum(1, keepdim=True))[None]
    heads = torch.stack([before, after_the_same, uniform], dim=1)[0]
    assert induction.previous_token_scores(heads)[0] == 1
    assert induction.prefix_matching_scores(heads)[1] == 1
    assert induction.prefix_matching_scores(heads)[0] == pytest.approx(0)
    expected = sum(1 / (t + 1) for t in range(LENGTH, n)) / LENGTH
    assert induction.prefix_matching_scores(heads)[2] == pytest.approx(expected)


def test_mean_weights_are_those_of_the_traces():
    model = g.GPT(g.TINY).eval()
    ids = induction.repeated_spans(g.TINY.n_vocab, 3, LENGTH)
    weights = induction.mean_weights(model, ids)
    assert weights.shape == (2, 2, 2 * LENGTH, 2 * LENGTH)
    assert torch.allclose(weights.sum(-1), torch.ones(()))
    one = g.trace(model, ids[0]).weights
    assert torch.equal(induction.mean_weights(model, ids[:1]), one)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((1, 2, 3), "n_vocab"), ((9, 0, 3), "n is 0"), ((9, 2, 1), "length")],
)
def test_what_makes_no_span_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        induction.repeated_spans(*arguments)

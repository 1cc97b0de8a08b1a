"""The measures of copying, on attention and models whose copying is known."""

import math

import pytest
import torch
from torch import nn

import gpt1lib as g
from gpt1lib import induction
from gpt1lib.baselines import lstm, variants

LENGTH, V = 6, 200
WIDTH = 224  # of a head of HandMade, whose states have 2 V + 48 numbers


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
    model = g.GPT(g.TINY).train()  # with dropout, which must be off
    ids = induction.repeated_spans(g.TINY.n_vocab, 3, LENGTH)
    weights = induction.mean_weights(model, ids)
    assert weights.shape == (2, 2, 2 * LENGTH, 2 * LENGTH) and model.training
    traced = torch.stack([g.trace(model, row).weights for row in ids])
    assert torch.allclose(weights, traced.mean(0), atol=1e-6)
    assert not torch.allclose(weights, traced[0], atol=1e-6), "a mean over the rows"
    assert not any(m._forward_hooks for m in model.modules())


def test_weights_of_another_kind_of_block_are_what_its_attention_reads():
    model = variants.PreLNGPT(g.TINY).eval()
    ids = induction.repeated_spans(g.TINY.n_vocab, 1, LENGTH)
    q, k, v = model.blocks[0].attention.split_heads(model.blocks[0].ln_1(model.embed(ids)))
    weights = induction.mean_weights(model, ids)[0]
    merged = (weights @ v[0]).transpose(0, 1).flatten(1)
    wanted = model.blocks[0].attention(model.blocks[0].ln_1(model.embed(ids)))[0]
    assert torch.allclose(model.blocks[0].attention.project(merged), wanted, atol=1e-6)


# ---- what a training logs ----------------------------------------------------------------


class HandMade(g.GPT):
    """One block: a head that looks at the token before, and one that finds what came next.

    A state is the token, the token before and the position, one number 1 for each. The second
    head asks for the places whose token before is its own token. The output is a Copier's.
    """

    def __init__(self):
        super().__init__(g.GPTConfig(V, n_ctx=48, n_layer=1, n_head=2, n_embd=2 * WIDTH))
        nn.init.zeros_(self.blocks[0].attention.qkv.weight)
        q_1, q_2, k_1, k_2, *_ = self.blocks[0].attention.qkv.weight.data.split(WIDTH)
        places, tokens = torch.arange(48), torch.arange(V)
        q_1[places[:-1], 2 * V + places[1:]] = k_1[places, 2 * V + places] = 30.0
        q_2[tokens, tokens] = k_2[tokens, V + tokens] = 30.0

    def embed(self, ids, start=0):
        tokens = nn.functional.one_hot(ids, V)  # (B, T, V)
        before = nn.functional.pad(tokens, (0, 0, 1, -1))  # no token is before the first
        places = torch.eye(48)[: ids.shape[1]].expand(len(ids), -1, -1)
        states = torch.cat([tokens, before, places], dim=-1).float()
        return nn.functional.pad(states, (0, 2 * WIDTH - states.shape[-1]))

    def forward(self, ids, cache=None):
        return Copier()(ids)


def test_a_model_that_copies_is_told_by_all_four_measures():
    found = induction.measures(HandMade())
    assert found["first_time"] > math.log(V) - 0.1
    assert found["second_time"] < 0.1 * found["first_time"]
    assert found["prefix_matching"] > 0.99 and found["previous_token"] > 0.99


def test_a_model_that_attends_evenly_has_the_scores_of_chance():
    config = g.GPTConfig(n_vocab=V, n_ctx=32, n_layer=2, n_head=2, n_embd=8)
    model = g.GPT(config)
    for parameter in model.parameters():
        nn.init.zeros_(parameter)
    found = induction.measures(model)  # spans of 4 tokens: token t attends to t + 1 places
    assert found["first_time"] == found["second_time"] == pytest.approx(math.log(V))
    assert found["previous_token"] == pytest.approx(sum(1 / n for n in range(2, 9)) / 7)
    assert found["prefix_matching"] == pytest.approx((1 / 5 + 1 / 6 + 1 / 7 + 1 / 8) / 4)


def test_an_lstm_has_no_heads_to_score():
    assert [*induction.measures(lstm.LSTM(g.TINY))] == ["first_time", "second_time"]


def test_measures_are_the_same_each_time_and_draw_nothing():
    model, before = g.GPT(g.TINY).train(), torch.get_rng_state()
    assert induction.measures(model) == induction.measures(model)
    assert model.training and torch.equal(torch.get_rng_state(), before)


@pytest.mark.parametrize(("n_ctx", "length"), [(4, 2), (15, 2), (32, 4), (2048, 64)])
def test_spans_have_an_eighth_of_the_context(n_ctx, length, monkeypatch):
    made, spans = [], induction.repeated_spans
    monkeypatch.setattr(
        induction, "repeated_spans", lambda *sizes: made.append(sizes) or spans(*sizes)
    )
    config = g.GPTConfig(n_vocab=9, n_ctx=n_ctx, n_layer=1, n_head=1, n_embd=4)
    assert len(induction.measures(g.GPT(config), n_spans=3)) == 4
    assert made == [(9, 3, length)]


def test_a_context_too_short_to_repeat_anything_is_not_measured():
    config = g.GPTConfig(n_vocab=9, n_ctx=3, n_layer=1, n_head=1, n_embd=4)
    assert induction.measures(g.GPT(config)) == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((1, 2, 3), "n_vocab"), ((9, 0, 3), "n is 0"), ((9, 2, 1), "length")],
)
def test_what_makes_no_span_is_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        induction.repeated_spans(*arguments)

"""Each step of a traced pass, and heads that are scaled, against what defines them."""

import copy
import dataclasses
import math

import pytest
import torch

import gpt1lib as g
from gpt1lib.baselines import variants
from gpt1lib.tracing import ablate_heads, scale_heads, trace

IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(n_vocab=12, n_ctx=16, n_layer=2, n_head=3, n_embd=12)).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.5)
    return model


def test_a_trace_ends_at_the_models_own_logits(model):
    steps = trace(model, IDS)
    assert torch.allclose(steps.logits, model(IDS[None])[0], atol=1e-4)
    assert torch.equal(trace(model, IDS.tolist()).logits, steps.logits)


@torch.no_grad()
def test_each_step_follows_from_the_one_before(model):
    steps, T, D = trace(model, IDS), len(IDS), 4
    x = model.tokens.weight[IDS] + model.positions.weight[:T]  # (T, C)
    assert torch.equal(steps.h0, x)
    for block, layer in zip(steps.blocks, model.blocks, strict=True):
        assert block.q.shape == (3, T, D)
        product = float(block.q[1, 5] @ block.k[1, 2])  # head 1: token 5 asks token 2
        assert float(block.scores[1, 5, 2]) == pytest.approx(product / math.sqrt(D), rel=1e-4)
        later = torch.ones(T, T).triu(1).bool()
        assert (block.masked[:, later] == -math.inf).all()
        assert (block.weights[:, later] == 0).all()
        assert torch.equal(block.masked[:, ~later], block.scores[:, ~later])
        assert torch.allclose(block.weights.sum(dim=-1), torch.ones(3, T))
        assert torch.equal(block.n, layer.ln_1(x + block.attended))
        assert torch.equal(block.h, layer.ln_2(block.n + block.mlp))
        x = block.h
    assert torch.equal(steps.logits, model.logits(x))


def test_weights_of_all_layers_and_heads(model):
    steps = trace(model, IDS)
    assert steps.weights.shape == (2, 3, 8, 8)
    assert torch.equal(steps.weights[1], steps.blocks[1].weights)


def test_dropout_is_off_and_the_mode_comes_back(model):
    dropping = g.GPT(dataclasses.replace(model.config, dropout=0.5)).train()
    first, second = trace(dropping, IDS), trace(dropping, IDS)
    assert torch.equal(first.logits, second.logits) and dropping.training


def test_what_cannot_be_traced_is_named(model):
    messages = {"the prompt is empty": [], "token id 12": [12], "17 tokens": [0] * 17}
    for message, ids in messages.items():
        with pytest.raises(ValueError, match=message):
            trace(model, ids)
    with pytest.raises(ValueError, match="PreLNGPT"):
        trace(variants.PreLNGPT(model.config), IDS)


@torch.no_grad()
@pytest.mark.parametrize("heads", [[(0, 0)], [(1, 2)], [(0, 1), (1, 1)], [(0, 0), (0, 2)], []])
def test_an_ablated_head_is_one_whose_rows_of_w_o_are_zero(model, heads):
    other = copy.deepcopy(model)
    for layer, head in heads:
        other.blocks[layer].attention.project.weight[:, 4 * head : 4 * head + 4] = 0
    before = model(IDS[None])
    with ablate_heads(model, heads):
        inside, traced = model(IDS[None]), trace(model, IDS).logits
    assert torch.allclose(inside, other(IDS[None]), atol=1e-5)
    assert torch.allclose(inside[0], traced, atol=1e-5)
    assert torch.equal(inside, before) == (not heads)
    assert torch.equal(model(IDS[None]), before), "afterwards all heads are back"


@torch.no_grad()
def test_a_scaled_head_is_one_whose_rows_of_w_o_are_scaled(model):
    factors, other = {(0, 1): 0.25, (1, 1): 0.0, (1, 2): 1.0}, copy.deepcopy(model)
    for (layer, head), factor in factors.items():
        other.blocks[layer].attention.project.weight[:, 4 * head : 4 * head + 4] *= factor
    before = model(IDS[None])
    with scale_heads(model, factors):
        inside, traced = model(IDS[None]), trace(model, IDS).logits
    assert torch.allclose(inside, other(IDS[None]), atol=1e-5)
    assert torch.allclose(inside[0], traced, atol=1e-5)
    with scale_heads(model, {(0, 1): 1}):
        assert torch.equal(model(IDS[None]), before)
    with scale_heads(model, {(0, 1): 0}), ablate_heads(model, [(1, 1)]):
        both = model(IDS[None])
    with ablate_heads(model, [(0, 1), (1, 1)]):
        assert torch.equal(model(IDS[None]), both)


@pytest.mark.parametrize("factor", [-0.1, 1.1, math.nan, True, "1"])
def test_a_factor_that_cannot_be_is_named(model, factor):
    with pytest.raises(ValueError, match="factor is"), scale_heads(model, {(0, 0): factor}):
        pass


@torch.no_grad()
def test_after_an_error_all_heads_are_back(model):
    before = model(IDS[None])
    with pytest.raises(KeyError), ablate_heads(model, [(0, 1)]):
        raise KeyError
    with pytest.raises(ValueError, match="head is 3"), ablate_heads(model, [(0, 1), (1, 3)]):
        pass
    assert torch.equal(model(IDS[None]), before)


def test_a_head_that_is_not_there_is_named(model):
    with pytest.raises(ValueError, match="layer is -1"), ablate_heads(model, [(-1, 0)]):
        pass
    with pytest.raises(ValueError, match="LSTM"):
        with ablate_heads(g.baselines.lstm.LSTM(model.config), [(0, 0)]):
            pass

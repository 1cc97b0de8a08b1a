"""Heads that write nothing, against weights whose rows of W_O are 0."""

import copy

import pytest
import torch

import gpt1lib as g
from gpt1lib.tracing import ablate_heads, trace

IDS = torch.tensor([3, 1, 4, 1, 5, 9, 2, 6])


@pytest.fixture
def model():
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(n_vocab=12, n_ctx=16, n_layer=2, n_head=3, n_embd=12)).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.5)
    return model


@torch.no_grad()
@pytest.mark.parametrize("heads", [[(0, 0)], [(1, 2)], [(0, 1), (1, 1)], [(0, 0), (0, 2)], []])
def test_a_silent_head_is_one_whose_rows_of_w_o_are_zero(model, heads):
    other = copy.deepcopy(model)
    for layer, head in heads:
        other.blocks[layer].attention.project.weight[:, 4 * head : 4 * head + 4] = 0
    before = model(IDS[None])
    with ablate_heads(model, heads):
        inside, traced = model(IDS[None]), trace(model, IDS).logits
    assert torch.allclose(inside, other(IDS[None]), atol=1e-5)
    assert torch.allclose(inside[0], traced, atol=1e-5)
    assert torch.equal(inside, before) == (not heads)
    assert torch.equal(model(IDS[None]), before), "afterwards all heads speak again"


@torch.no_grad()
def test_after_an_error_all_heads_speak_again(model):
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

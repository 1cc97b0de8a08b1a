"""What the block explorer sends and says, against the model."""

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course.viz import explorers
from gpt1course.viz.explorers import block

TEXT = "She took the letter"


@pytest.fixture(scope="module")
def explorer(novelist):
    return explorers.BlockExplorer.from_checkpoint(novelist, TEXT, block=1, place=2)


def test_the_stations_are_those_of_the_block(novelist, explorer):
    steps = g.trace(novelist.model, novelist.bpe.encode(TEXT))
    x, adds, total, n, also, second, h = block.at_stations(steps, 1)
    b = novelist.model.blocks[1]
    with torch.no_grad():
        assert torch.allclose(adds, b.attention(x[None])[0], atol=1e-5)
        assert torch.allclose(n, b.ln_1(total)) and torch.allclose(total, x + adds)
        assert torch.allclose(also, b.mlp(n), atol=1e-5) and torch.allclose(h, b.ln_2(second))
    sent = np.frombuffer(explorer.states, "<f2").reshape(4, 7, 4, 256)
    assert np.allclose(sent[1], block.at_stations(steps, 1), atol=0.02)
    assert explorer.lengths() == pytest.approx(block.at_stations(steps, 1)[:, 2].norm(dim=-1))


def test_the_neurons_are_those_before_gelu(novelist, explorer):
    steps = g.trace(novelist.model, novelist.bpe.encode(TEXT))
    sent = np.frombuffer(explorer.neurons, "<f2").reshape(4, 4, 1024)
    with torch.no_grad():
        wanted = novelist.model.blocks[1].expand(steps.blocks[1].n)
    assert np.allclose(sent[1], wanted, atol=0.01)
    assert explorer.firing() == pytest.approx(float((wanted[2] > 0).float().mean()))
    assert f"{explorer.firing():.1%} of its neurons" in explorer.sentence()


def test_signal_and_gradient_by_depth():
    lengths, gradients = block.by_depth(0.07)
    assert len(lengths) == len(gradients) == 12
    assert lengths == pytest.approx([8.0] * 12, abs=0.01), "the root of 64, in post-LN"
    grown, falling = block.by_depth(0.07, pre_ln=True)
    assert grown[-1] > 3 * grown[0] and falling[0] > 4 * falling[-1]
    assert [d["std"] for d in block.both_orders()] == list(explorers.block.STDS)


@pytest.mark.parametrize(
    ("name", "value"), [("block", 4), ("place", 9), ("station", 7), ("std", 12)]
)
def test_what_is_not_there_cannot_be_chosen(explorer, name, value):
    with pytest.raises(Exception, match=f"{name} is {value}, it must be from 0 to"):
        setattr(explorer, name, value)

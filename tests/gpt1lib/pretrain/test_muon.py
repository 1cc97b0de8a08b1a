"""Muon's update against the definition, in double precision and by hand."""

import math

import pytest
import torch

import gpt1lib as g
from gpt1lib import optim
from gpt1lib.pretrain import muon

CONFIG = g.GPTConfig(n_vocab=11, n_ctx=8, n_layer=2, n_head=2, n_embd=8)


def test_squares_hold_the_matrix_itself():
    tall, wide = torch.arange(24.0).view(6, 4)[:, :3], torch.arange(18.0).view(3, 6)
    tall = tall.contiguous()
    assert torch.equal(muon.squares(tall)[1], tall[3:])
    assert torch.equal(muon.squares(wide)[1], wide[:, 3:])
    for x in (tall, wide):
        muon.squares(x).zero_()  # a view, so that a step can act on it
        assert not x.any()
    with pytest.raises(ValueError, match="4 x 6 cannot be cut into squares"):
        muon.squares(torch.zeros(4, 6))


def test_rows_become_unlike_each_other():
    torch.manual_seed(0)
    x = torch.randn(3, 16, 16, dtype=torch.float64) + 2 * torch.randn(3, 1, 16)
    before, after = (cosines(m) for m in (x, muon.decorrelate(x)))
    assert after < before / 3
    assert torch.allclose(muon.decorrelate(x).norm(dim=-1), torch.ones(3, 16).double())
    Q = torch.linalg.qr(x).Q
    assert torch.allclose(muon.decorrelate(5 * Q), Q)  # nothing left to do


def cosines(x) -> float:
    """Mean size of the cosines between two rows."""
    x = torch.nn.functional.normalize(x, dim=-1)
    return float((x @ x.mT).abs().tril(-1).mean())


def test_two_rows_by_hand():
    x = torch.tensor([[[3.0, 0.0], [4.0, 4.0]]])
    # unit rows (1, 0) and (1, 1) / sqrt 2; their cosine taken off the second
    assert torch.allclose(muon.decorrelate(x), torch.eye(2)[None], atol=1e-6)


def test_a_step_is_as_long_as_adams_and_zeros_stay():
    model = g.GPT(CONFIG)
    inside = muon.matrices(model)
    before = [p.detach().clone() for p in inside]
    step = muon.MUD(inside, lr=0.5, weight_decay=0.0)
    for p in inside:
        p.grad = torch.randn_like(p)
    inside[0].grad.zero_()
    step.step()
    assert torch.equal(inside[0], before[0])
    for p, old in list(zip(inside, before, strict=True))[1:]:
        moved = (p - old).square().mean().sqrt().item()
        assert moved == pytest.approx(0.5 * 0.2, rel=1e-4)


def test_momentum_looks_a_step_ahead():
    p = torch.nn.Parameter(torch.zeros(2, 2))
    one, two = torch.eye(2), torch.eye(2).flip(0)
    step = muon.MUD([p], lr=1.0, momentum=0.9, weight_decay=0.0)
    for gradient in (one, two):
        p.data.zero_()
        p.grad = gradient
        step.step()
    mean = 0.9 * (0.1 * one) + 0.1 * two
    wanted = muon.decorrelate((0.9 * mean + 0.1 * two)[None])[0]
    assert torch.allclose(p, -0.2 * math.sqrt(2) * wanted)


def test_each_parameter_has_one_optimizer():
    model = g.GPT(CONFIG)
    inside = muon.matrices(model)
    adam = optim.adamw(model, without=inside)
    rest = [p for group in adam.param_groups for p in group["params"]]
    assert len(inside) == 2 * 4
    assert {id(p) for p in inside + rest} == {id(p) for p in model.parameters()}
    assert len(inside) + len(rest) == len(list(model.parameters()))

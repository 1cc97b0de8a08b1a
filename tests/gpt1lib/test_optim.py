"""AdamW's groups, the schedules as in opt.py, clipping."""

import pytest
import torch

import gpt1lib as g
from gpt1lib import optim


def test_only_matrices_are_decayed():
    with torch.device("meta"):
        model = g.GPT(g.GPT1)
    decayed, plain = optim.adamw(model).param_groups
    assert (decayed["weight_decay"], plain["weight_decay"]) == (0.01, 0.0)
    assert sum(p.numel() for p in decayed["params"]) == 116_414_976
    assert sum(p.numel() for p in plain["params"]) == 119_808


@pytest.mark.parametrize(
    ("step", "rate"),
    [
        (0, 0),
        (1000, 1.25),
        (2000, 2.5),
        (2001, 2.499975),
        (250_000, 2.133883),
        (500_000, 1.25),
        (750_000, 0.366117),
        (1_000_000, 0),
    ],
)
def test_warmup_cosine(step, rate):
    value = 2.5 * optim.warmup_cosine(step, 2000, 1_000_000)
    assert value == pytest.approx(rate, abs=6e-5 if step == 2000 else 1e-6)


@pytest.mark.parametrize(
    ("update", "rate"),
    [(1, 0), (2, 6.20471), (3, 6.15942), (46, 4.211957), (92, 2.128623), (138, 0.04529)],
)
def test_warmup_linear_of_rocstories(update, rate):
    """The released run: 138 updates, warm-up over 0.2% of them, first rate 0."""
    share = optim.warmup_linear(update - 1, 0.002 * 138, 138)
    assert 6.25 * share == pytest.approx(rate, abs=1e-5)


@pytest.mark.parametrize(
    ("step", "rate"), [(0, 0), (5, 0.5), (10, 1), (60, 1), (80, 0.5), (90, 0.25), (100, 0)]
)
def test_warmup_flat(step, rate):
    assert optim.warmup_flat(step, 10, 100, warmdown=0.4) == pytest.approx(rate)


def test_impossible_progress():
    for step, warmup, total in ((-1, 0, 5), (0, 6, 5), (0, 0, 0)):
        with pytest.raises(ValueError, match=f"step {step}, warm-up {warmup}"):
            optim.warmup_cosine(step, warmup, total)


def test_clipping_scales_all_gradients_together():
    model = torch.nn.Linear(3, 2)
    model.weight.grad, model.bias.grad = torch.full((2, 3), 3.0), torch.full((2,), 4.0)
    norm = optim.clip_gradients(model, 1.0)
    assert norm == pytest.approx((6 * 9 + 2 * 16) ** 0.5)
    clipped = torch.cat([model.weight.grad.flatten(), model.bias.grad])
    assert clipped.norm().item() == pytest.approx(1.0, abs=1e-5)
    assert model.bias.grad[0] / model.weight.grad[0, 0] == pytest.approx(4 / 3)

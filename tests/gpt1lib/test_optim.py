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
    for progress, problem in (
        ((-1, 0, 5), "step is -1, it must be a finite number >= 0"),
        ((0, 6, 5), "warmup is 6, it must be a finite number >= 0 and <= 5"),
        ((0, 0, 0), "total is 0, it must be a finite number >= 1"),
    ):
        with pytest.raises(ValueError, match=problem):
            optim.warmup_cosine(*progress)


def test_clipping_scales_all_gradients_together():
    model = torch.nn.Linear(3, 2)
    model.weight.grad, model.bias.grad = torch.full((2, 3), 3.0), torch.full((2,), 4.0)
    norm = optim.clip_gradients(model, 1.0)
    assert norm == pytest.approx((6 * 9 + 2 * 16) ** 0.5)
    clipped = torch.cat([model.weight.grad.flatten(), model.bias.grad])
    assert clipped.norm().item() == pytest.approx(1.0, abs=1e-5)
    assert model.bias.grad[0] / model.weight.grad[0, 0] == pytest.approx(4 / 3)


def stepper_of(model):
    """Two optimizers under one schedule, that of 4 warm-up updates of 10."""
    rates = ((model[0], 0.1), (model[1], 0.2))
    optimizers = [torch.optim.SGD(part.parameters(), lr) for part, lr in rates]
    return optim.Stepper(model, optimizers, lambda step: optim.warmup_linear(step, 4, 10), 0.5)


def two_layers():
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(3, 3), torch.nn.Linear(3, 1))


def test_an_update_clips_all_gradients_together_and_takes_the_rate_before_it():
    model = two_layers()
    stepper = stepper_of(model)

    def backward():
        loss = 7 * model(torch.ones(2, 3)).sum()
        loss.backward()
        return float(loss.detach())

    stepper.step(backward)  # with a rate of 0, and its gradients are not added to the next
    before, lr = [p.detach().clone() for p in model.parameters()], stepper.lr
    loss, norm = stepper.step(backward)
    assert lr == pytest.approx(0.1 * optim.warmup_linear(1, 4, 10)) and stepper.lr > lr
    moved = [a - b.detach() for a, b in zip(before, model.parameters(), strict=True)]
    first, second = (torch.cat([x.flatten() for x in moved[i : i + 2]]) for i in (0, 2))
    clipped = torch.cat([first / lr, second / (2 * lr)]).norm().item()
    assert norm > 7 and clipped == pytest.approx(0.5, abs=1e-5)
    assert loss == pytest.approx(7 * sum(rows(before)), abs=1e-3)


def rows(weights):
    w, b, w_out, b_out = weights
    return ((torch.ones(2, 3) @ w.T + b) @ w_out.T + b_out).flatten().tolist()


@pytest.mark.parametrize("done", [0, 1, 3, 7])
def test_a_resumed_stepper_has_the_rates_of_one_that_never_stopped(done):
    steppers = [stepper_of(two_layers()) for _ in range(2)]
    for _ in range(done):
        steppers[0].step(lambda: None)
    steppers[1].resume_at(done)
    for _ in range(3):
        rates = [[o.param_groups[0]["lr"] for o in s.optimizers] for s in steppers]
        assert (
            rates[0] == rates[1] == [x * optim.warmup_linear(done, 4, 10) for x in (0.1, 0.2)]
        )
        done += 1
        for stepper in steppers:
            stepper.step(lambda: None)

"""Adam with decoupled weight decay, warm-up schedules, gradient clipping, one update."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR

from . import validate

Loss = TypeVar("Loss")


def adamw(
    model: nn.Module,
    lr: float = 2.5e-4,
    betas: tuple[float, float] = (0.9, 0.999),
    weight_decay: float = 0.01,
    without: Iterable[nn.Parameter] = (),
    groups: list[dict] | None = None,
) -> torch.optim.AdamW:
    """AdamW that decays "all non bias or gain weights" (section 4.1): rank 2 and more.

    OpenAI's opt.py multiplies the decay by Adam's bias correction too, and adds eps to the
    root of v before that correction; AdamW does neither.
    The paper gives no betas; these are the released fine-tuning code's. `without`:
    parameters that another optimizer trains. `groups`: in place of the two that decay or not.
    """
    groups = decay_groups(model, weight_decay, without) if groups is None else groups
    return torch.optim.AdamW(groups, lr=lr, betas=betas, eps=1e-8, fused=True)


def decay_groups(
    model: nn.Module, weight_decay: float, without: Iterable[nn.Parameter] = ()
) -> list[dict]:
    """Two groups of what learns: matrices, which decay, and biases and gains, which do not."""
    validate.check_float("weight_decay", weight_decay, ge=0)
    others = {id(p) for p in without}
    learning = [p for p in model.parameters() if p.requires_grad and id(p) not in others]
    return [
        {"params": [p for p in learning if p.dim() > 1], "weight_decay": weight_decay},
        {"params": [p for p in learning if p.dim() <= 1], "weight_decay": 0.0},
    ]


def check_progress(step: int, warmup: float, total: int) -> None:
    """Raise ValueError unless 0 <= step, 0 <= warmup <= total and total >= 1."""
    validate.check_float("step", step, ge=0)
    validate.check_float("total", total, ge=1)
    validate.check_float("warmup", warmup, ge=0, le=total)


def warmup_cosine(step: int, warmup: float, total: int) -> float:
    """Share of the peak rate: linear from 0, then cosine to 0 (pre-training, 4.1).

    As in opt.py the cosine runs over the whole of training, not from warm-up's end, and the
    first update has rate 0. Only at step = warmup do they differ: there opt.py still has 1.
    """
    check_progress(step, warmup, total)
    if step < warmup:
        return step / warmup
    return 0.5 * (1 + math.cos(math.pi * min(step, total) / total))


def warmup_linear(step: int, warmup: float, total: int) -> float:
    """Share of the peak rate: linear up, then linear to 0 (fine-tuning, 4.1).

    As in opt.py the factor (1 - step / total) acts during warm-up too, and the first update
    has rate 0.
    """
    check_progress(step, warmup, total)
    rise = step / warmup if step < warmup else 1.0
    return rise * (1 - min(step, total) / total)


def warmup_flat(step: int, warmup: float, total: int, warmdown: float) -> float:
    """Share of the peak rate: linear up, flat, linear to 0 over the last share `warmdown`.

    Not GPT-1's: for short runs, where more time at the peak pays.
    """
    check_progress(step, warmup, total)
    warmdown = validate.check_float("warmdown", warmdown, gt=0, le=1)
    if step < warmup:
        return step / warmup
    return min(1.0, (1 - min(step, total) / total) / warmdown)


def set_lr(optimizer: torch.optim.Optimizer, lr: float) -> None:
    """Give every parameter group the learning rate lr."""
    validate.check_float("lr", lr, ge=0)
    for group in optimizer.param_groups:
        group["lr"] = lr


def clip_gradients(model: nn.Module, max_norm: float = 1.0) -> float:
    """Scale all gradients together to a norm of at most max_norm; return the old norm.

    The released code clips at 1; the paper does not mention it. Raises ValueError for a
    max_norm of 0 or below.
    """
    validate.check_float("max_norm", max_norm, gt=0)
    norm = nn.utils.clip_grad_norm_(model.parameters(), max_norm)
    whole = getattr(norm, "full_tensor", None)  # a sharded model's norm is a DTensor
    return float(norm if whole is None else whole())


class Stepper:
    """Updates of a model: gradients, clipping, the optimizers, the next learning rates.

    lr_factor: the share of its own learning rate that each group has after so many updates.
    """

    def __init__(
        self,
        model: nn.Module,
        optimizers: Sequence[torch.optim.Optimizer],
        lr_factor: Callable[[int], float],
        max_norm: float = 1.0,
    ):
        self.model, self.optimizers, self.max_norm = model, optimizers, max_norm
        self.schedulers = [LambdaLR(optimizer, lr_factor) for optimizer in optimizers]

    @property
    def lr(self) -> float:
        """The learning rate of the next update, of the first group of parameters."""
        return self.optimizers[0].param_groups[0]["lr"]

    def step(self, backward: Callable[[], Loss]) -> tuple[Loss, float]:
        """One update; returns what `backward` does, and the norm before clipping.

        backward: adds up the gradients, and returns the loss.
        """
        for optimizer in self.optimizers:
            optimizer.zero_grad(set_to_none=True)
        loss = backward()
        norm = clip_gradients(self.model, self.max_norm)
        for optimizer, scheduler in zip(self.optimizers, self.schedulers, strict=True):
            optimizer.step()
            scheduler.step()
        return loss, norm

    def resume_at(self, step: int) -> None:
        """Set the learning rates that follow `step` updates."""
        for scheduler in self.schedulers if step else ():
            before = {"last_epoch": step - 1, "_step_count": step + 1}
            scheduler.load_state_dict(scheduler.state_dict() | before)
            scheduler.step()

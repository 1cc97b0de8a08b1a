"""Training for a given time, and what a model has learned in it: shared by benchmarks."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from gpt1lib import corpus, evaluate, optim, pretrain
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import kinds
from gpt1lib.cli import interrupted_between_steps
from gpt1lib.io.files import read_json, write_json
from gpt1lib.model import LanguageModel
from gpt1lib.pretrain.init import init_from_counts, init_previous_token_heads
from gpt1lib.pretrain.muon import build_optimizers

WHOLE = 10**6
"""The steps of a recipe that follows the clock: millionths of its time."""
LEAST_RATE = 1e-3  # share of the highest: no update is wasted on a rate of 0


class Clock:
    """A budget of seconds. Only what stands in the body of the loop over it counts.

    for share in Clock(480):  # share of the time that is used
        ...                   # one update

    An update that would not fit, judged by the one before, is not begun. Ctrl-C waits for the
    end of an update, and raises KeyboardInterrupt with what was done.
    """

    def __init__(self, budget: float, now: Callable[[], float] = time.perf_counter):
        self.budget, self.now = budget, now
        self.seconds, self.updates, self.bar = 0.0, 0, None

    def __iter__(self) -> Iterator[float]:
        last = 0.0
        with tqdm(total=round(self.budget), unit="s") as self.bar:
            with interrupted_between_steps() as interrupted:
                while not self.updates or self.seconds + last <= self.budget:
                    start = self.now()
                    yield self.seconds / self.budget
                    last = self.now() - start
                    self.seconds, self.updates = self.seconds + last, self.updates + 1
                    self.bar.update(min(round(self.seconds), self.bar.total) - self.bar.n)
                    if interrupted():
                        raise KeyboardInterrupt(self.done())

    def show(self, **values) -> None:
        """Put values beside the bar, which shows them when it moves."""
        self.bar.set_postfix(values, refresh=False)

    def done(self) -> str:
        """What was done so far, as a sentence without its full stop."""
        n = "1 update was" if self.updates == 1 else f"{self.updates:,} updates were"
        return f"{n} done, in {self.seconds:.0f} of {self.budget:.0f} seconds of training"


@dataclass(frozen=True)
class Trained:
    """A model in evaluation mode, the loss of each update, and what it took."""

    model: LanguageModel
    losses: list[float]
    seconds: float
    tokens: int


def train(
    recipe: pretrain.Recipe,
    ids: Tensor | np.ndarray,
    seconds: float,
    now: Callable[[], float] = time.perf_counter,
) -> Trained:
    """Train by a recipe on ids (N,); its schedules follow the share of the time used.

    recipe.steps is WHOLE, and warmup counts in the same unit. now: the clock that counts.
    Raises FloatingPointError where the loss is no longer a number.
    """
    torch.manual_seed(recipe.seed)
    model = kinds.build(recipe.kind, recipe.model).train()
    pretrain.scale_blocks(model, recipe.block_std)
    objective = pretrain.Objective(model, chunked=True)
    optimizers = build_optimizers(model, recipe)
    highest = [optimizer.param_groups[0]["lr"] for optimizer in optimizers]
    draws, clock = torch.Generator().manual_seed(recipe.seed), Clock(seconds, now)
    if recipe.count_vectors:
        start = now()
        init_from_counts(model, ids, recipe.count_vectors, recipe.seed)
        clock.seconds = now() - start
    if recipe.previous_token_heads:
        init_previous_token_heads(model, recipe.seed)
    losses, n_read, tokens = [], 0, 0
    for share in clock:
        step = round(share * recipe.steps)
        for optimizer, lr in zip(optimizers, highest, strict=True):
            optim.set_lr(optimizer, lr * max(recipe.lr_factor(step), LEAST_RATE))
        n_windows, length = recipe.batch_shape(step)
        if recipe.even_windows:
            windows = corpus.even_windows(ids, length, n_windows, n_read)
        else:
            windows = corpus.random_windows(ids, length, n_windows, draws)
        objective.zero_grad(set_to_none=True)
        loss = objective(windows)
        loss.backward()
        optim.clip_gradients(model, recipe.grad_clip)
        for optimizer in optimizers:
            optimizer.step()
        losses.append(loss.item())
        n_read, tokens = n_read + n_windows, tokens + windows.numel()
        check_finite(losses[-1], clock)
        clock.show(loss=f"{losses[-1]:.3f}")
    return Trained(model.eval(), losses, clock.seconds, tokens)


def check_finite(loss: float, clock: Clock) -> None:
    """Raise FloatingPointError for a loss that is no number: more time would not help."""
    if not math.isfinite(loss):
        raise FloatingPointError(
            f"the loss is {loss}, so the training diverged: {clock.done()}. "
            "A lower --lr or a longer --warmup often helps"
        )


def heldout_bits(model: LanguageModel, bpe: BPE, books: dict[str, str]) -> dict:
    """Bits per character of books that were not read: of all together, and of each."""
    scores = evaluate.score_books(model.eval(), bpe, books)
    return {
        "bits_per_character": round(evaluate.all_books(scores)["bits_per_character"], 4),
        "books": {k: round(s["bits_per_character"], 4) for k, s in scores.items()},
    }


def stored_runs(path: Path) -> list[dict]:
    """The runs of a file; none where it does not exist."""
    return read_json(path, list) if path.exists() else []


def add_run(path: Path, run: dict) -> None:
    """Add a run to the stored ones; the file is written whole or not at all."""
    write_json(path, [*stored_runs(path), run])

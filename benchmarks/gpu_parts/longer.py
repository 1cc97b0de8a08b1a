"""Recipes of up to six hours on two cores: more passes, a larger shape, several models in one.

What `recipes` leaves open. First come longer trials, most of the shipped model's shape, some of
a larger one; then what a mixture of the best three predicts, and students that learn from these
three and from the text (`Taught`). The three are chosen on the ends of the training books.
"""

import math
from collections.abc import Sequence
from dataclasses import replace

import torch

from gpt1lib import GPT, losses

from .measure import Machine, Report
from .recipes import (
    COUNTS,
    FIRST_REPEATS,
    TINY_TRIALS,
    Run,
    Texts,
    Trial,
    in_tf32,
    log_probs,
    texts_of,
    train_all,
    updates_in,
)

LARGER = (384, 6, 6)  # width, blocks, heads
FOR_TRIALS = 0.8  # share of the minutes; the students have the rest
REPEATS = FIRST_REPEATS | {"share": 0.05, "kind": "random", "updates": 0.25}
TRIALS = (
    *(Trial(f"longer, seed {seed}", seed=seed, **COUNTS) for seed in range(3)),
    Trial("longer, dropout 0.2", dropout=0.2, **COUNTS),
    Trial("longer, weight decay 0.5", weight_decay=0.5, **COUNTS),
    Trial("longer, dropout 0.2, weight decay 0.5", dropout=0.2, weight_decay=0.5, **COUNTS),
    Trial("larger", shape=LARGER, updates=0.5, **COUNTS),
    Trial("larger, dropout 0.2", shape=LARGER, updates=0.5, dropout=0.2, **COUNTS),
    Trial("first repeats, 5% random to the end", **REPEATS),
    Trial("first repeats, 5% random to the end, no dropout", dropout=0.0, **REPEATS),
)
HALF = {"updates": 0.5, **COUNTS}
STUDENTS = (
    Trial("taught by three, seed 0", keep=True, **HALF),
    Trial("taught by three, seed 1", seed=1, **HALF),
)
UNTAUGHT = Trial("as long as these, not taught", **HALF)
N_TEACHERS = 3


@torch.no_grad()
def mixture_bits(models: Sequence[GPT], texts: Texts, name: str) -> float:
    """Bits per character of the mean of the models' probabilities."""
    found = [
        torch.cat([x.double().flatten() for x in log_probs(model, texts.scored[name])])
        for model in models
    ]
    mean = torch.stack(found).logsumexp(dim=0) - math.log(len(models))
    return round(losses.bits_per_character(-mean.sum().item(), texts.characters[name]), 4)


def teachers_of(runs: Sequence[Run]) -> list[Run]:
    """The best trials on the ends of the books."""
    return sorted(runs, key=lambda run: run.curve[-1]["bits_ends"])[:N_TEACHERS]


def measure(machine: Machine, report: Report) -> None:
    """The longer trials together, then a mixture of the best, then students of these."""
    with in_tf32(machine):
        texts, trials = texts_of(machine), machine.size(TRIALS, TINY_TRIALS)
        first = replace(machine, minutes=machine.minutes * FOR_TRIALS)
        updates = updates_in(first, texts, trials, report)
        runs = [Run(t, texts, machine, updates) for t in trials]
        train_all(runs, report, "recipes")
        best = teachers_of(runs)
        models = [run.training.model.requires_grad_(False) for run in best]
        scores = {f"bits_{name}": mixture_bits(models, texts, name) for name in texts.scored}
        report.add("mixtures", {"of": [run.trial.name for run in best], **scores})
        del runs, best
        students = [Run(t, texts, machine, updates, models) for t in STUDENTS]
        train_all([*students, Run(UNTAUGHT, texts, machine, updates)], report, "students")
        report.keep(peak_memory_gb=machine.peak_memory_gb())

"""Which runs make the learning curves: accuracy over the number of labels, row by row.

Each row draws the same labels: for a seed, the same random examples of the training set.
The draw is not balanced over the classes, because somebody who labels ten texts cannot
balance them either. With few labels that explains much of the difference between seeds.

A budget, that is a number of updates and a learning rate, is chosen for each row by
itself, by its mean accuracy on the whole *validation* set in three runs (with 1,000 labels and
more in one, to save time). Where the best rate is the lowest or the highest of those
tried, one beyond it is tried, too. With only ten labels you would not have such a set, but
all rows get the same help. Budgets are chosen at one to three numbers of labels
(`LabelSet.chosen_at`); the others take what was chosen at the nearest one, by ratio. The
seeds of the choice are not those of the curve, and nothing here looks at a test score.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from gpt1lib.finetune import Settings

from ..plan import SETTINGS, InitFrom
from ..trials import Trial
from .sets import SETS, label_counts, n_labels, word_baselines

MODELS = {
    "pre-trained": InitFrom.NOVELIST,
    "random weights": InitFrom.NOTHING,
    "LSTM": InitFrom.LSTM,
}
"""Rows that are fine-tuned, and what each starts from."""
ZERO_SHOT = "zero-shot"
RATES = (1.25e-4, 3.5e-4, 1e-3)
BEYOND = {RATES[0]: 4.5e-5, RATES[-1]: 2.8e-3}
"""The rate that is tried as well where the best of RATES is the lowest or the highest."""
EPOCHS = 3  # the paper's, and the fewest here; few labels are read more often
CHOICE_SEEDS = (100, 101, 102)
MANY = 1000  # labels from which a choice is made by one seed, to save time
SEEDS = 3
MORE_SEEDS, LARGEST_WITH_MORE = 10, 1000
"""So many where the intervals of the first seeds overlap, up to this number of labels."""
LEARNED = 0.05  # above guessing; more seeds tell nothing of a row that only guesses

NAME = "curves"
Stored = Mapping[Trial, dict]


class Budget(NamedTuple):
    """How long and how fast a row learns."""

    updates: int  # at least
    lr: float  # the highest learning rate


def curve_trial(task: str, row: str, settings: Settings, split: str = "test") -> Trial:
    """A row that learns from the labels of one seed, scored on one split."""
    return Trial.of(NAME, task=task, row=row, settings=settings, split=split)


# ---- settings, and how they are chosen ------------------------------------------------


def trial_settings(task: str, size: int, seed: int, budget: Budget) -> Settings:
    """Of one fine-tuning: at least EPOCHS epochs, and at least the budget's updates."""
    epochs = max(EPOCHS, math.ceil(budget.updates / math.ceil(size / SETTINGS.batch)))
    drawn = label_settings(task, size, seed, SETTINGS)
    return replace(drawn, lr=budget.lr, epochs=epochs)


def label_settings(
    task: str, size: int, seed: int, defaults: Settings | None = None
) -> Settings:
    """The settings by which labels are drawn, the same for every row."""
    longest = SETS[task].longest
    return replace(defaults or Settings(), seed=seed, limit=size, longest=longest)


def budgets(task: str, size: int) -> list[Budget]:
    """What is tried with a number of labels: three rates, at a short length and a long one.

    Short: three epochs, or the 100 updates that few labels need. Long, where a set can
    afford it: 400 updates, or as many as there are labels (eight epochs), because a model
    with random weights may need them.
    """
    lengths = (100, max(400, size)) if SETS[task].long else (100,)
    return [Budget(updates, lr) for updates in lengths for lr in RATES]


@cache  # used again for every trial of a curve
def validation_trials_of(task: str, row: str, size: int, budget: Budget) -> list[Trial]:
    """The trials of a budget, one for each seed of the choice."""
    seeds = CHOICE_SEEDS if size < MANY else CHOICE_SEEDS[:1]
    settings = [trial_settings(task, size, seed, budget) for seed in seeds]
    return [curve_trial(task, row, each, "valid") for each in settings]


def validation_score(
    task: str, row: str, size: int, budget: Budget, stored: Stored
) -> float | None:
    """The mean accuracy of a budget on validation, None while a trial of it is missing."""
    trials = validation_trials_of(task, row, size, budget)
    if any(trial not in stored for trial in trials):
        return None
    return sum(stored[trial]["accuracy"] for trial in trials) / len(trials)


def validation_trials(task: str, stored: Stored) -> list[Trial]:
    """The trials by which the budgets of a task's rows are chosen, as far as they are due."""
    trials = (
        trial
        for size in choice_sizes(task)
        for row in MODELS
        for budget in tried_budgets(task, row, size, stored)
        for trial in validation_trials_of(task, row, size, budget)
    )
    return list(dict.fromkeys(trials))  # with very many labels short and long are the same


def tried_budgets(task: str, row: str, size: int, stored: Stored) -> list[Budget]:
    """What a row's choice is made from: `budgets`, and once they are run the one beyond.

    That is the best of them with another rate, where its own is the lowest or the highest.
    """
    tried = budgets(task, size)
    best = best_of(tried, task, row, size, stored)
    return tried + ([best._replace(lr=BEYOND[best.lr])] if best and best.lr in BEYOND else [])


def best_of(
    tried: Sequence[Budget], task: str, row: str, size: int, stored: Stored
) -> Budget | None:
    """The first of the best of these budgets, None while one of them is not tried yet."""
    scores = {x: validation_score(task, row, size, x, stored) for x in tried}
    known = {x: score for x, score in scores.items() if score is not None}
    return max(known, key=known.__getitem__) if len(known) == len(scores) else None


def choice_sizes(task: str) -> list[int]:
    """The numbers of labels at which budgets are chosen, of those that the set has."""
    counts = label_counts(task)
    return [size for size in SETS[task].chosen_at if size in counts] or counts[-1:]


def best_budget(task: str, row: str, size: int, stored: Stored) -> Budget | None:
    """The budget with the best mean accuracy on validation, None while one is not tried yet.

    Of equals the one with fewer updates, then the lower rate; a rate beyond RATES only where
    it is better.
    """
    at = nearest(task, size)
    return best_of(tried_budgets(task, row, at, stored), task, row, at, stored)


def nearest(task: str, size: int) -> int:
    """The number of labels, by ratio, at which this one's budget is chosen."""
    return min(choice_sizes(task), key=lambda at: abs(math.log(at / size)))


# ---- the curves -----------------------------------------------------------------------


def test_trials(
    task: str, seeds: Mapping[int, int], stored: Stored, longest: bool = False
) -> Iterator[Trial]:
    """The tests of all rows, seed by seed. seeds: how many, for each number of labels.

    Rows whose budget is not chosen yet are left out, or with `longest` get the longest.
    """
    if SETS[task].ask:
        yield curve_trial(task, ZERO_SHOT, Settings(longest=SETS[task].longest))
    n = n_labels(task)
    for seed in range(max(seeds.values())):
        for size in (size for size in seeds if seed < seeds[size]):
            # with all labels, every seed gives the word baselines the same ones
            words = word_baselines(task) if size < n or seed == 0 else ()
            for row in (*words, *MODELS):
                if trial := test_trial(task, row, size, seed, stored, longest):
                    yield trial


def test_trial(
    task: str, row: str, size: int, seed: int, stored: Stored, longest: bool = False
) -> Trial | None:
    """A test with the budget that was chosen for its row; None where none is chosen yet."""
    if row not in MODELS:
        return curve_trial(task, row, label_settings(task, size, seed))
    budget = best_budget(task, row, size, stored)
    if budget is None and longest:
        budget = budgets(task, nearest(task, size))[-1]
    return curve_trial(task, row, trial_settings(task, size, seed, budget)) if budget else None

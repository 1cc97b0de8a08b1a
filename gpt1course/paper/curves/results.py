"""The learning curves from their stored lines: means, differences, labels to a level."""

from collections.abc import Iterable, Mapping

from ... import statistics
from ..results import stored_lines, stored_trials
from ..trials import Trial
from .plan import MODELS, NAME, ZERO_SHOT, Stored, test_trial
from .sets import known, label_counts

DECISIONS = "curve_seeds"  # a file in data/results/paper


def curve_lines(task: str) -> dict[str, dict[int, dict]]:
    """row -> number of labels -> seed -> the line of a test, with a model's guesses.

    Only of what was run with the budget that the row's validation scores choose.
    """
    stored = stored_trials(NAME)
    tests = [
        (trial["row"], trial["settings"], line)
        for trial, line in stored.items()
        if is_on_curve(task, trial, stored)
    ]
    tests.sort(key=lambda test: (test[1].limit, test[1].seed))
    by_row = {row: {} for row in [*MODELS, *(row for row, _, _ in tests)]}
    for row, settings, line in tests:
        by_row[row].setdefault(settings.limit, {})[settings.seed] = line
    return {row: by_size for row, by_size in by_row.items() if by_size}


def is_on_curve(task: str, trial: Trial, stored: Stored) -> bool:
    """Whether a trial is a test of this task's curves, with its row's budget of today."""
    size, seed = trial["settings"].limit, trial["settings"].seed
    if (trial["task"], trial["split"]) != (task, "test") or size not in label_counts(task):
        return False
    return trial == test_trial(task, trial["row"], size, seed, stored)


def curve(task: str, seeds: Iterable[int] | None = None) -> dict[str, dict[int, dict]]:
    """row -> number of labels -> mean accuracy, half of its 95% interval, seeds.

    seeds: only of these. The interval is over draws of the labels (and of the weights and
    the order of examples, which have the same seed); the questions are always the same.
    """
    by_row = {}
    for row, by_size in curve_lines(task).items():
        for size, lines in by_size.items():
            scores = [x["accuracy"] for s, x in lines.items() if seeds is None or s in seeds]
            if scores:
                by_row.setdefault(row, {})[size] = statistics.mean_with_ci(scores)
    return by_row


def draws(task: str) -> dict[str, dict[int, dict[int, float]]]:
    """row -> number of labels -> seed -> accuracy."""
    return {
        row: {
            size: {seed: line["accuracy"] for seed, line in by_seed.items()}
            for size, by_seed in by_size.items()
        }
        for row, by_size in curve_lines(task).items()
    }


def labels_to(means: Mapping[int, Mapping], level: float) -> float | None:
    """Labels with which a row's mean first reaches a level; see `statistics.first_reaching`.

    means: number of labels -> a dict with mean, a row of `curve`.
    """
    return statistics.first_reaching({n: at["mean"] for n, at in means.items()}, level)


def best_of_words(rows: Mapping[str, Mapping[int, Mapping]], size: int) -> str:
    """Of the rows that only read words, the one with the best mean at a number of labels."""
    words = [row for row, places in rows.items() if row not in MODELS and size in places]
    return max(words, key=lambda row: rows[row][size]["mean"])


def levels(task: str) -> dict[str, float]:
    """What needs no label: zero-shot accuracy, and always the most frequent class."""
    lines = [line for trial, line in stored_trials(NAME).items() if trial["task"] == task]
    asked = {line["row"]: line["accuracy"] for line in lines if line["row"] == ZERO_SHOT}
    majority = [line["majority"] for line in lines if line["split"] == "test"]
    return asked | {"guessing": majority[0]} if majority else {}


def decided_seeds(task: str, first: int) -> dict[int, int]:
    """How many seeds each number of labels gets: the first ones, or as was decided."""
    more = {x["labels"]: x["seeds"] for x in stored_lines(DECISIONS) if x["task"] == task}
    return {size: max(first, more.get(size, 0)) for size in label_counts(task)}


def intervals_overlap(one: dict, other: dict) -> bool:
    """Do the intervals of two means overlap?"""
    ends = [(x["mean"] - (x["half"] or 0), x["mean"] + (x["half"] or 0)) for x in (one, other)]
    return not statistics.disjoint(*ends)


def stored_sets() -> tuple[dict[str, dict], dict[str, dict[str, float]]]:
    """What a FewLabelsExplorer shows: two dicts by the name of each set that has a curve.

    First the draws of the rows that are trained and of the best word baseline, then what
    needs no labels, as `levels`.
    """
    sets = {task: rows for task in known() if (rows := trained_and_best(task))}
    return sets, {task: levels(task) for task in sets}


def trained_and_best(task: str) -> dict[str, dict[int, dict[int, float]]]:
    """The draws of the rows that are trained, and of the best word baseline at most labels."""
    by_row, rows = draws(task), curve(task)
    counts = [n for row, means in rows.items() if row not in MODELS for n in means]
    best = [best_of_words(rows, max(counts))] if counts else []
    return {row: by_row[row] for row in [*MODELS, *best] if row in by_row}

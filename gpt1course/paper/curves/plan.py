"""Learning curves: what accuracy a number of labels buys, asked row by row.

Each row draws the same labels: for a seed, the same random examples of the training set.
The draw is not balanced over the classes, because somebody who labels ten texts cannot
balance them either; with few labels that is a good part of the spread over seeds.

Rate and number of updates are chosen for each row by itself, by its accuracy on the whole
*validation* set. (Who has ten labels has no such set to choose with: all rows have the
same help.) They are chosen at one or two numbers of labels (`LabelSet.chosen_at`), the
others take what was chosen at the nearest one, by ratio. The seeds of the choice are not
those of the curve, and nothing here looks at a test score.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from gpt1lib.finetune import Settings

from ..plan import SETTINGS
from .sets import SETS, facts, label_counts, simple_readers

MODELS = {"pre-trained": "novelist", "random weights": "nothing", "LSTM": "lstm"}
"""Rows that are fine-tuned, and where each starts from (sources.py)."""
ZERO_SHOT = "zero-shot"
RATES = (1.25e-4, 3.5e-4, 1e-3)
EPOCHS = 3  # the paper's, and the fewest here; few labels are read more often
CHOICE_SEED = 100
SEEDS = 3
MORE_SEEDS, LARGEST_WITH_MORE = 10, 1000
"""So many where the bars of the first seeds touch, up to this number of labels."""
LEARNED = 0.05  # above guessing; a row below that guesses, with ten seeds as with three

Recipe = tuple[int, float]  # the fewest updates, the highest rate


@dataclass(frozen=True)
class Point:
    """One row that learned from the labels of one seed, scored on one split."""

    task: str
    row: str
    settings: Settings
    split: str = "test"

    @property
    def title(self) -> str:
        """A few words beside a progress bar."""
        s = self.settings
        return f"{self.task}, {self.row}, {s.limit or 'no'} labels, seed {s.seed}, {self.split}"


Stored = Mapping[Point, dict]


# ---- settings, and how they are chosen ------------------------------------------------


def settings(task: str, size: int, seed: int, recipe: Recipe) -> Settings:
    """Of one fine-tuning: at least EPOCHS epochs, and at least the recipe's updates."""
    updates, rate = recipe
    epochs = max(EPOCHS, math.ceil(updates / math.ceil(size / SETTINGS.batch)))
    return replace(labels(task, size, seed, SETTINGS), lr=rate, epochs=epochs)


def labels(task: str, size: int, seed: int, given: Settings | None = None) -> Settings:
    """What says which labels are drawn: the same for every row."""
    return replace(given or Settings(), seed=seed, limit=size, longest=SETS[task].longest)


def recipes(task: str, size: int) -> list[Recipe]:
    """What is tried with a number of labels: three rates, at a short length and a long one.

    Short: three epochs, or the 100 updates that few labels need. Long, where a set can
    afford it: 400 updates, or as many as there are labels (eight epochs): who starts from
    nothing may need them.
    """
    lengths = (100, max(400, size)) if SETS[task].long else (100,)
    return [(updates, rate) for updates in lengths for rate in RATES]


@cache  # asked for again with every point of a curve
def on_validation(task: str, row: str, size: int, recipe: Recipe) -> Point:
    """The cell that tries a recipe."""
    return Point(task, row, settings(task, size, CHOICE_SEED, recipe), "valid")


def grid(task: str) -> list[Point]:
    """All cells that the settings of a task's rows are chosen by."""
    cells = (
        on_validation(task, row, size, recipe)
        for size in choice_sizes(task)
        for row in MODELS
        for recipe in recipes(task, size)
    )
    return list(dict.fromkeys(cells))  # of very many labels short and long are the same


def choice_sizes(task: str) -> list[int]:
    """The numbers of labels at which settings are chosen, of those that the set has."""
    there = label_counts(task)
    return [size for size in SETS[task].chosen_at if size in there] or there[-1:]


def chosen(task: str, row: str, size: int, stored: Stored) -> Recipe | None:
    """The recipe with the best accuracy on validation, None while one is not tried yet.

    Of equals the one with fewer updates, then the lower rate.
    """
    at = nearest(task, size)
    cells = {recipe: on_validation(task, row, at, recipe) for recipe in recipes(task, at)}
    if any(cell not in stored for cell in cells.values()):
        return None
    return max(cells, key=lambda recipe: stored[cells[recipe]]["accuracy"])


def nearest(task: str, size: int) -> int:
    """The number of labels, by ratio, at which this one's settings are chosen."""
    return min(choice_sizes(task), key=lambda at: abs(math.log(at / size)))


# ---- the points of the curves ---------------------------------------------------------


def points(
    task: str, seeds: Mapping[int, int], stored: Stored, at_most: bool = False
) -> Iterator[Point]:
    """The test cells of all rows, seed by seed. seeds: how many, for each number of labels.

    Cells whose settings are not chosen yet are left out, or with `at_most` the longest.
    """
    if SETS[task].ask:
        yield Point(task, ZERO_SHOT, Settings(longest=SETS[task].longest))
    n = facts(task)[1]
    for seed in range(max(seeds.values())):
        for size in (size for size in seeds if seed < seeds[size]):
            # where all labels are taken, every seed gives these readers the same ones
            simple = simple_readers(task) if size < n or seed == 0 else ()
            for row in (*simple, *MODELS):
                if cell := point(task, row, size, seed, stored, at_most):
                    yield cell


def point(
    task: str, row: str, size: int, seed: int, stored: Stored, at_most: bool = False
) -> Point | None:
    """A test cell, with what was chosen for its row; None where nothing is chosen yet."""
    if row not in MODELS:
        return Point(task, row, labels(task, size, seed))
    recipe = chosen(task, row, size, stored)
    if recipe is None and at_most:
        recipe = recipes(task, nearest(task, size))[-1]
    return Point(task, row, settings(task, size, seed, recipe)) if recipe else None

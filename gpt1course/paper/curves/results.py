"""What is stored of the learning curves, and what it says."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import pairwise

from gpt1lib.finetune import Settings
from gpt1lib.io.options import with_field_names

from .. import statistics
from ..results import spread, stored_lines, stored_state
from .plan import MODELS, ZERO_SHOT, Point, Stored, point
from .sets import label_counts

CELLS, DECISIONS = "curves", "curve_seeds"  # files in data/results/paper


def stored_points() -> Stored:
    """The stored line of each point; made with other settings, it is another point."""
    return _points(stored_state(CELLS))


@lru_cache(maxsize=1)  # lessons ask often, and a file has thousands of lines
def _points(state: tuple) -> Stored:
    """The points of the file in this state."""
    return {point_of(line): line for line in stored_lines(CELLS)}


def point_of(line: dict) -> Point:
    """What a stored line is the result of."""
    settings = Settings(**with_field_names(Settings, line["settings"]))
    return Point(line["task"], line["row"], settings, line["split"])


def curve_lines(task: str, stored: Stored | None = None) -> dict[str, dict[int, dict]]:
    """row -> number of labels -> seed -> the line of a test, with a model's guesses.

    Only of what was run with the settings that the row's validation scores choose.
    """
    stored = stored_points() if stored is None else stored
    found = [
        (p, line)
        for p, line in stored.items()
        if (p.task, p.split) == (task, "test") and p.settings.limit and is_asked(p, stored)
    ]
    found.sort(key=lambda pair: (pair[0].settings.limit, pair[0].settings.seed))
    rows = dict.fromkeys([*MODELS, *(p.row for p, _ in found)])
    by_row = {row: {} for row in rows}
    for p, line in found:
        by_row[p.row].setdefault(p.settings.limit, {})[p.settings.seed] = line
    return {row: by_size for row, by_size in by_row.items() if by_size}


def is_asked(p: Point, stored: Stored) -> bool:
    """Is a test cell one of the curve's, as its row's settings are chosen now?"""
    size, seed = p.settings.limit, p.settings.seed
    return size in label_counts(p.task) and p == point(p.task, p.row, size, seed, stored)


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
                by_row.setdefault(row, {})[size] = spread(scores)
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


def gaps(row: Mapping[int, Mapping], other: Mapping[int, Mapping]) -> dict[int, dict]:
    """Number of labels -> a row minus another, seed by seed, for statistics.significant.

    row, other: number of labels -> seed -> accuracy. Without the numbers at which the two
    share fewer than two seeds.
    """
    shared = {size: {*row[size]} & {*other[size]} for size in row if size in other}
    return {
        size: statistics.paired_t_test(row[size], other[size])
        for size, seeds in shared.items()
        if len(seeds) > 1
    }


def labels_to(places: Mapping[int, Mapping], level: float) -> float | None:
    """Labels with which a row's mean first reaches a level, between two counts by ratio.

    The fewest that there are where these suffice, None where no number does. places: number
    of labels -> a dict with mean, a row of `curve`.
    """
    counts = sorted(places)
    if places[counts[0]]["mean"] >= level:
        return counts[0]
    for a, b in pairwise(counts):
        low, high = places[a]["mean"], places[b]["mean"]
        if high >= level:
            return a * (b / a) ** ((level - low) / (high - low))
    return None


def best_of_words(rows: Mapping[str, Mapping[int, Mapping]], size: int) -> str:
    """Of the rows that only read words, the one with the best mean at a number of labels."""
    words = [row for row, places in rows.items() if row not in MODELS and size in places]
    return max(words, key=lambda row: rows[row][size]["mean"])


def levels(task: str) -> dict[str, float]:
    """What needs no label: zero-shot accuracy, and always the commonest class."""
    lines = [line for p, line in stored_points().items() if p.task == task]
    found = {line["row"]: line["accuracy"] for line in lines if line["row"] == ZERO_SHOT}
    tested = [line["majority"] for line in lines if line["split"] == "test"]
    return found | {"guessing": tested[0]} if tested else {}


def decided_seeds(task: str, first: int) -> dict[int, int]:
    """How many seeds each number of labels gets: the first ones, or as was decided."""
    more = {x["labels"]: x["seeds"] for x in stored_lines(DECISIONS) if x["task"] == task}
    return {size: max(first, more.get(size, 0)) for size in label_counts(task)}


def bars_touch(one: dict, other: dict) -> bool:
    """Do the intervals of two means overlap?"""
    ends = [(x["mean"] - (x["half"] or 0), x["mean"] + (x["half"] or 0)) for x in (one, other)]
    return not statistics.disjoint(*ends)

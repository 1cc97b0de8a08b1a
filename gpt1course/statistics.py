"""Intervals over seeds, paired tests, and what may be called a significant difference.

scipy.stats takes a second and more to import, so each function imports what it needs.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import stdev
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from gpt1lib import validate
from gpt1lib.metrics import check_lengths

ALPHA = 0.05
"""Significance level: the largest share of false alarms that the course accepts."""

# ---- over seeds ----------------------------------------------------------------------


def student_t(dof: int) -> float:
    """The two-sided 95% point of Student's t: 2.093 at 19 degrees of freedom."""
    from scipy.special import stdtrit  # all of scipy.stats would take a second to load

    if not validate.is_finite(dof) or dof < 1:
        raise ValueError(f"there are {dof!r} degrees of freedom, at least 1 is needed")
    return float(stdtrit(dof, 0.975))


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """(mean, half the width of its 95% interval) over seeds, by Student's t."""
    n = len(values)
    if n < 2:
        raise ValueError(f"{n} values have no standard deviation, at least 2 are needed")
    standard_error = stdev(values) / math.sqrt(n)
    return sum(values) / n, student_t(n - 1) * standard_error


def mean_with_ci(values: Sequence[float]) -> dict:
    """Mean, half the width of its 95% interval (None for one value), number of seeds."""
    if len(values) == 1:
        return {"mean": values[0], "half": None, "seeds": 1}
    mean, half = mean_interval(values)
    return {"mean": round(mean, 4), "half": round(half, 4), "seeds": len(values)}


# ---- paired tests --------------------------------------------------------------------


class Comparison:
    """a - b, with half the width of its 95% interval, and a two-sided p-value."""

    difference: float
    half_width: float
    p: float

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return self.difference - self.half_width

    @property
    def high(self) -> float:
        """The upper end of the interval."""
        return self.difference + self.half_width


@dataclass(frozen=True)
class PairedT(Comparison):
    """Two rows of scores, compared seed by seed."""

    difference: float
    half_width: float
    p: float
    seeds: int


@dataclass(frozen=True)
class McNemar(Comparison):
    """Two classifiers on the same questions: what both get right, only a, only b, neither."""

    both: int
    only_a: int
    only_b: int
    neither: int
    difference: float  # of the accuracies
    half_width: float
    p: float


def paired_t_test(a: Mapping | Sequence[float], b: Mapping | Sequence[float]) -> PairedT:
    """Two rows of scores compared seed by seed: a - b, by Student's t for pairs.

    a, b: seed -> score, of which the seeds that both have are compared; or two lists in the
    same order of seeds. The questions are the same for all seeds, so the chance in drawing
    them is not in the interval. Raises ValueError for fewer than two pairs.
    """
    pairs = _pairs(a, b)
    mean, half_width = mean_interval([x - y for x, y in pairs])
    p = _paired_p(pairs) if half_width else float(mean == 0)
    return PairedT(mean, half_width, p, len(pairs))


def paired_t_tests(
    row: Mapping[int, Mapping[int, float]], other: Mapping[int, Mapping[int, float]]
) -> dict[int, PairedT]:
    """Size -> a row minus another, seed by seed, as `significant` takes it.

    row, other: size -> seed -> score. Sizes at which the two share fewer than two seeds are
    left out.
    """
    shared = {size: {*row[size]} & {*other[size]} for size in row if size in other}
    return {
        size: paired_t_test(row[size], other[size])
        for size, seeds in shared.items()
        if len(seeds) > 1
    }


def mcnemar(
    guesses_a: Sequence[int], guesses_b: Sequence[int], labels: Sequence[int]
) -> McNemar:
    """Two classifiers on the same questions, by what only one gets right (McNemar 1947).

    p is exact: how often a coin divides the questions that only one gets right at least as
    unevenly. Raises ValueError for fewer than two questions.
    """
    from scipy.stats import binomtest

    check_lengths(guesses_a, labels)
    check_lengths(guesses_b, labels)
    answers = zip(guesses_a, guesses_b, labels, strict=True)
    right = [(bool(a == y), bool(b == y)) for a, b, y in answers]
    only_a, only_b = right.count((True, False)), right.count((False, True))
    difference, half_width = mean_interval([a - b for a, b in right])
    uneven = only_a + only_b
    p = float(binomtest(only_a, uneven).pvalue) if uneven else 1.0
    both, neither = right.count((True, True)), right.count((False, False))
    return McNemar(both, only_a, only_b, neither, difference, half_width, p)


# ---- several comparisons at once -----------------------------------------------------


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-value of each of several comparisons, adjusted for their number (Holm 1979).

    The smallest of n counts n times, the next n - 1 times, and so on; none falls below one
    before it, nor above 1.
    """
    for p in p_values:
        validate.check_float("p", p, ge=0, le=1)
    n, adjusted, least = len(p_values), [1.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(n), key=lambda i: p_values[i])):
        least = max(least, (n - rank) * float(p_values[i]))
        adjusted[i] = min(1.0, least)
    return adjusted


def significant(comparisons: Mapping[Any, Comparison]) -> set:
    """The keys of a table's significant comparisons, by the one rule of the course.

    Where two rows share their questions or their seeds, they are compared pair by pair
    (`mcnemar`, `paired_t_test`). Each comparison of a table is another chance of a false
    alarm, so each p-value is adjusted by `holm` over all of them, the dull ones too. A
    difference is significant if its adjusted p-value is below 5%.

    Where rows share neither, or a row is compared with guessing, there are no pairs: see
    `disjoint`. comparisons: key -> what `paired_t_test` or `mcnemar` returned.
    """
    adjusted = holm([comparison.p for comparison in comparisons.values()])
    return {key for key, p in zip(comparisons, adjusted, strict=True) if p < ALPHA}


def disjoint(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two intervals (low, high) have nothing in common.

    The rule for rows that share neither questions nor seeds. It is stricter than 5%: two
    intervals may overlap, and pairs still differ significantly. Guessing is the interval
    (0.5, 0.5).
    """
    for low, high in (a, b):
        if not low <= high:
            raise ValueError(f"an interval is from {low} to {high}, it must not end below")
    return a[1] < b[0] or b[1] < a[0]


# ---- curves over a size --------------------------------------------------------------


def first_reaching(means: Mapping[int, float], level: float) -> float | None:
    """The size at which a curve first reaches a level, between two sizes by ratio.

    The smallest size if the curve begins above the level, None if it never reaches it.
    """
    sizes = sorted(means)
    if means[sizes[0]] >= level:
        return sizes[0]
    for a, b in pairwise(sizes):
        low, high = means[a], means[b]
        if high >= level:
            return a * (b / a) ** ((level - low) / (high - low))
    return None


def power_law(sizes: ArrayLike, losses: ArrayLike) -> tuple[float, float]:
    """(alpha, a) of a N^(-alpha), by least squares of the logarithms; sizes, losses (n,)."""
    slope, intercept = np.polyfit(np.log(sizes), np.log(losses), 1)
    return float(-slope), float(np.exp(intercept))


def prediction(sizes: ArrayLike, losses: ArrayLike, size: float) -> tuple[float, float, float]:
    """What the line says of one more size, and the 95% interval of what would be measured.

    The interval is that of a straight line in logarithms, with errors that do not depend on
    the size; it knows nothing of a line that bends. Raises ValueError for fewer than
    three sizes.
    """
    x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(losses, float))
    if len(x) < 3:
        raise ValueError(
            f"{len(x)} sizes leave nothing to tell the error by, it takes at least 3"
        )
    alpha, a = power_law(sizes, losses)
    std = np.sqrt(((y - np.log(a) + alpha * x) ** 2).sum() / (len(x) - 2))
    far = (np.log(size) - x.mean()) ** 2 / ((x - x.mean()) ** 2).sum()
    half = student_t(len(x) - 2) * std * np.sqrt(1 + 1 / len(x) + far)
    middle = a * size**-alpha
    return float(middle), float(middle * np.exp(-half)), float(middle * np.exp(half))


def _pairs(a: Mapping | Sequence, b: Mapping | Sequence) -> list[tuple[float, float]]:
    """The scores of two rows for each seed that both have."""
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise ValueError("one row has seeds and the other has none: give them for both")
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        if len(a) != len(b):
            raise ValueError(f"{len(a)} scores and {len(b)} make no pairs: name their seeds")
        a, b = dict(enumerate(a)), dict(enumerate(b))
    for score in (*a.values(), *b.values()):
        validate.check_float("a score", score)
    return [(float(a[seed]), float(b[seed])) for seed in a if seed in b]


def _paired_p(pairs: list[tuple[float, float]]) -> float:
    """The two-sided p-value of Student's t for pairs whose differences are not all equal."""
    from scipy.stats import ttest_rel

    return float(ttest_rel(*zip(*pairs, strict=True)).pvalue)

"""Scores of predictions, with intervals, and what may be called a clear difference.

scipy.stats and sklearn.metrics take a second and more to import, so each is imported in
the function that needs it: most lessons need neither.
"""

import math
import statistics
from collections.abc import Mapping, Sequence
from typing import Any

from . import validate

LEVEL = 0.05
"""A difference is clear if luck alone makes one as large in fewer of 100 cases than five."""

# ---- scores --------------------------------------------------------------------------


def wilson(correct: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95% interval of the share of `correct` in n trials (Wilson 1927); z: its width.

    ValueError unless n >= 1 and correct is in 0 to n.
    """
    n = validate.whole("n", n, 1, note=": an interval needs a trial")
    correct = validate.whole("correct", correct, 0, n)
    z = validate.number("z", z, lambda x: x > 0, "a finite number > 0")
    p, z2 = correct / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return middle - half, middle + half


def accuracy(guesses: Sequence[int], labels: Sequence[int]) -> dict:
    """Share of right guesses with its interval; majority: always the largest class."""
    _check_lengths(guesses, labels)
    correct = sum(a == b for a, b in zip(guesses, labels, strict=True))
    low, high = wilson(correct, len(labels))
    majority = max(list(labels).count(c) for c in set(labels)) / len(labels)
    return {
        "accuracy": round(correct / len(labels), 4),
        "interval": [round(low, 4), round(high, 4)],
        "majority": round(majority, 4),
        "examples": len(labels),
    }


def matthews(guesses: Sequence[int], labels: Sequence[int]) -> float:
    """Matthews' correlation of two classes, CoLA's score: 1 at best.

    0 for guessing, and where one of the lists is constant.
    """
    from sklearn.metrics import matthews_corrcoef

    _check_classes(guesses, labels)
    if _is_constant(guesses) or _is_constant(labels):
        return 0.0
    return float(matthews_corrcoef(labels, guesses))


def f1(guesses: Sequence[int], labels: Sequence[int]) -> float:
    """Harmonic mean of precision and recall of class 1, the score of MRPC and QQP."""
    from sklearn.metrics import f1_score

    _check_classes(guesses, labels)
    # sklearn has no types, and the default of zero_division is a string
    score = f1_score(labels, guesses, zero_division=0.0)  # pyright: ignore[reportArgumentType]
    return float(score)


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Correlation of two lists, STS-B's score; 0 where one of them is constant."""
    from scipy.stats import pearsonr

    _check_lengths(a, b)
    if _is_constant(a) or _is_constant(b):
        return 0.0
    # scipy makes the class of the result at run time
    return float(pearsonr(a, b).statistic)  # pyright: ignore[reportAttributeAccessIssue]


# ---- over seeds ----------------------------------------------------------------------


def student_t(freedom: int) -> float:
    """The two-sided 95% point of Student's t: 2.093 at 19 degrees of freedom."""
    from scipy.special import stdtrit  # all of scipy.stats would take a second to load

    if not validate.is_finite(freedom) or freedom < 1:
        raise ValueError(f"there are {freedom!r} degrees of freedom, at least 1 is needed")
    return float(stdtrit(freedom, 0.975))


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """(mean, half of its 95% interval) over seeds, by Student's t."""
    n = len(values)
    if n < 2:
        raise ValueError(f"{n} values have no spread, at least 2 are needed")
    standard_error = statistics.stdev(values) / math.sqrt(n)
    return sum(values) / n, student_t(n - 1) * standard_error


# ---- what is clear -------------------------------------------------------------------


def by_seed(a: Mapping | Sequence[float], b: Mapping | Sequence[float]) -> dict:
    """Two rows of scores compared seed by seed: a - b, by Student's t for pairs.

    a, b: seed -> score, of which the seeds that both have are compared; or two lists in the
    same order of seeds. Returns the mean difference, half of its 95% interval, p
    (two-sided) and the number of seeds. The questions are the same for all seeds, so their
    luck is not in the interval. ValueError for fewer than two pairs.
    """
    differences = [x - y for x, y in _pairs(a, b)]
    mean, half = mean_interval(differences)
    p = _student_p(mean, half, len(differences) - 1)
    return {"difference": mean, "half": half, "p": p, "seeds": len(differences)}


def mcnemar(guesses_a: Sequence[int], guesses_b: Sequence[int], labels: Sequence[int]) -> dict:
    """Two readers of the same questions compared by what only one gets right (McNemar 1947).

    Returns how many both get right, only a, only b and neither; a's accuracy minus b's with
    half of its 95% interval; and the exact two-sided p: how often a coin divides the
    questions that only one gets right at least as unevenly. ValueError for fewer than two.
    """
    from scipy.stats import binomtest

    _check_lengths(guesses_a, labels)
    _check_lengths(guesses_b, labels)
    answers = zip(guesses_a, guesses_b, labels, strict=True)
    right = [(bool(a == y), bool(b == y)) for a, b, y in answers]
    only_a, only_b = right.count((True, False)), right.count((False, True))
    difference, half = mean_interval([a - b for a, b in right])
    uneven = only_a + only_b
    return {
        "both": right.count((True, True)),
        "only_a": only_a,
        "only_b": only_b,
        "neither": right.count((False, False)),
        "difference": difference,
        "half": half,
        "p": float(binomtest(only_a, uneven).pvalue) if uneven else 1.0,
    }


def holm(p_values: Sequence[float]) -> list[float]:
    """The p of each of several comparisons, raised for their number (Holm 1979).

    The smallest of n counts n times, the next n - 1 times, and so on; none falls below one
    before it, nor above 1.
    """
    for p in p_values:
        validate.number("p", p, lambda x: 0 <= x <= 1, "a number from 0 to 1")
    n, raised, least = len(p_values), [1.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(n), key=lambda i: p_values[i])):
        least = max(least, (n - rank) * float(p_values[i]))
        raised[i] = min(1.0, least)
    return raised


def clear(comparisons: Mapping[Any, Mapping]) -> set:
    """The keys of a table's comparisons that are clear, by the one rule of the course.

    Where two rows share their questions or their seeds, they are compared pair by pair
    (`mcnemar`, `by_seed`). Each comparison of a table is another chance for luck, so each p
    is raised by `holm` over all of them, the dull ones too. Clear is what then lies below 5%.

    Where rows share neither, or a row is held against guessing, there are no pairs: see
    `no_overlap`. comparisons: key -> what `by_seed` or `mcnemar` gave.
    """
    raised = holm([found["p"] for found in comparisons.values()])
    return {key for key, p in zip(comparisons, raised, strict=True) if p < LEVEL}


def no_overlap(a: Sequence[float], b: Sequence[float]) -> bool:
    """Whether two intervals (low, high) have nothing in common.

    The rule for rows that share neither questions nor seeds. It is stricter than 5%: two
    intervals may overlap, and pairs still be clear. Guessing is the interval (0.5, 0.5).
    """
    for low, high in (a, b):
        if not low <= high:
            raise ValueError(f"an interval is from {low} to {high}, it must not end below")
    return a[1] < b[0] or b[1] < a[0]


def _pairs(a: Mapping | Sequence, b: Mapping | Sequence) -> list[tuple[float, float]]:
    """The scores of two rows for each seed that both have."""
    if isinstance(a, Mapping) != isinstance(b, Mapping):
        raise ValueError("one row has seeds and the other has none: give them for both")
    if not isinstance(a, Mapping) or not isinstance(b, Mapping):
        if len(a) != len(b):
            raise ValueError(f"{len(a)} scores and {len(b)} make no pairs: name their seeds")
        a, b = dict(enumerate(a)), dict(enumerate(b))
    for score in (*a.values(), *b.values()):
        validate.number("a score", score, lambda x: True, "a finite number")
    return [(float(a[seed]), float(b[seed])) for seed in a if seed in b]


def _student_p(mean: float, half: float, freedom: int) -> float:
    """How often luck takes a mean so far from 0, from half of its 95% interval.

    Where all differences are the same there is no spread: 0, or 1 if all are 0.
    """
    from scipy.special import stdtr

    if half == 0:
        return float(mean == 0)
    return float(2 * stdtr(freedom, -abs(mean) / half * student_t(freedom)))


# ---- bad input -----------------------------------------------------------------------


def _is_constant(values: Sequence[float]) -> bool:
    return min(values) == max(values)


def _check_classes(guesses: Sequence[int], labels: Sequence[int]) -> None:
    _check_lengths(guesses, labels)
    strange = ({*guesses} | {*labels}) - {0, 1}
    if strange:
        raise ValueError(f"classes {sorted(strange)} are neither 0 nor 1")


def _check_lengths(a: Sequence, b: Sequence) -> None:
    if len(a) != len(b) or not len(a):
        raise ValueError(f"{len(a)} guesses and {len(b)} labels: give equally many, at least 1")

"""Scores of predictions: accuracy with its interval, F1, and correlations.

scipy.stats and sklearn.metrics take a second and more to import, so each is imported in
the function that needs it: most lessons need neither.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import validate


def wilson(correct: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95% interval of the share of `correct` in n trials (Wilson 1927).

    z: half the interval's width in standard deviations. Raises ValueError unless n >= 1 and
    correct is in 0 to n.
    """
    n = validate.check_int("n", n, 1, note=": an interval needs a trial")
    correct = validate.check_int("correct", correct, 0, n)
    z = validate.check_float("z", z, gt=0)
    p, z2 = correct / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half_width = z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return max(0.0, middle - half_width), min(1.0, middle + half_width)  # by rounding, too


def accuracy(guesses: Sequence[int], labels: Sequence[int], largest: int | None = None) -> dict:
    """Accuracy, its 95% interval, and the accuracy of always answering the most frequent class.

    largest: that class in the training set; without it, the most frequent of `labels`.
    """
    check_lengths(guesses, labels)
    correct = sum(a == b for a, b in zip(guesses, labels, strict=True))
    low, high = wilson(correct, len(labels))
    always = set(labels) if largest is None else {largest}
    majority = max(list(labels).count(c) for c in always) / len(labels)
    return {
        "accuracy": correct / len(labels),
        "interval": [low, high],
        "majority": majority,
        "examples": len(labels),
    }


def rounded(scores: Any, digits: int = 4) -> Any:
    """Scores as they are printed and stored: floats to four decimals, perplexities to two."""
    if isinstance(scores, dict):
        digits_of = {"perplexity": 2}
        return {k: rounded(x, digits_of.get(k, digits)) for k, x in scores.items()}
    if isinstance(scores, list | tuple):
        return [rounded(score, digits) for score in scores]
    return round(scores, digits) if isinstance(scores, float) else scores


def argmax(probs: Sequence[Sequence[float]]) -> list[int]:
    """The likeliest class of each row, the first of equal ones.

    Example: [[0.2, 0.8], [0.5, 0.5]] -> [1, 0].
    """
    return [int(np.argmax(row)) for row in probs]


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
    return float(f1_score(labels, guesses, zero_division=0))


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Correlation of two lists, STS-B's score; 0 where one of them is constant."""
    from scipy.stats import pearsonr

    check_lengths(a, b)
    if _is_constant(a) or _is_constant(b):
        return 0.0
    return float(pearsonr(a, b).statistic)


def _is_constant(values: Sequence[float]) -> bool:
    return min(values) == max(values)


def _check_classes(guesses: Sequence[int], labels: Sequence[int]) -> None:
    check_lengths(guesses, labels)
    if strange := ({*guesses} | {*labels}) - {0, 1}:
        raise ValueError(f"classes {sorted(strange)} are neither 0 nor 1")


def check_lengths(a: Sequence, b: Sequence) -> None:
    """Raise ValueError unless there are as many guesses as labels, and at least one."""
    if len(a) != len(b) or not len(a):
        raise ValueError(f"{len(a)} guesses and {len(b)} labels: give equally many, at least 1")

"""Scores of predictions, with intervals: what the paper's tables report."""

import math
from collections.abc import Sequence


def wilson(correct: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a share of n trials (Wilson 1927)."""
    if n < 1:
        raise ValueError(f"n is {n}, an interval needs at least 1 trial")
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
    """Matthews' correlation of two classes, CoLA's score: 0 for guessing, 1 at best."""
    tp, fp, fn, tn = _table(guesses, labels)
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below else 0.0


def f1(guesses: Sequence[int], labels: Sequence[int]) -> float:
    """Harmonic mean of precision and recall of class 1, the score of MRPC and QQP."""
    tp, fp, fn, _ = _table(guesses, labels)
    return 2 * tp / (2 * tp + fp + fn) if tp else 0.0


def pearson(a: Sequence[float], b: Sequence[float]) -> float:
    """Correlation of two lists, STS-B's score; 0 where one of them is constant."""
    _check_lengths(a, b)
    mean_a, mean_b = sum(a) / len(a), sum(b) / len(b)
    pairs = [(x - mean_a, y - mean_b) for x, y in zip(a, b, strict=True)]
    both = sum(x * y for x, y in pairs)
    size = math.sqrt(sum(x * x for x, _ in pairs) * sum(y * y for _, y in pairs))
    return both / size if size else 0.0


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """(mean, half of its 95 % interval) over seeds, by Student's t."""
    n = len(values)
    if n < 2:
        raise ValueError(f"{n} values have no spread, at least 2 are needed")
    mean = sum(values) / n
    spread = math.sqrt(sum((x - mean) ** 2 for x in values) / (n - 1))
    return mean, _student(n - 1) * spread / math.sqrt(n)


def _student(freedom: int) -> float:
    """The two-sided 95 % point of Student's t."""
    table = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)
    return table[freedom - 1] if freedom <= len(table) else 1.96 + 2.4 / freedom


def _table(guesses: Sequence[int], labels: Sequence[int]) -> tuple[int, int, int, int]:
    """True and false positives, false and true negatives; classes 0 and 1 only."""
    _check_lengths(guesses, labels)
    strange = ({*guesses} | {*labels}) - {0, 1}
    if strange:
        raise ValueError(f"classes {sorted(strange)} are neither 0 nor 1")
    pairs = list(zip(guesses, labels, strict=True))
    return tuple(pairs.count(x) for x in ((1, 1), (1, 0), (0, 1), (0, 0)))


def _check_lengths(a: Sequence, b: Sequence) -> None:
    if len(a) != len(b) or not len(a):
        raise ValueError(f"there are {len(a)} guesses and {len(b)} labels")

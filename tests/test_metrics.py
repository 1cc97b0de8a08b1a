"""Scores against values worked out by hand or known from tables."""

import pytest

from gpt1lib import metrics


def test_wilson_interval():
    low, high = metrics.wilson(77, 100)
    assert (low, high) == pytest.approx((0.6784, 0.8416), abs=2e-3)
    assert metrics.wilson(0, 10)[0] == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="n is 0"):
        metrics.wilson(0, 0)


def test_accuracy_and_majority():
    found = metrics.accuracy([0, 1, 1, 0], [0, 1, 0, 0])
    assert found["accuracy"] == 0.75 and found["majority"] == 0.75
    with pytest.raises(ValueError, match="1 guesses and 2 labels"):
        metrics.accuracy([0], [0, 1])


def test_matthews_and_f1():
    # 6 true positives, 1 false positive, 2 false negatives, 3 true negatives
    guesses, labels = [1] * 7 + [0] * 5, [1] * 6 + [0] + [1] * 2 + [0] * 3
    assert metrics.matthews(guesses, labels) == pytest.approx(0.478, abs=1e-3)
    assert metrics.f1(guesses, labels) == pytest.approx(12 / 15)
    assert metrics.matthews([1, 1], [1, 0]) == 0.0 and metrics.f1([0, 0], [1, 0]) == 0.0
    assert metrics.matthews([1, 0], [1, 0]) == 1.0 and metrics.matthews([0, 1], [1, 0]) == -1.0
    with pytest.raises(ValueError, match=r"\[2\] are neither 0 nor 1"):
        metrics.f1([2], [1])


def test_pearson():
    assert metrics.pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert metrics.pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert metrics.pearson([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    assert metrics.pearson([1, 1], [1, 2]) == 0.0


def test_interval_over_seeds():
    mean, half = metrics.mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3 and half == pytest.approx(2.776 * 1.5811 / 5**0.5, abs=1e-3)
    with pytest.raises(ValueError, match="1 values"):
        metrics.mean_interval([1.0])

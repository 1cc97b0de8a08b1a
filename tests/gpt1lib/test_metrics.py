"""Scores against values worked out by hand or known from tables."""

import pytest
from scipy.stats import binomtest

from gpt1lib import metrics


def test_wilson_interval():
    low, high = metrics.wilson(77, 100)
    assert (low, high) == pytest.approx((0.6784, 0.8416), abs=2e-3)
    for n in range(1, 30):  # for ten, 19 and others, rounding would go beyond
        assert metrics.wilson(0, n)[0] >= 0 and metrics.wilson(n, n)[1] <= 1
    with pytest.raises(ValueError, match="n is 0"):
        metrics.wilson(0, 0)


@pytest.mark.parametrize("correct, n", [(0, 7), (1, 1), (30, 60), (707, 899)])
def test_wilson_agrees_with_scipy(correct, n):
    """scipy takes z = 1.95996 where the stored intervals took 1.96."""
    low, high = binomtest(correct, n).proportion_ci(method="wilson")
    assert metrics.wilson(correct, n) == pytest.approx((low, high), abs=1e-5)


def test_accuracy_and_majority():
    scores = metrics.accuracy([0, 1, 1, 0], [0, 1, 0, 0])
    assert scores["accuracy"] == 0.75 and scores["majority"] == 0.75
    with pytest.raises(ValueError, match="1 guesses and 2 labels"):
        metrics.accuracy([0], [0, 1])


def test_matthews_and_f1():
    # 6 true positives, 1 false positive, 2 false negatives, 3 true negatives
    guesses, labels = [1] * 7 + [0] * 5, [1] * 6 + [0] + [1] * 2 + [0] * 3
    assert metrics.matthews(guesses, labels) == pytest.approx(0.478, abs=1e-3)
    assert metrics.f1(guesses, labels) == pytest.approx(12 / 15)
    assert metrics.matthews([1, 1], [1, 0]) == 0.0 and metrics.f1([0, 0], [1, 0]) == 0.0
    assert metrics.matthews([1, 0], [1, 0]) == 1.0 and metrics.matthews([0, 1], [1, 0]) == -1.0
    with pytest.raises(ValueError, match="1 guesses and 2 labels"):
        metrics.matthews([0], [0, 1])
    with pytest.raises(ValueError, match=r"\[2\] are neither 0 nor 1"):
        metrics.f1([2], [1])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("score", [metrics.matthews, metrics.pearson])
@pytest.mark.parametrize("a, b", [([0, 0], [0, 1]), ([0, 1], [1, 1]), ([1], [1])])
def test_what_is_constant_correlates_with_nothing(score, a, b):
    assert score(a, b) == 0.0


@pytest.mark.parametrize(
    "score", [metrics.matthews, metrics.f1, metrics.pearson], ids=lambda f: f.__name__
)
def test_scores_are_plain_numbers(score):
    assert type(score([0, 1, 1], [0, 1, 0])) is float  # not np.float64, which prints its type


def test_pearson():
    assert metrics.pearson([1, 2, 3], [2, 4, 6]) == pytest.approx(1)
    assert metrics.pearson([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    assert metrics.pearson([1, 2, 3, 4], [1, 3, 2, 4]) == pytest.approx(0.8)
    with pytest.raises(ValueError, match="2 guesses and 1 labels"):
        metrics.pearson([1, 2], [1])

"""Tests of significance against scipy, tables, and values worked out by hand."""

import math

import numpy as np
import pytest
from scipy.stats import linregress, ttest_rel
from scipy.stats import t as student

from gpt1course import statistics
from gpt1lib import metrics


@pytest.mark.parametrize(
    "dof, point", [(1, 12.706), (2, 4.303), (9, 2.262), (10, 2.228), (19, 2.093), (120, 1.980)]
)
def test_student_t_is_that_of_the_tables(dof, point):
    assert statistics.student_t(dof) == pytest.approx(point, abs=5e-4)


def test_student_t_needs_a_degree_of_freedom():
    with pytest.raises(ValueError, match="0 degrees of freedom"):
        statistics.student_t(0)


def test_interval_over_seeds():
    mean, half_width = statistics.mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3 and half_width == pytest.approx(2.77645 * 1.58114 / 5**0.5, rel=1e-5)
    with pytest.raises(ValueError, match="1 values"):
        statistics.mean_interval([1.0])


# ---- what is significant -------------------------------------------------------------------


@pytest.mark.parametrize("only_a, only_b", [(0, 0), (1, 0), (3, 3), (2, 7), (9, 1), (40, 17)])
def test_mcnemar_against_every_way_that_a_coin_can_fall(only_a, only_b):
    n = only_a + only_b
    ways = [math.comb(n, k) for k in range(n + 1)]
    uneven = sum(w for k, w in enumerate(ways) if abs(2 * k - n) >= abs(only_a - only_b))
    labels = [1] * (n + 5)
    guesses_a = [1] * only_a + [0] * only_b + [1, 1, 0, 0, 0]
    guesses_b = [0] * only_a + [1] * only_b + [1, 1, 0, 0, 0]
    result = statistics.mcnemar(guesses_a, guesses_b, labels)
    assert result.p == pytest.approx(uneven / 2**n)
    counts = [getattr(result, k) for k in ("both", "only_a", "only_b", "neither")]
    assert counts == [2, only_a, only_b, 3]
    a, b = (metrics.accuracy(x, labels)["accuracy"] for x in (guesses_a, guesses_b))
    assert result.difference == pytest.approx(a - b, abs=1e-4)
    assert statistics.mcnemar(*map(np.array, (guesses_a, guesses_b, labels))) == result
    swapped = statistics.mcnemar(guesses_b, guesses_a, labels)
    assert (swapped.p, swapped.half_width) == (result.p, result.half_width)


def test_mcnemar_counts_what_is_right_and_not_what_is_alike():
    result = statistics.mcnemar([0, 1, 2, 2], [0, 2, 1, 0], [0, 1, 1, 1])
    assert [getattr(result, k) for k in ("both", "only_a", "only_b", "neither")] == [1, 1, 1, 1]


FULL, OTHER = [0.70, 0.74, 0.69, 0.77, 0.72], [0.66, 0.71, 0.68, 0.72, 0.70]


def test_seeds_are_compared_in_pairs():
    result, test = statistics.paired_t_test(FULL, OTHER), ttest_rel(FULL, OTHER)
    low, high = test.confidence_interval(0.95)
    assert (result.p, result.seeds) == (pytest.approx(test.pvalue), 5)
    assert result.low == pytest.approx(low)
    assert result.high == pytest.approx(high)
    holes = statistics.paired_t_test(
        {9: 0.1, **dict(enumerate(FULL))}, {5: 0.2, **dict(enumerate(OTHER))}
    )
    assert holes == result, "seeds that only one row has count for nothing"
    late = dict(reversed([*enumerate(OTHER)]))
    assert statistics.paired_t_test(dict(enumerate(FULL)), late) == result, (
        "seeds in another order"
    )


@pytest.mark.filterwarnings("error")
def test_pairs_without_spread():
    assert statistics.paired_t_test([0.5, 0.5], [0.5, 0.5]).p == 1
    assert statistics.paired_t_test([0.75, 0.5], [0.5, 0.25]).p == 0


def test_holm_is_holms():
    """Against the rule in Holm's words: the smallest to a part of the level, then go on."""
    values = [0.01, 0.04, 0.03, 0.005, 0.6, 0.03]
    assert statistics.holm(values) == pytest.approx([0.05, 0.12, 0.12, 0.03, 0.6, 0.12])
    assert statistics.holm([0.6, 0.9]) == [1.0, 1.0] and statistics.holm([]) == []
    for level in (0.02, 0.04, 0.06, 0.11, 0.13, 0.7):
        left = sorted(values)
        while left and left[0] * len(left) <= level:
            del left[0]
        refused = len(values) - len(left)
        assert sum(p <= level for p in statistics.holm(values)) == refused


def with_p(p):
    """A comparison of which only the p-value counts."""
    return statistics.PairedT(0.1, 0.2, p, 3)


def test_significance_is_corrected_for_the_whole_table():
    table = {key: with_p(p) for key, p in {"a": 0.02, "b": 0.024, "c": 0.9}.items()}
    assert statistics.significant({"b": table["b"]}) == {"b"}, "one comparison alone"
    assert statistics.significant({k: table[k] for k in "ab"}) == {"a", "b"}
    assert statistics.significant(table) == set(), "0.02 counts three times"
    assert statistics.significant({"a": with_p(0.05)}) == set() == statistics.significant({})


def test_disjoint():
    assert statistics.disjoint((0.1, 0.2), (0.3, 0.4)) and statistics.disjoint(
        (0.3, 0.4), (0.1, 0.2)
    )
    assert statistics.disjoint((0.51, 0.6), (0.5, 0.5))
    assert not any(statistics.disjoint(x, (0.5, 0.5)) for x in [(0.5, 0.6), (0.4, 0.5)])
    assert not statistics.disjoint((0.1, 0.4), (0.2, 0.3)) and not statistics.disjoint(
        (0.2, 0.3), (0.1, 0.4)
    )


# ---- curves over a size --------------------------------------------------------------------


def test_a_curve_reaches_a_level_between_two_sizes_by_ratio():
    means = {1000: 0.8, 10: 0.5, 100: 0.6}
    assert statistics.first_reaching(means, 0.7) == pytest.approx(100 * 10**0.5)
    assert statistics.first_reaching(means, 0.525) == pytest.approx(10 * 10**0.25)
    assert statistics.first_reaching(means, 0.6) == pytest.approx(100)
    assert statistics.first_reaching(means, 0.5) == statistics.first_reaching(means, 0.4) == 10
    assert statistics.first_reaching(means, 0.81) is None
    twice = {1: 0.5, 2: 0.7, 4: 0.6, 8: 0.8}
    assert statistics.first_reaching(twice, 0.65) == pytest.approx(2**0.75), "the first time"


@pytest.mark.parametrize("n", [3, 4, 6])
@pytest.mark.parametrize("size", [2e4, 3e6, 1e8])
def test_a_prediction_has_the_interval_of_the_textbooks(n, size):
    """Of a straight line: from the standard errors of its two numbers, as scipy has them."""
    sizes = np.array([1e4, 3e4, 1e5, 5e5, 1e6, 2e6])[:n]
    losses = 7 * sizes**-0.08 * np.exp([0.01, -0.02, 0.015, 0.005, -0.01, 0.02][:n])
    x, at = np.log(sizes), np.log(size)
    line = linregress(x, np.log(losses))
    middle = line.intercept + line.slope * at
    # intercept and slope vary together: their covariance is -mean(x) times the slope's variance
    of_line = line.intercept_stderr**2 + (at**2 - 2 * at * x.mean()) * line.stderr**2
    of_one = line.stderr**2 * ((x - x.mean()) ** 2).sum()  # the variance of one measurement
    half = student.ppf(0.975, n - 2) * (of_line + of_one) ** 0.5
    wanted = np.exp([middle, middle - half, middle + half])
    assert statistics.prediction(sizes, losses, size) == pytest.approx(wanted.tolist())


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        (lambda: statistics.mcnemar([0], [0, 1], [0, 1]), "1 guesses and 2 labels"),
        (lambda: statistics.mcnemar([0, 1], [0], [0, 1]), "1 guesses and 2 labels"),
        (lambda: statistics.mcnemar([0], [0], [0]), "1 values have no standard deviation"),
        (lambda: statistics.paired_t_test([1.0], [0.5]), "1 values have no standard deviation"),
        (
            lambda: statistics.paired_t_test({0: 1.0, 1: 1.0}, {2: 1.0}),
            "0 values have no standard deviation",
        ),
        (lambda: statistics.paired_t_test([1.0, 2.0], [1.0]), "2 scores and 1 make no pairs"),
        (lambda: statistics.paired_t_test({0: 1.0, 1: 1.0}, [1.0, 2.0]), "one row has seeds"),
        (lambda: statistics.paired_t_test([1.0, math.nan], [1.0, 2.0]), "a score is nan"),
        (lambda: statistics.paired_t_test([1.0, 2.0], [1.0, None]), "a score is None"),
        (lambda: statistics.holm([0.5, 1.5]), "p is 1.5, it must be .* >= 0 and <= 1"),
        (lambda: statistics.significant({"a": with_p(math.nan)}), "p is nan"),
        (lambda: statistics.disjoint((0.1, 0.2), (0.4, 0.3)), "an interval is from 0.4 to 0.3"),
    ],
)
def test_bad_comparisons(compare, message):
    with pytest.raises(ValueError, match=message):
        compare()

"""Scores against values worked out by hand or known from tables."""

import math
import subprocess
import sys

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel

from gpt1lib import metrics


def test_wilson_interval():
    low, high = metrics.wilson(77, 100)
    assert (low, high) == pytest.approx((0.6784, 0.8416), abs=2e-3)
    assert metrics.wilson(0, 10)[0] == pytest.approx(0, abs=1e-9)
    with pytest.raises(ValueError, match="n is 0"):
        metrics.wilson(0, 0)


@pytest.mark.parametrize("correct, n", [(0, 7), (1, 1), (30, 60), (707, 899)])
def test_wilson_agrees_with_scipy(correct, n):
    """scipy takes z = 1.95996 where the stored intervals took 1.96."""
    low, high = binomtest(correct, n).proportion_ci(method="wilson")
    assert metrics.wilson(correct, n) == pytest.approx((low, high), abs=1e-5)


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


@pytest.mark.parametrize(
    "freedom, point",
    [(1, 12.706), (2, 4.303), (9, 2.262), (10, 2.228), (19, 2.093), (120, 1.980)],
)
def test_student_t_is_that_of_the_tables(freedom, point):
    assert metrics.student_t(freedom) == pytest.approx(point, abs=5e-4)


def test_student_t_needs_freedom():
    with pytest.raises(ValueError, match="0 degrees of freedom"):
        metrics.student_t(0)


def test_interval_over_seeds():
    mean, half = metrics.mean_interval([1.0, 2.0, 3.0, 4.0, 5.0])
    assert mean == 3 and half == pytest.approx(2.77645 * 1.58114 / 5**0.5, rel=1e-5)
    with pytest.raises(ValueError, match="1 values"):
        metrics.mean_interval([1.0])


# ---- what is clear -------------------------------------------------------------------


@pytest.mark.parametrize("only_a, only_b", [(0, 0), (1, 0), (3, 3), (2, 7), (9, 1), (40, 17)])
def test_mcnemar_against_every_way_that_a_coin_can_fall(only_a, only_b):
    n = only_a + only_b
    ways = [math.comb(n, k) for k in range(n + 1)]
    uneven = sum(w for k, w in enumerate(ways) if abs(2 * k - n) >= abs(only_a - only_b))
    labels = [1] * (n + 5)
    guesses_a = [1] * only_a + [0] * only_b + [1, 1, 0, 0, 0]
    guesses_b = [0] * only_a + [1] * only_b + [1, 1, 0, 0, 0]
    found = metrics.mcnemar(guesses_a, guesses_b, labels)
    assert found["p"] == pytest.approx(uneven / 2**n)
    counts = [found[k] for k in ("both", "only_a", "only_b", "neither")]
    assert counts == [2, only_a, only_b, 3]
    a, b = (metrics.accuracy(x, labels)["accuracy"] for x in (guesses_a, guesses_b))
    assert found["difference"] == pytest.approx(a - b, abs=1e-4)
    assert metrics.mcnemar(*map(np.array, (guesses_a, guesses_b, labels))) == found
    swapped = metrics.mcnemar(guesses_b, guesses_a, labels)
    assert (swapped["p"], swapped["half"]) == (found["p"], found["half"])


def test_mcnemar_counts_what_is_right_and_not_what_is_alike():
    found = metrics.mcnemar([0, 1, 2, 2], [0, 2, 1, 0], [0, 1, 1, 1])
    assert [found[k] for k in ("both", "only_a", "only_b", "neither")] == [1, 1, 1, 1]


FULL, OTHER = [0.70, 0.74, 0.69, 0.77, 0.72], [0.66, 0.71, 0.68, 0.72, 0.70]


def test_seeds_are_compared_in_pairs():
    found, test = metrics.by_seed(FULL, OTHER), ttest_rel(FULL, OTHER)
    low, high = test.confidence_interval(0.95)
    assert (found["p"], found["seeds"]) == (pytest.approx(test.pvalue), 5)
    assert found["difference"] - found["half"] == pytest.approx(low)
    assert found["difference"] + found["half"] == pytest.approx(high)
    holes = metrics.by_seed(
        {9: 0.1, **dict(enumerate(FULL))}, {5: 0.2, **dict(enumerate(OTHER))}
    )
    assert holes == found, "seeds that only one row has count for nothing"
    late = dict(reversed([*enumerate(OTHER)]))
    assert metrics.by_seed(dict(enumerate(FULL)), late) == found, "seeds in another order"


@pytest.mark.filterwarnings("error")
def test_pairs_without_spread():
    assert metrics.by_seed([0.5, 0.5], [0.5, 0.5])["p"] == 1
    assert metrics.by_seed([0.75, 0.5], [0.5, 0.25])["p"] == 0


def test_holm_is_holms():
    """Against the rule in Holm's words: the smallest to a part of the level, then go on."""
    values = [0.01, 0.04, 0.03, 0.005, 0.6, 0.03]
    assert metrics.holm(values) == pytest.approx([0.05, 0.12, 0.12, 0.03, 0.6, 0.12])
    assert metrics.holm([0.6, 0.9]) == [1.0, 1.0] and metrics.holm([]) == []
    for level in (0.02, 0.04, 0.06, 0.11, 0.13, 0.7):
        left = sorted(values)
        while left and left[0] * len(left) <= level:
            del left[0]
        refused = len(values) - len(left)
        assert sum(p <= level for p in metrics.holm(values)) == refused


def test_clear_is_corrected_for_the_whole_table():
    table = {key: {"p": p} for key, p in {"a": 0.02, "b": 0.024, "c": 0.9}.items()}
    assert metrics.clear({"b": table["b"]}) == {"b"}, "one comparison alone"
    assert metrics.clear({k: table[k] for k in "ab"}) == {"a", "b"}
    assert metrics.clear(table) == set(), "0.02 counts three times"
    assert metrics.clear({"a": {"p": 0.05}}) == set() and metrics.clear({}) == set()


def test_no_overlap():
    assert metrics.no_overlap((0.1, 0.2), (0.3, 0.4)) and metrics.no_overlap(
        (0.3, 0.4), (0.1, 0.2)
    )
    assert metrics.no_overlap((0.51, 0.6), (0.5, 0.5))
    assert not any(metrics.no_overlap(x, (0.5, 0.5)) for x in [(0.5, 0.6), (0.4, 0.5)])
    assert not metrics.no_overlap((0.1, 0.4), (0.2, 0.3)) and not metrics.no_overlap(
        (0.2, 0.3), (0.1, 0.4)
    )


@pytest.mark.parametrize(
    ("compare", "message"),
    [
        (lambda: metrics.mcnemar([0], [0, 1], [0, 1]), "1 guesses and 2 labels"),
        (lambda: metrics.mcnemar([0, 1], [0], [0, 1]), "1 guesses and 2 labels"),
        (lambda: metrics.mcnemar([0], [0], [0]), "1 values have no spread"),
        (lambda: metrics.by_seed([1.0], [0.5]), "1 values have no spread"),
        (lambda: metrics.by_seed({0: 1.0, 1: 1.0}, {2: 1.0}), "0 values have no spread"),
        (lambda: metrics.by_seed([1.0, 2.0], [1.0]), "2 scores and 1 make no pairs"),
        (lambda: metrics.by_seed({0: 1.0, 1: 1.0}, [1.0, 2.0]), "one row has seeds"),
        (lambda: metrics.by_seed([1.0, math.nan], [1.0, 2.0]), "a score is nan"),
        (lambda: metrics.by_seed([1.0, 2.0], [1.0, None]), "a score is None"),
        (lambda: metrics.holm([0.5, 1.5]), "p is 1.5, it must be a number from 0 to 1"),
        (lambda: metrics.clear({"a": {"p": math.nan}}), "p is nan"),
        (lambda: metrics.no_overlap((0.1, 0.2), (0.4, 0.3)), "an interval is from 0.4 to 0.3"),
    ],
)
def test_bad_comparisons(compare, message):
    with pytest.raises(ValueError, match=message):
        compare()


def test_accuracies_need_no_library():
    """scipy and scikit-learn take seconds to import; who asks for a share waits for none."""
    code = (
        "import sys, gpt1lib as g; g.metrics.accuracy([1, 0], [1, 1]); "
        "print({'scipy', 'sklearn'} & set(sys.modules))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert out.stdout.strip() == "set()", out.stderr

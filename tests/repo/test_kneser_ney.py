"""Kneser-Ney's n-grams over ids: a distribution, and its numbers by hand."""

import math
import random

import pytest

from tools.kneser_ney import KneserNey


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("context", [(), (0,), (1, 2), (5, 5, 5), (3, 1, 2, 0)])
def test_kneser_ney_is_a_distribution_after_every_context(n, context):
    ids = random.Random(0).choices(range(5), weights=[8, 4, 2, 1, 1], k=300)
    model = KneserNey(n, n_vocab=7).fit(ids)  # 5 and 6 never occur
    probs = [model.prob(context, token) for token in range(7)]
    assert sum(probs) == pytest.approx(1) and min(probs) > 0


def test_kneser_ney_bigram_by_hand():
    """san francisco x3, the cat, a cat: cat follows two words, francisco one."""
    san, fra, the, cat, a = range(5)
    ids = [san, fra, san, fra, san, fra, the, cat, a, cat]
    model = KneserNey(2, n_vocab=5).fit(ids)
    # bigrams: san-fra 3, fra-san 2, fra-the, the-cat, cat-a, a-cat 1 each
    d2 = 4 / (4 + 2 * 1)
    # contexts of each word: fra 1, san 1, the 1, cat 2, a 1; once 4, twice 1
    d1 = 4 / (4 + 2 * 1)
    continuation = {
        w: (k - d1) / 6 + d1 * 5 / 6 / 5
        for w, k in {san: 1, fra: 1, the: 1, cat: 2, a: 1}.items()
    }
    assert model.prob((), cat) == pytest.approx(continuation[cat])
    assert model.prob((), cat) > model.prob((), fra)  # although fra occurs more often
    assert model.prob((fra,), san) == pytest.approx(
        (2 - d2) / 3 + d2 * 2 / 3 * continuation[san]
    )
    assert model.prob((fra,), cat) == pytest.approx(d2 * 2 / 3 * continuation[cat])
    wanted = -math.log(model.prob((san,), fra)) - math.log(model.prob((fra,), cat))
    assert model.nats([san, fra, cat]) == pytest.approx(wanted)

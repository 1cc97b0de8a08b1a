"""Counting models against brute force."""

import math
from collections import Counter

import numpy as np
import pytest

from gpt1course import ngrams as b


def test_bigram_counts():
    text, alphabet = "abracadabra!", "abcdr"
    counts = b.bigram_counts(text, alphabet)
    pairs = Counter(zip("abracadabra", "bracadabra", strict=False))
    for i, x in enumerate(alphabet):
        for j, y in enumerate(alphabet):
            assert counts[i, j] == pairs[x, y]


def test_bigram_probs():
    probs = b.bigram_probs(np.array([[0, 3], [1, 1]]), 0.5)
    assert np.allclose(probs, [[0.125, 0.875], [0.5, 0.5]])
    with pytest.raises(ValueError, match="smoothing is -1"):
        b.bigram_probs(np.ones((2, 2)), -1)
    with pytest.raises(ValueError, match="no counts"):
        b.bigram_probs(np.zeros((2, 2)), 0)


WORDS = "the cat sat on the mat and the cat ran to the dog on the mat".split()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
@pytest.mark.parametrize("context", [[], ["the"], ["on", "the"], ["never", "seen", "words"]])
def test_probabilities_sum_to_one(n, context):
    vocabulary = set(WORDS)
    model = b.NGram(n, vocabulary).fit(WORDS)
    total = sum(model.prob(context, w) for w in vocabulary) + model.prob(context, "<new>")
    assert total == pytest.approx(1)


def test_witten_bell_by_hand():
    model = b.NGram(2, set(WORDS)).fit(WORDS)
    V, N, d = len(set(WORDS)), len(WORDS), len(set(WORDS))
    unigram = (2 + d / (V + 1)) / (N + d)  # P(mat)
    following = [y for x, y in zip(WORDS, WORDS[1:], strict=False) if x == "the"]
    kinds = len(set(following))
    wanted = (following.count("mat") + kinds * unigram) / (len(following) + kinds)
    assert model.prob(["the"], "mat") == pytest.approx(wanted)


def test_nats_add_up():
    model = b.NGram(3, set(WORDS)).fit(WORDS)
    total = sum(math.log(model.prob(WORDS[max(0, i - 2) : i], w)) for i, w in enumerate(WORDS))
    assert model.nats(WORDS) == pytest.approx(-total)


def test_a_model_holds_the_shorter_ones():
    longest, bigram = (b.NGram(n, set(WORDS)).fit(WORDS) for n in (3, 2))
    assert longest.shorter(2).nats(WORDS) == bigram.nats(WORDS)
    assert longest.shorter(3).nats(WORDS) == longest.nats(WORDS) < bigram.nats(WORDS)
    with pytest.raises(ValueError, match="from 1 to 3"):
        longest.shorter(4)


def test_unseen_share():
    assert b.unseen_share(WORDS, "the cat sat still".split(), 2) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match="1 words, n-grams with n = 2 need 2"):
        b.unseen_share(WORDS, ["the"], 2)
    with pytest.raises(ValueError, match="n is 0"):
        b.NGram(0, WORDS)

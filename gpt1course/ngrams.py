"""Language models made of counts: what a GPT has to beat.

An n-gram model gives the next word from the n - 1 words before it, by counting how
often each continuation occurred.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from operator import itemgetter

import numpy as np

from gpt1lib import validate

LONGEST = 100  # words of an n-gram


def bigram_counts(text: str, alphabet: str) -> np.ndarray:
    """How often each character follows each: (V, V) counts, row then column.

    Characters that are not in the alphabet are left out.
    """
    index = {c: i for i, c in enumerate(alphabet)}
    ids = np.array([index[c] for c in text if c in index], dtype=np.int64)
    counts = np.zeros((len(alphabet), len(alphabet)), dtype=np.int64)
    np.add.at(counts, (ids[:-1], ids[1:]), 1)
    return counts


def bigram_probs(counts: np.ndarray, smoothing: float = 1.0) -> np.ndarray:
    """Rows that sum to 1, after adding `smoothing` to each count. (V, V)

    Raises ValueError for a negative count or smoothing, or smoothing 0 where a row is empty.
    """
    validate.check_float("smoothing", smoothing, ge=0)
    if not (counts >= 0).all():
        raise ValueError("counts hold numbers below 0, or nan")
    smoothed = counts + smoothing
    sums = smoothed.sum(axis=1, keepdims=True)
    if (sums == 0).any():
        raise ValueError("a row has no counts: smoothing must be > 0")
    return smoothed / sums


def by_context(counts: Counter) -> tuple[Counter, Counter]:
    """Of counted n-grams: (how often each context occurred, how many words followed it)."""
    contexts = list(map(itemgetter(slice(-1)), counts))  # much faster than a loop
    totals = Counter()
    for context, count in zip(contexts, counts.values(), strict=True):
        totals[context] = totals.get(context, 0) + count
    return totals, Counter(contexts)


class NGram:
    """Interpolated n-gram model over words (Witten and Bell 1991).

    P_n(w | context) = (count(context w) + d P_(n-1)(w)) / (count(context) + d), where d
    is the number of different words seen after the context: the more varied its
    continuations, the more the shorter context has to say. Below one word comes the
    uniform distribution.
    """

    def __init__(self, n: int, vocabulary: Iterable[str]):
        self.n = n = validate.check_int("n", n, 1, LONGEST)
        self.vocabulary = frozenset(vocabulary)
        self.tables: list[tuple[Counter, Counter, Counter]] = []  # by context length

    def fit(self, words: Sequence[str]) -> "NGram":
        """Count all n-grams of a text; returns the model."""
        self.tables = []
        for length in range(self.n):
            counts = Counter(zip(*(words[i:] for i in range(length + 1)), strict=False))
            totals, kinds = by_context(counts)
            self.tables.append((counts, totals, kinds))
        return self

    def shorter(self, n: int) -> "NGram":
        """The n-gram model within this one, for an n up to its own; nothing is counted anew."""
        model = NGram(validate.check_int("n", n, 1, self.n), self.vocabulary)
        model.tables = self.tables[:n]
        return model

    def prob(self, context: Sequence[str], word: str) -> float:
        """P(word | context); only the last n - 1 words of the context count.

        One more word stands for all those outside the vocabulary.
        """
        p = 1 / (len(self.vocabulary) + 1)
        for length, (counts, totals, kinds) in enumerate(self.tables[: len(context) + 1]):
            seen = tuple(context[len(context) - length :])
            if seen not in totals:
                break  # an unseen context has no longer one that was seen
            d = kinds[seen]
            p = (counts.get((*seen, word), 0) + d * p) / (totals[seen] + d)
        return p

    def nats(self, words: Sequence[str]) -> float:
        """Total loss -sum log P over a text, in nats."""
        context = self.n - 1
        return -sum(
            math.log(self.prob(words[max(0, i - context) : i], word))
            for i, word in enumerate(words)
        )


def unseen_share(training: Sequence[str], text: Sequence[str], n: int) -> float:
    """Share of the n-grams of a text that never occurred in training."""
    n = validate.check_int("n", n, 1)
    if len(text) < n:
        raise ValueError(f"the text has {len(text)} words, n-grams with n = {n} need {n}")
    grams = list(zip(*(text[i:] for i in range(n)), strict=False))
    known = set(grams).intersection(zip(*(training[i:] for i in range(n)), strict=False))
    return sum(gram not in known for gram in grams) / len(grams)

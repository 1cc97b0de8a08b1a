"""The n-gram model that the novelist is compared with."""

import math
from collections import Counter
from collections.abc import Sequence

from gpt1course.ngrams import LONGEST, by_context
from gpt1lib import validate


class KneserNey:
    """Interpolated Kneser-Ney n-gram model over token ids (Chen and Goodman 1998).

    P_n(w | c) = max(count(c w) - d, 0) / count(c) + (share left over) P_(n-1)(w | c').
    Below the longest n-gram, counts say in how many different contexts a word was seen:
    "francisco" is frequent, but only after "san". Below one word: uniform.
    """

    def __init__(self, n: int, n_vocab: int):
        self.n = validate.check_int("n", n, 1, LONGEST)
        self.n_vocab = validate.check_int("n_vocab", n_vocab, 1)
        self.tables: list[tuple[Counter, Counter, Counter, float]] = []

    def fit(self, ids: Sequence[int]) -> "KneserNey":
        """Count all n-grams of a stream of ids; returns the model."""
        counts = Counter(zip(*(ids[i:] for i in range(self.n)), strict=False))
        self.tables = []  # for 1, 2, ... n: counts, totals, kinds, discount
        for _ in range(self.n):
            totals, kinds = by_context(counts)
            once, twice = (sum(c == k for c in counts.values()) for k in (1, 2))
            discount = once / (once + 2 * twice) if once else 0.75
            self.tables.insert(0, (counts, totals, kinds, discount))
            counts = Counter(gram[1:] for gram in counts)  # contexts, not occurrences
        return self

    def prob(self, context: Sequence[int], token: int) -> float:
        """P(token | context); only the last n - 1 ids of the context count."""
        p = 1 / self.n_vocab
        for length, (counts, totals, kinds, discount) in enumerate(self.tables):
            if length > len(context):
                break
            seen = tuple(context[len(context) - length :])
            total = totals.get(seen)
            if total is None:
                break  # an unseen context has no longer one that was seen
            left = discount * kinds[seen] / total
            p = max(counts.get((*seen, token), 0) - discount, 0) / total + left * p
        return p

    def nats(self, ids: Sequence[int]) -> float:
        """Total loss -sum log P of every id but the first, in nats."""
        k = self.n - 1
        return -sum(
            math.log(self.prob(ids[max(0, i - k) : i], ids[i])) for i in range(1, len(ids))
        )

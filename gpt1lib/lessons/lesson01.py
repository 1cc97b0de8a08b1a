"""Lesson 01, Guessing the next token."""

import math

import numpy as np
import torch

from .claims import holds as holds  # for the notebook
from .exercise import Checker, exercise


def _table(n, seed):
    return np.random.default_rng(seed).integers(0, 9, (n, n))


@exercise(
    "Count what follows what",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [("abracadabra", "abcdr"), ("aabbbab", "ab"), ("ca", "abc")],
    task=(
        "Count how often each letter of `alphabet` is followed by each other one in "
        "`text`. All letters of the text are in the alphabet."
    ),
    hints=(
        "`zip(text, text[1:])` gives each letter with the one after it.",
        "`alphabet.index(letter)` is the row or column of a letter.",
    ),
)
def count_bigrams(text, alphabet):
    """Counts (V, V), integers: row = a letter, column = the letter after it.

    count_bigrams("abb", "ab") -> array([[0, 1], [0, 1]])
    """
    counts = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for this, following in zip(text, text[1:]):
        counts[alphabet.index(this), alphabet.index(following)] += 1
    return counts


@count_bigrams.wrong("Rows and columns are exchanged: the row is the letter that comes first.")
def rows_and_columns_exchanged(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text, text[1:]):
        c[alphabet.index(b), alphabet.index(a)] += 1
    return c


@count_bigrams.wrong("You note that a pair occurs, not how often: += 1, not = 1.")
def only_whether(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text, text[1:]):
        c[alphabet.index(a), alphabet.index(b)] = 1
    return c


@count_bigrams.wrong("You count every second pair. Pairs overlap: 'abb' has ab and bb.")
def pairs_that_do_not_overlap(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text[::2], text[1::2]):
        c[alphabet.index(a), alphabet.index(b)] += 1
    return c


@count_bigrams.wrong("Your pairs are two letters apart: text[1:], not text[2:].")
def two_apart(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text, text[2:]):
        c[alphabet.index(a), alphabet.index(b)] += 1
    return c


@exercise(
    "Counts become probabilities",
    difficulty=1,
    importance=4,
    minutes=6,
    cases=lambda: [(_table(4, 0) + np.eye(4, dtype=int), 1), (_table(6, 1) + 1, 0.5)],
    task="Add `smoothing` to every count, then divide each row by its sum.",
    hints=("`keepdims=True` keeps the sums as a column, (V, 1).",),
)
def to_probabilities(counts, smoothing):
    """Rows that sum to 1. counts: (V, V) integers, smoothing > 0. -> (V, V) floats

    to_probabilities(array([[0, 2], [1, 1]]), 1) -> array([[.25, .75], [.5, .5]])
    """
    smoothed = counts + smoothing
    return smoothed / smoothed.sum(axis=1, keepdims=True)


@to_probabilities.wrong(
    "The smoothing is missing: a pair that was never seen gets probability 0."
)
def no_smoothing(counts, smoothing):
    return counts / counts.sum(axis=1, keepdims=True)


@to_probabilities.wrong(
    "Your columns sum to 1. A row holds what may follow one letter: axis=1."
)
def columns(counts, smoothing):
    s = counts + smoothing
    return s / s.sum(axis=0, keepdims=True)


@to_probabilities.wrong(
    "Without keepdims=True the sums lie flat and divide column by column. "
    "No error, wrong numbers: the classic."
)
def keepdims_forgotten(counts, smoothing):
    s = counts + smoothing
    return s / s.sum(axis=1)


@to_probabilities.wrong("The whole table sums to 1 now; each row should, by itself.")
def whole_table(counts, smoothing):
    s = counts + smoothing
    return s / s.sum()


@to_probabilities.wrong("You add the smoothing after dividing; the rows no longer sum to 1.")
def smoothing_after(counts, smoothing):
    return counts / counts.sum(axis=1, keepdims=True) + smoothing


@exercise(
    "The log-likelihood of a text",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [_walk(5, 9, 0), _walk(7, 30, 1), _walk(6, 2000, 2)],
    task=(
        "Given the ids of a text and a table of probabilities, return the sum of the "
        "logarithms of all transitions, in nats. The first id is given, not predicted."
    ),
    hints=(
        "`probs[rows, columns]` with two id arrays looks up all pairs at once.",
        "This: `ids[:-1]`. Next: `ids[1:]`.",
    ),
)
def log_likelihood(ids, probs):
    """Sum of log P(next | this) over a text, in nats: a float, <= 0.

    ids: (T,) integers. probs: (V, V), row = this, column = next.
    """
    return float(np.log(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("That is its negative, the loss. A log-likelihood is at most 0.")
def the_sign(ids, probs):
    return float(-np.log(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("That is the mean per transition. L1 in the paper is the sum.")
def mean(ids, probs):
    return float(np.log(probs[ids[:-1], ids[1:]]).mean())


@log_likelihood.wrong("That is in bits (log2). Nats use the natural logarithm.")
def bits(ids, probs):
    return float(np.log2(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("You look up P(this | next): row and column are exchanged.")
def probability_of_this_given_next(ids, probs):
    return float(np.log(probs[ids[1:], ids[:-1]]).sum())


@log_likelihood.wrong(
    "Off by one: you ask how well each token predicts itself. Targets are shifted by one."
)
def predicts_itself(ids, probs):
    return float(np.log(probs[ids, ids]).sum())


@log_likelihood.wrong(
    "On a long text the product of probabilities underflows to 0, and its "
    "logarithm is -inf. Add logarithms instead."
)
def log_of_the_product(ids, probs):
    with np.errstate(divide="ignore"):
        return float(np.log(np.prod(probs[ids[:-1], ids[1:]])))


def _walk(n, length, seed):
    rng = np.random.default_rng(seed)
    table = rng.random((n, n)) + 0.1
    return rng.integers(0, n, length), table / table.sum(axis=1, keepdims=True)


@exercise(
    "Perplexity",
    difficulty=1,
    importance=5,
    minutes=5,
    tolerance=1e-4,
    cases=lambda: [
        (torch.tensor([-1.203973, -0.4, -2.5]),),
        (-torch.rand(20, generator=torch.Generator().manual_seed(0)) * 4,),
    ],
    task="Turn the log-probabilities of all tokens of a text, in nats, into its perplexity.",
    hints=("Mean loss in nats first; then `math.exp`.",),
)
def perplexity(log_probs):
    """Perplexity of a text from its log-probabilities (T,) in nats: a float >= 1.

    perplexity(tensor([-1.203973])) -> 3.333333
    """
    return math.exp(-float(log_probs.mean()))


@perplexity.wrong("2 to the power of nats mixes two units. Nats go with e, bits with 2.")
def base_2(log_probs):
    return 2 ** -float(log_probs.mean())


@perplexity.wrong(
    "You use the sum, so a longer text looks worse. Perplexity is per token: the mean."
)
def sum_for_mean(log_probs):
    return math.exp(-float(log_probs.sum()))


@perplexity.wrong(
    "That is below 1: the minus is missing. It is the geometric mean "
    "of the probabilities, and perplexity is one over it."
)
def sign(log_probs):
    return math.exp(float(log_probs.mean()))


@perplexity.wrong("That is the mean loss in nats. Perplexity is its exponential.")
def no_exponential(log_probs):
    return -float(log_probs.mean())


@perplexity.wrong(
    "You average 1 / p over tokens. Average the logarithms first, then exponentiate."
)
def mean_of_inverses(log_probs):
    return float((-log_probs).exp().mean())


EXERCISES = (count_bigrams, to_probabilities, log_likelihood, perplexity)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 01, Guessing the next token."""

import numpy as np
import torch

from . import Exercise, Wrong, checker


def _table(n, seed):
    return np.random.default_rng(seed).integers(0, 9, (n, n))


count_bigrams = Exercise(
    name="count_bigrams",
    title="Count what follows what",
    task="Count how often each letter of `alphabet` is followed by each other one in "
    "`text`. All letters of the text are in the alphabet.",
    difficulty=2,
    importance=4,
    minutes=8,
    stub='''
def count_bigrams(text, alphabet):
    """Counts (V, V), integers: row = a letter, column = the letter after it.

    count_bigrams("abb", "ab") -> array([[0, 1], [0, 1]])
    """
    ...
''',
    solution='''
def count_bigrams(text, alphabet):
    """Counts (V, V), integers: row = a letter, column = the letter after it."""
    counts = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for this, following in zip(text, text[1:]):
        counts[alphabet.index(this), alphabet.index(following)] += 1
    return counts
''',
    wrong=(
        Wrong(
            "transposed",
            "def count_bigrams(text, alphabet):\n"
            "    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)\n"
            "    for a, b in zip(text, text[1:]):\n"
            "        c[alphabet.index(b), alphabet.index(a)] += 1\n    return c",
            "Rows and columns are exchanged: the row is the letter that comes first.",
        ),
        Wrong(
            "only whether",
            "def count_bigrams(text, alphabet):\n"
            "    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)\n"
            "    for a, b in zip(text, text[1:]):\n"
            "        c[alphabet.index(a), alphabet.index(b)] = 1\n    return c",
            "You note that a pair occurs, not how often: += 1, not = 1.",
        ),
        Wrong(
            "pairs that do not overlap",
            "def count_bigrams(text, alphabet):\n"
            "    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)\n"
            "    for a, b in zip(text[::2], text[1::2]):\n"
            "        c[alphabet.index(a), alphabet.index(b)] += 1\n    return c",
            "You count every second pair. Pairs overlap: 'abb' has ab and bb.",
        ),
        Wrong(
            "two apart",
            "def count_bigrams(text, alphabet):\n"
            "    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)\n"
            "    for a, b in zip(text, text[2:]):\n"
            "        c[alphabet.index(a), alphabet.index(b)] += 1\n    return c",
            "Your pairs are two letters apart: text[1:], not text[2:].",
        ),
    ),
    cases=lambda: [("abracadabra", "abcdr"), ("aabbbab", "ab"), ("ca", "abc")],
    hints=(
        "`zip(text, text[1:])` gives each letter with the one after it.",
        "`alphabet.index(letter)` is the row or column of a letter.",
    ),
)

to_probabilities = Exercise(
    name="to_probabilities",
    title="Counts become probabilities",
    task="Add `smoothing` to every count, then divide each row by its sum.",
    difficulty=1,
    importance=4,
    minutes=6,
    stub='''
def to_probabilities(counts, smoothing):
    """Rows that sum to 1. counts: (V, V) integers, smoothing > 0. -> (V, V) floats

    to_probabilities(array([[0, 2], [1, 1]]), 1) -> array([[.25, .75], [.5, .5]])
    """
    ...
''',
    solution='''
def to_probabilities(counts, smoothing):
    """Rows that sum to 1. counts: (V, V) integers, smoothing > 0. -> (V, V) floats"""
    smoothed = counts + smoothing
    return smoothed / smoothed.sum(axis=1, keepdims=True)
''',
    wrong=(
        Wrong(
            "no smoothing",
            "def to_probabilities(counts, smoothing):\n"
            "    return counts / counts.sum(axis=1, keepdims=True)",
            "The smoothing is missing: a pair that was never seen gets probability 0.",
        ),
        Wrong(
            "columns",
            "def to_probabilities(counts, smoothing):\n    s = counts + smoothing\n"
            "    return s / s.sum(axis=0, keepdims=True)",
            "Your columns sum to 1. A row holds what may follow one letter: axis=1.",
        ),
        Wrong(
            "keepdims forgotten",
            "def to_probabilities(counts, smoothing):\n    s = counts + smoothing\n"
            "    return s / s.sum(axis=1)",
            "Without keepdims=True the sums lie flat and divide column by column. "
            "No error, wrong numbers: the classic.",
        ),
        Wrong(
            "whole table",
            "def to_probabilities(counts, smoothing):\n    s = counts + smoothing\n"
            "    return s / s.sum()",
            "The whole table sums to 1 now; each row should, by itself.",
        ),
        Wrong(
            "smoothing after",
            "def to_probabilities(counts, smoothing):\n"
            "    return counts / counts.sum(axis=1, keepdims=True) + smoothing",
            "You add the smoothing after dividing; the rows no longer sum to 1.",
        ),
    ),
    cases=lambda: [(_table(4, 0) + np.eye(4, dtype=int), 1), (_table(6, 1) + 1, 0.5)],
    hints=("`keepdims=True` keeps the sums as a column, (V, 1).",),
)

log_likelihood = Exercise(
    name="log_likelihood",
    title="The log-likelihood of a text",
    task="Given the ids of a text and a table of probabilities, return the sum of the "
    "logarithms of all transitions, in nats. The first id is given, not predicted.",
    difficulty=2,
    importance=5,
    minutes=8,
    stub='''
def log_likelihood(ids, probs):
    """Sum of log P(next | this) over a text, in nats: a float, <= 0.

    ids: (T,) integers. probs: (V, V), row = this, column = next.
    """
    ...
''',
    solution='''
def log_likelihood(ids, probs):
    """Sum of log P(next | this) over a text, in nats: a float, <= 0."""
    return float(np.log(probs[ids[:-1], ids[1:]]).sum())
''',
    wrong=(
        Wrong(
            "the sign",
            "def log_likelihood(ids, probs):\n"
            "    return float(-np.log(probs[ids[:-1], ids[1:]]).sum())",
            "That is its negative, the loss. A log-likelihood is at most 0.",
        ),
        Wrong(
            "mean",
            "def log_likelihood(ids, probs):\n"
            "    return float(np.log(probs[ids[:-1], ids[1:]]).mean())",
            "That is the mean per transition. L1 in the paper is the sum.",
        ),
        Wrong(
            "bits",
            "def log_likelihood(ids, probs):\n"
            "    return float(np.log2(probs[ids[:-1], ids[1:]]).sum())",
            "That is in bits (log2). Nats use the natural logarithm.",
        ),
        Wrong(
            "transposed",
            "def log_likelihood(ids, probs):\n"
            "    return float(np.log(probs[ids[1:], ids[:-1]]).sum())",
            "You look up P(this | next): row and column are exchanged.",
        ),
        Wrong(
            "predicts itself",
            "def log_likelihood(ids, probs):\n    return float(np.log(probs[ids, ids]).sum())",
            "Off by one: you ask how well each token predicts itself. "
            "Targets are shifted by one.",
        ),
        Wrong(
            "log of the product",
            "def log_likelihood(ids, probs):\n"
            "    with np.errstate(divide='ignore'):\n"
            "        return float(np.log(np.prod(probs[ids[:-1], ids[1:]])))",
            "On a long text the product of probabilities underflows to 0, and its "
            "logarithm is -inf. Add logarithms instead.",
        ),
    ),
    cases=lambda: [_walk(5, 9, 0), _walk(7, 30, 1), _walk(6, 2000, 2)],
    hints=(
        "`probs[rows, columns]` with two id arrays looks up all pairs at once.",
        "This: `ids[:-1]`. Next: `ids[1:]`.",
    ),
)


def _walk(n, length, seed):
    rng = np.random.default_rng(seed)
    table = rng.random((n, n)) + 0.1
    return rng.integers(0, n, length), table / table.sum(axis=1, keepdims=True)


perplexity = Exercise(
    name="perplexity",
    title="Perplexity",
    task="Turn the log-probabilities of all tokens of a text, in nats, into its perplexity.",
    difficulty=1,
    importance=5,
    minutes=5,
    stub='''
def perplexity(log_probs):
    """Perplexity of a text from its log-probabilities (T,) in nats: a float >= 1.

    perplexity(tensor([-1.203973])) -> 3.333333
    """
    ...
''',
    solution='''
def perplexity(log_probs):
    """Perplexity of a text from its log-probabilities (T,) in nats: a float >= 1."""
    return math.exp(-float(log_probs.mean()))
''',
    wrong=(
        Wrong(
            "base 2",
            "def perplexity(log_probs):\n    return 2 ** -float(log_probs.mean())",
            "2 to the power of nats mixes two units. Nats go with e, bits with 2.",
        ),
        Wrong(
            "sum",
            "def perplexity(log_probs):\n    return math.exp(-float(log_probs.sum()))",
            "You use the sum, so a longer text looks worse. Perplexity is per token: the mean.",
        ),
        Wrong(
            "sign",
            "def perplexity(log_probs):\n    return math.exp(float(log_probs.mean()))",
            "That is below 1: the minus is missing. It is the geometric mean "
            "of the probabilities, and perplexity is one over it.",
        ),
        Wrong(
            "no exponential",
            "def perplexity(log_probs):\n    return -float(log_probs.mean())",
            "That is the mean loss in nats. Perplexity is its exponential.",
        ),
        Wrong(
            "mean of inverses",
            "def perplexity(log_probs):\n    return float((-log_probs).exp().mean())",
            "You average 1 / p over tokens. Average the logarithms first, then exponentiate.",
        ),
    ),
    cases=lambda: [
        (torch.tensor([-1.203973, -0.4, -2.5]),),
        (-torch.rand(20, generator=torch.Generator().manual_seed(0)) * 4,),
    ],
    hints=("Mean loss in nats first; then `math.exp`.",),
    tolerance=1e-4,
)

EXERCISES = (count_bigrams, to_probabilities, log_likelihood, perplexity)
check = checker(EXERCISES)

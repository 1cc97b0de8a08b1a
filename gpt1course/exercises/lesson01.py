"""Lesson 01, Guessing the next token."""

import math
from itertools import pairwise

import numpy as np
import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _table(n, seed):
    return np.random.default_rng(seed).integers(0, 9, (n, n))


@exercise(
    "Count what follows what",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [
        ("abb", "ab"),
        ("abracadabra", "abcdr"),
        ("aabbbab", "ab"),
        ("ca", "abc"),
        ("a cab  a", " abc"),
        ("ab" * 300, "ab"),  # more of a pair than eight bits can count
        (" abba ", "b a"),  # an alphabet that is not sorted, and spaces at both ends
        ("aAab", "aAb"),
        ("a", "ab"),
    ],
    task=(
        "Count how often each letter of `alphabet` is followed by each letter (itself "
        "included) in `text`. All letters of the text are in the alphabet."
    ),
    hints=(
        "`zip(text, text[1:])` gives each letter with the one after it.",
        "`alphabet.index(letter)` is the row or column of a letter. "
        "`np.zeros((V, V), dtype=int)` is a table of whole numbers, all 0.",
    ),
)
def count_bigrams(text, alphabet):
    """Counts (V, V) for V letters, integers: row = a letter, column = the one after it.

    Rows and columns are in the order of alphabet; capitals and spaces are letters, too.
    count_bigrams("abb", "ab") -> array([[0, 1], [0, 1]])
    """
    counts = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for this, following in zip(text, text[1:]):
        counts[alphabet.index(this), alphabet.index(following)] += 1
    return counts


@count_bigrams.wrong("Rows and columns are swapped: the row is the letter that comes first.")
def rows_and_columns_exchanged(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text, text[1:]):
        c[alphabet.index(b), alphabet.index(a)] += 1
    return c


@count_bigrams.wrong(
    "You note that a pair occurs, not how often. Perhaps you wrote = 1 in place of += 1. Or "
    "you index with whole arrays, where numpy's += adds only once per cell, while np.add.at "
    "adds each time."
)
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


@count_bigrams.wrong(
    "The counts are right, but they are floats: np.zeros makes floats. You need "
    "integers: np.zeros((V, V), dtype=int)."
)
def floats(text, alphabet):
    return count_bigrams(text, alphabet).astype(float)


@count_bigrams.wrong("The last pair is missing: n letters make n - 1 pairs.")
def the_last_pair_is_missing(text, alphabet):
    return count_bigrams(text[:-1], alphabet)


@count_bigrams.wrong(
    "You count one pair too many: the last letter followed by the first. text[i - 1] at "
    "i = 0 is text[-1], the last letter."
)
def around_the_end(text, alphabet):
    return count_bigrams(text + text[0], alphabet)


@count_bigrams.wrong(
    "Take a letter's place in the alphabet that is given: alphabet.index(letter)."
)
def places_in_another_alphabet(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(text, text[1:]):
        c[ord(a) - ord("a"), ord(b) - ord("a")] += 1
    return c


@count_bigrams.wrong("The space is a letter like any other here: leave it in the text.")
def without_spaces(text, alphabet):
    kept = text.replace(" ", "")
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for a, b in zip(kept, kept[1:]):
        c[alphabet.index(a), alphabet.index(b)] += 1
    return c


@count_bigrams.wrong(
    "All rows are the same row: [[0] * V] * V has one list V times. Use np.zeros."
)
def one_row_for_all(text, alphabet):
    c = np.zeros(len(alphabet), dtype=int)
    for b in text[1:]:
        c[alphabet.index(b)] += 1
    return np.array([c] * len(alphabet))


@count_bigrams.wrong("Your loop ends after the first pair: is the return indented too far?")
def only_the_first_pair(text, alphabet):
    return count_bigrams(text[:2], alphabet)


@count_bigrams.wrong(
    "text.count(pair) skips overlaps: it finds bb once in bbb, where bb occurs twice."
)
def overlaps_left_out(text, alphabet):
    return np.array([[text.count(a + b) for b in alphabet] for a in alphabet])


@count_bigrams.wrong("You count each pair in both directions; ab is not ba.")
def both_ways_round(text, alphabet):
    c = count_bigrams(text, alphabet)
    return c + c.T


@count_bigrams.wrong("Your table starts at 1 everywhere. Start at 0; smoothing comes later.")
def from_one(text, alphabet):
    return count_bigrams(text, alphabet) + 1


@count_bigrams.wrong("You sort the alphabet. Rows and columns are in the order that is given.")
def alphabet_sorted(text, alphabet):
    return count_bigrams(text, "".join(sorted(alphabet)))


@count_bigrams.wrong("A and a are two letters: leave the text as it is.")
def lower_case(text, alphabet):
    return count_bigrams(text.lower(), alphabet)


@count_bigrams.wrong(
    "You cut spaces off the ends of the text. A space is a letter like any other."
)
def spaces_cut_off(text, alphabet):
    return count_bigrams(text.strip(), alphabet)


@count_bigrams.wrong("A letter may follow itself: count aa and bb, too.")
def equal_letters_skipped(text, alphabet):
    c = count_bigrams(text, alphabet)
    np.fill_diagonal(c, 0)
    return c


@count_bigrams.wrong(
    "You count one pair too many, the last letter followed by the first (text[i - 1] at i = 0 "
    "is text[-1]), and np.zeros makes floats: add dtype=int."
)
def around_the_end_in_floats(text, alphabet):
    return count_bigrams(text + text[0], alphabet).astype(float)


@count_bigrams.wrong(
    "An index runs past the end. The last letter has no text[i + 1], so stop one earlier: "
    "range(len(text) - 1)."
)
def an_index_too_far(text, alphabet):
    c = np.zeros((len(alphabet), len(alphabet)), dtype=int)
    for i in range(len(text)):
        c[alphabet.index(text[i]), alphabet.index(text[i + 1])] += 1
    return c


@exercise(
    "Counts become probabilities",
    difficulty=1,
    importance=4,
    minutes=6,
    cases=lambda: [
        (np.array([[0, 2], [1, 1]]), 1),
        (_table(4, 0) + np.eye(4, dtype=int), 1),
        (_table(6, 1) + 1, 0.5),
        (_table(3, 2), 2),
        (np.zeros((2, 2), dtype=int), 0.1),
    ],
    task="Add `smoothing` to every count, then divide each row by its sum.",
    hints=(
        "`table.sum(axis=1)` adds up each row. It gives V numbers of shape (V,).",
        "`keepdims=True` keeps the sums as a column, (V, 1), so that each row is divided "
        "by its own.",
    ),
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
    "Your columns sum to 1. A row contains what may follow one letter: axis=1."
)
def columns(counts, smoothing):
    s = counts + smoothing
    return s / s.sum(axis=0, keepdims=True)


@to_probabilities.wrong(
    "Without keepdims=True the sums have shape (V,) and divide column by column. "
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


@to_probabilities.wrong("You add 1 whatever `smoothing` is.")
def always_one(counts, smoothing):
    return to_probabilities(counts, 1)


@to_probabilities.wrong(
    "You divide by the sums of the bare counts. Add the smoothing first, then take the sums."
)
def sums_of_bare_counts(counts, smoothing):
    return (counts + smoothing) / counts.sum(axis=1, keepdims=True)


@to_probabilities.wrong(
    "The smoothing is in the sums once. Each of the V counts in a row gets it, so a row's "
    "sum grows by V times as much."
)
def once_in_the_sum(counts, smoothing):
    return (counts + smoothing) / (counts.sum(axis=1, keepdims=True) + smoothing)


@to_probabilities.wrong("Every count gets the smoothing, not only those that are 0.")
def only_zeros_smoothed(counts, smoothing):
    s = np.where(counts == 0, smoothing, counts)
    return s / s.sum(axis=1, keepdims=True)


@to_probabilities.wrong("Shares of counts are asked for; a softmax takes exponentials first.")
def a_softmax(counts, smoothing):
    s = np.exp(counts + smoothing)
    return s / s.sum(axis=1, keepdims=True)


@to_probabilities.wrong(
    "An array of whole numbers cuts each share that you write into it down to 0. Divide the "
    "whole table at once, or begin with counts.astype(float)."
)
def written_into_whole_numbers(counts, smoothing):
    return to_probabilities(counts, smoothing).astype(int)


@to_probabilities.wrong(
    "An array of whole numbers drops the decimals of each share that you write into it. "
    "Counts plus a whole smoothing are such an array, so divide the whole table at once."
)
def written_into_whole_sums(counts, smoothing):
    smoothed = counts + smoothing
    return to_probabilities(counts, smoothing).astype(smoothed.dtype)


@to_probabilities.wrong("Add the smoothing, and let each row sum to 1, not the whole table.")
def whole_table_and_no_smoothing(counts, smoothing):
    return counts / counts.sum()


@exercise(
    "The log-likelihood of a text",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        _walk(5, 9, 0),
        _walk(7, 30, 1),
        _walk(6, 2000, 2),
        (np.array([1, 0, 1, 1]), np.array([[1.0, 0.0], [0.5, 0.5]])),  # a probability of 0
        (np.array([1]), np.array([[0.25, 0.75], [0.5, 0.5]])),
    ],
    task=(
        "Given the ids of a text and a table of probabilities, add up the natural "
        "logarithm of every id's probability, given the id before it. The first id is not "
        "predicted."
    ),
    hints=(
        "`probs[rows, columns]` with two id arrays looks up all pairs at once.",
        "The ids before each step are `ids[:-1]`, and the ids after it are `ids[1:]`.",
    ),
)
def log_likelihood(ids, probs):
    """Sum of ln P(next | this) over a text: a float, <= 0.

    ids: (T,) integers. probs: (V, V), row = this, column = next. -inf if a pair has P = 0.
    """
    return float(np.log(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("The first prediction is missing: ids[1] is predicted from ids[0].")
def without_the_first_prediction(ids, probs):
    return float(np.log(probs[ids[1:-1], ids[2:]]).sum())


@log_likelihood.wrong("That is the loss. A log-likelihood is at most 0: leave out the minus.")
def the_sign(ids, probs):
    return float(-np.log(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("That is the mean over the predictions. A log-likelihood is their sum.")
def mean(ids, probs):
    return float(np.log(probs[ids[:-1], ids[1:]]).mean())


@log_likelihood.wrong("That is in bits (log2). Nats use the natural logarithm.")
def bits(ids, probs):
    return float(np.log2(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("That is with log10. Nats use the natural logarithm, np.log.")
def log_to_base_10(ids, probs):
    return float(np.log10(probs[ids[:-1], ids[1:]]).sum())


@log_likelihood.wrong("The last prediction is missing: T ids make T - 1 of them.")
def the_last_is_missing(ids, probs):
    return float(np.log(probs[ids[:-2], ids[1:-1]]).sum())


@log_likelihood.wrong(
    "You count one prediction too many, of the first id from the last. ids[i - 1] at "
    "i = 0 is ids[-1], the last."
)
def around_the_end_of_ids(ids, probs):
    return float(np.log(probs[np.roll(ids, 1), ids]).sum())


@log_likelihood.wrong(
    "You return after the first prediction. Is `return` indented so that it's in the loop?"
)
def returns_in_the_loop(ids, probs):
    for this, following in pairwise(ids):
        return float(np.log(probs[this, following]))


@log_likelihood.wrong("You return the last logarithm alone. Add to the total: total += ...")
def keeps_the_last_alone(ids, probs):
    total = 0.0
    for this, following in pairwise(ids):
        total = float(np.log(probs[this, following]))
    return total


@log_likelihood.wrong("You score the first id too. It is given, not predicted.")
def the_first_scored_too(ids, probs):
    return log_likelihood(ids, probs) - math.log(len(probs))


@log_likelihood.wrong("That is the product of the probabilities; add their logarithms.")
def the_product(ids, probs):
    return float(np.prod(probs[ids[:-1], ids[1:]]))


@log_likelihood.wrong("You add the probabilities; add their logarithms.")
def sum_of_probabilities(ids, probs):
    return float(probs[ids[:-1], ids[1:]].sum())


@log_likelihood.wrong("Logarithm and sum are swapped: take each logarithm, then add.")
def log_of_the_sum(ids, probs):
    return float(np.log(probs[ids[:-1], ids[1:]].sum()))


@log_likelihood.wrong("You return a logarithm for each prediction. Add them up, with .sum().")
def not_added_up(ids, probs):
    return np.log(probs[ids[:-1], ids[1:]])


@log_likelihood.wrong(
    "probs[ids[:-1]][:, ids[1:]] is a whole table, each row with each column. Pairs are "
    "probs[ids[:-1], ids[1:]]."
)
def a_whole_table(ids, probs):
    return float(np.log(probs[ids[:-1]][:, ids[1:]]).sum())


@log_likelihood.wrong(
    "probs[a][b] takes rows, and then rows of these rows. Pairs are probs[ids[:-1], ids[1:]]."
)
def rows_of_rows(ids, probs):
    return float(np.log(probs[ids[:-1]][ids[1:]]).sum())


@log_likelihood.wrong(
    "probs[ids] takes the whole row of each id, with all that might have come. Take one number "
    "of each row: probs[ids[:-1], ids[1:]]."
)
def whole_rows(ids, probs):
    return float(np.log(probs[ids]).sum())


@log_likelihood.wrong("Your pairs are two tokens apart: ids[:-1] goes with ids[1:].")
def ids_two_apart(ids, probs):
    return float(np.log(probs[ids[:-2], ids[2:]]).sum())


@log_likelihood.wrong("You look up P(this | next): row and column are swapped.")
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


@log_likelihood.wrong(
    "You add a little to each probability. The log of 0 is -inf, and so is the sum."
)
def a_little_added(ids, probs):
    return float(np.log(probs[ids[:-1], ids[1:]] + 1e-8).sum())


@log_likelihood.wrong(
    "You leave out what has probability 0. A text with such a step is impossible: -inf."
)
def zeros_skipped(ids, probs):
    chosen = probs[ids[:-1], ids[1:]]
    return float(np.log(chosen[chosen > 0]).sum())


@log_likelihood.wrong(
    "math.log(0) is an error. np.log(0) is -inf, which is what a step of probability 0 costs."
)
def an_error_at_0(ids, probs):
    return sum(math.log(probs[a, b]) for a, b in zip(ids, ids[1:]))


def _walk(n, length, seed):
    rng = np.random.default_rng(seed)
    table = rng.random((n, n)) + 0.1
    return rng.integers(0, n, length), table / table.sum(axis=1, keepdims=True)


@exercise(
    "Perplexity",
    difficulty=1,
    importance=5,
    minutes=5,
    cases=lambda: [
        (torch.tensor([-1.203973]),),
        (torch.tensor([-1.203973, -0.4, -2.5]),),
        (-torch.rand(20, generator=torch.Generator().manual_seed(0)) * 4,),
        (-4 - torch.rand(200, generator=torch.Generator().manual_seed(1)),),
        (torch.tensor([-1.0, -math.inf]),),  # a token of probability 0
    ],
    task="Turn the log-probabilities of all tokens of a text, in nats, into its perplexity.",
    hints=(
        "First compute the mean loss in nats, and then take `math.exp` of it.",
        "`log_probs.mean()` is a tensor with one number; `float(...)` takes it out.",
    ),
)
def perplexity(log_probs):
    """Perplexity of a text from its log-probabilities (T,) in nats: a float >= 1.

    A token with log-probability -inf makes it infinite. Not rounded.
    perplexity(tensor([-1.203973])) -> 3.333333
    """
    return math.exp(-float(log_probs.mean()))


@perplexity.wrong(
    "Right but for a token of probability 0, where 1 / 0 is an error: math.exp of the mean "
    "loss is infinite, as it should be."
)
def one_over_the_geometric_mean(log_probs):
    return 1 / math.exp(float(log_probs.mean()))


@perplexity.wrong("You leave out the first. All of these are predictions.")
def without_the_first(log_probs):
    return math.exp(-float(log_probs[1:].mean()))


@perplexity.wrong("You turn nats into bits, and then take e to that power: e goes with nats.")
def e_to_the_power_of_bits(log_probs):
    return math.exp(-float(log_probs.mean()) / math.log(2))


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


@perplexity.wrong(
    "On 200 tokens the product of probabilities underflows to 0, as in section 4. Take the "
    "mean of the logarithms, then one exponential."
)
def one_over_the_product(log_probs):
    return float(1 / log_probs.exp().prod() ** (1 / len(log_probs)))


@perplexity.wrong(
    "On 200 tokens the product of probabilities underflows to 0, and 1 / 0 fails. Take the "
    "mean of the logarithms, then one exponential."
)
def one_over_pythons_product(log_probs):
    return 1 / math.prod(log_probs.exp().tolist()) ** (1 / len(log_probs))


@perplexity.wrong(
    "That is 1 over the arithmetic mean of the probabilities. Average the logarithms first, "
    "then exponentiate: a single very unlikely token must weigh heavily."
)
def one_over_the_mean_probability(log_probs):
    return float(1 / log_probs.exp().mean())


@perplexity.wrong("Divide by all of them, not by one less: each is a prediction.")
def divides_by_one_less(log_probs):
    total = float(log_probs.sum())
    return math.exp(-total / (len(log_probs) - 1))


@perplexity.wrong("That is the median. Take the mean, to which every token adds.")
def the_median(log_probs):
    return math.exp(-float(log_probs.median()))


@perplexity.wrong("10 to the power of nats mixes two units. Nats go with e.")
def base_10(log_probs):
    return 10 ** -float(log_probs.mean())


@perplexity.wrong(
    "You leave out tokens of probability 0. Each of them makes the perplexity infinite."
)
def impossible_tokens_left_out(log_probs):
    return math.exp(-float(log_probs[log_probs > -math.inf].mean()))


@perplexity.wrong("You round the perplexity. Return it as it is.")
def rounded(log_probs):
    return round(math.exp(-float(log_probs.mean())), 3)


@number_exercise(
    "Bits and perplexity by hand",
    question=(
        "Two tokens came, and a model had given them the probabilities {p} and {q}. How many "
        "bits per token is that, and what is the perplexity?"
    ),
    difficulty=1,
    importance=5,
    minutes=4,
    first=(0.25, 0.5),
    draw=lambda random: (random.randint(2, 95) / 100, random.randint(2, 95) / 100),
    decimals=2,
    hints=(
        "A probability of 1/2 is one bit of surprise, and 1/4 is two bits. The bits per token "
        "are the mean.",
        "The perplexity is 2 to that many bits, or e to as many nats.",
    ),
    worked=lambda p, q: (
        f"The two surprises are -log2 {p} = {-math.log2(p):.3f} and -log2 {q} = "
        f"{-math.log2(q):.3f} bits, and their mean is {-math.log2(p * q) / 2:.3f} bits. The "
        f"perplexity is 2 to the power of this mean, {1 / math.sqrt(p * q):.3f}."
    ),
)
def bits_and_perplexity(p, q):
    """Mean surprise in bits, and the perplexity."""
    bits = -math.log2(p * q) / 2
    return bits, 2**bits


@bits_and_perplexity.wrong("The first number is in nats. For bits, divide by the ln of 2.")
def nats_and_perplexity(p, q):
    nats = -math.log(p * q) / 2
    return nats, math.exp(nats)


@bits_and_perplexity.wrong("With bits, the perplexity is 2 to the bits; e goes with nats.")
def e_to_the_bits(p, q):
    bits = -math.log2(p * q) / 2
    return bits, math.exp(bits)


@bits_and_perplexity.wrong("The bits are right; the perplexity is 2 to the bits.")
def two_to_the_nats(p, q):
    nats = -math.log(p * q) / 2
    return nats / math.log(2), 2**nats


@bits_and_perplexity.wrong("Those are nats, and 2 to the nats. Take log2, then 2 to the bits.")
def all_of_it_in_nats(p, q):
    nats = -math.log(p * q) / 2
    return nats, 2**nats


@bits_and_perplexity.wrong(
    "Those are the surprises of the two tokens. Per token is their mean, one number; the "
    "second number asked for is the perplexity."
)
def a_surprise_for_each(p, q):
    return -math.log2(p), -math.log2(q)


@bits_and_perplexity.wrong(
    "Those are of both tokens together. Per token, halve the bits first."
)
def of_both_together(p, q):
    return -math.log2(p * q), 1 / (p * q)


@bits_and_perplexity.wrong(
    "You took the mean of the probabilities. The surprises are averaged, so the "
    "probabilities are multiplied."
)
def of_the_mean_probability(p, q):
    mean = (p + q) / 2
    return -math.log2(mean), 1 / mean


@bits_and_perplexity.wrong("The sign: a surprise is minus the logarithm, and not below 0.")
def log_probabilities(p, q):
    bits = math.log2(p * q) / 2
    return bits, 2**bits


@bits_and_perplexity.wrong("Swapped: the bits come first, then the perplexity.")
def exchanged(p, q):
    bits = -math.log2(p * q) / 2
    return 2**bits, bits


@bits_and_perplexity.wrong(
    "The perplexity is right. The bits are those of both tokens: halve them."
)
def bits_of_both(p, q):
    return -math.log2(p * q), (p * q) ** -0.5


@bits_and_perplexity.wrong("The sign of the bits: a surprise is minus the logarithm.")
def negative_bits(p, q):
    return math.log2(p * q) / 2, (p * q) ** -0.5


@number_exercise(
    "From tokens to characters",
    question=(
        "A text of {characters:,} characters is cut into {tokens:,} tokens, and a model has a "
        "perplexity of {each} per token on it. How many bits per character is that?"
    ),
    difficulty=2,
    importance=4,
    minutes=5,
    first=(4_300, 1_000, 18.4),
    draw=lambda random: (
        100 * random.randint(30, 90),
        10 * random.randint(60, 200),
        random.randint(50, 900) / 10,
    ),
    decimals=2,
    hints=(
        "How many bits is one token? The perplexity is 2 to that many.",
        "All tokens together give the bits of the text, and its characters share them.",
    ),
    worked=lambda characters, tokens, each: (
        f"A token brings log2 {each} = {math.log2(each):.3f} bits, so all {tokens:,} bring "
        f"{tokens * math.log2(each):,.0f} bits. Shared among {characters:,} characters, that "
        f"is {tokens * math.log2(each) / characters:.3f} bits per character."
    ),
)
def bits_of_a_character(characters, tokens, each):
    """Bits per character of a text with this perplexity per token."""
    return tokens * math.log2(each) / characters


@bits_of_a_character.wrong("Those are nats per character. For bits, divide by the ln of 2.")
def nats_of_a_character(characters, tokens, each):
    return tokens * math.log(each) / characters


@bits_of_a_character.wrong(
    "Those are nats per token. Divide by the ln of 2 for bits, and share the bits of all "
    "tokens among the characters."
)
def nats_of_a_token(characters, tokens, each):
    return math.log(each)


@bits_of_a_character.wrong("Those are bits per token. A token is several characters.")
def bits_of_a_token(characters, tokens, each):
    return math.log2(each)


@bits_of_a_character.wrong(
    "The wrong way around: the bits of all tokens are divided among the characters."
)
def times_the_characters(characters, tokens, each):
    return characters * math.log2(each) / tokens


@bits_of_a_character.wrong("A perplexity is not a loss yet: take its logarithm first.")
def perplexity_shared_out(characters, tokens, each):
    return tokens * each / characters


@bits_of_a_character.wrong("Those are all the bits of the text. Divide by its characters.")
def bits_of_the_text(characters, tokens, each):
    return tokens * math.log2(each)


@bits_of_a_character.wrong("Upside down: those are characters per bit.")
def characters_of_a_bit(characters, tokens, each):
    return characters / (tokens * math.log2(each))


EXERCISES = (
    count_bigrams,
    to_probabilities,
    log_likelihood,
    perplexity,
    bits_and_perplexity,
    bits_of_a_character,
)
check = Checker(EXERCISES)
mine = check.mine

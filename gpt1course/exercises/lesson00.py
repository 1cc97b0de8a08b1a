"""Lesson 00, Start here: two small exercises to meet the checks."""

from ..checking.exercise import Checker, exercise


def _word_cases():
    return [
        (["sea", "whale", "tea"], [0.2, 0.7, 0.1]),
        (["man", "lady", "king", "child"], [0.1, 0.25, 0.4, 0.25]),
        (["yes", "no", "perhaps"], [0.4, 0.4, 0.2]),
        (["an", "the"], [0.5, 0.5]),
        (["once", "upon"], [0.9, 0.1]),
        (["so", "sea", "so"], [0.1, 0.4, 0.5]),  # a word twice
        (["so", "sea", "so"], [0.5, 0.4, 0.1]),
        (["so", "sea", "tea"], [0.33331, 0.33334, 0.33335]),  # five decimals
        (["so", "sea", "so", "a", "to"], [0.15, 0.2, 0.15, 0.1, 0.4]),
        (["so", "sea", "so"], [0.3, 0.4, 0.3]),  # together they would be ahead
    ]


@exercise(
    "The most likely word",
    difficulty=1,
    importance=3,
    minutes=5,
    cases=_word_cases,
    task=(
        "You get a list of words and a list of their probabilities. Return the word with the "
        "highest probability. If two words are equally likely, return the first of them."
    ),
    hints=(
        "`max(probs)` finds the highest probability, and `probs.index(p)` finds the first "
        "position of `p`.",
        "When you know the position, `words[position]` is the answer.",
    ),
)
def most_likely(words, probs):
    """The word with the highest probability; the first of them if several tie.

    Only equal numbers tie, however close two others are. Equal words are not added up.
    words: list of n strings, of which some may be equal; probs: list of n floats.
    most_likely(["sea", "whale", "tea"], [0.2, 0.7, 0.1]) -> "whale"
    """
    return words[probs.index(max(probs))]


@most_likely.wrong("You index with a probability. probs.index(...) turns it into a position.")
def the_probability_as_a_position(words, probs):
    return words[max(probs)]


@most_likely.wrong(
    "You return the highest probability. Return the word that has it: "
    "use the position of that probability to pick from words."
)
def returns_the_probability(words, probs):
    return max(probs)


@most_likely.wrong("You return a position. One step is missing: pick the word at it.")
def returns_the_position(words, probs):
    return probs.index(max(probs))


@most_likely.wrong(
    "Right, except for a tie: you return the last of the equal ones; return the first."
)
def the_last_of_equals(words, probs):
    return max(zip(probs, range(len(words)), words))[2]


@most_likely.wrong(
    "Right, except for a tie: Python compares pairs of equal probability by their word, in "
    "alphabetical order. Return the one that comes first in the list."
)
def ties_by_the_alphabet(words, probs):
    return max(zip(probs, words))[1]


@most_likely.wrong("Your search never looks at word 0. Start it there.")
def word_0_is_left_out(words, probs):
    return words[probs.index(max(probs[1:]), 1)]


@most_likely.wrong("max(words) compares the words by the alphabet; the probabilities decide.")
def last_in_the_alphabet(words, probs):
    return max(words)


@most_likely.wrong("That is the longest word; the probabilities decide.")
def the_longest(words, probs):
    return max(words, key=len)


@most_likely.wrong("You return a list with the word in it. Return the word itself.")
def a_list_of_one(words, probs):
    return [words[probs.index(max(probs))]]


@most_likely.wrong("That is the least likely word: max, not min.")
def least_likely(words, probs):
    return words[probs.index(min(probs))]


@most_likely.wrong(
    "words.index(word) finds the first place of a word, and a word may come twice. Go through "
    "the places, not through the words."
)
def the_first_place_of_a_word(words, probs):
    return max(words, key=lambda word: probs[words.index(word)])


@most_likely.wrong(
    "A dict keeps one probability for each word, and a word may come twice. Go through the "
    "places, not through the words."
)
def a_dict_of_words(words, probs):
    by_word = dict(zip(words, probs))
    return max(by_word, key=lambda word: by_word[word])


@most_likely.wrong(
    "You round the probabilities, which makes different ones tie. Compare them as they are."
)
def rounded_first(words, probs):
    shown = [round(p, 2) for p in probs]
    return words[shown.index(max(shown))]


@most_likely.wrong(
    "You round the probabilities, which makes different ones tie. Compare them as they are."
)
def rounded_first_to_three(words, probs):
    shown = [round(p, 3) for p in probs]
    return words[shown.index(max(shown))]


@most_likely.wrong(
    "You add up the probabilities of equal words. Each place counts by itself here: return the "
    "word at the place with the highest probability."
)
def equal_words_added_up(words, probs):
    sums = {word: 0.0 for word in words}
    for word, p in zip(words, probs):
        sums[word] += p
    return max(sums, key=sums.__getitem__)


def _share_cases():
    return [
        ([0.1, 0.5, 0.15, 0.25], 1),
        ([0.1, 0.5, 0.15, 0.25], 2),
        ([0.05, 0.35, 0.1, 0.05, 0.4, 0.05], 3),
        ([0.25, 0.25, 0.25, 0.25], 2),
        ([0.6, 0.4], 5),
        ([0.12345, 0.45655, 0.42], 1),  # five decimals
    ]


@exercise(
    "How much probability do the top k tokens share?",
    difficulty=1,
    importance=3,
    minutes=5,
    cases=_share_cases,
    task=(
        "Return the sum of the `k` largest probabilities. If there are fewer than `k` "
        "tokens, return the sum of all."
    ),
    hints=(
        "`sorted(probs, reverse=True)` puts the largest first.",
        "The slice `[:k]` takes the first k of a list, and it also works if there are fewer.",
    ),
)
def share_of_top(probs, k):
    """The sum of the k largest probabilities (of all, if there are fewer than k), not rounded.

    probs: list of n floats in any order. k: at least 1.
    share_of_top([0.1, 0.5, 0.15, 0.25], 2) -> 0.75
    """
    return sum(sorted(probs, reverse=True)[:k])


@share_of_top.wrong(
    "You add the first k as they come. Sort them first, because the tokens are in "
    "the order of the vocabulary, not of their probability."
)
def first_k(probs, k):
    return sum(probs[:k])


@share_of_top.wrong("sorted() puts the smallest first, so you add the k smallest.")
def smallest_k(probs, k):
    return sum(sorted(probs)[:k])


@share_of_top.wrong("That is the k-th largest alone; add the ones before it.")
def the_k_th_alone(probs, k):
    return sorted(probs, reverse=True)[min(k, len(probs)) - 1]


@share_of_top.wrong(
    "That is the largest alone. Add the k largest; if you add them in a loop, is the return "
    "indented too far?"
)
def the_largest_alone(probs, k):
    return max(probs)


@share_of_top.wrong("You return the mean of the k largest. Return their sum.")
def mean(probs, k):
    top = sorted(probs, reverse=True)[:k]
    return sum(top) / len(top)


@share_of_top.wrong("You divide by k, which makes it a mean. Return the sum.")
def divided_by_k(probs, k):
    return sum(sorted(probs, reverse=True)[:k]) / k


@share_of_top.wrong("You return the k largest as a list; sum it.")
def the_list(probs, k):
    return sorted(probs, reverse=True)[:k]


@share_of_top.wrong("One too few: a slice [:k] has k numbers, at positions 0 to k - 1.")
def one_too_few(probs, k):
    return sum(sorted(probs, reverse=True)[: k - 1])


@share_of_top.wrong("One too many: a slice [:k] has k numbers, at positions 0 to k - 1.")
def one_too_many(probs, k):
    return sum(sorted(probs, reverse=True)[: k + 1])


@share_of_top.wrong(
    "A set keeps equal values once. Two tokens with the same probability are two tokens."
)
def equal_values_once(probs, k):
    return sum(sorted(set(probs), reverse=True)[:k])


@share_of_top.wrong("You return percent. Return the plain sum, at most 1.")
def percent(probs, k):
    return 100 * sum(sorted(probs, reverse=True)[:k])


@share_of_top.wrong("There may be fewer than k tokens: sum what there is.")
def fewer_than_k_fail(probs, k):
    largest = sorted(probs, reverse=True)
    return sum(largest[i] for i in range(k))


@share_of_top.wrong("You round the sum. Return it as it is.")
def rounded(probs, k):
    return round(sum(sorted(probs, reverse=True)[:k]), 2)


@share_of_top.wrong("You round the sum. Return it as it is.")
def rounded_to_three(probs, k):
    return round(sum(sorted(probs, reverse=True)[:k]), 3)


@share_of_top.wrong("That is the largest one k times. Add the k largest.")
def k_times_the_largest(probs, k):
    return k * max(probs)


EXERCISES = (most_likely, share_of_top)
check = Checker(EXERCISES)
mine = check.mine

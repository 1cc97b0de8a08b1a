"""Lesson 00, Start here: two small exercises to meet the checks."""

from . import Exercise, Wrong, checker


def _word_cases():
    return [
        (["sea", "whale", "tea"], [0.2, 0.7, 0.1]),
        (["man", "lady", "king", "child"], [0.1, 0.25, 0.4, 0.25]),
        (["yes", "no", "perhaps"], [0.4, 0.4, 0.2]),
    ]


most_likely = Exercise(
    name="most_likely",
    title="The most likely word",
    task="Given words and their probabilities, return the word with the highest one. "
    "If two are equally likely, return the one that comes first.",
    difficulty=1,
    importance=3,
    minutes=5,
    stub='''
def most_likely(words, probs):
    """The word with the highest probability; the first of them if several tie.

    words: list of n strings; probs: list of n floats.
    most_likely(["sea", "whale", "tea"], [0.2, 0.7, 0.1]) -> "whale"
    """
    ...
''',
    solution='''
def most_likely(words, probs):
    """The word with the highest probability; the first of them if several tie."""
    return words[probs.index(max(probs))]
''',
    wrong=(
        Wrong(
            "returns the probability",
            "def most_likely(words, probs):\n    return max(probs)",
            "You return the highest probability. Asked for is the word that has it: "
            "use the position of that probability to pick from words.",
        ),
        Wrong(
            "returns the position",
            "def most_likely(words, probs):\n    return probs.index(max(probs))",
            "You return a position. One step is missing: pick the word at it.",
        ),
        Wrong(
            "the last of equals",
            "def most_likely(words, probs):\n"
            "    return max(zip(probs, range(len(words)), words))[2]",
            "Right, but for a tie, where you return the last of the equals, "
            "and the first is wanted.",
        ),
        Wrong(
            "first in the alphabet",
            "def most_likely(words, probs):\n    return max(words)",
            "max(words) compares the words by the alphabet; the probabilities decide.",
        ),
        Wrong(
            "least likely",
            "def most_likely(words, probs):\n    return words[probs.index(min(probs))]",
            "That is the least likely word: max, not min.",
        ),
    ),
    cases=_word_cases,
    hints=(
        "`max(probs)` finds the highest probability, `probs.index(p)` the first "
        "position of `p`.",
        "With the position in hand, `words[position]` is the answer.",
    ),
)


def _share_cases():
    return [
        ([0.1, 0.5, 0.15, 0.25], 1),
        ([0.1, 0.5, 0.15, 0.25], 2),
        ([0.05, 0.3, 0.2, 0.05, 0.4], 3),
        ([0.6, 0.4], 5),
    ]


share_of_top = Exercise(
    name="share_of_top",
    title="How much the likeliest hold",
    task="How sure is a model? One measure: how much probability its `k` likeliest "
    "tokens hold together. Return that sum. `k` may exceed the number of tokens.",
    difficulty=1,
    importance=3,
    minutes=5,
    stub='''
def share_of_top(probs, k):
    """The sum of the k largest probabilities (of all, if there are fewer than k).

    probs: list of n floats in any order.
    share_of_top([0.1, 0.5, 0.15, 0.25], 2) -> 0.75
    """
    ...
''',
    solution='''
def share_of_top(probs, k):
    """The sum of the k largest probabilities (of all, if there are fewer than k)."""
    return sum(sorted(probs, reverse=True)[:k])
''',
    wrong=(
        Wrong(
            "first k",
            "def share_of_top(probs, k):\n    return sum(probs[:k])",
            "You add the first k as they come. Sort them first: the tokens stand in "
            "the order of the vocabulary, not of likelihood.",
        ),
        Wrong(
            "smallest k",
            "def share_of_top(probs, k):\n    return sum(sorted(probs)[:k])",
            "sorted() puts the smallest first, so you add the k smallest.",
        ),
        Wrong(
            "the k-th alone",
            "def share_of_top(probs, k):\n"
            "    return sorted(probs, reverse=True)[min(k, len(probs)) - 1]",
            "That is the k-th largest alone; add the ones before it.",
        ),
        Wrong(
            "mean",
            "def share_of_top(probs, k):\n"
            "    top = sorted(probs, reverse=True)[:k]\n    return sum(top) / len(top)",
            "You return the mean of the k largest; asked for is their sum.",
        ),
    ),
    cases=_share_cases,
    hints=(
        "`sorted(probs, reverse=True)` has the largest first.",
        "A slice `[:k]` is content with a list shorter than k.",
    ),
)

EXERCISES = (most_likely, share_of_top)
check = checker(EXERCISES)

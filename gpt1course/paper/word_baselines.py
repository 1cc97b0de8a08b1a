"""Baselines that only read words: of one text alone, how many are shared, pairs of them.

A set whose labels can be had from one side alone is flawed. Each is a logistic regression,
`bag_of_words.guesses`.
"""

import itertools
import re
from typing import Any, cast

import numpy as np

from gpt1lib.baselines.bag_of_words import Texts, WordFeatures, guesses, words
from gpt1lib.tasks import Task


class OverlapFeatures(WordFeatures):
    """How far two texts share their words."""

    def __call__(self, texts: Texts) -> list:
        one, two = (set(re.findall(r"[a-z']+", text.lower())) for text in texts)
        shared = len(one & two)
        return [
            shared / max(1, len(one | two)),  # share of all words
            shared / max(1, len(two)),  # share of the second text's words
            (len(one) - len(two)) / 10,  # how much longer the first is
            float(one == two),
        ]

    def vectorizer(self) -> Any:
        """The numbers as they are."""
        from sklearn.preprocessing import FunctionTransformer

        return FunctionTransformer(lambda rows: np.array([self(texts) for texts in rows]))


class PairFeatures(WordFeatures):
    """Pairs of words, one of each text, in any order: "he mrs".

    What decides some sets of two texts is in neither alone: a bag of words has no feature
    for "mrs" here and "he" there, and this is the least that has.
    """

    def __call__(self, texts: Texts) -> list:
        sides = ({*re.findall(r"[a-z']+", text.lower())} for text in texts)
        return [" ".join(sorted(pair)) for pair in itertools.product(*sides)]

    def vectorizer(self) -> Any:
        """Whether a pair occurs; seen once: only noise."""
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(analyzer=cast(Any, self.__call__), binary=True, min_df=2)


class FirstWordFeatures(WordFeatures):
    """What a bag of words sees, and which word comes first."""

    def __call__(self, texts: Texts) -> list:
        return super().__call__(texts) + [f"first {word}" for word in words(texts[0])[:1]]


OVERLAP, PAIRS, FIRST_WORD = OverlapFeatures(), PairFeatures(), FirstWordFeatures()


def baselines(kind: str) -> dict[str, dict]:
    """name -> options of `guesses`, of every baseline that a kind of task has."""
    by_name: dict[str, dict] = {"bag of words": {}}
    if kind == "choice":
        by_name["endings alone"] = {"side": 1}
    elif kind != "classification":
        by_name["first text alone"] = {"side": 0}
        by_name["second text alone"] = {"side": 1}
    if kind != "classification":
        by_name["word overlap"] = {"features": OVERLAP}
    return by_name


def all_guesses(task: Task) -> dict[str, list[int]]:
    """The guesses of every baseline that a kind of task has.

    Raises ValueError for a graded task: these baselines guess classes.
    """
    if task.graded:
        raise ValueError(f"{task.name} has grades; these baselines guess classes")
    return {name: guesses(task, **options) for name, options in baselines(task.kind).items()}

"""What a task yields without a language model: scores that fine-tuning has to beat.

Each is a logistic regression on something simple: the words of the texts, the words of
one side alone (a set whose labels can be had from there is flawed), or how many words
the texts share. Majority, always the largest class, is what metrics.accuracy reports.

scikit-learn takes a second to load; whoever only asks for names need not wait for it.
"""

import itertools
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import validate
from ..tasks import Example, Task

Texts = tuple[str, ...]


ENGLISH, ANY = "[a-z']", r"(?:[^\W\d_]|')"
"""The letters of a word: of the course's sets, and of any alphabet."""


def words(text: str, letter: str = ENGLISH) -> list[str]:
    """Lower-cased words, and pairs of neighbors."""
    single = re.findall(rf"{letter}+|[.,!?;-]", text.lower())
    return single + [f"{a} {b}" for a, b in zip(single, single[1:], strict=False)]


def of_words(texts: Texts, letter: str = ENGLISH) -> list[str]:
    """Each word with the number of its text: all that a bag of words sees."""
    return [f"{i} {w}" for i, text in enumerate(texts) for w in words(text, letter)]


def of_any_words(texts: Texts) -> list[str]:
    """The same in any alphabet, for sets of one's own."""
    return of_words(texts, ANY)


def of_overlap(texts: Texts) -> list[float]:
    """How far two texts share their words."""
    one, two = (set(re.findall(r"[a-z']+", text.lower())) for text in texts)
    shared = len(one & two)
    return [
        shared / max(1, len(one | two)),  # share of all words
        shared / max(1, len(two)),  # share of the second text's words
        (len(one) - len(two)) / 10,  # how much longer the first is
        float(one == two),
    ]


def of_pairs(texts: Texts) -> list[str]:
    """Pairs of words, one of each text, in any order: "he mrs".

    What decides some sets of two texts is in neither alone: a bag of words has no feature
    for "mrs" here and "he" there, and this is the least that has.
    """
    sides = ({*re.findall(r"[a-z']+", text.lower())} for text in texts)
    return [" ".join(sorted(pair)) for pair in itertools.product(*sides)]


def vectorizer(features: Callable) -> Any:
    """Tuples of texts to a matrix, a row per tuple; words are weighted by rarity (TF-IDF)."""
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    from sklearn.preprocessing import FunctionTransformer

    words: Any = features  # a function is welcome; scikit-learn's types do not say so
    if features is of_pairs:
        return CountVectorizer(analyzer=words, binary=True, min_df=2)
    if features in (of_words, of_any_words):
        # ln(N / df) + 1, rows of length 1; seen once: only noise
        return TfidfVectorizer(analyzer=words, min_df=2, smooth_idf=False)
    return FunctionTransformer(lambda rows: np.array([features(texts) for texts in rows]))


def feature_sets(task: Task, example: Example, side: int | None) -> list[Texts]:
    """The texts that make a set of features, one per choice; side: only this one of a pair."""
    first, *rest = example.texts
    if task.kind == "choice":
        return [(choice,) if side else (first, choice) for choice in rest]
    return [example.texts if side is None else (example.texts[side],)]


def guesses(
    task: Task, features: Callable = of_words, side: int | None = None, limit: int | None = None
) -> list[int]:
    """What logistic regression says on task.test after learning from task.train.

    The weights' penalty is |w|^2 / 2 beside the sum of the losses, with a row of weights
    per class. ValueError where the labels learned from are all the same.
    """
    limit = None if limit is None else validate.check_int("limit", limit, 1)
    learned, reader = task.train[:limit], vectorizer(features)
    X = reader.fit_transform([x for e in learned for x in feature_sets(task, e, side)])
    asked = reader.transform([x for e in task.test for x in feature_sets(task, e, side)])
    labels = np.array([e.label for e in learned])
    if task.kind == "choice":
        return _choices(X, labels, asked, task.n_classes)
    # of two classes scikit-learn keeps one row, the difference: half of the penalty
    C = 2.0 if task.n_classes == 2 else 1.0
    return _regression(C=C).fit(X, labels).predict(asked).tolist()


def _choices(X, labels: np.ndarray, asked, n_choices: int) -> list[int]:
    """The choice with the highest score w x, learned from right choices minus wrong ones.

    Of two choices that is the softmax over their scores; of more it compares by pairs.
    """
    rows = np.arange(X.shape[0]).reshape(-1, n_choices)
    is_right = np.arange(n_choices) == labels[:, None]
    right, wrong = np.repeat(rows[is_right], n_choices - 1), rows[~is_right]
    turned = np.arange(len(right)) % 2  # every second pair: the fit needs both outcomes
    differences = X[np.where(turned, wrong, right)] - X[np.where(turned, right, wrong)]
    model = _regression(fit_intercept=False).fit(differences, 1 - turned)
    return (asked @ model.coef_[0]).reshape(-1, n_choices).argmax(axis=1).tolist()


def _regression(**options) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(**options, tol=1e-8, max_iter=1000)


def readers(kind: str) -> dict[str, dict]:
    """name -> options of `guesses`, of every baseline that a kind of task has."""
    by_name: dict[str, dict] = {"bag of words": {}}
    if kind == "choice":
        by_name["endings alone"] = {"side": 1}
    elif kind != "classification":
        by_name["first text alone"] = {"side": 0}
        by_name["second text alone"] = {"side": 1}
    if kind != "classification":
        by_name["word overlap"] = {"features": of_overlap}
    return by_name


def all_guesses(task: Task) -> dict[str, list[int]]:
    """The guesses of every baseline that a kind of task has; not for graded tasks."""
    if task.graded:
        raise ValueError(f"{task.name} has grades; these baselines guess classes")
    return {name: guesses(task, **options) for name, options in readers(task.kind).items()}

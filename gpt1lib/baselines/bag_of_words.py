"""A baseline without a language model: logistic regression on the words of the texts.

Majority, always the largest class, is what metrics.accuracy reports. scikit-learn takes a
second to load; it is imported where it is used.
"""

import re
from typing import Any, cast

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


class WordFeatures:
    """Each word with the number of its text: all that a bag of words sees."""

    def __init__(self, letter: str = ENGLISH):
        self.letter = letter

    def __call__(self, texts: Texts) -> list:
        return [f"{i} {w}" for i, text in enumerate(texts) for w in words(text, self.letter)]

    def vectorizer(self) -> Any:
        """scikit-learn's transformer of tuples of texts to rows: words by rarity (TF-IDF)."""
        from sklearn.feature_extraction.text import TfidfVectorizer

        # ln(N / df) + 1, rows of length 1; seen once: only noise
        return TfidfVectorizer(analyzer=cast(Any, self.__call__), min_df=2, smooth_idf=False)


WORDS, ANY_WORDS = WordFeatures(), WordFeatures(ANY)
"""Words of the course's sets, and words in any alphabet, for sets of one's own."""


def feature_sets(task: Task, example: Example, side: int | None) -> list[Texts]:
    """The texts that make a set of features, one per choice; side: only this one of a pair."""
    first, *rest = example.texts
    pairs = [(first, choice) for choice in rest] if task.kind == "choice" else [example.texts]
    return [pair if side is None else (pair[side],) for pair in pairs]


def guesses(
    task: Task,
    features: WordFeatures = WORDS,
    side: int | None = None,
    limit: int | None = None,
) -> list[int]:
    """Labels that logistic regression predicts on task.test after learning from task.train.

    side: use only this text of a pair. limit: learn from this many examples only. The weights'
    penalty is |w|^2 / 2 beside the sum of the losses, with a row of weights per class. Raises
    ValueError where the training labels are all the same, except for choices.
    """
    limit = None if limit is None else validate.check_int("limit", limit, 1)
    train, vectorizer = task.train[:limit], features.vectorizer()
    X = vectorizer.fit_transform([x for e in train for x in feature_sets(task, e, side)])
    X_test = vectorizer.transform([x for e in task.test for x in feature_sets(task, e, side)])
    labels = np.array([e.label for e in train])
    if task.kind == "choice":
        return _choices(X, labels, X_test, task.n_classes)
    # of two classes scikit-learn keeps one row, the difference: half of the penalty
    C = 2.0 if task.n_classes == 2 else 1.0
    return _regression(C=C).fit(X, labels).predict(X_test).tolist()


def _choices(X, labels: np.ndarray, X_test, n_choices: int) -> list[int]:
    """The choice with the highest score w x, learned from right choices minus wrong ones.

    Of two choices that is the softmax over their scores; of more it compares by pairs.
    """
    rows = np.arange(X.shape[0]).reshape(-1, n_choices)
    is_right = np.arange(n_choices) == labels[:, None]
    right, wrong = np.repeat(rows[is_right], n_choices - 1), rows[~is_right]
    turned = np.arange(len(right)) % 2  # every second pair: the fit needs both outcomes
    differences = X[np.where(turned, wrong, right)] - X[np.where(turned, right, wrong)]
    model = _regression(fit_intercept=False).fit(differences, 1 - turned)
    return (X_test @ model.coef_[0]).reshape(-1, n_choices).argmax(axis=1).tolist()


def _regression(**options) -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(**options, tol=1e-8, max_iter=1000)

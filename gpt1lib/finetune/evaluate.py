"""Scores of a task's predictions: accuracy, the task's own metric, group by group."""

from collections import Counter
from dataclasses import replace
from importlib.util import find_spec

from .. import metrics
from ..baselines import bag_of_words
from ..tasks import Example, Task
from .data import graded_target

MAX_EXAMPLES = 20_000
"""A bag of words learns from that many within seconds."""

MIN_VALID = 30
"""Validation examples to choose by: with fewer, an interval is wider than most differences."""

METRICS = {"matthews": metrics.matthews, "f1": metrics.f1}
"""The scores that a task may have beside accuracy; a graded one has Pearson's correlation."""


def check_metric(task: Task) -> None:
    """Raise ValueError where the task's own metric needs a package that is not installed."""
    package = "scipy" if task.graded else "scikit-learn" if task.metric != "accuracy" else ""
    if package and find_spec(package.replace("scikit-learn", "sklearn")) is None:
        raise ValueError(
            f"{task.name} is scored with {package}, which is not installed. In the course's "
            "folder: python -m pip install -e '.[baselines]'"
        )


def scores(task: Task, probs: list[list[float]], examples: list[Example]) -> dict:
    """Accuracy with interval, the task's own metric, and the accuracy of each group.

    probs: of the classes, one list per example. A graded task is scored by the expected grade
    (Pearson), and by the likeliest grade. Raises ValueError for what are not probabilities.
    """
    for n, row in enumerate(probs, start=1):
        if len(row) != task.n_classes or not all(0 <= p <= 1 for p in row):
            raise ValueError(f"prediction {n} is {row}, not {task.n_classes} probabilities")
    guesses = metrics.argmax(probs)
    if task.graded:
        gold = [e.label for e in examples]
        expected = [sum(grade * p for grade, p in enumerate(row)) for row in probs]
        targets = [graded_target(grade, task.n_classes) for grade in gold]
        result = metrics.accuracy(guesses, metrics.argmax(targets))
        return result | {"pearson": metrics.pearson(expected, gold)}
    labels, largest = [int(e.label) for e in examples], majority_class(task)
    result = metrics.accuracy(guesses, labels, largest)
    if task.metric != "accuracy":
        result[task.metric] = METRICS[task.metric](guesses, labels)
    groups: dict[str, list[int]] = {}  # group -> the places of its examples
    for i, example in enumerate(examples):
        groups.setdefault(example.group, []).append(i)
    if len(groups) > 1:
        result["groups"] = {
            g: metrics.accuracy([guesses[i] for i in at], [labels[i] for i in at], largest)
            for g, at in sorted(groups.items())
        }
    return result


def majority_class(task: Task) -> int | None:
    """The largest class of the training set; None where there is no training set."""
    sizes = Counter(int(e.label) for e in task.train)
    return min(sizes, key=lambda label: (-sizes[label], label)) if sizes else None


def bag_of_words_scores(task: Task, train: list[Example], split: str) -> dict:
    """What logistic regression on the words alone reaches on a split, after the same examples.

    Empty where there is no such baseline: for grades, for a set so large that it would be
    slow, where hardly a word occurs twice, and without scikit-learn (the extra `baselines`).
    """
    if find_spec("sklearn") is None:
        return {}
    if task.graded or len(train) > MAX_EXAMPLES or len({e.label for e in train}) < 2:
        return {}
    examples = task.split(split)
    by_words = replace(task, train=train, test=examples)
    try:
        guesses = bag_of_words.guesses(by_words, bag_of_words.ANY_WORDS)
    except ValueError:  # no words are left to learn from
        return {}
    return metrics.accuracy(guesses, [int(e.label) for e in examples], majority_class(task))


def class_sizes(task: Task) -> str:
    """A line for each class: its examples in the three splits."""
    splits = {name: [e.label for e in task.split(name)] for name in ("train", "valid", "test")}
    return "\n".join(
        f"class {name}: " + ", ".join(f"{x.count(i)} {split}" for split, x in splits.items())
        for i, name in enumerate(task.classes)
    )


def why_not_choose(task: Task) -> str:
    """Why a validation set is too poor to choose by, in a sentence; empty if it is not."""
    labels = {e.label for e in task.valid}
    if task.valid and len(labels) == 1:
        return f"All {len(task.valid)} validation examples have one label"
    if (n := len(task.valid)) < MIN_VALID:
        return f"{n} validation example{'s' * (n != 1)} are too few, {MIN_VALID} are a start"
    return ""

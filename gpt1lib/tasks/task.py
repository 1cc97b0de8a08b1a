"""A labeled task in one form: examples in three splits, whatever files they come from."""

import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .. import validate
from ..io import checksums, files, paths

TASK_KINDS = ("classification", "entailment", "similarity", "choice")
"""Figure 1's four ways to make sequences of an example."""
NLI = ("entailment", "contradiction", "neutral")


def check_kind(kind: str, n_classes: int) -> None:
    """Raise ValueError unless the kind is one of TASK_KINDS and has at least two classes."""
    if kind not in TASK_KINDS:
        raise ValueError(f"kind {kind!r} is unknown, there are {TASK_KINDS}")
    validate.check_int("n_classes", n_classes, 2)


@dataclass(frozen=True)
class Example:
    """One labeled example: a text, a pair, or a context with choices.

    label: a class, or a grade from 0 to 5. group: a part of the set that is scored separately.
    """

    texts: tuple[str, ...]  # (text,), (a, b), or (context, choice 1, choice 2, ...)
    label: int | float
    group: str = ""
    question: str = ""  # of choices: it ends the context, which makes room for it

    def __post_init__(self):
        for text in (*self.texts, self.question):
            if not isinstance(text, str):
                raise ValueError(f"a text is {text!r}, it must be a string")


@dataclass(frozen=True)
class Task:
    """A task with its three splits.

    kind: one of TASK_KINDS. classes: their names. metric: the score beside accuracy.
    graded: labels are grades from 0 to 5, as in STS-B.
    """

    name: str
    kind: str
    n_classes: int
    train: list[Example]
    valid: list[Example]
    test: list[Example]
    classes: tuple[str, ...] = ()
    metric: str = "accuracy"
    graded: bool = False

    def __post_init__(self):
        check_kind(self.kind, self.n_classes)
        if len(self.classes) not in (0, self.n_classes):
            raise ValueError(f"classes are {self.classes}, n_classes is {self.n_classes}")
        known = ("accuracy", "pearson") if self.graded else ("accuracy", "matthews", "f1")
        if self.metric not in known:
            raise ValueError(f"metric is {self.metric!r}, it must be one of {known}")

    def split(self, name: str) -> list[Example]:
        """The examples of train, valid or test."""
        splits = {"train": self.train, "valid": self.valid, "test": self.test}
        if name not in splits:
            raise ValueError(f"split {name!r} is unknown, there are {tuple(splits)}")
        return splits[name]


def read_lines(path: Path, needed: tuple[str, ...]) -> list[dict]:
    """The objects of a JSON-lines file. Raises ValueError that names the line that is wrong."""
    paths.check_there(path)
    if not path.is_file():
        ours = "; it comes with the course in data/" if path.is_relative_to(paths.DATA) else ""
        raise FileNotFoundError(f"{path} is missing{ours}")
    checksums.verify_shipped(path)
    rows = []
    for n, line in enumerate(files.read_text(path).rstrip("\n").split("\n"), start=1):
        row = files.parse_json(line, f"{path}, line {n}")
        if missing := [k for k in needed if k not in row]:
            raise ValueError(f"{path}, line {n}: no field {', '.join(missing)}")
        rows.append(row)
    return rows


def split_of(key: str) -> str:
    """train, valid or test (8 : 1 : 1) by a checksum of the key, so it never moves."""
    place = zlib.crc32(key.encode()) % 10
    return {8: "valid", 9: "test"}.get(place, "train")


Splits = tuple[list[Example], list[Example], list[Example]]  # train, valid, test


def by_split(examples: Iterable[tuple[str, Example]]) -> Splits:
    """Pairs (split, example) to three lists."""
    lists: dict[str, list[Example]] = {"train": [], "valid": [], "test": []}
    for split, example in examples:
        lists[split].append(example)
    return lists["train"], lists["valid"], lists["test"]


def sort_out(examples: Iterable[tuple[str, Example]]) -> Splits:
    """Pairs (split, example) to three lists with nothing in common.

    Some verses appear word for word in two books of the Bible: what is in test is dropped
    from the others, and what is in valid from train.
    """
    train, valid, test = by_split(examples)
    tested = {e.texts for e in test}
    valid = [e for e in valid if e.texts not in tested]
    seen = tested | {e.texts for e in valid}
    return [e for e in train if e.texts not in seen], valid, test


def no_longer_than(examples: list[Example], n_words: int | None) -> list[Example]:
    """The examples of at most n_words words, all texts together; all for None."""
    if n_words is None:
        return examples
    return [e for e in examples if sum(len(t.split()) for t in e.texts) <= n_words]

"""The labeled sets that come with the course, read into one form.

Small sets for learning; results on them are not benchmark results. See data/README.md.
published.py reads the paper's own sets where a user has them.
"""

import json
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .paths import TASKS

KINDS = ("classification", "entailment", "similarity", "choice")
"""Figure 1's four ways to make sequences of an example."""
NLI = ("entailment", "contradiction", "neutral")


@dataclass(frozen=True)
class Example:
    """One labeled example: a text, a pair, or a context with choices.

    label: a class, or a grade from 0 to 5. group: a part of the set to be scored apart.
    """

    texts: tuple[str, ...]  # (text,), (a, b), or (context, choice 1, choice 2, ...)
    label: int | float
    group: str = ""


@dataclass(frozen=True)
class Task:
    """A task with its three splits.

    kind: one of KINDS. classes: their names. metric: the score beside accuracy.
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
        if self.kind not in KINDS:
            raise ValueError(f"kind {self.kind!r} is unknown, there are {KINDS}")
        if self.n_classes < 2:
            raise ValueError(f"n_classes is {self.n_classes}, it must be >= 2")


def read_lines(path: Path, needed: tuple[str, ...]) -> list[dict]:
    """The objects of a JSON-lines file; ValueError names the line that is wrong."""
    if not path.is_file():
        raise FileNotFoundError(f"{path} is missing; it comes with the course in data/")
    rows = []
    for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise ValueError(f"{path}, line {n}: no JSON ({error.msg})") from error
        missing = [k for k in needed if not isinstance(row, dict) or k not in row]
        if missing:
            raise ValueError(f"{path}, line {n}: no field {', '.join(missing)}")
        rows.append(row)
    if not rows:
        raise ValueError(f"{path} is empty")
    return rows


def split_of(key: str) -> str:
    """train, valid or test (8 : 1 : 1) by a checksum of the key, so it never moves."""
    place = zlib.crc32(key.encode()) % 10
    return {8: "valid", 9: "test"}.get(place, "train")


def sort_out(examples: Iterable[tuple[str, Example]]) -> dict[str, list[Example]]:
    """Pairs (split, example) to three lists with nothing in common.

    Some verses stand word for word in two books of the Bible: what test has is dropped
    from the others, and what valid has from train.
    """
    splits = {"train": [], "valid": [], "test": []}
    for split, example in examples:
        splits[split].append(example)
    seen = set()
    for name in ("test", "valid", "train"):
        kept = [e for e in splits[name] if e.texts not in seen]
        seen |= {e.texts for e in kept}
        splits[name] = kept
    return splits


def no_longer_than(examples: list[Example], n_words: int | None) -> list[Example]:
    """The examples of at most n_words words, all texts together; all for None."""
    if n_words is None:
        return examples
    return [e for e in examples if sum(len(t.split()) for t in e.texts) <= n_words]


def film_snippets(path: Path = TASKS / "film_snippets.jsonl") -> Task:
    """Is a critic's sentence positive? Ratings below 0.5 in size are left out."""
    rows = read_lines(path, ("id", "score", "text"))
    splits = sort_out(
        (split_of(row["text"]), Example((row["text"],), int(row["score"] > 0)))
        for row in rows
        if abs(row["score"]) >= 0.5
    )
    return Task(
        "film_snippets", "classification", 2, **splits, classes=("negative", "positive")
    )


def entailment_set(path: Path = TASKS / "entailment.jsonl") -> Task:
    """Does the first sentence entail the second? Synthetic: tools/make_entailment.py.

    The test set has three parts: as in training, with new words, and by a new rule.
    """
    rows = read_lines(path, ("premise", "hypothesis", "label", "rule", "split"))
    splits = {"train": [], "valid": [], "test": []}
    for row in rows:
        example = Example(
            (row["premise"], row["hypothesis"]), NLI.index(row["label"]), row["split"]
        )
        splits[row["split"].split(",")[0]].append(example)
    return Task("entailment", "entailment", 3, **splits, classes=NLI)


def verse_pairs(path: Path = TASKS / "verse_pairs.jsonl") -> Task:
    """Do two sentences render the same verse? Split by whole book of the Bible."""
    rows = read_lines(path, ("a", "b", "label", "ref_a"))
    splits = sort_out(
        (split_of(row["ref_a"].rsplit(" ", 1)[0]), Example((row["a"], row["b"]), row["label"]))
        for row in rows
    )
    return Task("verse_pairs", "similarity", 2, **splits, classes=("different", "same"))


def story_cloze(path: Path = TASKS / "story_cloze.jsonl") -> Task:
    """Which sentence goes on with the story? tools/make_story_cloze.py.

    Neighboring stories share sentences, so each split is a part of each book.
    """
    rows = read_lines(path, ("story", "choices", "label", "split"))
    splits = sort_out(
        (row["split"], Example((row["story"], *row["choices"]), row["label"])) for row in rows
    )
    return Task("story_cloze", "choice", 2, **splits, classes=("first", "second"))


def acceptability(path: Path = TASKS / "acceptability.jsonl") -> Task:
    """Is this a sentence, or was it broken? tools/make_acceptability.py."""
    rows = read_lines(path, ("text", "label", "split"))
    splits = sort_out((r["split"], Example((r["text"],), r["label"])) for r in rows)
    return Task(
        "acceptability",
        "classification",
        2,
        **splits,
        metric="matthews",
        classes=("broken", "whole"),
    )


TASKS_BY_NAME: dict[str, Callable[[], Task]] = {
    "film_snippets": film_snippets,
    "entailment": entailment_set,
    "verse_pairs": verse_pairs,
    "story_cloze": story_cloze,
    "acceptability": acceptability,
}


def load(name: str, folder: str | Path | None = None) -> Task:
    """A task of the course by name, or a published one from the folder that holds it.

    ValueError lists the known ones.
    """
    if folder is not None:
        from . import published

        return published.load(name, Path(folder))
    if name not in TASKS_BY_NAME:
        raise ValueError(f"no task {name!r}, there are {', '.join(TASKS_BY_NAME)}")
    return TASKS_BY_NAME[name]()

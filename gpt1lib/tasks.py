"""The labeled sets that come with the course, read into one form.

Small sets for learning; results on them are not benchmark results. See data/README.md.
"""

import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .paths import TASKS


@dataclass(frozen=True)
class Example:
    """One labeled example: a text, a pair, or a context with choices."""

    texts: tuple[str, ...]  # (text,), (a, b), or (context, choice 1, choice 2, ...)
    label: int


@dataclass(frozen=True)
class Task:
    """A task with its three splits. kind: classification, similarity, choice."""

    name: str
    kind: str
    n_classes: int
    train: list[Example]
    valid: list[Example]
    test: list[Example]


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


def apart(splits: dict[str, list[Example]]) -> dict[str, list[Example]]:
    """Drop from train what valid or test has, and from valid what test has.

    Some verses stand word for word in two books of the Bible.
    """
    seen = set()
    for name in ("test", "valid", "train"):
        kept = [e for e in splits[name] if e.texts not in seen]
        seen |= {e.texts for e in kept}
        splits[name] = kept
    return splits


def film_snippets(path: Path = TASKS / "film_snippets.jsonl") -> Task:
    """Is a critic's sentence positive? Ratings below 0.5 in size are left out."""
    splits = {"train": [], "valid": [], "test": []}
    for row in read_lines(path, ("id", "score", "text")):
        if abs(row["score"]) >= 0.5:
            example = Example((row["text"],), int(row["score"] > 0))
            splits[split_of(row["text"])].append(example)  # some texts occur twice
    return Task("film_snippets", "classification", 2, **apart(splits))


def verse_pairs(path: Path = TASKS / "verse_pairs.jsonl") -> Task:
    """Do two sentences render the same verse? Split by whole book of the Bible."""
    splits = {"train": [], "valid": [], "test": []}
    for row in read_lines(path, ("a", "b", "label", "ref_a")):
        book = row["ref_a"].rsplit(" ", 1)[0]
        splits[split_of(book)].append(Example((row["a"], row["b"]), row["label"]))
    return Task("verse_pairs", "similarity", 2, **apart(splits))


def story_cloze(path: Path = TASKS / "story_cloze.jsonl") -> Task:
    """Which sentence goes on with the story? Two choices."""
    splits = {"train": [], "valid": [], "test": []}
    for row in read_lines(path, ("story", "choices", "label")):
        example = Example((row["story"], *row["choices"]), row["label"])
        splits[split_of(row["story"])].append(example)
    return Task("story_cloze", "choice", 2, **apart(splits))


TASKS_BY_NAME: dict[str, Callable[[], Task]] = {
    "film_snippets": film_snippets,
    "verse_pairs": verse_pairs,
    "story_cloze": story_cloze,
}


def load(name: str) -> Task:
    """A task by name; ValueError lists the known ones."""
    if name not in TASKS_BY_NAME:
        raise ValueError(f"no task {name!r}, there are {', '.join(TASKS_BY_NAME)}")
    return TASKS_BY_NAME[name]()

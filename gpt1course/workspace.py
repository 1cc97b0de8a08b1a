"""A learner's own copies of the lessons, in the folder `work`, which git does not know.

`update` copies what is new and never loses what a learner wrote: it goes into the new version
of the lesson, and the old copy is kept. `again` starts a lesson over.
"""

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path

from gpt1lib.io import paths
from gpt1lib.io.files import read_json, read_text, remove_unfinished, write_json, write_text

from .carry import carried

WORK = paths.ROOT / "work"  # a learner's own copies of the lessons
ADDED = ": added"  # how the message on a new copy ends


def lessons(folder: Path | None = None) -> list[Path]:
    """The notebooks of the lessons, in their order; folder: other than the course's own."""
    return sorted((folder or paths.ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb"))


def exercises(number: str) -> list:
    """The exercises of a lesson, by its number, such as 05.

    They are imported only here, because what they are made of builds on this file.
    """
    return list(import_module(f"gpt1course.exercises.lesson{number}").EXERCISES)


def shipped() -> list[Path]:
    """The notebooks of the course: the lessons, what is looked up, and what is optional."""
    folder = paths.ROOT / "notebooks"
    return sorted(folder.glob("*.ipynb")) + sorted(folder.glob("deeper/*.ipynb"))


def name_of(source: Path) -> str:
    """What a notebook of the course is called in `work`, with its folder: deeper/x.ipynb."""
    return source.relative_to(paths.ROOT / "notebooks").as_posix()


def lesson_notebook(lesson: str) -> Path:
    """The course's own notebook of a lesson; ValueError if there is none."""
    by_number = {path.name[:2]: path for path in lessons()}
    if not lesson or lesson.zfill(2) not in by_number:
        raise ValueError(f"there is no lesson {lesson!r}; there are {', '.join(by_number)}")
    return by_number[lesson.zfill(2)]


def cells_hash(notebook: Path) -> str:
    """What tells two notebooks apart: their cells without outputs; empty if unreadable."""
    try:
        cells = read_json(notebook)["cells"]
        contents = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return hashlib.sha256(json.dumps(contents).encode()).hexdigest()


def free_name(name: str, word: str, taken) -> str:
    """05_the_causal_mask_new.ipynb, or new2, new3, if those before are taken."""
    stem = name.removesuffix(".ipynb")
    names = (f"{stem}_{word}{n if n > 1 else ''}.ipynb" for n in count(1))
    return next(name for name in names if not taken(name))


def differs(path: Path, other: Path) -> bool:
    """Whether a file is there and has other contents than another."""
    return path.exists() and path.read_bytes() != other.read_bytes()


def answers_in_words(names: list[str]) -> str:
    """How many answers, as a learner reads it."""
    return f"your {len(names)} answer{'s' * (len(names) > 1)}" if names else "what you wrote"


# ---- bringing lessons -------------------------------------------------------------------


class Copies:
    """What was copied, stored in `work` beside the copies.

    written: name of a copy -> the fingerprints of all that was ever written there. seen:
    name of a lesson -> its fingerprint when it was last dealt with.
    """

    def __init__(self):
        self.file = WORK / ".copies.json"
        records = read_json(self.file) if self.file.is_file() else {}
        self.written, self.seen = records.get("written", {}), records.get("seen", {})
        lists = all(isinstance(hashes, list) for hashes in dict(self.written).values())
        if not lists or not isinstance(self.seen, dict):
            raise ValueError("its values are of another kind")

    def save(self) -> None:
        """Write the records."""
        with naming_file(self.file):
            write_json(self.file, {"written": self.written, "seen": self.seen})

    def own(self, name: str, fingerprint: str) -> None:
        """Store that a copy with this fingerprint is ours to replace."""
        if fingerprint not in self.written.get(name, []):
            self.written.setdefault(name, []).append(fingerprint)
            self.save()

    def touched(self, name: str) -> bool:
        """Whether a learner wrote into a copy; to run it is not a change."""
        copy = WORK / name
        return copy.exists() and cells_hash(copy) not in self.written.get(name, [])

    def write(self, source: Path, name: str) -> None:
        """Make a copy under a name, the record first: a stop in between costs nothing."""
        self.own(name, cells_hash(source))
        with naming_file(WORK / name):
            write_text(WORK / name, read_text(source))
        self.keep_shipped(source, name)

    def keep_shipped(self, source: Path, name: str) -> None:
        """Keep the cells of the lesson as they were copied, to know later what was written."""
        try:
            cells = [{**cell, "outputs": []} for cell in read_json(source)["cells"]]
        except (ValueError, LookupError, TypeError):
            return
        with naming_file(self.shipped_cells(name)):
            write_json(self.shipped_cells(name), {"cells": cells}, indent=None)

    def shipped_cells(self, name: str) -> Path:
        """The file with the cells of a lesson as it was copied."""
        return WORK / ".shipped" / f"{name}.json"

    def carry(self, source: Path, name: str) -> str:
        """Bring a lesson that a learner wrote into; returns a message, "" if it cannot be.

        The old copy is kept first, so that a stop in between costs nothing.
        """
        kept = self.shipped_cells(name)
        try:
            base = read_json(kept) if kept.is_file() else {"cells": []}
            new, answers, left = carried(base, read_json(WORK / name), read_json(source))
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            return ""
        old = free_name(name, "before", lambda other: differs(WORK / other, WORK / name))
        with naming_file(WORK / old):
            write_text(WORK / old, read_text(WORK / name))
        with naming_file(WORK / name):
            write_json(WORK / name, new)
        self.keep_shipped(source, name)
        told = f"{name}: the new version, with {answers_in_words(answers)}"
        told += f"; {left} other changes of yours are left out" if left else ""
        return f"{told}. Your old copy is {old}"

    def bring(self, source: Path) -> str:
        """Bring one copy up to date; returns a message for the learner, or nothing."""
        before, now = self.seen.get(name_of(source)), cells_hash(source)
        message = self._bring(source, before, now)
        if before != now:
            self.seen[name_of(source)] = now
            self.save()
        return message

    def _bring(self, source: Path, before: str | None, now: str) -> str:
        name = name_of(source)
        present, copy = (WORK / name).exists(), cells_hash(WORK / name)
        if present and copy == now:
            self.own(name, now)
        if present and now in (before, copy):
            return ""
        if self.touched(name):
            if told := self.carry(source, name):
                return told
            beside = free_name(name, "new", self.touched)
            self.write(source, beside)
            return f"{name} is yours and stays as it is; the new lesson is {beside}"
        self.write(source, name)
        return f"{name}: brought up to date" if present else f"{name}{ADDED}"


@contextmanager
def naming_file(path: Path) -> Iterator[None]:
    """Name the file in an error of the system that does not say which one it is about."""
    try:
        yield
    except OSError as error:  # a full disk, for example
        raise OSError(error.errno, error.strerror, str(error.filename or path)) from error


def stored_copies() -> Copies:
    """The records in `work`; ValueError with advice where they are damaged."""
    try:
        return Copies()
    except (ValueError, TypeError, AttributeError) as error:
        advice = "Delete it and try again: your notebooks stay as they are"
        raise ValueError(f"{WORK / '.copies.json'} is damaged. {advice} ({error})") from error


def update() -> None:
    """Copy new and changed lessons into `work` and say what was done."""
    for folder in ("", "deeper", ".shipped", ".shipped/deeper"):
        remove_unfinished(WORK / folder)
    copies = stored_copies()
    first = not copies.seen
    messages = [message for message in map(copies.bring, shipped()) if message]
    if first:
        told = [message for message in messages if not message.endswith(ADDED)]
        messages = [f"Your own copies of the lessons are in {WORK}", *told]
    print("\n".join(messages or ["Your copies of the lessons are up to date."]))


def again(number: str = "") -> str:
    """Start a lesson over; what was written is kept under another name.

    number: such as 05. Returns it with two digits. Raises ValueError if there is no such
    lesson.
    """
    source = lesson_notebook(number)
    copies, copy = stored_copies(), WORK / source.name
    if copies.touched(copy.name):
        old = free_name(copy.name, "before", lambda name: (WORK / name).exists())
        copy.rename(WORK / old)
        print(f"What you wrote is kept in {old}")
    copies.write(source, copy.name)
    print(f"{copy.name} is as it was at the start")
    return source.name[:2]

"""A learner's own copies of the lessons, in the folder `work`, which git does not know.

`update` copies what is new and never overwrites what a learner wrote: a lesson that both
have changed stays, and the new one is put beside it. `again` starts one over.
"""

import hashlib
import json
from itertools import count
from pathlib import Path

from gpt1lib.io import paths
from gpt1lib.io.files import read_json, read_text, write_json, write_text

from . import progress


def shipped(number: str = "") -> list[Path]:
    """The notebooks of the course; of one lesson only, by its number, such as 05."""
    return sorted((paths.ROOT / "notebooks").glob(f"{number}*.ipynb"))


def cells_hash(notebook: Path) -> str:
    """What tells two notebooks apart: their cells without outputs; empty if unreadable."""
    try:
        cells = read_json(notebook)["cells"]
        said = [(cell["cell_type"], "".join(cell["source"])) for cell in cells]
    except (OSError, ValueError, LookupError, TypeError):
        return ""
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


def free_name(notebook: Path, word: str, taken) -> str:
    """05_the_causal_mask_new.ipynb, or new2, new3, if those before are taken."""
    names = (f"{notebook.stem}_{word}{n if n > 1 else ''}.ipynb" for n in count(1))
    return next(name for name in names if not taken(name))


# ---- bringing lessons -------------------------------------------------------------------


class Copies:
    """What was copied. written: the fingerprint of each copy as it was made; seen: of each
    lesson of the course when it was last dealt with."""

    def __init__(self):
        self.file = paths.WORK / ".copies.json"
        kept = read_json(self.file) if self.file.is_file() else {}
        self.written, self.seen = kept.get("written", {}), kept.get("seen", {})

    def save(self) -> None:
        """Write the records, in `work`."""
        write_json(self.file, {"written": self.written, "seen": self.seen})

    def touched(self, name: str) -> bool:
        """Whether a learner wrote into a copy; to run it is no change."""
        copy = paths.WORK / name
        return copy.exists() and cells_hash(copy) != self.written.get(name)

    def write(self, source: Path, name: str) -> None:
        """Make a copy under a name."""
        write_text(paths.WORK / name, read_text(source))
        self.written[name] = cells_hash(source)

    def bring(self, source: Path) -> str:
        """Bring one copy up to date; returns what to tell the learner, if anything."""
        name, now = source.name, cells_hash(source)
        there, before = (paths.WORK / name).exists(), self.seen.get(name)
        self.seen[name] = now
        if there and now in (before, cells_hash(paths.WORK / name)):
            return ""
        if self.touched(name):
            beside = free_name(source, "new", self.touched)
            self.write(source, beside)
            return f"{name} is yours and stays as it is; the new lesson is {beside}"
        self.write(source, name)
        return f"{name}: {'brought up to date' if there else 'added'}"


def update() -> None:
    """Copy new and changed lessons into `work` and say what was done."""
    copies = Copies()
    first = not copies.seen
    told = [said for said in map(copies.bring, shipped()) if said]
    copies.save()
    if first:
        told = [f"Your own copies of the lessons are in {paths.WORK}", *told[len(shipped()) :]]
    print("\n".join(told or ["Your copies of the lessons are up to date."]))


def again(number: str = "") -> None:
    """Start a lesson over; what was written is kept under another name.

    number: such as 05. Raises ValueError if there is no such lesson.
    """
    number = number.zfill(2) if number.isdigit() else number
    found = shipped(f"{number}_") if number.isdigit() else []
    if not found:
        there = ", ".join(path.name[:2] for path in shipped("[0-9][0-9]_"))
        raise ValueError(f"there is no lesson {number!r}; there are {there}")
    copies, copy = Copies(), paths.WORK / found[0].name
    if copies.touched(copy.name):
        old = free_name(copy, "before", lambda name: (paths.WORK / name).exists())
        copy.rename(paths.WORK / old)
        print(f"What you wrote is kept in {old}")
    copies.write(found[0], copy.name)
    copies.save()
    progress.keep_passed(number, {})
    print(f"{copy.name} is as it was at the start")

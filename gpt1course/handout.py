"""Copies of a lesson to hand out, made from the lesson itself.

    python -m gpt1course handout 05 --no-solutions
    python -m gpt1course handout 05 --sections 4 5 7
    python -m gpt1course handout 05 --own-numbers

With --sections the copy is a lab sheet. It keeps the head of the lesson and the sections that
you name, and each run of skipped sections becomes one folded set-up cell, so that the rest
runs. The grader takes the copies as they are. It finds the exercises by their cells, and
with --sections it marks those of a lab sheet only. With --own-numbers the first cell asks for
a name, from which the questions with numbers draw those of each student.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import from_dict
from nbformat.v4 import new_code_cell

from . import notebooks
from .checking.exercise import Exercise
from .notebooks import hints_text, mark
from .workspace import lesson_notebook

NUMBERED = re.compile(r"^## (\d+)\. ", re.MULTILINE)
HEADING = re.compile(r"(?=^## )", re.MULTILINE)
TIME = re.compile(r"\*\*Time:\*\* [^·]*? ·")
OWN_NUMBERS = """\
# Put in the name that you hand in under: questions with numbers then ask about your own.
lesson.check.numbers_for("YOUR NAME")"""
SET_UP = "# set-up: what the sections that this sheet leaves out define\n"


@dataclass
class Section:
    """A part of a lesson. number: 0 where its heading has none."""

    number: int
    deeper: bool
    cells: list = field(default_factory=list)


# ---- solutions and hints ----------------------------------------------------------------


def without_help(notebook, path: Path, hints: bool, solutions: bool) -> None:
    """Write the folded help below each exercise again, without hints or solutions."""
    known = notebooks.exercises_of(path)
    for cell in notebook.cells:
        if mark(cell).get("part") == "hints":
            cell.source = hints_text(known[mark(cell)["exercise"]], hints, solutions)
    notebook.cells = [c for c in notebook.cells if c.source or mark(c).get("part") != "hints"]


# ---- lab sheets -------------------------------------------------------------------------


def sections(cells: list) -> list[Section]:
    """The parts of a lesson; a text that begins another section is divided there."""
    found = [Section(0, deeper=False)]
    for cell in cells:
        if mark(cell).get("part") == "deeper":
            found.append(Section(0, deeper=True))
        for n, piece in enumerate(pieces(cell)):
            if piece.cell_type == "markdown" and piece.source.startswith("## "):
                number = NUMBERED.match(piece.source)
                found.append(Section(int(number[1]) if number else 0, found[-1].deeper))
            piece.id = piece.id if n == 0 else f"{piece.id}-{n}"[-64:]
            found[-1].cells.append(piece)
    return found


def pieces(cell) -> list:
    """A cell of text divided before each heading; any other cell as it is."""
    if cell.cell_type != "markdown" or mark(cell):
        return [cell]
    texts = [text.strip() for text in HEADING.split(cell.source)]
    return [from_dict(cell | {"source": text}) for text in texts if text]


def placed(part: Section) -> list:
    """The cells of a section that a sheet keeps: no pauses."""
    return [cell for cell in part.cells if mark(cell).get("part") != "pause"]


def unnumbered(part: Section) -> bool:
    """Whether a part belongs to the frame of the main path: recall, summary, questions."""
    return not (part.number or part.deeper)


def has_code(part: Section) -> bool:
    """Whether a part has a code cell, which may need what was skipped."""
    return any(cell.cell_type == "code" for cell in part.cells)


def numbers_in(parts: list[Section]) -> list[int]:
    """The numbers of a lesson's sections."""
    return sorted(part.number for part in parts if part.number)


def check_sections(wanted: list[int], parts: list[Section]) -> None:
    """ValueError for a section that the lesson does not have."""
    there = numbers_in(parts)
    if unknown := [n for n in wanted if n not in there]:
        raise ValueError(
            f"the lesson has no section {unknown[0]}; it has {there[0]} to {there[-1]}"
        )


def lab_sheet(notebook, path: Path, wanted: list[int]) -> None:
    """Keep some sections; the main path that is skipped becomes set-up cells."""
    parts = sections(notebook.cells)
    check_sections(wanted, parts)
    last = max(i for i, part in enumerate(parts) if part.number in wanted)
    cells, skipped = [], []
    for place, part in enumerate(parts):
        if part.number in wanted or (place < last or not has_code(part)) and unnumbered(part):
            cells += set_up(skipped, path) + placed(part)
            skipped = []
        elif place < last and not part.deeper:
            skipped += part.cells
    named = ", ".join(map(str, wanted))
    cells[0].source = TIME.sub(f"**Lab sheet:** sections {named} ·", cells[0].source, count=1)
    notebook.cells = cells


def set_up(skipped: list, path: Path) -> list:
    """One folded cell that runs the code of skipped cells and shows nothing; or none."""
    known = notebooks.exercises_of(path)
    sources = [source_in_set_up(cell, known) for cell in skipped if cell.cell_type == "code"]
    code = "\n\n".join(filter(None, sources))
    if not code:
        return []
    cell = new_code_cell(f"%%capture\n{SET_UP}\n{code}", id=f"set-up-{skipped[0].id}"[:64])
    cell.metadata["jupyter"] = {"source_hidden": True}
    return [cell]


def source_in_set_up(cell, known: dict) -> str:
    """The code of a skipped cell; of an exercise its reference, of a plot nothing."""
    if mark(cell).get("part") == "stub":
        exercise = known[mark(cell)["exercise"]]
        written = isinstance(exercise, Exercise)
        return f"{exercise.name} = lesson.{exercise.name}.solution" if written else ""
    return "" if cell.source.startswith("# plot") else cell.source


def exercises_on_sheet(path: Path, wanted: list[int]) -> set[str]:
    """The names of the exercises in some sections of a lesson."""
    parts = sections(notebooks.read(path).cells)
    check_sections(wanted, parts)
    kept = [cell for part in parts if part.number in wanted for cell in part.cells]
    return {mark(cell)["exercise"] for cell in kept if mark(cell).get("part") == "stub"}


def own_numbers(notebook) -> None:
    """Ask for a name below the imports, from which each student's numbers follow."""
    place = next(i for i, cell in enumerate(notebook.cells) if "as lesson\n" in cell.source)
    cell = new_code_cell(OWN_NUMBERS, id="own-numbers")
    notebook.cells.insert(place + 1, cell)


# ---- the command ------------------------------------------------------------------------


def copy_of(path: Path, hints: bool, solutions: bool, wanted: list[int]):
    """A lesson as it is handed out."""
    notebook = notebooks.read(path)
    if wanted:
        lab_sheet(notebook, path, wanted)
    without_help(notebook, path, hints, solutions)
    return notebook


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `handout` takes."""
    parser.add_argument("lesson", help="its number, such as 05")
    parser.add_argument("--no-solutions", action="store_true", help="leave the solutions out")
    parser.add_argument("--no-hints", action="store_true", help="leave the hints out")
    parser.add_argument(
        "--sections", type=int, nargs="+", default=[], help="a lab sheet of these"
    )
    parser.add_argument("--own-numbers", action="store_true", help="numbers for each student")
    parser.add_argument("--out", type=Path, default=Path("build/handout"), help="the folder")


def run(args: argparse.Namespace) -> None:
    """Write one copy and say how it is graded."""
    path = lesson_notebook(args.lesson)
    copy = copy_of(path, not args.no_hints, not args.no_solutions, args.sections)
    if args.own_numbers:
        own_numbers(copy)
    sheet = "_lab" * bool(args.sections)
    notebooks.write(copy, args.out / f"{path.stem}{sheet}.ipynb")
    print(args.out / f"{path.stem}{sheet}.ipynb")
    grade = [sys.executable, "-m", "gpt1course", "grade", "submissions"]
    options = ["--lesson", path.name[:2]]
    if args.sections:
        options += ["--sections", *map(str, args.sections)]
    print(f"Mark what comes back: {as_typed([*grade, *options])}")


def as_typed(command: list[str]) -> str:
    """A command as it is typed, quoted where a folder has a space in its name."""
    return subprocess.list2cmdline(command) if os.name == "nt" else shlex.join(command)

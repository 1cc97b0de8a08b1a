"""Notebooks: read, written whole, solved and run; an exercise is three marked cells."""

import json
import time
from collections import Counter
from pathlib import Path

import nbformat
from nbclient import NotebookClient

from gpt1lib.io.files import read_text, write_text

from . import workspace
from .checking.exercise import BaseExercise


def exercises_of(path: str | Path) -> dict[str, BaseExercise]:
    """The exercises of a notebook's lesson by name; its number leads the file name.

    A notebook without a number, such as the gallery, has none.
    """
    number = Path(path).name[:2]
    if not number.isdigit():
        return {}
    return {e.name: e for e in workspace.exercises(number)}


def mark(cell) -> dict:
    """Which exercise a cell belongs to, and as which part; empty for other cells."""
    return cell.metadata.get("gpt1", {})


def hints_text(exercise: BaseExercise, hints: bool = True, solution: bool = True) -> str:
    """The Markdown below a stub: folded hints in stages, the solution last."""
    folded = [(f"Hint {i}", hint) for i, hint in enumerate(exercise.hints, start=1) if hints]
    folded += [("Solution", exercise.solution_shown())] * solution
    return "\n\n".join(
        f"<details><summary>{name}</summary>\n\n{text}\n\n</details>" for name, text in folded
    )


def solve(notebook, path: str | Path) -> None:
    """Replace every stub by its solution."""
    known = exercises_of(path)
    for cell in notebook.cells:
        if mark(cell).get("part") == "stub":
            exercise = known[mark(cell)["exercise"]]
            cell.source = exercise.cell(solved=True)


def write_solved(path: Path, out: Path) -> Path:
    """Write a solved copy of a notebook into the folder `out`; returns where."""
    notebook = read(path)
    solve(notebook, path)
    write(notebook, out / path.name)
    return out / path.name


def read(path: str | Path) -> nbformat.NotebookNode:
    """A notebook from disk; ValueError for a file that is not one, or two cells of one id."""
    text = read_text(path)
    try:
        notebook = nbformat.reads(text, as_version=4)
    except (ValueError, LookupError, AttributeError, nbformat.ValidationError) as error:
        raise ValueError(f"{path} is not a notebook") from error
    _refuse_shared_ids(json.loads(text)["cells"], path)  # nbformat gives one a new id, silently
    return notebook  # pyrefly: ignore[bad-return] (nbformat has no types)


def write(notebook, path: str | Path) -> None:
    """A notebook to disk, whole or not at all. ValueError if two cells have one id."""
    _refuse_shared_ids(notebook.cells, path)
    nbformat.validate(notebook)
    write_text(path, nbformat.writes(notebook, indent=1) + "\n")


def _refuse_shared_ids(cells: list, path: str | Path) -> None:
    """Raise ValueError if two cells have one id: nbformat would draw new ones silently.

    They would be other ids each time, and a cell would not be found again.
    """
    counts = Counter(cell["id"] for cell in cells if "id" in cell)
    if shared := [name for name, n in counts.items() if n > 1]:
        advice = 'write another word into the line "id" of one of them'
        raise ValueError(f"{path}: more than one cell has the id {shared[0]!r}: {advice}")


def execute(notebook, folder: Path, timeout: int = 300) -> float:
    """Run all cells in a fresh kernel, in this folder; returns the seconds it took.

    timeout: the seconds that a cell may take.
    """
    start = time.perf_counter()
    where = {"metadata": {"path": str(folder)}}
    client = NotebookClient(
        notebook,
        timeout=timeout,
        startup_timeout=300,
        iopub_timeout=120,  # what a kernel says late would be dropped without a word
        kernel_name="python3",
        resources=where,
    )
    client.execute()
    return time.perf_counter() - start

"""Tools for those who write lessons: `python -m tools.notebooks COMMAND NOTEBOOK ...`.

sync   bring the exercise cells in line with their source, gpt1course/exercises/lessonNN.py,
       and what all lessons of the folder say of each other with what they are, see index.py
run    execute in place and drop what differs from run to run
table  print cells, words, minutes, exercises ... of lessons beside what they aim at, and
       what reads oddly in all pages
new    begin a lesson, by its title: a notebook and a file of exercises from a template

An exercise is three cells (task, stub, hints), marked in their metadata. A
markdown cell that says `EXERCISE name` and nothing else becomes those three. What is
folded and how long a lesson takes: see layout.py.
"""

import argparse
import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from gpt1course.checking.exercise import BaseExercise
from gpt1course.notebooks import execute, exercises_of, hints_text, mark, read, write
from gpt1course.viz.explorers.base import LIVE
from gpt1course.workspace import lessons
from gpt1lib.cli import one_line_errors
from gpt1lib.io.files import read_json, write_json
from gpt1lib.io.paths import RESULTS, ROOT
from tools.notebooks import index, stats, template, wording
from tools.notebooks.layout import GUESS_FIRST, box, fold, state_times, stored_picture

EXERCISES = ROOT / "gpt1course" / "exercises"
RUN_TIMES = RESULTS / "run_times.json"
MARKERS = {
    "PAUSE": "pause",
    "MAP": "map",
    "DEEPER": "deeper",
}  # what a cell may say, and the part it becomes
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


# ---- an exercise as cells -----------------------------------------------------------


def dots(n: int) -> str:
    """3 -> ●●●○○"""
    return "●" * n + "○" * (5 - n)


def task_text(exercise: BaseExercise, number: int) -> str:
    """The markdown above the stub."""
    labels = (
        f"Difficulty {dots(exercise.difficulty)} · "
        f"Importance {dots(exercise.importance)} · {exercise.minutes} min"
    )
    text = f"{labels}\n\n{exercise.task}"
    return f"### Exercise {number}: {exercise.title}\n\n{box('success', text)}"


def exercise_cells(exercise: BaseExercise, number: int) -> list:
    """The three cells of an exercise."""
    cells = [
        new_markdown_cell(task_text(exercise, number)),
        new_code_cell(exercise.cell()),
        new_markdown_cell(hints_text(exercise)),
    ]
    for cell, part in zip(cells, ("task", "stub", "hints"), strict=True):
        cell.metadata["gpt1"] = {"exercise": exercise.name, "part": part}
        cell.id = f"{exercise.name}-{part}"
    return cells


def sync(notebook, path: str | Path) -> None:
    """Bring all exercise cells in line with the source; ids and outputs of stubs are kept."""
    known, cells, number = exercises_of(path), [], 0
    for cell in notebook.cells:
        marker = re.fullmatch(r"EXERCISE (\w+)", cell.source.strip())
        part = mark(cell).get("part")
        if marker or part == "task":
            number += 1
            name = marker[1] if marker else mark(cell)["exercise"]
            if name not in known:
                raise ValueError(f"{path}: no exercise {name!r} in its lesson file")
            cells += exercise_cells(known[name], number)
            if part:
                keep_ids(cells[-3:], notebook.cells)
        elif part == "stub":
            cells[-2].outputs = cell.outputs
            cells[-2].execution_count = cell.execution_count
        elif part in (None, *MARKERS.values()):
            cells.append(_marked(cell))
    notebook.cells = cells
    state_times(notebook, path, known)


def keep_ids(made: list, old: list) -> None:
    """Give cells of an exercise the ids that they have had so far."""
    ids = {tuple(mark(cell).values()): cell.id for cell in old}
    for cell in made:
        cell.id = ids.get(tuple(mark(cell).values()), cell.id)


def _marked(cell):
    """A markdown cell that says PAUSE or MAP, marked as one; any other cell as it is."""
    if cell.cell_type == "markdown" and cell.source.strip() in MARKERS:
        cell.metadata["gpt1"] = {"part": MARKERS[cell.source.strip()]}
    return cell


def renew_maps(folder: Path) -> None:
    """Write again what the lessons of a folder say of each other, where that is stale."""
    lessons = index.lessons_of(folder)
    for path in (folder / lesson.name for lesson in lessons):
        notebook = read(path)
        before = [cell.source for cell in notebook.cells]
        index.renew(notebook, path.name, lessons)
        if before != [cell.source for cell in notebook.cells]:
            write(notebook, path)


# ---- running and storing ------------------------------------------------------------


def keep_run_time(path: Path, seconds: float) -> None:
    """Note the seconds in data/results/run_times.json, for the table of all lessons."""
    times = read_json(RUN_TIMES) if RUN_TIMES.is_file() else {}
    write_json(RUN_TIMES, times | {path.name: round(seconds)})


def normalize(notebook) -> None:
    """Remove what differs between two runs or machines and tells a reader nothing."""
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {
                "display_name": "Python 3 (ipykernel)",
                "language": "python",
                "name": "python3",
            },
            "language_info": {"name": "python"},
        }
    )
    for cell in notebook.cells:
        kept = ("gpt1", "tags")
        cell.metadata = nbformat.from_dict(
            {k: v for k, v in cell.metadata.items() if k in kept}
        )
        if cell.cell_type == "code":
            cell.outputs = joined([o for o in cell.outputs if keep(o)])
    fold(notebook)


def joined(outputs: list) -> list:
    """What was printed in pieces, as a busy machine sends it, in one piece."""
    whole = []
    for output in outputs:
        if output.output_type == "stream" and whole and whole[-1].output_type == "stream":
            whole[-1].text += output.text
        else:
            whole.append(output)
    return whole


def keep(output) -> bool:
    """Whether to store an output; live widgets are made anew when a cell runs.

    A picture is stored once: where the HTML shows it, the PNG beside it goes. All viewers
    that show HTML prefer it, the others still have the sentence.
    """
    if output.output_type == "stream":
        return output.name == "stdout" and output.text != GUESS_FIRST  # folding adds it
    data = output.get("data", {})
    if data.pop(WIDGET_VIEW, None):
        data["text/plain"] = LIVE  # an explorer says so itself, ipywidgets' interact does not
    if stored_picture(output):
        data.pop("image/png", None)
    return bool(output.get("data", True))


# ---- a new lesson, and all lessons at a glance ---------------------------------------


def begin(title: str, notebooks: Path = ROOT / "notebooks", code: Path = EXERCISES) -> Path:
    """Write the notebook and the exercises of a new lesson; returns the notebook's path.

    Raises ValueError for a title without a letter.
    """
    number = max(int(path.name[:2]) for path in lessons(notebooks)) + 1
    path, exercises = template.write(number, title, notebooks, code)
    for file in (path, exercises):
        print(f"{file} has {template.left(file)} places that say {template.TO_DO}")
    print("When none is left: make notebooks, then make quick.")
    return path


def measured(path: Path) -> dict:
    """A lesson's measures, with the seconds of its last run."""
    seconds = read_json(RUN_TIMES).get(path.name, 0)
    return {"lesson": path.name[:2]} | stats.measures(read(path), exercises_of(path), seconds)


# ---- the command line ---------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    """Run one command over notebooks."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.notebooks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("sync", "run", "table"):
        commands.add_parser(name).add_argument("notebooks", nargs="+", type=Path)
    commands.add_parser("new").add_argument("title")
    args = parser.parse_args(argv)
    with one_line_errors("notebooks"):
        if args.command == "new":
            begin(args.title)
        elif args.command == "table":
            print(stats.beside_aims([measured(path) for path in args.notebooks]))
            print("", wording.report(), sep="\n")
        elif args.command == "run":
            for path in args.notebooks:
                run_notebook(path)
        else:
            sync_notebooks(args.notebooks)
    return 0


def sync_notebooks(paths: list[Path]) -> None:
    """Bring notebooks in line with their sources, and the maps of their folders."""
    for path in paths:
        notebook = read(path)
        sync(notebook, path)
        normalize(notebook)
        write(notebook, path)
    for folder in {path.parent for path in paths}:
        renew_maps(folder)


def run_notebook(path: Path) -> None:
    """Run a notebook in place and keep its outputs and its seconds."""
    notebook = read(path)
    seconds = execute(notebook, path.parent)
    normalize(notebook)
    write(notebook, path)
    keep_run_time(path, seconds)
    print(f"{path.name}: {seconds:.0f} s")

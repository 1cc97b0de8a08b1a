"""Tools for the lessons' notebooks: `python -m gpt1lib.lessons COMMAND NOTEBOOK ...`.

sync   bring the exercise cells in line with their source, gpt1lib/lessons/lessonNN.py,
       and what all lessons of the folder say of each other with what they are, see maps.py
run    execute in place and drop what differs from run to run
solve  write copies with every stub replaced by its solution
table  print cells, words, minutes, exercises ... of lessons beside what they aim at
new    begin a lesson, by its title: a notebook and a file of exercises from a template

For lecturers:

grade  mark submitted notebooks, see grade.py

For learners, of their own copies in the folder work:

update     bring new lessons there; what you wrote stays
again 05   start a lesson over
progress   print which exercises have passed

An exercise is three cells (task, stub, hints), marked in their metadata. A
markdown cell that says `EXERCISE name` and nothing else becomes those three. What is
folded and how long a lesson takes: see layout.py.
"""

import argparse
import json
import re
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell

from ..storage.files import read_json, read_text, write_json, write_text
from ..storage.paths import RESULTS, ROOT
from ..storage.run_folder import one_line_errors
from . import blank, grade, maps, progress, rhythm, work
from .exercise import Exercise
from .layout import GUESS_FIRST, box, fold, mark, state_times, stored_picture
from .number import NumberExercise

AnyExercise = Exercise | NumberExercise

HERE = Path(__file__).parent
RUN_TIMES = RESULTS / "run_times.json"
MARKERS = {"PAUSE": "pause", "MAP": "map"}  # what a cell may say, and the part it becomes
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


def exercises_of(path: str | Path) -> dict[str, AnyExercise]:
    """The exercises of a notebook's lesson by name; its number leads the file name.

    A notebook without a number, such as the gallery, has none.
    """
    number = Path(path).name[:2]
    if not number.isdigit():
        return {}
    lesson = import_module(f"gpt1lib.lessons.lesson{number}")
    return {e.name: e for e in lesson.EXERCISES}


# ---- an exercise as cells -----------------------------------------------------------


def dots(n: int) -> str:
    """3 -> ●●●○○"""
    return "●" * n + "○" * (5 - n)


def task_text(exercise: AnyExercise, number: int) -> str:
    """The markdown above the stub."""
    labels = (
        f"Difficulty {dots(exercise.difficulty)} · "
        f"Importance {dots(exercise.importance)} · {exercise.minutes} min"
    )
    text = f"{labels}\n\n{exercise.task}"
    return f"### Exercise {number}: {exercise.title}\n\n{box('success', text)}"


def hints_text(exercise: AnyExercise) -> str:
    """Folded hints in stages, the solution last."""
    folded = [
        f"<details><summary>Hint {i}</summary>\n\n{hint}\n\n</details>"
        for i, hint in enumerate(exercise.hints, start=1)
    ]
    folded.append(
        f"<details><summary>Solution</summary>\n\n{exercise.solution_shown()}\n\n</details>"
    )
    return "\n\n".join(folded)


def exercise_cells(exercise: AnyExercise, number: int) -> list:
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
    lessons = maps.lessons_of(folder)
    for path in (folder / lesson.name for lesson in lessons):
        notebook = read(path)
        before = [cell.source for cell in notebook.cells]
        maps.renew(notebook, path.name, lessons)
        if before != [cell.source for cell in notebook.cells]:
            write(notebook, path)


def solve(notebook, path: str | Path) -> None:
    """Replace every stub by its solution."""
    known = exercises_of(path)
    for cell in notebook.cells:
        if mark(cell).get("part") == "stub":
            exercise = known[mark(cell)["exercise"]]
            cell.source = exercise.cell(solved=True)


# ---- running and storing ------------------------------------------------------------


def execute(notebook, folder: Path, timeout: int = 300) -> float:
    """Run all cells in a fresh kernel, in their folder; return the seconds it took."""
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


def keep_run_time(path: Path, seconds: float) -> None:
    """Note the seconds in data/results/run_times.json, for the README's table."""
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
    data.pop(WIDGET_VIEW, None)
    if stored_picture(output):
        data.pop("image/png", None)
    return bool(output.get("data", True))


def read(path: str | Path):
    """A notebook from disk; ValueError for a file that is none, or two cells of one id."""
    text = read_text(path)
    try:
        notebook = nbformat.reads(text, as_version=4)
    except (ValueError, LookupError, AttributeError, nbformat.ValidationError) as error:
        raise ValueError(f"{path} is no notebook") from error
    _refuse_shared_ids(json.loads(text)["cells"], path)  # nbformat gives one a new id, silently
    return notebook


def write(notebook, path: str | Path) -> None:
    """A notebook to disk, whole or not at all. ValueError if two cells have one id."""
    _refuse_shared_ids(notebook.cells, path)
    nbformat.validate(notebook)
    write_text(path, nbformat.writes(notebook, indent=1) + "\n")


def _refuse_shared_ids(cells: list, path: str | Path) -> None:
    """nbformat would draw new ids in silence, other ones each time."""
    counts = Counter(cell["id"] for cell in cells if "id" in cell)
    if shared := [name for name, n in counts.items() if n > 1]:
        cure = 'write another word into the line "id" of one of them'
        raise ValueError(f"{path}: more than one cell has the id {shared[0]!r}: {cure}")


# ---- a new lesson, and all lessons at a glance ---------------------------------------


def begin(title: str, notebooks: Path = ROOT / "notebooks", code: Path = HERE) -> Path:
    """Write the notebook and the exercises of a new lesson; returns the notebook's path.

    Raises ValueError for a title without a letter.
    """
    number = max(int(path.name[:2]) for path in notebooks.glob("[0-9][0-9]_*.ipynb")) + 1
    path, exercises = blank.write(number, title, notebooks, code)
    for file in (path, exercises):
        print(f"{file} has {blank.left(file)} places that say {blank.TO_DO}")
    print("When none is left: make notebooks, then make quick.")
    return path


def measured(path: Path) -> dict:
    """A lesson's measures, with the seconds of its last run."""
    seconds = read_json(RUN_TIMES).get(path.name, 0)
    return {"lesson": path.name[:2]} | rhythm.measures(read(path), exercises_of(path), seconds)


# ---- the command line ---------------------------------------------------------------


def main(argv: list[str] | None = None) -> int:
    """Run one command over notebooks."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments[:1] == ["grade"]:
        return grade.main(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.lessons",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    learner = {"update": work.update, "again": work.again, "progress": progress.print_progress}
    parser.add_argument("command", choices=["sync", "run", "solve", "table", "new", *learner])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/solved"))
    args = parser.parse_args(argv)
    with one_line_errors("lessons"):
        if args.command in learner:
            most = int(args.command == "again")
            if len(args.notebooks) > most:
                takes = "one lesson, such as 05" if most else "nothing more"
                words = " ".join(map(str, args.notebooks))
                raise ValueError(f"{args.command} takes {takes}, not {words}")
            learner[args.command](*map(str, args.notebooks))
            return 0
        if not args.notebooks:
            raise ValueError(f"name the notebooks to {args.command}: notebooks/*.ipynb")
        if args.command == "new":
            begin(" ".join(map(str, args.notebooks)))
        elif args.command == "table":
            print(rhythm.beside_aims([measured(path) for path in args.notebooks]))
        else:
            for path in args.notebooks:
                run_command(args.command, path, args.out)
        if args.command == "sync":
            for folder in {path.parent for path in args.notebooks}:
                renew_maps(folder)
    return 0


def run_command(command: str, path: Path, out: Path) -> None:
    """One command over one notebook. out: the folder of solved copies."""
    notebook = read(path)
    if command == "sync":
        sync(notebook, path)
        normalize(notebook)
        write(notebook, path)
    elif command == "run":
        seconds = execute(notebook, path.parent)
        normalize(notebook)
        write(notebook, path)
        keep_run_time(path, seconds)
        print(f"{path.name}: {seconds:.0f} s")
    else:
        solve(notebook, path)
        write(notebook, out / path.name)
        print(out / path.name)


if __name__ == "__main__":
    sys.exit(main())

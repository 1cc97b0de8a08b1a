"""A lesson as an assignment of nbgrader: `python -m gpt1course nbgrader 05 --out COURSE`

This writes COURSE/source/lesson_05, the version of the instructor, and nbgrader_config.py if
there is none. Then, in the folder COURSE:

    nbgrader generate_assignment lesson_05    # what students get, without solutions
    nbgrader autograde lesson_05              # marks what is in submitted/

Each exercise becomes a cell with the solution, which nbgrader takes out, and a locked cell with
the course's own check, which gives a point. The hints stay, the folded solution goes.
"""

import argparse
from pathlib import Path

from nbformat.v4 import new_code_cell

from gpt1lib.io.files import write_text

from . import notebooks
from .checking.exercise import BaseExercise, Exercise
from .checking.number_exercise import NumberExercise
from .notebooks import hints_text, mark
from .workspace import lesson_notebook

BEGIN, END = "### BEGIN SOLUTION", "### END SOLUTION"
CONFIG = """\
c = get_config()  # noqa: F821, nbgrader defines it
c.ClearSolutions.code_stub = {"python": "..."}
c.ClearSolutions.begin_solution_delimeter = "BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "END SOLUTION"
c.ExecutePreprocessor.timeout = 300
"""
COMMON = {"schema_version": 3, "task": False}


def written_cell(exercise: BaseExercise) -> str:
    """The code of the cell that students write into, with the solution marked."""
    if isinstance(exercise, NumberExercise):
        right = exercise.cell(solved=True).partition(".check(")[2].removesuffix(")")
        return f"answers = [\n    {BEGIN}\n    {right}\n    {END}\n]"
    assert isinstance(exercise, Exercise)
    head = exercise.stub_text.splitlines()[:-1]
    body = exercise.solution_text.splitlines()[len(head) :]
    return "\n".join([*head, f"    {BEGIN}", *body, f"    {END}"])


def test_cell(exercise: BaseExercise) -> str:
    """The code that checks it and fails unless it is right; the lesson goes on either way."""
    name = exercise.name
    if isinstance(exercise, NumberExercise):
        lines = [
            f"verdict = lesson.{name}.diagnose(tuple(answers), lesson.{name}.numbers(0))",
            f"lesson.{name}.check(*answers)",
        ]
    else:
        lines = [
            "from gpt1course.checking.exercise import judge",
            "",
            f"verdict = judge(lesson.{name}, {name})",
            f"{name} = lesson.check({name})",
        ]
    return "\n".join([*lines, "assert verdict is None, verdict.message"])


def cells_of(exercise: BaseExercise, stub) -> list:
    """The two cells of an exercise, as nbgrader wants them marked."""
    stub.source, stub.outputs, stub.execution_count = written_cell(exercise), [], None
    name = {"grade_id": exercise.name, "grade": False, "solution": True, "locked": False}
    stub.metadata["nbgrader"] = COMMON | name
    test = new_code_cell(test_cell(exercise), id=f"{exercise.name}-test"[:64])
    points = {"grade_id": f"{exercise.name}-test", "grade": True, "points": 1}
    test.metadata["nbgrader"] = COMMON | points | {"solution": False, "locked": True}
    return [stub, test]


def convert(notebook, path: Path) -> None:
    """Mark the exercises of a lesson for nbgrader, and take the folded solutions out."""
    known, cells = notebooks.exercises_of(path), []
    for cell in notebook.cells:
        part, name = mark(cell).get("part"), mark(cell).get("exercise", "")
        if part == "stub":
            cells += cells_of(known[name], cell)
        elif part == "hints":
            cell.source = hints_text(known[name], solution=False)
            cells += [cell] if cell.source else []
        else:
            cells.append(cell)
    notebook.cells = cells


# ---- the command ------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `nbgrader` takes."""
    parser.add_argument("lesson", help="its number, such as 05")
    parser.add_argument("--out", type=Path, required=True, help="the folder of your course")


def run(args: argparse.Namespace) -> None:
    """Write the instructor's version of a lesson."""
    path = lesson_notebook(args.lesson)
    notebook = notebooks.read(path)
    convert(notebook, path)
    assignment = f"lesson_{path.name[:2]}"
    notebooks.write(notebook, args.out / "source" / assignment / path.name)
    config = args.out / "nbgrader_config.py"
    if not config.is_file():
        write_text(config, CONFIG)
    print(args.out / "source" / assignment / path.name)
    print(f"In {args.out}: nbgrader generate_assignment {assignment}")

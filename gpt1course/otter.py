"""A lesson as an assignment of otter-grader: `python -m gpt1course otter 05 --out COURSE`

This writes COURSE/05_the_causal_mask.ipynb, the version of the instructor. Then, in COURSE:

    otter assign --no-run-tests 05_the_causal_mask.ipynb dist
    otter run -a dist/autograder/*.zip SUBMISSION.ipynb

The first line writes dist/student, what students get, and dist/autograder, what marks it. Each
exercise is a question of one point, tested by the course's own check. The hints and the folded
solutions are left out. otter must be installed in the environment of the course.
"""

import argparse
from pathlib import Path

from nbformat.v4 import new_code_cell, new_markdown_cell, new_raw_cell

from . import notebooks
from .checking.exercise import BaseExercise
from .nbgrader import add_options as add_options  # the same two
from .nbgrader import test_cell, written_cell
from .notebooks import mark
from .workspace import lesson_notebook

CONFIG = "# ASSIGNMENT CONFIG\ninit_cell: true\nexport_cell: false\ngenerate: {}"


def test_of(exercise: BaseExercise) -> str:
    """The code that fails unless the answer is right; for otter a print is a failure, too."""
    lines = test_cell(exercise).splitlines()
    return "\n".join(line for line in lines if ".check(" not in line)


def cells_of(exercise: BaseExercise) -> list:
    """The cells of a question, between otter's marks."""
    return [
        new_raw_cell(f"# BEGIN QUESTION\nname: {exercise.name}\npoints: 1"),
        new_markdown_cell(f"Your answer for `{exercise.name}`:"),
        new_raw_cell("# BEGIN SOLUTION"),
        new_code_cell(written_cell(exercise).replace("### ", "# ")),
        new_raw_cell("# END SOLUTION"),
        new_raw_cell("# BEGIN TESTS"),
        new_code_cell(test_of(exercise)),
        new_raw_cell("# END TESTS"),
        new_raw_cell("# END QUESTION"),
    ]


def convert(notebook, path: Path) -> None:
    """Make questions of the exercises of a lesson; hints and solutions go."""
    known, cells = notebooks.exercises_of(path), [new_raw_cell(CONFIG)]
    for cell in notebook.cells:
        part = mark(cell).get("part")
        if part == "stub":
            cells += cells_of(known[mark(cell)["exercise"]])
        elif part != "hints":
            cells.append(cell)
    notebook.cells = cells


# ---- the command ------------------------------------------------------------------------


def run(args: argparse.Namespace) -> None:
    """Write the instructor's version of a lesson."""
    path = lesson_notebook(args.lesson)
    notebook = notebooks.read(path)
    convert(notebook, path)
    notebooks.write(notebook, args.out / path.name)
    print(args.out / path.name)
    print(f"In {args.out}: otter assign --no-run-tests {path.name} dist")

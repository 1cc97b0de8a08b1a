"""A lesson to begin with: every part that the template asks for, with places to fill in.

`python -m tools.notebooks new "Words as sums"` writes notebooks/NN_words_as_sums.ipynb and
gpt1course/exercises/lessonNN.py. What an author has to write is marked FILL IN; a test
names the places that are left.
"""

import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from gpt1lib.io.files import read_text, write_text
from tools.notebooks.layout import box

TO_DO = "FILL IN"
FIRST = """# {number:02} · {title}

**The question:** FILL IN: the one question that it answers?

**Time:** about 60 minutes: by `make notebooks` · **Difficulty:** ●●○○○ · **Builds on:** \
lesson FILL IN · **In the paper:** section FILL IN

FILL IN: why it matters, in two to four sentences."""
OPENING = (
    "## Objectives\n\nAfter this lesson you can\n\n- **say** FILL IN;\n- **compute** FILL IN;\n"
    "- **tell** FILL IN.",
    "## Recall\n\n1. FILL IN (lesson 01)\n2. FILL IN (lesson 02)\n3. FILL IN (lesson 03)\n\n"
    "<details><summary>Answers</summary>\n\n1. FILL IN\n2. FILL IN\n3. FILL IN\n\n</details>",
    "## Setup",
)
IMPORTS = """import gpt1lib as g
from gpt1course.exercises import lesson{number:02} as lesson"""
SECTION = "## {n}. FILL IN: a section\n\nFILL IN: why, in two to four sentences."
PREDICT = "**Predict.** FILL IN: what will be printed?"
CELL = "print({n})  # FILL IN: a tiny case with words as row names"
ANSWER = (
    "<details><summary>After you have run it</summary>\n\nFILL IN: the answer in words.\n\n"
    "</details>\n\n**What could go wrong:** FILL IN."
)
ELSEWHERE = '- *"FILL IN: a popular sentence that errs."* FILL IN: the truth, shown below.'
CLOSING = (
    "## Summary\n\n1. FILL IN\n2. FILL IN\n3. FILL IN\n4. FILL IN\n5. FILL IN\n\n"
    "**Common mistakes:** FILL IN.",
    "## Review questions\n\n1. FILL IN?\n2. FILL IN?\n\n<details><summary>Answers</summary>\n\n"
    "1. FILL IN\n2. FILL IN\n\n</details>",
    "## Further reading\n\n- The paper, section FILL IN.\n"
    "- Next in this course: [00 Start here](00_start_here.ipynb).",
)
EXERCISES = '''"""Lesson {number:02}, {title}: FILL IN."""

from ..checking.exercise import Checker, exercise


@exercise(
    "FILL IN: a title",
    difficulty=1,
    importance=3,
    minutes=5,
    cases=lambda: [(2, 3), (7, 5)],
    task="FILL IN: what to return.",
    hints=("FILL IN: the first step.",),
)
def fill_in(a, b):
    """FILL IN: what it is; shapes and units.

    fill_in(2, 3) -> 5
    """
    return a + b


@fill_in.wrong("FILL IN: the likely mistake, in words.")
def a_wrong_answer(a, b):
    return a * b


EXERCISES = (fill_in,)
check = Checker(EXERCISES)
mine = check.mine
'''


def blank_cells(number: int, title: str) -> list:
    """The notebook's cells: three predictions, one exercise, all headings of the template."""
    made = [new_markdown_cell(FIRST.format(number=number, title=title))]
    made += map(new_markdown_cell, OPENING)
    made.append(new_code_cell(IMPORTS.format(number=number)))
    for n in (1, 2, 3):
        made.append(new_markdown_cell(f"{SECTION.format(n=n)}\n\n{box('info', PREDICT)}"))
        made += [new_code_cell(CELL.format(n=n)), new_markdown_cell(ANSWER)]
    made.append(new_markdown_cell("EXERCISE fill_in"))
    made.append(new_markdown_cell("## From notebook to library\n\nFILL IN: where it lives."))
    made.append(new_markdown_cell(f"## You may read elsewhere\n\n{box('warning', ELSEWHERE)}"))
    made.append(new_code_cell(CELL.format(n=4)))
    return made + [new_markdown_cell(text) for text in CLOSING]


def write(number: int, title: str, notebooks: Path, code: Path) -> tuple[Path, Path]:
    """Write both files of a lesson; returns their paths. ValueError for an empty title."""
    if not (words := re.findall(r"[a-z0-9]+", title.lower())):
        raise ValueError(f"the title is {title!r}, it must have a letter")
    notebook = notebooks / f"{number:02}_{'_'.join(words)}.ipynb"
    exercises = code / f"lesson{number:02}.py"
    made = new_notebook(cells=blank_cells(number, title))
    write_text(notebook, nbformat.writes(made, indent=1) + "\n")
    write_text(exercises, EXERCISES.format(number=number, title=title))
    return notebook, exercises


def left(path: Path) -> int:
    """How many places of a file are still to be filled in."""
    return read_text(path).count(TO_DO)

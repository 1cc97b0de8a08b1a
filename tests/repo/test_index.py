"""What lessons and pages say of the lessons is what the lessons are."""

import re
from dataclasses import replace
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import index

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "notebooks"
LESSONS = index.lessons_of(FOLDER)
STALE = "run `make notebooks`"


def read(lesson):
    return nbformat.read(FOLDER / lesson.name, as_version=4)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda x: x.number)
def test_what_a_lesson_says_of_others_is_so(lesson):
    notebook, before = read(lesson), read(lesson)
    index.renew(notebook, lesson.name, LESSONS)
    assert [c.source for c in notebook.cells] == [c.source for c in before.cells], STALE
    last = notebook.cells[-1].source
    i = LESSONS.index(lesson)
    assert f"]({LESSONS[(i + 1) % len(LESSONS)].name})" in last
    assert i == 0 or f"Before this: [{LESSONS[i - 1].short}]" in last


def test_the_map_of_lesson_00_names_every_lesson():
    (course,) = (c.source for c in read(LESSONS[0]).cells if index.mark(c).get("part") == "map")
    assert re.findall(r"^\| \[.*?\]\((.*?)\)", course, re.MULTILINE) == [
        x.name for x in LESSONS
    ]
    assert "17 · Capstone" in course
    assert all(x.objectives for x in LESSONS)


def test_every_equation_figure_and_table_is_computed_somewhere():
    marked = {what for x in LESSONS for what, _ in x.places}
    numbered = {x for x in index.PAPER if x.startswith(("Eq.", "Figure", "Table"))}
    assert numbered <= marked and len(numbered) == 14


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda x: x.number)
def test_a_lesson_stands_on_earlier_ones(lesson):
    builds_on = re.search(r"\*\*Builds on:\*\* (.*?) ·", read(lesson).cells[0].source)[1]
    assert all(number < lesson.number for number in re.findall(r"\b\d\d\b", builds_on))


# ---- made-up lessons ------------------------------------------------------------------

FIRST = """# 03 · Sums: and more

**The question:** why add?

**Time:** about 40 minutes, in two sittings: ... · **In the paper:** Eq. 1"""


def notebook(*cells):
    goals = "## Objectives\n\nAfter this lesson you can\n\n- **add** numbers;\n- **stop**."
    return new_notebook(
        cells=[new_markdown_cell(FIRST), new_markdown_cell(goals), *map(new_code_cell, cells)]
    )


def test_a_lesson_is_described_by_its_first_cells_and_its_marks():
    made = notebook("# paper: Eq. 1; Table 5\nx = 1", "y = 2  # paper: Eq. 2")
    made.cells.insert(2, new_markdown_cell("### not this\n\n## 1. How `sum` works?"))
    found = index.described(made, "03_sums.ipynb")
    assert (found.title, found.short) == ("03 · Sums: and more", "03 Sums")
    assert (found.question, found.time) == ("why add?", "40 min, two sittings")
    assert found.objectives == ("**add** numbers", "**stop**")
    assert found.places == tuple((w, "1. How `sum` works?") for w in ("Eq. 1", "Table 5"))
    assert "03_sums.ipynb#1.-How-sum-works?)" in index.paper([found])


def test_what_the_paper_does_not_have_is_refused():
    with pytest.raises(ValueError, match="03_sums.ipynb: no 'Eq. 6' in .*, see index.PAPER"):
        index.described(notebook("# paper: Eq. 6"), "03_sums.ipynb")
    with pytest.raises(ValueError, match="its first cell lacks"):
        index.described(new_notebook(cells=[new_markdown_cell("# 03")] * 2), "03_sums.ipynb")


def test_a_lesson_in_between_takes_its_place():
    """What was said of the next lesson stays only while it is the next."""
    three = index.described(notebook(), "03_sums.ipynb")
    four, five = (replace(three, name=f"0{n}_x.ipynb", title=f"0{n} · X: y") for n in (4, 5))
    said = "Next in this course: [five](05_x.ipynb), at last. Then rest."
    kept = index.neighbors(said, "03_sums.ipynb", [three, five])
    assert kept == "Next in this course: [05 X](05_x.ipynb), at last. Then rest."
    new = index.neighbors(kept, "03_sums.ipynb", [three, four, five])
    assert new == "Next in this course: [04 X](04_x.ipynb). Then rest."
    end = index.neighbors(said, "05_x.ipynb", [three, four, five])
    assert end.startswith("Next in this course: [03 Sums](03_sums.ipynb). Then rest.")
    assert end.endswith("\n\nBefore this: [04 X](04_x.ipynb).")
    assert index.neighbors(end, "05_x.ipynb", [three, four, five]) == end

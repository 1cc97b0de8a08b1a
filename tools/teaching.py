"""Write the minutes into the pages for teachers, from the notebooks' own times.

    python -m tools.teaching

In teaching/NN_*.md the table between `<!-- minutes -->` and `<!-- /minutes -->`: each section
of the lesson, minutes to read and try, minutes for the exercises, what there is to show; and
the sum of a short way through it, as in `**§1 §4 · 23 minutes.**`. In teaching/plans.md the
last column of each row that names sections, as in `[05](...) §1 §2`.
"""

import argparse
import json
import math
import re
from functools import cache
from pathlib import Path
from typing import cast

import nbformat

from gpt1lib.io.files import write_text
from tools.notebooks import layout
from tools.notebooks.commands import exercises_of

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "teaching"
TABLE = re.compile(r"(?<=<!-- minutes -->\n).*?(?=<!-- /minutes -->)", re.DOTALL)
PLANNED = re.compile(r"^(\|.*?\[(\d\d)\].*?(§.*?)\|.*\|)[^|\n]*\|$", re.MULTILINE)
SHORT = re.compile(r"(?<=^\*\*)(§[§\d ]*) · \d+ minutes(?=\.\*\*)", re.MULTILINE)
HEAD = "| section | read and try | exercises | in it |\n|---|---|---|---|\n"
OPENING, CLOSE = "Opening: recall, setup", "Close: errata, summary, review questions"


@cache
def notebook(lesson: str):
    """(path, cells without outputs, exercises) of a lesson, such as 05."""
    path = next((ROOT / "notebooks").glob(f"{lesson}_*.ipynb"))
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    kept = [{k: v for k, v in cell.items() if k != "outputs"} for cell in cells]
    joined = nbformat.from_dict([c | {"source": "".join(c["source"])} for c in kept])
    return path, cast(list, joined), exercises_of(path)


@cache
def sections(lesson: str) -> dict[str, list]:
    """Heading -> cells; what has no number belongs to the opening or the close."""
    found: dict[str, list] = {OPENING: []}
    now = OPENING
    for cell in notebook(lesson)[1]:
        headings = re.findall(r"^## (.*)$", cell.source, re.MULTILINE)
        if cell.cell_type == "markdown" and headings:
            numbered = headings[-1][:1].isdigit()
            opens = now == OPENING or headings[-1] == "Recall"
            now = headings[-1] if numbered else OPENING if opens else CLOSE
        found.setdefault(now, []).append(cell)
    return found


def minutes(lesson: str, heading: str) -> tuple[int, int]:
    """(to read and try, for the exercises) of a section, whole minutes, rounded up."""
    reading, doing = layout.minutes(sections(lesson)[heading], notebook(lesson)[2])
    return math.ceil(reading), round(doing)


def in_it(cells: list) -> str:
    """Exercises and explorers of a section, and a place to stop."""
    marks = [layout.mark(c) for c in cells]
    named = [f"`{m['exercise']}`" for m in marks if m.get("part") == "stub"]
    code = "\n".join(c.source for c in cells if c.cell_type == "code")
    views = sorted(set(re.findall(r"(?<=\.)\w+Explorer|\b\w+Explorer(?=[.(])", code)))
    stop = ["*a place to stop*"] * any(m.get("part") == "pause" for m in marks)
    return ", ".join([*named, *views, *stop])


def table(lesson: str) -> str:
    """The rows of a lesson, and its own word on the whole."""
    rows = []
    for name, cells in sections(lesson).items():
        reading, doing = minutes(lesson, name)
        rows.append(f"| {name} | {reading} | {doing or ''} | {in_it(cells)} |")
    time = re.search(r"\*\*Time:\*\* (.*?) ·", notebook(lesson)[1][0].source)
    if not time:
        raise ValueError(f"lesson {lesson} does not say how long it takes")
    return HEAD + "\n".join(rows) + f"\n\nThe whole lesson, alone: {time[1]}.\n"


def total(lesson: str, text: str) -> int:
    """Minutes of the sections that a text names; ValueError if the lesson has not all."""
    named = re.findall(r"§(\d+)", text)
    headings = [h for h in sections(lesson) if h.split(".")[0] in named]
    if len(headings) != len(named):
        raise ValueError(f"lesson {lesson} has not all the sections {text.strip()}")
    return sum(sum(minutes(lesson, h)) for h in headings)


def filled(name: str, text: str) -> str:
    """A page with its minutes as they are now."""
    lesson = name[:2]
    if lesson.isdigit():
        text = TABLE.sub(lambda _: table(lesson), text)
        return SHORT.sub(lambda m: f"{m[1]} · {total(lesson, m[1])} minutes", text)
    return PLANNED.sub(lambda row: f"{row[1]} {total(row[2], row[3])} |", text)


if __name__ == "__main__":
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    for page in sorted(PAGES.glob("*.md")):
        write_text(page, filled(page.name, page.read_text(encoding="utf-8")))

"""Write the table of lessons into README.md, from the notebooks themselves.

    python tools/readme.py

Title and time come from each notebook's first cell, the run time from
data/results/run_times.json (written by `python -m gpt1lib.lessons run`).
"""

import json
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
PART = re.compile(r"(<!-- lessons -->\n).*?(<!-- /lessons -->)", re.DOTALL)


def row(path: Path, seconds: int) -> str:
    """One line of the table."""
    notebook = nbformat.read(path, as_version=4)
    first = notebook.cells[0].source
    title = re.match(r"# (.*)", first)[1]
    minutes = re.search(r"\*\*Time:\*\* (\d+) minutes", first)[1]
    question = re.search(r"\*\*The question:\*\* (.*)", first)[1]
    name = f"[{title}](notebooks/{path.name})"
    return f"| {name} | {question} | {minutes} min | {seconds} s |"


def table() -> str:
    """The whole table, in the order of the lessons."""
    times = json.loads((ROOT / "data/results/run_times.json").read_text())
    names = ("lesson", "the question", "to work through", "Run All, 2 cores")
    head = f"| {' | '.join(names)} |\n|---|---|---|---|\n"
    paths = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    return head + "\n".join(row(p, times[p.name]) for p in paths) + "\n"


def updated(readme: str) -> str:
    """README.md with today's table."""
    return PART.sub(lambda m: m[1] + table() + m[2], readme)


if __name__ == "__main__":
    README.write_text(updated(README.read_text(encoding="utf-8")), encoding="utf-8")

"""Collect the "You may read elsewhere" boxes of all lessons into docs/errata.md.

python tools/errata.py
"""

import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errata.md"
INTRO = """# You may read elsewhere

Errors that popular explanations of GPT-1 make, and what is true. Each is in the
lesson that covers its subject, many beside a cell that shows it. Made by `tools/errata.py`.
"""


def box(path: Path) -> str:
    """One lesson's box: its markdown from the heading to the summary."""
    cells = nbformat.read(path, as_version=4).cells
    text = "\n\n".join(c.source for c in cells if c.cell_type == "markdown")
    part = re.search(r"## You may read elsewhere\n(.*?)\n## Summary\n", text, re.DOTALL)
    inside = without_cells(re.search(r"<div[^>]*>(.*?)</div>", part[1], re.DOTALL)[1].strip())
    title = re.match(r"# (.*)", cells[0].source)[1]
    return f"## [{title}](../notebooks/{path.name})\n\n{inside}\n"


def without_cells(text: str) -> str:
    """A box as it reads where no cell follows, and outside of its lesson."""
    text = re.sub(r"(, as the \w+ below shows)?:$", ".", text, flags=re.MULTILINE)
    text = text.replace("In the example above", "In the lesson's example")
    return re.sub(r"(?<!\d, )\b([Ss]ection \d+)", r"\1 of the lesson", text)


def page() -> str:
    """The whole page."""
    paths = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    return "\n".join([INTRO, *map(box, paths)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

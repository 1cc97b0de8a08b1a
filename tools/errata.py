"""Collect the "You may read elsewhere" boxes of all lessons into docs/errata.md.

python tools/errata.py
"""

import re
from pathlib import Path
from textwrap import indent

import nbformat

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "errata.md"
INTRO = """# You may read elsewhere

Errors that popular explanations of GPT-1 make, and what is true. Each stands in the
lesson that meets its subject, with a cell that shows it. Made by `tools/errata.py`.
"""


def box(path: Path) -> str:
    """One lesson's box: its markdown from the heading to the summary, and what it points at."""
    cells = nbformat.read(path, as_version=4).cells
    pairs = zip(cells, [*cells[1:], None], strict=True)
    text = "\n\n".join(told(c, below) for c, below in pairs if c.cell_type == "markdown")
    part = re.search(r"## You may read elsewhere\n(.*?)\n## Summary\n", text, re.DOTALL)
    inside = re.sub(r"</?div[^>]*>", "", part[1]).strip()
    title = re.match(r"# (.*)", cells[0].source)[1]
    return f"## [{title}](../notebooks/{path.name})\n\n{inside}\n"


def told(cell, below) -> str:
    """A cell's words; where they end in a colon, with what the cell below it prints."""
    words = re.sub(r"(</div>|\s)+$", "", cell.source)
    if not words.endswith(":") or not below or below.cell_type != "code":
        return cell.source
    printed = "".join(o.text for o in below.outputs if o.output_type == "stream")
    if not printed:
        return words[:-1] + ", as the picture in the lesson shows."
    block = indent(f"```\n{printed.rstrip()}\n```", "  ")
    return f"{words}\n\n{block}"


def page() -> str:
    """The whole page."""
    paths = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    return "\n".join([INTRO, *map(box, paths)])


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")

"""Counts of a lesson beside what it aims at: `python -m tools.notebooks table`.

The aims come from the courses that teach best. A lesson may miss
one for a reason; no test holds it to them.
"""

import re
import statistics
from collections.abc import Sequence
from itertools import pairwise

from tools.notebooks.layout import (
    LOOKED_UP,
    code_lines,
    is_aside,
    is_prediction,
    mark,
    prose_words,
    sittings,
    stored_picture,
)

AIMS: dict[str, tuple[float, float]] = {
    "cells": (60, 110),
    "words": (1800, 3500),
    "sitting": (30, 75),  # minutes of the longest
    "exercises": (3, 6),
    "predictions": (3, 20),
    "recalls": (3, 6),
    "figures": (5, 10),
    "explorers": (1, 6),
    "objectives": (3, 5),
    "plot": (0, 12),  # lines of the longest cell in sight that draws
    "median": (4, 6),  # lines of a code cell
    "p90": (4, 20),
    "seconds": (0, 90),  # of Run All
}
"""Measure -> the least and the most that a lesson aims at."""


def longest_code_run(cells) -> int:
    """The most code cells in a row without prose between them."""
    kinds = (" " if c.cell_type == "markdown" else "" if is_aside(c) else "c" for c in cells)
    runs = "".join(kinds).split()
    return max((len(r) for r in runs), default=0)


def stats(notebook) -> dict:
    """The measures of cells, code and pictures, by name."""
    cells = notebook.cells
    code = [c for c in cells if c.cell_type == "code"]
    lines = sorted(code_lines(c) for c in code) or [0]
    open_code = [
        (a, b) for a, b in pairwise(cells) if b.cell_type == "code" and not is_aside(b)
    ]
    after_prose = sum(above.cell_type == "markdown" for above, _ in open_code)
    shows = [bool(c.outputs) for c in code if c.outputs or not is_aside(c)]
    pictures = [o for c in code for o in c.outputs if stored_picture(o)]
    return {
        "cells": len(cells),
        "median": statistics.median(lines),
        "p90": lines[int(0.9 * (len(lines) - 1))],
        "longest": lines[-1],
        "code run": longest_code_run(cells),
        "after prose": round(after_prose / max(1, len(open_code)), 2),
        "shows": round(sum(shows) / max(1, len(shows)), 2),
        "words": prose_words(c for c in cells if mark(c).get("part") not in LOOKED_UP),
        "figures": len(pictures),
        "exercises": sum(mark(c).get("part") == "stub" for c in cells),
    }


def measures(notebook, exercises: dict, seconds: float) -> dict[str, float]:
    """Everything that AIMS names. exercises: name -> Exercise; seconds: of the last run."""
    cells = notebook.cells
    code = [c for c in cells if c.cell_type == "code"]
    recall = next((c.source for c in cells if c.source.startswith("## Recall\n")), "")
    goals = next((c.source for c in cells if c.source.startswith("## Objectives\n")), "")
    asked = re.findall(r"^\d+\. ", recall.split("<details>")[0], re.MULTILINE)
    values = stats(notebook) | {
        "sitting": max(sittings(cells, exercises)),
        "predictions": sum(map(is_prediction, cells)),
        "recalls": len(asked),
        "objectives": len(re.findall(r"^- ", goals, re.MULTILINE)),
        "plot": max((code_lines(c) for c in code if draws_in_sight(c)), default=0),
        "explorers": sum(bool(re.search(r"Explorer[.(]", c.source)) for c in code),
        "seconds": seconds,
    }
    return {name: values[name] for name in AIMS}


def draws_in_sight(cell) -> bool:
    """Whether a code cell draws a figure and is not folded."""
    return "alt=" in cell.source and not is_aside(cell)


def beside_aims(lessons: Sequence[dict]) -> str:
    """Lines of text: the aims, then each lesson (its number and `measures`); * marks a miss."""

    def shown(name, value) -> str:
        least, most = AIMS[name]
        return f"{value:,.0f}{' ' if least <= value <= most else '*'}"

    aims = [f"{least:,.0f}-{most:,.0f} " for least, most in AIMS.values()]
    rows = [["", *(f"{name} " for name in AIMS)], ["aim", *aims]]
    rows += [[x["lesson"], *(shown(name, x[name]) for name in AIMS)] for x in lessons]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = (" ".join(map(str.rjust, row, widths)).rstrip() for row in rows)
    return "\n".join(lines)

"""What a learner wrote, carried into a new version of the lesson, cell by cell.

Cells keep their ids from version to version. So a cell that the learner changed goes into the
new lesson in place of the one with its id, and a cell that they added stays behind the one that
was above it. Where both have changed a cell, an answer to an exercise is the learner's, and
anything else is the new lesson's.
"""

import copy
import re

UNWRITTEN = re.compile(r"^\s*\.\.\.\s*$|\(\.\.\.[,)]", re.MULTILINE)
"""What a cell of an exercise has that nobody has written into."""


def source(cell: dict) -> str:
    """The text of a cell, which a file has in lines."""
    return "".join(cell["source"])


def by_id(notebook: dict) -> dict[str, dict]:
    """id -> cell. KeyError for a notebook whose cells have none."""
    return {cell["id"]: cell for cell in notebook["cells"]}


def is_answer(cell: dict) -> bool:
    """Whether a cell is that of an exercise."""
    return cell.get("metadata", {}).get("gpt1", {}).get("part") == "stub"


def changed(base: dict | None, yours: dict) -> bool:
    """Whether a learner wrote into a cell.

    base: the cell as it was copied; where that is not known, only answers count.
    """
    if base is None:
        return is_answer(yours) and not UNWRITTEN.search(source(yours))
    return source(base) != source(yours)


def is_own(name: str, shipped: dict[str, dict], new: dict[str, dict]) -> bool:
    """Whether a learner added a cell: no version of the lesson has its id."""
    return bool(shipped) and name not in shipped and name not in new


def carried(base: dict, yours: dict, new: dict) -> tuple[dict, list[str], int]:
    """(the new lesson with what a learner wrote, answers carried over, cells left behind).

    base: the version that the learner began with, {"cells": []} if unknown. All three are
    notebooks as JSON. KeyError where cells have no ids.
    """
    result = copy.deepcopy(new)
    cells, shipped, mine = by_id(result), by_id(base), by_id(yours)
    answers, left = [], 0
    for name, cell in mine.items():
        if name not in cells or not changed(shipped.get(name), cell):
            continue
        stays = name not in shipped or source(shipped[name]) == source(cells[name])
        if is_answer(cell) or stays:
            take(cells[name], cell)
            if is_answer(cell):
                answers.append(cell["metadata"]["gpt1"]["exercise"])
        else:
            left += source(cells[name]) != source(cell)
    add_own(result, yours, shipped, cells)
    return result, answers, left


def take(cell: dict, written: dict) -> None:
    """Put what was written into a cell; what it printed before is of the old lesson."""
    cell["source"] = written["source"]
    if cell["cell_type"] == "code":
        cell["outputs"], cell["execution_count"] = [], None


def add_own(result: dict, yours: dict, shipped: dict, new: dict) -> None:
    """Add a learner's own cells, each behind the one above it that is still there."""
    above = ""
    for cell in yours["cells"]:
        if is_own(cell["id"], shipped, new):
            ids = [other["id"] for other in result["cells"]]
            place = ids.index(above) + 1 if above else 0
            result["cells"].insert(place, copy.deepcopy(cell))
            above = cell["id"]
        elif cell["id"] in new:
            above = cell["id"]

"""A labeled set of one's own: a table of two columns, a text and its class.

    text <tab> label
    the parcel came on time <tab> praise
    nobody answered my letter <tab> complaint

The first line names the columns; the file is UTF-8, and a spreadsheet saves it as "text,
tab-separated". Classes are the labels that occur. A tenth of the texts is kept for
validation and a tenth for the test, chosen by a checksum of each text.
"""

from pathlib import Path

from ..storage import files
from .task import Example, Task, sort_out, split_of

COLUMNS = ["text", "label"]


def read_own(path: Path) -> Task:
    """The task of a table; ValueError names the line that is wrong."""
    header, *lines = files.read_text(path).rstrip("\n").split("\n")
    if header.split("\t") != COLUMNS:
        raise ValueError(f"{path}, line 1: {header!r}, it must be 'text' and 'label', by a tab")
    rows = [row_of(path, n, line) for n, line in enumerate(lines, start=2)]
    classes = tuple(sorted({label for _, label in rows}))
    if len(classes) < 2:
        raise ValueError(f"{path}: labels are {[*classes]}, there must be two or more")
    splits = sort_out(
        (split_of(text), Example((text,), classes.index(label))) for text, label in rows
    )
    return Task(path.stem, "classification", len(classes), **splits, classes=classes)


def row_of(path: Path, n: int, line: str) -> tuple[str, str]:
    """(text, label) of one line."""
    cells = [cell.strip() for cell in line.split("\t")]
    if len(cells) != 2 or not all(cells):
        raise ValueError(f"{path}, line {n}: {line!r}, it must be a text, a tab and a label")
    return cells[0], cells[1]

"""A labeled set of one's own: a table of two columns, a text and its class.

    text,label
    "the parcel came on time, thank you",praise
    nobody answered my letter,complaint

The first line names the columns; others are ignored. A column text2 makes the examples
pairs, read in this order as those of entailment are. In a .csv file cells may be in
quotes, with commas and line breaks inside. In a .tsv file a tab separates them, and quotes
are ordinary characters. A .jsonl file has {"text": ..., "label": ...} on each line. All are
UTF-8. Classes are the labels that occur. A tenth of the texts is kept for validation and a
tenth for the test, chosen by a checksum of each text, in a small file class by class. Pairs
with the same first text stay together.
"""

import csv
import io
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from ..io import files
from .task import Example, Task, read_lines, sort_out, split_of

COLUMNS = ("text", "label")
SECOND = "text2"
MIN_PER_CLASS = 10
"""Examples that each class must have: with fewer there is nothing to learn or to measure."""
SMALL = 500
"""Texts below which each class is split for itself: checksums alone would be too uneven."""
SEPARATED = {
    "\t": "tabs: let its name end in .tsv",
    ";": "semicolons: save it again with commas, or with tabs as .tsv",
    ",": "commas: let its name end in .csv",
}
Row = tuple[int, tuple[str, ...], str]  # line number, one text or two, label


def read_own(path: str | Path) -> Task:
    """The task of a .csv, .tsv or .jsonl file. Raises ValueError that names a wrong line."""
    path = Path(path)
    if path.suffix.lower() not in PARSERS:
        raise ValueError(f"{path}: a set of your own must be one file: {', '.join(PARSERS)}")
    rows = [checked(path, *row) for row in PARSERS[path.suffix.lower()](path)]
    classes = classes_of(path, [label for _, label in rows])
    split = split_by_class(rows) if len(rows) < SMALL else {}
    splits = sort_out(
        (split.get(texts[0]) or split_of(texts[0]), Example(texts, classes.index(label)))
        for texts, label in rows
    )
    kind = "entailment" if len(rows[0][0]) == 2 else "classification"
    task = Task(path.stem, kind, len(classes), *splits, classes=classes)
    check_splits(path, task)
    return task


def checked(
    path: Path, n: int, texts: tuple[str, ...], label: str
) -> tuple[tuple[str, ...], str]:
    """The texts and the label of a line, without spaces around them."""
    cells = dict(zip((COLUMNS[0], SECOND), texts, strict=False)) | {"label": label}
    for name, cell in cells.items():
        if not cell.strip():
            raise ValueError(f"{path}, line {n}: the {name} is empty")
        try:
            cell.encode()
        except UnicodeEncodeError as error:
            half = error.object[error.start]
            raise ValueError(f"{path}, line {n}: {half!r} is half a character") from error
    return tuple(text.strip() for text in texts), label.strip()


def classes_of(path: Path, labels: list[str]) -> tuple[str, ...]:
    """The labels that occur, in order. Raises ValueError for a single class or a small one."""
    sizes = Counter(labels)
    if len(sizes) < 2:
        raise ValueError(f"{path}: labels are {[*sizes]}, there must be two or more")
    small = min(sizes, key=lambda label: sizes[label])
    if sizes[small] < MIN_PER_CLASS:
        raise ValueError(
            f"{path}: examples of label {small!r}: {sizes[small]}, each needs {MIN_PER_CLASS}"
        )
    return tuple(sorted(sizes, key=int if all(map(str.isdecimal, sizes)) else str))


def split_by_class(rows: list[tuple[tuple[str, ...], str]]) -> dict[str, str]:
    """First text -> train, valid or test (8 : 1 : 1 in each class), in order of checksums."""
    of_class: dict[str, list[str]] = {}
    for first, label in {texts[0]: label for texts, label in rows}.items():
        of_class.setdefault(label, []).append(first)
    split = {}
    for firsts in of_class.values():
        firsts.sort(key=lambda text: zlib.crc32(text.encode()))
        n = max(1, round(len(firsts) / 10))
        parts = ["valid"] * n + ["test"] * n + ["train"] * len(firsts)
        split |= dict(zip(firsts, parts, strict=False))
    return split


def check_splits(path: Path, task: Task) -> None:
    """Raise ValueError where a split is empty, or a class has no text to learn from."""
    for split in ("train", "valid", "test"):
        if not task.split(split):
            n = len(task.train) + len(task.valid) + len(task.test)
            raise ValueError(f"{path}: {n} texts are too few, none falls into the {split} set")
    learned = {example.label for example in task.train}
    for i, name in enumerate(task.classes):
        if i not in learned:
            raise ValueError(f"{path}: no text of label {name!r} is left to train on")


def csv_rows(path: Path) -> Iterator[Row]:
    """The rows of a .csv file."""
    return own_rows(path, csv_lines(path, io.StringIO(files.read_text(path), newline="")))


def csv_lines(path: Path, text: io.StringIO) -> Iterator[tuple[int, list[str]]]:
    """The cells of each row; one with line breaks in it counts where it begins."""
    reader = csv.reader(text, strict=True, skipinitialspace=True)
    while True:
        n = reader.line_num + 1
        try:
            yield n, next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            problem = f"its quotes are not in pairs ({error})"
            raise ValueError(f"{path}, line {n}: {problem}") from error


def tsv_rows(path: Path) -> Iterator[Row]:
    """The rows of a .tsv file."""
    lines = files.read_text(path).split("\n")
    return own_rows(path, ((n, line.split("\t")) for n, line in enumerate(lines, start=1)))


def own_rows(path: Path, lines: Iterator[tuple[int, list[str]]]) -> Iterator[Row]:
    """Text and label of each line that has any cell, by the columns that the first names."""
    _, first = next(lines, (1, []))
    header = [cell.strip().lower() for cell in first]
    text, label = (column_named(path, header, name) for name in COLUMNS)
    places = [text, header.index(SECOND)] if SECOND in header else [text]
    for n, cells in lines:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            here = "1 cell" if len(cells) == 1 else f"{len(cells)} cells"
            problem = f"{here}, the first line has {len(header)}"
            raise ValueError(f"{path}, line {n}: {problem}")
        yield n, tuple(cells[i] for i in places), cells[label]


def column_named(path: Path, header: list[str], name: str) -> int:
    """The place of a column. Raises ValueError where the first line lacks it."""
    if name in header:
        return header.index(name)
    problem = f"{path}, line 1: no column {name!r} in {header}"
    for separator, advice in SEPARATED.items():
        if len(header) == 1 and separator in header[0]:
            problem += f". It seems separated by {advice}"
    raise ValueError(problem)


def jsonl_rows(path: Path) -> Iterator[Row]:
    """The rows of a .jsonl file; a label is a string or a whole number."""
    rows = read_lines(path, COLUMNS)
    names = [COLUMNS[0], *([SECOND] if any(SECOND in row for row in rows) else [])]
    for n, row in enumerate(rows, start=1):
        for name in names:
            if not isinstance(row.get(name), str):
                problem = f"the {name} is {row.get(name)!r}, it must be a string"
                raise ValueError(f"{path}, line {n}: {problem}")
        label = row["label"]
        if not isinstance(label, str | int) or isinstance(label, bool):
            problem = f"the label is {label!r}, it must be a string or a whole number"
            raise ValueError(f"{path}, line {n}: {problem}")
        yield n, tuple(row[name] for name in names), str(label)


PARSERS = {".csv": csv_rows, ".tsv": tsv_rows, ".jsonl": jsonl_rows}

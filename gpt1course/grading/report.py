"""Marks for a folder of submitted lessons: `python -m gpt1course grade FILE_OR_FOLDER ...`

    python -m gpt1course grade submissions/*.ipynb
    python -m gpt1course grade submissions --out marks.csv --points points.csv

One row per submission, one column per exercise, and what is wrong in the words of the
lesson. Each exercise runs in a process of its own, without network, with limits of time and
memory; worker.py says what is judged, and where. If interrupted, it goes on where it was;
to mark all anew, delete the table. With GPT1_STRICT=1 it fails unless all have full marks.
"""

import argparse
import ast
import csv
import hashlib
import io
import os
import re
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from pathlib import Path

from tqdm import tqdm

from gpt1lib import validate
from gpt1lib.cli import one_line_errors
from gpt1lib.io import paths
from gpt1lib.io.files import blame_file, read_json, read_text, sha256, write_text

from .. import settings, workspace
from ..checking.exercise import student_called
from ..handout import exercises_on_sheet
from . import class_view, handed_in
from .table_text import harmless, one_line
from .worker import NO_CELL, Limits, Submitted, imports_of, isolation, mark_cell, without_magic

BOM = "\ufeff"  # by which Excel knows UTF-8
COPIES = 3  # how many cells of one exercise are tried; one of them must be right
LARGEST_FILE, LARGEST_CELL = 100_000_000, 1_000_000  # bytes, letters
MOST_POINTS = 1000
MOST_SECONDS, LEAST_GIGABYTES, MOST_GIGABYTES = 3600, 0.1, 1024
FIRST = ["student", "submission", "lesson", "asked_for", "numbers_for"]
FIRST += ["sha256", "limits", "isolation"]
NOT_KNOWN = "?"  # which --lesson was asked for: of a row from before this was written down
LAST = ["total", "of", "mistakes"]
NUMBER = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")


# ---- what is handed in ------------------------------------------------------------------


def submissions(given: list[Path]) -> list[Path]:
    """The notebooks among files and in folders, and links that lead nowhere.

    Raises FileNotFoundError if there are none, or if one that was named does not exist.
    """
    if missing := [str(path) for path in given if not os.path.lexists(path)]:
        raise FileNotFoundError(f"there is no {', no '.join(missing)}")
    paths = [p for path in given for p in (notebooks_in(path) if path.is_dir() else [path])]
    paths = [p for p in dict.fromkeys(paths) if p.is_file() or not p.exists()]
    if not paths:
        raise FileNotFoundError(f"no notebooks in {', '.join(map(str, given))}")
    return paths


def notebooks_in(folder: Path) -> list[Path]:
    """The notebooks in a folder and below it."""
    found = (p for p in folder.rglob("*") if p.suffix.lower() == ".ipynb")
    return sorted(p for p in found if not handed_in.hidden(p, folder))


def folders_of(found: list[Path]) -> tuple[str, ...]:
    """The folders with the submissions, but for those that the library lies in."""
    folders = {Path(os.path.realpath(path)).parent for path in found}
    return tuple(str(f) for f in sorted(folders) if not paths.ROOT.is_relative_to(f))


@dataclass(frozen=True)
class CodeCell:
    """A code cell.

    exercise: the one that it is marked as, or empty. letters: how many it has where they are
    too many to be read; its source is empty then.
    """

    source: str
    exercise: str = ""
    letters: int = 0

    def asks_for(self, name: str) -> bool:
        """Whether this is the cell of an exercise: it is marked so, or checks it."""
        by_name = rf"check\(.*[\"']{name}[\"']"
        checks = rf"^[^#\n]*lesson\.(check\(\s*{name}\s*[,)]|{by_name}|{name}\.check\()"
        return self.exercise == name or bool(re.search(checks, self.source, re.MULTILINE))


def cells_of(path: Path) -> list[CodeCell]:
    """The code cells of a notebook; ValueError in a sentence for a file that is not one."""
    if (size := size_of(path)) > LARGEST_FILE:
        raise ValueError(
            f"this file has {size:,} bytes, and at most {LARGEST_FILE:,} are read."
        )
    try:
        notebook = read_json(path)
        return [read_cell(c) for c in notebook["cells"] if c["cell_type"] == "code"]
    except Exception as error:  # whatever a student hands in
        raise ValueError(f"this is not a notebook ({type(error).__name__}).") from error


def size_of(path: Path) -> int:
    """The bytes of a file; 0 for one that cannot be read."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def read_cell(cell: dict) -> CodeCell:
    """What counts of a cell as a notebook stores it."""
    mark = cell.get("metadata", {}).get("gpt1", {})
    source, name = "".join(cell["source"]), str(mark.get("exercise", ""))
    is_read = len(source) <= LARGEST_CELL
    return CodeCell(source, name) if is_read else CodeCell("", name, len(source))


def exercise_names(lesson: str) -> tuple[str, ...]:
    """The exercises of a lesson, such as 05."""
    return tuple(e.name for e in workspace.exercises(lesson))


@cache
def imports_in(lesson: str) -> str:
    """What the course's own notebook of a lesson imports."""
    return imports_of([cell.source for cell in cells_of(workspace.lesson_notebook(lesson))])


@cache
def lesson_of_exercise() -> dict[str, str]:
    """Exercise -> lesson; no two lessons have one of the same name."""
    numbers = [path.name[:2] for path in workspace.lessons()]
    return {name: number for number in numbers for name in exercise_names(number)}


def lesson_of(path: Path, cells: list[CodeCell]) -> str:
    """The lesson of a notebook: by its exercises, else by its name; "" if unknown."""
    known = lesson_of_exercise()
    votes = Counter(
        number for name, number in known.items() if any(c.asks_for(name) for c in cells)
    )
    numbers = re.findall(r"(?<!\d)(\d\d)_", path.name)
    named = [n for n in numbers if n in known.values()]
    return votes.most_common(1)[0][0] if votes else named[-1] if named else ""


# ---- marking ----------------------------------------------------------------------------


def mistake_in(cells: list[CodeCell], lesson: str, name: str, limits: Limits) -> str:
    """What is wrong with one exercise of a notebook; empty if it is right."""
    sources = [c.source for c in cells if c.asks_for(name) and not c.letters]
    if not sources:
        return why_no_cell(cells, name)
    again = any(re.search(rf"lesson\.{name}\.another\(", c.source) for c in cells)
    asked = (again, numbers_for(cells))
    verdicts = []
    for source in list(dict.fromkeys(sources))[-COPIES:][::-1]:  # the last one first
        verdict = mark_cell(Submitted(lesson, name, source, *asked), imports_in(lesson), limits)
        if verdict is None:
            return ""
        verdicts.append(verdict)
    verdicts.sort(key=lambda v: v.status == "TODO")
    return one_line(verdicts[0].message)


def why_no_cell(cells: list[CodeCell], name: str) -> str:
    """Why a notebook has no cell of an exercise that could be marked."""
    large = [c.letters for c in cells if c.letters and c.exercise in ("", name)]
    if not large:
        return f"{NO_CELL} (or the notebook is of an older version)."
    which = "its cell" if any(c.exercise == name for c in cells) else "a cell without a mark"
    return f"{which} has {max(large):,} letters, and at most {LARGEST_CELL:,} are read."


def numbers_for(cells: list[CodeCell]) -> str:
    """Whose numbers a notebook asks about at its end; empty where everybody has the same.

    Nothing is run: the name is a text in the call, or a variable to which the cell gave one.
    """
    texts: dict[str, str] = {}
    student = ""
    for node in chain.from_iterable(map(nodes_in, cells)):
        match node:
            case ast.Assign([ast.Name(variable)], ast.Constant(str(text))):
                texts[variable] = text
            case ast.Call(
                ast.Attribute(ast.Attribute(ast.Name("lesson"), "check"), "numbers_for")
            ):
                given = [*node.args, *(k.value for k in node.keywords if k.arg == "student")]
                student = text_of(given, texts, student)
    return student_called(student)


def nodes_in(cell: CodeCell) -> Iterator[ast.AST]:
    """The syntax of a cell that names `numbers_for`, statement by statement."""
    if "numbers_for" not in cell.source:
        return
    try:
        with warnings.catch_warnings(action="ignore"):  # what Python thinks of "\d"
            body = ast.parse(without_magic(cell.source)).body
    except (SyntaxError, ValueError, MemoryError, RecursionError):  # nor does it run
        return
    for statement in body:
        yield from ast.walk(statement)


def text_of(given: list[ast.expr], texts: dict[str, str], unknown: str) -> str:
    """The text that the only argument of a call is, or that its variable has."""
    match given:
        case [ast.Constant(str(text))]:
            return text
        case [ast.Name(variable)]:
            return texts.get(variable, unknown)
    return unknown


def which_file(path: Path) -> str:
    """What tells two files apart; empty for one that cannot be read."""
    try:
        return sha256(path)[:12]
    except OSError:
        return ""


def row_name(path: Path) -> str:
    """What a submission is called in the table, where no two paths have one name.

    A path that is not shown as it is, for its line breaks or its length, ends in a checksum.
    """
    plain, name = str(path), harmless(str(path))
    if name.removeprefix("'") == plain:
        return name
    return f"{name} ({hashlib.sha256(os.fsencode(plain)).hexdigest()[:8]})"


def marks_of(path: Path, only: str, points: dict[str, float], limits: Limits) -> dict:
    """The row of one submission."""
    row = {"submission": row_name(path), "lesson": only, "asked_for": only}
    row |= {"sha256": which_file(path), "limits": shown(limits)}
    row |= {"isolation": "", "numbers_for": ""}
    try:
        cells = cells_of(path)
        lesson = lesson_of(path, cells)
        if not lesson or only not in ("", lesson):
            raise ValueError(
                f"this is lesson {lesson}, not {only}."
                if lesson
                else "this is not a lesson of the course: it has none of its exercises."
            )
    except ValueError as error:
        return row | _totals(
            names_worth_points(only, points) if only else (), {}, points, str(error)
        )
    row |= {"lesson": lesson, "numbers_for": harmless(numbers_for(cells))}
    asked = names_worth_points(lesson, points)
    wrong = {name: mistake_in(cells, lesson, name, limits) for name in asked}
    row["isolation"] = isolation()
    return row | _totals(wrong, wrong, points, "")


def names_worth_points(lesson: str, points: dict[str, float]) -> list[str]:
    """The exercises of a lesson that are marked: those worth nothing are not."""
    return [name for name in exercise_names(lesson) if points.get(name, 1.0)]


def shown(limits: Limits) -> str:
    """Time and memory of each exercise, as the table has them."""
    seconds = "10 or more" if limits.seconds is None else f"{limits.seconds:g}"
    return f"{seconds} s, {limits.gigabytes:g} GB"


def _totals(names, wrong: dict[str, str], points: dict[str, float], refused: str) -> dict:
    """Points by exercise, their sum, what could be had, and the mistakes."""
    worth = {name: points.get(name, 1.0) for name in names}
    had = {name: worth[name] * (name in wrong and not wrong[name]) for name in names}
    told = class_view.all_told({name: why for name, why in wrong.items() if why})
    totals = [sum(had.values()), sum(worth.values())]
    shown = {key: f"{x:g}" for key, x in [*had.items(), *zip(LAST, totals, strict=False)]}
    return shown | {"mistakes": refused or told}


def read_points(path: Path | None) -> dict[str, float]:
    """Exercise -> points, from lines such as `causal_mask,2`; ValueError if one is not so."""
    points = {}
    for n, line in enumerate(read_text(path).splitlines() if path else [], start=1):
        name, _, worth = line.replace(";", ",").partition(",")
        if not name.strip() or name.strip() in ("exercise", "name"):
            continue
        with blame_file(f"{path}, line {n}"):
            if name.strip() not in lesson_of_exercise():
                raise ValueError(f"no lesson has an exercise {name.strip()!r}")
            if not 0 <= float(worth) <= MOST_POINTS:
                raise ValueError(f"points are between 0 and {MOST_POINTS}, not {worth.strip()}")
            points[name.strip()] = float(worth)
    return points


def worth_nothing(lesson: str, sections: list[int] | None) -> dict[str, float]:
    """0 points for each exercise of a lesson that its lab sheet does not have."""
    if not sections:
        return {}
    if not lesson:
        raise ValueError("--sections needs --lesson, such as 05")
    asked = exercises_on_sheet(workspace.lesson_notebook(lesson), sections)
    return {name: 0.0 for name in exercise_names(lesson) if name not in asked}


# ---- the table --------------------------------------------------------------------------


def as_csv(rows: list[dict]) -> str:
    """The rows as CSV; what an exercise is worth nothing to stays empty."""
    lessons = sorted({row["lesson"] for row in rows} - {""})
    names = [name for lesson in lessons for name in in_order(lesson)]
    text = io.StringIO()
    table = csv.DictWriter(text, [*FIRST, *names, *LAST], restval="")
    table.writeheader()
    table.writerows(rows)
    return BOM + text.getvalue()


@cache
def in_order(lesson: str) -> tuple[str, ...]:
    """The exercises of a lesson in the order of its notebook."""
    marks = [cell.exercise for cell in cells_of(workspace.lesson_notebook(lesson))]
    return tuple(dict.fromkeys([*filter(None, marks), *exercise_names(lesson)]))


def marked_before(out: Path) -> dict[str, dict]:
    """Submission -> its row, of what an earlier run wrote; ValueError for another table."""
    if not out.is_file():
        return {}
    reader = csv.DictReader(io.StringIO(read_text(out), newline=None))  # any line endings
    try:
        rows = list(reader)
    except csv.Error as error:
        raise ValueError(f"{out} is not a table of marks: {error}") from error
    columns = set(reader.fieldnames or ())
    if not {*FIRST, *LAST} - {"asked_for"} <= columns:
        raise ValueError(f"{out} is not a table of marks; take another --out")
    if own := sorted(columns - {*FIRST, *LAST, *lesson_of_exercise()}):
        raise ValueError(f"{out} has a column {own[0]!r} of your own; take another --out")
    with blame_file(out):
        kept = [checked_row(row, n) for n, row in enumerate(rows, start=2)]
    return {row["submission"]: row for row in kept}


def checked_row(row: dict, n: int) -> dict:
    """A row as `marks_of` makes it; ValueError unless its fields are of their kinds."""
    if None in row or None in row.values():
        raise ValueError(f"row {n} has not as many fields as there are columns")
    if row["lesson"] not in {"", *lesson_of_exercise().values()}:
        raise ValueError(f"row {n} names a lesson {row['lesson']!r}, which there is not")
    for name in row.keys() - {*FIRST, "mistakes"}:
        if row[name] and not NUMBER.fullmatch(row[name]):
            raise ValueError(f"row {n} has {row[name][:40]!r} for {name}, no number")
    return {"asked_for": NOT_KNOWN} | {k: v for k, v in row.items() if v or k in FIRST}


def is_marked(
    row: dict | None,
    path: Path,
    points: dict[str, float],
    limits: Limits,
    only: str | None = None,
) -> bool:
    """Whether a row is of this very file and limits, and worth what its exercises are now.

    only: the lesson that is asked for now, "" for any; None does not compare it.
    """
    if row is None or (row["sha256"], row.get("limits")) != (which_file(path), shown(limits)):
        return False
    if only is not None and row["asked_for"] != only:
        return False
    known = row["lesson"] in lesson_of_exercise().values()
    names = names_worth_points(row["lesson"], points) if known else []
    worth = {name: points.get(name, 1.0) for name in names}
    fit = all(row.get(name) in ("0", f"{most:g}") for name, most in worth.items())
    return fit and row.get("of") == f"{sum(worth.values()):g}"


def grade(given: list[Path], out: Path, only: str, points: dict, limits: Limits) -> list[dict]:
    """Mark all submissions, writing the table after each; returns its rows.

    What an earlier run marked stays in the table, and is not marked again while the file, its
    points, the limits and the lesson that is asked for are the same.
    """
    table = marked_before(out)
    for path in tqdm(submissions(given), desc="marking", unit="notebook"):
        name = row_name(path)
        if not is_marked(table.get(name), path, points, limits, only):
            table[name] = marks_of(path, only, points, limits)
        table[name]["student"] = harmless(handed_in.student_of(path, given))
        write_text(out, as_csv(list(table.values())))
    return list(table.values())


def of_class(rows: list[dict]) -> list[class_view.Known]:
    """What a class knows of each exercise that was marked."""
    lessons = sorted({row["lesson"] for row in rows} - {""})
    named = [(lesson, name) for lesson in lessons for name in in_order(lesson)]
    marked = [(lesson, name) for lesson, name in named if any(name in row for row in rows)]
    return [class_view.known(rows, lesson, name) for lesson, name in marked]


def unzipped_beside(out: Path) -> Path:
    """Where zip files are unpacked."""
    return out.with_name(f"{out.stem}_unzipped")


def check_options(args: argparse.Namespace) -> None:
    """ValueError for a limit that no answer could keep, or a table that is a folder."""
    if args.seconds is not None:
        what = f"above 0 and at most {MOST_SECONDS}"
        validate.check_float("--seconds", args.seconds, gt=0, le=MOST_SECONDS, what=what)
    validate.check_float("--gigabytes", args.gigabytes, ge=LEAST_GIGABYTES, le=MOST_GIGABYTES)
    if args.out.is_dir():
        raise ValueError(f"--out is {args.out}, a folder; name a file in it")


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `grade` takes."""
    parser.add_argument(
        "submissions", nargs="+", type=Path, help="notebooks, folders of them, zip files"
    )
    parser.add_argument("--out", type=Path, default=Path("marks.csv"), help="default marks.csv")
    parser.add_argument("--lesson", default="", help="such as 05: others get no points")
    parser.add_argument("--sections", type=int, nargs="+", help="of a lab sheet, see handout")
    parser.add_argument("--points", type=Path, help="a CSV of lines such as causal_mask,2")
    parser.add_argument("--seconds", type=float, help="per exercise; default 10 or more")
    parser.add_argument("--gigabytes", type=float, default=2.0, help="of memory; default 2")


def run(args: argparse.Namespace) -> int:
    """Mark, write the table, print what the class knows; returns the exit code."""
    with one_line_errors("grade", "the same command"):
        check_options(args)
        only = args.lesson.zfill(2) if args.lesson else ""
        if only:
            workspace.lesson_notebook(only)
        given, others = handed_in.unpack(args.submissions, unzipped_beside(args.out))
        try:
            limits = Limits(args.seconds, args.gigabytes, folders_of(submissions(given)))
            points = read_points(args.points) | worth_nothing(only, args.sections)
            rows = grade(given, args.out, only, points, limits)
            print_summary(rows, args.out)
        finally:  # also if there is nothing else
            if others:
                print(f"not looked at: {', '.join(others)}")
    full = all(row["lesson"] and row.get("total") == row.get("of") for row in rows)
    return int(not full and settings.strict())


def print_summary(rows: list[dict], out: Path) -> None:
    """Print what the class knows, write it, and print what the lecturer should look at."""
    known, beside = of_class(rows), class_view.file_beside(out)
    write_text(beside, BOM + class_view.as_csv(known))
    print("\n".join(map(class_view.in_words, known)))
    print(f"submissions marked in {out}: {len(rows)}; the class in {beside}")
    if n := sum(not row["lesson"] for row in rows):
        print(f"not readable as a lesson: {n}; see the column mistakes")
    if (walls := isolation()) != "isolated":
        print(f"The submissions were {walls} (see teaching/README.md)")

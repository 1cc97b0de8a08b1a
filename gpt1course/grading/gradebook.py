"""Marks for a learning platform: `python -m gpt1course gradebook marks.csv ...`

    python -m gpt1course gradebook marks.csv --moodle worksheet.csv --out filled.csv
    python -m gpt1course gradebook marks.csv --canvas grades.csv --column "Lesson 05" \\
        --out filled.csv
    python -m gpt1course gradebook marks.csv --feedback build/feedback

The first two fill in the file that the platform itself exports, for you to import again.
Students are found by the number that the platform put into the name of their folder or file,
else by their name. Points are scaled to the most that the platform's file names. For Moodle
the feedback is the list of mistakes. --feedback writes a page for each student.
"""

import argparse
import csv
import html
import io
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpt1lib.io.files import read_text, write_text

from . import class_view, handed_in
from .report import BOM, in_order, marked_before

NO_MISTAKES = "All exercises passed."
MOODLE = {"grade": "Grade", "most": "Maximum grade", "feedback": "Feedback comments"}
POINTS = "points possible"  # the row of Canvas' file that has the most of each column


@dataclass
class Sheet:
    """A platform's table: its header and its rows, as lists of cells."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    separator: str

    def place(self, name: str) -> int:
        """The column of this name, or of one that begins so. ValueError if there is none."""
        names = [cell.strip().lower() for cell in self.header]
        found = [i for i, cell in enumerate(names) if cell == name.lower()]
        found += [i for i, cell in enumerate(names) if cell.startswith(name.lower())]
        if not found:
            raise ValueError(f"{self.path} has no column {name!r}, it has {self.header}")
        return found[0]

    def as_csv(self) -> str:
        """The table as text, with the mark by which Excel knows UTF-8."""
        text = io.StringIO()
        csv.writer(text, delimiter=self.separator).writerows([self.header, *self.rows])
        return BOM + text.getvalue()


def read_sheet(path: Path) -> Sheet:
    """A platform's CSV file, whatever separates its cells. ValueError if it has no rows."""
    text = read_text(path)
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    header, *rows = [*csv.reader(io.StringIO(text), delimiter=separator)] or [[]]
    if not rows:
        raise ValueError(f"{path} has no rows")
    return Sheet(
        path, header, [row + [""] * (len(header) - len(row)) for row in rows], separator
    )


# ---- one row of marks for each student ---------------------------------------------------


def best_of_each(rows: list[dict], lesson: str) -> dict[str, dict]:
    """Student -> the row with the most points, of one lesson.

    Raises ValueError where the table has several lessons and none is chosen.
    """
    lessons = sorted({row["lesson"] for row in rows} - {""})
    if not lesson and len(lessons) > 1:
        raise ValueError(f"the table has the lessons {', '.join(lessons)}: choose by --lesson")
    best: dict[str, dict] = {}
    for row in rows:
        of_lesson = row["lesson"] in ("", lesson or row["lesson"])
        if of_lesson and points_of(row) >= points_of(best.get(row["student"], {})):
            best[row["student"]] = row
    return best


def points_of(row: dict) -> float:
    """The points of a row; -1 where there is none."""
    return float(row.get("total") or -1)


def scaled(row: dict, most: str) -> str:
    """The points of a row for a platform that gives `most` of them; as they are for ""."""
    of = float(row.get("of") or 0)
    total = max(0.0, points_of(row))
    share = total / of if of else 0.0
    return f"{share * float(most.replace(',', '.')):.2f}" if most.strip() else f"{total:g}"


def feedback(row: dict) -> str:
    """What is wrong, an exercise a line."""
    told = class_view.told_of(row)
    lines = [f"{name}: {why}" for name, why in told.items()]
    return "\n".join(lines) or row.get("mistakes", "") or NO_MISTAKES


def finder(best: dict[str, dict]) -> Callable[[list[str]], dict | None]:
    """A function that finds the marks of a platform's row, by number, else by name."""
    by_number = {n: row for row in best.values() for n in numbers_of(row)}
    by_name = {plain(name): row for name, row in best.items()}

    def find(cells: list[str]) -> dict | None:
        numbers = [n for cell in cells[:4] for n in re.findall(r"^(?:\D* )?(\d+)$", cell)]
        found = [by_number[n] for n in numbers if n in by_number]
        found += [by_name[plain(cell)] for cell in cells[:3] if plain(cell) in by_name]
        return found[0] if found else None

    return find


def numbers_of(row: dict) -> list[str]:
    """The platform's numbers in the name of a submission, the student's first."""
    named = [p for p in Path(row["submission"]).parts if handed_in.PLATFORM.match(p)]
    return [n for part in named for n in handed_in.numbers_in(part)][:1]


def plain(name: str) -> str:
    """A name without order, case and signs: "Müller, Jörg" is "jörg müller"."""
    return " ".join(sorted(re.findall(r"\w+", name.lower())))


# ---- the platforms ----------------------------------------------------------------------


def fill_moodle(sheet: Sheet, best: dict[str, dict], columns: dict[str, str]) -> set[str]:
    """Fill in grades and comments of Moodle's worksheet; returns the students found."""
    grade, comments = sheet.place(columns["grade"]), sheet.place(columns["feedback"])
    most = columns["most"].lower()
    has_most = most in (cell.strip().lower() for cell in sheet.header)
    find, found = finder(best), set()
    for cells in sheet.rows:
        if row := find(cells):
            cells[grade] = scaled(row, cells[sheet.place(most)] if has_most else "")
            cells[comments] = feedback(row)
            found.add(row["student"])
    return found


def fill_canvas(sheet: Sheet, best: dict[str, dict], column: str) -> set[str]:
    """Fill in one column of Canvas' gradebook; returns the students found."""
    place = sheet.place(column)
    most = [row[place] for row in sheet.rows if row[0].strip().lower() == POINTS]
    find, found = finder(best), set()
    for cells in sheet.rows:
        if row := find(cells):
            cells[place] = scaled(row, most[0] if most else "")
            found.add(row["student"])
    return found


# ---- a page for each student -------------------------------------------------------------

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{student}</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em }}
td {{ vertical-align: top; padding: .2em 1em .2em 0 }}</style>
<h1>{student}</h1>
{lessons}
</html>
"""
LESSON = "<h2>Lesson {lesson}: {total} of {of}</h2>\n<table>\n{rows}\n</table>"
ROW = "<tr><td>{name}</td><td>{points}</td><td>{told}</td></tr>"


def pages(rows: list[dict]) -> dict[str, str]:
    """Name of a file -> the page of a student with all lessons."""
    by_student: dict[str, list[dict]] = {}
    for row in rows:
        by_student.setdefault(row["student"], []).append(row)
    return {
        f"{file_name(student)}.html": PAGE.format(
            student=html.escape(student), lessons="\n".join(map(lesson_shown, mine))
        )
        for student, mine in by_student.items()
    }


def lesson_shown(row: dict) -> str:
    """The exercises of one submission with their points and what is wrong."""
    told = class_view.told_of(row)
    names = [name for name in in_order(row["lesson"]) if name in row] if row["lesson"] else []
    shown = [
        ROW.format(name=name, points=row[name], told=html.escape(told.get(name, "right")))
        for name in names
    ]
    words = {key: html.escape(row.get(key) or "0") for key in ("lesson", "total", "of")}
    if not names:
        return f"<p>{html.escape(row.get('mistakes', ''))}</p>"
    return LESSON.format(rows="\n".join(shown), **words)


def file_name(student: str) -> str:
    """A student's name as that of a file on every system."""
    return re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", student).strip(". ") or "unnamed"


# ---- the command ------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `gradebook` takes."""
    parser.add_argument("marks", type=Path, help="what grade wrote")
    parser.add_argument("--moodle", type=Path, help="the grading worksheet of an assignment")
    parser.add_argument("--canvas", type=Path, help="the exported gradebook")
    parser.add_argument("--column", help="of the assignment in Canvas' gradebook")
    parser.add_argument("--lesson", default="", help="such as 05, if the table has several")
    parser.add_argument("--out", type=Path, help="where the filled file goes")
    parser.add_argument("--feedback", type=Path, help="a folder for a page for each student")
    for name, default in MOODLE.items():
        told = f"in Moodle's worksheet of another language (default: {default})"
        parser.add_argument(f"--{name}-column", default=default, help=told)


def run(args: argparse.Namespace) -> None:
    """Fill in what is asked for, and say who was not found."""
    rows = list(marked_before(args.marks).values())
    if not rows:
        raise ValueError(f"{args.marks} has no marks; `grade` writes it")
    if not (args.moodle or args.canvas or args.feedback):
        raise ValueError("name --moodle, --canvas or --feedback")
    if args.feedback:
        for name, page in pages(rows).items():
            write_text(args.feedback / name, page)
        print(f"a page for each student in {args.feedback}")
    if given := args.moodle or args.canvas:
        fill(given, rows, args)


def fill(given: Path, rows: list[dict], args: argparse.Namespace) -> None:
    """Write a platform's file again with the marks in it."""
    if not args.out or args.out == given:
        raise ValueError("name another file by --out: the platform's own stays as it is")
    sheet, best = read_sheet(given), best_of_each(rows, args.lesson and args.lesson.zfill(2))
    if args.moodle:
        columns = {name: getattr(args, f"{name}_column") for name in MOODLE}
        found = fill_moodle(sheet, best, columns)
    elif not args.column:
        raise ValueError("name the column of the assignment by --column")
    else:
        found = fill_canvas(sheet, best, args.column)
    write_text(args.out, sheet.as_csv())
    print(f"{len(found)} of {len(best)} students filled in, in {args.out}")
    if missing := sorted(set(best) - found):
        print(f"not in {given}: {', '.join(missing)}")

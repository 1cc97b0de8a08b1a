"""Marks for a learning platform: `python -m gpt1course gradebook marks.csv ...`

    python -m gpt1course gradebook marks.csv --moodle worksheet.csv --out filled.csv
    python -m gpt1course gradebook marks.csv --canvas grades.csv --column "Lesson 05" \\
        --out filled.csv
    python -m gpt1course gradebook marks.csv --feedback build/feedback

The first two fill in the file that the platform itself exports, for you to import again.
Students are found by the number that the platform put into the name of their folder or file.
Those without one are found by their name, if no other student has it. Points are scaled to
the most that the platform's file names. For Moodle the feedback is the list of mistakes.
--feedback writes a page for each student.
"""

import argparse
import csv
import html
import io
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from gpt1lib.io.files import read_text, write_text

from . import class_view, handed_in
from .report import BOM, in_order, marked_before
from .table_text import harmless

NO_MISTAKES = "All exercises passed."
MOODLE = {"grade": "Grade", "most": "Maximum grade", "feedback": "Feedback comments"}
POINTS = "points possible"  # the row of Canvas' file that has the most of each column
Student = tuple[str, str]
"""(number, name); the number is empty where no platform has given one."""


@dataclass
class Sheet:
    """A platform's table: its header and its rows, as lists of cells."""

    path: Path
    header: list[str]
    rows: list[list[str]]
    separator: str

    def place(self, name: str) -> int:
        """The column of this name, else of "name (77)" as in Canvas, else one that begins so.

        ValueError if there is none, or several that the name may mean.
        """
        wanted = re.escape(name.strip())
        for pattern in (wanted, rf"{wanted} \(\d+\)", f"{wanted}.*"):
            fits = re.compile(pattern, re.IGNORECASE).fullmatch
            found = [i for i, cell in enumerate(self.header) if fits(cell.strip())]
            if len(found) > 1:
                several = [self.header[i] for i in found]
                raise ValueError(f"{self.path} has several columns for {name!r}: {several}")
            if found:
                return found[0]
        raise ValueError(f"{self.path} has no column {name!r}, it has {self.header}")

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


# ---- whose marks they are ---------------------------------------------------------------


def student_in(row: dict) -> Student:
    """Whose a row is: two students may have one name."""
    named = platform_of(row)
    return named.number if named else "", row["student"]


def platform_of(row: dict) -> handed_in.Named | None:
    """How a platform names the student of a row, in the name of a folder or of a file.

    Other parts of the path may look alike, such as a notebook lab_05_2_a.ipynb.
    """
    found = map(handed_in.named_in, Path(row["submission"]).parts)
    return next((n for n in found if n and harmless(n.student) == row["student"]), None)


def number_of(row: dict) -> str:
    """The platform's number of the student, "" if there is none."""
    return student_in(row)[0]


def shown(student: Student) -> str:
    """A student's name, and the number, if there is one."""
    number, name = student
    return f"{name} ({number})" if number else name


def plain(name: str) -> str:
    """A name without order, case and signs: "Müller, Jörg" is "jörg müller"."""
    return " ".join(sorted(re.findall(r"\w+", name.lower())))


# ---- one row of marks for each student ---------------------------------------------------


def best_of_each(rows: list[dict], lesson: str) -> dict[Student, dict]:
    """Student -> the row with the most points, of one lesson.

    Raises ValueError where the table has several lessons and none is chosen.
    """
    lessons = sorted({row["lesson"] for row in rows} - {""})
    if not lesson and len(lessons) > 1:
        raise ValueError(f"the table has the lessons {', '.join(lessons)}: choose by --lesson")
    best: dict[Student, dict] = {}
    for row in rows:
        student, of_lesson = student_in(row), row["lesson"] in ("", lesson or row["lesson"])
        if of_lesson and points_of(row) >= points_of(best.get(student, {})):
            best[student] = row
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


def rows_found(
    sheet: Sheet, best: dict[Student, dict], number_in: Callable[[list[str]], str]
) -> dict[Student, list[str]]:
    """Student -> their row of a platform's table, by the platform's number, else by name.

    number_in: the number in a row that the platform itself gave; tables have others, too, such
    as that of a university. Raises ValueError if two rows are of one student.
    """
    by_number, by_name = students_by_number(best), students_by_name(best, sheet.rows)
    found: dict[Student, list[str]] = {}
    for cells in sheet.rows:
        named = (by_name.get(plain(cell)) for cell in cells[:3])
        student = by_number.get(number_in(cells)) or next(filter(None, named), None)
        if student in found:
            raise ValueError(f"{sheet.path} has two rows for {shown(student)}")
        if student:
            found[student] = cells
    return found


def moodles_number(cells: list[str]) -> str:
    """The number in "Participant 12", which a worksheet of any language begins with."""
    number = re.fullmatch(r"\D+(\d+)", cells[0].strip())
    return number[1] if number else ""


def students_by_number(best: dict[Student, dict]) -> dict[str, Student]:
    """Number -> the student, if it is the number of one alone."""
    n_students = Counter(number for number, _ in best)
    return {
        number: (number, name) for number, name in best if number and n_students[number] == 1
    }


def students_by_name(best: dict[Student, dict], rows: list[list[str]]) -> dict[str, Student]:
    """Plain name -> a student whom no number finds, if no other has it, here or in `rows`."""
    numbered = students_by_number(best)
    here = Counter(plain(name) for _, name in best)
    there = Counter(name for cells in rows for name in {plain(cell) for cell in cells[:3]})
    found = {plain(student[1]): student for student in best if student[0] not in numbered}
    return {n: student for n, student in found.items() if n and here[n] == 1 and there[n] <= 1}


# ---- the platforms ----------------------------------------------------------------------


def fill_moodle(
    sheet: Sheet, best: dict[Student, dict], columns: dict[str, str]
) -> set[Student]:
    """Fill in grades and comments of Moodle's worksheet; returns the students found."""
    grade, comments = sheet.place(columns["grade"]), sheet.place(columns["feedback"])
    most = columns["most"].lower()
    has_most = most in (cell.strip().lower() for cell in sheet.header)
    found = rows_found(sheet, best, moodles_number)
    for student, cells in found.items():
        row = best[student]
        cells[grade] = scaled(row, cells[sheet.place(most)] if has_most else "")
        cells[comments] = feedback(row)
    return set(found)


def fill_canvas(sheet: Sheet, best: dict[Student, dict], column: str) -> set[Student]:
    """Fill in one column of Canvas' gradebook; returns the students found."""
    place, number = sheet.place(column), sheet.place("ID")
    most = [row[place] for row in sheet.rows if row[0].strip().lower() == POINTS]
    found = rows_found(sheet, best, lambda cells: cells[number].strip())
    for student, cells in found.items():
        cells[place] = scaled(best[student], most[0] if most else "")
    return set(found)


# ---- a page for each student -------------------------------------------------------------

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{student}</title>
<style>body {{ font: 16px/1.5 sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em }}
td {{ vertical-align: top; padding: .2em 1em .2em 0 }}</style>
<h1>{student}</h1>
{lessons}
</html>
"""
LESSON = "<h2>Lesson {lesson}: {total} of {of}</h2>\n{shown}"
ROW = "<tr><td>{name}</td><td>{points}</td><td>{told}</td></tr>"


def pages(rows: list[dict]) -> dict[str, str]:
    """Name of a file -> the page of a student with all lessons."""
    students = rows_of_each(rows)
    return {
        f"{name}.html": PAGE.format(
            student=html.escape(mine[0]["student"]), lessons="\n".join(map(lesson_shown, mine))
        )
        for name, mine in zip(page_names(students), students, strict=True)
    }


def rows_of_each(rows: list[dict]) -> list[list[dict]]:
    """The rows of each student, all lessons.

    Rows of one name are those of one student unless their numbers show that they are not:
    Moodle gives each student another number in each assignment.
    """
    groups = grouped(rows, lambda row: row["student"])
    apart = [grouped(same, student_in) if are_several(same) else [same] for same in groups]
    return [mine for group in apart for mine in group]


def grouped(rows: list[dict], key: Callable[[dict], object]) -> list[list[dict]]:
    """The rows with one key each, in their order."""
    groups: dict[object, list[dict]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [*groups.values()]


def are_several(rows: list[dict]) -> bool:
    """Whether rows of one name may be of several students."""
    numbers: dict[tuple, set[str]] = {}
    for row in rows:
        for place in numbered_in(row):
            numbers.setdefault(place, set()).add(number_of(row))
    return len({bool(number_of(row)) for row in rows}) > 1 or any(
        len(found) > 1 for found in numbers.values()
    )


def numbered_in(row: dict) -> list[tuple]:
    """In what a student has one number: in Canvas in the course, in Moodle in an assignment.

    Submissions of one assignment are of one lesson, or come in one folder.
    """
    named = platform_of(row)
    if named is None or named.where == "course":
        return [("course",)]
    folder = row["submission"].partition(f"{named.student}_{named.number}_")[0]
    return [("folder", folder)] + [("lesson", row["lesson"])] * bool(row["lesson"])


def page_names(students: list[list[dict]]) -> list[str]:
    """What the file of each student's page is called, without its ending.

    It is the student's name, with the number where two of them are alike.
    """
    names = [file_name(mine[0]["student"]) for mine in students]
    alike, taken = Counter(map(as_compared, names)), set()
    found = []
    for name, mine in zip(names, students, strict=True):
        number = number_of(mine[0])
        wanted = f"{name}_{number}" if number and alike[as_compared(name)] > 1 else name
        found.append(handed_in.free_name(wanted, lambda one: as_compared(one) in taken))
        taken.add(as_compared(found[-1]))
    return found


def as_compared(name: str) -> str:
    """A file's name as macOS and Windows compare it: Ann.html and ann.html are one file."""
    return unicodedata.normalize("NFC", name).casefold()


def lesson_shown(row: dict) -> str:
    """The exercises of one submission with their points and what is wrong.

    A submission that was refused has one sentence for all of them.
    """
    told = class_view.told_of(row)
    names = [name for name in in_order(row["lesson"]) if name in row] if row["lesson"] else []
    why = row.get("mistakes", "")
    if why and told.keys().isdisjoint(names):
        shown = f"<p>{html.escape(why)}</p>"
    else:
        lines = [
            ROW.format(name=name, points=row[name], told=html.escape(told.get(name, "right")))
            for name in names
        ]
        shown = "\n".join(["<table>", *lines, "</table>"])
    words = {key: html.escape(row.get(key) or "0") for key in ("lesson", "total", "of")}
    return LESSON.format(shown=shown, **words) if names else shown


DEVICES = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[0-9¹²³]) *(\.|$)", re.I)
"""Names that Windows keeps for devices, whatever follows after a dot."""
LONGEST = 150  # bytes of a name; systems take 255, and writing puts more around it


def file_name(student: str) -> str:
    """A student's name as that of a file on every system."""
    cut = student.encode()[:LONGEST].decode(errors="ignore")
    name = re.sub(r'[<>:"/\\|?*\x00-\x1f]', "_", cut).strip(". ") or "unnamed"
    return f"_{name}" if DEVICES.match(name) else name


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
    if missing := sorted(map(shown, set(best) - found)):
        print(f"not found in {given}: {', '.join(missing)}")

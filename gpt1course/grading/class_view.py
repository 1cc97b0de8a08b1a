"""What a class knows, from the table of marks: who passed what, and the commonest mistakes.

An exercise that was left blank is counted apart, so that it does not hide the mistakes of
those who tried.
"""

import csv
import io
import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from ..checking.exercise import NOT_WRITTEN
from ..checking.number_exercise import NO_ANSWER
from .table_text import harmless
from .worker import NO_CELL, NO_FUNCTION

TOP = 3  # mistakes that are shown
BETWEEN = " | "  # what is told of two exercises
BLANK = (NOT_WRITTEN.message, NO_ANSWER, NO_CELL, NO_FUNCTION)
"""How what is told of an exercise begins that was not tried."""
COLUMNS = ["lesson", "exercise", "submissions", "passed", "blank", "times", "mistake"]


@dataclass(frozen=True)
class Known:
    """One exercise in a class. mistakes: what was told, and how often, the commonest first."""

    lesson: str
    name: str
    submissions: int
    passed: int
    blank: int
    mistakes: tuple[tuple[str, int], ...]


def all_told(wrong: dict[str, str]) -> str:
    """What is wrong with each exercise, in a text that `told_of` reads.

    Students write some of these words, in an error's message for example. So a bar that
    stands alone becomes a slash there, and no exercise can speak for another one.
    """
    lone_bar = r"(?<!\S)\|(?!\S)"
    return BETWEEN.join(f"{name}: {re.sub(lone_bar, '/', why)}" for name, why in wrong.items())


def told_of(row: dict) -> dict[str, str]:
    """Exercise -> what is wrong with it, of one row of the table."""
    told = (one.partition(": ") for one in row.get("mistakes", "").split(BETWEEN))
    return {name: why for name, _, why in told if why}


def known(rows: list[dict], lesson: str, name: str) -> Known:
    """What the submissions of a lesson show of one exercise."""
    mine = [row for row in rows if row["lesson"] == lesson]
    told = [why for row in mine if (why := told_of(row).get(name))]
    blank = sum(why.startswith(BLANK) for why in told)
    mistakes = Counter(why for why in told if not why.startswith(BLANK)).most_common(TOP)
    passed = sum(float(row.get(name) or 0) > 0 for row in mine)
    return Known(lesson, name, len(mine), passed, blank, tuple(mistakes))


def in_words(one: Known) -> str:
    """A line with the counts, and one for each mistake."""
    blank = f", {one.blank} blank" if one.blank else ""
    lines = [f"{one.lesson} {one.name:<22} {one.passed:>3} of {one.submissions}{blank}"]
    lines += [f"       {times(n)}: {shortened(why)}" for why, n in one.mistakes]
    return "\n".join(lines)


def shortened(text: str, width: int = 84) -> str:
    """A text cut after a word, with dots."""
    return textwrap.shorten(text, width, placeholder=" ...")


def times(n: int) -> str:
    """How often, in words."""
    return "once" if n == 1 else f"{n} times"


def as_csv(class_: list[Known]) -> str:
    """A line for each mistake, or one for an exercise without any."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(COLUMNS)
    for one in class_:
        counts = [one.lesson, one.name, one.submissions, one.passed, one.blank]
        for why, n in one.mistakes or [("", 0)]:
            table.writerow([*counts, n or "", harmless(why)])
    return text.getvalue()


def file_beside(marks: Path) -> Path:
    """Where the view of a class goes: class.csv beside marks.csv."""
    stem = marks.stem
    return marks.with_name("class.csv" if stem == "marks" else f"{stem}_class.csv")

"""The lessons' questions and answers for other programs: `python -m gpt1course questions`

    python -m gpt1course questions                  # all lessons
    python -m gpt1course questions 05 06 --out build/cards

This writes three files, from the recall at the head of each lesson and the review questions
at its end: questions_anki.txt for Anki (*File*, *Import*), questions_gift.txt for Moodle's
question bank (format GIFT, as essay questions with the answer as feedback), and questions.csv
for anything else.
"""

import argparse
import csv
import hashlib
import html
import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from gpt1lib.io.files import write_text

from . import notebooks, workspace

ASKS = re.compile(r"## (Recall|Review questions)\n")
NUMBERED = re.compile(r"^(\d+)\. (.*?)(?=^\d+\. |\Z)", re.MULTILINE | re.DOTALL)
DECK = "GPT-1"


@dataclass(frozen=True)
class Question:
    """One question of a lesson. kind: recall or review; number: its place there."""

    lesson: str
    kind: str
    number: int
    question: str
    answer: str

    @property
    def name(self) -> str:
        """What tells it from all others."""
        return f"{self.lesson} {self.kind} {self.number}"


# ---- read from the lessons --------------------------------------------------------------


def of_lesson(path: Path) -> list[Question]:
    """The questions of a lesson. ValueError where their answers are not as many."""
    found = []
    for cell in notebooks.read(path).cells:
        if cell.cell_type == "markdown" and (heading := ASKS.match(cell.source)):
            kind = "recall" if heading[1] == "Recall" else "review"
            found += pairs(path, kind, cell.source)
    return found


def pairs(path: Path, kind: str, text: str) -> Iterable[Question]:
    """The numbered questions of a cell with their numbered, folded answers."""
    asked, _, folded = text.partition("<details>")
    answers = dict(NUMBERED.findall(folded.replace("</details>", "")))
    questions = dict(NUMBERED.findall(asked))
    if questions.keys() != answers.keys():
        raise ValueError(
            f"{path.name}: questions {[*questions]}, answers {[*answers]} ({kind})"
        )
    for number, question in questions.items():
        texts = (" ".join(text.split()) for text in (question, answers[number]))
        yield Question(path.name[:2], kind, int(number), *texts)


# ---- written for other programs ---------------------------------------------------------


def as_html(text: str) -> str:
    r"""Markdown as HTML: code, bold, italics, and math as \( ... \), which MathJax reads."""
    parts = re.split(r"(`[^`]+`|\$[^$]+\$)", text)
    return "".join(map(_part_as_html, parts))


def _part_as_html(part: str) -> str:
    if part.startswith("`"):
        return f"<code>{html.escape(part.strip('`'))}</code>"
    if part.startswith("$"):
        return rf"\({html.escape(part.strip('$'), quote=False)}\)"
    part = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", html.escape(part, quote=False))
    part = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", part)
    return re.sub(r"\*(.+?)\*", r"<i>\1</i>", part)


def anki(questions: list[Question]) -> str:
    """Anki's text format; a card keeps its progress when the file is imported again."""
    head = ["#separator:tab", "#html:true", "#notetype:Basic", "#guid column:1"]
    head += ["#deck column:2", "#tags column:5"]
    rows = [
        "\t".join(
            [guid(q), f"{DECK}::{q.lesson}", as_html(q.question), as_html(q.answer), q.kind]
        )
        for q in questions
    ]
    return "\n".join([*head, *rows]) + "\n"


def guid(question: Question) -> str:
    """A card's identity, which outlives a change of its wording."""
    return hashlib.sha256(question.name.encode()).hexdigest()[:10]


def gift(questions: list[Question]) -> str:
    """Moodle's GIFT: essay questions in HTML, with the answer as general feedback."""
    blocks, lesson = [], ""
    for q in questions:
        if q.lesson != lesson:
            lesson = q.lesson
            blocks.append(f"$CATEGORY: {DECK}/{lesson}")
        asked, answer = (escaped(as_html(text)) for text in (q.question, q.answer))
        blocks.append(f"::{escaped(q.name)}::[html]{asked} {{####{answer}}}")
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """A text in which GIFT's own signs are signs."""
    return re.sub(r"([\\~=#{}:])", r"\\\1", text)


def as_csv(questions: list[Question]) -> str:
    """A table in Markdown as in the lessons, with the mark by which Excel knows UTF-8."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(["lesson", "kind", "number", "question", "answer"])
    table.writerows([q.lesson, q.kind, q.number, q.question, q.answer] for q in questions)
    return "\ufeff" + text.getvalue()


FILES = {"questions_anki.txt": anki, "questions_gift.txt": gift, "questions.csv": as_csv}


# ---- the command ------------------------------------------------------------------------


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `questions` takes."""
    parser.add_argument("lessons", nargs="*", help="their numbers, such as 05; default all")
    parser.add_argument("--out", type=Path, default=Path("build/questions"), help="the folder")


def run(args: argparse.Namespace) -> None:
    """Write the three files."""
    chosen = list(map(workspace.lesson_notebook, args.lessons))
    paths = chosen or workspace.lessons()
    questions = [question for path in paths for question in of_lesson(path)]
    for name, written in FILES.items():
        write_text(args.out / name, written(questions))
        print(args.out / name)
    print(f"{len(questions)} questions of {len(paths)} lesson{'s' * (len(paths) != 1)}")

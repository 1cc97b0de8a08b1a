"""The lessons' questions for other programs: all of them, and as those programs read them."""

import csv
import io
import re

import pytest

from gpt1course import notebooks, questions
from gpt1course.__main__ import main
from gpt1course.questions import Question
from gpt1lib.io.files import read_text
from gpt1lib.io.paths import ROOT

LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
ODD = Question("05", "recall", 1, "Is *a* < `b*c` in $x_{1} = 2$?", "**No**: 50% {of} it # ~")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_every_question_is_there_with_its_answer(path):
    found = questions.of_lesson(path)
    cells = [c.source for c in notebooks.read(path).cells if questions.ASKS.match(c.source)]
    asked = [
        line
        for text in cells
        for line in re.findall(r"^\d+\. (.*)", text.split("<det")[0], re.M)
    ]
    assert [q.question for q in found] == [" ".join(line.split()) for line in asked]
    assert len(found) >= 7 and {q.kind for q in found} == {"recall", "review"}
    for q in found:
        assert (
            q.answer
            and "details>" not in q.answer
            and len({x.name for x in found}) == len(found)
        )


def test_a_question_without_an_answer_is_told(tmp_path):
    text = "## Recall\n\n1. a?\n2. b?\n\n<details><summary>A</summary>\n\n1. yes\n\n</details>"
    with pytest.raises(ValueError, match=r"05.ipynb: questions \['1', '2'\], answers \['1'\]"):
        list(questions.pairs(tmp_path / "05.ipynb", "recall", text))
    with pytest.raises(StopIteration):
        next(iter(questions.pairs(tmp_path / "05.ipynb", "recall", "## Recall\n")))


def test_markdown_becomes_html():
    shown = questions.as_html(ODD.question)
    assert shown == r"Is <i>a</i> &lt; <code>b*c</code> in \(x_{1} = 2\)?"
    assert questions.as_html("[a **link**](x.ipynb)") == "a <b>link</b>"


def unescaped(text: str) -> str:
    """As Moodle reads GIFT: a backslash takes its meaning from the sign after it."""
    return re.sub(r"\\([\\~=#{}:])", r"\1", text)


def test_moodle_reads_what_was_written():
    category, block = questions.gift([ODD]).strip().split("\n\n")
    assert category == "$CATEGORY: GPT-1/05"
    name, asked, answer = re.fullmatch(
        r"::(.*?)::\[html\](.*?) (?<!\\)\{####(.*)(?<!\\)\}", block
    ).groups()
    assert unescaped(name) == ODD.name
    assert unescaped(asked) == questions.as_html(ODD.question)
    assert unescaped(answer) == questions.as_html(ODD.answer)
    assert not re.search(r"(?<!\\)[~={}]", asked + answer)


def test_anki_reads_what_was_written():
    *head, row = questions.anki([ODD]).strip().split("\n")
    columns = {
        line.split(" column:")[0]: int(line.split(":")[1]) for line in head if "column" in line
    }
    cells = row.split("\t")
    assert len(cells) == 5 and columns == {"#guid": 1, "#deck": 2, "#tags": 5}
    assert cells[1:3] == ["GPT-1::05", questions.as_html(ODD.question)]
    assert questions.guid(ODD) == cells[0]
    renewed = Question("05", "recall", 1, "Other words?", "Yes.")
    assert questions.guid(renewed) == cells[0], "a card keeps its progress"


def test_the_command_writes_three_files(tmp_path, capsys):
    assert main(["questions", "5", "6", "--out", str(tmp_path)]) == 0
    assert {path.name for path in tmp_path.iterdir()} == set(questions.FILES)
    rows = [*csv.DictReader(io.StringIO(read_text(tmp_path / "questions.csv")))]
    assert {row["lesson"] for row in rows} == {"05", "06"}
    assert f"{len(rows)} questions of 2 lessons" in capsys.readouterr().out

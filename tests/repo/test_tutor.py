"""The page for coding assistants, and the ten questions: what they name and what they hide."""

import re

from gpt1course import notebooks
from gpt1lib.io.paths import ROOT

TUTOR = (ROOT / "AGENTS.md").read_text(encoding="utf-8")
QUESTIONS = (ROOT / "docs/placement.md").read_text(encoding="utf-8")
LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))


def test_the_tutor_knows_every_lesson():
    assert set(re.findall(r"\(notebooks/(\d\d_\w+\.ipynb)\)", TUTOR)) == {
        p.name for p in LESSONS
    }


def test_the_tutor_s_page_quotes_no_solution():
    for path in LESSONS:
        for exercise in notebooks.exercises_of(path).values():
            lines = exercise.solution_text.splitlines()[1:]
            code = [line.strip() for line in lines if "return" in line or "=" in line]
            assert not [line for line in code if len(line) > 12 and line in TUTOR], (
                exercise.name
            )
            assert f"def {exercise.name}(" not in TUTOR, exercise.name


def test_a_tutor_asks_first_hints_in_order_and_shows_no_solution():
    rules = re.findall(r"^\d+\. \*\*(.+?)\*\*", TUTOR, re.MULTILINE)
    wanted = ["Ask for the prediction first.", "Hints in order.", "Never show a solution"]
    asks, hints, never = map(rules.index, wanted)
    assert asks < hints < never


def test_ten_questions_each_with_its_lesson_in_order():
    asked = QUESTIONS.split("\n## ")[1:]
    assert [int(part.split(".")[0]) for part in asked] == list(range(1, 11))
    first = [re.findall(r"begin with \[lesson (\d\d)\]", part)[0] for part in asked]
    assert first == sorted(first) and len(set(first)) == 10
    for part in asked:
        question, answer = part.split("<details>")
        assert "?" in question and "[lesson" not in question and answer.count("</details>") == 1

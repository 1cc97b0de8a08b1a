"""The pages for teachers: a page per lesson, minutes as they are, plans that fit their time."""

import re

import pytest

from tools import teaching

PAGES = {p.name: p.read_text(encoding="utf-8") for p in sorted(teaching.PAGES.glob("*.md"))}
PLANS = PAGES["plans.md"]


def test_each_lesson_has_its_page():
    lessons = {p.stem for p in (teaching.ROOT / "notebooks").glob("[0-9]*.ipynb")}
    assert {name.removesuffix(".md") for name in PAGES} - {"README", "plans"} == lessons


@pytest.mark.parametrize("name", PAGES)
def test_the_minutes_are_the_lessons_own(name):
    assert teaching.filled(name, PAGES[name]) == PAGES[name], "run: python -m tools.teaching"


@pytest.mark.parametrize("name", [name for name in PAGES if name[:2].isdigit()])
def test_a_page_has_its_parts_and_answers_its_questions(name):
    headings = re.findall(r"^## (.*)$", PAGES[name], re.MULTILINE)
    asked = re.findall(r"<summary>(.+?)</summary>\n\n(.+)\n\n</details>", PAGES[name])
    assert headings == ["Minutes", "Show live", "What people get wrong", "To discuss",
                        "When time is short"]  # fmt: skip
    assert teaching.SHORT.search(PAGES[name])
    assert PAGES[name].count("<details>") == len(asked) > 0


def test_explorers_and_exercises_that_a_page_names_are_in_its_lesson():
    for name, text in PAGES.items():
        if name[:2].isdigit():
            there = teaching.table(name[:2])
            table, said = text.split("<!-- /minutes -->")
            named = set(re.findall(r"`(\w+Explorer)`", said))
            exercises = set(teaching.notebook(name[:2])[2])
            assert named <= set(re.findall(r"\w+Explorer", there)), name
            skipped = re.findall(r"`([a-z]+_[a-z_]+)`", text.split("## When time is short")[1])
            assert set(skipped) <= exercises, name


def blocks(plan: str) -> list[tuple[int, int]]:
    """(minutes in the room, minutes of its sections) of each block of a plan."""
    found = re.findall(r"^### [^\n]* · (\d+) minutes\n(.*?)(?=^#|\Z)", plan, re.S | re.M)
    return [
        (int(room), sum(map(int, re.findall(r"\| (\d+) \|$", rows, re.M))))
        for room, rows in found
    ]


def test_the_plans_fit_their_time():
    assert blocks(PLANS) and all(taken <= room for room, taken in blocks(PLANS))
    weeks = re.findall(r"^\| (\d+) \|.*\| \d+ \|$", PLANS, re.MULTILINE)
    assert [*dict.fromkeys(weeks)] == [str(n) for n in range(1, 1 + len(set(weeks)))]


def test_a_section_that_does_not_exist_is_told():
    with pytest.raises(ValueError, match="lesson 05 has not all the sections §1 §77"):
        teaching.filled("plans.md", "| [05](x.md) §1 §77 | what | 3 |")


def test_the_express_path_is_the_same_wherever_it_is_named():
    """In the plans, which give the minutes, and in lesson 00: about five and a half hours."""
    plan = PLANS.split("## Express path")[1].split("\n## ")[0]
    cells = teaching.notebook("00")[1]
    (lesson,) = (c.source for c in cells if "**The express path.**" in c.source)

    def sections(text):
        return re.findall(r"\b(\d\d)\b(?:\]\([^)]*\))?((?:\s§\d+)+)", text)

    planned = [(number, said.split()) for number, said in sections(plan)]
    assert planned == [(number, said.split()) for number, said in sections(lesson)]
    assert 240 <= sum(map(int, re.findall(r"\| (\d+) \|$", plan, re.MULTILINE))) <= 330


def test_what_the_plans_say_of_their_blocks():
    left = [room - taken for room, taken in blocks(PLANS)]
    assert f"Each block leaves {min(left)} to {max(left)} minutes for questions" in PLANS
    one_day = PLANS.split("## One day")[1].split("\n## ")[0]
    day = sum(taken for _, taken in blocks(one_day))
    assert f"The day's {day} minutes also fit into three sessions of 90 minutes" in PLANS
    assert day <= 3 * 90

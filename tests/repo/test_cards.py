"""The drawings of the lessons on the book's front page."""

import xml.etree.ElementTree as ET

import pytest

from tools import site
from tools.notebooks import index
from tools.page import cards

LESSONS = index.lessons_of(site.NOTEBOOKS)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name[:2])
def test_each_lesson_has_a_drawing_without_words_that_stays_in_its_frame(lesson):
    drawn = ET.fromstring(cards.drawing(lesson.name))
    assert len(drawn) >= 3 and not "".join(drawn.itertext()).strip()
    assert not drawn.findall(".//text")
    for e in drawn:
        x, y = (float(e.get(a) or e.get(f"c{a}") or 0) for a in "xy")
        assert 0 <= x <= cards.W and 0 <= y <= cards.H, ET.tostring(e)


def test_no_two_lessons_share_a_drawing():
    assert len({cards.drawing(lesson.name) for lesson in LESSONS}) == len(LESSONS) == 18


def test_titles_in_the_side_bar_end_before_their_colon():
    names = [site.entry(lesson) for lesson in LESSONS]
    assert "10 · Pre-training <10_pre_training>" in names
    assert not [name for name in names if ":" in name]


def test_an_empty_heading_of_a_table_is_a_plain_cell():
    row = '<th class="head"><p></p></th><th>a</th>'
    assert site.EMPTY_HEADING.sub(r"<td\1></td>", row) == '<td class="head"></td><th>a</th>'

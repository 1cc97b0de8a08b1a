"""The report on wording and sizes finds what it looks for, and holds nobody to it."""

import json

import pytest

from tools.notebooks import wording


@pytest.mark.parametrize(
    "text",
    [
        "this can not be",
        "one line a class",
        "0.01 bits a character",
        "16 bytes a parameter",
        "by thawing",
        "Who has one can name it",
    ],
)
def test_it_finds(text):
    assert wording.uses(wording.IDIOMS, text)


@pytest.mark.parametrize(
    "text",
    [
        "it cannot; can nothing be done?",
        "one number a little up",
        "a token, a word",
        "Who has seen what?",
    ],
)
def test_it_leaves(text):
    assert not wording.uses(wording.IDIOMS, text)


def pages(root):
    """A course of few pages, each of which misses something."""
    for name, text in {
        "README.md": "one line a class\n",
        "docs/glossary.md": "- **Token**: a piece. Or a word. Or a sign. [Lesson 02](x).\n",
        "teaching/plans.md": "### A day · 90 minutes\n| 1 | a | 60 |\n| 1 | b | 40 |\n",
        "teaching/05_x.md": "<summary>why?</summary>\n",
    }.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    cells = [{"cell_type": "markdown", "source": ["the colour of a head"]}]
    (root / "notebooks").mkdir()
    (root / "notebooks" / "05_x.ipynb").write_text(json.dumps({"cells": cells}))
    return root


def test_what_is_counted_and_missed(tmp_path):
    found = wording.counts(pages(tmp_path))
    assert [*found.values()] == [1, 1, 3, 1, 1, 100]
    assert len(wording.missed(found)) == len(wording.BUDGETS)
    assert "docs/glossary.md: entries 1, aim 80 to 150" in wording.missed(found)
    assert wording.missed({name: least for name, (least, _) in wording.BUDGETS.items()}) == []


def test_what_reads_oddly_is_shown_with_its_place(tmp_path):
    root = pages(tmp_path)
    assert wording.odd_phrases(root) == ["README.md: ...one line a class..."]
    (british,) = wording.british(root)
    assert "colour ==> color" in british
    assert wording.questions(root) == ["teaching/05_x.md: questions 1, aim 3 to 5"]


def test_the_pages_have_what_the_report_counts():
    assert min(wording.counts(wording.ROOT).values()) > 0
    assert all(wording.files(wording.ROOT, place) for place in wording.PLACES)

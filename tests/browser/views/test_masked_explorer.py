"""GPT beside BERT in a blank page: what is covered, seen and guessed."""

import re

import pytest
from in_page import show

from gpt1course.paper.after import filling, twins
from gpt1course.viz import explorers
from gpt1course.viz.numbers import percent

pytestmark = pytest.mark.browser
TEXTS = ["she opened the door and went down to the garden .", "the king said no ."]


@pytest.fixture(scope="module")
def e():
    return explorers.MaskedExplorer(filling.covered_texts(*twins.load_twins(), TEXTS), place=5)


def chances(root):
    """What GPT and BERT give to the covered word, and its rank, as the sentence says it."""
    said = root.locator(".gx-live").inner_text()
    return re.findall(r"(GPT|BERT) reads .*? gives it (\S+), rank ([\d,]+)\.", said)


def wanted(e, text, place):
    found = {name: e.texts[text][name]["guesses"][place] for name in ("GPT", "BERT")}
    return [(name, percent(x["p"]), f"{x['rank']:,}") for name, x in found.items()]


def test_a_word_is_covered_by_click_key_and_row(page, e):
    root = show(page, e)
    assert chances(root) == wanted(e, 0, 5)
    root.get_by_role("radio", name="opened").click()
    assert chances(root) == wanted(e, 0, 1) and page.evaluate("model.get('place')") == 1
    said = root.locator(".gx-live")
    assert "GPT reads the token before" in said.inner_text()
    page.keyboard.press("ArrowLeft")
    assert "GPT has read nothing" in said.inner_text()
    assert root.locator(".gx-twin").nth(0).locator(".gx-bars li").count() == 0
    root.locator(".gx-twin").nth(1).locator(".gx-row").nth(9).click()
    assert chances(root) == wanted(e, 0, 9)


def test_hidden_cells_are_hatched_and_the_covered_row_is_framed(page, e):
    root = show(page, e)
    n = len(e.texts[0]["tokens"])
    maps = root.locator(".gx-looks")
    assert maps.nth(0).locator(".gx-hatch").count() == n * (n + 1) // 2
    assert maps.nth(1).locator(".gx-hatch").count() == 0
    assert maps.nth(0).locator(".gx-look.gx-on").count() == n
    assert "looks most at" in maps.nth(1).get_attribute("aria-label")


def test_another_sentence_has_its_own_words(page, e):
    root = show(page, e)
    root.get_by_role("radio", name="2", exact=True).click()
    assert chances(root) == wanted(e, 1, len(e.texts[1]["tokens"]) - 1), "the place is cut"
    assert root.get_by_role("radio", name="king").is_visible()
    right = root.locator(".gx-word", has_text="✓")
    assert right.count() == 2, "the true word stands in both lists"


def test_the_sentence_and_the_picture_say_the_same(e):
    e.text, e.place = 0, 1
    assert "'opened' covered" in e.sentence() and "GPT gives it 0.1" in e.sentence()
    assert e.figure().axes
    e.place = 0
    assert "GPT has read nothing" in e.sentence()

"""The query that one drags, in a blank page: by mouse, by touch, by key, against numpy."""

import re

import numpy as np
import pytest
from in_page import show

from gpt1course.viz import explorers
from gpt1course.viz.numbers import percent

pytestmark = pytest.mark.browser
TEXT = "She took the letter from the table and"


@pytest.fixture
def e(novelist):
    return explorers.QueryExplorer.from_checkpoint(novelist, TEXT, layer=3, head=3)


def agrees(page, root, e):
    """The page and Python have the same query, and the same weights and mix for it."""
    for name in ("query", "source", "size", "scaled"):
        setattr(e, name, page.evaluate(f"model.get('{name}')"))
    _, _, weights, mix = e.steps()
    where = root.get_by_role("img", name="the weighted sum is at").get_attribute("aria-label")
    at = [float(v) for v in re.findall(r"-?\d+\.\d+", where.replace("−", "-"))]
    return shares(root) == [percent(w) for w in weights] and np.allclose(at, mix, atol=6e-3)


def shares(root):
    """The weights that the table shows."""
    return root.locator(".gx-table td:nth-child(4)").all_inner_texts()


def test_every_choice_computes_what_the_library_computes(page, e):
    root = show(page, e)
    assert agrees(page, root, e)
    for name in ("8", "no", "64", "yes (GPT-1)"):
        root.get_by_role("radio", name=name, exact=True).click()
        assert agrees(page, root, e), name
    assert root.locator(".gx-foot").count() == 0, "no feet where the plane is not all"
    root.get_by_role("radio", name="a head of the novelist").click()
    assert agrees(page, root, e) and e.source == "head"
    assert "“took” gets 94.9%" in root.locator(".gx-live").inner_text()
    assert not root.get_by_role("radiogroup", name="D", exact=True).is_visible()


def test_the_query_by_keyboard_and_back(page, e):
    root = show(page, e)
    root.locator(".gx-drag").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ArrowUp")
    assert page.evaluate("model.get('query')") == [-0.9, 2]
    assert agrees(page, root, e)
    for _ in range(20):
        page.keyboard.press("Shift+ArrowDown")
    assert page.evaluate("model.get('query')")[1] == -3, "it stays in the plane"
    root.get_by_role("button", name="Reset").click()
    assert page.evaluate("model.get('query')") == [-1, 1.5]


def test_the_query_is_dragged_and_the_sentence_follows(page, e):
    root = show(page, e)
    box = root.locator(".gx-drag").bounding_box()

    def at(x, y):
        return box["x"] + box["width"] * (1 + x / 3) / 2, box["y"] + box["height"] * (
            1 - y / 3
        ) / 2

    page.mouse.move(*at(-1, 1.5))
    page.mouse.down()
    page.mouse.move(*at(2, 0.5), steps=4)
    assert "“she” gets" in root.locator(".gx-live").inner_text(), "while it is dragged"
    page.mouse.up()
    assert page.evaluate("model.get('query')") == pytest.approx([2, 0.5], abs=0.03)
    assert agrees(page, root, e)
    page.mouse.move(*at(-2, -2))
    assert page.evaluate("model.get('query')") == pytest.approx([2, 0.5], abs=0.03)


def test_large_numbers_saturate_the_softmax_and_the_root_frees_it(page, e):
    e.size, e.scaled = 64, False
    root = show(page, e)
    said = root.locator(".gx-live")
    assert "“took” gets >99.9%" in said.inner_text() and "saturated" in said.inner_text()
    root.get_by_role("radio", name="yes (GPT-1)").click()
    assert "saturated" not in said.inner_text()
    assert max(float(share.rstrip("%")) for share in shares(root)) < 60


def test_no_query_at_all_is_an_even_mean(page, e):
    e.query = [0.0, 0.0]
    root = show(page, e)
    assert shares(root) == ["20.0%"] * 5
    assert root.locator(".gx-foot").count() == 0, "it has no direction"

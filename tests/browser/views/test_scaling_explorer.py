"""Drawing a curve before it is shown, in a blank page; the line against numpy."""

import numpy as np
import pytest
from in_page import show
from node import evaluate

from gpt1course import statistics
from gpt1course.viz import explorers

pytestmark = pytest.mark.browser
T_95 = [statistics.student_t(n) for n in (1, 2, 3)]
POINTS = [(25e3, 5.2), (8e4, 4.9), (2.3e5, 4.7), (6e5, 4.5), (1.5e6, 4.45)]


def test_the_page_s_line_is_python_s():
    for n in (3, 4, 5):
        for size in (1e4, 1e6, 1e9):
            given = {"points": POINTS[:n], "size": size, "t95": T_95}
            line = "(({ alpha, at }) => [alpha, ...at(size)])(module.fitLine(points, t95))"
            alpha, *told = evaluate("scaling.fit", line, **given)
            fitted = list(zip(*POINTS[:n], strict=True))
            assert alpha == pytest.approx(statistics.power_law(*fitted)[0], abs=1e-9)
            assert told == pytest.approx(statistics.prediction(*fitted, size), rel=1e-6)


@pytest.fixture
def e():
    return explorers.ScalingExplorer({"all": POINTS, "less": [(n, x + 0.4) for n, x in POINTS]})


def agrees(page, root, e):
    """Line and prediction in the page are those of the library."""
    for name in ("amount", "used", "size"):
        setattr(e, name, page.evaluate(f"model.get('{name}')"))
    fitted = e.fitted()
    alpha = statistics.power_law(*fitted)[0]
    middle, low, high = statistics.prediction(*fitted, e.size)
    said = root.locator(".gx-live").inner_text()
    assert f"as N to the power of −{alpha:.3f}." in said
    assert f"it predicts {middle:.2f} nats, 95% interval {low:.2f} to {high:.2f}." in said


def test_nothing_is_shown_before_the_reader_has_drawn(page, e):
    root = show(page, e)
    assert root.locator("svg .gx-fitted").count() == 3 and root.locator(".gx-law").count() == 0
    assert "power" not in root.locator(".gx-live").inner_text()
    ring = root.locator(".gx-guess").nth(1)
    ring.focus()
    for _ in range(5):
        page.keyboard.press("ArrowDown")
    assert page.evaluate("model.get('guesses')") == pytest.approx([4.7, 4.6])
    assert ring.get_attribute("aria-valuenow") == "4.60", "and it keeps the focus"
    focused = "document.activeElement.textContent"
    root.get_by_role("button", name="Show what was measured").press("Enter")
    assert page.evaluate(focused) == "Draw again"
    assert root.locator(".gx-later").count() == 2
    assert "Your curve misses by 0.17" in root.locator(".gx-live").inner_text()
    agrees(page, root, e)
    root.get_by_role("button", name="Draw again").press("Enter")
    assert page.evaluate(focused) == "Show what was measured"
    assert root.locator(".gx-later").count() == 0


def test_a_ring_is_dragged(page, e):
    root = show(page, e)
    box = root.locator(".gx-guess").nth(0).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x, y + 40, steps=3)
    page.mouse.up()
    moved = page.evaluate("model.get('guesses')")
    assert moved[0] < 4.6 and moved[1] == pytest.approx(4.7)
    page.mouse.move(x, y + 90)
    assert page.evaluate("model.get('guesses')") == moved


def test_a_drag_ends_where_the_browser_takes_the_finger(page, e):
    box = show(page, e).locator(".gx-guess").nth(0).bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.evaluate("() => void dispatchEvent(new PointerEvent('pointercancel'))")
    page.mouse.move(x, y + 40)
    assert page.evaluate("model.get('guesses')") == []


def test_every_choice_computes_what_the_library_computes(page, e):
    e.shown = True
    root = show(page, e)
    agrees(page, root, e)
    uses, asks = (root.get_by_role("slider").nth(i) for i in (0, 1))
    uses.focus()
    for _ in range(2):  # a slider that is moved keeps the focus
        page.keyboard.press("ArrowRight")
    asks.fill("8.5")
    agrees(page, root, e)
    assert np.isclose(e.size, 10**8.5) and e.used == 5
    assert "211 times the size of the largest run" in root.locator(".gx-live").inner_text()
    root.get_by_role("radio", name="less").click()
    agrees(page, root, e)
    assert e.figure().axes and "95% interval" in e.sentence()


def test_a_loss_that_grows_with_size_is_said_to_rise(page):
    e = explorers.ScalingExplorer({"few": [(1e4, 5.0), (1e5, 5.1), (1e6, 5.2)]}, shown=True)
    for said in (show(page, e).locator(".gx-live").inner_text(), e.sentence()):
        assert "rises as N to the power of 0.009" in said


def test_too_few_sizes_are_refused():
    with pytest.raises(ValueError, match="'few' has 2 sizes"):
        explorers.ScalingExplorer({"few": POINTS[:2]})

"""The atlas of heads in a blank page, against the arrays that it was made of."""

import numpy as np
import pytest
from in_page import show

from gpt1course.viz import explorers
from gpt1course.viz.numbers import percent

pytestmark = pytest.mark.browser
TEXT = "The captain looked at the sea."


@pytest.fixture(scope="module")
def explorer(novelist):
    cost = np.arange(16.0).reshape(4, 4) / 100 - 0.01
    return explorers.HeadsExplorer.from_checkpoint(novelist, TEXT, cost, head=5, row=4)


@pytest.fixture
def root(page, explorer):
    root = show(page, explorer)
    root.locator(".gx-dot").first.wait_for()
    return root


def discs(root):
    return root.locator(".gx-dot circle").evaluate_all(
        "es => es.map(e => ['cx', 'cy', 'r'].map(k => +e.getAttribute(k)))"
    )


def test_by_keyboard_a_head_is_chosen_cut_and_put_back(root, explorer):
    root.get_by_role("radio", name="block 1, head 1").focus()
    for key in ("ArrowDown", "ArrowDown", "x"):
        root.page.keyboard.press(key)
    assert root.page.evaluate("[model.get('head'), model.get('cut')]") == [13, True]
    shown = root.locator(".gx-without li").all_inner_texts()
    assert shown[0].split() == ["captain", "32.6%", "→", "0.26%"] and len(shown) > 3
    pairs = zip(explorer.words[4], explorer.probs[[0, 14], 4].T, strict=True)
    held = {word.removesuffix("</w>"): " → ".join(map(percent, p)) for word, p in pairs}
    for line in shown:
        word, shares = line.split(maxsplit=1)
        assert shares == held[word]
    assert "moves “captain” most: from 32.6% to 0.26%" in root.locator(".gx-live").inner_text()
    root.get_by_role("button", name="Put the head back").click()
    root.get_by_label("after sea").focus()
    assert root.page.evaluate("[model.get('cut'), model.get('row')]") == [False, 5]
    assert "after “sea”" in root.locator(".gx-coming").inner_text()


def test_discs_lie_apart_and_are_as_large_as_their_cost(root, explorer):
    for way, measure in (("across", "first token"), ("up", "entropy")):
        root.get_by_role("radiogroup", name=way, exact=True).get_by_role(
            "radio", name=measure, exact=True
        ).click()
    x, y, r = np.array(discs(root)).T
    cost = np.clip(explorer.measures["cost"], 0, None)
    assert np.allclose(r**2, 170 + 430 * cost / cost.max(), rtol=1e-3)
    far = np.hypot(x[:, None] - x, y[:, None] - y)
    assert (far - r[:, None] - r + 1e3 * np.eye(16)).min() > -1.5
    for places, values in ((x, explorer.measures["first"]), (-y, explorer.measures["entropy"])):
        assert np.corrcoef(places, values)[0, 1] > 0.97, "moved a little, not out of place"


def test_python_moves_the_view(root):
    root.page.evaluate(
        "model.set('head', 2); model.set('cut', true); model.set('up', 'itself')"
    )
    checked = root.locator(".gx-dot[aria-checked=true]")
    assert checked.get_attribute("aria-label").startswith("block 0, head 2")
    assert "gx-ablated" in checked.get_attribute("class")
    assert "weight on the token itself" in root.locator("svg").text_content()


def frames(page, n):
    """Wait for n frames that are drawn, each with what is heard of a new width before."""
    frame = "() => new Promise(done => new ResizeObserver(() => done()).observe(document.body))"
    for _ in range(n):
        page.evaluate(frame)


def test_another_width_draws_it_once_more_and_then_it_rests(root):
    page = root.page
    page.set_viewport_size({"width": 900, "height": 1000})
    page.wait_for_function("innerWidth === 900")
    frames(page, 5)
    first = root.locator(".gx-dot").first.element_handle()
    frames(page, 5)
    assert first.evaluate("e => e.isConnected"), "it is drawn again and again"
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_after_a_change_of_theme_x_still_cuts_once(root):
    for light in ("false", "true"):
        root.page.evaluate("light => document.body.dataset.jpThemeLight = light", light)
        root.page.wait_for_function(
            "light => document.querySelector('.gx').matches('.gx-dark') !== (light === 'true')",
            arg=light,
        )
    root.locator(".gx-dot[aria-checked=true]").focus()
    for cut in (True, False):
        root.page.keyboard.press("x")
        assert root.page.evaluate("model.get('cut')") is cut

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
    assert root.page.evaluate("[model.get('head'), model.get('factor')]") == [13, 0]
    shown = root.locator(".gx-without li").all_inner_texts()
    assert shown[0].split() == ["captain", "32.6%", "→", "0.26%"] and len(shown) > 3
    assert_bars_are_those_of(explorer, shown, 0)
    assert "moves “captain” most: from 32.6% to 0.26%" in root.locator(".gx-live").inner_text()
    root.get_by_role("button", name="Put the head back").click()
    root.get_by_label("after sea").focus()
    assert root.page.evaluate("[model.get('factor'), model.get('row')]") == [1, 5]
    assert "after “sea”" in root.locator(".gx-coming").inner_text()


def assert_bars_are_those_of(explorer, shown, at):
    """Of head 13 after the fifth token, turned down to the step with this index."""
    both = zip(explorer.probs[4], explorer.scaled[at, 13, 4], strict=True)
    shares = [" → ".join(map(percent, pair)) for pair in both]
    words = [word.removesuffix("</w>") for word in explorer.words[4]]
    held = dict(zip(words, shares, strict=True))
    for line in shown:
        word, share = line.split(maxsplit=1)
        assert share == held[word]


def test_a_head_is_turned_down_by_its_slider_and_its_keys(root, explorer):
    root.page.evaluate("model.set('head', 13)")
    knob = root.get_by_role("slider", name="block 3, head 1: output")
    assert knob.input_value() == "1"
    knob.focus()
    finding, said = root.locator(".gx-finding"), []
    for at, factor in reversed([*enumerate(explorer.steps)]):
        root.page.keyboard.press("ArrowLeft")
        assert root.page.evaluate("model.get('factor')") == factor
        assert knob.get_attribute("aria-valuetext") == f"× {factor:g}"
        assert_bars_are_those_of(explorer, root.locator(".gx-without li").all_inner_texts(), at)
        said.append(finding.inner_text())
    moved = np.abs(explorer.scaled[2, 13, 4] - explorer.probs[4]).argmax()
    shares = [percent(p[moved]) for p in (explorer.probs[4], explorer.scaled[2, 13, 4])]
    word = explorer.words[4][moved].removesuffix("</w>")
    before = "With block 3, head 1 turned down to 0.5, "
    assert said[1] == f"{before}“{word}” goes from {shares[0]} to {shares[1]}."
    assert said[3].startswith("Without block 3, head 1, “captain” goes from 32.6% to")
    assert len({*said}) == 4
    root.page.keyboard.press("x")
    assert root.page.evaluate("model.get('factor')") == 1 and knob.input_value() == "1"


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
        "model.set('head', 2); model.set('factor', 0.25); model.set('up', 'itself')"
    )
    checked = root.locator(".gx-dot[aria-checked=true]")
    assert checked.get_attribute("aria-label").startswith("block 0, head 2")
    assert "gx-ablated" in checked.get_attribute("class")
    assert root.get_by_role("slider", name="block 0, head 2: output").input_value() == "0.25"
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
    for factor in (0, 1):
        root.page.keyboard.press("x")
        assert root.page.evaluate("model.get('factor')") == factor

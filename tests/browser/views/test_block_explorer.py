"""The block explorer in a blank page: its numbers are the model's, its keys work."""

import pytest
from in_page import show

from gpt1course.viz import explorers

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def explorer(novelist):
    return explorers.BlockExplorer.from_checkpoint(novelist, "She took the letter")


def test_lengths_and_neurons_are_the_models(page, explorer):
    show(page, explorer)
    page.get_by_role("radiogroup", name="token").get_by_role("radio", name="she").focus()
    page.keyboard.press("ArrowRight")
    page.get_by_role("radiogroup", name="block").get_by_role("radio", name="0").focus()
    page.keyboard.press("ArrowRight")
    explorer.block, explorer.place = page.evaluate("[model.get('block'), model.get('place')]")
    assert (explorer.block, explorer.place) == (1, 1)
    wanted = explorer.lengths()
    assert page.locator(".gx-station .gx-num").all_inner_texts() == [f"{v:.1f}" for v in wanted]
    assert f"({explorer.firing():.1%})" in page.locator(".gx-title").first.inner_text()


def test_it_is_shown_step_by_step(page, explorer):
    show(page, explorer)
    page.get_by_label("show as far as").focus()
    page.keyboard.press("Home")
    said = page.locator(".gx-river + .gx-live")
    assert page.locator(".gx-dry").count() == 6 and "attention" not in said.inner_text()
    assert page.locator(".gx-updown").nth(1).get_attribute("aria-label") == ""
    page.keyboard.press("ArrowRight")
    assert "attention adds" in said.inner_text() and "LayerNorm" not in said.inner_text()
    page.keyboard.press("End")
    assert page.locator(".gx-dry").count() == 0


def test_a_neuron_is_picked_by_key_and_by_mouse(page, explorer):
    show(page, explorer)
    told = page.locator(".gx-aside .gx-live")
    first = told.inner_text()
    page.get_by_role("slider", name="neuron").focus()
    page.keyboard.press("End")
    assert told.inner_text() != first and "GELU passes on 0.00." in told.inner_text()
    page.locator(".gx-neurons canvas").click(position={"x": 3, "y": 3})
    assert told.inner_text().startswith("Neuron 0 computed")


def test_both_orders_at_each_standard_deviation(page, explorer):
    show(page, explorer)
    page.get_by_label("standard deviation").focus()
    page.keyboard.press("End")
    last = explorer.depths[-1]
    assert page.evaluate("model.get('std')") == len(explorer.depths) - 1
    said = page.locator(".gx-depths .gx-live").inner_text()
    assert f"{last['pre'][0][-1]:.1f} in pre-LN" in said
    assert f"{last['pre'][1][0] / last['pre'][1][-1]:.1f} times in pre-LN" in said


@pytest.mark.parametrize("width", [390, 1100])
def test_nothing_is_wider_than_its_page(page, explorer, width):
    page.set_viewport_size({"width": width, "height": 900})
    show(page, explorer)
    assert page.evaluate("document.documentElement.scrollWidth") <= width

"""Heads over pre-training in a blank page: what is said is what Python computes."""

import numpy as np
import pytest
from in_page import listen, show

from gpt1course.viz import explorers

pytestmark = pytest.mark.browser
GET = "() => ['chosen', 'stage', 'head', 'row'].map(name => model.get(name))"


@pytest.fixture
def e():
    return explorers.HeadsOverTrainingExplorer.from_file()


@pytest.fixture
def root(page, e):
    page.emulate_media(reduced_motion="reduce")
    root = show(page, e)
    root.locator(".gx-tile").first.wait_for()
    return root


def sentences(root):
    return root.get_by_role("radiogroup", name="sentence").get_by_role("radio")


def said(root):
    return root.locator(".gx-live").inner_text()


def test_sentences_are_named_by_their_first_words(root, e):
    names = sentences(root).all_inner_texts()
    texts = [e_text.replace("</w>", " ") for e_text in map("".join, e.texts)]
    assert names == [" ".join(text.split()[:3]) for text in texts]
    assert len(set(names)) == len(names)


def test_the_headline_is_pythons_for_every_head_and_sentence(root, e):
    for chosen in range(len(e.texts)):
        sentences(root).nth(chosen).click()
        e.chosen = chosen
        for head in range(0, 16, 1 if chosen < 3 else 5):
            root.page.evaluate("head => model.take({ head })", head)
            e.head = head
            assert root.locator(".gx-finding").inner_text() == e.finding()
    for stage in (0, 11):
        root.page.evaluate("stage => model.take({ stage })", stage)
        wanted = [i for i, share in enumerate(e.sharpest()[stage]) if share > 0.5]
        tiles = root.locator(".gx-tile").evaluate_all(
            "es => es.flatMap((e, i) => (e.classList.contains('gx-grown') ? [i] : []))"
        )
        assert tiles == wanted


def test_by_keyboard_from_stage_to_stage(root, e):
    line = root.get_by_role("slider", name="stage")
    line.focus()
    root.page.keyboard.press("Home")
    assert root.page.evaluate(GET)[1] == 0 and said(root).startswith("After 0 updates")
    for _ in range(2):
        root.page.keyboard.press("ArrowRight")
    assert line.get_attribute("aria-valuetext") == f"{e.steps[2]} updates"
    assert f"is {e.losses[2]:.2f} nats per token" in said(root)
    root.page.keyboard.press("End")
    assert root.locator(".gx-title").first.inner_text().endswith("after 1,024 updates")
    tile = root.locator(".gx-tile[aria-checked=true]")
    tile.focus()
    root.page.keyboard.press("ArrowDown")
    head = root.page.evaluate(GET)[2]
    assert head == (e.head + 4 if e.head < 12 else e.head)
    root.get_by_label("after 0 updates", exact=True).focus()
    root.page.keyboard.press("ArrowDown")
    assert root.page.evaluate(GET)[1] == 1, "the ribbon is a list of stages, too"
    root.get_by_label("from the (4)", exact=True).focus()
    assert root.page.evaluate(GET)[3] == 4
    assert "“the (4)” at every stage" in root.locator(".gx-grown-below").inner_text()


PIXELS = """c => { const p = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
    return [...p].filter((_, i) => i % 4 === 3).map(Boolean); }"""


def test_the_pictures_hold_what_a_row_may_see(root, e):
    T = len(e.texts[0])
    seen = np.tril(np.ones((T, T), bool))
    for canvas in (root.locator(".gx-tile canvas").nth(5), root.locator(".gx-big").first):
        assert np.array_equal(np.reshape(canvas.evaluate(PIXELS), (T, T)), seen)
    root.page.evaluate("model.take({ row: 3 })")
    ribbon = np.reshape(root.locator(".gx-big").nth(1).evaluate(PIXELS), (12, T))
    assert ribbon[:, :4].all() and not ribbon[:, 4:].any()


def test_by_mouse_on_the_curve_a_word_and_the_ribbon(root, e):
    svg = root.locator(".gx-aside svg")
    box = svg.bounding_box()
    svg.click(position={"x": box["width"] - 20, "y": 60})
    assert root.page.evaluate(GET)[1] == 11
    svg.click(position={"x": 63, "y": 60})
    assert root.page.evaluate(GET)[1] == 0
    root.locator(".gx-grown-text span").nth(2).click()
    assert root.page.evaluate(GET)[3] == 2
    ribbon = root.locator(".gx-big").nth(1)
    ribbon.click(position={"x": 20, "y": 24 * 6 + 12})
    assert root.page.evaluate(GET)[1] == 6
    ring = root.locator(".gx-grown-first")
    place = [root.locator(".gx-aside circle").nth(e.stage).get_attribute("cx")]
    assert [ring.get_attribute("cx")] == place, "a ring around the stage of the headline"


def test_a_shorter_sentence_keeps_what_there_is(root, e):
    longest, shortest = (
        pick(range(len(e.texts)), key=lambda i: len(e.texts[i])) for pick in (max, min)
    )
    sentences(root).nth(longest).click()
    last = len(e.texts[longest]) - 1
    root.page.evaluate("row => model.take({ row })", last)
    sentences(root).nth(shortest).click()
    assert root.locator(".gx-grown-text .gx-from").count() == 1
    assert "undefined" not in root.inner_text() and "NaN" not in root.inner_text()


def test_the_run_is_played_to_its_end_and_can_be_stopped(page, e, stopped_clock):
    page.emulate_media(reduced_motion="no-preference")
    root = show(page, e)
    stopped_clock.pause_at(3600)
    tip = root.locator(".gx-tip")
    tip.click()
    assert page.evaluate(GET)[1] == 0 and tip.inner_text() == "stop here"
    stopped_clock.run_for(2150)
    assert page.evaluate(GET)[1] == 3
    tip.click()
    stopped_clock.run_for(3000)
    assert page.evaluate(GET)[1] == 3
    spoken = listen(root)
    tip.click()
    stopped_clock.run_for(2150)
    assert "After 0" not in said(root) and not spoken()
    stopped_clock.run_for(8000)
    assert len(spoken()) == 1 and spoken()[0].startswith("After 1,024 updates")
    assert page.evaluate(GET)[1] == 11 and tip.inner_text() == "play the run from its start"
    page.emulate_media(reduced_motion="reduce")


@pytest.mark.parametrize("width", [390, 620, 1000, 1600])
def test_nothing_is_wider_than_its_page(page, e, width):
    page.set_viewport_size({"width": width, "height": 900})
    show(page, e).locator(".gx-tile").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= width

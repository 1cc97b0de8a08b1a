"""The four formats, played: where motion ends, without motion, and texts that change places."""

import numpy as np
import pytest
from in_page import show

from gpt1course.viz import explorers

pytestmark = pytest.mark.browser
RUNNING = "() => document.getAnimations().length"
FINISHED = """() => { const all = document.getAnimations();
  for (const flight of all) flight.finish();
  return !all.length && !document.querySelector('.gx-ghost'); }"""  # one causes the next
# where every chip, state and bar is, and how dark
PLACES = """() => [...document.querySelectorAll(
  '.gx-token, .gx-fmt-block, .gx-fmt-state, .gx-fmt-layer, .gx-fmt-bars')].map(e => {
  const r = e.getBoundingClientRect(), { opacity, clipPath } = getComputedStyle(e);
  return [r.x, r.y, r.width, r.height, opacity, clipPath].map(String).join(' '); })"""
# what the model answers: the record of a question
TAKE = """([formats, states]) => model.take({ formats, states: new Float32Array(states),
  message: '', answers: model.get('answers') + 1 })"""


def answer(page, explorer):
    """Let Python read the texts of the page, and show its record there."""
    explorer.texts = page.evaluate("model.get('texts')")
    states = np.frombuffer(explorer.states, "<f2").astype(float).tolist()
    page.evaluate(TAKE, [explorer.formats, states])


def lane(root, name):
    root.get_by_role("radio", name=name, exact=True).first.click()


def typed(root):
    """The texts that are to be seen."""
    return [box.input_value() for box in root.locator(".gx-prompt:visible").all()]


def test_motion_ends_where_a_page_without_motion_begins(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist)
    ends = {}
    slow = page.context.new_cdp_session(page)
    slow.send("Animation.enable")
    slow.send("Animation.setPlaybackRate", {"playbackRate": 0.01})  # ends when it is told to
    for motion in ("reduce", "no-preference"):
        page.emulate_media(reduced_motion=motion)
        root = show(page, e)
        for name in ("similarity", "multiple choice", "entailment", "classification"):
            lane(root, name)
            if motion == "reduce":
                assert page.evaluate(RUNNING) == 0
                assert root.get_by_role("button", name="▶ Play").count() == 0
            else:
                assert page.evaluate(RUNNING) > 5
                assert page.evaluate(PLACES) != ends[name], "it moves"
                if name == "similarity":
                    page.evaluate(FINISHED)
                    page.wait_for_selector(".gx-ghost", state="attached")
                page.wait_for_function(FINISHED)
            ends.setdefault(name, page.evaluate(PLACES))
            assert page.evaluate(PLACES) == ends[name], name


def test_the_signs_of_a_state_are_seen_without_color(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind="classification")
    drawn = show(page, e).locator(".gx-fmt-state canvas")
    pixels = drawn.evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    above, below = np.reshape(pixels, (2, -1, 4))[..., 3] > 0
    state = np.frombuffer(e.states, "<f2").astype(float)[: len(above)]
    clear = abs(state) > 0.1 * abs(state).max()
    assert (above == (state > 0))[clear].all() and (below == (state < 0))[clear].all()


def test_what_is_played_can_be_interrupted(page, novelist):
    page.emulate_media(reduced_motion="no-preference")
    root = show(page, explorers.FormatsExplorer.from_checkpoint(novelist))
    assert page.evaluate(RUNNING) == 0, "a page opens at the end"
    wanted = page.evaluate(PLACES)
    root.get_by_role("button", name="▶ Play").click()
    assert page.evaluate(RUNNING) > 5
    lane(root, "multiple choice")
    lane(root, "classification")
    page.wait_for_function(FINISHED)
    assert page.evaluate(PLACES) == wanted


def test_nothing_leaves_a_narrow_page_while_it_moves(page, novelist):
    page.emulate_media(reduced_motion="no-preference")
    page.set_viewport_size({"width": 390, "height": 800})
    root = show(page, explorers.FormatsExplorer.from_checkpoint(novelist))
    lane(root, "multiple choice")
    for at in (0, 300, 600, 900):
        page.evaluate(
            f"() => document.getAnimations().forEach(a => {{ a.currentTime = {at}; }})"
        )
        assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_texts_change_places_by_keys(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind="entailment")
    root = show(page, e)
    before, first = typed(root), e.formats["entailment"]["probs"]
    grip = root.get_by_role("button", name="exchange premise with another text")
    grip.focus()
    page.keyboard.press("ArrowDown")
    assert typed(root) == before[::-1]
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert label.startswith("exchange hypothesis"), "the focus goes with the text"
    answer(page, e)
    now = e.formats["entailment"]["probs"]
    assert now != first
    said = root.locator(".gx-live").inner_text()
    at = int(np.argmax(first))
    assert said.startswith(f"Exchanged: “{e.layers['entailment']['classes'][at]}” was ")
    page.keyboard.press("Enter")
    assert typed(root) == before


def test_texts_change_places_by_dragging(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind="choice")
    root = show(page, e)
    before = typed(root)
    grips = [grip.bounding_box() for grip in root.locator(".gx-grip:visible").all()]
    middles = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in grips]
    page.mouse.move(*middles[1])
    page.mouse.down()
    page.mouse.move(*middles[2])
    page.mouse.move(*middles[3])
    assert root.locator(".gx-target .gx-prompt:visible").input_value() == before[3]
    page.mouse.up()
    assert typed(root) == [before[0], before[3], before[2], before[1]]
    assert not root.locator(".gx-target, .gx-dragged").count()
    scores = e.formats["choice"]["scores"]
    answer(page, e)
    assert e.formats["choice"]["scores"] == pytest.approx(scores[::-1], abs=1e-3)
    assert "each row keeps its score" in root.locator(".gx-live").inner_text()


def test_the_sum_of_both_orders_does_not_change_when_texts_do(page, novelist):
    page.emulate_media(reduced_motion="no-preference")
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind="similarity")
    root = show(page, e)
    assert root.locator(".gx-fmt-state").count() == 3
    root.get_by_role("button", name="exchange the two texts").click()
    page.wait_for_function(FINISHED)
    assert page.evaluate(RUNNING) == 0
    answer(page, e)
    assert page.evaluate(RUNNING) == 4, "the tokens of both texts slide, in both rows"
    said = root.locator(".gx-live").inner_text()
    assert said.startswith("Exchanged: nothing changes, since both orders are read anyway.")
    assert root.locator(".gx-tip").inner_text() == "go on to multiple choice"


def test_equal_texts_change_places_without_a_question(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, kind="similarity")
    e.texts = e.texts | {"similarity": ["He saw it.", "He saw it."]}
    root = show(page, e)
    hint = root.locator(".gx-hint").inner_text()
    root.get_by_role("button", name="exchange the two texts").click()
    assert root.locator(".gx-hint").inner_text() == hint, "no answer would come"
    assert root.locator(".gx-tip").inner_text() == "go on to multiple choice"


def test_the_right_answer_makes_the_task_s_loss(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist, lm_coef=0)
    root = show(page, e)
    for label, name in enumerate(e.layers["classification"]["classes"]):
        root.get_by_role("radio", name=name, exact=True).click()
        e.labels = page.evaluate("model.get('labels')")
        assert e.labels["classification"] == label
        scores = np.array(e.formats["classification"]["scores"])
        wanted = np.log(np.exp(scores - scores[label]).sum())
        assert (
            f"the task loss is {wanted:.2f} nats" in root.locator(".gx-fmt-share").inner_text()
        )
        assert e.losses()["task"] == pytest.approx(wanted, abs=1e-3)

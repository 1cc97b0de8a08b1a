"""A model that learns in a blank page: started, paused, looked back at, kept and loaded."""

import json
import re

import pytest
from in_page import show
from playwright.sync_api import expect

from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone
from tools.policy import with_policy

pytestmark = pytest.mark.browser
TEXT = "The quick brown fox jumps over the lazy dog. " * 20
READY = "() => !document.querySelector('.gx-learn-primary').disabled"
UPDATES = """() => +(document.querySelector('.gx-learn-headline').textContent
  .replace(',', '').match(/After (\\d+) update/)?.[1] ?? 0)"""


def begin(page, text=TEXT):
    """A view that is ready to start, with the smallest model."""
    root = show(page, explorers.LearningExplorer(text))
    page.wait_for_function(READY)
    for name, size in (("blocks", "1"), ("width", "16")):
        root.get_by_role("radiogroup", name=name).get_by_role("radio", name=size).click()
    page.wait_for_function(
        "() => document.querySelector('.gx').innerText.includes('a context')"
    )
    return root


def press(root, name):
    root.get_by_role("button", name=name, exact=True).click()


def learn(root, more=20):
    """Let it learn for so many updates or more, and pause; returns the headline."""
    before = root.page.evaluate(UPDATES)
    press(root, "Go on" if before else "Start")
    root.page.wait_for_function(f"least => ({UPDATES})() >= least", arg=before + more)
    press(root, "Pause")
    expect(root.locator(".gx-live")).to_contain_text("Paused after")
    return root.locator(".gx-learn-headline").inner_text()


def test_it_learns_pauses_and_goes_on(page):
    root = begin(page)
    assert "random numbers" in root.locator(".gx-learn-headline").inner_text()
    assert root.locator("svg path[fill=none]").count() == 1, "positions, and no curve yet"
    before = painted(page)
    assert "nats per character" in learn(root, 60)
    assert painted(page) != before, "its heads look elsewhere"
    rungs = root.locator(".gx-learn-rungs dd")
    assert len(rungs.nth(1).inner_text()) > 40, "the copy at 10 updates"
    assert rungs.nth(3).inner_text() == "…", "1,000 is still to come"
    assert "below guessing" in root.locator(".gx-learn-curve svg").get_attribute("aria-label")
    paused = root.locator(".gx-learn-headline").inner_text()
    page.wait_for_timeout(300)
    assert root.locator(".gx-learn-headline").inner_text() == paused
    assert learn(root, 20) != paused


def painted(page):
    """The pixels of all heads."""
    return page.locator(".gx-learn-triangles canvas").evaluate_all(
        "all => all.map(c => c.toDataURL()).join()"
    )


def test_a_triangle_has_no_weight_above_its_diagonal(page):
    root = begin(page)
    alpha = root.locator(".gx-learn-triangles canvas").first.evaluate(
        """c => { const {data} = c.getContext('2d').getImageData(0, 0, c.width, c.height);
        const n = c.width, seen = [];
        for (let t = 0; t < n; t++) for (let s = 0; s < n; s++)
          if ((data[4 * (t * n + s) + 3] > 0) !== (s <= t)) seen.push([t, s]);
        return [n, seen.length]; }"""
    )
    assert alpha == [32, 0]


def test_the_stages_lead_back(page):
    root = begin(page)
    learn(root, 30)
    now = painted(page)
    slider = root.get_by_role("slider", name="back through its stages")
    slider.focus()
    page.keyboard.press("Home")
    expect(root.locator(".gx-learn-rungs dt").first).to_have_text("now: 0")
    assert painted(page) != now
    assert root.locator(".gx-learn-at").count() == 1
    page.keyboard.press("End")
    assert root.locator(".gx-learn-at").count() == 0 and painted(page) == now


def test_the_flag_is_planted_before_the_start_only(page):
    root = begin(page)
    flag = root.get_by_role("slider", name="first real word after")
    flag.fill("7")
    expect(root.locator(".gx-learn-flag")).to_have_text("your guess: 10")
    curve = root.locator(".gx-learn-curve svg")
    curve.evaluate("e => e.scrollIntoView({block: 'center'})")
    box = curve.bounding_box()
    page.mouse.click(box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2)
    assert root.locator(".gx-learn-flag").text_content() != "your guess: 10"
    planted = root.locator(".gx-learn-flag").first.text_content()
    assert planted == f"your guess: {flag.get_attribute('aria-valuetext')}"
    learn(root, 5)
    assert flag.is_disabled()
    page.mouse.click(box["x"] + 0.3 * box["width"], box["y"] + box["height"] / 2)
    assert root.locator(".gx-learn-flag").first.text_content() == planted


def test_each_arrow_key_moves_the_flag(page):
    root = begin(page)
    flag = root.get_by_role("slider", name="first real word after")
    flag.focus()
    page.keyboard.press("Home")
    seen = [0]
    while (at := int(flag.get_attribute("aria-valuetext").replace(",", ""))) > seen[-1]:
        expect(root.locator(".gx-learn-flag")).to_have_text(f"your guess: {at:,}")
        seen.append(at)
        page.keyboard.press("ArrowRight")
    assert seen[:7] == [0, 1, 2, 3, 4, 5, 6] and seen[-1] == 1995


def test_too_high_a_rate_is_explained(page):
    root = begin(page)
    learn(root, 60)
    root.get_by_role("slider", name="learning rate").fill("15")
    press(root, "Go on")
    expect(root.locator(".gx-live")).to_contain_text("It has diverged")
    said = root.locator(".gx-live").inner_text()
    assert "the rate, 0.5, which is 25 times the 0.02" in said
    press(root, "Pause")
    expect(root.locator(".gx-learn-headline")).not_to_contain_text("below letter pairs")
    press(root, "begin again with a rate of 0.003")
    assert root.get_by_role("slider", name="learning rate").input_value() == "6"
    learn(root, 3)


@pytest.mark.slow
def test_another_text_and_what_cannot_be_learned(page):
    root = begin(page)
    learn(root, 5)
    field = root.get_by_role("textbox", name="It learns this text")
    field.fill("a" * 900)
    field.blur()
    expect(root.locator(".gx-live")).to_contain_text("only one character, over and over")
    assert root.locator(".gx-learn-primary").is_disabled()
    press(root, "the passage of the course")
    expect(field).to_have_value(TEXT)
    field.fill("שלום עולם " * 40)
    field.blur()
    expect(root.locator(".gx-learn-text")).to_contain_text("6 different characters")
    assert "random numbers" in root.locator(".gx-learn-headline").inner_text()
    learn(root, 3)


def test_a_model_is_kept_loaded_and_writes(page, tmp_path):
    root = begin(page)
    learn(root, 100)
    press(root, "Let it write")
    expect(root.locator(".gx-learn-written")).not_to_be_empty()
    written = root.locator(".gx-learn-written").inner_text()
    with page.expect_download() as kept:
        press(root, "Save the model")
    path = tmp_path / "model.json"
    kept.value.save_as(path)
    saved = json.loads(path.read_text())
    assert saved["text"] == TEXT and saved["settings"]["n_embd"] == 16
    press(root, "Another seed")
    root.locator("input[type=file]").set_input_files(path)
    expect(root.locator(".gx-live")).to_contain_text("A model that had learned for")
    press(root, "Let it write")
    expect(root.locator(".gx-learn-written")).to_have_text(written)
    press(root, "Begin again")
    expect(root.locator(".gx-learn-headline")).to_contain_text("random numbers")


def test_it_goes_on_from_characters_of_its_text_alone(page):
    root = begin(page)
    written, said = root.locator(".gx-learn-written"), root.locator(".gx-live")
    prompt = root.get_by_role("textbox", name="it goes on from")
    press(root, "Let it write")
    expect(written).not_to_be_empty()
    prompt.fill("dog Ω日")
    press(root, "Let it write")
    expect(said).to_have_text("Its text has no “Ω”: it cannot go on from that.")
    expect(written).to_be_empty()
    prompt.fill("dog")
    press(root, "Let it write")
    expect(written).not_to_be_empty()
    expect(said).to_be_empty()


@pytest.mark.slow
def test_a_wrong_file_is_named_and_changes_nothing(page, tmp_path):
    root = begin(page)
    headline = learn(root, 5)
    saved = {"kind": "a GPT-1 that learned in a page of the course, 1", "text": TEXT}
    sizes = {"n_layer": 1, "n_head": 4, "n_embd": 16, "n_ctx": 48, "seed": 0}
    saved |= {"step": 5, "settings": sizes, "weights": "AAAAAA=="}
    wrong = {
        "a photograph": "it is not JSON",
        "{}": "it does not say that it is one",
        json.dumps(saved | {"weights": "?"}): "its weights cannot be read",
        json.dumps(saved): "it has 1 weights, this model needs",
        json.dumps(saved | {"step": "five"}): "its updates are five",
        json.dumps(saved | {"settings": sizes | {"n_embd": 10**6}}): "its n_embd is 1000000",
    }
    for text, why in wrong.items():
        path = tmp_path / "model.json"
        path.write_text(text)
        root.locator("input[type=file]").set_input_files(path)
        expect(root.locator(".gx-live")).to_contain_text(f"is not a model of this page: {why}")
    assert root.locator(".gx-learn-headline").inner_text() == headline
    learn(root, 5)


def test_a_worker_ends_with_its_view(page):
    begin(page)
    ended = page.evaluate(
        """async code => {
        const script = new Blob([code], { type: "text/javascript" });
        const view = await import(URL.createObjectURL(script));
        const host = document.body.appendChild(document.createElement("div"));
        const remove = view.default.render({ model, el: host });
        const ended = [], { terminate } = Worker.prototype;
        Worker.prototype.terminate = function () { ended.push(1); terminate.call(this); };
        remove();
        return ended.length; }""",
        explorers.LearningExplorer._esm,
    )
    assert ended == 1


def test_out_of_the_page_it_pauses_and_back_in_it_goes_on(page):
    root = begin(page)
    learn(root, 5)
    press(root, "Go on")
    page.evaluate(
        """() => {
        globalThis.away = document.querySelector(".gx");
        globalThis.place = away.parentNode;
        away.remove(); }"""
    )
    page.wait_for_function(
        "() => away.querySelector('.gx-live').textContent.startsWith('Paused after')"
    )
    page.evaluate("() => place.append(away)")
    learn(root, 20)


@pytest.mark.slow
def test_begun_anew_while_it_learns_nothing_of_the_old_run_is_left(page):
    root = begin(page)
    learn(root, 100)
    for name in ("Another seed", "Begin again"):
        press(root, root.locator(".gx-learn-primary").inner_text())
        page.wait_for_timeout(200)
        press(root, name)
        page.wait_for_function(READY)
        expect(root.locator(".gx-learn-headline")).to_contain_text("random numbers")
        assert root.locator(".gx-learn-curve path[stroke]").count() == 0, "no curve"


@pytest.mark.slow
def test_an_lstm_learns_beside_the_curve_of_the_gpt(page, tmp_path):
    root = begin(page)
    learn(root, 60)
    nats = re.search(r"updates: ([\d.]+) nats", root.locator(".gx-learn-headline").inner_text())
    root.get_by_role("radio", name="LSTM").click()
    page.wait_for_function(
        "() => document.querySelector('.gx').innerText.includes('units, a context')"
    )
    assert "An LSTM of random" in root.locator(".gx-learn-headline").inner_text()
    assert root.locator(".gx-learn-earlier").count() == 1
    named = root.locator(".gx-learn-level").all_text_contents()
    assert f"GPT-1 before it: {nats[1]}" in named
    assert "An LSTM has no attention." in root.locator(".gx-learn-heads").inner_text()
    assert "An LSTM has no position" in root.locator(".gx-learn-places").inner_text()
    assert (
        not root.locator(".gx-learn-triangles, .gx-learn-places svg")
        .filter(visible=True)
        .count()
    )
    assert "nats per character" in learn(root, 60)
    assert root.locator(".gx-learn-curve path[stroke]").count() == 2, "its own curve, twice"
    described = root.locator(".gx-learn-curve svg").get_attribute("aria-label")
    assert "the GPT-1 before it had" in described
    with page.expect_download() as kept:
        press(root, "Save the model")
    kept.value.save_as(tmp_path / "lstm.json")
    root.get_by_role("radio", name="GPT-1").click()
    page.wait_for_function(READY)
    expect(root.locator(".gx-learn-level").last).to_contain_text("LSTM before it")
    expect(root.locator(".gx-learn-triangles canvas").first).to_be_visible()
    root.locator("input[type=file]").set_input_files(tmp_path / "lstm.json")
    expect(root.locator(".gx-live")).to_contain_text("A model that had learned for")
    expect(root.get_by_role("radio", name="LSTM")).to_be_checked()
    assert root.locator(".gx-learn-earlier").count() == 0


def test_a_megabyte_is_pasted_at_once(page):
    root = begin(page)
    page.evaluate(
        """addEventListener("copy", e => {
        e.clipboardData.setData("text/plain", "The quick brown fox. ".repeat(50_000));
        e.preventDefault(); })"""
    )
    field = root.get_by_role("textbox", name="It learns this text")
    field.click()
    page.keyboard.press("Control+A")
    page.keyboard.press("Control+C")
    page.keyboard.press("Control+V")
    said = "The text has 1,050,000 characters, the first 200,000 are read."
    expect(root.locator(".gx-live")).to_have_text(said)
    assert len(field.input_value()) == 200_000
    learn(root, 3)


def test_it_learns_from_disk_under_the_policy_of_the_book(page, tmp_path):
    html = standalone.page(explorers.LearningExplorer(TEXT))
    path = tmp_path / "page.html"
    path.write_text(with_policy(html.replace('charset="utf-8">', 'charset="utf-8" />')))
    asked = []
    page.on("request", lambda r: asked.append(r.url))
    page.goto(path.as_uri())
    page.wait_for_function(READY)
    learn(page.locator(".gx"), 3)
    remote = [url for url in asked if not url.startswith(("file:", "blob:", "data:"))]
    assert not remote


@pytest.mark.slow
def test_a_new_theme_goes_on_with_the_same_run(page):
    root = begin(page)
    headline = learn(root, 10)
    page.evaluate("document.body.style.background = '#111'")
    page.evaluate("document.body.className = 'dark'")
    expect(root).to_have_class("gx gx-dark")
    assert root.locator(".gx-learn-headline").inner_text() == headline
    learn(root, 10)


def test_the_page_does_not_stand_still_while_it_learns(page):
    page.emulate_media(reduced_motion="no-preference")
    root = begin(page)
    press(root, "Start")
    waits = page.evaluate("""async () => {
      const waits = [];
      let last = performance.now();
      while (waits.length < 200) {
        await new Promise(done => setTimeout(done, 0));
        const now = performance.now();
        waits.push(now - last);
        last = now;
      }
      return waits.sort((a, b) => a - b);
    }""")
    press(root, "Pause")
    assert waits[100] < 33, waits[100]  # also where other tests take the processor

"""A static copy of the gallery: explorers live without a kernel, nothing is fetched."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from test_access import AXE

import gpt1lib as g
from gpt1lib.show import engine
from gpt1lib.show.labels import token_labels
from tools import site

ROOT = Path(__file__).resolve().parents[2]


def answered(root, text):
    """Type a text into the first field: the engine answers, and what is drawn is another."""
    hint, asking = root.locator(".gx-hint"), re.compile("^The (model|text) ")
    expect(hint).not_to_have_text(asking, timeout=30_000)  # what a slider has asked
    before, answers = root.inner_html(), root.evaluate("() => model.get('answers')")
    root.locator(".gx-prompt").first.fill(text)
    root.locator(".gx-prompt").first.press("Enter")
    expect(hint).not_to_have_text(asking, timeout=30_000)
    assert "cannot be read" not in hint.inner_text()
    assert root.evaluate("() => model.get('answers')") == answers + 1
    assert root.inner_html() != before


def answered_bars(root, text):
    """The next-token distribution is the library's, of the weights as the page has them."""
    answered(root, text)
    root.get_by_role("button", name="Reset").click()  # back to temperature 1
    source = g.load_novelist()
    ids = torch.tensor([source.bpe.encode(text)])
    with torch.no_grad():
        probs = engine.as_stored(source.model)(ids)[0, -1].softmax(-1)
    best = f"“{source.bpe.pieces([probs.argmax()])[0].removesuffix('</w>')}”"
    expect(root.locator(".gx-live")).to_contain_text(best, timeout=30_000)
    shown = json.loads(root.get_attribute("data-after"))
    assert [i for i, _ in shown] == probs.topk(5).indices.tolist()
    assert np.allclose([p for _, p in shown], probs.topk(5).values, atol=1e-4)


def answered_front(page):
    """The front page says what comes next, moves with the temperature, and writes."""
    first = page.locator("#front .gx-bars li").first
    expect(first).to_contain_text("eyes", timeout=30_000)
    page.get_by_label("Begin a sentence").fill("He was a very young")
    expect(first).to_contain_text("man", timeout=30_000)
    words = page.locator(".page-word")
    expect(words).to_have_text(["he", "was", "a", "very", "young"])
    own = first.inner_text()
    page.get_by_label("temperature").press("ArrowLeft")
    assert first.inner_text() != own
    head = page.locator(".page-heads [aria-checked=true]")
    head.press("ArrowLeft")
    expect(head).to_have_attribute("aria-label", "block 2, head 2")
    words.last.press("ArrowLeft")
    expect(page.locator(".page-looks")).to_have_text(looked("He was a very young", 10, -2))
    page.get_by_role("button", name="Let it write on").click()
    expect(page.locator(".page-writing p")).to_contain_text(
        "he was a very young", timeout=30_000
    )
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Let it write on")).to_be_visible()
    page.get_by_label("Begin a sentence").fill("🙂")
    expect(page.locator("#front")).to_contain_text("Not in the vocabulary, read as <unk>: 🙂.")
    for odd in ("<script>alert(1)</script>", "word " * 2000):
        page.get_by_label("Begin a sentence").fill(odd)
    expect(page.locator("#front")).to_contain_text("The model reads the last 256 of")
    expect(page.locator(".page-looks")).to_contain_text("2000 tokens, this page shows 40")
    page.get_by_label("Begin a sentence").fill("")
    expect(page.locator("#front")).to_contain_text("Nothing is typed")


def looked(text, head, row):
    """What the page says of one token in one head, by the library's weights."""
    source = g.load_novelist()
    ids = source.bpe.encode(text)
    weights = g.trace(engine.as_stored(source.model), ids).weights.flatten(0, 1)[head][row]
    names = token_labels(source.bpe.pieces(ids))
    best = int(weights.argmax())
    whom = "itself" if best == len(ids) + row else f"“{names[best]}”"
    share = f"{100 * weights[best].item():.1f}%"
    return (
        f"In block {head // 4}, head {head % 4}, “{names[row]}” looks most at {whom}, {share}."
    )


def answered_map(page):
    """Without a head the text goes on as the library says; odd texts are met in words."""
    root = page.frame_locator("iframe").locator(".gx")
    root.get_by_role("button", name="block 3, head 1 off").click()
    hint, told = root.locator(".gx-hint"), root.locator(".gx-note").last
    for text, answer in {
        "": "This cannot be read: the text is empty",
        "word " * 2000: "2000 tokens, this page shows 24",
        "<b>🙂": "Not in the vocabulary, read as <unk>: < > 🙂",
        "The captain came on deck and looked at the": "Type a text of up to 24 tokens",
    }.items():
        root.get_by_label("text").fill(text)
        root.get_by_label("text").press("Enter")
        expect(hint).to_contain_text(answer, timeout=30_000)
    source = g.load_novelist()
    model, ids = engine.as_stored(source.model), torch.tensor([source.bpe.encode(text)])
    said = []
    for silent in ([(3, 1)], []):
        with torch.no_grad(), g.tracing.silenced(model, silent):
            probs = model(ids)[0, -1].softmax(-1)
        piece = source.bpe.pieces([int(probs.argmax())])[0].removesuffix("</w>")
        said.append(f"“{piece}” {probs.max():.1%}")
    assert said[0] != said[1]
    expect(told).to_contain_text(f"goes on with {said[0]}; with all heads it is {said[1]}.")


def serious(page) -> list[str]:
    """What axe-core finds in the page, without its frames."""
    page.add_script_tag(content=AXE)
    found = page.evaluate("() => axe.run(document, {iframes: false})")
    return [v["id"] for v in found["violations"] if v["impact"] in ("serious", "critical")]


@pytest.mark.browser
def test_explorers_live_in_a_static_copy(chromium, tmp_path, monkeypatch):
    monkeypatch.setattr(site, "SITE", tmp_path)
    site.main([str(ROOT / "notebooks/gallery.ipynb")])

    page, urls, errors, asked = chromium.new_page(), [], [], []
    page.emulate_media(color_scheme="dark")  # the page is light wherever it is read
    page.on("request", lambda r: urls.append(r.url))
    page.on("pageerror", lambda e: errors.append(str(e)))
    page.goto((tmp_path / "gallery.html").as_uri())
    frames = page.locator("iframe")
    assert frames.count() >= 12
    for i in range(frames.count()):
        frames.nth(i).scroll_into_view_if_needed()
        root = frames.nth(i).content_frame.locator(".gx")
        root.wait_for(timeout=60_000)
        root_height = "() => document.documentElement.scrollHeight"
        tall = frames.nth(i).content_frame.locator("html").evaluate(root_height)
        assert frames.nth(i).bounding_box()["height"] == tall > 100, "no hole, no scroll bar"
        sliders = root.locator("input[type=range]:enabled")
        if sliders.count():
            before = root.inner_html()
            sliders.first.focus()
            page.keyboard.press("ArrowLeft")
            if root.inner_html() == before:
                page.keyboard.press("ArrowRight")
            assert root.inner_html() != before
        name = frames.nth(i).get_attribute("title")
        if root.locator(".gx-prompt").count():
            asked.append(name)
            act = answered_bars if name == "SamplingExplorer" else answered
            act(root, "The old man was a very young")
    assert len(asked) == 9, asked  # all that test_engine.py compares with Python
    pictures = page.locator("figure[data-static]")
    assert not any(pictures.nth(i).is_visible() for i in range(pictures.count()))
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert (
        page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert serious(page) == []
    page.goto((tmp_path / "index.html").as_uri())
    page.locator(".page-cards a").first.wait_for()
    answered_front(page)
    assert serious(page) == []
    page.get_by_role("link", name="model as a map").click()
    answered_map(page)
    assert serious(page) == []
    assert not errors
    elsewhere = [u for u in urls if not u.startswith(("file:", "about:", "data:", "blob:"))]
    assert not elsewhere
    page.close()

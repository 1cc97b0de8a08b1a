"""The book's own scripts in a blank page: the front page, the tour, and links to a view."""

import json

import pytest
from in_page import listen
from playwright.sync_api import expect

from gpt1course.viz import explorers
from gpt1course.viz.explorers.standalone import frame
from tools.page import tour
from tools.site import PAGE

pytestmark = pytest.mark.browser

# in place of the model: any text, of which each token looks at the first
SMALL = """globalThis.gpt1 = { async ask(name, text) {
  const pieces = (text ?? "").split(" ").map(word => word + "</w>");
  const T = pieces.length;
  const weights = Float32Array.from({ length: 16 * T * T }, (_, i) => +(i % T === 0));
  const next = Float32Array.from({ length: 12 }, (_, i) => -i);
  const attention = { pieces, weights };
  return { next, notice: "", pieces: [..."abcdefghijkl"], attention }[name];
} };"""


def script(name: str) -> str:
    """A script as the pages of the book have it: what it defines is its own."""
    return f"{{{(PAGE / name).read_text(encoding='utf-8')}}}"


def test_of_what_is_typed_the_end_is_spoken_and_each_choice(page, stopped_clock):
    front = script("bundles/front.js")
    page.set_content(
        f'<section id="front" class="gx"></section><script>{SMALL}{front}</script>'
    )
    words, box = page.locator(".page-word"), page.get_by_label("Begin a sentence")
    expect(words).to_have_count(8)
    stopped_clock.pause_at(3600)
    spoken = listen(page.locator("#front"))
    for text in ("He", "He saw", "He saw it"):
        box.fill(text)
        expect(words).to_have_count(len(text.split()))
        stopped_clock.run_for(400)
    assert spoken() == []
    stopped_clock.run_for(400)
    assert [said.partition(" the ")[0] for said in spoken()] == ["After “He saw it”"]
    words.nth(1).click()
    page.get_by_label("block 0, head 2").click()
    looks = "“saw” looks most at “He”, 100%."
    assert spoken()[1:] == [f"In block 2, head 3, {looks}", f"In block 0, head 2, {looks}"]


def test_a_link_to_a_view_is_followed_in_the_page_that_is_open(page):
    view = frame(explorers.BigramExplorer([[0, 1], [1, 0]], list("ab"), row=0))
    begins = f'<html data-theme="light"><head><script>{script("book.js")}</script></head>'
    page.set_content(f"{begins}<body><figure></figure>{view}</body></html>")
    row = page.frame_locator("iframe").locator(".gx-row.gx-on")
    expect(row).to_have_text("a")
    page.evaluate("() => { location.hash = 'view=BigramExplorer&state={\"row\":1}'; }")
    expect(row).to_have_text("b")


def test_a_head_that_a_stop_of_the_tour_switches_off_is_on_at_the_next(page, novelist):
    explorer = explorers.ModelMapExplorer.from_checkpoint(novelist, tour.TEXT)
    engine = {"ids": [explorer.weights_id]}
    asks = "async ask(name, record, told, changed) { asked.push(changed); return {}; }"
    page.set_content(
        f"<style>.tour-stop {{ height: 600px; }}</style>"
        f"<script>var asked = [], gpt1 = {{ ...{json.dumps(engine)}, {asks} }};</script>"
        f'<div class="tour-map">{frame(explorer)}</div>{tour.as_html(novelist)}'
        f"<script>{script('tour.js')}</script>"
    )
    page.frame_locator("iframe").locator(".gx-toured").wait_for(state="attached")
    off = page.frame_locator("iframe").locator(".gx-map-switch[aria-pressed=true]")
    here, stops = page.locator(".tour-here h2"), page.locator(".tour-stop")
    for i, title, n in ((6, "7. The guess changes", 1), (7, "8. The same table again", 0)):
        stops.nth(i).evaluate("e => e.scrollIntoView({ block: 'center' })")
        expect(here).to_have_text(title)
        if n:
            stops.nth(i).get_by_role("button").click()
        expect(off).to_have_count(n)
    assert page.evaluate("asked") == [["factors"], ["factors"]], "and at other stops, nothing"

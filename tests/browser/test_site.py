"""The book: linked, folded, searched; explorers live without a kernel, nothing fetched."""

import re
import socket
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import nbformat
import numpy as np
import pytest
import torch
from playwright.sync_api import expect
from test_access import AXE

import gpt1lib as g
from gpt1course.viz import engine
from gpt1course.viz.labels import readable, token_labels
from tools import site
from tools.notebooks import layout
from tools.page import api

pytestmark = [pytest.mark.browser, pytest.mark.filterwarnings("ignore:.*is deprecated")]
ROOT = Path(__file__).resolve().parents[2]
POLICY = "Content Security Policy"  # what the console calls it
FOLDER = ROOT / "notebooks"
NOTEBOOKS = sorted([*FOLDER.glob("*.ipynb"), *FOLDER.glob("deeper/*.ipynb")])
CODE = re.compile(r"<(pre|code|script|style)\b.*?</\1>", re.DOTALL)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The folder of the whole book, built once: the gallery live, the lessons as stored."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "BUILD", tmp_path_factory.mktemp("build"))
        site.main([str(ROOT / "notebooks/gallery.ipynb")])
        return site.BUILD / "site"


@pytest.fixture(scope="module")
def pages(book):
    """Name -> HTML of every page."""
    return {path.stem: path.read_text(encoding="utf-8") for path in book.glob("*.html")}


# ---- the pages as they are written ------------------------------------------------------


class Places(HTMLParser):
    """What a page leads to, loads, and can be led to."""

    def __init__(self, html: str):
        super().__init__()
        self.links, self.loads, self.ids = [], [], set()
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.ids.add(given.get("id"))
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        loads = given.get("src") or (tag == "link" and given.get("href"))
        if loads and not loads.startswith("data:"):
            self.loads.append(loads)


def test_every_link_leads_somewhere_and_nothing_is_remote(book, pages):
    places, lost = {name: Places(html) for name, html in pages.items()}, []
    for name, place in places.items():
        for target in place.links + place.loads:
            parts = urlsplit(target)
            path = unquote(parts.path) or f"{name}.html"
            to = places.get(path.removesuffix(".html")) if parts.fragment else None
            there = not parts.scheme and (book / path).exists()
            if not there or (to and unquote(parts.fragment) not in to.ids):
                lost.append((name, target))
    assert not lost
    styles = "".join(p.read_text(encoding="utf-8") for p in book.glob("_static/**/*.css"))
    assert not re.search(r"(?:url\(|@import )['\"]?(?:https?:)?//", styles)


def test_all_pages_are_there_and_lead_on(pages):
    written = {path.stem for path in (*NOTEBOOKS, *ROOT.glob("docs/*.md"))}
    taught = {f"teaching_{path.stem}" for path in ROOT.glob("teaching/*.md")}
    listed = set(api.pages())
    others = {"index", "map", "tour", "learn", "data", "search"}
    assert pages.keys() == written | taught | listed | others
    sidebar = pages["glossary"].partition("<main")[0]
    assert all(f'href="{name}.html"' in sidebar for name in written - {"glossary"})
    for before, here in zip(NOTEBOOKS[:17], NOTEBOOKS[1:18], strict=True):
        assert re.search(rf'class="left-prev"\s+href="{before.stem}.html"', pages[here.stem])
        assert re.search(rf'class="right-next"\s+href="{here.stem}.html"', pages[before.stem])
    plain = [
        html.count(site.NO_SCRIPT) * ('data-theme="light"' in html) for html in pages.values()
    ]
    assert plain == [1] * len(pages), "readable where scripts are off"
    assert all(
        f'href="notebooks/{site.name_of(path)}"' in pages[path.stem] for path in NOTEBOOKS
    )


def test_answers_and_plots_are_folded_and_formulas_drawn(pages):
    for path in NOTEBOOKS:
        cells, html = nbformat.read(path, as_version=4).cells, pages[path.stem]
        answers = [cells[i] for i in layout.answers(cells) if cells[i].outputs]
        asides = [c for c in cells if layout.is_aside(c) and c not in answers]
        assert html.count(site.GUESS) == len(answers)
        assert html.count('<details class="admonition hide') == len(answers) + len(asides)
        prose = "".join(c.source for c in cells if c.cell_type == "markdown")
        shown = CODE.sub("", html)
        assert ("<math" in shown) == bool(re.search(r"(?<![\\`$])\$[^$`\n]+\$", prose))
        assert not re.findall(
            r"\\(?:frac|lambda|sum|text|cdot|sqrt|log|mathbb|beta)\b|\$\$", shown
        )


# ---- what answers in a page -------------------------------------------------------------


def answered(root, text):
    """Type a text into the first field: the engine answers, and what is drawn is another."""
    hint, asking = root.locator(".gx-hint"), re.compile("^(The (model|text) |No answer yet)")
    expect(hint).not_to_have_text(asking)  # what a slider has asked
    prompt = root.locator(".gx-prompt").first
    prompt.focus()
    before, answers = root.inner_html(), root.evaluate("() => model.get('answers')")
    prompt.fill(text)
    prompt.press("Enter")
    expect(hint).not_to_have_text(asking)
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
    expect(root.locator(".gx-live")).to_contain_text(best)
    top = probs.topk(5)
    names = root.locator("li:not(.gx-head) .gx-word").all_inner_texts()
    assert names[:5] == [readable(piece) for piece in source.bpe.pieces(top.indices.tolist())]
    fills = root.locator(".gx-track").evaluate_all(
        "es => es.map(e => parseFloat(e.style.getPropertyValue('--fill')) / 100)"
    )
    assert np.allclose(fills[:5], top.values, atol=1e-4)


def answered_front(page):
    """The front page says what comes next, moves with the temperature, and writes."""
    first = page.locator("#front .gx-bars li").first
    expect(first).to_contain_text("eyes")
    page.get_by_label("Begin a sentence").fill("He was a very young")
    expect(first).to_contain_text("man")
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
    wrote_and_stopped(page)
    page.get_by_label("Begin a sentence").fill("🙂")
    expect(page.locator("#front")).to_contain_text("Not in the vocabulary, read as <unk>: 🙂.")
    for odd in ("<script>alert(1)</script>", "word " * 2000):
        page.get_by_label("Begin a sentence").fill(odd)
    expect(page.locator("#front")).to_contain_text("The model reads the last 256 of")
    expect(page.locator(".page-looks")).to_contain_text("2000 tokens, this page shows 40")
    page.get_by_label("Begin a sentence").fill("")
    expect(page.locator("#front")).to_contain_text("Nothing is typed")


def wrote_and_stopped(page):
    """It writes on until it is told to stop, however slow or fast the machine is."""
    button, written = page.locator(".page-writing button"), page.locator(".page-writing p")
    stop_at_words = """() => {
      const [button, words] = document.querySelectorAll(".page-writing > *");
      new MutationObserver((_, seen) => {
        window.stoppedAs = button.textContent;
        seen.disconnect();
        button.click();
      }).observe(words, { childList: true });
    }"""  # in the page: by the time that Python has read a word, all may be written
    page.evaluate(stop_at_words)
    button.click()
    expect(written).to_contain_text("he was a very young")
    expect(button).to_have_text("Let it write on")
    assert page.evaluate("window.stoppedAs") == "Stop"
    before = written.inner_text()
    button.evaluate("b => { b.click(); b.click(); }")  # stopped before its first word
    expect(button).to_have_text("Let it write on")
    assert written.inner_text() == before


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
    hint, told = root.locator(".gx-hint"), root.locator(".gx-map-heads .gx-note")
    for text, answer in {
        "": "This cannot be read: the text is empty",
        "word " * 2000: "2000 tokens, this page shows 24",
        "<b>🙂": "Not in the vocabulary, read as <unk>: < > 🙂",
        "The captain came on deck and looked at the": "Type a text of up to 24 tokens",
    }.items():
        root.get_by_label("text").fill(text)
        root.get_by_label("text").press("Enter")
        expect(hint).to_contain_text(answer)
    source = g.load_novelist()
    model, ids = engine.as_stored(source.model), torch.tensor([source.bpe.encode(text)])
    said = []
    for factor in (0, 0.4, 1):
        with torch.no_grad(), g.tracing.scale_heads(model, {(3, 1): factor}):
            probs = model(ids)[0, -1].softmax(-1)
        piece = source.bpe.pieces([int(probs.argmax())])[0].removesuffix("</w>")
        said.append(f"“{piece}” {probs.max():.1%}")
    assert len({*said}) == 3
    expect(told).to_contain_text(f"goes on with {said[0]}; with all heads it is {said[2]}.")
    root.get_by_role("slider", name="block 3, head 1: output").fill("0.4")
    expect(told).to_contain_text(f"goes on with {said[1]}; with all heads it is {said[2]}.")


OURS = ".gx, #front, [class^='page-'], [class*=' page-']"
"""What the course's own styles color; the other colors are those of Sphinx's theme."""
SERIOUS = """async ours => {
  const {violations} = await axe.run(document, {iframes: false});
  const own = ({target}) => document.querySelector(target[0])?.closest(ours);
  return violations
    .filter(v => ['serious', 'critical'].includes(v.impact))
    .filter(v => v.id !== 'color-contrast' || v.nodes.some(own))
    .map(v => v.id);
}"""


def serious(page) -> list[str]:
    """What axe-core finds in the page, without its frames; contrast in our own parts."""
    page.evaluate(AXE)  # the book's policy runs no script that a page did not have
    return page.evaluate(SERIOUS, OURS)


def test_contrast_is_looked_at_in_our_own_parts(chromium):
    page = chromium.new_page()
    for place, found in (("class='page-looks'", ["color-contrast"]), ("class='theme'", [])):
        text = f"<p {place} style='color: #bbb; background: #fff'>pale words</p>"
        page.set_content(f"<html lang='en'><title>A page</title><main>{text}</main></html>")
        assert serious(page) == found
    page.close()


def paper(place) -> str:
    """The color below an element, on its own page."""
    return place.evaluate("e => getComputedStyle(e.ownerDocument.body).backgroundColor")


def turn(page, theme: str) -> None:
    """Light or dark, by the page's own switch."""
    page.locator(".theme-switch-button:visible").click()
    page.locator(f".theme-change-button[data-mode={theme}]:visible").click()
    assert page.locator("html").get_attribute("data-theme") == theme


def follows(page, view) -> bool:
    """Whether a live view has the page's paper, and draws for it."""
    dark = page.locator("html").get_attribute("data-theme") == "dark"
    drawn = view.evaluate("e => e.classList.contains('gx-dark')") == dark
    return drawn and paper(view) == paper(page.locator("main"))


class Watched:
    """A page of the book, and what it asks for and complains of."""

    def __init__(self, chromium, address: str):
        self.page, self.urls, self.errors, self.failed = chromium.new_page(), [], [], []
        self.page.emulate_media(color_scheme="dark")
        self.page.on("request", lambda r: self.urls.append(r.url))
        self.page.on("pageerror", lambda e: self.failed.append(str(e)))
        self.page.on("console", lambda m: m.type == "error" and self.errors.append(m.text))
        self.page.goto(address)

    def close(self) -> None:
        """Nothing was fetched, nothing failed, and the policy forbade nothing."""
        assert not [text for text in self.errors if POLICY in text] + self.failed
        ours = ("file:", "about:", "data:", "blob:")
        assert not [url for url in self.urls if not url.startswith(ours)]
        self.page.close()


def lives(page, frame) -> str:
    """Its own name, if an explorer of the gallery follows the page's theme, fits, and moves."""
    frame.scroll_into_view_if_needed()
    root = frame.content_frame.locator(".gx")
    root.wait_for()
    assert follows(page, root)
    root_height = "() => document.documentElement.scrollHeight"
    tall = frame.content_frame.locator("html").evaluate(root_height)
    assert frame.bounding_box()["height"] == tall > 100, "no hole, no scroll bar"
    sliders = root.locator("input[type=range]:enabled")
    if sliders.count():
        sliders.first.focus()
        before = root.inner_html()
        page.keyboard.press("ArrowLeft")
        if root.inner_html() == before:
            page.keyboard.press("ArrowRight")
        assert root.inner_html() != before
    return frame.get_attribute("title")


@pytest.mark.parametrize("every_one", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_explorers_live_in_the_book(chromium, book, every_one):
    """The quick test looks at every fourth one, and at the numbers of one that asks."""
    watched, asked = Watched(chromium, (book / "gallery.html").as_uri()), []
    page, frames = watched.page, watched.page.locator("iframe")
    names = [frame.get_attribute("title") for frame in frames.all()]
    assert len(names) >= 12
    for i in range(len(names)):
        if every_one or i % 4 == 0 or names[i] == "SamplingExplorer":
            turn(page, ("dark", "light")[i % 2])
            name, root = lives(page, frames.nth(i)), frames.nth(i).content_frame.locator(".gx")
            if root.locator(".gx-prompt").count():
                asked.append(name)
                act = answered_bars if name == "SamplingExplorer" else answered
                act(root, "The old man was a very young")
    assert len(asked) == 9 if every_one else "SamplingExplorer" in asked, (
        asked
    )  # as test_engine
    pictures = page.locator("figure[data-static]")
    assert not any(pictures.nth(i).is_visible() for i in range(pictures.count()))
    assert serious(page) == []
    watched.close()


def test_the_front_page_and_the_map_answer(chromium, book):
    watched = Watched(chromium, (book / "index.html").as_uri())
    page = watched.page
    page.locator(".page-cards a").first.wait_for()
    turn(page, "light")
    answered_front(page)
    assert serious(page) == []
    turn(page, "dark")
    assert follows(page, page.locator("#front"))
    assert serious(page) == []
    page.get_by_role("link", name="model as a map").click()
    answered_map(page)
    assert serious(page) == []
    watched.close()


def test_search_slides_and_contrast(chromium, book):
    """A word is found by typing; a lesson shows section by section; axe in both themes."""
    page, errors = chromium.new_page(), []
    page.on("console", lambda m: m.type == "error" and errors.append(m.text))
    page.goto((book / "glossary.html").as_uri())
    turn(page, "dark")
    assert serious(page) == []
    page.keyboard.press("Control+K")
    page.keyboard.type("teacher forcing")
    page.keyboard.press("Enter")
    results = page.locator("#search-results a")
    expect(results.filter(has_text="05 · The causal mask").first).to_be_visible()
    assert serious(page) == []
    results.filter(has_text="05 · The causal mask").first.click()
    page.get_by_role("heading", name="The causal mask").wait_for()
    page.wait_for_load_state()  # its scripts are done with the page
    assert serious(page) == []
    page.evaluate("scrollTo(0, 0)")
    page.get_by_role("button", name="Present").click()
    questions = page.get_by_text("how can one pass over a whole sequence")
    expect(questions).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(questions).to_be_hidden()
    place = page.locator(".page-place")
    expect(place).to_have_text(re.compile(r"^2 of \d+$"))
    n = int(place.inner_text().split()[-1])
    headings = set()
    for at in range(2, n + 1):  # each as large as fits, and no exercise among them
        expect(place).to_have_text(f"{at} of {n}")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight + 1"), at
        headings |= {*page.locator("h1:visible, h2:visible, h3:visible").all_inner_texts()}
        page.keyboard.press("ArrowRight")
    assert any(h.startswith("Recall") for h in headings)
    assert not [h for h in headings if h.startswith("Exercise")]
    for _ in range(n):
        page.keyboard.press("ArrowLeft")
    page.keyboard.press("Escape")
    expect(questions).to_be_visible()
    assert not [text for text in errors if POLICY in text]
    page.close()


def test_in_the_dark_drawings_are_turned_round_and_heat_maps_are_not(chromium, book):
    page = chromium.new_page()
    page.goto((book / "06_many_heads.html").as_uri())
    turn(page, "dark")
    look = "all => all.map(e => getComputedStyle(e).filter)"
    drawings = page.locator("main figure:not(.color-scale) img").evaluate_all(look)
    heat_maps = page.locator("main figure.color-scale img").evaluate_all(look)
    assert drawings and all("invert" in given for given in drawings)
    assert heat_maps and not any("invert" in given for given in heat_maps)
    page.close()


ATTACK = """async address => {
  const refused = [];
  document.addEventListener("securitypolicyviolation", e => refused.push(e.violatedDirective));
  const box = document.body.appendChild(document.createElement("div"));
  box.innerHTML = `<img src=x onerror="window.bad = 1"><a href="javascript:window.bad = 2">x</a>
    <img src="${address}">`;
  box.querySelector("a").click();
  const script = document.createElement("script");
  script.textContent = "window.bad = 3";
  box.append(script);
  await fetch(address).catch(() => {});
  for (let i = 0; i < 500 && refused.length < 5; i++) await new Promise(f => setTimeout(f, 20));
  return { bad: window.bad ?? 0, refused: refused.sort() };
}"""
REFUSED = ["connect-src", "img-src", "script-src-attr", "script-src-elem", "script-src-elem"]


@pytest.mark.parametrize("name", ["index", "gallery", "glossary"])
def test_what_is_injected_does_not_run_and_asks_nothing_of_elsewhere(chromium, book, name):
    page, errors = chromium.new_page(), []
    page.on("console", lambda m: m.type == "error" and errors.append(m.text))
    page.goto((book / f"{name}.html").as_uri())
    assert not [text for text in errors if POLICY in text]
    with socket.create_server(("127.0.0.1", 0)) as elsewhere:
        elsewhere.setblocking(False)
        address = f"http://127.0.0.1:{elsewhere.getsockname()[1]}/x.png"
        for frame in page.frames:
            assert frame.evaluate(ATTACK, address) == {"bad": 0, "refused": REFUSED}
        with pytest.raises(BlockingIOError):  # nobody has called
            elsewhere.accept()
    assert len(page.frames) >= 12 or name != "gallery"
    page.close()


def test_roots_are_drawn_with_the_book_s_own_font(chromium, book):
    """A root is wider than what it covers: the font that draws it came with the page."""
    page = chromium.new_page()
    page.goto((book / "04_one_query_attends.html").as_uri())
    page.evaluate("() => document.fonts.ready")
    root = page.locator("msqrt").first
    assert page.evaluate("() => document.fonts.check('16px \"Course Math\"')")
    wide, inside = (e.bounding_box()["width"] for e in (root, root.locator("> *").first))
    assert wide > inside + 5
    page.close()


def test_the_tour_sets_the_map_beside_it(chromium, book):
    """Twelve stops, a control each; what is scrolled to or moved is what the map shows."""
    page, failed = chromium.new_page(), []
    page.on("pageerror", lambda e: failed.append(str(e)))
    page.goto((book / "tour.html").as_uri())
    root = page.frame_locator(".tour-map iframe").locator(".gx")
    root.wait_for()
    stops = page.locator(".tour-stop")
    assert stops.count() == 12
    assert page.locator(".tour-control :is(input, button)").count() == 12
    here = root.locator(".gx-map-crumb[aria-current]")
    stop = stops.nth(5)
    stop.evaluate("e => e.scrollIntoView({ block: 'center' })")
    expect(page.locator(".tour-here h2")).to_have_text("6. Sixteen heads")
    expect(here).to_have_text("block 3")
    stop.get_by_role("slider").press("ArrowLeft")
    expect(here).to_have_text("block 2")
    assert root.locator(".gx-cols").first.is_hidden(), "the stops are its controls"
    page.set_viewport_size({"width": 390, "height": 844})
    below = "after => (document.querySelector('.tour-map').scrollTop > 100) === after"
    for i, title, after in ((6, "7. The guess changes", True), (5, "6. Sixteen heads", False)):
        stops.nth(i).evaluate("e => e.scrollIntoView({ block: 'center' })")
        expect(page.locator(".tour-here h2")).to_have_text(title)
        page.wait_for_function(below, arg=after)
    page.set_viewport_size({"width": 1400, "height": 1000})
    last = stops.last.get_by_role("textbox")
    last.fill("The capital of France is")
    last.press("Enter")
    expect(root.locator(".gx-finding")).to_contain_text("After “is”")
    assert serious(page) == [] and not failed
    page.close()


def test_an_address_leads_to_the_state_of_a_view(chromium, book):
    page = chromium.new_page()
    page.goto((book / "map.html").as_uri())
    root = page.frame_locator("iframe").locator(".gx")
    root.get_by_role("slider", name="a token's path").fill("5")
    here = root.locator(".gx-map-crumb[aria-current]")
    expect(here).to_have_text(re.compile("^head"))
    root.get_by_role("button", name="Link to this state").click()
    address, seen = page.url, here.inner_text()
    assert "view=ModelMapExplorer" in address
    for hash_, wanted in (
        (address, seen),
        (address.partition("state=")[0] + "state=x", "model"),
    ):
        other = chromium.new_page()
        other.goto(hash_)
        root = other.frame_locator("iframe").locator(".gx")
        expect(root.locator(".gx-map-crumb[aria-current]")).to_have_text(wanted)
        other.close()
    page.close()

"""A page whose model is damaged says so; no number of another model is ever shown."""

import json
import re

import pytest
from playwright.sync_api import expect

import gpt1lib as g
from gpt1course.viz.engine.bundle import bundled
from gpt1course.viz.explorers import SamplingExplorer
from gpt1course.viz.explorers.standalone import frame
from tools import site

pytestmark = pytest.mark.browser
FRONT = re.search(
    '<section id="front".*?</section>', (site.PAGE / "index.md").read_text(), re.S
)
PAGE = f"""<!doctype html><html data-theme="light"><meta charset="utf-8">
<script src="_static/engine.js"></script><body>{FRONT[0]}
<div>{{}}</div><script src="_static/front.js"></script></body></html>"""
DAMAGED = "_static/gpt1_model.js is damaged"
CHANGED = "the model is damaged: its numbers are not the ones that were stored"
MODEL_DAMAGES = {
    "gone": (None, "_static/gpt1_model.js is not beside this page"),
    "empty": (lambda text: "", DAMAGED),
    "cut in half": (lambda text: text[: len(text) // 2], DAMAGED),
    "zeros": (lambda text: "\0" * len(text), DAMAGED),
    "an error page": (lambda text: "<!doctype html><title>404</title>", DAMAGED),
    "no base64": (lambda text: changed(text, '"bytes":"', 5, "é"), DAMAGED),
    "bytes missing": (lambda text: changed(text, '"bytes":"', 400, "", 4), CHANGED),
    "one weight": (lambda text: changed(text, '"bytes":"', 10_000, "other"), CHANGED),
    "one letter of a piece": (lambda text: text.replace("her</w>", "hex</w>", 1), CHANGED),
    "one byte of the kernel": (lambda text: changed(text, '"wasm":"', 200, "other"), CHANGED),
}
WORKER = json.dumps(bundled("engine_worker"))[:40]  # how its code begins, as text in the script
SCRIPT_DAMAGES = {
    "gone": (None, "_static/engine.js is missing or damaged"),
    "cut in half": (lambda text: text[: len(text) // 2], "missing or damaged"),
    "its worker cannot run": (
        lambda text: text.replace(WORKER, '"} ' + WORKER[1:]),
        "the model in the page has ended",
    ),
}


def changed(text: str, mark: str, at: int, to: str, n: int = 1) -> str:
    """With n letters replaced so far behind a mark; "other": by one that base64 has, too."""
    place = text.index(mark) + len(mark) + at
    if to == "other":
        to = "B" if text[place] == "A" else "A"
    return text[:place] + to + text[place + n :]


@pytest.fixture(scope="module")
def static(tmp_path_factory):
    """Name -> what the book's scripts and its model are, written once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "BUILD", tmp_path_factory.mktemp("build"))
        site.write_static()
        paths = [site.static(name) for name in ("engine.js", "front.js", "gpt1_model.js")]
        return {path.name: path.read_text(encoding="utf-8") for path in paths}


@pytest.fixture
def opened(chromium, static, tmp_path):
    """Opens a page with the front page's view and an explorer, one of its files damaged."""
    page = chromium.new_page()

    def open_damaged(name: str, damage):
        explorer = SamplingExplorer.from_checkpoint(g.load_novelist(), "She took it")
        (tmp_path / "_static").mkdir()
        for other, text in static.items():
            (tmp_path / "_static" / other).write_text(text, encoding="utf-8")
        path = tmp_path / "_static" / name
        if damage:
            path.write_text(damaged := damage(static[name]), encoding="utf-8")
            assert damaged != static[name] or damage is str, "nothing is damaged"
        else:
            path.unlink()
        (tmp_path / "page.html").write_text(PAGE.format(frame(explorer)), encoding="utf-8")
        page.goto((tmp_path / "page.html").as_uri())
        return page

    yield open_damaged
    page.close()


def says_twice(page, why: str) -> None:
    """The front page says why it computes nothing, for the first text and for the next."""
    front, status = page.locator("#front"), page.locator(".page-status")
    for text in ("The door", "The window"):
        expect(status).to_contain_text("This cannot be computed: ")
        expect(status).to_contain_text(f"{why}.")
        status.evaluate("e => { e.textContent = ''; }")
        front.get_by_label("Begin a sentence").fill(text)
    expect(status).to_contain_text(f"{why}.")
    front.get_by_role("button", name="Let it write on").click()
    expect(status).to_contain_text("This cannot be written: ")
    assert front.locator(".gx-bars li").count() == 0, "it shows numbers"


@pytest.mark.parametrize("kind", MODEL_DAMAGES)
def test_a_damaged_model_is_noticed(opened, kind):
    damage, why = MODEL_DAMAGES[kind]
    page = opened("gpt1_model.js", damage)
    says_twice(page, why)
    view = page.frame_locator("iframe").locator(".gx")
    before = view.locator(".gx-live").inner_text()
    view.locator(".gx-prompt").fill("The old man was a very young")
    view.locator(".gx-prompt").press("Enter")
    expect(view.locator(".gx-hint")).to_have_text(f"This cannot be read: {why}.")
    assert view.locator(".gx-live").inner_text() == before


@pytest.mark.parametrize("kind", SCRIPT_DAMAGES)
def test_a_damaged_engine_is_noticed(opened, kind):
    damage, why = SCRIPT_DAMAGES[kind]
    says_twice(opened("engine.js", damage), why)


@pytest.mark.parametrize("damage", [None, lambda text: text[: len(text) // 2]])
def test_a_damaged_front_page_is_noticed(opened, damage):
    page = opened("front.js", damage)
    expect(page.locator("#front")).to_contain_text("_static/front.js is missing or damaged")


def test_the_undamaged_page_answers(opened):
    page = opened("gpt1_model.js", str)
    expect(page.locator("#front .gx-bars li")).to_have_count(10)
    expect(page.locator("#front")).not_to_contain_text("damaged")
    assert page.evaluate("globalThis.gpt1Model === undefined"), "its letters are kept no longer"

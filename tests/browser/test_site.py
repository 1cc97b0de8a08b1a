"""A static copy of the gallery: explorers live without a kernel, nothing is fetched."""

from pathlib import Path

import pytest
from test_access import AXE

from tools import site

ROOT = Path(__file__).resolve().parents[2]


def serious(page) -> list[str]:
    """What axe-core finds in the page, without its frames."""
    page.add_script_tag(content=AXE)
    found = page.evaluate("() => axe.run(document, {iframes: false})")
    return [v["id"] for v in found["violations"] if v["impact"] in ("serious", "critical")]


@pytest.mark.browser
def test_explorers_live_in_a_static_copy(chromium, tmp_path, monkeypatch):
    monkeypatch.setattr(site, "SITE", tmp_path)
    site.main([str(ROOT / "notebooks/gallery.ipynb")])

    page, asked, errors = chromium.new_page(), [], []
    page.emulate_media(color_scheme="dark")  # the page is light wherever it is read
    page.on("request", lambda r: asked.append(r.url))
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
        for prompt in root.locator(".gx-prompt").all():
            assert prompt.is_disabled(), "nobody would answer"
    pictures = page.locator("figure[data-static]")
    assert not any(pictures.nth(i).is_visible() for i in range(pictures.count()))
    assert page.evaluate("getComputedStyle(document.documentElement).colorScheme") == "light"
    assert (
        page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    )
    assert serious(page) == []
    page.locator("nav a").last.click()
    page.locator(".page-cards a").first.wait_for()
    assert serious(page) == []
    assert not errors
    elsewhere = [u for u in asked if not u.startswith(("file:", "about:", "data:"))]
    assert not elsewhere
    page.close()

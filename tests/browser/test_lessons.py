"""Each lesson in a real JupyterLab in a real Chromium, as a learner leaves it.

All exercises are solved, and their checks are strict. Runs all cells; no cell, callback
or script may fail; every live view appears and takes the place of its static picture;
every slider moves by keyboard and changes what is drawn. SHOTS=folder keeps
screenshots.
"""

import os
import re
from pathlib import Path

import nbformat
import pytest
from in_lab import (
    CLOSE,
    GALLERY,
    IDLE,
    NOTEBOOKS,
    PANEL,
    READY,
    SHUTDOWN,
    live_views,
    open_and_run,
    open_beside,
    run_all,
)

NAMES = sorted(p.name for p in NOTEBOOKS.glob("[0-9]*.ipynb"))


def move_sliders(page, explorer):
    """Move each slider one step by keyboard; what the explorer shows must change."""
    sliders = explorer.locator("input[type=range]")
    for i in range(sliders.count()):
        slider = sliders.nth(i)
        slider.focus()
        before, value = explorer.inner_html(), slider.input_value()
        page.keyboard.press("ArrowRight")
        if slider.input_value() == value:
            page.keyboard.press("ArrowLeft")
        assert slider.input_value() != value, f"slider {i} ignores the arrow keys"
        page.evaluate(IDLE)
        shown = explorer.inner_html()
        assert shown != before, f"slider {i} changes nothing"
    return sliders.count()


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_lesson_in_jupyterlab(desk, name):
    cells = open_beside(desk, name)
    stubs = [c for c in cells if re.search(r"\blesson\.(\w+\.)?check\(", c["source"])]
    assert len(stubs) >= 2 and all(c["text"].startswith("PASS") for c in stubs)
    everything_ran_and_lives(desk, cells)
    keep_screenshots(desk, name)
    assert not desk.said
    desk.evaluate(SHUTDOWN)
    desk.evaluate(CLOSE)


def everything_ran_and_lives(page, cells):
    """No cell, callback or script has failed; live views stand in the pictures' place."""
    failed = [(c["source"][:60], c["errors"]) for c in cells if c["errors"]]
    assert not failed
    assert page.evaluate("() => window.__done[0]") is True
    assert all(c["count"] for c in cells), "a code cell did not run"
    for explorer in live_views(page, cells).all():
        explorer.scroll_into_view_if_needed()
        box = explorer.bounding_box()
        assert box["width"] > 200 and box["height"] > 60, "a live view is empty"
        move_sliders(page, explorer)
    hidden = page.locator(f"{PANEL} figure[data-static]")
    for i in range(hidden.count()):
        assert not hidden.nth(i).is_visible(), "a static picture stands beside its view"
    text = page.locator(PANEL).inner_text()
    assert "Error displaying widget" not in text and "Failed to load model" not in text
    assert not page.evaluate("() => window.__errors"), "an error in a callback"
    assert not page.failed


def keep_screenshots(page, name):
    """Every page of the notebook as a picture, where SHOTS names a folder."""
    folder = os.environ.get("SHOTS")
    if not folder:
        return
    Path(folder).mkdir(parents=True, exist_ok=True)
    scroller = page.locator(f"{PANEL} .jp-WindowedPanel-outer").first
    height = scroller.evaluate("e => e.scrollHeight")
    step = scroller.evaluate("e => e.clientHeight") - 60
    for i, top in enumerate(range(0, height, step)):
        scroller.evaluate("(e, top) => { e.scrollTop = top; }", top)
        page.wait_for_timeout(120)
        page.screenshot(path=str(Path(folder) / f"{name[:2]}_{i:02d}.png"))


@pytest.mark.browser
def test_explorers_live_in_notebook_7(page, lab):
    """An error in the program's own scripts is not ours; a widget's code lies elsewhere."""
    cells = open_and_run(page, lab, GALLERY, program="notebooks")
    assert page.evaluate("() => document.body.dataset.notebook") == "notebooks"
    assert not [c["errors"] for c in cells if c["errors"]]
    explorers = live_views(page, cells, ".jp-NotebookPanel").all()
    assert len(explorers) >= 12
    for explorer in explorers:
        explorer.scroll_into_view_if_needed()
        assert explorer.bounding_box()["height"] > 60
        move_sliders(page, explorer)
    still = page.locator(".jp-NotebookPanel figure[data-static]")
    assert not any(f.is_visible() for f in still.all())
    assert not page.evaluate("() => window.__errors")
    assert not [e for e in page.failed if "/static/notebook/" not in e]
    keep_screenshots(page, "notebook7")
    page.evaluate(SHUTDOWN)


def survives_a_restart(page, explorers):
    """What needs no kernel goes on moving; Run All brings everything back."""
    n = explorers.count()
    page.evaluate("""async () => {
        const s = window.jupyterapp.shell.currentWidget.sessionContext;
        await s.session.kernel.restart(); }""")
    page.evaluate(IDLE)
    assert explorers.count() == n
    tile = explorers.locator("[role=radio][aria-label='block 1, head 2']").first
    tile.click()
    assert tile.get_attribute("aria-checked") == "true"
    assert live_views(page, run_all(page)).count() == n


def stored_pictures(name) -> dict[int, int]:
    """Cell -> how many static pictures its stored outputs hold, where there are any."""
    cells = nbformat.read(NOTEBOOKS / name, as_version=4).cells
    pages = {
        i: [o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])]
        for i, cell in enumerate(cells)
    }
    counts = {i: sum(p.count("<figure") for p in found) for i, found in pages.items()}
    return {i: n for i, n in counts.items() if n}


@pytest.mark.browser
def test_reopened_without_a_kernel_the_pictures_stand(page, lab):
    """As a fresh clone shows it: nothing has run, no widget state is saved."""
    page.goto(f"{lab}/lab/tree/notebooks/{GALLERY}?reset")
    page.wait_for_function(READY, timeout=60_000)
    page.evaluate(SHUTDOWN)
    wanted = stored_pictures(GALLERY)
    assert sum(wanted.values()) >= 12
    for cell, n in wanted.items():  # only cells near the window are in the page
        page.evaluate(
            """i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i)""", cell
        )
        output = page.locator(f'{PANEL} .jp-Cell[data-windowed-list-index="{cell}"]')
        pictures = output.locator(".jp-OutputArea figure img")
        pictures.nth(n - 1).wait_for(timeout=60_000)
        assert pictures.count() == n
        for picture in pictures.all():
            assert picture.is_visible() and len(picture.get_attribute("alt")) > 40
            assert picture.evaluate("e => e.complete && e.naturalWidth > 300")
        assert "Error displaying widget" not in output.inner_text()
    keep_screenshots(page, "reopened")


def is_dark(explorer):
    """Bright text on dark paper."""
    text, paper = explorer.evaluate(
        """e => { const c = getComputedStyle(e).color,
        p = getComputedStyle(e).getPropertyValue('--gx-paper');
        const d = document.createElement('i'); d.style.color = p; e.append(d);
        const out = [c, getComputedStyle(d).color]; d.remove(); return out; }"""
    )
    bright, dark = (sum(map(int, c.strip("rgba()").split(",")[:3])) for c in (text, paper))
    return "gx-dark" in explorer.get_attribute("class") and bright > 500 > 250 > dark


def choose_theme(page, name):
    page.evaluate(
        """theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})""",
        f"JupyterLab {name}",
    )
    light = "true" if name == "Light" else "false"
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)


@pytest.mark.browser
def test_every_explorer_in_the_dark_and_after_a_restart(page, lab):
    """One open gallery for all: to open and run it takes longer than to look."""
    page.goto(f"{lab}/lab")
    page.wait_for_function(
        """() => window.jupyterapp &&
        window.jupyterapp.commands.hasCommand('apputils:change-theme')""",
        timeout=60_000,
    )
    choose_theme(page, "Dark")
    try:
        cells = open_and_run(page, lab, GALLERY)
        everything_ran_and_lives(page, cells)
        explorers = live_views(page, cells)
        assert explorers.count() >= 12 and not page.said
        assert all(is_dark(explorer) for explorer in explorers.all())
        survives_a_restart(page, explorers)
        assert all(is_dark(explorer) for explorer in explorers.all())
        keep_screenshots(page, "dark")
        page.evaluate(SHUTDOWN)
    finally:
        choose_theme(page, "Light")

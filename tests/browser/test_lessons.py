"""Each lesson in a real JupyterLab in a real Chromium, as a learner leaves it.

All exercises are solved, and their checks are strict. Runs all cells; no cell, callback
or script may fail; every live view appears and takes the place of its static picture;
every slider moves by keyboard and changes what is drawn. SHOTS=folder keeps
screenshots.
"""

import re

import nbformat
import pytest
from in_lab import (
    CLOSE,
    GALLERY,
    NOTEBOOKS,
    PANEL,
    READY,
    SHUTDOWN,
    everything_ran_and_lives,
    keep_screenshots,
    live_views,
    move_sliders,
    open_and_run,
    open_beside,
)

NAMES = sorted(p.name for p in NOTEBOOKS.glob("[0-9]*.ipynb"))
ALWAYS = "05"  # a lesson with every kind of cell; the others are slow
LESSONS = [
    name if name.startswith(ALWAYS) else pytest.param(name, marks=pytest.mark.slow)
    for name in NAMES
]


@pytest.mark.browser
@pytest.mark.parametrize("name", LESSONS)
def test_lesson_in_jupyterlab(desk, name):
    cells = open_beside(desk, name)
    every_exercise_passed(cells)
    everything_ran_and_lives(desk, cells)
    keep_screenshots(desk, name)
    assert not desk.said
    desk.evaluate(SHUTDOWN)
    desk.evaluate(CLOSE)


def every_exercise_passed(cells):
    """No check has said anything but PASS."""
    stubs = [c for c in cells if re.search(r"\blesson\.(\w+\.)?check\(", c["source"])]
    assert len(stubs) >= 2 and all(c["text"].startswith("PASS") for c in stubs)


@pytest.mark.browser
@pytest.mark.slow
def test_a_lesson_on_a_processor_six_times_as_slow(page, lab):
    """What waits for a moment, instead of for what it needs, would fail here."""
    name = next(name for name in NAMES if name.startswith(ALWAYS))
    devtools = page.context.new_cdp_session(page)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": 6})
    cells = open_and_run(page, lab, name)
    every_exercise_passed(cells)
    everything_ran_and_lives(page, cells)
    assert not page.said
    page.evaluate(SHUTDOWN)


@pytest.mark.slow
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


def stored_pictures(name) -> dict[int, int]:
    """Cell -> how many static pictures its stored outputs hold, where there are any."""
    cells = nbformat.read(NOTEBOOKS / name, as_version=4).cells
    pages = {
        i: [o.get("data", {}).get("text/html", "") for o in cell.get("outputs", [])]
        for i, cell in enumerate(cells)
    }
    counts = {i: sum(p.count("<figure") for p in found) for i, found in pages.items()}
    return {i: n for i, n in counts.items() if n}


@pytest.mark.slow
@pytest.mark.browser
def test_reopened_without_a_kernel_the_pictures_stand(page, lab):
    """As a fresh clone shows it: nothing has run, no widget state is saved."""
    page.goto(f"{lab}/lab/tree/notebooks/{GALLERY}?reset")
    page.wait_for_function(READY)
    page.evaluate(SHUTDOWN)
    wanted = stored_pictures(GALLERY)
    assert sum(wanted.values()) >= 12
    for cell, n in wanted.items():  # only cells near the window are in the page
        page.evaluate(
            """i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i)""", cell
        )
        output = page.locator(f'{PANEL} .jp-Cell[data-windowed-list-index="{cell}"]')
        pictures = output.locator(".jp-OutputArea figure img")
        pictures.nth(n - 1).wait_for()
        assert pictures.count() == n
        for picture in pictures.all():
            assert picture.is_visible() and len(picture.get_attribute("alt")) > 40
            assert picture.evaluate("e => e.decode().then(() => e.naturalWidth > 300)")
        assert "Error displaying widget" not in output.inner_text()
    keep_screenshots(page, "reopened")

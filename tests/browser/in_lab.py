"""A notebook opened and run in a real JupyterLab, or in Notebook 7."""

import os
from contextlib import contextmanager
from pathlib import Path

NOTEBOOKS = Path(os.environ.get("NOTEBOOKS", Path(__file__).parents[2] / "notebooks"))
GALLERY = "gallery.ipynb"
STARTED = "() => window.jupyterapp"
OPEN = """async path => {
  await window.jupyterapp.restored;  // else its own first tab comes to the front
  await window.jupyterapp.commands.execute('docmanager:open', {path}); }"""
READY = """() => { const w = window.jupyterapp && window.jupyterapp.shell.currentWidget;
  return !!(w && w.context && w.context.isReady && w.sessionContext.session
            && w.sessionContext.session.kernel); }"""
HOOK = """() => { window.__errors = [];
  window.jupyterapp.shell.currentWidget.sessionContext.session.kernel.iopubMessage.connect(
    (_, m) => { if (m.header.msg_type === 'error')
      window.__errors.push(m.content.ename + ': ' + m.content.evalue); }); }"""
RUN = """() => { window.__done = null;
  window.jupyterapp.commands.execute('notebook:run-all-cells')
    .then(r => window.__done = [r], e => window.__done = ['ERR ' + e]); }"""
IDLE = """() => new Promise(done => {
  const k = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  k.requestKernelInfo().then(() =>
    requestAnimationFrame(() => requestAnimationFrame(() => done(true)))); })"""
CELLS = """() => [...window.jupyterapp.shell.currentWidget.content
  .model.sharedModel.cells].filter(c => c.cell_type === 'code' && c.source.trim())
  .map(c => ({
    count: c.execution_count ?? null,
    source: c.source,
    text: c.getOutputs().map(o => [].concat(o.text ?? '').join('')).join(''),
    views: c.getOutputs().filter(
      o => o.data && 'application/vnd.jupyter.widget-view+json' in o.data
        && !c.source.includes('@interact')).length,
    errors: c.getOutputs().filter(o => o.output_type === 'error')
      .map(o => o.evalue)}))"""
SHUTDOWN = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.shutdown(); }"""
OFTEN = 200  # milliseconds between two looks; at every frame, to look costs a core
CLOSE = """() => { const w = window.jupyterapp.shell.currentWidget;
  w.context.model.dirty = false;  // no question whether to save
  w.close(); }"""
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"


@contextmanager
def tab(lab: str, chromium):
    """A tab of the browser, with a JupyterLab to go to; nothing may leave this machine."""
    page, asked = chromium.new_page(), []
    page.on("request", lambda r: asked.append(r.url))
    page.said, page.failed = [], []  # what the console calls an error; scripts' errors
    page.on("pageerror", lambda e: page.failed.append(e.stack or str(e)))
    page.on("console", lambda m: m.type == "error" and page.said.append(m.text))
    yield page
    page.close()
    ours = (lab, lab.replace("http", "ws"), "data:", "blob:", "about:")
    assert asked and not [url for url in asked if not url.startswith(ours)]


def open_and_run(page, lab, name, program="lab/tree"):
    """Open a notebook, run all of it, return its code cells.

    program: "lab/tree" for JupyterLab, "notebooks" for Notebook 7.
    """
    page.goto(f"{lab}/{program}/notebooks/{name}?reset")
    return run_opened(page)


def open_beside(desk, name):
    """As open_and_run, in a JupyterLab that is there already."""
    desk.said.clear()
    desk.failed.clear()
    desk.evaluate(OPEN, f"notebooks/{name}")
    return run_opened(desk)


def run_opened(page):
    """Run all of the notebook that is being opened; return its code cells."""
    page.wait_for_function(READY, polling=OFTEN)
    # without windowing every cell stays in the page and can be looked at
    page.evaluate("""() => { const nb = window.jupyterapp.shell.currentWidget.content;
        nb.notebookConfig = {...nb.notebookConfig, windowingMode: 'none'}; }""")
    page.evaluate(HOOK)
    return run_all(page)


def run_all(page):
    """Run all cells of the open notebook; return its code cells."""
    page.evaluate(RUN)
    page.wait_for_function("() => window.__done", timeout=900_000, polling=OFTEN)
    page.evaluate(IDLE)
    return page.evaluate(CELLS)


def live_views(page, cells, panel=PANEL):
    """The explorers on the page, all that the cells have put out; waits for the last."""
    n, explorers = sum(c["views"] for c in cells), page.locator(f"{panel} .gx")
    if n:
        explorers.nth(n - 1).wait_for()
    assert explorers.count() == n
    return explorers


def move_sliders(page, explorer):
    """Move each slider that can be moved one step by keyboard; what is shown must change."""
    sliders = explorer.locator("input[type=range]:enabled")
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


def move_slider_of_interact(page, made):
    """Move a slider of the lesson's own one step; what its function prints must change."""
    from playwright.sync_api import expect

    handle, shown = made.locator("[role=slider]").first, made.locator(".jp-OutputArea").first
    before = shown.inner_text()
    handle.scroll_into_view_if_needed()
    handle.focus()
    page.keyboard.press("ArrowRight")
    expect(shown).not_to_have_text(before)


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
    for made in page.locator(f"{PANEL} .widget-interact").all():
        move_slider_of_interact(page, made)
    hidden = page.locator(f"{PANEL} figure[data-static]")
    for i in range(hidden.count()):
        assert not hidden.nth(i).is_visible(), "a static picture stands beside its view"
    text = page.locator(PANEL).inner_text()
    assert "Error displaying widget" not in text and "Failed to load model" not in text
    assert not page.evaluate("() => window.__errors"), "an error in a callback"
    assert not page.failed, page.failed[0]


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

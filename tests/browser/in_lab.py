"""A notebook opened and run in a real JupyterLab, or in Notebook 7."""

import os
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
      o => o.data && 'application/vnd.jupyter.widget-view+json' in o.data).length,
    errors: c.getOutputs().filter(o => o.output_type === 'error')
      .map(o => o.evalue)}))"""
SHUTDOWN = """async () => {
  await window.jupyterapp.shell.currentWidget.sessionContext.shutdown(); }"""
OFTEN = 200  # milliseconds between two looks; at every frame, to look costs a core
CLOSE = """() => { const w = window.jupyterapp.shell.currentWidget;
  w.context.model.dirty = false;  // no question whether to save
  w.close(); }"""
PANEL = ".jp-NotebookPanel:not(.lm-mod-hidden)"


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
    page.wait_for_function(READY, timeout=60_000, polling=OFTEN)
    # without windowing every cell stays in the page and can be looked at
    page.evaluate("""() => { const nb = window.jupyterapp.shell.currentWidget.content;
        nb.notebookConfig = {...nb.notebookConfig, windowingMode: 'none'}; }""")
    page.evaluate(HOOK)
    return run_all(page)


def run_all(page):
    """Run all cells of the open notebook; return its code cells."""
    page.evaluate(RUN)
    page.wait_for_function("() => window.__done", timeout=300_000, polling=OFTEN)
    page.evaluate(IDLE)
    return page.evaluate(CELLS)


def live_views(page, cells, panel=PANEL):
    """The explorers on the page, all that the cells have put out; waits for the last."""
    n, explorers = sum(c["views"] for c in cells), page.locator(f"{panel} .gx")
    if n:
        explorers.nth(n - 1).wait_for()
    assert explorers.count() == n
    return explorers

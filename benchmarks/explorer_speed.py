"""From a key to the painted frame: the explorers in JupyterLab, beside `interact`.

    python benchmarks/explorer_speed.py

One Chromium, one JupyterLab with the gallery, as a reader has it: trusted key presses on
twelve controls that ask no kernel, and on a button that does nothing, which is what the
page and the machine cost by themselves. Wall times run from the event's own time to the
message after the next frame; main thread: the processor time of the page's main thread from
one press to the next, and of the longest of its tasks, from a DevTools trace, which a busy
machine hardly lengthens. The views tell Python of a choice after a pause: this is measured
apart, as the main thread's time for 300 ms after the last press. Then a new prompt
of 32 tokens through the kernel, and the same head drawn by ipywidgets' interact with
matplotlib. Milliseconds, medians and 95th percentiles. Writes
data/results/benchmarks/explorers.json.
"""

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from bisect import bisect
from collections.abc import Sequence
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell

from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS, ROOT
from gpt1lib.io.provenance import provenance

sys.path[:0] = [str(ROOT / "tests" / name) for name in ("browser", "support")]
import in_lab as lab_tools  # noqa: E402

import conftest as browser  # noqa: E402

TEXT = (
    "She took the letter from the table and read it to her sister, who had not "
    "been well since the morning and could not go out that day for a walk"
)
RANGE, CHOSEN = "input[type=range]", "[role=radio][aria-checked=true]"
DOWN_UP, LEFT_RIGHT = ["ArrowDown", "ArrowUp"], ["ArrowLeft", "ArrowRight"]
CONTROLS = {  # name -> what the gallery's cell says, what takes the focus, its keys
    "tokens, a merge": ("TokenExplorer", RANGE, LEFT_RIGHT),
    "bigrams, a row": ("BigramExplorer", ".gx-row[tabindex='0']", DOWN_UP),
    "mask, a kind": ("MaskExplorer", CHOSEN, ["ArrowRight"]),
    "attention, a row": ("AttentionExplorer", ".gx-row[tabindex='0']", DOWN_UP[::-1]),
    "attention, a head": ("AttentionExplorer", ".gx-tile[tabindex='0']", DOWN_UP[::-1]),
    "tying, a token": ("TyingExplorer", CHOSEN, ["ArrowRight"]),
    "journey, a cell": ("JourneyExplorer", ".gx-chosen", LEFT_RIGHT),
    "parameters, a size": ("ParameterExplorer", RANGE, LEFT_RIGHT),
    "training, an update": ("TrainingExplorer", RANGE, LEFT_RIGHT),
    "sampling, temperature": ("SamplingExplorer", RANGE, LEFT_RIGHT),
    "formats, lambda": ("FormatsExplorer", RANGE, LEFT_RIGHT),
    "sweep, a value": ("SweepExplorer", CHOSEN, ["ArrowRight"]),
}
BETWEEN, TELLING = 60, 300  # milliseconds after a press, and after the last
INERT = "a button that does nothing"
RUN_AS_IT_IS = """() => new Promise((done, failed) => window.jupyterapp.commands
  .execute('notebook:run-all-cells').then(() => done(), failed))"""
TO_CELL = "i => window.jupyterapp.shell.currentWidget.content.scrollToItem(i, 'start')"
# each key's time until the message that follows the next frame
LISTEN = """() => { window.taken = [];
  window.addEventListener('keydown', e => requestAnimationFrame(() => {
    const c = new MessageChannel();
    c.port1.onmessage = () => window.taken.push(performance.now() - e.timeStamp);
    c.port2.postMessage(0); }), true); }"""
ADD_BUTTON = """root => { const b = document.createElement('button');
  b.textContent = 'inert'; b.className = 'inert'; root.append(b); }"""


def summary(times: list[float]) -> dict:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "n": len(ordered),
    }


def in_the_gallery(page, chromium, address: str, n: int) -> dict:
    """Every kind of control that the browser answers by itself, and the inert button."""
    page.goto(f"{address}/lab/tree/notebooks/gallery.ipynb?reset")
    page.wait_for_function(lab_tools.READY, timeout=60_000)
    page.evaluate(RUN_AS_IT_IS)
    page.evaluate(LISTEN)
    cells = nbformat.read(lab_tools.NOTEBOOKS / lab_tools.GALLERY, as_version=4).cells
    rows = {}
    for name, (source, selector, keys) in CONTROLS.items():
        at = next(i for i, cell in enumerate(cells) if source in cell.source)
        page.evaluate(TO_CELL, at)
        root = page.locator(f'[data-windowed-list-index="{at}"] .gx')
        root.wait_for(timeout=60_000)
        page.wait_for_timeout(500)
        if INERT not in rows:
            root.evaluate(ADD_BUTTON)
            rows[INERT] = pressed(page, chromium, root.locator(".inert"), LEFT_RIGHT, n)
        rows[name] = pressed(page, chromium, root.locator(selector).first, keys, n)
    return rows


def pressed(page, chromium, control, keys: list[str], n: int) -> dict:
    """n presses on a control, there and back: wall times and main thread."""
    control.focus()
    for key in [*keys, *keys]:
        page.keyboard.press(key)
        page.wait_for_timeout(100)
    page.evaluate("() => { window.taken = []; }")
    chromium.start_tracing(page=page, categories=["toplevel", "devtools.timeline"])
    for i in range(n):
        page.keyboard.press(keys[i // 6 % len(keys)])
        page.wait_for_timeout(BETWEEN)
    page.wait_for_timeout(TELLING)
    events = json.loads(chromium.stop_tracing())["traceEvents"]
    times = page.evaluate("() => window.taken")
    assert len(times) == n, f"{len(times)} of {n} presses were seen"
    *presses, last = tasks_by_press(events)
    assert len(presses) == n - 1, f"{len(presses) + 1} of {n} presses are in the trace"
    return {
        **summary(times),
        "main thread": summary([sum(tasks) for tasks in presses]),
        "longest task": summary([max(tasks, default=0) for tasks in presses]),
        "last press, with telling Python": round(sum(last), 1),
    }


def tasks_by_press(events: list[dict]) -> list[list[float]]:
    """Processor milliseconds of the main thread's tasks, from each key's press on."""
    main = {
        (e["pid"], e["tid"])
        for e in events
        if e["name"] == "thread_name" and e["args"]["name"] == "CrRendererMain"
    }
    own = [e for e in events if (e["pid"], e["tid"]) in main and e.get("ph") == "X"]
    keys = [e for e in own if e.get("args", {}).get("data", {}).get("type") == "keydown"]
    starts = sorted({e["ts"] for e in keys if e["name"] == "EventDispatch"})
    presses = [[] for _ in starts]
    for e in own:
        # a task ends after the key that it brings
        if "RunTask" in e["name"] and (i := bisect(starts, e["ts"] + e["dur"]) - 1) >= 0:
            presses[i].append(e.get("tdur", 0) / 1000)
    return presses


CELLS = (
    "import gpt1lib as g\nfrom gpt1course import viz\nfrom ipywidgets import interact\n"
    "import matplotlib.pyplot as plt\n%matplotlib inline\n"
    "n = g.load_novelist()\nids = n.bpe.encode(TEXT)\n"
    "w = g.trace(n.model, ids).weights.numpy()",
    "def draw(head=0):\n"
    "    figure, axes = plt.subplots(figsize=(5, 5))\n"
    "    axes.imshow(w[head // 4, head % 4], cmap='magma_r', vmin=0, vmax=1)\n"
    "    names = viz.labels.token_labels(n.bpe.pieces(ids))\n"
    "    axes.set_xticks(range(len(ids)), names, rotation=90)\n"
    "    axes.set_yticks(range(len(ids)), names)\n"
    "    plt.show()\n\ninteract(draw, head=(0, 15));",
    "viz.AttentionExplorer.from_checkpoint(n, TEXT)",
)


WITHOUT_WORKERS = "delete window.Worker"  # so that no engine in the page answers
# the time of a key, and of the frame after `see` has noticed what it causes
WATCH = """({inside, until}) => { window.began = window.ended = null;
  const node = document.querySelector(inside);
  const shown = () => { const e = node.querySelector(until); return e?.src ?? e?.textContent; };
  const last = shown();
  document.addEventListener('keydown', () => window.began ??= performance.now(),
    {once: true, capture: true});
  const see = new MutationObserver(() => {
    if (shown() === undefined || shown() === last) return;
    see.disconnect();
    requestAnimationFrame(() => requestAnimationFrame(
      () => window.ended = performance.now())); });
  see.observe(node, {subtree: true, childList: true, attributes: true}); }"""


def watched(page, inside: str, until: str, key: str) -> float:
    """Milliseconds from the next key to the frame that shows what it changed."""
    page.wait_for_timeout(150)
    page.evaluate(WATCH, {"inside": inside, "until": until})
    page.keyboard.press(key)
    page.wait_for_function("() => window.began && window.ended", timeout=20_000)
    return page.evaluate("() => window.ended - window.began")


def with_kernel(page, address: str, n: int) -> dict:
    """interact's redrawing, and an explorer's new prompt, in a real JupyterLab."""
    page.add_init_script(WITHOUT_WORKERS)
    lab_tools.open_and_run(page, address, "speed.ipynb")
    out = f"{lab_tools.PANEL} .widget-interact"
    page.wait_for_selector(f"{out} img", timeout=30_000)
    page.wait_for_selector(f"{lab_tools.PANEL} .gx")
    times = {"interact with matplotlib, a head": [], "a new prompt of 32 tokens": []}
    for i in range(n):
        page.locator(f"{out} .noUi-handle, {out} input[type=range]").first.focus()
        key = "ArrowRight" if i % 24 < 12 else "ArrowLeft"
        time_taken = watched(page, out, "img", key)
        times["interact with matplotlib, a head"].append(time_taken)
    for i in range(n):
        words = TEXT.split()
        words[i % 20] = "house"
        box = page.locator(f"{lab_tools.PANEL} .gx .gx-prompt").first
        box.fill(" ".join(words))
        time_taken = watched(page, ".gx", ".gx-matrix", "Enter")
        times["a new prompt of 32 tokens"].append(time_taken)
    return {name: summary(taken) for name, taken in times.items()}


def serve(home: Path, sources: Sequence[str] = CELLS) -> tuple[subprocess.Popen, str]:
    """A JupyterLab on the gallery and on a notebook written for the measurement."""
    (home / "root" / "notebooks").mkdir(parents=True)
    cells = [
        new_code_cell(f"TEXT = {TEXT!r}\n" * (i == 0) + source)
        for i, source in enumerate(sources)
    ]
    gallery = lab_tools.NOTEBOOKS / lab_tools.GALLERY
    shutil.copy(gallery, home / "root/notebooks")
    notebook = nbformat.read(gallery, as_version=4)
    notebook.cells = cells
    nbformat.write(notebook, home / "root/notebooks/speed.ipynb")
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--allow-root",
        "--no-browser",
        "--ip=127.0.0.1",
        "--port=0",  # one that is free
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={home / 'root'}",
        "--LabApp.expose_app_in_browser=True",
    ]
    with open(home / "lab.log", "w") as log:
        server = subprocess.Popen(
            command, env=browser.lab_environment(home), stdout=log, stderr=log
        )
    return server, browser.served_address(server, home / "run", home / "lab.log")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--n", type=int, default=60, help="events of each kind")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    home = Path(tempfile.mkdtemp())
    server, address = serve(home)
    try:
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=browser.chromium_path(), args=browser.FLAGS
            )
            page = chromium.new_page(viewport={"width": 1400, "height": 1000})
            milliseconds = in_the_gallery(page, chromium, address, args.n)
            milliseconds |= with_kernel(page, address, max(10, args.n // 3))
            chromium.close()
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(home, ignore_errors=True)
    for name, row in milliseconds.items():
        print(f"{name:<34}{row['median']:>7.1f} ms, p95 {row['p95']:>7.1f}", end="")
        for part in ("main thread", "longest task"):
            if of := row.get(part):
                print(f"   {part} {of['median']:>5.1f}, p95 {of['p95']:>5.1f}", end="")
        print()
    write_json(BENCHMARKS / "explorers.json", {"milliseconds": milliseconds, **provenance()})


if __name__ == "__main__":
    main()

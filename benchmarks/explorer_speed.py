"""From the input event to the painted frame: explorers beside `interact`.

    python benchmarks/explorer_speed.py

One Chromium, one JupyterLab, one run: sliders and keys of the explorers (no kernel
between), a new prompt of 32 tokens (through the kernel), and the same head drawn by
ipywidgets' interact with matplotlib. Times are taken in the page, in milliseconds;
medians and 95th percentiles. Writes data/results/benchmarks/explorers.json.
"""

import argparse
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat
import numpy as np
from nbformat.v4 import new_code_cell, new_notebook

from gpt1lib import GPT1, NOVELIST, load_novelist
from gpt1lib.show import explorers
from gpt1lib.show.explorers import standalone
from gpt1lib.storage import run_folder
from gpt1lib.storage.files import write_json
from gpt1lib.storage.paths import BENCHMARKS, ROOT

sys.path.insert(0, str(ROOT / "tests" / "browser"))
import in_lab as lab_tools  # noqa: E402

import conftest as browser  # noqa: E402

TEXT = (
    "She took the letter from the table and read it to her sister, who had not "
    "been well since the morning and could not go out that day for a walk"
)
# an event, then the frame that shows its effect: after the paint that follows
TIMED = """([selector, events, n]) => new Promise(async done => {
  const times = [], all = document.querySelectorAll(selector);
  for (let i = 0; i < n; i++) {
    await new Promise(r => setTimeout(r, 30));
    const target = events === 'input' ? all[0] : all[i % all.length];
    const start = performance.now();
    if (events === 'input') {
      const low = +target.min, high = +target.max, step = +target.step || 1;
      target.value = low + (i * 7 * step) % (high - low + step);
      target.dispatchEvent(new Event('input', {bubbles: true}));
    } else if (events === 'click') target.click();
    else target.dispatchEvent(new MouseEvent('mouseenter'));
    await new Promise(r => requestAnimationFrame(() => {
      const c = new MessageChannel();
      c.port1.onmessage = r; c.port2.postMessage(0); }));
    times.push(performance.now() - start);
  }
  done(times); })"""


def summary(times: list[float]) -> dict:
    """Median and 95th percentile in milliseconds."""
    ordered = sorted(times)
    return {
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[int(0.95 * (len(ordered) - 1))], 1),
        "n": len(ordered),
    }


def without_kernel(page, novelist, n: int) -> dict:
    """Every kind of control that the browser answers by itself."""
    m, bpe, e = novelist.model, novelist.bpe, explorers
    heads = e.AttentionExplorer.of(m, bpe, TEXT)
    rng = np.random.default_rng(0)
    big = np.tril(rng.random((12, 12, 64, 64)))
    big /= big.sum(-1, keepdims=True)
    steps = novelist.log
    cases = {
        "attention, a row": (heads, ".gx-row", "enter"),
        "attention, a head": (heads, ".gx-tile", "click"),
        "144 heads of 64 tokens, a head": (
            e.AttentionExplorer(big, [f"t{i}" for i in range(64)]),
            ".gx-tile",
            "click",
        ),
        "mask, a step": (
            e.MaskExplorer(rng.random((5, 5)), list("abcde")),
            "input[type=range]",
            "input",
        ),
        "sampling, temperature": (
            e.SamplingExplorer.of(novelist, TEXT),
            "input[type=range]",
            "input",
        ),
        "training, a step": (e.TrainingExplorer(steps), "input[type=range]", "input"),
        "parameters, a size": (
            e.ParameterExplorer({"GPT-1": GPT1, "ours": NOVELIST}),
            "input[type=range]",
            "input",
        ),
        "formats, lambda": (e.FormatsExplorer(novelist), "input[type=range]", "input"),
        "tokens, a merge": (e.TokenExplorer(bpe, TEXT), "input[type=range]", "input"),
        "tying, a token": (e.TyingExplorer(m, bpe, TEXT[:40]), "[role=radio]", "click"),
    }
    milliseconds = {}
    for name, (explorer, selector, event) in cases.items():
        page.set_content(standalone.page(explorer))
        page.wait_for_selector(".gx " + selector.split(",")[0])
        page.evaluate(TIMED, [selector, event, 5])
        milliseconds[name] = summary(page.evaluate(TIMED, [selector, event, n]))
    return milliseconds


CELLS = (
    "import gpt1lib as g\nfrom gpt1lib import show\nfrom ipywidgets import interact\n"
    "import matplotlib.pyplot as plt\n%matplotlib inline\n"
    "n = g.load_novelist()\nids = n.bpe.encode(TEXT)\n"
    "w = g.trace(n.model, ids).weights.numpy()",
    "def draw(head=0):\n"
    "    figure, axes = plt.subplots(figsize=(5, 5))\n"
    "    axes.imshow(w[head // 4, head % 4], cmap='magma_r', vmin=0, vmax=1)\n"
    "    names = show.token_labels(n.bpe.pieces(ids))\n"
    "    axes.set_xticks(range(len(ids)), names, rotation=90)\n"
    "    axes.set_yticks(range(len(ids)), names)\n"
    "    plt.show()\n\ninteract(draw, head=(0, 15));",
    "show.AttentionExplorer.of(n.model, n.bpe, TEXT)",
)


# the time of a key, and of the frame after `see` has noticed what it causes
WATCH = """({inside, until}) => { window.began = window.ended = null;
  const node = document.querySelector(inside), last = node.querySelector('img')?.src;
  document.addEventListener('keydown', () => window.began ??= performance.now(),
    {once: true, capture: true});
  const see = new MutationObserver(() => {
    const now = node.querySelector(until);
    if (!now || (last && now.src === last)) return;
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


def serve(home: Path) -> tuple[subprocess.Popen, str]:
    """A JupyterLab on a notebook written for the measurement."""
    (home / "root" / "notebooks").mkdir(parents=True)
    cells = [
        new_code_cell(f"TEXT = {TEXT!r}\n" * (i == 0) + source)
        for i, source in enumerate(CELLS)
    ]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(cells=cells, metadata={"kernelspec": kernel})
    nbformat.write(notebook, home / "root/notebooks/speed.ipynb")
    port = browser.free_port()
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        "--allow-root",
        "--no-browser",
        "--ip=127.0.0.1",
        f"--port={port}",
        "--IdentityProvider.token=",
        f"--ServerApp.root_dir={home / 'root'}",
        "--LabApp.expose_app_in_browser=True",
    ]
    with open(home / "lab.log", "w") as log:
        server = subprocess.Popen(
            command, env=browser.lab_environment(home), stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    browser.wait_until_served(address, server, home / "lab.log")
    return server, address


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
            milliseconds = without_kernel(page, load_novelist(), args.n)
            milliseconds |= with_kernel(page, address, max(10, args.n // 3))
            chromium.close()
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(home, ignore_errors=True)
    slow = milliseconds["interact with matplotlib, a head"]["median"]
    for name, row in milliseconds.items():
        ratio = f", {slow / row['median']:.0f} times as fast" if "interact" not in name else ""
        print(f"{name:<34}{row['median']:>7.1f} ms, p95 {row['p95']:>7.1f}{ratio}")
    write_json(
        BENCHMARKS / "explorers.json", {"milliseconds": milliseconds, **run_folder.origin()}
    )


if __name__ == "__main__":
    main()

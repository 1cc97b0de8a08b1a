"""The model in the page: how fast it answers, in Chromium, from a folder on disk.

    python benchmarks/engine_speed.py

The static site's front page and model, opened by file:// with the network off. Three rounds,
each a fresh browser: from opening to the first answer, a prompt of 32 tokens, writing 100
tokens, with WebAssembly and with plain JavaScript; beside them the same kernel's rate of a
matrix product. Minima and medians.

Then in JupyterLab: from the Enter key to the new picture of a prompt of 32 tokens, answered
by the kernel and by the engine in the page; and how long that engine takes to come. Medians
and 95th percentiles. Writes data/results/benchmarks/engine.json.
"""

import argparse
import json
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from gpt1course.viz import engine
from gpt1lib.checkpoints import load_novelist
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS, ROOT
from gpt1lib.io.provenance import provenance

sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "tests" / "browser"), str(ROOT)]
import in_lab as lab_tools  # noqa: E402
from explorer_speed import TEXT, WITHOUT_WORKERS, serve, summary, watched  # noqa: E402

import conftest as browser  # noqa: E402
from tools import site  # noqa: E402

CELLS = (
    "import gpt1lib as g\nfrom gpt1course import viz\nn = g.load_novelist()",
    "viz.SamplingExplorer.from_checkpoint(n, TEXT)",
    "viz.AttentionExplorer.from_checkpoint(n, TEXT)",
)
SHOWN = {"sampling": (1, ".gx-live"), "attention": (2, ".gx-matrix")}  # cell, what changes
TOUCHED = """() => new Promise(done => {
  const start = performance.now();
  document.querySelector(".gx .gx-prompt").focus();
  const look = () => globalThis.gpt1Engines?.length
    ? done(performance.now() - start) : setTimeout(look, 5);
  look(); })"""
SPEED = """async ({text, simd}) => {
  const without = simd ? "" : "delete self.WebAssembly;";
  const mine = new Engine(gpt1.ids, without + gpt1.source, gpt1.load);
  const { length } = await mine.ask("ids", text);
  const times = [];
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    await mine.ask("next", text);
    times.push(performance.now() - start);
  }
  const start = performance.now();
  await mine.write(text, { n: 100, temperature: 1, seed: 1 }, () => {}).answer;
  const seconds = (performance.now() - start) / 1000;
  return { length, times, "tokens/s": 100 / seconds };
}"""
PRODUCT = """() => {
  const [T, K, N] = [32, 256, 1024];
  const random = n => Float32Array.from({ length: n }, Math.random);
  const layer = { weight: random(N * K), bias: random(N), n_in: K, n_out: N };
  const [x, y, times] = [random(T * K), new Float32Array(T * N), []];
  for (let i = 0; i < 20; i++) {
    const start = performance.now();
    plainLinear(layer, x, T, y);
    times.push(performance.now() - start);
  }
  return (2 * T * K * N) / Math.min(...times) / 1e6;
}"""


def write_site(folder: Path) -> dict[str, int]:
    """The book in folder/site; returns the bytes of the front page and of the model."""
    site.BUILD = folder
    site.main(["--still"])
    paths = folder / "site" / "index.html", folder / "site" / site.MODEL
    return {path.name: path.stat().st_size for path in paths}


def plain_product(chromium) -> float:
    """The rate of a product without WebAssembly, in a blank tab."""
    module = (engine.bundle.HERE / "arena.js").read_text(encoding="utf-8")
    page = chromium.new_page()
    shared = "Object.assign(globalThis, { plainLinear });"
    page.add_script_tag(content=f"{module}\n{shared}", type="module")
    page.wait_for_function("globalThis.plainLinear")
    rate = page.evaluate(PRODUCT)
    page.close()
    return rate


def one_round(playwright, folder: Path) -> dict[str, float]:
    """A fresh browser: seconds, milliseconds and rates of one round."""
    chromium = playwright.chromium.launch(
        executable_path=browser.chromium_path(), args=browser.FLAGS
    )
    page = chromium.new_context(offline=True).new_page()
    start = time.perf_counter()
    page.goto((folder / "site" / "index.html").as_uri())
    page.wait_for_function("document.querySelector('#front .gx-bars li')", polling=20)
    measured = {"first answer, ms": 1000 * (time.perf_counter() - start)}
    measured["plain product, GFLOP/s"] = plain_product(chromium)
    for name, simd in (("WebAssembly", True), ("plain", False)):
        told = page.evaluate(SPEED, {"text": TEXT, "simd": simd})
        assert told["length"] == 32, told["length"]
        measured[f"{name}, prompt of 32 tokens, ms"] = statistics.median(told["times"])
        measured[f"{name}, tokens/s"] = told["tokens/s"]
    chromium.close()
    return measured


def in_a_notebook(playwright, address: str, n: int, engine_there: bool) -> dict:
    """Milliseconds of n new prompts in each view, and until the engine is there."""
    chromium = playwright.chromium.launch(
        executable_path=browser.chromium_path(), args=browser.FLAGS
    )
    page = chromium.new_page(viewport={"width": 1400, "height": 1000})
    if not engine_there:
        page.add_init_script(WITHOUT_WORKERS)
    lab_tools.live_views(page, lab_tools.open_and_run(page, address, "speed.ipynb"))
    name = "engine" if engine_there else "kernel"
    rows = {"until the engine is there, ms": page.evaluate(TOUCHED)} if engine_there else {}
    for view, (cell, changing) in SHOWN.items():
        root, times = f'[data-windowed-list-index="{cell}"] .gx', []
        for i in range(n):
            words = TEXT.split()
            words[i % 20] = "house"
            page.locator(f"{root} .gx-prompt").fill(" ".join(words))
            times.append(watched(page, root, changing, "Enter"))
        rows[f"{name}, {view}, ms"] = summary(times)
    chromium.close()
    return rows


def in_lab(playwright, n: int) -> dict:
    """Both paths in a JupyterLab of its own, and the bytes that the engine's way costs."""
    home, source = Path(tempfile.mkdtemp()), load_novelist()
    server, address = serve(home, CELLS)
    try:
        rows = in_a_notebook(playwright, address, n, False)
        rows |= in_a_notebook(playwright, address, n, True)
    finally:
        server.terminate()
        server.wait(30)
        shutil.rmtree(home, ignore_errors=True)
    told, buffers = engine.parcel(source.bpe, source.model)
    return {"bytes": len(json.dumps(told)) + sum(map(len, buffers)), **rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--n", type=int, default=20, help="prompts in JupyterLab")
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    load_novelist()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        sizes = write_site(Path(home))
        rounds = [one_round(playwright, Path(home)) for _ in range(args.rounds)]
        lab = in_lab(playwright, args.n)
    results = {
        name: {
            "best": round((max if "/s" in name else min)(r[name] for r in rounds), 1),
            "median": round(statistics.median(r[name] for r in rounds), 1),
        }
        for name in rounds[0]
    }
    for name, row in results.items():
        print(f"{name:<40}{row['median']:>8.1f}, best {row['best']:>8.1f}")
    for name, row in lab.items():
        print(f"in JupyterLab: {name:<34} {row}")
    page = sizes["index.html"] + sizes[engine.MODEL]
    write_json(
        BENCHMARKS / "engine.json",
        {"rounds": args.rounds, "bytes": page, **results, "in JupyterLab": lab, **provenance()},
    )


if __name__ == "__main__":
    main()

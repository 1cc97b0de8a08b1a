"""The model in the page: how fast it answers, in Chromium, from a folder on disk.

    python benchmarks/engine_speed.py

The static site's front page and model, opened by file:// with the network off. Three rounds,
each a fresh browser: from opening to the first answer, a prompt of 32 tokens, writing 100
tokens, with WebAssembly and with plain JavaScript; beside them the same kernel's rate of a
matrix product. Minima and medians. Writes data/results/benchmarks/engine.json.
"""

import argparse
import statistics
import sys
import tempfile
import time
from pathlib import Path

from gpt1lib.checkpoints import load_novelist
from gpt1lib.show import engine
from gpt1lib.storage import run_folder
from gpt1lib.storage.files import write_json, write_text
from gpt1lib.storage.paths import BENCHMARKS, ROOT

sys.path[:0] = [str(ROOT / "tests" / "browser"), str(ROOT)]
import conftest as browser  # noqa: E402
from tools import site  # noqa: E402

TEXT = (
    "She took the letter from the table and read it to her sister, who had not "
    "been well since the morning and could not go out that day for a walk"
)
SPEED = """async ({text, simd}) => {
  const given = gpt1.load;
  const parts = async () => ({ ...(await given()), ...(simd ? {} : { wasm: null }) });
  const mine = new Engine(gpt1.id, gpt1.source, parts);
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
    """The front page and the model; returns the bytes of each."""
    site.SITE = folder
    site.write_index([])
    site.write_model()
    write_text(folder / "arrays.js", engine.bundle.one_script("arrays"))
    return {path.name: path.stat().st_size for path in folder.glob("*")}


def one_round(playwright, folder: Path) -> dict[str, float]:
    """A fresh browser: seconds, milliseconds and rates of one round."""
    chromium = playwright.chromium.launch(
        executable_path=browser.chromium_path(), args=browser.FLAGS
    )
    page = chromium.new_context(offline=True).new_page()
    start = time.perf_counter()
    page.goto((folder / "index.html").as_uri())
    page.wait_for_function("document.querySelector('#front .gx-bars li')", polling=20)
    measured = {"first answer, ms": 1000 * (time.perf_counter() - start)}
    page.add_script_tag(path=folder / "arrays.js")
    measured["plain product, GFLOP/s"] = page.evaluate(PRODUCT)
    for name, simd in (("WebAssembly", True), ("plain", False)):
        told = page.evaluate(SPEED, {"text": TEXT, "simd": simd})
        assert told["length"] == 32, told["length"]
        measured[f"{name}, prompt of 32 tokens, ms"] = statistics.median(told["times"])
        measured[f"{name}, tokens/s"] = told["tokens/s"]
    chromium.close()
    return measured


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    from playwright.sync_api import sync_playwright

    load_novelist()
    with tempfile.TemporaryDirectory() as home, sync_playwright() as playwright:
        sizes = write_site(Path(home))
        rounds = [one_round(playwright, Path(home)) for _ in range(args.rounds)]
    results = {
        name: {
            "best": round((max if "/s" in name else min)(r[name] for r in rounds), 1),
            "median": round(statistics.median(r[name] for r in rounds), 1),
        }
        for name in rounds[0]
    }
    for name, row in results.items():
        print(f"{name:<40}{row['median']:>8.1f}, best {row['best']:>8.1f}")
    page = sizes["index.html"] + sizes[engine.MODEL]
    write_json(
        BENCHMARKS / "engine.json",
        {"rounds": args.rounds, "bytes": page, **results, **run_folder.origin()},
    )


if __name__ == "__main__":
    main()

"""A GPT-1 trained in JavaScript: how fast, beside what this machine multiplies; a stored run.

    python benchmarks/training_in_page.py [--seconds 10] [--run]

Runs the page's own trainer in Node.js, with WebAssembly. Updates per second at four sizes,
three rounds, medians and extremes; beside them the rate of the same kernel in one product of
256 x 256 numbers. Each is told by the clock and by the processor's own time, which does not
count what other processes of a shared machine take; the load says whether there were any.
Writes data/results/benchmarks/training_in_page.json.

--run: instead, the run on Emma with the page's own settings that LearningExplorer's static
picture shows, to gpt1course/viz/explorers/learning.json.
"""

import argparse
import os
import shutil
import statistics
import sys

from gpt1course.viz.explorers import learning
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS, ROOT
from gpt1lib.io.provenance import provenance

sys.path.insert(0, str(ROOT / "tests" / "support"))
import learner_in_node  # noqa: E402

ROUNDS = 3
SIZES = {
    "1 block, width 32": {"n_layer": 1, "n_embd": 32},
    "2 blocks, width 48": {"n_layer": 2, "n_embd": 48},
    "3 blocks, width 64": {"n_layer": 3, "n_embd": 64},
    "4 blocks, width 96": {"n_layer": 4, "n_embd": 96},
}
N_VOCAB = 41  # the characters of the passage of Emma


def node() -> str:
    """Where Node.js is; SystemExit where it is not."""
    path = shutil.which("node")
    if path is None:
        raise SystemExit("there is no Node.js on this machine")
    return path


def speeds(seconds: float) -> dict:
    """Updates per second of each size, three rounds; load: of the machine before each."""
    sizes = [size | {"n_vocab": N_VOCAB} for size in SIZES.values()]
    rounds, loads = [], []
    for _ in range(ROUNDS):
        loads.append(os.getloadavg()[0])
        rounds += learner_in_node.ask(node(), ["speed", {"sizes": sizes, "seconds": seconds}])
    rates = zip(*(r["rates"] for r in rounds), strict=True)
    return {
        "updates_per_second": {
            name: summary(found) for name, found in zip(SIZES, rates, strict=True)
        },
        "gflops_of_one_product": summary([r["product"] for r in rounds]),
        "load_before_each_round": loads,
        "cores": os.cpu_count(),
    }


def summary(rates) -> dict:
    """Median and extremes, by the clock and by the processor's time."""
    found = {}
    for way in ("clock", "processor"):
        values = [rate[way] for rate in rates]
        middle = statistics.median(values)
        found[way] = {"median": middle, "least": min(values), "most": max(values)}
    return found


def stored_run(updates: int = 2000, points: int = 120) -> dict:
    """A run on Emma, seed 0: its smoothed loss at updates that grow by a factor, its stages."""
    asked = {"text": learning.emma(), "settings": {"seed": 0}, "updates": updates}
    (run,) = learner_in_node.ask(node(), ["observed", asked])
    steps = sorted({round(updates ** (i / points)) - 1 for i in range(points + 1)})
    losses = [[step, round(run["losses"][step][2], 4)] for step in steps]
    told = {name: run[name] for name in ("levels", "parameters", "crossed", "stages")}
    return {"updates": updates, "seed": 0, "losses": losses} | told


def told(rate: dict) -> str:
    """Both medians."""
    clock, processor = (rate[way]["median"] for way in ("clock", "processor"))
    return f"{clock:6.1f} by the clock, {processor:6.1f} by the processor"


def main(argv: list[str] | None = None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement")
    parser.add_argument("--run", action="store_true", help="make the stored run")
    args = parser.parse_args(argv)
    if args.run:
        write_json(learning.STORED, stored_run(), indent=None)
        print(learning.STORED)
        return
    found = speeds(args.seconds)
    write_json(BENCHMARKS / "training_in_page.json", found | {"provenance": provenance()})
    for name, rate in found["updates_per_second"].items():
        print(f"{name:<20} {told(rate)} updates/s")
    print(f"one product: {told(found['gflops_of_one_product'])} GFLOP/s")


if __name__ == "__main__":
    main()

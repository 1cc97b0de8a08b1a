"""Everything that must hold: lint, tests, notebooks. `make test` and CI run this.

Each part runs even if one before it failed, so that one run tells all; the exit status
is 1 if any part failed. --quick leaves out notebooks, browser and slow tests.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = [sys.executable, "-m", "pytest", "-q"]
NBVAL = [
    "--nbval-lax",
    "--nbval-current-env",
    "--nbval-cell-timeout=300",
    "--nbval-sanitize-with=tests/nbval.cfg",
]
FORMATTED = ["gpt1lib", "tests", "tools", "benchmarks"]


def parts(quick: bool) -> dict[str, list[str]]:
    """Name -> command of each part."""
    ruff = [sys.executable, "-m", "ruff"]
    lint = {
        "lint": [*ruff, "check", *FORMATTED, "notebooks"],
        "format": [*ruff, "format", "--check", *FORMATTED],
    }
    if quick:
        return lint | {"tests": [*PYTEST, "tests", "-m", "not slow and not browser"]}
    notebooks = sorted(str(p) for p in (ROOT / "notebooks").glob("*.ipynb"))
    if not notebooks:
        sys.exit("no notebooks found: nothing may pass without them")
    return lint | {
        "tests": [*PYTEST, "tests", "--durations=8"],
        "notebooks": [*PYTEST, *NBVAL, *notebooks, "--durations=5"],
    }


def main() -> int:
    """Run the parts, print a summary, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    results = {}
    for name, command in parts(parser.parse_args().quick).items():
        print(f"\n== {name}", flush=True)
        start = time.time()
        light = os.environ | {"GPT1_LIGHT": "1"}  # see gpt1lib.lessons.fewer
        status = subprocess.run(command, cwd=ROOT, env=light).returncode
        results[name] = (status, time.time() - start)
    print()
    for name, (status, seconds) in results.items():
        word = "passed" if status == 0 else f"FAILED ({status})"
        print(f"{name:<10} {word:<12} {seconds:6.0f} s")
    return int(any(status for status, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())

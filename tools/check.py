"""Everything that must hold: lint, types, tests, notebooks. `make test` and CI run this.

Each part runs even if one before it failed, so that one run tells all; the exit status
is 1 if any part failed. Three parts run at a time, on one thread each. --quick leaves out
notebooks, browser and slow tests; --short runs only what must hold on every system and with
every version: the model, its tokenizer, training, exercises, and three lessons.
"""

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PYTEST = [sys.executable, "-m", "pytest", "-q"]
SHORT = "model parity decode bpe corpus exercises finetune pretrain checkpoint metrics work"
SHORT_LESSONS = ("00", "05", "09")  # one with everything, one with explorers, one in numpy
FORMATTED = ["gpt1lib", "gpt1course", "tests", "tools", "benchmarks"]


def short() -> dict[str, list[str]]:
    """Name -> command of what must hold everywhere."""
    tests = [f"tests/test_{name}.py" for name in SHORT.split()]
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    chosen = [str(path) for path in lessons if path.name[:2] in SHORT_LESSONS]
    return {
        "tests": [*PYTEST, *tests, "-m", "not slow and not browser"],
        "notebooks": [*PYTEST, "--nbval", *chosen],
    }


def parts(quick: bool) -> dict[str, list[str]]:
    """Name -> command of each part."""
    ruff = [sys.executable, "-m", "ruff"]
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "teaching"]
    spelling = [*pages, "data/README.md"]
    lint = {
        "lint": [*ruff, "check", *FORMATTED, "notebooks"],
        "format": [*ruff, "format", "--check", *FORMATTED],
        "spelling": [
            sys.executable,
            "-m",
            "codespell_lib",
            *spelling,
            "gpt1lib",
            "gpt1course",
            "tools",
        ],
        "types": [sys.executable, "-m", "basedpyright"],
        "javascript": [sys.executable, "tools/javascript.py"],
    }
    if quick:
        return lint | {"tests": [*PYTEST, "tests", "-m", "not slow and not browser"]}
    # lessons and mistakes; the browser runs the gallery as it is
    notebooks = sorted(str(p) for p in (ROOT / "notebooks").glob("[0-9m]*.ipynb"))
    if not notebooks:
        sys.exit("no notebooks found: nothing may pass without them")
    slowest = "--durations=20"
    lessons = ["tests/browser/test_lessons.py", "tests/browser/test_site.py"]
    return {  # the longest first, so that they end together
        "lessons": [*PYTEST, *lessons, slowest],
        "tests": [*PYTEST, "tests", "-m", "not browser", slowest],
        "notebooks": [*PYTEST, "--nbval", *notebooks, slowest],
        "explorers": [*PYTEST, "tests/browser", *(f"--ignore={p}" for p in lessons), slowest],
        **lint,
    }


def run(name: str, command: list[str]) -> tuple[int, float]:
    """Run a part, print what it said; returns its exit status and its seconds."""
    start = time.time()
    print(f"-- {name} begins", flush=True)
    # GPT1_LIGHT: see gpt1course.exercises.fewer; one thread: the parts share the cores
    light = os.environ | {"GPT1_LIGHT": "1", "OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=light,
        text=True,
        encoding="utf-8",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    print(f"\n== {name}\n{done.stdout}", end="", flush=True)
    return done.returncode, time.time() - start


def main() -> int:
    """Run the parts, print a summary, return the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--short", action="store_true")
    args = parser.parse_args()
    todo = short() if args.short else parts(args.quick)
    with ThreadPoolExecutor(3) as three:  # one waits, for a browser, a kernel or a process
        results = dict(zip(todo, three.map(run, todo, todo.values()), strict=True))
    print()
    for name, (status, seconds) in results.items():
        word = "passed" if status == 0 else f"FAILED ({status})"
        print(f"{name:<10} {word:<12} {seconds:6.0f} s")
    return int(any(status for status, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())

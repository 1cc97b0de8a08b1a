"""Everything that must hold: lint, types, tests, notebooks. `make test` and CI run this.

Each part runs even if one before it failed, so that one run tells all; the exit status
is 1 if any part failed. Four parts run at a time, on one thread each: the browser's mostly
waits. Slow tests run with --all only. --quick leaves out notebooks and browser; --lesson 05
runs what a change to one lesson can break; --short runs only what must hold on every system
and with every version: the model, its tokenizer, training, exercises, and three lessons.
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
SHORT = (
    "model parity generate bpe corpus exercises finetune trainer checkpoint metrics workspace"
)
SHORT_LESSONS = ("00", "05", "09")  # one with everything, one with explorers, one in numpy
SLOWEST = ["--durations=20"]
LONG = "lesson10 or lesson12 or lesson13 or lesson14 or lesson17"  # half of the lessons' time
VIEWS, EXPLORERS = "tests/gpt1course/viz", "tests/browser/views"
MARKED = [f"tests/gpt1course/{name}" for name in ("checking", "exercises", "grading")]
TESTS = {  # part -> folders: quarters of the time
    "exercises": MARKED,
    "course": ["tests/gpt1course", *(f"--ignore={x}" for x in (VIEWS, *MARKED)), "tests/repo"],
    "views": [VIEWS, "tests/browser"],  # what of it needs no browser
    "library": ["tests/gpt1lib"],
}
AT_A_TIME = 4  # parts: those in the browser mostly wait
FORMATTED = ["gpt1lib", "gpt1course", "tests", "tools", "benchmarks"]


def short() -> dict[str, list[str]]:
    """Name -> command of what must hold everywhere."""
    tests = [str(p) for name in SHORT.split() for p in ROOT.glob(f"tests/*/**/test_{name}.py")]
    lessons = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
    chosen = [str(path) for path in lessons if path.name[:2] in SHORT_LESSONS]
    return {
        "tests": [*PYTEST, *tests, "-m", "not slow and not browser"],
        "notebooks": [*PYTEST, "--nbval", *chosen],
    }


def lesson(number: str) -> dict[str, list[str]]:
    """Name -> command of what a change to one lesson can break. number: such as 05 or 5."""
    from gpt1course.notebooks import exercises_of
    from gpt1course.workspace import lesson_notebook

    try:
        notebook = lesson_notebook(number)
    except ValueError as error:
        sys.exit(str(error))
    whole = ("readme", "index", "teaching")
    modules = (*whole, "exercises", "notebooks", "claims")
    tests = [str(p) for m in modules for p in sorted((ROOT / "tests").rglob(f"test_*{m}*.py"))]
    names = (f"lesson{notebook.name[:2]}", notebook.stem, *exercises_of(notebook))
    named = " or ".join([*whole, *names])
    return {"tests": [*PYTEST, *tests, "-m", "not browser", "-k", named, "--full-run"]}


def lint() -> dict[str, list[str]]:
    """Name -> command of what reads the files and runs nothing."""
    ruff = [sys.executable, "-m", "ruff"]
    in_this_python = f"--python-interpreter-path={sys.executable}"  # not the active one
    pages = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "docs", "teaching"]
    spelled = [*pages, "data/README.md", "gpt1lib", "gpt1course", "tools", "benchmarks"]
    return {
        "lint": [*ruff, "check", *FORMATTED, "notebooks"],
        "format": [*ruff, "format", "--check", *FORMATTED],
        "spelling": [sys.executable, "-m", "codespell_lib", *spelled],
        "types": [sys.executable, "-m", "pyrefly", "check", in_this_python],
        "javascript": [sys.executable, "tools/javascript.py"],
    }


def workers() -> list[str]:
    """How many processes a part of the tests takes: all cores but one.

    AT_A_TIME parts run at once, so there may be more processes than cores. That costs little,
    because the parts in the browser mostly wait, and the others share the cores.
    """
    n = (os.cpu_count() or 2) - 1
    return ["-n", str(n), "--dist", "loadgroup"] if n > 1 else []


def parts(quick: bool, slow: bool) -> dict[str, list[str]]:
    """Name -> command of each part, the longest first, so that they end together."""
    chosen = "not browser" if slow else "not slow and not browser"
    tests = {
        name: [*PYTEST, *folders, *workers(), *SLOWEST, "-m", chosen]
        for name, folders in TESTS.items()
    }
    if quick:
        return {**tests, **lint()}
    full_run = ["--full-run"] if slow else ["-m", "not slow"]
    shown = "browser" if slow else "browser and not slow"
    lessons = sorted(str(p) for p in (ROOT / "notebooks").rglob("[!g]*.ipynb"))
    as_typed = {"nbval": [*PYTEST, "--nbval", *lessons]} if slow else {}
    return {
        **as_typed,
        "browser": [*PYTEST, "tests/browser", f"--ignore={EXPLORERS}", "-m", shown, *SLOWEST],
        "explorers": [*PYTEST, EXPLORERS, "-m", shown, *SLOWEST],
        "notebooks": [*PYTEST, "tests/claims", *full_run, "-k", f"not ({LONG})", *SLOWEST],
        "longest": [*PYTEST, "tests/claims", *full_run, "-k", LONG, *SLOWEST],
        **tests,
        **lint(),
    }


def run(name: str, command: list[str]) -> tuple[int, float]:
    """Run a part, print what it said; returns its exit status and its seconds."""
    start = time.time()
    print(f"-- {name} begins\n", end="", flush=True)
    one_thread = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONUTF8": "1"}  # parts share cores
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=one_thread,
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
    parser.add_argument("--all", action="store_true", help="with the slow tests")
    parser.add_argument("--lesson", help="its number, such as 05")
    args = parser.parse_args()
    if args.short or args.lesson:
        todo = short() if args.short else lesson(args.lesson)
    else:
        todo = parts(args.quick, args.all)
    with ThreadPoolExecutor(AT_A_TIME) as some:
        results = dict(zip(todo, some.map(run, todo, todo.values()), strict=True))
    print()
    for name, (status, seconds) in results.items():
        word = "passed" if status == 0 else f"FAILED ({status})"
        print(f"{name:<10} {word:<12} {seconds:6.0f} s")
    return int(any(status for status, _ in results.values()))


if __name__ == "__main__":
    sys.exit(main())

"""The memory that the kernel of each lesson takes at its peak, in megabytes (Linux, macOS).

    python benchmarks/lesson_memory.py
    python benchmarks/lesson_memory.py notebooks/13_fine_tuning.ipynb

JupyterLab and the browser come on top. Nothing in the notebooks changes.
"""

import argparse
import resource
import sys
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

from gpt1course.notebooks import execute, read
from gpt1course.workspace import lessons
from gpt1lib.io.files import read_json, write_json
from gpt1lib.io.paths import BENCHMARKS, ROOT
from gpt1lib.io.provenance import provenance

STORED = BENCHMARKS / "lesson_memory.json"
UNIT = 2**20 if sys.platform == "darwin" else 2**10  # of ru_maxrss, in a megabyte


def peak(path: Path) -> int:
    """Megabytes at the peak of a lesson's kernel; for a process that has no other children."""
    execute(read(path), path.parent, timeout=1800)  # a busy machine may take long
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / UNIT)


def main() -> None:
    """Measure one lesson after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    paths = parser.parse_args().notebooks or lessons(ROOT / "notebooks")
    with ProcessPoolExecutor(1, get_context("spawn"), max_tasks_per_child=1) as pool:
        for path, megabytes in zip(paths, pool.map(peak, paths), strict=True):
            print(f"{path.name}: {megabytes:,} MB", flush=True)
            known = read_json(STORED)["megabytes"] if STORED.is_file() else {}
            found = dict(sorted((known | {path.name: megabytes}).items()))
            write_json(STORED, {"megabytes": found, **provenance()})


if __name__ == "__main__":
    main()

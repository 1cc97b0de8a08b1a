"""The paper's analysis at laptop scale: Table 5, Figure 2, and questions of our own.

    python -m gpt1lib.paper               # everything, hours; start again to go on
    python -m gpt1lib.paper table5        # one experiment
    python -m gpt1lib.paper --quick       # one cell of each again, and the stored one

Every cell (plan.py) is one line of data/results/paper/cells.jsonl, with its settings, seed,
command and commit.
"""

import argparse
import os
import sys

from ..fast.machine import keep_memory
from ..storage.run_folder import RunFolder, command_line, one_line_errors
from . import results, run, surprise, two_terms
from .plan import EXPERIMENTS


def repeat_one_of_each() -> None:
    """The first cell of each experiment again, beside what is stored of it."""
    stored, repeated = results.stored_cells(), set()
    for name, rows in EXPERIMENTS.items():
        row, cell = next((r, c) for r, c in rows() if c not in repeated)
        repeated.add(cell)
        then = stored.get(results.key(cell), {}).get("accuracy", "not stored")
        now = run.run_cell(cell)["accuracy"]
        print(f"{name}: {cell.task}, {row}, seed 0: now {now}, stored {then}")


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.paper", description=(__doc__ or "").split("\n")[0]
    )
    names = [*EXPERIMENTS, "zeroshot", "readout", "surprise", "two_terms"]
    parser.add_argument("experiments", nargs="*", help=f"{', '.join(names)} (default: all)")
    parser.add_argument(
        "--quick",
        action="store_true",
        help="repeat one cell of each experiment and compare it with the stored one",
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count(),
        help="cells to run at a time (default: one per core)",
    )
    args = parser.parse_args(argv)
    unknown = set(args.experiments) - set(names)
    if unknown:
        sys.exit(f"paper: no experiment {', '.join(unknown)}; known: {names}")
    if args.workers < 1:
        sys.exit(f"paper: {args.workers} workers, it must be at least 1")
    keep_memory()
    if args.quick:
        with one_line_errors("paper"):
            return repeat_one_of_each()
    chosen = args.experiments or names
    folder = RunFolder(results.STORED)
    begun = {"command": command_line("paper", args.experiments), "commit": folder.commit}
    with one_line_errors("paper"), folder.held():
        run.run_experiments([n for n in chosen if n in EXPERIMENTS], begun, args.workers)
        if "zeroshot" in chosen:
            run.zero_shot(begun)
        if "readout" in chosen:
            run.read_out_endings(begun)
        if "surprise" in chosen:
            surprise.read_novelist(begun)
        if "two_terms" in chosen:
            two_terms.run_cells(begun)
    return None


if __name__ == "__main__":
    main()

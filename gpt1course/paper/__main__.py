"""The paper's analysis at laptop scale: Table 5, Figure 2, and questions of our own.

    python -m gpt1course.paper               # everything, hours; start again to go on
    python -m gpt1course.paper table5        # one experiment
    python -m gpt1course.paper curves --tasks film_snippets --seeds 3 --workers 2
    python -m gpt1course.paper curves --estimate    # how long that would take
    python -m gpt1course.paper --quick       # one cell of each again, and the stored one

Every cell (plan.py, curves/plan.py) is one line of data/results/paper/cells.jsonl or
curves.jsonl, with its settings, seed, command and commit.
"""

import argparse
import os
import sys

from gpt1lib.fast.machine import keep_memory
from gpt1lib.io.run_folder import RunFolder, command_line, one_line_errors

from . import curves, results, run
from .after import filling, scaling, twins
from .plan import EXPERIMENTS
from .probes import more_labels, surprise, two_terms


def train_and_measure_twins(begun: dict) -> None:
    """The causal and the masked model, and how each fills a gap."""
    twins.train_twins(begun)
    filling.measure_gaps(begun)


# what is no plan of plain cells, and what runs it alone
OTHERS = {
    "zeroshot": run.zero_shot,
    "readout": run.read_out_endings,
    "surprise": surprise.read_novelist,
    "two_terms": two_terms.run_cells,
    "twins": train_and_measure_twins,
    "scaling": scaling.sweep_sizes,
}


def names() -> list[str]:
    """All that can be asked for."""
    return [*EXPERIMENTS, "curves", *OTHERS, "more_labels"]


def repeat_one_of_each() -> None:
    """The first cell of each experiment again, beside what is stored of it."""
    stored, repeated = results.stored_cells(), set()
    for name, rows in EXPERIMENTS.items():
        row, cell = next((r, c) for r, c in rows() if c not in repeated)
        repeated.add(cell)
        then = stored.get(results.key(cell), {}).get("accuracy", "not stored")
        now = run.run_cell(cell)["accuracy"]
        print(f"{name}: {cell.task}, {row}, seed 0: now {now}, stored {then}")
    tests = {p: x for p, x in curves.stored_points().items() if p.split == "test"}
    for point in list(tests)[:1]:
        now = curves.run_point(point)["accuracy"]
        print(f"curves: {point.title}: now {now}, stored {tests[point]['accuracy']}")


def options() -> argparse.ArgumentParser:
    """The options of the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1course.paper", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("experiments", nargs="*", help=f"{', '.join(names())} (default: all)")
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
    parser.add_argument("--tasks", nargs="+", help="only these sets' curves (default: all)")
    parser.add_argument(
        "--seeds",
        type=int,
        default=curves.SEEDS,
        help=f"of each point of a curve (default: {curves.SEEDS}, and up to "
        f"{curves.MORE_SEEDS} where their bars touch)",
    )
    parser.add_argument(
        "--estimate", action="store_true", help="only say how long the curves will take"
    )
    return parser


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = options().parse_args(argv)
    unknown = set(args.experiments) - set(names())
    if unknown:
        sys.exit(f"paper: no experiment {', '.join(unknown)}; known: {', '.join(names())}")
    for name in ("workers", "seeds"):
        if (n := getattr(args, name)) < 1:
            sys.exit(f"paper: --{name} is {n}, it must be at least 1")
    keep_memory()
    with one_line_errors("paper", command_line("paper", argv)):
        if args.quick:
            return repeat_one_of_each()
        if args.estimate:
            return curves.estimate(curves.known(args.tasks), args.seeds)
        run_chosen(args, args.experiments or names())
    return None


def run_chosen(args: argparse.Namespace, chosen: list[str]) -> None:
    """Everything that was asked for, one command at a time in the folder of results."""
    folder, sets = RunFolder(results.STORED), curves.known(args.tasks)
    words = [*args.experiments, *(["--tasks", *args.tasks] if args.tasks else [])]
    words += ["--seeds", str(args.seeds)] if args.seeds != curves.SEEDS else []
    begun = {"command": command_line("paper", words), "commit": folder.commit}
    with folder.held():
        run.run_experiments([n for n in chosen if n in EXPERIMENTS], begun, args.workers)
        if "curves" in chosen:
            curves.run_curves(sets, args.seeds, begun, args.workers)
        for name in (n for n in OTHERS if n in chosen):
            OTHERS[name](begun)
        if "more_labels" in chosen:  # last, for it needs a file that is made first
            more_labels.run_tunings(begun, args.workers)


if __name__ == "__main__":
    main()

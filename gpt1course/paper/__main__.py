"""The paper's analysis at laptop scale: Table 5, Figure 2, and questions of our own.

    python -m gpt1course.paper               # everything, hours; start again to go on
    python -m gpt1course.paper table5        # one experiment
    python -m gpt1course.paper curves --tasks film_snippets --seeds 3 --workers 2
    python -m gpt1course.paper curves --estimate    # how long that would take
    python -m gpt1course.paper --quick       # one cell of each again, and the stored one
    python -m gpt1course.paper released --help   # the paper's own tables, with its weights

Every trial (trials.py) is one line of data/results/paper/EXPERIMENT.jsonl, with its settings,
seed, command and commit. The six tables (plan.py) share cells.jsonl.
"""

import argparse
import os
import shlex
import sys
from contextlib import nullcontext

from gpt1lib.cli import DEVICES
from gpt1lib.fast.distributed import Processes, joined
from gpt1lib.fast.machine import keep_memory
from gpt1lib.io import files
from gpt1lib.io.run_folder import RunFolder

from . import curves, pretraining_seeds, released, results, tables
from .after import filling, scaling, twins
from .plan import EXPERIMENTS
from .probes import more_labels, readings, readout, surprise, tuned_readings, two_terms
from .zeroshot.run import run_zero_shot


def run_twins(provenance: dict) -> None:
    """The causal and the masked model, and how each fills a gap."""
    twins.run_twins(provenance)
    filling.run_gaps(provenance)


# experiments that are not tables, and what runs each
OTHERS = {
    "zeroshot": run_zero_shot,
    "readout": readout.run_readout,
    "surprise": surprise.run_surprise,
    "readings": readings.run_readings,
    "tuned_readings": tuned_readings.run_tuned_readings,
    "two_terms": two_terms.run_two_terms,
    "twins": run_twins,
    "scaling": scaling.run_scaling,
    "pretraining_seeds": pretraining_seeds.run_pretraining_seeds,
}


def names() -> list[str]:
    """All experiments."""
    return [*EXPERIMENTS, "curves", *OTHERS, "more_labels"]


def repeat_one_of_each() -> None:
    """Run the first trial of each experiment again, and print what is stored beside it."""
    stored, repeated = results.stored_trials("cells"), set()
    for name, rows in EXPERIMENTS.items():
        row, cell = next((r, c) for r, c in rows() if c.trial not in repeated)
        repeated.add(cell.trial)
        then = stored.get(cell.trial, {}).get("accuracy", "not stored")
        now = tables.run_cell(cell.trial)["accuracy"]
        print(f"{name}: {cell.task}, {row}, seed 0: now {now}, stored {then}")
    of_curves = results.stored_trials("curves")
    for trial in [t for t in of_curves if t["split"] == "test"][:1]:
        now, then = curves.run_trial(trial)["accuracy"], of_curves[trial]["accuracy"]
        print(f"curves: {trial.title}: now {now}, stored {then}")


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
    parser.add_argument(
        "--device", choices=DEVICES, default="cpu", help="of zeroshot (default: cpu)"
    )
    return parser


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["released"]:
        return released.main(words[1:])
    args = options().parse_args(words)
    unknown = set(args.experiments) - set(names())
    if unknown:
        sys.exit(f"paper: no experiment {', '.join(unknown)}; known: {', '.join(names())}")
    for name in ("workers", "seeds"):
        if (n := getattr(args, name)) < 1:
            sys.exit(f"paper: --{name} is {n}, it must be at least 1")
    keep_memory()
    with joined("paper", command_line(words), args.device) as world:
        if world.size > 1 and args.experiments != ["zeroshot"]:
            raise ValueError("processes share zeroshot and released; the others take --workers")
        if args.quick:
            repeat_one_of_each()
        elif args.estimate:
            curves.estimate(curves.known(args.tasks), args.seeds)
        else:
            run_chosen(args, args.experiments or names(), world)
    return None


def command_line(words: list[str]) -> str:
    """The command as you would type it again."""
    return shlex.join(["python", "-m", "gpt1course.paper", *words])


def run_chosen(args: argparse.Namespace, chosen: list[str], world: Processes) -> None:
    """All experiments that were chosen, by one process at a time in the folder of results."""
    folder, sets = RunFolder(results.STORED), curves.known(args.tasks)
    words = [*args.experiments, *(["--tasks", *args.tasks] if args.tasks else [])]
    words += ["--seeds", str(args.seeds)] if args.seeds != curves.SEEDS else []
    provenance = {"command": command_line(words), "commit": folder.commit}
    with folder.lock() if world.is_main else nullcontext():
        if world.is_main:
            files.remove_unfinished(results.STORED)
        in_tables = [name for name in chosen if name in EXPERIMENTS]
        tables.run_tables(in_tables, provenance, args.workers)
        if "curves" in chosen:
            curves.run_curves(sets, args.seeds, provenance, args.workers)
        workers = dict.fromkeys(("tuned_readings", "pretraining_seeds"), [args.workers])
        more: dict[str, list] = {"zeroshot": [world], **workers}
        for name in (name for name in OTHERS if name in chosen):
            OTHERS[name](provenance, *more.get(name, []))
        if "more_labels" in chosen:  # last, because it needs a file that is made first
            more_labels.run_more_labels(provenance, args.workers)


if __name__ == "__main__":
    main()

"""Pre-train a GPT-1 on books; run the same command again to resume.

    python -m gpt1lib.pretrain --recipe novelist --out runs/novelist
    torchrun --nproc-per-node 2 -m gpt1lib.pretrain --recipe novelist --out runs/two

The recipes keep GPT-1's method and change its sizes.
"""

import argparse
import shlex
from pathlib import Path

from tqdm import tqdm

from .. import scoring
from ..fast.machine import keep_memory
from ..storage import files
from ..storage.paths import BOOKS, HELDOUT_BOOKS
from ..storage.run_folder import one_line_errors
from . import processes, recipes
from .run import Pretraining


def parser(argv: list[str] | None = None) -> argparse.ArgumentParser:
    """The options of the command line; help shows the values of the recipe in argv."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.pretrain",
        usage="%(prog)s --out FOLDER [options]; --help explains them",
        description=(__doc__ or "").split("\n")[0],
    )
    p.add_argument(
        "--out", type=Path, required=True, help="folder for checkpoint, log and state"
    )
    p.add_argument(
        "--books",
        type=Path,
        default=BOOKS,
        help="folder of .txt books to train on (default: the course's)",
    )
    p.add_argument(
        "--heldout",
        type=Path,
        default=HELDOUT_BOOKS,
        help="folder of .txt books to score on only",
    )
    p.add_argument("--device", choices=["cpu", "cuda"], help="default: cuda if there is a GPU")
    recipes.add_recipe_options(p, argv)
    return p


def train(args: argparse.Namespace, world: processes.Processes) -> None:
    """One run, from the start or from where it was stopped."""
    recipe = recipes.from_options(args)
    run = Pretraining(recipe, args.out, args.books, args.heldout, world)
    resumed, finished = run.resume(), run.is_finished()
    if resumed and not finished and world.is_main:
        tqdm.write(f"going on from step {run.step}")
    if not finished:
        run.run()
    if world.is_main:
        print(ending(args.out))
    world.finish()


def ending(out: Path) -> str:
    """What a finished run has reached, and what can be done with it."""
    meta = files.read_json(out / "meta.json")
    with files.naming(out / "meta.json"):
        found, steps = scoring.all_books(meta["heldout"]), meta["recipe"]["steps"]
    return (
        f"{out} is finished, after {steps} steps. On the held-out books: perplexity "
        f"{found['perplexity']}, {found['bits_per_character']} bits per character.\n"
        f'Let it write: python -m gpt1lib.write {shlex.quote(str(out))} "It was"'
    )


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = parser(argv).parse_args(argv)
    keep_memory()
    world = processes.join(args.device)
    try:
        if world.size > 1:
            train(args, world)  # torchrun reports which process failed, and how
        else:
            with one_line_errors("pretrain"):
                train(args, world)
    finally:
        world.leave()


if __name__ == "__main__":
    main()

"""Pre-train a GPT-1 on books; run the same command again to resume.

    python -m gpt1lib.pretrain --recipe novelist --out runs/novelist
    torchrun --nproc-per-node 2 -m gpt1lib.pretrain --recipe novelist --out runs/two

The recipes keep GPT-1's method and change its sizes.
"""

import argparse
import re
import shlex
from pathlib import Path

from tqdm import tqdm

from .. import evaluate
from ..checkpoints.kinds import model_class
from ..cli import add_device
from ..fast import distributed
from ..fast.machine import keep_memory
from ..io import files
from ..io.paths import BOOKS, HELDOUT_BOOKS
from ..io.provenance import command_line
from . import config
from .trainer import Pretraining


def parser(argv: list[str] | None = None) -> argparse.ArgumentParser:
    """The options of the command line; help shows the values of the recipe in argv."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.pretrain",
        usage="%(prog)s --out FOLDER [options]; --help explains them",
        description=(__doc__ or "").split("\n")[0],
    )
    p.add_argument("--out", type=Path, required=True, help="folder for checkpoint, log, state")
    p.add_argument(
        "--books",
        type=Path,
        nargs="+",
        help="text files to train on, or folders of .txt files (default: the course's books)",
    )
    p.add_argument(
        "--heldout",
        type=Path,
        nargs="+",
        help="the same, to score on only (default: the last tenth of each of your books, or "
        "the course's held-out books)",
    )
    add_device(p, ("cpu", "cuda"))
    config.add_recipe_options(p, argv)
    return p


def train(args: argparse.Namespace, world: distributed.Processes, command: str) -> None:
    """One run, from the start or from where it was stopped."""
    recipe = config.from_options(args)
    heldout = args.heldout or (None if args.books else HELDOUT_BOOKS)  # None: ends of the books
    run = Pretraining.from_books(recipe, args.out, args.books or BOOKS, heldout, world)
    run.command = command
    resumed, finished = run.resume(), run.is_finished()
    if not finished:
        if world.is_main:
            print(run.data.summary())
        if resumed and world.is_main:
            tqdm.write(f"going on from step {run.step}")
        run.run()
    if world.is_main:
        print(ending(args.out, run.data.heldout))


def ending(out: Path, heldout: dict[str, str]) -> str:
    """What a finished run has reached, and what can be done with it."""
    meta = files.read_json(out / "meta.json")
    with files.blame_file(out / "meta.json"):
        scores, recipe = evaluate.all_books(meta["heldout"]), meta["recipe"]
    message = (
        f"{out} is finished, after {recipe['steps']} steps. On the held-out books: perplexity "
        f"{scores['perplexity']:.2f}, {scores['bits_per_character']:.4f} bits per character."
    )
    if not model_class(recipe["kind"]).has_cache:
        return message
    first = " ".join(re.findall(r"\w+", next(iter(heldout.values())))[:2])
    return (
        f'{message}\nLet it write: python -m gpt1lib.sample {shlex.quote(str(out))} "{first}"'
    )


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    args = parser(argv).parse_args(argv)
    keep_memory()
    again = command_line("pretrain", argv)
    with distributed.joined("pretrain", again, args.device) as world:
        train(args, world, again)


if __name__ == "__main__":
    main()

"""What one device learns from our books in minutes, at three sizes.

Each size has an equal share of the time, for a short run and one three times as long, since
a model that has read the same books too often may no longer gain. The command of each run is
the trainer's own, and is stored with its checkpoint under --out. Points: passes over the
books, and the held-out bits per character there, on 64 windows; the last score is of the
held-out books, all of them.
"""

import itertools
import json
import math
import shutil
import statistics
import sys
from dataclasses import dataclass
from pathlib import Path

from gpt1lib import checkpoints, corpus, evaluate, metrics, pretrain
from gpt1lib.bpe import BPE
from gpt1lib.fast.distributed import Processes
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS, NOVELIST_DIR
from gpt1lib.pretrain import __main__ as command
from gpt1lib.pretrain import config

from .measure import Machine, Report, unused
from .same_numbers import write_books

TRAINING = 0.65  # share of the minutes; the rest is for reading, trials and scores
POINTS = 12  # of a run, where it is scored
RUNS = {"short": 0.25, "long": 0.75}  # share of a size's time


@dataclass(frozen=True)
class Size:
    """One model, and what its width asks for: see pretrain.scale_blocks."""

    name: str
    n_layer: int
    n_head: int
    n_embd: int
    dropout: float
    lr: float
    block_std: float
    batch: int = 64
    n_ctx: int = 256
    n_merges: int = 8000


SIZES = (
    Size("5_million", 4, 4, 256, dropout=0.1, lr=2e-3, block_std=0.04),
    Size("14_million", 6, 6, 384, dropout=0.2, lr=1e-3, block_std=0.033),
    Size("39_million", 11, 8, 512, dropout=0.3, lr=7e-4, block_std=0.028),
)
SMALLEST = (Size("tiny", 1, 2, 16, 0.1, 3e-3, 0.04, batch=4, n_ctx=16, n_merges=60),)


def books_of(machine: Machine) -> tuple[Path, Path]:
    """The folders to learn from and to be scored on."""
    if not machine.tiny:
        return BOOKS, HELDOUT_BOOKS
    root = machine.out / "texts"
    write_books(root)
    return root / "books", root / "heldout"


def options(size: Size, steps: int, out: Path, machine: Machine) -> list[str]:
    """Of the trainer's command for a run of that many updates."""
    given = {k: v for k, v in vars(size).items() if k != "name"}
    given |= {"steps": steps, "warmup": steps // 20, "evaluate_every": max(1, steps // POINTS)}
    given |= {"sample_every": steps, "save_every": max(1, steps // 4), "snapshots": 0}
    given |= {"device": machine.device.type, "out": out}
    if machine.tiny:
        given |= dict(zip(("books", "heldout"), books_of(machine), strict=True))
    words = [f"--{k.replace('_', '-')}={v}" for k, v in given.items()]
    return ["--recipe=novelist", *words, *(["--bf16"] if machine.on_gpu else [])]


def prepare(out: Path, earlier: Path | None, machine: Machine) -> None:
    """Give a run the shipped vocabulary, and the tokens that an earlier run has cut."""
    if not machine.tiny:
        BPE.load(NOVELIST_DIR).save(out / "state")
    if earlier is not None:
        for path in earlier.glob("state/tokens-*.npy"):
            shutil.copy(path, out / "state")


def seconds_per_update(words: list[str], out: Path, machine: Machine) -> float:
    """By a trial of thirty updates; it also cuts the books into tokens."""
    recipe = config.from_options(command.parser(words).parse_args(words))
    world = Processes(device=machine.device)
    trial = pretrain.Pretraining.from_books(recipe, out, *books_of(machine), world)
    n = machine.size(30, 4)
    rates = [trial.train_step()["tokens_per_s"] for _ in range(n)]
    return recipe.batch * recipe.model.n_ctx / statistics.median(rates[n // 3 :])


def train(words: list[str]) -> None:
    """The trainer's command; what it stores as its command line is then true."""
    before, sys.argv = sys.argv, ["pretrain", *words]
    try:
        command.main(words)
    finally:
        sys.argv = before


def points(out: Path, machine: Machine) -> list[dict]:
    """Passes over the books and held-out bits per character, from a run's log."""
    checkpoint = checkpoints.load(out)
    texts = corpus.read_books(books_of(machine)[1])
    n_tokens = len(corpus.encode_books(texts, checkpoint.bpe))
    per_token = sum(map(len, texts.values())) / n_tokens  # characters
    n_read = checkpoint.meta["training_tokens"]
    return [
        {
            "passes": round(line["tokens"] / n_read, 3),
            "bits_per_character": round(line["heldout"] / math.log(2) / per_token, 4),
            "training_loss": round(line["loss"], 4),
            "seconds": line["seconds"],
        }
        for line in checkpoint.log
        if "heldout" in line
    ]


def learned(
    size: Size, seconds: float, out: Path, earlier: Path | None, machine: Machine
) -> dict:
    """Train one size for that many seconds: its points, score and command."""
    prepare(out, earlier, machine)
    trial = options(size, 1000, out, machine)
    steps = max(2, int(seconds / seconds_per_update(trial, out, machine)))
    train(options(size, steps, out, machine))
    done = checkpoints.load(out)
    score = metrics.rounded(evaluate.all_books(done.meta["heldout"]))["bits_per_character"]
    return {
        "parameters": done.model.count_parameters(),
        "updates": steps,
        "seconds": done.meta["seconds"],
        "points": points(out, machine),
        "bits_per_character": score,
        "better_than_shipped": score < shipped(),
        "training_command": done.meta["command"],
    }


def shipped() -> float:
    """Held-out bits per character of the model that comes with the course."""
    meta = json.loads((NOVELIST_DIR / "meta.json").read_text())
    return metrics.rounded(evaluate.all_books(meta["heldout"]))["bits_per_character"]


def measure(machine: Machine, report: Report) -> None:
    """One size after the other, each short and long; the checkpoints lie in --out."""
    report.keep(shipped_bits_per_character=shipped())
    sizes = machine.size(SIZES, SMALLEST)
    seconds = 60 * machine.minutes * TRAINING / len(sizes)
    root, earlier = unused(machine.out / "novelist"), None
    for size, (run, share) in itertools.product(sizes, RUNS.items()):
        out = root / f"{size.name}_{run}"
        report.attempt(
            "novelist",
            {"size": size.name, "run": run, "dropout": size.dropout, "checkpoint": str(out)},
            lambda s=size, t=share * seconds, o=out, e=earlier: learned(s, t, o, e, machine),
        )
        earlier = out

"""How well can a GPT-1 learn our books in eight minutes on two cores? The rules: docs/record.md

    make record ARGS="--n-layer 3 --n-embd 192 --lr 2e-3 --seed 1"
    python benchmarks/record.py --minutes 1 --results runs/trial.json

Text, vocabulary, method and time are fixed; the options are what is free, and begin as the
shipped model's. The schedules follow the share of the time that is used. The three held-out
books are scored at the end, in bits per character, and the run is added to
data/results/benchmarks/record.json. A run that was interrupted stores nothing.
"""

import argparse
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks.shared

from benchmarks.shared.by_clock import WHOLE, Trained, add_run, heldout_bits, stored_runs, train
from gpt1course.statistics import mean_interval
from gpt1lib import corpus, pretrain, validate
from gpt1lib.bpe import BPE
from gpt1lib.cli import add_options, given_options, one_line_errors, option, require
from gpt1lib.fast import keep_memory
from gpt1lib.io.files import read_json
from gpt1lib.io.paths import BENCHMARKS, BOOKS, HELDOUT_BOOKS, NOVELIST_DIR, ROOT
from gpt1lib.io.provenance import provenance
from gpt1lib.pretrain.data import TrainingData, load_data

STORED = BENCHMARKS / "record.json"
MINUTES, THREADS, SEEDS = 8, 2, 3
LATE = 1.01  # the last update may end so much later than the time
CODE = ("gpt1lib", "benchmarks/record.py", "benchmarks/shared")
BASE = pretrain.RECIPES["novelist"]
SIZES = ("n_layer", "n_embd", "n_head", "n_ctx", "dropout")


@dataclass(frozen=True)
class Settings:
    """What is free. Raises ValueError where a value makes no run, and names it."""

    n_layer: int = option(BASE.model.n_layer, "number of blocks")
    n_embd: int = option(BASE.model.n_embd, "width: the numbers in a state")
    n_head: int = option(BASE.model.n_head, "attention heads per block")
    n_ctx: int = option(BASE.model.n_ctx, "context: the longest sequence, in tokens")
    dropout: float = option(BASE.model.dropout, "share of numbers set to 0 while training")
    batch: int = option(BASE.batch, "windows of text per update")
    warmup_ctx: int = option(0, "tokens per window in the first part; 0: n_ctx always")
    warmup_ctx_share: float = option(0.0, "share of the time with windows that short")
    lr: float = option(BASE.lr, "highest learning rate")
    warmup: float = option(BASE.warmup / BASE.steps, "share of the time in which lr rises")
    warmdown: float = option(
        0.0, "last share of the time, in which lr decays linearly; 0: by a cosine"
    )

    def __post_init__(self):
        validate.check_fields(self)
        require(self, "warmup", 0 <= self.warmup <= 1, "a share, 0 to 1")
        self.recipe(0)

    def recipe(self, seed: int) -> pretrain.Recipe:
        """The shipped model's recipe with these settings, by the clock."""
        given = asdict(self)
        sizes = {name: given.pop(name) for name in SIZES}
        given["warmup"] = round(self.warmup * WHOLE)
        return pretrain.merged(BASE, {**given, "model": sizes, "steps": WHOLE, "seed": seed})


# ---- the rules ---------------------------------------------------------------------------


def fixed_text() -> dict[str, str]:
    """The checksums of the text that every run has: books, held-out books, vocabulary."""
    shipped = read_json(NOVELIST_DIR / "meta.json")
    names = ("books_sha256", "heldout_books_sha256", "tokenizer_sha256")
    return {name: shipped[name] for name in names}


def text_of(data: TrainingData) -> dict[str, str]:
    """The same of what is read."""
    sums = (corpus.checksum(data.books), corpus.checksum(data.heldout), data.bpe.checksum)
    return dict(zip(fixed_text(), sums, strict=True))


def broken_rules(run: dict) -> list[str]:
    """What keeps a run from being stored among the others; its seconds may be to come."""
    wrong = []
    if run["minutes"] != MINUTES:
        wrong.append(f"it has {run['minutes']:g} minutes, not {MINUTES}")
    if run.get("seconds", 0) > 60 * MINUTES * LATE:
        wrong.append(f"it took {run['seconds']:g} s of training")
    if run["threads"] != THREADS:
        wrong.append(f"it has {run['threads']} threads, not {THREADS}")
    if run["text"] != fixed_text():
        wrong.append("its books or its vocabulary are not the course's own")
    if run["commit"] == "unknown":
        wrong.append("no commit is known that it was made with")
    try:
        Settings(**run["settings"])
    except (TypeError, ValueError) as error:
        wrong.append(f"its settings are not those that are free: {error}")
    return wrong


def check_rules(run: dict, stored: list[dict]) -> None:
    """Raise ValueError for a run that would not count, before the minutes that it takes."""
    wrong = broken_rules(run)
    if code_is_changed():
        wrong.append(f"code that it runs is not committed ({', '.join(CODE)})")
    if any((same(x), x["seed"]) == (same(run), run["seed"]) for x in stored):
        wrong.append(f"these settings have a run with seed {run['seed']} already")
    refuse(wrong)


def refuse(wrong: list[str]) -> None:
    """Raise ValueError where anything is wrong."""
    if wrong:
        raise ValueError(
            f"this run does not count: {'; '.join(wrong)}. The rules are in docs/record.md; "
            "--results FILE stores a run that need not keep them"
        )


def code_is_changed() -> bool:
    """Whether git knows of changes in the code of a run that are not committed."""
    command = ["git", "-C", str(ROOT), "status", "--porcelain", "--", *CODE]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False  # then `broken_rules` misses the commit
    return bool(answer.stdout.strip())


# ---- a run -------------------------------------------------------------------------------


@contextmanager
def two_threads() -> Iterator[None]:
    """Compute on two threads. Raises ValueError where there are not two cores."""
    if (n := os.cpu_count() or 1) < THREADS:
        raise ValueError(f"the record is for {THREADS} cores, this machine has {n}")
    before = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def load_text(recipe: pretrain.Recipe) -> TrainingData:
    """The course's books in the shipped vocabulary; in tokens on disk after the first run."""
    place, bpe = ROOT / "runs/record", BPE.load(NOVELIST_DIR)
    return load_data(recipe, place, BOOKS, HELDOUT_BOOKS, bpe)


def described(settings: Settings, args: argparse.Namespace, data: TrainingData) -> dict:
    """All of a run that is known before it begins."""
    origin = provenance(f'make record ARGS="{shlex.join(args.words)}"')
    return {
        "seed": args.seed,
        "settings": asdict(settings),
        "minutes": args.minutes,
        **origin,
        "cores": os.cpu_count(),
        "text": text_of(data),
    }


def result_of(done: Trained, data: TrainingData) -> dict:
    """What training has come to, with the scores of the held-out books."""
    print("scoring the held-out books, which takes no training time ...", flush=True)
    try:
        scores = heldout_bits(done.model, data.bpe, data.heldout)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"all {len(done.losses):,} updates were done, but the held-out books are not "
            "scored, and nothing was stored"
        ) from None
    return {
        "seconds": round(done.seconds, 1),
        "updates": len(done.losses),
        "tokens": done.tokens,
        "parameters": done.model.count_parameters(),
        **scores,
        "day": time.strftime("%Y-%m-%d"),
    }


def run(args: argparse.Namespace) -> None:
    """One run, from the text to the stored result."""
    settings = Settings(**given_options(args, Settings))
    recipe = settings.recipe(args.seed)
    data = load_text(recipe)
    sizes = {**asdict(recipe.model), "n_vocab": data.bpe.n_vocab}
    recipe = pretrain.merged(recipe, {"model": sizes})
    counts = args.results.resolve() == STORED.resolve()
    with two_threads():
        about = described(settings, args, data)
        if counts:
            check_rules(about, stored_runs(STORED))
        print(f"{args.minutes:g} minutes of training: {changed(asdict(settings))}")
        try:
            done = train(recipe, data.ids, 60 * args.minutes)
        except KeyboardInterrupt as stopped:
            said = [*map(str, stopped.args), "nothing was stored"]
            raise KeyboardInterrupt("; ".join(said)) from None
        found = {**about, **result_of(done, data)}
    print(ending(found))
    if counts:
        refuse(broken_rules(found))
    add_run(args.results, found)
    print(f"stored in {args.results}" + ("; python -m tools.readme shows it" if counts else ""))


def ending(found: dict) -> str:
    """The score of a run, with each book's."""
    each = ", ".join(f"{name} {bits:.4f}" for name, bits in found["books"].items())
    return (
        f"{found['bits_per_character']:.4f} bits per character of the held-out books ({each}), "
        f"after {found['tokens']:,} tokens in {found['updates']:,} updates and "
        f"{found['seconds']:g} seconds"
    )


# ---- the table ---------------------------------------------------------------------------


def same(run: dict) -> tuple:
    """What the seeds of one entry share."""
    return *asdict(Settings(**run["settings"])).values(), run["cores"], run["torch"]


def changed(settings: dict) -> str:
    """What is otherwise than the shipped model's, as one would type it."""
    now = asdict(Settings())
    given = {k: v for k, v in settings.items() if v != now[k]}
    typed = [f"--{k.replace('_', '-')} {v:g}" for k, v in given.items()]
    return " ".join(typed) or "the shipped model's settings"


def entries(runs: list[dict]) -> list[list[dict]]:
    """Stored runs by what their seeds share. Raises ValueError for one that breaks a rule."""
    groups: dict[tuple, list[dict]] = {}
    for x in runs:
        if wrong := broken_rules(x):
            raise ValueError(f"{STORED.name}, seed {x['seed']}: {'; '.join(wrong)}")
        groups.setdefault(same(x), []).append(x)
    return list(groups.values())


def row(entry: list[dict]) -> str:
    """A line of the table: all seeds of one entry."""
    mean, half = mean_interval([x["bits_per_character"] for x in entry])
    tokens = sum(x["tokens"] for x in entry) / len(entry)
    first = entry[0]
    return (
        f"| {changed(first['settings'])} | {mean:.4f} ± {half:.4f} | {len(entry)} "
        f"| {first['parameters'] / 1e6:.1f} | {tokens / 1e6:.2f} "
        f"| {first['cores']} cores, torch {first['torch']} |"
    )


def free() -> str:
    """What is free, with the shipped model's value: a table of the options."""
    lines = ["| free | what it is | shipped model |", "|---|---|---|"]
    for f in fields(Settings):
        flag = f"--{f.name.replace('_', '-')}"
        lines.append(f"| `{flag}` | {f.metadata['help']} | {f.default:g} |")
    return "\n".join(lines) + "\n"


def table(runs: list[dict]) -> str:
    """What has three seeds, the best first, and how much else there is."""
    known = entries(runs)
    full = [x for x in known if len(x) >= SEEDS]
    full.sort(key=lambda x: sum(r["bits_per_character"] for r in x) / len(x))
    lines = [
        "| changed settings | bits per character | seeds | million parameters "
        "| million tokens read | machine |",
        "|---|---|---|---|---|---|",
        *map(row, full),
    ]
    text = "\n".join(lines) + "\n" if full else "No result yet.\n"
    if waiting := len(known) - len(full):
        more = "entry has" if waiting == 1 else "entries have"
        text += f"\n{waiting} {more} fewer than {SEEDS} seeds, and no place yet.\n"
    return text


# ---- the command line --------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The command line; a setting that is not free is no option."""
    p = argparse.ArgumentParser(description=__doc__.split("\n")[0], allow_abbrev=False)
    p.add_argument("--seed", type=int, default=0, help="all random numbers follow from it")
    text = f"of training; the rules say {MINUTES}, other times need --results"
    p.add_argument("--minutes", type=float, default=MINUTES, help=text)
    text = "file to add the run to (default: record.json, which keeps the rules)"
    p.add_argument("--results", type=Path, default=STORED, help=text)
    add_options(p, Settings(), "what is free (defaults: the shipped model's)")
    return p


def read_arguments(argv: list[str] | None) -> argparse.Namespace:
    """The options; ends with a sentence for one that the rules do not leave free."""
    words = sys.argv[1:] if argv is None else argv
    p = parser()
    args, unknown = p.parse_known_args(words)
    if unknown:
        free = ", ".join(f.name for f in fields(Settings))
        p.error(f"{unknown[0]} is not among what the rules leave free: {free} (docs/record.md)")
    validate.check_float("minutes", args.minutes, gt=0)
    return argparse.Namespace(**vars(args), words=words)


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    with one_line_errors("record"):
        args = read_arguments(argv)
        keep_memory()
        run(args)


if __name__ == "__main__":
    main()

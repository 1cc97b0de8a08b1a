"""The paper's Tables 2 to 4, and rows of its Table 5, with the released GPT-1.

    python -m gpt1course.paper released --weights MODEL --data SETS --estimate
    python -m gpt1course.paper released --weights MODEL --data SETS
    torchrun --nproc-per-node 8 -m gpt1course.paper released --weights MODEL --data SETS --bf16

MODEL is the folder of the released model, in OpenAI's layout or in Hugging Face's. SETS is a
folder with the paper's sets somewhere in it, as they are published: GLUE's folders (CoLA,
SST-2, ...), SNLI, SciTail, RACE and the Story Cloze Test. Sets that are missing are left out.

First it says how many hours this machine will take. Then it fine-tunes with the paper's
settings (section 4.1), the shortest set first, and writes table.md after each. Started again,
it goes on where it was.
"""

import argparse
import random
import shlex
import sys
import time
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from gpt1lib import finetune, tasks
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.checkpoints.released import load_released
from gpt1lib.cli import add_device
from gpt1lib.fast.distributed import Processes, check_bf16, joined
from gpt1lib.fast.machine import keep_memory
from gpt1lib.finetune import FineTuning, Settings
from gpt1lib.finetune.evaluate import check_metric
from gpt1lib.io import files
from gpt1lib.io.provenance import provenance
from gpt1lib.io.run_folder import RunFolder
from gpt1lib.io.tensors import weights_fingerprint
from gpt1lib.model import GPT
from gpt1lib.rng import fork_rng
from gpt1lib.tasks import Task
from gpt1lib.tasks.published import GLUE, STORIES

from .released_table import RESULT, table

OUT = Path("runs/released")
PAPER = Settings(lr=6.25e-5)  # section 4.1; the other numbers are the defaults
ROWS: dict = {"full": {}, "no auxiliary loss": {"lm_coef": 0.0}, "no pre-training": {}}
"""Rows of Table 5, and what they change in the settings. The LSTM was never released."""
FOLDERS = {
    "cola": "cola", "sst-2": "sst-2 sst2", "mrpc": "mrpc", "sts-b": "sts-b stsb", "qqp": "qqp",
    "mnli": "mnli multinli", "qnli": "qnli", "rte": "rte",
}  # fmt: skip
"""What the folders of GLUE's sets are called, in small letters."""
MARKS = {
    "snli": "snli_1.0_train.jsonl",
    "scitail": "scitail_1.0_train.txt",
    "race": "train/high",
    "story-cloze": STORIES.format("val", "val"),
}
"""What only the folder of another set has."""
DEPTH = 4  # folders below SETS that are looked into
SAMPLED = 200  # examples whose lengths are measured
UPDATE = 3  # times the work of a prediction


@dataclass(frozen=True)
class ReleasedTrial:
    """One fine-tuning: a set, a row of Table 5, a seed."""

    name: str
    data: Path
    row: str
    settings: Settings

    @property
    def title(self) -> str:
        """Its name in messages and, with _ for spaces, of its folder."""
        return f"{self.name} {self.row} {self.settings.seed}"

    def folder(self, out: Path) -> Path:
        """Where it keeps its state and its result."""
        return out / self.title.replace(" ", "_")


# ---- which sets are there ------------------------------------------------------------------


def folders_below(data: Path, depth: int = DEPTH) -> Iterator[Path]:
    """A folder and those in it, level by level."""
    level = [data]
    for _ in range(depth):
        yield from level
        level = sorted(p for folder in level for p in folder.iterdir() if p.is_dir())


def found_sets(data: Path) -> dict[str, Path]:
    """Name of a set -> its folder. Raises FileNotFoundError where there is none of them."""
    if not data.is_dir():
        raise FileNotFoundError(
            f"{data} is no folder: name the one that holds the paper's sets"
        )
    found: dict[str, Path] = {}
    for folder in folders_below(data):
        for name, known in FOLDERS.items():
            if folder.name.lower() in known.split() and (folder / "train.tsv").is_file():
                found.setdefault(name, folder)
        for name, mark in MARKS.items():
            if (folder / mark).exists():
                found.setdefault(name, folder)
    if not found:
        raise FileNotFoundError(
            f"{data} holds none of the paper's sets ({', '.join([*FOLDERS, *MARKS])}); "
            "data/README.md says where to ask for them"
        )
    return found


def trials_of(args: argparse.Namespace) -> list[ReleasedTrial]:
    """All fine-tunings that were asked for. Raises ValueError for a set that is not there."""
    found = found_sets(args.data)
    if missing := set(args.tasks or []) - set(found):
        raise ValueError(f"{args.data} has no {', '.join(sorted(missing))}; {', '.join(found)}")
    base = replace(PAPER, bf16=args.bf16, grad_accum=args.grad_accum, limit=args.limit)
    return [
        ReleasedTrial(name, found[name], row, replace(base, seed=seed, **ROWS[row]))
        for name in args.tasks or found
        for row in args.rows
        for seed in range(args.seeds)
    ]


# ---- how long it will take -----------------------------------------------------------------


def tokens_of(batch: list[finetune.Encoded]) -> int:
    """The tokens of a batch, with its padding."""
    rows = [sequence for example in batch for sequence in example.sequences]
    return len(rows) * max(map(len, rows))


def seconds_of(trial: ReleasedTrial, source: Checkpoint, task: Task, world: Processes) -> float:
    """How long a trial will take here, by one update of a few of its examples."""
    s, drawn = trial.settings, random.Random(0)
    sample = drawn.sample(task.train, min(SAMPLED, len(task.train)))
    few = world.size * (2 if world.device.type == "cpu" else s.batch // world.size or 1)
    small = replace(task, train=sample[:few], valid=[], test=[])
    run = FineTuning(
        fitted(source, replace(small, train=sample), world), small,
        replace(s, batch=few, limit=None, epochs=2), world,
    )  # fmt: skip
    run.train_step()  # warms up
    start = time.perf_counter()
    run.train_step()
    each = (time.perf_counter() - start) / tokens_of(run.data)
    data = finetune.prepare(source.bpe, task, sample, run.source.model.config.n_ctx)
    batches = [drawn.sample(data, min(s.batch, len(data))) for _ in range(20)]
    per_example = sum(map(tokens_of, batches)) / sum(map(len, batches))
    learned = s.epochs * min(s.limit or len(task.train), len(task.train))
    predicted = s.epochs * len(task.valid) + len(task.test)
    return (learned + predicted / UPDATE) * per_example * each


def fitted(source: Checkpoint, task: Task, world: Processes) -> Checkpoint:
    """The source for a task's lengths, on the device."""
    shorter = finetune.fit_context(source, task)
    shorter.model.to(world.device)
    return shorter


def in_order(
    trials: list[ReleasedTrial], args, source: Checkpoint, world: Processes
) -> list[ReleasedTrial]:
    """The trials that are left, shortest set first; says how many hours each will take.

    Each process measures other hours, and all must take the same order: the mean counts.
    """
    left = [t for t in trials if not finished(t, args.out, source)]
    hours: dict[str, float] = {}
    for trial in left:
        if (name := trial.name) not in hours:
            task = tasks.load(name, trial.data)
            check_metric(task)
            measured = torch.tensor(seconds_of(trial, source, task, world), device=world.device)
            hours[name] = world.mean(measured).item() / 3600
            runs = sum(t.name == name for t in left)
            if world.is_main:
                print(
                    f"{name:<12}{len(task.train):>8,} labels, {hours[name]:8.2f} hours x {runs}"
                )
    if world.is_main:
        total = sum(hours[t.name] for t in left)
        print(f"{len(left)} of {len(trials)} runs are left, and take about {total:.1f} hours "
              f"on {world.size} x {world.device.type}.")  # fmt: skip
    return sorted(left, key=lambda t: (hours[t.name], t.settings.seed))


# ---- a trial -------------------------------------------------------------------------------


def finished(trial: ReleasedTrial, out: Path, source: Checkpoint) -> bool:
    """Whether its result is there. Raises ValueError if it is of other settings or weights."""
    path = trial.folder(out) / RESULT
    if not path.is_file():
        return False
    stored = files.read_json(path)
    if stored["facts"] != fingerprint(trial, source):
        raise ValueError(f"{path} was made with other settings or weights: take another --out")
    return True


def fingerprint(trial: ReleasedTrial, source: Checkpoint) -> dict:
    """What a result depends on beside the set."""
    return {"settings": asdict(trial.settings), "weights": source.meta["weights"]}


def start_of(trial: ReleasedTrial, source: Checkpoint) -> Checkpoint:
    """What a row starts from."""
    if trial.row != "no pre-training":
        return source
    with fork_rng(trial.settings.seed):
        return replace(source, model=GPT(source.model.config).eval())


def run_trial(
    trial: ReleasedTrial, out: Path, source: Checkpoint, world: Processes, command: str
) -> None:
    """Fine-tune and score one trial, or go on with it, and store its result."""
    begun, task = time.perf_counter(), tasks.load(trial.name, trial.data)
    folder = RunFolder(trial.folder(out), counter="update")
    run = FineTuning(fitted(start_of(trial, source), task, world), task, trial.settings, world)
    with folder.lock() if world.is_main else nullcontext(), folder.writing():
        if run.resume(folder) and world.is_main:
            print(f"going on from update {run.update}")
        run.run(folder)
        scores, _ = run.evaluate("test")
        if world.is_main:
            result = {
                "task": trial.name, "row": trial.row, "seed": trial.settings.seed,
                "labels": len(run.data), "on": "dev" if trial.name in GLUE else "test",
                "metric": task.metric, "scores": scores, "facts": fingerprint(trial, source),
                "seconds": round(time.perf_counter() - begun),
                **provenance(command, folder.commit),
            }  # fmt: skip
            files.write_json(folder.path / RESULT, result)
            folder.state_path.unlink(missing_ok=True)
    world.wait()


# ---- the command ---------------------------------------------------------------------------


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1course.paper released",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("--weights", type=Path, required=True, help="folder of the released model")
    p.add_argument("--data", type=Path, required=True, help="folder with the paper's sets")
    p.add_argument("--out", type=Path, default=OUT, help=f"of the results (default: {OUT})")
    p.add_argument("--tasks", nargs="+", choices=[*FOLDERS, *MARKS], help="only these sets")
    p.add_argument("--rows", nargs="+", choices=list(ROWS), default=["full"],
                   help="rows of Table 5 (default: full)")  # fmt: skip
    p.add_argument("--seeds", type=int, default=1, help="runs of each (default: 1)")
    p.add_argument("--limit", type=int, help="labels to learn from, for a trial (default: all)")
    p.add_argument("--grad-accum", type=int, default=1, help="parts of a batch (default: 1)")
    p.add_argument("--bf16", action="store_true", help="bfloat16, on a GPU that has it")
    p.add_argument("--estimate", action="store_true", help="only say how long it will take")
    add_device(p)
    return p


def main(argv: list[str]) -> None:
    """The command line."""
    args = parser().parse_args(argv)
    if args.seeds < 1:
        sys.exit(f"paper: --seeds is {args.seeds}, it must be at least 1")
    keep_memory()
    command = shlex.join(["python", "-m", "gpt1course.paper", "released", *argv])
    with joined("paper", command, args.device) as world:
        check_bf16(args.bf16, world.device)
        trials, source = trials_of(args), load_released(args.weights)
        if world.is_main and source.meta["pipeline"] == "fallback":
            print("Without ftfy and spaCy texts are cut a little differently from the paper's: "
                  "python -m pip install -e '.[released]'")  # fmt: skip
        source.meta["weights"] = weights_fingerprint(source.model)
        trials = in_order(trials, args, source, world)
        if not args.estimate:
            run_all(trials, args.out, source, world, command)


def run_all(
    trials: list[ReleasedTrial], out: Path, source: Checkpoint, world: Processes, command: str
) -> None:
    """Every trial, and after each the table."""
    for trial in trials:
        if world.is_main:
            print(trial.title)
        run_trial(trial, out, source, world, command)
        if world.is_main:
            files.write_text(out / "table.md", table(out))
    if world.is_main:
        print(f"{table(out)}\nThis table: {out / 'table.md'}")

"""The paper's analysis at laptop scale: Table 5, Figure 2, and questions of our own.

    python -m gpt1lib.paper               # everything, hours; start again to go on
    python -m gpt1lib.paper table5        # one experiment
    python -m gpt1lib.paper --quick       # one cell of each again, and the stored one

Every cell is one fine-tuning (or one zero-shot test) and one line of
data/results/paper/EXPERIMENT.jsonl, with its settings, seed, command and commit.
Nothing is tuned on a test set; all cells share one set of settings.
"""

import argparse
import itertools
import json
import random
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tqdm import tqdm

from . import (
    checkpoint,
    corpus,
    files,
    finetune,
    metrics,
    pretrain,
    recipes,
    runs,
    snapshots,
    tasks,
    zeroshot,
)
from .bpe import BPE
from .model import GPT
from .paths import BOOKS, HELDOUT_BOOKS, NOVELIST_DIR, RESULTS, ROOT

STORED = RESULTS / "paper"
WORK = ROOT / "runs" / "paper"  # pre-trained models that only these tables need
LSTM = ROOT / "runs" / "lstm"
# so few examples would make a hundred updates of 32; chosen on validation sets
SETTINGS = finetune.Settings(batch=8, lr=5e-4)
LIMITS = {"entailment": 2000, "film_snippets": 2000, "verse_pairs": 500,
          "story_cloze": 300}  # fmt: skip
"""Training examples of a cell: under a minute each on two cores."""
TESTED = 1000  # test examples at most
SEEDS = range(5)
SHORT = {"steps": 1200, "snapshots": 0, "sample_every": 1200, "evaluate_every": 600}
VARIANTS = {  # one choice changed, the rest of a short pre-training equal
    "as GPT-1": {},
    "pre-LayerNorm": {"kind": "pre_ln"},
    "untied": {"model": {"tied": False}},
    "sinusoidal": {"kind": "sinusoidal"},
    "shuffled sentences": {},
}


@dataclass(frozen=True)
class Cell:
    """One number of a table: a task, a row, a seed; how to start and how to tune."""

    task: str
    row: str
    seed: int
    source: str = "novelist"
    changes: tuple[tuple[str, object], ...] = ()  # of SETTINGS

    @property
    def key(self) -> tuple:
        """What no two cells of an experiment share."""
        return self.task, self.row, self.seed


# ---- the experiments -------------------------------------------------------------


def each(n_seeds: int) -> Iterator[tuple[int, str]]:
    """Seeds and tasks, seed by seed: a run cut short has whole rows of some seeds."""
    return itertools.product(SEEDS[:n_seeds], LIMITS)


def table5() -> Iterator[Cell]:
    """Table 5: full; without pre-training; without the auxiliary loss; LSTM."""
    for seed, task in each(5):
        yield Cell(task, "full", seed)
        yield Cell(task, "no pre-training", seed, "nothing")
        yield Cell(task, "no auxiliary loss", seed, changes=(("lm_coef", 0.0),))
        yield Cell(task, "LSTM", seed, "lstm")


def transfer() -> Iterator[Cell]:
    """Figure 2 (left): 0 nothing, 1 embeddings, then one block more at a time."""
    n_layer = recipes.RECIPES["novelist"].model.n_layer
    for seed, task in each(3):
        for n in range(n_layer + 2):
            yield Cell(task, str(n), seed, f"transfer {n}")


def weights_of_lm() -> Iterator[Cell]:
    """Lambda, the weight of the language model in L3, from 0 to 2."""
    for seed, task in each(3):
        for lm_coef in (0.0, 0.1, 0.25, 0.5, 1.0, 2.0):
            yield Cell(task, f"{lm_coef:g}", seed, changes=(("lm_coef", lm_coef),))


def sizes() -> Iterator[Cell]:
    """Labeled examples, few and many, with pre-training and without."""
    for seed, task in each(3):
        for n in (30, 100, 300):
            yield Cell(task, f"{n}", seed, changes=(("limit", n),))
            yield Cell(task, f"{n} without", seed, "nothing", (("limit", n),))


def variants() -> Iterator[Cell]:
    """Short pre-trainings with one choice changed, then fine-tuned."""
    for seed, task in each(3):
        for row in VARIANTS:
            yield Cell(task, row, seed, row)


EXPERIMENTS = {"table5": table5, "transfer": transfer, "lambda": weights_of_lm,
               "sizes": sizes, "variants": variants}  # fmt: skip


# ---- where a cell starts ---------------------------------------------------------


def source(name: str, seed: int) -> checkpoint.Checkpoint:
    """The model a cell starts from. "nothing": random weights, drawn by the seed."""
    novelist = checkpoint.load_novelist()
    if name == "novelist":
        return novelist
    if name == "nothing":
        return replace(novelist, model=transferred(novelist.model, 0, seed))
    if name.startswith("transfer "):
        n = int(name.removeprefix("transfer "))
        return replace(novelist, model=transferred(novelist.model, n, seed))
    if name == "lstm":
        if not (LSTM / "meta.json").is_file():
            raise FileNotFoundError(
                f"{LSTM} holds no LSTM. It is trained by: python -m gpt1lib.pretrain "
                "--recipe novelist --kind lstm --out runs/lstm"
            )
        return checkpoint.load(LSTM)
    return pretrained(name)


def transferred(model: GPT, n: int, seed: int) -> GPT:
    """A model with random weights, but for n parts: embeddings first, then blocks.

    ValueError for n outside 0 to n_layer + 1.
    """
    if not 0 <= n <= model.config.n_layer + 1:
        raise ValueError(f"n is {n}, it must be in 0 to {model.config.n_layer + 1}")
    torch.manual_seed(seed)
    fresh = type(model)(model.config)
    pretrain.scale_blocks(fresh, recipes.RECIPES["novelist"].block_std)
    if n:
        fresh.tokens.load_state_dict(model.tokens.state_dict())
        fresh.positions.load_state_dict(model.positions.state_dict())
    for mine, theirs in zip(fresh.blocks[: max(0, n - 1)], model.blocks, strict=False):
        mine.load_state_dict(theirs.state_dict())
    return fresh.eval()


def pretrained(row: str) -> checkpoint.Checkpoint:
    """A short pre-training of one of VARIANTS, made at the first call."""
    out = WORK / re.sub(r"\W+", "_", row)
    if not (out / "meta.json").is_file():
        recipe = recipes.merged(recipes.RECIPES["novelist"], SHORT | VARIANTS[row])
        books = shuffled_books() if row == "shuffled sentences" else BOOKS
        BPE.load(NOVELIST_DIR).save(out / "state")  # the same tokens for all
        run = pretrain.Pretraining(recipe, out, books, HELDOUT_BOOKS)
        run.resume()
        run.run()
    made = checkpoint.load(out)
    if row not in {line["row"] for line in stored_lines("pretraining")}:
        store("pretraining", {"row": row, "commit": made.meta["commit"],
                              "recipe": made.meta["recipe"],
                              "heldout": made.meta["heldout"]})  # fmt: skip
    return made


def shuffled_books() -> Path:
    """The books with all their sentences in random order, as in the 1B Word set."""
    folder = WORK / "shuffled_books"
    for name, text in corpus.read_books(BOOKS).items():
        found = re.split(r"(?<=[.!?])\s+", text)
        random.Random(name).shuffle(found)
        files.write_text(folder / f"{name}.txt", "\n".join(found))
    return folder


# ---- running ---------------------------------------------------------------------


def run_cell(cell: Cell) -> dict:
    """Fine-tune and test; returns what is stored."""
    start, task = time.perf_counter(), tasks.load(cell.task)
    changes = {"limit": LIMITS[cell.task]} | dict(cell.changes)
    settings = replace(SETTINGS, seed=cell.seed, **changes)
    task = replace(task, valid=[], test=some(task.test, TESTED))
    begin = finetune.shortened(source(cell.source, cell.seed), task)
    run = finetune.FineTuning(begin, task, settings)
    run.run(quiet=True)
    found, _ = finetune.evaluated(run, "test")
    return {"task": cell.task, "row": cell.row, "seed": cell.seed,
            "source": cell.source, "settings": asdict(settings), **found,
            "seconds": round(time.perf_counter() - start)}  # fmt: skip


def some(examples: list, n: int) -> list:
    """n of the examples, always the same ones."""
    return examples if len(examples) <= n else random.Random(0).sample(examples, n)


def stored_lines(experiment: str) -> list[dict]:
    """The stored lines of an experiment; none where it has not been run."""
    path = STORED / f"{experiment}.jsonl"
    if not path.is_file():
        return []
    return [json.loads(x) for x in path.read_text(encoding="utf-8").splitlines()]


def store(experiment: str, line: dict) -> None:
    """Add a line to an experiment's file, whole or not at all."""
    rows = [*stored_lines(experiment), line]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    files.write_text(STORED / f"{experiment}.jsonl", text)


def run_experiment(name: str, command: str) -> None:
    """All cells that are not stored yet."""
    cells = list(EXPERIMENTS[name]())
    done = {(r["task"], r["row"], r["seed"]) for r in stored_lines(name)}
    left = [c for c in cells if c.key not in done]
    bar = tqdm(left, desc=name, initial=len(cells) - len(left), total=len(cells))
    for cell in bar:
        bar.set_postfix_str(f"{cell.task}, {cell.row}, seed {cell.seed}")
        commit = runs.git_commit()
        store(name, run_cell(cell) | {"command": command, "commit": commit})


def zero_shot(command: str) -> None:
    """Figure 2 (right): the four tests on every snapshot of both kinds of model."""
    done = {(r["model"], r["step"]) for r in stored_lines("zeroshot")}
    bpe, probes = BPE.load(NOVELIST_DIR), zeroshot.probes()
    stages = [(kind, path) for kind, folder in
              (("novelist", NOVELIST_DIR), ("LSTM", LSTM))
              for path in snapshots.paths(folder)]  # fmt: skip
    for kind, path in tqdm(stages, desc="zeroshot"):
        model, facts = snapshots.load_snapshot(path)
        if (kind, facts["step"]) in done:
            continue
        scores = {p.name: p.score(model, bpe) for p in probes}
        line = {"model": kind, **facts, "scores": scores, "command": command}
        store("zeroshot", line | {"commit": runs.git_commit()})


def finetuned(task: str) -> dict:
    """What `python -m gpt1lib.finetune TASK` gave on all labels, as stored."""
    path = RESULTS / f"finetune_{task}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def summary(experiment: str) -> dict[str, dict[str, dict]]:
    """row -> task -> mean accuracy, half of its 95 % interval, number of seeds."""
    found = {}
    for line in stored_lines(experiment):
        found.setdefault(line["row"], {}).setdefault(line["task"], []).append(
            line["accuracy"]
        )
    return {
        row: {task: _mean(values) for task, values in by_task.items()}
        for row, by_task in found.items()
    }


def _mean(values: list[float]) -> dict:
    if len(values) == 1:
        return {"mean": values[0], "half": None, "seeds": 1}
    mean, half = metrics.mean_interval(values)
    return {"mean": round(mean, 4), "half": round(half, 4), "seeds": len(values)}


def repeat_one_of_each() -> None:
    """The first cell of each experiment again, beside what is stored of it."""
    for name, cells in EXPERIMENTS.items():
        stored = {(r["task"], r["row"], r["seed"]): r for r in stored_lines(name)}
        cell = next(cells())
        then = stored.get(cell.key, {}).get("accuracy", "not stored")
        now = run_cell(cell)["accuracy"]
        print(f"{name}: {cell.task}, {cell.row}, seed 0: now {now}, stored {then}")


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.paper", description=__doc__.split("\n")[0]
    )
    names = [*EXPERIMENTS, "zeroshot"]
    parser.add_argument("experiments", nargs="*", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="one cell of each, again")
    args = parser.parse_args(argv)
    unknown = set(args.experiments) - set(names)
    if unknown:
        sys.exit(f"paper: no experiment {', '.join(unknown)}; known: {names}")
    runs.keep_memory()
    if args.quick:
        return repeat_one_of_each()
    for name in args.experiments or names:
        command = f"python -m gpt1lib.paper {name}"
        if name == "zeroshot":
            zero_shot(command)
        else:
            run_experiment(name, command)
    return None


if __name__ == "__main__":
    main()

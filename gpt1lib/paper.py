"""The paper's analysis at laptop scale: Table 5, Figure 2, and questions of our own.

    python -m gpt1lib.paper               # everything, hours; start again to go on
    python -m gpt1lib.paper table5        # one experiment
    python -m gpt1lib.paper --quick       # one cell of each again, and the stored one

Every cell (experiments.py) is one line of data/results/paper/cells.jsonl, with its
settings, seed, command and commit. Each runs on one thread, as many at once as there
are cores: small models gain little from a second thread, and so the numbers do not
depend on the number of cores. Nothing is tuned on a test set.
"""

import argparse
import json
import multiprocessing
import os
import random
import re
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
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
    readout,
    recipes,
    runs,
    snapshots,
    tasks,
    zeroshot,
)
from .bpe import BPE
from .experiments import EXPERIMENTS, SHORT, VARIANTS, Cell
from .model import GPT
from .paths import BOOKS, HELDOUT_BOOKS, LSTM_DIR, NOVELIST_DIR, RESULTS, ROOT

STORED = RESULTS / "paper"
WORK = ROOT / "runs" / "paper"  # short pre-trainings that only these tables need
TESTED = 1000  # test examples at most


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
        return pretrained_lstm()
    return pretrained(name)


def pretrained_lstm() -> checkpoint.Checkpoint:
    """The LSTM that read what the novelist read; FileNotFoundError with its command."""
    if not (LSTM_DIR / "meta.json").is_file():
        raise FileNotFoundError(
            f"{LSTM_DIR} holds no LSTM. It is trained by: python -m gpt1lib.pretrain "
            f"--recipe novelist --kind lstm --out {LSTM_DIR}"
        )
    return checkpoint.load(LSTM_DIR)


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
    return checkpoint.load(out)


def shuffled_books() -> Path:
    """The books with all their sentences in random order, as in the 1B Word set.

    The gaps between them stay: with a new line after each sentence, the books would
    differ from the held-out ones in their layout too, and not in the order alone.
    """
    folder = WORK / "shuffled_books"
    for name, text in corpus.read_books(BOOKS).items():
        parts = re.split(r"(?<=[.!?])(\s+)", text)  # sentence, gap, sentence, ...
        sentences = parts[::2]
        random.Random(name).shuffle(sentences)
        parts[::2] = sentences
        files.write_text(folder / f"{name}.txt", "".join(parts))
    return folder


# ---- running ---------------------------------------------------------------------


def run_cell(cell: Cell) -> dict:
    """Fine-tune and test; returns what is stored."""
    start, task = time.perf_counter(), tasks.load(cell.task)
    test = some(tasks.no_longer_than(task.test, cell.settings.longest), TESTED)
    task = replace(task, valid=[], test=test)
    with runs.threads(1):
        begin = finetune.shortened(source(cell.source, cell.seed), task)
        run = finetune.FineTuning(begin, task, cell.settings)
        run.run(quiet=True)
        found, _ = finetune.evaluated(run, "test")
    return {
        "task": cell.task,
        "source": cell.source,
        "settings": asdict(cell.settings),
        **found,
        "seconds": round(time.perf_counter() - start),
    }


def some(examples: list, n: int) -> list:
    """n of the examples, always the same ones."""
    return examples if len(examples) <= n else random.Random(0).sample(examples, n)


def in_parallel(work, items: list, workers: int) -> Iterator[tuple]:
    """(item, work(item)), in the order in which they get done."""
    if workers == 1:
        yield from ((item, work(item)) for item in items)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, begin_worker) as pool:
        futures = {pool.submit(work, item): item for item in items}
        try:
            for future in as_completed(futures):
                yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)


def begin_worker() -> None:
    """Prepare a process that works for us, and let it end when we do, even killed."""
    runs.keep_memory()

    def watch():
        multiprocessing.parent_process().join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_experiments(names: list[str], command: str, workers: int) -> None:
    """All cells of the experiments that are not stored yet."""
    cells = list(dict.fromkeys(c for name in names for _, c in EXPERIMENTS[name]()))
    done = stored_cells()
    left = [cell for cell in cells if key(cell) not in done]
    if any(cell.source == "lstm" for cell in left):
        pretrained_lstm()  # where it is missing, say so now and not in an hour
    begun = {"command": command, "commit": runs.git_commit()}
    rows = [row for row in VARIANTS if any(cell.source == row for cell in left)]
    store_pretrainings(rows, begun, workers)
    bar = tqdm(total=len(cells), initial=len(cells) - len(left), unit="cell")
    for cell, line in in_parallel(run_cell, left, workers):
        store("cells", line | begun)
        bar.set_postfix_str(f"{cell.task}, {cell.source}, seed {cell.seed}")
        bar.update()
    bar.close()


def store_pretrainings(rows: list[str], begun: dict, workers: int) -> None:
    """Make the short pre-trainings and keep what they reached."""
    known = {line["row"] for line in stored_lines("pretraining")}
    for row, made in in_parallel(short_facts, rows, workers):
        if row not in known:
            store("pretraining", {"row": row, **made, **begun})


def short_facts(row: str) -> dict:
    """The recipe of a short pre-training and its score on held-out books."""
    with runs.threads(1):
        meta = pretrained(row).meta
    return {"recipe": meta["recipe"], "heldout": meta["heldout"]}


# ---- what is stored --------------------------------------------------------------


def stored_lines(name: str) -> list[dict]:
    """The lines of data/results/paper/NAME.jsonl; none where there is no such file."""
    path = STORED / f"{name}.jsonl"
    if not path.is_file():
        return []
    return [json.loads(x) for x in path.read_text(encoding="utf-8").splitlines()]


def store(name: str, line: dict) -> None:
    """Add a line to a file of results, whole or not at all."""
    rows = [*stored_lines(name), line]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    files.write_text(STORED / f"{name}.jsonl", text)


def finetuned(task: str) -> dict:
    """What `python -m gpt1lib.finetune TASK` gave on all labels, as stored."""
    path = RESULTS / f"finetune_{task}.json"
    return json.loads(path.read_text(encoding="utf-8"))


def key(cell: Cell) -> tuple:
    """What no two cells share: task, model and all settings."""
    return cell.task, cell.source, tuple(sorted(asdict(cell.settings).items()))


def stored_cells() -> dict[tuple, dict]:
    """The stored line of each cell; made with other settings, it is another cell."""
    return {
        (x["task"], x["source"], tuple(sorted(x["settings"].items()))): x
        for x in stored_lines("cells")
    }


def accuracies(experiment: str) -> dict[str, dict[str, dict[int, float]]]:
    """row -> task -> seed -> accuracy, of what is stored.

    Rows are compared seed by seed, so each accuracy keeps its seed: a run that was cut
    short may have left holes.
    """
    found, stored = {}, stored_cells()
    for row, cell in EXPERIMENTS[experiment]():
        if key(cell) in stored:
            seeds = found.setdefault(row, {}).setdefault(cell.task, {})
            seeds[cell.seed] = stored[key(cell)]["accuracy"]
    return found


def summary(experiment: str) -> dict[str, dict[str, dict]]:
    """row -> task -> mean accuracy, half of its 95 % interval, number of seeds."""
    return {
        row: {task: _mean(list(seeds.values())) for task, seeds in by_task.items()}
        for row, by_task in accuracies(experiment).items()
    }


def _mean(values: list[float]) -> dict:
    if len(values) == 1:
        return {"mean": values[0], "half": None, "seeds": 1}
    mean, half = metrics.mean_interval(values)
    return {"mean": round(mean, 4), "half": round(half, 4), "seeds": len(values)}


# ---- without fine-tuning ---------------------------------------------------------


def zero_shot(command: str) -> None:
    """Figure 2 (right): the four tests on every stage at hand of both kinds of model."""
    bpe, probes = BPE.load(NOVELIST_DIR), zeroshot.probes()
    for kind, folder in {"novelist": NOVELIST_DIR, "LSTM": LSTM_DIR}.items():
        for model, facts in tqdm(snapshots.stages(folder), desc=f"zeroshot, {kind}"):
            if facts["step"] in scored_steps(kind):
                continue
            scores = {p.name: p.score(model, bpe) for p in probes}
            line = {"model": kind, **facts, "scores": scores, "command": command}
            store("zeroshot", line | {"commit": runs.git_commit()})
        recipe = recipes.RECIPES["novelist"]
        wanted = snapshots.steps_to_keep(recipe.steps, recipe.snapshots)
        if missing := sorted(set(wanted) - scored_steps(kind)):
            print(
                f"paper: {folder} has no stages of the {kind} after {missing} updates, so "
                "its curve has holes there; data/README.md tells how to make them"
            )


def scored_steps(kind: str) -> set[int]:
    """After which updates a model's zero-shot scores are stored."""
    return {x["step"] for x in stored_lines("zeroshot") if x["model"] == kind}


def read_out_endings(command: str) -> None:
    """Story cloze by a linear reader of frozen states: pre-trained and random ones."""
    done = {(line["row"], line["seed"]) for line in stored_lines("readout")}
    rows = [("novelist", 0), *(("nothing", seed) for seed in range(3))]
    task = tasks.load("story_cloze")
    for row, seed in tqdm([r for r in rows if r not in done], desc="readout"):
        found = readout.read_out(source(row, seed), task)
        store(
            "readout",
            {
                "row": row,
                "seed": seed,
                "views": found,
                "command": command,
                "commit": runs.git_commit(),
            },
        )


# ---- the command line ------------------------------------------------------------


def repeat_one_of_each() -> None:
    """The first cell of each experiment again, beside what is stored of it."""
    stored, repeated = stored_cells(), set()
    for name, rows in EXPERIMENTS.items():
        row, cell = next((r, c) for r, c in rows() if c not in repeated)
        repeated.add(cell)
        then = stored.get(key(cell), {}).get("accuracy", "not stored")
        now = run_cell(cell)["accuracy"]
        print(f"{name}: {cell.task}, {row}, seed 0: now {now}, stored {then}")


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.paper", description=__doc__.split("\n")[0]
    )
    names = [*EXPERIMENTS, "zeroshot", "readout"]
    parser.add_argument("experiments", nargs="*", help=", ".join(names))
    parser.add_argument("--quick", action="store_true", help="one cell of each, again")
    parser.add_argument(
        "--workers", type=int, default=os.cpu_count(), help="cells at once, one a core"
    )
    args = parser.parse_args(argv)
    unknown = set(args.experiments) - set(names)
    if unknown:
        sys.exit(f"paper: no experiment {', '.join(unknown)}; known: {names}")
    if args.workers < 1:
        sys.exit(f"paper: {args.workers} workers, it must be at least 1")
    runs.keep_memory()
    if args.quick:
        return repeat_one_of_each()
    chosen = args.experiments or names
    command = " ".join(["python -m gpt1lib.paper", *args.experiments])
    try:
        run_experiments([n for n in chosen if n in EXPERIMENTS], command, args.workers)
    except FileNotFoundError as error:
        sys.exit(f"paper: {error}")
    if "zeroshot" in chosen:
        zero_shot(command)
    if "readout" in chosen:
        read_out_endings(command)
    return None


if __name__ == "__main__":
    main()

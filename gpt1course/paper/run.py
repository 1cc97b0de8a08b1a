"""Run what is not stored yet: cells of the tables, zero-shot curves, the linear reader.

Each cell runs on one thread, as many at once as there are cores: small models gain little
from a second thread, and so the numbers do not depend on the number of cores. Nothing is
tuned on a test set.
"""

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, replace
from pathlib import Path

from tqdm import tqdm

from gpt1lib import finetune, tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import snapshots
from gpt1lib.fast.machine import keep_memory, threads
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR
from gpt1lib.io.run_folder import progress
from gpt1lib.pretrain import RECIPES

from . import sources, zeroshot
from .plan import EXPERIMENTS, VARIANTS, Cell
from .probes import readout
from .results import key, replace_lines, store, stored_cells, stored_lines

TESTED = 1000  # test examples at most


def run_cell(cell: Cell) -> dict:
    """Fine-tune and test; returns what is stored."""
    start, task = time.perf_counter(), tasks.load(cell.task)
    test = at_most(tasks.no_longer_than(task.test, cell.settings.longest), TESTED)
    task = replace(task, valid=[], test=test)
    with threads(1):
        begin = finetune.shortened(sources.source(cell.source, cell.seed), task)
        run = finetune.FineTuning(begin, task, cell.settings)
        run.run(quiet=True)
        scores, _ = finetune.evaluated(run, "test")
    return {
        "task": cell.task,
        "source": cell.source,
        "settings": asdict(cell.settings),
        **scores,
        "seconds": round(time.perf_counter() - start),
    }


def at_most(examples: list, n: int) -> list:
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
    """Set up a worker process, which ends when the main process does, even killed."""
    keep_memory()
    parent = multiprocessing.parent_process()
    if parent is None:
        return  # this is the main process

    def watch():
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def run_experiments(names: list[str], begun: dict, workers: int) -> None:
    """All cells of the experiments that are not stored yet.

    begun: command and commit, kept beside each result.
    """
    cells = list(dict.fromkeys(c for name in names for _, c in EXPERIMENTS[name]()))
    done = stored_cells()
    left = [cell for cell in cells if key(cell) not in done]
    if any(cell.source == "lstm" for cell in left):
        sources.pretrained_lstm()  # where it is missing, say so now and not in an hour
    rows = [row for row in VARIANTS if any(cell.source == row for cell in left)]
    store_pretrainings(rows, begun, workers)
    run_and_store(run_cell, left, len(cells), "cells", begun, workers)


def run_and_store(
    work: Callable, left: list, total: int, name: str, begun: dict, workers: int
) -> None:
    """Do the work on all that is left, and store each result in NAME.jsonl as it comes."""
    with progress(total, total - len(left), "cell") as bar:
        for cell, line in in_parallel(work, left, workers):
            store(name, line | begun)
            bar.set_postfix_str(cell.title)
            bar.update()


def store_pretrainings(rows: list[str], begun: dict, workers: int) -> None:
    """Make the short pre-trainings and keep what they reached."""
    known = {line["row"] for line in stored_lines("pretraining")}
    for row, facts in in_parallel(short_facts, rows, workers):
        if row not in known:
            store("pretraining", {"row": row, **facts, **begun})


def short_facts(row: str) -> dict:
    """The recipe of a short pre-training and its score on held-out books."""
    with threads(1):
        meta = sources.pretrain_short(row).meta
    return {"recipe": meta["recipe"], "heldout": meta["heldout"]}


def zero_shot(begun: dict) -> None:
    """Figure 2 (right): what is not stored yet, on every stage at hand of both models."""
    bpe, probes = BPE.load(NOVELIST_DIR), zeroshot.probes()
    for kind, folder in {"novelist": NOVELIST_DIR, "LSTM": LSTM_DIR}.items():
        for model, facts in tqdm(snapshots.stages(folder), desc=f"zeroshot, {kind}"):
            stage = {"model": kind, **facts}
            stored = scores_by_probe(stage)
            asked = [p for p in probes if "guesses" not in stored.get(p.name, {})]
            if asked:
                add_scores(stage, {p.name: p.score(model, bpe) for p in asked}, begun)
        tell_holes(kind, folder, [p.name for p in probes])


def scores_by_probe(stage: dict) -> dict:
    """What is stored of a stage: test -> score. stage: model, step, tokens and loss.

    ValueError where another run's scores are stored of that step.
    """
    for line in stored_lines("zeroshot"):
        if (line["model"], line["step"]) == (stage["model"], stage["step"]):
            if any(line[k] != stage[k] for k in stage):
                raise ValueError(
                    f"zeroshot.jsonl: the {stage['model']} after {stage['step']} updates is of "
                    f"another run, with a loss of {line['loss']} and not {stage['loss']}. Take "
                    "that run's lines out first"
                )
            return line["scores"]
    return {}


def add_scores(stage: dict, scores: dict, begun: dict) -> None:
    """Store scores of a stage: in a line of its own, or beside those that it has.

    A line tells the command and commit of its first scores; `added` those of later ones.
    """
    lines = {(line["model"], line["step"]): line for line in stored_lines("zeroshot")}
    line = lines.setdefault((stage["model"], stage["step"]), {**stage, "scores": {}, **begun})
    if line["scores"]:
        line.setdefault("added", []).append({"tests": [*scores], **begun})
    line["scores"] |= scores
    in_order = sorted(lines.values(), key=lambda x: (x["model"] == "LSTM", x["step"]))
    replace_lines("zeroshot", in_order)


def tell_holes(kind: str, folder: Path, tests: list[str]) -> None:
    """Say after which updates a test was not asked, as the stages are not at hand."""
    recipe, holes = RECIPES["novelist"], {}
    lines = {x["step"]: x["scores"] for x in stored_lines("zeroshot") if x["model"] == kind}
    wanted = snapshots.steps_to_keep(recipe.steps, recipe.snapshots)
    for test in tests:
        steps = [step for step in wanted if test not in lines.get(step, {})]
        holes.setdefault(str(steps), []).append(test)
    holes.pop("[]", None)
    for steps, names in holes.items():
        print(
            f"paper: {folder} has no stages of the {kind} after {steps} updates, so there "
            f"are holes in {', '.join(names)}; data/README.md tells how to make them"
        )


def read_out_endings(begun: dict) -> None:
    """Story cloze by a linear reader of frozen states: pre-trained and random ones."""
    done = {(line["row"], line["seed"]) for line in stored_lines("readout")}
    rows = [("novelist", 0), *(("nothing", seed) for seed in range(3))]
    task = tasks.load("story_cloze")
    for row, seed in tqdm([r for r in rows if r not in done], desc="readout"):
        views = readout.read_out(sources.source(row, seed), task)
        store("readout", {"row": row, "seed": seed, "views": views, **begun})

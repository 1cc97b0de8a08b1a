"""Run the cells of the tables: fine-tunings, and the short pre-trainings they start from.

Nothing is tuned on a test set.
"""

import time
from dataclasses import replace

from gpt1lib import tasks

from . import init_from
from .plan import EXPERIMENTS, VARIANTS, InitFrom
from .run import MAX_TEST, fine_tune, not_stored, run_missing, sample
from .threads import threads
from .trials import Trial


def run_tables(names: list[str], provenance: dict, workers: int) -> None:
    """All cells of these experiments that are not stored yet."""
    trials = list(dict.fromkeys(c.trial for name in names for _, c in EXPERIMENTS[name]()))
    starts = {trial["init_from"] for trial in not_stored(trials)}
    if InitFrom.LSTM in starts:
        init_from.pretrained_lstm()  # where it is missing, say so now and not in an hour
    variants = [Trial.of("pretraining", init_from=x) for x in VARIANTS if x in starts]
    run_missing(variants, pretrain, provenance, workers)
    for trial in variants:  # a stored score comes without its model; workers would race for it
        init_from.pretrain_variant(trial["init_from"])
    run_missing(trials, run_cell, provenance, workers)


def run_cell(trial: Trial) -> dict:
    """Fine-tune and test."""
    start, settings = time.perf_counter(), trial["settings"]
    task = tasks.load(trial["task"])
    test = sample(tasks.no_longer_than(task.test, settings.longest), MAX_TEST)
    with threads(1):
        checkpoint = init_from.starting_checkpoint(
            trial["init_from"], settings.seed, trial["n_parts"]
        )
        _, scores, _ = fine_tune(checkpoint, replace(task, valid=[], test=test), settings)
    return {**scores, "seconds": round(time.perf_counter() - start)}


def pretrain(trial: Trial) -> dict:
    """The recipe of a short pre-training and its score on held-out books."""
    with threads(1):
        meta = init_from.pretrain_variant(trial["init_from"]).meta
    return {"recipe": meta["recipe"], "heldout": meta["heldout"]}

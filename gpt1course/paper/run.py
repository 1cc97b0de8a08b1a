"""Run the trials that are not stored yet, several at a time, and store each result.

Each trial runs on one thread, as many at once as there are cores: small models gain little
from a second thread, and so the numbers do not depend on the number of cores.
"""

import multiprocessing
import os
import random
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from typing import Any

from tqdm import tqdm

from gpt1lib import finetune, metrics
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.fast.machine import keep_memory
from gpt1lib.finetune import FineTuning, Settings
from gpt1lib.tasks import Task

from .results import store, stored_trials
from .threads import threads
from .trials import Trial

MAX_TEST = 1000  # test examples at most


def run_missing(
    trials: Iterable[Trial], run: Callable[[Trial], dict], provenance: dict, workers: int = 1
) -> None:
    """Run each trial that is not stored yet, once, and store its result as it comes.

    run: trial -> its result. provenance: command and commit, stored with each result.
    """
    wanted = list(dict.fromkeys(trials))
    missing = not_stored(wanted)
    if not missing:
        return
    n, n_done = len(wanted), len(wanted) - len(missing)
    with tqdm(total=n, initial=n_done, unit="trial") as bar:
        for trial, result in in_parallel(run, missing, workers):
            store(trial.experiment, {**trial.as_line(), **result, **provenance})
            bar.set_postfix_str(trial.title)
            bar.update()


def not_stored(trials: Sequence[Trial]) -> list[Trial]:
    """The trials that have no result yet."""
    stored = {name: stored_trials(name) for name in {t.experiment for t in trials}}
    return [trial for trial in trials if trial not in stored[trial.experiment]]


def in_parallel(work: Callable, items: Sequence, workers: int) -> Iterator[tuple[Any, Any]]:
    """(item, work(item)), in the order in which they get done.

    After an error nothing more is begun; what is running comes first, then the error is raised.
    """
    if workers == 1:
        yield from ((item, work(item)) for item in items)
        return
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, spawn, begin_worker) as pool:
        futures = {pool.submit(work, item): item for item in items}
        failed = None
        try:
            for future in as_completed(futures):
                if future.cancelled():
                    continue
                if error := future.exception():  # what still runs is waited for and stored
                    failed = failed or error
                    for waiting in futures:
                        waiting.cancel()
                else:
                    yield futures[future], future.result()
        finally:
            pool.shutdown(cancel_futures=True)
        if failed:
            raise failed


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


# ---- what most trials do ---------------------------------------------------------------


def fine_tune(
    start: Checkpoint, task: Task, settings: Settings, trainer: type[FineTuning] = FineTuning
) -> tuple[FineTuning, dict, list[list[float]]]:
    """Fine-tune on task.train: the run, its scores on task.test, the probabilities there."""
    with threads(1):
        run = trainer(finetune.fit_context(start, task), task, settings)
        run.run(quiet=True)
        scores, probs = run.evaluate("test")
    return run, metrics.rounded(scores), probs


def sample(examples: list, n: int) -> list:
    """n of the examples, always the same ones; all if there are fewer."""
    return examples if len(examples) <= n else random.Random(0).sample(examples, n)

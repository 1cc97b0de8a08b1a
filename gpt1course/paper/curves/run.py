"""Run what is missing of the learning curves, set by set: choose, test, more seeds."""

import math
import time
from collections import Counter
from dataclasses import asdict, replace

from gpt1lib import finetune, metrics, tasks
from gpt1lib.baselines import bag_of_words
from gpt1lib.checkpoints import checkpoint
from gpt1lib.fast.machine import threads
from gpt1lib.finetune.trainer import chosen_examples
from gpt1lib.tasks import Example, Task

from .. import sources
from ..results import store, stored_lines
from ..run import TESTED, at_most, run_and_store
from . import plan
from .plan import MODELS, ZERO_SHOT, Point
from .results import CELLS, DECISIONS, bars_touch, curve, decided_seeds, levels, stored_points
from .sets import SETS, simple_readers

DRAWN = ("seed", "limit", "longest")  # all of the settings that a simple reader has
LOADING = 1  # seconds
FEW = 30  # labels, by chance of one class, or of texts that share no word


def run_point(point: Point) -> dict:
    """Learn and score; returns what is stored, a model's guesses as digits.

    They are for tests of pairs; a reader of words makes its own again within a second.
    """
    start, task, s = time.process_time(), asked(point), point.settings
    with threads(1):
        guesses = guesses_of(point, task)
    given = asdict(s) if point.row in MODELS else {name: getattr(s, name) for name in DRAWN}
    scores = metrics.accuracy(guesses, [int(e.label) for e in task.test])
    keeps = point.split == "test" and point.row in (*MODELS, ZERO_SHOT)
    kept = {"guesses": "".join(map(str, guesses))} if keeps else {}
    return {
        "task": point.task,
        "row": point.row,
        "split": point.split,
        "settings": given,
        **scores,
        **kept,
        "seconds": round(time.process_time() - start, 1),  # of one core, however busy
    }


def asked(point: Point) -> Task:
    """The task with the labels that are drawn; what is scored stands in place of the test.

    So a cell that settings are chosen by has no test example at hand.
    """
    task, s = tasks.load(point.task), point.settings
    if task.graded or task.n_classes > 10:
        raise ValueError(f"{task.name}: a curve needs classes, ten at most, a digit for each")
    scored = tested_examples(point.task, point.split)
    return replace(task, train=chosen_examples(task, s), valid=[], test=scored)


def tested_examples(name: str, split: str = "test") -> list[Example]:
    """What every cell of a set is scored on, in the order of its stored guesses."""
    scored = getattr(tasks.load(name), split)
    return at_most(tasks.no_longer_than(scored, SETS[name].longest), TESTED)


def guesses_of(point: Point, task: Task) -> list[int]:
    """The classes that a row says of task.test, after task.train."""
    if point.row in MODELS:
        return finetuned(point, task)
    if point.row == ZERO_SHOT:
        novelist, ask = checkpoint.load_novelist(), SETS[point.task].ask
        if ask is None:
            raise ValueError(f"{point.task} has no question for a bare language model")
        return ask(novelist.model, novelist.bpe, task.test)
    return simple(task, simple_readers(point.task)[point.row])


def finetuned(point: Point, task: Task) -> list[int]:
    """By the model that a row starts from, fine-tuned with L3."""
    source = sources.source(MODELS[point.row], point.settings.seed)
    run = finetune.FineTuning(finetune.shortened(source, task), task, point.settings)
    run.run(quiet=True)
    _, probs = finetune.evaluated(run, "test")
    return [max(range(len(p)), key=p.__getitem__) for p in probs]


def simple(task: Task, options: dict) -> list[int]:
    """By a reader of words; where a few labels teach it nothing, the commonest of them."""
    try:
        return bag_of_words.guesses(task, **options)
    except ValueError:
        if len(task.train) > FEW:
            raise
        common, _ = Counter(int(e.label) for e in task.train).most_common(1)[0]
        return [common] * len(task.test)


# ---- the whole plan -------------------------------------------------------------------


def run_curves(names: list[str], first_seeds: int, begun: dict, workers: int) -> None:
    """All that is missing of these sets' curves; begun: kept beside each result."""
    sources.pretrained_lstm()  # where it is missing, say so now and not in an hour
    for task in names:
        print(f"{task}: {hours(task, first_seeds):.2f} core-hours are left, about")
        run_missing(plan.grid(task), begun, workers)
        run_missing(first_tests(task, first_seeds), begun, workers)
        decide_seeds(task, first_seeds, begun)
        run_missing(first_tests(task, first_seeds), begun, workers)


def run_missing(wanted: list[Point], begun: dict, workers: int) -> None:
    """Those of the cells that are not stored."""
    done = stored_points()
    left = [point for point in wanted if point not in done]
    if left:
        run_and_store(run_point, left, len(wanted), CELLS, begun, workers)


def first_tests(task: str, first_seeds: int) -> list[Point]:
    """The test cells that are asked for now: the first seeds, and more where decided."""
    return [*plan.points(task, decided_seeds(task, first_seeds), stored_points())]


def decide_seeds(task: str, first_seeds: int, begun: dict) -> None:
    """How many seeds each number of labels gets, by what the first ones scored alone.

    Decided once, and stored with what it was decided by.
    """
    decided = {x["labels"] for x in stored_lines(DECISIONS) if x["task"] == task}
    rows, guessing = curve(task, range(first_seeds)), levels(task).get("guessing", 0)
    for size, mine in rows.get("pre-trained", {}).items():
        others = [c[size] for row, c in rows.items() if row != "pre-trained" and size in c]
        if size in decided or size > plan.LARGEST_WITH_MORE or first_seeds < 2 or not others:
            continue
        best = max(others, key=lambda x: x["mean"])
        seeds = plan.MORE_SEEDS if tell_more(mine, best, guessing) else first_seeds
        facts = {"task": task, "labels": size, "seeds": seeds}
        store(DECISIONS, facts | {"pre-trained": mine, "next": best} | begun)


def tell_more(mine: dict, best: dict, guessing: float) -> bool:
    """Would more seeds tell us more: do the bars touch, and has the pre-trained row learned?"""
    return mine["mean"] >= guessing + plan.LEARNED and bars_touch(mine, best)


def estimate(names: list[str], first_seeds: int) -> None:
    """Say how long the curves of these sets will take."""
    left = {task: hours(task, first_seeds) for task in names}
    for task, n in (left | {"all": sum(left.values())}).items():
        print(f"{task:<24} {n:6.2f} core-hours")


def hours(task: str, first_seeds: int) -> float:
    """Core-hours that are left of a task's curves, without seeds that may be added.

    Where settings are not chosen yet, the longest are counted.
    """
    stored = stored_points()
    seeds = decided_seeds(task, first_seeds)
    wanted = [*plan.grid(task), *plan.points(task, seeds, stored, at_most=True)]
    return sum(seconds(point) for point in wanted if point not in stored) / 3600


def seconds(point: Point) -> float:
    """What a cell takes on a quiet core; 8 questions take a quarter of an update."""
    s, update = point.settings, SETS[point.task].seconds
    scoring = TESTED / 8 * update / 4
    if point.row not in MODELS or s.limit is None:
        return LOADING + (scoring if point.row == ZERO_SHOT else 0)
    return LOADING + scoring + s.epochs * math.ceil(s.limit / s.batch) * update

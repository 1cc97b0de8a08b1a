"""Run what is missing of the learning curves, set by set: choose, test, more seeds."""

import math
import time
from collections import Counter
from dataclasses import replace

from gpt1lib import metrics, tasks
from gpt1lib.baselines import bag_of_words
from gpt1lib.checkpoints import checkpoint
from gpt1lib.finetune.trainer import chosen_examples
from gpt1lib.tasks import Example, Task

from .. import init_from
from ..results import store, stored_lines, stored_trials
from ..run import MAX_TEST, fine_tune, not_stored, run_missing, sample
from ..threads import threads
from ..trials import Trial
from . import plan
from .plan import MODELS, NAME, ZERO_SHOT
from .results import DECISIONS, curve, decided_seeds, intervals_overlap, levels
from .sets import SETS, word_baselines

DRAWN = ("seed", "limit", "longest")  # all of the settings that a word baseline has
LOADING = 1  # seconds
FEW = 30  # labels, by chance of one class, or of texts that share no word


def run_trial(trial: Trial) -> dict:
    """Learn and score; a model's guesses are stored as digits, to compare them in pairs.

    A word baseline makes its own again within a second.
    """
    start, task, row = time.process_time(), curve_task(trial), trial["row"]
    with threads(1):
        guesses = guesses_of(trial, task)
    scores = metrics.rounded(metrics.accuracy(guesses, [int(e.label) for e in task.test]))
    seconds = round(time.process_time() - start, 1)  # of one core, however busy
    line = scores | {"seconds": seconds}
    if row not in MODELS:
        line["settings"] = {name: getattr(trial["settings"], name) for name in DRAWN}
    if trial["split"] == "test" and row in (*MODELS, ZERO_SHOT):
        line["guesses"] = "".join(map(str, guesses))
    return line


def curve_task(trial: Trial) -> Task:
    """The task with the labels that are drawn; what is scored takes the place of the test.

    So a trial on the validation set has no test example at hand.
    """
    task, settings = tasks.load(trial["task"]), trial["settings"]
    if task.graded or task.n_classes > 10:
        raise ValueError(f"{task.name}: a curve needs classes, ten at most, a digit for each")
    scored = scored_examples(trial["task"], trial["split"])
    return replace(task, train=chosen_examples(task, settings), valid=[], test=scored)


def scored_examples(name: str, split: str = "test") -> list[Example]:
    """What every trial of a set is scored on, in the order of its stored guesses."""
    task = tasks.load(name)
    examples = task.valid if split == "valid" else task.test
    return sample(tasks.no_longer_than(examples, SETS[name].longest), MAX_TEST)


def guesses_of(trial: Trial, task: Task) -> list[int]:
    """The classes that a row predicts for task.test, after task.train."""
    if trial["row"] in MODELS:
        start = init_from.starting_checkpoint(MODELS[trial["row"]], trial["settings"].seed)
        _, _, probs = fine_tune(start, task, trial["settings"])
        return metrics.argmax(probs)
    if trial["row"] == ZERO_SHOT:
        novelist, ask = checkpoint.load_novelist(), SETS[trial["task"]].ask
        if ask is None:
            raise ValueError(f"{trial['task']} has no question for a bare language model")
        return ask(novelist.model, novelist.bpe, task.test)
    return by_words(task, word_baselines(trial["task"])[trial["row"]])


def by_words(task: Task, options: dict) -> list[int]:
    """By a word baseline; where a few labels teach it nothing, the most frequent of them."""
    try:
        return bag_of_words.guesses(task, **options)
    except ValueError:
        if len(task.train) > FEW:
            raise
        common, _ = Counter(int(e.label) for e in task.train).most_common(1)[0]
        return [common] * len(task.test)


# ---- the whole plan -------------------------------------------------------------------


def run_curves(names: list[str], first_seeds: int, provenance: dict, workers: int) -> None:
    """All that is missing of these sets' curves."""
    init_from.pretrained_lstm()  # where it is missing, say so now and not in an hour
    for task in names:
        print(f"{task}: {hours(task, first_seeds):.2f} core-hours are left, about")
        run_missing(choices(task), run_trial, provenance, workers)
        run_missing(choices(task), run_trial, provenance, workers)  # and those beyond
        run_missing(first_tests(task, first_seeds), run_trial, provenance, workers)
        decide_seeds(task, first_seeds, provenance)
        run_missing(first_tests(task, first_seeds), run_trial, provenance, workers)


def choices(task: str) -> list[Trial]:
    """The trials by which budgets are chosen, as far as they are due now."""
    return plan.validation_trials(task, stored_trials(NAME))


def first_tests(task: str, first_seeds: int) -> list[Trial]:
    """The tests that are due now: the first seeds, and more where decided."""
    seeds = decided_seeds(task, first_seeds)
    return [*plan.test_trials(task, seeds, stored_trials(NAME))]


def decide_seeds(task: str, first_seeds: int, provenance: dict) -> None:
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
        seeds = plan.MORE_SEEDS if more_seeds_help(mine, best, guessing) else first_seeds
        decision = {"task": task, "labels": size, "seeds": seeds}
        store(DECISIONS, {**decision, "pre-trained": mine, "next": best, **provenance})


def more_seeds_help(mine: dict, best: dict, guessing: float) -> bool:
    """Whether the intervals overlap, and the pre-trained row is above guessing."""
    return mine["mean"] >= guessing + plan.LEARNED and intervals_overlap(mine, best)


def estimate(names: list[str], first_seeds: int) -> None:
    """Say how long the curves of these sets will take."""
    left = {task: hours(task, first_seeds) for task in names}
    for task, n in (left | {"all": sum(left.values())}).items():
        print(f"{task:<24} {n:6.2f} core-hours")


def hours(task: str, first_seeds: int) -> float:
    """Core-hours that are left of a task's curves, without seeds that may be added.

    Where budgets are not chosen yet, the longest are counted.
    """
    seeds = decided_seeds(task, first_seeds)
    tests = plan.test_trials(task, seeds, stored_trials(NAME), longest=True)
    missing = not_stored([*choices(task), *tests])
    return sum(seconds(trial) for trial in missing) / 3600


def seconds(trial: Trial) -> float:
    """What a trial takes on a quiet core; 8 questions take a quarter of an update."""
    s, update = trial["settings"], SETS[trial["task"]].seconds
    scoring = MAX_TEST / 8 * update / 4
    if trial["row"] not in MODELS or s.limit is None:
        return LOADING + (scoring if trial["row"] == ZERO_SHOT else 0)
    return LOADING + scoring + s.epochs * math.ceil(s.limit / s.batch) * update

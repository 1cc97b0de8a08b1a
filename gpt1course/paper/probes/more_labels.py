"""Do more labels bring a reader of one state to what log P tells? Whole or broken sentences.

The set of the course has 1,680 labels, and fine-tuned with them the novelist guesses. More
can be made without limit, from the books that it was pre-trained on:

    python -m tools.data.acceptability --train 50000 --out runs/acceptability.jsonl

The questions of the test stay: sentences of the held-out books. Each row's rate is the best
of RATES on the validation set, at CHOSEN_AT labels and with a seed that no test has.

More labels in three passes are more updates, too. So the pre-trained row also reads the
fewer labels as often as it takes to make the updates of the most.
"""

from dataclasses import replace
from pathlib import Path

from gpt1lib import metrics
from gpt1lib.io.paths import ROOT
from gpt1lib.tasks import Task, course_sets

from .. import plan
from ..curves.plan import RATES
from ..init_from import starting_checkpoint
from ..results import stored_trials
from ..run import fine_tune, not_stored, run_missing
from ..trials import Trial

MADE = ROOT / "runs" / "acceptability.jsonl"
ROWS = {"pre-trained": "novelist", "random weights": "nothing"}
CHOSEN_AT, CHOICE_SEED = 5000, 100
PASSES = 3  # as in the paper
SEEDS = {19000: 1, 5000: 3, 1000: 3}  # labels -> how many
AS_LONG = {5000: 12, 1000: 57}  # labels -> passes that make as many updates as 19,000 labels
NAME = "more_labels"


def made_task(path: Path = MADE) -> Task:
    """The set with the labels that were made; FileNotFoundError says how to make them."""
    if not path.exists():
        raise FileNotFoundError(
            f"no {path}; make it: python -m tools.data.acceptability --train 50000 --out {path}"
        )
    return course_sets.acceptability(path)


def trial_of(
    row: str, split: str, labels: int, rate: float, seed: int, passes: int = PASSES
) -> Trial:
    """A row that learns from the labels of one seed, scored on "valid" or "test"."""
    settings = replace(plan.SETTINGS, limit=labels, lr=rate, seed=seed, epochs=passes)
    return Trial.of(NAME, row=row, settings=settings, split=split)


def run_trial(trial: Trial) -> dict:
    """Fine-tune a row and score it; a test keeps the guesses, as digits."""
    task, split = made_task(), trial["split"]
    scored = task.valid if split == "valid" else task.test
    start = starting_checkpoint(ROWS[trial["row"]], trial["settings"].seed)
    _, _, probs = fine_tune(start, replace(task, valid=[], test=scored), trial["settings"])
    guesses = metrics.argmax(probs)
    scores = metrics.rounded(metrics.accuracy(guesses, [int(e.label) for e in scored]))
    return scores | ({"guesses": "".join(map(str, guesses))} if split == "test" else {})


def rate_trial(row: str, rate: float) -> Trial:
    """The trial of a rate on the validation set."""
    return trial_of(row, "valid", CHOSEN_AT, rate, CHOICE_SEED)


def best_rate(row: str) -> float:
    """The rate with the best accuracy on validation, of equals the lowest."""
    stored = stored_trials(NAME)
    return max(RATES, key=lambda rate: stored[rate_trial(row, rate)]["accuracy"])


def test_trials() -> list[Trial]:
    """All rows at their best rates, then the pre-trained one with as many updates."""
    best = {row: best_rate(row) for row in ROWS}
    drawn = [(n, seed) for n, seeds in SEEDS.items() for seed in range(seeds)]
    trials = [trial_of(row, "test", n, best[row], seed) for n, seed in drawn for row in ROWS]
    (row, *_) = ROWS
    longer = [(n, seed) for n, seed in drawn if n in AS_LONG]
    return trials + [
        trial_of(row, "test", n, best[row], seed, AS_LONG[n]) for n, seed in longer
    ]


def run_more_labels(provenance: dict, workers: int) -> None:
    """The rates first, then the tests with the best of them."""
    rates = [rate_trial(row, rate) for row in ROWS for rate in RATES]
    if not_stored(rates) or not_stored(test_trials()):
        made_task()  # where it is missing, say so now and not in a worker
    run_missing(rates, run_trial, provenance, workers)
    run_missing(test_trials(), run_trial, provenance, workers)

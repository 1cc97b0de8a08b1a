"""Would other pre-trainings say the same? Both models, each from three seeds.

The course ships one Transformer and one LSTM, and no test with these two can show how much of
a difference between them is the luck of their seed. So what is here asks models that were
pre-trained from other seeds, which decide the initial weights and the windows that are drawn.
None comes with the course, but their scores are stored. These commands train one of each:

    new="python -m gpt1lib.pretrain --recipe novelist --seed 1"
    $new --out runs/novelist_1
    $new --kind lstm --lr 0.004 --out runs/lstm_1

These models answer the zero-shot questions, and learn from 1,000 labels of each set of the
learning curves (or from the number nearest to it) with the budget that their row has there.
"""

import itertools
import math

from tqdm import tqdm

from gpt1lib import evaluate, metrics
from gpt1lib.checkpoints import Checkpoint, checkpoint
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR, ROOT

from .curves import plan as curve_plan
from .curves.run import curve_task
from .curves.sets import SETS, label_counts
from .init_from import pretraining_command
from .results import stored_trials
from .run import fine_tune, run_missing
from .trials import Trial
from .zeroshot import probe

ROWS = {"pre-trained": ("gpt", NOVELIST_DIR), "LSTM": ("lstm", LSTM_DIR)}
"""Row of the curves -> the kind of its models, and the one that is shipped."""
SEEDS = (0, 1, 2)  # of pre-training; 0 is shipped
FINE_TUNING_SEEDS = (0, 1, 2)
LABELS = 1000
FINE_TUNED, ZERO_SHOT = "pretraining_seeds", "pretraining_seeds_zeroshot"  # files of results


# ---- the models ------------------------------------------------------------------------


def pretrained(row: str, seed: int) -> Checkpoint:
    """A row's model from a seed. FileNotFoundError tells the command that trains it."""
    kind, folder = ROWS[row]
    if seed:
        folder = ROOT / "runs" / f"{folder.name}_{seed}"
    if not (folder / "meta.json").is_file():
        command = pretraining_command(kind, f"runs/{folder.name}", seed)
        raise FileNotFoundError(f"no model in {folder}; it is trained by: {command}")
    found = checkpoint.load_ours(folder)
    if (its := found.meta["recipe"]["seed"]) != seed:
        raise ValueError(f"{folder} was trained with seed {its}, not {seed}")
    return found


def there(row: str, seed: int) -> bool:
    """Whether a model is on this machine; where it isn't, its command is printed."""
    try:
        pretrained(row, seed)
    except FileNotFoundError as missing:
        print(missing)
        return False
    return True


# ---- what is asked of them -------------------------------------------------------------


def zero_shot_trial(row: str, seed: int) -> Trial:
    """All zero-shot questions to one model."""
    return Trial.of(ZERO_SHOT, row=row, pretraining_seed=seed)


def run_zero_shot(trial: Trial) -> dict:
    """Its scores, with its bits per character of the held-out books and how it was trained."""
    model = pretrained(trial["row"], trial["pretraining_seed"])
    books = metrics.rounded(evaluate.all_books(model.meta["heldout"]))
    asked = tqdm(probe.probes(), desc=trial.title, leave=False)
    return {
        "bits_per_character": books["bits_per_character"],
        "scores": {p.name: p.score(model.model, model.bpe) for p in asked},
        "pretraining": {k: model.meta[k] for k in ("command", "commit", "weights_sha256")},
    }


def labels_of(task: str) -> int:
    """The number of labels of a set's curves that is nearest to LABELS, by ratio."""
    return min(label_counts(task), key=lambda n: abs(math.log(n / LABELS)))


def test_of(task: str, row: str, pretraining_seed: int, seed: int) -> Trial:
    """A model that learns as its row of the learning curves does; the shipped one's is there.

    Raises LookupError where the row's budget is not chosen yet.
    """
    stored = stored_trials(curve_plan.NAME)
    test = curve_plan.test_trial(task, row, labels_of(task), seed, stored)
    if test is None:
        raise LookupError(f"no budget of {row} on {task} is stored; run the curves first")
    if pretraining_seed == 0:
        return test
    start = {"row": row, "pretraining_seed": pretraining_seed}
    return Trial.of(FINE_TUNED, task=task, settings=test["settings"], **start)


def run_fine_tuning(trial: Trial) -> dict:
    """Fine-tune and score on the questions of the curves; the guesses are kept as digits."""
    task = curve_task(curve_plan.curve_trial(trial["task"], trial["row"], trial["settings"]))
    start = pretrained(trial["row"], trial["pretraining_seed"])
    _, _, probs = fine_tune(start, task, trial["settings"])
    guesses = metrics.argmax(probs)
    scores = metrics.accuracy(guesses, [int(e.label) for e in task.test])
    return metrics.rounded(scores) | {"guesses": "".join(map(str, guesses))}


def run_pretraining_seeds(provenance: dict, workers: int = 1) -> None:
    """Ask and fine-tune all models that are on this machine."""
    models = [(row, seed) for seed in SEEDS for row in ROWS if there(row, seed)]
    run_missing([zero_shot_trial(*m) for m in models], run_zero_shot, provenance, workers)
    others = [m for m in models if m[1] != 0]  # the curves have the shipped ones
    tests = itertools.product(SETS, FINE_TUNING_SEEDS, others)
    trials = [test_of(task, *model, seed) for task, seed, model in tests]
    run_missing(trials, run_fine_tuning, provenance, workers)


# ---- what is stored --------------------------------------------------------------------

Scores = dict[str, dict[int, float]]  # row -> seed of pre-training -> its score


def zero_shot_scores() -> dict[str, Scores]:
    """The accuracy of each model in each zero-shot test, of what is stored."""
    stored, found = stored_trials(ZERO_SHOT), {}
    for row, seed in itertools.product(ROWS, SEEDS):
        line = stored.get(zero_shot_trial(row, seed), {"scores": {}})
        for test, scores in line["scores"].items():
            found.setdefault(test, {}).setdefault(row, {})[seed] = scores["accuracy"]
    return found


def bits_per_character() -> Scores:
    """The loss of each model on the held-out books, of what is stored."""
    stored = stored_trials(ZERO_SHOT)
    return {
        row: {
            seed: stored[trial]["bits_per_character"]
            for seed in SEEDS
            if (trial := zero_shot_trial(row, seed)) in stored
        }
        for row in ROWS
    }


def fine_tuned_scores(task: str) -> Scores:
    """The mean accuracy of each model over FINE_TUNING_SEEDS, where all of them are stored."""
    stored = stored_trials(curve_plan.NAME) | stored_trials(FINE_TUNED)
    found: Scores = {row: {} for row in ROWS}
    for row, seed in itertools.product(ROWS, SEEDS):
        trials = [test_of(task, row, seed, of_labels) for of_labels in FINE_TUNING_SEEDS]
        if all(trial in stored for trial in trials):
            scores = [stored[trial]["accuracy"] for trial in trials]
            found[row][seed] = sum(scores) / len(scores)
    return found

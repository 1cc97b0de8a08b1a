"""Do more labels bring a reader of one state to what log P tells? Whole or broken sentences.

The set of the course has 1,680 labels, and fine-tuned with them the novelist guesses. More
can be made without limit, from the books that it was pre-trained on:

    python -m tools.data.acceptability --train 50000 --out runs/acceptability.jsonl

The questions of the test stay: sentences of the held-out books. Each row's rate is the best
of RATES on the validation set, at CHOSEN_AT labels and with a seed that no test has.

More labels in three passes are more updates, too. So the pre-trained row also reads the
fewer labels as often as it takes to make the updates of the most.
"""

from dataclasses import asdict, dataclass, replace
from pathlib import Path

from gpt1lib import finetune, metrics
from gpt1lib.fast.machine import threads
from gpt1lib.finetune import Settings
from gpt1lib.io.paths import ROOT
from gpt1lib.tasks import Task, course_sets

from .. import plan
from ..results import stored_lines
from ..run import run_and_store
from ..sources import source

MADE = ROOT / "runs" / "acceptability.jsonl"
ROWS = {"pre-trained": "novelist", "random weights": "nothing"}
RATES, CHOSEN_AT, CHOICE_SEED = (1.25e-4, 3.5e-4, 1e-3), 5000, 100
PASSES = 3  # as in the paper
SEEDS = {19000: 1, 5000: 3, 1000: 3}  # labels -> how many
AS_LONG = {5000: 12, 1000: 57}  # labels -> passes that make as many updates as 19,000 labels
NAME = "more_labels"


@dataclass(frozen=True)
class Tuning:
    """One row that learned from the labels of one seed, scored on one split."""

    row: str
    split: str
    labels: int
    rate: float
    seed: int
    passes: int = PASSES

    @property
    def title(self) -> str:
        """A few words beside a progress bar."""
        times = f"{self.labels:,} labels {self.passes} times"
        return f"{self.row}, {times}, seed {self.seed}, {self.split}"


def made_task(path: Path = MADE) -> Task:
    """The set with the labels that were made; FileNotFoundError says how to make them."""
    if not path.exists():
        raise FileNotFoundError(
            f"no {path}; make it: python -m tools.data.acceptability --train 50000 --out {path}"
        )
    return course_sets.acceptability(path)


def settings_of(cell: Tuning) -> Settings:
    """The settings of one fine-tuning."""
    given = {"limit": cell.labels, "lr": cell.rate, "seed": cell.seed, "epochs": cell.passes}
    return replace(plan.SETTINGS, **given)


def tune_and_score(cell: Tuning) -> dict:
    """Fine-tune a row, and score it on the split "valid" or "test"."""
    task, given = made_task(), settings_of(cell)
    asked = replace(task, valid=[], test=getattr(task, cell.split))
    with threads(1):
        begin = finetune.shortened(source(ROWS[cell.row], cell.seed), asked)
        run = finetune.FineTuning(begin, asked, given)
        run.run(quiet=True)
        _, probs = finetune.evaluated(run, "test")
    guesses = [max(range(len(p)), key=p.__getitem__) for p in probs]
    scores = metrics.accuracy(guesses, [int(e.label) for e in asked.test])
    kept = {"guesses": "".join(map(str, guesses))} if cell.split == "test" else {}
    return {"row": cell.row, "split": cell.split, "settings": asdict(given), **scores, **kept}


def known_scores() -> dict[Tuning, float]:
    """What is stored, as accuracies."""
    lines = [(line, line["settings"]) for line in stored_lines(NAME)]
    return {
        Tuning(x["row"], x["split"], s["limit"], s["lr"], s["seed"], s["epochs"]): x["accuracy"]
        for x, s in lines
    }


def best_rate(row: str) -> float:
    """The rate with the best accuracy on validation, of equals the lowest."""
    found = known_scores()
    return max(RATES, key=lambda rate: found[tried(row, rate)])


def tried(row: str, rate: float) -> Tuning:
    """The cell that tries a rate."""
    return Tuning(row, "valid", CHOSEN_AT, rate, CHOICE_SEED)


def run_tunings(begun: dict, workers: int) -> None:
    """All cells that are not stored yet; begun: command and commit, kept beside each."""
    run_unknown([tried(row, rate) for row in ROWS for rate in RATES], begun, workers)
    best = {row: best_rate(row) for row in ROWS}
    drawn = [(n, seed) for n, seeds in SEEDS.items() for seed in range(seeds)]
    tests = [Tuning(row, "test", n, best[row], seed) for n, seed in drawn for row in ROWS]
    as_long = [(n, seed) for n, seed in drawn if n in AS_LONG]
    (row, *_) = ROWS
    tests += [Tuning(row, "test", n, best[row], seed, AS_LONG[n]) for n, seed in as_long]
    run_unknown(tests, begun, workers)


def run_unknown(cells: list[Tuning], begun: dict, workers: int) -> None:
    """Those of the cells that are not stored."""
    done = known_scores()
    left = [cell for cell in cells if cell not in done]
    if left:
        made_task()  # where it is missing, say so now and not in a worker
        run_and_store(tune_and_score, left, len(cells), NAME, begun, workers)

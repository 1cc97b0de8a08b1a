"""What the paper's analysis asks, cell by cell: Table 5, Figure 2, and our own rows.

A cell is one fine-tuning. Experiments give rows to cells and share them: the row "full"
of Table 5 is also the last point of Figure 2 (left) and lambda = 0.5.
"""

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from .finetune import Settings
from .recipes import RECIPES

SETTINGS = Settings(batch=8, lr=5e-4, warmup=0.1)
"""Few examples make few updates: of 32 a batch, and with 0.2 % of them to warm up, a
small model hardly learns."""
CHOSEN = {
    "entailment": {"limit": 700, "epochs": 6, "lr": 2.5e-4},
    "film_snippets": {"limit": 1000},
    "verse_pairs": {"limit": 1300, "longest": 32},
    "story_cloze": {"limit": 300},
}
"""What differs by task, chosen on validation sets for the row "full". Few labels and
short texts, so that a run takes minutes; `sizes` asks what more labels change."""
TWO = ("entailment", "film_snippets")
"""The two cheapest; the paper's Figure 2 (left) shows two tasks as well."""
SHORT = {"steps": 600, "snapshots": 0, "sample_every": 600, "evaluate_every": 600}
VARIANTS = {  # one choice changed, the rest of a short pre-training equal
    "as GPT-1": {},
    "pre-LayerNorm": {"kind": "pre_ln"},
    "untied": {"model": {"tied": False}},
    "sinusoidal": {"kind": "sinusoidal"},
    "shuffled sentences": {},
}


@dataclass(frozen=True)
class Cell:
    """One fine-tuning: its task, its seed, where it starts from, what is changed."""

    task: str
    seed: int
    source: str = "novelist"
    changes: tuple[tuple[str, object], ...] = ()  # of SETTINGS

    @property
    def settings(self) -> Settings:
        """All settings of its fine-tuning."""
        changes = CHOSEN[self.task] | dict(self.changes)
        return replace(SETTINGS, seed=self.seed, **changes)


Rows = Iterator[tuple[str, Cell]]


def each(n_seeds: int, names=TWO) -> Iterator[tuple[int, str]]:
    """Seeds and tasks, seed by seed: a run cut short has whole rows of some seeds."""
    return itertools.product(range(n_seeds), names)


def table5() -> Rows:
    """Table 5: full; without pre-training; without the auxiliary loss; LSTM."""
    for seed, task in each(5, CHOSEN):
        yield "full", Cell(task, seed)
        yield "no pre-training", Cell(task, seed, "nothing")
        yield "no auxiliary loss", Cell(task, seed, changes=(("lm_coef", 0.0),))
        yield "LSTM", Cell(task, seed, "lstm")


def transfer() -> Rows:
    """Figure 2 (left): 0 nothing, 1 embeddings, then one block more at a time."""
    last = RECIPES["novelist"].model.n_layer + 1
    ends = {0: "nothing", last: "novelist"}
    for seed, task in each(3):
        for n in range(last + 1):
            yield str(n), Cell(task, seed, ends.get(n, f"transfer {n}"))


def weights_of_lm() -> Rows:
    """Lambda, the weight of the language model in L3, from 0 to 2."""
    for seed, task in each(3):
        for lm_coef in (0.0, 0.1, 0.25, 0.5, 1.0, 2.0):
            given = () if lm_coef == SETTINGS.lm_coef else (("lm_coef", lm_coef),)
            yield f"{lm_coef:g}", Cell(task, seed, changes=given)


def sizes() -> Rows:
    """Labeled examples, few and many, with pre-training and without."""
    for seed, task in each(3):
        chosen = CHOSEN[task]["limit"]
        for n in (100, 300, chosen, 2000):
            given = () if n == chosen else (("limit", n),)
            yield f"{n}", Cell(task, seed, changes=given)
            yield f"{n} without", Cell(task, seed, "nothing", given)


def variants() -> Rows:
    """Short pre-trainings with one choice changed, then fine-tuned."""
    for seed, task in each(3):
        for row in VARIANTS:
            yield row, Cell(task, seed, row)


EXPERIMENTS: dict[str, Callable[[], Rows]] = {
    "table5": table5, "transfer": transfer, "lambda": weights_of_lm, "sizes": sizes,
    "variants": variants,
}  # fmt: skip


# ---- what the paper found --------------------------------------------------------

PAPER_TASKS = ["CoLA", "SST2", "MRPC", "STSB", "QQP", "MNLI", "QNLI", "RTE"]
PAPER_TABLE5 = {  # its Table 5: the average, then a score for each of PAPER_TASKS
    "full": (74.7, [45.4, 91.3, 82.3, 82.0, 70.3, 81.8, 88.1, 56.0]),
    "no pre-training": (59.9, [18.9, 84.0, 79.4, 30.9, 65.5, 75.7, 71.2, 53.8]),
    "no auxiliary loss": (75.0, [47.9, 92.0, 84.9, 83.2, 69.8, 81.1, 86.9, 54.4]),
    "LSTM": (69.1, [30.3, 90.5, 83.2, 71.8, 68.1, 73.7, 81.1, 54.6]),
}
PAPER_FIGURE2_LEFT = {  # read from the picture, within 0.3; 0 = nothing transferred
    "RACE": [39.7, 42.0, 41.1, 46.7, 48.4, 50.1, 53.1, 53.8, 54.1, 55.1, 56.3, 58.4,
             59.0, 60.1],
    "MultiNLI": [72.7, 75.2, 74.7, 77.6, 78.2, 78.2, 79.7, 80.2, 81.0, 81.3, 81.6,
                 82.0, 82.4, 82.4],
}  # fmt: skip

"""Does a model without dropout keep what it learned of copying, and does that cost bits?

In `recipes` the books erase copying within 83 updates; all of its trials have dropout. Of a
pair in `longer` with 5% of repeats to the end, the trial with dropout lost it, too, and the one
without kept it. All but one of these trials are without dropout. Each reads fewer tokens than
the shipped model did.
"""

from . import recipes
from .measure import Machine, Report
from .recipes import COUNTS, FALLING, FIRST_REPEATS, TINY_TRIALS, Trial

UPDATES = 7000  # 14.3 million tokens, and 1.6 of repeats first
PLAIN = {"dropout": 0.0, **COUNTS}
FIRST = {"dropout": 0.0, **FIRST_REPEATS}
RANDOM = {"share": 0.05, "kind": "random"}
TRIALS = (
    Trial("no dropout, seed 0", keep=True, **PLAIN),
    Trial("no dropout, seed 1", seed=1, **PLAIN),
    Trial("first repeats, 5% random to the end, seed 0", keep=True, **FIRST, **RANDOM),
    Trial("first repeats, 5% random to the end, seed 1", seed=1, **FIRST, **RANDOM),
    Trial("first repeats, 2% random to the end", **FIRST | RANDOM | {"share": 0.02}),
    Trial("first repeats, 5% random falling to 0", **FIRST, **FALLING, **RANDOM),
    Trial("first repeats, 10% passages falling to 0", share=0.1, keep=True, **FIRST, **FALLING),
    Trial("first repeats, 5% random to the end, dropout 0.05",
          **FIRST | RANDOM | {"dropout": 0.05}),
)  # fmt: skip


def measure(machine: Machine, report: Report) -> None:
    """Every trial, at the same time."""
    recipes.measure_trials(machine, report, machine.size(TRIALS, TINY_TRIALS), UPDATES)

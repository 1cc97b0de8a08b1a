"""Learning curves over numbers of labels: sets, plan and choice, run, results."""

from .plan import MODELS, MORE_SEEDS, SEEDS, Budget
from .results import (
    best_of_words,
    curve,
    curve_lines,
    draws,
    labels_to,
    levels,
    stored_sets,
)  # fmt: skip
from .run import estimate, run_curves, run_trial, scored_examples
from .sets import SETS, known, label_counts

__all__ = [
    "MODELS", "MORE_SEEDS", "SEEDS", "SETS", "Budget", "best_of_words", "curve",
    "curve_lines", "draws", "estimate", "known", "label_counts", "labels_to",
    "levels", "run_curves", "run_trial", "scored_examples", "stored_sets",
]  # fmt: skip

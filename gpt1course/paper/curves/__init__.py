"""Learning curves over numbers of labels: sets, plan and choice, run, results."""

from .plan import MODELS, MORE_SEEDS, SEEDS, Point
from .results import (
    best_of_words,
    curve,
    curve_lines,
    draws,
    gaps,
    labels_to,
    levels,
    stored_points,
)
from .run import estimate, run_curves, run_point, tested_examples
from .sets import SETS, known, label_counts

__all__ = [
    "MODELS", "MORE_SEEDS", "SEEDS", "SETS", "Point", "best_of_words", "curve",
    "curve_lines", "draws", "estimate", "gaps", "known", "label_counts", "labels_to",
    "levels", "run_curves", "run_point", "stored_points", "tested_examples",
]  # fmt: skip

"""Learning curves over numbers of labels: sets, plan and choice, run, results."""

from .plan import MODELS, MORE_SEEDS, SEEDS, Budget
from .results import best_of_words, curve, curve_lines, draws, gaps, labels_to, levels
from .run import estimate, run_curves, run_trial, scored_examples
from .sets import SETS, known, label_counts

__all__ = [
    "MODELS", "MORE_SEEDS", "SEEDS", "SETS", "Budget", "best_of_words", "curve",
    "curve_lines", "draws", "estimate", "gaps", "known", "label_counts", "labels_to",
    "levels", "run_curves", "run_trial", "scored_examples",
]  # fmt: skip

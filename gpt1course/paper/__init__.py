"""The paper's analysis at laptop scale: `python -m gpt1course.paper --help`."""

from .. import statistics
from . import curves, paper_numbers, plan, pretraining_seeds, word_baselines, zeroshot
from .init_from import starting_checkpoint, transferred
from .probes import more_labels, readings, readout, surprise, tuned_readings, two_terms
from .results import accuracies, stored_finetuning, stored_lines, summary
from .run import sample

__all__ = [
    "accuracies", "curves", "more_labels", "paper_numbers", "plan", "pretraining_seeds",
    "readings", "readout", "sample", "starting_checkpoint", "statistics", "stored_finetuning",
    "stored_lines", "summary", "surprise", "transferred", "tuned_readings", "two_terms",
    "word_baselines", "zeroshot",
]  # fmt: skip

"""The paper's analysis at laptop scale: `python -m gpt1course.paper --help`."""

from . import curves, paper_numbers, plan, statistics, zeroshot
from .probes import more_labels, readout, surprise, two_terms
from .results import accuracies, stored_finetuning, stored_lines, summary
from .run import at_most
from .sources import source, transferred

__all__ = [
    "accuracies", "at_most", "curves", "more_labels", "paper_numbers", "plan", "readout",
    "source", "statistics", "stored_finetuning", "stored_lines", "summary", "surprise",
    "transferred", "two_terms", "zeroshot",
]  # fmt: skip

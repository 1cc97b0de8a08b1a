"""Fine-tuning on a labeled task with L3 (Eq. 3 to 5): `python -m gpt1lib.finetune --help`."""

from ..checkpoints import open_source
from .adapt import shorten_context, shortened
from .classifier import Classifier, class_probs, predict_probs
from .config import METHODS, Settings
from .data import Encoded, collate, prepare
from .evaluate import scores
from .trainer import FineTuning, evaluated, finetune

__all__ = [
    "METHODS",
    "Classifier",
    "Encoded",
    "FineTuning",
    "Settings",
    "class_probs",
    "collate",
    "evaluated",
    "finetune",
    "open_source",
    "predict_probs",
    "prepare",
    "scores",
    "shorten_context",
    "shortened",
]

"""Fine-tuning on a labeled task with L3 (Eq. 3 to 5): `python -m gpt1lib.finetune --help`."""

from ..checkpoints import open_source
from .adapt import shorten_context, shortened
from .batches import Encoded, collate, prepare
from .classifier import Classifier, class_probs, predict
from .run import FineTuning, evaluated, finetune
from .scores import scores
from .settings import METHODS, Settings

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
    "predict",
    "prepare",
    "scores",
    "shorten_context",
    "shortened",
]

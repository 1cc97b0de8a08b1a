"""Fine-tuning on a labeled task with L3 (Eq. 3 to 5): `python -m gpt1lib.finetune --help`."""

from ..checkpoints import load_any
from .classifier import Classifier, add_special_tokens, class_probs, predict_probs
from .config import METHODS, Settings
from .data import (
    Encoded,
    EncodedTask,
    collate,
    fit_context,
    graded_target,
    pad,
    prepare,
    truncate_context,
)
from .evaluate import scores
from .trainer import FineTuning

__all__ = [
    "METHODS",
    "Classifier",
    "Encoded",
    "EncodedTask",
    "FineTuning",
    "Settings",
    "add_special_tokens",
    "class_probs",
    "collate",
    "fit_context",
    "graded_target",
    "load_any",
    "pad",
    "predict_probs",
    "prepare",
    "scores",
    "truncate_context",
]

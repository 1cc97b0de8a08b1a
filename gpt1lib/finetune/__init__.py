"""Fine-tuning on a labeled task with L3 (Eq. 3 to 5): `python -m gpt1lib.finetune --help`."""

from .classifier import Classifier, add_special_tokens, class_probs, predict_probs
from .config import METHODS, Settings
from .data import Encoded, collate, fit_context, graded_target, pad, prepare, truncate_context
from .evaluate import scores
from .trainer import FineTuning

__all__ = [
    "METHODS", "Classifier", "Encoded", "FineTuning", "Settings", "add_special_tokens",
    "class_probs", "collate", "fit_context", "graded_target", "pad", "predict_probs",
    "prepare", "scores", "truncate_context",
]  # fmt: skip

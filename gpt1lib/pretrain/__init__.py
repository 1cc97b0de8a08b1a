"""Pre-training on books (Eq. 1): `python -m gpt1lib.pretrain --help`."""

from .config import RECIPES, Recipe, merged
from .objective import Objective, scale_blocks
from .trainer import Pretraining

__all__ = ["RECIPES", "Objective", "Pretraining", "Recipe", "merged", "scale_blocks"]

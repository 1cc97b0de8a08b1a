"""Pre-training on books (Eq. 1): `python -m gpt1lib.pretrain --help`."""

from .objective import Objective, scale_blocks
from .recipes import RECIPES, Recipe, merged
from .run import Pretraining

__all__ = ["RECIPES", "Objective", "Pretraining", "Recipe", "merged", "scale_blocks"]

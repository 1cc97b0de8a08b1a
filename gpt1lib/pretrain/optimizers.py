"""The optimizers of a recipe."""

from torch.optim import Optimizer

from .. import optim
from ..model import LanguageModel
from . import muon
from .config import Recipe


def build_optimizers(model: LanguageModel, recipe: Recipe) -> list[Optimizer]:
    """Adam for all, or for all but the blocks' matrices, and Muon for those."""
    r = recipe
    if not r.matrix_lr:
        return [optim.adamw(model, r.lr, r.betas, r.weight_decay)]
    matrices = muon.matrices(model)
    if not matrices:
        raise ValueError(f"matrix_lr is {r.matrix_lr}, kind {r.kind} has no blocks")
    return [
        optim.adamw(model, r.lr, r.betas, r.weight_decay, without=matrices),
        muon.Muon(matrices, r.matrix_lr, r.matrix_momentum, r.weight_decay),
    ]

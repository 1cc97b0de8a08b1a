"""The model that is trained, with its loss: what is compiled, copied or sharded."""

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from .. import losses
from ..config import INIT_STD
from ..fast.loss import chunked_lm_loss
from ..model import LanguageModel


class Objective(nn.Module):
    """A model and its loss in one module.

    chunked: by the loss of fast/loss.py, which computes the same and never keeps all logits.
    """

    def __init__(self, model: LanguageModel, chunked: bool):
        super().__init__()
        self.model, self.chunked = model, chunked

    def forward(self, ids: Tensor, each: bool = False) -> Tensor:
        """-L1 as a mean over the targets of ids (B, T): `losses.lm_loss`; each: all (B, T - 1).

        The last state has no target. To leave out its logits afterward would copy all others,
        once here and once in the backward pass: gigabytes on a GPU.
        """
        h, targets = self.model.hidden(ids)[:, :-1], ids[:, 1:]  # (B, T - 1, C), (B, T - 1)
        if self.chunked and not each:
            return chunked_lm_loss(h, self.model.output_matrix, targets)
        return losses.cross_entropy(self.model.logits(h), targets, "none" if each else "mean")


def scale_blocks(model: LanguageModel, std: float) -> None:
    """Give the fresh matrices inside the blocks another standard deviation than 0.02.

    A state's numbers are of size 1 after each LayerNorm, so a sum over C of them times
    weights of deviation s has the size s sqrt(C): 0.55 in GPT-1, with s = 0.02, C = 768.
    A narrower model needs a larger s to pass on as much. Embeddings stay at 0.02.
    """
    with torch.no_grad():
        for block in model.blocks:
            for p in block.parameters():
                if p.dim() > 1:
                    p.mul_(std / INIT_STD)


def checkpoint_activations(model: LanguageModel) -> None:
    """Keep only the input of each block, and compute the rest again in the backward pass."""
    for block in model.blocks:
        forward = block.forward
        block.forward = lambda *args, forward=forward: checkpoint(
            forward, *args, use_reentrant=False
        )

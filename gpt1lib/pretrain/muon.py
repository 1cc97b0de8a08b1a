"""Momentum decorrelation (MUD), a cheaper relative of Muon, for the blocks' matrices.

GPT-1 was trained by Adam, and so is the novelist. Adam looks at each number of a matrix
alone. Muon (Jordan et al. 2024) looks at the whole matrix: it makes the rows of an
update orthogonal, so that a direction with a small gradient moves as far as one with a
large gradient. A post-LayerNorm model then needs no long warm-up (lesson 10).

Muon orthogonalizes by five rounds of matrix products. MUD (arXiv 2603.17970) solves one
triangular system instead, here on squares of C x C, which all matrices of a block can be cut
into. It is turned on by `--matrix-lr`; embeddings, biases and gains stay with Adam.
"""

import math

import torch
from torch import Tensor, nn

from .. import optim
from ..model import LanguageModel
from .config import Recipe


def matrices(model: LanguageModel) -> list[nn.Parameter]:
    """The matrices inside the blocks, which MUD may train."""
    return [p for block in model.blocks for p in block.parameters() if p.dim() == 2]


def squares(x: Tensor) -> Tensor:
    """A matrix (m, n) as a stack of squares (max / min, min, min).

    Raises ValueError unless one side is a multiple of the other.
    """
    m, n = x.shape
    if max(m, n) % min(m, n):
        raise ValueError(f"a matrix of {m} x {n} cannot be cut into squares")
    return x.view(-1, n, n) if m >= n else x.view(m, -1, m).transpose(0, 1)


def decorrelate(x: Tensor) -> Tensor:
    """Rows of length 1 that hardly resemble each other, in the span of x's: (N, C, C).

    G contains the cosines of all pairs of rows. Multiplying by the inverse of its lower
    triangle takes from each row what the rows above it have already.
    """
    x = unit_rows(x)
    G = x @ x.mT  # (N, C, C), ones on the diagonal: unitriangular
    new = torch.linalg.solve_triangular(G, x, upper=False, unitriangular=True)
    return unit_rows(new)


def unit_rows(x: Tensor) -> Tensor:
    """Each row divided by its length; a row of zeros stays zero."""
    return x / (x.norm(dim=-1, keepdim=True) + 1e-8)


class MUD(torch.optim.Optimizer):
    """Momentum, decorrelated, in steps as long as Adam's.

    Adam moves a number by about 0.2 of its learning rate: the root mean square that the
    rows of length 1 are scaled to (Liu et al. 2025, arXiv 2502.16982).
    """

    def __init__(self, params, lr: float, momentum=0.95, weight_decay=0.01):
        super().__init__(params, {"lr": lr, "momentum": momentum, "weight_decay": weight_decay})

    @torch.no_grad()
    def step(self, closure=None):
        """One update of every matrix; all squares of one size in one product."""
        for group in self.param_groups:
            params = [p for p in group["params"] if p.grad is not None]
            if not params:
                continue
            updates = [squares(self._nesterov(p, p.grad, group["momentum"])) for p in params]
            C = updates[0].shape[-1]
            new = decorrelate(torch.cat(updates)).split([len(u) for u in updates])
            for p, u in zip(params, new, strict=True):
                p.mul_(1 - group["lr"] * group["weight_decay"])
                squares(p).sub_(u, alpha=group["lr"] * 0.2 * math.sqrt(C))

    def _nesterov(self, p: Tensor, grad: Tensor, momentum: float) -> Tensor:
        """The running mean of gradients, one step ahead."""
        state = self.state[p]
        if not state:
            state["mean"] = torch.zeros_like(p)
        mean = state["mean"].lerp_(grad, 1 - momentum)
        return grad.lerp(mean, momentum)


def build_optimizers(model: LanguageModel, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Adam for all, or for all but the blocks' matrices, and MUD for those."""
    r = recipe
    if not r.matrix_lr:
        return [optim.adamw(model, r.lr, r.betas, r.weight_decay)]
    inside = matrices(model)
    if not inside:
        raise ValueError(f"matrix_lr is {r.matrix_lr}, kind {r.kind} has no blocks")
    return [
        optim.adamw(model, r.lr, r.betas, r.weight_decay, without=inside),
        MUD(inside, r.matrix_lr, r.matrix_momentum, r.weight_decay),
    ]

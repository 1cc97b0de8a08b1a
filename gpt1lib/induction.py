"""Whether a model copies: the loss of what is said twice, and the heads that do it.

Not in the paper. "Induction heads" are of Olsson et al. 2022, "In-context Learning and
Induction Heads"; both scores are theirs.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from . import losses, validate
from .model import GPT, LanguageModel
from .rng import eval_mode
from .tracing import trace


@dataclass(frozen=True)
class Copying:
    """Nats per token of random tokens, when they come first and when they are repeated."""

    first: float
    second: float


def repeated_spans(n_vocab: int, n: int, length: int, seed: int = 0) -> Tensor:
    """n rows of `length` random tokens, each row said twice: (n, 2 * length)."""
    for name, value, least in (("n_vocab", n_vocab, 2), ("n", n, 1), ("length", length, 2)):
        validate.check_int(name, value, least)
    rng = torch.Generator().manual_seed(seed)
    return torch.randint(n_vocab, (n, length), generator=rng).repeat(1, 2)


@torch.no_grad()
def copying(model: LanguageModel, ids: Tensor) -> Copying:
    """The loss in the first half of ids (n, 2 * length) and in the second, which repeats it.

    Both halves leave out their first token: nothing can predict where a repetition begins.
    """
    length = ids.shape[1] // 2
    with eval_mode(model):
        nats = -losses.token_log_probs(model(ids), ids)  # (n, 2 * length - 1), from token 1 on
    return Copying(nats[:, : length - 1].mean().item(), nats[:, length:].mean().item())


def previous_token_scores(weights: Tensor) -> Tensor:
    """How much of its attention each head gives to the token before: (..., T, T) -> (...)."""
    return weights.diagonal(-1, dim1=-2, dim2=-1).mean(-1)


def prefix_matching_scores(weights: Tensor) -> Tensor:
    """How much each head attends to what followed the same token the first time.

    weights (..., 2 * length, 2 * length) over a span that is said twice; returns (...). From
    token t of the second half, that is the place t - length + 1.
    """
    length = weights.shape[-1] // 2
    return weights[..., length:, :].diagonal(1, dim1=-2, dim2=-1).mean(-1)


def mean_weights(model: GPT, ids: Tensor) -> Tensor:
    """Attention weights of all heads, a mean over the rows of ids (n, T): (L, H, T, T)."""
    return torch.stack([trace(model, row).weights for row in ids]).mean(0)

"""Whether a model copies: the loss of what is said twice, and the heads that do it.

Not in the paper. Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits",
described induction heads first; both scores are from Olsson et al. 2022, "In-context Learning
and Induction Heads".
"""

from contextlib import ExitStack
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor

from . import losses, validate
from .model import Attention, Block, LanguageModel
from .rng import eval_mode
from .tracing import attention_steps


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


def half_of(n_tokens: int) -> int:
    """The length of a span that is said twice. Raises ValueError for an odd n_tokens."""
    if n_tokens % 2:
        raise ValueError(f"there are {n_tokens} tokens, a span said twice has an even number")
    return n_tokens // 2


@torch.no_grad()
def copying(model: LanguageModel, ids: Tensor) -> Copying:
    """The loss in the first half of ids (n, 2 * length) and in the second, which repeats it.

    Both halves leave out their first token: nothing can predict where a repetition begins.
    """
    length = half_of(ids.shape[1])
    with eval_mode(model):
        parts = [-losses.token_log_probs(model(part), part) for part in ids.split(8)]
    nats = torch.cat(parts)  # (n, 2 * length - 1), from token 1 on
    return Copying(nats[:, : length - 1].mean().item(), nats[:, length:].mean().item())


def previous_token_scores(weights: Tensor) -> Tensor:
    """How much of its attention each head gives to the token before: (..., T, T) -> (...)."""
    return weights.diagonal(-1, dim1=-2, dim2=-1).mean(-1)


def prefix_matching_scores(weights: Tensor) -> Tensor:
    """How much each head attends to what followed the same token the first time.

    weights (..., 2 * length, 2 * length) over a span that is said twice; returns (...). From
    token t of the second half, that is the place t - length + 1.
    """
    length = half_of(weights.shape[-1])
    return weights[..., length:, :].diagonal(1, dim1=-2, dim2=-1).mean(-1)


@torch.no_grad()
def mean_weights(model: LanguageModel, ids: Tensor) -> Tensor:
    """Attention weights of all heads, a mean over the rows of ids (n, T): (L, H, T, T).

    They are computed from what each attention layer reads, so blocks may be of any kind.
    """
    weights = []

    def look(attention: Attention, inputs: tuple[Tensor, ...], _) -> None:
        q, k, _ = attention.split_heads(inputs[0])  # (n, H, T, D)
        weights.append(attention_steps(q, k)[-1].mean(dim=0))

    with eval_mode(model), ExitStack() as hooks:
        for block in model.blocks:
            attention = cast(Block, block).attention
            hooks.callback(attention.register_forward_hook(look).remove)
        model.hidden(ids)
    return torch.stack(weights)


def measures(model: LanguageModel, n_spans: int = 16) -> dict[str, float]:
    """Whether a model copies, in the numbers that are logged while it is trained.

    first_time, second_time: the loss of `copying` on spans of an eighth of the context, but of
    2 to 64 tokens. prefix_matching, previous_token: the largest score of any head; an LSTM has
    none. The spans are the same each time, and other random numbers are left alone. Empty where
    the context is too short to say 2 tokens twice.
    """
    length = min(max(2, model.config.n_ctx // 8), 64)
    if 2 * length > model.config.n_ctx:
        return {}
    ids = repeated_spans(model.config.n_vocab, n_spans, length).to(model.device)
    copied = copying(model, ids)
    scores = {"first_time": copied.first, "second_time": copied.second}
    if len(model.blocks):
        weights = mean_weights(model, ids[:8])
        scores["prefix_matching"] = prefix_matching_scores(weights).max().item()
        scores["previous_token"] = previous_token_scores(weights).max().item()
    return scores

"""One forward pass with every step kept, or with heads scaled: for pictures and lessons."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import cast

import torch
from torch import Tensor

from . import validate
from .model import GPT, Block, LanguageModel, causal_mask, check_ids
from .rng import eval_mode


@dataclass
class BlockTrace:
    """What one block computes; shapes without the batch, which is 1."""

    q: Tensor  # (H, T, D)
    k: Tensor  # (H, T, D)
    v: Tensor  # (H, T, D)
    scores: Tensor  # (H, T, T)  q k^T / sqrt(D), before the mask
    masked: Tensor  # (H, T, T)  -inf where the key is later
    weights: Tensor  # (H, T, T)  after the softmax
    attended: Tensor  # (T, C)  after the output projection
    n: Tensor  # (T, C)  LN(x + attended)
    mlp: Tensor  # (T, C)
    h: Tensor  # (T, C)  LN(n + mlp)


@dataclass
class Trace:
    """Every intermediate of one forward pass over one sequence."""

    ids: Tensor  # (T,)
    h0: Tensor  # (T, C)
    blocks: list[BlockTrace] = field(default_factory=list)
    logits: Tensor | None = None  # (T, V)

    def __repr__(self) -> str:
        """A line with the sizes."""
        return f"Trace({len(self.ids)} tokens, {len(self.blocks)} blocks, C={self.h0.shape[1]})"

    @property
    def weights(self) -> Tensor:
        """Attention weights of all layers and heads, (L, H, T, T)."""
        return torch.stack([block.weights for block in self.blocks])


@torch.no_grad()
def trace(model: GPT, ids: Tensor | Sequence[int]) -> Trace:
    """Run the model on one sequence, ids (T,) or a list, and keep every step.

    Dropout is off whatever the model's mode. A test compares the logits with
    `model(ids)`. Raises ValueError for a model that does not compute as GPT-1 does.
    """
    check_steps(model)
    if isinstance(ids, str):
        raise ValueError("ids are str, they must be token ids: bpe.encode(text)")
    if not len(ids):
        raise ValueError("the prompt is empty: a trace needs at least 1 token")
    ids = torch.as_tensor(ids).to(model.device)
    check_ids(ids[None], model.config)
    with eval_mode(model):
        h = model.embed(ids[None])[0]  # (T, C)
        steps = Trace(ids=ids, h0=h)
        for block in model.blocks:
            steps.blocks.append(_trace_block(cast(Block, block), h))
            h = steps.blocks[-1].h
        steps.logits = model.logits(h)  # (T, V)
    return steps


def check_steps(model: LanguageModel) -> None:
    """Raise ValueError unless a model's steps are GPT-1's: its `hidden`, and its blocks."""
    name = type(model).__name__
    if not isinstance(model, GPT) or type(model).hidden is not GPT.hidden:
        raise ValueError(f"trace follows the steps of GPT-1, {name} takes others")
    others = {type(block).__name__ for block in model.blocks if type(block) is not Block}
    if others:
        raise ValueError(f"trace follows post-LN blocks, {name} has {', '.join(others)}")


def _trace_block(block: Block, x: Tensor) -> BlockTrace:
    q, k, v = (t[0] for t in block.attention.split_heads(x[None]))  # (H, T, D)
    scores, masked, weights = attention_steps(q, k)  # (H, T, T)
    mixed = (weights @ v).transpose(0, 1).flatten(1)  # (T, C)
    attended = block.attention.project(mixed)  # (T, C)
    n = block.ln_1(x + attended)  # (T, C)
    mlp = block.mlp(n)  # (T, C)
    h = block.ln_2(n + mlp)  # (T, C)
    return BlockTrace(q, k, v, scores, masked, weights, attended, n, mlp, h)


def attention_steps(q: Tensor, k: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Scores, masked scores and weights (..., T, T) of queries and keys (..., T, D)."""
    scores = q @ k.mT / math.sqrt(q.shape[-1])  # (..., T, T)
    seen = causal_mask(q.shape[-2], device=q.device)  # (T, T)
    masked = scores.masked_fill(~seen, -math.inf)  # (..., T, T)
    return scores, masked, masked.softmax(dim=-1)


@contextmanager
def scale_heads(
    model: LanguageModel, factors: Mapping[tuple[int, int], float]
) -> Iterator[None]:
    """Inside the `with`, W_O reads the output of a head times its factor, from 0 to 1.

    factors: (layer, head) -> factor; 0 is zero-ablation, and heads that are not named stay as
    they are. Works with `model(ids)` and with `trace`. Raises ValueError for a head that the
    model does not have, a factor out of 0 to 1, or a model that does not compute as GPT-1 does.
    """
    check_steps(model)
    with ExitStack() as hooks:
        for (layer, head), factor in factors.items():
            validate.check_int("layer", layer, 0, model.config.n_layer - 1)
            validate.check_int("head", head, 0, model.config.n_head - 1)
            validate.check_float("factor", factor, ge=0, le=1)
            project = cast(Block, model.blocks[layer]).attention.project
            hook = _scale_head(head, model.config.head_dim, factor)
            hooks.callback(project.register_forward_pre_hook(hook).remove)
        yield


def ablate_heads(
    model: LanguageModel, heads: Sequence[tuple[int, int]]
) -> AbstractContextManager[None]:
    """Zero-ablation: inside the `with`, W_O reads 0 in place of these heads (layer, head).

    It is `scale_heads` with the factor 0, and raises as that does.
    """
    return scale_heads(model, {(layer, head): 0.0 for layer, head in heads})


def _scale_head(head: int, width: int, factor: float):
    """A hook that scales a head's slice of the merged heads (..., C); 0 replaces nan, too."""

    def scale(_, inputs: tuple[Tensor]) -> tuple[Tensor]:
        merged = inputs[0].clone()
        own = slice(head * width, (head + 1) * width)
        merged[..., own] = merged[..., own] * factor if factor else 0
        return (merged,)

    return scale

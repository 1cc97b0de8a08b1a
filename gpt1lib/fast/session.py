"""Reading one token at a time on a CPU, as fast as the memory delivers the weights.

One new token uses every weight once: 466 million bytes at GPT-1's full size, little
arithmetic. `model(ids, cache)` comes nowhere near the memory's speed, for three
reasons. A matrix times one vector runs on one core (torch 2.13 with MKL): here a matrix
is cut into groups of rows, which the cores share. The cache is copied each time it grows by
one token: here it has room from the start. A hundred modules are called for microseconds of
work each: here their weights are laid out once. A test compares both ways.
"""

import math
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ..model import GPT, Attention, Block, KVCache, gelu

PLAIN_MODULES = {GPT, Attention, Block}
PLAIN_MODULES |= {nn.Embedding, nn.Linear, nn.LayerNorm, nn.Dropout, nn.ModuleList}


def can_decode_fast(model: nn.Module, n_texts: int) -> bool:
    """Whether FastSession computes what this model does: one text, GPT-1, CPU, float32.

    A model with hooks or with a part of another kind computes something else.
    """
    weights = next(model.parameters())
    return (
        n_texts == 1
        and weights.device.type == "cpu"
        and weights.dtype == torch.float32
        and all(type(m) in PLAIN_MODULES for m in model.modules())
        and not any(m._forward_hooks or m._forward_pre_hooks for m in model.modules())
    )


class Matrix:
    """A linear layer for one vector, its rows in groups that the cores share."""

    def __init__(self, weight: Tensor, bias: Tensor | None = None):
        n_out, n_in = weight.shape
        n = math.gcd(n_out, 4)  # groups
        self.groups = weight.view(n, n_out // n, n_in).mT  # (n, n_in, n_out / n)
        self.bias = None if bias is None else bias.view(n, 1, n_out // n)

    def __call__(self, x: Tensor) -> Tensor:
        """x (1, n_in) -> (1, n_out)."""
        x = x.expand(len(self.groups), 1, -1)  # (n, 1, n_in), without a copy
        if self.bias is None:
            return torch.bmm(x, self.groups).view(1, -1)
        return torch.baddbmm(self.bias, x, self.groups).view(1, -1)


class FastBlock:
    """One block's weights, and room for the keys and values of a whole context."""

    def __init__(self, block: Block, n_ctx: int):
        a = block.attention
        self.qkv = Matrix(a.qkv.weight, a.qkv.bias)
        self.project = Matrix(a.project.weight, a.project.bias)
        self.expand = Matrix(block.expand.weight, block.expand.bias)
        self.shrink = Matrix(block.shrink.weight, block.shrink.bias)
        self.ln_1, self.ln_2 = block.ln_1, block.ln_2
        C, H = a.project.in_features, a.n_head
        self.heads = (3, H, 1, C // H)
        self.kv = a.qkv.weight.new_empty(2, H, n_ctx, C // H)

    def step(self, x: Tensor, position: int) -> Tensor:
        """The state (1, C) after this block of the token at a position."""
        qkv = self.qkv(x).view(self.heads)  # (3, H, 1, D)
        self.kv[:, :, position] = qkv[1:, :, 0]
        k, v = self.kv[:, None, :, : position + 1]  # 2 x (1, H, T, D): none is later
        mixed = F.scaled_dot_product_attention(qkv[:1], k, v)  # (1, H, 1, D)
        n = norm(self.ln_1, x + self.project(mixed.view(1, -1)))  # (1, C)
        return norm(self.ln_2, n + self.shrink(gelu(self.expand(n))))  # (1, C)


def norm(ln: nn.LayerNorm, x: Tensor) -> Tensor:
    """LayerNorm without the call of a module."""
    return F.layer_norm(x, ln.normalized_shape, ln.weight, ln.bias, ln.eps)


class FastSession:
    """Feeds one text to a GPT-1, first a prompt, then token by token; see DecodingSession."""

    def __init__(self, model: GPT):
        self.model, self.n_read = model, 0
        self.blocks = [FastBlock(cast(Block, b), model.config.n_ctx) for b in model.blocks]
        self.output = Matrix(model.output_matrix)

    def step(self, ids: Tensor) -> Tensor:
        """Logits (1, V) after the last of ids (1, T); T is 1 but for a prompt."""
        if self.n_read == 0:
            return self._prompt(ids)
        if ids.shape[1] != 1:
            raise ValueError(f"{ids.shape[1]} new tokens, after a prompt there must be 1")
        model, position = self.model, self.n_read
        h = model.tokens.weight[ids[0]] + model.positions.weight[position]  # (1, C)
        for block in self.blocks:
            h = block.step(h, position)
        self.n_read += 1
        return self.output(h)  # (1, V)

    def _prompt(self, ids: Tensor) -> Tensor:
        cache = KVCache(len(self.blocks))
        h = self.model.hidden(ids, cache)[:, -1]  # (1, C)
        self.n_read = ids.shape[1]
        for block, k, v in zip(self.blocks, cache.keys, cache.values, strict=True):
            if k is not None and v is not None:  # each block has read the prompt
                block.kv[:, :, : self.n_read] = torch.cat([k, v])  # (2, H, T, D)
        return self.output(h)

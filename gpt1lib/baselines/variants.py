"""What GPT-1 might have been: one choice changed, all else equal, for comparison.

Untied output needs no class of its own: GPTConfig(tied=False).
"""

import math

import torch
from torch import Tensor, nn

from ..config import INIT_STD, LN_EPS, GPTConfig
from ..model import GPT, Block, KVCache


class PreLNBlock(Block):
    """LayerNorm before each branch and not after the sum, as GPT-2 has it.

    n = x + attention(LN(x));  h = n + mlp(LN(n)).
    """

    def forward(self, x: Tensor, cache: KVCache | None = None, layer: int = 0) -> Tensor:
        """The states after this block: x (B, T, C) -> (B, T, C)."""
        n = x + self.drop(self.attention(self.ln_1(x), cache, layer))  # (B, T, C)
        return n + self.drop(self.mlp(self.ln_2(n)))  # (B, T, C)


class PreLNGPT(GPT):
    """Pre-LN blocks, and the one LayerNorm at the end that they need."""

    block = PreLNBlock

    def __init__(self, config: GPTConfig):
        super().__init__(config)
        self.ln_end = nn.LayerNorm(config.n_embd, eps=LN_EPS)

    def hidden(self, ids: Tensor, cache: KVCache | None = None) -> Tensor:
        """States (B, T, C) after the last LayerNorm."""
        return self.ln_end(super().hidden(ids, cache))


class Sinusoids(nn.Module):
    """Fixed sines and cosines in place of learned positions (Vaswani et al. 2017, 3.5).

    One learned number scales them, since our token embeddings change their scale too.
    """

    table: Tensor  # (n_ctx, C)

    def __init__(self, n_ctx: int, n_embd: int):
        super().__init__()
        positions = torch.arange(n_ctx)[:, None]
        rate = 10_000 ** (-torch.arange(0, n_embd, 2) / n_embd)  # (C / 2,)
        angles = positions * rate  # (n_ctx, C / 2)
        table = torch.stack([angles.sin(), angles.cos()], dim=-1)  # (n_ctx, C / 2, 2)
        self.register_buffer("table", table.flatten(1)[:, :n_embd], persistent=False)
        self.scale = nn.Parameter(torch.tensor(INIT_STD * math.sqrt(2)))  # as N(0, 0.02)

    def forward(self, positions: Tensor) -> Tensor:
        """Their embeddings: positions (T,) -> (T, C)."""
        return self.scale * self.table[positions]


class SinusoidalGPT(GPT):
    """GPT-1 but for its position embeddings, which are sinusoids."""

    def __init__(self, config: GPTConfig):
        super().__init__(config)
        # pyrefly: ignore[bad-assignment]
        self.positions = Sinusoids(config.n_ctx, config.n_embd)

"""One block, step by step: what it does to the state of one token, and in which order."""

import math
from collections.abc import Sequence
from functools import cache
from typing import Self, cast

import numpy as np
import torch
import traitlets
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from gpt1lib.baselines.variants import PreLNGPT
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.config import INIT_STD, GPTConfig
from gpt1lib.losses import lm_loss
from gpt1lib.model import GPT, Block
from gpt1lib.rng import fork_rng
from gpt1lib.tracing import Trace, trace

from .. import palette
from ..figure import new_figure, set_headline, style
from ..labels import token_labels
from ..numbers import percent
from ..plots.names import Named, name_lines
from .base import Explorer, as_half, encode_or_raise
from .controls import CleanUnicode, Index

STATIONS = (
    "comes in",
    "attention adds",
    "sum",
    "LayerNorm",
    "feed-forward adds",
    "sum",
    "LayerNorm",
)
STDS = (0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.085, 0.1, 0.12, 0.14, 0.17, 0.2)
AS_GPT1 = STDS.index(0.07)  # for matrices 64 wide what 0.02 is for GPT-1's, 768 wide


def by_depth(
    std: float = INIT_STD, pre_ln: bool = False, seed: int = 0, n_embd: int = 64
) -> tuple[list[float], list[float]]:
    """How far signal and gradient carry in an untrained model of twelve blocks.

    After each block: the mean length of a state; and the length of the gradient of the
    loss with respect to all matrices of the block. The blocks' matrices are N(0, std);
    the model reads four sequences of 32 random tokens.
    """
    config = GPTConfig(n_vocab=50, n_ctx=32, n_layer=12, n_head=4, n_embd=n_embd, dropout=0.0)
    lengths = []
    with fork_rng(seed):
        model = (PreLNGPT if pre_ln else GPT)(config)
        ids = torch.randint(config.n_vocab, (4, config.n_ctx))
    matrices = [[p for p in block.parameters() if p.dim() > 1] for block in model.blocks]
    for block, its in zip(model.blocks, matrices, strict=True):
        for p in its:
            p.data.mul_(std / INIT_STD)
        block.register_forward_hook(
            lambda _, __, h: lengths.append(h.norm(dim=-1).mean().item())
        )
    lm_loss(model(ids), ids).backward()
    gradients = [
        math.sqrt(sum(float((p.grad**2).sum()) for p in its if p.grad is not None))
        for its in matrices
    ]
    return lengths, gradients


@cache
def both_orders() -> list[dict]:
    """`by_depth` for each of STDS: {"std", "post": [lengths, gradients], "pre": ...}."""
    return [
        {"std": s, "post": list(by_depth(s)), "pre": list(by_depth(s, pre_ln=True))}
        for s in STDS
    ]


def at_stations(steps: Trace, block: int) -> torch.Tensor:
    """The states at each of STATIONS of one block, (7, T, C)."""
    x = steps.h0 if block == 0 else steps.blocks[block - 1].h
    s = steps.blocks[block]
    return torch.stack([x, s.attended, x + s.attended, s.n, s.mlp, s.n + s.mlp, s.h])


class BlockExplorer(Explorer):
    """One token on its way through one block, its neurons, and what the order changes.

    states: (L, 7, T, C), at each of STATIONS; neurons: (L, T, 4C), before the activation
    function; tokens: T pieces. Above, the seven stations of a post-LN block: 256 numbers
    and their length at each. Below, untrained models of twelve blocks in both orders.
    Traits: block, place, station (the last one shown), std (which of STDS).
    """

    tokens = traitlets.List(CleanUnicode()).tag(sync=True)
    shape = traitlets.List().tag(sync=True)  # blocks, tokens, C
    states = traitlets.Bytes().tag(sync=True)  # (L, 7, T, C) float16
    neurons = traitlets.Bytes().tag(sync=True)  # (L, T, 4C) float16, before GELU
    depths = traitlets.List().tag(sync=True)
    block = Index(lambda self: self.shape[0]).tag(sync=True, control=True)
    place = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    station = Index(lambda self: len(STATIONS), len(STATIONS) - 1).tag(sync=True, control=True)
    std = Index(lambda self: len(STDS), AS_GPT1).tag(sync=True, control=True)

    def __init__(
        self,
        states: torch.Tensor,
        neurons: torch.Tensor,
        tokens: Sequence[str],
        block: int = 0,
        place: int = 0,
    ):
        self._states, self._neurons = states, neurons
        L, _, T, C = states.shape
        super().__init__(
            tokens=list(tokens),
            shape=[L, T, C],
            states=as_half(states),
            neurons=as_half(neurons),
            depths=both_orders(),
        )
        self.block, self.place = block, place

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, block: int = 0, place: int = 0
    ) -> Self:
        """The blocks of a model on a text."""
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe
        ids = encode_or_raise(bpe, text, model.config.n_ctx)
        steps = trace(model, ids)
        pairs = zip(model.blocks, steps.blocks, strict=True)
        with torch.no_grad():
            states = torch.stack([at_stations(steps, i) for i in range(len(steps.blocks))])
            neurons = torch.stack([cast(Block, b).expand(s.n) for b, s in pairs])
        return cls(states, neurons, bpe.pieces(ids), block, place)

    def lengths(self) -> np.ndarray:
        """The length of the chosen token's state at each station, (7,)."""
        return self._states[self.block, :, self.place].norm(dim=-1).numpy()

    def firing(self) -> float:
        """The share of the chosen block's neurons that are above 0 at the chosen token."""
        return float((self._neurons[self.block, self.place] > 0).float().mean())

    def sentence(self) -> str:
        name = token_labels(self.tokens)[self.place]
        x, adds, _, n, also, _, h = self.lengths()
        return (
            f"In block {self.block} '{name}' comes in with length {x:.1f}; attention adds "
            f"{adds:.1f} and LayerNorm brings the sum to {n:.1f}; the feed-forward part, with "
            f"{percent(self.firing())} of its neurons above 0, adds {also:.1f}, and "
            f"LayerNorm brings that sum to {h:.1f}."
        )

    def finding(self) -> str:
        """How much the feed-forward part adds to the chosen token, beside what was there."""
        n, also = self.lengths()[3:5]
        return (
            f"Block {self.block}: the feed-forward part adds {also / n:.1f} times the length "
            f"that “{token_labels(self.tokens)[self.place]}” had before it"
        )

    def figure(self) -> Figure:
        states = self._states[self.block, :, self.place].numpy()
        with style():
            figure = new_figure(9.5, 3.9)
            left, right = figure.subplots(1, 2, width_ratios=(3, 2))
            draw_stations(left, states)
            draw_orders(right, self.depths[self.std])
            set_headline(figure, self.finding())
        return figure


def draw_stations(axes: Axes, states: np.ndarray) -> None:
    """The numbers of a state (7, C) at each station, as colors about 0, and its lengths."""
    top = float(np.abs(states).max()) / 2 or 1.0
    shades = colormaps["RdBu_r"].resampled(64)  # leaves some of a PNG's 256 for the names
    axes.imshow(states, cmap=shades, vmin=-top, vmax=top, aspect="auto")
    for row, state in enumerate(states):
        words = f"{np.linalg.norm(state):.1f}"
        axes.text(states.shape[1] + 3, row, words, va="center", fontsize=9)
    axes.set_yticks(range(len(STATIONS)), STATIONS)
    axes.set_xticks([])
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    axes.set_title("its numbers, and their length", fontsize=10, fontweight="normal")


def draw_orders(axes: Axes, depth: dict) -> None:
    """The length of the states after each of twelve untrained blocks, in both orders."""
    looks = {"post": ("-", palette.SERIES[0]), "pre": ("--", palette.SERIES[1])}
    named = []
    for order, (dash, color) in looks.items():
        line = axes.plot(depth[order][0], dash, color=color)[0]
        named.append(Named(f"{order}-LN", line))
    axes.set_yscale("log")
    axes.set_ylim(0.2, 160)
    axes.set_yticks([1, 10, 100], ["1", "10", "100"])
    axes.set_xticks([0, 3, 6, 9])
    axes.set_xlabel("untrained block")
    title = f"length of a state, weights N(0, {depth['std']:g})"
    axes.set_title(title, fontsize=10, fontweight="normal")
    axes.set_xlim(right=11)
    name_lines(axes, named)

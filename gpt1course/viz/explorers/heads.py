"""An atlas of heads: where each looks, how far the loss rises without it, and what it adds."""

from collections.abc import Sequence
from itertools import combinations
from typing import Self, cast

import numpy as np
import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib import validate
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT
from gpt1lib.tracing import scale_heads, trace

from .. import plots
from ..figure import new_figure, style
from ..labels import readable, token_labels
from ..numbers import minus, percent
from ..palette import SERIES
from .attention import MOST_TOKENS
from .base import Explorer, as_half, encode_or_raise
from .controls import CleanUnicode, Index

FACTORS = (0.0, 0.25, 0.5, 0.75)  # what a head can be turned down to; 1 is as it is
MEASURES = {
    "distance": "tokens back, on average",
    "entropy": "entropy in bits",
    "previous": "weight on the token before",
    "first": "weight on the first token",
    "itself": "weight on the token itself",
    "cost": "rise of the loss without it, in nats",
}


def head_measures(weights: ArrayLike) -> dict[str, np.ndarray]:
    """Where heads look: weights (L, H, T, T) -> measure -> (L, H), means over the rows.

    The first row is left out: it has nothing to choose. Raises ValueError for one token.
    """
    weights = plots.as_matrix(weights, "weights", 4)
    T = weights.shape[-1]
    validate.check_int("the number of tokens", T, 2)
    back = np.tril(np.arange(T)[:, None] - np.arange(T))
    bits = -np.log2(np.where(weights > 0, weights, 1))
    return {
        "distance": (weights * back).sum(-1)[..., 1:].mean(-1),
        "entropy": (weights * bits).sum(-1)[..., 1:].mean(-1),
        "previous": weights.diagonal(-1, -2, -1).mean(-1),
        "first": weights[..., 1:, 0].mean(-1),
        "itself": weights.diagonal(0, -2, -1)[..., 1:].mean(-1),
    }


@torch.no_grad()
def next_tokens(model: GPT, ids: Sequence[int]) -> np.ndarray:
    """Probabilities (1 + F * L * H, T, V) of what follows: by all heads, then with each head
    turned down to each of the F FACTORS.
    """
    config, text = model.config, torch.tensor([list(ids)])
    heads = [(block, h) for block in range(config.n_layer) for h in range(config.n_head)]
    found = []
    for scaled in ({}, *({head: factor} for factor in FACTORS for head in heads)):
        with scale_heads(model, scaled):
            found.append(model(text)[0].softmax(-1))
    return torch.stack(found).numpy()


def _likely(probs: np.ndarray, n: int) -> np.ndarray:
    """Ids (T, M) of all that is among the n likeliest of any row; probs (R, T, V).

    As many for each place, the likeliest of all rows first.
    """
    best, top = probs.max(0), torch.tensor(probs).topk(n).indices.numpy()  # (T, V), (R, T, n)
    wanted = [np.unique(top[:, t]) for t in range(probs.shape[1])]
    most = max(map(len, wanted))
    for t, ids in enumerate(wanted):
        best[t, ids] += 1  # before all others
    return np.argsort(-best, -1)[:, :most]


def _most_moved(before: np.ndarray, after: np.ndarray) -> int:
    """The token after which the next one moves most, from (T, M) to (T, M)."""
    return int(np.abs(after - before).sum(-1).argmax())


ATLAS = (295.0, 200.0)  # points from the first head to the last, about


def _pushed_apart(places: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """Places (2, n), moved until discs of these radii in points lie side by side."""
    low = places.min(1, keepdims=True)
    unit = np.maximum(np.ptp(places, 1, keepdims=True), 1e-9) / np.array(ATLAS)[:, None]
    points = (places - low) / unit  # (2, n)
    for _ in range(60):
        for i, j in combinations(range(points.shape[1]), 2):
            way = points[:, i] - points[:, j] + [0.0, 0.01]
            shared = (radii[i] + radii[j] - np.hypot(*way)) / 2
            step = max(0.0, shared) * way / np.hypot(*way)
            points[:, i] += step
            points[:, j] -= step
    return low + points * unit


class HeadsExplorer(Explorer):
    """All heads of a model on one text, and what it would say with one of them turned down.

    weights: (L, H, T, T); before: (T, M), the probabilities of M words after each of T tokens;
    after: (F, L * H, T, M), the same with each head turned down to each of FACTORS; words: T
    lists of M pieces. cost: (L, H), what the loss gains on held-out text when a head is
    ablated, in nats; heads are drawn as large as that. Traits: head (block * H + head), row
    (the token after which the next one is predicted), factor (what the head's output is
    multiplied by: one of FACTORS, or 1), across and up (the measures on the axes). Without a
    choice: the head that is missed most, after the token where ablating it moves the next one
    most.
    """

    data = traitlets.Bytes().tag(sync=True)
    before = traitlets.Bytes().tag(sync=True)
    after = traitlets.Bytes().tag(sync=True)
    tokens = traitlets.List(CleanUnicode()).tag(sync=True)
    words = traitlets.List().tag(sync=True)
    measures = traitlets.Dict().tag(sync=True)
    names = traitlets.Dict(MEASURES).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = Index(lambda self: self.n_layer * self.n_head).tag(sync=True, control=True)
    row = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    steps = traitlets.List(list(FACTORS)).tag(sync=True)
    factor = traitlets.Enum((*FACTORS, 1.0), 1.0).tag(sync=True, control=True)
    across = traitlets.Enum(tuple(MEASURES), "entropy").tag(sync=True, control=True)
    up = traitlets.Enum(tuple(MEASURES), "cost").tag(sync=True, control=True)

    def __init__(
        self,
        weights: np.ndarray,
        before: np.ndarray,
        after: np.ndarray,
        tokens: Sequence[str],
        words: Sequence[Sequence[str]],
        cost: ArrayLike,
        head: int | None = None,
        row: int | None = None,
    ):
        cost = plots.as_matrix(cost, "cost")
        shape, T = weights.shape[:2], len(tokens)
        if cost.shape != shape:
            raise ValueError(f"cost has shape {cost.shape}, the model has {shape} heads")
        head = int(cost.argmax()) if head is None else head
        head = validate.check_int("head", head, 0, cost.size - 1)
        row = _most_moved(before, after[0, head]) if row is None else row
        row = validate.check_int("row", row, -T, T - 1) % T
        self.weights, self.probs, self.scaled = weights, before, after
        measures = head_measures(weights) | {"cost": cost}
        super().__init__(
            data=as_half(weights),
            before=as_half(before),
            after=as_half(after),
            tokens=list(tokens),
            words=[list(row) for row in words],
            measures={k: [round(float(x), 4) for x in v.ravel()] for k, v in measures.items()},
            n_layer=shape[0],
            n_head=shape[1],
            head=head,
            row=row,
        )

    @classmethod
    def from_checkpoint(
        cls,
        checkpoint: Checkpoint,
        text: str,
        cost: ArrayLike,
        head: int | None = None,
        row: int | None = None,
        n: int = 6,
    ) -> Self:
        """The heads of a model on a text; n: how many likely words each row brings in."""
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe
        ids = encode_or_raise(bpe, text, MOST_TOKENS)
        probs = next_tokens(model, ids)  # (1 + F * L * H, T, V)
        likely = _likely(probs, validate.check_int("n", n, 1, model.config.n_vocab))  # (T, M)
        before, *after = np.take_along_axis(probs, likely[None], -1)
        return cls(
            trace(model, ids).weights.numpy(),
            before,
            np.reshape(after, (len(FACTORS), -1, *likely.shape)),
            bpe.pieces(ids),
            [bpe.pieces(row) for row in likely.tolist()],
            cost,
            head,
            row,
        )

    def _moved(self) -> tuple[str, float, float]:
        """The word that moves most as the chosen head is turned down, before and after; where
        it is not, without it.
        """
        at = FACTORS.index(self.factor) if self.factor < 1 else 0
        before, after = self.probs[self.row], self.scaled[at, self.head, self.row]
        most = int(np.abs(after - before).argmax())
        return self.words[self.row][most], float(before[most]), float(after[most])

    def sentence(self) -> str:
        block, head = divmod(self.head, self.n_head)
        word, before, after = self._moved()
        cost = minus(f"{self.measures['cost'][self.head]:.3f}")
        down = f"turning it down to {self.factor:g}" if 0 < self.factor < 1 else "ablating it"
        return (
            f"Block {block}, head {head} looks {self.measures['distance'][self.head]:.1f} "
            f"tokens back on average; without it the loss changes by {cost} nats per token. "
            f"After '{token_labels(self.tokens)[self.row]}', {down} moves "
            f"'{readable(word)}' most: from {percent(before)} to {percent(after)}."
        )

    def figure(self) -> Figure:
        block, head = divmod(self.head, self.n_head)
        names = token_labels(self.tokens)
        with style():
            figure = new_figure(8.6, 3.9)
            left, right = figure.subplots(1, 2, width_ratios=[1.25, 1])
            self._draw_atlas(left)
            future = np.triu(np.ones((len(names), len(names)), bool), 1)
            weights = self.weights[block, head]
            plots.matrices.draw_heatmap(right, weights, future)
            plots.matrices.label_axes(right, names, names, "", "")
            right.set_title(f"Block {block}, head {head}: from each row to each column")
        return figure

    def _draw_atlas(self, axes: Axes) -> None:
        """A disc per head, its area how far the loss rises without it, its name inside."""
        places = np.array([self.measures[name] for name in (self.across, self.up)])  # (2, n)
        sizes = 130 + 480 * np.clip(self.measures["cost"], 0, None) / self._largest()
        sizes *= min(1.0, 40 / len(sizes))
        chosen = np.arange(len(sizes)) == self.head
        hues = np.where(chosen, SERIES[1], SERIES[0])
        x, y = apart = _pushed_apart(places, np.sqrt(sizes / np.pi))
        axes.plot(*np.stack([places, apart], 1), color="#555555", lw=0.7, zorder=1)
        axes.scatter(x, y, sizes, c=hues, edgecolors="#222222", linewidths=0.8, zorder=2)
        for i, (px, py) in enumerate(zip(x, y, strict=True)):
            name = f"{i // self.n_head}.{i % self.n_head}"
            weight = "bold" if chosen[i] else "normal"
            axes.text(px, py, name, ha="center", va="center", fontsize=7.5, weight=weight)
        axes.margins(0.12)
        axes.set_xlabel(MEASURES[self.across])
        axes.set_ylabel(MEASURES[self.up])
        most = divmod(int(np.argmax(self.measures["cost"])), self.n_head)
        axes.set_title("Heads by block.head: {}.{} is missed most".format(*most))

    def _largest(self) -> float:
        return max(max(self.measures["cost"]), 1e-9)

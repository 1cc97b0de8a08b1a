"""One query that asks its keys, in a plane: by hand, and as a head of a model has it."""

import math
from collections.abc import Sequence
from typing import Self, cast

import numpy as np
import torch
import traitlets
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike
from torch import Tensor

from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT
from gpt1lib.tracing import trace

from ..figure import new_figure, set_headline, style
from ..labels import token_labels
from ..numbers import percent
from ..palette import SERIES
from .base import Explorer, encode_or_raise
from .controls import BoundedFloat, CleanUnicode

MOST = 12  # words that can be told apart in the plane
REACH = 20.0  # of each number of a query
HAND = {
    "tokens": ["she", "took", "letter", "table", "mother"],
    "keys": [[2.2, 0.4], [0.3, 0.3], [-1.2, 1.8], [-1.8, -0.6], [1.4, -1.6]],
    "values": [[2.2, 1.2], [0.2, 2.4], [-2.2, 1.0], [-1.6, -1.8], [1.6, -1.8]],
    "query": [-1.0, 1.5],
    "shrunk": 1.0,  # the query is drawn so many times shorter
}


def query_steps(
    query: ArrayLike, keys: ArrayLike, values: ArrayLike, extra: ArrayLike, root: float
) -> tuple[np.ndarray, ...]:
    """Dot products, scores and weights (n,), and the mix (M,), of one query.

    query (2,), keys (n, 2), values (n, M); extra (n,): what further numbers of query and
    key add to each dot product. root: what the dot products are divided by.
    """
    raw = np.asarray(keys, float) @ np.asarray(query, float) + np.asarray(extra, float)
    scores = raw / root
    powers = np.exp(scores - scores.max())
    weights = powers / powers.sum()
    return raw, scores, weights, weights @ np.asarray(values, float)


def added_numbers(n: int, size: int, seed: int = 33) -> np.ndarray:
    """What `size` - 2 more random numbers in query and keys add to n dot products, (n,)."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, size - 2)) @ rng.normal(size=size - 2)


def main_directions(points: Tensor, n: int) -> Tensor:
    """The n directions in which points (N, C) differ most, (n, C); the largest number is > 0.

    Singular vectors have no sign of their own, and on another machine they have another one.
    """
    rows = torch.linalg.svd(points).Vh[:n]
    return rows * rows.gather(1, rows.abs().argmax(dim=1, keepdim=True)).sign()


def head_plane(model: GPT, ids: Sequence[int], layer: int, head: int) -> dict:
    """A head's keys and values, and the query of the last token, as points in a plane.

    The first axis is the query's own direction, so that every dot product is exact; the
    second that in which the keys differ most besides. Keys are taken about their mean,
    which changes no weight; values along their two main directions. ValueError for a single
    token, whose key has no other to differ from.
    """
    if len(ids) < 2:
        raise ValueError(f"the text has {len(ids)} token, the plane takes at least 2")
    block = trace(model, ids).blocks[layer]
    q, k, v = block.q[head, -1], block.k[head], block.v[head]
    along = q / q.norm()
    k, v = k - k.mean(dim=0), v - v.mean(dim=0)
    rest = k - torch.outer(k @ along, along)
    (across,) = main_directions(rest, 1)
    keys = torch.stack([k @ along, k @ across], dim=1)
    main = main_directions(v, 2)
    far = keys.abs().max().item()
    return {
        "keys": keys.numpy().round(4).tolist(),
        "values": (v @ main.T).numpy().round(4).tolist(),
        "query": [round(q.norm().item(), 4), 0.0],
        "shrunk": max(1.0, math.ceil(1.2 * q.norm().item() / far)),
    }


class QueryExplorer(Explorer):
    """Drag a query over the plane of its keys; weights and mix follow.

    Traits: source ("hand" or "head"), query (its two numbers there), size (D: 2, 8 or 64;
    a head has its own), scaled (whether scores are divided by the root of D).
    """

    places = traitlets.Dict().tag(sync=True)  # source -> what head_plane returns, and tokens
    extra = traitlets.Dict().tag(sync=True)  # D -> what is added to the dot products
    head_size = traitlets.Int().tag(sync=True)
    title = CleanUnicode().tag(sync=True)
    source = traitlets.Enum(("hand", "head"), "hand").tag(sync=True, control=True)
    query = traitlets.List(BoundedFloat(min=-REACH, max=REACH), minlen=2, maxlen=2).tag(
        sync=True, control=True
    )
    size = traitlets.Enum((2, 8, 64), 2).tag(sync=True, control=True)
    scaled = traitlets.Bool(True).tag(sync=True, control=True)

    def __init__(self, tokens: Sequence[str], head: dict, head_size: int, title: str, **chosen):
        n = len(HAND["tokens"])
        super().__init__(
            places={"hand": HAND, "head": head | {"tokens": token_labels(tokens)}},
            extra={str(d): added_numbers(n, d).round(4).tolist() for d in (2, 8, 64)},
            head_size=head_size,
            title=title,
            **{"query": HAND["query"]} | chosen,
        )

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, layer: int, head: int, **chosen
    ) -> Self:
        """The last token of a text asks, in one head; and five words by hand beside it.

        Of a longer text the last 12 tokens are read, and the title says so.
        """
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe
        all_ids = encode_or_raise(bpe, text, model.config.n_ctx)
        ids = all_ids[-MOST:]
        L, H = model.config.n_layer, model.config.n_head
        if not (0 <= layer < L and 0 <= head < H):
            raise ValueError(f"block {layer}, head {head}: {L} blocks of {H} heads, from 0")
        plane = head_plane(model, ids, layer, head)
        if chosen.get("source") == "head":
            chosen = {"query": plane["query"]} | chosen
        tokens = bpe.pieces(ids)
        title = f"block {layer}, head {head}"
        if len(ids) < len(all_ids):
            title += f", the last {len(ids)} of {len(all_ids)} tokens"
        return cls(tokens, plane, model.config.n_embd // H, title, **chosen)

    def steps(self) -> tuple[np.ndarray, ...]:
        """What `query_steps` returns for what is chosen."""
        place, by_hand = self.places[self.source], self.source == "hand"
        size = self.size if by_hand else self.head_size
        extra = self.extra[str(size)] if by_hand else np.zeros(len(place["keys"]))
        root = math.sqrt(size) if self.scaled else 1.0
        return query_steps(self.query, place["keys"], place["values"], extra, root)

    def sentence(self) -> str:
        names, weights = self.places[self.source]["tokens"], self.steps()[2]
        return (
            f"A query and {len(names)} keys in a plane; '{names[weights.argmax()]}' gets the "
            f"largest weight. All weights: "
            + ", ".join(f"{n} {percent(w)}" for n, w in zip(names, weights, strict=True))
            + "."
        )

    def figure(self) -> Figure:
        place = self.places[self.source]
        _, _, weights, mix = self.steps()
        best, most = place["tokens"][weights.argmax()], percent(weights.max())
        with style():
            figure = new_figure(8, 3.6)
            set_headline(figure, f"The query gives most weight to '{best}', {most}")
            left, right = figure.subplots(1, 2)
            query = np.array(self.query) / place["shrunk"]
            shares = [
                f"{n} {percent(w)}" for n, w in zip(place["tokens"], weights, strict=True)
            ]
            along = np.linspace(0, 1, 20)[:, None] * query  # (20, 2), points of the arrow
            _dots(left, place["keys"], shares, weights, "keys, and the query", along)
            arrow = {"arrowstyle": "-|>", "color": "#222222", "lw": 2}
            left.annotate("", query, (0, 0), arrowprops=arrow)
            _dots(right, place["values"], place["tokens"], weights, "values, and their sum")
            right.plot(*mix, "D", color=SERIES[2], markersize=8)
        return figure


def _dots(
    axes: Axes,
    points: ArrayLike,
    names: Sequence[str],
    weights: np.ndarray,
    title: str,
    free: ArrayLike = (),
) -> None:
    """Points of a plane, each as large as its weight, and their names.

    free (n, 2): further points that no name may cover.
    """
    points = np.asarray(points)
    axes.scatter(*points.T, s=20 + 420 * weights, color=SERIES[0], alpha=0.8)
    axes.axhline(0, color="#cccccc", lw=0.8, zorder=0)
    axes.axvline(0, color="#cccccc", lw=0.8, zorder=0)
    axes.margins(x=0.3, y=0.18)
    axes.set_title(title, fontsize=10, fontweight="normal")
    cast(Figure, axes.figure).draw_without_rendering()  # gives everything its place
    taken = [
        Bbox.from_extents(x - 3, y - 3, x + 3, y + 3)
        for x, y in axes.transData.transform([*points, *np.asarray(free)])
    ]
    for name, point, weight in zip(names, map(tuple, points), weights, strict=True):
        look = {"fontsize": 8.5, "fontweight": "bold" if weight == weights.max() else "normal"}
        taken.append(_label(axes, name, point, 4 + 9 * math.sqrt(weight), taken, look))


def _label(axes: Axes, name: str, point: tuple, drop: float, taken: list, look: dict) -> Bbox:
    """Write a point's name on the first side where it covers nothing; returns its box."""
    for right, up in ((1, 1), (1, -1), (-1, 1), (-1, -1)):
        side = {"ha": "left" if right > 0 else "right", "va": "bottom" if up > 0 else "top"}
        offset = (right * drop, up * (drop - 3))
        text = axes.annotate(name, point, offset, textcoords="offset points", **look, **side)
        box = text.get_window_extent()
        if not any(box.overlaps(other) for other in taken):
            return box
        text.remove()
    text = axes.annotate(name, point, (drop, drop - 3), textcoords="offset points", **look)
    return text.get_window_extent()

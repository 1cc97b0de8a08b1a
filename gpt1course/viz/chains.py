"""The forward chain and the gradients that flow back along it, with every shape.

A chain is a row of stations, with a value before, between and after them. Each value has
its arrow forward above its shape, and below it the arrow back that its gradient takes.
Solid is forward and dashed is back, so that the drawing reads without color.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from . import diagrams
from .diagrams import COOL, INK, PAPER, WARM, arrow, draw_box
from .figure import new_figure, style

BOX, GAP, HALF = 1.0, 1.05, 0.5  # a station's width, a gap's, half a station's height
LANE = 0.26  # how far the arrows lie from the middle
NARROW, WIDE = 0.85, 1.2  # how far ways around lie: within one part, around it
BACK: dict[str, Any] = {"linestyle": (0, (4, 2)), "color": INK, "linewidth": 1}
SHORT = {"linestyle": (0, (2, 1.2))}  # where there is room for only one long dash
COLORS = {
    **dict.fromkeys(("look up", "output"), WARM),
    **dict.fromkeys(("blocks", "qkv", "scores", "softmax", "mix", "project"), COOL),
    **dict.fromkeys(("expand", "gelu", "shrink"), diagrams.WIDE),
}  # of stations, as in diagrams; all others are gray
WORDS: dict[str, Any] = {
    "ha": "center",
    "va": "center",
    "fontsize": 8,
    "parse_math": True,
    "bbox": {"facecolor": "white", "edgecolor": "none", "pad": 1},
}


@dataclass(frozen=True)
class Chain:
    """What a drawing shows: stations, the values between them, and what lies across."""

    title: str
    stations: tuple[tuple[str, str, str], ...]  # name, words in the box, its gradients
    values: tuple[tuple[str, str], ...]  # name, shape: one more than stations
    around: tuple[tuple[str, str, int, int, float], ...] = ()  # words, from, to, how far
    tied: tuple[int, int] | None = None  # two stations that share a matrix


CHAINS = {
    "model": Chain(
        "The whole model: values forward, gradients back",
        (
            ("look up", "look up,\nadd", "d $W_e$, d $W_p$"),
            ("blocks", "the\nblocks", "all of theirs"),
            ("output", "linear,\n$W_e$", "d $W_e$"),
            ("probs", "softmax", ""),
            ("loss", "- ln", ""),
        ),
        (
            ("ids", "(T,)"),
            ("h0", "(T, C)"),
            ("h", "(T, C)"),
            ("logits", "(T, V)"),
            ("probs", "(T, V)"),
            ("loss", "( )"),
        ),
        tied=(0, 2),
    ),
    "attention": Chain(
        "First half of a block: attention (from q, k, v to the mix, once per head)",
        (
            ("qkv", "linear", "d W, d b"),
            ("scores", "q k$^T$\n/ $\\sqrt{D}$", ""),
            ("softmax", "mask,\nsoftmax", ""),
            ("mix", "times v", ""),
            ("project", "linear", "d W, d b"),
            ("sum", "+", ""),
            ("ln_1", "Layer-\nNorm", "d gain, d bias"),
        ),
        (
            ("x", "(T, C)"),
            ("q, k", "(T, D)"),
            ("scores", "(T, T)"),
            ("weights", "(T, T)"),
            ("mixed", "(T, D)"),
            ("a", "(T, C)"),
            ("(x + a)", "(T, C)"),
            ("n", "(T, C)"),
        ),
        around=(("v", "d v", 1, 3, NARROW), ("x", "d x, added", 0, 5, WIDE)),
    ),
    "mlp": Chain(
        "Second half of a block: the feed-forward part",
        (
            ("expand", "linear", "d W, d b"),
            ("gelu", "GELU", ""),
            ("shrink", "linear", "d W, d b"),
            ("sum", "+", ""),
            ("ln_2", "Layer-\nNorm", "d gain, d bias"),
        ),
        (
            ("n", "(T, C)"),
            ("wide", "(T, 4C)"),
            ("active", "(T, 4C)"),
            ("m", "(T, C)"),
            ("(n + m)", "(T, C)"),
            ("h", "(T, C)"),
        ),
        around=(("n", "d n, added", 0, 3, WIDE),),
    ),
}


def walk_back(parts: Collection[str], here: Collection[str] = (), title: str = "") -> Figure:
    """Chains one below the other, with the stations `here` in black.

    parts: names of CHAINS. title: in place of the chains' own. Raises ValueError for a part
    or a station that is not there.
    """
    known = {name for part in parts if part in CHAINS for name, *_ in CHAINS[part].stations}
    if not parts or not set(parts) <= CHAINS.keys() or not set(here) <= known:
        raise ValueError(f"parts {[*parts]} must be in {[*CHAINS]}, here {[*here]} in {known}")
    longest = max(len(CHAINS[part].values) for part in parts)
    heights = [WIDE + 1.9 if CHAINS[part].around else LANE + 2.2 for part in parts]
    width = longest * (BOX + GAP) - BOX
    with style():
        figure = new_figure(0.61 * width, 0.61 * sum(h + 0.6 for h in heights))
        rows = figure.add_gridspec(len(parts), 1, height_ratios=heights)
        for i, (part, height) in enumerate(zip(parts, heights, strict=True)):
            axes = figure.add_subplot(rows[i])
            axes.set_axis_off()
            axes.set_xlim(0, width)
            axes.set_ylim(-1.6, height - 1.6)
            axes.set_title(title or CHAINS[part].title, fontsize=10)
            draw_chain(axes, CHAINS[part], here)
    return figure


def draw_chain(axes: Axes, chain: Chain, here: Collection[str]) -> None:
    """One row: values, stations, what goes around them and what they share."""
    for i, (name, shape) in enumerate(chain.values):
        draw_value(axes, i, name, shape)
    for i, (name, label, gradients) in enumerate(chain.stations):
        color = INK if name in here else COLORS.get(name, PAPER)
        draw_station(axes, i, label, gradients, color)
    for way in chain.around:
        draw_around(axes, *way)
    if chain.tied:
        draw_tied(axes, *chain.tied)


def middle_of_gap(i: int) -> float:
    """Where value i stands."""
    return i * (BOX + GAP) + GAP / 2


def middle_of_box(i: int) -> float:
    """Where station i stands."""
    return i * (BOX + GAP) + GAP + BOX / 2


def draw_value(axes: Axes, i: int, name: str, shape: str) -> None:
    """Its name above the arrow forward, its shape, its gradient below the arrow back."""
    x = middle_of_gap(i)
    left, right = x - GAP / 2 + 0.06, x + GAP / 2 - 0.06
    arrow(axes, (left, LANE), (right, LANE))
    axes.text(x, LANE + 0.2, name, **WORDS)
    axes.text(x, 0, shape, **WORDS)
    if name != "ids":  # whole numbers have no gradient
        arrow(axes, (right, -LANE), (left, -LANE), **BACK)
        axes.text(x, -LANE - 0.2, "1" if name == "loss" else f"d {name}", **WORDS)


def draw_station(axes: Axes, i: int, label: str, gradients: str, color: str) -> None:
    """A box, black for the part in question, and the gradients of its parameters below."""
    x = middle_of_box(i)
    draw_box(axes, x - BOX / 2, -HALF, BOX, 2 * HALF, color)
    look = WORDS | {"bbox": None, "fontsize": 8.5}
    if color == INK:
        look |= {"color": "white", "weight": "bold"}
    axes.text(x, 0, label, **look)
    if gradients:
        arrow(axes, (x, -HALF), (x, -0.92), **BACK | SHORT)
        axes.text(x, -1.03, gradients, **WORDS)


def draw_around(axes: Axes, name: str, back: str, value: int, station: int, far: float) -> None:
    """A way past some stations: forward above them, and its gradient back below."""
    begin, end = middle_of_gap(value), middle_of_box(station)
    axes.plot([begin, begin, end], [LANE + 0.34, far, far], color=INK, linewidth=1)
    arrow(axes, (end, far), (end, HALF), shrinkA=0)  # no gap at the corner
    axes.plot([end, end, begin], [-HALF, -far - 0.1, -far - 0.1], **BACK)
    arrow(axes, (begin, -far - 0.1), (begin, -LANE - 0.34), shrinkA=0, **BACK)
    axes.text((begin + end) / 2, far, name, **WORDS)
    axes.text((begin + end) / 2, -far - 0.1, back, **WORDS)


def draw_tied(axes: Axes, first: int, second: int) -> None:
    """The bracket below two stations whose gradients go into one matrix."""
    a, b = middle_of_box(first), middle_of_box(second)
    axes.plot([a, a, b, b], [-1.17, -1.4, -1.4, -1.17], color=INK, linewidth=1)
    axes.text((a + b) / 2, -1.4, "one matrix: added", **WORDS)

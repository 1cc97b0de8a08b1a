"""The map of a model as a figure: a column per token, a row per block, a guess per cell."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, PathPatch
from matplotlib.path import Path as Curve

from ..figure import new_figure, style
from ..labels import readable
from ..numbers import percent
from ..palette import SERIES, dark, ink

TALL, GAP, STRIP = 0.62, 0.72, 0.2  # of a cell, between cells, of a strip of numbers
WIDE = 0.92
FEWEST = 4  # columns that there is room for
LEVELS = 2  # of color on each side of 0: a patch of more makes a large file
LEAST = 0.02  # of a weight that is drawn


def draw_map(
    title: str,
    names: Sequence[str],
    ids: Sequence[int],
    states: Sequence[np.ndarray],
    weights: np.ndarray,
    lens: Sequence,
    place: int,
) -> Figure:
    """The whole model on one text.

    states: rows of W_e, rows of W_p, their sums, then the states out of each block, all
    (T, C). weights: (L, T, T), the mean of the heads. lens: (L + 1) x T guesses, the best
    first. place: the token whose column stands out.
    """
    T, L = len(names), len(weights)
    tops = [1.3 + i * (TALL + GAP) + (STRIP if i else 0) for i in range(L + 1)]
    with style():
        figure = new_figure(min(12.0, 1.25 + 0.66 * max(T, FEWEST)), 0.49 * (tops[-1] + 2.2))
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(-1.75, max(T, FEWEST) + 0.02)
        axes.set_ylim(tops[-1] + 1.75, -0.9)
        figure.text(0.01, 0.985, title, va="top", fontsize=12.5, fontweight="bold")
        _draw_tokens(axes, names, ids, states[:2], place)
        for i, top in enumerate(tops):
            if i:
                _draw_looks(axes, weights[i - 1][place], tops[i - 1] + TALL + STRIP, top, place)
            _draw_states(axes, states[2 + i], lens[i], top, place)
            name = f"block {i - 1}" if i else "sum"
            _name(axes, name, top + TALL / 2)
        _draw_end(axes, lens[-1], tops[-1] + TALL + STRIP, place)
    return figure


def _name(axes: Axes, text: str, y: float) -> None:
    axes.text(-0.12, y, text, ha="right", va="center", fontsize=9.5, color="#555555")


def _draw_tokens(axes: Axes, names, ids, tables, place: int) -> None:
    """Word and id of each token, then its rows of the two tables."""
    for t, (name, number) in enumerate(zip(names, ids, strict=True)):
        weight = "bold" if t == place else "normal"
        axes.text(t + 0.5, 0.18, name, ha="center", fontsize=10, fontweight=weight)
        axes.text(t + 0.5, 0.4, f"{number:,}", ha="center", fontsize=7, color="#555555")
    _name(axes, "token, id", 0.25)
    for i, (name, rows) in enumerate(zip(("row of Wₑ", "+ row of Wₚ"), tables, strict=True)):
        y = 0.58 + 0.32 * i
        for t, row in enumerate(rows):
            _strip(axes, row, t, y, np.abs(rows).mean() * 3)
        _name(axes, name, y + STRIP / 2)


def _strip(axes: Axes, values: np.ndarray, t: int, y: float, top: float) -> None:
    """C numbers about 0 as a patch of colors, four times as wide as tall."""
    columns = int(np.ceil(np.sqrt(4 * len(values))))
    rows = int(np.ceil(len(values) / columns))
    patch = np.full(rows * columns, np.nan)
    patch[: len(values)] = np.rint(np.clip(values / top, -1, 1) * LEVELS) / LEVELS
    left = t + (1 - WIDE) / 2
    box = (left, left + WIDE, y + STRIP, y)
    look = {"cmap": "RdBu_r", "vmin": -1, "vmax": 1, "interpolation": "nearest"}
    axes.imshow(patch.reshape(rows, columns), extent=box, aspect="auto", **look)


def _draw_states(axes: Axes, states: np.ndarray, guesses, top: float, place: int) -> None:
    """What each state would guess, as dark as it is likely, over the state's numbers."""
    cmap, scale = colormaps["magma_r"], np.abs(states).mean() * 3
    for t, (best, *_) in enumerate(guesses):
        word, p = best
        color = cmap(p)
        corner = (t + (1 - WIDE) / 2, top)
        ec, lw = ("#222222", 1.6) if t == place else ("#bbbbbb", 0.5)
        box = FancyBboxPatch(corner, WIDE, TALL, "square,pad=0", fc=color, ec=ec, lw=lw)
        axes.add_patch(box)
        look: dict[str, Any] = {"ha": "center", "va": "center", "color": ink(color[:3])}
        axes.text(t + 0.5, top + 0.24, readable(word), fontsize=9, **look)
        axes.text(t + 0.5, top + 0.47, percent(p), fontsize=7, **look)
        _strip(axes, states[t], t, top + TALL, scale)


def _draw_looks(axes: Axes, row: np.ndarray, high: float, low: float, place: int) -> None:
    """A curve from each token that the chosen one looks at, as thick as the heads' mean."""
    middle, color = (high + low) / 2, dark(SERIES[0])
    for s, weight in enumerate(row[: place + 1]):
        if weight < LEAST:
            continue
        end = place + 0.5 + ((s + 0.5) / (place + 1) - 0.5) * 0.6  # in order, side by side
        points = [(s + 0.5, high), (s + 0.5, middle), (end, middle), (end, low)]
        curve = Curve(points, [Curve.MOVETO] + 3 * [Curve.CURVE4])
        look = {"lw": 0.4 + 6 * weight, "ec": color, "alpha": 0.9}
        axes.add_patch(PathPatch(curve, fill=False, **look))


def _draw_end(axes: Axes, guesses, y: float, place: int) -> None:
    """The next word of the chosen token, large, with the two steps that make it."""
    (word, p), *others = guesses[place]
    _name(axes, "× Wₑᵀ, softmax", y + 0.5)
    rest = ",  ".join(f"{readable(piece)} {percent(q)}" for piece, q in others)
    said = f"{readable(word)} {percent(p)}"
    axes.annotate(
        "", (place + 0.5, y + 0.34), (place + 0.5, y + 0.06), arrowprops={"arrowstyle": "->"}
    )
    look: dict[str, Any] = {"ha": "right", "va": "center"}
    axes.text(place + 0.96, y + 0.56, said, fontsize=13, fontweight="bold", **look)
    axes.text(place + 0.96, y + 0.86, rest, fontsize=9, color="#555555", **look)

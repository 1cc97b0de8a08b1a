"""Words, and positions in their order, as places on a plane."""

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from ..figure import new_figure, style
from ..palette import ROLES, SERIES
from .arrays import as_matrix


def word_map(
    points: ArrayLike,
    words: Sequence[str],
    links: Sequence[tuple[int, int]] = (),
    beside: Sequence[int] = (),
    title: str = "",
) -> Figure:
    """Words at their places (n, 2): dots, lines between some, names where they are asked for.

    links: pairs of rows, named in bold. beside: rows that are named in gray.
    Raises ValueError unless there is one place per word.
    """
    points = as_matrix(points, "points")
    if points.shape != (len(words), 2):
        raise ValueError(f"points are {points.shape}, there are {len(words)} words")
    linked = {i for link in links for i in link}
    with style():
        figure = new_figure(7, 3.6)
        axes = figure.add_subplot()
        axes.plot(*points.T, ".", color=ROLES["rest"], markersize=3, zorder=1)
        for a, b in links:
            axes.plot(*points[[a, b]].T, color=SERIES[2], linewidth=1, zorder=2)
        for i in [*beside, *linked]:
            look = {"fontweight": "bold", "fontsize": 9} if i in linked else {"fontsize": 8}
            look["color"] = "black" if i in linked else "#555555"
            left = any(b == i and points[b, 0] < points[a, 0] for a, b in links)
            look |= {"ha": "right", "xytext": (-3, 2)} if left else {"xytext": (3, 2)}
            axes.annotate(words[i], points[i], textcoords="offset points", **look)
        low, high = points.min(axis=0), points.max(axis=0) + 0.05 * np.ptp(points, axis=0)
        axes.set(xlim=(low[0] - 0.02, high[0]), ylim=(low[1] - 0.02, high[1]))
        axes.set(xticks=[], yticks=[], xlabel="axis 1", ylabel="axis 2", title=title)
    return figure


def path(points: ArrayLike, cosines: ArrayLike, place: int, title: str = "") -> Figure:
    """Positions (n, 2) in their order, and beside them the cosines (n,) of one with all.

    Every fiftieth position is named on the path; a ring marks the chosen place.
    """
    points, cosines = as_matrix(points, "points"), as_matrix(cosines, "cosines", 1)
    n = len(points)
    if points.shape != (n, 2) or len(cosines) != n or not 0 <= place < n:
        raise ValueError(f"points {points.shape}, cosines ({len(cosines)},), place {place}")
    with style():
        figure = new_figure(7.6, 3.1)
        left, right = figure.subplots(1, 2)
        left.plot(*points.T, color=ROLES["rest"], linewidth=0.7, zorder=1)
        left.scatter(*points.T, c=range(n), cmap="magma_r", vmin=-0.4 * n, s=7, zorder=2)
        left.plot(*points[place], "o", mfc="none", mec="black", markersize=9, zorder=3)
        middle = points.mean(axis=0)
        for i in range(0, n, 50 if n > 100 else max(1, n // 5)):
            away = (points[i] - middle) / (np.linalg.norm(points[i] - middle) or 1)
            look = {
                "ha": "center",
                "va": "center",
                "fontsize": 8,
                "textcoords": "offset points",
            }
            left.annotate(i, points[i], tuple(12 * away), **look)
        left.margins(0.1)
        left.set(xticks=[], yticks=[], xlabel="axis 1", ylabel="axis 2")
        right.plot(cosines, color=SERIES[0], linewidth=1.2)
        right.axvline(place, color="black", linewidth=1, linestyle="--")
        right.set(xlabel="position", ylabel=f"cosine with position {place}", ylim=(-1, 1.05))
        right.grid(axis="y")
        figure.suptitle(title, x=0.01, ha="left", fontsize=11.5, fontweight="bold")
    return figure

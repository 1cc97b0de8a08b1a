"""Words, and positions in their order, as places on a plane."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from ..figure import new_figure, set_headline, style
from ..palette import ROLES, SERIES
from .arrays import as_matrix

BOLD: dict[str, Any] = {"fontsize": 9, "fontweight": "bold", "color": "black"}
PALE: dict[str, Any] = {"fontsize": 8, "color": "#555555"}
OUTSIDE: dict[str, Any] = {"fontsize": 8, "ha": "center", "va": "center"}
Links = Sequence[tuple[int, int]]


def word_map(
    points: ArrayLike,
    words: Sequence[str],
    links: Links = (),
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
        figure = new_figure(6.6, 3.3)
        axes = figure.add_subplot()
        axes.plot(*points.T, ".", color=ROLES["rest"], markersize=2.5, zorder=1)
        for a, b in links:
            axes.plot(*points[[a, b]].T, color=SERIES[2], linewidth=1, zorder=2)
        for i in linked | set(beside):
            look = (BOLD if i in linked else PALE) | _away_from_lines(points, links, i)
            axes.annotate(words[i], points[i], textcoords="offset points", **look)
        axes.margins(0.02, 0.06)
        axes.set(xticks=[], yticks=[], xlabel="axis 1", ylabel="axis 2", title=title)
    return figure


def _away_from_lines(points: np.ndarray, links: Links, i: int) -> dict[str, Any]:
    """On which side of its dot a word stands: away from where its line comes from.

    Of the words that one is linked with, the lower half stand below their dots.
    """
    sources = [a for a, b in links if b == i]
    if not sources:
        return {"xytext": (3, 2)}
    source = sources[0]
    heights = points[[b for a, b in links if a == source], 1]
    left, low = points[i, 0] < points[source, 0], points[i, 1] < np.median(heights)
    aside = {"ha": "right"} if left else {"ha": "left"}
    return {
        "xytext": (-3 if left else 3, -2 if low else 2),
        "va": "top" if low else "bottom",
    } | aside


def path(points: ArrayLike, cosines: ArrayLike, place: int, title: str = "") -> Figure:
    """Positions (n, 2) in their order, and beside them the cosines (n,) of one with all.

    Of many positions every fiftieth is named; a ring marks the chosen place.
    Raises ValueError where points, cosines and place do not fit each other.
    """
    points, cosines = as_matrix(points, "points"), as_matrix(cosines, "cosines", 1)
    n = len(points)
    if points.shape != (n, 2) or len(cosines) != n or not 0 <= place < n:
        raise ValueError(
            f"points {points.shape}, cosines ({len(cosines)},), place {place}: they must be "
            "(n, 2), (n,), and 0 to n - 1"
        )
    with style():
        figure = new_figure(6.8, 2.9)
        left, right = figure.subplots(1, 2)
        left.plot(*points.T, color=ROLES["rest"], linewidth=0.7, zorder=1)
        left.scatter(*points.T, c=range(n), cmap="magma_r", vmin=-0.4 * n, s=6, zorder=2)
        left.plot(*points[place], "o", mfc="none", mec="black", markersize=9, zorder=3)
        for i in range(0, n, 50 if n > 100 else max(1, n // 5)):
            away = points[i] - points.mean(axis=0)
            offset = tuple(12 * away / (np.linalg.norm(away) or 1))
            left.annotate(str(i), points[i], offset, textcoords="offset points", **OUTSIDE)
        left.margins(0.1)
        left.set(xticks=[], yticks=[], xlabel="axis 1", ylabel="axis 2")
        right.plot(cosines, color=SERIES[0], linewidth=1.2)
        right.axvline(place, color="black", linewidth=1, linestyle="--")
        right.set(xlabel="position", ylabel=f"cosine with {place}", ylim=(-1, 1.05))
        right.set_yticks([-1, -0.5, 0, 0.5, 1])
        right.grid(axis="y")
        set_headline(figure, title)
    return figure

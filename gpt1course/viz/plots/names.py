"""Names of lines, each at the end of its own line: no legend to look up."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.transforms import ScaledTranslation

from ..palette import dark
from .arrays import apart

SIZE = 9  # points
LEADER = 20  # points from the end of a line to its name


@dataclass(frozen=True)
class Named:
    """A line that is drawn, and its name."""

    name: str
    line: Line2D

    @property
    def points(self) -> np.ndarray:
        """(n, 2), in the units of the axes' numbers."""
        return np.asarray(self.line.get_xydata(), float)

    @property
    def color(self) -> str:
        """As it was given."""
        return str(self.line.get_color())

    def in_axes(self, axes: Axes) -> np.ndarray:
        """The points in fractions of the axes, whatever their scales."""
        return (axes.transData + axes.transAxes.inverted()).transform(self.points)

    def is_hump(self) -> bool:
        """Does the line rise and fall back, so that its end says little?"""
        y = self.points[:, 1]
        return max(y[0], y[-1]) < y.min() + 0.3 * np.ptp(y)


def name_lines(axes: Axes, named: Sequence[Named]) -> None:
    """Write each name where its line ends, with a leader in its color and dash.

    Names that would overlap are moved apart both ways, as little as possible. Lines that
    rise and fall back to where others end are named where they stand out. To be called
    last: scales, limits, title and axis names must stand.
    """
    if _meet(axes, named) and all(n.is_hump() for n in named):
        _name_humps(axes, named)
        return
    early = [n for n in named if n.in_axes(axes)[-1, 0] < 0.85]
    for one in early:
        _name_ends(axes, [one], one.in_axes(axes)[-1, 0])
    _name_ends(axes, [n for n in named if n not in early], 1.0)


def _name_ends(axes: Axes, named: Sequence[Named], x: float) -> None:
    """The names of lines in a column, beginning a leader to the right of x."""
    figure = axes.get_figure(root=True)
    if figure is None or not named:
        return
    figure.draw_without_rendering()  # now the axes have their height
    row = 1.35 * SIZE / 72 * figure.dpi / axes.get_window_extent().height
    places = apart([n.in_axes(axes)[-1, 1] for n in named], [row] * len(named), 0, 1)
    column = axes.transAxes + ScaledTranslation(LEADER / 72, 0, figure.dpi_scale_trans)
    for one, y in zip(named, places, strict=True):
        leader = {
            "arrowstyle": "-",
            "color": one.color,
            "linestyle": one.line.get_linestyle(),
            "linewidth": 1.4,
            "relpos": (0, 0.5),
            "shrinkA": 2,
            "shrinkB": 0,
        }
        _write(axes, one, one.points[-1], (x, y), column, va="center", arrowprops=leader)


def _write(axes: Axes, one: Named, point, place, coordinates, **look) -> None:
    """The name at a place that belongs to a point, drawn even outside the axes."""
    look |= {"fontsize": SIZE, "color": dark(one.color), "annotation_clip": False}
    axes.annotate(one.name, tuple(point), place, textcoords=coordinates, **look)


def _meet(axes: Axes, named: Sequence[Named]) -> bool:
    """Do two lines or more end at the same point of the picture?"""
    heights = np.sort([n.in_axes(axes)[-1, 1] for n in named])
    return bool((np.diff(heights) < 0.02).any())


def _name_humps(axes: Axes, named: Sequence[Named]) -> None:
    """The names of lines where each is furthest above the others, on its outer side."""
    axes.margins(y=0.12)
    curves = [n.points.T for n in named]
    middle = np.mean([np.average(x, weights=y - y.min()) for x, y in curves])
    for one, (x, y) in zip(named, curves, strict=True):
        others = [
            np.interp(x, *curve) for n, curve in zip(named, curves, strict=True) if n is not one
        ]
        i = int(np.argmax(y - np.max(others, axis=0)))
        side, ha = (-1, "right") if x[i] < middle else (1, "left")
        _write(axes, one, (x[i], y[i]), (6 * side, 3), "offset points", ha=ha)

"""Curves, and means along a setting."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogFormatter
from numpy.typing import ArrayLike

from ..figure import new_figure, style
from ..numbers import tick
from ..palette import ROLES, hues
from .arrays import as_matrix
from .names import Named, name_lines

DASHES = ["-", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 2)), (0, (8, 2, 2, 2))]
LEVELS = ["--", ":", "-."]  # of constants to compare with
MARKS = "osD^vP"
WINDOW = 9  # points that are averaged where a curve is noisy

Curve = tuple[np.ndarray, np.ndarray]


def lines(
    series: Mapping[str, ArrayLike],
    x: ArrayLike | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    marks: Mapping[str, ArrayLike] | None = None,
    logx: bool | int = False,
    logy: bool | int = False,
) -> Figure:
    """Curves, each named at its end: name -> (n,) values over x, or name -> (x, y).

    marks: name -> list of (x, y), drawn as a line with a mark at each. logx, logy: a
    logarithmic axis of base 10, or of the base given. A constant is drawn as a level to
    compare with, gray and dashed; a long and noisy curve pale, with its mean of nine over
    it.
    """
    curves = {name: _curve(name, values, x) for name, values in series.items()}
    dotted = {name: tuple(np.asarray(p, float).T) for name, p in (marks or {}).items()}
    with style():
        figure = new_figure(8, 3.8)
        axes = figure.add_subplot()
        for on, set_scale in ((logx, axes.set_xscale), (logy, axes.set_yscale)):
            if on:
                set_scale("log", base=10 if on is True else on)
        named = _draw_curves(axes, curves, dotted)
        if any(_is_noisy(y) for _, y in curves.values()):
            xlabel = f"{xlabel} (thick: means of {WINDOW})".strip()
        if logx == 2:
            _tick_at_points(axes, named)
        if named and not logx and all(np.all(one.points[:, 0] % 1 == 0) for one in named):
            axes.locator_params("x", integer=True)  # there is no half update
        _finish(axes, named, xlabel, ylabel, title)
    return figure


def twin_lines(
    solid: Mapping[str, ArrayLike],
    dashed: Mapping[str, ArrayLike],
    kinds: tuple[str, str],
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    logx: bool | int = False,
    among: Sequence[str] = (),
) -> Figure:
    """Two curves of each name in one color: name -> (x, y), solid and dashed.

    kinds: what solid and dashed lines are, for the legend. A line is named at its solid end.
    among: all names of another figure of `lines`, so that a name has the same color in both.
    Raises ValueError where the two do not have the same names.
    """
    if solid.keys() != dashed.keys():
        raise ValueError(f"solid has {[*solid]}, dashed has {[*dashed]}: each needs both")
    with style():
        figure = new_figure(8, 3.8)
        axes, named = figure.add_subplot(), []
        if logx:
            axes.set_xscale("log", base=10 if logx is True else logx)
        names = list(among or solid)
        colors = dict(zip(names, hues(names), strict=True))
        for name in solid:
            (x, y), (other_x, other_y) = np.asarray(solid[name]), np.asarray(dashed[name])
            axes.plot(other_x, other_y, linestyle=DASHES[1], linewidth=1.4, color=colors[name])
            named.append(Named(name, axes.plot(x, y, color=colors[name])[0]))
        for kind, dash in zip(kinds, DASHES, strict=False):
            axes.plot([], [], color=ROLES["reference"], linestyle=dash, label=kind)
        axes.legend(loc="upper left", fontsize=9)
        if logx == 2:
            _tick_at_points(axes, named)
        _finish(axes, named, xlabel, ylabel, title)
    return figure


def _tick_at_points(axes: Axes, named: list[Named], most: int = 12) -> None:
    """A tick for each measured x: stages such as 16, 31, 62 are no powers of two."""
    xs = sorted({float(x) for one in named for x in one.points[:, 0]})
    if len(xs) <= most:
        axes.set_xticks(xs, [f"{x:,.0f}" for x in xs])
        axes.set_xticks([], minor=True)


def _curve(name: str, values: ArrayLike, x: ArrayLike | None) -> Curve:
    xs, ys = values if isinstance(values, tuple) else (x, values)
    ys = as_matrix(ys, name, 1)
    return np.arange(len(ys)) if xs is None else np.asarray(xs, float), ys


def _draw_curves(axes: Axes, curves: dict[str, Curve], dotted: dict[str, Curve]) -> list[Named]:
    """Draw the lines, as noisy ones, levels, or curves with or without dots."""
    levels = [name for name, (_, y) in curves.items() if len(y) > 1 and np.ptp(y) == 0]
    moving = [name for name in [*curves, *dotted] if name not in levels]
    colors = dict(zip(moving, hues(moving), strict=True))
    named = []
    for name, (x, y) in curves.items():
        if name in levels:
            dash = LEVELS[levels.index(name) % 3]
            look: dict = {"color": ROLES["reference"], "linestyle": dash, "linewidth": 1.4}
        elif _is_noisy(y):
            axes.plot(x, y, color=colors[name], linewidth=0.8, alpha=0.35)
            y = _smooth(y)
            look = {"color": colors[name], "linewidth": 1.6}
        else:
            dash = DASHES[moving.index(name) % 6]
            look = {"color": colors[name], "linestyle": dash}
            if len(y) == 1:  # no line, so a mark
                look |= {"marker": "o", "markersize": 5, "clip_on": False}
        named.append(Named(name, axes.plot(x, y, **look)[0]))
    for k, (name, (x, y)) in enumerate(dotted.items()):
        look = {"marker": MARKS[k % len(MARKS)], "markersize": 5, "clip_on": False}
        named.append(Named(name, axes.plot(x, y, color=colors[name], **look)[0]))
    return named


def _smooth(y: np.ndarray) -> np.ndarray:
    """The moving mean; at the start of fewer points, so that a steep one stays steep."""
    i, sums = np.arange(len(y)), np.cumsum([0, *y])
    before = np.minimum(WINDOW // 2, i)
    after = np.minimum(before, i[::-1])
    return (sums[i + after + 1] - sums[i - before]) / (before + after + 1)


def _is_noisy(y: np.ndarray) -> bool:
    """Is a curve long, and off its moving mean by what the eye would see?"""
    return len(y) >= 180 and bool(np.median(np.abs(y - _smooth(y))) > 0.008 * np.ptp(y) > 0)


def _finish(axes: Axes, named: list[Named], xlabel: str, ylabel: str, title: str) -> None:
    """What all curves have: plain numbers, a grid, words, and names at the ends."""
    for axis, limits in ((axes.xaxis, axes.get_xlim()), (axes.yaxis, axes.get_ylim())):
        if axis.get_scale() == "log" or max(np.abs(limits)) >= 1000:
            axis.set_major_formatter(tick)
        if axis.get_scale() == "log":
            axis.set_minor_formatter(LogFormatter())  # plain; the default writes formulas
    axes.grid(axis="y")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    axes.margins(x=0.02)
    axes.set_xlim(right=axes.dataLim.x1)
    name_lines(axes, named)


def sweep(
    values: Sequence[str],
    series: dict[str, list[dict]],
    xlabel: str = "",
    ylabel: str = "accuracy",
    title: str = "",
) -> Figure:
    """Means over the values of a setting, each with its interval and its single runs.

    series: name -> a dict with mean, half (of the interval; None for one seed) and seeds
    for each value.
    """
    for name, places in series.items():
        if len(places) != len(values):
            raise ValueError(f"{name}: {len(places)} places, {len(values)} values")
    with style():
        figure = new_figure(8, 3.8)
        axes, named = figure.add_subplot(), []
        for k, ((name, places), color) in enumerate(
            zip(series.items(), hues(list(series)), strict=True)
        ):
            x = np.arange(len(values)) + 0.16 * (k - (len(series) - 1) / 2)
            line = _draw_sweep(axes, x, places, k, color)
            named.append(Named(name.replace("_", " "), line))
        axes.set_xticks(range(len(values)), values)
        _finish(axes, named, xlabel, ylabel, title)
    return figure


def _draw_sweep(axes: Axes, x: np.ndarray, places: list[dict], k: int, color: str) -> Line2D:
    """Means with their intervals, and a dot per run beside them; returns the line."""
    means = as_matrix([p["mean"] for p in places], "mean", 1)
    look = {"color": color, "marker": MARKS[k % 6], "linestyle": DASHES[k % 6]}
    halves = [p["half"] or 0 for p in places]
    drawn = axes.errorbar(x, means, halves, linewidth=1.2, **look)
    for at, place in zip(x + 0.05, places, strict=True):
        seeds = place["seeds"]
        axes.plot([at] * len(seeds), seeds, ".", color=color, markersize=4, clip_on=False)
    return drawn[0]

"""Bars: probabilities, scores, parts of a whole; and scores with their intervals."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..figure import new_figure, style
from ..labels import readable
from ..numbers import minus, percent, tick
from ..palette import ROLES, SERIES, dark, hues, ink
from .arrays import apart, as_matrix
from .curves import MARKS

INK = "#222222"


def probabilities(
    words: Sequence[str],
    probs: ArrayLike,
    before: ArrayLike | None = None,
    other: float | None = None,
    n_other: int | None = None,
    title: str = "",
) -> Figure:
    """Horizontal bars of probabilities, one per word, in the given order.

    before: probabilities before a filter, drawn as outlines, and then both numbers are
    written. other: the mass of all tokens that are not shown, n_other of them.
    """
    probs = as_matrix(probs, "probs", 1)
    if len(words) != len(probs):
        raise ValueError(f"{len(words)} words for {len(probs)} probabilities")
    names, values = [readable(w) for w in words], probs.tolist()
    outlines: list[float] = [] if before is None else np.asarray(before, float).tolist()
    if other is not None:
        names.append(f"other {n_other:,} tokens" if n_other else "all other tokens")
        values.append(other)
    with style():
        figure = new_figure(7, 0.27 * len(names) + 0.9)
        axes = figure.add_subplot()
        colors = [SERIES[0]] * len(probs) + [ROLES["rest"]] * (len(names) - len(probs))
        axes.barh(range(len(names)), values, color=colors, height=0.72)
        look = {"fill": False, "edgecolor": INK, "height": 0.72, "linewidth": 0.9}
        axes.barh(range(len(outlines)), outlines, **look)
        for i, value in enumerate(values):
            then = outlines[i : i + 1]
            _beside(axes, " → ".join(map(percent, [*then, value])), max([value, *then]), i)
        axes.set_yticks(range(len(names)), names)
        axes.set_xlim(0, max(values + outlines) * (1.25 if outlines else 1.12) or 1)
        axes.xaxis.set_major_formatter(lambda v, _: f"{tick(100 * v)}%")
        _finish(axes, "probability", title)
    return figure


def _beside(axes: Axes, text: str, x: float, y: float, size: float = 9) -> None:
    """A number to the right of a bar or an interval."""
    axes.annotate(text, (x, y), (5, 0), textcoords="offset points", va="center", fontsize=size)


def _finish(axes: Axes, xlabel: str, title: str) -> None:
    """What all horizontal bars have: the first on top, words around them."""
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlabel(xlabel)
    axes.set_title(title)


def bars(
    labels: Sequence[str],
    values: ArrayLike,
    xlabel: str = "",
    title: str = "",
    number_format: str = "{:.2f}",
    highlight: int | None = None,
) -> Figure:
    """Horizontal bars with their numbers; one may be highlighted."""
    values = as_matrix(values, "values", 1)
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels for {len(values)} values")
    with style():
        figure = new_figure(7.5, 0.36 * len(values) + 1.0)
        axes = figure.add_subplot()
        colors = [SERIES[1] if i == highlight else SERIES[0] for i in range(len(values))]
        drawn = axes.barh(range(len(values)), values, color=colors, height=0.7)
        if highlight is not None:
            drawn[highlight].set_hatch("//")
        axes.bar_label(drawn, [minus(number_format.format(v)) for v in values], padding=4)
        axes.set_yticks(range(len(values)), labels)
        axes.margins(x=0.14)
        _finish(axes, xlabel, title)
    return figure


def intervals(
    rows: dict[str, dict[str, tuple]],
    chance: dict[str, float] | None = None,
    xlabel: str = "accuracy",
    title: str = "",
    series: Sequence[str] = (),
) -> Figure:
    """Scores with their intervals, a group for each row of `rows`, a mark per series.

    rows: group -> series -> (value, low, high); low and high may be None. chance: the
    score of guessing in each group, drawn as a thin line. series: those that come first, so
    that they look the same in several figures. Where the picture holds 0 and what is below
    it, as with differences, a line stands at 0.
    """
    names = list(dict.fromkeys([*series, *(name for row in rows.values() for name in row)]))
    looks = dict(zip(names, zip(hues(names), MARKS * len(names), strict=False), strict=True))
    shares = all(abs(value) <= 1 for row in rows.values() for value, *_ in row.values())
    digits = 2 if shares else 1
    with style():
        figure = new_figure(8, 0.9 + sum(0.3 * len(row) + 0.25 for row in rows.values()))
        axes = figure.add_subplot()
        _draw_groups(axes, rows, chance, looks, digits)
        if chance:
            _name_chance(axes, next(chance[group] for group in rows))
        axes.margins(x=0.08)
        axes.grid(axis="x")
        if axes.get_xlim()[0] < 0 < axes.get_xlim()[1]:
            axes.axvline(0, color=INK, lw=1, zorder=0.5)
        _finish(axes, xlabel, title)
        if len(names) > 1:
            for name, (color, mark) in looks.items():
                axes.plot([], [], mark, color=color, ms=7, label=name.replace("_", " "))
            figure.legend(loc="outside lower center", ncols=3, fontsize=9)
    return figure


def _draw_groups(
    axes: Axes,
    rows: dict[str, dict[str, tuple]],
    chance: dict[str, float] | None,
    looks: Mapping[str, tuple[str, str]],
    digits: int,
) -> None:
    """The intervals of each group below one another, its chance, and its name at the left."""
    y, ticks = 0.0, []
    for group, row in rows.items():
        below = y + 0.3 * len(row)
        for i, (name, interval) in enumerate(row.items()):
            _draw_interval(axes, y + 0.3 * i, interval, *looks[name], digits)
        if chance:
            span = [y - 0.15, below - 0.15]
            axes.plot([chance[group]] * 2, span, color=INK, lw=1, ls=":")
        ticks.append(((y + below - 0.3) / 2, group.replace("_", " ")))
        y = below + 0.25
    axes.set_yticks([t for t, _ in ticks], [name for _, name in ticks])


def _draw_interval(
    axes: Axes, y: float, interval: tuple, color: str, mark: str, digits: int
) -> None:
    """A line from low to high, the value as a mark on it and as a number beside it."""
    value, low, high = interval
    if low is not None:
        axes.plot([low, high], [y, y], color=color, lw=2)
    axes.plot(value, y, mark, color=color, ms=7)
    _beside(axes, minus(f"{value:.{digits}f}"), max(value, high or value), y, size=8)


def _name_chance(axes: Axes, x: float) -> None:
    """'chance' at the top of its first line."""
    look = {"ha": "center", "va": "bottom", "fontsize": 8, "color": "#555555"}
    axes.annotate("chance", (x, -0.15), (0, 1), textcoords="offset points", **look)


def columns(
    labels: Sequence[str], values: ArrayLike, ylabel: str = "", title: str = ""
) -> Figure:
    """Vertical bars, one per token, in the order of the text."""
    values = as_matrix(values, "values", 1)
    if len(labels) != len(values):
        raise ValueError(f"{len(labels)} labels for {len(values)} values")
    with style():
        figure = new_figure(min(10, 1.5 + 0.22 * len(values)), 3.4)
        axes = figure.add_subplot()
        axes.bar(range(len(values)), values, color=SERIES[0], width=0.8)
        axes.set_xticks(range(len(values)), labels, rotation=90)
        axes.tick_params(axis="x", length=0)
        axes.margins(x=0.01)
        axes.grid(axis="y")
        axes.set_ylabel(ylabel)
        axes.set_title(title)
    return figure


def stacked(parts: Mapping[str, float], title: str = "", unit: str = "parameters") -> Figure:
    """One bar of parts that add up: name -> number, each with its share.

    A part is named inside its segment where there is room, else below with a leader.
    """
    values = as_matrix(list(parts.values()), "parts", 1)
    total = values.sum()
    with style():
        figure = new_figure(8, 1.7)
        axes = figure.add_subplot()
        axes.set_xlim(0, total)
        axes.set_ylim(-0.5, 0.5)
        ends = np.cumsum(values)
        narrow = []
        for name, value, end, color in zip(parts, values, ends, hues(list(parts)), strict=True):
            box = Rectangle((end - value, -0.5), value, 1, facecolor=color, edgecolor="white")
            axes.add_patch(box)
            words = (name, f"{int(value):,}", percent(value / total))
            if 0.088 * max(map(len, words)) < 7.6 * value / total:
                look = {"ha": "center", "va": "center", "color": ink(color), "fontsize": 9}
                axes.text(end - value / 2, 0, "\n".join(words), **look)
            else:
                narrow.append((" · ".join(words), end - value / 2, color))
        _name_below(axes, narrow, total)
        axes.set_axis_off()
        axes.set_title(f"{title} ({int(total):,} {unit})".strip())
    return figure


def _name_below(axes: Axes, narrow: list[tuple[str, float, str]], total: float) -> None:
    """The names of segments that are too narrow, below them and side by side."""
    if not narrow:
        return
    widths = [0.083 * len(words) / 7.6 * total for words, _, _ in narrow]
    places = apart([x for _, x, _ in narrow], widths, 0, total)
    for (words, x, color), place in zip(narrow, places, strict=True):
        leader = {"arrowstyle": "-", "color": color, "shrinkA": 0, "shrinkB": 0}
        look = {"ha": "center", "va": "top", "fontsize": 9, "color": dark(color)}
        axes.annotate(words, (x, -0.5), (place, -0.75), arrowprops=leader, **look)

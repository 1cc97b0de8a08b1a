"""Learning curves: what each number of labels is worth to each row."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from ..figure import new_figure, style
from ..numbers import tick
from ..palette import hues
from .curves import DASHES, LEVELS, MARKS
from .names import Named, name_lines

APART = 1.035  # neighbors' bars stand beside each other, not over each other
CLOSE = 1.8  # numbers of labels nearer than this share a tick


def learning_curves(
    rows: Mapping[str, Mapping[int, Mapping]],
    levels: Mapping[str, float] | None = None,
    title: str = "",
    ylabel: str = "accuracy",
) -> Figure:
    """Means over seeds by the number of labels, with bars for their 95% intervals.

    All means are in view; a bar that is far longer than the others may leave the picture.

    rows: name -> number of labels -> a dict with mean and half (of the interval; None for
    one seed). levels: name -> what needs no labels, drawn as a level. ValueError without
    any row.
    """
    levels = levels or {}
    counts = sorted({n for places in rows.values() for n in places})
    if not counts:
        raise ValueError("there is no row with a number of labels to draw")
    names = [*rows, *levels]
    colors = dict(zip(names, hues(names), strict=True))
    with style():
        figure = new_figure(8, 4.2)
        axes = figure.add_subplot()
        _label_counts(axes, counts)
        drawn = [
            Named(name, _row(axes, places, k - (len(rows) - 1) / 2, k, colors[name]))
            for k, (name, places) in enumerate(rows.items())
        ]
        for k, (name, y) in enumerate(levels.items()):
            look = {"color": colors[name], "linestyle": LEVELS[k % 3], "linewidth": 1.4}
            drawn.append(Named(name, axes.plot(axes.get_xlim(), [y, y], zorder=1, **look)[0]))
        means = [place["mean"] for places in rows.values() for place in places.values()]
        _keep_close(axes, [*means, *levels.values()])
        axes.grid(axis="y")
        axes.set_xlabel("labeled examples")
        axes.set_ylabel(ylabel)
        axes.set_title(title)
        name_lines(axes, drawn)
    return figure


def _keep_close(axes: Axes, values: list[float]) -> None:
    """Show these with a margin: a bar of a few far-off runs would press all others flat.

    And no more than a little above 1, where no accuracy lies.
    """
    low, high = axes.get_ylim()
    margin = 0.2 * (max(values) - min(values)) or high - low
    top = min(high, max(values) + margin)
    axes.set_ylim(max(low, min(values) - margin), min(top, 1.02) if max(values) <= 1 else top)


def _label_counts(axes: Axes, counts: list[int]) -> None:
    """A logarithmic axis whose ticks are the numbers of labels themselves."""
    ticks = [a for a, b in zip(counts, [*counts[1:], np.inf], strict=True) if b / a >= CLOSE]
    axes.set_xscale("log")
    axes.set_xlim(counts[0] / 1.25, counts[-1] * 1.25)
    axes.set_xticks(ticks, [tick(n) for n in ticks])
    axes.xaxis.set_minor_locator(NullLocator())


def _row(axes: Axes, places: Mapping[int, Mapping], shift: float, k: int, color: str) -> Line2D:
    """One row: marks, dashes and bars, so that color alone tells nothing."""
    counts = sorted(places)
    x = np.array(counts) * APART**shift
    means = [places[n]["mean"] for n in counts]
    halves = [places[n]["half"] or 0 for n in counts]
    look = {"color": color, "marker": MARKS[k % 6], "linestyle": DASHES[k % 6]}
    drawn = axes.errorbar(
        x, means, halves, linewidth=1.6, markersize=5, elinewidth=1.2, capsize=2, **look
    )
    return drawn[0]

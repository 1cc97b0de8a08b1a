"""Figures: arrays in, a Figure out, nothing else touched."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from .figure import new_figure, style
from .labels import readable, token_labels
from .palette import SERIES as COLORS

DASHES = ["-", "--", ":", "-.", (0, (5, 1)), (0, (1, 1))]
MARKS = "osD^vP"
HATCHES = ["", "//", "..", "xx", "\\\\", "++"]
INK = "#222222"


def as_matrix(values: ArrayLike, name: str = "matrix", n_dim: int = 2) -> np.ndarray:
    """A float array of n_dim axes; ValueError for another shape or for nan."""
    array = np.asarray(values, dtype=float)
    if array.ndim != n_dim or array.size == 0:
        raise ValueError(f"{name} has shape {array.shape}, it needs {n_dim} axes")
    if np.isnan(array).any():
        raise ValueError(f"{name} holds {int(np.isnan(array).sum())} nan values")
    return array


def heatmap(
    values: ArrayLike,
    rows: Sequence[str] | None = None,
    cols: Sequence[str] | None = None,
    masked: ArrayLike | None = None,
    title: str = "",
    vmin: float | None = 0.0,
    vmax: float | None = 1.0,
    xlabel: str = "",
    ylabel: str = "",
    numbers: bool | None = None,
    cmap: str = "magma_r",
    digits: int = 2,
) -> Figure:
    """A matrix (n, m) as colors, with numbers where there is room.

    masked: (n, m) booleans, True cells are hatched and carry no color or number.
    vmin, vmax: None takes the data's own. Raises ValueError for nan or wrong shapes.
    """
    values = as_matrix(np.where(np.isinf(values), 0, values), "values")
    n, m = values.shape
    with style():
        size = min(0.62 * max(n, m) + 2.2, 8.5)
        figure = new_figure(max(4.2, size * min(1.6, m / n) if m > n else size), size)
        axes = figure.add_subplot()
        draw_heatmap(axes, values, masked, vmin, vmax, cmap, numbers, digits)
        label_axes(axes, rows, cols, xlabel, ylabel)
        axes.set_title(title)
        figure.colorbar(axes.images[0], ax=axes, shrink=0.75, pad=0.02)
    return figure


def heatmaps(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str] | None = None,
    cols: Sequence[str] | None = None,
    masked: Mapping[str, ArrayLike] | None = None,
    digits: int = 2,
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Several matrices side by side: name -> (n, m) array.

    masked: name -> booleans. ranges: name -> (vmin, vmax), else 0 to 1.
    """
    with style():
        n = max(np.asarray(p).shape[0] for p in panels.values())
        width = min(12.0, 1.2 + len(panels) * max(2.1, 0.55 * n))
        figure = new_figure(width, max(2.4, width / len(panels) + 0.7))
        for i, (name, values) in enumerate(panels.items()):
            axes = figure.add_subplot(1, len(panels), i + 1)
            low, high = (ranges or {}).get(name, (0.0, 1.0))
            finite = as_matrix(np.where(np.isinf(values), 0, values), name)
            hidden = (masked or {}).get(name)
            cmap = "magma_r" if low >= 0 else "RdBu_r"
            draw_heatmap(axes, finite, hidden, low, high, cmap, None, digits)
            label_axes(axes, rows if i == 0 else None, cols, "", "")
            if i:
                axes.set_yticks([])
            axes.set_title(name, fontsize=10)
    return figure


def draw_heatmap(
    axes: Axes,
    values: np.ndarray,
    masked: ArrayLike | None,
    vmin: float | None,
    vmax: float | None,
    cmap: str,
    numbers: bool | None,
    digits: int,
) -> None:
    """Colors, hatched masked cells and numbers on given axes."""
    n, m = values.shape
    hidden = np.zeros((n, m), bool) if masked is None else np.asarray(masked, bool)
    if hidden.shape != values.shape:
        raise ValueError(f"masked has shape {hidden.shape}, values {values.shape}")
    shown = np.ma.array(values, mask=hidden)
    image = axes.imshow(shown, cmap=cmap, vmin=vmin, vmax=vmax, aspect="equal")
    for i, j in zip(*np.nonzero(hidden), strict=True):
        cell = Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", lw=0)
        cell.set_edgecolor("#b5b5b5")
        axes.add_patch(cell)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if numbers is None:
        numbers = max(n, m) <= 12
    if numbers:
        write_numbers(axes, image, shown, digits)


def write_numbers(axes: Axes, image: AxesImage, values: np.ma.MaskedArray, digits: int) -> None:
    """The value in each cell, light on dark and dark on light."""
    size, masked = 9 if max(values.shape) <= 8 else 7, np.ma.getmaskarray(values)
    for (i, j), value in np.ndenumerate(values):
        if masked[i, j]:
            continue
        r, g, b, _ = image.cmap(image.norm(value))
        dark = 0.299 * r + 0.587 * g + 0.114 * b < 0.5
        zero = f"{0:.{digits}f}"
        text = f"{value:.{digits}f}".replace(f"-{zero}", zero)
        axes.text(
            j, i, text, ha="center", va="center", fontsize=size, color="white" if dark else INK
        )


def label_axes(
    axes: Axes, rows: Sequence[str] | None, cols: Sequence[str] | None, xlabel: str, ylabel: str
) -> None:
    """Names at the left and on top; none where there are too many to read."""
    m, n = (round(abs(np.diff(lim)[0])) for lim in (axes.get_xlim(), axes.get_ylim()))
    for names, count, which in ((rows, n, axes.set_yticks), (cols, m, axes.set_xticks)):
        if names is None or count > 60:
            which([])
        elif len(names) != count:
            raise ValueError(f"{len(names)} names for {count} rows or columns")
        elif which == axes.set_yticks:
            axes.set_yticks(range(count), names)
        else:
            long = max(map(len, names)) > 3
            axes.set_xticks(range(count), names, rotation=90 if long else 0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)


def written_grid(
    values: ArrayLike,
    written: Sequence[Sequence[str]],
    rows: Sequence[str],
    cols: Sequence[str],
    title: str = "",
) -> Figure:
    """A matrix (n, m) from 0 to 1 as colors, with a word in each cell."""
    values = as_matrix(values, "values")
    n, m = values.shape
    with style():
        figure = new_figure(min(12, 1.4 + 1.0 * m), 0.9 + 0.42 * n)
        axes = figure.add_subplot()
        draw_heatmap(axes, values, None, 0.0, 1.0, "magma_r", False, 2)
        axes.set_aspect("auto")
        for i, words in enumerate(written):
            for j, word in enumerate(words):
                color = "white" if values[i, j] > 0.5 else INK
                axes.text(j, i, word, ha="center", va="center", fontsize=8, color=color)
        label_axes(axes, rows, cols, "", "")
        axes.invert_yaxis()
        axes.xaxis.tick_bottom()
        axes.set_title(title)
    return figure


def pieces(rows: list[list[str]], parts: list[list[str]] | None = None) -> Figure:
    """Rows of token pieces as boxes; parts: a segment's name for each, its color."""
    names = sorted({p for row in parts for p in row}) if parts else []
    with style():
        figure = new_figure(9, 0.5 + 0.42 * _n_lines(rows))
        axes = figure.add_subplot()
        axes.set_axis_off()
        x = y = 0.0
        for r, row in enumerate(rows):
            for i, piece in enumerate(row):
                width = 0.7 + 0.62 * len(piece)
                if x + width > 72:
                    x, y = 0.0, y - 1.5
                k = names.index(parts[r][i]) if parts else i % 2
                color, hatch = COLORS[k % 6], HATCHES[k % 6] if parts else None
                axes.add_patch(
                    Rectangle(
                        (x, y),
                        width - 0.2,
                        1.1,
                        hatch=hatch,
                        facecolor=color + "30",
                        edgecolor=color,
                    )
                )
                axes.text(
                    x + width / 2 - 0.1,
                    y + 0.5,
                    piece,
                    ha="center",
                    va="center",
                    fontsize=9,
                    family="monospace",
                )
                x += width
            x, y = (0.0, y - 1.5) if parts else (x + 0.8, y)
        axes.set_xlim(-0.5, 72.5)
        axes.set_ylim(y - 0.5, 1.6)
    return figure


def _n_lines(rows: list[list[str]]) -> int:
    """About how many lines the boxes of `pieces` take."""
    return len(rows) + int(sum(0.7 + 0.62 * len(p) for row in rows for p in row) // 60)


def attention(weights: ArrayLike, tokens: Sequence[str], title: str = "") -> Figure:
    """Causal attention weights (T, T): row = from, column = to; the future hatched."""
    weights = as_matrix(weights, "weights")
    if weights.shape != (len(tokens), len(tokens)):
        raise ValueError(f"weights are {weights.shape}, there are {len(tokens)} tokens")
    names = token_labels(tokens)
    future = np.triu(np.ones(weights.shape, bool), 1)
    return heatmap(weights, names, names, future, title, xlabel="to", ylabel="from")


def head_grid(weights: ArrayLike, title: str = "") -> Figure:
    """All heads as thumbnails: (L, H, T, T), one row per layer, the future left white."""
    weights = as_matrix(weights, "weights", 4)
    n_layer, n_head, n_tokens, _ = weights.shape
    gap = 1 + n_tokens // 12
    step = n_tokens + gap
    mosaic = np.full((n_layer * step - gap, n_head * step - gap), np.nan)
    seen = np.tril(np.ones((n_tokens, n_tokens), bool))
    for layer in range(n_layer):
        for head in range(n_head):
            part = np.where(seen, weights[layer, head], np.nan)
            y, x = layer * step, head * step
            mosaic[y : y + n_tokens, x : x + n_tokens] = part
    with style():
        width = 6.5
        figure = new_figure(width, width * 0.92 * n_layer / n_head + 0.7)
        axes = figure.add_subplot()
        image = axes.imshow(np.ma.masked_invalid(mosaic), cmap="magma_r", vmin=0, vmax=1)
        middle = n_tokens / 2 - 0.5
        axes.set_yticks(
            [i * step + middle for i in range(n_layer)], [f"layer {i}" for i in range(n_layer)]
        )
        axes.set_xticks(
            [i * step + middle for i in range(n_head)], [f"head {i}" for i in range(n_head)]
        )
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(title)
        figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, label="attention weight")
    return figure


def probabilities(
    words: Sequence[str],
    probs: ArrayLike,
    before: ArrayLike | None = None,
    other: float | None = None,
    n_other: int | None = None,
    title: str = "",
) -> Figure:
    """Horizontal bars of probabilities, one per word, in the given order.

    before: probabilities before a filter, drawn as outlines. other: the mass of all
    tokens that are not shown, n_other of them.
    """
    probs = as_matrix(probs, "probs", 1)
    if len(words) != len(probs):
        raise ValueError(f"{len(words)} words for {len(probs)} probabilities")
    names, values = [readable(w) for w in words], probs.tolist()
    outlines = [] if before is None else np.asarray(before, float).tolist()
    if other is not None:
        names.append(f"other {n_other:,} tokens" if n_other else "all other tokens")
        values.append(other)
    with style():
        figure = new_figure(7, 0.27 * len(names) + 0.9)
        axes = figure.add_subplot()
        colors = [COLORS[0]] * len(probs) + [COLORS[4]] * (len(names) - len(probs))
        y = np.arange(len(names))
        axes.barh(y, values, color=colors, height=0.72)
        if outlines:
            axes.barh(
                y[: len(outlines)],
                outlines,
                fill=False,
                edgecolor=INK,
                height=0.72,
                linewidth=0.9,
                label="before",
            )
        top = max(values + outlines)
        for i, value in enumerate(values):
            edge = max(value, outlines[i] if i < len(outlines) else 0)
            axes.text(edge + top * 0.01, i, f"{value:.1%}", va="center", fontsize=9)
        axes.set_yticks(y, names)
        axes.invert_yaxis()
        axes.set_xlim(0, top * 1.12)
        axes.xaxis.set_major_formatter(lambda v, _: f"{v:.0%}")
        axes.set_xlabel("probability")
        axes.tick_params(axis="y", length=0)
        axes.set_title(title)
    return figure


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
        colors = [COLORS[1] if i == highlight else COLORS[0] for i in range(len(values))]
        drawn = axes.barh(range(len(values)), values, color=colors, height=0.7)
        if highlight is not None:
            drawn[highlight].set_hatch("//")
        axes.bar_label(drawn, [number_format.format(v) for v in values], padding=4)
        axes.set_yticks(range(len(values)), labels)
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.margins(x=0.14)
        axes.set_xlabel(xlabel)
        axes.set_title(title)
    return figure


def intervals(
    rows: dict[str, dict[str, tuple]],
    chance: dict[str, float] | None = None,
    xlabel: str = "accuracy",
    title: str = "",
) -> Figure:
    """Scores with their intervals, a group for each row of `rows`, a mark per series.

    rows: group -> series -> (value, low, high); low and high may be None. chance: the
    score of guessing in each group, drawn as a thin line.
    """
    names = list(dict.fromkeys(name for row in rows.values() for name in row))
    with style():
        height = 0.9 + sum(0.3 * len(row) + 0.25 for row in rows.values())
        figure = new_figure(8, height)
        axes = figure.add_subplot()
        y, ticks, labeled = 0.0, [], set()
        for group, row in rows.items():
            top = y
            for name, (value, low, high) in row.items():
                k = names.index(name)
                if low is not None:
                    axes.plot([low, high], [y, y], color=COLORS[k % 6], lw=2)
                label = None if name in labeled else name
                labeled.add(name)
                axes.plot(value, y, MARKS[k % 6], color=COLORS[k % 6], ms=7, label=label)
                axes.annotate(
                    f"{value:.2f}",
                    (max(value, high or value), y),
                    xytext=(6, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                )
                y += 0.3
            if chance:
                axes.plot([chance[group]] * 2, [top - 0.15, y - 0.15], color=INK, lw=1, ls=":")
            ticks.append(((top + y - 0.3) / 2, group))
            y += 0.25
        axes.set_yticks([t for t, _ in ticks], [name for _, name in ticks])
        axes.tick_params(axis="y", length=0)
        axes.invert_yaxis()
        axes.margins(x=0.08)
        axes.grid(axis="x")
        axes.set_xlabel(xlabel)
        axes.set_title(title)
        figure.legend(loc="outside lower center", ncols=3, fontsize=9)
    return figure


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
        axes.bar(range(len(values)), values, color=COLORS[0], width=0.8)
        axes.set_xticks(range(len(values)), labels, rotation=90)
        axes.tick_params(axis="x", length=0)
        axes.margins(x=0.01)
        axes.grid(axis="y")
        axes.set_ylabel(ylabel)
        axes.set_title(title)
    return figure


def stacked(parts: Mapping[str, float], title: str = "", unit: str = "parameters") -> Figure:
    """One bar of parts that add up: name -> number, each with its share."""
    values = as_matrix(list(parts.values()), "parts", 1)
    total, left = values.sum(), 0.0
    with style():
        figure = new_figure(8, 2.2)
        axes = figure.add_subplot()
        for i, (name, value) in enumerate(parts.items()):
            label = f"{name}: {int(value):,} ({value / total:.1%})"
            axes.barh(
                [0],
                [value],
                left=left,
                color=COLORS[i % 6],
                edgecolor="white",
                hatch=HATCHES[i % 6],
                label=label,
            )
            left += value
        axes.set_yticks([])
        axes.spines["left"].set_visible(False)
        axes.xaxis.set_major_formatter(lambda v, _: f"{v / 1e6:g}M")
        axes.set_xlabel(f"{unit} ({int(total):,} in all)")
        axes.set_title(title)
        figure.legend(loc="outside lower left", ncols=2, fontsize=9)
    return figure


def lines(
    series: Mapping[str, ArrayLike],
    x: ArrayLike | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    marks: Mapping[str, ArrayLike] | None = None,
    logx: bool = False,
) -> Figure:
    """Curves, each labeled at its end: name -> (n,) values over x, or name -> (x, y).

    marks: name -> list of (x, y), drawn as a line with dots.
    """
    with style():
        figure = new_figure(8, 3.8)
        axes = figure.add_subplot()
        drawn = []
        for i, (name, values) in enumerate(series.items()):
            xs, ys = values if isinstance(values, tuple) else (x, values)
            ys = as_matrix(ys, name, 1)
            xs = np.arange(len(ys)) if xs is None else np.asarray(xs, float)
            (curve,) = axes.plot(xs, ys, color=COLORS[i % 6], linestyle=DASHES[i % 6])
            if len(ys) > 200:
                curve.set(linewidth=0.9, alpha=0.8)
            drawn.append((name, xs[-1], ys[-1]))
        for i, (name, points) in enumerate((marks or {}).items(), start=len(series)):
            xs, ys = np.asarray(points, float).T
            axes.plot(xs, ys, "o-", color=COLORS[(i + 1) % 6], markersize=5)
            drawn.append((name, xs[-1], ys[-1]))
        if logx:
            axes.set_xscale("log")
        place_labels(axes, drawn)
        axes.grid(axis="y")
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.set_title(title)
    return figure


def sweep(
    values: Sequence[str],
    series: dict[str, list[dict]],
    xlabel: str = "",
    ylabel: str = "accuracy",
    title: str = "",
) -> Figure:
    """Means over the values of a setting, each with its interval and its single runs.

    series: name -> a dict with mean, half (of the interval) and seeds for each value.
    """
    with style():
        figure = new_figure(8, 3.8)
        axes, drawn = figure.add_subplot(), []
        for k, (name, places) in enumerate(series.items()):
            if len(places) != len(values):
                raise ValueError(f"{name}: {len(places)} places, {len(values)} values")
            x = np.arange(len(values)) + 0.16 * (k - (len(series) - 1) / 2)
            means = as_matrix([p["mean"] for p in places], name, 1)
            halves, color = [p["half"] for p in places], COLORS[k % 6]
            axes.errorbar(
                x,
                means,
                halves,
                color=color,
                marker=MARKS[k % 6],
                linestyle=DASHES[k % 6],
                linewidth=1.2,
            )
            for at, place in zip(x + 0.05, places, strict=True):
                seeds = place["seeds"]
                axes.plot([at] * len(seeds), seeds, ".", color=color, markersize=4)
            drawn.append((name, len(values) - 0.8, means[-1]))
        place_labels(axes, drawn)
        axes.set_xticks(range(len(values)), values)
        axes.grid(axis="y")
        axes.set_xlabel(xlabel)
        axes.set_ylabel(ylabel)
        axes.set_title(title)
    return figure


def place_labels(axes: Axes, ends: Sequence[tuple[str, float, float]]) -> None:
    """Names to the right of the last points, moved apart where they would overlap."""
    low, high = axes.get_ylim()
    room, previous = 0.07 * (high - low), None
    for name, x, y in sorted(ends, key=lambda end: end[2]):
        place = y if previous is None else max(y, previous + room)
        axes.annotate(
            name, (x, place), (8, 0), textcoords="offset points", va="center", fontsize=9
        )
        previous = place


def color_table(name: str, n: int) -> list[str]:
    """A color map as n hexadecimal colors, for the explorers."""
    shades = colormaps[name](np.linspace(0, 1, n))[:, :3]
    return ["#" + "".join(f"{round(255 * c):02x}" for c in rgb) for rgb in shades]

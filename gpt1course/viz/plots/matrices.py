"""Matrices as colors, with numbers or words in their cells."""

from collections.abc import Mapping, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import AxesImage
from matplotlib.patches import Rectangle
from numpy.typing import ArrayLike

from ..figure import new_figure, set_headline, style
from ..labels import token_labels
from ..numbers import decimal
from ..palette import ink
from .arrays import as_matrix

CELL = 0.55  # inches: room for a number of 9 points
MOST = 12  # rows or columns with numbers in their cells


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
    """A matrix (n, m) as colors, with numbers where there is room, else with a color bar.

    masked: (n, m) booleans, True cells are hatched and carry no color or number.
    vmin, vmax: None takes the data's own; a number beyond them has the color of the end.
    An infinite one is written as −∞ or ∞. Raises ValueError for nan or wrong shapes.
    """
    values = as_matrix(values, "values")
    n, m = values.shape
    write = max(n, m) <= MOST if numbers is None else numbers
    cell = CELL if max(n, m) <= MOST else 6.5 / max(n, m)
    with style():
        left = 0.09 * max(map(len, rows or [""]))
        figure = new_figure(m * cell + left + (0.6 if write else 1.4), n * cell + 1.2)
        axes = figure.add_subplot()
        draw_heatmap(axes, values, masked, vmin, vmax, cmap, digits if write else None)
        label_axes(axes, rows, cols, xlabel, ylabel)
        axes.set_title(title)
        if not write:
            figure.colorbar(axes.images[0], ax=axes, shrink=0.75, pad=0.02)
    return figure


def heatmaps(
    panels: Mapping[str, ArrayLike],
    rows: Sequence[str] | None = None,
    cols: Sequence[str] | None = None,
    masked: Mapping[str, ArrayLike] | None = None,
    digits: int = 2,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    title: str = "",
) -> Figure:
    """Several matrices side by side: name -> (n, m) array.

    masked: name -> booleans. ranges: name -> (vmin, vmax), else 0 to 1.
    """
    with style():
        n = max(np.asarray(p).shape[0] for p in panels.values())
        width = min(12.0, 1.2 + len(panels) * max(2.1, 0.55 * n))
        figure = new_figure(width, max(2.4, width / len(panels) + 1.0))
        figure.set_layout_engine("constrained", h_pad=0.12)  # between the title and the names
        set_headline(figure, title)
        for i, (name, values) in enumerate(panels.items()):
            axes = figure.add_subplot(1, len(panels), i + 1)
            low, high = (ranges or {}).get(name, (0.0, 1.0))
            panel = as_matrix(values, name)
            hidden = (masked or {}).get(name)
            cmap = "magma_r" if low >= 0 else "RdBu_r"
            written = digits if max(panel.shape) <= MOST else None
            draw_heatmap(axes, panel, hidden, low, high, cmap, written)
            label_axes(axes, rows if i == 0 else None, cols, "", "")
            axes.set_title(name, fontsize=10, fontweight="normal")
    return figure


def draw_heatmap(
    axes: Axes,
    values: np.ndarray,
    masked: ArrayLike | None = None,
    vmin: float | None = 0.0,
    vmax: float | None = 1.0,
    cmap: str = "magma_r",
    digits: int | None = None,
) -> None:
    """Draw a matrix as colors on given axes, its masked cells hatched.

    digits: after the point of the number that is written in each cell; None: no numbers.
    """
    n, m = values.shape
    hidden = np.zeros((n, m), bool) if masked is None else np.asarray(masked, bool)
    if hidden.shape != values.shape:
        raise ValueError(f"masked has shape {hidden.shape}, values {values.shape}")
    shown = np.ma.array(_finite(values, hidden, vmin, vmax), mask=hidden)
    image = axes.imshow(shown, cmap=cmap, vmin=vmin, vmax=vmax, aspect="equal")
    for i, j in zip(*np.nonzero(hidden), strict=True):
        cell = Rectangle((j - 0.5, i - 0.5), 1, 1, fill=False, hatch="////", lw=0)
        cell.set_edgecolor("#b5b5b5")
        axes.add_patch(cell)
    axes.spines[:].set_visible(False)
    axes.tick_params(length=0)
    if digits is not None:
        written = [[decimal(v, digits) for v in row] for row in values]
        write_in_cells(axes, image, shown, written)


def _finite(
    values: np.ndarray, hidden: np.ndarray, vmin: float | None, vmax: float | None
) -> np.ndarray:
    """The values with each infinite one at the end of the scale, whose color it has."""
    seen = values[np.isfinite(values) & ~hidden]
    low, high = (seen.min(), seen.max()) if seen.size else (0.0, 1.0)
    low, high = low if vmin is None else vmin, high if vmax is None else vmax
    return np.nan_to_num(values, nan=np.nan, neginf=low, posinf=high)


def write_in_cells(
    axes: Axes,
    image: AxesImage,
    values: np.ma.MaskedArray,
    written: Sequence[Sequence[str]],
    size: float = 9,
) -> None:
    """A word in each cell that is not masked, light on dark and dark on light."""
    masked = np.ma.getmaskarray(values)
    for (i, j), value in np.ndenumerate(values):
        if not masked[i, j]:
            r, g, b, _ = image.cmap(image.norm(value))
            look = {"ha": "center", "va": "center", "fontsize": size, "color": ink((r, g, b))}
            axes.text(j, i, str(written[i][j]), **look)


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
        draw_heatmap(axes, values)
        axes.set_aspect("auto")
        write_in_cells(axes, axes.images[0], np.ma.array(values), written, size=8)
        label_axes(axes, rows, cols, "", "")
        axes.invert_yaxis()
        axes.xaxis.tick_bottom()
        axes.set_title(title)
        figure.colorbar(axes.images[0], ax=axes, pad=0.02, label="probability")
    return figure


def attention(weights: ArrayLike, tokens: Sequence[str], title: str = "") -> Figure:
    """Causal attention weights (T, T): row = from, column = to; the future hatched."""
    weights = as_matrix(weights, "weights")
    if weights.shape != (len(tokens), len(tokens)):
        raise ValueError(f"weights are {weights.shape}, there are {len(tokens)} tokens")
    names = token_labels(tokens)
    future = np.triu(np.ones(weights.shape, bool), 1)
    return heatmap(weights, names, names, future, title, xlabel="to", ylabel="from")


def head_grid(
    weights: ArrayLike,
    title: str = "",
    causal: bool = True,
    names: tuple[Sequence[str], Sequence[str]] | None = None,
    ylabel: str = "",
) -> Figure:
    """All heads as thumbnails: (L, H, T, T), one row per block, the future left white.

    causal: False shows the future, too. names: of the rows and the columns, in place of
    block 0 and head 0 on.
    """
    weights = as_matrix(weights, "weights", 4)
    n_layer, n_head, n_tokens, _ = weights.shape
    step = n_tokens + 1 + n_tokens // 12
    with style():
        width = 6.5 if n_head <= MOST else 9.0
        figure = new_figure(width, width * 0.92 * n_layer / n_head + 0.7)
        axes = figure.add_subplot()
        image = axes.imshow(_mosaic(weights, step, causal), cmap="magma_r", vmin=0, vmax=1)
        middle = n_tokens / 2 - 0.5
        if names is None:
            names = [f"block {i}" for i in range(n_layer)], [f"head {i}" for i in range(n_head)]
        for named, which in zip(names, (axes.set_yticks, axes.set_xticks), strict=True):
            which([i * step + middle for i in range(len(named))], named)
        axes.set_ylabel(ylabel)
        axes.xaxis.tick_top()
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.set_title(title)
        figure.colorbar(image, ax=axes, shrink=0.6, pad=0.02, label="attention weight")
    return figure


def _mosaic(weights: np.ndarray, step: int, causal: bool) -> np.ma.MaskedArray:
    """All heads (L, H, T, T) in one matrix, `step` from one to the next."""
    n_layer, n_head, n_tokens, _ = weights.shape
    gap = step - n_tokens
    mosaic = np.full((n_layer * step - gap, n_head * step - gap), np.nan)
    seen = np.tril(np.ones((n_tokens, n_tokens), bool), 0 if causal else n_tokens)
    for layer, head in np.ndindex(n_layer, n_head):
        y, x = layer * step, head * step
        part = np.where(seen, weights[layer, head], np.nan)
        mosaic[y : y + n_tokens, x : x + n_tokens] = part
    return np.ma.masked_invalid(mosaic)

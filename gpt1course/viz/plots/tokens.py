"""Token pieces as boxes."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from ..figure import new_figure, style
from ..palette import SERIES, dark, hues

WIDTH = 8.8  # inches, all lengths here are
LETTER, HEIGHT, LINE = 0.078, 0.24, 0.34


def pieces(
    rows: list[list[str]], parts: list[list[str]] | None = None, title: str = ""
) -> Figure:
    """Rows of token pieces as boxes; parts: a segment's name for each, its color.

    Without parts the rows are words of one text, and stand side by side.
    """
    names = sorted({p for row in parts for p in row}) if parts else []
    color_of = dict(zip(names, hues(names), strict=True))
    placed = _places(rows, side_by_side=not parts)
    every = [place for row in placed for place in row] or [(0.0, 0.0, 1.0)]
    low, right = min(y for _, y, _ in every), max(x + width for x, _, width in every)
    with style():
        figure = new_figure(right + 0.1, HEIGHT - low + 0.1)
        figure.set_layout_engine("none")  # an inch here is an inch on paper
        axes = figure.add_axes((0, 0, 1, 1), xlim=(-0.05, right + 0.05))
        axes.set_ylim(low - 0.05, HEIGHT + 0.05)
        axes.set_axis_off()
        axes.set_title(title)
        for r, row in enumerate(rows):
            for i, piece in enumerate(row):
                part = parts[r][i] if parts else ""
                color = color_of[part] if parts else SERIES[i % 2]
                _draw_piece(axes, piece, placed[r][i], color, part == "special")
    return figure


def _places(rows: list[list[str]], side_by_side: bool) -> list[list[tuple]]:
    """(x, y, width) of each piece; a row that is too long goes on below."""
    x, y, placed = 0.0, 0.0, []
    for row in rows:
        widths = [LETTER * max(len(piece), 1) + 0.1 for piece in row]
        if side_by_side and x + sum(widths) > WIDTH - 0.1:
            x, y = 0.0, y - LINE  # a word stays in one piece where it can
        places = []
        for width in widths:
            if x and x + width > WIDTH - 0.1:
                x, y = 0.0, y - LINE
            places.append((x, y, width))
            x += width + 0.03
        placed.append(places)
        x, y = (x + 0.1, y) if side_by_side else (0.0, y - LINE)
    return placed


def _draw_piece(axes: Axes, piece: str, place: tuple, color: str, special: bool) -> None:
    """A box with its piece; those of special tokens have a heavy lower edge."""
    x, y, width = place
    box = Rectangle((x, y), width, HEIGHT, facecolor=color + "30", edgecolor=color)
    axes.add_patch(box)
    if special:
        axes.add_patch(Rectangle((x, y), width, 0.035, color=color))
    axes.text(
        x + width / 2,
        y + HEIGHT / 2,
        piece,
        ha="center",
        va="center",
        fontsize=9,
        family="monospace",
        color=dark(color) if special else "#222222",
    )

"""Make the picture at the top of the README: one head of the shipped model, and its verbs.

    python tools/picture.py

docs/what_you_see_dark.png and _light.png, 1,200 x 630. Each carries the checksum of the
weights that it was drawn from, so that a test can say when it is out of date; what its
words claim is checked against the weights before they are written.
"""

import argparse
import io
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path as Curve
from PIL import Image
from PIL.PngImagePlugin import PngInfo

import gpt1lib as g
from gpt1course import viz
from gpt1course.viz.figure import new_figure, style
from gpt1course.viz.palette import SERIES, dark, ink
from gpt1lib.io.files import atomic_write, sha256

DOCS = Path(__file__).resolve().parents[1] / "docs"
SENTENCE = "He put the money on the table and followed the man to the door."  # in no lesson
BLOCK, HEAD = 3, 3
SIZE, DPI = (12, 6.3), 100  # 1,200 x 630, as sites show a link
VERBS = {"put": range(2, 8), "followed": range(9, 14)}  # and the rows that look at them
HUES = {"put": SERIES[1], "followed": SERIES[0]}


@dataclass(frozen=True)
class Theme:
    """The colors of a page."""

    paper: str
    text: str
    soft: str
    map: str

    def accent(self, verb: str) -> str:
        """The color of a verb, as text can be read on this paper."""
        return HUES[verb] if ink(self.paper) == "white" else dark(HUES[verb])


THEMES = {
    "dark": Theme("#0d1117", "#e6edf3", "#9aa4b2", "magma"),
    "light": Theme("#ffffff", "#1f2328", "#59636e", "magma_r"),
}


def fingerprint() -> str:
    """The checksum of the shipped weights."""
    return sha256(g.paths.NOVELIST_DIR / "model.safetensors")


def attention() -> tuple[list[str], np.ndarray]:
    """The tokens, and where each of them looks: (T, T)."""
    novelist = g.load_novelist()
    ids = novelist.bpe.encode(SENTENCE)
    names = [viz.readable(p) for p in novelist.bpe.pieces(ids)]
    return names, g.trace(novelist.model, ids).weights[BLOCK, HEAD].numpy()


def claims(names: list[str], weights: np.ndarray) -> dict[str, str]:
    """Verb -> what the picture says of it; ValueError where the weights say otherwise."""
    said = {}
    for verb, rows in VERBS.items():
        column = names.index(verb)
        if any(weights[row].argmax() != column for row in rows):
            raise ValueError(f"not every one of {[names[r] for r in rows]} looks at {verb!r}")
        shares = weights[list(rows), column]
        said[verb] = f"with {shares.min():.0%} to {shares.max():.0%} of their weight"
    return said


def draw_matrix(axes: Axes, names: list[str], weights: np.ndarray, theme: Theme) -> None:
    """Who looks at whom, with a frame around each verb's column."""
    future = np.triu(np.ones(weights.shape, bool), 1)
    axes.imshow(np.ma.array(weights, mask=future), cmap=theme.map, vmin=0, vmax=1)
    axes.set_xticks(range(len(names)), names, rotation=90)
    axes.set_yticks(range(len(names)), names)
    axes.xaxis.tick_top()
    axes.tick_params(length=0, labelsize=11, labelcolor=theme.text)
    axes.spines[:].set_visible(False)
    axes.set_facecolor(theme.paper)
    for verb, rows in VERBS.items():
        corner = (names.index(verb) - 0.5, rows[0] - 0.5)
        frame = Rectangle(corner, 1, len(rows), fill=False, ec=theme.accent(verb), lw=2.5)
        axes.add_patch(frame)
        for ticks in (axes.get_xticklabels(), axes.get_yticklabels()):
            ticks[names.index(verb)].set(color=theme.accent(verb), fontweight="bold")


def draw_strip(axes: Axes, names: list[str], weights: np.ndarray, theme: Theme) -> None:
    """The sentence, with arcs from each word to its verb, as thick as the weight."""
    axes.set_axis_off()
    widths = np.array([0.6 + 0.26 * len(name) for name in names])
    places = np.cumsum(widths) - widths / 2
    axes.set_xlim(0, widths.sum())
    axes.set_ylim(-0.35, 1.35)
    for name, x in zip(names, places, strict=True):
        verb = name in VERBS
        look = {"color": theme.accent(name), "fontweight": "bold"} if verb else {}
        axes.text(
            x, -0.05, name, **({"color": theme.text} | look), ha="center", va="top", size=15
        )
    for verb, rows in VERBS.items():
        to = names.index(verb)
        for row in rows:
            if row != to:
                height = 0.2 + 1.2 * abs(places[row] - places[to]) / 8.5
                points = [(places[row], 0), (places[row], height), (places[to], height)]
                codes = [Curve.MOVETO] + 3 * [Curve.CURVE4]
                curve = Curve([*points, (places[to], 0)], codes)
                look = {"lw": 6 * weights[row, to], "ec": theme.accent(verb), "alpha": 0.85}
                axes.add_patch(PathPatch(curve, fill=False, **look))


HEADLINE = ("Which words does", "each word look at?")
ABOUT = f"""Head {HEAD} of block {BLOCK} of a small GPT-1, trained on twelve
books to guess the next word. Each row: where a word looks."""
CALLOUTS = {
    "put": "“the money on the table and” look at ",
    "followed": "“the man to the door” look at ",
}


def write_words(figure: Figure, said: dict[str, str], theme: Theme) -> None:
    """Headline, what is shown, and a callout for each verb."""
    left = 0.5
    look = {"va": "baseline", "linespacing": 1.4}
    for line, y in zip(HEADLINE, (0.83, 0.745), strict=True):
        figure.text(left, y, line, color=theme.text, size=31, fontweight="bold")
    figure.text(left, 0.585, ABOUT, color=theme.soft, size=13, **look)
    for (verb, words), y in zip(CALLOUTS.items(), (0.48, 0.375), strict=True):
        first = figure.text(left, y, words, color=theme.text, size=14, **look)
        figure.draw_without_rendering()
        end = first.get_window_extent().x1 / figure.bbox.width
        color = theme.accent(verb)
        figure.text(end, y, verb, color=color, size=14, fontweight="bold", **look)
        figure.text(left, y - 0.043, said[verb], color=theme.soft, size=12, **look)


def drawn(theme: Theme) -> Figure:
    """The whole picture."""
    names, weights = attention()
    with style():
        figure = new_figure(*SIZE)
        figure.set_layout_engine("none")
        figure.set_dpi(DPI)
        figure.set_facecolor(theme.paper)
        draw_matrix(figure.add_axes((0.075, 0.285, 0.36, 0.57)), names, weights, theme)
        draw_strip(figure.add_axes((0.03, 0.0, 0.94, 0.27)), names, weights, theme)
        write_words(figure, claims(names, weights), theme)
    return figure


def write(name: str, figure: Figure) -> Path:
    """The picture as a file of 256 colors, with the checksum of the weights in it."""
    full, small, about = io.BytesIO(), io.BytesIO(), PngInfo()
    about.add_text("checkpoint", fingerprint())
    figure.savefig(full, format="png", dpi=DPI, facecolor=figure.get_facecolor())
    few = Image.open(full).convert("RGB").quantize(256, dither=Image.Dither.NONE)
    few.save(small, format="png", optimize=True, pnginfo=about)
    path = DOCS / f"what_you_see_{name}.png"
    with atomic_write(path) as temporary:
        temporary.write_bytes(small.getvalue())
    return path


def main() -> None:
    """Make it for both themes."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    for name, theme in THEMES.items():
        print(write(name, drawn(theme)))


if __name__ == "__main__":
    main()

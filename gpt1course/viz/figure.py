"""One way to make a figure and one way to show it, with its alt text."""

import base64
import html
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import matplotlib
from IPython.display import display
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.cm import ScalarMappable
from matplotlib.contour import ContourSet
from matplotlib.figure import Figure
from PIL import Image

STYLE = Path(__file__).with_name("gpt1.mplstyle")
DPI = 200  # and shown at 100 per inch: sharp on a screen of two pixels per point


@contextmanager
def style() -> Iterator[None]:
    """The course's look, inside a `with` only: nothing changes for other figures."""
    with matplotlib.rc_context(fname=STYLE):
        yield


def new_figure(width: float = 8, height: float = 4) -> Figure:
    """An empty figure in inches, free of pyplot's global state. Use within `style`."""
    figure = Figure(figsize=(width, height), dpi=DPI)
    FigureCanvasAgg(figure)
    return figure


def set_headline(figure: Figure, text: str) -> None:
    """Write one title over all panels of a figure, at its left edge."""
    figure.suptitle(text, x=0.01, ha="left", fontsize=11.5, fontweight="bold")


def png(figure: Figure, colors: int = 256) -> bytes:
    """The figure as a PNG of so many colors without an empty rim; the same bytes each time.

    With 256 a third of the size in full color, and the same to the eye; a line drawing
    needs no more than 16, and is a third smaller again.
    """
    buffer = io.BytesIO()
    with style():
        look = {"bbox_inches": "tight", "pad_inches": 0.08, "metadata": {"Software": None}}
        figure.savefig(buffer, format="png", dpi=DPI, **look)
    full = Image.open(buffer).convert("RGB")
    few = full.quantize(colors, dither=Image.Dither.NONE)
    small = io.BytesIO()
    few.save(small, format="png", optimize=True)
    return small.getvalue()


def has_color_scale(figure: Figure) -> bool:
    """Whether colors stand for numbers in it, as in a heat map; contour lines do not count.

    A dark page turns the colors of all other figures round; here that would change what they
    say, and the live view of the same numbers would have other colors.
    """

    def is_scaled(artist: Artist) -> bool:
        if isinstance(artist, ContourSet) and not artist.filled:
            return False
        return isinstance(artist, ScalarMappable) and artist.get_array() is not None

    return bool(figure.findobj(is_scaled))


def picture(figure: Figure | None, alt: str, colors: int = 256) -> dict[str, str]:
    """A MIME bundle: HTML with alt text, PNG for viewers without HTML, the sentence.

    Without a figure the sentence stands alone.
    """
    if not alt.strip():
        raise ValueError("the alt text is empty; say in a sentence what is to be seen")
    if figure is None:
        return {"text/html": f"<figure>{html.escape(alt)}</figure>", "text/plain": alt}
    image = png(figure, colors)
    data = base64.b64encode(image).decode()
    width = round(Image.open(io.BytesIO(image)).width / DPI * 100)
    shown = (
        f'<img alt="{html.escape(alt, quote=True)}" width="{width}" '
        f'style="max-width:100%;height:auto" src="data:image/png;base64,{data}">'
    )
    kind = ' class="color-scale"' if has_color_scale(figure) else ""
    return {
        "text/html": f'<figure{kind} style="margin:0">{shown}</figure>',
        "image/png": data,
        "text/plain": alt,
    }


def show_figure(figure: Figure, alt: str, colors: int = 256) -> None:
    """Display a figure with its alt text: a sentence that says what it shows.

    Raises ValueError for an empty alt text.
    """
    display(picture(figure, alt, colors), raw=True)

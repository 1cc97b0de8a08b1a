"""What all explorers share: an ES module, a static picture, and how they are shown."""

import os
from pathlib import Path

import anywidget
import numpy as np
from IPython.display import display
from matplotlib.figure import Figure

from ..figure import picture

LIVE_PAGES = "GPT1_LIVE_PAGES"  # set by tools/site.py: views that need no kernel
HERE = Path(__file__).parent
CSS = (HERE / "common.css").read_text(encoding="utf-8")
COMMON = (HERE / "common.js").read_text(encoding="utf-8")


def script(name: str) -> str:
    """The code of an explorer: the shared part, then its own."""
    return COMMON + "\n" + (HERE / f"{name}.js").read_text(encoding="utf-8")


def module(name: str) -> str:
    """The ES module of an explorer, as anywidget wants it."""
    return script(name) + "\nexport default start(draw);\n"


def as_bytes(values) -> bytes:
    """Little-endian float32, for numbers that the browser goes on computing with."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def as_half(values) -> bytes:
    """Little-endian float16, half the size: three digits, more than a picture shows."""
    return np.ascontiguousarray(values, dtype="<f2").tobytes()


class Explorer(anywidget.AnyWidget):
    """What all explorers share: a picture, a sentence, and how they are shown."""

    _css = CSS

    def sentence(self) -> str:
        """What is to be seen, from the data."""
        raise TypeError(f"{type(self).__name__} does not describe itself")

    def figure(self) -> Figure:
        """The static picture."""
        raise TypeError(f"{type(self).__name__} draws no picture")

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentence()}"

    def _ipython_display_(self) -> None:
        static = picture(self.figure(), self.sentence())
        static["text/html"] = static["text/html"].replace("<figure", "<figure data-static")
        if os.environ.get(LIVE_PAGES):
            from .standalone import frame

            static["text/html"] += frame(self)
            display(static, raw=True)
            return
        display(static, raw=True)
        bundle = self._repr_mimebundle_()
        data = dict(bundle[0] if isinstance(bundle, tuple) else bundle)
        data["text/plain"] = "Live view: run this cell."
        display(data, raw=True)

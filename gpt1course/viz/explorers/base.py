"""What all explorers share: an ES module, a static picture, and how they are shown."""

from collections.abc import Callable
from pathlib import Path

import anywidget
import numpy as np
import traitlets
from IPython.display import display
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib.bpe import BPE
from gpt1lib.model import LanguageModel

from ... import settings
from .. import engine
from ..engine.bundle import bundled
from ..figure import picture
from ..labels import readable
from .controls import CleanUnicode
from .standalone import frame

HERE = Path(__file__).parent
CSS = (HERE / "common.css").read_text(encoding="utf-8")


def styles(name: str) -> str:
    """The style of an explorer: the shared part, then its own where it has one.

    Its own is nested in `.gx`, so that it outweighs the shared part that the next explorer
    on the page brings along.
    """
    own = HERE / f"{name}.css"
    return CSS + (f".gx {{\n{own.read_text(encoding='utf-8')}}}\n" if own.exists() else "")


def as_bytes(values: ArrayLike) -> bytes:
    """Little-endian float32, for numbers that the browser computes with."""
    return np.ascontiguousarray(values, dtype="<f4").tobytes()


def as_half(values: ArrayLike) -> bytes:
    """Little-endian float16, half the size: three digits, more than a picture shows."""
    return np.ascontiguousarray(values, dtype="<f2").tobytes()


def input_notice(bpe: BPE, text: str, n_ctx: int | None = None) -> str:
    """What a reader should know of a text: its unknown signs, and what is cut off."""
    words = [w for w in bpe.pre_tokenize(text) if "\n" not in w]
    pieces = [piece for word in words for piece in bpe.tokenize_word(word.lower())]
    unknown = dict.fromkeys(readable(p) for p in pieces if p not in bpe.encoder)
    said = []
    if unknown:
        said.append(f"Not in the vocabulary, read as <unk>: {' '.join(unknown)}.")
    n_tokens = len(bpe.encode(text))
    if n_ctx and n_tokens > n_ctx:
        said.append(f"The model reads the last {n_ctx} of {n_tokens} tokens.")
    return " ".join(said)


def encode_or_raise(bpe: BPE, text: str, most: int) -> list[int]:
    """Token ids of a text to look at; ValueError if it is empty or has too many."""
    ids = bpe.encode(text)
    if not ids:
        raise ValueError("the text is empty")
    if len(ids) > most:
        raise ValueError(f"the text has {len(ids)} tokens, this page shows {most}")
    return ids


class Explorer(anywidget.AnyWidget):
    """What all explorers share: code, a picture, a sentence, and how they are shown.

    The browser changes traits that are tagged `control`, all others are Python's alone.
    Traits: message, what is said about an input (that it cannot be read, or not all of
    it); answers, how many questions the kernel has answered, so that the page need not
    wait for an answer that changes nothing; controls, the names of those.

    A control that `asks` is a question when it changes. Its answer is made here or, where an
    engine in the page holds the model of this weights_id, there (engine/client.js): the page
    then raises in_page with what it sends, and here the same is computed when a cell first
    reads one of the names in `computed`.
    """

    message = CleanUnicode("").tag(sync=True)
    answers = traitlets.Int(0).tag(sync=True)
    weights_id = CleanUnicode("").tag(sync=True)
    in_page = traitlets.Int(0).tag(sync=True)
    controls = traitlets.List(CleanUnicode()).tag(sync=True)
    computed: frozenset[str] = frozenset()
    picture_colors = 256  # of the static picture
    pending: tuple[Callable[[], dict], ...] = ()  # what makes answers that the page has given
    _from_page = _alone = False  # while such a message comes in; while Python computes it

    @traitlets.default("controls")
    def _its_controls(self) -> list[str]:
        return sorted(self.trait_names(control=True))

    def __getattribute__(self, name: str):
        if name == "message" or name in type(self).computed:
            self.flush()
        return super().__getattribute__(name)

    def __init_subclass__(cls, **options) -> None:
        if Explorer in cls.__bases__:  # traitlets derives more classes from each of these
            name = cls.__module__.rpartition(".")[-1]  # sweep.py shows sweep.js
            cls._esm, cls._css = bundled(name), styles(name)
        super().__init_subclass__(**options)

    def set_state(self, sync_data: dict) -> None:
        """Take what the browser sends: its controls only, and only values they may have.

        What is refused stays as it was, and the browser is sent what stays.
        """
        sent = {name: value for name, value in sync_data.items() if name in self.controls}
        self._from_page = "in_page" in sync_data
        try:
            super().set_state(sent)
        except traitlets.TraitError as error:
            self.log.warning("%s refused: %s", type(self).__name__, error)
            self.send_state(list(sent))
        finally:
            self._from_page = False

    def on_change(self, make: Callable[[], dict], *names: str) -> None:
        """Answer by the traits that `make` returns when one of these controls changes."""
        self.observe(lambda change: self.answer(make), names)

    def attach_engine(self, bpe: BPE, model: LanguageModel | None = None) -> None:
        """A page may have what its questions are about, and answer them by itself.

        A tokenizer alone, or with its model; a model that no engine can hold stays here.
        """
        self.weights_id = engine.id_of(bpe, model)
        if self.weights_id:
            self.on_msg(lambda _, content, __: self._send_engine(content, bpe, model))

    def answer(self, make: Callable[[], dict]) -> None:
        """Set the traits that `make` returns, all at once; its error becomes the message.

        After an error the explorer keeps showing what it showed. What the page has answered
        is left for `flush`.
        """
        others = tuple(other for other in self.pending if other != make)
        self.pending = (*others, make) if self._from_page else others
        if not self._from_page:
            self.flush()
            self.set_many(self._made(make) | {"answers": self.answers + 1})

    def _made(self, make: Callable[[], dict]) -> dict:
        try:
            return {"message": ""} | make()
        except (ValueError, RuntimeError) as error:
            return {"message": f"This cannot be read: {error}."}

    def flush(self) -> None:
        """Compute what the page has answered, for a cell; the page keeps its own numbers."""
        if not self.pending:
            return
        makes, self.pending, self._alone = self.pending, (), True
        try:
            for make in makes:
                traits = self._made(make)
                own = {name: v for name, v in traits.items() if name not in self.controls}
                self.set_many(own)
                for name in self.controls:
                    self._keep_if_there(name, traits)
        finally:
            self._alone = False

    def _keep_if_there(self, name: str, traits: dict) -> None:
        """The page's choice, unless the text that it was made on has no such place."""
        try:
            setattr(self, name, getattr(self, name))
        except traitlets.TraitError:
            setattr(self, name, traits.get(name, self.traits()[name].default_value))

    def send_state(self, key=None) -> None:
        """Send traits to the page, unless they are computed for Python alone."""
        if not self._alone:
            super().send_state(key)

    def _send_engine(self, content: dict, bpe: BPE, model: LanguageModel | None) -> None:
        """What the page asks for: an engine with this model, unless that has changed."""
        if content == {"engine": self.weights_id} == {"engine": engine.id_of(bpe, model)}:
            told, buffers = engine.parcel(bpe, model)
            self.send({"engine": told}, buffers)

    def set_many(self, traits: dict) -> None:
        """Set many traits, and send them in one message."""
        with self.hold_sync():
            for name, value in traits.items():
                setattr(self, name, value)

    def sentence(self) -> str:
        """What the picture shows, from the data."""
        raise TypeError(f"{type(self).__name__} does not describe itself")

    def figure(self) -> Figure | None:
        """The static picture; None while there is nothing to draw."""
        raise TypeError(f"{type(self).__name__} draws no picture")

    def __repr__(self) -> str:
        return f"{type(self).__name__}: {self.sentence()}"

    def _ipython_display_(self) -> None:
        static = picture(self.figure(), self.sentence(), self.picture_colors)
        static["text/html"] = static["text/html"].replace("<figure", "<figure data-static")
        if settings.live_pages():
            static["text/html"] += frame(self)
            display(static, raw=True)
            return
        display(static, raw=True)
        bundle = self._repr_mimebundle_()
        data: dict = dict(bundle[0] if isinstance(bundle, tuple) else bundle or {})
        data["text/plain"] = "Live view: run this cell."
        display(data, raw=True)

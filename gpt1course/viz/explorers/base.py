"""What all explorers share: an ES module, a static picture, and how they are shown."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

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
from .controls import AnswerText, CleanUnicode, is_answer
from .standalone import frame

HERE = Path(__file__).parent
Backend = Callable[[dict[str, Any], set[str]], dict[str, Any]]
"""What answers a view's questions: args, and the names of those that have changed, to the
record. In Python it is a function beside the view; its twin is in engine/records.js.
"""
CSS = (HERE / "common.css").read_text(encoding="utf-8")
LIVE = "Live view: run this cell."  # what a widget leaves where no script runs
MOST_SIGNS = 20  # unknown ones that a notice lists


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
    unknown = list(dict.fromkeys(readable(p) for p in pieces if p not in bpe.encoder))
    said = []
    if unknown:
        more = len(unknown) - MOST_SIGNS
        listed, rest = " ".join(unknown[:MOST_SIGNS]), f" and {more} more" if more > 0 else ""
        said.append(f"Not in the vocabulary, read as <unk>: {listed}{rest}.")
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
    Traits: controls, the names of those; asks, those of them that are a question to the
    model; told, what the model is told besides; message, what is said about an input (that
    it cannot be read, or not all of it); answers, how many questions the page has had
    answered.

    How one is made. The constructor takes plain data: arrays, records, texts. from_checkpoint
    reads a text with a model, makes the explorer of that record, and says who answers later
    questions: see answer_by and attach_engine.

    A question and its record. When a control that asks changes, the page asks a backend for
    the record, which is what answers it: an engine in the page that holds the model of this
    weights_id (engine/client.js), or else Python. Python itself keeps the question. It
    computes a record when the page or a cell asks for it: see answer_by.
    """

    message = AnswerText("").tag(sync=True)
    answers = traitlets.Int(0).tag(sync=True)
    weights_id = CleanUnicode("").tag(sync=True)
    controls = traitlets.List(CleanUnicode()).tag(sync=True)
    asks = traitlets.List(CleanUnicode()).tag(sync=True)
    told = traitlets.List(CleanUnicode()).tag(sync=True)
    picture_colors = 256  # of the static picture
    _backend: Backend | None = None  # see answer_by
    _answered: dict | None = None  # the question whose record the traits are
    _seen: dict | None = None  # the question under which the page last chose something
    _accepted: dict | None = None  # the same, but for questions that were refused
    _record: dict | None = None  # what the backend gave for the question that is answered

    @traitlets.default("controls")
    def _its_controls(self) -> list[str]:
        return sorted(self.trait_names(control=True))

    def __init_subclass__(cls, **options) -> None:
        if Explorer in cls.__bases__:  # traitlets derives more classes from each of these
            name = cls.__module__.rpartition(".")[-1]  # sweep.py shows sweep.js
            cls._esm, cls._css = bundled(name), styles(name)
        super().__init_subclass__(**options)

    @classmethod
    def answer_names(cls) -> set[str]:
        """The traits that are the record."""
        return {name for name, trait in cls.class_traits().items() if is_answer(trait)}

    def set_state(self, sync_data: dict) -> None:
        """Take what the browser sends: its controls only, and only values they may have.

        What is refused stays as it was, and the browser is sent what stays.
        """
        sent = {name: value for name, value in sync_data.items() if name in self.controls}
        question = {name: value for name, value in sent.items() if name in self.asks}
        self._seen = self.question() | question
        try:
            super().set_state(question)  # first: a row is chosen in the text that comes with it
            super().set_state({n: v for n, v in sent.items() if n not in question})
        except traitlets.TraitError as error:
            self.log.warning("%s refused: %s", type(self).__name__, error)
            self.send_state(list(sent))

    # ---- a question and its record

    def answer_by(self, backend: Backend, *names: str, told: Sequence[str] = ()) -> None:
        """From now on the controls of these names ask, and the backend gives the record.

        Its args are the values of these controls, and of the traits `told`. The record is
        traits by name; its error (ValueError, RuntimeError) becomes the message, and the
        explorer keeps showing what it showed.
        """
        self.asks, self.told = list(names), list(told)
        self._backend, self._answered = backend, self.question()
        self._accepted = self._answered
        self.on_msg(lambda _, content, __: self._reply(content))
        self.observe(lambda change: self._computed_for_cell(), names)

    def question(self) -> dict:
        """The values of the controls that ask."""
        return {name: getattr(self, name) for name in self.asks}

    def accepted(self, name: str) -> Any:
        """A control as it was in the question that is shown: a later one may be refused."""
        self.catch_up()
        return (self._accepted or {}).get(name, getattr(self, name))

    @property
    def is_stale(self) -> bool:
        """Has the question changed since the record was computed?"""
        return self._backend is not None and self.question() != self._answered

    def catch_up(self) -> None:
        """Compute the record, where it answers another question than the one that is asked.

        What is chosen is as the record says, unless the page has chosen under this question.
        """
        if not self.is_stale:
            return
        assert self._backend is not None and self._answered is not None
        before, self._answered = self._answered, self.question()
        changed = {name for name, value in self._answered.items() if value != before[name]}
        args = {name: getattr(self, name) for name in (*self.asks, *self.told)}
        try:
            self._record = {"message": ""} | self._backend(args, changed)
            self._accepted = self._answered
        except (ValueError, RuntimeError) as error:
            self._record = {"message": f"This cannot be read: {error}."}
        except BaseException:
            self._answered = before
            raise
        chosen = {name: v for name, v in self._record.items() if name in self.controls}
        self.set_many({name: v for name, v in self._record.items() if name not in chosen})
        if self._seen != self._answered:
            self.set_many(chosen)
        for name in self.controls:
            self._keep_if_there(name, chosen)

    def _computed_for_cell(self) -> None:
        """A cell that asks is answered at once, and so is a page that has no engine."""
        if self._seen != self.question():
            self.catch_up()
            self._send_record(None)

    def _keep_if_there(self, name: str, chosen: dict) -> None:
        """What is chosen, unless the text that it was chosen in has no such place."""
        try:
            setattr(self, name, getattr(self, name))
        except traitlets.TraitError:
            setattr(self, name, chosen.get(name, self.traits()[name].default_value))

    def _reply(self, content: dict) -> None:
        """The record, to a page that sends {id, question} and has no engine."""
        if content.keys() != {"id", "question"}:
            return
        now = self.question()
        asked = content["question"].items()
        new = {name: v for name, v in asked if name in now and v != now[name]}
        if new:  # else an echo would overwrite what has been typed since
            self.set_state(new)
        self.catch_up()
        self._send_record(content["id"])

    def _send_record(self, number: int | None) -> None:
        """The record of the question with this number; None: of one that a cell has asked."""
        whole = self._record or {name: getattr(self, name) for name in self.answer_names()}
        arrays = [name for name, value in whole.items() if isinstance(value, bytes)]
        record = {name: value for name, value in whole.items() if name not in arrays}
        told = {"id": number, "record": record, "arrays": arrays}
        self.send(told, [whole[name] for name in arrays])

    def _should_send_property(self, key: str, value: Any) -> bool:
        """A page asks for the record of a question itself: it is not sent of its own accord."""
        if self._backend is not None and is_answer(self.traits()[key]):
            return False
        return super()._should_send_property(key, value)

    def attach_engine(self, bpe: BPE, model: LanguageModel | None = None) -> None:
        """A page may have what its questions are about, and answer them by itself.

        A tokenizer alone, or with its model; a model that no engine can hold stays here.
        """
        self.weights_id = engine.id_of(bpe, model)
        if self.weights_id:
            self.on_msg(lambda _, content, __: self._send_engine(content, bpe, model))

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
        data["text/plain"] = LIVE
        display(data, raw=True)

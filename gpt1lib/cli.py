"""What the commands share: options, one-line errors and Ctrl-C.

A record of options is a dataclass whose fields come from `option`. Its options on the command
line, their help and their values all follow from the fields, so that no default is typed twice.
"""

import argparse
import signal
import sys
import threading
import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import Field, field, fields, is_dataclass
from typing import Any, get_args, get_origin

import torch

from . import settings, validate


def option(
    default: Any, text: str, *, changes_result: bool = True, choices: Collection[str] = ()
) -> Any:  # as dataclasses.field: it takes the place of a value
    """A field with its help. changes_result: whether a resumed run must share its value."""
    metadata = {"help": text, "changes_result": changes_result, "choices": choices}
    return field(default=default, metadata=metadata)


def require(record, name: str, right: bool, what: str) -> None:
    """Raise ValueError that names a field and its value unless it is right."""
    if not right:
        raise ValueError(f"{name} is {getattr(record, name)!r}, it must be {what}")


def add_options(
    parser: argparse.ArgumentParser, now, title: str, texts: dict[str, str] | None = None
) -> None:
    """One option for each field of the record `now`; its help shows the value of `now`.

    texts: field -> help, for a record whose fields carry none; other fields get no option.
    What was not typed is None, which no typed value is.
    """
    group = parser.add_argument_group(title)
    for f in fields(now):
        text = f.metadata.get("help") if texts is None else texts.get(f.name)
        if text and not is_dataclass(value := getattr(now, f.name)):
            shown = " ".join(map(str, value)) if isinstance(value, tuple) else value
            text = text if value is None else f"{text} (default: {shown})"
            flag = "--" + f.name.replace("_", "-")
            group.add_argument(flag, help=text.replace("%", "%%"), default=None, **_kind(f))


DEVICES = ("cpu", "cuda", "mps")


def add_device(parser: argparse.ArgumentParser, choices: Collection[str] = DEVICES) -> None:
    """The option --device."""
    mac = "; mps is the GPU of a Mac" if "mps" in choices else ""
    text = f"default: cuda if there is a GPU, else cpu{mac}"
    parser.add_argument("--device", choices=choices, help=text)


def device_of(name: str | None) -> torch.device:
    """The device that was asked for, or the default. Raises ValueError if there is none."""
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if not {"cuda": cuda, "mps": mps}.get(name or "cpu", True):
        raise ValueError(f"the device is {name}, but torch finds no such GPU on this machine")
    return torch.device(name or ("cuda" if cuda else "cpu"))


def given_options(args: argparse.Namespace, record: type) -> dict:
    """The fields of a record that were typed on the command line."""
    names = {f.name for f in fields(record)}
    given = {k: v for k, v in vars(args).items() if k in names and v is not None}
    return {k: tuple(v) if isinstance(v, list) else v for k, v in given.items()}


def _kind(f: Field) -> dict:
    """What argparse needs to read a value of the field's type."""
    kind = validate.required_type(f)
    if choices := f.metadata.get("choices"):
        return {"choices": choices}
    if kind is bool:
        return {"action": argparse.BooleanOptionalAction}
    if get_origin(kind) is tuple:
        return {"type": float, "nargs": len(get_args(kind))}
    return {"type": kind}


EXPECTED = (
    OSError, ValueError, TypeError, FloatingPointError, RuntimeError, MemoryError,
    ImportError, KeyboardInterrupt,
)  # fmt: skip
"""What a command ends with where its input, its machine or its user stops it."""


def message_of(error: BaseException, again: str = "") -> str:
    """An error in one line. again: the command that goes on after Ctrl-C."""
    if isinstance(error, KeyboardInterrupt):
        parts = ["stopped", *map(str, error.args), f"To go on: {again}" if again else ""]
        return ". ".join(filter(None, parts))
    if isinstance(error, MemoryError):
        return "the memory is full"
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return str(error)


@contextmanager
def one_line_errors(name: str, again: str = "") -> Iterator[None]:
    """End a command with one line, `name: what went wrong`, instead of a traceback.

    again: the command that goes on after Ctrl-C, where there is one. With GPT1_DEBUG=1 in
    the environment the traceback is shown above that line.
    """
    try:
        yield
    except EXPECTED as error:
        if settings.debug():
            traceback.print_exc()
        sys.exit(f"{name}: {message_of(error, again)}")


@contextmanager
def interrupted_between_steps(alone: bool = True) -> Iterator[Callable[[], bool]]:
    """Make the first Ctrl-C wait until the current step ends; a second one stops at once.

    Yields a function that returns whether it was pressed. A step that is half done cannot be
    saved. Only the main thread receives Ctrl-C. With alone=False nothing waits, because other
    processes would wait for one that stops to save.
    """
    pressed: list[int] = []

    def remember(*_) -> None:
        if pressed:
            raise KeyboardInterrupt
        pressed.append(1)

    if not alone or threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, remember)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)

"""Files: written whole or not at all, and named where their contents cannot be read."""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from . import paths


@contextmanager
def atomic_write(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success sync it and rename it there."""
    path = Path(path)
    paths.check_there(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with open(temporary, "r+b") as f:  # Windows syncs only what may be written
            os.fsync(f.fileno())
        mask = os.umask(0o077)  # what new files are not allowed; reading it takes setting it
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)  # safetensors writes for its owner alone
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def remove_unfinished(folder: str | Path) -> None:
    """Delete what killed processes left of `atomic_write` in a folder, not below it."""
    for path in Path(folder).glob(".*.tmp"):
        if re.fullmatch(r"\..+\.\d+\.tmp", path.name):
            path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all, with the same bytes on every system."""
    with atomic_write(path) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")


def write_json(path: str | Path, value: object, indent: int | None = 1) -> None:
    """Write JSON, whole or not at all. Raises ValueError for nan, which JSON lacks."""
    with blame_file(path):
        text = json.dumps(value, ensure_ascii=False, indent=indent, allow_nan=False)
    write_text(path, text + "\n")


@contextmanager
def blame_file(path: str | Path, *more: type[Exception]) -> Iterator[None]:
    """An error over a file's contents becomes a ValueError that names the file.

    Caught are errors over values that are missing, out of bounds or of a wrong type. more:
    others that only the contents can raise. Wrap what reads them and nothing else: an error
    of our own would be blamed on the file, too.
    """
    try:
        yield
    except (ValueError, LookupError, TypeError, *more) as error:
        message = str(error) or type(error).__name__
        if isinstance(error, ValueError) and message.startswith(str(path)):
            raise
        message = f"it lacks {message}" if isinstance(error, KeyError) else message
        raise ValueError(f"{path}: {message}") from error


def check_file(path: str | Path) -> None:
    """Raise ValueError for a named pipe: to open one waits for a writer, maybe for ever."""
    if Path(path).is_fifo() and not str(path).startswith("/dev/"):  # the shell's own <(...)
        raise ValueError(f"{path} is a named pipe, it must be a file")


def read_text(path: str | Path) -> str:
    """The text of a UTF-8 file, without a byte order mark; Windows' line ends become \\n.

    Raises FileNotFoundError, and ValueError where it is in another encoding.
    """
    path = Path(path)
    paths.check_there(path)
    check_file(path)
    try:
        return path.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"{path} is not UTF-8 text: byte {error.start} is {error.object[error.start]:#x}, "
            f"in line {line}. Save it as UTF-8"
        ) from error


def read_json(path: str | Path, kind: type = dict) -> Any:
    """The value in a JSON file; kind: the type it must have."""
    return parse_json(read_text(path), path, kind)


def parse_json(text: str | bytes, place: str | Path, kind: type = dict) -> Any:
    """The value in a JSON text. place: where it is from, which a ValueError names."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{place} is damaged, not valid JSON: {error}") from error
    if not isinstance(value, kind):
        raise ValueError(f"{place} contains a {type(value).__name__}, not a {kind.__name__}")
    return value


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    check_file(path)
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()

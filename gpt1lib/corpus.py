"""Books to one stream of token ids, and windows of it.

GPT-1 read "randomly sampled, contiguous sequences of 512 tokens" (section 4.1): a
window may start anywhere in the stream, and nothing is shuffled within it.
"""

import hashlib
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from . import validate
from .bpe import BPE
from .io import checksums, files
from .io.paths import BOOKS, check_there
from .io.tensors import read_array, write_array

GOLDEN_RATIO = (math.sqrt(5) - 1) / 2
"""The fractional parts of its multiples fill 0 to 1 evenly, however many are taken: the
Kronecker sequence of the golden ratio, which has a low discrepancy."""

BookPaths = str | Path | Sequence[str | Path]
"""Books: a folder of .txt files, a file, or several of them."""


def read_books(paths: BookPaths = BOOKS) -> dict[str, str]:
    """The texts of books, name -> text; a folder's in alphabetical order.

    Raises FileNotFoundError for a path without books, ValueError for two books of one name, a
    file that is not UTF-8 or not the text of a book, and a changed book of the course.
    """
    books: dict[str, str] = {}
    for path in book_files(paths):
        checksums.verify_shipped(path)
        if path.stem in books:
            raise ValueError(f"two books are called {path.stem!r}: rename one of them")
        books[path.stem] = files.read_text(path)
        check_is_text(path, books[path.stem])
    return books


NOT_BOOKS = {
    "version https://git-lfs": "is a pointer of git-lfs; `git lfs pull` fetches the text",
    "<!doctype": "is a web page; save the book as plain text",
    "<html": "is a web page; save the book as plain text",
}
"""How files begin that are not books, and what to do."""


def check_is_text(path: Path, text: str) -> None:
    """Raise ValueError for a file that is not the text of a book, and name what to do."""
    if path.suffix.lower() in (".csv", ".tsv", ".jsonl"):
        raise ValueError(f"{path} is a table, not a book; labels go to gpt1lib.finetune --data")
    if "\0" in text:
        raise ValueError(f"{path} has NUL bytes, so it is not text; save it as UTF-8")
    start = text[:1000].lstrip("\ufeff \t\r\n").lower()
    for beginning, problem in NOT_BOOKS.items():
        if start.startswith(beginning):
            raise ValueError(f"{path} {problem}")


def book_files(paths: BookPaths) -> list[Path]:
    """The files of books. Raises FileNotFoundError for a path that has none."""
    files_of_all: list[Path] = []
    for path in as_paths(paths):
        check_there(path)
        if path.is_dir():
            here = sorted(path.glob("*.txt"))
        elif "*" in path.name:  # Windows leaves it to us
            here = sorted(path.parent.glob(path.name))
        else:
            here = [path]
        if not here:
            raise FileNotFoundError(f"no .txt books in {path}; the course's are in data/books")
        files_of_all += here
    return files_of_all


def as_paths(paths: BookPaths) -> list[Path]:
    """One path or several, as a list."""
    return [Path(x) for x in ([paths] if isinstance(paths, str | Path) else paths)]


def describe_paths(paths: BookPaths) -> str:
    """Paths in a few words, for a message."""
    first, *more = as_paths(paths)
    return f"{first} and {len(more)} more" if more else f"{first}"


def checksum(books: dict[str, str]) -> str:
    """SHA-256 of names and texts; binds a checkpoint to the books it has read."""
    digest = hashlib.sha256()
    for name, text in sorted(books.items()):
        digest.update(f"{name}\0{text}\0".encode())
    return digest.hexdigest()


def encode_books(books: dict[str, str], bpe: BPE) -> Tensor:
    """One stream of ids (N,), a new line after each book. Raises ValueError for none."""
    if not books:
        raise ValueError("there are no books to encode")
    stream = []
    for text in books.values():
        stream += bpe.encode(text)
        stream.append(bpe.newline)
    return torch.tensor(stream)  # (N,)


def write_tokens(path: str | Path, ids: Tensor) -> None:
    """Store a stream of ids (N,) in the fewest whole bytes per id, as a .npy file.

    Raises ValueError for an empty stream and for ids that don't fit into 4 bytes.
    """
    validate.check_indices("token id", ids, 2**32)
    kind = np.uint16 if int(ids.max()) < 2**16 else np.uint32
    write_array(path, ids.numpy().astype(kind))


def open_tokens(path: str | Path) -> np.ndarray:
    """A stored stream (N,), mapped: only the windows that are drawn are read.

    Raises ValueError for a damaged file.
    """
    return read_array(path, ["uint16", "uint32"])


def random_windows(
    ids: Tensor | np.ndarray,
    n_ctx: int,
    n_windows: int,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Windows of n_ctx consecutive ids from anywhere in the stream: (n_windows, n_ctx).

    Raises ValueError where the stream is shorter than one window.
    """
    n_starts = _n_starts(ids, n_ctx, n_windows)
    starts = torch.randint(n_starts, (n_windows,), generator=generator)
    return _windows_at(ids, starts, n_ctx)


def even_windows(
    ids: Tensor | np.ndarray, n_ctx: int, n_windows: int, before: int = 0, offset: float = 0.0
) -> Tensor:
    """Windows that cover the stream evenly, however many are taken: (n_windows, n_ctx).

    Random windows with as many tokens as the stream leave 37% of it unread, 1/e, and read
    much of it twice. These start at the fractional parts of offset + k GOLDEN_RATIO, as shares
    of the stream, with k = before, before + 1, ...: no two starts are closer than they must.

    Raises ValueError where the stream is shorter than one window.
    """
    n_starts = _n_starts(ids, n_ctx, n_windows)
    k = torch.arange(before, before + n_windows, dtype=torch.float64)
    starts = ((offset + k * GOLDEN_RATIO) % 1 * n_starts).long()
    return _windows_at(ids, starts, n_ctx)


def _n_starts(ids: Tensor | np.ndarray, n_ctx: int, n_windows: int) -> int:
    """How many places a window can start at. Raises ValueError if there is none."""
    n_ctx = validate.check_int("n_ctx", n_ctx, 1)
    validate.check_int("n_windows", n_windows, 1)
    if len(ids) < n_ctx:
        raise ValueError(f"the text has {len(ids)} tokens, a window needs {n_ctx}")
    return len(ids) - n_ctx + 1


def _windows_at(ids: Tensor | np.ndarray, starts: Tensor, n_ctx: int) -> Tensor:
    windows = [np.asarray(ids[i : i + n_ctx], np.int64) for i in starts.tolist()]
    return torch.from_numpy(np.stack(windows))  # (n_windows, n_ctx)


def windows_in_order(ids: Tensor, n_ctx: int) -> list[Tensor]:
    """The whole stream cut into windows that share one token, the last one shorter.

    Each token but the very first is a target exactly once: to score a text.
    """
    n_ctx = validate.check_int("n_ctx", n_ctx, 2)
    if len(ids) < 2:
        raise ValueError(f"the text has {len(ids)} tokens, scoring needs at least 2")
    return [ids[i : i + n_ctx] for i in range(0, len(ids) - 1, n_ctx - 1)]

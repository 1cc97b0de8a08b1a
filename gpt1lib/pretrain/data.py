"""The data of a run: books to train on, and books that are held out to score it."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from torch import Tensor

from .. import corpus
from ..bpe import BPE
from ..corpus import BookPaths
from ..fast.distributed import SINGLE, Processes
from ..io import files
from . import cache
from .config import Recipe

SHARE = 10
"""One character in so many is held out where no held-out books are named."""
END = ", the end"
"""After the name of a book, the name of what is held out of it."""
MIN_CHARACTERS = 1000
"""Characters of a book that is worth cutting."""


@dataclass(frozen=True)
class TrainingData:
    """Books, name -> text, their vocabulary, and their tokens."""

    books: dict[str, str]
    heldout: dict[str, str]
    bpe: BPE
    ids: np.ndarray  # (N,), mapped: `corpus.open_tokens`
    heldout_ids: Tensor  # (M,)

    def summary(self) -> str:
        """What a run reads, in three lines to print."""
        read, held_out = (sum(map(len, x.values())) for x in (self.books, self.heldout))
        ends = self.heldout.keys() <= {f"{name}{END}" for name in self.books}
        n, n_merges, per_token = len(self.heldout), len(self.bpe.merges), read / len(self.ids)
        what = "the last tenth of each" if ends else f"{n} other book" + "s" * (n != 1)
        return (
            f"books: {len(self.books)}, {read:,} characters to train on\n"
            f"held out to score: {what}, {held_out:,} characters\n"
            f"vocabulary: {self.bpe.n_vocab:,} tokens by {n_merges:,} merges (--n-merges); "
            f"{per_token:.1f} characters per token"
        )


def load_data(
    recipe: Recipe,
    folder: Path,
    books: BookPaths,
    heldout: BookPaths | None,
    bpe: BPE | None = None,
    world: Processes = SINGLE,
) -> TrainingData:
    """The books in tokens, which the main process stores in `folder` at the first call.

    heldout: None holds out the end of each book. bpe: a vocabulary to use, in place of one
    that is learned from the books.

    Raises ValueError for books too short to train on or to score, not hours later.
    """
    train, apart = load_splits(books, heldout)
    place = cache.cache_dir(folder, train, recipe.n_merges, bpe)
    if world.is_main:
        with files.blame_file(corpus.describe_paths(books)):  # no words, or one that is none
            cache.make(place, train, recipe.n_merges, bpe)
    world.wait()
    bpe, ids = cache.load(place, bpe)
    if len(ids) < (n_ctx := recipe.model.n_ctx):
        raise ValueError(
            f"the books in {corpus.describe_paths(books)} have {len(ids)} tokens, "
            f"a window needs {n_ctx}: take longer ones, or a smaller --n-ctx"
        )
    for name, text in apart.items():
        if (n := len(bpe.encode(text.strip()[:1000]))) < 2:
            raise ValueError(
                f"the held-out book {name!r} of {corpus.describe_paths(heldout or books)} has "
                f"{n} tokens, scoring needs at least 2"
            )
    return TrainingData(train, apart, bpe, ids, corpus.encode_books(apart, bpe))


def load_splits(
    books: BookPaths, heldout: BookPaths | None
) -> tuple[dict[str, str], dict[str, str]]:
    """(books to train on, books to score on), name -> text.

    heldout: None holds out the end of each book. Raises ValueError where a book is in both, and
    where none is long enough to hold out its end.
    """
    read = corpus.read_books(books)
    if heldout is None:
        return hold_out(read)
    apart = corpus.read_books(heldout)
    known = set(apart.values())
    if both := {name for name, text in read.items() if name in apart or text in known}:
        raise ValueError(
            f"held-out books are among the training books: {', '.join(sorted(both))}. Remove "
            "them from --books or from --heldout"
        )
    return read, apart


def hold_out(books: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(the books without their ends, the ends): the last tenth of each, from a line break.

    Where there is no line break, from a space, or from anywhere. A short book stays whole.
    """
    read, ends = dict(books), {}
    for name, text in books.items():
        if len(text) >= MIN_CHARACTERS:
            cut = beginning_of_the_end(text)
            read[name], ends[f"{name}{END}"] = text[:cut], text[cut:]
    if not ends:
        n = max(map(len, books.values()))
        raise ValueError(
            f"the longest book has {n} characters, and to hold out its end takes "
            f"{MIN_CHARACTERS:,}: take a longer one, or name others by --heldout"
        )
    return read, ends


def beginning_of_the_end(text: str) -> int:
    """Where the last tenth of a text begins, or soon after: with a line, or with a word."""
    least, most = len(text) - len(text) // SHARE, len(text) - len(text) // (2 * SHARE)
    for gap in ("\n", " "):
        if (at := text.find(gap, least, most)) >= 0:
            return at + 1
    return least

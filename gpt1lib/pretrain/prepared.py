"""Books made ready to train on: a vocabulary and one stream of tokens, kept on disk.

They lie in a folder that is named after what they are made from, so other books or another
number of merges never meet what was made before; and whole, or they are made again.
"""

import hashlib
from pathlib import Path

import numpy as np

from .. import corpus
from ..bpe import BPE
from ..io import checksums

TOKENS = "tokens.npy"
PARTS = ("encoder.json", "vocab.bpe", TOKENS)


def place_of(state: Path, books: dict[str, str], n_merges: int, bpe: BPE | None) -> Path:
    """The folder for these books under a vocabulary of n_merges merges, or a given one."""
    vocabulary = f"{n_merges} merges" if bpe is None else bpe.checksum
    made_from = f"{corpus.checksum(books)} {vocabulary}"
    return state / f"prepared-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}"


def make(place: Path, books: dict[str, str], n_merges: int, bpe: BPE | None) -> None:
    """Learn the vocabulary, unless one is given, and encode the books; once only."""
    if checksums.of(place).keys() >= set(PARTS):
        return
    bpe = BPE.learn(books.values(), n_merges) if bpe is None else bpe
    bpe.save(place)
    corpus.write_tokens(place / TOKENS, corpus.encode_books(books, bpe))
    checksums.write_checksums(place, *PARTS)


def read_prepared(place: Path) -> tuple[BPE, np.ndarray]:
    """(vocabulary, token stream (N,)). Raises ValueError that names a damaged file."""
    checksums.verify(place, *PARTS)
    return BPE.load(place), corpus.open_tokens(place / TOKENS)

"""Books in tokens, kept on disk: a vocabulary and one stream of ids.

Their folder is named after what they are made from, so other books or another number of
merges never meet what was made before; and they are whole, or they are made again.
"""

import hashlib
from pathlib import Path

import numpy as np

from .. import corpus
from ..bpe import BPE
from ..io import checksums, files

TOKENS = "tokens.npy"
FILES = ("encoder.json", "vocab.bpe", TOKENS)


def cache_dir(parent: Path, books: dict[str, str], n_merges: int, bpe: BPE | None) -> Path:
    """The folder for these books under a vocabulary of n_merges merges, or a given one."""
    vocabulary = f"{n_merges} merges" if bpe is None else f"{bpe.checksum} {bpe.pipeline}"
    made_from = f"{corpus.checksum(books)} {vocabulary}"
    return parent / f"prepared-{hashlib.sha256(made_from.encode()).hexdigest()[:16]}"


def make(folder: Path, books: dict[str, str], n_merges: int, bpe: BPE | None) -> None:
    """Learn the vocabulary, unless one is given, and encode the books; once only."""
    files.remove_unfinished(folder)
    there = all((folder / name).is_file() for name in FILES)
    if there and checksums.of(folder).keys() >= set(FILES):
        return
    bpe = BPE.learn(books.values(), n_merges) if bpe is None else bpe
    bpe.save(folder)
    corpus.write_tokens(folder / TOKENS, corpus.encode_books(books, bpe))
    checksums.write_checksums(folder, *FILES)


def load(folder: Path, bpe: BPE | None = None) -> tuple[BPE, np.ndarray]:
    """(vocabulary, token stream (N,)). Raises ValueError that names a damaged file."""
    checksums.verify(folder, *FILES)
    return bpe or BPE.load(folder), corpus.open_tokens(folder / TOKENS)

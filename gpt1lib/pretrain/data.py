"""The books of a run: what it is trained on, and what is held out to score it."""

from .. import corpus
from ..bpe import BPE
from ..corpus import BookPaths

SHARE = 10
"""One character in so many is held out where no held-out books are named."""
END = ", the end"
"""After the name of a book, the name of what is held out of it."""
SHORTEST = 1000
"""Characters of a book that is worth cutting."""


def read_apart(
    books: BookPaths, heldout: BookPaths | None
) -> tuple[dict[str, str], dict[str, str]]:
    """(books to train on, books to score on), name -> text.

    heldout: None holds out the end of each book. Raises ValueError where a book is in both, and
    where none is long enough to hold out its end.
    """
    read = corpus.read_books(books)
    if heldout is None:
        return hold_out(read)
    kept = corpus.read_books(heldout)
    both = read.keys() & kept.keys() | corpus.same_texts(read, kept)
    if both:
        raise ValueError(
            f"held-out books are among the training books: {', '.join(sorted(both))}. Remove "
            "them from --books or from --heldout"
        )
    return read, kept


def hold_out(books: dict[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """(the books without their ends, the ends): the last tenth of each, from a line break.

    Where there is no line break, from a space, or from anywhere. A short book stays whole.
    """
    read, ends = dict(books), {}
    for name, text in books.items():
        if len(text) >= SHORTEST:
            cut = beginning_of_the_end(text)
            read[name], ends[f"{name}{END}"] = text[:cut], text[cut:]
    if not ends:
        n = max(map(len, books.values()))
        raise ValueError(
            f"the longest book has {n} characters, and to hold out its end takes {SHORTEST:,}: "
            "take a longer one, or name others by --heldout"
        )
    return read, ends


def beginning_of_the_end(text: str) -> int:
    """Where the last tenth of a text begins, or soon after: with a line, or with a word."""
    least, most = len(text) - len(text) // SHARE, len(text) - len(text) // (2 * SHARE)
    for gap in ("\n", " "):
        if (found := text.find(gap, least, most)) >= 0:
            return found + 1
    return least


def in_brief(books: dict[str, str], heldout: dict[str, str], bpe: BPE, n: int) -> str:
    """What a run reads, in lines for the eye. n: tokens to train on."""
    read, kept = (sum(map(len, texts.values())) for texts in (books, heldout))
    ends = heldout.keys() <= {f"{name}{END}" for name in books}
    what = "the last tenth of each" if ends else f"{len(heldout)} other books"
    return (
        f"books: {len(books)}, {read:,} characters to train on\n"
        f"held out to score: {what}, {kept:,} characters\n"
        f"vocabulary: {bpe.n_vocab:,} tokens, made of these books by {len(bpe.merges):,} "
        f"merges (--n-merges); {read / n:.1f} characters per token"
    )

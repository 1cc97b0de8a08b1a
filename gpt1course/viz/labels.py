"""Token labels as a reader can tell them apart."""

from collections import Counter
from collections.abc import Sequence


def readable(piece: str) -> str:
    """'the</w>' -> 'the', a new line -> '⏎'; a piece inside a word stays as it is."""
    if piece in ("\n</w>", "\n"):
        return "⏎"
    return piece.removesuffix("</w>")


def token_labels(tokens: Sequence[str]) -> list[str]:
    """Labels of a sequence; a token that occurs more than once gets its position."""
    names = [readable(t) for t in tokens]
    count = Counter(names)
    return [f"{n} ({i})" if count[n] > 1 else n for i, n in enumerate(names)]

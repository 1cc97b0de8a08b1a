"""Byte-pair encoding of a text, merge by merge."""

from functools import partial
from typing import Self

import traitlets
from matplotlib.figure import Figure

from gpt1lib import validate
from gpt1lib.bpe import BPE, UNK, characters, merge_pair
from gpt1lib.checkpoints import Checkpoint

from .. import plots
from ..labels import readable
from .base import Explorer, input_notice
from .controls import AnswerList, CleanUnicode, Index

MOST_CHARACTERS = 400


def merge_steps(words: list[str], bpe: BPE) -> list[list]:
    """The merges that a text needs, in the order in which they were learned.

    Each is [left, right, rank]; applied one after the other to all words they give the
    pieces that `bpe.bpe` gives word by word.
    """
    symbols, steps = [characters(w) for w in words], []
    while True:
        pairs = {p for s in symbols for p in zip(s, s[1:], strict=False)}
        known = [p for p in pairs if p in bpe.ranks]
        if not known:
            return steps
        best = min(known, key=bpe.ranks.__getitem__)
        steps.append([*best, bpe.ranks[best]])
        symbols = [merge_pair(s, best) for s in symbols]


def merges_record(bpe: BPE, args: dict, changed: set[str]) -> dict:
    """The words of a text, the merges that they need, and their ids."""
    text, most = args["text"], args["most"]
    if len(text) > most:
        raise ValueError(f"the text has {len(text)} characters, this page shows {most}")
    words = [w.lower() for w in bpe.pre_tokenize(text) if "\n" not in w]
    pieces, merges = map(bpe.tokenize_word, words), merge_steps(words, bpe)
    return {
        "message": input_notice(bpe, text) if words else "Type a text.",
        "words": words,
        "step": min(args["step"], len(merges)),
        "merges": merges,
        "ids": [[bpe.token_to_id(piece, unk=True) for piece in word] for word in pieces],
    }


class TokenExplorer(Explorer):
    """BPE on any text: characters first, then one merge per step, and ids at the end.

    Made of what `merges_record` returns. Traits: text and step, the number of merges
    applied (-1: all).
    """

    text = CleanUnicode("").tag(sync=True, control=True)
    words = AnswerList(CleanUnicode()).tag(sync=True)
    merges = AnswerList().tag(sync=True)
    ids = AnswerList().tag(sync=True)
    n_merges = traitlets.Int(0).tag(sync=True)
    unk = traitlets.Int(-1).tag(sync=True)  # the id of <unk>; -1 where there is none
    most = traitlets.Int(MOST_CHARACTERS).tag(sync=True)
    step = Index(lambda self: len(self.merges) + 1, -1, -1).tag(sync=True, control=True)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, text: str, step: int = -1) -> Self:
        """A text that can be edited, in the pieces of a checkpoint."""
        bpe = checkpoint.bpe
        read = partial(merges_record, bpe)
        given = {"text": text, "most": MOST_CHARACTERS}
        record = read(given | {"step": step}, {"text"})
        validate.check_int("step", step, -1, len(record["merges"]))
        unk = bpe.encoder.get(UNK, -1)
        explorer = cls(**record, **given, n_merges=len(bpe.merges), unk=unk)
        explorer.answer_by(read, "text", told=("most", "step"))
        explorer.attach_engine(bpe)
        return explorer

    @property
    def shown(self) -> str:
        """The text that was read: another may have been refused."""
        return self.accepted("text")

    def pieces(self) -> list[list[str]]:
        """The pieces of each word after `step` merges."""
        symbols = [characters(w) for w in self.words]
        for left, right, _ in self.merges[: None if self.step < 0 else self.step]:
            symbols = [merge_pair(s, (left, right)) for s in symbols]
        return symbols

    def sentence(self) -> str:
        pieces = [p for word in self.pieces() for p in word]
        done = len(self.merges) if self.step < 0 else self.step
        return (
            f"'{self.shown}' after {done} of {len(self.merges)} merges: {len(pieces)} "
            f"pieces, {' '.join(readable(p) for p in pieces)}."
        )

    def figure(self) -> Figure:
        rows = [[readable(p) for p in word] for word in self.pieces()]
        done = len(self.merges) if self.step < 0 else self.step
        title = f"{sum(map(len, rows))} pieces after {done} of {len(self.merges)} merges"
        return plots.pieces(rows, title=title)

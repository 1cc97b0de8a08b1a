"""Byte-pair encoding of a text, merge by merge."""

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


class TokenExplorer(Explorer):
    """BPE on any text: characters first, then one merge per step, and ids at the end.

    bpe: a BPE, ours or the released one. Traits: text and step, the number of merges
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

    def __init__(self, bpe: BPE, text: str, step: int = -1):
        self.bpe = bpe
        unk = bpe.encoder.get(UNK, -1)
        super().__init__(text=text, n_merges=len(bpe.merges), unk=unk)
        self.set_many(self._read())
        self.step = validate.check_int("step", step, -1, len(self.merges))
        self.answer_by(lambda changed: self._read(), "text")
        self.attach_engine(bpe)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, text: str, **chosen) -> Self:
        """A text that can be edited, in the pieces of a checkpoint."""
        return cls(checkpoint.bpe, text, **chosen)

    def _read(self) -> dict:
        n, most = len(self.text), MOST_CHARACTERS
        if n > most:
            raise ValueError(f"the text has {n} characters, this page shows {most}")
        words = [w.lower() for w in self.bpe.pre_tokenize(self.text) if "\n" not in w]
        self._shown, merges = self.text, merge_steps(words, self.bpe)
        return {
            "message": input_notice(self.bpe, self.text) if words else "Type a text.",
            "words": words,
            "step": min(self.step, len(merges)),
            "merges": merges,
            "ids": [self._ids_of(word) for word in words],
        }

    @property
    def shown(self) -> str:
        """The text that was read: another may have been refused."""
        self.catch_up()
        return self._shown

    def _ids_of(self, word: str) -> list[int]:
        pieces = self.bpe.tokenize_word(word)
        return [self.bpe.token_to_id(piece, unk=True) for piece in pieces]

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

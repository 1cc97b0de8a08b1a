"""One head on two texts side by side: what a change of words moves."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Self, cast

import numpy as np
import traitlets
from matplotlib.figure import Figure

from gpt1lib import validate
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT
from gpt1lib.tracing import trace

from .. import plots
from ..labels import token_labels
from .base import Explorer, as_half, encode_or_raise, input_notice
from .controls import AnswerBytes, AnswerList, CleanUnicode, Index

MOST_TOKENS = 32

Reading = tuple[np.ndarray, list[str]]
"""Weights (L, H, T, T) and T pieces."""


def paired(one: Sequence[str], two: Sequence[str]) -> list[list[int]]:
    """Places [i, j] of the two texts that belong together: alike, or exchanged one by one."""
    pairs = []
    for kind, i, i_end, j, j_end in SequenceMatcher(None, one, two, False).get_opcodes():
        if kind == "equal" or i_end - i == j_end - j:
            pairs += [[i + n, j + n] for n in range(i_end - i)]
    return pairs


def movement(one: np.ndarray, two: np.ndarray, pairs: list[list[int]]) -> np.ndarray:
    """Share of its weight (L, H, P) that the row of each pair puts elsewhere in the other text.

    one, two: weights (L, H, T, T) of each text; half the sum of all differences.
    """
    i, j = np.array(pairs).T
    a, b = one[:, :, i], two[:, :, j]
    apart = np.abs(a[..., i] - b[..., j]).sum(-1)
    alone = a.sum(-1) - a[..., i].sum(-1) + b.sum(-1) - b[..., j].sum(-1)
    return np.maximum(apart + alone, 0) / 2  # rounding alone can make it negative


class TwoTextsExplorer(Explorer):
    """Attention of one head on two texts, and what the exchanged words move.

    Traits: head (block * H + head), row (a place of the first text). It opens where one and
    the same word moves most of its weight.
    """

    texts = traitlets.List(CleanUnicode(), minlen=2, maxlen=2).tag(sync=True, control=True)
    tokens = AnswerList().tag(sync=True)
    pairs = AnswerList().tag(sync=True)
    one = AnswerBytes().tag(sync=True)
    two = AnswerBytes().tag(sync=True)
    fixed = traitlets.Int(-1).tag(sync=True)  # the head to show, or -1: the telling one
    most = traitlets.Int(MOST_TOKENS).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = Index(lambda self: self.n_layer * self.n_head).tag(sync=True, control=True)
    row = Index(lambda self: len(self.tokens[0])).tag(sync=True, control=True)

    def __init__(
        self,
        read: Callable[[str], Reading],
        text: str,
        other: str,
        head: int | None = None,
        notice: Callable[[str], str] = lambda text: "",
    ):
        self.read, self.chosen_head, self._notice = read, head, notice
        super().__init__(fixed=-1 if head is None else head, **self._reading([text, other]))
        self.message = self._notices(self.texts)
        self.answer_by(self._read, "texts", told=("most", "fixed"))

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, other: str, head: int | None = None
    ) -> Self:
        """What the heads of a model make of two texts that can be edited."""
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe

        def read(text: str) -> Reading:
            ids = encode_or_raise(bpe, text, MOST_TOKENS)
            return trace(model, ids).weights.numpy(), bpe.pieces(ids)

        explorer = cls(read, text, other, head, lambda text: input_notice(bpe, text))
        explorer.attach_engine(bpe, model)
        return explorer

    def _notices(self, texts: Sequence[str]) -> str:
        return " ".join(filter(None, map(self._notice, texts)))

    def _read(self, args: dict, changed: set[str]) -> dict:
        texts = args["texts"]
        return self._reading(texts) | {"message": self._notices(texts)}

    def _reading(self, texts: list[str]) -> dict:
        (one, first), (two, second) = map(self.read, texts)
        pairs = paired(first, second)
        if not pairs:
            raise ValueError("the two texts have no word in common")
        self._weights, self._moved = (one, two), movement(one, two, pairs)
        same = [first[i] == second[j] for i, j in pairs]
        n_layer, n_head = one.shape[:2]
        heads = np.where(same, self._moved, -1).reshape(n_layer * n_head, -1)
        best = int(heads.max(-1).argmax()) if self.chosen_head is None else self.chosen_head
        best = validate.check_int("head", best, 0, len(heads) - 1)
        return {
            "texts": texts,
            "tokens": [first, second],
            "pairs": pairs,
            "n_layer": n_layer,
            "n_head": n_head,
            "head": best,
            "row": pairs[int(heads[best].argmax())][0],
            "one": as_half(one),
            "two": as_half(two),
        }

    @property
    def weights(self) -> tuple[np.ndarray, np.ndarray]:
        """Attention weights (L, H, T, T) of each text."""
        self.catch_up()
        return self._weights

    @property
    def moved(self) -> np.ndarray:
        """The share of its weight that each pair of places puts elsewhere, (L, H, n)."""
        self.catch_up()
        return self._moved

    @property
    def shown(self) -> list[str]:
        """The texts that were read: others may have been refused."""
        return self.accepted("texts")

    def shares(self) -> tuple[list[str], np.ndarray]:
        """The words of the first text that have a partner, and how far each one moves."""
        names = token_labels(self.tokens[0])
        block, head = divmod(self.head, self.n_head)
        return [names[i] for i, _ in self.pairs], self.moved[block, head]

    def sentence(self) -> str:
        names, moved = self.shares()
        block, head = divmod(self.head, self.n_head)
        most = int(moved.argmax())
        return (
            f"'{self.shown[0]}' and '{self.shown[1]}' under block {block}, head {head}: "
            f"'{names[most]}' puts {moved[most]:.0%} of its weight elsewhere."
        )

    def figure(self) -> Figure:
        names, moved = self.shares()
        block, head = divmod(self.head, self.n_head)
        title = f"Block {block}, head {head}: how far each word's attention moves"
        return plots.bars(names, moved, "share of its weight that goes elsewhere", title)

"""Attention weights of all blocks and heads."""

from collections.abc import Sequence
from typing import Self, cast

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib import validate
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT
from gpt1lib.tracing import trace

from .. import plots
from ..labels import token_labels
from .base import Explorer, as_half, encode_or_raise, input_notice
from .controls import AnswerBytes, AnswerList, CleanUnicode, Index
from .mask import masked_steps

MOST_TOKENS = 64
MASK_PLACES = {
    "before": ("correct", "All heads; row: from, column: to"),
    "after": ("after", "Masked after the softmax, all rows but the last add up to less than 1"),
    "none": ("none", "Without a mask, tokens look at later ones, too"),
}
"""The place of the mask -> its name in `masked_steps`, and the title of the picture."""

Reading = tuple[np.ndarray, list[str], np.ndarray]
"""Weights (L, H, T, T), T pieces, and scores (L, H, T, T) before the mask."""


def centered(scores: ArrayLike) -> bytes:
    """Scores minus the largest of their row, as bytes.

    The softmax does not see the difference, and half precision is finest near 0, where
    the large weights are.
    """
    scores = plots.as_matrix(scores, "scores", 4)
    return as_half(scores - scores.max(-1, keepdims=True))


def sharpest_head(weights: np.ndarray) -> int:
    """The head of (L, H, T, T) with the least entropy, each row's a share of its largest."""
    n_tokens = weights.shape[-1]
    entropy = -(weights * np.log(np.where(weights > 0, weights, 1))).sum(-1)
    shares = entropy[..., 1:] / np.log(np.arange(2, n_tokens + 1))
    return int(shares.mean(-1).argmin()) if n_tokens > 1 else 0


def telling_row(weights: np.ndarray) -> int:
    """The row of (T, T) that gives most to one earlier token; the first token, to which
    heads look that have nothing to say, counts only where there is no other."""
    earlier = np.tril(weights, -1)
    if earlier[:, 1:].any():
        earlier[:, 0] = 0
    return int(earlier.max(-1).argmax())


class AttentionExplorer(Explorer):
    """Attention weights (L, H, T, T) of a trained model over T tokens, all heads.

    scores: (L, H, T, T) before the mask; with them the mask can be taken away, or put
    after the softmax, in each head alone. Traits: head (block * H + head), row (the
    token whose weights are listed), mask, pinned (a head kept beside it, or -1). Without
    a head it opens on the sharpest one, without a row on the one that looks most at one
    earlier token.
    """

    data = AnswerBytes().tag(sync=True)
    scores = AnswerBytes(b"").tag(sync=True)
    mask = traitlets.Enum(tuple(MASK_PLACES), "before").tag(sync=True, control=True)
    tokens = AnswerList(CleanUnicode()).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = Index(lambda self: self.n_heads).tag(sync=True, control=True)
    pinned = Index(lambda self: self.n_heads, -1, -1).tag(sync=True, control=True)
    row = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    text = CleanUnicode("").tag(sync=True, control=True)
    editable = traitlets.Bool(False).tag(sync=True)
    most = traitlets.Int(MOST_TOKENS).tag(sync=True)

    def __init__(
        self,
        weights: ArrayLike,
        tokens: Sequence[str],
        head: int | None = None,
        row: int | None = None,
        scores: ArrayLike | None = None,
        **traits,
    ):
        weights = plots.as_matrix(weights, "weights", 4)
        n_layer, n_head, n_tokens, _ = weights.shape
        if weights.shape[2:] != (len(tokens), len(tokens)):
            raise ValueError(f"weights are {weights.shape}, there are {len(tokens)} tokens")
        head = sharpest_head(weights) if head is None else head
        head = validate.check_int("head", head, 0, n_layer * n_head - 1)
        self._weights = weights
        row = telling_row(weights[divmod(head, n_head)]) if row is None else row
        row = validate.check_int("row", row, -n_tokens, n_tokens - 1)
        given = b"" if scores is None else centered(scores)
        super().__init__(
            data=as_half(weights),
            scores=given,
            tokens=list(tokens),
            n_layer=n_layer,
            n_head=n_head,
            head=head,
            row=row % n_tokens,
            **traits,
        )

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, head: int | None = None
    ) -> Self:
        """The attention of a model on a text that can be edited."""
        model, bpe = checkpoint.model, checkpoint.bpe

        def read(text: str) -> Reading:
            ids = encode_or_raise(bpe, text, MOST_TOKENS)
            steps = trace(cast(GPT, model), ids)
            scores = torch.stack([block.scores for block in steps.blocks])
            return steps.weights.numpy(), bpe.pieces(ids), scores.numpy()

        weights, tokens, scores = read(text)
        message = input_notice(bpe, text)
        traits = {"text": text, "editable": True, "message": message}
        explorer = cls(weights, tokens, head, scores=scores, **traits)

        def record(args: dict, changed: set[str]) -> dict:
            reading = explorer._reading(*read(args["text"]))
            return reading | {"message": input_notice(bpe, args["text"])}

        explorer.answer_by(record, "text", told=("most", "head"))
        explorer.attach_engine(bpe, model)
        return explorer

    @property
    def weights(self) -> np.ndarray:
        """Attention weights (L, H, T, T) of the text."""
        self.catch_up()
        return self._weights

    @property
    def n_heads(self) -> int:
        """The heads of all blocks."""
        return self.n_layer * self.n_head

    def _reading(self, weights: np.ndarray, tokens: list[str], scores: np.ndarray) -> dict:
        self._weights = weights
        return {
            "scores": centered(scores),
            "data": as_half(weights),
            "tokens": tokens,
            "row": telling_row(weights[divmod(self.head, self.n_head)]),
        }

    @property
    def _placed(self) -> str:
        """Where the mask is; without scores it cannot be moved."""
        return self.mask if self.scores else "before"

    @property
    def _shown(self) -> np.ndarray:
        """The weights (L, H, T, T) under the chosen mask, as in the page."""
        if self._placed == "before":
            return self.weights
        scores = np.frombuffer(self.scores, "<f2").reshape(-1, *self.weights.shape[2:])
        kind = MASK_PLACES[self.mask][0]
        weights = [masked_steps(head.astype(float), kind)[1] for head in scores]
        return np.reshape(weights, self.weights.shape)

    def sentence(self) -> str:
        block, head = divmod(self.head, self.n_head)
        row = self._shown[block, head, self.row]
        best = int(row.argmax())
        names = token_labels(self.tokens)
        return (
            f"Attention of {self.n_layer} blocks x {self.n_head} heads over "
            f"{len(names)} tokens. In block {block}, head {head}, '{names[self.row]}' "
            f"attends {row[best]:.0%} to '{names[best]}'{self._about_mask(row)}."
        )

    def _about_mask(self, row: np.ndarray) -> str:
        """What a wrong mask does to a row (T,); the right one needs no words."""
        later = row[self.row + 1 :].sum()
        return {
            "before": "",
            "none": f"; without a mask, {later:.0%} of its weight goes to later tokens",
            "after": f"; masked after the softmax, its weights add up to {row.sum():.2f}",
        }[self._placed]

    def figure(self) -> Figure:
        title = MASK_PLACES[self._placed][1]
        return plots.head_grid(self._shown, title, causal=self._placed != "none")

"""Attention weights of all layers and heads."""

from collections.abc import Callable, Sequence

import ipywidgets
import numpy as np
import torch
import traitlets
from IPython.display import display
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from ... import limits
from ...bpe import BPE
from ...model import GPT
from ...tracing import trace
from .. import plots
from ..labels import token_labels
from .base import Explorer, Place, Text, as_half, tokens_of

MOST_TOKENS = 64

Reading = tuple[np.ndarray, list[str], np.ndarray]
"""Weights (L, H, T, T), T pieces, and scores (L, H, T, T) before the mask."""


def centered(scores: ArrayLike) -> bytes:
    """Scores minus the largest of their row, as bytes.

    The softmax does not see the difference, and half precision is finest near 0, where
    the large weights are.
    """
    scores = plots.as_matrix(scores, "scores", 4)
    return as_half(scores - scores.max(-1, keepdims=True))


class AttentionExplorer(Explorer):
    """Attention weights (L, H, T, T) of a trained model over T tokens, all heads.

    scores: (L, H, T, T) before the mask; with them the mask can be taken away, or put
    after the softmax, in each head alone. Traits: head (layer * H + head), row (the
    token whose weights are listed), mask, pinned (a head kept beside it, or -1).
    """

    data = traitlets.Bytes().tag(sync=True)
    scores = traitlets.Bytes(b"").tag(sync=True)
    mask = traitlets.Enum(("before", "none", "after"), "before").tag(sync=True, control=True)
    tokens = traitlets.List(Text()).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = Place(lambda self: self.n_heads).tag(sync=True, control=True)
    pinned = Place(lambda self: self.n_heads, -1, -1).tag(sync=True, control=True)
    row = Place(lambda self: len(self.tokens)).tag(sync=True, control=True)
    prompt = Text("").tag(sync=True, control=True)
    editable = traitlets.Bool(False).tag(sync=True)
    read: Callable[[str], Reading]  # of a prompt; set where it can be edited

    def __init__(
        self,
        weights: ArrayLike,
        tokens: Sequence[str],
        head: int = 0,
        row: int = -1,
        scores: ArrayLike | None = None,
    ):
        weights = plots.as_matrix(weights, "weights", 4)
        n_layer, n_head, n_tokens, _ = weights.shape
        if weights.shape[2:] != (len(tokens), len(tokens)):
            raise ValueError(f"weights are {weights.shape}, there are {len(tokens)} tokens")
        head = limits.whole("head", head, 0, n_layer * n_head - 1)
        row = limits.whole("row", row, -n_tokens, n_tokens - 1)
        self.weights = weights
        given = b"" if scores is None else centered(scores)
        super().__init__(
            data=as_half(weights),
            scores=given,
            tokens=list(tokens),
            n_layer=n_layer,
            n_head=n_head,
            head=head,
            row=row % n_tokens,
        )

    @classmethod
    def of(cls, model: GPT, bpe: BPE, prompt: str, head: int = 0) -> "AttentionExplorer":
        """The attention of a model on a prompt that can be edited."""

        def read(text: str) -> Reading:
            ids = tokens_of(bpe, text, MOST_TOKENS)
            steps = trace(model, ids)
            scores = torch.stack([block.scores for block in steps.blocks])
            return steps.weights.numpy(), bpe.pieces(ids), scores.numpy()

        weights, tokens, scores = read(prompt)
        explorer = cls(weights, tokens, head=head, scores=scores)
        explorer.prompt, explorer.editable, explorer.read = prompt, True, read
        explorer.observe(lambda change: explorer.answer(explorer._read_prompt), "prompt")
        return explorer

    @classmethod
    def compare(
        cls, model: GPT, bpe: BPE, one: str, two: str, head: int = 0
    ) -> tuple["AttentionExplorer", "AttentionExplorer"]:
        """Two prompts, one above the other: a head chosen in one is shown in both."""
        pair = cls.of(model, bpe, one, head), cls.of(model, bpe, two, head)
        ipywidgets.jslink((pair[0], "head"), (pair[1], "head"))
        for explorer in pair:
            display(explorer)
        return pair

    @property
    def n_heads(self) -> int:
        """The heads of all layers."""
        return self.n_layer * self.n_head

    def _read_prompt(self) -> dict:
        self.weights, tokens, scores = self.read(self.prompt)
        data = {"scores": centered(scores), "data": as_half(self.weights)}
        return {"tokens": tokens, "row": len(tokens) - 1, **data}

    def sentence(self) -> str:
        layer, head = divmod(self.head, self.n_head)
        row = self.weights[layer, head, self.row]
        best = int(row.argmax())
        names = token_labels(self.tokens)
        return (
            f"Attention of {self.n_layer} layers x {self.n_head} heads over "
            f"{len(names)} tokens. In layer {layer}, head {head}, '{names[self.row]}' "
            f"attends {row[best]:.0%} to '{names[best]}'."
        )

    def figure(self) -> Figure:
        return plots.head_grid(self.weights, "All heads; row: from, column: to")

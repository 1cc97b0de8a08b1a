"""Attention weights of all layers and heads."""

from collections.abc import Sequence

import ipywidgets
import traitlets
from IPython.display import display
from matplotlib.figure import Figure

from .. import plots
from ..labels import token_labels
from .base import Explorer, as_half, module


def centered(scores) -> bytes:
    """Scores less their row's largest, as bytes: the softmax does not see the
    difference, and half precision is finest near 0, where the large weights are."""
    scores = plots.as_matrix(scores, "scores", 4)
    return as_half(scores - scores.max(-1, keepdims=True))


class AttentionExplorer(Explorer):
    """Attention weights (L, H, T, T) of a trained model over T tokens, all heads.

    scores: (L, H, T, T) before the mask; with them the mask can be taken away, or put
    after the softmax, in each head alone. Traits: head (layer * H + head), row (the
    token whose weights are listed), mask, pinned (a head kept beside, or -1).
    """

    name = "attention"
    _esm = module(name)
    data = traitlets.Bytes().tag(sync=True)
    scores = traitlets.Bytes(b"").tag(sync=True)
    mask = traitlets.Enum(("before", "none", "after"), "before").tag(sync=True)
    pinned = traitlets.Int(-1).tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)
    prompt = traitlets.Unicode("").tag(sync=True)
    message = traitlets.Unicode("").tag(sync=True)
    editable = traitlets.Bool(False).tag(sync=True)

    def __init__(
        self, weights, tokens: Sequence[str], head: int = 0, row: int = -1, scores=None
    ):
        weights = plots.as_matrix(weights, "weights", 4)
        n_layer, n_head, n_tokens, _ = weights.shape
        if weights.shape[2:] != (len(tokens), len(tokens)):
            raise ValueError(f"weights are {weights.shape}, there are {len(tokens)} tokens")
        if not 0 <= head < n_layer * n_head:
            raise ValueError(f"head is {head}, there are {n_layer * n_head} heads")
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
    def of(cls, model, bpe, prompt: str, head: int = 0) -> "AttentionExplorer":
        """The attention of a model on a prompt that can be edited."""
        import torch

        from ...tracing import trace

        def read(text: str):
            ids = bpe.encode(text)
            if not ids:
                raise ValueError("the text is empty")
            if len(ids) > 64:
                raise ValueError(f"the text has {len(ids)} tokens, this page shows 64")
            found = trace(model, ids)
            scores = torch.stack([block.scores for block in found.blocks])
            return found.weights.numpy(), bpe.pieces(ids), scores.numpy()

        weights, tokens, scores = read(prompt)
        made = cls(weights, tokens, head=head, scores=scores)
        made.prompt, made.editable, made.read = prompt, True, read
        made.observe(made._read_prompt, "prompt")
        return made

    @classmethod
    def compare(cls, model, bpe, one: str, two: str, head: int = 0) -> tuple:
        """Two prompts, one above the other: a head chosen in one is shown in both."""
        made = cls.of(model, bpe, one, head), cls.of(model, bpe, two, head)
        ipywidgets.jslink((made[0], "head"), (made[1], "head"))
        for explorer in made:
            display(explorer)
        return made

    def _read_prompt(self, change) -> None:
        try:
            self.weights, tokens, scores = self.read(change["new"])
        except ValueError as error:
            self.message = f"This can not be shown: {error}."
            return
        with self.hold_sync():
            self.message, self.tokens = "", tokens
            self.row = len(tokens) - 1
            self.scores = centered(scores)
            self.data = as_half(self.weights)

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

"""Attention weights of all layers and heads."""

from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure

from .. import plots
from ..labels import token_labels
from .base import Explorer, as_bytes, module


class AttentionExplorer(Explorer):
    """Attention weights (L, H, T, T) of a trained model over T tokens, all heads.

    Traits: head (layer * H + head) and row, the token whose weights are listed.
    """

    name = "attention"
    _esm = module(name)
    data = traitlets.Bytes().tag(sync=True)
    tokens = traitlets.List(traitlets.Unicode()).tag(sync=True)
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    head = traitlets.Int(0).tag(sync=True)
    row = traitlets.Int(0).tag(sync=True)

    def __init__(self, weights, tokens: Sequence[str], head: int = 0, row: int = -1):
        weights = plots.as_matrix(weights, "weights", 4)
        n_layer, n_head, n_tokens, _ = weights.shape
        if weights.shape[2:] != (len(tokens), len(tokens)):
            raise ValueError(
                f"weights are {weights.shape}, there are {len(tokens)} tokens"
            )
        if not 0 <= head < n_layer * n_head:
            raise ValueError(f"head is {head}, there are {n_layer * n_head} heads")
        self.weights = weights
        super().__init__(data=as_bytes(weights), tokens=list(tokens), n_layer=n_layer,
                         n_head=n_head, head=head, row=row % n_tokens)  # fmt: skip

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

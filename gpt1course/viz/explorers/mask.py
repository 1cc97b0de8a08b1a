"""The causal mask, right and wrong."""

from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from .. import plots
from ..labels import token_labels
from ..numbers import percent
from .base import Explorer
from .controls import CleanUnicode

LARGEST = 1e30  # of a score: what float32, in the browser, still computes with
MASKS = ("correct", "none", "ahead", "strict", "after")


def masked_steps(scores: ArrayLike, kind: str = "correct") -> tuple[np.ndarray, np.ndarray]:
    """Masked scores and weights (T, T) under a right mask or a wrong one.

    kind: correct; none; ahead (sees one token ahead); strict (hides itself, so the
    first row is nan); after (0 after the softmax, rows do not sum to 1).
    """
    if kind not in MASKS:
        raise ValueError(f"mask {kind!r} is unknown, there are {', '.join(MASKS)}")
    scores = plots.as_matrix(scores, "scores")
    shift = {"correct": 0, "none": len(scores), "ahead": 1, "strict": -1, "after": 0}
    seen = np.tril(np.ones(scores.shape, bool), shift[kind])
    masked = scores if kind == "after" else np.where(seen, scores, -np.inf)
    with np.errstate(invalid="ignore"):
        powers = np.exp(masked - masked.max(axis=1, keepdims=True))
    weights = powers / powers.sum(axis=1, keepdims=True)
    return masked, np.where(seen, weights, 0.0) if kind == "after" else weights


class MaskExplorer(Explorer):
    """Scores, mask and softmax on a few tokens, with the masks people get wrong.

    scores: (T, T), editable in the browser. Trait: kind (see `masked_steps`).
    """

    scores = traitlets.List().tag(sync=True)
    tokens = traitlets.List(CleanUnicode()).tag(sync=True)
    kind = traitlets.Enum(MASKS, "correct").tag(sync=True, control=True)

    def __init__(self, scores: ArrayLike, tokens: Sequence[str], kind: str = "correct"):
        scores = plots.as_matrix(scores, "scores")
        if scores.shape != (len(tokens), len(tokens)):
            raise ValueError(f"scores are {scores.shape}, there are {len(tokens)} tokens")
        if np.abs(scores).max() > LARGEST:
            raise ValueError(
                f"scores hold {np.abs(scores).max()}, they must be at most {LARGEST:g} in size"
            )
        super().__init__(scores=scores.tolist(), tokens=list(tokens), kind=kind)

    def sentence(self) -> str:
        weights = masked_steps(self.scores, self.kind)[1]
        last = token_labels(self.tokens)[-1]
        return (
            f"Scores, masked scores and weights of {len(self.tokens)} tokens with the "
            f"mask '{self.kind}'; the last row, '{last}', has the weights "
            + ", ".join(f"{w:.2f}" for w in weights[-1])
            + "."
        )

    def finding(self) -> str:
        """What the mask gets wrong, or that it is right."""
        weights = masked_steps(np.array(self.scores), self.kind)[1]
        if np.isnan(weights).any():
            return "The first row has nothing to look at"
        ahead = np.triu(weights, 1).sum() / len(weights)
        if ahead > 0:
            return f"A leak: {percent(ahead)} of the weight goes to later words"
        if not np.allclose(weights.sum(1), 1):
            return "No word sees a later one, but the rows add up to less than 1"
        return "No word sees a later one, and each row adds up to 1"

    def figure(self) -> Figure:
        scores = np.array(self.scores)
        masked, weights = masked_steps(scores, self.kind)
        hidden = {"masked scores": np.isinf(masked), "weights": ~(weights > 0)}
        top = float(np.abs(scores).max()) or 1.0
        panels = {"scores": scores, "masked scores": masked}
        panels["weights"] = np.nan_to_num(weights)
        ranges = {"scores": (-top, top), "masked scores": (-top, top)}
        names = token_labels(self.tokens)
        return plots.heatmaps(panels, names, names, hidden, ranges=ranges, title=self.finding())

"""Attention patterns of all heads over pre-training, stage by stage, beside the loss."""

import json
import math
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib.io import files
from gpt1lib.io.paths import RESULTS
from gpt1lib.io.tensors import read_tensors, write_tensors

from .. import plots
from ..labels import token_labels
from ..numbers import percent
from .base import Explorer
from .controls import CleanUnicode, Index

STORED = RESULTS / "heads_over_training.safetensors"
MOST = 0.5  # of a row's weight on one earlier token: with more than that, its head focuses
FIRST_ROW = 3  # that counts: the rows before it have few tokens to choose from
SMOOTH = 0.1  # a loss is the mean of those within this share of the updates before and after
POINTS = 90  # of the curve


def as_shares(weights: ArrayLike) -> np.ndarray:
    """Weights (..., T, T) in steps of 1/255, what a row may see only: (..., T(T+1)/2) uint8."""
    weights = np.asarray(weights, dtype=np.float64)
    rows, columns = np.tril_indices(weights.shape[-1])
    return np.ascontiguousarray(np.rint(255 * weights[..., rows, columns]), dtype=np.uint8)


def as_weights(shares: np.ndarray) -> np.ndarray:
    """The inverse of `as_shares`: (..., T, T), 0 where a token comes later."""
    n_tokens = (math.isqrt(8 * shares.shape[-1] + 1) - 1) // 2
    weights = np.zeros((*shares.shape[:-1], n_tokens, n_tokens))
    weights[..., *np.tril_indices(n_tokens)] = shares / 255
    return weights


def smoothed(losses: Sequence[float], step: float) -> float:
    """The loss after `step` updates: the mean of those near it, of its own alone at first.

    losses: of each update's batch, before the update.
    """
    reach = int(SMOOTH * step)
    low, high = round(step) - reach, round(step) + reach + 1
    return float(np.mean(losses[max(0, min(low, len(losses) - 1 - reach)) : high]))


def curve_of(losses: Sequence[float]) -> list[list[float]]:
    """[updates, loss] from 0 to the end, in equal steps of a logarithmic axis."""
    steps = [0, *np.unique(np.geomspace(1, len(losses), POINTS).round().astype(int)).tolist()]
    return [[step, round(smoothed(losses, step), 3)] for step in steps]


class HeadsOverTrainingExplorer(Explorer):
    """All heads of a model on a sentence, at stages of its pre-training, and the loss there.

    patterns: of each sentence, weights (S, L, H, T, T) at S stages; tokens: its T pieces.
    steps: (S,) updates before each stage, the first is 0. losses: of every update, in nats
    per token. Traits: chosen (which sentence), stage, head (block * H + head), row (the token
    that is followed; of a shorter sentence the last one). A head focuses when one row puts more
    than half of its weight on one earlier token. Without a choice it opens on the first head
    that does, at that stage and in that row.
    """

    data = traitlets.Bytes().tag(sync=True)  # sentence after sentence, as_shares
    texts = traitlets.List(traitlets.List(CleanUnicode())).tag(sync=True)
    steps = traitlets.List().tag(sync=True)
    curve = traitlets.List().tag(sync=True)
    losses = traitlets.List().tag(sync=True)  # at the stages
    n_layer = traitlets.Int().tag(sync=True)
    n_head = traitlets.Int().tag(sync=True)
    most = traitlets.Float(MOST).tag(sync=True)
    first_row = traitlets.Int(FIRST_ROW).tag(sync=True)
    chosen = Index(lambda self: len(self.texts)).tag(sync=True, control=True)
    stage = Index(lambda self: len(self.steps)).tag(sync=True, control=True)
    head = Index(lambda self: self.n_layer * self.n_head).tag(sync=True, control=True)
    row = Index(lambda self: max(map(len, self.texts))).tag(sync=True, control=True)

    def __init__(
        self,
        patterns: Sequence[ArrayLike],
        tokens: Sequence[Sequence[str]],
        steps: Sequence[int],
        losses: Sequence[float],
        chosen: int = 0,
        **traits,
    ):
        check_run(patterns, tokens, steps, losses)
        shares = [as_shares(weights) for weights in patterns]
        self.patterns = [as_weights(x) for x in shares]  # as the page has them
        shape = self.patterns[0].shape
        losses = losses[: steps[-1]]
        given = {
            "data": b"".join(x.tobytes() for x in shares),
            "texts": [list(pieces) for pieces in tokens],
            "steps": list(steps),
            "curve": curve_of(losses),
            "losses": [round(smoothed(losses, step), 3) for step in steps],
            "n_layer": shape[1],
            "n_head": shape[2],
            "chosen": chosen,
        }
        super().__init__(**given)
        head = traits.get("head", self.first_head())
        stage, row, _ = self.look_of(head)
        self.set_many({"head": head, "stage": stage, "row": row} | traits)

    @classmethod
    def from_file(cls, path: Path = STORED, **chosen) -> Self:
        """The stored run, or another one that `benchmarks/heads_over_training.py` wrote.

        Raises ValueError for a damaged file.
        """
        patterns, facts = read_patterns(path)
        return cls(patterns, facts["tokens"], facts["steps"], facts["losses"], **chosen)

    # ---- when a head focuses

    def looks(self) -> np.ndarray:
        """What counts as a look of the chosen sentence, all else 0: (S, L * H, T, T)."""
        weights = self.patterns[self.chosen]
        n_tokens = weights.shape[-1]
        counted = np.tril(np.ones((n_tokens, n_tokens)), -1)
        counted[:FIRST_ROW] = 0
        return (weights * counted).reshape(len(weights), -1, n_tokens, n_tokens)

    def sharpest(self) -> np.ndarray:
        """The largest weight of a head on one earlier token: (S, L * H)."""
        return self.looks().max((-1, -2))

    def first_stage(self, head: int) -> int:
        """The stage at which a head first focuses; of one that never does, its sharpest."""
        shares = self.sharpest()[:, head]
        return int((shares > MOST).argmax() if (shares > MOST).any() else shares.argmax())

    def first_head(self) -> int:
        """The head that is the first to focus; if none does, the sharpest."""
        shares = self.sharpest()
        stages = np.array([self.first_stage(head) for head in range(shares.shape[1])])
        then = shares[stages, np.arange(len(stages))]
        return int(np.lexsort((-then, np.where(then > MOST, stages, len(shares))))[0])

    def look_of(self, head: int) -> tuple[int, int, int]:
        """(stage, row, column) at which a head first focuses, or comes nearest to it."""
        stage = self.first_stage(head)
        look = self.looks()[stage, head]
        row, column = divmod(int(look.argmax()), look.shape[-1])
        return stage, row, column

    def finding(self) -> str:
        """When the chosen head first focuses, and what looks at what then."""
        shares, names = self.sharpest(), token_labels(self.texts[self.chosen])
        stage, row, column = self.look_of(self.head)
        block, head = divmod(self.head, self.n_head)
        name, now = f"Block {block}, head {head}", percent(shares[stage, self.head])
        after = after_updates(self.steps[stage])
        if shares[stage, self.head] <= MOST:
            return f"{name} never focuses: at most {now} on one earlier token, {after}."
        when = [self.first_stage(h) for h in np.nonzero(shares.max(0) > MOST)[0].tolist()]
        first = (
            "is the first to focus" if when.count(stage) == 1 else "is among the first to focus"
        )
        how = "focuses" if stage > min(when) else first
        look = f"“{names[row]}” puts {now} of its weight on “{names[column]}”"
        return f"{name} {how}: {after}, {look}."

    # ---- what it says and draws

    def sentence(self) -> str:
        ends = f"from {self.losses[0]:.2f} to {self.losses[-1]:.2f} nats per token"
        return (
            f"Attention patterns of {self.n_layer} blocks x {self.n_head} heads on "
            f"{len(self.texts[self.chosen])} tokens, at {len(self.steps)} stages of "
            f"pre-training, while the loss goes {ends}. {self.finding()}"
        )

    def figure(self) -> Figure:
        weights = self.patterns[self.chosen]
        heads = weights.reshape(len(weights), -1, *weights.shape[-2:])
        names = [f"{i // self.n_head}.{i % self.n_head}" for i in range(heads.shape[1])]
        rows = [
            f"{step:,} ({nats:.1f})" for step, nats in zip(self.steps, self.losses, strict=True)
        ]
        title = textwrap.fill(self.finding().rstrip("."), 88)
        return plots.head_grid(heads, title, names=(rows, names), ylabel="updates (loss)")


def after_updates(n: int) -> str:
    """'after 0 updates', 'after 1 update', 'after 1,500 updates'."""
    return f"after {n:,} update{'' if n == 1 else 's'}"


def check_run(
    patterns: Sequence[ArrayLike],
    tokens: Sequence[Sequence[str]],
    steps: Sequence[int],
    losses: Sequence[float],
) -> None:
    """Raise ValueError where patterns, pieces, stages and losses do not belong together."""
    shape = plots.as_matrix(patterns[0], "patterns", 5).shape[:3]
    for weights, pieces in zip(patterns, tokens, strict=True):
        found = plots.as_matrix(weights, "patterns", 5).shape
        wanted = (*shape, len(pieces), len(pieces))
        if found != wanted:
            raise ValueError(f"patterns have shape {found}, expected {wanted}")
        if len(pieces) <= FIRST_ROW:
            raise ValueError(f"a sentence has {len(pieces)} tokens, it takes {FIRST_ROW + 1}")
    if len(steps) != shape[0]:
        raise ValueError(f"there are {len(steps)} steps and patterns of {shape[0]} stages")
    if steps[0] != 0 or list(steps) != sorted(set(steps)):
        raise ValueError(f"steps are {list(steps)}, they must rise from 0")
    if len(losses) < steps[-1]:
        raise ValueError(f"losses end after {len(losses)} of {steps[-1]} updates")


# ---- the stored run


def write_patterns(path: Path, patterns: Sequence[np.ndarray], facts: dict) -> None:
    """Write patterns (S, L, H, T, T) of sentences, whole or not at all.

    facts: tokens, steps and losses, and where they come from.
    """
    tensors = {
        f"sentence_{i:02}": torch.from_numpy(as_shares(x)) for i, x in enumerate(patterns)
    }
    write_tensors(path, tensors, {"facts": json.dumps(facts)})


def read_patterns(path: Path = STORED) -> tuple[list[np.ndarray], dict]:
    """(patterns of each sentence, facts) as `write_patterns` stored them."""
    tensors, words = read_tensors(path)
    with files.blame_file(path):
        facts = json.loads(words["facts"])
        names = [f"sentence_{i:02}" for i in range(len(facts["tokens"]))]
        return [as_weights(tensors[name].numpy()) for name in names], facts

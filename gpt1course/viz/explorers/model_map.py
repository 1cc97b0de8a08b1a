"""The whole model as a map: from the ids of a text to its next word, in four zooms."""

from collections.abc import Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Self, cast

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT, Block, gelu
from gpt1lib.tracing import BlockTrace, Trace, scale_heads, trace

from ..labels import readable, token_labels
from ..numbers import percent
from .base import Explorer, as_bytes, as_half, encode_or_raise, input_notice
from .controls import (
    AnswerBytes,
    AnswerDict,
    AnswerList,
    AnswerText,
    CleanUnicode,
    Factors,
    Index,
    head_factors,
)
from .map_picture import draw_map

ZOOMS = ("model", "block", "head", "cell")
MOST_TOKENS = 24  # columns that can be told apart
GUESSES = 3  # of a state, as if the model ended there
SHOWN = 8  # next tokens
BINS = 48  # of the histogram of logits

Guess = tuple[str, float]


def by_head(model: GPT, factors: Mapping[str, float]) -> dict[tuple[int, int], float]:
    """(block, head) -> factor, of heads that are numbered through all blocks."""
    return {divmod(int(i), model.config.n_head): x for i, x in factors.items()}


@torch.no_grad()
def read_scaled(model: GPT, ids: Sequence[int], factors: Mapping[str, float]) -> Trace:
    """A trace in which the output of heads (block * H + head) is multiplied by factors."""
    with scale_heads(model, by_head(model, factors)):
        return trace(model, ids)


@torch.no_grad()
def lens_guesses(
    model: GPT, bpe: BPE, steps: Trace, n: int = GUESSES
) -> list[list[list[Guess]]]:
    """The lens: the n likeliest next tokens of each state, before block 0 and after each
    block, as if the model ended there: (L + 1) x T x n pairs (piece, probability)."""
    found = []
    for h in (steps.h0, *(block.h for block in steps.blocks)):
        top = model.logits(h).softmax(-1).topk(n)
        pieces = [bpe.pieces(row) for row in top.indices.tolist()]
        rows = zip(pieces, top.values.tolist(), strict=True)
        found.append([list(zip(*row, strict=True)) for row in rows])
    return found


def next_words(bpe: BPE, now: Tensor, before: Tensor, n: int = SHOWN) -> list[list[list]]:
    """T rows of [piece, logit, P, P with all heads], the n likeliest first.

    now, before: logits (T, V) with the heads scaled as chosen, and with all as they are.
    """
    probs, whole = now.softmax(-1), before.softmax(-1)
    ids = probs.topk(n).indices
    columns = [x.gather(-1, ids).tolist() for x in (now, probs, whole)]
    pieces = [bpe.pieces(row) for row in ids.tolist()]
    return [
        [list(word) for word in zip(*row, strict=True)]
        for row in zip(pieces, *columns, strict=True)
    ]


def crowd(logits: Tensor) -> dict:
    """How many of the V logits of each token lie where: {"low", "high", "counts" (T, BINS)}."""
    low, high = logits.min().item(), logits.max().item()
    counts = [np.histogram(row, BINS, (low, high))[0].tolist() for row in logits.numpy()]
    return {"low": low, "high": high, "counts": counts}


def mixed(block: BlockTrace, layer: int, factors: Mapping[tuple[int, int], float]) -> Tensor:
    """What the heads of a block bring, side by side, (T, C), each times its factor."""
    brought = block.weights @ block.v  # (H, T, D)
    for (at, head), factor in factors.items():
        if at == layer:
            brought[head] *= factor
    return brought.transpose(0, 1).flatten(1)


@torch.no_grad()
def arrays_of(model: GPT, steps: Trace, factors: Mapping[str, float]) -> dict[str, bytes]:
    """What the browser draws, as bytes.

    float16: rows (2, T, C) of W_e and W_p, states (L, 5, T, C) mixed, attended, n, mlp and
    h, neurons (L, T, 4C). float32: qkv (L, T, 3C), scores and weights (L, H, T, T).
    """
    scaled, blocks = by_head(model, factors), steps.blocks
    places = torch.arange(len(steps.ids))
    states = [
        torch.stack([mixed(b, i, scaled), b.attended, b.n, b.mlp, b.h])
        for i, b in enumerate(blocks)
    ]
    neurons = [
        gelu(cast(Block, block).expand(b.n))
        for block, b in zip(model.blocks, blocks, strict=True)
    ]
    qkv = [
        torch.cat([x.transpose(0, 1).flatten(1) for x in (b.q, b.k, b.v)], -1) for b in blocks
    ]
    return {
        "rows": as_half(torch.stack([model.tokens(steps.ids), model.positions(places)])),
        "states": as_half(torch.stack(states)),
        "neurons": as_half(torch.stack(neurons)),
        "qkv": as_bytes(torch.stack(qkv)),
        "scores": as_bytes(torch.stack([b.scores for b in blocks])),
        "weights": as_bytes(steps.weights),
    }


def map_of(model: GPT, bpe: BPE, text: str, factors: Mapping[str, float]) -> dict:
    """A text as the model reads it, its heads scaled: all that the map draws."""
    ids = encode_or_raise(bpe, text, min(MOST_TOKENS, model.config.n_ctx))
    steps, whole = read_scaled(model, ids, factors), trace(model, ids)
    assert steps.logits is not None and whole.logits is not None
    return arrays_of(model, steps, factors) | {
        "tokens": bpe.pieces(ids),
        "ids": ids,
        "lens": lens_guesses(model, bpe, steps),
        "whole": [[top[0] for top in row] for row in lens_guesses(model, bpe, whole, 1)],
        "words": next_words(bpe, steps.logits, whole.logits),
        "crowd": crowd(steps.logits),
        "shown": text,
        "message": input_notice(bpe, text),
    }


def map_record(model: GPT, bpe: BPE, args: dict, changed: set[str]) -> dict:
    """Of another text, or of the one that is shown with its heads scaled otherwise."""
    if "text" not in changed:
        return map_of(model, bpe, args["shown"], args["factors"])
    record = map_of(model, bpe, args["text"], args["factors"])
    weights = weights_of(record, args["shape"])
    return record | last_look(weights, args["block"], args["head"])


def weights_of(record: Mapping, shape: Sequence[int]) -> np.ndarray:
    """The attention weights (L, H, T, T) in a record; shape: L, H, ..."""
    T = len(record["tokens"])
    return np.frombuffer(record["weights"], "<f4").reshape(*shape[:2], T, T)


def telling_head(weights: np.ndarray) -> dict[str, int]:
    """Block and head of (L, H, T, T) that look hardest at one earlier token.

    The first token, at which heads look that have nothing to say, and the one just before
    do not count.
    """
    T = weights.shape[-1]
    apart = np.subtract.outer(np.arange(T), np.arange(T))
    counted = weights * ((apart > 1) & (np.arange(T) > 0))
    block, head = divmod(int(counted.max((-2, -1)).argmax()), weights.shape[1])
    return {"block": block, "head": head}


def last_look(weights: np.ndarray, block: int, head: int) -> dict[str, int]:
    """The last token, and the one that it looks at most in a head, but for the first."""
    row = weights[block, head, -1]
    return {"place": len(row) - 1, "other": int(row[1:].argmax()) + 1 if len(row) > 1 else 0}


class ModelMapExplorer(Explorer):
    """From the ids of a text to its next word: the model, a block, a head, a single score.

    Made of what `map_of` returns. Traits: zoom (one of ZOOMS), block, head, place (the token
    that asks), other (the token that it looks at), text, factors (what the output of heads is
    multiplied by, block * H + head -> 0 to 1; 0 is off), shown (the text that was read: one
    that cannot be leaves it as it is).
    """

    picture_colors = 64
    tokens = AnswerList(CleanUnicode()).tag(sync=True)
    ids = AnswerList().tag(sync=True)
    shape = traitlets.List().tag(sync=True)  # L, H, C, V
    rows = AnswerBytes().tag(sync=True)
    states = AnswerBytes().tag(sync=True)
    neurons = AnswerBytes().tag(sync=True)
    qkv = AnswerBytes().tag(sync=True)
    scores = AnswerBytes().tag(sync=True)
    weights = AnswerBytes().tag(sync=True)
    lens = AnswerList().tag(sync=True)  # lens_guesses, with the heads as chosen
    whole = AnswerList().tag(sync=True)  # the best of them with all heads
    words = AnswerList().tag(sync=True)
    crowd = AnswerDict().tag(sync=True)
    most = traitlets.Int(MOST_TOKENS).tag(sync=True)
    shown = AnswerText().tag(sync=True)  # what was read; a text may be refused
    zoom = traitlets.Enum(ZOOMS, "model").tag(sync=True, control=True)
    block = Index(lambda self: self.shape[0]).tag(sync=True, control=True)
    head = Index(lambda self: self.shape[1]).tag(sync=True, control=True)
    place = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    other = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    text = CleanUnicode().tag(sync=True, control=True)
    factors = Factors(lambda self: self.shape[0] * self.shape[1]).tag(sync=True, control=True)

    @classmethod
    def from_checkpoint(
        cls,
        checkpoint: Checkpoint,
        text: str,
        factors: Mapping[Any, float] = MappingProxyType({}),
        **chosen,
    ) -> Self:
        """The map of a model and a text that can be edited."""
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe
        config = model.config
        shape = [config.n_layer, config.n_head, config.n_embd, config.n_vocab]
        kept = head_factors(factors, config.n_layer * config.n_head)
        given = {"shape": shape, "text": text, "factors": kept} | map_of(model, bpe, text, kept)
        weights = weights_of(given, shape)
        telling = telling_head(weights)
        explorer = cls(**given | telling | last_look(weights, **telling) | chosen)
        told = ("shown", "most", "block", "head", "shape")
        explorer.answer_by(partial(map_record, model, bpe), "text", "factors", told=told)
        explorer.attach_engine(bpe, model)
        return explorer

    def best(self) -> list[Guess]:
        """What each state of the chosen token would guess next, before and after the blocks."""
        return [row[self.place][0] for row in self.lens]

    def sentence(self) -> str:
        name, V = token_labels(self.tokens)[self.place], self.shape[-1]
        said = ", ".join(f"'{readable(piece)}' {percent(p)}" for piece, p in self.best()[1:])
        down = f" Heads turned down: {len(self.factors)}." if self.factors else ""
        return (
            f"A map of the model: {len(self.tokens)} ids, {self.shape[0]} blocks, {V:,} "
            f"logits. After '{name}' the states guess, block by block: {said}.{down}"
        )

    def finding(self) -> str:
        """Where the final answer of the chosen token comes up first."""
        best, after = self.best(), token_labels(self.tokens)[self.place]
        since = max(
            (i for i, (piece, _) in enumerate(best) if piece != best[-1][0]), default=-1
        )
        where = "in the embeddings already" if since < 0 else f"out of block {since}"
        return f"After “{after}”, “{readable(best[-1][0])}” comes {where}"

    def figure(self) -> Figure:
        C, T = self.shape[2], len(self.tokens)
        rows = np.frombuffer(self.rows, "<f2").reshape(2, T, C).astype(np.float32)
        states = np.frombuffer(self.states, "<f2").reshape(-1, 5, T, C).astype(np.float32)
        weights = weights_of({"tokens": self.tokens, "weights": self.weights}, self.shape)
        return draw_map(
            self.finding(),
            token_labels(self.tokens),
            self.ids,
            [*rows, rows.sum(0), *states[:, -1]],
            weights.mean(1),
            self.lens,
            self.place,
        )

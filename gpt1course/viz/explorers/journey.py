"""The journey of a token through the blocks: what each state would predict."""

from functools import partial
from typing import Self, cast

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure

from gpt1lib import validate
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT
from gpt1lib.tracing import Trace, trace

from .. import plots
from ..labels import readable, token_labels
from .base import Explorer, encode_or_raise, input_notice
from .controls import AnswerList, CleanUnicode, Index

MOST_TOKENS = 40  # a column for each
STAGES = ("x + attention", "LayerNorm 1", "n + MLP", "LayerNorm 2")


def journey(model: GPT, steps: Trace) -> list[dict]:
    """Every state along a Trace: name, block, shape, states (T, C)."""
    states = [{"name": "embeddings", "block": -1, "h": steps.h0}]
    x = steps.h0
    for i, block in enumerate(steps.blocks):
        for name, h in zip(
            STAGES, (x + block.attended, block.n, block.n + block.mlp, block.h), strict=True
        ):
            states.append({"name": name, "block": i, "h": h})
        x = block.h
    return states


def _reading(model: GPT, bpe: BPE, state: dict, n: int, final: torch.Tensor) -> dict:
    """A state in plain numbers: shape, mean, standard deviation, n best guesses, and the
    rank of `final` (T,), what the last state predicts."""
    h = state["h"]
    logits = model.logits(h)
    top = logits.softmax(dim=-1).topk(n)
    rank = (logits > logits.gather(-1, final[:, None])).sum(-1) + 1
    ids, probs = top.indices.tolist(), top.values.tolist()
    guesses = [
        [[piece, round(p, 4)] for piece, p in zip(bpe.pieces(i), q, strict=True)]
        for i, q in zip(ids, probs, strict=True)
    ]
    return {
        "name": state["name"],
        "block": state["block"],
        "shape": list(h.shape),
        "mean": [round(v, 3) for v in h.mean(dim=-1).tolist()],
        "std": [round(v, 3) for v in h.std(dim=-1, unbiased=False).tolist()],
        "top": guesses,
        "rank": rank.tolist(),
    }


@torch.no_grad()
def journey_record(model: GPT, bpe: BPE, args: dict, changed: set[str]) -> dict:
    """The states of a text, and its last token, where the journey is shown first."""
    text, n = args["text"], args["n"]
    ids = encode_or_raise(bpe, text, args["most"])
    states = journey(model, trace(model, ids))
    final = model.logits(states[-1]["h"]).argmax(-1)
    return {
        "tokens": bpe.pieces(ids),
        "message": input_notice(bpe, text),
        "stages": [_reading(model, bpe, state, n, final) for state in states],
        "place": len(ids) - 1,
    }


class JourneyExplorer(Explorer):
    """The logit lens: each state of a text read as if the model ended there.

    A state after a block is multiplied by W_e^T as the last one is; what GPT-1 would
    predict from it shows what is already settled. Each stage has four readings: the
    sums before and after each LayerNorm. Traits: text, stage, place.
    """

    text = CleanUnicode("").tag(sync=True, control=True)
    tokens = AnswerList(CleanUnicode()).tag(sync=True)
    stages = AnswerList().tag(sync=True)
    n_vocab = traitlets.Int().tag(sync=True)
    most = traitlets.Int(MOST_TOKENS).tag(sync=True)
    n = traitlets.Int().tag(sync=True)  # guesses of each state
    stage = Index(lambda self: len(self.stages)).tag(sync=True, control=True)
    place = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, text: str, n: int = 5) -> Self:
        """The states of a text that can be edited, each with its n best guesses."""
        model, bpe = cast(GPT, checkpoint.model), checkpoint.bpe
        n = validate.check_int("n", n, 1, model.config.n_vocab)

        read = partial(journey_record, model, bpe)
        given = {"text": text, "n": n, "most": MOST_TOKENS}
        record = read(given, {"text"})
        stage = len(record["stages"]) - 1
        explorer = cls(**record, **given, n_vocab=bpe.n_vocab, stage=stage)
        explorer.answer_by(read, "text", told=("n", "most"))
        explorer.attach_engine(bpe, model)
        return explorer

    def blocks(self) -> list[dict]:
        """The stages that leave a block, and the embeddings before the first."""
        return [s for s in self.stages if s["name"] in ("embeddings", STAGES[-1])]

    def sentence(self) -> str:
        name = token_labels(self.tokens)[self.place]
        best = [s["top"][self.place][0] for s in self.blocks()]
        return (
            f"After '{name}' the states predict, block by block: "
            + ", ".join(f"'{readable(p)}' {q:.0%}" for p, q in best)
            + "."
        )

    def finding(self) -> str:
        """From which block on the final answer at the chosen place is the best guess."""
        best = [readable(s["top"][self.place][0][0]) for s in self.blocks()]
        after = token_labels(self.tokens)[self.place]
        others = [i for i, word in enumerate(best) if word != best[-1]]
        since = max(others, default=-1)  # the rows are the embeddings, then the blocks
        where = "already in the embeddings" if since < 0 else f"from block {since} on"
        return f"After “{after}” the best guess is “{best[-1]}” {where}"

    def figure(self) -> Figure:
        rows, names = self.blocks(), token_labels(self.tokens)
        values = np.array([[top[0][1] for top in s["top"]] for s in rows])
        labels = ["embeddings", *(f"block {s['block']}" for s in rows[1:])]
        written = [[readable(top[0][0]) for top in s["top"]] for s in rows]
        return plots.written_grid(values, written, labels, names, self.finding())

"""One matrix, two jobs: a token's row as its embedding and as its output weights."""

from collections.abc import Sequence
from functools import partial
from typing import Self

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure

from gpt1lib import validate
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import LanguageModel

from .. import plots
from ..labels import readable
from .base import Explorer, as_half, encode_or_raise, input_notice
from .controls import AnswerBytes, AnswerList, CleanUnicode, Index

MOST_TOKENS = 32  # a bar for each


def nearest(model: LanguageModel, bpe: BPE, picked: Sequence[int], n: int) -> list[list]:
    """The n other rows of W_e nearest to each picked one: [piece, cosine]."""
    W = model.output_matrix
    unit = W / W.norm(dim=1, keepdim=True)
    near = (unit[picked] @ unit.T).topk(n + 1)
    rows = zip(near.indices[:, 1:].tolist(), near.values[:, 1:].tolist(), strict=True)
    return [
        [[piece, round(s, 4)] for piece, s in zip(bpe.pieces(i), v, strict=True)]
        for i, v in rows
    ]


def wins(model: LanguageModel, ids: Sequence[int], picked: Sequence[int]) -> list[list]:
    """[logit, rank] of each picked token as the next one, after each token of a text."""
    logits = model(torch.tensor([ids]))[0]  # (T, V)
    mine = logits[:, picked].T  # (n, T)
    ranks = (logits[None] > mine[..., None]).sum(-1) + 1
    pairs = zip(mine.tolist(), ranks.tolist(), strict=True)
    return [[[round(x, 3), r] for x, r in zip(a, b, strict=True)] for a, b in pairs]


@torch.no_grad()
def tying_record(checkpoint: Checkpoint, args: dict, changed: set[str]) -> dict:
    """The rows of W_e of the tokens of a text, or of those that were picked for all texts."""
    model, bpe = checkpoint.model, checkpoint.bpe
    ids = encode_or_raise(bpe, args["text"], args["most"])
    words = list(args["picked"]) or bpe.pieces(dict.fromkeys(ids))
    picked = [bpe.token_to_id(word) for word in words]
    before = args["tokens"][args["chosen"]] if args["tokens"] else ""
    return {
        "tokens": words,
        "neighbors": nearest(model, bpe, picked, args["n"]),
        "places": bpe.pieces(ids),
        "wins": wins(model, ids, picked),
        "data": as_half(model.output_matrix[picked].numpy()),
        "chosen": words.index(before) if before in words else 0,
        "message": input_notice(bpe, args["text"]),
    }


class TyingExplorer(Explorer):
    """Pick a token: its row of W_e, its nearest rows, and the logits that it wins.

    Made of what `tying_record` returns. Traits: text (at whose places the token competes),
    chosen (index of the token), tied (which count of parameters is shown).
    """

    text = CleanUnicode("").tag(sync=True, control=True)
    picked = traitlets.List(CleanUnicode()).tag(sync=True)  # pieces to choose from
    most = traitlets.Int(MOST_TOKENS).tag(sync=True)
    n = traitlets.Int().tag(sync=True)  # nearest rows of each
    data = AnswerBytes().tag(sync=True)
    n_embd = traitlets.Int().tag(sync=True)
    tokens = AnswerList(CleanUnicode()).tag(sync=True)
    neighbors = AnswerList().tag(sync=True)
    places = AnswerList(CleanUnicode()).tag(sync=True)
    wins = AnswerList().tag(sync=True)
    counts = traitlets.List().tag(sync=True)
    n_vocab = traitlets.Int().tag(sync=True)
    chosen = Index(lambda self: len(self.tokens)).tag(sync=True, control=True)
    tied = traitlets.Bool(True).tag(sync=True, control=True)

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, tokens: Sequence[str] = (), n: int = 8
    ) -> Self:
        """The rows of W_e of a text that can be edited; tokens: words, instead of its own."""
        model = checkpoint.model
        n = validate.check_int("n", n, 1, model.config.n_vocab - 1)
        total, W = model.count_parameters(), model.output_matrix
        read = partial(tying_record, checkpoint)
        picked = [f"{token}</w>" for token in tokens]
        given = {"text": text, "picked": picked, "n": n, "most": MOST_TOKENS}
        explorer = cls(
            **read(given | {"tokens": [], "chosen": 0}, {"text"}),
            **given,
            n_embd=W.shape[1],
            counts=[total, total + W.numel()],
            n_vocab=len(W),
        )
        told = ("picked", "n", "most", "tokens", "chosen")
        explorer.answer_by(read, "text", told=told)
        explorer.attach_engine(checkpoint.bpe, model)
        return explorer

    def sentence(self) -> str:
        word, near = readable(self.tokens[self.chosen]), self.neighbors[self.chosen]
        place = min(range(len(self.places)), key=lambda i: self.wins[self.chosen][i][1])
        rank = self.wins[self.chosen][place][1]
        return (
            f"The row of '{word}' in W_e; nearest rows "
            + ", ".join(f"'{readable(p)}' ({s:.2f})" for p, s in near[:4])
            + f". Its best rank as a next token, {rank}, is after "
            f"'{readable(self.places[place])}'."
        )

    def figure(self) -> Figure:
        near = self.neighbors[self.chosen]
        title = f"Rows of W_e nearest to '{readable(self.tokens[self.chosen])}'"
        words, values = zip(*near, strict=True)
        return plots.bars([readable(w) for w in words], np.array(values), "cosine", title)

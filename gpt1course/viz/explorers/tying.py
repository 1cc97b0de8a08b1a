"""One matrix, two jobs: a token's row as its embedding and as its output weights."""

from collections.abc import Sequence
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


class TyingExplorer(Explorer):
    """Pick a token: its row of W_e, its nearest rows, and the logits that it wins.

    model, bpe: a language model and its vocabulary. text: what is read, at whose places
    the token competes. tokens: words that can be picked (default: those of the text).
    Traits: text, chosen (index of the token), tied (which count of parameters is shown).
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

    def __init__(
        self, model: LanguageModel, bpe: BPE, text: str, tokens: Sequence[str] = (), n: int = 8
    ):
        self.model, self.bpe = model, bpe
        self.n_near = validate.check_int("n", n, 1, model.config.n_vocab - 1)
        total, W = model.count_parameters(), model.output_matrix
        picked = [f"{t}</w>" for t in tokens]
        super().__init__(
            text=text,
            picked=picked,
            n=n,
            n_embd=W.shape[1],
            counts=[total, total + W.numel()],
            n_vocab=len(W),
            **self._reading(text, picked),
        )
        self.answer_by(lambda changed: self._read(), "text")
        self.attach_engine(bpe, model)

    @classmethod
    def from_checkpoint(
        cls, checkpoint: Checkpoint, text: str, tokens: Sequence[str] = (), n: int = 8
    ) -> Self:
        """The rows of W_e of a text that can be edited."""
        return cls(checkpoint.model, checkpoint.bpe, text, tokens, n)

    def _read(self) -> dict:
        before = self.tokens[self.chosen]
        read = self._reading(self.text, self.picked)
        words = read["tokens"]
        return read | {"chosen": words.index(before) if before in words else 0}

    def _reading(self, text: str, picked: Sequence[str]) -> dict:
        ids = encode_or_raise(self.bpe, text, MOST_TOKENS)
        words = list(picked) or self.bpe.pieces(dict.fromkeys(ids))
        chosen = [self.bpe.token_to_id(word) for word in words]
        self._rows = self.model.output_matrix[chosen].detach().numpy()
        return {
            "tokens": words,
            "neighbors": self._nearest(chosen),
            "places": self.bpe.pieces(ids),
            "wins": self._wins(ids, chosen),
            "data": as_half(self._rows),
            "message": input_notice(self.bpe, text),
        }

    @property
    def rows(self) -> np.ndarray:
        """The rows of W_e of the tokens, (n, C)."""
        self.catch_up()
        return self._rows

    @torch.no_grad()
    def _nearest(self, picked: list[int]) -> list:
        """The n other rows of W_e nearest to each picked one: [piece, cosine]."""
        W = self.model.output_matrix
        unit = W / W.norm(dim=1, keepdim=True)
        near = (unit[picked] @ unit.T).topk(self.n_near + 1)
        rows = zip(near.indices[:, 1:].tolist(), near.values[:, 1:].tolist(), strict=True)
        return [
            [[piece, round(s, 4)] for piece, s in zip(self.bpe.pieces(i), v, strict=True)]
            for i, v in rows
        ]

    @torch.no_grad()
    def _wins(self, ids: list[int], picked: list[int]) -> list:
        """[logit, rank] of each picked token as the next one, after each token of a text."""
        logits = self.model(torch.tensor([ids]))[0]  # (T, V)
        mine = logits[:, picked].T  # (n, T)
        ranks = (logits[None] > mine[..., None]).sum(-1) + 1
        pairs = zip(mine.tolist(), ranks.tolist(), strict=True)
        return [[[round(x, 3), r] for x, r in zip(a, b, strict=True)] for a, b in pairs]

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

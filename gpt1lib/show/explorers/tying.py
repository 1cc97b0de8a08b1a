"""One matrix, two jobs: a token's row as its embedding and as its output weights."""

from collections.abc import Sequence

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure

from ... import limits
from ...bpe import BPE
from ...model import LanguageModel
from .. import plots
from ..labels import readable
from .base import Explorer, as_half, tokens_of
from .controls import Place, Text


class TyingExplorer(Explorer):
    """Pick a token: its row of W_e, its nearest rows, and the logits that it wins.

    model, bpe: a language model and its vocabulary. prompt: a text at whose positions
    the token competes. tokens: words that can be picked (default: those of the prompt).
    Traits: chosen (index of the token), tied (which count of parameters is shown).
    """

    data = traitlets.Bytes().tag(sync=True)
    n_embd = traitlets.Int().tag(sync=True)
    tokens = traitlets.List(Text()).tag(sync=True)
    neighbors = traitlets.List().tag(sync=True)
    places = traitlets.List(Text()).tag(sync=True)
    wins = traitlets.List().tag(sync=True)
    counts = traitlets.List().tag(sync=True)
    n_vocab = traitlets.Int().tag(sync=True)
    chosen = Place(lambda self: len(self.tokens)).tag(sync=True, control=True)
    tied = traitlets.Bool(True).tag(sync=True, control=True)

    def __init__(
        self,
        model: LanguageModel,
        bpe: BPE,
        prompt: str,
        tokens: Sequence[str] = (),
        n: int = 8,
    ):
        ids = tokens_of(bpe, prompt, model.config.n_ctx)
        n = limits.whole("n", n, 1, model.config.n_vocab - 1)
        words = [f"{t}</w>" for t in tokens] or bpe.pieces(dict.fromkeys(ids))
        picked = [bpe.id_of(w) for w in words]
        with torch.no_grad():
            W = model.output_matrix
            unit = W / W.norm(dim=1, keepdim=True)
            near = (unit[picked] @ unit.T).topk(n + 1)
            logits = model(torch.tensor([ids]))[0]  # (T, V)
        ranks = (logits[:, None, :] > logits[:, picked, None]).sum(-1) + 1  # (T, n)
        total = model.count_parameters()
        self.rows = W[picked].detach().numpy()
        super().__init__(
            data=as_half(self.rows),
            n_embd=W.shape[1],
            tokens=words,
            neighbors=[
                [[p, round(s, 4)] for p, s in zip(bpe.pieces(i), v, strict=True)]
                for i, v in zip(
                    near.indices[:, 1:].tolist(), near.values[:, 1:].tolist(), strict=True
                )
            ],
            places=bpe.pieces(ids),
            wins=[
                [[round(x, 3), r] for x, r in zip(a, b, strict=True)]
                for a, b in zip(logits[:, picked].T.tolist(), ranks.T.tolist(), strict=True)
            ],
            counts=[total, total + W.numel()],
            n_vocab=len(W),
        )

    def sentence(self) -> str:
        word, near = readable(self.tokens[self.chosen]), self.neighbors[self.chosen]
        place = min(range(len(self.places)), key=lambda i: self.wins[self.chosen][i][1])
        rank = self.wins[self.chosen][place][1]
        return (
            f"The row of '{word}' in W_e; nearest rows "
            + ", ".join(f"'{readable(p)}' ({s:.2f})" for p, s in near[:4])
            + f". As a next token it ranks best, {rank}, after "
            f"'{readable(self.places[place])}'."
        )

    def figure(self) -> Figure:
        near = self.neighbors[self.chosen]
        title = f"Rows of W_e nearest to '{readable(self.tokens[self.chosen])}'"
        words, values = zip(*near, strict=True)
        return plots.bars([readable(w) for w in words], np.array(values), "cosine", title)

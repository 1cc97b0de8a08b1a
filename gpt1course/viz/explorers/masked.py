"""GPT beside BERT on one sentence: cover a word, and both guess it."""

import math
from collections.abc import Sequence

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from gpt1lib.baselines.masked import MaskedGPT
from gpt1lib.bpe import BPE
from gpt1lib.model import GPT

from ...paper.after import filling
from .. import plots
from ..labels import readable, token_labels
from ..numbers import percent
from .base import Explorer, tokens_of
from .controls import Place

MOST, SHOWN = 14, 5  # tokens of a sentence, guesses per place


def best_guesses(log_p: Tensor, ids: Sequence[int], bpe: BPE) -> list[dict | None]:
    """Of each covered place: the true token's share and rank, and the likeliest tokens.

    log_p (T, V); a place that is nan (GPT's first) has None.
    """
    found: list[dict | None] = []
    for row, true in zip(log_p, ids, strict=True):
        if bool(row.isnan().any()):
            found.append(None)
            continue
        top = row.topk(SHOWN)
        words = bpe.pieces(top.indices.tolist())
        shares = [round(p, 5) for p in top.values.exp().tolist()]
        rank = int((row > row[true]).sum()) + 1
        found.append({"p": float(row[true].exp()), "rank": rank, "top": [words, shares]})
    return found


class MaskedExplorer(Explorer):
    """Each word of a sentence covered in turn; what GPT and BERT look at, and guess.

    Traits: text (which sentence), place (which word is covered).
    """

    texts = traitlets.List().tag(sync=True)  # {tokens, GPT: {looks, guesses}, BERT: ...}
    text = Place(lambda e: len(e.texts)).tag(sync=True, control=True)
    place = Place(lambda e: MOST).tag(sync=True, control=True)

    def __init__(
        self, gpt: GPT, bert: MaskedGPT, bpe: BPE, texts: Sequence[str], text=0, place=0
    ):
        super().__init__(texts=[self._read(gpt, bert, bpe, x) for x in texts])
        self.text, self.place = text, place

    @staticmethod
    def _read(gpt: GPT, bert: MaskedGPT, bpe: BPE, text: str) -> dict:
        """Everything that the page shows of one sentence."""
        ids = [i for i in tokens_of(bpe, text, MOST) if i < bert.mask_id]
        read: dict = {"tokens": bpe.pieces(ids)}
        for name, model in {"GPT": gpt, "BERT": bert}.items():
            log_p, looks = filling.covered(model, torch.tensor(ids))
            shown = np.round(looks.numpy().astype(float), 3).tolist()
            read[name] = {"looks": shown, "guesses": best_guesses(log_p, ids, bpe)}
        return read

    @property
    def _now(self) -> tuple[dict, int]:
        """The sentence that is shown, and the place that is covered in it."""
        read = self.texts[self.text]
        return read, min(self.place, len(read["tokens"]) - 1)

    def sentence(self) -> str:
        read, place = self._now
        words = " ".join(map(readable, read["tokens"]))
        said = f"{words!r} with {readable(read['tokens'][place])!r} covered."
        for name in ("GPT", "BERT"):
            found = read[name]["guesses"][place]
            if found is None:
                said += f" {name} has read nothing and cannot guess."
                continue
            best, share = readable(found["top"][0][0]), percent(found["top"][1][0])
            said += (
                f" {name} gives it {percent(found['p'])}; its best guess is {best!r}, {share}."
            )
        return said

    @property
    def _gains(self) -> dict[str, float]:
        """Word -> nats by which BERT guesses it better; without the first, GPT has no guess."""
        read = self._now[0]
        pairs = zip(read["GPT"]["guesses"], read["BERT"]["guesses"], strict=True)
        gains = [math.log(bert["p"] / gpt["p"]) for gpt, bert in list(pairs)[1:]]
        return dict(zip(token_labels(read["tokens"])[1:], gains, strict=True))

    def finding(self) -> str:
        """Which word the later words tell most about."""
        word, gain = max(self._gains.items(), key=lambda pair: pair[1])
        if gain <= 0:
            return "The words after the gap help with no word of this sentence"
        return f"The words after the gap help most with '{word}'"

    def figure(self) -> Figure | None:
        place, gains = self._now[1], self._gains
        if not gains:  # of a single word, GPT guesses nothing
            return None
        return plots.bars(
            list(gains),
            list(gains.values()),
            "nats by which BERT guesses the covered word better than GPT",
            self.finding(),
            "{:+.1f}",
            highlight=place - 1 if place else None,
        )

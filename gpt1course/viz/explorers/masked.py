"""GPT beside BERT on one sentence: cover a word, and both guess it."""

import math
from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure

from .. import plots
from ..labels import readable, token_labels
from ..numbers import percent
from .base import Explorer
from .controls import Index

MOST = 14  # tokens of a sentence


class MaskedExplorer(Explorer):
    """Each word of a sentence covered in turn; what GPT and BERT look at, and guess.

    texts: a record of each sentence, as `covered_texts` of paper/after/filling.py makes them:
    its tokens, and for GPT and for BERT what it looks at (T, T) and guesses for each covered
    token: the true one's share and rank, and the likeliest ones. None: it cannot guess.
    Traits: text (which sentence), place (which word is covered).
    """

    texts = traitlets.List().tag(sync=True)  # {tokens, GPT: {looks, guesses}, BERT: ...}
    text = Index(lambda e: len(e.texts)).tag(sync=True, control=True)
    place = Index(lambda e: MOST).tag(sync=True, control=True)

    def __init__(self, texts: Sequence[dict], text=0, place=0):
        for read in texts:
            if not 0 < (n := len(read["tokens"])) <= MOST:
                raise ValueError(f"a text has {n} tokens, this page shows 1 to {MOST}")
        super().__init__(texts=list(texts))
        self.text, self.place = text, place

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

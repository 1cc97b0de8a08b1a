"""A next-token distribution under temperature, top-k and top-p."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Self

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib.checkpoints import Checkpoint
from gpt1lib.generate import next_token_probs

from .. import plots
from ..labels import readable
from ..numbers import percent
from .base import Explorer, as_bytes, input_notice
from .controls import AnswerBytes, BoundedFloat, CleanUnicode, StrictInt


def scores_of(words: Sequence[str], logits: ArrayLike) -> np.ndarray:
    """Logits (V,) of V words; ValueError where the largest is not finite."""
    scores = plots.as_matrix(logits, "logits", 1)
    if len(words) != len(scores):
        raise ValueError(f"{len(words)} words for {len(scores)} logits")
    if not np.isfinite(np.float32(scores.max())):
        raise ValueError(f"the largest logit is {scores.max()}, it must be finite")
    return scores


class SamplingExplorer(Explorer):
    """A next-token distribution under temperature, top-k and top-p, in this order.

    logits: (V,), words: V pieces, text: what comes before. predict: text -> logits (V,) makes
    it editable, notice: text -> what is to be said about it. Traits: temperature (0 is
    greedy), top_k (0 is off), top_p (1 is off).
    """

    data = AnswerBytes().tag(sync=True)
    words = traitlets.List(CleanUnicode()).tag(sync=True)
    text = CleanUnicode("").tag(sync=True, control=True)
    editable = traitlets.Bool(False).tag(sync=True)
    n_ctx = traitlets.Int().tag(sync=True)
    joined = traitlets.Bool(False).tag(sync=True, control=True)
    temperature = BoundedFloat(1.0, min=0.0, max=2.5).tag(sync=True, control=True)
    top_k = StrictInt(0, min=0, max=100).tag(sync=True, control=True)
    top_p = BoundedFloat(1.0, min=0.05, max=1.0).tag(sync=True, control=True)

    def __init__(
        self,
        logits: ArrayLike,
        words: Sequence[str],
        text: str = "",
        predict: Callable[[str], np.ndarray] | None = None,
        notice: Callable[[str], str] = lambda text: "",
        **traits,
    ):
        self._logits = scores_of(words, logits)
        super().__init__(
            data=as_bytes(self._logits),
            words=list(words),
            text=text,
            message=notice(text),
            editable=predict is not None,
            **traits,
        )
        if predict:
            self.answer_by(partial(self._read, predict, notice), "text", told=("n_ctx",))

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, text: str, **traits) -> Self:
        """What a checkpoint says next, after a text that can be edited."""
        model, bpe = checkpoint.model, checkpoint.bpe
        n_ctx = model.config.n_ctx

        def predict(text: str) -> np.ndarray:
            ids = bpe.encode(text) or [bpe.newline]
            with torch.no_grad():
                return model(torch.tensor([ids[-n_ctx:]]))[0, -1].numpy()  # (V,)

        explorer = cls(
            predict(text),
            bpe.pieces(range(bpe.n_vocab)),
            text,
            predict,
            lambda text: input_notice(bpe, text, n_ctx),
            n_ctx=n_ctx,
            **traits,
        )
        explorer.attach_engine(bpe, model)
        return explorer

    def _read(
        self,
        predict: Callable[[str], np.ndarray],
        notice: Callable[[str], str],
        args: dict,
        changed: set[str],
    ) -> dict:
        self._logits = scores_of(self.words, predict(args["text"]))
        return {"data": as_bytes(self._logits), "message": notice(args["text"])}

    @property
    def logits(self) -> np.ndarray:
        """What follows the text, (V,)."""
        self.catch_up()
        return self._logits

    @property
    def shown(self) -> str:
        """The text that was read: another may have been refused."""
        return self.accepted("text")

    def distribution(self) -> tuple[np.ndarray, np.ndarray]:
        """Probabilities (V,): the model's own, at temperature 1, and those to be drawn."""
        logits = torch.tensor(self.logits)
        after = next_token_probs(logits, self.temperature, self.top_k or None, self.top_p)
        return next_token_probs(logits).numpy(), after.numpy()

    def sentence(self) -> str:
        _, after = self.distribution()
        best, n_kept = int(after.argmax()), int((after > 0).sum())
        return (
            f"Next-token distribution after '{self.shown}' at temperature "
            f"{self.temperature:g}: {n_kept:,} of {len(after):,} tokens "
            f"can be drawn, '{readable(self.words[best])}' is likeliest with "
            f"{after[best]:.1%}."
        )

    def figure(self) -> Figure:
        before, after = self.distribution()
        top = np.argsort(-before, kind="stable")[:16]
        n_other = len(after) - len(top)
        other = max(0.0, 1 - after[top].sum()) if n_other else None
        words = [self.words[i] for i in top]
        best = int(after.argmax())
        title = (
            f"After '{self.shown}' at temperature {self.temperature:g}: "
            f"'{readable(self.words[best])}' with {percent(after[best])}"
        )
        outlines = None if np.allclose(before, after) else before[top]  # else "22% → 22%"
        return plots.probabilities(words, after[top], outlines, other, n_other, title)

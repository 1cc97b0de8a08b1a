"""A next-token distribution under temperature, top-k and top-p."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib.checkpoints import Checkpoint
from gpt1lib.generate import next_token_probs

from .. import plots
from ..labels import readable
from .base import Explorer, as_bytes, remark
from .controls import Real, Text, Whole


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

    logits: (V,), words: V pieces. predict: text -> logits (V,) makes the prompt
    editable. Traits: temperature (0 is greedy), top_k (0 is off), top_p (1 is off).
    """

    data = traitlets.Bytes().tag(sync=True)
    words = traitlets.List(Text()).tag(sync=True)
    prompt = Text("").tag(sync=True, control=True)
    editable = traitlets.Bool(False).tag(sync=True)
    n_ctx = traitlets.Int().tag(sync=True)
    joined = traitlets.Bool(False).tag(sync=True, control=True)
    temperature = Real(1.0, min=0.0, max=2.5).tag(sync=True, control=True)
    top_k = Whole(0, min=0, max=100).tag(sync=True, control=True)
    top_p = Real(1.0, min=0.05, max=1.0).tag(sync=True, control=True)
    computed = frozenset({"data", "logits", "shown"})

    def __init__(
        self,
        logits: ArrayLike,
        words: Sequence[str],
        prompt: str = "",
        predict: Callable[[str], np.ndarray] | None = None,
        **traits,
    ):
        self.logits = scores_of(words, logits)
        super().__init__(
            data=as_bytes(self.logits),
            words=list(words),
            prompt=prompt,
            editable=predict is not None,
            **traits,
        )
        self.shown = self.prompt  # what was read; a prompt may be refused
        if predict:
            self.asks(lambda: self._read_prompt(predict), "prompt")

    @classmethod
    def of(cls, source: Checkpoint, prompt: str, **traits) -> "SamplingExplorer":
        """What a checkpoint says next, after a prompt that can be edited."""

        def predict(text: str) -> np.ndarray:
            ids = source.bpe.encode(text) or [source.bpe.newline]
            with torch.no_grad():
                window = torch.tensor([ids[-source.model.config.n_ctx :]])
                return source.model(window)[0, -1].numpy()  # (V,)

        words = source.bpe.pieces(range(source.bpe.n_vocab))
        n_ctx = source.model.config.n_ctx
        explorer = cls(predict(prompt), words, prompt, predict, **traits)
        explorer.remark = lambda text: remark(source.bpe, text, n_ctx)
        explorer.lends(source.bpe, source.model)
        explorer.message, explorer.n_ctx = explorer.remark(prompt), n_ctx
        return explorer

    def remark(self, text: str) -> str:
        """What is to be said about a prompt that can be read."""
        return ""

    def _read_prompt(self, predict: Callable[[str], np.ndarray]) -> dict:
        self.logits, self.shown = scores_of(self.words, predict(self.prompt)), self.prompt
        return {"data": as_bytes(self.logits), "message": self.remark(self.prompt)}

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
        title = f"After '{self.shown}', temperature {self.temperature:g}"
        words = [self.words[i] for i in top]
        return plots.probabilities(words, after[top], before[top], other, n_other, title)

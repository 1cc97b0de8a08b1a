"""One prompt, one seed, several ways to go on: greedy, beam, temperatures."""

from collections.abc import Sequence
from typing import Self

import torch
import traitlets
from matplotlib.figure import Figure

from gpt1lib import generate as decode
from gpt1lib import losses, validate
from gpt1lib.checkpoints import Checkpoint

from .. import plots
from ..labels import readable
from .base import Explorer, input_notice
from .controls import AnswerList, CleanUnicode, StrictInt


class WritingExplorer(Explorer):
    """Continuations of one prompt side by side; each token shows its probability.

    All temperatures draw with the same seed, so where their rows
    differ, only the temperature makes the difference. Beam search keeps n_beams texts and
    shows the likeliest. Traits: text, seed.
    """

    text = CleanUnicode("").tag(sync=True, control=True)
    seed = StrictInt(0, min=0, max=99).tag(sync=True, control=True)
    rows = AnswerList().tag(sync=True)
    n_ctx = traitlets.Int().tag(sync=True)
    n_tokens = traitlets.Int().tag(sync=True)
    n_beams = traitlets.Int().tag(sync=True)
    temperatures = traitlets.List(traitlets.Float()).tag(sync=True)

    def __init__(
        self,
        checkpoint: Checkpoint,
        text: str,
        seed: int = 0,
        n_tokens: int = 24,
        temperatures: Sequence[float] = (0.5, 0.8, 1.0, 1.3),
        n_beams: int = 4,
    ):
        n_ctx = checkpoint.model.config.n_ctx
        self.checkpoint = checkpoint
        super().__init__(
            text=text,
            seed=seed,
            n_ctx=n_ctx,
            n_tokens=validate.check_int("n_tokens", n_tokens, 1, n_ctx - 1),
            n_beams=n_beams,
            temperatures=list(temperatures),
        )
        self.set_many(self._write())
        self.answer_by(lambda changed: self._write(), "text", "seed")
        self.attach_engine(checkpoint.bpe, checkpoint.model)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, text: str, **chosen) -> Self:
        """What a model writes after a text that can be edited."""
        return cls(checkpoint, text, **chosen)

    def _write(self) -> dict:
        room = self.checkpoint.model.config.n_ctx - self.n_tokens
        return {
            "rows": self.written(),
            "message": input_notice(self.checkpoint.bpe, self.text, room),
        }

    def written(self) -> list:
        """Rows [name, mean log P, [[piece, probability], ...]], P at temperature 1."""
        model, bpe = self.checkpoint.model, self.checkpoint.bpe
        room = model.config.n_ctx - self.n_tokens
        given = torch.tensor([(bpe.encode(self.text) or [bpe.newline])[-room:]])
        texts = {"greedy": decode.greedy(model, given, self.n_tokens)[0]}
        beams = decode.beam_search(model, given, self.n_tokens, self.n_beams)
        texts[f"{self.n_beams} beams"] = beams[0].ids
        for temperature in self.temperatures:
            generator = torch.Generator().manual_seed(self.seed)
            texts[f"T = {temperature:g}"] = decode.generate(
                model, given, self.n_tokens, temperature=temperature, generator=generator
            )[0]
        rows = [self._row(name, ids, given.shape[1]) for name, ids in texts.items()]
        self._shown = f"After '{self.text}', seed {self.seed}"
        return rows

    @property
    def shown(self) -> str:
        """What was written on from: text and seed."""
        self.catch_up()
        return self._shown

    def _row(self, name: str, ids: torch.Tensor, start: int) -> list:
        with torch.no_grad():
            log_probs = losses.token_log_probs(self.checkpoint.model(ids[None]), ids[None])
        log_probs = log_probs[0, start - 1 :]
        pieces = self.checkpoint.bpe.pieces(ids[start:].tolist())
        probs = [round(p, 4) for p in log_probs.exp().tolist()]
        pairs = [list(pair) for pair in zip(pieces, probs, strict=True)]
        return [name, round(log_probs.mean().item(), 3), pairs]

    def sentence(self) -> str:
        said = "; ".join(
            f"{name}: {' '.join(readable(p) for p, _ in pairs)}" for name, _, pairs in self.rows
        )
        return f"{self.shown}. {said}."

    def figure(self) -> Figure:
        rows = [[f"{name}:", *(readable(p) for p, _ in pairs)] for name, _, pairs in self.rows]
        parts = [["special", *["written"] * (len(row) - 1)] for row in rows]
        title = f"“{self.text}” goes on in {len(rows)} ways"
        return plots.pieces(rows, parts, title)

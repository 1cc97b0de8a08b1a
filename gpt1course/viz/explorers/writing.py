"""One prompt, one seed, several ways to go on: greedy, beam, temperatures."""

from collections.abc import Sequence
from functools import partial
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


def written(
    checkpoint: Checkpoint,
    text: str,
    seed: int,
    n_tokens: int,
    temperatures: Sequence[float],
    n_beams: int,
) -> list[list]:
    """Rows [name, mean log P, [[piece, probability], ...]], P at temperature 1."""
    model, bpe = checkpoint.model, checkpoint.bpe
    room = model.config.n_ctx - n_tokens
    given = torch.tensor([(bpe.encode(text) or [bpe.newline])[-room:]])
    texts = {"greedy": decode.greedy(model, given, n_tokens)[0]}
    texts[f"{n_beams} beams"] = decode.beam_search(model, given, n_tokens, n_beams)[0].ids
    for temperature in temperatures:
        generator = torch.Generator().manual_seed(seed)
        texts[f"T = {temperature:g}"] = decode.generate(
            model, given, n_tokens, temperature=temperature, generator=generator
        )[0]
    return [_row(checkpoint, name, ids, given.shape[1]) for name, ids in texts.items()]


@torch.no_grad()
def _row(checkpoint: Checkpoint, name: str, ids: torch.Tensor, start: int) -> list:
    log_probs = losses.token_log_probs(checkpoint.model(ids[None]), ids[None])[0, start - 1 :]
    pieces = checkpoint.bpe.pieces(ids[start:].tolist())
    probs = [round(p, 4) for p in log_probs.exp().tolist()]
    pairs = [list(pair) for pair in zip(pieces, probs, strict=True)]
    return [name, round(log_probs.mean().item(), 3), pairs]


def writing_record(checkpoint: Checkpoint, args: dict, changed: set[str]) -> dict:
    """Several ways to go on from a text."""
    text, n = args["text"], args["n_tokens"]
    rows = written(checkpoint, text, args["seed"], n, args["temperatures"], args["n_beams"])
    return {"rows": rows, "message": input_notice(checkpoint.bpe, text, args["n_ctx"] - n)}


class WritingExplorer(Explorer):
    """Continuations of one prompt side by side; each token shows its probability.

    Made of what `writing_record` returns. All temperatures draw with the same seed, so where
    their rows differ, only the temperature makes the difference. Beam search keeps n_beams
    texts and shows the likeliest. Traits: text, seed.
    """

    text = CleanUnicode("").tag(sync=True, control=True)
    seed = StrictInt(0, min=0, max=99).tag(sync=True, control=True)
    rows = AnswerList().tag(sync=True)
    n_ctx = traitlets.Int().tag(sync=True)
    n_tokens = traitlets.Int().tag(sync=True)
    n_beams = traitlets.Int().tag(sync=True)
    temperatures = traitlets.List(traitlets.Float()).tag(sync=True)

    @classmethod
    def from_checkpoint(
        cls,
        checkpoint: Checkpoint,
        text: str,
        seed: int = 0,
        n_tokens: int = 24,
        temperatures: Sequence[float] = (0.5, 0.8, 1.0, 1.3),
        n_beams: int = 4,
    ) -> Self:
        """What a model writes after a text that can be edited."""
        n_ctx = checkpoint.model.config.n_ctx
        n_tokens = validate.check_int("n_tokens", n_tokens, 1, n_ctx - 1)
        read = partial(writing_record, checkpoint)
        fixed = {"n_tokens": n_tokens, "n_beams": n_beams, "n_ctx": n_ctx}
        fixed |= {"temperatures": list(temperatures)}
        given = {"text": text, "seed": seed} | fixed
        explorer = cls(**read(given, {"text"}), **given)
        explorer.answer_by(read, "text", "seed", told=tuple(fixed))
        explorer.attach_engine(checkpoint.bpe, checkpoint.model)
        return explorer

    @property
    def shown(self) -> str:
        """What was written on from: text and seed."""
        return f"After '{self.accepted('text')}', seed {self.accepted('seed')}"

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

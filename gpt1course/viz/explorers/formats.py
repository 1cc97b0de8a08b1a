"""The four input transformations, and L3 with its two terms on them."""

import math
from typing import Self

import torch
import traitlets
from matplotlib.figure import Figure

from gpt1lib import finetune, inputs, validate
from gpt1lib import losses as objectives
from gpt1lib.checkpoints import Checkpoint

from .. import plots
from ..labels import readable
from .base import Explorer, as_bytes
from .controls import AnswerDict, BoundedFloat, CleanUnicode

FIELDS = {
    "classification": ("text",),
    "entailment": ("premise", "hypothesis"),
    "similarity": ("text a", "text b"),
    "choice": ("context", "choice 1", "choice 2"),
}
EXAMPLES = {
    "classification": ("This film was brilliant",),
    "entailment": (
        "The old man spoke to the young girl",
        "An elderly person talked to a child",
    ),
    "similarity": ("He went home early", "He came home late"),
    "choice": (
        "She opened the letter and read it",
        "Then she began to weep",
        "Then the horse ate the hay",
    ),
}


class FormatsExplorer(Explorer):
    """Texts to token sequences by each of Figure 1's formats, with losses and L3.

    The model of a checkpoint reads the sequences with three new special tokens,
    as at the start of fine-tuning, when the head still guesses evenly. Traits: kind,
    lm_coef (lambda), texts (kind -> the texts typed).
    """

    fields = traitlets.Dict().tag(sync=True)
    texts = traitlets.Dict(
        key_trait=traitlets.Enum(tuple(FIELDS)), value_trait=traitlets.List(CleanUnicode())
    ).tag(sync=True, control=True)
    formats = AnswerDict().tag(sync=True)
    kind = traitlets.Enum(tuple(FIELDS), "classification").tag(sync=True, control=True)
    lm_coef = BoundedFloat(0.5, min=0.0, max=2.0).tag(sync=True, control=True)
    specials = traitlets.Bytes().tag(sync=True)  # (3, C): their rows of W_e

    def __init__(self, checkpoint: Checkpoint, seed: int = 0, **traits):
        seed = validate.check_int("seed", seed, 0, validate.LARGEST_SEED)
        generator = torch.Generator().manual_seed(seed)
        self.bpe = checkpoint.bpe
        self.model = finetune.add_special_tokens(checkpoint.model, generator).eval()
        texts = {k: list(v) for k, v in EXAMPLES.items()} | traits.pop("texts", {})
        rows = self.model.tokens.weight[-3:].detach().numpy()
        super().__init__(
            fields={k: list(v) for k, v in FIELDS.items()},
            texts=texts,
            specials=as_bytes(rows),
            **traits,
        )
        self.set_many(self._read())
        self.answer_by(lambda changed: self._read(), "texts")
        self.attach_engine(checkpoint.bpe, checkpoint.model)

    @classmethod
    def from_checkpoint(cls, checkpoint: Checkpoint, **chosen) -> Self:
        """Texts that can be edited, by kind, as a checkpoint's model reads them."""
        return cls(checkpoint, **chosen)

    @traitlets.validate("texts")
    def _has_all_texts(self, proposal) -> dict:
        """As many texts of each kind as there are fields for them."""
        texts = proposal["value"]
        for kind, fields in FIELDS.items():
            if len(texts.get(kind, ())) != len(fields):
                raise traitlets.TraitError(f"texts of {kind} must be {', '.join(fields)}")
        return texts

    def sequences(self, kind: str) -> list[list[int]]:
        """Token ids of the typed texts under one format."""
        n_ctx = self.model.config.n_ctx
        return inputs.to_sequences(self.bpe, kind, self.texts[kind], n_ctx)

    def _read(self) -> dict:
        return {"formats": {kind: self._format(kind) for kind in FIELDS}}

    def _format(self, kind: str) -> dict:
        """Pieces with their segments, and the loss of each token but the first."""
        s = inputs.Specials.after(self.bpe.n_vocab)
        names = {s.start: "[start]", s.delimiter: "[delim]", s.extract: "[extract]"}
        rows = []
        for ids in self.sequences(kind):
            t, segment, row = torch.tensor([ids]), 0, []
            with torch.no_grad():
                nats = -objectives.token_log_probs(self.model(t), t)[0]
            for i, loss in zip(ids, [None, *nats.tolist()], strict=True):
                segment += i in names
                piece = names.get(i) or self.bpe.decoder[i]
                part = "special" if i in names else f"segment {segment}"
                row.append([piece, part, loss if loss is None else round(loss, 4)])
            rows.append(row)
        n_classes = 3 if kind == "entailment" else 2
        return {"rows": rows, "task": round(math.log(n_classes), 6)}

    def losses(self) -> dict[str, float]:
        """L2, L1 and L3 of the example, as means (the code) and sums (the paper)."""
        shown = self.formats[self.kind]
        nats = [[x for _, _, x in row if x is not None] for row in shown["rows"]]
        mean = sum(sum(n) / len(n) for n in nats) / len(nats)
        total = sum(map(sum, nats))
        return {
            "task": shown["task"],
            "lm mean": mean,
            "lm sum": total,
            "L3 mean": -(shown["task"] + self.lm_coef * mean),
            "L3 sum": -(shown["task"] + self.lm_coef * total),
        }

    def sentence(self) -> str:
        rows, losses = self.formats[self.kind]["rows"], self.losses()
        text = " / ".join(" ".join(readable(p) for p, _, _ in row) for row in rows)
        return (
            f"{self.kind}: {text}. Read at [extract]. With lambda {self.lm_coef:g} "
            f"L3 is {losses['L3 mean']:.3f} by means, {losses['L3 sum']:.3f} by sums."
        )

    def figure(self) -> Figure:
        rows = self.formats[self.kind]["rows"]
        parts = [[part for _, part, _ in row] for row in rows]
        said = "one sequence" if len(rows) == 1 else f"{len(rows)} sequences"
        title = f"{self.kind}: {said}, read at [extract]"
        return plots.pieces([[readable(p) for p, _, _ in row] for row in rows], parts, title)

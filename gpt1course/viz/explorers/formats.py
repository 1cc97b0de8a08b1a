"""The four input transformations, what the last state says, and L3 on them."""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Self

import numpy as np
import torch
import traitlets
from matplotlib.figure import Figure
from torch import Tensor

from gpt1lib import finetune, inputs, validate
from gpt1lib import losses as objectives
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import LanguageModel

from .. import plots, task_layers
from ..labels import readable
from .base import Explorer, as_bytes, as_half
from .controls import AnswerBytes, AnswerDict, BoundedFloat, CleanUnicode, StrictInt

FIELDS = {
    "classification": ("text",),
    "entailment": ("premise", "hypothesis"),
    "similarity": ("text a", "text b"),
    "choice": ("context", "choice 1", "choice 2", "choice 3"),
}
ASKS = {  # what the tasks of the stored layers ask
    "classification": "Is it a question, or a statement?",
    "entailment": "Can both texts be about the same person?",
    "similarity": "Are both sentences in the past, or both in the present?",
    "choice": "Which choice goes on with the text?",
}
EXAMPLES = {
    "classification": ("How long you have been away",),
    "entailment": ("The doctor put down the book", "she looked at the fire"),
    "similarity": ("He went home early in the evening.", "She is a very good girl."),
    "choice": (
        "She took the letter from the table and went",
        "into the garden to read it.",
        "of the garden to read it.",
        "against the garden to read it.",
    ),
}
N_CLASSES = {"classification": 2, "entailment": 2, "similarity": 2, "choice": 3}
RIGHT = {"classification": 0, "entailment": 1, "similarity": 0, "choice": 0}


class FormatsReader:
    """Reads texts under each format: a model with special tokens, and a layer of each kind.

    layers: kind -> the rows of its special tokens, and its linear layer.
    """

    def __init__(self, checkpoint: Checkpoint, seed: int = 0):
        seed = validate.check_int("seed", seed, 0, validate.MAX_SEED)
        generator = torch.Generator().manual_seed(seed)
        self.bpe = checkpoint.bpe
        self.model = finetune.add_special_tokens(checkpoint.model, generator).eval()
        self.layers = layers_of(checkpoint.model, self.model.tokens.weight[-3:].clone())

    def answer(self, args: dict, changed: set[str]) -> dict:
        """The record. states: of each kind the last state of each row, then what is read of
        them, if that is another: the sum, in similarity."""
        formats, states = {}, []
        for kind in FIELDS:
            formats[kind], found = self._format(kind, args["texts"][kind])
            states += found
        return {"formats": formats, "states": as_half(np.stack(states))}

    def sequences(self, kind: str, texts: Sequence[str]) -> list[list[int]]:
        """Token ids of texts under one format."""
        return inputs.to_sequences(self.bpe, kind, texts, self.model.config.n_ctx)

    @torch.no_grad()
    def model_for(self, kind: str) -> LanguageModel:
        """The model with the special tokens that this kind of task has."""
        self.model.tokens.weight[-3:] = self.layers[kind].specials
        return self.model

    @torch.no_grad()
    def _format(self, kind: str, texts: Sequence[str]) -> tuple[dict, list[np.ndarray]]:
        """Rows of [piece, segment, loss]; scores, probabilities and losses of the classes; and
        the states that are shown.
        """
        layer, rows, last = self.layers[kind], [], []
        model = self.model_for(kind)
        for ids in self.sequences(kind, texts):
            t = torch.tensor([ids])
            h = model.hidden(t)  # (1, T, C)
            nats = -objectives.token_log_probs(model.logits(h), t)[0]
            rows.append(self._row(ids, nats.tolist()))
            last.append(h[0, -1])
        states = torch.stack(last)  # (rows, C)
        read = states.sum(0, keepdim=True) if kind == "similarity" else states
        scores = layer.read(read)
        shown = [*states, *read] if kind == "similarity" else [*states]
        return {
            "rows": rows,
            "scores": _rounded(scores, 4),
            "probs": _rounded(scores.double().softmax(0), 9),
            "task": _rounded(-scores.double().log_softmax(0), 9),
        }, [state.numpy() for state in shown]

    def _row(self, ids: Sequence[int], nats: Sequence[float]) -> list[list]:
        """Pieces with their segments, and the loss of each token but the first."""
        s = inputs.Specials.after(self.bpe.n_vocab)
        names = {s.start: "[start]", s.delimiter: "[delim]", s.extract: "[extract]"}
        segment, row = 0, []
        for i, loss in zip(ids, [None, *nats], strict=True):
            segment += i in names
            piece = names.get(i) or self.bpe.decoder[i]
            part = "special" if i in names else f"segment {segment}"
            row.append([piece, part, loss if loss is None else round(loss, 4)])
        return row


class FormatsExplorer(Explorer):
    """Texts to token sequences by each of Figure 1's formats, read at Extract, with L3.

    Made of what `FormatsReader` answers, and of its layers. The model of a checkpoint reads
    the sequences with three new special tokens, and a linear layer reads the state at
    Extract. For the novelist both have learned a task of each kind (viz/task_layers.py). For
    another model they have learned nothing, and the layer guesses evenly. Traits: kind,
    lm_coef (lambda), texts (kind -> the texts typed), labels (kind -> the class that counts
    as right in the task's loss).
    """

    fields = traitlets.Dict().tag(sync=True)
    layers = traitlets.Dict().tag(sync=True)  # kind -> n_out, and what is known of the layer
    asks_of = traitlets.Dict().tag(sync=True)  # kind -> the question of its task
    added = traitlets.Bytes().tag(sync=True)  # of each kind: special rows, W_y, bias
    n_layer = traitlets.Int().tag(sync=True)
    texts = traitlets.Dict(
        key_trait=traitlets.Enum(tuple(FIELDS)), value_trait=traitlets.List(CleanUnicode())
    ).tag(sync=True, control=True)
    labels = traitlets.Dict(
        key_trait=traitlets.Enum(tuple(FIELDS)), value_trait=StrictInt()
    ).tag(sync=True, control=True)
    formats = AnswerDict().tag(sync=True)
    states = AnswerBytes().tag(sync=True)  # (n, C) of all kinds, see FormatsReader
    kind = traitlets.Enum(tuple(FIELDS), "classification").tag(sync=True, control=True)
    lm_coef = BoundedFloat(0.5, min=0.0, max=2.0).tag(sync=True, control=True)

    @classmethod
    def from_checkpoint(
        cls,
        checkpoint: Checkpoint,
        texts: Mapping[str, Sequence[str]] = MappingProxyType({}),
        labels: Mapping[str, int] = MappingProxyType({}),
        seed: int = 0,
        **chosen,
    ) -> Self:
        """Texts that can be edited, by kind, as a checkpoint's model reads them.

        seed: of the special tokens, where no layer has been learned.
        """
        reader = FormatsReader(checkpoint, seed)
        numbers = torch.cat([layer.numbers() for layer in reader.layers.values()])
        explorer = cls(
            fields={k: list(v) for k, v in FIELDS.items()},
            layers={k: described(layer) for k, layer in reader.layers.items()},
            asks_of=ASKS,
            added=as_bytes(numbers.numpy()),
            n_layer=checkpoint.model.config.n_layer,
            texts={k: list(v) for k, v in (EXAMPLES | dict(texts)).items()},
            labels=RIGHT | dict(labels),
            **chosen,
        )
        explorer.set_many(reader.answer({"texts": explorer.texts}, {"texts"}))
        explorer.answer_by(reader.answer, "texts", told=("added", "layers"))
        explorer.attach_engine(checkpoint.bpe, checkpoint.model)
        return explorer

    @traitlets.validate("texts")
    def _has_all_texts(self, proposal) -> dict:
        """As many texts of each kind as there are fields for them."""
        texts = proposal["value"]
        for kind, fields in FIELDS.items():
            if len(texts.get(kind, ())) != len(fields):
                raise traitlets.TraitError(f"texts of {kind} must be {', '.join(fields)}")
        return texts

    @traitlets.validate("labels")
    def _has_all_labels(self, proposal) -> dict:
        """A class of each kind."""
        labels = proposal["value"]
        for kind, n in N_CLASSES.items():
            if labels.get(kind) not in range(n):
                raise traitlets.TraitError(f"the label of {kind} must be from 0 to {n - 1}")
        return labels

    def losses(self) -> dict[str, float]:
        """L2, L1 and L3 of the example, as means (the code) and sums (the paper)."""
        shown = self.formats[self.kind]
        task = shown["task"][self.labels[self.kind]]
        nats = [[x for _, _, x in row if x is not None] for row in shown["rows"]]
        mean = sum(sum(n) / len(n) for n in nats) / len(nats)
        total = sum(map(sum, nats))
        return {
            "task": task,
            "lm mean": mean,
            "lm sum": total,
            "L3 mean": -(task + self.lm_coef * mean),
            "L3 sum": -(task + self.lm_coef * total),
        }

    def answer(self) -> tuple[str, float]:
        """The likeliest class, or choice, and its probability."""
        probs = self.formats[self.kind]["probs"]
        best = int(np.argmax(probs))
        classes = self.layers[self.kind]["classes"] or FIELDS[self.kind][1:]
        return classes[best], probs[best]

    def sentence(self) -> str:
        rows, losses = self.formats[self.kind]["rows"], self.losses()
        text = " / ".join(" ".join(readable(p) for p, _, _ in row) for row in rows)
        said, p = self.answer()
        return (
            f"{self.kind}: {text}. Read at [extract]: {said}, {p:.1%}. With lambda "
            f"{self.lm_coef:g} L3 is {losses['L3 mean']:.3f} by means, "
            f"{losses['L3 sum']:.3f} by sums."
        )

    def figure(self) -> Figure:
        rows = self.formats[self.kind]["rows"]
        parts = [[part for _, part, _ in row] for row in rows]
        count = "one sequence" if len(rows) == 1 else f"{len(rows)} sequences"
        said, p = self.answer()
        title = f"{self.kind}: {count}, read at [extract]: {said}, {p:.0%}"
        return plots.pieces([[readable(p) for p, _, _ in row] for row in rows], parts, title)


def layers_of(model: torch.nn.Module, specials: Tensor) -> dict[str, task_layers.TaskLayer]:
    """The stored layer of each kind, or one that has learned nothing, with these specials."""
    stored = task_layers.load(model)
    n_out = {**N_CLASSES, "choice": 1}
    return {k: stored.get(k) or task_layers.untrained(specials, n_out[k]) for k in FIELDS}


def described(layer: task_layers.TaskLayer) -> dict:
    """What a page knows of a layer: its outputs, classes, and how well it has learned."""
    facts, (n_out, _) = layer.facts, layer.weight.shape
    if not facts:
        names = [] if n_out == 1 else [f"class {i + 1}" for i in range(n_out)]
        return {"n_out": n_out, "classes": names}
    return {
        "n_out": n_out,
        "classes": [] if n_out == 1 else facts["classes"],
        **{name: facts[name] for name in ("task", "labels")},
        **{name: facts["test"][name] for name in ("accuracy", "interval", "examples")},
        "chance": 1 / len(facts["classes"]),
    }


def _rounded(values: Tensor, digits: int) -> list[float]:
    return [round(x, digits) for x in values.tolist()]

"""A pre-trained model with a linear layer on Extract: Eq. 3, for every kind of task.

The released code gives the linear layer a bias, which the paper's Eq. 3 has not; so do
we. Its language-model softmax also runs over the position rows, which lie in the same
table there; ours runs over tokens and specials.
"""

import json
import random
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor, nn

from . import checkpoint, files, inputs, objectives, tasks
from .bpe import BPE
from .chunked_loss import chunked_padded_loss
from .config import GPTConfig
from .lstm import LSTM
from .model import GPT


class Classifier(nn.Module):
    """A pre-trained GPT (or LSTM) with three special tokens and a linear layer.

    kind: classification and entailment (n_classes logits), similarity (the two Extract
    vectors are added, then one layer), choice (one scalar a sequence, softmax over
    choices).
    """

    def __init__(self, model: GPT | LSTM, kind: str, n_classes: int, dropout: float = 0.1):
        super().__init__()
        if kind not in tasks.KINDS:
            raise ValueError(f"kind {kind!r} is unknown, there are {tasks.KINDS}")
        if n_classes < 2:
            raise ValueError(f"n_classes is {n_classes}, it must be >= 2")
        self.kind, self.n_classes = kind, n_classes
        self.model = inputs.add_special_tokens(model)
        self.specials = inputs.Specials.after(model.config.n_vocab)
        set_dropout(self.model, dropout)
        self.drop = nn.Dropout(dropout)
        n_out = 1 if kind == "choice" else n_classes
        self.head = nn.Linear(model.config.n_embd, n_out)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Task logits (B, n_classes) and states (N, T, C) of ids (N, T).

        N is B for classification, 2 B for similarity, n_classes B for choice; the
        sequences of one example stand in a row.
        """
        h = self.model.hidden(ids)  # (N, T, C)
        where = inputs.extract_positions(ids, self.specials)
        read_out = h[torch.arange(len(ids)), where]  # (N, C)
        if self.kind == "similarity":
            read_out = read_out.view(-1, 2, h.shape[-1]).sum(dim=1)  # (B, C)
        logits = self.head(self.drop(read_out))
        return logits.view(-1, self.n_classes), h

    def losses(self, ids: Tensor, real: Tensor, labels: Tensor, lm_coef: float):
        """(task loss, language-model loss or None) of one batch, on the same inputs."""
        task_logits, h = self(ids)
        task = objectives.task_loss(task_logits, labels)
        if lm_coef == 0:
            return task, None  # the softmax over all tokens would cost time for nothing
        # the same number as objectives.lm_loss(self.model.logits(h), ids, real), faster
        return task, chunked_padded_loss(h, self.model.output_matrix, ids, real)

    def loss(self, ids: Tensor, real: Tensor, labels: Tensor, lm_coef: float) -> Tensor:
        """-L3 on one batch: task loss + lambda x language-model loss."""
        task, lm = self.losses(ids, real, labels, lm_coef)
        return task if lm is None else objectives.combined_loss(task, lm, lm_coef)


def set_dropout(model: nn.Module, rate: float) -> None:
    """Give every dropout of a model this rate."""
    model.config = replace(model.config, dropout=rate)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif hasattr(module, "dropout") and not isinstance(module, nn.LSTM):
            module.dropout = rate


# ---- from examples to batches ----------------------------------------------------


def to_sequences(bpe: BPE, kind: str, example: tasks.Example, n_ctx: int) -> list[list[int]]:
    """The token sequences of one example, by the task's input transformation."""
    first, *rest = example.texts
    if kind == "classification":
        return inputs.classification(bpe, first, n_ctx)
    if kind == "entailment":
        return inputs.entailment(bpe, first, rest[0], n_ctx)
    if kind == "similarity":
        return inputs.similarity(bpe, first, rest[0], n_ctx)
    return inputs.multiple_choice(bpe, first, rest, n_ctx)


def prepare(bpe: BPE, task: tasks.Task, examples: list, n_ctx: int) -> list:
    """Examples to (sequences, label); ValueError for a label that is no class.

    The label of a graded task is a distribution over the grades 0 to 5.
    """
    out = []
    for n, example in enumerate(examples, start=1):
        label = example.label
        if task.graded:
            label = objectives.graded_target(label, task.n_classes)
        elif not 0 <= label < task.n_classes:
            raise ValueError(f"example {n}: label {label} is not in 0 to {task.n_classes - 1}")
        try:
            out.append((to_sequences(bpe, task.kind, example, n_ctx), label))
        except ValueError as error:
            raise ValueError(f"example {n}: {error}") from error
    return out


def shuffled(data: list, size: int, shuffle: random.Random) -> list[list]:
    """Batches of examples in random order, to learn from, as in the released code.

    Not of similar length, which would save padding: length often goes with the pattern
    or the label of an example, and a batch should hold several.
    """
    order = shuffle.sample(data, len(data))
    return [order[i : i + size] for i in range(0, len(order), size)]


def of_similar_length(data: list, size: int) -> list[list]:
    """Batches with little padding, to predict with. data: pairs (sequences, label)."""
    order = sorted(data, key=lambda item: max(map(len, item[0])))
    return [order[i : i + size] for i in range(0, len(order), size)]


def collate(batch: list) -> tuple[Tensor, Tensor, Tensor]:
    """A batch of (sequences, label) to ids, real and labels."""
    ids, real = inputs.pad([s for sequences, _ in batch for s in sequences])
    return ids, real, torch.tensor([label for _, label in batch])


# ---- predictions -----------------------------------------------------------------


@torch.no_grad()
def predict(classifier: Classifier, data: list, batch: int = 64) -> list[list[float]]:
    """Probabilities of the classes for each item of `data`, in its order."""
    classifier.eval()
    numbered = [(sequences, i) for i, (sequences, _) in enumerate(data)]
    out = [None] * len(data)
    for part in of_similar_length(numbered, batch):
        ids, _, where = collate(part)
        probs = classifier(ids)[0].softmax(dim=-1)
        for i, p in zip(where.tolist(), probs.tolist(), strict=True):
            out[i] = p
    return out


def classify(classifier: Classifier, bpe: BPE, *texts: str) -> list[float]:
    """Probabilities of the classes for one example given as text."""
    n_ctx = classifier.model.config.n_ctx
    example = tasks.Example(tuple(texts), 0)
    sequences = to_sequences(bpe, classifier.kind, example, n_ctx)
    return predict(classifier, [(sequences, 0)])[0]


# ---- on disk -----------------------------------------------------------------------


def save(folder: Path, classifier: Classifier, bpe: BPE, task: tasks.Task) -> None:
    """Weights, vocabulary, and what else `load` needs."""
    files.write_json(
        folder / "classifier.json",
        {
            "task": task.name,
            "kind": task.kind,
            "n_classes": task.n_classes,
            "classes": task.classes,
            "model": checkpoint.kind_of(classifier.model),
            "config": asdict(classifier.model.config),
        },
    )
    bpe.save(folder)
    checkpoint.save_weights(folder / "classifier.safetensors", classifier)


def load(folder: str | Path) -> tuple[Classifier, BPE, dict]:
    """(classifier in eval mode, its tokenizer, its facts) from a fine-tuning folder.

    Raises FileNotFoundError where no classifier was written.
    """
    folder = Path(folder)
    if not (folder / "classifier.json").is_file():
        raise FileNotFoundError(
            f"{folder} holds no classifier; `python -m gpt1lib.finetune` makes one"
        )
    facts = json.loads((folder / "classifier.json").read_text(encoding="utf-8"))
    config = GPTConfig.from_dict(facts["config"])
    bare = replace(config, n_vocab=config.n_vocab - 3)  # before the special tokens
    model = checkpoint.build(facts["model"], bare)
    classifier = Classifier(model, facts["kind"], facts["n_classes"], config.dropout)
    checkpoint.load_weights(folder / "classifier.safetensors", classifier)
    return classifier.eval(), BPE.load(folder), facts

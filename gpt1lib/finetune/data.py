"""From labeled examples to batches of token ids."""

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from .. import inputs, losses
from ..bpe import BPE
from ..tasks import Example, Task


class Encoded(NamedTuple):
    """One example as the model reads it."""

    sequences: list[list[int]]  # one or more, by the kind of task
    label: int | list[float]  # a class, or a distribution over the grades


def prepare(bpe: BPE, task: Task, examples: Iterable[Example], n_ctx: int) -> list[Encoded]:
    """Encode examples; ValueError names one that is empty or whose label is no class.

    The label of a graded task becomes a distribution over the grades 0 to 5.
    """
    data = []
    for n, example in enumerate(examples, start=1):
        try:
            label = target_of(task, example.label)
            sequences = inputs.to_sequences(bpe, task.kind, example.texts, n_ctx)
        except ValueError as error:
            raise ValueError(f"example {n}: {error}") from error
        data.append(Encoded(sequences, label))
    return data


def target_of(task: Task, label: int | float) -> int | list[float]:
    """What the loss compares with; ValueError for a label that the task does not have."""
    if task.graded:
        return losses.graded_target(label, task.n_classes)
    if label not in range(task.n_classes):  # 1.5 is no class
        raise ValueError(f"label {label} is not in 0 to {task.n_classes - 1}")
    return int(label)


def shuffled(data: list, size: int, shuffle: random.Random) -> list[list]:
    """Batches of examples in random order, to learn from, as in the released code.

    Not of similar length, which would save padding: length often goes with the pattern
    or the label of an example, and a batch should hold several.
    """
    order = shuffle.sample(data, len(data))
    return [order[i : i + size] for i in range(0, len(order), size)]


def of_similar_length(data: Sequence[Encoded], size: int) -> list[list[int]]:
    """Indices of the items of `data` in batches with little padding, to predict with."""
    order = sorted(range(len(data)), key=lambda i: max(map(len, data[i].sequences)))
    return [order[i : i + size] for i in range(0, len(order), size)]


def collate(batch: Sequence[Encoded]) -> tuple[Tensor, Tensor, Tensor]:
    """A batch to ids (N, T), real (N, T) and labels (B,) or (B, grades)."""
    ids, real = inputs.pad([s for sequences, _ in batch for s in sequences])
    return ids, real, torch.tensor([label for _, label in batch])

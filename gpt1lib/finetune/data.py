"""From labeled examples to batches of token ids, and to a context of their length."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from .. import inputs, validate
from ..bpe import BPE
from ..checkpoints import Checkpoint
from ..io import files
from ..model import GPT, LanguageModel
from ..rng import fork_rng
from ..tasks import Example, Task


class Encoded(NamedTuple):
    """One example as token ids."""

    sequences: list[list[int]]  # one or more, by the kind of task; each ends with Extract
    label: int | list[float]  # a class, or a distribution over the grades

    @property
    def extract_at(self) -> list[int]:
        """The position of Extract in each sequence: the last one."""
        return [len(sequence) - 1 for sequence in self.sequences]


class EncodedTask:
    """The splits of a task as token ids; each is encoded once, when it is first asked for."""

    def __init__(self, task: Task, bpe: BPE, n_ctx: int):
        self.task, self.bpe, self.n_ctx = task, bpe, n_ctx
        self._splits: dict[str, list[Encoded]] = {}

    def split(self, name: str) -> list[Encoded]:
        """The encoded examples of train, valid or test."""
        if name not in self._splits:
            examples = self.task.split(name)
            self._splits[name] = prepare(self.bpe, self.task, examples, self.n_ctx)
        return self._splits[name]


def prepare(bpe: BPE, task: Task, examples: Iterable[Example], n_ctx: int) -> list[Encoded]:
    """Encode examples. The label of a graded task becomes a distribution over the grades.

    Raises ValueError with the number of an example that is empty, or whose label or number of
    choices is not the task's.
    """
    data = []
    for n, example in enumerate(examples, start=1):
        with files.blame_file(f"example {n}"):
            label = target_of(task, example.label)
            texts, question = example.texts, example.question
            sequences = inputs.to_sequences(bpe, task.kind, texts, n_ctx, question)
            check_choices(sequences, task.kind, task.n_classes)
        data.append(Encoded(sequences, label))
    return data


def check_choices(sequences: list[list[int]], kind: str, n_classes: int) -> None:
    """Raise ValueError unless there are as many choices as the task has classes."""
    if kind == "choice" and len(sequences) != n_classes:
        raise ValueError(f"there are {len(sequences)} choices, the task has {n_classes}")


def target_of(task: Task, label: int | float) -> int | list[float]:
    """What the loss compares with. Raises ValueError for a label that the task lacks."""
    if task.graded:
        return graded_target(label, task.n_classes)
    if label not in range(task.n_classes):  # 1.5 is not a class
        raise ValueError(f"label {label} is not in 0 to {task.n_classes - 1}")
    return int(label)


def graded_target(grade: float, n_classes: int = 6) -> list[float]:
    """STS-B: a grade as a distribution over the two whole grades about it (utils.py).

    3.6 -> [0, 0, 0, 0.4, 0.6, 0]. Raises ValueError for a grade outside 0 to n_classes - 1.
    """
    n_classes = validate.check_int("n_classes", n_classes, 2)
    if not validate.is_finite(grade) or not 0 <= grade <= n_classes - 1:
        raise ValueError(f"grade {grade} is not in 0 to {n_classes - 1}")
    low = min(int(grade), n_classes - 2)
    target = [0.0] * n_classes
    target[low], target[low + 1] = low + 1 - grade, grade - low
    return target


def shuffled(data: list, size: int, shuffle: random.Random) -> list[list]:
    """Batches of examples in random order, to learn from; the last one may be smaller.

    The released code drops such a rest (138 updates on ROCStories, here 141): of few labels
    none is to spare. Not of similar length, which would save padding: length often goes with
    the pattern or the label of an example, and a batch should have several.
    """
    order = shuffle.sample(data, len(data))
    return [order[i : i + size] for i in range(0, len(order), size)]


def of_similar_length(data: Sequence[Encoded], size: int) -> list[list[int]]:
    """Indices of the items of `data` in batches with little padding, to predict with."""
    order = sorted(range(len(data)), key=lambda i: max(map(len, data[i].sequences)))
    return [order[i : i + size] for i in range(0, len(order), size)]


def pad(sequences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Sequences to one tensor: ids (N, T), padded with 0 on the right, and the mask (N, T).

    The mask is 1 on tokens and 0 on padding. Under the causal mask padding on the right
    changes nothing for the tokens; the mask of the loss leaves it out there, too.

    Example: [[5, 6, 7], [8]] -> ids [[5, 6, 7], [8, 0, 0]], mask [[1, 1, 1], [1, 0, 0]].
    """
    if not sequences or not all(sequences):
        raise ValueError("there is no sequence to pad, or one of them is empty")
    rows = [torch.as_tensor(sequence) for sequence in sequences]
    ids = pad_sequence(rows, batch_first=True)
    mask = pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True)
    return ids, mask


def collate(
    batch: Sequence[Encoded], device: torch.device | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A batch to ids (N, T), mask (N, T), extract_at (N,) and labels (B,) or (B, grades).

    device: where they go; by default they stay on the CPU.
    """
    ids, mask = pad([sequence for example in batch for sequence in example.sequences])
    extract_at = torch.tensor([i for example in batch for i in example.extract_at])
    labels = torch.tensor([example.label for example in batch])
    return ids.to(device), mask.to(device), extract_at.to(device), labels.to(device)


def fit_context(source: Checkpoint, task: Task) -> Checkpoint:
    """The source with no more context than the task's examples need, after train.py.

    There the context shrinks to the longest example. Here two texts may have half of the
    context each, so that it shrinks to twice the longest text. Either way every example
    stays as the whole context would have cut it.
    """
    if not isinstance(source.model, GPT):
        return source  # an LSTM has no positions to leave out
    examples = [*task.train, *task.valid, *task.test]
    data = prepare(source.bpe, task, examples, source.model.config.n_ctx)
    delimiter = inputs.Specials.after(source.bpe.n_vocab).delimiter
    n_ctx = max(needed_context(ids, delimiter) for example in data for ids in example.sequences)
    return replace(source, model=truncate_context(source.model, n_ctx))


def needed_context(ids: list[int], delimiter: int) -> int:
    """The smallest context in which the texts of a sequence are not cut again."""
    if delimiter not in ids:
        return len(ids)
    at = ids.index(delimiter)
    texts = ids[1:at], ids[at + 1 : -1]
    return 2 * (max(map(len, texts)) + 2)  # what `inputs.two_segments` leaves to each


def truncate_context(model: LanguageModel, n_ctx: int) -> LanguageModel:
    """The same model for at most n_ctx tokens: the later rows of W_p are left out."""
    if not 1 <= n_ctx <= model.config.n_ctx:
        raise ValueError(f"n_ctx is {n_ctx}, it must be in 1 to {model.config.n_ctx}")
    with fork_rng(0):  # its numbers are replaced
        shorter = type(model)(replace(model.config, n_ctx=n_ctx))
    state = model.state_dict()
    if "positions.weight" in state:  # not where positions are sinusoids
        state["positions.weight"] = state["positions.weight"][:n_ctx]
    shorter.load_state_dict(state)
    return shorter.train(model.training)

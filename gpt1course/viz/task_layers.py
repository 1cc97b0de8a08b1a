"""What fine-tuning adds to a model: a linear layer, and the rows of three special tokens.

"The only extra parameters we require during fine-tuning are W_y, and embeddings for delimiter
tokens" (section 3.2). The course has them for the novelist and a task of each kind, learned
while all of the novelist's own weights stayed as they were: tools/task_layers.py.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from gpt1lib import inputs
from gpt1lib.io import checksums, files
from gpt1lib.io.paths import CHECKPOINTS
from gpt1lib.io.tensors import read_tensors, weights_fingerprint, write_tensors

FOLDER = CHECKPOINTS / "task_layers"
WEIGHTS, FACTS = "layers.safetensors", "meta.json"
TENSORS = ("specials", "weight", "bias")


@dataclass(frozen=True)
class TaskLayer:
    """The linear layer of one kind of task, and the rows of its special tokens.

    n_out is the number of classes, or 1 where each choice gets a score. facts: the task, its
    classes, the number of labels and the scores on its test set; empty where nothing learned.
    """

    specials: Tensor  # (3, C): Start, Delimiter, Extract
    weight: Tensor  # (n_out, C)
    bias: Tensor  # (n_out,)
    facts: dict[str, Any] = field(default_factory=dict)

    def read(self, states: Tensor) -> Tensor:
        """Logits of states (N, C), in one row: (N * n_out,)."""
        return (states @ self.weight.T + self.bias).flatten()

    def numbers(self) -> Tensor:
        """All of it in one row: specials, weight, bias."""
        return torch.cat([getattr(self, name).flatten() for name in TENSORS])


def untrained(specials: Tensor, n_out: int) -> TaskLayer:
    """A layer that has learned nothing and guesses evenly: its weights are 0."""
    C = specials.shape[1]
    return TaskLayer(specials.detach(), torch.zeros(n_out, C), torch.zeros(n_out))


def save(folder: Path, layers: dict[str, TaskLayer], facts: dict[str, Any]) -> None:
    """Write the layers by kind, in 16 bits, and what is known about them.

    facts: `model`, the fingerprint of the weights that they were learned for.
    """
    tensors = {
        f"{kind}.{name}": getattr(layer, name).detach().half().contiguous()
        for kind, layer in layers.items()
        for name in TENSORS
    }
    write_tensors(folder / WEIGHTS, tensors)
    kinds = {kind: layer.facts for kind, layer in layers.items()}
    files.write_json(folder / FACTS, {"kinds": kinds, **facts})
    checksums.write_checksums(folder, WEIGHTS, FACTS)


def load(model: torch.nn.Module, folder: Path = FOLDER) -> dict[str, TaskLayer]:
    """The layers that were learned for this model, by kind; none for another model.

    Raises ValueError for a damaged file.
    """
    if not (folder / FACTS).is_file():
        return {}
    checksums.verify(folder, WEIGHTS, FACTS)
    facts = files.read_json(folder / FACTS)
    with files.blame_file(folder / FACTS):
        if facts["model"] != weights_fingerprint(model):
            return {}
        tensors, _ = read_tensors(folder / WEIGHTS)
        found = {}
        for kind, told in facts["kinds"].items():
            rows, weight, bias = (tensors[f"{kind}.{name}"].float() for name in TENSORS)
            found[kind] = TaskLayer(rows, weight, bias, told)
        return found


def of_classifier(classifier: Any, facts: dict[str, Any]) -> TaskLayer:
    """What a fine-tuned classifier has beside the weights of its model, in 16 bits."""
    rows = classifier.model.tokens.weight[-len(inputs.SPECIALS) :]
    learned = (rows, classifier.head.weight, classifier.head.bias)
    rows, weight, bias = (x.detach().half().float() for x in learned)
    return TaskLayer(rows, weight, bias, facts)

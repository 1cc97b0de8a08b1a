"""The project's own trainer on ids that need no books, for the parts that train."""

from dataclasses import replace
from types import SimpleNamespace

import torch

from gpt1lib import GPT1, TINY, GPTConfig, pretrain
from gpt1lib.fast.distributed import Processes
from gpt1lib.pretrain import Pretraining
from gpt1lib.pretrain.data import TrainingData

from .measure import Machine


def full_size(machine: Machine) -> GPTConfig:
    """GPT-1 itself, or a model that stands for it in a check of the benchmark."""
    return machine.size(GPT1, replace(TINY, n_layer=1))


def on_ids(recipe: pretrain.Recipe, machine: Machine, ids: torch.Tensor) -> Pretraining:
    """The trainer with a stream of ids for its books; it never writes a checkpoint."""
    bpe = SimpleNamespace(n_vocab=recipe.model.n_vocab)
    data = TrainingData({}, {}, bpe, ids.numpy(), ids)
    return Pretraining(recipe, data, machine.out, Processes(device=machine.device))


def random_ids(config: GPTConfig, n: int = 200_000) -> torch.Tensor:
    """A stream of random ids (n,)."""
    return torch.randint(config.n_vocab, (n,), generator=torch.Generator().manual_seed(0))

"""The project's own trainer on ids that need no books, for the parts that train."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import torch

from gpt1lib import GPT1, TINY, GPTConfig, pretrain
from gpt1lib.pretrain.distributed import Processes

from .measure import Machine


def full_size(machine: Machine) -> GPTConfig:
    """GPT-1 itself, or a model that stands for it in a check of the benchmark."""
    return machine.size(GPT1, replace(TINY, n_layer=1))


class OnGivenIds(pretrain.Pretraining):
    """The trainer with a stream of ids for its books; it never writes a checkpoint."""

    def __init__(self, recipe: pretrain.Recipe, machine: Machine, ids: torch.Tensor):
        self.given = ids
        super().__init__(recipe, machine.out, world=Processes(device=machine.device))

    def _read(self, books: str | Path, heldout: str | Path, bpe=None) -> None:
        self.books, self.heldout = {}, {}
        self.bpe = SimpleNamespace(n_vocab=self.recipe.model.n_vocab)
        self.ids = self.heldout_ids = self.given


def random_ids(config: GPTConfig, n: int = 200_000) -> torch.Tensor:
    """A stream of random ids (n,)."""
    return torch.randint(config.n_vocab, (n,), generator=torch.Generator().manual_seed(0))

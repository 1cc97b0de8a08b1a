"""A run of minutes: the trainer's updates, without what keeps a run of hours safe."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from gpt1lib import corpus, optim
from gpt1lib.bpe import BPE, END, build_encoder
from gpt1lib.checkpoints import load_novelist
from gpt1lib.config import GPTConfig
from gpt1lib.io.paths import HELDOUT_BOOKS, ROOT
from gpt1lib.model import LanguageModel
from gpt1lib.pretrain import RECIPES, Recipe, cache, scale_blocks
from gpt1lib.pretrain.muon import build_optimizers

N_MERGES = 2_000
"""A small table leaves more of a small model to its blocks."""
N_VOCAB = 2_120
"""Tokens of `small_vocabulary`: the merges, the alphabet within and at the end of words."""


def small_vocabulary() -> BPE:
    """The novelist's first 2,000 merges: what BPE learns from its books when it stops there."""
    learned = load_novelist().bpe
    alphabet = {c for c in learned.encoder if len(c) == 1 and c + END in learned.encoder}
    merges = learned.merges[:N_MERGES]
    return BPE(build_encoder(alphabet, merges), merges)


def training_tokens(bpe: BPE) -> np.ndarray:
    """The course's twelve books in this vocabulary: (N,), encoded once and kept in runs/."""
    books = corpus.read_books()
    place = cache.cache_dir(ROOT / "runs" / "after", books, N_MERGES, bpe)
    cache.make(place, books, N_MERGES, bpe)
    return cache.load(place)[1]


def heldout_tokens(bpe: BPE) -> tuple[Tensor, int]:
    """The three held-out books: ids (N,), and how many characters they have."""
    books = corpus.read_books(HELDOUT_BOOKS)
    return corpus.encode_books(books, bpe), sum(map(len, books.values()))


def recipe(model: GPTConfig, **more: Any) -> Recipe:
    """How a small model is trained: the quick recipe's optimizers, without its head starts.

    more: settings of a Recipe, such as steps.
    """
    plain = {"count_vectors": 0.0, "previous_token_heads": False, "matrix_momentum": 0.95}
    whole = {"warmup_ctx": 0, "warmup_ctx_share": 0.0}  # windows, from the first update
    quick = RECIPES["quick"]
    return replace(quick, model=model, n_merges=N_MERGES, **plain, **whole, **more)


def take_updates(
    model: LanguageModel,
    recipe: Recipe,
    loss_at: Callable[[int], Tensor],
    watch: Callable[[int, float], None],
) -> None:
    """Train a fresh model by the recipe's optimizers and rates, recipe.steps updates.

    loss_at: the loss of the update after so many. watch: is told updates done, and the loss.
    """
    scale_blocks(model, recipe.block_std)
    optimizers = build_optimizers(model, recipe)
    stepper = optim.Stepper(model, optimizers, recipe.lr_factor, recipe.grad_clip)

    def backward(step: int) -> float:
        loss = loss_at(step)
        loss.backward()
        return float(loss.detach())

    for step in range(recipe.steps):
        model.train()
        loss, _ = stepper.step(lambda step=step: backward(step))
        watch(step + 1, loss)


def drawn(ids: np.ndarray, length: int, n_tokens: int, seed: int) -> Tensor:
    """Random windows of one length that hold about n_tokens together."""
    generator = torch.Generator().manual_seed(seed)
    return corpus.random_windows(ids, length, max(1, n_tokens // length), generator)

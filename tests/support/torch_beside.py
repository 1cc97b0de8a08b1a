"""A run of the library's own training, beside one in the page: the same windows and rates."""

import numpy as np
import pytest
import torch

from gpt1lib import optim
from gpt1lib.corpus import read_books
from gpt1lib.io.paths import BOOKS
from gpt1lib.losses import lm_loss


def windows_of_emma(updates, batch, n_ctx, n_vocab=30):
    """(updates, batch, n_ctx) of 4,000 characters; 0 stands for the rarer ones."""
    text = next(iter(read_books(BOOKS / "austen_emma.txt").values()))[5000:9000]
    letters = sorted(set(text), key=lambda c: (text.count(c), c))[1 - n_vocab :]
    stream = np.array([letters.index(c) + 1 if c in letters else 0 for c in text])
    starts = np.random.default_rng(2).integers(0, len(stream) - n_ctx, (updates, batch, 1))
    return stream[starts + np.arange(n_ctx)]


def told_by_torch(model, windows, lr, warmup, total):
    """Losses and norms of a model's updates, one for each batch of windows."""
    stepper = optim.Stepper(
        model, [optim.adamw(model, lr)], lambda t: optim.warmup_cosine(t, warmup, total)
    )

    def backward(ids):
        loss = lm_loss(model(ids), ids)
        loss.backward()
        return loss.item()

    told = [stepper.step(lambda ids=ids: backward(ids)) for ids in torch.tensor(windows)]
    return zip(*told, strict=True)


def assert_same(told, losses, norms, near):
    """The page's updates have torch's losses and norms."""
    assert [x["loss"] for x in told] == pytest.approx(losses, abs=near)
    assert [x["norm"] for x in told] == pytest.approx(norms, rel=max(near, 1e-3))

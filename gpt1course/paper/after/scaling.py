"""Loss over size: models of five sizes on three amounts of text.

After Kaplan et al. 2020, with three of their conditions broken, because this runs in an hour: a
fixed number of updates in place of training to the end, one seed, and books too few.
"""

import itertools
from dataclasses import asdict

import numpy as np
import torch
from torch import Tensor

from gpt1lib import evaluate
from gpt1lib import losses as objectives
from gpt1lib.config import GPTConfig
from gpt1lib.fast.loss import chunked_lm_loss
from gpt1lib.model import GPT, LanguageModel
from gpt1lib.pretrain import Recipe
from gpt1lib.rng import fork_rng

from ..results import stored_lines
from ..run import not_stored, run_missing
from ..trials import Trial
from . import short_run
from .short_run import (
    N_VOCAB,
    drawn,
    heldout_tokens,
    small_vocabulary,
    take_updates,
    training_tokens,
)

SHAPES = ((2, 32), (2, 56), (3, 80), (4, 112), (4, 176))
"""Blocks and width of each size; all have 4 heads."""
ONE_IN = (1, 16, 128)
"""Amounts of text: all blocks of BLOCK tokens, every 16th, every 128th."""
BLOCK = 4096
N_CTX, WINDOW_TOKENS, UPDATES = 128, 1024, 700
EVALUATIONS, SCORED_WINDOWS = 10, 64


def trials() -> list[Trial]:
    """What is run: all sizes on all the text, and all but the largest on less of it."""
    less = [(shape, n) for n, shape in itertools.product(ONE_IN[1:], SHAPES[:-1])]
    return [
        Trial.of("scaling", shape=shape, one_in=n, seed=0)
        for shape, n in [*((shape, 1) for shape in SHAPES), *less]
    ]


def size_recipe(shape: tuple[int, int], seed: int = 0) -> Recipe:
    """How one size is trained: the quick recipe's optimizers and rates for all."""
    n_layer, C = shape
    model = GPTConfig(N_VOCAB, N_CTX, n_layer, 4, C, dropout=0.0)
    length = {"steps": UPDATES, "warmup": UPDATES // 20, "batch": WINDOW_TOKENS // N_CTX}
    return short_run.recipe(model, **length, block_std=0.04 * (256 / C) ** 0.5, seed=seed)


def block_parameters(model: LanguageModel) -> int:
    """N, without the embeddings: what the law counts."""
    return sum(p.numel() for p in model.blocks.parameters())


def every_block(ids: np.ndarray | Tensor, one_in: int, start: int = 0) -> np.ndarray:
    """Every so many blocks of BLOCK tokens, one after the other: (n,)."""
    pieces = [ids[i : i + BLOCK] for i in range(start * BLOCK, len(ids), one_in * BLOCK)]
    return np.concatenate([np.asarray(piece) for piece in pieces])


class Watch:
    """Scores a model along its run, and keeps the state that was best on half of the text.

    The other half then says how good that state is: nobody chose by it.
    """

    def __init__(self, model: GPT, heldout: Tensor, updates: int):
        self.model, self.every = model, updates // EVALUATIONS
        halves = (every_block(heldout, 2, start) for start in (0, 1))
        self.choose, self.report = (torch.from_numpy(half) for half in halves)
        self.best, self.at, self.state = float("inf"), 0, {}

    def __call__(self, done: int, loss: float) -> None:
        """Score after every tenth of the run."""
        if done % self.every:
            return
        score = self.nats(self.choose)
        if score < self.best:
            state = self.model.state_dict()
            self.best, self.at = score, done
            self.state = {name: tensor.clone() for name, tensor in state.items()}

    def nats(self, ids: Tensor, n_windows: int = SCORED_WINDOWS) -> float:
        """Mean loss of the model as it is now, in windows evenly spaced."""
        return evaluate.heldout_nats(self.model, ids, n_windows)

    def verdict(self) -> dict:
        """Nats per token of the best state, and of the last, on the half that reports."""
        last = self.nats(self.report, 4 * SCORED_WINDOWS)
        self.model.load_state_dict(self.state)
        best = self.nats(self.report, 4 * SCORED_WINDOWS)
        return {"nats": round(best, 4), "best_at": self.at, "last_nats": round(last, 4)}


def run_size(trial: Trial, ids: np.ndarray, heldout: Tensor, characters: int) -> dict:
    """Train one model on its share of ids, and score it on the held-out text."""
    seed = trial["seed"]
    recipe, text = size_recipe(trial["shape"], seed), every_block(ids, trial["one_in"])
    with fork_rng(seed):
        model = GPT(recipe.model)
    watch = Watch(model, heldout, recipe.steps)

    def loss_at(step: int) -> Tensor:
        windows = drawn(text, N_CTX, WINDOW_TOKENS, 100_000 * seed + step)
        h = model.hidden(windows)[:, :-1]
        return chunked_lm_loss(h, model.output_matrix, windows[:, 1:])

    take_updates(model, recipe, loss_at, watch)
    scores = watch.verdict()
    bits = objectives.bits_per_character(scores["nats"] * len(heldout), characters)
    sizes = {"parameters": block_parameters(model), "text": len(text)}
    return {
        **sizes,
        "tokens_read": recipe.steps * WINDOW_TOKENS,
        **scores,
        "bits_per_character": round(bits, 4),
        "recipe": asdict(recipe),
    }


def run_scaling(provenance: dict) -> None:
    """Train all sizes that are not stored yet."""
    if not not_stored(trials()):
        return
    bpe = small_vocabulary()
    ids, (heldout, characters) = training_tokens(bpe), heldout_tokens(bpe)
    run_missing(trials(), lambda t: run_size(t, ids, heldout, characters), provenance)


# ---- what is stored -------------------------------------------


def sweep_points(one_in: int = 1) -> list[tuple[int, float]]:
    """(N, nats per token) of each stored size that read one in so many blocks, N ascending."""
    lines = [x for x in stored_lines("scaling") if x["one_in"] == one_in and x["seed"] == 0]
    return sorted((line["parameters"], line["nats"]) for line in lines)

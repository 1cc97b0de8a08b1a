"""Twins, a causal and a masked model, which differ in what a token may see.

They have their sizes, their first numbers, the windows of text and the number of updates in
common. One is trained as ours, where every token but the first is a target; the other as
BERT, where 15% are.
"""

from dataclasses import asdict

import torch
from torch import Tensor
from tqdm import tqdm

from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint
from gpt1lib.checkpoints.quantize import dequantize_matrices, quantize_matrices
from gpt1lib.config import GPTConfig
from gpt1lib.fast.loss import chunked_lm_loss
from gpt1lib.io import checksums
from gpt1lib.io.paths import CHECKPOINTS
from gpt1lib.io.tensors import read_tensors, write_tensors
from gpt1lib.model import GPT
from gpt1lib.pretrain import Recipe
from gpt1lib.rng import fork_rng

from ..run import run_missing
from ..trials import Trial
from . import short_run
from .masked import MaskedGPT, mask_tokens, masked_loss
from .short_run import N_VOCAB, drawn, small_vocabulary, take_updates, training_tokens

TWINS_DIR = CHECKPOINTS / "twins"
KINDS = {"causal": GPT, "masked": MaskedGPT}
SIZES = GPTConfig(N_VOCAB + 1, n_ctx=32, n_layer=3, n_head=4, n_embd=64, dropout=0.0)
"""All tokens and [MASK], which the causal model never meets."""
LENGTHS, WINDOW_TOKENS = (16, 32), 1024
"""Updates take turns: 64 windows of 16 tokens, then 32 of 32."""
POSITION_STD = 0.2
"""Ten times GPT-1's: who may look anywhere learns nothing before it knows where it looks."""
LOG_EVERY = 250
SCALE = " step"
"""After the name of a stored matrix, that of its scales."""


def twin_recipe() -> Recipe:
    """How both are trained: the quick recipe's optimizers, 10,000 updates."""
    return short_run.recipe(SIZES, batch=32, steps=10_000, warmup=500, block_std=0.08)


def fresh_twin(kind: str) -> GPT:
    """A twin before its first update; both kinds begin with the same numbers."""
    with fork_rng(0):
        model = KINDS[kind](SIZES)
    with torch.no_grad():
        model.positions.weight.mul_(POSITION_STD / model.positions.weight.std())
    return model


def loss_of(kind: str, model: GPT, windows: Tensor) -> Tensor:
    """What trains a twin on windows (B, T): all next tokens, or 15% of the tokens."""
    if isinstance(model, MaskedGPT):
        return masked_loss(model, *mask_tokens(windows, model.mask_id))
    h = model.hidden(windows)[:, :-1]  # the last state has no target
    return chunked_lm_loss(h, model.output_matrix, windows[:, 1:])


def run_twins(provenance: dict) -> None:
    """Train both twins."""
    trials = [Trial.of("twins", kind=kind, seed=0) for kind in KINDS]
    run_missing(trials, train_twin, provenance)


def train_twin(trial: Trial) -> dict:
    """Train one of them and store its weights; its recipe, and how its loss fell."""
    kind, bpe = trial["kind"], small_vocabulary()
    ids, model, recipe = training_tokens(bpe), fresh_twin(kind), twin_recipe()
    curve, losses = [], []

    def loss_at(step: int) -> Tensor:
        windows = drawn(ids, LENGTHS[step % len(LENGTHS)], WINDOW_TOKENS, step)
        with fork_rng(step):
            return loss_of(kind, model, windows)

    def watch(updates: int, loss: float) -> None:
        losses.append(loss)
        if updates % LOG_EVERY == 0:
            curve.append([updates, round(sum(losses) / len(losses), 4)])
            losses.clear()
        bar.update()

    with tqdm(total=recipe.steps, desc=kind) as bar:
        take_updates(model, recipe, loss_at, watch)
    store_weights(kind, model)
    sizes = {"parameters": model.count_parameters()}
    return {**sizes, "recipe": asdict(recipe), "curve": curve}


# ---- on disk: 8 bits per weight, half of what checkpoints take -------------------------


def store_weights(kind: str, model: GPT) -> None:
    """Write a twin's weights, whole or not at all."""
    stored = quantize_matrices(model.state_dict(), SCALE)
    write_tensors(TWINS_DIR / f"{kind}.safetensors", stored)
    checksums.write_checksums(TWINS_DIR, f"{kind}.safetensors")


def load_twins() -> tuple[GPT, MaskedGPT, BPE]:
    """(causal, masked, vocabulary) as stored. Raises ValueError for a damaged file."""
    models: list = []
    for kind, build in KINDS.items():
        path = TWINS_DIR / f"{kind}.safetensors"
        checksums.verify(TWINS_DIR, path.name)
        with fork_rng(0):
            model = build(SIZES)
        checkpoint.fill(path, model, dequantize_matrices(read_tensors(path)[0], SCALE))
        models.append(model.eval())
    causal, masked = models
    return causal, masked, small_vocabulary()

"""Held-out bits per character after minutes of training on two cores.

    python benchmarks/quality_for_time.py nanogpt --minutes 20
    python benchmarks/quality_for_time.py nanogpt --minutes 20 --beta2 0.99 --seed 1
    python benchmarks/quality_for_time.py ours --minutes 5 --day "2026-11-27, evening"

`ours` is the recipe "quick" with as many updates as fit the time; `nanogpt` a model of
the same sizes on the same tokens with the settings that nanoGPT publishes: GELU by erf,
pre-LayerNorm, no biases, AdamW with 0.9 and 0.95 (its small example has 0.99, --beta2),
weight decay 0.1, 12 windows, lr 1e-3 with a cosine decay to a tenth. Only training counts
as time. Bits per character are of the three held-out books, all of them, so the tokenizer
does not matter. Each run is added to the stored ones, with its day: runs are comparable
when the same machine made them at the same speed. Where that changed within a day, --day
keeps them apart.
"""

import argparse
import json
import math
import statistics
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

import torch
import torch.nn.functional as F
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks.shared

from benchmarks.shared.by_clock import Clock, add_run, heldout_bits
from gpt1lib import NOVELIST, corpus, optim, pretrain
from gpt1lib.bpe import BPE
from gpt1lib.fast import keep_memory
from gpt1lib.io.paths import BENCHMARKS, BOOKS, HELDOUT_BOOKS, NOVELIST_DIR
from gpt1lib.io.provenance import provenance
from gpt1lib.model import Attention

RUNS = BENCHMARKS / "quality_for_time.json"
BATCH = 12  # nanoGPT's README, "I only have a macbook"


class NanoGPTBlock(nn.Module):
    """nanoGPT's block: x + attention(LN(x)), then x + mlp(LN(x)), and no biases."""

    def __init__(self, config):
        super().__init__()
        C = config.n_embd
        self.attention = Attention(config)
        self.attention.qkv = nn.Linear(C, 3 * C, bias=False)
        self.attention.project = nn.Linear(C, C, bias=False)
        self.ln_1, self.ln_2 = nn.LayerNorm(C, bias=False), nn.LayerNorm(C, bias=False)
        self.expand = nn.Linear(C, 4 * C, bias=False)
        self.shrink = nn.Linear(4 * C, C, bias=False)

    def forward(self, x):
        x = x + self.attention(self.ln_1(x))
        return x + self.shrink(F.gelu(self.expand(self.ln_2(x))))


class NanoGPT(nn.Module):
    """A GPT-2 of the same sizes, initialized as nanoGPT does."""

    def __init__(self, config):
        super().__init__()
        self.config = config
        self.tokens = nn.Embedding(config.n_vocab, config.n_embd)
        self.positions = nn.Embedding(config.n_ctx, config.n_embd)
        self.blocks = nn.ModuleList(NanoGPTBlock(config) for _ in range(config.n_layer))
        self.ln = nn.LayerNorm(config.n_embd, bias=False)
        for name, p in self.named_parameters():
            if p.dim() > 1:
                last = name.endswith(("project.weight", "shrink.weight"))
                scale = math.sqrt(2 * config.n_layer) if last else 1
                nn.init.normal_(p, std=0.02 / scale)

    @property
    def device(self):
        """The device that its parameters are on, which the library asks a model for."""
        return self.tokens.weight.device

    def forward(self, ids):
        h = self.tokens(ids) + self.positions.weight[: ids.shape[1]]
        for block in self.blocks:
            h = block(h)
        return self.ln(h) @ self.tokens.weight.T


def train_nanogpt(minutes: float, seed: int, beta2: float):
    """Train by nanoGPT's settings, the cosine by the clock: model, seconds, tokens."""
    torch.manual_seed(seed)
    config = replace(NOVELIST, n_vocab=BPE.load(NOVELIST_DIR).n_vocab)
    ids = corpus.encode_books(corpus.read_books(BOOKS), BPE.load(NOVELIST_DIR))
    model, generator = NanoGPT(config).train(), torch.Generator().manual_seed(seed)
    optimizer = optim.adamw(model, 1e-3, (0.9, beta2), weight_decay=0.1)
    clock = Clock(60 * minutes)
    for share in clock:
        lr = 1e-4 + 9e-4 * (1 + math.cos(math.pi * share)) / 2
        step = clock.updates
        optim.set_lr(optimizer, lr if step >= 100 else 1e-3 * (step + 1) / 101)
        windows = corpus.random_windows(ids, config.n_ctx + 1, BATCH, generator)
        logits = model(windows[:, :-1]).flatten(0, 1)
        loss = F.cross_entropy(logits, windows[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optim.clip_gradients(model)
        optimizer.step()
    return model, clock.seconds, clock.updates * BATCH * config.n_ctx


def train_ours(minutes: float, seed: int):
    """Train by the recipe for minutes, with the updates that fit by a short trial."""
    recipe = replace(pretrain.RECIPES["quick"], seed=seed)
    with tempfile.TemporaryDirectory() as folder:
        trial = pretrain.Pretraining.from_books(recipe, folder)
        left = minutes - trial.seconds / 60  # counting what stands near what takes time, too
        trial.train_step()
        speeds = [speed_at(trial, step) for step in (0, recipe.steps - 1)]
        run = pretrain.Pretraining.from_books(fitted(recipe, left, speeds), folder)
        run.run()
    return run.model, run.seconds, run.seen


def fitted(recipe: pretrain.Recipe, minutes: float, speeds: list[float]) -> pretrain.Recipe:
    """The recipe with as many updates as fit the time.

    speeds: tokens per second with the short windows of its first part, and after them.
    """
    short = recipe.warmup_ctx_share
    seconds_per_update = sum(
        share * recipe.batch * recipe.model.n_ctx / speed
        for share, speed in zip((short, 1 - short), speeds, strict=True)
    )
    steps = int(60 * minutes / seconds_per_update)
    return pretrain.merged(recipe, {"steps": steps, "warmup": steps // 20})


def speed_at(run: pretrain.Pretraining, step: int) -> float:
    """Tokens per second in the updates after a step: of forty, the slow ones with the fast."""
    speeds = []
    for _ in range(45):
        run.step = step
        speeds.append(run.train_step()["tokens_per_s"])
    return statistics.harmonic_mean(speeds[5:])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("who", choices=["ours", "nanogpt"])
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--beta2", type=float, help="of nanogpt's Adam (0.95)")
    parser.add_argument(
        "--day", default=time.strftime("%Y-%m-%d"), help="a name of the runs to be compared"
    )
    args = parser.parse_args()
    if args.who == "ours" and args.beta2 is not None:
        parser.error("--beta2 is of nanogpt; ours has the recipe's")
    keep_memory()  # for both: a setting of the process, not of a recipe
    beta2 = 0.95 if args.beta2 is None else args.beta2
    origin = provenance()  # the commit may move on while it runs
    if args.who == "ours":
        model, seconds, tokens = train_ours(args.minutes, args.seed)
    else:
        model, seconds, tokens = train_nanogpt(args.minutes, args.seed, beta2)
    books = corpus.read_books(HELDOUT_BOOKS)
    result = {
        "who": args.who,
        "minutes": args.minutes,
        "seed": args.seed,
        **({"beta2": beta2} if args.who == "nanogpt" else {}),
        "seconds": round(seconds),
        "tokens": tokens,
        "parameters": sum(p.numel() for p in model.parameters()),
        **heldout_bits(model, BPE.load(NOVELIST_DIR), books),
        "day": args.day,
        **origin,
    }
    print(json.dumps(result, indent=1))
    add_run(RUNS, result)


if __name__ == "__main__":
    main()

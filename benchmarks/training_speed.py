"""Training tokens/s beside transformers' OpenAIGPTLMHeadModel, interleaved.

    python benchmarks/training_speed.py [--size novelist] [--rounds 8] [--seconds 2]

Each as its own users run it, in a process of its own: ours as `gpt1lib.pretrain` does a
step, theirs with labels, torch's AdamW and clipping. Same sizes, batch, windows and
dropout. The two take turns; a large matrix product in between gives the machine's own
peak. Prints medians, and the median of the ratios of neighboring turns.
"""

import argparse
import multiprocessing
import statistics
import time
from dataclasses import replace
from types import SimpleNamespace

import torch

from gpt1lib import GPT, GPT1, NOVELIST, TINY, optim, pretrain
from gpt1lib.fast import keep_memory
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS
from gpt1lib.io.provenance import provenance

SIZES = {
    "tiny": (
        replace(TINY, n_layer=4, n_head=4, n_embd=128, n_vocab=4096, n_ctx=128, dropout=0.0),
        8,
    ),
    "novelist": (NOVELIST, 8),
    "full": (replace(GPT1, dropout=0.0), 2),
}


def ours(config):
    """One step of our trainer, as a function of ids."""
    keep_memory()
    model = GPT(config).train()
    objective = pretrain.Objective(model, chunked=True)
    stepper = optim.Stepper(model, [optim.adamw(model, lr=1e-3)], lambda step: 1.0)
    return lambda ids: stepper.step(lambda: objective(ids).backward())


def peer(config, **options):
    """transformers' model in our sizes; it is imported only where it is measured."""
    from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

    sizes = {
        "vocab_size": config.n_vocab,
        "n_positions": config.n_ctx,
        "n_embd": config.n_embd,
        "n_layer": config.n_layer,
        "n_head": config.n_head,
    }
    return OpenAIGPTLMHeadModel(OpenAIGPTConfig(**sizes, **options))


def update_of(model, loss_of, lr):
    """One update as transformers' users write it, as a function of ids."""
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)

    def step(ids):
        loss = loss_of(ids)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def theirs(config):
    """One step of transformers' model, as a function of ids."""
    rate = config.dropout
    model = peer(config, resid_pdrop=rate, embd_pdrop=rate, attn_pdrop=rate).train()
    return update_of(model, lambda ids: model(ids, labels=ids).loss, lr=1e-3)


def peak(config):
    """GFLOP/s of a large matrix product: the scale, as a `step` of no model."""
    a, b = torch.randn(1024, 1024), torch.randn(1024, 1024)
    return lambda ids: [a @ b for _ in range(10)]


def contestant(make, config, batch, ears, mouth):
    """Wait for a number of seconds, work that long, say how many steps per second."""
    torch.manual_seed(0)
    step = make(config)
    ids = torch.randint(config.n_vocab, (batch, config.n_ctx))
    step(ids)
    while (seconds := ears.get()) is not None:
        start, n = time.perf_counter(), 0
        while time.perf_counter() - start < seconds:
            step(ids)
            n += 1
        mouth.put(n / (time.perf_counter() - start))


def start(make, config, batch):
    """A contestant in a process of its own."""
    context = multiprocessing.get_context("spawn")
    one = SimpleNamespace(ears=context.Queue(), mouth=context.Queue(), rates=[])
    args = (make, config, batch, one.ears, one.mouth)
    context.Process(target=contestant, args=args, daemon=True).start()
    return one


def flops_per_token(config) -> float:
    """Matrix products, forward and backward; attention by its causal half."""
    c = config
    weights = 12 * c.n_layer * c.n_embd**2 + c.n_vocab * c.n_embd
    return 6 * weights + 6 * c.n_layer * c.n_embd * c.n_ctx


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="novelist")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one turn")
    parser.add_argument("--dropout", type=float, default=0.0, help="for both")
    args = parser.parse_args()
    config, batch = SIZES[args.size]
    config = replace(config, dropout=args.dropout)
    contestants = [start(make, config, batch) for make in (ours, theirs, peak)]
    for i in range(args.rounds + 1):
        for one in contestants:
            one.ears.put(args.seconds)
            rate = one.mouth.get()
            if i:  # the first round warms up
                one.rates.append(rate)
    for one in contestants:
        one.ears.put(None)
    result = summary(config, batch, *(one.rates for one in contestants))
    print(
        "{size}, dropout {dropout}: ours {ours:,} tokens/s, transformers {theirs:,}, "
        "ours / theirs {ratio:.2f} ({lowest:.2f} to {highest:.2f}); ours at "
        "{share_of_peak:.0%} of the {peak_gflops:,} GFLOP/s of a large matrix "
        "product".format(size=args.size, dropout=args.dropout, **result)
    )
    write_json(BENCHMARKS / f"training_{args.size}.json", result | provenance())


def summary(config, batch: int, ours: list, theirs: list, peak: list) -> dict:
    """Medians, and the ratios of neighboring turns, from turns in steps per second."""
    a, b, top = (statistics.median(rates) for rates in (ours, theirs, peak))
    ratios = [x / y for x, y in zip(ours, theirs, strict=True)]
    n_tokens, gflops = batch * config.n_ctx, top * 10 * 2 * 1024**3 / 1e9
    share = a * n_tokens * flops_per_token(config) / 1e9 / gflops
    return {
        "ours": round(a * n_tokens),
        "theirs": round(b * n_tokens),
        "ratio": round(statistics.median(ratios), 3),
        "lowest": round(min(ratios), 3),
        "highest": round(max(ratios), 3),
        "share_of_peak": round(share, 3),
        "peak_gflops": round(gflops),
    }


if __name__ == "__main__":
    main()

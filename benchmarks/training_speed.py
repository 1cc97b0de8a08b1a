"""Training tokens/s beside transformers' OpenAIGPTLMHeadModel, interleaved.

    python benchmarks/training_speed.py [--size novelist] [--rounds 8] [--steps 3]

Each as its own users run it: ours as `gpt1lib.pretrain` does a step, theirs with
labels, torch's AdamW and clipping. Same sizes, batch, windows and dropout. Prints the
medians and the median of the ratios of neighboring rounds.
"""

import argparse
import statistics
import time
from dataclasses import replace

import torch
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

from gpt1lib import GPT, NOVELIST, TINY, objectives, optim, pretrain

SIZES = {"tiny": (replace(TINY, n_layer=4, n_head=4, n_embd=128, n_vocab=4096,
                          n_ctx=128), 8),
         "novelist": (NOVELIST, 8)}  # fmt: skip


def ours(config, batch):
    """One step of our trainer, as a function of ids."""
    model = GPT(config).train()
    optimizer = optim.adamw(model, lr=1e-3)

    def step(ids):
        loss = objectives.lm_loss(model(ids), ids)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optim.clip_gradients(model)
        optimizer.step()

    return step


def theirs(config, batch):
    """One step of transformers' model, as a function of ids."""
    rate = config.dropout
    model = OpenAIGPTLMHeadModel(
        OpenAIGPTConfig(vocab_size=config.n_vocab, n_positions=config.n_ctx,
                        n_embd=config.n_embd, n_layer=config.n_layer,
                        n_head=config.n_head, resid_pdrop=rate, embd_pdrop=rate,
                        attn_pdrop=rate)
    ).train()  # fmt: skip
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

    def step(ids):
        loss = model(ids, labels=ids).loss
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step


def speed(step, config, batch, steps) -> float:
    """Tokens a second over some steps."""
    ids = torch.randint(config.n_vocab, (steps, batch, config.n_ctx))
    start = time.perf_counter()
    for batch_ids in ids:
        step(batch_ids)
    return ids.numel() / (time.perf_counter() - start)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=SIZES, default="novelist")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--steps", type=int, default=3)
    parser.add_argument("--keep-memory", action="store_true",
                        help="the trainer's allocator setting, for both")  # fmt: skip
    args = parser.parse_args()
    if args.keep_memory:
        pretrain.keep_memory()
    config, batch = SIZES[args.size]
    a, b = ours(config, batch), theirs(config, batch)
    a_speeds, b_speeds = [], []
    for i in range(args.rounds + 1):
        pair = [speed(step, config, batch, args.steps) for step in (a, b)]
        if i:  # the first round warms up
            a_speeds.append(pair[0])
            b_speeds.append(pair[1])
    ratios = [x / y for x, y in zip(a_speeds, b_speeds, strict=True)]
    print(f"{args.size}: ours {statistics.median(a_speeds):,.0f} tokens/s, "
          f"transformers {statistics.median(b_speeds):,.0f}, "
          f"ours / theirs {statistics.median(ratios):.2f} "
          f"({min(ratios):.2f} to {max(ratios):.2f})")  # fmt: skip


if __name__ == "__main__":
    main()

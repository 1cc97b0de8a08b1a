"""Short trials of recipes for the novelist, scored on text that none of them reads.

    python benchmarks/recipe_trials.py --batch 4 --lr 1e-3 --block-std 0.04

Trains on the first 96 % of each of the twelve books and scores 100 windows of the rest,
so that the held-out books stay untouched by the choice. Each trial is added to
data/results/recipe_trials.json, with its command.
"""

import argparse
import json
import shlex
import sys
from dataclasses import replace

import torch
from tqdm import tqdm

from gpt1lib import GPT, NOVELIST, corpus, optim, pretrain, runs
from gpt1lib.bpe import BPE
from gpt1lib.files import write_json
from gpt1lib.paths import BOOKS, NOVELIST_DIR, RESULTS

STORED = RESULTS / "recipe_trials.json"


def split_books(bpe: BPE, share: float = 0.96) -> tuple[torch.Tensor, torch.Tensor]:
    """The first part of every book to train on, the rest to score on."""
    train, rest = [], []
    for text in corpus.read_books(BOOKS).values():
        ids = bpe.encode(text)
        cut = int(len(ids) * share)
        train += ids[:cut]
        rest += ids[cut:]
    return torch.tensor(train), torch.tensor(rest)


def trial(args, train: torch.Tensor) -> tuple[GPT, list[float]]:
    """Train a novelist for args.tokens; the schedule follows the tokens read."""
    torch.manual_seed(args.seed)
    model = GPT(replace(NOVELIST, dropout=args.dropout)).train()
    pretrain.scale_blocks(model, args.block_std)
    objective = pretrain.Objective(model, chunked=True)
    optimizer = optim.adamw(model, args.lr, (0.9, args.beta2))
    draws, seen, losses = torch.Generator().manual_seed(args.seed), 0, []
    with tqdm(total=args.tokens, unit="token") as bar:
        while seen < args.tokens:
            optim.set_lr(optimizer, args.lr * rate(seen / args.tokens, args.warmup))
            ids = corpus.random_windows(train, NOVELIST.n_ctx, args.batch, draws)
            optimizer.zero_grad(set_to_none=True)
            loss = objective(ids)
            loss.backward()
            optim.clip_gradients(model)
            optimizer.step()
            seen += ids.numel()
            losses.append(loss.item())
            bar.update(ids.numel())
    return model, losses


def rate(share: float, warmup: float) -> float:
    """GPT-1's schedule, by the share of the tokens read."""
    if share < warmup:
        return share / warmup + 1e-3
    return optim.warmup_cosine(round(share * 1e6), 0, 10**6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tokens", type=int, default=500_000)
    parser.add_argument("--batch", type=int, default=8)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--warmup", type=float, default=0.2, help="share of the run")
    parser.add_argument("--block-std", type=float, default=0.02)
    parser.add_argument("--beta2", type=float, default=0.99)
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    runs.keep_memory()
    train, rest = split_books(BPE.load(NOVELIST_DIR))
    model, losses = trial(args, train)
    n = max(1, len(losses) // 16)
    curve = [round(sum(losses[i : i + n]) / n, 2) for i in range(0, n * 16, n)]
    found = {"command": shlex.join(["python", *sys.argv]), **vars(args),
             "updates": len(losses), "curve": curve,
             "nats_per_token": round(pretrain.heldout_nats(model, rest, 100), 4),
             "commit": runs.git_commit()}  # fmt: skip
    print(json.dumps(found))
    stored = json.loads(STORED.read_text()) if STORED.exists() else []
    others = [x for x in stored if x["command"] != found["command"]]
    write_json(STORED, [*others, found])


if __name__ == "__main__":
    main()

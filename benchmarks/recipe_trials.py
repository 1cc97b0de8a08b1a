"""Short trials of recipes on one core, scored on text that none of them reads.

    python benchmarks/recipe_trials.py --matrix-lr 5e-3 --lr 4e-3
    python benchmarks/recipe_trials.py --lr 1e-3 --n-merges 4000
    python benchmarks/recipe_trials.py --kind lstm --updates 800 --lr 2e-3

Each trial has the same processor time, so that a costly step must earn its cost, or with
--updates the same number of updates, where only rates are compared. It
learns its tokenizer, trains on the first 96% of each of the twelve books and is scored
on the next 16,000 characters of each, in bits per character: the held-out books stay
untouched by the choice. Trials are added to data/results/benchmarks/recipe_trials.json.
"""

import argparse
import itertools
import json
import math
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # benchmarks.shared

from benchmarks.shared import by_clock
from gpt1lib import corpus, evaluate
from gpt1lib import losses as objectives
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import kinds
from gpt1lib.fast import keep_memory
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import BENCHMARKS, BOOKS
from gpt1lib.io.provenance import provenance
from gpt1lib.pretrain.config import RECIPES

STORED = BENCHMARKS / "recipe_trials.json"


def split_books(n_merges: int) -> tuple[BPE, torch.Tensor, list[torch.Tensor], int]:
    """Tokenizer, ids to train on, texts to score on, and the characters of these."""
    books = corpus.read_books(BOOKS).values()
    bpe, train, rest, n_characters = BPE.learn(books, n_merges), [], [], 0
    for text in books:
        cut = int(len(text) * 0.96)
        train += bpe.encode(text[:cut])
        scored = text[cut : cut + 16_000]
        rest.append(torch.tensor(bpe.encode(scored)))
        n_characters += len(scored)
    return bpe, torch.tensor(train), rest, n_characters


def trial(recipe, ids: torch.Tensor, seconds: float, updates: int | None = None):
    """Train for seconds of processor time, or for some updates: model, losses.

    The schedule follows the share of the time or of the updates.
    """
    if updates is not None:
        done = by_clock.train(recipe, ids, updates, itertools.count().__next__)
    else:
        done = by_clock.train(recipe, ids, seconds, time.process_time)
    return done.model, done.losses


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    base = RECIPES["novelist"]
    parser.add_argument("--seconds", type=float, default=300, help="processor time")
    parser.add_argument("--updates", type=int, help="in place of a time")
    parser.add_argument("--kind", choices=kinds.MODEL_KINDS, default=base.kind)
    parser.add_argument("--n-merges", type=int, default=base.n_merges)
    parser.add_argument("--warmup-ctx", type=int, default=0)
    parser.add_argument("--warmup-ctx-share", type=float, default=0.0)
    parser.add_argument("--batch", type=int, default=base.batch)
    parser.add_argument("--lr", type=float, default=base.lr)
    parser.add_argument("--matrix-lr", type=float, default=0.0)
    parser.add_argument("--warmup", type=float, default=0.05, help="share of the run")
    parser.add_argument("--warmdown", type=float, default=0.0)
    parser.add_argument("--block-std", type=float, default=base.block_std)
    parser.add_argument("--dropout", type=float, default=base.model.dropout)
    parser.add_argument("--count-vectors", type=float, default=0.0, help="their length")
    parser.add_argument("--previous-token-heads", action="store_true")
    parser.add_argument("--even-windows", action="store_true", help="cover the books evenly")
    parser.add_argument("--matrix-momentum", type=float, default=base.matrix_momentum)
    parser.add_argument("--weight-decay", type=float, default=base.weight_decay)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.set_num_threads(1)
    keep_memory()
    bpe, ids, rest, n_characters = split_books(args.n_merges)
    sizes = replace(base.model, n_vocab=bpe.n_vocab, dropout=args.dropout)
    recipe = replace(
        base,
        model=sizes,
        kind=args.kind,
        batch=args.batch,
        lr=args.lr,
        matrix_lr=args.matrix_lr,
        warmdown=args.warmdown,
        seed=args.seed,
        warmup_ctx=args.warmup_ctx,
        warmup_ctx_share=args.warmup_ctx_share,
        block_std=args.block_std,
        count_vectors=args.count_vectors,
        matrix_momentum=args.matrix_momentum,
        even_windows=args.even_windows,
        previous_token_heads=args.previous_token_heads,
        weight_decay=args.weight_decay,
        steps=by_clock.WHOLE,
        warmup=round(args.warmup * by_clock.WHOLE),
    )
    model, losses = trial(recipe, ids, args.seconds, args.updates)
    nats = sum(evaluate.heldout_nats(model, x) * (len(x) - 1) for x in rest)
    bits = objectives.bits_per_character(nats, n_characters)
    n = math.ceil(len(losses) / 12)
    parts = (losses[i : i + n] for i in range(0, len(losses), n))
    curve = [round(sum(part) / len(part), 2) for part in parts]
    result = {
        **provenance(),
        **vars(args),
        "seconds": args.seconds if args.updates is None else None,
        "updates": len(losses),
        "curve": curve,
        "bits_per_character": round(bits, 4),
    }
    print(json.dumps(result))
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    others = [x for x in stored if x["command"] != result["command"]]
    write_json(STORED, [*others, result])


if __name__ == "__main__":
    main()

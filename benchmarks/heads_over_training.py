"""What every head looks at while a model is pre-trained: the patterns of one run.

    python benchmarks/heads_over_training.py

A run by the recipe `quick`, half as wide as the novelist and with its tokenizer, about five
minutes on one core. At the start and after 1, 2, 4, ... 1,024 updates the attention weights of
all heads on ten sentences are kept, in steps of 1/255. They and the loss of every update are
written to data/results/heads_over_training.safetensors, which HeadsOverTrainingExplorer
shows.
"""

import argparse
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

import numpy as np
import torch
from tqdm import tqdm

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # gpt1lib, if not installed

from gpt1course.viz.explorers import heads_over_training as stored
from gpt1lib import GPT, load_novelist
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import snapshots
from gpt1lib.fast import keep_memory
from gpt1lib.io.provenance import provenance
from gpt1lib.pretrain.config import RECIPES, Recipe, merged
from gpt1lib.pretrain.trainer import Pretraining
from gpt1lib.tracing import trace

SMALLER = {"model": {"n_ctx": 128, "n_embd": 128}, "batch": 6, "warmup_ctx": 64, "warmup": 50,
           "previous_token_heads": False}  # fmt: skip
STAGES = 12  # with the start
MOST_TOKENS = 14
SENTENCES = (
    "The captain looked at the sea, and the captain was silent.",
    "She took the letter from the table and read it.",
    "The king said to the queen that the king was old.",
    "He was a very young man, and she loved him.",
    "Once upon a time there was a little girl.",
    "It is a truth, and it is not a truth.",
    "Mr. Knightley came, and Mr. Knightley went away.",
    "I do not know what you mean, said the boy.",
    "The old man opened the door and went out.",
    "In the morning they were happy, in the evening they were not.",
)


def run_stages(
    recipe: Recipe, sentences: Sequence[Sequence[int]], bpe: BPE, steps: Sequence[int]
) -> tuple[list[np.ndarray], list[float]]:
    """Weights (S, L, H, T, T) of each sentence (ids) after so many updates, and all losses.

    The first losses are those of the untrained model: each is of the batch of its update,
    before that update.
    """
    with tempfile.TemporaryDirectory() as folder:
        run = Pretraining.from_books(recipe, folder, bpe=bpe)
        seen, losses = [], []
        with tqdm(total=recipe.steps, unit="step") as bar:
            while True:
                if run.step in steps:
                    seen.append(
                        [trace(cast(GPT, run.model), ids).weights.numpy() for ids in sentences]
                    )
                if run.step == recipe.steps:
                    break
                losses.append(run.train_step()["loss"])
                bar.update()
    return [np.stack(stages) for stages in zip(*seen, strict=True)], losses


def main(argv: Sequence[str] | None = None) -> None:
    """One run, and its file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--steps", type=int, default=1024, help="updates")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=stored.STORED)
    args = parser.parse_args(argv)
    torch.set_num_threads(1)
    keep_memory()
    recipe = merged(RECIPES["quick"], SMALLER | {"steps": args.steps, "seed": args.seed})
    bpe = load_novelist().bpe
    ids = [bpe.encode(text) for text in SENTENCES]
    long = [text for text, row in zip(SENTENCES, ids, strict=True) if len(row) > MOST_TOKENS]
    if long:
        raise SystemExit(f"more than {MOST_TOKENS} tokens: {long}")
    steps = [0, *snapshots.steps_to_keep(recipe.steps, STAGES - 1)]
    began = provenance()  # with the commit of now
    patterns, losses = run_stages(recipe, ids, bpe, steps)
    facts = {
        **began,
        "recipe": asdict(recipe),
        "texts": SENTENCES,
        "tokens": [bpe.pieces(row) for row in ids],
        "steps": steps,
        "losses": [round(loss, 3) for loss in losses],
    }
    stored.write_patterns(args.out, patterns, facts)
    print(
        f"{args.out}: {args.out.stat().st_size / 1e3:.0f} kB, loss {losses[-1]:.2f} at the end"
    )


if __name__ == "__main__":
    main()

"""What a fine-tuning starts from: a model pre-trained whole, in part, or not at all."""

import random
import re
from dataclasses import replace
from pathlib import Path

from gpt1lib import corpus
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint, checkpoint
from gpt1lib.io import files
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS, LSTM_DIR, NOVELIST_DIR, ROOT
from gpt1lib.model import GPT, LanguageModel
from gpt1lib.pretrain import RECIPES, Pretraining, merged, scale_blocks
from gpt1lib.rng import fork_rng

from .plan import SHORT, VARIANTS, InitFrom

LSTM_LR = 0.004  # of its pre-training; the novelist's was chosen for the Transformer
WORK = ROOT / "runs" / "paper"  # short pre-trainings that only these tables need


def starting_checkpoint(init_from: str, seed: int, n_parts: int | None = None) -> Checkpoint:
    """The model that a fine-tuning starts from. seed: of the weights that are random.

    init_from: one of InitFrom. n_parts: how many parts `transferred` copies. Raises
    ValueError for another name, and for parts that are missing or too many.
    """
    if init_from not in {*InitFrom}:
        raise ValueError(f"no start {init_from!r}; there are {[str(x) for x in InitFrom]}")
    if init_from == InitFrom.LSTM:
        return pretrained_lstm()
    if init_from in VARIANTS:
        return pretrain_variant(InitFrom(init_from))
    novelist = checkpoint.load_novelist()
    if init_from == InitFrom.NOVELIST:
        return novelist
    if init_from == InitFrom.NOTHING:
        n_parts = 0
    if n_parts is None:
        raise ValueError("n_parts is None, a transfer needs a number of parts")
    return replace(novelist, model=transferred(novelist.model, n_parts, seed))


def pretraining_command(kind: str, out: str | Path, seed: int = 0) -> str:
    """What pre-trains a model as the shipped one of its kind was. kind: "gpt" or "lstm"."""
    own = f" --kind lstm --lr {LSTM_LR}" if kind == "lstm" else ""
    of_seed = f" --seed {seed}" if seed else ""
    return f"python -m gpt1lib.pretrain --recipe novelist{own}{of_seed} --out {out}"


def pretrained_lstm() -> Checkpoint:
    """The LSTM that read what the novelist read; FileNotFoundError with its command."""
    if not (LSTM_DIR / "meta.json").is_file():
        command = pretraining_command("lstm", LSTM_DIR)
        raise FileNotFoundError(f"{LSTM_DIR} holds no LSTM. It is trained by: {command}")
    return checkpoint.load_ours(LSTM_DIR)


def transferred(model: LanguageModel, n: int, seed: int) -> GPT:
    """A model with random weights, but for n parts: embeddings first, then blocks.

    Raises ValueError for n outside 0 to n_layer + 1, and TypeError for a model that is not a
    GPT.
    """
    if not isinstance(model, GPT):
        raise TypeError(f"a {type(model).__name__} has no such parts, only a GPT has")
    if not 0 <= n <= model.config.n_layer + 1:
        raise ValueError(f"n is {n}, it must be in 0 to {model.config.n_layer + 1}")
    with fork_rng(seed):
        fresh = type(model)(model.config)
    scale_blocks(fresh, RECIPES["novelist"].block_std)
    if n:
        fresh.tokens.load_state_dict(model.tokens.state_dict())
        fresh.positions.load_state_dict(model.positions.state_dict())
    for mine, theirs in zip(fresh.blocks[: max(0, n - 1)], model.blocks, strict=False):
        mine.load_state_dict(theirs.state_dict())
    return fresh.eval()


def pretrain_variant(variant: InitFrom) -> Checkpoint:
    """A short pre-training of one of VARIANTS, made at the first call."""
    out = WORK / variant
    if not (out / "meta.json").is_file():
        recipe = merged(RECIPES["novelist"], SHORT | VARIANTS[variant])
        books = shuffled_books() if variant == InitFrom.SHUFFLED else BOOKS
        same_tokens = BPE.load(NOVELIST_DIR)  # for all
        run = Pretraining.from_books(recipe, out, books, HELDOUT_BOOKS, bpe=same_tokens)
        run.resume()
        run.run()
    return checkpoint.load_ours(out)


def shuffled_books() -> Path:
    """The books with all their sentences in random order, as in the 1B Word set.

    The gaps between them stay: with a new line after each sentence, the books would
    differ from the held-out ones in their layout too, and not in the order alone.
    """
    folder = WORK / "shuffled_books"
    for name, text in corpus.read_books(BOOKS).items():
        parts = re.split(r"(?<=[.!?])(\s+)", text)  # sentence, gap, sentence, ...
        sentences = parts[::2]
        random.Random(name).shuffle(sentences)
        parts[::2] = sentences
        files.write_text(folder / f"{name}.txt", "".join(parts))
    return folder

"""A trained model continues a prompt: as a text, as pieces while they come, as a command.

python -m gpt1lib.sample runs/mine "Once upon"
python -m gpt1lib.sample "Once upon"     # no folder: the novelist, which comes with the course
torchrun --nproc-per-node 2 -m gpt1lib.sample runs/mine "Once upon" --samples 100
"""

import argparse
import sys
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import torch

from . import generate, validate
from .bpe import BPE, END, NEWLINE
from .checkpoints import Checkpoint, load, load_novelist
from .cli import add_device
from .fast.distributed import SINGLE, Processes, joined
from .io.paths import NOVELIST_DIR
from .text import tidy


def sample_text(
    checkpoint: Checkpoint,
    prompt: str = "",
    n_tokens: int = 60,
    temperature: float = 0.8,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int = 0,
) -> str:
    """Let a checkpoint continue a prompt; returns tidy text.

    GPT-1 has no token for the start of a text: an empty prompt starts after a new line.
    A prompt longer than the context loses its beginning.
    """
    options = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    return "".join(stream_text(checkpoint, prompt, n_tokens, seed, **options))


def stream_text(
    checkpoint: Checkpoint, prompt: str, n_tokens: int, seed: int, **options
) -> Iterator[str]:
    """The same text word by word, as soon as each is written; options as in `generate`."""
    if not isinstance(checkpoint, Checkpoint):
        kind = type(checkpoint).__name__
        raise TypeError(f"checkpoint is a {kind}, it must be a Checkpoint: g.load_novelist()")
    bpe, model = checkpoint.bpe, checkpoint.model
    prompt_ids = (bpe.encode(prompt) or [bpe.newline])[-model.config.n_ctx :]
    seed = validate.check_int("seed", seed, 0, validate.MAX_SEED)
    generator = torch.Generator().manual_seed(seed)
    ids = torch.tensor([prompt_ids]).to(model.device)  # (1, T)
    new = generate.stream(model, ids, n_tokens, generator=generator, **options)
    return final_pieces(bpe, chain(prompt_ids, map(int, new)))


def final_pieces(bpe: BPE, ids: Iterable[int]) -> Iterator[str]:
    """The tidy text of ids in pieces, each as soon as nothing that follows can change it.

    That is after each whole word: then only a space, not yet given, may still vanish. `tidy`
    works line by line, so what came before a line is forgotten.
    """
    line, shown = [], ""
    for i in ids:
        line.append(i)
        piece = bpe.decoder[i]
        if piece.endswith(END):
            tidied = tidy(bpe.decode(line))
            yield tidied[len(shown) :]
            line, shown = ([], "") if piece == NEWLINE else (line, tidied)
    yield tidy(bpe.decode(line))[len(shown) :]


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.sample",
        usage="%(prog)s [FOLDER] [PROMPT] [options]; --help explains them",
        description=(__doc__ or "").split("\n")[0],
    )
    p.add_argument(
        "words",
        nargs="*",
        metavar="FOLDER PROMPT",
        help="what pretrain's --out was (default: the novelist), and what to go on from "
        "(default: nothing)",
    )
    p.add_argument("--n-tokens", type=int, default=60, help="how much to write (default: 60)")
    p.add_argument(
        "--temperature",
        type=float,
        default=0.8,
        help="0 is the likeliest token each time; higher is bolder (default: 0.8)",
    )
    p.add_argument("--top-k", type=int, help="draw from the k likeliest tokens only")
    p.add_argument("--top-p", type=float, help="draw from the likeliest tokens of this share")
    p.add_argument("--seed", type=int, default=0, help="another seed, another text (default 0)")
    p.add_argument("--samples", type=int, default=1, help="texts, one per seed (default: 1)")
    add_device(p)
    return p


def folder_and_prompt(words: list[str]) -> tuple[Path, str]:
    """What was typed, apart; a single word is a folder where it is one, or looks like one.

    Raises ValueError for more than two: a prompt without quotes.
    """
    if len(words) > 2:
        raise ValueError(f"put the prompt in quotes: {' '.join(words)!r} is {len(words)} words")
    if len(words) == 2:
        return Path(words[0]), words[1]
    word = words[0] if words else ""
    named = word and (Path(word).is_dir() or (" " not in word and Path(word).name != word))
    return (Path(word), "") if named else (NOVELIST_DIR, word)


def show(pieces: Iterable[str]) -> None:
    """Print a text as it comes, without the line breaks it begins with."""
    started = False
    for piece in pieces:
        piece = piece if started else piece.lstrip("\n")
        started = started or bool(piece)
        print(piece, end="", flush=True)
    print()


def write_samples(
    source: Checkpoint, samples: int, seed: int, world: Processes = SINGLE, **options
) -> None:
    """One text for each of the next seeds, shared by the processes; the main one shows all."""
    seeds = range(seed, seed + validate.check_int("samples", samples, 1))
    texts = (stream_text(source, seed=s, **options) for s in seeds)  # refuse before a print
    if world.size > 1:
        texts = world.share(lambda s: [*stream_text(source, seed=s, **options)], seeds)
    for s, pieces in zip(seeds if world.is_main else (), texts, strict=False):
        if samples > 1:
            print(f"--- seed {s}")
        show(pieces)


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    options = vars(parser().parse_intermixed_args(argv))
    with joined("sample", device=options.pop("device")) as world:
        folder, prompt = folder_and_prompt(options.pop("words"))
        ours = folder == NOVELIST_DIR
        if ours and world.is_main:
            print("The novelist writes, the model that comes with the course.", file=sys.stderr)
        source = load_novelist() if ours else load(folder)
        source.model.to(world.device)
        generate.DecodingSession(source.model)  # refuses, before a prompt is shown
        write_samples(source, prompt=prompt, world=world, **options)


if __name__ == "__main__":
    main()

"""Models on disk in any layout: ours, OpenAI's or Hugging Face's."""

from pathlib import Path

from torch import nn

from ..bpe import BPE
from ..io import files
from ..model import GPT, LanguageModel
from . import checkpoint, released

WRITERS = {"openai": released.save_openai, "hugging_face": released.save_hugging_face}
"""The layouts for others, and what writes them."""


def load(folder: str | Path, bpe: BPE | None = None) -> checkpoint.Checkpoint:
    """A model from disk: our own checkpoint, or a GPT-1 as OpenAI or Hugging Face store it.

    bpe: its tokenizer, where a folder of the latter two has none.
    """
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        problem = "is a file, it must be a folder" if folder.exists() else "is not there"
        raise FileNotFoundError(f"{folder} {problem}: name what pretrain's --out was")
    config = folder / "config.json"
    if (folder / "meta.json").is_file() or (
        config.is_file() and "n_vocab" in files.read_json(config)
    ):
        return checkpoint.load_ours(folder)
    if config.is_file() or (folder / released.OPENAI[0]).is_file():
        return released.load_released(folder, bpe=bpe)
    raise FileNotFoundError(f"{folder} {what_instead(folder)}")


def what_instead(folder: Path) -> str:
    """What a folder without a language model has in its place, in a sentence."""
    if (folder / "classifier.json").is_file():
        return "contains a classifier: ask it by python -m gpt1lib.finetune.predict"
    if (folder / "state").is_dir():
        return "contains a run that is not finished: start its command again"
    return "contains no model, neither one of `python -m gpt1lib.pretrain` nor OpenAI's GPT-1"


def save(
    folder: str | Path,
    model: LanguageModel,
    bpe: BPE,
    meta: dict | None = None,
    fp16: bool = False,
    layout: str = "ours",
) -> None:
    """Write a model for `load`. layout: ours, openai or hugging_face. meta, fp16: of ours."""
    if not isinstance(model, nn.Module) or not isinstance(bpe, BPE):
        raise TypeError(
            f"save(folder, model, bpe) got {type(model).__name__}, {type(bpe).__name__}"
        )
    if layout == "ours":
        return checkpoint.save_ours(folder, model, bpe, meta, fp16)
    if layout not in WRITERS:
        raise ValueError(f"layout is {layout!r}, it must be ours or {' or '.join(WRITERS)}")
    if meta is not None or fp16:
        raise ValueError(f"layout {layout!r} stores no meta and no fp16, only 'ours' does")
    if type(model) is not GPT or not model.config.tied:
        raise ValueError(f"layout {layout!r} is for GPT-1 as published, with tied embeddings")
    if layout == "openai" and model.config.n_head != max(1, model.config.n_embd // 64):
        raise ValueError(
            f"n_head is {model.config.n_head}, but OpenAI's files do not store it: a model of "
            f"{model.config.n_embd} dimensions is read with heads of 64"
        )
    checkpoint.check_vocabulary(bpe, model.config)
    checkpoint.check_finite(model.state_dict())
    WRITERS[layout](folder, model, bpe)

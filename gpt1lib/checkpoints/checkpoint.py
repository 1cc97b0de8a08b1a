"""A model on disk: weights, sizes, vocabulary and where it came from, bound together.

A checkpoint is a folder: model.safetensors, config.json, vocab.bpe and encoder.json
(the released format), meta.json (seed, command, books, scores, checksums) and
log.jsonl (the training curve). Nothing in it can run code when it is read.
"""

import json
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import nn

from .. import corpus
from ..baselines.lstm import LSTM
from ..baselines.variants import PreLNGPT, SinusoidalGPT
from ..bpe import BPE
from ..config import GPTConfig
from ..model import GPT, LanguageModel
from ..storage import files
from ..storage.paths import NOVELIST_DIR

CLASSES = {"gpt": GPT, "lstm": LSTM, "pre_ln": PreLNGPT, "sinusoidal": SinusoidalGPT}
"""What config.KINDS names."""


@dataclass
class Checkpoint:
    """A loaded checkpoint: the model (in eval mode), its tokenizer, its history."""

    model: LanguageModel
    bpe: BPE
    meta: dict
    folder: Path

    @property
    def log(self) -> list[dict]:
        """The training curve, one dict per line of log.jsonl."""
        return self._lines("log.jsonl")

    @property
    def samples(self) -> list[dict]:
        """What it wrote during training: step and text, one dict per line of samples.jsonl."""
        return self._lines("samples.jsonl")

    def _lines(self, name: str) -> list[dict]:
        text = (self.folder / name).read_text(encoding="utf-8")
        return [json.loads(line) for line in text.splitlines()]

    def check_books(self, books: dict[str, str], heldout: dict[str, str]) -> None:
        """ValueError unless these are the books it was trained and scored on."""
        for name, texts in (("books", books), ("heldout_books", heldout)):
            actual, wanted = corpus.checksum(texts), self.meta[f"{name}_sha256"]
            if actual != wanted:
                raise ValueError(
                    f"the {name} are not those of the checkpoint in {self.folder}: "
                    f"SHA-256 {actual[:12]}..., expected {wanted[:12]}..."
                )


def build(kind: str, config: GPTConfig) -> LanguageModel:
    """A model of one of config.KINDS with random weights."""
    if kind not in CLASSES:
        raise ValueError(f"unknown kind of model {kind!r}, known: {sorted(CLASSES)}")
    return CLASSES[kind](config)


def kind_of(model: LanguageModel) -> str:
    """The kind that `build` needs to make such a model."""
    return next(name for name, kind in CLASSES.items() if type(model) is kind)


def save_weights(path: Path, model: nn.Module, fp16: bool = False) -> None:
    """Write the parameters as safetensors, whole or not at all; fp16: in 16 bits."""
    dtype = torch.float16 if fp16 else torch.float32
    tensors = {
        k: v.detach().cpu().to(dtype).contiguous() for k, v in model.state_dict().items()
    }
    with files.replacing(path) as temporary:
        save_file(tensors, temporary)


def save(
    folder: str | Path,
    model: LanguageModel,
    bpe: BPE,
    meta: dict | None = None,
    fp16: bool = False,
) -> None:
    """Write a checkpoint, with fp16 in 16 bits per weight, which `load` widens again.

    Raises ValueError if tokenizer and model disagree on n_vocab.
    """
    folder = Path(folder)
    check_vocabulary(bpe, model.config)
    bpe.save(folder)
    config = {"kind": kind_of(model), **asdict(model.config)}
    files.write_json(folder / "config.json", config)
    save_weights(folder / "model.safetensors", model, fp16)
    bound = {
        "tokenizer_sha256": bpe.checksum,
        "weights_sha256": files.sha256(folder / "model.safetensors"),
    }
    files.write_json(folder / "meta.json", {**(meta or {}), **bound})


def check_vocabulary(bpe: BPE, config: GPTConfig) -> None:
    """ValueError unless the tokenizer's ids are exactly the model's tokens."""
    if bpe.n_vocab != config.n_vocab:
        raise ValueError(
            f"the tokenizer has {bpe.n_vocab} tokens, the model {config.n_vocab}: "
            "they do not belong together"
        )


def load(folder: str | Path) -> Checkpoint:
    """Read a checkpoint and verify that its parts belong together.

    Raises FileNotFoundError for a missing file (and says how to make it), ValueError
    for a file cut short, a wrong key or shape, or another vocabulary.
    """
    folder = Path(folder)
    for name in ("config.json", "meta.json", "model.safetensors"):
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder / name} is missing; a checkpoint is made by "
                "`python -m gpt1lib.pretrain`, the course's own lies in "
                "data/checkpoints/novelist"
            )
    meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
    config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    bpe = BPE.load(folder)
    if bpe.checksum != meta["tokenizer_sha256"]:
        raise ValueError(
            f"the vocabulary in {folder} is not the one the weights were trained "
            f"with: SHA-256 {bpe.checksum[:12]}..., "
            f"expected {meta['tokenizer_sha256'][:12]}..."
        )
    model = build(config.pop("kind", "gpt"), GPTConfig.from_dict(config))
    check_vocabulary(bpe, model.config)
    load_weights(folder / "model.safetensors", model)
    if files.sha256(folder / "model.safetensors") != meta["weights_sha256"]:
        raise ValueError(f"the weights in {folder} are not the ones that meta.json describes")
    return Checkpoint(model.eval(), bpe, meta, folder)


def load_weights(path: str | Path, model: nn.Module) -> None:
    """Fill a model from a safetensors file, every tensor by name and shape."""
    try:
        with safe_open(path, framework="pt") as f:
            tensors = {name: f.get_tensor(name) for name in f.keys()}  # noqa: SIM118
    except SafetensorError as error:
        raise ValueError(f"{path} is cut short or damaged: {error}") from error
    wanted = {name: tuple(t.shape) for name, t in model.state_dict().items()}
    for name in sorted(wanted.keys() | tensors.keys()):
        shape = tuple(tensors[name].shape) if name in tensors else "missing"
        if name not in wanted:
            raise ValueError(f"{path} has a tensor {name!r} that the model has not")
        if shape != wanted[name]:
            raise ValueError(f"{path}: {name!r} is {shape}, expected {wanted[name]}")
    model.load_state_dict(tensors)


def load_novelist() -> Checkpoint:
    """The model that ships with the course; read from disk once, then remembered."""
    return _load_once(NOVELIST_DIR)


_load_once = lru_cache(maxsize=2)(load)

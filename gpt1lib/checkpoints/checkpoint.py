"""A model on disk: weights, sizes, vocabulary and where it came from, bound together.

A checkpoint is a folder: model.safetensors, config.json, vocab.bpe and encoder.json
(the released format), meta.json (seed, command, books, scores), log.jsonl (the training
curve), samples.jsonl (texts it wrote on the way) and checksums.json, which binds them all.
Nothing in it can run code when it is read.
"""

from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

import torch
from torch import nn

from .. import text
from ..bpe import BPE
from ..config import GPTConfig
from ..io import checksums, files, paths
from ..io.paths import NOVELIST_DIR
from ..io.run_folder import Log
from ..io.tensors import read_tensors, write_tensors
from ..model import LanguageModel
from ..rng import fork_rng
from .kinds import build, kind_of

FILES = ("config.json", "meta.json", "model.safetensors", "encoder.json", "vocab.bpe")
HISTORY = ("log.jsonl", "samples.jsonl")
"""Files that a checkpoint may have; their checksums are stored, too."""


@dataclass
class Checkpoint:
    """A loaded checkpoint: the model (in eval mode), its tokenizer, its history."""

    model: LanguageModel
    bpe: BPE
    meta: dict
    folder: Path

    def __repr__(self) -> str:
        """A line: the kind of model, its size, where it is."""
        kind, n = type(self.model).__name__, self.model.count_parameters()
        return f"Checkpoint({kind}, {n:,} parameters, {str(self.folder)!r})"

    @property
    def log(self) -> list[dict]:
        """The training curve, one dict per line of log.jsonl."""
        return self._lines("log.jsonl")

    @property
    def samples(self) -> list[dict]:
        """What it wrote during training: step and text, one dict per line of samples.jsonl."""
        return self._lines("samples.jsonl")

    def _lines(self, name: str) -> list[dict]:
        if name in checksums.of(self.folder):
            checksums.verify(self.folder, name)
        return Log(self.folder / name).lines()


def save_weights(path: Path, model: nn.Module, fp16: bool = False) -> None:
    """Write the parameters as safetensors, whole or not at all; fp16: in 16 bits."""
    dtype = torch.float16 if fp16 else torch.float32
    weights = {k: v.cpu().to(dtype).contiguous() for k, v in model.state_dict().items()}
    check_finite(weights)
    write_tensors(path, weights)


def check_finite(weights: dict[str, torch.Tensor]) -> None:
    """Raise FloatingPointError that names a tensor with nan or infinite numbers."""
    for name, tensor in weights.items():
        if not torch.isfinite(tensor).all():
            raise FloatingPointError(
                f"{name} contains nan or infinite numbers, the training diverged; a lower --lr "
                "or a longer --warmup often helps"
            )


def save_ours(
    folder: str | Path,
    model: LanguageModel,
    bpe: BPE,
    meta: dict | None = None,
    fp16: bool = False,
) -> None:
    """Write a checkpoint, with fp16 in 16 bits per weight, which `load_ours` widens.

    Raises ValueError if tokenizer and model disagree on n_vocab, FloatingPointError for
    weights that are nan or infinite.
    """
    folder = Path(folder)
    check_vocabulary(bpe, model.config)
    config = {"kind": kind_of(model), **asdict(model.config)}  # refuse before a file changes
    bound = {"tokenizer_sha256": bpe.checksum, "pipeline": bpe.pipeline}
    save_weights(folder / "model.safetensors", model, fp16)
    bpe.save(folder)
    files.write_json(folder / "config.json", config)
    bound["weights_sha256"] = files.sha256(folder / "model.safetensors")
    files.write_json(folder / "meta.json", {**(meta or {}), **bound})
    checksums.write_checksums(folder, *FILES, *(x for x in HISTORY if (folder / x).is_file()))


def check_vocabulary(bpe: BPE, config: GPTConfig) -> None:
    """Raise ValueError unless the tokenizer's ids are exactly the model's tokens."""
    if bpe.n_vocab != config.n_vocab:
        raise ValueError(
            f"the tokenizer has {bpe.n_vocab} tokens, the model {config.n_vocab}: "
            "they do not belong together"
        )


def load_ours(folder: str | Path) -> Checkpoint:
    """Read a checkpoint and verify that its parts belong together.

    Raises FileNotFoundError for a missing file (and says how to make it), ValueError
    for a file cut short, a wrong key or shape, or another vocabulary.
    """
    folder = Path(folder)
    paths.check_there(folder)
    for name in FILES:
        if not (folder / name).is_file():
            raise FileNotFoundError(
                f"{folder / name} is missing; a checkpoint is made by "
                "`python -m gpt1lib.pretrain`, the course's own is in "
                "data/checkpoints/novelist"
            )
    checksums.verify(folder, *FILES)
    meta = files.read_json(folder / "meta.json")
    with files.blame_file(folder / "meta.json"):
        vocabulary_sha256, weights_sha256 = meta["tokenizer_sha256"], meta["weights_sha256"]
        pre_tokenize = text.PIPELINES[meta.get("pipeline", "fallback")]
    bpe = BPE.load(folder, pre_tokenize=pre_tokenize)
    if bpe.checksum != vocabulary_sha256:
        raise ValueError(
            f"the vocabulary in {folder} is not the one the weights were trained with: "
            f"SHA-256 {bpe.checksum[:12]}..., meta.json has {vocabulary_sha256!r:.15}"
        )
    config, weights = folder / "config.json", folder / "model.safetensors"
    model = read_model(config, files.read_json(config), weights)
    check_vocabulary(bpe, model.config)
    load_weights(weights, model)
    if files.sha256(weights) != weights_sha256:
        raise ValueError(f"the weights in {folder} are not the ones that meta.json describes")
    return Checkpoint(model.eval(), bpe, meta, folder)


def read_model(path: Path, config: dict, weights: Path) -> LanguageModel:
    """An untrained model of the kind and sizes in a file, checked against its weights' size.

    path: the file, which a ValueError names. weights: the file of the weights.
    """
    with files.blame_file(path), fork_rng(0):  # its numbers are replaced
        kind = config.pop("kind", "gpt")
        sizes = GPTConfig(**config)
        check_size(sizes, weights, learned_positions=kind != "sinusoidal")
        return build(kind, sizes)


def check_size(config: GPTConfig, weights: Path, learned_positions: bool = True) -> None:
    """Raise ValueError where sizes ask for more numbers than their file has bytes.

    Before anything is allocated: a damaged size must not fill the memory.
    """
    C = config.n_embd
    least = C * (config.n_vocab + 12 * C * config.n_layer)
    least += C * config.n_ctx if learned_positions else 0
    if least > (there := weights.stat().st_size):
        raise ValueError(
            f"a model of these sizes has {least:,} numbers, but {weights.name} is only "
            f"{there:,} bytes long"
        )


def load_weights(path: str | Path, model: nn.Module) -> None:
    """Fill a model from a safetensors file, every tensor by name and shape."""
    tensors, _ = read_tensors(path)
    fill(path, model, tensors)


def fill(path: str | Path, model: nn.Module, tensors: dict[str, torch.Tensor]) -> None:
    """Fill a model with tensors read from a file, which a ValueError names."""
    wanted = {name: tuple(t.shape) for name, t in model.state_dict().items()}
    for name in sorted(wanted.keys() | tensors.keys()):
        shape = tuple(tensors[name].shape) if name in tensors else "missing"
        if name not in wanted:
            raise ValueError(f"{path} has a tensor {name!r} that the model has not")
        if shape != wanted[name]:
            raise ValueError(f"{path}: {name!r} is {shape}, expected {wanted[name]}")
    model.load_state_dict(tensors)


@lru_cache(maxsize=1)
def load_novelist() -> Checkpoint:
    """The model that ships with the course; read from disk once, then remembered."""
    return load_ours(NOVELIST_DIR)

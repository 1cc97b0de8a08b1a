"""Stages of a pre-training run in a quarter of their size: 8 bits per weight.

Matrices are stored as in quantize.py, vectors in 16 bits. Good to look at how a model grew,
not to train it on. The last stage of a finished run is its checkpoint, not stored twice.
"""

import dataclasses
import json
import re
from collections.abc import Iterator
from pathlib import Path

from .. import validate
from ..io import checksums, files
from ..io.tensors import read_tensors, write_tensors
from ..model import LanguageModel
from . import checkpoint, kinds
from .quantize import dequantize_matrices, quantize_matrices

SCALE = ".scale"  # after the name of a matrix, that of its scales
FOLDER = "snapshots"  # beside the checkpoint
LOGGED = ("step", "tokens", "loss")  # what is known about a stage, as in log.jsonl


def steps_to_keep(steps: int, n: int) -> list[int]:
    """The n updates after which a stage is kept, each twice the one before, up to `steps`.

    The paper's Figure 2 (right) looks at pre-training on such an axis.
    """
    steps, n = validate.check_int("steps", steps, 1), validate.check_int("n", n, 0)
    n = min(n, steps.bit_length() + 1)  # after that many halvings nothing is left
    return sorted({round(steps / 2**k) for k in range(n)} - {0})


def save_snapshot(folder: Path, model: LanguageModel, metadata: dict) -> Path:
    """Write the weights of a model as they are after metadata["step"] updates."""
    checkpoint.check_finite(model.state_dict())
    stored = quantize_matrices(model.state_dict(), SCALE)
    config = {**dataclasses.asdict(model.config), "kind": kinds.kind_of(model)}
    path = folder / FOLDER / f"step_{metadata['step']:07d}.safetensors"
    write_tensors(path, stored, {"snapshot": json.dumps({"config": config, "facts": metadata})})
    checksums.write_checksums(path.parent, path.name)
    return path


def load_snapshot(path: str | Path) -> tuple[LanguageModel, dict]:
    """(model in eval mode, its metadata: step, tokens, loss) of one stored stage.

    Raises ValueError for a file that is damaged or no snapshot.
    """
    path = Path(path)
    checksums.verify(path.parent, path.name)
    tensors, described = read_tensors(path)
    with files.blame_file(path):
        stored = json.loads(described["snapshot"])
        model = checkpoint.read_model(path, stored["config"], path)
        checkpoint.fill(path, model, dequantize_matrices(tensors, SCALE))
        return model.eval(), {**stored["facts"]}


def paths(folder: str | Path) -> list[Path]:
    """The stored stages of a checkpoint, first to last."""
    return sorted((Path(folder) / FOLDER).glob("step_*.safetensors"), key=step_of)


def step_of(path: Path) -> int:
    """After how many updates a stored stage was kept, from its file name."""
    return int(re.findall(r"\d+", path.stem)[0])


def stages(folder: str | Path) -> Iterator[tuple[LanguageModel, dict]]:
    """(model, its metadata) of each stored stage, first to last.

    The last one of a finished run is the checkpoint's model. ValueError: it has no log.
    """
    if not (Path(folder) / "meta.json").is_file():
        yield from map(load_snapshot, paths(folder))
        return
    end = checkpoint.load_ours(folder)
    if not end.log:
        raise ValueError(f"{folder} has no log.jsonl, which says how its stages scored")
    last = end.log[-1]
    yield from (load_snapshot(path) for path in paths(folder) if step_of(path) < last["step"])
    yield end.model, {k: last[k] for k in LOGGED}

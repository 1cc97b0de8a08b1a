"""Tensors on disk: safetensors, torch's states, numpy's arrays. What is damaged is named.

Nothing that is read can run code: pickles go through torch's safe reader only.
"""

import pickle
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from . import files


def weights_fingerprint(model: torch.nn.Module) -> str:
    """Eight hexadecimal digits that identify a model's weights: their CRC-32.

    One tensor at a time, so that no copy of all weights is made.
    """
    crc = 0
    for name, tensor in model.state_dict().items():
        crc = zlib.crc32(tensor.cpu().numpy().tobytes(), zlib.crc32(name.encode(), crc))
    return f"{crc:08x}"


@contextmanager
def reading(path: str | Path) -> Iterator[None]:
    """Any error over a damaged file becomes a ValueError that names the file.

    Damaged headers and pickles end in errors of some twenty kinds.
    """
    files.check_file(path)
    with open(path, "rb"):  # missing, or not ours to read: in the system's own words
        pass
    try:
        yield
    except Exception as error:
        message = str(error).split("\n")[0]
        if isinstance(error, pickle.PickleError):  # torch advises to read it unsafely
            message = "no state that is safe to read"
        raise ValueError(f"{path} is cut short or damaged: {message}") from error


@contextmanager
def writing(path: str | Path) -> Iterator[Path]:
    """`files.atomic_write`; a writer's own words for a failed write become an OSError."""
    with files.atomic_write(path) as temporary:
        try:
            yield temporary
        except (RuntimeError, SafetensorError) as error:
            message = str(error).split("\n")[0]
            raise OSError(f"could not write {path}, is the disk full? ({message})") from error


def write_tensors(
    path: str | Path, tensors: dict[str, Tensor], metadata: dict[str, str] | None = None
) -> None:
    """Write tensors by name, and words that belong to them, whole or not at all."""
    with writing(path) as temporary:
        save_file(tensors, temporary, metadata=metadata)


def read_tensors(path: str | Path) -> tuple[dict[str, Tensor], dict[str, str]]:
    """(tensors by name, their metadata). Raises ValueError for a damaged file."""
    with reading(path), safe_open(path, framework="pt") as f:
        return {name: f.get_tensor(name) for name in f.keys()}, f.metadata() or {}  # noqa: SIM118


def write_state(path: str | Path, state: dict) -> None:
    """Write a state of nested tensors and numbers; torch stores a CRC-32 of each part."""
    with writing(path) as temporary:
        torch.save(state, temporary)


def read_state(path: str | Path, mapped: bool = False) -> dict[str, Any]:
    """A state as it was written: torch does not compare the checksums, so we do.

    mapped: the tensors are read from the file when they are used.
    """
    with reading(path):
        if not zipfile.is_zipfile(path):
            raise ValueError("it is not a file of torch 1.6 or later")
        with zipfile.ZipFile(path) as parts:
            if damaged := parts.testzip():
                raise ValueError(f"the checksum of its part {damaged} differs")
        state = torch.load(path, weights_only=True, mmap=mapped, map_location="cpu")
        if not isinstance(state, dict):
            raise ValueError(f"it contains a {type(state).__name__}")
        return state


def write_array(path: str | Path, array: np.ndarray) -> None:
    """Write a .npy file, whole or not at all."""
    with writing(path) as temporary, open(temporary, "wb") as f:
        np.save(f, array)


def read_array(path: str | Path, kinds: Sequence[str]) -> np.ndarray:
    """A row of numbers (N,) of one of these kinds from a .npy file, mapped, not read.

    Raises ValueError where the file is damaged, or is longer or shorter than in its header.
    """
    with reading(path):
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    described = f"{path} is {array.dtype} of shape {array.shape}"
    if array.ndim != 1 or array.dtype.name not in kinds:
        raise ValueError(f"{described}, expected one row of {' or '.join(kinds)}")
    if array.offset + array.nbytes != Path(path).stat().st_size:
        raise ValueError(f"{described}, but {Path(path).stat().st_size:,} bytes long")
    return array

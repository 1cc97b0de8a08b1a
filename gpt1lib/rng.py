"""The mode of a model and the random numbers of torch, left as they were before."""

import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import torch
from torch import nn

from . import validate


@contextmanager
def eval_mode(*modules: nn.Module) -> Iterator[None]:
    """Dropout off; afterwards each part is back in its own mode, even after an error."""
    in_training = [p for module in modules for p in module.modules() if p.training]
    for part in in_training:
        part.training = False
    try:
        yield
    finally:
        for part in in_training:
            part.training = True


@contextmanager
def fork_rng(seed: int, device: torch.device | None = None) -> Iterator[None]:
    """Draw from this seed inside; the caller's random numbers go on undisturbed."""
    devices = [device] if device is not None and device.type in ("cuda", "mps") else []
    seed = validate.check_int("seed", seed, 0, validate.MAX_SEED)
    with torch.random.fork_rng(devices, device_type=devices[0].type if devices else "cuda"):
        (torch if devices else torch.default_generator).manual_seed(seed)  # or every GPU's, too
        yield


def own_rng(name: str) -> AbstractContextManager[None]:
    """Draw what GPT-1 lacks from a seed of its own, so that the rest stays GPT-1's.

    Models that differ in one choice then begin with the same numbers in all that they
    share, and in all that is drawn after them.
    """
    return fork_rng(zlib.crc32(f"{torch.initial_seed()} {name}".encode()))

"""Models on disk: our own checkpoints, their stages, and the released GPT-1."""

from . import openai, snapshots
from .checkpoint import Checkpoint, build, kind_of, load, load_novelist, save

__all__ = ["Checkpoint", "build", "kind_of", "load", "load_novelist", "openai", "save",
           "snapshots"]  # fmt: skip

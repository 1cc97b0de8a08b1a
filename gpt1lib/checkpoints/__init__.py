"""Models on disk: our own checkpoints, their stages, and the released GPT-1."""

from . import openai, snapshots
from .checkpoint import Checkpoint, build, kind_of, load, load_novelist, save
from .openai import open_source

__all__ = ["Checkpoint", "build", "kind_of", "load", "load_novelist", "open_source", "openai",
           "save", "snapshots"]  # fmt: skip

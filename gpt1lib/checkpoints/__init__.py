"""Models on disk: our own checkpoints, their stages, and the released GPT-1."""

from . import released, snapshots
from .checkpoint import Checkpoint, load, load_novelist, save
from .kinds import build, kind_of
from .released import load_any

__all__ = ["Checkpoint", "build", "kind_of", "load", "load_novelist", "load_any", "released",
           "save", "snapshots"]  # fmt: skip

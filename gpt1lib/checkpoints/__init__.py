"""Models on disk: our own checkpoints, their stages, and the released GPT-1."""

from . import released, snapshots
from .checkpoint import Checkpoint, load_novelist
from .kinds import build, kind_of
from .layouts import load, save

__all__ = ["Checkpoint", "build", "kind_of", "load", "load_novelist", "released", "save",
           "snapshots"]  # fmt: skip

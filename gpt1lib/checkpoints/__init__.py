"""Models on disk: our own checkpoints, their stages, and the released GPT-1."""

from . import released, snapshots
from .checkpoint import Checkpoint, load_novelist
from .kinds import build, kind_of
from .released import load_any, save

load = load_any
"""Read a model in any layout: ours, OpenAI's or Hugging Face's."""

__all__ = ["Checkpoint", "build", "kind_of", "load", "load_novelist", "load_any", "released",
           "save", "snapshots"]  # fmt: skip

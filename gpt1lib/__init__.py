"""gpt1lib: GPT-1 ("Improving Language Understanding by Generative Pre-Training").

The model, its training and its use, in small files that a course can show. In the
notebooks: `import gpt1lib as g`.
"""

from importlib import import_module

from . import bpe, config, corpus, model, objectives, optim, paths, text
from .bpe import BPE
from .checkpoint import load_novelist
from .config import GPT1, NOVELIST, TINY, GPTConfig
from .model import GPT, causal_mask, trace

__all__ = [
    "BPE",
    "GPT",
    "GPT1",
    "NOVELIST",
    "TINY",
    "GPTConfig",
    "bpe",
    "causal_mask",
    "config",
    "corpus",
    "load_novelist",
    "model",
    "objectives",
    "optim",
    "paths",
    "text",
    "trace",
]

_ON_DEMAND = {
    "baselines",
    "checkpoint",
    "classifier",
    "decode",
    "experiments",
    "finetune",
    "freezing",
    "inputs",
    "lessons",
    "metrics",
    "numpy_gpt",
    "paper",
    "pretrain",
    "printed",
    "published",
    "readout",
    "recipes",
    "released",
    "runs",
    "show",
    "snapshots",
    "task_baselines",
    "tasks",
    "zeroshot",
}


def __getattr__(name: str):
    """Import the larger rooms only when they are first used: `g.show`, `g.decode`."""
    if name in _ON_DEMAND:
        return import_module(f".{name}", __name__)
    raise AttributeError(f"gpt1lib has no {name!r}")

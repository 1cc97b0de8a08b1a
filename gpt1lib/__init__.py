"""gpt1lib: GPT-1 ("Improving Language Understanding by Generative Pre-Training").

In the notebooks: `import gpt1lib as g`. The ground is GPT-1 and nothing else; read it in
this order. Each folder has one task, and no imports run in a circle.

    settings     environment variables
    interrupts   Ctrl-C while torch is loaded
    validate     what a number may be, and how it is refused
    cli          what the commands share: options, one-line errors, Ctrl-C
    config       the sizes of a model, in one frozen record
    rng          random numbers and a model's mode, left as they were before
    text         before BPE: punctuation made uniform, cut into words
    bpe          byte-pair encoding: text to token ids and back
    corpus       books as one stream of ids, and random windows of it
    model        embeddings, causal attention, post-LayerNorm blocks, the tied softmax
    tracing      one forward pass with every step kept, or with heads scaled or ablated
    losses       L1, L2 and L3, and the losses that code minimizes
    optim        Adam with decoupled decay, warm-up schedules, gradient clipping
    inputs       the four input transformations: every task becomes sequences
    generate     greedy, temperature, top-k, top-p, beam search
    sample       a trained model writes: the command line
    evaluate     how well a model predicts a text, in nats and bits
    induction    whether a model copies, and which heads do it
    metrics      scores of predictions, with intervals
    numpy_gpt    the same model in numpy, every gradient by hand

    io/          paths, files, checksums, tensors, provenance, run_folder: what is kept on disk
    fast/        loss, session, machine, distributed: each compared with the plain code
    baselines/   lstm, variants, bag_of_words: what GPT-1 is compared with
    checkpoints/ kinds, checkpoint, quantize, snapshots, released, layouts: models on disk
    tasks/       task, course_sets, published, custom, catalog: labeled sets in one form
    pretrain/    config, data, cache, init, objective, muon, trainer
    finetune/    config, data, classifier, freezing, evaluate, trainer, predict: L3

Three ways run through it:

    books  -> text -> bpe -> corpus -> model -> losses -> pretrain/ -> checkpoints/
    texts  -> tasks/ -> inputs -> model -> losses -> finetune/
    prompt -> bpe -> model -> generate -> text            model -> tracing
"""

from . import interrupts  # noqa: F401  before anything that takes long to load

# isort: split
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pkgutil import iter_modules

from . import bpe, config, corpus, losses, model, optim, text
from .bpe import BPE
from .checkpoints import load_novelist
from .config import GPT1, NOVELIST, TINY, GPTConfig
from .io import paths
from .model import GPT, causal_mask
from .tracing import trace

__all__ = [
    "BPE", "GPT", "GPT1", "NOVELIST", "TINY", "GPTConfig", "bpe", "causal_mask", "config",
    "corpus", "load_novelist", "model", "losses", "optim", "paths", "text", "trace",
]  # fmt: skip

try:
    __version__ = version("gpt1-course")
except PackageNotFoundError:  # imported from its folder, without an installation
    __version__ = "unknown"


def _modules() -> set[str]:
    """The files and folders of the library."""
    return {module.name for module in iter_modules(__path__)} - {"paper"}


def __dir__() -> list[str]:
    """For completion: what has been imported, and what __getattr__ would import."""
    special = (name for name in globals() if name[:2] == "__")
    return sorted({*__all__, "sample_text", *_modules(), *special})


def __getattr__(name: str):
    """Import a file or a folder when it is first used: `g.generate`."""
    if name == "sample_text":  # so that `python -m gpt1lib.sample` runs a fresh module
        return import_module(".sample", __name__).sample_text
    if name in _modules():
        return import_module(f".{name}", __name__)
    raise AttributeError(f"gpt1lib has no {name!r}")

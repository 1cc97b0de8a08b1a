"""A pre-trained model prepared for a task: its context, its dropout."""

from dataclasses import replace

from torch import nn

from ..checkpoints import Checkpoint
from ..model import GPT, Attention, LanguageModel
from ..rng import fork_rng
from ..tasks import Task
from .data import prepare


def shortened(source: Checkpoint, task: Task) -> Checkpoint:
    """The source with the context of the task's longest example, as in train.py."""
    if not isinstance(source.model, GPT):
        return source  # an LSTM has no positions to leave out
    examples = [*task.train, *task.valid, *task.test]
    data = prepare(source.bpe, task, examples, source.model.config.n_ctx)
    longest = max(len(s) for sequences, _ in data for s in sequences)
    return replace(source, model=shorten_context(source.model, longest))


def shorten_context(model: LanguageModel, n_ctx: int) -> LanguageModel:
    """The same model for at most n_ctx tokens: the later rows of W_p are left out.

    As in train.py, where n_ctx is that of the longest example.
    """
    if not 1 <= n_ctx <= model.config.n_ctx:
        raise ValueError(f"n_ctx is {n_ctx}, it must be in 1 to {model.config.n_ctx}")
    with fork_rng(0):  # its numbers are replaced
        shorter = type(model)(replace(model.config, n_ctx=n_ctx))
    state = model.state_dict()
    if "positions.weight" in state:  # not where positions are waves
        state["positions.weight"] = state["positions.weight"][:n_ctx]
    shorter.load_state_dict(state)
    return shorter


def set_dropout(model: LanguageModel, rate: float) -> None:
    """Give every dropout of a model this rate."""
    model.config = replace(model.config, dropout=rate)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif isinstance(module, Attention):
            module.dropout = rate

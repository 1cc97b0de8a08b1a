"""Kinds of models that can be trained and stored, each imported when it is asked for."""

from importlib import import_module

from ..config import GPTConfig
from ..model import LanguageModel

MODEL_KINDS = {
    "gpt": "model:GPT",
    "lstm": "baselines.lstm:LSTM",
    "pre_ln": "baselines.variants:PreLNGPT",
    "sinusoidal": "baselines.variants:SinusoidalGPT",
}
"""Kind -> the module and the class: GPT-1, the paper's LSTM, and two that change one thing."""

PACKAGE = __name__.split(".")[0]


def model_class(kind: str) -> type[LanguageModel]:
    """The class of one of MODEL_KINDS. Raises ValueError for another."""
    if kind not in MODEL_KINDS:
        raise ValueError(f"unknown kind of model {kind!r}, known: {sorted(MODEL_KINDS)}")
    module, name = MODEL_KINDS[kind].split(":")
    return getattr(import_module(f"{PACKAGE}.{module}"), name)


def build(kind: str, config: GPTConfig) -> LanguageModel:
    """A model of one of MODEL_KINDS with random weights."""
    return model_class(kind)(config)


def kind_of(model: LanguageModel) -> str:
    """The kind that `build` needs to make such a model. Raises ValueError for another one."""
    place = f"{type(model).__module__}:{type(model).__qualname__}"
    for kind, known in MODEL_KINDS.items():
        if place == f"{PACKAGE}.{known}":
            return kind
    raise ValueError(f"{place} is not a kind that can be stored: {sorted(MODEL_KINDS)}")

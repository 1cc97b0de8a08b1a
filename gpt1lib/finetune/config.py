"""How to fine-tune: every option in one record."""

from dataclasses import dataclass

from .. import validate
from ..cli import option, require

METHODS = {
    "full": "every weight, one learning rate (the paper)",
    "frozen": "only the linear layer: a linear probe",
    "discriminative": "each block at 1/2.6 of the rate above it (ULMFiT)",
    "gradual": "one block more at a time, from the top (ULMFiT)",
}


@dataclass(frozen=True)
class Settings:
    """How to fine-tune; the paper's numbers (section 4.1) but for the learning rate.

    Raises ValueError where a value makes no run, and names it.
    """

    epochs: int = option(3, "passes over the training set; the paper: 3 for most tasks")
    batch: int = option(32, "examples per update")
    grad_accum: int = option(1, "parts of a batch, computed one by one to save memory")
    bf16: bool = option(False, "compute in bfloat16, on a GPU that has it")
    lr: float = option(2.5e-4, "highest learning rate; the paper, for a larger model: 6.25e-5")
    warmup: float = option(
        0.002, "a share of the updates, in which the rate rises; pre-training counts updates"
    )
    lm_coef: float = option(0.5, "lambda, the weight of the language-model loss in L3")
    dropout: float = option(0.1, "rate of dropout in the model and before the linear layer")
    weight_decay: float = option(0.01, "decoupled, on all weights but biases and gains")
    grad_clip: float = option(1.0, "scale gradients down to at most this norm (released code)")
    seed: int = option(0, "all random numbers follow from it")
    limit: int | None = option(
        None, "train on this many examples only, drawn at random (default: all)"
    )
    longest: int | None = option(
        None, "leave out training examples of more words than this (default: none)"
    )
    method: str = option(
        "full", "; ".join(f"{k}: {v}" for k, v in METHODS.items()), choices=tuple(METHODS)
    )
    patience: int | None = option(
        None, "stop after this many epochs without a better validation score, and keep the best"
    )

    def __post_init__(self):
        validate.check_fields(self)
        validate.check_int("seed", self.seed, 0, validate.MAX_SEED)
        validate.check_float("lm_coef (lambda)", self.lm_coef, ge=0)
        for name in ("epochs", "batch", "grad_accum"):
            require(self, name, getattr(self, name) >= 1, ">= 1")
        for name in ("limit", "longest", "patience"):
            value = getattr(self, name)
            require(self, name, value is None or value >= 1, ">= 1, or left out")
        for name in ("lr", "grad_clip"):
            require(self, name, getattr(self, name) > 0, "> 0")
        for name in ("dropout", "warmup", "weight_decay"):
            require(self, name, 0 <= getattr(self, name) < 1, "in [0, 1)")
        require(self, "method", self.method in METHODS, f"one of {', '.join(METHODS)}")

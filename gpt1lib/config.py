"""The sizes of a GPT-1, in one frozen record."""

from dataclasses import dataclass, fields

from . import validate

INIT_STD = 0.02
"""Standard deviation of every initial weight matrix: N(0, 0.02) (section 4.1)."""

LN_EPS = 1e-5
"""What a LayerNorm adds to the variance, as in the released code."""

MAX_SIZES = {"n_vocab": 2**24, "n_ctx": 2**20, "n_layer": 1000, "n_head": 1000, "n_embd": 2**16}
"""The largest sizes: far beyond GPT-1's, so that a typing error fills no memory."""


@dataclass(frozen=True)
class GPTConfig:
    """Sizes of one model; the defaults are GPT-1's own (paper, section 4.1).

    Raises ValueError where a size makes no model, and names the value.
    """

    n_vocab: int = 40478  # 40,000 merges + 2 x 238 characters + <unk> + newline
    n_ctx: int = 512  # "contiguous sequences of 512 tokens"
    n_layer: int = 12  # "12-layer decoder-only transformer"
    n_head: int = 12  # "12 attention heads"
    n_embd: int = 768  # "768 dimensional states"
    dropout: float = 0.1  # embeddings, attention weights and residual branches
    tied: bool = True  # Eq. 2: the output matrix is the token embedding

    def __new__(cls, *_, **named):
        """An empty record. Raises TypeError, with the names that there are, for another one."""
        known = [f.name for f in fields(cls)]
        if unknown := set(named) - set(known):
            raise TypeError(f"{cls.__name__} has no {min(unknown)}, it has {', '.join(known)}")
        return super().__new__(cls)

    def __post_init__(self):
        validate.check_fields(self)
        for name, most in MAX_SIZES.items():
            validate.check_int(name, getattr(self, name), 1, most)
        if self.n_embd % self.n_head:
            raise ValueError(
                f"n_embd is {self.n_embd}, it must be divisible by n_head, "
                f"which is {self.n_head}"
            )
        validate.check_float("dropout", self.dropout, ge=0, lt=1)

    @property
    def head_dim(self) -> int:
        """D = C / H, the width of one head (64 in GPT-1)."""
        return self.n_embd // self.n_head

    def check_tied(self, what: str) -> None:
        """Raise ValueError unless the output matrix is the token embedding."""
        if not self.tied:
            raise ValueError(f"tied is False, but {what} has no output matrix of its own")


GPT1 = GPTConfig()
"""The paper's model: 116,534,784 parameters."""

NOVELIST = GPTConfig(n_vocab=8120, n_ctx=256, n_layer=4, n_head=4, n_embd=256, dropout=0.0)
"""The model that ships with the course, pre-trained on twelve books.

Without dropout: it reads each book five times, too few to memorize them.
"""

TINY = GPTConfig(n_vocab=64, n_ctx=32, n_layer=2, n_head=2, n_embd=32)
"""A model that trains in seconds, for tests and first experiments."""

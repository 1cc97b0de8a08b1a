"""The paper's comparison: an LSTM language model in place of the Transformer.

Section 5 trains "a single layer 2048 unit LSTM" in the same framework. Ours has as many
units as it takes to match the parameters of the GPT beside it, and the same tied softmax,
for which its state is projected to n_embd numbers.
"""

import math

import torch
from torch import Tensor, nn

from ..config import GPTConfig
from ..model import GPT, KVCache, LanguageModel, check_ids, initialize


class LSTM(LanguageModel):
    """A one-layer LSTM language model with the parameters of GPT(config).

    Token ids (B, T) in, logits (B, T, V) out. A window starts from a state of zeros.
    The embedding starts as in GPT-1, the gates as torch makes them.
    """

    has_cache = False

    def __init__(self, config: GPTConfig):
        super().__init__()
        C = config.n_embd
        self.config, self.units = config, matching_units(config)
        config.check_tied("an LSTM")
        self.tokens = nn.Embedding(config.n_vocab, C)
        self.drop = nn.Dropout(config.dropout)
        self.lstm = nn.LSTM(C, self.units, batch_first=True)
        self.lstm_out = nn.Linear(self.units, C)
        self.blocks = nn.ModuleList()  # none
        initialize(self.tokens)

    def hidden(self, ids: Tensor, cache: KVCache | None = None) -> Tensor:
        """States (B, T, C), each after reading all tokens up to its own; no cache."""
        if cache is not None:
            raise ValueError("an LSTM has no keys and values to cache: read the whole text")
        check_ids(ids, self.config)
        states, _ = self.lstm(self.drop(self.tokens(ids)))  # (B, T, units)
        return self.lstm_out(self.drop(states))  # (B, T, C)


def matching_units(config: GPTConfig) -> int:
    """The fewest units for which the LSTM has at least the parameters of GPT(config).

    U units: 4 gates, each U x (C from below + U fed back + 2 biases), and U x C + C to
    project the state.
    """
    C = config.n_embd
    with torch.device("meta"):  # counts without making the numbers
        wanted = GPT(config).count_parameters() - config.n_vocab * C
    linear = 4 * (C + 2) + C  # 4 U^2 + linear U + C = wanted
    return math.ceil((math.sqrt(linear**2 + 16 * (wanted - C)) - linear) / 8)

"""BERT's idea in our sizes (Devlin et al. 2018): hide some tokens, look both ways, fill in.

The architecture is GPT-1's without its causal mask, one argument's difference; [MASK] is one
more row of the vocabulary, the last. BERT's own sizes, its segments and its second task, next
sentence or not, are left out.
"""

import torch
import torch.nn.functional as F
from torch import Tensor

from gpt1lib import validate
from gpt1lib.config import GPTConfig
from gpt1lib.model import GPT, Attention, Block
from gpt1lib.rng import own_rng

SHARE = 0.15
"""Of all tokens, those that become targets."""
KEEP_PROB, RANDOM_PROB = 0.1, 0.1
"""Of the targets, those that stay as they are and those that become any token; the rest
become [MASK]. Where it must fill in, the model should not know which ones were changed."""
NO_TARGET = -100
"""The label of a token that counts for nothing: F.cross_entropy skips it."""


class BidirectionalAttention(Attention):
    """Self-attention in which every token sees every other."""

    def attend(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """softmax(q k^T / sqrt(D)) v, by torch's fused kernel."""
        rate = self.dropout if self.training else 0.0
        return F.scaled_dot_product_attention(q, k, v, None, rate, is_causal=False)


class BidirectionalBlock(Block):
    """GPT-1's block, with attention that looks both ways."""

    def __init__(self, config: GPTConfig):
        super().__init__(config)
        with own_rng("attention"):  # so that both kinds begin with the same numbers
            self.attention = BidirectionalAttention(config)


class MaskedGPT(GPT):
    """GPT-1 without the causal mask; the last token of its vocabulary is [MASK]."""

    block = BidirectionalBlock
    has_cache = False  # what is read later changes what was computed before

    @property
    def mask_id(self) -> int:
        """The id of [MASK]."""
        return self.config.n_vocab - 1


def mask_tokens(ids: Tensor, mask_id: int, share: float = SHARE) -> tuple[Tensor, Tensor]:
    """BERT's exercise from a text: what the model reads, and what it should say.

    ids (B, T) of a vocabulary that ends at [MASK]. Returns (read, labels), both (B, T): labels
    are the true ids of the chosen tokens and NO_TARGET elsewhere. At least one is chosen.
    """
    share = validate.check_float("share", share, gt=0, le=1)
    chosen = torch.rand(ids.shape) < share  # (B, T)
    if not bool(chosen.any()):
        chosen.view(-1)[int(torch.randint(ids.numel(), ()))] = True
    labels = ids.where(chosen, NO_TARGET)
    fate = torch.rand(ids.shape)
    any_token = torch.randint(mask_id, ids.shape)
    read = ids.where(~chosen | (fate < KEEP_PROB), mask_id)
    swapped = chosen & (fate >= KEEP_PROB) & (fate < KEEP_PROB + RANDOM_PROB)
    return any_token.where(swapped, read), labels


def masked_loss(model: MaskedGPT, read: Tensor, labels: Tensor) -> Tensor:
    """Mean of -log P(token) over the tokens that were chosen; the softmax reads only those."""
    chosen = labels != NO_TARGET
    logits = model.logits(model.hidden(read)[chosen])  # (chosen, V)
    return F.cross_entropy(logits, labels[chosen])

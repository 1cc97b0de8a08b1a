"""What GPT-1 maximizes, and the losses that code minimizes.

The paper writes log-likelihoods L1, L2 and L3 = L2 + lambda L1 to maximize (Eq. 1, 4
and 5), summed over tokens and examples. Code minimizes their negatives, and the released
code takes means: over the tokens of a sequence without its padding, then over sequences.
"""

import math

import torch.nn.functional as F
from torch import Tensor

from . import validate


def token_log_probs(logits: Tensor, ids: Tensor) -> Tensor:
    """log P(u_i | u_<i) of each token but the first: (B, T, V), (B, T) -> (B, T-1).

    The state at position i has read u_i, so it predicts u_(i+1): logits lose their
    last column, ids their first.
    """
    if logits.dim() != 3 or logits.shape[:2] != ids.shape:
        shapes = f"{tuple(logits.shape)} and {tuple(ids.shape)}"
        raise ValueError(f"logits and ids are {shapes}, they must be (B, T, V) and (B, T)")
    if ids.shape[1] < 2:
        raise ValueError("a sequence of 1 token has nothing to predict, it needs 2")
    validate.check_indices("token id", ids[:, 1:], logits.shape[2])
    return -cross_entropy(logits[:, :-1], ids[:, 1:], "none")  # (B, T-1)


def cross_entropy(logits: Tensor, targets: Tensor, reduction: str = "mean") -> Tensor:
    """-log P of each target, or the mean over all: logits (B, T, V), targets (B, T).

    torch's own, for sequences. Targets are not checked, which would delay a GPU.
    """
    loss = F.cross_entropy(logits.flatten(0, 1), targets.flatten().long(), reduction=reduction)
    return loss.view(targets.shape) if reduction == "none" else loss


def lm_log_likelihood(logits: Tensor, ids: Tensor, mask: Tensor | None = None):
    """L1: the sum of log-probabilities of all targets, in nats (Eq. 1).

    mask: (B, T), 1 on tokens and 0 on padding, which is not a target.
    """
    log_probs = token_log_probs(logits, ids)
    if mask is not None:
        validate.check_mask(mask, ids)
        log_probs = log_probs.where(mask[:, 1:] > 0, 0)  # -inf x 0 would be nan
    return log_probs.sum()


def lm_loss(logits: Tensor, ids: Tensor, mask: Tensor | None = None) -> Tensor:
    """-L1 as the released code averages it: a mean per sequence, then over sequences.

    mask: (B, T), 1 on tokens and 0 on padding. Raises ValueError where it leaves a sequence
    without a target.
    """
    losses = -token_log_probs(logits, ids)  # (B, T-1)
    if mask is None:
        return losses.mean()
    validate.check_mask(mask, ids)
    mask = mask[:, 1:] > 0  # (B, T-1)
    return (losses.where(mask, 0).sum(dim=1) / mask.sum(dim=1)).mean()  # (), inf x 0 is nan


def task_loss(task_logits: Tensor, labels: Tensor) -> Tensor:
    """-L2 (Eq. 4) as a mean over examples, as in the released code. Logits (B, K).

    labels: classes (B,), or distributions over the classes (B, K).
    """
    check_labels(labels, task_logits)
    return F.cross_entropy(task_logits, labels)


def check_labels(labels: Tensor, task_logits: Tensor) -> None:
    """Raise ValueError unless labels are classes (B,) or distributions (B, K)."""
    graded = labels.is_floating_point()
    if task_logits.dim() != 2 or labels.shape != task_logits.shape[: 2 if graded else 1]:
        shapes = f"{tuple(task_logits.shape)} and {tuple(labels.shape)}"
        raise ValueError(f"logits and labels are {shapes}, they need (B, K) and (B,) or (B, K)")
    if not graded:
        validate.check_indices("label", labels, task_logits.shape[1])
    elif not bool((labels >= 0).all()) or not labels.sum(1).allclose(labels.new_ones(())):
        raise ValueError("labels are not distributions: each row must be >= 0 and sum to 1")


def combined_loss(task: Tensor, lm: Tensor, lm_coef: float = 0.5) -> Tensor:
    """-L3 = task loss + lambda x language-model loss (Eq. 5; lambda = 0.5, sec. 4.1).

    Raises ValueError for a negative or non-finite lambda.
    """
    validate.check_float("lm_coef (lambda)", lm_coef, ge=0)
    return task + lm_coef * lm


def perplexity(nats_per_token: float) -> float:
    """exp of the mean loss in nats; 18.4 in the paper is 2.912351 nats.

    Infinite for a loss above 709 nats, whose exp is too large for a float. Raises ValueError
    below 0, where the sign was forgotten: a loss is minus a mean log-probability.
    """
    check_nats(nats_per_token)
    return math.exp(nats_per_token) if not nats_per_token > 709 else math.inf


def bits_per_character(nats: float, n_characters: int) -> float:
    """A score that does not depend on the tokenizer: total nats -> bits per character."""
    check_nats(nats)
    return nats / math.log(2) / validate.check_int("n_characters", n_characters, 1)


def check_nats(nats: float) -> None:
    """Raise ValueError for a loss below 0, by more than rounding makes."""
    if nats < -1e-3:
        raise ValueError(f"the loss is {nats} nats, it must be >= 0: minus a log-probability")

"""What GPT-1 maximizes, and the losses that code minimizes.

The paper writes log-likelihoods L1, L2 and L3 = L2 + lambda L1 to maximize (Eq. 1, 4
and 5), summed over tokens and examples. Code minimizes their negatives, and the
released code takes means: over the real tokens of a sequence, then over sequences.
"""

import math

import torch.nn.functional as F
from torch import Tensor


def token_log_probs(logits: Tensor, ids: Tensor) -> Tensor:
    """log P(u_i | u_<i) of each token but the first: (B, T, V), (B, T) -> (B, T-1).

    The state at position i has read u_i, so it predicts u_(i+1): logits lose their
    last column, ids their first.
    """
    if logits.shape[:2] != ids.shape:
        raise ValueError(
            f"logits are for {tuple(logits.shape[:2])} tokens, "
            f"ids have shape {tuple(ids.shape)}"
        )
    if ids.shape[1] < 2:
        raise ValueError("a sequence of 1 token has nothing to predict, it needs 2")
    loss = F.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten(), reduction="none")
    return -loss.view(ids.shape[0], -1)  # (B, T-1)


def lm_log_likelihood(logits: Tensor, ids: Tensor, real: Tensor | None = None):
    """L1: the sum of log-probabilities of all real targets, in nats (Eq. 1).

    real: (B, T), 1 on tokens and 0 on padding.
    """
    log_probs = token_log_probs(logits, ids)
    if real is not None:
        log_probs = log_probs * real[:, 1:]
    return log_probs.sum()


def lm_loss(logits: Tensor, ids: Tensor, real: Tensor | None = None) -> Tensor:
    """-L1 as the released code averages it: a mean per sequence, then over sequences.

    Raises ValueError where a sequence has no real target.
    """
    losses = -token_log_probs(logits, ids)  # (B, T-1)
    if real is None:
        return losses.mean()
    real = real[:, 1:].to(losses.dtype)
    n_real = real.sum(dim=1)  # (B,)
    if bool((n_real == 0).any()):
        raise ValueError("a sequence has 0 real targets, each needs at least 1")
    return ((losses * real).sum(dim=1) / n_real).mean()


def graded_target(grade: float, n_classes: int = 6) -> list[float]:
    """STS-B: a grade as a distribution over the whole grades about it (utils.py).

    3.6 -> [0, 0, 0, 0.4, 0.6, 0]. ValueError for a grade outside 0 to n_classes - 1.
    """
    if not 0 <= grade <= n_classes - 1:
        raise ValueError(f"grade {grade} is not in 0 to {n_classes - 1}")
    low = min(int(grade), n_classes - 2)
    target = [0.0] * n_classes
    target[low], target[low + 1] = low + 1 - grade, grade - low
    return target


def task_log_likelihood(task_logits: Tensor, labels: Tensor) -> Tensor:
    """L2: the sum of log P(y | x) over examples, in nats (Eq. 4). Logits (B, K).

    labels: classes (B,), or distributions over the classes (B, K).
    """
    return -F.cross_entropy(task_logits, labels, reduction="sum")


def task_loss(task_logits: Tensor, labels: Tensor) -> Tensor:
    """-L2 as a mean over examples, as in the released code."""
    return F.cross_entropy(task_logits, labels)


def combined_loss(task: Tensor, lm: Tensor, lm_coef: float = 0.5) -> Tensor:
    """-L3 = task loss + lambda x language-model loss (Eq. 5; lambda = 0.5, sec. 4.1).

    Raises ValueError for a negative or non-finite lambda.
    """
    check_lm_coef(lm_coef)
    return task + lm_coef * lm


def check_lm_coef(lm_coef: float) -> None:
    """ValueError unless lambda is finite and not negative."""
    if not (math.isfinite(lm_coef) and lm_coef >= 0):
        raise ValueError(f"lm_coef (lambda) is {lm_coef}, it must be finite and >= 0")


def combined(task: Tensor, lm: Tensor, lm_coef: float = 0.5) -> Tensor:
    """L3 = L2 + lambda L1 for the log-likelihoods themselves (Eq. 5)."""
    return combined_loss(task, lm, lm_coef)  # the same sum, the other sign


def perplexity(nats_per_token: float) -> float:
    """exp of the mean loss in nats; 18.4 in the paper is 2.912351 nats."""
    return math.exp(nats_per_token)


def bits_per_character(nats: float, n_characters: int) -> float:
    """A score that does not depend on the tokenizer: total nats -> bits per character."""
    if n_characters < 1:
        raise ValueError(f"n_characters is {n_characters}, it must be >= 1")
    return nats / math.log(2) / n_characters

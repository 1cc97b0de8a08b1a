"""The language-model loss without ever keeping all logits: the trainer's trick.

The logits of one batch are its largest tensor by far: 2,048 tokens x 8,120 scores are
66 million bytes, written and read again by the softmax, by its gradient and by two
matrix products. Here a few hundred rows at a time are computed, used for the loss and for
both gradients while they are still in the processor's cache, and dropped. The result
is that of `losses.lm_loss`, and a test compares both; only the order of sums differs.
"""

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .. import validate


class _ChunkedLoss(torch.autograd.Function):
    """Sum of -share x log softmax(h W^T)[target]; the gradients are computed along with it."""

    @staticmethod
    def forward(ctx, h, W, targets, shares, rows: int, learning: bool) -> Tensor:
        """h (N, C), W (V, C), targets (N,), shares (N,) -> the loss; `rows` of h at a time.

        learning: compute the gradients, too.
        """
        dh, dW, total = torch.empty_like(h), torch.zeros_like(W), 0.0
        for i in range(0, len(h), rows):
            part, target = h[i : i + rows], targets[i : i + rows, None]
            share = shares[i : i + rows, None]
            loss, probs, sums = _loss_of_rows(part, W, target, share)
            total += loss
            if learning:
                probs.mul_(share / sums).scatter_add_(1, target, -share)
                torch.mm(probs, W, out=dh[i : i + rows])  # share (p - onehot), times W
                dW.addmm_(probs.T, part)
        ctx.save_for_backward(dh, dW)
        return h.new_full((), total)

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream: Tensor):
        """The gradients that `forward` computed, times the gradient from above."""
        dh, dW = ctx.saved_tensors
        return dh * upstream, dW * upstream, None, None, None, None


def _loss_of_rows(part, W, target, share) -> tuple[float, Tensor, Tensor]:
    """The loss of some rows, exp(logits - top) (rows, V), and its sums (rows, 1)."""
    logits = part @ W.T  # (rows, V)
    top = logits.amax(dim=1, keepdim=True)
    chosen = logits.gather(1, target)
    probs = logits.sub_(top).exp_()  # in place: no second large buffer
    sums = probs.sum(dim=1, keepdim=True)
    return ((sums.log() + top - chosen) * share).sum().item(), probs, sums


def chunked_lm_loss(h: Tensor, W: Tensor, targets: Tensor, rows: int = 512) -> Tensor:
    """Mean cross-entropy of the tied softmax, in nats; float32 on a CPU.

    h: (B, T, C) states; W: (V, C); targets: (B, T), the token after each state.
    """
    check_chunks(h, W, targets, rows)
    h, targets, n = h.flatten(0, -2), targets.flatten(), targets.numel()
    shares = h.new_full((n,), 1 / n)
    return _ChunkedLoss.apply(h, W, targets, shares, rows, torch.is_grad_enabled())


def chunked_padded_loss(
    h: Tensor, W: Tensor, ids: Tensor, mask: Tensor, rows: int = 512
) -> Tensor:
    """losses.lm_loss(h W^T, ids, mask); padding costs nothing.

    h: (B, T, C) states of ids (B, T); mask: (B, T), 1 on tokens and 0 on padding.
    """
    check_chunks(h, W, ids, rows)
    validate.check_mask(mask, ids)
    counted = mask[:, 1:] > 0  # (B, T-1)
    per_sequence = counted.sum(dim=1, keepdim=True).to(h.dtype)
    shares = (counted / per_sequence / len(ids))[counted]
    h, targets = h[:, :-1][counted], ids[:, 1:][counted]
    return _ChunkedLoss.apply(h, W, targets, shares, rows, torch.is_grad_enabled())


def check_chunks(h: Tensor, W: Tensor, ids: Tensor, rows: int) -> None:
    """Check that states h (B, T, C) and ids (B, T) fit, and that ids are rows of W (V, C).

    Raises ValueError where they do not.
    """
    validate.check_int("rows", rows, 1)
    if h.shape != (*ids.shape, W.shape[-1]):
        shapes = f"h {tuple(h.shape)}, ids {tuple(ids.shape)}, W {tuple(W.shape)}"
        raise ValueError(f"{shapes}: they need (B, T, C), (B, T), (V, C)")
    validate.check_indices("token id", ids, len(W))

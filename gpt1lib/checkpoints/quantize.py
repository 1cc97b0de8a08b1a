"""Weights in 8 bits: each row of a matrix as integers from -127 to 127, and one scale."""

import torch
from torch import Tensor

LEVELS = 127
"""To either side of 0."""


def quantize_rows(weight: Tensor) -> tuple[Tensor, Tensor]:
    """(R, C) float -> (R, C) int8 and (R, 1) scales; weight is about int8 x scale.

    A row of zeros has the scale 1. Raises ValueError for a weight that is not finite, which
    no int8 can express.
    """
    if not bool(weight.isfinite().all()):
        raise ValueError("the weights contain nan or infinite numbers: the run has diverged")
    scale = weight.abs().amax(dim=1, keepdim=True) / LEVELS  # (R, 1)
    scale = torch.where(scale == 0, 1.0, scale)
    return (weight / scale).round().to(torch.int8), scale


def dequantize_rows(rows: Tensor, scale: Tensor) -> Tensor:
    """(R, C) int8 and (R, 1) scales -> the weights (R, C) that they encode."""
    return rows.float() * scale


def quantize_matrices(weights: dict[str, Tensor], suffix: str) -> dict[str, Tensor]:
    """Weights by name as a file stores them: matrices in 8 bits, vectors in 16.

    suffix: after the name of a matrix, the name of its scales.
    """
    stored = {}
    for name, weight in weights.items():
        if weight.dim() == 2:
            stored[name], stored[name + suffix] = quantize_rows(weight.detach().cpu())
        else:
            stored[name] = weight.detach().half().cpu()
    return stored


def dequantize_matrices(stored: dict[str, Tensor], suffix: str) -> dict[str, Tensor]:
    """The weights by name, each in 32 bits."""
    scales = {name + suffix for name in stored}  # a parameter may end in the suffix, too
    return {
        name: dequantize_rows(x, stored.get(name + suffix, torch.ones(())))
        for name, x in stored.items()
        if name not in scales
    }

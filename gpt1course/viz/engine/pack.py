"""A model as bytes that the page's engine reads: 8 bits for a weight, 16, or all 32.

Of a matrix in 8 bits each row has a scale of its own, the largest of its numbers by 127.
Vectors (biases, gains) keep their 32 bits: together they are under 1% of the whole.
"""

import copy

from torch import Tensor, nn, no_grad

from gpt1lib import validate
from gpt1lib.checkpoints.quantize import dequantize_rows, quantize_rows
from gpt1lib.model import GPT

ALIGNED = 4  # bytes: where a Float32Array may begin


def pack(model: GPT, bits: int = 8) -> tuple[list[dict], bytes]:
    """(header, bytes): name, shape, bits and place of each tensor, and all of them.

    bits: 8, 16 or 32, of each number of a matrix. weights.js reads them.
    """
    header, parts, at = [], [], 0
    for name, tensor in model.state_dict().items():
        given = bits_of(tensor, bits)
        content = as_bytes_of(tensor, given)
        header.append({"name": name, "shape": list(tensor.shape), "bits": given, "at": at})
        parts.append(content + bytes(-len(content) % ALIGNED))
        at += len(parts[-1])
    return header, b"".join(parts)


def exact_bits(model: nn.Module) -> int:
    """The fewest of 16 and 32 that change no weight of a matrix."""
    matrices = (p.detach() for p in model.parameters() if p.dim() == 2)
    return 16 if all(bool((m == m.half()).all()) for m in matrices) else 32


def bits_of(tensor: Tensor, bits: int) -> int:
    """What a number of this tensor is stored in; ValueError unless bits is 8, 16 or 32."""
    validate.check_int("bits", bits, 8, 32)
    if bits not in (8, 16, 32):
        raise ValueError(f"bits is {bits}, it must be 8, 16 or 32")
    return bits if tensor.dim() == 2 else 32


def as_bytes_of(tensor: Tensor, bits: int) -> bytes:
    """A tensor's numbers, little-endian: float32, float16, or scales and then int8."""
    values = tensor.detach().float()
    if bits != 8:
        return values.numpy().astype(f"<f{bits // 8}").tobytes()
    rows, scales = quantize_rows(values)
    return scales.numpy().astype("<f4").tobytes() + rows.numpy().tobytes()


@no_grad()
def as_stored(model: GPT, bits: int = 8) -> GPT:
    """The model that the engine computes: a copy with each weight as it is stored."""
    twin = copy.deepcopy(model)
    for parameter in twin.parameters():
        _round(parameter, bits_of(parameter, bits))
    return twin


def _round(parameter: nn.Parameter, bits: int) -> None:
    values = parameter.detach()
    if bits == 16:
        parameter.copy_(values.half())
    if bits == 8:
        parameter.copy_(dequantize_rows(*quantize_rows(values)))

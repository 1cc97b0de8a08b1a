"""Two results compared: kind, shape and values."""

import math
from typing import Any

import numpy as np
import torch

ARRAYS = torch.Tensor | np.ndarray
ROUGHER = {"float32": 1e-5, "float16": 4e-3, "bfloat16": 4e-2}  # what the bits can hold


def same(a, b, tolerance: float, others_agree: bool = False) -> bool:
    """Whether two results agree: kind, shape and values (nan agrees with nan).

    Numbers of Python, numpy and torch agree with each other, and are compared as exactly
    as b's kind of float can be, or as float32 can. Objects that are not data (a model, a
    function) must be equal, or with others_agree count as equal. Never raises.
    """
    try:
        return _same(plain(a), plain(b), tolerance, others_agree)
    except Exception:  # what cannot be compared is not the same
        return False


def _same(a, b, tolerance, others_agree) -> bool:
    if isinstance(a, ARRAYS) or isinstance(b, ARRAYS):
        return _same_arrays(a, b, tolerance)
    if isinstance(a, bool) or isinstance(b, bool):
        return isinstance(a, bool) and isinstance(b, bool) and a == b
    if isinstance(a, Number) and isinstance(b, Number):
        return _close_numbers(a.value, b.value, max(tolerance, roughness(a.dtype, b.dtype)))
    if isinstance(a, list | tuple) and isinstance(b, list | tuple):
        pairs = zip(a, b, strict=False)
        return len(a) == len(b) and all(same(x, y, tolerance, others_agree) for x, y in pairs)
    if isinstance(a, dict) and isinstance(b, dict):
        return a.keys() == b.keys() and all(
            same(a[k], b[k], tolerance, others_agree) for k in a
        )
    if isinstance(a, str | bytes | set | None) or type(a) is not type(b):
        return type(a) is type(b) and a == b
    return others_agree or bool(a == b)


class Number:
    """A single number, and its kind of float."""

    def __init__(self, value: int | float, dtype: str = "float64"):
        self.value, self.dtype = value, dtype


def roughness(given: str, wanted: str) -> float:
    """How far apart two equal results may be by their dtypes.

    Half precision counts only where it is wanted: its few digits hide a wrong formula.
    """
    return max(ROUGHER.get(wanted, 0.0), min(ROUGHER.get(given, 0.0), ROUGHER["float32"]))


def plain(value: Any) -> Any:
    """A single number, flag or text of numpy or torch as Python's own; numbers wrapped."""
    if isinstance(value, torch.Tensor | np.ndarray | np.generic) and value.ndim == 0:
        kind = dtype_name(value)
        value = array(value)
        value = item(value) if value is not None else None
        return plain(value) if isinstance(value, bool | str) else _number(value, kind)
    return _number(value, "float64")


def item(value):
    """A single number of numpy as Python's own, also a longdouble, which has no such twin."""
    single = value.item()
    return float(single) if isinstance(single, np.floating) else single


def _number(value, dtype):
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return Number(value, dtype) if is_number else value


def dtype_name(value) -> str:
    """float32, int64, ... of an array or tensor."""
    return str(value.dtype).removeprefix("torch.")


def _same_arrays(a, b, tolerance) -> bool:
    if isinstance(a, torch.Tensor) != isinstance(b, torch.Tensor):
        return False  # an array is not a tensor
    x, y = array(a), array(b)
    if x is None or y is None or x.shape != y.shape or kind(x) != kind(y):
        return False
    rough = roughness(dtype_name(a), dtype_name(b))
    return not apart(x, y, max(tolerance, rough)).any()


def apart(x: np.ndarray, y: np.ndarray, tolerance: float) -> np.ndarray:
    """Where two arrays of one shape and kind differ, as booleans (nan agrees with nan)."""
    if x.dtype.kind in "biuUO":
        return np.asarray(x != y)
    with np.errstate(invalid="ignore"):  # inf - inf
        return ~np.isclose(x, y, rtol=tolerance, atol=tolerance, equal_nan=True)


def other_kind(a, b) -> tuple | None:
    """Where results that agree differ in kind, so that code made for b may stumble over a.

    The two values there, or None: a float64 tensor for a float32 one, a tuple for a list,
    a tensor for a number. Never raises.
    """
    try:
        return _other_kind(a, b)
    except Exception:  # what cannot be looked into is left as it is
        return None


def _other_kind(a, b) -> tuple | None:
    if isinstance(a, ARRAYS) or isinstance(b, ARRAYS):
        return None if _form(a) == _form(b) else (a, b)
    if isinstance(b, list | tuple):
        if isinstance(a, list) != isinstance(b, list):
            return a, b
        return next(filter(None, map(_other_kind, a, b)), None)
    if isinstance(b, dict):
        return next(filter(None, (_other_kind(a[k], b[k]) for k in b)), None)
    return None


def _form(x) -> tuple:
    """What an operation on an array or tensor may depend on, beside its numbers."""
    if isinstance(x, torch.Tensor):
        return torch.Tensor, x.dtype, x.layout, x.requires_grad
    return (np.ndarray, x.dtype) if isinstance(x, np.ndarray) else (None,)


def with_gradients(value):
    """The same arguments with float tensors that require a gradient; the rest as it is."""
    if isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_meta:
        return value.detach().clone().requires_grad_()
    if isinstance(value, list | tuple):
        return type(value)(map(with_gradients, value))
    if isinstance(value, dict):
        return {key: with_gradients(v) for key, v in value.items()}
    return value


def has_gradient(value) -> bool:
    """Whether a result, or a part of it, requires a gradient."""
    if isinstance(value, torch.Tensor):
        return value.requires_grad
    parts = value.values() if isinstance(value, dict) else value
    return isinstance(value, list | tuple | dict) and any(map(has_gradient, parts))


def array(x) -> np.ndarray | None:
    """The numbers of an array or tensor of any layout; None where it holds none."""
    if not isinstance(x, torch.Tensor):
        return np.asarray(x) if isinstance(x, (np.ndarray, np.generic)) else None
    if x.is_meta:
        return None
    x = x.detach().cpu()
    x = x.dequantize() if x.is_quantized else x
    x = x.to_dense() if x.layout != torch.strided else x
    x = x.resolve_conj().resolve_neg()
    return x.float().numpy() if x.dtype == torch.bfloat16 else x.numpy()


def as_container(value, wanted):
    """Numbers of a list, array or tensor in the container of wanted; None where it cannot be.

    Only a container of another kind is turned: dtypes and shapes stay as they are.
    """
    try:
        if isinstance(wanted, ARRAYS):
            return _as_array(value, wanted)
        numbers = array(value) if isinstance(wanted, list | tuple) else None
        return None if numbers is None else numbers.tolist()
    except Exception:  # what is not made of numbers
        return None


def _as_array(value, wanted):
    if isinstance(value, list | tuple) and any(isinstance(v, torch.Tensor) for v in value):
        value = torch.stack([*value])
    numbers = array(value) if isinstance(value, ARRAYS) else np.array(value)
    if numbers is None or numbers.dtype.kind not in "biuf":
        return None
    target = array(wanted)
    if target is not None and kind(numbers) == "integer" and kind(target) == "float":
        return None  # a list of whole numbers would become another dtype
    return torch.tensor(numbers) if isinstance(wanted, torch.Tensor) else numbers


def kind(a: np.ndarray) -> str:
    """bool, integer, float, or what else numpy calls it."""
    return {"b": "bool", "i": "integer", "u": "integer", "f": "float"}.get(
        a.dtype.kind, a.dtype.name
    )


def _close_numbers(a: int | float, b: int | float, tolerance: float) -> bool:
    """The same of two single numbers, without numpy, which takes a thousand times as long."""
    if a == b or (a != a and b != b):
        return True
    return math.isfinite(b) and abs(a - b) <= tolerance * (1 + abs(b))

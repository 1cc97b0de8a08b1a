"""Two results compared, and told apart in words."""

import contextlib
import copy
import io
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch


@dataclass(frozen=True)
class Result:
    """What one call gave: a value, or the exception it raised."""

    value: Any = None
    error: Exception | None = None
    changed_inputs: bool = False


def call(function: Callable, arguments: tuple) -> Result:
    """Call with a copy of the arguments; catch what it raises, mute what it prints."""
    given = fresh(arguments)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            value = function(*given)
    except Exception as error:  # whatever a learner's code raises is a result here
        return Result(error=error)
    unchanged = same(given, arguments, 0.0, others_agree=True)
    return Result(value, changed_inputs=not unchanged)


def fresh(value):
    """A copy that shares no data; functions stay what they are."""
    if isinstance(value, tuple | list):
        return type(value)(fresh(v) for v in value)
    if isinstance(value, dict):
        return {k: fresh(v) for k, v in value.items()}
    if isinstance(value, torch.Generator):
        return value.clone_state()
    return copy.deepcopy(value)


def same(a, b, tolerance: float, others_agree: bool = False) -> bool:
    """Whether two results agree: kind, shape and values (nan agrees with nan).

    Objects that are no data (a model, a function) must be equal, or with others_agree
    count as equal.
    """
    arrays, flags = torch.Tensor | np.ndarray, bool | np.bool_
    if isinstance(a, arrays) or isinstance(b, arrays):
        return _same_arrays(a, b, tolerance)
    if isinstance(a, flags) or isinstance(b, flags):
        return isinstance(a, flags) and isinstance(b, flags) and bool(a == b)
    if isinstance(a, int | float) and isinstance(b, int | float):
        return _close(np.asarray(a, float), np.asarray(b, float), tolerance)
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


def _same_arrays(a, b, tolerance):
    if isinstance(a, torch.Tensor) != isinstance(b, torch.Tensor) and (
        getattr(a, "ndim", 0) or getattr(b, "ndim", 0)
    ):
        return False  # an array is no tensor; a single number may be either
    a, b = _to_numpy(a), _to_numpy(b)
    if a is None or b is None or a.shape != b.shape or _kind(a) != _kind(b):
        return False
    if a.dtype.kind in "biu":
        return bool((a == b).all())
    return _close(a, b, tolerance)


def _to_numpy(x) -> np.ndarray | None:
    if isinstance(x, torch.Tensor):
        return x.detach().cpu().numpy()
    return np.asarray(x) if isinstance(x, np.ndarray | np.generic | int | float) else None


def _kind(a: np.ndarray) -> str:
    return {"b": "bool", "i": "integer", "u": "integer"}.get(a.dtype.kind, "float")


def _close(a, b, tolerance):
    return bool(np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True))


def same_result(a: Result, b: Result, tolerance: float) -> bool:
    """Whether two calls went the same way, exceptions compared by type."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error)
    return same(a.value, b.value, tolerance) and a.changed_inputs == b.changed_inputs


def describe(arguments: tuple, got: Result, wanted: Result) -> str:
    """The first difference that can be seen, in words."""
    where = f"For {short(arguments)}"
    if got.error is not None:
        kind = type(got.error).__name__
        return f"{where} your function raised {kind}: {str(got.error)[:200]}"
    if wanted.error is not None:
        return f"{where} your function should raise {type(wanted.error).__name__}."
    if got.changed_inputs and not wanted.changed_inputs:
        return "Your function changes its arguments; work on a copy, or out of place."
    a, b = got.value, wanted.value
    if a is None:
        return f"{where} it returns None. Is the `return` missing?"
    if type(a) is not type(b) and not isinstance(a, int | float):
        return f"{where} it returns {type(a).__name__}, expected {type(b).__name__}."
    difference = _in_form(a, b) or f"it returns {short(a)}, expected {short(b)}"
    return f"{where} {difference}."


def _in_form(a: Any, b: Any) -> str | None:
    """How two arrays differ in shape or kind of number; None where they do not."""
    if not (hasattr(a, "shape") and hasattr(b, "shape")):
        return None
    if tuple(a.shape) != tuple(b.shape):
        return f"the shape is {tuple(a.shape)}, expected {tuple(b.shape)}"
    x, y = _to_numpy(a), _to_numpy(b)
    if x is None or y is None or _kind(x) == _kind(y):
        return None
    return f"the dtype is {a.dtype}, expected {b.dtype}"


def short(value) -> str:
    """A value in one short line, floats to four digits."""
    if isinstance(value, torch.Tensor | np.ndarray):
        if math.prod(value.shape) > 12:
            return f"{type(value).__name__} of shape {tuple(value.shape)}"
        return short(value.tolist())
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        return "(" + ", ".join(short(v) for v in value) + ")"
    if isinstance(value, list):
        shown = ", ".join(short(v) for v in value[:12])
        return f"[{shown}{', ...' if len(value) > 12 else ''}]"
    if callable(value):
        return getattr(value, "__name__", "a function")
    text = repr(value)
    return text if len(text) <= 60 and " at 0x" not in text else type(value).__name__

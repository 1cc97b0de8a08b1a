"""Results of a function as plain JSON and back: what leaves a process that nobody trusts.

Numbers, texts, lists, dicts, arrays and tensors come back as they were. Anything else comes
back as the name of its kind, so that no code travels with a value.
"""

import builtins
from typing import Any

import numpy as np
import torch

from ..checking.compare import ARRAYS, array, dtype_name
from ..checking.execution import Result
from ..checking.time_limit import TooLong

DEEPEST = 20  # lists within lists
LONGEST = 10_000  # bits of a whole number
DTYPES = ("float", "bfloat", "int", "uint", "bool")  # beginnings of those that travel


# ---- there ------------------------------------------------------------------------------


def packed(value: Any, depth: int = 0) -> Any:
    """A value as JSON has it: numbers, texts, None; a list [kind, ...] for the rest."""
    if depth > DEEPEST:
        return ["kind", "value, nested too deep"]
    if value is None or isinstance(value, bool):
        return value
    if value is ...:
        return ["dots"]
    if isinstance(value, str | np.str_):
        return str(value)
    if isinstance(value, np.generic | ARRAYS):
        return _packed_array(value)
    if isinstance(value, int | float):
        return float(value) if isinstance(value, float) else _whole(value)
    if isinstance(value, list | tuple | set):
        kind = next(k for k in (list, tuple, set) if isinstance(value, k))
        return [kind.__name__, *(packed(x, depth + 1) for x in value)]
    if isinstance(value, dict):
        return [
            "dict",
            *([packed(k, depth + 1), packed(v, depth + 1)] for k, v in value.items()),
        ]
    return ["kind", type(value).__name__]


def _whole(value: int):
    number = int(value)
    return number if number.bit_length() < LONGEST else ["kind", "int, too long"]


def _packed_array(value) -> list:
    numbers = array(value)
    kinds = {"Tensor": torch.Tensor, "ndarray": np.ndarray, "scalar": np.generic}
    kind = next(name for name, kind in kinds.items() if isinstance(value, kind))
    if numbers is None or numbers.dtype.kind not in "fiub":
        return ["kind", kind]
    return [kind, dtype_name(value), list(numbers.shape), numbers.ravel().tolist()]


def packed_result(result: Result) -> dict:
    """One call of a function, as JSON has it."""
    error = result.error
    told = None if error is None else [type(error).__name__, _words(error)]
    return {
        "value": packed(result.value),
        "error": told,
        "changed_inputs": result.changed_inputs,
        "printed": result.printed,
    }


def _words(error: BaseException) -> str:
    try:
        return str(error)[:1000]
    except Exception:  # an error may fail to say what it is
        return "(without words)"


# ---- and back ---------------------------------------------------------------------------


def unpacked(value: Any) -> Any:
    """What `packed` was given; ValueError or TypeError for anything that it does not make."""
    if not isinstance(value, list):
        return value
    kind, *rest = value
    if kind == "dots":
        return ...
    if kind in ("Tensor", "ndarray", "scalar"):
        return _unpacked_array(kind, *rest)
    if kind in ("list", "tuple", "set"):
        return getattr(builtins, kind)(unpacked(x) for x in rest)
    if kind == "dict":
        return {unpacked(k): unpacked(v) for k, v in rest}
    return type(str(rest[0]), (), {})()


def _unpacked_array(kind: str, dtype: str, shape: list, numbers: list):
    if not dtype.startswith(DTYPES):
        raise ValueError(f"no dtype of numbers: {dtype!r}")
    if kind == "Tensor":
        return torch.tensor(numbers, dtype=getattr(torch, dtype)).reshape(shape)
    made = np.array(numbers, dtype=dtype).reshape(shape)
    return made if kind == "ndarray" else made[()]


def unpacked_result(told: dict) -> Result:
    """The Result of `packed_result`; an error becomes one of the same name."""
    error = None
    if told["error"] is not None:
        name, words = map(str, told["error"])
        error = TooLong(_seconds(words)) if name == "TooLong" else _error_class(name)(words)
    printed = str(told["printed"])
    return Result(unpacked(told["value"]), error, bool(told["changed_inputs"]), printed)


def _seconds(words: str) -> float:
    return float(words) if words.replace(".", "", 1).isdigit() else 0.0


def _error_class(name: str) -> type[BaseException]:
    """Python's own class of that name where a text alone makes one, else a new one."""
    known = getattr(builtins, name, None)
    if isinstance(known, type) and issubclass(known, BaseException):
        if not issubclass(known, UnicodeError | BaseExceptionGroup):
            return known
    return type(name, (Exception,), {})

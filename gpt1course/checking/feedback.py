"""What is wrong with a result, in words: the place, both values, and how far apart."""

import math
from typing import Any

import numpy as np
import torch

from .advice import advice
from .compare import (
    ARRAYS,
    Number,
    apart,
    array,
    as_container,
    dtype_name,
    item,
    kind,
    plain,
    roughness,
    same,
)
from .execution import Result
from .time_limit import TooLong

SHOWN = 12  # numbers of an array or list; more are counted, not shown


def describe(arguments: tuple, got: Result, wanted: Result, tolerance: float) -> str:
    """The first difference between two results, in a sentence or two."""
    where = f"For {short_arguments(arguments)}"
    if got.error is not None:
        return _raised(where, got.error)
    if wanted.error is not None:
        return f"{where} your function should raise {type(wanted.error).__name__}."
    if got.changed_inputs and not wanted.changed_inputs:
        return "Your function changes its arguments; work on a copy, not in place."
    if got.value is None:
        return f"{where} it returns None. Is a `return` missing, or never reached?"
    return f"{where} {difference(got.value, wanted.value, tolerance)}."


def _raised(where: str, error: BaseException) -> str:
    if isinstance(error, TooLong):
        return (
            f"{where} your function was still running after {error.args[0]:.0f} seconds and "
            "was stopped. Does a loop never end?"
        )
    if isinstance(error, KeyboardInterrupt):
        return f"{where} your function was stopped by hand."
    text = message_of(error)
    colon, told = ": " if text else "", advice(error, text)
    raised = f"{where} your function raised {type(error).__name__}{colon}{text}."
    return f"{raised} {told}".rstrip()


def message_of(error: BaseException | None) -> str:
    """What an error says, without its last full stop; empty for none."""
    if error is None:
        return ""
    try:
        return str(error)[:200].rstrip(" .")
    except Exception:  # an error may fail to say what it is
        return "(without words)"


def difference(got: Any, wanted: Any, tolerance: float) -> str:
    """What differs between two values: kind, form, then the first place."""
    a, b = plain(got), plain(wanted)
    a = dict(a) if isinstance(a, dict) else a
    if remedy := _container(a, b, tolerance):
        return remedy
    if _name(a) != _name(b):
        return f"it returns {kind_in_words(got)}, expected {kind_in_words(wanted)}"
    if isinstance(a, ARRAYS):
        return _between_arrays(a, b, tolerance)
    if isinstance(a, dict) and a.keys() != b.keys():
        return f"it returns the keys {short(list(a))}, expected {short(list(b))}"
    if isinstance(a, list | tuple | dict):
        return _between_items(a, b, tolerance)
    if isinstance(a, Number):
        rough = f" (yours is {a.dtype})" if a.dtype in ("float16", "bfloat16") else ""
        mine, theirs = _told_apart(a.value, b.value)
        return f"it returns {mine}{rough}, expected {theirs}"
    return f"it returns {short(got)}, expected {short(wanted)}"


CONTAINERS = {"Tensor": "a tensor", "ndarray": "an array", "sequence": "a list"}
REMEDIES = {
    "Tensor": "Make it a tensor: torch.tensor(...)",
    "ndarray": "Make it an array: np.array(...)",
    "sequence": "Make it a list: .tolist()",
    "tuple": "Make it a tuple: tuple(x.tolist()), with your result for x",
}


def _container(a, b, tolerance) -> str | None:
    """What to do where the numbers are right and only their container is another one."""
    if _name(a) == _name(b) or not isinstance(a, list | tuple | ARRAYS):
        return None
    if not same(as_container(a, b), b, tolerance):
        return None
    if isinstance(a, list | tuple) and any(isinstance(x, torch.Tensor) for x in a):
        remedy = "Make it one tensor: torch.stack(...)"
    else:
        remedy = REMEDIES["tuple" if isinstance(b, tuple) else _name(b)]
    return f"the numbers are right, but in {CONTAINERS[_name(a)]}. {remedy}"


def _told_apart(got, wanted) -> tuple[str, str]:
    """Two numbers in short, with all their digits where four do not tell them apart."""
    pair = short(got), short(wanted)
    return pair if pair[0] != pair[1] else (repr(got), repr(wanted))


def _between_arrays(a, b, tolerance) -> str:
    """Where two arrays differ first, and by how much at most."""
    if tuple(a.shape) != tuple(b.shape):
        return f"the shape is {tuple(a.shape)}, expected {tuple(b.shape)}"
    x, y = array(a), array(b)
    if x is None or y is None:
        return f"it returns a tensor without numbers ({getattr(a, 'device', 'unknown')})"
    if kind(x) != kind(y):
        return f"the dtype is {a.dtype}, expected {b.dtype}"
    differ = apart(x, y, max(tolerance, roughness(dtype_name(a), dtype_name(b))))
    first = tuple(int(i) for i in np.argwhere(differ)[0])
    if x.size <= SHOWN and short(a) != short(b):
        message = (
            f"it returns {short(a)}, expected {short(b)}; they differ first at {_at(first)}"
        )
    else:
        mine, theirs = _told_apart(x[first].item(), y[first].item())
        message = (
            f"{differ.sum()} of {x.size} numbers differ, the first at {_at(first)}: "
            f"{mine}, expected {theirs}"
        )
    return (
        message + _largest(x, y, dtype_name(a), dtype_name(b)) + _factor(x[differ], y[differ])
    )


def _largest(x, y, dtype, wanted_dtype) -> str:
    """What else is worth knowing: nan, or the largest difference, and the dtypes."""
    if kind(x) != "float":
        return ""
    lost = np.isnan(x) & ~np.isnan(y)
    if lost.any():
        return f". {_count(int(lost.sum()), 'number')} of yours {_is(lost)} nan (not a number)"
    with np.errstate(all="ignore"):
        most = np.nanmax(np.abs(x.astype(float) - y.astype(float)))
    kinds = "" if dtype == wanted_dtype else f" (yours are {dtype}, expected {wanted_dtype})"
    return f". The largest difference is {most:.3g}{kinds}"


def _factor(x, y) -> str:
    """Where all that differs does so by one factor, a scale or a sign: that factor."""
    if kind(x) != "float" or x.size < 2 or not (np.isfinite(x).all() and y.all()):
        return ""
    factors = x.astype(float) / y
    if not factors.any() or not np.allclose(factors, factors[0], rtol=1e-3):
        return ""
    if abs(factors[0] - 1) < 1e-3:  # no factor that a formula could lack
        return ""
    return f". Where they differ, yours is {factors[0]:.4g} times what is expected"


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" + "s" * (n != 1)


def _is(flags) -> str:
    return "is" if flags.sum() == 1 else "are"


def _at(place: tuple[int, ...]) -> str:
    return "[" + ", ".join(map(str, place)) + "]"


def _between_items(a, b, tolerance) -> str:
    """The first item of two lists, tuples or dicts that differs."""
    if short(a) != short(b) and len(short(a)) + len(short(b)) < 80:
        return f"it returns {short(a)}, expected {short(b)}"
    if len(a) != len(b):
        return f"it returns {_count(len(a), 'item')}, expected {len(b)}"
    keys = a if isinstance(a, dict) else range(len(a))
    key = next(k for k in keys if not same(a[k], b[k], tolerance))
    return f"in item {key!r} {difference(a[key], b[key], tolerance)}"


def _name(value) -> str:
    """One word for what counts as the same kind."""
    if isinstance(value, Number):
        return "number"
    if isinstance(value, dict | torch.Tensor | np.ndarray):  # defaultdict, Parameter
        kinds = {dict: "dict", torch.Tensor: "Tensor", np.ndarray: "ndarray"}
        return next(name for kind, name in kinds.items() if isinstance(value, kind))
    return "sequence" if isinstance(value, list | tuple) else type(value).__name__


def kind_in_words(value) -> str:
    """tensor (int64), list, number ..., for a learner to read."""
    if isinstance(value, ARRAYS):
        told = ", requires_grad" * bool(getattr(value, "requires_grad", False))
        return f"{type(value).__name__} ({dtype_name(value)}, shape {tuple(value.shape)}{told})"
    shown = short(value)
    name = type(value).__name__
    if value is None:
        return "None"
    if callable(value) or len(shown) > 20 or shown == name:
        return name
    if shown.startswith(f"{name}("):  # Fraction(11, 10) says so itself
        return shown
    return f"{name} {shown}"


def short_arguments(arguments: tuple) -> str:
    """The arguments in one short line; what is long becomes its kind and shape."""
    shown = [short(a) for a in arguments]
    if sum(map(len, shown)) > 80:
        shown = [
            s if len(s) <= 30 else _kind_and_shape(a)
            for s, a in zip(shown, arguments, strict=True)
        ]
    return f"({', '.join(shown)})"


def _kind_and_shape(value) -> str:
    """ndarray (4, 3): enough of an argument where there are many."""
    if isinstance(value, ARRAYS):
        return f"{type(value).__name__} {tuple(value.shape)}"
    return kind_in_words(value)


def short(value) -> str:
    """A value in one short line, floats to four digits."""
    if isinstance(value, torch.Tensor | np.ndarray):
        if math.prod(value.shape) > SHOWN or (numbers := array(value)) is None:
            return f"{type(value).__name__} of shape {tuple(value.shape)}"
        return short(numbers.tolist())
    if isinstance(value, Number | np.generic):
        return short(value.value if isinstance(value, Number) else item(value))
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, tuple):
        comma = "," if len(value) == 1 else ""
        return "(" + ", ".join(short(v) for v in value) + comma + ")"
    if isinstance(value, list):
        shown = ", ".join(short(v) for v in value[:SHOWN])
        return f"[{shown}{', ...' if len(value) > SHOWN else ''}]"
    if callable(value):
        name = getattr(value, "__name__", None)
        return name if isinstance(name, str) else "a function"
    return _repr(value)


def _repr(value) -> str:
    try:
        text = repr(value)
    except Exception:  # an object may fail to say what it is
        return type(value).__name__
    most = 160 if isinstance(value, str) else 60
    return text if len(text) <= most and " at 0x" not in text else type(value).__name__

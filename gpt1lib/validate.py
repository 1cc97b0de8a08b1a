"""Checks of arguments: a number of the right type and within its bounds, or an error.

The error names the argument and shows its value. numpy's integers and floats are as good as
Python's; True, False and text are not numbers.
"""

import math
import operator
from dataclasses import fields
from numbers import Real
from typing import Any

import torch
from torch import Tensor

LARGEST_SEED = 2**63 - 1
"""Seeds are integers from 0 to this one: what torch takes."""


def check_int(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, note: str = ""
) -> int:
    """The value as an int.

    low, high: bounds, both allowed. note: ends the message, such as ", or None". Raises
    ValueError unless the value is an integer from low to high.
    """
    number = None if isinstance(value, bool) else _as_index(value)
    if number is None or not low <= number <= high:
        bounds = f" from {low} to {high}" if high < math.inf else f" >= {low}"
        bounds = bounds if low > -math.inf else ""
        raise ValueError(f"{name} is {value!r}, it must be an integer{bounds}{note}")
    return number


def check_float(
    name: str,
    value: Any,
    *,
    gt: float | None = None,
    ge: float | None = None,
    lt: float | None = None,
    le: float | None = None,
    note: str = "",
    what: str = "",
) -> float:
    """The value as a float.

    gt, ge, lt, le: bounds, as in >, >=, < and <=. note: ends the message. what: the whole
    condition in words, where the bounds do not say it well. Raises ValueError unless the
    value is a finite number within the bounds.
    """
    if not is_finite(value) or not _is_within(float(value), gt, ge, lt, le):
        what = what or _bounds_in_words(gt, ge, lt, le) + note
        raise ValueError(f"{name} is {value!r}, it must be {what}")
    return float(value)


def check_indices(name: str, values: Tensor, n: int) -> None:
    """Check that the integers of a tensor are all from 0 to n - 1.

    In a model that is being compiled nothing is checked: it would cut the graph in two.
    Raises ValueError that names the first integer out of range.
    """
    if torch.compiler.is_compiling():
        return
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= n:
        raise ValueError(f"{name} {low if low < 0 else high} is not in 0 to {n - 1}")


def check_fields(record: Any) -> None:
    """Give a frozen record's fields the types of their defaults.

    Integers stay integers, numbers are finite, True and False are not numbers. A field whose
    default is None may be None or an integer. Raises ValueError for another type.
    """
    for f in fields(record):
        value, default = getattr(record, f.name), f.default
        if isinstance(default, bool) and not isinstance(value, bool):
            raise ValueError(f"{f.name} is {value!r}, it must be True or False")
        if type(default) is float:
            value = check_float(f.name, value)
        elif type(default) is int or (default is None and value is not None):
            value = check_int(f.name, value)
        object.__setattr__(record, f.name, value)


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can hold, neither infinite nor nan."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False


def _as_index(value: Any) -> int | None:
    """The value as an int if Python can count with it, as with numpy's; else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None


def _is_within(x: float, gt, ge, lt, le) -> bool:
    above = (gt is None or x > gt) and (ge is None or x >= ge)
    return above and (lt is None or x < lt) and (le is None or x <= le)


def _bounds_in_words(gt, ge, lt, le) -> str:
    """The bounds for the message: "a finite number > 0", "from 0 to 1", "in [0, 1)"."""
    low, high = (gt if ge is None else ge), (lt if le is None else le)
    if low is None and high is None:
        return "a finite number"
    if high is None:
        return f"a finite number {'>' if ge is None else '>='} {low}"
    if low is None:
        return f"a finite number {'<' if le is None else '<='} {high}"
    if ge is not None and le is not None:
        return f"from {low} to {high}"
    return f"in {'(' if ge is None else '['}{low}, {high}{')' if le is None else ']'}"

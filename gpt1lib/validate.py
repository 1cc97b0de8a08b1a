"""What a number may be: of the right kind and within limits, or refused by its name.

numpy's integers and floats are as good as Python's; True, False and text are no numbers.
"""

import math
import operator
from collections.abc import Callable
from dataclasses import fields
from numbers import Real
from typing import Any

import torch
from torch import Tensor

LARGEST_SEED = 2**63 - 1
"""Seeds are whole numbers from 0 to this one: what torch takes."""


def whole(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, note: str = ""
) -> int:
    """The value as an int; ValueError unless it is an integer from low to high.

    note: ends the message, such as ", or None".
    """
    number = None if isinstance(value, bool) else _as_index(value)
    if number is None or not low <= number <= high:
        bounds = f" from {low} to {high}" if high < math.inf else f" >= {low}"
        bounds = bounds if low > -math.inf else ""
        raise ValueError(f"{name} is {value!r}, it must be an integer{bounds}{note}")
    return number


def number(name: str, value: Any, holds: Callable[[float], bool], what: str) -> float:
    """The value as a float; ValueError unless it is a finite number for which `holds`.

    what: says in words what it must be.
    """
    if not is_finite(value) or not holds(float(value)):
        raise ValueError(f"{name} is {value!r}, it must be {what}")
    return float(value)


def indices(name: str, values: Tensor, n: int) -> None:
    """ValueError unless the whole numbers of a tensor are all from 0 to n - 1.

    In a model that is being compiled nothing is looked at: it would cut the graph in two.
    """
    if torch.compiler.is_compiling():
        return
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= n:
        raise ValueError(f"{name} {low if low < 0 else high} is not in 0 to {n - 1}")


def fields_of_their_kind(record: Any) -> None:
    """Give a frozen record's fields the kinds of their defaults; ValueError for another kind.

    Whole numbers stay whole, numbers are finite, True and False are no numbers. A field
    whose default is None may be None or a whole number.
    """
    for f in fields(record):
        value, default = getattr(record, f.name), f.default
        if isinstance(default, bool) and not isinstance(value, bool):
            raise ValueError(f"{f.name} is {value!r}, it must be True or False")
        if type(default) is float:
            value = number(f.name, value, lambda x: True, "a finite number")
        elif type(default) is int or (default is None and value is not None):
            value = whole(f.name, value)
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
    """What stands for an integer where Python counts, as one; else None."""
    try:
        return operator.index(value)
    except TypeError:
        return None

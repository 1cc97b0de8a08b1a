"""Checks of arguments: a number of the right type and within its bounds, or an error.

The error names the argument and shows its value. numpy's integers and floats are as good as
Python's; True, False and text are not numbers.
"""

import math
import operator
from dataclasses import Field, fields
from numbers import Real
from types import UnionType
from typing import Any, get_args

import torch
from numpy import ndarray
from torch import Tensor

MAX_SEED = 2**63 - 1
"""Seeds are integers from 0 to this one: what torch takes."""


def check_int(
    name: str, value: Any, low: float = -math.inf, high: float = math.inf, note: str = ""
) -> int:
    """The value as an int.

    low, high: bounds, both allowed. note: ends the message, such as ", or None". Raises
    ValueError unless the value is an integer from low to high.
    """
    try:  # what Python can count with, as with numpy's integers
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None or not low <= number <= high:
        bounds = f" >= {low}" if low > -math.inf else ""
        if high < math.inf:
            bounds = f" from {low} to {high}" if bounds else f" <= {high}"
        raise ValueError(f"{name} is {value!r}, it must be an integer{bounds}{note}")
    return number


def check_float(
    name: str, value: Any, note: str = "", what: str = "", **bounds: float
) -> float:
    """The value as a float.

    bounds: gt, ge, lt, le, for >, >=, < and <=. note: ends the message. what: the whole
    condition in words, where the bounds do not express it well. Raises ValueError unless the
    value is a finite number within the bounds.
    """
    signs = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}
    within = is_finite(value) and all(getattr(operator, k)(value, x) for k, x in bounds.items())
    if not within:
        limits = " and ".join(f"{signs[k]} {x}" for k, x in bounds.items())
        what = what or f"a finite number {limits}".rstrip() + note
        raise ValueError(f"{name} is {value!r}, it must be {what}")
    return float(value)


def check_indices(name: str, values: Tensor | ndarray, n: int) -> None:
    """Check that a tensor or an array has integers from 0 to n - 1, and at least one.

    In a model that is being compiled nothing is checked: it would cut the graph in two.
    Raises ValueError that names the lowest if it is below 0, or else the highest. torch would
    skip -100, its mark for a target that does not count, and numpy would take -1.
    """
    if torch.compiler.is_compiling():
        return
    if 0 in values.shape:
        raise ValueError(f"there is no {name}, at least 1 is needed")
    if "int" not in str(values.dtype):
        raise ValueError(f"{name}s are {values.dtype}, they must be integers")
    low, high = int(values.min()), int(values.max())
    if low < 0 or high >= n:
        raise ValueError(f"{name} {low if low < 0 else high} is not in 0 to {n - 1}")


def check_mask(mask: Tensor | ndarray, ids: Tensor | ndarray) -> None:
    """Raise ValueError unless mask (B, T) is 0 or 1, and 1 for a target in each row."""
    if mask.shape != ids.shape:
        raise ValueError(f"the mask has shape {tuple(mask.shape)}, ids {tuple(ids.shape)}")
    if not bool(((mask == 0) | (mask == 1)).all()):
        raise ValueError("the mask has other numbers than 0, for padding, and 1, for tokens")
    if not bool((mask[:, 1:].sum(1) > 0).all()):
        raise ValueError("a sequence has 0 targets in the mask, each needs at least 1")


def check_fields(record: Any) -> None:
    """Give a frozen record's fields their types.

    Integers stay integers, numbers are finite, True and False are not numbers. A field of
    type `int | None` may be None. Raises ValueError for a value of another type.
    """
    for f in fields(record):
        value, kind = getattr(record, f.name), required_type(f)
        if value is None and kind is not f.type:
            continue
        if kind in (int, float):
            value = (check_int if kind is int else check_float)(f.name, value)
        elif isinstance(kind, type) and not isinstance(value, kind):
            what = {bool: "True or False", str: "a string"}.get(kind, f"a {kind.__name__}")
            raise ValueError(f"{f.name} is {value!r}, it must be {what}")
        object.__setattr__(record, f.name, value)


def required_type(f: Field) -> Any:
    """The type of a record's field, without the None of `int | None`."""
    return get_args(f.type)[0] if isinstance(f.type, UnionType) else f.type


def is_finite(value: Any) -> bool:
    """Whether a value is a number that a float can express, neither infinite nor nan."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return False
    try:
        return math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        return False

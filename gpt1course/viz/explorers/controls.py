"""Traits of explorers: what may be chosen, each within its bounds, and what answers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

import traitlets

from gpt1lib import validate


class CleanUnicode(traitlets.Unicode):
    """A text that can be drawn and sent: a lone half of a character becomes U+FFFD."""

    def validate(self, obj, value) -> str:
        """The text, well formed."""
        halves = super().validate(obj, value).encode("utf-16", "surrogatepass")
        return halves.decode("utf-16", "replace")


class BoundedFloat(traitlets.Float):
    """A number within its bounds, and not nan, which passes every bound of a Float."""

    def validate(self, obj, value) -> float:
        """The number; TraitError for nan."""
        number = super().validate(obj, value)
        if math.isnan(number):
            raise traitlets.TraitError(f"{self.name} is nan, it must be a number")
        return number


class StrictInt(traitlets.Int):
    """A whole number within its bounds; True and False are none."""

    def validate(self, obj, value) -> int:
        """The number; TraitError for True and False, which pass for 1 and 0 in an Int."""
        if isinstance(value, bool):
            self.error(obj, value)
        return super().validate(obj, value)


class Index(StrictInt):
    """A whole number from `low` to below count(explorer): which row, head, or token."""

    def __init__(self, count: Callable[[Any], int], default: int = 0, low: int = 0):
        super().__init__(default)
        self.count, self.low = count, low

    def validate(self, obj, value) -> int:
        """The place; TraitError for one that is not there."""
        place = super().validate(obj, value)
        if obj.is_stale and place >= self.low:
            return place  # in a text that is yet to be read: see Explorer.catch_up
        most = self.count(obj) - 1
        if not self.low <= place <= most:
            limits = f"{self.low} to {most}"
            raise traitlets.TraitError(f"{self.name} is {place}, it must be from {limits}")
        return place


def head_factors(given: Mapping, n_heads: int) -> dict[str, float]:
    """What the output of heads is multiplied by, {"head": 0 to 1}, in order and without 1.

    Its keys are texts, as in JSON: 3 becomes "3". Raises ValueError for a head or a factor
    that cannot be.
    """
    heads, factors = {str(head) for head in range(n_heads)}, {}
    for head, factor in given.items():
        if str(head) not in heads:
            raise ValueError(f"factors has head {head!r}, heads are 0 to {n_heads - 1}")
        factors[int(head)] = validate.check_float(
            f"the factor of head {head}", factor, ge=0, le=1
        )
    return {str(head): factors[head] for head in sorted(factors) if factors[head] != 1}


class Factors(traitlets.Dict):
    """What the output of heads is multiplied by; heads that are not named keep theirs."""

    def __init__(self, count: Callable[[Any], int]):
        super().__init__()
        self.count = count

    def validate(self, obj, value) -> dict[str, float]:
        """The factors by head; TraitError for a head or a factor that cannot be."""
        try:
            return head_factors(super().validate(obj, value) or {}, self.count(obj))
        except ValueError as error:
            raise traitlets.TraitError(str(error)) from None


class Answer(traitlets.TraitType):
    """Part of the record of a question: read, it is that of the question as it is now."""

    def get(self, obj: Any, cls: Any = None) -> Any:
        """The value, computed first where the question has changed."""
        obj.catch_up()
        return super().get(obj, cls)


class AnswerText(Answer, CleanUnicode):
    """A text of a record."""


class AnswerBytes(Answer, traitlets.Bytes):
    """An array of a record."""


class AnswerList(Answer, traitlets.List):
    """A list of a record."""


class AnswerDict(Answer, traitlets.Dict):
    """A dictionary of a record."""


def is_answer(trait: traitlets.TraitType) -> bool:
    """Is the trait part of a record?"""
    return isinstance(trait, Answer)

"""A claim: what a lesson's text says, as a function that asserts it of the lesson's values."""

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Claim:
    """function's parameters are names that the notebook's cells have bound so far.

    cell: the id of the cell after which it is asserted; values may change later.
    full_run: only a full run reaches what it says.
    """

    function: Callable
    cell: str
    full_run: bool

    @property
    def name(self) -> str:
        """What it claims, in words with underscores."""
        return self.function.__name__

    def assert_of(self, values: dict) -> None:
        """AssertionError if the claim is false, KeyError for a name that nothing has bound."""
        self.function(*(values[name] for name in inspect.signature(self.function).parameters))


def after(cell: str, *, full_run: bool = False) -> Callable:
    """Decorator: asserted when the cell of this id has run."""

    def add(function: Callable) -> Callable:
        known = vars(sys.modules[function.__module__]).setdefault("CLAIMS", [])
        if function.__name__ in [claim.name for claim in known]:
            raise ValueError(f"{function.__module__} claims {function.__name__} twice")
        known.append(Claim(function, cell, full_run))
        return function

    return add

"""A learner's function called: nothing that it does stops or changes the notebook."""

import contextlib
import copy
import io
import os
import random
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from .compare import same
from .time_limit import TooLong, time_limit

SECONDS = 10.0  # one answer may take this long, or LONGER times what the solution takes
LONGER = 20.0
KEPT_LETTERS = 2_000


@dataclass(frozen=True)
class Result:
    """What one call gave: a value, or what it raised; and what it printed."""

    value: Any = None
    error: BaseException | None = None
    changed_inputs: bool = False
    printed: str = ""


class _Kept(io.StringIO):
    """Keeps the first letters that are printed, however many come."""

    def write(self, text: str) -> int:
        """Like print's own stream, but for what is too much."""
        super().write(text[: max(0, KEPT_LETTERS - self.tell())])
        return len(text)


def call(function: Callable, arguments: tuple) -> Result:
    """Call with a copy of the arguments; catch what it raises, keep what it prints."""
    given, printed = fresh(arguments), _Kept()
    value = error = None
    try:
        with (
            as_found(),
            no_way_out(function),
            contextlib.redirect_stdout(printed),
            contextlib.redirect_stderr(printed),
        ):
            value = function(*given)
    except BaseException as raised:  # an exit and the stop button too: all are results here
        error = raised
    text = printed.getvalue()
    if error is not None:
        return Result(error=error, printed=text)
    unchanged = same(given, arguments, 0.0, others_agree=True)
    return Result(value, changed_inputs=not unchanged, printed=text)


def call_all(function: Callable, cases: list[tuple], seconds: float) -> list[Result]:
    """One result per case; once the time is up the rest is TooLong or not called."""
    results: list[Result] = []
    try:
        with time_limit(seconds):
            for case in cases:
                results.append(call(function, case))
                if isinstance(results[-1].error, TooLong | KeyboardInterrupt):
                    break
    except TooLong:  # it struck between two calls
        results.append(Result(error=TooLong(seconds)))
    return results


def timed_reference(function: Callable, cases: list[tuple]) -> tuple[list[Result], float]:
    """The solution's results, and the seconds that an answer may take."""
    start = time.perf_counter()
    results = [call(function, case) for case in cases]
    return results, max(SECONDS, LONGER * (time.perf_counter() - start))


@contextlib.contextmanager
def as_found() -> Iterator[None]:
    """Random states, modes, folder and warnings come back as they were."""
    python, legacy, folder = random.getstate(), np.random.get_state(), os.getcwd()
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    gradients, errors = torch.is_grad_enabled(), np.geterr()
    try:
        with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
            warnings.simplefilter("always")
            yield
    finally:
        random.setstate(python)
        np.random.set_state(legacy)
        os.chdir(folder)
        torch.set_default_dtype(dtype)
        torch.set_grad_enabled(gradients)
        np.seterr(**errors)
        if torch.get_num_threads() != threads:
            torch.set_num_threads(threads)


@contextlib.contextmanager
def no_way_out(function: Callable) -> Iterator[None]:
    """Let `exit` and `quit` raise SystemExit: IPython's own ones would end the kernel."""
    names = getattr(function, "__globals__", {})
    ends = {n: v for n, v in names.items() if type(v).__name__.endswith("ExitAutocall")}
    names.update(dict.fromkeys(ends, sys.exit))
    try:
        yield
    finally:
        names.update(ends)


def fresh(value):
    """A copy that shares no data; functions stay what they are."""
    if isinstance(value, tuple | list):
        return type(value)(fresh(v) for v in value)
    if isinstance(value, dict):
        return {k: fresh(v) for k, v in value.items()}
    if isinstance(value, torch.Generator):
        return value.clone_state()
    return copy.deepcopy(value)


def same_result(a: Result, b: Result, tolerance: float) -> bool:
    """Whether two calls went the same way, exceptions compared by type."""
    if a.error is not None or b.error is not None:
        return type(a.error) is type(b.error)
    return same(a.value, b.value, tolerance) and a.changed_inputs == b.changed_inputs

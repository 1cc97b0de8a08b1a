"""Exercises that check themselves and never stop the learner.

An exercise has one source: its stub, its solution, the wrong answers that people give,
and the cases on which answers are compared. A check runs the learner's function on the
cases. If the results differ from the solution's, it looks for a listed wrong answer
that gives the same results, and so can say what probably went wrong.
"""

import contextlib
import copy
import io
import math
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import torch

import gpt1lib


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people give: its source, and what to tell them."""

    name: str
    source: str
    message: str


@dataclass(frozen=True)
class Exercise:
    """One exercise of a lesson.

    cases: a function that returns argument tuples, made afresh at each call.
    The sources may use torch, np, math and g (gpt1lib) without importing them.
    """

    name: str
    title: str
    task: str
    difficulty: int  # 1 to 5
    importance: int  # 1 to 5
    minutes: int
    stub: str
    solution: str
    wrong: tuple[Wrong, ...]
    cases: Callable[[], list[tuple]]
    hints: tuple[str, ...] = ()
    tolerance: float = 1e-5
    namespace: dict = field(default_factory=dict)

    def compile(self, source: str) -> Callable:
        """The function that a source defines."""
        names = {"torch": torch, "np": np, "math": math, "g": gpt1lib, **self.namespace}
        exec(textwrap.dedent(source), names)
        return names[self.name]

    @property
    def reference(self) -> Callable:
        """The solution, as a function."""
        return self.compile(self.solution)


@dataclass(frozen=True)
class Result:
    """What one call gave: a value, or the exception it raised."""

    value: object = None
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


def _to_numpy(x):
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


def is_untouched(exercise: Exercise, function: Callable) -> bool:
    """Whether the function's body is still the stub's, which does nothing."""
    code, stub = getattr(function, "__code__", None), exercise.compile(exercise.stub)
    if code is None or code.co_code != stub.__code__.co_code:
        return False
    return call(function, exercise.cases()[0]) == Result()


def diagnose(exercise: Exercise, function) -> str | None:
    """None if the function is right, else one or two sentences about the mistake."""
    if not callable(function):
        return f"{exercise.name} is {type(function).__name__}, it must be a function."
    cases, tolerance = exercise.cases(), exercise.tolerance
    wanted = [call(exercise.reference, c) for c in cases]
    got = [call(function, c) for c in cases]

    def agrees(results):
        pairs = zip(got, results, strict=True)
        return all(same_result(a, b, tolerance) for a, b in pairs)

    if agrees(wanted):
        return None
    for wrong in exercise.wrong:
        answer = exercise.compile(wrong.source)
        if agrees([call(answer, c) for c in cases]):
            return wrong.message
    return next(
        describe(c, g, w)
        for c, g, w in zip(cases, got, wanted, strict=True)
        if not same_result(g, w, tolerance)
    )


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
    if hasattr(b, "shape") and hasattr(a, "shape"):
        if tuple(a.shape) != tuple(b.shape):
            shapes = f"{tuple(a.shape)}, expected {tuple(b.shape)}"
            return f"{where} the shape is {shapes}."
        if _kind(_to_numpy(a)) != _kind(_to_numpy(b)):
            return f"{where} the dtype is {a.dtype}, expected {b.dtype}."
    return f"{where} it returns {short(a)}, expected {short(b)}."


def short(value) -> str:
    """A value in one short line, floats to four digits."""
    if isinstance(value, torch.Tensor | np.ndarray):
        if _to_numpy(value).size > 12:
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


def check(exercise: Exercise, function):
    """Print TODO, PASS or FAIL; return the function if right, else the reference.

    Never raises, except with GPT1_STRICT=1 in the environment: then AssertionError for
    all but PASS.
    """
    if callable(function) and is_untouched(exercise, function):
        verdict = f"TODO  {exercise.name}: not written yet."
    else:
        mistake = diagnose(exercise, function)
        if mistake is None:
            print(f"PASS  {exercise.name}")
            return function
        verdict = f"FAIL  {exercise.name}: {mistake}"
    if os.environ.get("GPT1_STRICT") == "1":
        raise AssertionError(verdict)
    print(textwrap.fill(verdict, 88, subsequent_indent="      ", break_on_hyphens=False))
    print("      The lesson goes on with the reference.")
    return exercise.reference


def checker(exercises: tuple[Exercise, ...]) -> Callable:
    """The `check` of a lesson: finds the exercise by the function's name."""
    by_name = {e.name: e for e in exercises}

    def check_by_name(function):
        """Check an answer; its name says which exercise it is for."""
        name = getattr(function, "__name__", short(function))
        if name in by_name:
            return check(by_name[name], function)
        message = f"FAIL  {name} is no exercise of this lesson ({', '.join(by_name)})."
        if os.environ.get("GPT1_STRICT") == "1":
            raise AssertionError(message)
        print(message)
        return function

    return check_by_name

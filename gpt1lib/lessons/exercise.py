"""Exercises that check themselves and never stop the learner.

An exercise is written as its solution, a function under `@exercise(...)`. The stub is the
solution without its body: signature, docstring and `...`. The wrong answers that people
give are functions too, under `@name.wrong(message)`. A check runs the learner's function on
the cases. If the results differ from the solution's, it looks for a listed wrong answer
that gives the same results, and so can say what probably went wrong.
"""

import ast
import inspect
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, field

from .compare import Result, call, describe, same_result, short


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people give, and what to tell them."""

    function: Callable
    message: str

    @property
    def name(self) -> str:
        """What it does wrong, in words: the function's name."""
        return self.function.__name__.replace("_", " ")


@dataclass(frozen=True, eq=False)
class Exercise:
    """One exercise of a lesson; called, it is its solution.

    cases: a function that returns argument tuples, made afresh at each call.
    """

    solution: Callable
    title: str
    task: str
    difficulty: int  # 1 to 5
    importance: int  # 1 to 5
    minutes: int
    cases: Callable[[], list[tuple]]
    hints: tuple[str, ...]
    tolerance: float = 1e-5
    wrong_answers: list[Wrong] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The function that the learner writes."""
        return self.solution.__name__

    def __call__(self, *args, **kwargs):
        """One exercise may use the function of another."""
        return self.solution(*args, **kwargs)

    def wrong(self, message: str) -> Callable:
        """Decorator: what to tell a learner whose function does what this one does."""

        def add(function):
            self.wrong_answers.append(Wrong(function, message))
            return function

        return add

    @property
    def solution_text(self) -> str:
        """The solution as a learner reads it."""
        return _without_decorators(self.solution)[0]

    @property
    def stub_text(self) -> str:
        """Signature, docstring and `...`."""
        text, definition = _without_decorators(self.solution)
        docstring_ends = definition.body[0].end_lineno or definition.lineno
        kept = text.splitlines()[: docstring_ends - definition.lineno + 1]
        return "\n".join([*kept, "    ..."])


def exercise(title: str, **options) -> Callable[[Callable], Exercise]:
    """Decorator: make the exercise of which a function is the solution.

    options: the other fields of Exercise. The function needs a docstring.
    """

    def make(solution):
        if not solution.__doc__:
            raise ValueError(f"{solution.__name__} has no docstring to make the stub of")
        return Exercise(solution, title, **options)

    return make


def _without_decorators(function) -> tuple[str, ast.FunctionDef]:
    """A function's source from its `def` on, and its syntax tree.

    Raises TypeError for what was not written with `def`, such as a lambda.
    """
    source = textwrap.dedent(inspect.getsource(function)).rstrip()
    definition = ast.parse(source).body[0]
    if not isinstance(definition, ast.FunctionDef):
        raise TypeError(f"{function.__name__} is not written with def: {source[:60]!r}")
    return "\n".join(source.splitlines()[definition.lineno - 1 :]), definition


def _unwritten():
    """What is left of any stub but its names."""
    ...


def is_untouched(exercise: Exercise, function: Callable) -> bool:
    """Whether the function's body is still the stub's, which does nothing."""
    code = getattr(function, "__code__", None)
    if code is None or code.co_code != _unwritten.__code__.co_code:
        return False
    return call(function, exercise.cases()[0]) == Result()


def diagnose(exercise: Exercise, function) -> str | None:
    """None if the function is right, else one or two sentences about the mistake."""
    if not callable(function):
        return f"{exercise.name} is {type(function).__name__}, it must be a function."
    cases, tolerance = exercise.cases(), exercise.tolerance
    wanted = [call(exercise.solution, c) for c in cases]
    got = [call(function, c) for c in cases]

    def agrees(results):
        pairs = zip(got, results, strict=True)
        return all(same_result(a, b, tolerance) for a, b in pairs)

    if agrees(wanted):
        return None
    for wrong in exercise.wrong_answers:
        if agrees([call(wrong.function, c) for c in cases]):
            return wrong.message
    return next(
        describe(c, g, w)
        for c, g, w in zip(cases, got, wanted, strict=True)
        if not same_result(g, w, tolerance)
    )


def check(exercise: Exercise, function):
    """Print TODO, PASS or FAIL; return the function if right, else the solution.

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
    return exercise.solution


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

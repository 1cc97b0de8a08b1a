"""Exercises that check themselves and never stop the learner.

An exercise is written as its solution, a function under `@exercise(...)`. The stub is the
solution without its body: signature, docstring and `...`. The wrong answers that people
give are functions too, under `@name.wrong(message)`. A check runs the learner's function on
the cases. If the results differ from the solution's, it looks for a listed wrong answer
that gives the same results, and so can say what probably went wrong.
"""

import ast
import difflib
import dis
import inspect
import textwrap
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

from .. import progress, settings
from .compare import has_gradient, other_kind, with_gradients
from .execution import Result, call, call_all, same_result, timed_reference
from .feedback import describe, kind_in_words, message_of, short
from .time_limit import TooLong

SLOW_SECONDS, SLOWER = 0.5, 50.0
"""A workload may take this long, or so many times as long as the solution."""


@dataclass(frozen=True)
class Wrong:
    """A wrong answer that people give, and what to tell them."""

    function: Callable
    message: str

    @property
    def name(self) -> str:
        """What it does wrong, in words: the function's name."""
        return self.function.__name__.replace("_", " ")


class WrongAnswerMixin:
    """What lists wrong answers."""

    wrong_answers: list[Wrong]

    def wrong(self, message: str) -> Callable:
        """Decorator: what to tell a learner whose answer is what this function gives."""

        def add(function):
            self.wrong_answers.append(Wrong(function, message))
            return function

        return add


class BaseExercise(WrongAnswerMixin, ABC):
    """What every exercise has, whether its answer is a function or a number.

    Called, it is its solution.
    """

    solution: Callable
    title: str
    difficulty: int
    importance: int
    minutes: int
    hints: tuple[str, ...]
    task: str

    @property
    def name(self) -> str:
        """The name of the solution."""
        return self.solution.__name__

    def __call__(self, *args, **kwargs):
        """One exercise may use the solution of another."""
        return self.solution(*args, **kwargs)

    @property
    def solution_text(self) -> str:
        """The solution's source."""
        return source_and_tree(self.solution)[0]

    @abstractmethod
    def solution_shown(self) -> str:
        """The solution as a learner reads it."""

    @abstractmethod
    def cell(self, solved: bool = False) -> str:
        """The code cell: the stub, or the solution in its place, and the check."""


@dataclass(frozen=True, eq=False)
class Exercise(BaseExercise):
    """One exercise of a lesson; called, it is its solution.

    cases: a function that returns argument tuples, made afresh at each call.
    measured: what answers are compared with, if not the solution: a gradient measured by
    finite differences, for example.
    workload: calls a function as often as the next cells do; slow: the sentence for a right
    function that takes far too long for it.
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
    measured: Callable | None = None
    workload: Callable[[Callable], Any] | None = None
    slow: str = ""
    wrong_answers: list[Wrong] = field(default_factory=list)

    def solution_shown(self) -> str:
        """The solution as a learner reads it."""
        return f"```python\n{self.solution_text}\n```"

    def cell(self, solved: bool = False) -> str:
        """The code cell: the stub, or the solution in its place, and the check."""
        source = self.solution_text if solved else self.stub_text
        return f"{source}\n\n\n{self.name} = lesson.check({self.name})"

    @property
    def stub_text(self) -> str:
        """Signature, docstring and `...`."""
        text, definition = source_and_tree(self.solution)
        docstring_ends = definition.body[0].end_lineno or definition.lineno
        kept = text.splitlines()[: docstring_ends - definition.lineno + 1]
        return "\n".join([*kept, "    ..."])


def exercise(
    title: str,
    *,
    task: str,
    difficulty: int,
    importance: int,
    minutes: int,
    cases: Callable[[], list[tuple]],
    hints: tuple[str, ...],
    tolerance: float = 1e-5,
    measured: Callable | None = None,
    workload: Callable[[Callable], Any] | None = None,
    slow: str = "",
) -> Callable[[Callable], Exercise]:
    """Decorator: make the exercise of which a function is the solution.

    The function needs a docstring, else ValueError. For the options see Exercise.
    """

    def make(solution):
        if not solution.__doc__:
            raise ValueError(f"{solution.__name__} has no docstring to make the stub of")
        rating = (difficulty, importance, minutes)
        checks = (tolerance, measured, workload, slow)
        return Exercise(solution, title, task, *rating, cases, hints, *checks)

    return make


def source_and_tree(function) -> tuple[str, ast.FunctionDef]:
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


def _body(function: Callable) -> list:
    """What a function does, without its docstring: names and values of its steps."""
    steps = dis.get_instructions(function)
    return [(s.opname, s.argval) for s in steps if s.opname != "NOP"]


def is_stub(function: Callable) -> bool:
    """Whether a function does nothing at all, whatever its docstring."""
    return inspect.isfunction(function) and _body(function) == _body(_unwritten)


def _says_unwritten(result: Result) -> bool:
    """`return ...` and `raise NotImplementedError` are people's ways to say so.

    Torch raises that error itself, such as for x^3, which has no floats.
    """
    error = result.error
    raised = isinstance(error, NotImplementedError) and "not implemented for" not in str(error)
    return result.value is ... or raised


@dataclass(frozen=True)
class Verdict:
    """What to tell a learner: the sentence, and what their function printed."""

    message: str
    printed: str = ""
    status: str = "FAIL"  # or TODO


NOT_WRITTEN = Verdict("not written yet.", status="TODO")


def diagnose(exercise: Exercise, function, seconds: float | None = None) -> Verdict | None:
    """None if the function is right, else what is wrong with it.

    seconds: the most that the function may take, all cases together; by default some
    seconds, and more where the solution is slow itself.
    """
    if not callable(function):
        kind = type(function).__name__
        return Verdict(f"{exercise.name} is of the type {kind}, it must be a function.")
    if is_stub(function):
        return NOT_WRITTEN
    cases = exercise.cases()
    wanted, limit = timed_reference(exercise.measured or exercise.solution, cases)
    return compared(exercise, cases, wanted, call_all(function, cases, seconds or limit))


def compared(
    exercise: Exercise, cases: list[tuple], wanted: list[Result], got: list[Result]
) -> Verdict | None:
    """None if what a function gave on the cases is what is wanted, else what is wrong."""
    if _says_unwritten(got[0]):
        return NOT_WRITTEN
    tolerance = exercise.tolerance
    agrees = [same_result(a, b, tolerance) for a, b in zip(got, wanted, strict=False)]
    if all(agrees) and len(got) == len(wanted):
        return None
    first = agrees.index(False)
    listed = None if _stopped(got) else _listed(exercise, cases, got)
    message = listed or describe(cases[first], got[first], wanted[first], tolerance)
    if exercise.measured and not listed and not got[first].error and "expected" in message:
        message += " (Expected is what finite differences measure.)"
    return Verdict(message, got[first].printed)


def _stopped(results: list[Result]) -> bool:
    return isinstance(results[-1].error, TooLong | KeyboardInterrupt)


def _listed(exercise: Exercise, cases: list[tuple], got: list[Result]) -> str | None:
    """The message of the listed wrong answer that gives the same results."""
    for wrong in exercise.wrong_answers:
        theirs = (call(wrong.function, case) for case in cases)  # up to the first other one
        pairs = zip(got, theirs, strict=True)
        if all(_alike(a, b, exercise.tolerance) for a, b in pairs):
            return wrong.message
    return None


def _alike(a: Result, b: Result, tolerance: float) -> bool:
    """Whether two calls gave the same: an error of one type may have many causes."""
    return same_result(a, b, tolerance) and message_of(a.error) == message_of(b.error)


def is_reference(exercise: Exercise, function) -> bool:
    """Whether an answer is the exercise itself, or its solution."""
    return function is exercise or function is exercise.solution


def judge(exercise: Exercise, function) -> Verdict | None:
    """As diagnose, but the reference is recognized, and nothing is ever raised."""
    if is_reference(exercise, function):
        return Verdict("this is the reference. Run the cell with your own first.", "", "TODO")
    try:
        return diagnose(exercise, function)
    except Exception as error:  # a check never stops the lesson
        return Verdict(f"it could not be judged ({type(error).__name__}).")


def check(exercise: Exercise, function):
    """Print TODO, PASS or FAIL; return the function if right, else the solution.

    The solution is returned also for a right function that would break the cells that follow:
    its results are of another kind, it stops the gradient, or it is far too slow. Never
    raises, except with GPT1_STRICT=1 in the environment: then AssertionError for all but PASS.
    """
    verdict = judge(exercise, function)
    if verdict is None:
        print(f"PASS  {exercise.name}")
        progress.note(exercise.solution)
        return function if _fits(exercise, function) else exercise.solution
    announce(exercise.name, verdict)
    if verdict.printed.strip():
        tell("It printed:")
        print(textwrap.indent(verdict.printed.rstrip(), "        "))
    tell(goes_on(exercise) if verdict.status == "FAIL" else f"{GOES_ON}.")
    return exercise.solution


GOES_ON = "The lesson goes on with the reference"


def goes_on(exercise: Exercise) -> str:
    """What the next cells use, and where the learner's own function is."""
    return f"{GOES_ON}; yours is lesson.mine.{exercise.name}."


def _fits(exercise: Exercise, function) -> bool:
    """Whether the lesson can go on with a right function; if not, say why."""
    cases = exercise.cases()[:2]
    reason = (
        _of_another_kind(exercise, function, cases)
        or _without_gradient(exercise, function, cases)
        or _too_slow(exercise, function)
    )
    if reason:
        tell(reason)
        tell(goes_on(exercise))
    return not reason


def _of_another_kind(exercise: Exercise, function, cases: list[tuple]) -> str:
    """What differs in kind between the results, in a sentence; empty if nothing."""
    wanted, limit = timed_reference(exercise.solution, cases)
    for a, b in zip(call_all(function, cases, limit), wanted, strict=False):
        if kinds := other_kind(a.value, b.value):
            mine, theirs = map(kind_in_words, kinds)
            return f"Yours returns {mine}, and the next cells are made for {theirs}."
    return ""


def _without_gradient(exercise: Exercise, function, cases: list[tuple]) -> str:
    """A sentence if gradients flow through the solution and not through the function."""
    cases = [tuple(map(with_gradients, case)) for case in cases]
    wanted, limit = timed_reference(exercise.solution, cases)
    for a, b in zip(call_all(function, cases, limit), wanted, strict=False):
        if has_gradient(b.value) and not has_gradient(a.value):
            return (
                "Right, but no gradient flows through yours, and the next cells may need one."
            )
    return ""


def _too_slow(exercise: Exercise, function) -> str:
    """The exercise's sentence on slow functions if this is one; else empty."""
    if exercise.workload is None:
        return ""
    start = time.perf_counter()
    exercise.workload(exercise.solution)
    limit = max(SLOW_SECONDS, SLOWER * (time.perf_counter() - start))
    return exercise.slow if call_all(exercise.workload, [(function,)], limit)[0].error else ""


def announce(name: str, verdict: Verdict) -> None:
    """Print TODO or FAIL and what is wrong; with GPT1_STRICT=1 raise it, AssertionError."""
    line = f"{verdict.status}  {name}: {verdict.message}"
    if settings.strict():
        raise AssertionError(line)
    tell(line)


def tell(text: str) -> None:
    """Print wrapped, under the verdict's first word."""
    indent = " " * 6
    wrapper = textwrap.TextWrapper(88, subsequent_indent=indent)
    wrapper.initial_indent = "" if text[:4] in ("TODO", "FAIL", "PASS") else indent
    wrapper.break_on_hyphens = wrapper.break_long_words = False
    print(wrapper.fill(text))


NOTHING = (
    "check was given None, not a function. Give it the function itself, by its name without "
    "brackets. With brackets the function is called, and check gets what it returned."
)


def student_called(name: str) -> str:
    """By which name questions with numbers know a student: spaces around it do not count."""
    return name.strip()


class Checker:
    """The `check` of a lesson: finds the exercise by the name that the answer has.

    mine: the learner's own functions by exercise, as last checked, right or wrong.
    """

    def __init__(self, exercises: tuple):
        """exercises: those of the lesson; a NumberExercise checks its answers itself."""
        self.exercises = {e.name: e for e in exercises if isinstance(e, Exercise)}
        self.numbers = {e.name: e for e in exercises if not isinstance(e, Exercise)}
        self.mine = SimpleNamespace()

    def __call__(self, function, name: str | None = None):
        """Check an answer; returns it if it is right, else the solution.

        name: of the exercise, where the function does not have it, such as a lambda.
        """
        name = name or self._name_of(function, inspect.currentframe())
        if name in self.exercises:
            exercise = self.exercises[name]
            if not is_reference(exercise, function):
                setattr(self.mine, name, function)
            return check(exercise, function)
        return self._unknown(name, function)

    def numbers_for(self, student: str) -> None:
        """Ask each question with a number about a student's own numbers, and print them."""
        for exercise in self.numbers.values():
            exercise.student, exercise.turn = student_called(student), 0
            tell(f"{exercise.name}: {exercise.asked()}")

    def _name_of(self, function, frame) -> str:
        """Its own name, or the variable of the notebook that holds it (a lambda, say)."""
        if isinstance(function, BaseExercise):
            return function.name
        name = getattr(function, "__name__", None)
        if isinstance(name, str) and name in self.exercises:
            return name
        variables = frame.f_back.f_globals if frame and frame.f_back else {}
        holds_it = [n for n in self.exercises if n in variables and variables[n] is function]
        return holds_it[0] if holds_it else name if isinstance(name, str) else short(function)

    def _unknown(self, name: str, function):
        """Say what is wrong; go on with the exercise of nearly that name, if there is one."""
        near: list[str] = []
        if name in self.numbers:
            wrong = f"{name} asks for a number. Answer with {self.numbers[name].to_answer}."
        elif function is None and name == short(None):
            wrong = NOTHING
        else:
            near = difflib.get_close_matches(name, self.exercises, n=1, cutoff=0.6)
            advice = f" Keep the name {near[0]}." if near else ""
            names = ", ".join(self.exercises)
            wrong = f"{name} is no exercise of this lesson ({names}).{advice}"
        if settings.strict():
            raise AssertionError(f"FAIL  {wrong}")
        tell(f"FAIL  {wrong}")
        return self.exercises[near[0]].solution if near else function

"""Every small change of a solution must fail its check, or be the same function.

What is the same for a reason is listed in equivalent_mutants/lessonNN.toml beside this file:
[exercise] "the mutant" = "why no input can tell them apart".
"""

import contextlib
import io
import tomllib
import warnings
from importlib import import_module
from pathlib import Path

import pytest
from mutants import mutants

from gpt1course.checking.execution import as_found, fresh
from gpt1course.checking.exercise import Exercise, diagnose
from gpt1course.checking.number_exercise import NumberExercise

HERE = Path(__file__).parent
FOLDER = HERE.parents[2] / "gpt1course" / "exercises"
LESSONS = {
    p.stem: import_module(f"gpt1course.exercises.{p.stem}") for p in FOLDER.glob("lesson??.py")
}
EVERY = [(name, e) for name in sorted(LESSONS) for e in LESSONS[name].EXERCISES]
ALL = [(name, e) for name, e in EVERY if isinstance(e, Exercise)]
NUMBERS = [(name, e) for name, e in EVERY if isinstance(e, NumberExercise)]
SECONDS = (0.8, 4.0)  # a mutant that runs longer is told apart too; on a busy machine, later


def equivalents(lesson: str, e: Exercise | NumberExercise) -> dict[str, str]:
    """Mutant -> the reason why it is the same function."""
    path = HERE / "equivalent_mutants" / f"{lesson}.toml"
    stored = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return stored.get(e.name, {})


def written(source: str, e: Exercise, lesson) -> object:
    """The mutant as a function that sees what the lesson's file sees."""
    names = e.solution.__code__.co_varnames[: e.solution.__code__.co_argcount]
    case = e.cases()[0]
    fixed = {n: (lambda v=v: fresh(v)) for n, v in zip(names, case, strict=False)}
    space = vars(lesson) | {"FIXED": fixed}
    exec(compile(source, "<mutant>", "exec"), space)
    return space[e.name]


def survivors(lesson, e: Exercise, seconds: float) -> list[str]:
    """The mutants that the check takes for right, and soon enough."""
    arguments = e.solution.__code__.co_varnames[: e.solution.__code__.co_argcount]
    passed = []
    for what, source in mutants(e.solution_text, dict.fromkeys(arguments)):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if diagnose(e, written(source, e, lesson), seconds) is None:
                passed.append(what)
    return sorted(set(passed))


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "e"), ALL, ids=lambda x: getattr(x, "name", x))
def test_every_mutant_fails_or_is_the_same_function(lesson, e):
    wanted = sorted(equivalents(lesson, e))
    with as_found():
        found = (survivors(LESSONS[lesson], e, seconds) for seconds in SECONDS)
        assert next(found) == wanted or next(found) == wanted


def passes(e: NumberExercise, function, numbers: tuple) -> bool:
    """Whether what a function answers for some numbers is taken for right."""
    try:
        answer = function(*numbers)
        return e.diagnose(answer if isinstance(answer, tuple) else (answer,), numbers) is None
    except Exception:  # a mutant may do anything
        return False


@pytest.mark.parametrize(("lesson", "e"), NUMBERS, ids=lambda x: getattr(x, "name", x))
def test_every_mutant_of_a_number_fails_for_some_draw(lesson, e):
    draws, survived = [e.numbers(turn) for turn in range(5)], set()
    for what, source in mutants(e.solution_text, {}):
        space = dict(vars(LESSONS[lesson]))
        exec(compile(source, "<mutant>", "exec"), space)
        if all(passes(e, space[e.name], numbers) for numbers in draws):
            survived.add(what)
    assert survived == set(equivalents(lesson, e))


def test_equivalents_are_of_exercises_that_exist_and_have_reasons():
    for path in (HERE / "equivalent_mutants").glob("*.toml"):
        stored = tomllib.loads(path.read_text(encoding="utf-8"))
        assert set(stored) <= {e.name for lesson, e in EVERY if lesson == path.stem}
        assert all(len(why) > 20 for mutant in stored.values() for why in mutant.values())

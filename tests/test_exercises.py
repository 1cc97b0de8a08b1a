"""Checks that are themselves checked: stubs, solutions, and wrong answers."""

import re
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
import torch

from gpt1lib.lessons import Exercise, Wrong, checker, exercise

FOLDER = Path(exercise.__file__).parent
LESSONS = [
    import_module(f"gpt1lib.lessons.{p.stem}") for p in sorted(FOLDER.glob("lesson??.py"))
]
ALL = [e for lesson in LESSONS for e in lesson.EXERCISES]
WRONG = [(e, w) for e in ALL for w in e.wrong]


def test_there_are_exercises():
    assert len(LESSONS) >= 5 and len(ALL) >= 20


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_stub_is_todo_and_solution_passes(e, capsys):
    check = checker((e,))
    returned = check(e.compile(e.stub))
    assert capsys.readouterr().out.startswith(f"TODO  {e.name}")
    assert exercise.diagnose(e, returned) is None, "a TODO hands on the reference"
    check(e.reference)
    assert capsys.readouterr().out == f"PASS  {e.name}\n"


@pytest.mark.parametrize(("e", "w"), WRONG, ids=lambda x: x.name)
def test_a_wrong_answer_fails_with_its_own_message(e, w, capsys):
    returned = checker((e,))(e.compile(w.source))
    out = " ".join(capsys.readouterr().out.split())
    assert out.startswith("FAIL") and " ".join(w.message.split()) in out
    assert exercise.diagnose(e, returned) is None, "a FAIL hands on the reference"


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_form(e):
    for source in (e.stub, e.solution):
        assert re.match(rf'\ndef {e.name}\(.*\):\n    """', source)
    assert e.stub.rstrip().endswith("...") and e.hints and len(e.wrong) >= 3
    assert 1 <= e.difficulty <= 5 and 1 <= e.importance <= 5 and e.minutes <= 30
    assert e.stub.split("(")[1].split(")")[0] == e.solution.split("(")[1].split(")")[0]


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_strict_mode_raises(e, monkeypatch, capsys):
    monkeypatch.setenv("GPT1_STRICT", "1")
    check = checker((e,))
    for source in (e.stub, *(w.source for w in e.wrong)):
        with pytest.raises(AssertionError):
            check(e.compile(source))
    check(e.reference)


# ---- the checker itself, on a made-up exercise -------------------------------------

DOUBLE = Exercise(
    name="double",
    title="",
    task="",
    difficulty=1,
    importance=1,
    minutes=1,
    stub='\ndef double(x):\n    """Twice x."""\n    ...\n',
    solution='\ndef double(x):\n    """Twice x."""\n    return 2 * x\n',
    wrong=(Wrong("square", "def double(x):\n    return x * x", "That is the square."),),
    cases=lambda: [(torch.tensor([1.0, 3.0]),), (torch.tensor([[5.0]]),)],
)
check_double = checker((DOUBLE,))


def forgets_to_return(x):
    y = 2 * x
    y.sum()


def mutates(x):
    x *= 2
    return x


def recurses(x):
    return recurses(x)


ANSWERS = {
    "no return": (forgets_to_return, "returns None. Is the `return` missing"),
    "raises": (lambda x: 1 / 0, "raised ZeroDivisionError"),
    "mutates": (mutates, "changes its arguments"),
    "recurses": (recurses, "raised RecursionError"),
    "nan": (lambda x: x * float("nan"), "expected"),
    "shape": (lambda x: (2 * x)[..., None], r"the shape is \(2, 1\), expected \(2,\)"),
    "dtype": (lambda x: (2 * x).long(), "the dtype is torch.int64"),
    "array": (lambda x: 2 * x.numpy(), "it returns ndarray, expected Tensor"),
    "text": (lambda x: "4", "it returns str"),
    "nearly": (lambda x: 2 * x + 1e-3, "expected"),
    "arguments": (lambda x, y: x, "raised TypeError"),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_answers_nobody_listed_fail_and_are_described(name, capsys):
    function, message = ANSWERS[name]
    function.__name__ = "double"
    returned = check_double(function)
    out = " ".join(capsys.readouterr().out.split())
    assert re.search(message, out) and out.startswith("FAIL"), out
    assert returned is not function and returned(3) == 6
    if name == "recurses":
        recurses.__name__ = "recurses"


def test_printing_and_other_names(capsys):
    def double(x):
        print("noise")
        return x + x

    assert check_double(double) is double
    assert capsys.readouterr().out == "PASS  double\n"
    assert check_double(3) == 3
    assert "3 is no exercise of this lesson (double)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (None, 0, False),
        ("a", "a", True),
        ([1, 2], (1, 2), True),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        (np.eye(2), np.eye(2), True),
        (torch.eye(2), np.eye(2), False),
        (torch.tensor(2.0), 2.0, True),
        (torch.tensor([True]), torch.tensor([1]), False),
        (float("nan"), 1.0, False),
        (torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]), True),
        (object(), object(), False),
    ],
)
def test_same(a, b, equal):
    assert exercise.same(a, b, 1e-5) is equal

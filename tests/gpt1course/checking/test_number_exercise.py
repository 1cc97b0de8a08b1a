"""Exercises with a number for an answer: each of the lessons' proven, and hostile answers."""

import inspect
import math
import re
from decimal import Decimal
from importlib import import_module

import numpy as np
import pytest
import torch
from test_exercises import LESSONS

from gpt1course.checking.number_exercise import NumberExercise, number_exercise

ALL = [e for m in LESSONS for e in m.EXERCISES if isinstance(e, NumberExercise)]
DRAWS = 20


def values(function, numbers):
    """What a function answers, as a tuple."""
    answer = function(*numbers)
    return answer if isinstance(answer, tuple) else (answer,)


def message(e, answers, numbers):
    mistake = e.diagnose(answers, numbers)
    return mistake and mistake.message


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_the_solution_passes_and_each_wrong_answer_gets_its_own_message(e):
    draws = [e.numbers(turn) for turn in range(DRAWS)]
    assert len(set(map(repr, draws))) > DRAWS // 2, "hardly anything new is asked"
    for numbers in draws:
        right = values(e.solution, numbers)
        assert message(e, right, numbers) is None
        rounded = tuple(round(x, e.decimals) for x in right)
        assert message(e, rounded, numbers) is None, "as many decimals as it asks for"
        for w in e.wrong_answers:
            assert message(e, values(w.function, numbers), numbers) == w.message, w.name


@pytest.mark.parametrize("e", [e for e in ALL if e.decimals > 1], ids=lambda e: e.name)
def test_what_is_rounded_too_far_is_known(e):
    listed = {w.message for w in e.wrong_answers}
    known = mistaken = 0
    for numbers in (e.numbers(turn) for turn in range(DRAWS)):
        coarse = tuple(round(x, e.decimals - 1) for x in values(e.solution, numbers))
        is_listed = any(e._agree(coarse, values(w.function, numbers)) for w in e.wrong_answers)
        assert is_listed or message(e, coarse, numbers) not in listed
        for w in e.wrong_answers:
            coarse = tuple(round(x, e.decimals - 1) for x in values(w.function, numbers))
            said = message(e, coarse, numbers)
            known += said == w.message
            mistaken += said in listed - {w.message}  # two may be alike when they are rounded
    assert known > DRAWS and known > 5 * mistaken


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_form_of_a_number_exercise(e):
    assert e.tells_apart(e.first), "the notebook's own numbers"
    assert e.hints and len(e.wrong_answers) >= 3 and e.solution.__doc__
    assert 1 <= e.difficulty <= 5 and 1 <= e.importance <= 5 and e.minutes <= 15
    wanted = inspect.signature(e.solution)
    assert all(inspect.signature(w.function) == wanted for w in e.wrong_answers)
    for turn in range(DRAWS):
        assert not re.search(r"[{}$]", e.asked(turn) + e.solution_shown(turn))
        if not e.decimals:
            assert all(isinstance(x, int) for x in values(e.solution, e.numbers(turn)))


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_a_cell_of_a_number_exercise_says_todo_or_pass(e, capsys, monkeypatch):
    space = {"lesson": import_module(e.solution.__module__)}
    exec(e.cell(), space)
    assert capsys.readouterr().out.startswith(f"TODO  {e.name}: put your answer")
    exec(e.cell(solved=True), space)
    assert capsys.readouterr().out.startswith(f"PASS  {e.name}.")
    monkeypatch.setenv("GPT1_STRICT", "1")
    exec(e.cell(solved=True), space)
    with pytest.raises(AssertionError, match="TODO"):
        exec(e.cell(), space)


# ---- the machinery, on a made-up exercise -------------------------------------------


def made_up(**options):
    """A fresh exercise: the quotient and the remainder."""

    def parted(a, b):
        """a / b."""
        return a / b

    usual = {"difficulty": 1, "importance": 1, "minutes": 1, "hints": ()}
    usual |= {"question": "What is {a} / {b}?", "first": (6, 4), "decimals": 2}
    usual |= {"draw": lambda random: (random.randint(1, 9), random.randint(1, 9))}
    usual |= {"worked": lambda a, b: f"{a} over {b}"}
    e = number_exercise("Part", **(usual | options))(parted)
    e.wrong("The other way up.")(lambda a, b: b / a)
    return e


ANSWERS = {
    "right": (1.5, None),
    "numpy": (np.float32(1.5), None),
    "tensor": (torch.tensor(1.5), None),
    "within rounding": (1.51, None),
    "not within": (1.52, "1.52 is too large."),
    "listed": (0.667, "The other way up."),
    "small": (-7, "-7 is too small."),
    "text": ("1.5", "'1.5' is text. Type the number without quotation marks."),
    "list": ([1.5], "that is a list. Type the numbers with commas between them, no brackets."),
    "nan": (math.nan, "that is no finite number."),
    "infinity": (math.inf, "that is no finite number."),
    "beyond floats": (10**400, "that is no finite number."),
    "truth": (True, "that is of the type bool. Type a number."),
    "complex": (1.5j, "that is of the type complex. Type a number."),
    "decimal": (Decimal("1.5"), "that is of the type Decimal. Type a number."),
    "array": (np.ones(2), "that is of the type ndarray. Type a number."),
    "function": (made_up, "that is of the type function. Type a number."),
    "dots": (..., "put your answer in place of the dots."),
    "none": (None, "put your answer in place of the dots."),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_is_judged_in_a_sentence(name):
    answer, told = ANSWERS[name]
    assert message(made_up(), (answer,), (6, 4)) == told


def test_a_comma_is_explained_and_missing_decimals_are_asked_for():
    e = made_up()
    assert "one number is asked for, and you gave 2. Write 31_113_216" in message(
        e, (1, 5), (6, 4)
    )
    assert message(e, (0.3,), (1, 3)) == "0.3 is right as far as it goes. Give 2 decimals."
    assert message(e, (2,), (6, 4)) == "2 is too large."  # though 1.5 is rounded to 2
    assert message(e, (), (6, 4)).startswith("put your answer")


def test_a_quotient_where_a_whole_number_is_asked_for():
    e = made_up(decimals=0)
    told = "3005512.564086914 is not a whole number. Give a whole number."
    assert message(e, (3005512.564086914,), (8, 4)) == told
    assert message(e, (3.0,), (8, 4)) == "3 is too large."
    assert message(e, (2.5,), (1, 4)) == "2.5 is too large."  # none is asked for


def test_another_asks_with_new_numbers_and_the_first_answer_stays_right(capsys):
    e = made_up()
    e.check(1.5)
    assert capsys.readouterr().out == "PASS  parted. Another one: lesson.parted.another()\n"
    e.another()
    a, b = e.numbers(e.turn)
    out = " ".join(capsys.readouterr().out.split())
    assert (a, b) != (6, 4)
    assert out == f"What is {a} / {b}? Give 2 decimals. Answer with lesson.parted.check(...)"
    e.check(1.5)
    assert "PASS  parted, as the notebook asks it. Asked last: What is" in (
        capsys.readouterr().out
    )
    e.check(a / b)
    assert capsys.readouterr().out.startswith("PASS  parted.")
    e.check(-1)
    out = capsys.readouterr().out
    assert "too small" in out and f"The question: What is {a} / {b}?" in out
    e.show_solution()
    assert f"{a} over {b}" in capsys.readouterr().out
    assert made_up().numbers(3) == made_up().numbers(3), "a seed decides"


def test_draws_that_hide_a_mistake_are_not_drawn():
    e = made_up(draw=lambda random: (random.randint(1, 2), 2))
    assert all(e.numbers(turn) == (1, 2) for turn in range(1, 20)), "2 / 2 is its own inverse"
    e = made_up(draw=lambda random: (0, 3))
    with pytest.raises(ValueError, match="parted: of 1000 draws none tells"):
        e.numbers(1)


def test_the_same_numbers_are_not_asked_twice_in_a_row(capsys):
    e, asked = made_up(draw=lambda random: (random.choice((1, 3)), 2)), []
    for _ in range(8):
        e.another()
        asked.append(e.numbers(e.turn))
    assert asked[:2] * 4 == asked and asked[0] != asked[1]


def test_several_numbers_are_told_apart_by_place():
    def halves(a):
        """Half of it twice."""
        return a / 2, a / 4

    e = number_exercise(
        "",
        question="{a}?",
        difficulty=1,
        importance=1,
        minutes=1,
        first=(8,),
        draw=lambda random: (random.randint(1, 99),),
        worked=str,
        hints=(),
        decimals=1,
    )(halves)
    assert e.cell() == "lesson.halves.check(..., ...)  # your numbers for the dots"
    assert e.cell(solved=True) == "lesson.halves.check(4.0, 2.0)"
    assert message(e, (4, 2), (8,)) is None
    assert message(e, (4, 3), (8,)) == "Number 2 (3) is too large."
    assert "2 numbers are asked for, and you gave 1." in message(e, (4,), (8,))
    assert message(e, (4, ...), (8,)).startswith("put your answer")

"""Exceptions as Python, numpy and torch raise them today, and what the check adds to them."""

import math

import numpy as np
import pytest
import torch

from gpt1course.checking.advice import advice
from gpt1course.checking.exercise import diagnose, exercise

ROWS, ARRAY = torch.ones(2, 3), np.ones((2, 3))
NUMBERS, TEXT = [[1, 2], [3, 4]], "abc"


def never_set():
    for _ in []:
        total = 0
    return total


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: [2, 1].sort()[:1], "sorted(...) returns a new list"),
        (lambda: [1.0, 2.0].argmax(), "make it a tensor"),
        (lambda: {["a", "b"]: 1}, "make it a tuple"),
        (lambda: np.zeros(2, 3), "np.zeros((2, 3))"),
        (lambda: min([]), "Nothing is left"),
        (lambda: max([]), "Nothing is left"),
        (lambda: [1][1], "count from 0"),
        (lambda: ARRAY[0, 3], "count from 0"),
        (lambda: ROWS[2], "count from 0"),
        (lambda: torch.ones(2).topk(3), "min(k, len(x))"),
        (lambda: ROWS @ ROWS, "is a .T missing"),
        (lambda: ROWS @ torch.ones(2), "is a .T missing"),
        (lambda: ARRAY @ ARRAY, "is a .T missing"),
        (lambda: ROWS / ROWS.sum(dim=1), "keepdim=True"),
        (lambda: ARRAY / ARRAY.sum(axis=1), "keepdim=True"),
        (lambda: math.log(ARRAY), "take one number"),
        (lambda: math.exp(ROWS), "take one number"),
        (lambda: torch.sqrt(4), "math.sqrt"),
        (lambda: torch.sin(0.5), "math.sqrt"),
        (lambda: torch.log(ARRAY), "np.log"),
        (lambda: torch.log([1.0]), "torch.tensor(...)"),
        (lambda: ROWS - ROWS.max(dim=1), ".amax(dim=..., keepdim=True)"),
        (lambda: ROWS.softmax(), "dim=-1"),
        (lambda: not (ROWS == ROWS), "torch.equal"),
        (lambda: bool(ARRAY == ARRAY), "torch.equal"),
        (lambda: {}["a"], "d.get(key, 0)"),
        (never_set, "before the loop"),
        (lambda: NUMBERS["a"], ".index(...) finds it"),
        (lambda: TEXT["a"], ".index(...) finds it"),
        (lambda: NUMBERS[0, 1], "one position at a time"),
        (lambda: NUMBERS[[0, 1]], "one position at a time"),
        (lambda: np.ones(2, int).__itruediv__(2), "x = x / y"),
        (lambda: torch.ones(2, dtype=torch.long).div_(2), "x = x / y"),
        (lambda: ROWS.T @ ROWS.double(), "x.float()"),
        (lambda: ROWS > 0 & ROWS, "in parentheses"),
        (lambda: ROWS.view(4, 4), "x.shape"),
        (lambda: ROWS.expand(4, 4), "do not fit"),
        (lambda: torch.cat([torch.tensor(1.0)]), "x[None]"),
    ],
)
def test_what_to_do_about_an_exception(wrong, told):
    with pytest.raises(Exception) as caught:
        wrong()
    assert told in advice(caught.value, str(caught.value))


def test_an_exception_that_says_all_itself_gets_no_more():
    assert advice(ZeroDivisionError(), "division by zero") == ""


def test_a_check_says_it_after_the_exception_s_own_words():
    @exercise(
        "Rows times rows",
        difficulty=1,
        importance=1,
        minutes=1,
        cases=lambda: [(ROWS,)],
        task="",
        hints=(),
    )
    def product(rows):
        """Each row with each."""
        return rows @ rows.T

    message = diagnose(product, lambda rows: rows @ rows).message
    assert "shapes cannot be multiplied (2x3 and 2x3). In A @ B" in message
    negation = diagnose(product, lambda rows: -(rows > 0)).message
    assert negation.endswith("operator instead."), "one full stop, not two"

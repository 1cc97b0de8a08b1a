"""Checks that are themselves checked: stubs, solutions, and wrong answers."""

import ast
import builtins
import inspect
import re
from importlib import import_module
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from gpt1course import exercises
from gpt1course.checking import compare
from gpt1course.checking.execution import call
from gpt1course.checking.exercise import Checker, Exercise, check, diagnose, exercise
from gpt1course.checking.number_exercise import NumberExercise
from tools.notebooks import commands as tools

FOLDER = Path(exercises.__file__).parent
LESSONS = [
    import_module(f"gpt1course.exercises.{p.stem}") for p in sorted(FOLDER.glob("lesson??.py"))
]
ALL = [e for lesson in LESSONS for e in lesson.EXERCISES if isinstance(e, Exercise)]
WRONG = [(e, w) for e in ALL for w in e.wrong_answers]
NOTEBOOKS = sorted((FOLDER.parents[1] / "notebooks").glob("[0-9]*.ipynb"))


def written(source, name, known=None):
    """The function that a cell with this source would define."""
    names = dict(known or {"torch": torch, "np": np})
    exec(source, names)
    return names[name]


NAMES = {
    "tensor": torch.tensor,
    "zeros": torch.zeros,
    "ones": torch.ones,
    "arange": torch.arange,
    "array": np.array,
    "inf": float("inf"),
    "nan": float("nan"),
}


def examples(e):
    """(arguments, result) of each `name(...) -> result` in the docstring, as written."""
    found = re.findall(rf"{e.name}(\(.+\)) +-> +(.+)", e.solution.__doc__)
    found = [(f"({given[1:-1]},)", told) for given, told in found]
    return [(eval(given, dict(NAMES)), eval(told, dict(NAMES))) for given, told in found]


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_a_docstring_example_is_true_and_a_case(e):
    for given, told in examples(e):
        assert compare.same(call(e.solution, given).value, told, 1e-3), f"{e.name}{given}"
        assert any(compare.same(given, case, 0.0) for case in e.cases()), f"no case {given}"


def test_there_are_exercises():
    assert len(LESSONS) >= 11 and len(ALL) >= 50 and len(WRONG) >= 233


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda m: m.__name__[-2:])
def test_a_lesson_lists_all_of_its_exercises_in_order(lesson):
    defined = [x for x in vars(lesson).values() if isinstance(x, Exercise | NumberExercise)]
    assert defined == list(lesson.EXERCISES)
    for e in defined:
        functions = [w.function for w in e.wrong_answers]
        assert all(getattr(lesson, f.__name__) is f for f in functions), "a name used twice"


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_stub_is_todo_and_solution_passes(e, capsys):
    check_this = Checker((e,))
    returned = check_this(written(e.stub_text, e.name))
    assert capsys.readouterr().out.startswith(f"TODO  {e.name}")
    assert diagnose(e, returned) is None, "a TODO hands on the solution"
    mine = written(e.solution_text, e.name, vars(import_module(e.solution.__module__)))
    assert check_this(mine) is mine
    assert capsys.readouterr().out == f"PASS  {e.name}\n"


@pytest.mark.parametrize(("e", "w"), WRONG, ids=lambda x: x.name)
def test_a_wrong_answer_fails_with_its_own_message(e, w, capsys):
    returned = check(e, w.function)
    out = " ".join(capsys.readouterr().out.split())
    yours = f"; yours is lesson.mine.{e.name}."
    assert out == f"FAIL {e.name}: {' '.join(w.message.split())} {GOES_ON}{yours}"
    assert diagnose(e, returned) is None, "a FAIL hands on the solution"


GOES_ON = "The lesson goes on with the reference"


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_form(e):
    assert e.hints and len(e.wrong_answers) >= 3
    assert 1 <= e.difficulty <= 5 and 1 <= e.importance <= 5 and e.minutes <= 30


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_the_stub_is_signature_docstring_and_dots(e):
    stub, solution = (ast.parse(text).body for text in (e.stub_text, e.solution_text))
    assert len(stub) == len(solution) == 1 and stub[0].name == solution[0].name == e.name
    assert ast.unparse(stub[0].args) == ast.unparse(solution[0].args)
    assert not stub[0].decorator_list and not solution[0].decorator_list
    assert (
        ast.get_docstring(stub[0])
        == ast.get_docstring(solution[0])
        == inspect.getdoc(e.solution)
    )
    assert ast.unparse(stub[0].body[1:]) == "..." and len(solution[0].body) > 1
    assert e.stub_text.startswith(f"def {e.name}(") and e.stub_text.endswith('"""\n    ...')
    docstring = e.stub_text.removesuffix("\n    ...")
    assert e.solution_text.startswith(docstring + "\n") and "noqa" not in e.solution_text


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_wrong_answers_take_what_the_solution_takes(e):
    wanted = inspect.signature(e.solution)
    assert all(inspect.signature(w.function) == wanted for w in e.wrong_answers)


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_strict_mode_raises(e, monkeypatch, capsys):
    monkeypatch.setenv("GPT1_STRICT", "1")
    for function in (written(e.stub_text, e.name), e.wrong_answers[0].function):
        with pytest.raises(AssertionError):
            check(e, function)
    mine = written(e.solution_text, e.name, vars(import_module(e.solution.__module__)))
    assert check(e, mine) is mine


def global_names(source):
    """Names that a function uses and neither sets nor takes, without Python's own."""
    nodes = list(ast.walk(ast.parse(source)))
    names = [node for node in nodes if isinstance(node, ast.Name)]
    own = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    own |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    return {n.id for n in names} - own - set(dir(builtins))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name[:2])
def test_a_solution_uses_only_what_its_notebook_has(path):
    known, names = tools.exercises_of(path), set()
    for cell in nbformat.read(path, as_version=4).cells:
        if cell.cell_type != "code":
            continue
        if tools.mark(cell).get("part") == "stub":
            exercise = known[tools.mark(cell)["exercise"]]
            solved = isinstance(exercise, Exercise) and exercise.solution_text
            used = global_names(solved or cell.source)
            assert used <= names, f"{used - names} in {exercise.name}"
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.alias):
                names.add(node.asname or node.name.split(".")[0])
            elif isinstance(node, ast.FunctionDef):
                names.add(node.name)


def test_no_source_in_strings():
    for path in FOLDER.glob("*.py"):
        calls = {
            node.func.id
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        }
        assert not calls & {"exec", "eval", "compile"}, path.name
        assert not re.search(r"[\"']def \w+\(", path.read_text(encoding="utf-8")), path.name


def test_a_solution_needs_a_docstring():
    with pytest.raises(ValueError, match="nameless has no docstring"):

        @exercise("", task="", difficulty=1, importance=1, minutes=1, cases=list, hints=())
        def nameless(x):
            return x


def broken(rows, name, *row):
    """The rows with one of them replaced."""
    return rows | {name: row}


def test_lesson_16_looks_at_every_row():
    lesson = import_module("lesson_16")  # of tests/claims
    rows = {"full": (0.5, 0.4, 0.6), "a": (0.5, 0.4, 0.6), "b": (0.5, 0.4, 0.6)}
    rows["LSTM"] = (0.52, 0.49, 0.55)
    assert lesson.guess(rows)
    assert not lesson.guess(broken(rows, "b", 0.6, 0.51, 0.7))
    assert not lesson.guess(broken(rows, "LSTM", 0.6, 0.51, 0.7))
    assert not lesson.guess(broken(rows, "full", 0.4, 0.3, 0.49))


def test_lesson_15_looks_at_every_state():
    lesson = import_module("lesson_15")  # of tests/claims
    states = {"pre-trained": (0.64, 0.6, 0.68)}
    states |= {f"random {i}": (0.5, 0.45, 0.55) for i in range(3)}
    assert lesson.tells(states, 0.64) and not lesson.tells(states, 0.65)
    assert not lesson.tells(broken(states, "random 2", 0.5, 0.45, 0.61), 0.64)
    assert not lesson.tells(broken(states, "random 2", 0.45, 0.4, 0.49), 0.64)
    last = broken(states, "pre-trained", 0.55, 0.515, 0.59)
    assert lesson.hardly_tells(last, 0.55) and not lesson.hardly_tells(states, 0.64)
    assert not lesson.hardly_tells(broken(last, "random 1", 0.5, 0.45, 0.51), 0.55)


def test_lesson_15_counts_the_labels_that_a_row_needs():
    lesson = import_module("gpt1course.exercises.lesson15")
    places = {1000: {"mean": 0.9}, 10: {"mean": 0.5}, 100: {"mean": 0.7}}
    assert lesson.labels_needed(places, 0.7) == 100
    assert lesson.labels_needed(places, 0.95) is None


def test_lesson_17_takes_a_loop_over_pythons_numbers():
    """Whose 0.9 is one of 64 bits."""

    def mask_tokens(ids, draws, fates, other, specials, mask_id):
        read, labels = ids.clone(), torch.full_like(ids, -100)
        for i, (draw, fate) in enumerate(zip(draws.tolist(), fates.tolist(), strict=True)):
            if draw < 0.15 and ids[i].item() not in specials:
                labels[i] = ids[i]
                kept = other[i].item() if fate < 0.9 else ids[i].item()
                read[i] = mask_id if fate < 0.8 else kept
        return read, labels

    e = next(e for e in ALL if e.name == "mask_tokens")
    assert diagnose(e, mask_tokens) is None

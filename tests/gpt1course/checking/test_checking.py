"""The machinery of the checks, on a made-up exercise: hostile, clumsy and right answers."""

import functools
import math
import os
import random
import re
import signal
import sys
import threading
import time
import warnings
from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gpt1course.checking import compare, execution, feedback
from gpt1course.checking import exercise as machinery
from gpt1course.checking.exercise import Checker, exercise
from gpt1course.checking.time_limit import TooLong, time_limit
from gpt1course.exercises import lesson02, lesson06, lesson08


@exercise(
    "",
    difficulty=1,
    importance=1,
    minutes=1,
    cases=lambda: [(torch.tensor([1.0, 3.0]),), (torch.tensor([[5.0]]),)],
    task="",
    hints=(),
)
def double(x):
    """Twice x."""
    return 2 * x


@double.wrong("That is the square.")
def square(x):
    warnings.warn("a listed wrong answer warns", stacklevel=1)
    return x * x


@exercise(
    "", difficulty=1, importance=1, minutes=1, cases=lambda: [([1.0, 2.0],)], task="", hints=()
)
def total(numbers):
    """The sum as a number."""
    return sum(numbers)


check_it = Checker((double, total))


def checked(function, name="double", capsys=None):
    """What is handed on, and what is said, in one line."""
    if hasattr(function, "__name__"):
        function.__name__ = name
    returned = check_it(function)
    return returned, " ".join(capsys.readouterr().out.split())


def test_an_exercise_is_its_solution_when_called():
    assert double(4) == 8 and double.name == "double"
    assert double.wrong_answers[0].name == "square"
    assert double.stub_text == 'def double(x):\n    """Twice x."""\n    ...'
    assert double.solution_text == 'def double(x):\n    """Twice x."""\n    return 2 * x'


# ---- wrong answers, and what is said of them ---------------------------------------


def forgets_to_return(x):
    y = 2 * x
    y.sum()


def mutates(x):
    x *= 2
    return x


def recurses(x):
    return again(x)


def again(x):
    return again(x)


def counts_for_ever(x):
    while True:
        x = x + 0


def never_ends(x):
    while True:
        try:
            time.sleep(0.01)
        except Exception:
            pass


def leaves(x):
    sys.exit(3)


def is_stopped(x):
    raise KeyboardInterrupt


class Mute(Exception):
    def __str__(self):
        raise RuntimeError


def raises_mute(x):
    raise Mute


class Odd:
    __name__ = ["no", "text"]

    def __call__(self, x):
        return self

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None
    __repr__ = __eq__


ANSWERS = {
    "no return": (forgets_to_return, "returns None. Is a `return` missing"),
    "raises": (lambda x: 1 / 0, r"raised ZeroDivisionError: division by zero\. The lesson"),
    "a power": (lambda x: x ^ 2, r"NotImplementedError: .*\. In Python a power is x\*\*3"),
    "a power of a number": (lambda x: x.sum().item() ^ 2, r"TypeError: .*a power is x\*\*3"),
    "math of a tensor": (lambda x: math.sqrt(x), r"Functions of math take one number"),
    "math of an array": (lambda x: math.tanh(x.numpy()), r"Functions of math take one number"),
    "if": (lambda x: x if x > 0 else -x, r"need one True or False"),
    "if of numpy": (lambda x: x if x.numpy() > 0 else -x, r"need one True or False"),
    "torch's names": (lambda x: x.numpy().sum(dim=-1), "With numpy it is axis and keepdims"),
    "a size of a float": (lambda x: x.view(x.numel() / 1), r"divide by //"),
    "sizes, one of a float": (lambda x: x.view(1, x.numel() / 1), r"divide by //"),
    "a slice of floats": (lambda x: [1, 2, 3][: x.numel() / 1], r"divide by //"),
    "a range of floats": (lambda x: [*range(x.numel() / 1)], r"divide by //"),
    "a sentence": (
        lambda x: torch.ones(4, 3).t().view(12),
        r"Use \.reshape\(\.\.\.\) instead\. The",
    ),
    "raises without words": (raises_mute, r"raised Mute: \(without words\)"),
    "mutates": (mutates, "changes its arguments"),
    "recurses": (recurses, "raised RecursionError"),
    "leaves": (leaves, "raised SystemExit: 3"),
    "is stopped": (is_stopped, "was stopped by hand"),
    "nan": (
        lambda x: x * torch.tensor([1.0, float("nan")][: x.shape[-1]]),
        r"\[1, nan\], expected \[2, 6\]; they differ first at \[0\]\. 1 number of yours is nan",
    ),
    "shape": (lambda x: (2 * x)[..., None], r"the shape is \(2, 1\), expected \(2,\)"),
    "dtype": (lambda x: (2 * x).long(), "the dtype is torch.int64, expected torch.float32"),
    "complex": (lambda x: 2 * x + 0j, "the dtype is torch.complex64"),
    "array": (lambda x: (2 * x).numpy(), "the numbers are right, but in an array. Make it"),
    "list": (lambda x: (2 * x).tolist(), "the numbers are right, but in a list. Make it"),
    "wrong list": (lambda x: [2.0, 7.0], r"returns list \[2, 7\], expected Tensor"),
    "text": (lambda x: "4", "it returns str"),
    "nearly": (
        lambda x: 2 * x + 1e-3,
        r"differ first at \[0\]\. The largest difference is 0\.001",
    ),
    "half": (
        lambda x: (2.2 * x).half(),
        r"largest difference is 0\.602 \(yours are float16, expected float32\)",
    ),
    "arguments": (lambda x, y: x, "raised TypeError"),
    "sparse": (lambda x: (3 * x).to_sparse(), "expected"),
    "meta": (lambda x: x.to("meta"), r"a tensor without numbers \(meta\)"),
    "by one factor": (
        lambda x: -3 * x,
        r"difference is 15\. Where they differ, yours is -1\.5 times what is expected\.",
    ),
    "conjugate": (lambda x: (x * 1j).conj(), "complex"),
    "odd": (lambda x: Odd(), "it returns Odd, expected Tensor"),
    "generator": (lambda x: (n for n in x), "it returns generator"),
    "listed": (lambda x: x * x, "That is the square."),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_a_wrong_answer_fails_and_is_described(name, capsys):
    function, message = ANSWERS[name]
    returned, out = checked(function, capsys=capsys)
    assert re.search(message, out) and out.startswith("FAIL"), out
    assert returned is double.solution
    assert check_it.mine.double is function, "the learner can go on calling their own"


class ZMQExitAutocall:
    def __call__(self):
        raise AssertionError("the kernel would end here")


def test_a_notebook_s_own_exit_is_an_answer_too(monkeypatch, capsys):
    monkeypatch.setitem(globals(), "quit", ZMQExitAutocall())
    kept = globals()["quit"]
    _, out = checked(lambda x: quit(), capsys=capsys)  # noqa: PLR1722
    assert "raised SystemExit. The lesson" in out and globals()["quit"] is kept


def test_the_first_place_of_a_large_array_is_shown(capsys):
    @exercise(
        "", difficulty=1, importance=1, minutes=1, cases=lambda: [(40,)], task="", hints=()
    )
    def steps(n):
        """0 to n - 1 as a tensor."""
        return torch.arange(float(n))

    got = torch.arange(40.0)
    got[[7, 30]] = torch.tensor([7.5, 0.0])
    said = machinery.diagnose(steps, lambda n: got)
    assert said is not None and said.message == (
        "For (40) 2 of 40 numbers differ, the first at [7]: 7.5, expected 7. "
        "The largest difference is 30."
    )


def test_a_difference_inside_a_list_is_found(capsys):
    wanted = {"a": [1, 2], "b": (torch.zeros(2, 20), 1)}
    got = {"a": [1, 2], "b": (torch.zeros(2, 20).long(), 1)}
    said = machinery.describe((3,), execution.Result(got), execution.Result(wanted), 1e-5)
    assert (
        said
        == "For (3) in item 'b' in item 0 the dtype is torch.int64, expected torch.float32."
    )


def test_a_shape_of_one_dimension_reads_as_python_writes_it():
    assert machinery.short([(3,), (1, 2)]) == "[(3,), (1, 2)]"


def without_alarm(monkeypatch):
    """As on Windows."""
    monkeypatch.delattr(signal, "SIGALRM")
    monkeypatch.delattr(signal, "setitimer")


@pytest.mark.parametrize("windows", [False, True])
@pytest.mark.parametrize("answer", [never_ends, counts_for_ever])
def test_what_never_ends_is_stopped(monkeypatch, capsys, answer, windows):
    monkeypatch.setattr(execution, "SECONDS", 0.2)
    monkeypatch.setattr(execution, "LONGER", 0.0)
    if windows:
        without_alarm(monkeypatch)
    handler = signal.getsignal(signal.SIGINT)
    returned, out = checked(answer, capsys=capsys)
    assert "still running after 0 seconds and was stopped. Does a loop never end?" in out
    assert returned is double.solution and signal.getsignal(signal.SIGINT) is handler


@pytest.fixture
def ctrl_c_interrupts():
    """As in a terminal: a job that a shell starts in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c_interrupts")
@pytest.mark.parametrize("windows", [False, True])
def test_a_hand_stops_it_too(monkeypatch, capsys, windows):
    if windows:
        without_alarm(monkeypatch)

    def pressed(x):
        signal.raise_signal(signal.SIGINT)
        return 2 * x

    returned, out = checked(pressed, capsys=capsys)
    assert "your function was stopped by hand" in out and returned is double.solution


def watchdogs():
    """The threads that may still act."""
    return [thread for thread in threading.enumerate() if thread.name == "time limit"]


def none_is_left():
    """Whether they end soon."""
    for thread in watchdogs():
        thread.join(30)
    return not watchdogs()


def test_the_limit_leaves_nothing_behind(monkeypatch):
    handler = signal.getsignal(signal.SIGINT)
    with time_limit(60):
        pass
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0), "no alarm is left behind"
    without_alarm(monkeypatch)
    assert none_is_left(), "of the tests before"
    with time_limit(60):
        assert len(watchdogs()) == 1
    assert signal.getsignal(signal.SIGINT) is handler and none_is_left()
    assert in_thread(lambda: call_limited(lambda: len(watchdogs()), 60)) is None
    assert none_is_left()


def in_thread(function):
    """What a function returns in another thread than the main one."""
    results = []
    thread = threading.Thread(target=lambda: results.append(function()))
    thread.start()
    thread.join()
    return results[0]


def call_limited(function, seconds):
    """The name and arguments of what a limited function raises, or None."""
    try:
        with time_limit(seconds):
            function()
    except TooLong as error:
        return error.args


@pytest.mark.parametrize("way", ["alarm", "interrupt", "thread"])
def test_the_limit_strikes_once_and_only_inside(monkeypatch, way):
    if way == "interrupt":
        without_alarm(monkeypatch)
    run = in_thread if way == "thread" else lambda function: function()

    def all_of_them():
        ended = [call_limited(lambda: never_ends(0), 0.05)]
        for i in range(200):  # at its very end, and a little before or after it
            ended.append(call_limited(lambda: time.sleep(0.002), 0.002 + i % 5 * 1e-4))
        time.sleep(0.05)  # nothing strikes out here
        return ended

    first, *others = run(all_of_them)
    assert first == (0.05,)
    assert all(args is None or args == (0.002 + i % 5 * 1e-4,) for i, args in enumerate(others))


def test_in_another_thread_the_limit_holds_too():
    ends = in_thread(lambda: execution.call_all(len, [("abc",)], 60.0))
    assert ends == [execution.Result(3)]
    [endless] = in_thread(lambda: execution.call_all(never_ends, [(1,)], 0.1))
    assert isinstance(endless.error, TooLong) and endless.error.args == (0.1,)


def test_what_a_failing_answer_prints_is_shown_and_no_more_than_that(capsys):
    def prints(x):
        print("here", x.shape)
        print("x" * 10_000)
        return x

    check_it(prints_as_double := functools.wraps(double.solution)(prints))
    out = capsys.readouterr().out
    assert "It printed:\n        here torch.Size([2])\n" in out
    assert len(out) < execution.KEPT_LETTERS + 1_000
    assert "a listed wrong answer warns" not in out
    assert prints_as_double is check_it.mine.double


# ---- right answers -----------------------------------------------------------------

RIGHT = {
    "half": lambda x: (2 * x).half(),
    "bfloat16": lambda x: (2 * x).bfloat16(),
    "float64": lambda x: 2 * x.double(),
    "sparse": lambda x: (2 * x).to_sparse(),
    "needs a gradient": lambda x: (2 * x).requires_grad_(),
}
RIGHT_TOTALS = [
    lambda n: 3,
    np.sum,
    lambda n: np.float32(3),
    lambda n: np.float16(3),
    lambda n: np.int64(3),
    lambda n: np.array(3.0),
    lambda n: torch.tensor(3, dtype=torch.bfloat16),
    lambda n: torch.tensor(3),
]


@pytest.mark.parametrize("name", RIGHT)
def test_a_right_tensor_of_another_kind_passes_and_the_lesson_goes_on(name, capsys):
    """With the reference: a float64 tensor cannot be multiplied by a float32 one."""
    returned, told = checked(RIGHT[name], capsys=capsys)
    assert returned is double.solution and told.startswith("PASS double Yours returns Tensor (")
    assert told.endswith("goes on with the reference; yours is lesson.mine.double.")


@pytest.mark.parametrize(
    "wrong", [lambda x: (2.01 * x).bfloat16(), lambda x: (2.004 * x).half()]
)
def test_few_digits_hide_no_wrong_formula(wrong, capsys):
    _, told = checked(wrong, capsys=capsys)
    assert "FAIL" in told and "float16, expected float32" in told


@pytest.mark.parametrize("answer", RIGHT_TOTALS)
def test_a_right_number_of_any_kind_passes(answer, capsys):
    def function(numbers):
        return answer(numbers)

    returned, told = checked(function, "total", capsys)
    if isinstance(answer([1, 2]), np.ndarray | torch.Tensor):  # cannot be rounded, say
        assert returned is total.solution and told.startswith("PASS total Yours returns")
    else:
        assert (returned, told) == (function, "PASS total")


DOUBLE, SINGLE, WHOLE = (f"({kind}, shape (2,))" for kind in ("float64", "float32", "int64"))
KINDS_APART = [  # a, b, and how they are told
    (torch.ones(2), torch.zeros(2), None),
    (torch.ones(2).double(), torch.ones(2), [f"Tensor {DOUBLE}", f"Tensor {SINGLE}"]),
    ([1, (np.ones(2),)], [1, (np.ones(2, int),)], [f"ndarray {DOUBLE}", f"ndarray {WHOLE}"]),
    (("a", "b"), ["a", "b"], ["tuple ('a', 'b')", "list ['a', 'b']"]),
    ({"x": [1]}, {"x": (1,)}, ["list [1]", "tuple (1,)"]),
    (torch.tensor(1.0), 1.0, ["Tensor (float32, shape ())", "float 1"]),
    (np.float64(1), 1.0, None),
    (True, True, None),
]


@pytest.mark.parametrize(("a", "b", "told"), KINDS_APART)
def test_kinds_are_told_apart_at_their_place(a, b, told):
    found = compare.other_kind(a, b)
    assert (found and list(map(feedback.kind_in_words, found))) == told


def test_an_answer_without_the_name_is_found_by_its_variable(capsys):
    for answer in (lambda x: x + x, functools.partial(lambda a, x: a * x, 2)):
        globals()["double"], kept = answer, double
        try:
            assert check_it(answer) is answer
        finally:
            globals()["double"] = kept
        assert capsys.readouterr().out == "PASS  double\n"


def test_a_name_that_is_nearly_right_is_told_and_replaced(capsys):
    def doble(x):
        return 2 * x

    assert check_it(doble) is double.solution
    assert "doble is no exercise of this lesson (double, total). Keep the name double." in (
        capsys.readouterr().out
    )
    assert check_it(3) == 3
    assert "3 is no exercise of this lesson (double, total)." in capsys.readouterr().out


def test_none_is_told_as_what_it_is_and_charged_to_no_exercise(monkeypatch, capsys):
    monkeypatch.delitem(globals(), "double")  # a notebook before its first exercise
    assert check_it(None) is None
    said = " ".join(capsys.readouterr().out.split())
    assert said == f"FAIL {machinery.NOTHING}" and "double" not in said
    monkeypatch.setitem(globals(), "total", None)
    assert check_it(total) is check_it.exercises["total"].solution
    assert "FAIL total: total is of the type NoneType" in " ".join(
        capsys.readouterr().out.split()
    )
    monkeypatch.setenv("GPT1_STRICT", "1")
    with pytest.raises(AssertionError, match="FAIL  check was given None, not a function"):
        check_it(None, name="None")


def test_the_reference_is_recognized(monkeypatch, capsys):
    given, total_too = (double, double.solution, check_it(forgets_to_return_as_double())), total
    for name in ("double", "total"):  # lesson.double in a notebook that has no such variable
        monkeypatch.delitem(globals(), name)
    mine = check_it.mine.double
    for reference in given:
        assert check_it(reference) is given[1]
        assert capsys.readouterr().out.splitlines()[-2].startswith("TODO  double: this is the")
    check_it(total_too)
    assert capsys.readouterr().out.startswith("TODO  total: this is the reference.")
    assert check_it.mine.double is mine, "the reference is not the learner's own"


def test_a_number_is_not_checked_as_a_function_and_the_way_to_answer_is_told(capsys):
    check_this, number = lesson06.check, lesson06.weight_bytes
    for wrong, options in ((number, {}), (number.solution, {}), (5, {"name": number.name})):
        assert check_this(wrong, **options) is wrong
        assert " ".join(capsys.readouterr().out.split()) == (
            "FAIL weight_bytes asks for a number. Answer with lesson.weight_bytes.check(...)."
        )
    assert number.cell().startswith("lesson.weight_bytes.check(...)  # your number")


def forgets_to_return_as_double():
    def double(x):
        x + x

    return double


# ---- what is still a stub ----------------------------------------------------------


def docstring_and_dots(x):
    """Another docstring."""
    ...


def dots(x): ...


def only_pass(x):
    """Twice x."""
    pass


def returns_dots(x):
    return ...


def not_implemented(x):
    raise NotImplementedError("later")


def number(x):
    """Twice x."""
    return 4


STUBS = [docstring_and_dots, dots, only_pass, returns_dots, not_implemented, lambda x: ...]


@pytest.mark.parametrize("function", STUBS)
def test_what_is_not_written_is_todo(function, capsys):
    returned, out = checked(function, capsys=capsys)
    assert out == "TODO double: not written yet. The lesson goes on with the reference."
    assert returned is double.solution


@pytest.mark.parametrize("function", [number, len])
def test_what_is_written_is_not_a_stub(function):
    assert not machinery.is_stub(function)


# ---- everything comes back as it was -----------------------------------------------


def meddles(x):
    torch.manual_seed(7)
    np.random.seed(7)
    random.seed(7)
    torch.set_grad_enabled(False)
    torch.set_default_dtype(torch.float64)
    torch.set_num_threads(torch.get_num_threads() + 1)
    np.seterr(all="raise")
    os.chdir("/")
    warnings.simplefilter("error")
    return 2 * x


def state():
    """All that an answer might leave changed."""
    return (
        torch.get_rng_state().tolist(),
        np.random.get_state()[1].tolist(),
        random.getstate(),
        torch.is_grad_enabled(),
        torch.get_default_dtype(),
        torch.get_num_threads(),
        np.geterr(),
        os.getcwd(),
        list(warnings.filters),
    )


def test_a_check_leaves_everything_as_it_found_it(capsys):
    before = state()
    assert checked(meddles, capsys=capsys)[1].startswith("PASS double Right, but no gradient")
    assert state() == before


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (None, 0, False),
        ("a", "a", True),
        (np.str_("a"), "a", True),
        (np.bool_(True), True, True),
        (np.bool_(True), 1, False),
        ([1, 2], (1, 2), True),
        ([np.int64(1)], [1], True),
        ([1, 2], [1, 2, 3], False),
        ({"a": 1}, {"a": 1}, True),
        ({"a": 1}, {"b": 1}, False),
        (np.eye(2), np.eye(2), True),
        (torch.eye(2), np.eye(2), False),
        (torch.tensor(2.0), 2.0, True),
        (torch.tensor([True]), torch.tensor([1]), False),
        (float("nan"), 1.0, False),
        (1.0, 1.0 + 1e-4, False),
        (np.float16(1.0), 1.0 + 1e-3, False),
        (1.0 + 1e-3, np.float16(1.0), True),
        (np.float32(1.0), 1.0 + 1e-6, True),
        (torch.tensor([1.0]), torch.tensor([1.0 + 1e-9]), True),
        (object(), object(), False),
        (1 + 0j, 1.0, False),
    ],
)
def test_same(a, b, equal):
    assert compare.same(a, b, 1e-5) is equal


@given(st.floats(), st.floats(), st.floats(-3, 3), st.sampled_from([0.0, 1e-5, 0.1]))
def test_single_numbers_are_compared_as_numpy_does(a, b, near, tolerance):
    for other in (b, a, a * (1 + near * tolerance), a + near * tolerance):
        wanted = np.allclose(a, other, rtol=tolerance, atol=tolerance, equal_nan=True)
        assert compare.same(a, other, tolerance) == wanted


def test_numbers_too_large_for_a_float_are_compared():
    assert compare.same(10**400, 10**400, 1e-5)
    assert not compare.same(10**400, 1, 1e-5) and not compare.same(1, 10**400, 1e-5)


def test_an_error_of_another_cause_is_not_taken_for_a_listed_one():
    @exercise(
        "", difficulty=1, importance=1, minutes=1, cases=lambda: [([2, 3],)], task="", hints=()
    )
    def last(numbers):
        """The last of the numbers."""
        return numbers[-1]

    @last.wrong("The last has the index len(numbers) - 1.")
    def beyond(numbers):
        return numbers[len(numbers)]

    named = machinery.diagnose(last, lambda numbers: numbers[2])
    other = machinery.diagnose(last, lambda numbers: [].pop())
    assert named.message == "The last has the index len(numbers) - 1."
    assert "IndexError: pop from empty list" in other.message


def test_what_is_none_is_called_none():
    assert feedback.difference("None", None, 0.0) == "it returns str 'None', expected None"


def test_a_listed_answer_is_called_no_further_than_it_agrees():
    called = []

    @exercise(
        "",
        difficulty=1,
        importance=1,
        minutes=1,
        task="",
        hints=(),
        cases=lambda: [(1,), (2,), (3,)],
    )
    def one_more(x):
        """x + 1"""
        return x + 1

    @one_more.wrong("This doubles.")
    def doubles(x):
        called.append(x)
        return 2 * x

    assert machinery.diagnose(one_more, lambda x: x - 1).message != "This doubles."
    assert called == [1]
    assert machinery.diagnose(one_more, lambda x: 2 * x).message == "This doubles."
    assert called == [1, 1, 2, 3]


IN_ANOTHER_CONTAINER = [  # what an answer returns, what is wanted, what to do
    ([2.0, 4.0], torch.tensor([2.0, 4.0]), "in a list. Make it a tensor: torch.tensor(...)"),
    (
        np.array([2, 4]),
        torch.tensor([2, 4]),
        "in an array. Make it a tensor: torch.tensor(...)",
    ),
    (
        [torch.ones(2), torch.ones(2)],
        torch.ones(2, 2),
        "in a list. Make it one tensor: torch.stack(...)",
    ),
    ([[2, 4]], np.array([[2, 4]]), "in a list. Make it an array: np.array(...)"),
    (torch.tensor([2.0]), np.array([2.0]), "in a tensor. Make it an array: np.array(...)"),
    (np.array([0.5, 1]), [0.5, 1.0], "in an array. Make it a list: .tolist()"),
    (
        torch.tensor([0.5, 1]),
        (0.5, 1.0),
        "in a tensor. Make it a tuple: tuple(x.tolist()), with your result for x",
    ),
]


@pytest.mark.parametrize(("got", "wanted", "remedy"), IN_ANOTHER_CONTAINER)
def test_right_numbers_in_another_container_are_told_the_remedy(got, wanted, remedy):
    assert not compare.same(got, wanted, 1e-5)
    told = feedback.difference(got, wanted, 1e-5)
    assert told == f"the numbers are right, but {remedy}"


def test_what_follows_the_remedy_for_a_tuple_fits_the_next_cells():
    wanted, x = (0.5, 1.0), torch.tensor([0.5, 1.0])
    assert compare.other_kind(tuple(x.tolist()), wanted) is None
    assert compare.other_kind(x.tolist(), wanted) and compare.other_kind(tuple(x), wanted)


@pytest.mark.parametrize("got", [[2.0, 5.0], ["2", "4"], [2.0], "24", [1, 2], None, [[2.0], 4]])
def test_wrong_numbers_in_another_container_are_not_called_right(got):
    assert "are right" not in feedback.difference(got, torch.tensor([2.0, 4.0]), 1e-5)


def test_a_longdouble_is_a_number_and_a_fraction_is_named_once():
    assert compare.same(np.longdouble(1.1), 1.1, 1e-9)
    assert compare.same(np.full(2, 1.1, np.longdouble), np.full(2, 1.1), 1e-9)
    assert feedback.short(np.longdouble(1.1)) == "1.1"
    assert feedback.short(np.full(2, 1.1, np.longdouble)) == "[1.1, 1.1]"
    told = feedback.difference(np.longdouble(1.2), 1.1, 1e-9)
    assert told == "it returns 1.2, expected 1.1"
    told = feedback.difference(Fraction(11, 10), 1.1, 1e-9)
    assert told == "it returns Fraction(11, 10), expected float 1.1"


def test_a_defaultdict_is_told_its_first_difference():
    told = feedback.difference(defaultdict(int, a=1), {"a": 2}, 1e-5)
    assert told == "it returns {'a': 1}, expected {'a': 2}"


def test_two_numbers_that_differ_are_shown_to_differ():
    told = feedback.difference(np.full(20, 0.53910), np.full(20, 0.53912), 1e-6)
    assert "0.5391, expected 0.53912. The largest difference is 2e-05" in told


@exercise(
    "",
    difficulty=1,
    importance=1,
    minutes=1,
    cases=lambda: [(3.0,)],
    task="",
    hints=(),
    measured=lambda x: 4.0 * x,
)
def slope_of_two_squares(x):
    """Slope of 2 x^2, with a slip."""
    return 2 * x


def test_an_answer_is_held_against_what_is_measured(capsys):
    assert machinery.diagnose(slope_of_two_squares, lambda x: 4 * x) is None
    said = machinery.diagnose(slope_of_two_squares, slope_of_two_squares.solution)
    assert said is not None and said.message == (
        "For (3) it returns 6, expected 12. (Expected is what finite differences measure.)"
    )


# ---- right answers that would break the cells that follow --------------------------------


def handed_on(e, function, capsys):
    """(what the check of a lesson hands on, what it says in one line)."""
    function = machinery.check(e, function)
    return function, " ".join(capsys.readouterr().out.split())


def test_a_right_answer_through_which_no_gradient_flows_is_not_handed_on(capsys):
    def tied_logits(h, W_e):
        return torch.tensor(h.numpy() @ W_e.numpy().T)

    e = lesson08.tied_logits
    function, said = handed_on(e, tied_logits, capsys)
    assert function is e.solution
    assert said.startswith("PASS tied_logits Right, but no gradient")
    assert said.endswith("with the reference; yours is lesson.mine.tied_logits.")


def test_a_right_answer_that_is_far_too_slow_is_not_handed_on(capsys):
    def cut_word(word, ranks):
        symbols = lesson02.characters(word)
        merged = True
        while merged:
            merged = False
            for pair in sorted(ranks, key=ranks.get):
                if pair in list(zip(symbols, symbols[1:], strict=False)):
                    symbols, merged = lesson02.merge_pair(symbols, pair), True
                    break
        return symbols

    e = lesson02.cut_word
    function, said = handed_on(e, cut_word, capsys)
    assert function is e.solution and "tries all 8,000 merges on each word" in said
    assert "would take minutes. The lesson goes on with the reference" in said


def test_an_answer_of_another_name_is_checked_as_the_exercise_that_is_named(capsys):
    check_this = Checker((lesson08.tied_logits,))
    function = check_this(lambda h, W_e: h @ W_e.T, name="tied_logits")
    assert capsys.readouterr().out == "PASS  tied_logits\n"
    assert function is check_this.mine.tied_logits
    check_this(function, name="tied_logit")
    assert "Keep the name tied_logits" in capsys.readouterr().out

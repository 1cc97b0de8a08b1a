"""One exercise of a submitted notebook: its cell run in a process of its own, and judged.

The process gets the source of the cell, isolates itself, runs it, calls the function on the
exercise's cases and sends back what came out, as plain JSON. Right or wrong is found out on
this side, where no line of the submission has run: whatever it does to torch, to Python or
to this library, only the right results count.
"""

import ast
import gc
import json
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from .. import workspace
from ..checking.execution import call, call_all, timed_reference
from ..checking.exercise import NOT_WRITTEN, Exercise, Verdict, compared, is_stub
from ..checking.number_exercise import NumberExercise
from ..checking.time_limit import time_limit
from . import bubblewrap, serialize
from .sandbox import WALLS, close_inherited, close_walls, run_alone, too_much_in

STARTING = 300.0  # seconds that a process may take to import the library
GRACE = 5.0  # seconds over an exercise's own limit, until the process is ended
LOOKING = 0.1  # seconds from one look at what a submission writes to the next
LARGEST = 64_000_000  # bytes of an answer
PRELOADED = [__name__, "gpt1course.viz"]  # what takes long to import
TURNS = 20  # how many questions of another() an answer may answer
UNCLOSED: set[str] = set()  # walls that stayed open in a process so far
NO_CELL, NO_FUNCTION = "its cell is missing", "its cell holds no function"
"""How the sentences begin on an exercise that gives nothing to judge."""


@dataclass(frozen=True)
class Submitted:
    """The cell of one exercise.

    again: whether the notebook asks for other numbers. student: whose numbers it asks about.
    """

    lesson: str
    name: str
    source: str
    again: bool = False
    student: str = ""


@dataclass(frozen=True)
class Limits:
    """What a submission may use: seconds per exercise (None: the lesson's own limit), and
    gigabytes; and the folders that it may not read."""

    seconds: float | None = None
    gigabytes: float = 2.0
    hidden: tuple[str, ...] = ()


def exercise_of(lesson: str, name: str) -> Exercise | NumberExercise:
    """An exercise by its lesson and its name."""
    return next(e for e in workspace.exercises(lesson) if e.name == name)


# ---- in the process ---------------------------------------------------------------------


class LessonStub(SimpleNamespace):
    """`lesson` as a submitted cell sees it: it keeps what is handed in, and checks nothing."""

    def __init__(self, lesson, exercises):
        names = {e.name for e in exercises} | {"check", "EXERCISES"}
        kept = {k: v for k, v in vars(lesson).items() if k not in names}
        super().__init__(**kept | {"answers": {}, "mine": SimpleNamespace()})
        for exercise in exercises:
            if isinstance(exercise, NumberExercise):
                keep = SimpleNamespace(check=self._keeper(exercise.name))
                setattr(self, exercise.name, keep)
                keep.another = keep.show_solution = lambda: None

    def _keeper(self, name: str):
        return lambda *answers: self.answers.__setitem__(name, answers)

    def __getattr__(self, name: str):
        raise AttributeError(f"lesson.{name} is not at hand while marks are given")

    def check(self, function, name: str | None = None):
        """Keep a function; the notebook goes on with it."""
        self.answers["function"] = function
        return function


def names_before(lesson: str, imports: str, own: str) -> dict[str, Any]:
    """What a cell finds: the lesson's imports, and the other exercises' solutions."""
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(imports, names)
    names |= {e.name: e.solution for e in workspace.exercises(lesson) if e.name != own}
    return names | {"lesson": LessonStub(names["lesson"], workspace.exercises(lesson))}


def without_magic(source: str) -> str:
    """A cell without IPython's lines, %time and !ls."""
    return re.sub(r"^[%!].*$", "", source, flags=re.MULTILINE)


def hide_reference(lesson: str, name: str) -> None:
    """Take an exercise out of its lesson, and let nothing else lead to it."""
    module = import_module(f"gpt1course.exercises.lesson{lesson}")
    others = tuple(e for e in workspace.exercises(lesson) if e.name != name)
    vars(exercise_of(lesson, name)).clear()
    vars(module).update({"EXERCISES": others, name: None})
    _wanted.cache_clear()
    gc.collect()  # a solution lies in a cycle with its module


def cases_of(lesson: str, name: str) -> list[tuple]:
    """The cases of an exercise; none where a number is asked for."""
    exercise = exercise_of(lesson, name)
    return exercise.cases() if isinstance(exercise, Exercise) else []


def run_submitted(cases: list[tuple], cell: Submitted, names: dict, seconds: float) -> dict:
    """Run a cell and, where a function is asked for, call it; all that came out, as JSON."""
    with time_limit(seconds):
        ran = call(lambda: exec(compile(without_magic(cell.source), "cell", "exec"), names), ())
    raised = serialize.packed_result(ran)["error"]
    handed = names["lesson"].answers
    if not cases:
        return {"raised": raised, "answers": serialize.packed(list(handed.get(cell.name, ())))}
    function = names.get(cell.name, handed.get("function"))
    if not callable(function):
        return {"raised": raised, "kind": function is not None and type(function).__name__}
    if is_stub(function):
        return {"raised": raised, "stub": True}
    results = call_all(function, cases, seconds)
    return {"raised": raised, "results": [_sent(result) for result in results]}


def _sent(result) -> dict:
    """A result as JSON, or that it is not to be had."""
    try:
        packed = serialize.packed_result(result)
        json.dumps(packed)
        return packed
    except Exception as error:  # a list that lies about its length, say
        return serialize.packed_result(type(result)(error=error))


def _answer(pipe, *arguments) -> None:
    """What the process does, from its start to its end."""
    if hasattr(os, "setsid"):
        os.setsid()  # its own group, to be ended as one
    run_alone(lambda unclosed: _run_cell(pipe, unclosed, *arguments), pipe.close)


def _run_cell(
    pipe, unclosed, cell: Submitted, imports: str, folder: str, seconds: float, limits: Limits
):
    """Isolate this process, tell how far that went, then run the cell and send the results."""
    names = names_before(cell.lesson, imports, cell.name)
    cases = cases_of(cell.lesson, cell.name)
    hide_reference(cell.lesson, cell.name)
    os.chdir(folder)
    close_inherited(pipe.fileno())
    unclosed += close_walls(folder, limits.gigabytes, limits.hidden)
    pipe.send_bytes(json.dumps(unclosed).encode())
    pipe.send_bytes(json.dumps(run_submitted(cases, cell, names, seconds)).encode())


# ---- on this side -----------------------------------------------------------------------


@cache
def _context():
    """Processes that begin with the library imported, and with nothing of ours in them."""
    if "forkserver" not in multiprocessing.get_all_start_methods():  # Windows
        return multiprocessing.get_context("spawn")
    from . import server

    with ignoring_interrupts():  # the server inherits it
        return server.begin(PRELOADED, bubblewrap.python() or sys.executable)


@contextmanager
def ignoring_interrupts() -> Iterator[None]:
    """Ctrl-C is for this process alone, which ends those that it started meanwhile."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


@cache
def _wanted(exercise: Exercise):
    """(cases, the solution's results, seconds that an answer may take)."""
    cases = exercise.cases()
    return cases, *timed_reference(exercise.measured or exercise.solution, cases)


def isolation() -> str:
    """How the processes so far were isolated, for the table of marks."""
    walls = [wall for wall in WALLS if wall in UNCLOSED]
    return f"not isolated: {', '.join(walls)}" if walls else "isolated"


@contextmanager
def own_folder() -> Iterator[str]:
    """An empty folder for a submission, removed whatever the submission made in it."""
    folder = tempfile.TemporaryDirectory(dir=bubblewrap.workplace(), ignore_cleanup_errors=True)
    try:
        yield folder.name
    finally:
        try:
            folder.cleanup()
        except RecursionError:  # folders in folders, thousands of them
            subprocess.run(["rm", "-rf", folder.name], check=False)


def ask(cell: Submitted, imports: str, limits: Limits) -> tuple[dict | None, str]:
    """(what the cell's process sent, ""), or (None, why it sent nothing)."""
    exercise = exercise_of(cell.lesson, cell.name)
    own = _wanted(exercise)[2] if isinstance(exercise, Exercise) else 10.0
    seconds = limits.seconds or own
    ours, theirs = _context().Pipe(duplex=False)
    with own_folder() as folder:
        process = _context().Process(
            target=_answer, args=(theirs, cell, imports, folder, seconds, limits)
        )
        process.start()
        theirs.close()
        try:
            return _received(ours, process, folder, 2 * seconds + GRACE)
        finally:
            _end(process)
            ours.close()


def _unclosed(pipe) -> list[str] | None:
    """Which walls of a process stayed open, or None if it did not begin.

    No line of the submission has run by then.
    """
    try:
        return json.loads(pipe.recv_bytes(200)) if pipe.poll(STARTING) else None
    except (OSError, EOFError):
        return None


def _waited(pipe, folder: str, seconds: float) -> str:
    """Wait for an answer; why there is none, in a sentence, or nothing if there is one."""
    end, pause = time.monotonic() + seconds, LOOKING
    while not pipe.poll(pause):
        start = time.monotonic()
        if start > end:
            return f"it was still running after {seconds:.0f} seconds and was stopped."
        if too_much := too_much_in(folder):
            return f"{too_much} and was stopped."
        pause = max(LOOKING, 10 * (time.monotonic() - start))  # looking is a tenth of the work
    return ""


def _received(pipe, process, folder: str, seconds: float) -> tuple[dict | None, str]:
    unclosed = _unclosed(pipe)
    if unclosed is None:
        raise RuntimeError("a process did not start: is this machine out of memory?")
    UNCLOSED.update(unclosed)
    try:
        if why := _waited(pipe, folder, seconds):
            return None, why
        return json.loads(pipe.recv_bytes(LARGEST)), ""
    except EOFError:
        process.join(GRACE)
        return None, f"it ended Python itself (exit code {process.exitcode})."
    except (OSError, ValueError, RecursionError):
        return None, "what it sends is not to be read."


def _end(process) -> None:
    """End a process and what it started."""
    process.terminate()  # it ends its namespace first
    process.join(GRACE)
    if hasattr(os, "killpg") and process.pid:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except OSError:  # it has ended
            pass
    process.kill()
    process.join()
    process.close()


def mark_cell(cell: Submitted, imports: str, limits: Limits) -> Verdict | None:
    """None for a right answer, else what is wrong with it, whatever the submission does.

    Raises RuntimeError where no process starts: this machine can mark nothing then.
    """
    told, why = ask(cell, imports, limits)
    if told is None:
        return Verdict(why)
    try:
        return _judged(exercise_of(cell.lesson, cell.name), cell, told)
    except Exception as error:  # whatever was sent, the others are marked
        return Verdict(f"it could not be judged ({type(error).__name__}).")


def _judged(exercise, cell: Submitted, told: dict) -> Verdict | None:
    if isinstance(exercise, NumberExercise):
        return _numbers_judged(exercise, cell, told)
    if told.get("stub"):
        return NOT_WRITTEN
    if "results" not in told:
        return _no_function(cell, told)
    cases, wanted, _ = _wanted(exercise)
    got = [serialize.unpacked_result(one) for one in told["results"]]
    verdict = compared(exercise, cases, wanted, got)
    if verdict and "NameError" in verdict.message:
        return Verdict(verdict.message + " (Only the exercise's own cell is run here.)")
    return verdict


def _no_function(cell: Submitted, told: dict) -> Verdict:
    if told["raised"]:
        name, words = map(str, told["raised"])
        return Verdict(f"its cell raises {name}: {words[:200]}")
    if told.get("kind"):
        return Verdict(f"{cell.name} is of the type {told['kind']}, it must be a function.")
    return Verdict(f"{NO_FUNCTION} {cell.name}.", status="TODO")


def _numbers_judged(exercise: NumberExercise, cell: Submitted, told: dict) -> Verdict | None:
    """As the notebook asks it or, where another() was called, with any of the next numbers."""
    given = tuple(serialize.unpacked(told["answers"]))
    if told["raised"] and not given:
        return _no_function(cell, told)
    verdict = exercise.diagnose(given, exercise.numbers(0, cell.student))
    turns = range(1, TURNS) if verdict and cell.again else ()
    right = any(
        exercise.diagnose(given, exercise.numbers(turn, cell.student)) is None for turn in turns
    )
    return None if right else verdict


def imports_of(sources: list[str]) -> str:
    """The import statements of some cells, in order, as one text."""
    found = []
    for source in sources:
        tree = ast.parse(without_magic(source))
        found += [
            ast.unparse(n) for n in tree.body if isinstance(n, ast.Import | ast.ImportFrom)
        ]
    return "\n".join(dict.fromkeys(found))

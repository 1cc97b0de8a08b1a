"""What a learner has solved: a small file beside their own copies of the lessons."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock

from gpt1lib.io.files import read_json, write_json

from . import workspace

WAIT = 10  # seconds, for another lesson that writes; it needs less than one


def solved() -> dict[str, dict[str, str]]:
    """Lesson's number -> exercise -> the day on which it first passed; empty at first."""
    file = workspace.WORK / "progress.json"
    passed = read_json(file) if file.is_file() else {}
    if not all(isinstance(days, dict) for days in passed.values()):
        raise ValueError(f"{file} is damaged: delete it, and run your lessons again to fill it")
    return passed


def note(solution: Callable) -> None:
    """Keep that an exercise, named by its solution, has passed; only in the folder `work`.

    A check never stops the lesson: a file that cannot be written is left out.
    """
    lesson, name = solution.__module__[-2:], solution.__name__
    try:
        in_work = workspace.WORK.is_dir() and Path.cwd().samefile(workspace.WORK)
        if in_work and name not in solved().get(lesson, {}):
            keep_passed(lesson, name)
    except (OSError, ValueError, NotImplementedError) as error:  # the last: no locks here
        print(f"Your progress could not be kept: {error}")


def keep_passed(lesson: str, name: str) -> None:
    """Write that an exercise of a lesson has passed today, if it had not passed before."""
    with changing() as passed:
        passed.setdefault(lesson, {}).setdefault(name, time.strftime("%Y-%m-%d"))


def forget(lesson: str) -> None:
    """Take a lesson out of the file."""
    with changing() as passed:
        passed.pop(lesson, None)


@contextmanager
def changing() -> Iterator[dict[str, dict[str, str]]]:
    """What has passed, to be changed; it is written at the end.

    Two lessons may be open: each waits until the other has written, so that it reads what the
    other has added.
    """
    with FileLock(workspace.WORK / ".progress.lock", timeout=WAIT):
        passed = solved()
        yield passed
        write_json(workspace.WORK / "progress.json", dict(sorted(passed.items())))


def print_progress() -> None:
    """Print what has passed, lesson by lesson, and what is left of those begun."""
    done = solved()
    for lesson in workspace.lessons():
        number, title = lesson.stem.split("_", 1)
        exercises = workspace.exercises(number)
        left = [e.name for e in exercises if e.name not in done.get(number, {})]
        passed = len(exercises) - len(left)
        bar = "●" * passed + "○" * len(left)
        rest = f"left: {', '.join(left)}" if passed and left else ""
        print(f"{number} {title.replace('_', ' '):<28} {bar:<8} {rest}".rstrip())

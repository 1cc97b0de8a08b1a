"""What a learner has solved: a small file beside their own copies of the lessons."""

import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from gpt1lib.io import paths
from gpt1lib.io.files import read_json, write_json

from . import workspace


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
    lesson = solution.__module__[-2:]
    try:
        in_work = workspace.WORK.is_dir() and Path.cwd().samefile(workspace.WORK)
        known = solved().get(lesson, {}) if in_work else {}
        if in_work and solution.__name__ not in known:
            keep_passed(lesson, known | {solution.__name__: time.strftime("%Y-%m-%d")})
    except (OSError, ValueError) as error:
        print(f"Your progress could not be kept: {error}")


def keep_passed(lesson: str, passed: dict[str, str]) -> None:
    """Write what has passed of one lesson; an empty dict takes it out of the file."""
    others = {number: days for number, days in solved().items() if number != lesson}
    now = others | ({lesson: passed} if passed else {})
    write_json(workspace.WORK / "progress.json", dict(sorted(now.items())))


def print_progress() -> None:
    """Print what has passed, lesson by lesson, and what is left of those begun."""
    done = solved()
    for lesson in sorted((paths.ROOT / "notebooks").glob("[0-9][0-9]_*.ipynb")):
        number, title = lesson.stem.split("_", 1)
        exercises = import_module(f"gpt1course.exercises.lesson{number}").EXERCISES
        left = [e.name for e in exercises if e.name not in done.get(number, {})]
        passed = len(exercises) - len(left)
        bar = "●" * passed + "○" * len(left)
        rest = f"left: {', '.join(left)}" if passed and left else ""
        print(f"{number} {title.replace('_', ' '):<28} {bar:<8} {rest}".rstrip())

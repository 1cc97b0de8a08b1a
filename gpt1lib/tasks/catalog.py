"""A task by its name: the course's own, a published one, or a file of one's own."""

from pathlib import Path

from .course_sets import TASKS_BY_NAME
from .custom import PARSERS, read_own
from .published import read_published
from .task import Task


def load(name: str | None, data: str | Path | None = None) -> Task:
    """A task of the course by name; with data, a published one from the folder that has it.

    data may also be one file of your own (custom.py); name is then None. An unknown name raises
    ValueError, which lists the known ones.
    """
    if data is not None:
        return load_from(Path(data), name)
    if name is None:
        raise ValueError(f"name a task ({', '.join(TASKS_BY_NAME)}), or give --data FILE.csv")
    if is_own(Path(name)):
        raise ValueError(f"{name} is a file, no task's name: give it as --data {name}")
    if name not in TASKS_BY_NAME:
        raise ValueError(f"no task {name!r}, there are {', '.join(TASKS_BY_NAME)}")
    return TASKS_BY_NAME[name]()


def load_from(data: Path, name: str | None) -> Task:
    """The task in a file of one's own, or a published one by its name and folder."""
    if is_own(data):
        if name is not None:
            raise ValueError(f"{data} is a set of your own: leave out the task name {name!r}")
        return read_own(data)
    if name is not None:
        return read_published(name, data)
    problem = "is a folder: name the published set in it" if data.is_dir() else "is not there"
    own = f"a set of your own must be one file: {', '.join(PARSERS)}"
    raise FileNotFoundError(f"{data} {problem}; {own}")


def is_own(data: Path) -> bool:
    """Whether it is, or is meant to be, one file; a published set is a folder."""
    return data.is_file() or data.suffix.lower() in PARSERS

"""A task by its name, the course's own or a published one."""

from pathlib import Path

from .course_sets import TASKS_BY_NAME
from .published import read_published
from .task import Task


def load(name: str, folder: str | Path | None = None) -> Task:
    """A task of the course by name, or a published one from the folder that holds it.

    ValueError lists the known ones.
    """
    if folder is not None:
        return read_published(name, Path(folder))
    if name not in TASKS_BY_NAME:
        raise ValueError(f"no task {name!r}, there are {', '.join(TASKS_BY_NAME)}")
    return TASKS_BY_NAME[name]()

"""A task by its name: the course's own, a published one, or a table of one's own."""

from pathlib import Path

from .course_sets import TASKS_BY_NAME
from .own import read_own
from .published import read_published
from .task import Task


def load(name: str | None, data: str | Path | None = None) -> Task:
    """A task of the course by name; with data, a published one from the folder that holds it.

    data may also be one .tsv file of one's own (own.py), which needs no name. ValueError
    lists the known names.
    """
    if data is not None and Path(data).suffix == ".tsv":
        return read_own(Path(data))
    if name is None:
        raise ValueError(f"name a task ({', '.join(TASKS_BY_NAME)}), or give --data FILE.tsv")
    if data is not None:
        return read_published(name, Path(data))
    if name not in TASKS_BY_NAME:
        raise ValueError(f"no task {name!r}, there are {', '.join(TASKS_BY_NAME)}")
    return TASKS_BY_NAME[name]()

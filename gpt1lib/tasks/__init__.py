"""Labeled sets in one form: the course's own, and the paper's from a user's disk."""

from .catalog import load
from .course_sets import TASKS_BY_NAME
from .custom import read_own
from .task import Example, Task, no_longer_than, read_lines, split_of

__all__ = [
    "TASKS_BY_NAME", "Example", "Task", "load", "no_longer_than", "read_lines", "read_own",
    "split_of",
]  # fmt: skip

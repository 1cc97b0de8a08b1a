"""Labeled sets in one form: the course's own, and the paper's from a user's disk."""

from .catalog import load
from .course_sets import TASKS_BY_NAME
from .custom import read_own
from .task import KINDS, NLI, Example, Task, no_longer_than, read_lines, sort_out, split_of

__all__ = [
    "KINDS",
    "NLI",
    "TASKS_BY_NAME",
    "Example",
    "Task",
    "load",
    "no_longer_than",
    "read_lines",
    "read_own",
    "sort_out",
    "split_of",
]

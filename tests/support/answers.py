"""Exercises by their names, for tests that answer them rightly and wrongly."""

from importlib import import_module

LESSONS = {n: import_module(f"gpt1course.exercises.lesson{n:02}") for n in range(18)}


def by_name(name):
    """The exercise of that name."""
    return next(e for lesson in LESSONS.values() for e in lesson.EXERCISES if e.name == name)


def right(name):
    """The solution, to be used within a wrong answer."""
    return by_name(name).solution


def cases(answers):
    """(exercise, what) of answers by both names."""
    return [(name, what) for name, of_name in answers.items() for what in of_name]

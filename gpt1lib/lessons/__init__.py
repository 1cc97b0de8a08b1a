"""The exercises of the lessons, one file a lesson, and the tools for the notebooks."""

from .exercise import Exercise, Wrong, check, checker

__all__ = ["Exercise", "Wrong", "check", "checker"]

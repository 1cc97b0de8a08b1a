"""The exercises of the lessons, one file per lesson, and the tools for the notebooks."""

from .claims import fewer, holds

__all__ = ["fewer", "holds"]

"""The exercises of the lessons, one file per lesson."""

from .claims import fewer, holds

__all__ = ["fewer", "holds"]

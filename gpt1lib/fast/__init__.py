"""Tricks that save time or memory, each compared with the plain code by a test."""

from .machine import keep_memory

__all__ = ["keep_memory"]

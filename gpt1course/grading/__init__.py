"""Marks for submitted notebooks, each run in a closed process."""

"""Makers of the labeled sets that the course made itself: `python -m tools.data.entailment`."""

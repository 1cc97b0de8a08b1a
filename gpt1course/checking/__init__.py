"""Calls a learner's answer, compares it with the solution, and says what went wrong."""

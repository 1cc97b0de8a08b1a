"""The measures of `gpt1lib.induction`, under the name that the lesson imports."""

from gpt1lib.induction import (
    Copying,
    copying,
    mean_weights,
    prefix_matching_scores,
    previous_token_scores,
    repeated_spans,
)

__all__ = [
    "Copying", "copying", "mean_weights", "prefix_matching_scores", "previous_token_scores",
    "repeated_spans",
]  # fmt: skip

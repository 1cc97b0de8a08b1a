"""A trial is one run of an experiment, and its result one line of the experiment's file.

All that a result depends on is stored beside it. So what was run is found again by its
parameters, and the same run with other settings is another trial.
"""

from collections.abc import Hashable
from dataclasses import asdict, dataclass
from typing import Any

from gpt1lib.finetune import Settings

PARAMS = {
    "cells": ("task", "init_from", "n_parts", "settings"),
    "pretraining": ("init_from",),
    "curves": ("task", "row", "settings", "split"),
    "more_labels": ("row", "settings", "split"),
    "two_terms": ("task", "row", "settings"),
    "readout": ("row", "seed"),
    "surprise": ("model", "task"),
    "readings": ("task", "model"),
    "tuned_readings": ("task", "row", "view", "settings", "split"),
    "pretraining_seeds": ("task", "row", "pretraining_seed", "settings"),
    "pretraining_seeds_zeroshot": ("row", "pretraining_seed"),
    "twins": ("kind", "seed"),
    "gaps": ("passages", "length"),
    "scaling": ("shape", "one_in", "seed"),
}
"""Experiment, which is also the name of its file of results -> what its trials differ by."""


@dataclass(frozen=True)
class Trial:
    """One run. params: (name, value) of all that its result depends on, see PARAMS."""

    experiment: str
    params: tuple[tuple[str, Hashable], ...]

    @classmethod
    def of(cls, experiment: str, **params: Hashable) -> "Trial":
        """A trial from its parameters. Raises KeyError if one of PARAMS is missing."""
        return cls(experiment, tuple((name, params[name]) for name in PARAMS[experiment]))

    @classmethod
    def from_line(cls, experiment: str, line: dict) -> "Trial":
        """The trial that a stored line is the result of."""
        return cls.of(experiment, **{k: _as_param(line.get(k)) for k in PARAMS[experiment]})

    def __getitem__(self, name: str) -> Any:
        return dict(self.params)[name]

    @property
    def title(self) -> str:
        """A few words beside a progress bar."""
        return ", ".join(_in_words(*param) for param in self.params if param[1] is not None)

    def as_line(self) -> dict:
        """The parameters as JSON has them, without those that are None."""
        values = {k: asdict(v) if isinstance(v, Settings) else v for k, v in self.params}
        return {name: value for name, value in values.items() if value is not None}


def _as_param(value: Any) -> Hashable:
    """A value of a stored line: settings that it leaves out have their defaults."""
    if isinstance(value, dict):
        return Settings(**value)
    return tuple(value) if isinstance(value, list) else value


def _in_words(name: str, value: Any) -> str:
    if isinstance(value, Settings):
        return f"{value.limit or 'no'} labels, {value.epochs} epochs, seed {value.seed}"
    return value if isinstance(value, str) else f"{name} {value}"

"""The curves of a training run, step by step."""

import math
from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.figure import Figure

from .. import plots
from .base import Explorer
from .controls import BoundedFloat, CleanUnicode, Index

UNITS = ("nats", "bits", "perplexity")


def points_of(log: Sequence[dict], name: str) -> list[list[float]]:
    """[step, value] of the lines of a log that have a finite value of this name."""
    return [[x["step"], x[name]] for x in log if math.isfinite(x.get(name, math.nan))]


class TrainingExplorer(Explorer):
    """The curves of a run, a slider over its steps, and what the model wrote there.

    log: lines of a log.jsonl (step, loss, some with heldout); samples: lines of a
    samples.jsonl; references: name -> nats, drawn as horizontal lines. `add` shows one more
    line of a run that is still going. Traits: chosen (index of a line; -1 is the
    last), unit (nats, bits, perplexity), scale (linear, log).

    A loss that is not finite, after a run has diverged, is left out.
    """

    points = traitlets.List().tag(sync=True)
    heldout = traitlets.List().tag(sync=True)
    samples = traitlets.List().tag(sync=True)
    references = traitlets.Dict(key_trait=CleanUnicode(), value_trait=BoundedFloat()).tag(
        sync=True
    )
    total = traitlets.Int(0).tag(sync=True)
    chosen = Index(lambda self: len(self.points), -1, -1).tag(sync=True, control=True)
    unit = traitlets.Enum(UNITS, "nats").tag(sync=True, control=True)
    scale = traitlets.Enum(("linear", "log"), "linear").tag(sync=True, control=True)

    def __init__(
        self,
        log: Sequence[dict] = (),
        samples: Sequence[dict] = (),
        references: dict[str, float] | None = None,
        total: int = 0,
        **traits,
    ):
        super().__init__(
            points=points_of(log, "loss"), references=references or {}, total=total, **traits
        )
        self.samples = [[x["step"], x["text"]] for x in samples]
        self.heldout = points_of(log, "heldout")

    def add(self, line: dict, text: str | None = None) -> None:
        """Draw one more line of the log, with a text that the model writes now."""
        self.points = [*self.points, *points_of([line], "loss")]
        self.heldout = [*self.heldout, *points_of([line], "heldout")]
        if text is not None:
            self.samples = [*self.samples, [line["step"], text]]

    def sentence(self) -> str:
        if not self.points:
            return "A training run that has not begun."
        (first, high), (last, low) = self.points[0], self.points[-1]
        held = f", held out {self.heldout[-1][1]:.2f}" if self.heldout else ""
        return (
            f"Training loss from {high:.2f} nats per token after {first:,} updates to "
            f"{low:.2f} after {last:,}{held}."
        )

    def figure(self) -> Figure | None:
        if not self.points:
            return None
        series = {"training": tuple(np.array(self.points).T)}
        ends = [self.points[0][0], self.points[-1][0]]
        series |= {name: (ends, [nats, nats]) for name, nats in self.references.items()}
        first, last = self.points[0][1], self.points[-1][1]
        held = f", held out to {self.heldout[-1][1]:.2f}" if self.heldout else ""
        return plots.lines(
            series,
            xlabel="updates",
            ylabel="nats per token",
            title=f"The training loss goes from {first:.2f} to {last:.2f}{held}",
            marks={"held out": self.heldout} if self.heldout else None,
            logx=self.scale == "log",
        )

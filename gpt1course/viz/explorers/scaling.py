"""Loss over size: draw how it goes on, then see what was measured, and a line through it."""

from collections.abc import Mapping, Sequence

import numpy as np
import traitlets
from matplotlib.figure import Figure

from ... import statistics
from .. import plots
from .base import Explorer
from .controls import BoundedFloat, CleanUnicode, Index, StrictInt

FIRST = 3  # sizes that are shown before the reader has drawn the others
FARTHEST = 1e9  # parameters that the line is asked about
MOST = 7  # sizes that a line is fitted to


class ScalingExplorer(Explorer):
    """Measured losses over sizes on logarithmic axes, and the power law through the first.

    sweeps: name of an amount of text -> list of (N, nats per token), N ascending. Traits:
    amount, used (how many sizes, from the smallest, the line is fitted to), size (N that it
    is asked about), guesses (nats that the reader has drawn), shown.
    """

    names = traitlets.List(CleanUnicode()).tag(sync=True)
    points = traitlets.List().tag(sync=True)  # amount -> [[N, nats], ...]
    amount = Index(lambda e: len(e.points)).tag(sync=True, control=True)
    used = StrictInt(FIRST, min=FIRST, max=MOST).tag(sync=True, control=True)
    size = BoundedFloat(1e7, min=1e4, max=FARTHEST).tag(sync=True, control=True)
    guesses = traitlets.List(BoundedFloat(min=0.1, max=20)).tag(sync=True, control=True)
    shown = traitlets.Bool(False).tag(sync=True, control=True)
    t_95 = traitlets.List().tag(sync=True)  # standard deviations to an interval's end, by n - 2

    def __init__(self, sweeps: Mapping[str, Sequence[tuple[int, float]]], **chosen):
        for name, points in sweeps.items():
            if len(points) < FIRST:
                raise ValueError(f"{name!r} has {len(points)} sizes, it takes at least {FIRST}")
        super().__init__(
            names=list(sweeps),
            points=[[list(point) for point in points] for points in sweeps.values()],
            t_95=[statistics.student_t(n - 2) for n in range(FIRST, MOST + 1)],
            **chosen,
        )

    def fitted(self) -> tuple[list[float], list[float]]:
        """Sizes and losses that the line is fitted to."""
        points = self.points[self.amount][: self.used]
        return [n for n, _ in points], [nats for _, nats in points]

    def sentence(self) -> str:
        sizes, losses = self.fitted()
        alpha, _ = statistics.power_law(sizes, losses)
        middle, low, high = statistics.prediction(sizes, losses, self.size)
        way = "falls" if alpha > 0 else "rises"
        return (
            f"Losses of {len(self.points[self.amount])} sizes on {self.names[self.amount]}. "
            f"The line through the first {len(sizes)} {way} as N to the power of "
            f"{-alpha:.3f}; at N = {self.size:,.0f} it predicts {middle:.2f} nats per token, "
            f"95% interval {low:.2f} to {high:.2f}."
        )

    def figure(self) -> Figure:
        sizes, losses = self.fitted()
        alpha, a = statistics.power_law(sizes, losses)
        x = np.geomspace(sizes[0], self.points[self.amount][-1][0] * 3, 30)
        line = f"line through the first {len(sizes)}"
        measured = zip(self.names, self.points, strict=True)
        return plots.lines(
            {line: (x, a * x**-alpha)},
            xlabel="parameters without embeddings, N",
            ylabel="held-out loss, nats per token",
            title=f"Loss over size, and the line through the first {len(sizes)} of them",
            marks=dict(measured),
            logx=True,
            logy=True,
        )

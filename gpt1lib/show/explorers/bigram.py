"""What follows what: a table of probabilities."""

from collections.abc import Sequence

import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from ... import limits
from .. import plots
from .base import Explorer, Place, Text, as_half


class BigramExplorer(Explorer):
    """A table (V, V) of probabilities: row, then what follows it. Trait: row."""

    data = traitlets.Bytes().tag(sync=True)
    names = traitlets.List(Text()).tag(sync=True)
    row = Place(lambda self: len(self.names)).tag(sync=True, control=True)

    def __init__(self, probs: ArrayLike, names: Sequence[str], row: int = 0):
        self.probs = plots.as_matrix(probs, "probs")
        if self.probs.shape != (len(names), len(names)):
            raise ValueError(f"probs are {self.probs.shape}, there are {len(names)} names")
        row = limits.whole("row", row, 0, len(names) - 1)
        super().__init__(data=as_half(self.probs), names=list(names), row=row)

    def sentence(self) -> str:
        best = int(self.probs[self.row].argmax())
        return (
            f"Table of what follows each of {len(self.names)} characters; after "
            f"'{self.names[self.row]}' most often '{self.names[best]}' "
            f"({self.probs[self.row, best]:.0%})."
        )

    def figure(self) -> Figure:
        return plots.heatmap(
            self.probs,
            self.names,
            self.names,
            vmax=None,
            xlabel="next",
            ylabel="this",
            numbers=False,
        )

"""What follows what: a table of probabilities."""

from collections.abc import Sequence

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from gpt1lib import validate

from .. import plots
from ..numbers import percent
from .base import Explorer, as_half
from .controls import CleanUnicode, Index


def surest(probs: np.ndarray) -> int:
    """The row with the largest share: in English text q, after which comes u."""
    return int(probs.max(1).argmax())


class BigramExplorer(Explorer):
    """A table (V, V) of probabilities: row, then what follows it. Trait: row.

    Without a row it opens on the one that is easiest to guess.
    """

    data = traitlets.Bytes().tag(sync=True)
    names = traitlets.List(CleanUnicode()).tag(sync=True)
    row = Index(lambda self: len(self.names)).tag(sync=True, control=True)

    def __init__(self, probs: ArrayLike, names: Sequence[str], row: int | None = None):
        self.probs = plots.as_matrix(probs, "probs")
        if self.probs.shape != (len(names), len(names)):
            raise ValueError(f"probs are {self.probs.shape}, there are {len(names)} names")
        row = surest(self.probs) if row is None else row
        row = validate.check_int("row", row, 0, len(names) - 1)
        super().__init__(data=as_half(self.probs), names=list(names), row=row)

    def sentence(self) -> str:
        best, names = int(self.probs[self.row].argmax()), self.labels()
        return (
            f"Table of what follows each of {len(names)} characters; after "
            f"'{names[self.row]}' most often '{names[best]}' "
            f"({self.probs[self.row, best]:.0%})."
        )

    def labels(self) -> list[str]:
        """The names, that of the space as a sign."""
        return ["␣" if name == " " else name for name in self.names]

    def figure(self) -> Figure:
        best, names = int(self.probs[self.row].argmax()), self.labels()
        share = percent(self.probs[self.row, best])
        return plots.heatmap(
            self.probs,
            names,
            names,
            title=f"After “{names[self.row]}” most often “{names[best]}”: {share}",
            vmax=None,
            xlabel="next",
            ylabel="this",
            numbers=False,
        )

"""Tables of positions: which positions are alike to a model."""

from collections.abc import Mapping

import numpy as np
import traitlets
from matplotlib.figure import Figure
from numpy.typing import ArrayLike

from .. import plots
from ..numbers import percent
from .base import Explorer, as_half
from .controls import CleanUnicode, Index

MOST = 1024  # positions: their cosines are sent, n x n


def on_two_axes(rows: np.ndarray) -> tuple[np.ndarray, float]:
    """Rows (n, C) on their first two principal components, and the share that these hold.

    -> (n, 2), and 0 to 1: of the summed squares about the mean.
    """
    centered = rows - rows.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centered, full_matrices=False)
    places = (left * sizes)[:, :2]
    total = float((sizes**2).sum()) or 1.0
    return places, float((sizes[:2] ** 2).sum()) / total


def cosines(rows: np.ndarray) -> np.ndarray:
    """Cosine of each row of (n, C) with each other: (n, n)."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit @ unit.T


class PositionExplorer(Explorer):
    """Rows of positions on a plane, their cosines as a map, and one row of it as a curve.

    tables: name -> (n, C), the same n for all. Traits: table (which, by number), place.
    Raises ValueError for tables of other shapes, and for a row of zeros, which has no
    direction.
    """

    names = traitlets.List(CleanUnicode()).tag(sync=True)
    n = traitlets.Int().tag(sync=True)
    points = traitlets.Bytes().tag(sync=True)  # (tables, n, 2)
    likeness = traitlets.Bytes().tag(sync=True)  # (tables, n, n)
    held = traitlets.List().tag(sync=True)  # shares that the two axes hold
    table = Index(lambda self: len(self.names)).tag(sync=True, control=True)
    place = Index(lambda self: self.n).tag(sync=True, control=True)

    def __init__(self, tables: Mapping[str, ArrayLike], place: int = 0):
        rows = {name: plots.as_matrix(table, name) for name, table in tables.items()}
        n = check_tables(rows)
        flat = [on_two_axes(table) for table in rows.values()]
        self.places = np.stack([points for points, _ in flat])
        self.cosines = np.stack([cosines(table) for table in rows.values()])
        super().__init__(
            names=list(rows),
            n=n,
            points=as_half(self.places),
            likeness=as_half(self.cosines),
            held=[round(share, 4) for _, share in flat],
            place=place,
        )

    def most_alike(self) -> tuple[int, float]:
        """The other position with the largest cosine to the chosen one, and that cosine."""
        row = self.cosines[self.table, self.place].copy()
        row[self.place] = -2
        return int(row.argmax()), float(row.max())

    def finding(self) -> str:
        """What the plane shows: a path, or a cloud."""
        places = self.places[self.table]
        step = np.median(np.linalg.norm(np.diff(places, axis=0), axis=1))
        apart = np.median(np.linalg.norm(places - places.mean(axis=0), axis=1))
        name = self.names[self.table]
        if step < 0.5 * apart:
            return f"{name}: a path, with near positions close together"
        return f"{name}: a cloud, the next position may be anywhere"

    def sentence(self) -> str:
        other, cosine = self.most_alike()
        return (
            f"{self.n} positions on two axes with {percent(self.held[self.table])} of the "
            f"variance, and their cosines. {self.finding()}. Position {self.place} is most "
            f"like {other}, with a cosine of {cosine:.2f}."
        )

    def figure(self) -> Figure:
        row = self.cosines[self.table, self.place]
        return plots.path(self.places[self.table], row, self.place, self.finding())


def check_tables(tables: Mapping[str, np.ndarray]) -> int:
    """How many positions all tables have; ValueError where they differ or cannot be drawn."""
    if not tables:
        raise ValueError("there are no tables of positions")
    sizes = {name: len(table) for name, table in tables.items()}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"the tables have different numbers of positions: {sizes}")
    n = next(iter(sizes.values()))
    if not 2 <= n <= MOST or min(table.shape[1] for table in tables.values()) < 2:
        shapes = {name: table.shape for name, table in tables.items()}
        raise ValueError(f"a table needs 2 to {MOST} rows of 2 numbers or more, not {shapes}")
    for name, table in tables.items():
        if not np.linalg.norm(table, axis=1).all():
            raise ValueError(f"table {name!r} has a row of zeros, which has no direction")
    return n

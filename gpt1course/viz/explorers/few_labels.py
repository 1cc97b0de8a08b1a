"""Learning curves of several sets: how many labels does an accuracy take, row by row?"""

import math
from collections.abc import Mapping, Sequence

import traitlets
from matplotlib.figure import Figure

from ... import statistics
from .. import plots
from .base import Explorer
from .controls import BoundedFloat, CleanUnicode, Index, StrictInt

Draws = Mapping[str, Mapping[int, Mapping[int, float]]]
"""row -> number of labels -> seed -> accuracy; the first row is held against the others."""


class FewLabelsExplorer(Explorer):
    """Two lines over learning curves: an accuracy to reach, and a number of labels.

    sets: name -> its draws; flat: name -> what needs no labels, as name -> accuracy.
    Traits: chosen (which set, by its name or place), labels (of the numbers that the set
    has, the nearest is shown), level (the accuracy to reach).
    """

    names = traitlets.List(CleanUnicode()).tag(sync=True)
    rows = traitlets.List().tag(sync=True)  # set -> {name, places: [{labels, seeds, ...}]}
    flat = traitlets.List().tag(sync=True)  # set -> [[name, accuracy]]
    chosen = Index(lambda e: len(e.rows)).tag(sync=True, control=True)
    labels = StrictInt(100, min=1, max=10**6).tag(sync=True, control=True)
    level = BoundedFloat(0.9, min=0, max=1).tag(sync=True, control=True)

    def __init__(
        self,
        sets: Mapping[str, Draws],
        flat: Mapping[str, Mapping[str, float]],
        chosen: str | int = 0,
        **traits,
    ):
        if isinstance(chosen, str) and chosen not in sets:
            raise ValueError(f"there is no set {chosen!r}; there are {list(sets)}")
        for name, draws in sets.items():
            if not any(draws.values()):
                raise ValueError(f"{name!r} has no row with a number of labels")
        super().__init__(
            names=[name.replace("_", " ") for name in sets],
            rows=[
                drawn_rows(draws, flat.get(name, {}).get("guessing"))
                for name, draws in sets.items()
            ],
            flat=[list(flat.get(name, {}).items()) for name in sets],
            chosen=list(sets).index(chosen) if isinstance(chosen, str) else chosen,
            **traits,
        )

    def sentence(self) -> str:
        takes = "; ".join(
            f"{row['name']} {words_of(row['places'], self.level)}"
            for row in self.rows[self.chosen]
        )
        name = self.names[self.chosen].capitalize()
        return f"{name}. Labels needed for an accuracy of {self.level:.0%}: {takes}."

    def figure(self) -> Figure:
        rows = {
            row["name"]: {place["labels"]: place for place in row["places"]}
            for row in self.rows[self.chosen]
        }
        title = f"{self.names[self.chosen].capitalize()}: what each number of labels is worth"
        return plots.learning_curves(rows, dict(self.flat[self.chosen]), title)


def drawn_rows(draws: Draws, guessing: float | None = None) -> list[dict]:
    """What is drawn and said of each row, place by place.

    Significant is what stays so among all comparisons of the set, with every other row at
    every number of labels: see statistics.significant.

    guessing: the accuracy of a guess. Where neither of two rows is above it, no difference
    between them counts: runs that all guess the same class have a standard
    deviation of 0.
    """
    (_, ours), *others = draws.items()
    gaps = {
        (row, n): gap
        for row, by_size in others
        for n, gap in statistics.paired_t_tests(ours, by_size).items()
    }
    significant = statistics.significant(gaps)

    def verdict(row: str, n: int) -> str:
        if guessing is not None and max(map(_low, (draws[row][n], ours[n]))) <= guessing:
            return "both guess"
        return "significant" if (row, n) in significant else "not significant"

    def place(row: str, n: int) -> dict:
        found = _place(n, [*draws[row][n].values()])
        if gap := gaps.get((row, n)):
            found["ahead"] = [gap.difference, gap.half_width, verdict(row, n)]
        return found

    return [
        {"name": row, "places": [place(row, n) for n in sorted(by_size)]}
        for row, by_size in draws.items()
    ]


def _place(n: int, scores: list[float]) -> dict:
    """The draws of a number of labels, their mean and its interval."""
    return {"labels": n, "draws": scores, **statistics.mean_with_ci(scores)}


def _low(seeds: Mapping[int, float]) -> float:
    """The lower end of the interval of some draws."""
    mean, half = statistics.mean_interval([*seeds.values()])
    return mean - half


def words_of(places: Sequence[Mapping], level: float) -> str:
    """How many labels a row takes to a level, to two digits."""
    by_size = {place["labels"]: place["mean"] for place in places}
    n = statistics.first_reaching(by_size, level)
    if n is None:
        return f"more than {max(by_size):,}"
    if n <= min(by_size):
        return f"at most {min(by_size):,}"
    return f"about {round(n, 1 - math.floor(math.log10(n))):,.0f}"

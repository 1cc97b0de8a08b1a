"""One setting swept over stored runs: what each value gave, seed by seed."""

import traitlets
from matplotlib.figure import Figure

from ... import metrics
from .. import plots
from .base import Explorer, Text


class SweepExplorer(Explorer):
    """A slider over the values of a setting, and what the stored runs reached there.

    accuracies: value -> task -> seed -> accuracy, as paper.accuracies returns it; every
    value has every task with the same seeds, at least two. Traits: setting (its name),
    chosen (a value, as text), compared (the value that differences are taken against,
    seed by seed).
    """

    setting = Text("λ").tag(sync=True)
    values = traitlets.List(Text()).tag(sync=True)
    tasks = traitlets.Dict(key_trait=Text()).tag(sync=True)
    chosen = Text().tag(sync=True, control=True)
    compared = Text().tag(sync=True)

    def __init__(self, accuracies: dict, chosen: str, compared: str, **traits):
        values = list(accuracies)
        for value in (chosen, compared):
            if value not in values:
                raise ValueError(f"{value!r} is not among the values {values}")
        base = accuracies[compared]
        tasks = {
            task: [_place(accuracies[v][task], base[task]) for v in values] for task in base
        }
        super().__init__(values=values, tasks=tasks, chosen=chosen, compared=compared, **traits)

    @traitlets.validate("chosen", "compared")
    def _was_run(self, proposal) -> str:
        """One of the values."""
        if proposal["value"] not in self.values:
            raise traitlets.TraitError(f"{proposal['value']!r} is not among {self.values}")
        return proposal["value"]

    def sentence(self) -> str:
        at = self.values.index(self.chosen)
        accuracies = "; ".join(
            f"{task} {places[at]['mean']:.1%} give or take {places[at]['half']:.1%}"
            for task, places in self.tasks.items()
        )
        return f"Stored runs with {self.setting} = {self.chosen}: {accuracies}."

    def finding(self) -> str:
        """Where a task is clearly higher or lower than with the value compared with."""
        said = []
        for task, places in self.tasks.items():
            for sign, word in ((1, "higher"), (-1, "lower")):
                at = [v for v, p in zip(self.values, places, strict=True) if _clear(p) == sign]
                if at:
                    said.append(f"{task.replace('_', ' ')} clearly {word} at {', '.join(at)}")
        return f"{self.setting} against {self.compared}: " + (
            "; ".join(said) or "no clear difference"
        )

    def figure(self) -> Figure:
        said = "accuracy, 95% intervals over seeds"
        return plots.sweep(self.values, self.tasks, self.setting, said, self.finding())


def _clear(place: dict) -> int:
    """1 or -1 where the interval of the difference leaves out 0, by its sign, else 0."""
    difference = place["difference"]
    return (1 if difference > 0 else -1) if abs(difference) > place["difference_half"] else 0


def _place(accuracy: dict[int, float], base: dict[int, float]) -> dict:
    """Mean and half interval over seeds, and of the differences to the base."""
    if set(accuracy) != set(base):
        raise ValueError(
            f"a value was run with the seeds {sorted(accuracy)}, the one that it is "
            f"compared with, with {sorted(base)}"
        )
    mean, half = metrics.mean_interval(list(accuracy.values()))
    differences = [accuracy[seed] - base[seed] for seed in base]
    difference, difference_half = metrics.mean_interval(differences)
    return {
        "seeds": [accuracy[seed] for seed in base],
        "mean": mean,
        "half": half,
        "difference": difference,
        "difference_half": difference_half,
    }

"""One setting swept over stored runs: what each value gave, seed by seed."""

import traitlets
from matplotlib.figure import Figure

from ... import metrics
from .. import plots
from ..numbers import minus
from .base import Explorer
from .controls import Text


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
        """How many differences are clear, and which; the live view says the same."""
        found = {task: self._clear(places) for task, places in self.tasks.items()}
        n, total = sum(map(len, found.values())), (len(self.values) - 1) * len(found)
        word = "difference" if total == 1 else "differences"
        of = f"of {total} {word} to {self.setting} = {self.compared}"
        if not n:
            return f"None {of} is clear"
        texts = [f"{task.replace('_', ' ')} {', '.join(x)}" for task, x in found.items() if x]
        return f"{n} {of} {'are' if n > 1 else 'is'} clear: {'; '.join(texts)}"

    def _clear(self, places: list[dict]) -> list[str]:
        """The differences of a task whose intervals leave out 0."""
        return [
            minus(f"{100 * place['difference']:+.1f}") + f" points at {value}"
            for value, place in zip(self.values, places, strict=True)
            if abs(place["difference"]) > place["difference_half"]
        ]

    def figure(self) -> Figure:
        said = "accuracy, 95% intervals over seeds"
        title = self.finding().replace(": ", ":\n")
        return plots.sweep(self.values, self.tasks, self.setting, said, title)


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

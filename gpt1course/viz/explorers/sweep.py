"""One setting swept over stored runs: what each value gave, seed by seed."""

import traitlets
from matplotlib.figure import Figure

from ... import statistics
from .. import plots
from ..numbers import minus
from .base import Explorer
from .controls import CleanUnicode


class SweepExplorer(Explorer):
    """A slider over the values of a setting, and what the stored runs reached there.

    accuracies: value -> task -> seed -> accuracy, as paper.accuracies returns it; every
    value has every task with the same seeds, at least two. Traits: setting (its name),
    chosen (a value, as text), compared (the value that differences are taken against,
    seed by seed).
    """

    setting = CleanUnicode("λ").tag(sync=True)
    values = traitlets.List(CleanUnicode()).tag(sync=True)
    tasks = traitlets.Dict(key_trait=CleanUnicode()).tag(sync=True)
    chosen = CleanUnicode().tag(sync=True, control=True)
    compared = CleanUnicode().tag(sync=True)

    def __init__(self, accuracies: dict, chosen: str, compared: str, **traits):
        values = list(accuracies)
        for value in (chosen, compared):
            if value not in values:
                raise ValueError(f"{value!r} is not among the values {values}")
        tasks = _places(accuracies, compared)
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
            f"{task} {places[at]['mean']:.1%} give or take "
            f"{100 * places[at]['half']:.1f} points"
            for task, places in self.tasks.items()
        )
        return f"Stored runs with {self.setting} = {self.chosen}: {accuracies}."

    def finding(self) -> str:
        """How many differences are significant, and which; the live view says the same."""
        found = {task: self._significant(places) for task, places in self.tasks.items()}
        n, total = sum(map(len, found.values())), (len(self.values) - 1) * len(found)
        word = "difference" if total == 1 else "differences"
        of = f"of {total} {word} from {self.setting} = {self.compared}"
        if not n:
            return f"None {of} is significant"
        texts = [f"{task.replace('_', ' ')} {', '.join(x)}" for task, x in found.items() if x]
        return f"{n} {of} {'are' if n > 1 else 'is'} significant: {'; '.join(texts)}"

    def _significant(self, places: list[dict]) -> list[str]:
        """The significant differences of a task."""
        return [
            minus(f"{100 * place['difference']:+.1f}") + f" points at {value}"
            for value, place in zip(self.values, places, strict=True)
            if place["significant"]
        ]

    def figure(self) -> Figure:
        said = "accuracy, 95% intervals over seeds"
        title = self.finding().replace(": ", ":\n")
        return plots.sweep(self.values, self.tasks, self.setting, said, title)


def _places(accuracies: dict, compared: str) -> dict[str, list[dict]]:
    """task -> of each value: seeds, mean, half interval, and the difference from the base.

    Significant is what stays so among all differences of the sweep: see statistics.significant.
    """
    base = accuracies[compared]
    for value, by_task in accuracies.items():
        for task in base:
            _check_seeds(value, by_task[task], base[task])
    found = {
        (task, value): statistics.paired_t_test(by_task[task], base[task])
        for value, by_task in accuracies.items()
        for task in base
    }
    significant = statistics.significant(
        {at: pairs for at, pairs in found.items() if at[1] != compared}
    )
    return {
        task: [
            _place([by_task[task][seed] for seed in base[task]], found[task, value])
            | {"significant": (task, value) in significant}
            for value, by_task in accuracies.items()
        ]
        for task in base
    }


def _place(seeds: list[float], pairs: statistics.PairedT) -> dict:
    """What is drawn and said of one value."""
    mean, half = statistics.mean_interval(seeds)
    difference = {"difference": pairs.difference, "difference_half": pairs.half_width}
    return {"seeds": seeds, "mean": mean, "half": half} | difference


def _check_seeds(value: str, accuracy: dict, base: dict) -> None:
    if set(accuracy) != set(base):
        raise ValueError(
            f"{value} was run with the seeds {sorted(accuracy)}, the value that it is "
            f"compared with has {sorted(base)}"
        )

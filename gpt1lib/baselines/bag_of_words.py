"""What a task yields without a language model: scores that fine-tuning has to beat.

Each is a logistic regression on something simple: the words of the texts, the words of
one side alone (a set whose labels can be guessed from there is flawed), or how many words
the texts share. Majority, always the largest class, is what metrics.accuracy reports.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor, nn

from .. import objectives
from ..tasks.task import Example, Task

Features = Mapping[str, float]


def words(text: str) -> list[str]:
    """Lower-cased words, and pairs of neighbors."""
    single = re.findall(r"[a-z']+|[.,!?;-]", text.lower())
    return single + [f"{a} {b}" for a, b in zip(single, single[1:], strict=False)]


def of_words(*texts: str) -> Features:
    """Counts of words, each with the number of its text: all that a bag of words sees."""
    return Counter(f"{i} {w}" for i, text in enumerate(texts) for w in words(text))


def of_overlap(a: str, b: str) -> Features:
    """How many of their words two texts share."""
    one, two = (set(re.findall(r"[a-z']+", text.lower())) for text in (a, b))
    shared = len(one & two)
    return {
        "share of all": shared / max(1, len(one | two)),
        "share of the second": shared / max(1, len(two)),
        "longer": (len(one) - len(two)) / 10,
        "same": float(one == two),
    }


def options(
    task: Task, example: Example, features: Callable[..., Features], side: int | None
) -> list[Features]:
    """The features of an example, one set per choice; side: only this text of a pair."""
    first, *rest = example.texts
    if task.kind == "choice":
        pairs = [(choice,) if side else (first, choice) for choice in rest]
    else:
        pairs = [example.texts if side is None else (example.texts[side],)]
    return [features(*pair) for pair in pairs]


class Linear(nn.Module):
    """Logistic regression on sparse features, weighted by rarity (TF-IDF)."""

    def __init__(self, rows: list[list[Features]], n_out: int, weigh: bool):
        super().__init__()
        flat = [features for row in rows for features in row]
        seen = Counter(name for features in flat for name in features)
        names = sorted(n for n, k in seen.items() if k > 1)  # seen once: only noise
        self.index = {name: i for i, name in enumerate(names)}
        self.rarity = {n: math.log(len(flat) / seen[n]) + 1 if weigh else 1.0 for n in names}
        self.weigh, self.n_out = weigh, n_out
        self.weights = nn.EmbeddingBag(len(names), n_out, mode="sum")
        self.bias = nn.Parameter(torch.zeros(n_out))
        nn.init.zeros_(self.weights.weight)

    def read(self, rows: list[list[Features]]) -> tuple[Tensor, Tensor, Tensor]:
        """Rows of features as (indices, values, where each set of features begins)."""
        indices, values, starts = [], [], []
        for features in (f for row in rows for f in row):
            starts.append(len(indices))
            kept = {n: x * self.rarity[n] for n, x in features.items() if n in self.index}
            size = math.sqrt(sum(x * x for x in kept.values())) if self.weigh else 1.0
            indices += [self.index[n] for n in kept]
            values += [x / (size or 1.0) for x in kept.values()]
        where = torch.tensor(indices, dtype=torch.long)
        return where, torch.tensor(values), torch.tensor(starts)

    def forward(self, read: tuple[Tensor, Tensor, Tensor], n_classes: int) -> Tensor:
        """Logits (B, n_classes)."""
        indices, values, starts = read
        out = self.weights(indices, starts, per_sample_weights=values) + self.bias
        return out.view(-1, n_classes)

    def fit(
        self, rows: list[list[Features]], labels: Sequence[int | float], n_classes: int
    ) -> "Linear":
        """Minimize the loss with a small penalty on the weights, to convergence."""
        read, target = self.read(rows), torch.tensor(labels)
        optimizer = torch.optim.LBFGS(
            self.parameters(), max_iter=60, line_search_fn="strong_wolfe"
        )

        def closure() -> Tensor:
            optimizer.zero_grad()
            penalty = self.weights.weight.square().sum() / (2 * len(labels))
            loss = objectives.task_loss(self(read, n_classes), target) + penalty
            loss.backward()
            return loss

        optimizer.step(closure)
        return self


def guesses(
    task: Task,
    features: Callable[..., Features] = of_words,
    side: int | None = None,
    limit: int | None = None,
) -> list[int]:
    """What logistic regression says on task.test after learning from task.train."""
    examples = task.train[:limit]
    rows = [options(task, e, features, side) for e in examples]
    n_out = 1 if task.kind == "choice" else task.n_classes
    model = Linear(rows, n_out, weigh=features is of_words)
    model.fit(rows, [e.label for e in examples], task.n_classes)
    asked = [options(task, e, features, side) for e in task.test]
    with torch.no_grad():
        return model(model.read(asked), task.n_classes).argmax(dim=1).tolist()


def all_guesses(task: Task) -> dict[str, list[int]]:
    """The guesses of every baseline that a kind of task has; not for graded tasks."""
    if task.graded:
        raise ValueError(f"{task.name} has grades; these baselines guess classes")
    answers = {"bag of words": guesses(task)}
    if task.kind == "choice":
        answers["endings alone"] = guesses(task, side=1)
    elif task.kind != "classification":
        answers["first text alone"] = guesses(task, side=0)
        answers["second text alone"] = guesses(task, side=1)
    if task.kind != "classification":
        answers["word overlap"] = guesses(task, of_overlap)
    return answers

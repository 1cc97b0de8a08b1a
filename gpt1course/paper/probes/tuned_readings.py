"""Fine-tuning from few labels by other readings than the paper's, for GPT and LSTM alike.

Not the paper's method, but for the state at Extract, from which "last" reads. What departs:

- where the linear layer reads: "mean" takes the mean of all states between Start and Extract,
  "both" takes beside it the number by which the set is asked without labels;
- a linear probe first: the layer starts as logistic regression on the frozen model has it,
  because a random one sends large gradients into the blocks (Kumar and others 2022);
- 20 passes at a small rate with a warm-up, however few the labels are (Mosbach and others
  2021).

L3, batches, dropout and drawn labels are those of the learning curves. The rate is chosen for
each model and each reading on the validation set, with CHOSEN_AT labels.
"""

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from gpt1lib import finetune, metrics
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune import Classifier, Encoded, FineTuning, Settings, collate
from gpt1lib.model import LanguageModel
from gpt1lib.rng import eval_mode
from gpt1lib.tasks import Task

from ... import statistics
from .. import plan
from ..curves import plan as curve_plan
from ..curves.run import curve_task
from ..init_from import starting_checkpoint
from ..results import stored_trials
from ..run import run_missing
from ..threads import threads
from ..trials import Trial

NAME = "tuned_readings"
MODELS = ("novelist", "lstm")  # InitFrom
VIEWS = ("last", "both", "mean")
RATES, CHOICE_SEEDS = (1.5625e-5, 6.25e-5, 2.5e-4, 1e-3), (100, 101, 102)
"""The paper's rate is the second; where it was best of three, a lower one was added."""
HIGHER = 4e-3  # tried where the highest of the rates is the best
CHOSEN_AT = {"question_or_statement": 30, "acceptability": 300}  # fewer leave all guessing
PASSES = 20
STAGES = (((10, 30, 100), 5), ((300,), 5), ((1000,), 3))
"""Numbers of labels and their seeds, the quick ones with all their seeds before the slow."""
PROBE_C = 0.01  # of the logistic regression on standardized states, 1 / strength


# ---- what is asked, inside a classifier's sequences ----------------------------------------

Asked = Callable[[LanguageModel, Tensor, Tensor, Tensor], Tensor]
"""(model, ids, states, places of Extract) -> a number for each sequence, (N,)."""


def mark(bpe: BPE, model: LanguageModel, ids: Tensor, h: Tensor, extract_at: Tensor) -> Tensor:
    """Logit of a question mark after the last token, minus that of a period: (N,)."""
    rows = model.output_matrix[[bpe.encode(x)[0] for x in "?."]]  # (2, C)
    logits = h[torch.arange(len(ids)), extract_at - 1] @ rows.T
    return logits[:, 0] - logits[:, 1]


def likelihood(
    bpe: BPE, model: LanguageModel, ids: Tensor, h: Tensor, extract_at: Tensor
) -> Tensor:
    """Mean log P of the tokens between Start and Extract, but the first: (N,)."""
    place = torch.arange(ids.shape[1])[None]
    row, col = ((place >= 1) & (place < extract_at[:, None] - 1)).nonzero().T
    log_probs = model.logits(h[row, col]).log_softmax(dim=-1)
    tokens = log_probs.gather(1, ids[row, col + 1][:, None])[:, 0]
    return torch.zeros(len(ids)).index_add(0, row, tokens) / (extract_at - 2).clamp(min=1)


ASKED = {"question_or_statement": mark, "acceptability": likelihood}
"""The sets of this experiment: one text each, and a number to ask for."""


# ---- the classifier ------------------------------------------------------------------------


class Reading(Classifier):
    """A classifier whose linear layer reads another view than the state at Extract alone."""

    def __init__(
        self,
        model: LanguageModel,
        kind: str,
        n_classes: int,
        dropout: float = 0.1,
        view: str = "last",
        asked: Asked | None = None,
    ):
        super().__init__(model, kind, n_classes, dropout)
        if kind != "classification":
            raise ValueError(f"kind is {kind!r}; only one text is read in these views")
        self.view, self.asked = view, asked if view == "both" else None
        if self.asked:
            self.head = nn.Linear(self.head.in_features + 1, n_classes)

    def features(self, ids: Tensor, extract_at: Tensor) -> tuple[Tensor, Tensor]:
        """What the linear layer reads, (N, C) or (N, C + 1), and states (N, T, C)."""
        h = self.model.hidden(ids)
        if self.view == "last":
            return self.drop(h[torch.arange(len(ids)), extract_at]), h
        place = torch.arange(ids.shape[1])[None]
        read = ((place >= 1) & (place < extract_at[:, None])).float()  # (N, T)
        mean = self.drop((h * read[..., None]).sum(dim=1) / read.sum(dim=1)[:, None])
        if self.asked is None:
            return mean, h
        number = self.asked(self.model, ids, h, extract_at)
        return torch.cat([mean, number[:, None]], dim=1), h

    def forward(self, ids: Tensor, extract_at: Tensor) -> tuple[Tensor, Tensor]:
        """Task logits (N, n_classes) and states (N, T, C) of ids (N, T)."""
        x, h = self.features(ids, extract_at)
        return self.head(x), h


@torch.no_grad()
def probe(classifier: Reading, data: list[Encoded]) -> None:
    """Give the linear layer what logistic regression on the frozen model finds in the data.

    The number that is asked may cost as little as all channels of a state together. With
    labels of one class only there is nothing to find, and the layer stays as it was drawn.
    """
    from sklearn.linear_model import LogisticRegression  # a second to import

    y = np.array([e.label for e in data])
    if len(set(y)) < 2:
        return
    with eval_mode(classifier):
        parts = [collate(data[i : i + 64]) for i in range(0, len(data), 64)]
        x = torch.cat([classifier.features(ids, at)[0] for ids, _, at, _ in parts]).numpy()
    center, scale = x.mean(axis=0), x.std(axis=0) + 1e-6
    scale[classifier.model.config.n_embd :] /= classifier.model.config.n_embd**0.5
    found = LogisticRegression(C=PROBE_C, max_iter=1000).fit((x - center) / scale, y)
    w, b = found.coef_[0] / scale, found.intercept_[0]  # of class 1 against class 0
    w, b = torch.from_numpy(w).float(), float(b - (w * center).sum())
    classifier.head.weight[:] = torch.stack([-w / 2, w / 2])
    classifier.head.bias[:] = torch.tensor([-b / 2, b / 2])


class ProbedFineTuning(FineTuning):
    """Fine-tuning that begins with a linear probe of one view."""

    def __init__(self, source: Checkpoint, task: Task, settings: Settings, view: str):
        asked = partial(ASKED[task.name], source.bpe)
        self.classifier_class = partial(Reading, view=view, asked=asked)
        super().__init__(source, task, settings)
        probe(cast(Reading, self.classifier), self.data)


# ---- the experiment ------------------------------------------------------------------------


def trial_of(
    task: str, model: str, view: str, size: int, rate: float, seed: int, split: str
) -> Trial:
    """A model that learns by one reading from the labels of one seed."""
    drawn = curve_plan.label_settings(task, size, seed, plan.SETTINGS)
    settings = replace(drawn, lr=rate, epochs=PASSES)
    return Trial.of(NAME, task=task, row=model, view=view, settings=settings, split=split)


def run_trial(trial: Trial) -> dict:
    """Probe, tune and score; the probe's own score is stored beside."""
    settings, task = trial["settings"], curve_task(trial)
    start = starting_checkpoint(trial["row"], settings.seed)
    with threads(1):
        run = ProbedFineTuning(finetune.fit_context(start, task), task, settings, trial["view"])
        probed, _ = run.evaluate("test")
        run.run(quiet=True)
        scores, _ = run.evaluate("test")
    return metrics.rounded(scores) | {"probe": round(probed["accuracy"], 4)}


def rate_trials(task: str, model: str, view: str, rate: float) -> list[Trial]:
    """The trials of a rate on the validation set."""
    return [
        trial_of(task, model, view, CHOSEN_AT[task], rate, seed, "valid")
        for seed in CHOICE_SEEDS
    ]


def mean_score(task: str, model: str, view: str, rate: float) -> float | None:
    """The mean accuracy of a rate on validation; None where a trial is not stored."""
    stored, trials = stored_trials(NAME), rate_trials(task, model, view, rate)
    if any(trial not in stored for trial in trials):
        return None
    return sum(stored[trial]["accuracy"] for trial in trials) / len(trials)


def best_rate(task: str, model: str, view: str) -> float | None:
    """The rate with the best mean on validation, of equals the lowest; None if not tried."""
    means = {rate: mean_score(task, model, view, rate) for rate in RATES}
    if None in means.values():
        return None
    best = max(RATES, key=lambda rate: cast(float, means[rate]))
    higher = mean_score(task, model, view, HIGHER) if best == RATES[-1] else None
    return HIGHER if (higher or 0) > cast(float, means[best]) else best


def test_trials(task: str) -> list[Trial]:
    """The tests of a set, seed by seed, at the rates that were chosen."""
    rates = {(m, v): best_rate(task, m, v) for m in MODELS for v in VIEWS}
    return [
        trial_of(task, model, view, size, rate, seed, "test")
        for sizes, seeds in STAGES
        for seed, size in itertools.product(range(seeds), sizes)
        for (model, view), rate in rates.items()
        if rate
    ]


Draws = dict[int, dict[int, float]]  # number of labels -> seed -> score


def draws(task: str, model: str, score: str = "accuracy") -> dict[str, Draws]:
    """View -> number of labels -> seed -> test score, at the rate that was chosen.

    model: one of MODELS. score: "accuracy" when tuned, or "probe" before the first update.
    Raises LookupError for what is not stored.
    """
    rates = {view: best_rate(task, model, view) for view in VIEWS}
    found: dict[str, Draws] = {view: {} for view in VIEWS}
    for trial, line in stored_trials(NAME).items():
        drawn, view = trial["settings"], trial["view"]
        wanted = (trial["task"], trial["row"], trial["split"]) == (task, model, "test")
        if wanted and drawn.lr == rates[view]:
            found[view].setdefault(drawn.limit, {})[drawn.seed] = line[score]
    if not any(found.values()):
        raise LookupError(f"no tuned reading of {task} by {model} is stored")
    return found


def stored_rows(task: str, model: str, score: str = "accuracy") -> dict[str, dict[int, dict]]:
    """View -> number of labels -> mean, half of its 95% interval, and seeds, as curves have it.

    Arguments and errors are those of `draws`.
    """
    return {
        view: {n: statistics.mean_with_ci([*at.values()]) for n, at in sorted(sizes.items())}
        for view, sizes in draws(task, model, score).items()
    }


def run_tuned_readings(provenance: dict, workers: int = 1) -> None:
    """Set by set: the rates first, then the tests with the best of them."""
    for task in ASKED:
        rows = itertools.product(VIEWS, MODELS, RATES)
        tried = [t for view, m, rate in rows for t in rate_trials(task, m, view, rate)]
        run_missing(tried, run_trial, provenance, workers)
        edge = [(m, v) for m in MODELS for v in VIEWS if best_rate(task, m, v) == RATES[-1]]
        higher = [t for m, v in edge for t in rate_trials(task, m, v, HIGHER)]
        run_missing(higher, run_trial, provenance, workers)
        run_missing(test_trials(task), run_trial, provenance, workers)

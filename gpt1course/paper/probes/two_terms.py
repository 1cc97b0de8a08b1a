"""Multiple choice by a score of two terms: the paper's linear layer, and log P itself.

Not the paper's method. Eq. 3 starts from a linear layer that knows nothing; here a choice
also scores w times its log P, given what is before it. At w = 1, where it begins, the
softmax over the choices is what the language model itself believes, so fine-tuning starts
near the zero-shot answer and learns what to add. Labels, updates and rate are those of the
row "paper", beside it.
"""

import itertools
from dataclasses import replace

import torch
from torch import Tensor, nn

from gpt1lib import tasks
from gpt1lib.finetune import Classifier, FineTuning
from gpt1lib.model import LanguageModel

from .. import plan
from ..init_from import starting_checkpoint
from ..run import fine_tune, run_missing
from ..trials import Trial

SETTINGS = replace(plan.SETTINGS, lr=2.5e-4)
LIMITS, SEEDS = (100, 300), range(3)


class TwoTerms(Classifier):
    """A classifier of choices whose linear layer also reads log P of the choice."""

    def __init__(self, model: LanguageModel, kind: str, n_classes: int, dropout: float = 0.1):
        super().__init__(model, kind, n_classes, dropout)
        if kind != "choice":
            raise ValueError(f"kind is {kind!r}; only a choice has a log P to compare")
        paper = self.head
        self.head = nn.Linear(paper.in_features + 1, 1)
        with torch.no_grad():
            self.head.weight[:, :-1], self.head.bias[:] = paper.weight, paper.bias
            self.head.weight[:, -1] = 1.0

    def forward(self, ids: Tensor, extract_at: Tensor) -> tuple[Tensor, Tensor]:
        """Task logits (B, n_classes) and states (N, T, C) of ids (N, T); extract_at (N,)."""
        h = self.model.hidden(ids)
        extract = h[torch.arange(len(ids)), extract_at]  # (N, C)
        log_p = self.choice_log_probs(ids, h, extract_at)  # (N,)
        scores = self.head(torch.cat([self.drop(extract), log_p[:, None]], dim=1))
        return scores.view(-1, self.n_classes), h

    def choice_log_probs(self, ids: Tensor, h: Tensor, extract_at: Tensor) -> Tensor:
        """log P of what stands between Delim and Extract, summed over its tokens: (N,)."""
        delim = (ids == self.specials.delimiter).int().argmax(dim=1)
        place = torch.arange(ids.shape[1])[None]  # a state predicts the token after it
        row, col = ((place >= delim[:, None]) & (place < extract_at[:, None] - 1)).nonzero().T
        log_probs = self.model.logits(h[row, col]).log_softmax(dim=-1)
        tokens = log_probs.gather(1, ids[row, col + 1][:, None])[:, 0]
        return torch.zeros(len(ids)).index_add(0, row, tokens)


class TwoTermFineTuning(FineTuning):
    """Fine-tuning as in the paper, of the score of two terms."""

    classifier_class = TwoTerms


ROWS = {"two terms": TwoTermFineTuning, "paper": FineTuning}


def run_two_terms(provenance: dict) -> None:
    """Both rows with 100 labels and with 300, three seeds each."""
    trials = [
        Trial.of("two_terms", task="missing_word", row=row, settings=settings)
        for seed, row, limit in itertools.product(SEEDS, ROWS, LIMITS)
        for settings in [replace(SETTINGS, limit=limit, seed=seed)]
    ]
    run_missing(trials, run_trial, provenance)


def run_trial(trial: Trial) -> dict:
    """Fine-tune and test. weight: of log P in the end."""
    settings, task = trial["settings"], replace(tasks.load(trial["task"]), valid=[])
    start = starting_checkpoint("novelist", settings.seed)
    run, scores, _ = fine_tune(start, task, settings, ROWS[trial["row"]])
    if not isinstance(run, TwoTermFineTuning):
        return scores
    return {**scores, "weight": round(run.classifier.head.weight[0, -1].item(), 4)}

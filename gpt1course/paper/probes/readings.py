"""Few labels and a frozen model: where to read it, and whether to ask it.

The paper's linear layer reads the last state, and everything learns. Here nothing but a
linear layer learns, in closed form, from one of four views of an example:

- last: the state of the last token, as near as a frozen model comes to Extract;
- mean: the mean of all states;
- asked: the number by which the set is answered without labels (zeroshot/questions.py), of
  which the labels only choose sign and threshold;
- both: mean and asked side by side.

Not the paper's method but for "last". The labels are those that the learning curves draw.
The strength of the ridge is chosen on the validation set for each view and each number of
labels, with draws that no test has. Two texts are read one after the other (both orders,
added, where neither comes first), a choice after its context.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from gpt1lib import tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune import pad
from gpt1lib.finetune.trainer import chosen_examples
from gpt1lib.model import LanguageModel
from gpt1lib.tasks import Example, Task

from ... import statistics
from ..curves import plan as curve_plan
from ..curves.run import scored_examples
from ..curves.sets import SETS, label_counts
from ..init_from import starting_checkpoint
from ..results import stored_lines
from ..run import run_missing
from ..trials import Trial
from ..zeroshot import heuristics
from ..zeroshot.scores import answer_scores, by_length

NAME = "readings"
MODELS = ("novelist", "lstm", "nothing")  # InitFrom
VIEWS = ("last", "mean", "asked", "both")
STRENGTHS = tuple(10.0**k for k in range(-2, 5))
DRAWS, CHOICE_DRAWS = range(10), range(100, 105)
SIZES = (10, 30, 100, 300, 1000)

Views = dict[str, np.ndarray]
"""View -> (N, its width); of a choice (N, choices, its width)."""


# ---- states ----------------------------------------------------------------------------


def readable(bpe: BPE, kind: str, texts: Sequence[str], n_ctx: int) -> list[list[int]]:
    """The sequences that are read for one example, without special tokens.

    What is too long for the context loses its beginning.
    """
    first, *rest = (bpe.encode(text) for text in texts)
    sequences = [first + other for other in rest] or [first]
    if kind == "similarity":
        sequences.append(rest[0] + first)
    return [ids[-n_ctx:] for ids in sequences]


@torch.no_grad()
def last_and_mean(
    model: LanguageModel, sequences: Sequence[list[int]], batch: int = 32
) -> tuple[np.ndarray, np.ndarray]:
    """The last state of each sequence and the mean of its states, both (N, C)."""
    last, mean = (np.empty((len(sequences), model.config.n_embd), np.float32) for _ in range(2))
    for part in by_length(sequences, batch):
        ids, mask = pad([sequences[i] for i in part])
        h = model.hidden(ids)  # (B, T, C)
        n = mask.sum(dim=1)  # (B,)
        last[part] = h[torch.arange(len(part)), n.long() - 1].numpy()
        mean[part] = ((h * mask[..., None]).sum(dim=1) / n[:, None]).numpy()
    return last, mean


# ---- asking ----------------------------------------------------------------------------


def _word_after(words: tuple[str, str], cue: str = "") -> Callable[..., Tensor]:
    """Asks by `heuristics.word_leads`, (N,)."""

    def asked(model: LanguageModel, bpe: BPE, examples: Sequence[Example]) -> Tensor:
        return heuristics.word_leads(model, bpe, [e.texts[0] for e in examples], words, cue)

    return asked


def _sentence(model: LanguageModel, bpe: BPE, examples: Sequence[Example]) -> Tensor:
    """Mean log P of a sentence: (N,)."""
    return torch.tensor(heuristics.sentence_scores(model, bpe, [e.texts[0] for e in examples]))


def _pronouns(model: LanguageModel, bpe: BPE, examples: Sequence[Example]) -> Tensor:
    """Asks by `heuristics.pronoun_leads`, (N,)."""
    return heuristics.pronoun_leads(
        model, bpe, [(a, b) for a, b in (e.texts for e in examples)]
    )


def _raised(model: LanguageModel, bpe: BPE, examples: Sequence[Example]) -> Tensor:
    """Asks by `heuristics.raised_by`, (N,)."""
    pairs = [(a, b) for a, b in (e.texts for e in examples)]
    return torch.tensor(heuristics.raised_by(model, bpe, pairs))


def _choices(model: LanguageModel, bpe: BPE, examples: Sequence[Example]) -> Tensor:
    """Mean log P of each choice after its context: (N, choices)."""
    questions = [
        (bpe.encode(given), [bpe.encode(x) for x in more])
        for given, *more in (e.texts for e in examples)
    ]
    return torch.tensor(answer_scores(model, questions))


ASKED: dict[str, Callable[..., Tensor]] = {
    "question_or_statement": _word_after((".", "?")),
    "film_snippets": _word_after(heuristics.SENTIMENT_WORDS, cue="very"),
    "acceptability": _sentence,
    "he_or_she": _pronouns,
    "past_or_present": _raised,
    "entailment": _raised,
    "verse_pairs": _raised,
    "story_cloze": _choices,
    "missing_word": _choices,
}
"""What each set asks, as a number: those of zeroshot/questions.py, before a threshold."""


# ---- views -----------------------------------------------------------------------------


def views_of(source: Checkpoint, task: Task, examples: Sequence[Example]) -> Views:
    """The four views of each example."""
    model, bpe = source.model, source.bpe
    read = [readable(bpe, task.kind, e.texts, model.config.n_ctx) for e in examples]
    n = len(read[0])  # sequences of an example
    last, mean = last_and_mean(model, [ids for sequences in read for ids in sequences])
    views = {
        name: together(task.kind, x.reshape(len(examples), n, -1))
        for name, x in (("last", last), ("mean", mean))
    }
    views["asked"] = ASKED[task.name](model, bpe, examples).numpy()[..., None]
    return views


def together(kind: str, states: np.ndarray) -> np.ndarray:
    """A view of each example from its sequences (N, sequences, C), apart for a choice."""
    if kind == "choice":
        return states - states.mean(axis=1, keepdims=True)  # only differences decide
    return states.sum(axis=1)


def scaled(known: Views, *others: Views) -> list[Views]:
    """All views with the mean 0 and the spread 1 of `known`, and "both" made of two.

    In "both" the one number that is asked gets as much room as all the channels of a state.
    """
    made = []
    for views in (known, *others):
        new = {}
        for name, x in views.items():
            rows = known[name].reshape(-1, known[name].shape[-1])
            new[name] = (x - rows.mean(axis=0)) / (rows.std(axis=0) + 1e-6)
        width = new["mean"].shape[-1]
        new["both"] = np.concatenate([new["mean"], new["asked"] * width**0.5], axis=-1)
        made.append(new)
    return made


# ---- readers ---------------------------------------------------------------------------


def guesses(
    X: np.ndarray, labels: Sequence[int], asked: np.ndarray, n_classes: int, strength: float
) -> list[int]:
    """Classes of `asked` by ridge regression of +1 for the right class and -1 for the others.

    X, asked: (N, C); of a choice (N, choices, C), for which one reader scores each choice.
    """
    y = 2 * np.eye(n_classes)[np.asarray(labels)] - 1  # (N, classes)
    if X.ndim == 3:
        w = ridge(X.reshape(-1, X.shape[-1]), y.reshape(-1, 1), strength)
        return (asked @ w)[..., 0].argmax(axis=1).tolist()
    center, offset = X.mean(axis=0), y.mean(axis=0)
    w = ridge(X - center, y - offset, strength)
    return ((asked - center) @ w + offset).argmax(axis=1).tolist()


def ridge(X: np.ndarray, y: np.ndarray, strength: float) -> np.ndarray:
    """Weights (C, outputs) of ridge regression of y (N, outputs) on X (N, C)."""
    from sklearn.linear_model import Ridge  # a second to import, and few need it

    fitted = Ridge(alpha=strength, fit_intercept=False, solver="cholesky")
    return fitted.fit(X.astype(float), y.astype(float)).coef_.reshape(y.shape[1], -1).T


# ---- the experiment --------------------------------------------------------------------


def sizes(task: str) -> list[int]:
    """Numbers of labels: those of the curves, and the few that some curves leave out."""
    most = max(label_counts(task))
    return [n for n in SIZES if n <= most]


def run_trial(trial: Trial) -> dict:
    """All readings of one model on one set: view -> labels -> strength, accuracy by draw."""
    task = tasks.load(trial["task"])
    source = starting_checkpoint(trial["model"], 0)
    pool = tasks.no_longer_than(task.train, SETS[task.name].longest)
    splits = [pool, *(scored_examples(task.name, split) for split in ("valid", "test"))]
    known, valid, test = scaled(*(views_of(source, task, part) for part in splits))
    place = {id(example): i for i, example in enumerate(pool)}
    y_valid, y_test = (np.array([int(e.label) for e in part]) for part in splits[1:])

    def accuracy(view: str, size: int, draw: int, strength: float, asked, true) -> float:
        drawn = chosen_examples(task, curve_plan.label_settings(task.name, size, draw))
        rows, labels = [place[id(e)] for e in drawn], [int(e.label) for e in drawn]
        found = guesses(known[view][rows], labels, asked[view], task.n_classes, strength)
        return round(float((np.array(found) == true).mean()), 4)

    found = {view: {} for view in VIEWS}
    for view in VIEWS:
        for size in sizes(task.name):
            tried = {
                s: np.mean([accuracy(view, size, d, s, valid, y_valid) for d in CHOICE_DRAWS])
                for s in STRENGTHS
            }
            strength = max(tried, key=lambda s: tried[s])
            scores = [accuracy(view, size, d, strength, test, y_test) for d in DRAWS]
            found[view][str(size)] = {"strength": strength, "accuracy": scores}
    return {"views": found, "examples": len(y_test)}


def run_readings(provenance: dict) -> None:
    """Every set that has curves, read out of the novelist, the LSTM and random weights."""
    trials = [Trial.of(NAME, task=task, model=m) for task in SETS for m in MODELS]
    run_missing(trials, run_trial, provenance)


def stored_rows(task: str, model: str) -> dict[str, dict[int, dict]]:
    """View -> number of labels -> mean, half of its 95% interval, and draws, as curves have it.

    model: one of MODELS. Raises LookupError for what is not stored.
    """
    lines = [x for x in stored_lines(NAME) if (x["task"], x["model"]) == (task, model)]
    if not lines:
        raise LookupError(f"no reading of {task} by {model} is stored")
    return {
        view: {int(n): statistics.mean_with_ci(at["accuracy"]) for n, at in sizes.items()}
        for view, sizes in lines[0]["views"].items()
    }

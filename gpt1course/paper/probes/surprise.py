"""Where a model keeps how surprised it was: linear readers of frozen states.

Zero-shot, log P of the tokens read tells broken sentences from whole ones. Fine-tuning
reads one state instead: is it in there? log P of a token is made from the product of the
state before it and the token's own embedding, which only the softmax takes. So a linear
reader is given states, and that product.
"""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from torch import Tensor

from gpt1lib import losses, metrics, tasks
from gpt1lib.baselines.lstm import LSTM
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.model import GPT, LanguageModel
from gpt1lib.tasks import Task

from ..init_from import starting_checkpoint
from ..run import run_missing
from ..trials import Trial
from .readout import ridge

STRENGTHS = tuple(10.0**k for k in range(6))  # of the ridge
MODELS = ("novelist", "lstm")  # InitFrom
Rows = dict[str, Tensor]  # view -> (N, its width)


# ---- what is read, and what should be found in it ----------------------------------


def states_by_depth(model: LanguageModel, ids: Tensor) -> list[Tensor]:
    """What a model knows of every token of ids (1, T) before and after each block, (T, C).

    An LSTM has one block, and no position in what it starts from. Raises TypeError for a
    model that is neither.
    """
    if isinstance(model, LSTM):
        return [model.tokens(ids)[0], model.hidden(ids)[0]]
    if not isinstance(model, GPT):
        raise TypeError(f"a {type(model).__name__} cannot be read, only a GPT or an LSTM")
    h = model.embed(ids)  # (1, T, C)
    states = [h[0]]
    for block in model.blocks:
        h = block(h)
        states.append(h[0])
    return states


def token_rows(model: LanguageModel, ids: Tensor) -> tuple[Rows, Tensor]:
    """Views (T-1, C) of every token but the first of ids (1, T), and their log P (T-1, 1).

    token: its embedding and position; block k: its state after k blocks; before: the last
    state one position earlier, which predicts it; product: that state times the token's
    embedding, channel by channel, whose sum is the token's logit.
    """
    first, *later = states_by_depth(model, ids)
    views = {"token": first[1:]}
    views |= {f"block {k}": h[1:] for k, h in enumerate(later, start=1)}
    before = later[-1][:-1]
    views |= {"before": before, "product": before * model.tokens(ids[0, 1:])}
    return views, losses.token_log_probs(model.logits(later[-1])[None], ids).T


def sentence_rows(model: LanguageModel, ids: Tensor) -> tuple[Rows, Tensor]:
    """Views (1, C) of a sentence, ids (1, T), and its log P, sum and mean (1, 2).

    last k: the state of its last token after k blocks; mean: the states after the last
    block, averaged; product: the products of token_rows, averaged. Two of one number, (1, 1):
    length, in tokens; log P: the mean itself, to which what is read from states is compared.
    """
    tokens, log_probs = token_rows(model, ids)
    n = sum(name.startswith("block") for name in tokens)
    views = {f"last {k}": tokens[f"block {k}"][-1:] for k in range(1, n + 1)}
    views["mean"] = tokens[f"block {n}"].mean(dim=0, keepdim=True)
    views["product"] = tokens["product"].mean(dim=0, keepdim=True)
    views["length"] = torch.tensor([[float(len(log_probs))]])
    views["log P"] = log_probs.mean(dim=0, keepdim=True)
    return views, torch.stack([log_probs.sum(), log_probs.mean()])[None]


@torch.no_grad()
def collected(
    rows: Callable[[LanguageModel, Tensor], tuple[Rows, Tensor]],
    model: LanguageModel,
    bpe: BPE,
    texts: Sequence[str],
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """token_rows or sentence_rows of all texts, one below the other."""
    results = [rows(model, torch.tensor([bpe.encode(text)])) for text in texts]
    views = {name: torch.cat([v[name] for v, _ in results]).numpy() for name in results[0][0]}
    return views, torch.cat([numbers for _, numbers in results]).numpy()


# ---- readers -----------------------------------------------------------------------


def r_squared(X: np.ndarray, y: np.ndarray, asked: np.ndarray, true: np.ndarray) -> float:
    """Share of the variance of `true` that ridge regression, fitted on X and y, explains.

    0 is what the mean of y explains; below 0 is worse. The strength of the ridge is the
    best of STRENGTHS with each row left out in turn.
    """
    from sklearn.linear_model import RidgeCV  # a second to import, and few need it
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    reader = make_pipeline(StandardScaler(), RidgeCV(np.array(STRENGTHS))).fit(X, y)
    return round(float(reader.score(asked, true)), 3)


def label_accuracy(X: np.ndarray, y: list[int], asked: np.ndarray, true: list[int]) -> dict:
    """How often ridge regression of two classes, 0 and 1, as -1 and +1, finds the label."""
    center, scale = X.mean(axis=0), X.std(axis=0)
    known, new = (torch.from_numpy((x - center) / scale).double() for x in (X, asked))
    w, _ = ridge(known, 2 * torch.tensor(y) - 1)
    return metrics.rounded(metrics.accuracy((new @ w > 0).int().tolist(), true))


def read_surprise(checkpoint: Checkpoint, task: Task) -> dict[str, dict]:
    """What linear readers, fitted on task.train, find on task.test in each view.

    tokens: R^2 of each token's log P; sum, mean: R^2 of a sentence's; label: accuracy.
    Raises TypeError for a model that is neither a GPT nor an LSTM, ValueError for a task of
    more than one text.
    """
    if task.kind != "classification":
        raise ValueError(f"{task.name} is of kind {task.kind}, it must be classification")
    splits = task.train, task.test
    y, true = ([int(e.label) for e in part] for part in splits)
    texts = [[e.texts[0] for e in part] for part in splits]
    of = checkpoint.model, checkpoint.bpe
    (X, log_p), (asked, log_p_asked) = (collected(token_rows, *of, part) for part in texts)
    results = {"tokens": {v: r_squared(X[v], log_p, asked[v], log_p_asked) for v in X}}
    (X, log_p), (asked, log_p_asked) = (collected(sentence_rows, *of, part) for part in texts)
    for column, name in enumerate(("sum", "mean")):
        pair = log_p[:, column], log_p_asked[:, column]
        results[name] = {v: r_squared(X[v], pair[0], asked[v], pair[1]) for v in X}
    return results | {"label": {v: label_accuracy(X[v], y, asked[v], true) for v in X}}


def run_surprise(provenance: dict) -> None:
    """The surprise of both models at sentences whole and broken."""
    trials = [Trial.of("surprise", model=m, task="acceptability") for m in MODELS]
    run_missing(trials, run_trial, provenance)


def run_trial(trial: Trial) -> dict:
    """What linear probes find of one model's surprise at the sentences of one task."""
    return read_surprise(starting_checkpoint(trial["model"], 0), tasks.load(trial["task"]))

"""What frozen states know of a story's ending: a linear reader, fitted in closed form.

Where fine-tuning finds nothing, either the checkpoint knows nothing or the recipe does
not bring it out. Here nothing of the checkpoint learns; the same with random weights
shows what the reader itself learns from the labels.
"""

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from gpt1lib import metrics, tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint

from ..init_from import starting_checkpoint
from ..run import run_missing
from ..trials import Trial

STRENGTHS = tuple(10.0**k for k in range(7))
VIEWS = ("last", "match")


@torch.no_grad()
def ending_views(model, bpe: BPE, story: str, ending: str) -> dict[str, Tensor]:
    """Two views (C,) of an ending after its story, from the states of the last block.

    last: the state at the last token, as near as a frozen model comes to Extract;
    match: mean state of the story times mean state of the ending, channel by channel.
    A story too long for the context loses its beginning. Raises ValueError for an empty text,
    and for an ending that leaves no room for a story.
    """
    before, new = bpe.encode(story), bpe.encode(ending)
    if not (before and new):
        raise ValueError(f"an empty text: story {story!r}, ending {ending!r}")
    n_ctx = model.config.n_ctx
    if len(new) >= n_ctx:
        raise ValueError(
            f"the ending has {len(new)} tokens, the context {n_ctx}: no room for a story"
        )
    ids = torch.tensor([(before + new)[-n_ctx:]])
    h = model.hidden(ids)[0]  # (T, C)
    before, after = h[: -len(new)], h[-len(new) :]
    return {"last": after[-1], "match": before.mean(dim=0) * after.mean(dim=0)}


def differences(source: checkpoint.Checkpoint, examples: list) -> dict[str, Tensor]:
    """view -> (N, C): the first ending's view minus the second's."""
    rows = {name: [] for name in VIEWS}
    for example in tqdm(examples, leave=False):
        story, *endings = example.texts
        a, b = (ending_views(source.model, source.bpe, story, x) for x in endings)
        for name in VIEWS:
            rows[name].append(a[name] - b[name])
    return {name: torch.stack(row) for name, row in rows.items()}


def ridge(X: Tensor, y: Tensor, strengths=STRENGTHS) -> tuple[Tensor, float]:
    """Ridge regression of y (N,), +1 or -1, on X (N, C): weights (C,), chosen strength.

    The strength with the most signs right when each row is left out in turn; of equals
    the smallest. In double precision.
    """
    from sklearn.linear_model import RidgeCV  # a second to import, and few need it
    from sklearn.metrics import make_scorer

    # not RidgeClassifierCV: of two classes its scores see only one (scikit-learn 1.9.1)
    most_signs = make_scorer(lambda y, left_out: np.mean(np.sign(left_out) == y))
    model = RidgeCV(alphas=np.sort(strengths), fit_intercept=False, scoring=most_signs)
    model.fit(X.double().numpy(), y.double().numpy())
    return torch.from_numpy(model.coef_), float(np.asarray(model.alpha_))


def read_out(source: checkpoint.Checkpoint, task: tasks.Task) -> dict[str, dict]:
    """view -> accuracy on the test set, with interval, guesses, strength of the ridge.

    Raises ValueError where there are not two endings to choose from.
    """
    if task.kind != "choice" or task.n_classes != 2:
        raise ValueError(
            f"{task.name} is of kind {task.kind} with {task.n_classes} classes; only "
            "two endings can be read out"
        )
    labeled = [*task.train, *task.valid]
    known, asked = differences(source, labeled), differences(source, task.test)
    y = torch.tensor([1 - 2 * int(e.label) for e in labeled])  # +1: the first is right
    results = {}
    for name in VIEWS:
        scale = known[name].std(dim=0)
        w, strength = ridge(known[name] / scale, y)
        guesses = ((asked[name] / scale).double() @ w < 0).int().tolist()
        scores = metrics.accuracy(guesses, [int(e.label) for e in task.test])
        results[name] = metrics.rounded(scores) | {"strength": strength, "guesses": guesses}
    return results


def run_readout(provenance: dict) -> None:
    """Story cloze, read out of the novelist and of three models with random weights."""
    rows = [("novelist", 0), *(("nothing", seed) for seed in range(3))]
    trials = [Trial.of("readout", row=row, seed=seed) for row, seed in rows]
    run_missing(trials, run_trial, provenance)


def run_trial(trial: Trial) -> dict:
    """One model, read out in both views."""
    start = starting_checkpoint(trial["row"], trial["seed"])
    return {"views": read_out(start, tasks.load("story_cloze"))}

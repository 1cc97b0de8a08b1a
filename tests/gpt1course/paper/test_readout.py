"""The linear reader of frozen states, against brute force and against itself."""

from dataclasses import replace

import pytest
import torch

from gpt1course.paper import readout
from gpt1lib import tasks


def test_leaving_out_at_once_is_leaving_out():
    """The chosen strength is the one that refitting without each row would choose."""
    torch.manual_seed(0)
    X = torch.randn(40, 12)
    y = (X[:, 0] + 2 * torch.randn(40)).sign()
    right = {}
    for k in readout.STRENGTHS:
        hits = 0
        for i in range(40):
            rest = torch.arange(40) != i
            A, b = X[rest].double(), y[rest].double()
            eye = torch.eye(12, dtype=torch.double)
            w = torch.linalg.solve(A.T @ A + k * eye, A.T @ b)
            hits += int((X[i].double() @ w).sign() == y[i])
        right[k] = hits
    w, strength = readout.ridge(X, y)
    assert len(set(right.values())) > 1  # the choice matters here
    assert strength == max(right, key=right.get)
    eye = torch.eye(12, dtype=torch.double)
    G = X.double().T @ X.double() + strength * eye
    torch.testing.assert_close(G @ w, X.double().T @ y.double())


def test_views_by_hand(novelist):
    model, bpe = novelist.model, novelist.bpe
    found = readout.ending_views(model, bpe, "It was late.", "He slept.")
    n = len(bpe.encode("He slept."))
    ids = torch.tensor([bpe.encode("It was late.") + bpe.encode("He slept.")])
    with torch.no_grad():
        h = model.hidden(ids)[0]
    torch.testing.assert_close(found["last"], h[-1])
    torch.testing.assert_close(found["match"], h[:-n].mean(0) * h[-n:].mean(0))


@pytest.fixture
def few():
    task = tasks.load("story_cloze")
    return replace(task, train=task.train[:30], valid=[], test=task.test[:30])


def turned(example):
    return replace(example, label=1 - example.label)


@pytest.mark.slow
def test_it_learns_from_the_labels_and_from_nothing_else(novelist, few):
    """Tested on what it was fitted to it is nearly right; with turned labels, wrong."""
    same = replace(few, test=few.train)
    right = readout.read_out(novelist, same)
    wrong = readout.read_out(novelist, replace(same, test=[turned(e) for e in few.train]))
    for name in readout.VIEWS:
        assert right[name]["accuracy"] > 0.7
        assert right[name]["guesses"] == wrong[name]["guesses"]
        assert wrong[name]["accuracy"] == pytest.approx(1 - right[name]["accuracy"])


def test_what_cannot_be_read_out_is_refused(novelist):
    with pytest.raises(ValueError, match="entailment is of kind entailment with 3"):
        readout.read_out(novelist, tasks.load("entailment"))
    with pytest.raises(ValueError, match="empty text"):
        readout.ending_views(novelist.model, novelist.bpe, "A story.", "")

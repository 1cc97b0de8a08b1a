"""Readings of frozen states: the views by hand, and readers that learn from labels alone."""

import random

import numpy as np
import pytest
import torch

from gpt1course.paper import readings
from gpt1course.paper.curves import plan as curve_plan
from gpt1course.paper.curves import run as curve_run
from gpt1course.paper.curves.sets import SETS
from gpt1course.paper.trials import Trial
from gpt1lib import tasks
from gpt1lib.tasks import Example, Task


@torch.no_grad()
def test_last_and_mean_are_the_models_states(novelist):
    texts = ["It was late.", "He slept in the garden."]
    ids = [novelist.bpe.encode(text) for text in texts]
    last, mean = readings.last_and_mean(novelist.model, ids)
    for row, one in enumerate(ids):
        h = novelist.model.hidden(torch.tensor([one]))[0]
        torch.testing.assert_close(torch.from_numpy(last[row]), h[-1], rtol=1e-4, atol=1e-4)
        torch.testing.assert_close(torch.from_numpy(mean[row]), h.mean(0), rtol=1e-4, atol=1e-4)


def test_what_is_read_of_each_kind(novelist):
    bpe = novelist.bpe
    a, b, c = (bpe.encode(x) for x in ("It was late.", "He slept.", "She sang."))
    texts = ("It was late.", "He slept.", "She sang.")
    assert readings.readable(bpe, "classification", texts[:1], 256) == [a]
    assert readings.readable(bpe, "entailment", texts[:2], 256) == [a + b]
    assert readings.readable(bpe, "similarity", texts[:2], 256) == [a + b, b + a]
    assert readings.readable(bpe, "choice", texts, 256) == [a + b, a + c]
    assert readings.readable(bpe, "entailment", texts[:2], 3) == [(a + b)[-3:]]


@pytest.mark.parametrize("name", ["question_or_statement", "he_or_she", "missing_word"])
def test_a_threshold_on_what_is_asked_is_the_zero_shot_answer(novelist, name):
    """The number that is asked, with its natural threshold, gives the classes of the curves."""
    task, few = tasks.load(name), curve_run.scored_examples(name)[:40]
    asked = readings.ASKED[name](novelist.model, novelist.bpe, few).numpy()
    chosen = asked.argmax(axis=1) if asked.ndim == 2 else (asked > 0).astype(int)
    assert chosen.tolist() == SETS[name].ask(novelist.model, novelist.bpe, few)
    assert asked.shape == ((40, task.n_classes) if task.kind == "choice" else (40,))


def test_ridge_is_the_same_from_either_side():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(12, 30)), rng.normal(size=(12, 2))
    w = np.linalg.solve(X.T @ X + 3.0 * np.eye(30), X.T @ y)
    np.testing.assert_allclose(readings.ridge(X, y, 3.0), w, atol=1e-9)
    np.testing.assert_allclose(readings.ridge(X[:, :5], y, 3.0).shape, (5, 2))


def test_readers_find_what_is_there_and_nothing_else():
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(200, 8)), rng.normal(size=(200, 8))
    labels, true = (X[:, 0] > 0).astype(int), (asked[:, 0] > 0).astype(int)
    found = readings.guesses(X, labels, asked, 2, 1.0)
    assert (np.array(found) == true).mean() > 0.9
    luck = readings.guesses(X, rng.permutation(labels), asked, 2, 1.0)
    assert 0.3 < (np.array(luck) == true).mean() < 0.7


def test_of_choices_one_reader_scores_each():
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(400, 3, 4)), rng.normal(size=(400, 3, 4))
    labels, true = X[..., 1].argmax(axis=1), asked[..., 1].argmax(axis=1)
    found = readings.guesses(X, labels, asked, 3, 1.0)
    assert (np.array(found) == true).mean() > 0.8


def test_both_are_the_mean_and_the_asked_number(novelist):
    task = tasks.load("question_or_statement")
    views = readings.views_of(novelist, task, task.train[:20])
    known, other = readings.scaled(views, views)
    assert known["both"].shape == (20, 257)
    np.testing.assert_allclose(known["both"][:, -1], 16 * known["asked"][:, 0], rtol=1e-6)
    np.testing.assert_allclose(known["mean"].mean(axis=0), 0, atol=1e-3)
    np.testing.assert_allclose(other["last"], known["last"])


def test_every_set_of_the_curves_is_asked():
    assert set(readings.ASKED) == set(SETS)


def test_strengths_are_chosen_on_validation_alone(monkeypatch):
    """An example is read as its own number, so a row of numbers shows what was learned from."""
    name, size = "question_or_statement", 10
    splits = {
        split: [Example((str(i),), int(i % 3 == 0)) for i in range(n)]
        for split, n in (("train", 40), ("valid", 12), ("test", 20))
    }
    task = Task(name, "classification", 2, **splits)
    mean, std = 19.5, np.arange(40).std()  # of the numbers of the training set
    learned = {12: [], 20: []}  # the rows of each fit, by the examples that it is asked
    right = {12: 1.0, 20: 100.0}  # the only strength that is right there

    def views_of(source, task, examples):
        rows = np.array([[float(e.texts[0])] for e in examples])
        return {view: rows for view in ("last", "mean", "asked")}

    def guesses(X, labels, asked, n_classes, strength):
        rows = (X[:, 0] * std + mean).round().astype(int).tolist()
        assert labels == [task.train[i].label for i in rows]
        learned[len(asked)].append(rows)
        true = [e.label for e in splits["valid" if len(asked) == 12 else "test"]]
        return true if strength == right[len(asked)] else [1 - label for label in true]

    monkeypatch.setattr(readings.tasks, "load", lambda name: task)
    monkeypatch.setattr(readings, "starting_checkpoint", lambda model, seed: None)
    monkeypatch.setattr(readings, "scored_examples", lambda name, split: splits[split])
    monkeypatch.setattr(readings, "sizes", lambda name: [size])
    monkeypatch.setattr(readings, "views_of", views_of)
    monkeypatch.setattr(readings, "guesses", guesses)
    found = readings.run_trial(Trial.of("readings", task=name, model="lstm"))
    one = {"10": {"strength": 1.0, "accuracy": [0.0] * 10}}
    assert found == {"views": dict.fromkeys(readings.VIEWS, one), "examples": 20}

    def drawn(seeds):
        settings = (curve_plan.label_settings(name, size, seed) for seed in seeds)
        return [random.Random(s.seed).sample(range(40), s.limit) for s in settings]

    n_views, n_strengths = len(readings.VIEWS), len(readings.STRENGTHS)
    assert learned[12] == n_views * n_strengths * drawn(range(100, 105))
    assert learned[20] == n_views * drawn(range(10))

"""Fine-tuning by other readings: what is read, by hand, and the probe it starts from."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from gpt1course.paper import tuned_readings
from gpt1course.paper.probes.tuned_readings import Reading
from gpt1lib import finetune, inputs, losses, tasks
from gpt1lib.finetune import Encoded, Settings, collate

TEXTS = ("Where did he go so late", "He went into the garden")


@pytest.fixture
def batch(novelist):
    sequences = [inputs.one_segment(novelist.bpe, text, 256) for text in TEXTS]
    ids, _, extract_at, _ = collate([Encoded([s], i) for i, s in enumerate(sequences)])
    return ids, extract_at, [novelist.bpe.encode(text) for text in TEXTS]


def reading(novelist, view, ask=tuned_readings.mark):
    asked = partial(ask, novelist.bpe)
    return Reading(novelist.model, "classification", 2, 0.0, view=view, asked=asked).eval()


@torch.no_grad()
def test_what_each_view_reads(novelist, batch):
    ids, extract_at, texts = batch
    for view in ("last", "mean", "both"):
        classifier = reading(novelist, view)
        x, h = classifier.features(ids, extract_at)
        for i, text in enumerate(texts):
            end = len(text) + 1  # the place of Extract
            mean = h[i, 1:end].mean(dim=0)
            expected = {"last": h[i, end], "mean": mean, "both": mean}[view]
            torch.testing.assert_close(x[i, : len(expected)], expected)
        assert x.shape == (2, 256 + (view == "both"))


@torch.no_grad()
def test_the_numbers_that_are_asked(novelist, batch):
    ids, extract_at, texts = batch
    mark, likelihood = (
        reading(novelist, "both", ask)
        for ask in (tuned_readings.mark, tuned_readings.likelihood)
    )
    x, h = mark.features(ids, extract_at)
    question, period = (novelist.bpe.encode(sign)[0] for sign in "?.")
    for i, text in enumerate(texts):
        logits = mark.model.logits(h[i, len(text)])
        torch.testing.assert_close(x[i, -1], logits[question] - logits[period])
    x, h = likelihood.features(ids, extract_at)
    for i, text in enumerate(texts):
        logits = likelihood.model.logits(h[i : i + 1, 1 : len(text) + 1])
        log_p = losses.token_log_probs(logits, torch.tensor([text]))
        torch.testing.assert_close(x[i, -1], log_p.mean())


def test_it_begins_with_a_probe_that_knows_its_labels(novelist):
    task = tasks.load("question_or_statement")
    task = replace(task, train=task.train[:40], valid=[], test=task.train[:40])
    start = finetune.fit_context(novelist, task)
    run = tuned_readings.ProbedFineTuning(start, task, Settings(batch=8), "both")
    assert run.evaluate("test")[0]["accuracy"] > 0.9
    one_class = replace(task, train=[e for e in task.train if e.label == 1], test=[])
    run = tuned_readings.ProbedFineTuning(start, one_class, Settings(batch=8), "mean")
    assert run.classifier.head.weight.abs().max() < 0.2, "as it was drawn"
    run.train_step()


def test_rates_are_chosen_on_validation_alone(monkeypatch):
    task, stored = "question_or_statement", {}
    monkeypatch.setattr(tuned_readings, "stored_trials", lambda name: stored)
    assert tuned_readings.test_trials(task) == []
    for rate, score in zip(tuned_readings.RATES, (0.5, 0.6, 0.7, 0.7), strict=True):
        for trial in tuned_readings.rate_trials(task, "lstm", "mean", rate):
            stored[trial] = {"accuracy": score}
    trials = tuned_readings.test_trials(task)
    assert {(t["row"], t["view"], t["settings"].lr) for t in trials} == {
        ("lstm", "mean", 2.5e-4)
    }
    assert len({t["settings"].seed for t in trials} & set(tuned_readings.CHOICE_SEEDS)) == 0


def test_a_higher_rate_counts_where_the_highest_is_best(monkeypatch):
    task, stored = "question_or_statement", {}
    monkeypatch.setattr(tuned_readings, "stored_trials", lambda name: stored)

    def store(rate, score):
        for trial in tuned_readings.rate_trials(task, "lstm", "mean", rate):
            stored[trial] = {"accuracy": score}

    for rate, score in zip(tuned_readings.RATES, (0.5, 0.6, 0.7, 0.8), strict=True):
        store(rate, score)
    assert tuned_readings.best_rate(task, "lstm", "mean") == 1e-3
    store(tuned_readings.HIGHER, 0.79)
    assert tuned_readings.best_rate(task, "lstm", "mean") == 1e-3
    store(tuned_readings.HIGHER, 0.81)
    assert tuned_readings.best_rate(task, "lstm", "mean") == 4e-3
    store(tuned_readings.RATES[1], 0.9)
    assert tuned_readings.best_rate(task, "lstm", "mean") == tuned_readings.RATES[1]


def test_stored_rows_are_of_the_tests_alone(monkeypatch):
    task = "question_or_statement"
    of = partial(tuned_readings.trial_of, task, "lstm", "both", 30, 1e-3)
    stored = {
        of(seed, "test"): {"accuracy": 0.6 + 0.1 * seed, "probe": 0.5 + 0.1 * seed}
        for seed in range(3)
    }
    for rate in tuned_readings.RATES:
        for trial in tuned_readings.rate_trials(task, "lstm", "both", rate):
            stored[trial] = {"accuracy": 0.8 + rate, "probe": 0.1}
    unchosen = tuned_readings.trial_of(task, "lstm", "both", 30, 2.5e-4, 0, "test")
    stored[unchosen] = {"accuracy": 0.1, "probe": 0.1}
    monkeypatch.setattr(tuned_readings, "stored_trials", lambda name: stored)
    rows = tuned_readings.stored_rows(task, "lstm")
    assert rows["both"][30]["mean"] == 0.7 and rows["both"][30]["seeds"] == 3
    assert tuned_readings.stored_rows(task, "lstm", "probe")["both"][30]["mean"] == 0.6
    assert rows["last"] == {}
    with pytest.raises(LookupError, match="no tuned reading of question_or_statement by novel"):
        tuned_readings.stored_rows(task, "novelist")


def test_only_one_text_is_read(novelist):
    with pytest.raises(ValueError, match="kind is 'choice'"):
        Reading(novelist.model, "choice", 2)

"""Recipes that a GPU tries at once: their updates, data and scores are the trainer's."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.gpu_parts import longer, recipes, repeats
from benchmarks.gpu_parts.measure import Machine
from benchmarks.gpu_parts.together import Rates, Taught, Together, Training
from gpt1lib import GPT, TINY, corpus, evaluate, optim, pretrain
from gpt1lib.pretrain.muon import build_optimizers

CPU = Machine(torch.device("cpu"), True, 0.01, Path("runs"), Path("runs"))


@pytest.mark.parametrize("matrix_lr", [0.0, 2e-3])
def test_an_update_is_the_trainers(matrix_lr):
    steps, config = 12, replace(TINY, dropout=0.0, n_vocab=100)
    factors = np.array([min(1.0, (i + 1) / 5) for i in range(steps)])
    windows = np.random.default_rng(0).integers(100, size=(steps, 4, 16))
    torch.manual_seed(0)
    mine, its = GPT(config), GPT(config)
    its.load_state_dict(mine.state_dict())
    rates = Rates(1e-3, matrix_lr, (0.9, 0.99), 0.95, 0.1, factors)
    training = Training(mine, rates)
    training.read(windows)
    Together([training]).updates(steps)
    recipe = pretrain.Recipe(config, steps=steps, lr=1e-3, matrix_lr=matrix_lr, warmup=0,
                             weight_decay=0.1, betas=(0.9, 0.99))  # fmt: skip
    step = optim.Stepper(
        its, build_optimizers(its, recipe), lambda i: factors[min(i, steps - 1)]
    ).step
    objective = pretrain.Objective(its, chunked=False)
    losses = []
    for ids in torch.from_numpy(windows):
        losses.append(objective(ids))
        step(losses[-1].backward)
    for a, b in zip(mine.parameters(), its.parameters(), strict=True):
        assert torch.allclose(a, b, atol=2e-6)
    assert torch.allclose(training.losses, torch.stack(losses).detach(), atol=1e-5)


def test_spans_are_said_twice():
    rng = np.random.default_rng(0)
    for _ in range(20):
        window = repeats.random_repeats(rng, 10**6, 64, 4, 8)
        n = next(i for i in range(4, 9) if window[i] == window[0])
        assert len(window) == 64 and (window[n : 2 * n] == window[:n]).all()


def test_a_passage_is_repeated_where_it_ends():
    rng, book = np.random.default_rng(0), np.arange(64)
    for _ in range(20):
        window = repeats.passage_repeated(rng, book, 8, 32)
        end = int(np.flatnonzero(np.diff(window) != 1)[0]) + 1
        n = end - int(window[end])
        assert (
            8 <= n <= 32 and (window[end : end + n] == window[end - n : end])[: 64 - end].all()
        )
        assert (window[:end] == book[:end]).all() and len(window) == 64


@pytest.mark.parametrize("kind", ["random", "text"])
def test_the_share_of_windows_is_what_is_asked(kind):
    windows = np.tile(np.arange(64), (400, 8, 1))
    shares = np.where(np.arange(400) < 200, 0.25, 0.0)
    changed = (repeats.mixed_in(windows, shares, kind, 10**6, 0) != windows).any(-1)
    assert not changed[200:].any() and 0.2 < changed[:200].mean() < 0.3
    assert (windows == np.arange(64)).all()


def test_each_trial_reads_on_where_it_stopped():
    texts = recipes.Texts(TINY.n_vocab, np.arange(1000), {}, {})
    run = recipes.Run(recipes.Trial("t", short=(), seed=2), texts, CPU, 10)
    found = np.concatenate([run.windows(0, 3)[0], run.windows(3, 7)[0]])  # (7, 4, 16)
    its = corpus.even_windows(texts.ids, 16, 28, 0, 2 / 7)
    assert (found.reshape(28, 16) == its.numpy()).all()


def test_a_trial_reads_equally_much_in_each_update():
    trial = recipes.Trial("t", first=120, short=((0.4, 64), (0.8, 128)))
    assert recipes.phases(trial, 100, 256) == [
        (40, 16, True), (40, 32, True), (40, 128, True),
        (40, 64, False), (40, 128, False), (20, 256, False),
    ]  # fmt: skip
    rates = recipes.rates_of(trial, 120, 100)
    assert len(rates.factors) == 220
    assert rates.factors[119] == rates.factors[120] == 1.0 and rates.factors[-1] < 0.02


@pytest.mark.slow
def test_its_scores_are_those_of_evaluate():
    texts = recipes.texts_of(CPU)
    model = recipes.fresh(recipes.Trial("t"), texts, CPU)
    nats = [(evaluate.heldout_nats(model, ids), len(ids), 1000) for ids in texts.scored["ends"]]
    books = {str(i): evaluate.book_score(*book) for i, book in enumerate(nats)}
    mine = recipes.bits(model, texts, "ends")
    assert texts.characters["ends"] == 1000 * len(nats)
    assert mine == pytest.approx(evaluate.all_books(books)["bits_per_character"], abs=1e-4)


def test_a_student_learns_half_from_the_mean_of_its_teachers():
    torch.manual_seed(0)
    config = replace(TINY, dropout=0.0, n_vocab=100)
    student, *teachers = (GPT(config) for _ in range(3))
    ids = torch.randint(100, (4, 16))
    probs = sum(t(ids)[:, :-1].softmax(-1) for t in teachers) / 2
    log_q = student(ids)[:, :-1].log_softmax(-1)
    of_text = -log_q.gather(-1, ids[:, 1:, None]).mean()
    of_teachers = -(probs * log_q).sum(-1).mean()
    loss = Taught(student, teachers)(ids)
    assert torch.allclose(loss, (of_text + of_teachers) / 2, atol=1e-5)
    loss.backward()
    assert student.tokens.weight.grad is not None and teachers[0].tokens.weight.grad is None


def test_a_mixture_is_the_mean_of_probabilities():
    torch.manual_seed(0)
    models = [GPT(replace(TINY, n_vocab=100)).eval() for _ in range(2)]
    ids = torch.randint(100, (40,))
    texts = longer.Texts(100, ids.numpy(), {"ends": [ids]}, {"ends": 80})
    n = models[0].config.n_ctx
    nats = 0.0
    for window in corpus.windows_in_order(ids, n):
        probs = torch.stack([m(window[None])[0, :-1].softmax(-1) for m in models]).mean(0)
        nats -= probs.gather(-1, window[1:, None]).log().sum().item()
    bits = nats / math.log(2) / 80
    assert longer.mixture_bits(models, texts, "ends") == pytest.approx(bits, abs=1e-3)
    assert longer.mixture_bits(models[:1], texts, "ends") == recipes.bits(
        models[0], texts, "ends"
    )


def test_minutes_are_shared_out_by_the_work():
    texts = recipes.Texts(TINY.n_vocab, np.arange(1000), {}, {})
    trials = [recipes.Trial("a", short=()), recipes.Trial("b", short=(), updates=0.5)]
    assert recipes.share_of_work([recipes.Run(t, texts, CPU, 10) for t in trials]) == 0.75

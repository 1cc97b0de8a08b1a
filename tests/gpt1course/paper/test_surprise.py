"""Readers of how surprised a model was, and the score of two terms, by hand on small sizes."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course.paper import results, surprise, two_terms, zeroshot
from gpt1course.paper.trials import Trial
from gpt1lib import finetune, inputs, losses, tasks
from gpt1lib.baselines.lstm import LSTM
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune import Settings
from gpt1lib.tasks import Example, Task

BPE_SMALL = BPE.learn("it was late and he slept and she was in the garden", 30)


@pytest.fixture
def small():
    torch.manual_seed(0)
    config = g.GPTConfig(BPE_SMALL.n_vocab, n_ctx=32, n_layer=2, n_head=2, n_embd=16)
    return g.GPT(config).eval()


# ---- views ---------------------------------------------------------------------------


@torch.no_grad()
def test_the_product_holds_the_logit_and_views_are_the_models_states(small):
    ids = torch.tensor([BPE_SMALL.encode("he was late")])
    views, log_p = surprise.token_rows(small, ids)
    h = small.hidden(ids)
    partition = small.logits(h[0, :-1]).logsumexp(dim=-1)
    torch.testing.assert_close(views["product"].sum(dim=1) - partition, log_p[:, 0])
    torch.testing.assert_close(views["block 2"], h[0, 1:])
    torch.testing.assert_close(views["before"], h[0, :-1])
    torch.testing.assert_close(views["token"], small.embed(ids)[0, 1:])


def test_a_sentences_log_p_is_the_zero_shot_score(small):
    texts = ["he was late", "she slept in the garden"]
    views, numbers = surprise.collected(surprise.sentence_rows, small, BPE_SMALL, texts)
    scores = zeroshot.sentence_scores(small, BPE_SMALL, texts)
    np.testing.assert_allclose(views["log P"][:, 0], scores, rtol=1e-5)
    np.testing.assert_allclose(numbers[:, 1], scores, rtol=1e-5)
    np.testing.assert_allclose(numbers[:, 0], numbers[:, 1] * views["length"][:, 0], rtol=1e-5)
    last = small.hidden(torch.tensor([BPE_SMALL.encode(texts[1])]))[0, -1].detach()
    np.testing.assert_allclose(views["last 2"][1], last, rtol=1e-5)


@torch.no_grad()
def test_an_lstm_has_one_block():
    torch.manual_seed(0)
    config = g.GPTConfig(BPE_SMALL.n_vocab, n_ctx=32, n_layer=2, n_head=2, n_embd=16)
    model = LSTM(config).eval()
    ids = torch.tensor([BPE_SMALL.encode("he was late")])
    views, log_p = surprise.token_rows(model, ids)
    h = model.hidden(ids)
    assert list(views) == ["token", "block 1", "before", "product"]
    torch.testing.assert_close(views["block 1"], h[0, 1:])
    torch.testing.assert_close(log_p, losses.token_log_probs(model.logits(h), ids).T)


# ---- readers -------------------------------------------------------------------------


def test_readers_find_what_is_there_and_nothing_else():
    rng = np.random.default_rng(0)
    X, asked = rng.normal(size=(300, 8)), rng.normal(5, 3, size=(300, 8))
    assert surprise.r_squared(X, 2 * X[:, 0] + 1, asked, 2 * asked[:, 0] + 1) > 0.99
    assert surprise.r_squared(X, rng.normal(size=300), asked, rng.normal(size=300)) < 0.1
    y, true = ([int(v > 5) for v in x[:, 1] * 2 + 5] for x in (X, asked - 5))
    assert surprise.label_accuracy(X, y, asked - 5, true)["accuracy"] > 0.9


def test_what_cannot_be_read_is_named(novelist):
    with pytest.raises(TypeError, match="Linear cannot be read"):
        surprise.read_surprise(
            replace(novelist, model=torch.nn.Linear(1, 1)), tasks.load("film_snippets")
        )
    with pytest.raises(ValueError, match="story_cloze is of kind choice"):
        surprise.read_surprise(novelist, tasks.load("story_cloze"))


# ---- two terms -----------------------------------------------------------------------


@torch.no_grad()
def test_the_second_term_is_log_p_of_the_choice(small):
    classifier = two_terms.TwoTerms(small, "choice", 2).eval()
    sequences = inputs.multiple_choice(BPE_SMALL, "he was", ["late", "in the garden"], 32)
    ids, _, extract_at, _ = finetune.collate([finetune.Encoded(sequences, 0)])
    log_probs = losses.token_log_probs(classifier.model(ids), ids)
    n, start = (
        [len(BPE_SMALL.encode(c)) for c in ("late", "in the garden")],
        1 + len(BPE_SMALL.encode("he was")),
    )
    by_hand = torch.stack([log_probs[i, start : start + n[i]].sum() for i in (0, 1)])
    classifier.head.weight[:, :-1] = 0.0
    torch.testing.assert_close(classifier(ids, extract_at)[0], by_hand[None])
    classifier.head.weight[:, -1] = 0.0
    classifier.head.weight[0, 3] = 1.0  # what is left is the paper's layer
    states = classifier.model.hidden(ids)[[0, 1], [start + k + 1 for k in n], 3]
    torch.testing.assert_close(classifier(ids, extract_at)[0], states[None])


def test_only_choices_have_two_terms(small):
    with pytest.raises(ValueError, match="kind is 'classification'"):
        two_terms.TwoTerms(small, "classification", 2)


def test_fine_tuning_moves_both_terms(small):
    examples = [Example(("he was", "late", "garden"), 0), Example(("it was", "he", "late"), 1)]
    task = Task("own", "choice", 2, examples, [], examples)
    source = Checkpoint(small, BPE_SMALL, {}, Path())
    run = two_terms.TwoTermFineTuning(source, task, Settings(epochs=2, batch=2, lr=0.01))
    before = run.classifier.head.weight.detach().clone()
    run.run(quiet=True)
    moved = (run.classifier.head.weight - before).abs()[0]
    assert moved[-1] > 0 and moved[:-1].max() > 0


def test_what_is_stored_is_not_run_again(monkeypatch, tmp_path):
    ran = []
    monkeypatch.setattr(results, "STORED", tmp_path)
    monkeypatch.setattr(two_terms, "run_trial", lambda trial: ran.append(trial) or {})
    settings = replace(two_terms.SETTINGS, limit=100, seed=0)
    first = Trial.of("two_terms", task="missing_word", row="paper", settings=settings)
    results.store("two_terms", first.as_line() | {"commit": "b"})
    two_terms.run_two_terms({"commit": "c"})
    assert len({*ran}) == len(ran) == 4 * len(two_terms.SEEDS) - 1 and first not in ran
    lines = results.stored_lines("two_terms")
    assert [line["commit"] for line in lines] == ["b"] + ["c"] * len(ran)
    assert [Trial.from_line("two_terms", line) for line in lines] == [first, *ran]

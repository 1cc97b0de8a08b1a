"""On another device the numbers of the CPU, and runs that can be stopped.

The device is a GPU where there is one. Elsewhere it is one that only pretends: then these
tests say that no tensor was left behind on the CPU, and nothing of a GPU's own arithmetic.
"""

import os
from dataclasses import replace

import pytest
import torch
from pretended_gpu import pretended

from gpt1lib import GPT, TINY, checkpoints, evaluate, generate, metrics, pretrain, validate
from gpt1lib.fast.distributed import Processes
from gpt1lib.rng import fork_rng

os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # torch asks for it once
GPU = torch.cuda.is_available()


@pytest.fixture(autouse=True)
def device():
    if GPU:
        yield torch.device("cuda")
        return
    with pretended() as device:
        yield device


@pytest.fixture
def model(device):
    """Weights four times as wide, so that no two logits are nearly equal."""
    with fork_rng(0):
        model = GPT(replace(TINY, dropout=0.0)).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(4)
    return model


@pytest.fixture
def ids(device):
    return torch.randint(TINY.n_vocab, (3, 12), generator=torch.Generator().manual_seed(0))


@pytest.fixture
def training(device, make_books, tmp_path):
    """A run in a folder of its own, on the device; with any option of a recipe."""
    make_books(tmp_path)

    def start(out: str, **options) -> pretrain.Pretraining:
        recipe = replace(pretrain.RECIPES["tiny"], n_merges=60, warmup=2, **options)
        folders = (tmp_path / out, tmp_path / "books", tmp_path / "heldout")
        return pretrain.Pretraining.from_books(recipe, *folders, Processes(device=device))

    return start


def test_what_is_left_on_the_cpu_is_refused(model, ids, device):
    model.to(device)
    with pytest.raises(RuntimeError, match="device"):
        model(ids)
    with pytest.raises(RuntimeError, match="generator"):
        torch.rand(2, device=device, generator=torch.Generator())


def test_logits_are_those_of_the_cpu(model, ids, device):
    with torch.no_grad():
        here = model(ids)
        there = model.to(device)(ids.to(device))
    assert there.device.type == device.type
    torch.testing.assert_close(there.cpu(), here, rtol=0, atol=1e-4)


@pytest.mark.skipif(not GPU, reason="torch finds no GPU")
def test_updates_in_bfloat16_lower_the_loss(training):
    run = training("short", steps=40, bf16=True)
    losses = [run.train_step()["loss"] for _ in range(40)]
    assert losses[-1] < 0.8 * losses[0]


def test_a_resumed_run_goes_on_bit_for_bit(training):
    """With deterministic sums: without them a GPU adds in another order each time."""
    torch.use_deterministic_algorithms(True)
    try:
        whole, stopped, resumed = (training(out, steps=12) for out in ("a", "b", "b"))
        lines = [whole.train_step() for _ in range(12)]
        for _ in range(6):
            stopped.train_step()
        stopped.save_state()
        assert resumed.resume() and resumed.step == 6
        again = [resumed.train_step() for _ in range(6)]
    finally:
        torch.use_deterministic_algorithms(False)
    assert [x["loss"] for x in again] == [x["loss"] for x in lines[6:]]
    for a, b in zip(whole.model.parameters(), resumed.model.parameters(), strict=True):
        assert torch.equal(a, b)


@pytest.mark.slow
def test_a_run_is_scored_where_it_was_trained_and_stored_for_the_cpu(training, monkeypatch):
    places, score = [], evaluate.score_books

    def scored(model, *rest):
        places.append(model.output_matrix.device.type)
        return score(model, *rest)

    monkeypatch.setattr(evaluate, "score_books", scored)
    run = training("whole", steps=8, evaluate_every=4, sample_every=4, save_every=4)
    run.run()
    made = checkpoints.load(run.folder.path)
    assert places == [run.world.device.type] and places != ["cpu"]
    assert {x.device.type for x in made.model.parameters()} == {"cpu"}
    scores = score(run.model, run.data.bpe, run.data.heldout)
    assert made.meta["heldout"] == metrics.rounded(scores)


def test_values_of_ids_are_looked_at_where_they_enter_and_not_at_each_batch(
    model, ids, device, monkeypatch
):
    model, bad = model.to(device), ids.clone()
    bad[0, 0] = TINY.n_vocab
    for ways in (generate.greedy, lambda *args: generate.beam_search(*args, 2)):
        with pytest.raises(ValueError, match="token id 64 is not in 0 to 63"):
            ways(model, bad[:1].to(device), 1)
    monkeypatch.setattr(validate, "check_indices", lambda *_: pytest.fail("the GPU waits"))
    assert model(ids.to(device)).shape == (3, 12, TINY.n_vocab)


def test_generation_with_the_cache_writes_what_it_writes_without(model, ids, device):
    model, text = model.to(device), ids.to(device)
    found = generate.greedy(model, text, 8)
    with torch.no_grad():
        for _ in range(8):
            best = model(text)[:, -1].argmax(dim=-1, keepdim=True)
            text = torch.cat([text, best], dim=1)
    assert torch.equal(found, text)


def test_drawn_texts_are_those_of_the_cpu(model, ids, device):
    """The random numbers come from the CPU, so one seed writes one text anywhere."""
    seeds = (torch.Generator().manual_seed(0) for _ in range(2))
    here = generate.generate(model, ids, 8, generator=next(seeds))
    model.to(device)
    there = generate.generate(model, ids.to(device), 8, generator=next(seeds))
    assert torch.equal(there.cpu(), here)
    assert len(generate.beam_search(model, ids[:1].to(device), 4, 2)) == 2

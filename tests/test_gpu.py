"""On a GPU: the CPU's numbers, and runs that can be killed. Skipped where there is none."""

from dataclasses import replace

import pytest
import torch

from gpt1lib import GPT, TINY, decode, pretrain
from gpt1lib.model import seeded
from gpt1lib.pretrain.processes import Processes

DEVICE = torch.device("cuda")
pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="torch finds no GPU")


@pytest.fixture
def model():
    """Weights four times as wide, so that no two logits are nearly equal."""
    with seeded(0):
        model = GPT(replace(TINY, dropout=0.0)).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.mul_(4)
    return model


@pytest.fixture
def ids():
    return torch.randint(TINY.n_vocab, (3, 12), generator=torch.Generator().manual_seed(0))


@pytest.fixture
def training(make_books, tmp_path):
    """A run in a folder of its own, on the device; with any option of a recipe."""
    make_books(tmp_path)

    def start(out: str, **options) -> pretrain.Pretraining:
        recipe = replace(pretrain.RECIPES["tiny"], n_merges=60, warmup=2, **options)
        folders = (tmp_path / out, tmp_path / "books", tmp_path / "heldout")
        return pretrain.Pretraining(recipe, *folders, Processes(device=DEVICE))

    return start


def test_logits_are_those_of_the_cpu(model, ids):
    with torch.no_grad():
        here = model(ids)
        there = model.to(DEVICE)(ids.to(DEVICE))
    assert there.device.type == DEVICE.type
    torch.testing.assert_close(there.cpu(), here, rtol=0, atol=1e-4)


def test_updates_in_bfloat16_lower_the_loss(training):
    run = training("short", steps=40, bf16=True)
    losses = [run.train_step()["loss"] for _ in range(40)]
    assert losses[-1] < 0.8 * losses[0]


def test_a_resumed_run_goes_on_bit_for_bit(training, monkeypatch):
    """With deterministic sums: without them a GPU adds in another order each time."""
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8")
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


def test_generation_with_the_cache_writes_what_it_writes_without(model, ids):
    model, text = model.to(DEVICE), ids.to(DEVICE)
    found = decode.greedy(model, text, 8)
    with torch.no_grad():
        for _ in range(8):
            best = model(text)[:, -1].argmax(dim=-1, keepdim=True)
            text = torch.cat([text, best], dim=1)
    assert torch.equal(found, text)


def test_drawn_texts_are_those_of_the_cpu(model, ids):
    """The random numbers come from the CPU, so one seed writes one text anywhere."""
    seeds = (torch.Generator().manual_seed(0) for _ in range(2))
    here = decode.generate(model, ids, 8, generator=next(seeds))
    model.to(DEVICE)
    there = decode.generate(model, ids.to(DEVICE), 8, generator=next(seeds))
    assert torch.equal(there.cpu(), here)
    assert len(decode.beam_search(model, ids[:1].to(DEVICE), 4, 2)) == 2

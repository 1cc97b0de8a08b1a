"""Stages of a run in 8 bits a weight: small, close, and they know what they are."""

import json

import pytest
import torch

from gpt1lib import GPT, TINY
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint, kinds, snapshots


def test_each_snapshot_is_twice_as_far_as_the_one_before():
    assert snapshots.steps_to_keep(5000, 4) == [625, 1250, 2500, 5000]
    assert snapshots.steps_to_keep(5, 10) == [1, 2, 5]  # 0.6 rounds up, 0.3 is nothing
    assert snapshots.steps_to_keep(100, 0) == []
    assert snapshots.steps_to_keep(5000, 2**70) == snapshots.steps_to_keep(5000, 60)


@pytest.mark.parametrize("kind", ["gpt", "lstm", "sinusoidal"])
def test_a_snapshot_comes_back_nearly_as_it_was(tmp_path, kind):
    torch.manual_seed(0)
    model = kinds.build(kind, TINY).eval()
    path = snapshots.save_snapshot(tmp_path, model, {"step": 12, "tokens": 99, "loss": 2.5})
    found, facts = snapshots.load_snapshot(path)
    assert facts == {"step": 12, "tokens": 99, "loss": 2.5}
    assert kinds.kind_of(found) == kind and not found.training
    ids = torch.randint(TINY.n_vocab, (2, 9))
    away = (found(ids) - model(ids)).abs().max() / model(ids).std()
    assert 0 < away < 0.05
    whole = sum(4 * p.numel() for p in model.parameters())
    assert path.stat().st_size < 0.45 * whole


def test_snapshots_are_found_in_the_order_of_their_steps(tmp_path):
    for step in (1000, 20, 300):
        snapshots.save_snapshot(tmp_path, GPT(TINY), {"step": step})
    steps = [snapshots.load_snapshot(p)[1]["step"] for p in snapshots.paths(tmp_path)]
    assert steps == [20, 300, 1000]


def test_the_last_stage_of_a_finished_run_is_its_checkpoint(tmp_path):
    torch.manual_seed(0)
    model = GPT(TINY).eval()
    for step in (6, 12):
        facts = {"step": step, "tokens": 8 * step, "loss": 3.0}
        snapshots.save_snapshot(tmp_path, model, facts)
    assert [facts["step"] for _, facts in snapshots.stages(tmp_path)] == [6, 12]
    bpe = BPE({chr(256 + i): i for i in range(TINY.n_vocab)}, [])
    checkpoint.save_ours(tmp_path, model, bpe)
    with pytest.raises(ValueError, match="has no log.jsonl"):
        list(snapshots.stages(tmp_path))
    line = {"step": 12, "tokens": 96, "loss": 2.5}
    (tmp_path / "log.jsonl").write_text(json.dumps({**line, "lr": 0.1}) + "\n")
    found = list(snapshots.stages(tmp_path))
    assert [facts["step"] for _, facts in found] == [6, 12]  # step 12 not twice
    assert found[-1][1] == line
    assert torch.equal(found[-1][0].tokens.weight, model.tokens.weight)  # and not in 8 bits


def test_a_folder_without_a_run_has_no_stages(tmp_path):
    assert list(snapshots.stages(tmp_path / "nothing")) == []

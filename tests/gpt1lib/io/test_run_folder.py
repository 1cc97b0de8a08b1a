"""What a run keeps in its folder: whole states, readable logs, refusals that say why."""

import os
import sys

import pytest
import torch

import gpt1lib as g
from gpt1course.paper import results
from gpt1lib import finetune, tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint
from gpt1lib.io import provenance, run_folder, tensors
from gpt1lib.io.run_folder import Log, RunFolder
from gpt1lib.rng import fork_rng

FACTS = {
    "lr": 0.1,
    "betas": (0.9, 0.99),
    "books": "abc",
    "model": {"n_layer": 2, "n_embd": 8, "inner": {"deep": True}},
}


def test_a_copy_without_git_is_told_its_commit(tmp_path, monkeypatch):
    monkeypatch.setenv("GPT1_COMMIT", "abc")
    if (provenance.ROOT / ".git").exists():
        assert len(provenance.git_commit()) == 40  # what git says goes first
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    assert provenance.provenance()["commit"] == "abc"
    (tmp_path / ".git").mkdir()  # damaged, or another's: git does not answer
    assert provenance.git_commit() == "abc"
    monkeypatch.setenv("GPT1_COMMIT", "")
    assert provenance.git_commit() == "unknown"


# ---- the state -------------------------------------------------------------------------


def test_what_is_saved_comes_back(tmp_path):
    folder = RunFolder(tmp_path, "state", counter="update")
    assert folder.load(FACTS) is None and folder.last_saved() == "Nothing was saved yet"
    folder.save(FACTS, 7, {"weights": torch.arange(3)})
    again = RunFolder(tmp_path, "state", counter="update")
    state = again.load(FACTS)
    assert state["update"] == 7 and torch.equal(state["weights"], torch.arange(3))
    for kept in (folder, again):
        assert kept.last_saved() == f"The state of update 7 is kept in {tmp_path / 'state'}"


def test_no_state_outlives_the_lines_that_it_counts(tmp_path, monkeypatch):
    synced, fsync = [], os.fsync

    def noted(file):
        synced.append(os.readlink(f"/proc/self/fd/{file}") if sys.platform == "linux" else "")
        fsync(file)

    monkeypatch.setattr(os, "fsync", noted)
    folder = RunFolder(tmp_path, "state", counter="update")
    folder.log.add({"update": 1})
    folder.save(FACTS, 1, {})
    names = [os.path.basename(path) for path in synced]
    assert sys.platform != "linux" or "log.jsonl" in names[:-1], names


@pytest.mark.parametrize("error", [RuntimeError("no space"), KeyboardInterrupt()])
def test_a_state_is_written_whole_or_not_at_all(tmp_path, monkeypatch, error):
    folder = RunFolder(tmp_path)
    folder.save(FACTS, 1, {"x": torch.ones(50)})
    first, whole = folder.state_path.read_bytes(), torch.save

    def half(state, path):
        whole(state, path)
        path.write_bytes(path.read_bytes()[:100])
        raise error

    monkeypatch.setattr(tensors.torch, "save", half)
    expected = OSError if isinstance(error, RuntimeError) else KeyboardInterrupt
    with pytest.raises(expected):
        folder.save(FACTS, 2, {"x": torch.zeros(50)})
    assert folder.state_path.read_bytes() == first and folder.saved == 1
    assert [p.name for p in tmp_path.iterdir()] == ["state.pt"], "nothing half is left"
    assert RunFolder(tmp_path).load(FACTS)["step"] == 1


def test_a_failed_write_names_what_is_kept(tmp_path):
    folder = RunFolder(tmp_path)
    folder.save(FACTS, 4, {})
    with pytest.raises(OSError, match="disk full.*state of step 4 is kept.*again"):
        with folder.writing():
            raise OSError("disk full")


def test_a_reader_who_has_gone_is_no_full_disk(tmp_path):
    with pytest.raises(BrokenPipeError, match="^gone$"):
        with RunFolder(tmp_path).writing():
            raise BrokenPipeError("gone")


def test_a_refusal_names_every_changed_fact_with_both_values(tmp_path):
    RunFolder(tmp_path).save(FACTS, 3, {})
    now = {
        "lr": 0.2,
        "betas": (0.9, 0.99),  # a list on disk
        "books": "xyz",
        "model": {"n_layer": 2, "n_embd": 16, "inner": {"deep": False}},
        "more": 5,
    }
    folder = RunFolder(tmp_path)
    with pytest.raises(ValueError, match="was made with other settings") as refusal:
        folder.load(now)
    told = str(refusal.value).split("settings: ")[1].split(". Use")[0].split("; ")
    assert sorted(told) == [
        "books was abc, is xyz",
        "deep was True, is False",
        "lr was 0.1, is 0.2",
        "more was None, is 5",
        "n_embd was 8, is 16",
    ]
    assert str(folder.state_path) in str(refusal.value) and folder.saved is None
    assert RunFolder(tmp_path).load(FACTS)["step"] == 3, "and the state is as it was"


def test_a_fact_that_is_gone_is_named(tmp_path):
    RunFolder(tmp_path).save(FACTS, 3, {})
    with pytest.raises(ValueError, match="books was abc, is None"):
        RunFolder(tmp_path).load({k: v for k, v in FACTS.items() if k != "books"})


def test_a_folder_is_held_by_one_run(tmp_path):
    one, other = RunFolder(tmp_path, "state"), RunFolder(tmp_path, "state")
    with one.lock():
        with pytest.raises(RuntimeError, match="another run is writing"), other.lock():
            pass
    with other.lock():
        pass


# ---- the log ----------------------------------------------------------------------------

HARD = "caf\u00e9 \u2014 a line\u2028and a \x85 next\nline"
"""Three characters that Python's splitlines takes for the end of a line."""


def test_a_log_keeps_any_text(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    lines = [{"step": i, "text": f"{i} {HARD}"} for i in range(4)]
    for line in lines:
        log.add(line)
    assert log.lines() == lines


def test_a_log_has_the_same_bytes_on_windows(tmp_path, monkeypatch):
    """There a text file gets its own line ends unless it is told which."""

    def opened(path, mode, newline=None, **more):
        return open(path, mode, newline="\r\n" if newline is None else newline, **more)

    monkeypatch.setattr(run_folder, "open", opened, raising=False)
    log = Log(tmp_path / "log.jsonl")
    log.add({"step": 0})
    assert log.path.read_bytes() == b'{"step": 0}\n'


def test_a_log_that_was_cut_and_continued_is_the_uninterrupted_one(tmp_path):
    whole, parts = Log(tmp_path / "whole.jsonl"), Log(tmp_path / "parts.jsonl")
    lines = [{"step": i, "text": f"{i} {HARD}"} for i in range(4)]
    for line in lines:
        whole.add(line)
    for line in lines[:3]:
        parts.add(line)
    parts.cut(1)
    for line in lines[2:]:
        parts.add(line)
    assert parts.path.read_bytes() == whole.path.read_bytes()


def test_a_log_cut_at_any_byte_is_read_up_to_the_last_whole_line(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    lines = [{"step": i, "text": "\u00e9\u2014"} for i in range(3)]
    for line in lines:
        log.add(line)
    stored = log.path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(stored) if byte == ord("\n")]
    for n in range(len(stored) + 1):
        log.path.write_bytes(stored[:n])
        whole = sum(end <= n + 1 for end in ends)  # only the new line itself may lack
        assert log.lines() == lines[:whole], n
    log.path.write_bytes(stored[:-4])
    log.cut(1)
    log.add(lines[2])
    assert log.path.read_bytes() == stored


def test_a_log_counts_by_its_own_counter_and_need_not_exist(tmp_path):
    log = RunFolder(tmp_path, counter="update").log_of("other")
    assert log.lines() == [] and log.path.name == "other.jsonl"
    for update in range(4):
        log.add({"update": update, "step": 100 - update})
    log.cut(1)
    assert [x["update"] for x in log.lines()] == [0, 1]


def test_what_stands_twice_in_a_log_is_cut(tmp_path):
    log = Log(tmp_path / "log.jsonl")
    log.replace([{"step": i} for i in (0, 1, 2, 0, 1, 2)])
    log.cut(1)
    assert log.lines() == [{"step": 0}, {"step": 1}]


def test_a_state_is_bound_to_its_logs(tmp_path):
    folder = RunFolder(tmp_path)
    folder.log.add({"step": 1, "loss": 2.5})
    folder.save(FACTS, 1, {})
    folder.log.add({"step": 2, "loss": 2.25})
    assert RunFolder(tmp_path).load(FACTS)["step"] == 1, "what came later is of no matter"
    folder.log.replace([{"step": 1, "loss": 7.5}])
    with pytest.raises(ValueError, match="log.jsonl is not the one that the state was saved"):
        RunFolder(tmp_path).load(FACTS)


def test_a_state_with_one_changed_bit_is_named(tmp_path):
    folder = RunFolder(tmp_path)
    folder.save(FACTS, 1, {"x": torch.arange(1000.0)})
    whole = folder.state_path.read_bytes()
    place = whole.index(torch.arange(500.0, 520.0).numpy().tobytes())
    folder.state_path.write_bytes(
        whole[:place] + bytes([whole[place] ^ 8]) + whole[place + 1 :]
    )
    with pytest.raises(ValueError, match="state.pt is .* damaged: the checksum of its part"):
        RunFolder(tmp_path).load(FACTS)
    folder.state_path.write_bytes(whole[:-90])
    with pytest.raises(ValueError, match="state.pt is cut short or damaged"):
        RunFolder(tmp_path).load(FACTS)


def test_the_samples_of_a_checkpoint_may_hold_any_text(tmp_path):
    Log(tmp_path / "samples.jsonl").add({"step": 1, "text": HARD})
    samples = checkpoint.Checkpoint(None, None, {}, tmp_path).samples
    assert samples == [{"step": 1, "text": HARD}]


# ---- fine-tuning --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def source():
    bpe = BPE.learn("a fine good film and a bad dull film", 20)
    with fork_rng(0):
        model = g.GPT(g.GPTConfig(bpe.n_vocab, 24, 1, 2, 8)).eval()
    return checkpoint.Checkpoint(model, bpe, {}, None)


def toy_task():
    texts = (("a fine good film", 1), ("a bad dull film", 0)) * 6
    examples = [tasks.Example((text,), label) for text, label in texts]
    return tasks.Task("toy", "classification", 2, examples, [], examples)


def stop_after(run, folder, n):
    """Train n updates, then be interrupted in the next one."""
    step = run.train_step

    def stopping():
        if run.update == n:
            raise KeyboardInterrupt
        return step()

    run.train_step = stopping
    with pytest.raises(KeyboardInterrupt):
        run.run(folder, quiet=True)


def test_after_a_resume_the_log_ends_at_the_last_saved_epoch(source, tmp_path):
    settings = finetune.Settings(epochs=3, batch=4)
    whole = finetune.FineTuning(source, toy_task(), settings)
    whole.run(RunFolder(tmp_path / "whole", counter="update"), quiet=True)
    folder = RunFolder(tmp_path / "parts", counter="update")
    stop_after(finetune.FineTuning(source, toy_task(), settings), folder, 5)
    assert [x["update"] for x in folder.log.lines()] == [1, 2, 3, 4, 5]
    run = finetune.FineTuning(source, toy_task(), settings)
    assert run.resume(folder) and run.update == 3
    assert folder.log.lines() == run.log == whole.log[:3]
    run.run(folder, quiet=True)
    assert folder.log.lines() == run.log == whole.log


def test_a_fine_tuning_stopped_in_its_first_epoch_begins_a_new_log(source, tmp_path):
    settings = finetune.Settings(epochs=1, batch=4)
    folder = RunFolder(tmp_path, counter="update")
    stop_after(finetune.FineTuning(source, toy_task(), settings), folder, 2)
    assert len(folder.log.lines()) == 2
    run = finetune.FineTuning(source, toy_task(), settings)
    assert not run.resume(folder) and run.log == folder.log.lines() == []


def test_a_damaged_line_in_the_middle_is_named_and_nothing_is_lost(tmp_path, monkeypatch):
    """Stored results take hours: one bad line must not silently drop those after it."""
    monkeypatch.setattr(results, "STORED", tmp_path)
    path = tmp_path / "cells.jsonl"
    path.write_text('{"a": 1}\n{"a": 2\n{"a": 3}\n')
    before = path.read_bytes()
    for use in (
        lambda: results.stored_lines("cells"),
        lambda: results.store("cells", {"a": 4}),
    ):
        with pytest.raises(ValueError, match=r"cells\.jsonl, line 2 (is damaged|contains a)"):
            use()
    assert path.read_bytes() == before

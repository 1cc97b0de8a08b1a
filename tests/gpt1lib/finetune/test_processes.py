"""Parts of a batch, 16-bit numbers, and two processes that fine-tune and write as one does."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gpt1lib import BPE, GPT, TINY, checkpoints, sample
from gpt1lib.fast import distributed
from gpt1lib.finetune.__main__ import main
from gpt1lib.io.run_folder import Log
from gpt1lib.rng import fork_rng

ROOT = Path(__file__).resolve().parents[3]
TWO = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
SQUARES = [0, 1, 4, 9, 16]
WORDS = "a fine good film and a bad dull film with the plot"
OPTIONS = ["--epochs", "3", "--batch", "4", "--lr", "1e-3", "--dropout", "0", "--device", "cpu"]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder with a tiny checkpoint and a set of one's own.

    Its 33 training examples make a last batch of one, so that a process goes without.
    """
    root = tmp_path_factory.mktemp("processes")
    bpe = BPE.learn(f"{WORDS} " * 4, 20)
    with fork_rng(0):
        model = GPT(replace(TINY, n_vocab=bpe.n_vocab, n_ctx=24, dropout=0.0))
    checkpoints.save(root / "start", model, bpe, {})
    words = WORDS.split()
    rows = [
        f"{words[i % 7]} {words[i % 11]} {'good' if i % 2 else 'bad'} {i},{i % 2}"
        for i in range(41)
    ]
    (root / "mine.csv").write_text("\n".join(["text,label", *rows]) + "\n")
    return root


def options(root: Path, out: str, *more: str) -> list[str]:
    where = ["--data", root / "mine.csv", "--checkpoint", root / "start", "--out", root / out]
    return [*map(str, where), *OPTIONS, "--test", *more]


def result_of(root: Path, out: str) -> dict:
    return json.loads((root / out / "result.json").read_text())


def log_of(root: Path, out: str) -> list[dict]:
    return Log(root / out / "log.jsonl", "update").lines()


def environment() -> dict:
    return {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(ROOT)}


def by_two(module: str, *arguments: str) -> str:
    """What two processes print; they must succeed."""
    done = subprocess.run(
        [*TWO, "-m", module, *arguments], cwd=ROOT, env=environment(), capture_output=True,
        text=True, timeout=300,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout


@pytest.fixture(scope="module")
def alone(root):
    main(options(root, "alone"))
    return log_of(root, "alone")


def assert_same(found: list[dict], wanted: list[dict]) -> None:
    assert [x["update"] for x in found] == [x["update"] for x in wanted]
    for a, b in zip(found, wanted, strict=True):
        assert {k: a[k] for k in a} == pytest.approx({k: b[k] for k in b}, abs=2e-4)


def test_a_batch_in_parts_takes_the_steps_of_a_whole_one(root, alone):
    assert len(alone) == 27 and alone[0]["loss"] != alone[-1]["loss"]
    main(options(root, "parts", "--grad-accum", "3"))
    assert_same(log_of(root, "parts"), alone)


def test_16_bits_change_the_losses_a_little_and_are_refused_on_a_cpu(root, alone, monkeypatch):
    with pytest.raises(SystemExit, match="bf16 needs a GPU .*, and this run is on cpu"):
        main(options(root, "refused", "--bf16"))
    monkeypatch.setattr("gpt1lib.finetune.__main__.check_bf16", lambda *_: None)
    main(options(root, "bf16", "--bf16"))
    losses = [line["loss"] for line in log_of(root, "bf16")]
    assert losses != [line["loss"] for line in alone]
    assert losses == pytest.approx([line["loss"] for line in alone], abs=0.1)


def test_sharing_keeps_the_order(monkeypatch):
    """Each of two processes is handed what the other found."""
    for rank, own, other in ((0, [0, 4, 16], [1, 9]), (1, [1, 9], [0, 4, 16])):

        def gather(parts, mine, rank=rank, own=own, other=other):
            assert mine == own
            parts[:] = [own, other][:: 1 if rank == 0 else -1]

        monkeypatch.setattr(torch.distributed, "all_gather_object", gather)
        assert distributed.Processes(rank, 2).share(lambda x: x * x, range(5)) == SQUARES
    assert distributed.SINGLE.share(lambda x: x * x, range(5)) == SQUARES


@pytest.mark.slow
@pytest.mark.parametrize("more", [(), ("--grad-accum", "2"), ("--method", "gradual")])
def test_two_processes_fine_tune_and_score_as_one(root, alone, more):
    name = "-".join(["two", *more])
    if "--method" in more:
        main(options(root, "one-gradual", *more))
        alone = log_of(root, "one-gradual")
    said = by_two("gpt1lib.finetune", *options(root, name, *more))
    assert said.count("test set, 4 examples") == 1, "the main process alone reports"
    assert_same(log_of(root, name), alone)
    one = result_of(root, "one-gradual" if "--method" in more else "alone")
    assert result_of(root, name)["test"] == one["test"]


@pytest.mark.slow
def test_two_that_were_killed_go_on_and_one_can_finish(root, alone):
    out, long = root / "killed", [*TWO, "-m", "gpt1lib.finetune", *options(root, "killed")]
    for _ in range(5):  # they may be done before they are killed
        with subprocess.Popen(
            long, cwd=ROOT, env=environment(), stderr=subprocess.DEVNULL
        ) as team:
            while team.poll() is None and not (out / "state.pt").exists():
                time.sleep(0.005)
            with contextlib.suppress(OSError):
                for child in children(team.pid):
                    os.kill(child, signal.SIGKILL)
            team.wait(120)
        if (out / "state.pt").exists():
            break
        for path in out.glob("*.json*"):
            path.unlink()
    assert not (out / "result.json").exists() and (out / "state.pt").exists()
    main(options(root, "killed"))
    assert_same(log_of(root, "killed"), alone)


def children(pid: int) -> list[int]:
    """The processes that a process has started, by Linux' own list."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(x) for x in found]


@pytest.mark.slow
def test_two_processes_write_the_texts_of_one(root, capsys):
    asked = [str(root / "start"), "a good", "--samples", "3", "--n-tokens", "8"]
    asked += ["--device", "cpu"]
    sample.main(asked)
    assert by_two("gpt1lib.sample", *asked) == capsys.readouterr().out

"""Two processes train one model, as torchrun starts them on a laptop or a cluster."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from torch import nn
from torch.testing._internal.distributed.fake_pg import FakeStore

from gpt1lib.checkpoints import checkpoint
from gpt1lib.fast import distributed as processes
from gpt1lib.io import run_folder
from gpt1lib.pretrain.__main__ import main

pytestmark = pytest.mark.slow
ROOT = Path(__file__).resolve().parents[3]
OPTIONS = [
    "--recipe",
    "tiny",
    "--n-merges",
    "60",
    "--batch",
    "6",
    "--steps",
    "40",
    "--warmup",
    "4",
    "--save-every",
    "20",  # to gather a split state takes longer than these steps
    "--device",
    "cpu",
    "--evaluate-every",
    "20",
    "--snapshots",
    "2",
    "--dropout",
    "0",
]
ONE: list[str] = []  # no command of its own: this process is the one
TWO = [
    sys.executable,
    "-m",
    "torch.distributed.run",
    "--standalone",
    "--nproc-per-node",
    "2",
    "-m",
    "gpt1lib.pretrain",
]


@pytest.fixture(scope="module")
def root(make_books, tmp_path_factory):
    root = tmp_path_factory.mktemp("workers")
    make_books(root)
    return root


def command(start, root, out, *more):
    return [
        *start,
        *OPTIONS,
        "--books",
        str(root / "books"),
        "--heldout",
        str(root / "heldout"),
        "--out",
        str(root / out),
        *more,
    ]


def train(start, root, out, *more):
    words, env = command(start, root, out, *more), {**os.environ, "OMP_NUM_THREADS": "1"}
    if start is ONE:
        main(words)
    else:
        done = subprocess.run(
            words, cwd=ROOT, env=env, capture_output=True, text=True, timeout=600
        )
        assert done.returncode == 0, done.stderr[-3000:]
    return run_folder.Log(root / out / "log.jsonl").lines()


@pytest.fixture(scope="module")
def alone(root):
    return train(ONE, root, "alone")


def assert_same_losses(found, wanted):
    assert [x["step"] for x in found] == [x["step"] for x in wanted]
    for a, b in zip(found, wanted, strict=True):
        assert a["tokens"] == b["tokens"] and a.keys() == b.keys()
        assert a["loss"] == pytest.approx(b["loss"], abs=1e-5), a["step"]
        assert a.get("heldout") == pytest.approx(b.get("heldout"), abs=1e-5)
        assert a.get("second_time") == pytest.approx(b.get("second_time"), abs=1e-3)


def assert_same_weights(root, out):
    a, b = checkpoint.load_ours(root / out).model, checkpoint.load_ours(root / "alone").model
    for x, y in zip(a.parameters(), b.parameters(), strict=True):
        assert torch.allclose(x, y, atol=2e-5)


def test_two_processes_with_split_states_take_the_steps_of_one(root, alone):
    """Whole states: see the run that is killed and resumes, to the same end."""
    assert_same_losses(train(TWO, root, "split", "--fsdp"), alone)
    assert_same_weights(root, "split")


def test_two_processes_that_accumulate_take_muons_steps(root):
    one = train(ONE, root, "muon", "--matrix-lr", "0.005")
    two = train(TWO, root, "muon of two", "--matrix-lr", "0.005", "--grad-accum", "2")
    assert_same_losses(two, one)


@pytest.fixture(scope="module")
def wounded(root):
    """Folder of a run of two, one of which was killed; what the others said."""
    out = root / "wounded"
    for _ in range(5):  # it may be over before it is killed, where the test has to wait
        shutil.rmtree(out, ignore_errors=True)
        status, said = killed_at_its_first_save(root, out)
        saved = torch.load(out / "state" / "state.pt", weights_only=True)["step"]
        if status and saved < 40:
            break
    assert status != 0
    assert "SIGKILL" in said and "gpt1lib.pretrain" in said
    assert 1 <= saved < 40
    return out


def killed_at_its_first_save(root, out):
    """Exit status of a run of two, one of which is killed, and what it says."""
    env = {**os.environ, "OMP_NUM_THREADS": "1"}
    long = command(TWO, root, out.name, "--steps", "40", "--save-every", "1")
    with subprocess.Popen(
        long, cwd=ROOT, env=env, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    ) as team:
        deadline = time.time() + 300
        while not (out / "state" / "state.pt").exists() and time.time() < deadline:
            time.sleep(0.01)
        with contextlib.suppress(OSError, IndexError):  # all have ended
            os.kill(children(team.pid)[-1], signal.SIGKILL)
        said = team.communicate(timeout=300)[1]
    return team.returncode, said


def test_one_process_killed_is_reported_and_the_run_resumes(root, alone, wounded):
    shutil.copytree(wounded, root / "resumed")
    assert_same_losses(train(TWO, root, "resumed", "--save-every", "1"), alone)
    assert_same_weights(root, "resumed")


def children(pid):
    """The processes that a process has started, by Linux' own list."""
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(x) for x in found]


def test_what_two_began_one_can_finish(root, alone, wounded):
    shutil.copytree(wounded, root / "half")
    assert_same_losses(train(ONE, root, "half", "--save-every", "1"), alone)


def test_alone_a_process_is_the_main_one_and_nothing_is_wrapped():
    team = processes.join("cpu")
    module = nn.Linear(2, 2)
    assert team.is_main and team.size == 1 and team.wrap(module) is module
    team.wait()
    assert team.mean(torch.tensor(3.0)) == 3


@pytest.fixture
def two():
    """torch believes that it is one of two processes, and nothing is sent."""
    torch.distributed.init_process_group("fake", store=FakeStore(), rank=0, world_size=2)
    yield
    torch.distributed.destroy_process_group()


@pytest.mark.parametrize("compiled", [False, True])
def test_only_the_last_part_of_a_batch_is_averaged(two, compiled):
    wrapped = whole = nn.parallel.DistributedDataParallel(nn.Linear(1, 1))
    if compiled:
        wrapped = torch.compile(whole, backend="eager")
    for last in (False, True):
        with processes.gradient_sync(wrapped, averaging=last):
            assert whole.require_backward_grad_sync == last


def test_splitting_alone_is_refused_with_the_way_to_do_it():
    with pytest.raises(RuntimeError, match="start with torchrun"):
        processes.join("cpu").wrap(nn.Linear(2, 2), fsdp=True)


def test_the_command_says_what_went_wrong_in_one_line(root, capsys):
    with pytest.raises(SystemExit) as end:
        main(command(ONE, root, "bad", "--warmup", "50"))
    assert end.value.code == "pretrain: warmup is 50, it must be <= steps, 40"
    assert capsys.readouterr().out == ""

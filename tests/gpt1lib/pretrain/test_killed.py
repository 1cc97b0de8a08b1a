"""A run is killed without warning, many times, and still ends where it would have."""

import multiprocessing
import random
import resource
import signal
import time
from dataclasses import replace

import pytest
import torch

from gpt1lib import pretrain
from gpt1lib.checkpoints import checkpoint, snapshots
from gpt1lib.io import run_folder
from gpt1lib.pretrain.config import RECIPES

pytestmark = pytest.mark.slow
RECIPE = replace(
    RECIPES["tiny"],
    n_merges=60,
    batch=4,
    steps=90,
    warmup=4,
    snapshots=4,
    evaluate_every=20,
    save_every=2,
    sample_every=30,
    model=replace(RECIPES["tiny"].model, dropout=0.1),
)
# a server with torch already loaded: a killed run is started again in milliseconds
SERVER = multiprocessing.get_context("forkserver")


def run(out, root, largest_file=None):
    torch.set_num_threads(1)
    if largest_file:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))
    training = pretrain.Pretraining.from_books(RECIPE, out, root / "books", root / "heldout")
    training.resume()
    training.run()


def say(out, root, largest_file, said):
    try:
        run(out, root, largest_file)
    except Exception as error:
        said.put((type(error).__name__, str(error)))
    else:
        said.put(None)


@pytest.fixture(scope="module")
def root(make_books, tmp_path_factory):
    root = tmp_path_factory.mktemp("killed")
    make_books(root)
    return root


@pytest.fixture(scope="module")
def undisturbed(root):
    states = "torch.distributed.checkpoint.state_dict"  # what saving would load each time
    SERVER.set_forkserver_preload(["gpt1lib.pretrain", states])
    for out in ("first", "whole"):  # the first starts the server
        start = time.perf_counter()
        process = SERVER.Process(target=run, args=(root / out, root))
        process.start()
        process.join()
        assert process.exitcode == 0
    return root / "whole", time.perf_counter() - start


def everything(out):
    """All that a run leaves and that does not depend on the clock."""
    state = torch.load(out / "state" / "state.pt", weights_only=True)
    del state["seconds"], state["logs"]  # which hold seconds, too
    log = [
        {k: v for k, v in line.items() if k not in ("tokens_per_s", "seconds")}
        for line in run_folder.Log(out / "log.jsonl").lines()
    ]
    stored = [(p.name, p.read_bytes()) for p in snapshots.paths(out)]
    weights = (out / "model.safetensors").read_bytes()
    return state, log, stored, weights, (out / "samples.jsonl").read_text()


def same(a, b):
    if isinstance(a, torch.Tensor):
        return torch.equal(a, b)
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    return a == b


def killed_often(out, root, seconds):
    """Start a run until it ends, and kill it early, twelve times at most; how often it was."""
    chance, kills = random.Random(1), 0
    while True:
        process = SERVER.Process(target=run, args=(out, root))
        process.start()
        process.join(chance.uniform(0.1, 0.4) * seconds if kills < 12 else None)
        ended = process.exitcode
        if ended == 0:
            return kills
        assert ended is None, "it failed by itself"
        process.kill()  # SIGKILL: no handler, no farewell
        process.join()
        assert process.exitcode in (-signal.SIGKILL, 0)
        kills += 1


def test_killed_at_random_moments_it_ends_bit_for_bit_the_same(root, undisturbed):
    whole, seconds = undisturbed
    for share in (1, 0.5, 0.25, 0.12):  # sooner, where the machine was slow in that run
        out = root / f"often {share}"
        kills = killed_often(out, root, share * seconds)
        if kills >= 5:
            break
    assert kills >= 5
    for a, b in zip(everything(out), everything(whole), strict=True):
        assert same(a, b)
    assert not list(out.rglob(".*.tmp"))
    assert checkpoint.load_ours(out).log[-1]["step"] == RECIPE.steps


def test_a_full_disk_is_named_and_the_last_state_kept(root, undisturbed):
    """A limit on the size of a file stands for the disk: the system's own error."""
    whole, _ = undisturbed
    size = (whole / "state" / "state.pt").stat().st_size
    out, said = root / "full", SERVER.Queue()
    process = SERVER.Process(target=say, args=(out, root, size // 2, said))
    process.start()
    kind, message = said.get(timeout=300)
    process.join()
    assert kind == "OSError" and "Nothing was saved yet" in message
    assert "make room there and start the same command again" in message
    assert not list((out / "state").glob("*.tmp")) and not (out / "state/state.pt").exists()
    process = SERVER.Process(target=say, args=(out, root, None, said))
    process.start()
    assert said.get(timeout=300) is None  # with room it goes through
    process.join()
    assert same(everything(out)[0], everything(whole)[0])

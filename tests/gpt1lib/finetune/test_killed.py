"""Fine-tuning, killed before each file that it asks for, still ends where it would have."""

import json
import multiprocessing
import os
import shutil
import signal
import sys

import pytest
import torch

import gpt1lib as g
from gpt1lib import tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint
from gpt1lib.finetune import classifier
from gpt1lib.finetune.__main__ import main

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL"),
]
TEXTS = (("a fine good film", 1), ("a bad dull film", 0))
BPE_SMALL = BPE.learn("a fine good film and a bad dull film the plot is thin", 40)
# a server with torch already loaded and nothing computed: a run begins in milliseconds
LOADED = [
    "gpt1lib.finetune.__main__",
    "torch._dynamo",
    "sklearn.feature_extraction.text",
    "sklearn.linear_model",
]
SERVER = multiprocessing.get_context("forkserver" if os.name != "nt" else "spawn")


def toy_task():
    examples = [
        tasks.Example((f"{t} {'the plot ' * i}",), y) for i in range(4) for t, y in TEXTS
    ]
    labels = ("bad", "good")
    return tasks.Task("toy", "classification", 2, examples, examples[:4], examples[:4], labels)


def run(root, out, n=0, asked=None):
    """Fine-tune; SIGKILL before the n-th time that the run asks for a file in its folder."""
    torch.set_num_threads(1)
    tasks.TASKS_BY_NAME["toy"] = toy_task
    os.chdir(root)
    count = [0]

    def before(event, arguments):
        if event != "open" and not event.startswith("os."):
            return
        if any(isinstance(a, str | os.PathLike) and str(out) in str(a) for a in arguments):
            count[0] += 1
            if count[0] == n:
                os.kill(os.getpid(), signal.SIGKILL)  # no handler, no farewell

    sys.addaudithook(before)
    sys.stdout = sys.stderr = open(os.devnull, "w")
    main(["toy", "--checkpoint", "pre", "--out", str(out), "--batch", "4", "--epochs", "2",
          "--dropout", "0.1", "--test"])  # fmt: skip
    if asked is not None:
        asked.put(count[0])


def ended(root, out, n=0):
    """How a run ended: 0, or the signal that killed it."""
    process = SERVER.Process(target=run, args=(root, out, n))
    process.start()
    process.join()
    return process.exitcode


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    root = tmp_path_factory.mktemp("finetune")
    torch.manual_seed(0)
    sizes = {"n_ctx": 24, "n_layer": 1, "n_head": 2, "n_embd": 8, "dropout": 0.1}
    model = g.GPT(g.GPTConfig(n_vocab=BPE_SMALL.n_vocab, **sizes))
    checkpoint.save_ours(root / "pre", model, BPE_SMALL)
    SERVER.set_forkserver_preload(LOADED)
    return root


def everything(out):
    """All that a run leaves, byte by byte, but for how long it took, and when and where."""
    left = {p.name: p.read_bytes() for p in out.iterdir() if p.name != "lock"}
    result = json.loads(left.pop("result.json"))
    del result["seconds"], result["command"], result["commit"]
    return left | {"result": result}


@pytest.fixture(scope="module")
def whole(root):
    """What an undisturbed run leaves, and how often it asks for a file."""
    asked = SERVER.Queue()
    process = SERVER.Process(target=run, args=(root, root / "whole", 0, asked))
    process.start()
    moments = asked.get(timeout=300)
    process.join()
    return everything(root / "whole"), moments


def test_killed_at_any_file_it_ends_bit_for_bit_the_same(root, whole):
    left, moments = whole
    assert left["result"]["test"] and "state.pt" not in left
    assert 30 < moments < 300
    out = root / "killed"
    for moment in range(1, moments + 1):
        shutil.rmtree(out, ignore_errors=True)
        assert ended(root, out, moment) == -signal.SIGKILL
        assert ended(root, out) == 0
        assert everything(out) == left, moment
    classifier.load(out)


def test_killed_again_and_again_it_ends_the_same(root, whole):
    """Each run goes on with what the killed one left, and is killed a little later."""
    out = root / "again"
    codes = [ended(root, out, moment) for moment in range(5, whole[1] + 10, 9)]
    assert codes[:5] == [-signal.SIGKILL] * 5
    assert codes[-1] == 0 or ended(root, out) == 0
    assert everything(out) == whole[0]

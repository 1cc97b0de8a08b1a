"""Whether the device computes what a CPU does, and goes on as if it had never been killed."""

import multiprocessing
import os
import random
import signal
import sys
import time
from dataclasses import replace
from pathlib import Path

import torch

from gpt1lib import GPT, NOVELIST, TINY, checkpoints, corpus, pretrain
from gpt1lib.bpe import BPE
from gpt1lib.fast.distributed import Processes
from gpt1lib.io.files import sha256, write_text
from gpt1lib.io.paths import BOOKS, NOVELIST_DIR

from .measure import Machine, Report, rounded, unused
from .trainer import full_size, on_ids, random_ids

STATE = Path("state") / "state.pt"


# ---- logits --------------------------------------------------------------------------


def logits(machine: Machine) -> dict:
    """The largest difference of float32 logits, without TensorFloat-32."""
    torch.set_float32_matmul_precision("highest")
    torch.manual_seed(0)
    config = replace(full_size(machine), dropout=0.0)
    model = GPT(config).eval()
    ids = torch.randint(config.n_vocab, (2, config.n_ctx))
    with torch.inference_mode():
        here = model(ids)
        there = model.to(machine.device)(ids.to(machine.device)).cpu()
    largest = (here - there).abs().max().item()
    size = rounded(here.abs().max().item())
    return {"largest_difference": largest, "largest_logit": size, "within_1e-4": largest < 1e-4}


# ---- losses in bfloat16 --------------------------------------------------------------


def losses(machine: Machine, bf16: bool) -> list[float]:
    """Losses of a run on a part of one book; bf16 has no effect on a CPU."""
    steps = machine.size(200, 4)
    if machine.tiny:
        model, ids = replace(TINY, dropout=0.0), random_ids(TINY)
    else:
        text = corpus.read_books(BOOKS)["austen_emma"][:200_000]
        model, ids = NOVELIST, torch.tensor(BPE.load(NOVELIST_DIR).encode(text))
    recipe = pretrain.Recipe(
        model,
        batch=8,
        steps=steps,
        warmup=steps // 10,
        lr=1e-3,
        bf16=bf16 and machine.on_gpu,
        block_std=0.04,
    )
    run = on_ids(recipe, machine, ids)
    return [run.train_step()["loss"] for _ in range(steps)]


def bfloat16(machine: Machine) -> dict:
    """How far losses in bfloat16 are from those in float32, update by update."""
    exact, short = losses(machine, False), losses(machine, True)
    shares = [abs(b - a) / a for a, b in zip(exact, short, strict=True)]
    last = [round(run[-1], 4) for run in (exact, short)]
    return {
        "updates": len(shares),
        "largest_share": rounded(max(shares)),
        "mean_share": rounded(sum(shares) / len(shares)),
        "last_losses": last,
        "within_1_percent": max(shares) < 0.01,
    }


# ---- killed and resumed --------------------------------------------------------------


def write_books(root: Path) -> None:
    """Books that are read in no time: the folders `books` and `heldout`."""
    for folder, line in (("books", "the cat sat on the mat. "), ("heldout", "a cat ran. ")):
        write_text(root / folder / f"{folder}.txt", line * 300)


def train(root: Path, out: Path, device: str, tiny: bool, deterministic: bool) -> None:
    """The trainer in a process of its own, from the start or from its last state."""
    sys.stdout = sys.stderr = open(root / f"{out.name}.log", "a")
    torch.set_num_threads(1)
    if deterministic:
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"  # read when CUDA starts
        torch.use_deterministic_algorithms(True)
    recipe = replace(
        pretrain.RECIPES["tiny"],
        n_merges=60,
        steps=20 if tiny else 600,
        warmup=4,
        save_every=7,
        bf16=device == "cuda",
        model=replace(TINY, dropout=0.1),
    )
    world = Processes(device=torch.device(device))
    run = pretrain.Pretraining.from_books(recipe, out, root / "books", root / "heldout", world)
    run.resume()
    run.run()


def process_of(root: Path, out: str, machine: Machine, deterministic: bool):
    """That process, started."""
    server = multiprocessing.get_context("forkserver")
    server.set_forkserver_preload(["gpt1lib.pretrain"])
    args = (root, root / out, machine.device.type, machine.tiny, deterministic)
    process = server.Process(target=train, args=args)
    process.start()
    return process


def whole(root: Path, out: str, machine: Machine, deterministic: bool) -> None:
    """A run that nobody disturbs; RuntimeError with the last line of its log if it fails."""
    process = process_of(root, out, machine, deterministic)
    process.join()
    if process.exitcode:
        log = (root / f"{out}.log").read_text().splitlines() or ["it wrote no log"]
        raise RuntimeError(f"the run {out} failed ({process.exitcode}): {log[-1]}")


def killed(root: Path, out: str, machine: Machine, n: int) -> list[int]:
    """A run killed n times soon after a new state, then finished; the steps it went on from."""
    state, chance, steps = root / out / STATE, random.Random(0), []
    for _ in range(n):
        before = changed_at(state)
        process = process_of(root, out, machine, True)
        while process.is_alive() and changed_at(state) == before:
            time.sleep(0.002)
        time.sleep(chance.uniform(0, machine.size(0.3, 0.01)))
        process.kill()  # SIGKILL: no handler, no farewell
        process.join()
        if process.exitcode == -signal.SIGKILL:
            steps.append(torch.load(state, weights_only=True)["step"])
        elif process.exitcode:
            break  # `whole` says so below
    whole(root, out, machine, True)
    return steps


def changed_at(path: Path) -> int | None:
    """When a file was last written, in nanoseconds; None where there is none."""
    try:
        return path.stat().st_mtime_ns
    except FileNotFoundError:
        return None


def same(root: Path, a: str, b: str) -> bool:
    """Whether two finished runs have the same weights and optimizer, bit for bit."""
    if len({sha256(root / out / "model.safetensors") for out in (a, b)}) > 1:
        return False
    first, second = (torch.load(root / out / STATE, weights_only=True) for out in (a, b))
    try:
        numbers = (x["optimizer"]["state"] for x in (first, second))
        torch.testing.assert_close(*numbers, rtol=0, atol=0)
    except AssertionError:
        return False
    return first["step"] == second["step"]


def largest_difference(root: Path, a: str, b: str) -> float:
    """Of any weight of two finished runs."""
    models = (checkpoints.load(root / out).model.parameters() for out in (a, b))
    return max((x - y).abs().max().item() for x, y in zip(*models, strict=True))


def repeated(machine: Machine, root: Path) -> dict:
    """Two runs as the trainer is: equal only where the device's own sums are."""
    whole(root, "first", machine, False)
    whole(root, "second", machine, False)
    largest = largest_difference(root, "first", "second")
    return {"same": same(root, "first", "second"), "largest_difference": largest}


def resumed(machine: Machine, root: Path) -> dict:
    """A run killed several times against one undisturbed, with deterministic sums."""
    whole(root, "whole", machine, True)
    steps = killed(root, "killed", machine, machine.size(3, 1))
    largest = largest_difference(root, "whole", "killed")
    found = {"same": same(root, "whole", "killed"), "largest_difference": largest}
    return found | {"went_on_from": steps}


def measure(machine: Machine, report: Report) -> None:
    """Each comparison is one row; `same` is bit for bit."""
    root = unused(machine.out / "same_numbers")
    write_books(root)
    parts = {
        "logits, float32": lambda: logits(machine),
        "losses, bfloat16": lambda: bfloat16(machine),
        "two runs as the trainer is": lambda: repeated(machine, root),
        "killed and resumed, deterministic": lambda: resumed(machine, root),
    }
    for name, part in parts.items():
        report.attempt("same_numbers", {"compared": name}, part)

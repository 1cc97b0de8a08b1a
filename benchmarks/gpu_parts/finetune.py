"""Fine-tuning GPT-1's full size, with random weights, on the film snippets.

Our tokenizer cuts the texts, and the softmax is over GPT-1's 40,478 tokens.
"""

import torch

from gpt1lib import GPT, tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.finetune import FineTuning
from gpt1lib.finetune.config import Settings
from gpt1lib.io.paths import NOVELIST_DIR

from .measure import Machine, Report, rounded, seconds, spread
from .trainer import full_size

NUMBERS = {"float32": "highest", "tf32": "high", "bfloat16": "highest"}
"""Kind of numbers -> how torch multiplies matrices of float32."""


def source(machine: Machine) -> Checkpoint:
    """GPT-1 with random weights, and a tokenizer whose special tokens follow its 40,478."""
    config = full_size(machine)
    bpe = BPE.load(NOVELIST_DIR)
    n_vocab = max(config.n_vocab, bpe.n_vocab)
    wide = type("WideBPE", (BPE,), {"n_vocab": n_vocab})
    torch.manual_seed(0)
    model = GPT(type(config)(**{**vars(config), "n_vocab": n_vocab}))
    return Checkpoint(model.to(machine.device), wide.load(NOVELIST_DIR), {}, machine.out)


def an_epoch(machine: Machine, numbers: str) -> dict:
    """Seconds of one epoch in one kind of numbers, and the memory it takes."""
    machine.settle()
    torch.set_float32_matmul_precision(NUMBERS[numbers])
    limit = machine.size(None, 8)
    bf16 = numbers == "bfloat16" and machine.on_gpu
    settings = Settings(epochs=2, batch=machine.size(32, 4), limit=limit, bf16=bf16)
    run = FineTuning(source(machine), tasks.load("film_snippets"), settings)
    run.train_step()  # warms up
    times = [seconds(machine, run.train_step) for _ in range(run.per_epoch)]
    return {
        "examples": len(run.data),
        "updates": run.per_epoch,
        "seconds_per_epoch": rounded(sum(times)),
        "ms_per_update": spread([1000 * t for t in times]),
        "peak_memory_gb": machine.peak_memory_gb(),
    }


def measure(machine: Machine, report: Report) -> None:
    """One epoch in each kind of numbers."""
    for numbers in NUMBERS:
        try:
            report.attempt(
                "finetune", {"numbers": numbers}, lambda n=numbers: an_epoch(machine, n)
            )
        finally:
            torch.set_float32_matmul_precision("highest")

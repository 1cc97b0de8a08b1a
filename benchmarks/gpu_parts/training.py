"""Training at full size: tokens/s, memory, and the share of the device's own peak.

Ours is the trainer's own update, with its batch from the main memory; theirs has its batch
on the device already. Both in bfloat16 by autocast, with dropout 0.1 and AdamW.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

from benchmarks.training_speed import peer, update_of
from gpt1lib import GPT, GPT1, GPTConfig, pretrain
from gpt1lib.fast.loss import chunked_lm_loss

from .measure import Machine, Report, in_turns, rounded, seconds, spread
from .trainer import full_size, on_ids, random_ids

FORMULA = "6 N + 12 L C T, N = 12 L C^2 + V C: matrix products, forward and backward"


def flops_per_token(config: GPTConfig) -> float:
    """Operations of one token in training; attention by all of the T x T scores.

    The tied matrix counts once, as the softmax's: looking a row up is no product.
    """
    c = config
    n = 12 * c.n_layer * c.n_embd**2 + c.n_vocab * c.n_embd
    return 6 * n + 12 * c.n_layer * c.n_embd * c.n_ctx


def peak_flops(machine: Machine, rounds: int = 7) -> dict:
    """Operations per second of a large product of matrices in bfloat16."""
    n, kind = machine.size(8192, 64), torch.bfloat16 if machine.on_gpu else torch.float32
    a, b = (torch.randn(n, n, device=machine.device, dtype=kind) for _ in range(2))
    times = in_turns(machine, {"product": lambda: a @ b}, rounds, n=10)["product"]
    return spread([2 * n**3 / t for t in times])


# ---- one update of ours and of theirs ------------------------------------------------


class InChunks(nn.Module):
    """The trainer's objective with another loss: see `LOSSES`."""

    def __init__(self, model: GPT, loss: Callable):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        h = self.model.hidden(ids)[:, :-1]
        return self.loss(h, self.model.output_matrix, ids[:, 1:])


def chunked(h: torch.Tensor, W: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """fast/loss.py, which computes in float32."""
    with torch.autocast(h.device.type, enabled=False):
        return chunked_lm_loss(h.float(), W, targets, rows=4096)


def recomputed(h: torch.Tensor, W: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """Some thousand logits at a time in bfloat16, computed again in the backward pass."""

    def part_of(rows, goals):
        return F.cross_entropy(rows @ W.T, goals, reduction="sum")

    parts = zip(h.flatten(0, 1).split(4096), targets.flatten().split(4096), strict=True)
    sums = [checkpoint(part_of, rows, goals, use_reentrant=False) for rows, goals in parts]
    return torch.stack(sums).sum() / targets.numel()


def padded_logits(h: torch.Tensor, W: torch.Tensor) -> torch.Tensor:
    """Logits, padded to a multiple of 64, which matrix units prefer.

    Those that belong to no token are -inf, so their probability and gradient are 0.
    """
    none = -len(W) % 64
    bias = F.pad(W.new_zeros(len(W)), (0, none), value=-torch.inf)
    return F.linear(h, F.pad(W, (0, 0, 0, none)), bias)  # (B, T - 1, V + none)


def padded(h: torch.Tensor, W: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    """All logits at once, as "whole" is, but padded."""
    return F.cross_entropy(padded_logits(h, W).flatten(0, 1), targets.flatten())


LOSSES = {"whole": None, "chunked": chunked, "recomputed": recomputed, "padded": padded}


def ours(machine: Machine, batch: int, compile: bool = False, loss: str = "whole"):
    """One update of our trainer, as a function."""
    config = full_size(machine)
    recipe = pretrain.Recipe(config, batch=batch, bf16=machine.on_gpu, compile=compile)
    run = on_ids(recipe, machine, random_ids(config))
    if other := LOSSES[loss]:
        run.objective = InChunks(run.model, other)
        if compile:
            run.objective = torch.compile(run.objective)
    return run.train_step


def theirs(machine: Machine, batch: int, attention: str):
    """One update of transformers' model as its users run it, as a function."""
    c = full_size(machine)
    model = peer(c, attn_implementation=attention).to(machine.device).train()
    ids = random_ids(c, batch * c.n_ctx).view(batch, c.n_ctx).to(machine.device)

    def loss_of(ids):
        with machine.bfloat16():
            return model(ids, labels=ids).loss

    step = update_of(model, loss_of, lr=2.5e-4)
    return lambda: step(ids)


# ---- the part ------------------------------------------------------------------------


def speed(machine: Machine, batch: int, times: list[float], peak: float) -> dict:
    """Tokens per second of updates that took these times, and their share of the peak."""
    config = full_size(machine)
    rates = [batch * config.n_ctx / t for t in times]
    found = spread(rates)
    share = found["median"] * flops_per_token(config) / peak
    return {"tokens_per_s": found, "model_flops_utilization": rounded(share)}


def explored(machine: Machine, peak: float, batch: int, **setting) -> dict:
    """Speed and memory of one setting of our trainer, by itself on the device."""
    machine.settle()
    torch.compiler.reset()  # or a second batch size would get shapes of any size, and slower
    step = ours(machine, batch, **setting)
    for _ in range(3):
        step()
    times = [seconds(machine, step) for _ in range(machine.size(8, 2))]
    return speed(machine, batch, times, peak) | {"peak_memory_gb": machine.peak_memory_gb()}


def settings(machine: Machine) -> list[dict]:
    """What is tried of our trainer as it is: batches, and losses."""
    batches, large = machine.size((8, 16, 32, 64, 128), (2, 4)), machine.size(64, 4)
    tried = [{"batch": batch, "loss": "whole"} for batch in batches]
    tried += [{"batch": large, "loss": loss} for loss in LOSSES if loss != "whole"]
    return [{"compile": False} | setting for setting in tried]


def compiled_settings(machine: Machine) -> list[dict]:
    """The same, compiled; nothing on a CPU, where that takes longer than all the rest."""
    losses = ("whole", "padded") if machine.on_gpu else ()
    return [{"compile": True, "batch": machine.size(64, 4), "loss": loss} for loss in losses]


def contestants(machine: Machine, batch: int, report: Report) -> dict:
    """name -> one update, of all that can run; what cannot is noted."""
    makers: dict[str, Callable] = {"ours": lambda: ours(machine, batch)}
    if machine.on_gpu:
        makers["ours, compiled"] = lambda: ours(machine, batch, compile=True)
    for kind in ("sdpa", "eager"):
        makers[f"transformers, {kind}"] = lambda k=kind: theirs(machine, batch, k)
    steps: dict[str, Callable] = {}

    def begin(who: str) -> dict:
        machine.settle()
        others, step = machine.memory(), makers[who]()
        first = rounded(seconds(machine, step))
        step()  # the first to have Adam's averages from the start
        steps[who] = step
        memory = machine.peak_memory_gb(others)
        return {"seconds_of_first_update": first, "batch": batch, "peak_memory_gb": memory}

    for who in makers:
        peer = (ValueError,) if who.startswith("transformers") else ()
        report.attempt("contestants", {"who": who}, lambda w=who: begin(w), peer)
    return steps


def beside_transformers(machine: Machine, report: Report, peak: float) -> None:
    """Ours and theirs in turns with the same batch, and the ratios of neighboring turns."""
    batch = machine.size(32, 2)
    steps = contestants(machine, batch, report)
    times = in_turns(machine, steps, rounds=machine.size(8, 2), n=machine.size(4, 1))
    for who, took in times.items():
        row = {"who": who, "batch": batch, **speed(machine, batch, took, peak)}
        if who != "ours" and "ours" in times:
            ratios = [t / o for t, o in zip(took, times["ours"], strict=True)]
            row["ours_times_as_fast"] = spread(ratios)
        report.add("beside_transformers", row)


def measure(machine: Machine, report: Report) -> None:
    """Peak, settings of ours, ours beside theirs; last what takes a minute to compile."""
    peak = peak_flops(machine)
    config = full_size(machine)
    report.keep(
        peak_flops=peak,
        formula=FORMULA,
        flops_per_token=flops_per_token(config),
        flops_per_token_of_gpt1=flops_per_token(GPT1),
    )

    def explore(setting: dict) -> None:
        report.attempt(
            "settings", setting, lambda: explored(machine, peak["median"], **setting)
        )

    for setting in settings(machine):
        explore(setting)
    machine.settle()
    beside_transformers(machine, report, peak["median"])
    for setting in compiled_settings(machine):
        explore(setting)

"""Several processes that share the work: `torchrun`, and what torch builds on it.

Each process computes the loss of its share of a batch; torch averages the gradients
(DistributedDataParallel), or also splits the weights where one process has no room for them
(FSDP2). Fine-tuning, whose layers learn at different times, adds its gradients up by itself.
A process that works alone needs none of this.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from .. import cli


def _states() -> tuple:
    """torch's module for sharded states (slow to import), and the option that gathers all."""
    from torch.distributed.checkpoint import state_dict

    return state_dict, state_dict.StateDictOptions(full_state_dict=True, cpu_offload=True)


@dataclass(frozen=True)
class Processes:
    """This process among all that train together."""

    rank: int = 0
    size: int = 1
    device: torch.device = torch.device("cpu")

    @property
    def is_main(self) -> bool:
        """True in the one process that writes files and prints."""
        return self.rank == 0

    def wrap(self, objective: nn.Module, fsdp: bool = False) -> nn.Module:
        """The module that averages gradients (or splits weights) over all processes."""
        objective.to(self.device)
        if fsdp:
            return shard_weights(objective)
        if self.size == 1:
            return objective
        ids = [self.device.index] if self.device.type == "cuda" else None
        return nn.parallel.DistributedDataParallel(objective, device_ids=ids)

    def mean(self, x: Tensor) -> Tensor:
        """The mean of a number over all processes."""
        if self.size > 1:
            torch.distributed.all_reduce(x)
            x = x / self.size
        return x

    def sum_gradients(self, model: nn.Module) -> None:
        """Add up what the processes have; one without an example of the batch has zeros."""
        for p in model.parameters() if self.size > 1 else ():
            if p.requires_grad:
                p.grad = torch.zeros_like(p) if p.grad is None else p.grad
                torch.distributed.all_reduce(p.grad)

    def share(self, work: Callable[[Any], Any], items: Sequence[Any]) -> list[Any]:
        """work(item) of each item, in order: each process does a part, and all get all."""
        parts: list[list] = [[work(item) for item in items[self.rank :: self.size]]]
        if self.size > 1:
            mine, parts = parts[0], [[]] * self.size
            torch.distributed.all_gather_object(parts, mine)
        return [parts[i % self.size][i // self.size] for i in range(len(items))]

    def wait(self) -> None:
        """Return when all processes have come this far."""
        if self.size > 1:
            torch.distributed.barrier()

    # The whole state, however it is sharded; all processes must call these.

    def whole_state(self, model: nn.Module, optimizers) -> tuple[dict, dict]:
        """Weights and optimizer state, gathered from all processes."""
        states, whole = _states()
        return states.get_state_dict(model, optimizers, options=whole)

    def load_whole_state(self, model, optimizers, weights: dict, state: dict) -> None:
        """The reverse: every process takes its part of a whole state."""
        states, whole = _states()
        states.set_state_dict(
            model, optimizers, model_state_dict=weights, optim_state_dict=state, options=whole
        )

    def whole_weights(self, model: nn.Module) -> dict:
        """Only the weights, gathered from all processes."""
        states, whole = _states()
        return states.get_model_state_dict(model, options=whole)

    def leave(self) -> None:
        """End the process group."""
        if torch.distributed.is_available() and torch.distributed.is_initialized():
            torch.distributed.destroy_process_group()

    def finish(self) -> None:
        """After a good end: wait for all, leave, and end this process at once.

        Gloo's threads now and then abort the interpreter's own shutdown, and torchrun
        would call a finished run a failed one.
        """
        if self.size == 1:
            return
        self.wait()
        self.leave()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


SINGLE = Processes()


@contextmanager
def joined(name: str, again: str = "", device: str | None = None) -> Iterator[Processes]:
    """The processes of a command; alone it fails in one line, else torchrun reports it."""
    alone = "RANK" not in os.environ
    with cli.one_line_errors(name, again) if alone else nullcontext():
        world = join(device)
        try:
            yield world
            world.finish()
        finally:
            world.leave()


def join(device: str | None = None) -> Processes:
    """Join the processes that torchrun started; where it did not, work alone.

    They communicate over nccl between GPUs and over gloo between CPUs. Raises ValueError for
    a device that the machine lacks.
    """
    place = cli.device_of(device)
    if "RANK" not in os.environ:
        return Processes(device=place)
    if place.type == "cuda":
        place = torch.device("cuda", int(os.environ["LOCAL_RANK"]))
        torch.cuda.set_device(place)
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if place.type == "cuda" else "gloo")
    return Processes(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), place)


def check_bf16(wanted: bool, device: torch.device) -> None:
    """Raise ValueError where 16-bit numbers are wanted that the device does not have."""
    if wanted and not (device.type == "cuda" and torch.cuda.is_bf16_supported()):
        raise ValueError(f"bf16 needs a GPU that has it, and this run is on {device}")


def shard_weights(objective: Any) -> nn.Module:
    """FSDP2: each process has its part of every weight, block by block.

    Raises RuntimeError without a process group, for there is nothing to split over.
    """
    if not torch.distributed.is_initialized():
        raise RuntimeError("--fsdp needs processes to split over: start with torchrun")
    from torch.distributed.fsdp import fully_shard

    for block in objective.model.blocks:
        fully_shard(block)
    fully_shard(objective)
    return objective


def gradient_sync(wrapped: nn.Module, averaging: bool):
    """A context for one part of a batch: gradients stay local unless `averaging`."""
    module = getattr(wrapped, "_orig_mod", wrapped)  # as it was before it was compiled
    ddp = isinstance(module, nn.parallel.DistributedDataParallel)
    return module.no_sync() if ddp and not averaging else nullcontext()

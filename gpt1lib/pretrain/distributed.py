"""Several processes that train one model: `torchrun`, and what torch builds on it.

Each process computes the loss of its share of a batch; torch averages the gradients
(DistributedDataParallel), or also splits the weights where one process cannot hold them
(FSDP2). A process that trains alone needs none of this.
"""

import os
import sys
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from .objective import Objective


def _states() -> tuple:
    """torch's functions for a state in many parts, which take a second to load, and: whole."""
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

    def wrap(self, objective: Objective, fsdp: bool = False) -> nn.Module:
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


def join(device: str | None = None) -> Processes:
    """Join the processes that torchrun started; where it did not, train alone.

    They communicate over nccl between GPUs and over gloo between CPUs.
    """
    name = device or ("cuda" if torch.cuda.is_available() else "cpu")
    if "RANK" not in os.environ:
        return Processes(device=torch.device(name))
    local = int(os.environ["LOCAL_RANK"])
    place = torch.device(name, local) if name == "cuda" else torch.device(name)
    if place.type == "cuda":
        torch.cuda.set_device(place)
    if not torch.distributed.is_initialized():
        torch.distributed.init_process_group("nccl" if name == "cuda" else "gloo")
    return Processes(int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"]), place)


def shard_weights(objective: Objective) -> Objective:
    """FSDP2: each process holds its part of every weight, block by block.

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

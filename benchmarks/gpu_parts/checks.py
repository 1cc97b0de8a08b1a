"""What `check_ids` costs: it asks for the smallest and largest id, and so waits for a GPU."""

from contextlib import nullcontext
from dataclasses import replace
from unittest import mock

import torch

from gpt1lib import GPT, generate, model

from .measure import Machine, Report, in_turns, spread
from .trainer import full_size
from .training import ours


def unchecked():
    """A context in which a model reads ids without looking at them first."""
    return mock.patch.object(model, "check_ids", lambda ids, config, start=0: None)


def works(machine: Machine) -> dict:
    """name -> what is done, of forward passes, a step of training and generated tokens."""
    config = replace(full_size(machine), dropout=0.0)
    gpt = GPT(config).to(machine.device).eval()
    some, n_new = machine.size(32, 2), machine.size(64, 4)
    one, many = (
        torch.randint(config.n_vocab, (n, config.n_ctx)).to(machine.device) for n in (1, some)
    )
    prompt = one[:, : config.n_ctx // 4]

    @torch.inference_mode()
    def read(ids):
        with machine.bfloat16():
            gpt(ids)

    return {
        "forward pass, batch 1": lambda: read(one),
        f"forward pass, batch {some}": lambda: read(many),
        f"{n_new} tokens by greedy, batch 1": lambda: generate.greedy(gpt, prompt, n_new),
        f"update, batch {some}": ours(machine, some),
    }


def both_ways(machine: Machine, act) -> dict:
    """Milliseconds of one act with and without the checks, in turns."""

    def under(context):
        def acts():
            with context():
                act()

        return acts

    acts = {"checked": under(nullcontext), "unchecked": under(unchecked)}
    times = in_turns(machine, acts, rounds=machine.size(15, 2), n=machine.size(3, 1))
    found = {f"ms_{k}": spread([1000 * t for t in took]) for k, took in times.items()}
    shares = [a / b - 1 for a, b in zip(*times.values(), strict=True)]
    return found | {"cost": spread(shares)}


def measure(machine: Machine, report: Report) -> None:
    """Each kind of work; `cost` is a share: 0.02 is 2% more time with the checks."""
    for name, act in works(machine).items():
        report.attempt("check_ids", {"work": name}, lambda a=act: both_ways(machine, a))

"""Greedy generation with our cache beside transformers' generate, at batch 1 and 32.

transformers keeps no keys and values for this model: theirs reads the text again for each
token. Same random weights in both.
"""

from dataclasses import replace

import torch

from benchmarks.generation_speed import pair
from gpt1lib import generate as decode

from .measure import Machine, Report, in_turns, spread
from .trainer import full_size


def writers(machine: Machine, kind: torch.dtype, batch: int, prompt: int, new: int) -> dict:
    """name -> a function that writes `new` tokens after each of `batch` prompts."""
    config = replace(full_size(machine), dropout=0.0)
    model, peer = (m.to(machine.device, kind) for m in pair(config))
    ids = torch.randint(config.n_vocab, (batch, prompt)).to(machine.device)
    seen = torch.ones_like(ids)

    def theirs():
        return peer.generate(ids, max_new_tokens=new, do_sample=False, attention_mask=seen)

    return {"ours": lambda: decode.greedy(model, ids, new), "transformers": theirs}


def speeds(machine: Machine, kind: torch.dtype, batch: int) -> dict:
    """Tokens per second of both, in turns, and whether they wrote the same."""
    prompt, new = machine.size((32, 128), (4, 8))
    machine.settle()
    acts = writers(machine, kind, batch, prompt, new)
    times = in_turns(machine, acts, rounds=machine.size(3, 1))
    mine, other = (act() for act in acts.values())
    found = {who: spread([batch * new / t for t in took]) for who, took in times.items()}
    ratios = [b / a for a, b in zip(*times.values(), strict=True)]
    same = round((mine == other).float().mean().item(), 4)
    sizes = {"prompt": prompt, "new": new}
    return sizes | found | {"ours_times_as_fast": spread(ratios), "same_tokens": same}


def measure(machine: Machine, report: Report) -> None:
    """Both kinds of numbers, both batches; tokens/s are of all texts of a batch together."""
    for kind in (torch.float32, torch.bfloat16):
        for batch in (1, machine.size(32, 2)):
            setting = {"numbers": str(kind).removeprefix("torch."), "batch": batch}
            report.attempt("generation", setting, lambda k=kind, b=batch: speeds(machine, k, b))

"""What learns in fine-tuning, and how fast: the paper's way, and three that came after.

The paper lets every weight learn at one rate. Lower rates below and unfreezing from the
top are ULMFiT's (Howard and Ruder 2018), though texts on GPT-1 often claim them for it.
"""

import math

from torch import nn

METHODS = {
    "full": "every weight, one learning rate (the paper)",
    "frozen": "only the linear layer: a linear probe",
    "discriminative": "each block at 1/2.6 of the rate above it (ULMFiT)",
    "gradual": "one block more at a time, from the top (ULMFiT)",
}
LOWER = 2.6  # Howard and Ruder 2018, section 3.2


def depth_of(name: str, n_blocks: int) -> int:
    """How deep a parameter lies: 0 embeddings, 1 to n_blocks, then the linear layer."""
    if name.startswith("head."):
        return n_blocks + 1
    if "blocks." in name:
        return 1 + int(name.split("blocks.")[1].split(".")[0])
    return 1 if "lstm" in name else 0


def n_blocks(classifier: nn.Module) -> int:
    """Blocks of its model; an LSTM counts as one."""
    return len(getattr(classifier.model, "blocks", [None]))


def groups_by_depth(classifier: nn.Module, groups: list[dict], method: str) -> list:
    """An optimizer's groups, split by depth; `share`: of the learning rate."""
    top = n_blocks(classifier) + 1
    depths = {p: depth_of(name, top - 1) for name, p in classifier.named_parameters()}
    split = []
    for group in groups:
        for depth in sorted({depths[p] for p in group["params"]}):
            share = LOWER ** (depth - top) if method == "discriminative" else 1.0
            params = [p for p in group["params"] if depths[p] == depth]
            split.append({**group, "params": params, "depth": depth, "share": share})
    return split


def lowest_depth(classifier: nn.Module, method: str, progress: float) -> int:
    """The lowest depth that learns after a share `progress` of all updates."""
    head = n_blocks(classifier) + 1
    if method == "frozen":
        return head
    if method == "gradual":  # the embeddings join for the last of head + 1 stages
        return head - math.floor(progress * (head + 1))
    return 0

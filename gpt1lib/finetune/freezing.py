"""What learns in fine-tuning, and how fast: the paper's way, and three that came after.

The paper lets every weight learn at one rate. Lower rates below and unfreezing from the
top are ULMFiT's (Howard and Ruder 2018), though texts on GPT-1 often claim them for it.
"""

import math

from torch import nn

from .. import optim
from ..model import LanguageModel
from .classifier import Classifier
from .config import Settings

LOWER = 2.6  # Howard and Ruder 2018, section 3.2


def head_depth(model: LanguageModel) -> int:
    """The depth of the linear layer: above the last block; an LSTM counts as one block."""
    return 1 + max(1, len(model.blocks))


def depths(classifier: Classifier) -> dict[nn.Parameter, int]:
    """The depth of each parameter: 0 embeddings, then the blocks, then the linear layer."""
    model = classifier.model
    by_depth = {p: model.depth_of(name) for name, p in model.named_parameters()}
    return by_depth | {p: head_depth(model) for p in classifier.head.parameters()}


def groups_by_depth(classifier: Classifier, settings: Settings) -> list[dict]:
    """Parameter groups, one for each depth with weight decay and one without.

    share: of the learning rate, 1 but for lower rates below.
    """
    depth_of, top = depths(classifier), head_depth(classifier.model)
    split = []
    for group in optim.decay_groups(classifier, settings.weight_decay):
        for depth in sorted({depth_of[p] for p in group["params"]}):
            share = LOWER ** (depth - top) if settings.method == "discriminative" else 1.0
            params = [p for p in group["params"] if depth_of[p] == depth]
            lr = settings.lr * share
            split.append({**group, "params": params, "depth": depth, "share": share, "lr": lr})
    return split


def lowest_depth(classifier: Classifier, method: str, progress: float) -> int:
    """The lowest depth that learns after a share `progress` of all updates."""
    head = head_depth(classifier.model)
    if method == "frozen":
        return head
    if method == "gradual":  # the embeddings join for the last of head + 1 stages
        return head - math.floor(progress * (head + 1))
    return 0


def freeze_below(classifier: Classifier, lowest: int) -> None:
    """Let only parameters of at least this depth learn."""
    for p, depth in depths(classifier).items():
        p.requires_grad_(depth >= lowest)

"""One block, poured slowly: what it does to the numbers of one token, and in which order."""

import math

import torch

from ...baselines.variants import PreLNGPT
from ...config import INIT_STD, GPTConfig
from ...model import GPT, seeded
from ...objectives import lm_loss


def by_depth(
    spread: float = INIT_STD, pre_ln: bool = False, seed: int = 0, n_embd: int = 64
) -> tuple[list[float], list[float]]:
    """How far signal and gradient carry in an untrained model of twelve blocks.

    After each block: the mean length of a state; and the length of the gradient of the
    loss with respect to all matrices of the block. The blocks' matrices are N(0, spread);
    the model reads four sequences of 32 random tokens.
    """
    config = GPTConfig(n_vocab=50, n_ctx=32, n_layer=12, n_head=4, n_embd=n_embd, dropout=0.0)
    lengths = []
    with seeded(seed):
        model = (PreLNGPT if pre_ln else GPT)(config)
        ids = torch.randint(config.n_vocab, (4, config.n_ctx))
    matrices = [[p for p in block.parameters() if p.dim() > 1] for block in model.blocks]
    for block, its in zip(model.blocks, matrices, strict=True):
        torch._foreach_mul_([p.data for p in its], spread / INIT_STD)
        block.register_forward_hook(
            lambda _, __, h: lengths.append(h.norm(dim=-1).mean().item())
        )
    lm_loss(model(ids), ids).backward()
    gradients = [math.sqrt(sum(p.grad.square().sum().item() for p in its)) for its in matrices]
    return lengths, gradients

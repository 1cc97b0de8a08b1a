"""Weights that begin with what can be known before the first update.

GPT-1 draws all its weights at random. But which tokens are near each other can be counted
in seconds, and the leading directions of these counts are word vectors (Levy and Goldberg
2014). And heads can attend to the last few tokens from the start. This saves updates, which
shows in a run of minutes. See `--count-vectors` and `--previous-token-heads`.
"""

import math
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from ..model import Block, LanguageModel
from ..rng import fork_rng

WINDOW = 3  # tokens to either side; one that is k places away counts 1 / k
MAX_VOCAB = 12_000  # tokens: some tables of n_vocab x n_vocab numbers must fit into memory


def init_from_counts(
    model: LanguageModel, ids: np.ndarray | Tensor, length: float, seed: int = 0
) -> None:
    """Replace a fresh model's token embeddings by its books' count vectors of this length."""
    n_vocab, n_embd = model.tokens.weight.shape
    stream = torch.from_numpy(np.asarray(ids).astype(np.int64))
    with torch.no_grad():
        model.tokens.weight.copy_(length * count_vectors(stream, n_vocab, n_embd, seed))


def count_vectors(ids: Tensor, n_vocab: int, n_embd: int, seed: int = 0) -> Tensor:
    """Word vectors (n_vocab, n_embd) of a token stream ids (N,), each of length 1.

    A token that never occurs has a vector at random. Raises ValueError for a vocabulary
    that is too large to be counted in pairs.
    """
    if n_vocab > MAX_VOCAB:
        raise ValueError(
            f"n_vocab is {n_vocab}; to start from counts it must be <= {MAX_VOCAB}; "
            "--count-vectors 0 draws embeddings at random"
        )
    with fork_rng(seed):
        n = min(n_vocab, n_embd)
        U, S, _ = torch.svd_lowrank(positive_pmi(ids, n_vocab), q=n, niter=2)
        turn = torch.linalg.qr(torch.randn(n_embd, n_embd)).Q[:n]  # so that no channel leads
        vectors = (U * S.sqrt()) @ turn
        vectors = vectors - vectors.mean(dim=0)
        never = torch.bincount(ids, minlength=n_vocab) == 0
        vectors[never] = torch.randn(int(never.sum()), n_embd)
    return vectors / vectors.norm(dim=1, keepdim=True).clamp(min=1e-6)


def positive_pmi(ids: Tensor, n_vocab: int) -> Tensor:
    """Positive pointwise mutual information of neighbors (n_vocab, n_vocab), symmetric.

    log of how much more often two tokens are near each other than by chance; 0 where they
    do so less often, or never.
    """
    counts = torch.zeros(n_vocab * n_vocab)
    for k in range(1, WINDOW + 1):
        pairs = ids[:-k] * n_vocab + ids[k:]
        counts.index_add_(0, pairs, torch.full((len(pairs),), 1 / k))
    counts = counts.view(n_vocab, n_vocab)
    counts += counts.T.clone()
    each = counts.sum(dim=1).clamp(min=1e-9)
    by_chance = each[:, None] * each / each.sum()
    return (counts / by_chance).clamp(min=1).log()


PEAK = 8.0  # score of the token that a head looks at; the others have 0 on average


def init_previous_token_heads(model: LanguageModel, seed: int = 0) -> None:
    """Let the heads of a fresh model's first block attend to the token 1, 2, 3 ... places back.

    Position embeddings become sines and cosines of random frequencies. The queries of a head
    turn them back by its number of places, so that they fit the key there, with the score PEAK:
    a mimetic start (Trockman and Kolter 2023). Needs learned positions and an even D.
    """
    C, D, places = model.config.n_embd, model.config.head_dim, getattr(model, "positions", None)
    if not isinstance(places, nn.Embedding) or D % 2:
        need = "it needs learned positions and an even number, or --no-previous-token-heads"
        raise ValueError(f"{type(model).__name__} with {D} channels per head: {need}")
    length = math.sqrt(PEAK * math.sqrt(D))  # of queries and keys
    with fork_rng(seed), torch.no_grad():
        sines, cosines = torch.linalg.qr(torch.randn(C, D)).Q.T.chunk(2)  # (D / 2, C)
        frequencies = math.pi * torch.rand(D // 2)
        angles = torch.arange(model.config.n_ctx)[:, None] * frequencies  # (T, D / 2)
        waves = angles.sin() @ sines + angles.cos() @ cosines  # (T, C), of length sqrt(D / 2)
        places.weight.copy_(waves / math.sqrt(D // 2))
        qkv = cast(Block, model.blocks[0]).attention.qkv.weight  # (3C, C)
        W = qkv.view(3, -1, D, C)  # of q, k and v, by head
        W[1] = length * torch.cat([sines, cosines])
        for head in range(C // D):
            c, s = (f((head + 1) * frequencies)[:, None] for f in (torch.cos, torch.sin))
            W[0, head] = length * torch.cat([c * sines - s * cosines, s * sines + c * cosines])

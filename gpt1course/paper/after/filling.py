"""One word of a text is covered: what a causal and a masked model say of it, and why."""

import math
from collections.abc import Sequence
from typing import cast

import numpy as np
import torch
from torch import Tensor
from tqdm import tqdm

from gpt1lib import losses
from gpt1lib.bpe import BPE
from gpt1lib.model import GPT, Block, causal_mask
from gpt1lib.rng import eval_mode

from ..run import run_missing
from ..trials import Trial
from .masked import MaskedGPT
from .short_run import heldout_tokens
from .twins import load_twins

N_GUESSES = 5  # per covered token


@torch.no_grad()
def guesses_before(model: GPT, ids: Tensor) -> Tensor:
    """log P of every token given those before it, for the places of ids (B, T): (B, T-1, V)."""
    with eval_mode(model):
        return model(ids)[:, :-1].log_softmax(dim=-1)


@torch.no_grad()
def guesses_around(model: MaskedGPT, ids: Tensor, place: int) -> Tensor:
    """log P of every token at one place, covered by [MASK], given all others: (B, V)."""
    read = ids.clone()
    read[:, place] = model.mask_id
    with eval_mode(model):
        h = model.hidden(read)[:, place]  # (B, C)
        return model.logits(h).log_softmax(dim=-1)


@torch.no_grad()
def looks(model: GPT, ids: Tensor) -> Tensor:
    """Who looks at whom, the mean over blocks and heads: ids (B, T) -> (B, T, T)."""
    both_ways, probs = isinstance(model, MaskedGPT), []
    with eval_mode(model):
        h = model.embed(ids)
        for block in cast(list[Block], model.blocks):
            q, k, _ = block.attention.split_heads(h)  # (B, H, T, D)
            scores = q @ k.mT / math.sqrt(q.shape[-1])
            if not both_ways:
                scores = scores.masked_fill(~causal_mask(ids.shape[1]), -math.inf)
            probs.append(scores.softmax(dim=-1).mean(dim=1))
            h = block(h)
    return torch.stack(probs).mean(dim=0)


def covered(model: GPT, ids: Tensor) -> tuple[Tensor, Tensor]:
    """Each token of ids (T,) covered in turn: log P there (T, V), and where it looked (T, T).

    GPT has nothing to say of the first token: its row of log P is nan, its looks are 0.
    """
    T = len(ids)
    if isinstance(model, MaskedGPT):
        each = ids.repeat(T, 1)
        read = each.masked_fill(torch.eye(T, dtype=torch.bool), model.mask_id)
        log_p = torch.stack([guesses_around(model, ids[None], p)[0] for p in range(T)])
        return log_p, looks(model, read)[torch.arange(T), torch.arange(T)]
    before = guesses_before(model, ids[None])[0]  # (T-1, V)
    nothing = before.new_full((1, before.shape[1]), math.nan)
    rows = torch.cat([torch.zeros(1, T), looks(model, ids[None])[0, :-1]])
    return torch.cat([nothing, before]), rows


def best_guesses(log_p: Tensor, ids: Sequence[int], bpe: BPE) -> list[dict | None]:
    """Of each covered place: the true token's share and rank, and the likeliest tokens.

    log_p (T, V); a place that is nan (GPT's first) has None.
    """
    guesses: list[dict | None] = []
    for row, true in zip(log_p, ids, strict=True):
        if bool(row.isnan().any()):
            guesses.append(None)
            continue
        top = row.topk(N_GUESSES)
        words = bpe.pieces(top.indices.tolist())
        shares = [round(p, 5) for p in top.values.exp().tolist()]
        rank = int((row > row[true]).sum()) + 1
        guesses.append({"p": float(row[true].exp()), "rank": rank, "top": [words, shares]})
    return guesses


def covered_texts(gpt: GPT, bert: MaskedGPT, bpe: BPE, texts: Sequence[str]) -> list[dict]:
    """Of each text its tokens, and what both models look at and guess: MaskedExplorer."""
    return [covered_text(gpt, bert, bpe, text) for text in texts]


def covered_text(gpt: GPT, bert: MaskedGPT, bpe: BPE, text: str) -> dict:
    """One text, each token covered in turn."""
    ids = [i for i in bpe.encode(text) if i < bert.mask_id]
    record: dict = {"tokens": bpe.pieces(ids)}
    for name, model in {"GPT": gpt, "BERT": bert}.items():
        log_p, attention = covered(model, torch.tensor(ids))
        rounded = np.round(attention.numpy().astype(float), 3).tolist()
        record[name] = {"looks": rounded, "guesses": best_guesses(log_p, ids, bpe)}
    return record


def by_whole_sentences(model: GPT, ids: Tensor, place: int, n_tokens: int) -> Tensor:
    """log P of each token at one place of ids (T,), from every whole sentence: (n_tokens,).

    Bayes' rule: P(token | the rest) is P(the whole) over the sum for all tokens. It takes one
    pass per token of the vocabulary, where a masked model takes one.
    """
    each = ids.repeat(n_tokens, 1)
    each[:, place] = torch.arange(n_tokens)
    totals = []
    with torch.no_grad(), eval_mode(model):
        for part in each.split(256):
            totals.append(losses.token_log_probs(model(part), part)[:, place - 1 :].sum(1))
    return torch.cat(totals).log_softmax(dim=0)


def run_gaps(provenance: dict) -> None:
    """The middle token of 150 held-out passages, predicted in three ways."""
    run_missing([Trial.of("gaps", passages=150, length=16)], measure_gaps, provenance)


def measure_gaps(trial: Trial) -> dict:
    """-log P of the middle token of held-out passages, by each of three ways."""
    gpt, bert, bpe = load_twins()
    heldout, _ = heldout_tokens(bpe)
    n, length = trial["passages"], trial["length"]
    nats: dict[str, list[float]] = {"GPT, left only": [], "GPT, whole": [], "BERT": []}
    for start in tqdm(torch.linspace(0, len(heldout) - length, n).long().tolist(), "gaps"):
        ids, place = heldout[start : start + length], length // 2
        ways = (
            guesses_before(gpt, ids[None])[0, place - 1],
            by_whole_sentences(gpt, ids, place, bpe.n_vocab),
            guesses_around(bert, ids[None], place)[0],
        )
        for values, log_p in zip(nats.values(), ways, strict=True):
            values.append(round(-float(log_p[ids[place]]), 4))
    return {"nats": nats}

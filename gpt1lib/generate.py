"""From probabilities to text: greedy, temperature, top-k, top-p, beam search.

GPT-1's paper reports no generated text and its vocabulary has no token that ends one:
these are the field's usual methods, on GPT-1's probabilities. `stream` and `generate`
read each token once, with a key-value cache; `beam_search`, whose texts swap places at
each step, reads them again.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from . import validate
from .config import GPTConfig
from .fast.session import FastSession, can_decode_fast
from .model import GPT, KVCache, LanguageModel, check_ids
from .rng import eval_mode

MIN_FLOAT, MAX_FLOAT = 1e-30, 1e18
"""What float32 can still compute with: below, a temperature would be 0, and all nan."""
MAX_TOKENS, MAX_BEAMS = 1_000_000, 1000


def check_decoding(
    temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> None:
    """Raise ValueError unless temperature >= 0 is finite, top_k >= 1 and 0 < top_p <= 1.

    Temperature 0 means greedy; None turns top_k or top_p off.
    """
    temperature = validate.check_float("temperature", temperature, " (0 means greedy)", ge=0)
    if temperature and not MIN_FLOAT <= temperature <= MAX_FLOAT:
        raise ValueError(
            f"temperature is {temperature!r}, it must be 0 or {MIN_FLOAT} to {MAX_FLOAT}"
        )
    if top_k is not None:
        validate.check_int("top_k", top_k, 1, note=", or None")
    if top_p is not None:
        validate.check_float("top_p", top_p, ge=MIN_FLOAT, le=1, what="in (0, 1], or None")


def check_logits(logits: Tensor) -> None:
    """Raise ValueError where logits are nan, and no token could be chosen by them."""
    if bool(logits.isnan().any()):
        raise ValueError("the logits contain nan: the model's weights are damaged or diverged")


def keep_top_k(probs: Tensor, top_k: int) -> Tensor:
    """Which tokens are among the k likeliest: (..., V) booleans; ties: lower id first.

    Exactly min(k, V) tokens are kept.
    """
    top_k = validate.check_int("top_k", top_k, 1)
    order = probs.argsort(dim=-1, descending=True, stable=True)  # (..., V)
    ranks = order.argsort(dim=-1)  # rank of each token
    return ranks < min(top_k, probs.shape[-1])


def keep_top_p(probs: Tensor, top_p: float) -> Tensor:
    """The smallest set of likeliest tokens whose mass reaches p: (..., V) booleans.

    A token stays while the mass before it is below p, so the one that crosses p stays
    too, and one token always remains. Lower id first in ties. p = 1 keeps all tokens.
    """
    check_decoding(top_p=top_p)
    order = probs.argsort(dim=-1, descending=True, stable=True)  # (..., V)
    ranked = probs.gather(-1, order)
    before = ranked.cumsum(dim=-1) - ranked  # mass of the likelier tokens
    kept = before < top_p
    if top_p == 1:
        kept = torch.ones_like(kept)  # rounding must not cut the tail
    return torch.zeros_like(kept).scatter(-1, order, kept)


def next_token_probs(
    logits: Tensor,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> Tensor:
    """Probabilities (..., V) to draw the next token from: temperature, top-k, top-p.

    In this order; what a filter keeps is renormalized before the next. Temperature 0
    puts all on the first of the largest logits.
    """
    check_decoding(temperature, top_k, top_p)
    if temperature == 0:
        best = logits.argmax(dim=-1, keepdim=True)  # (..., 1)
        return torch.zeros_like(logits).scatter(-1, best, 1.0)
    shifted = logits - logits.amax(dim=-1, keepdim=True)  # (..., V), so that exp is finite
    probs = (shifted / temperature).softmax(dim=-1)  # (..., V)
    if top_k is not None:
        probs = renormalize(probs * keep_top_k(probs, top_k))
    if top_p is not None:
        probs = renormalize(probs * keep_top_p(probs, top_p))
    return probs


def renormalize(probs: Tensor) -> Tensor:
    """Divide by the sum, so that what is left is a distribution again.

    Raises ValueError where nothing is left.
    """
    total = probs.sum(dim=-1, keepdim=True)
    if bool((total == 0).any()):
        raise ValueError("probs sum to 0, no distribution can be made of them")
    return probs / total


def double(x: Tensor) -> Tensor:
    """x in 64 bits, on the CPU where its device has none, as Apple's GPU."""
    return (x.cpu() if x.device.type == "mps" else x).double()


def draw(probs: Tensor, generator: torch.Generator | None = None) -> Tensor:
    """One token id for each distribution: (B, V) -> (B, 1), by inverting the sum.

    Raises ValueError unless each row has some mass, none of it negative.
    """
    if probs.dim() != 2 or not probs.numel():
        raise ValueError(f"probs have shape {tuple(probs.shape)}, they need (B, V)")
    mass = double(probs).cumsum(dim=-1)  # (B, V)
    total = mass[:, -1:]  # (B, 1)
    if probs.device.type == "cpu":  # a GPU would have to stop and answer
        if bool((probs < 0).any()) or not bool(((total > 0) & total.isfinite()).all()):
            raise ValueError("probs must be >= 0, and each row must sum to more than 0")
    u = torch.rand(probs.shape[0], 1, generator=generator, dtype=torch.float64)
    u = u.to(mass.device)  # drawn on the CPU: one seed gives one text on any device
    picked = torch.searchsorted(mass, u * total, right=True).to(probs.device)
    last = probs.shape[-1] - 1 - (probs > 0).flip(-1).int().argmax(dim=-1, keepdim=True)
    return torch.minimum(picked, last)  # rounding must not pick a token of mass 0


class DecodingSession:
    """Feeds a text to a model token by token, with a key-value cache. Works on any device.

    Raises ValueError for a model that keeps no keys and values.
    """

    def __init__(self, model: LanguageModel):
        if not model.has_cache:
            name = type(model).__name__
            raise ValueError(f"{name} has no key-value cache, and decoding needs one")
        self.model, self.cache = model, KVCache(model.config.n_layer)

    def step(self, ids: Tensor) -> Tensor:
        """Logits (B, V) after the last of ids (B, T), which follow what was read."""
        return self.model.logits(self.model.hidden(ids, self.cache)[:, -1])


def session_for(model: LanguageModel, n_texts: int) -> DecodingSession | FastSession:
    """The fast session for one text on a CPU where it computes the same, else the plain one."""
    if isinstance(model, GPT) and can_decode_fast(model, n_texts):
        return FastSession(model)
    return DecodingSession(model)


def one_text(ids: Tensor, config: GPTConfig, start: int = 0) -> Tensor:
    """ids (T,) or (1, T) as (1, T), checked by `check_ids`."""
    batch = ids[None] if isinstance(ids, Tensor) and ids.dim() == 1 else ids
    check_ids(batch, config, start, on_gpu=True)
    if len(batch) != 1:
        raise ValueError(f"ids have {len(batch)} rows, they must be one text: (T,) or (1, T)")
    return batch


def stream(
    model: LanguageModel,
    ids: Tensor,
    n_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    generator: torch.Generator | None = None,
) -> Iterator[Tensor]:
    """Yield n_tokens new columns (B, 1) of ids, one after the other.

    Each token is read once, through a key-value cache; a single text on a CPU by the
    session in fast/, which computes the same. When the context is full, the window slides:
    its first half is dropped and its second half is read again from position 0, since
    learned positions do not shift along. ids (B, T), T <= n_ctx. Errors come first.
    """
    check_decoding(temperature, top_k, top_p)
    n_tokens = validate.check_int("n_tokens", n_tokens, 0, MAX_TOKENS)
    check_ids(ids, model.config, on_gpu=True)
    n_ctx = model.config.n_ctx

    session_for(model, len(ids))  # raises for a model without a cache

    @torch.inference_mode()
    def columns() -> Iterator[Tensor]:
        window = fresh = ids
        session = session_for(model, len(ids))  # only now: hooks may have been added
        for _ in range(n_tokens):
            if window.shape[1] > n_ctx:
                session = session_for(model, len(ids))
                window = fresh = window[:, -max(1, n_ctx // 2) :]
            with eval_mode(model):
                logits = session.step(fresh)  # (B, V)
            check_logits(logits)
            if temperature == 0:
                fresh = logits.argmax(dim=-1, keepdim=True)  # (B, 1)
            else:
                probs = next_token_probs(logits, temperature, top_k, top_p)
                fresh = draw(probs, generator)  # (B, 1)
            window = torch.cat([window, fresh], dim=1)
            yield fresh

    return columns()


def generate(model: LanguageModel, ids: Tensor, n_tokens: int, **options) -> Tensor:
    """ids (B, T) with n_tokens more columns; options as in `stream`."""
    return torch.cat([ids, *stream(model, ids, n_tokens, **options)], dim=1)


def greedy(model: LanguageModel, ids: Tensor, n_tokens: int) -> Tensor:
    """The likeliest token at each step, n_tokens times."""
    return generate(model, ids, n_tokens, temperature=0.0)


@dataclass
class Beam:
    """One continuation found by beam search."""

    ids: Tensor  # (T + n_tokens,)
    log_prob: float  # of the new tokens, in nats


@torch.inference_mode()
def beam_search(model: LanguageModel, ids: Tensor, n_tokens: int, n_beams: int) -> list[Beam]:
    """The n_beams likeliest continuations that survive, best first. ids (1, T) or (T,).

    At each step every beam is extended by every token, and the n_beams best sums of
    log-probabilities stay. All continuations have the same length, so no length
    penalty is needed. The text must fit into the context.
    """
    n_beams = validate.check_int("n_beams", n_beams, 1, MAX_BEAMS)
    n_tokens = validate.check_int("n_tokens", n_tokens, 0, MAX_TOKENS)
    ids = one_text(ids, model.config, start=max(0, n_tokens - 1))
    sums = double(torch.zeros(1, device=ids.device))  # (beams,)
    with eval_mode(model):
        for _ in range(n_tokens):
            logits = model.logits(model.hidden(ids)[:, -1])  # (beams, V)
            check_logits(logits)
            log_probs = double(logits).log_softmax(dim=-1)  # (beams, V)
            total = (sums[:, None] + log_probs).flatten()
            sums, best = total.topk(min(n_beams, total.numel()))
            parent, token = best // log_probs.shape[1], best % log_probs.shape[1]
            ids = torch.cat([ids[parent], token[:, None].to(ids.device)], dim=1)
    return [Beam(i, s) for i, s in zip(ids, sums.tolist(), strict=True)]


@torch.inference_mode()
def log_prob(model: LanguageModel, ids: Tensor, start: int = 1) -> float:
    """Sum of log P(u_i | u_<i) in nats over the tokens from `start` on; ids (T,) or (1, T).

    Raises ValueError unless start is in 1 to T - 1: the first token is predicted by nothing.
    """
    ids = one_text(ids, model.config, start=-1)[0]  # the last one is only predicted
    if len(ids) < 2:
        raise ValueError("a text of 1 token has nothing to predict, it needs 2")
    start = validate.check_int("start", start, 1, len(ids) - 1)
    with eval_mode(model):
        h = model.hidden(ids[None, :-1])[0, start - 1 :]  # (T - start, C), which predict them
        log_probs = double(model.logits(h)).log_softmax(dim=-1)  # (T - start, V)
    return float(log_probs.gather(-1, ids[start:, None].to(log_probs.device)).sum())

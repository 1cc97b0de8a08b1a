"""How well a language model predicts a text: nats per token, bits per character."""

from collections.abc import Callable

import torch
from torch import Tensor

from . import corpus, losses, validate
from .bpe import BPE
from .model import LanguageModel
from .rng import eval_mode


@torch.no_grad()
def mean_nats(
    loss: Callable[[Tensor], Tensor], ids: Tensor, n_ctx: int, n_windows: int | None = None
) -> float:
    """Mean loss in nats per token over a text in order, or over n_windows of it, evenly spaced.

    loss: from ids (1, T) to the mean loss of their T - 1 targets.
    """
    windows = corpus.windows_in_order(ids, n_ctx)
    if n_windows is not None and validate.check_int("n_windows", n_windows, 1) < len(windows):
        pick = torch.linspace(0, len(windows) - 2, n_windows).long()
        windows = [windows[i] for i in pick]
    total, n = 0.0, 0
    for window in windows:
        total += float(loss(window[None])) * (len(window) - 1)
        n += len(window) - 1
    return total / n


def heldout_nats(model: LanguageModel, ids: Tensor, n_windows: int | None = None) -> float:
    """Mean loss in nats per token of a language model on a text, ids (N,)."""

    def loss(window: Tensor) -> Tensor:
        window = window.to(next(model.parameters()).device)
        return losses.lm_loss(model(window), window)

    with eval_mode(model):
        return mean_nats(loss, ids, model.config.n_ctx, n_windows)


def score_books(model: LanguageModel, bpe: BPE, books: dict[str, str]) -> dict[str, dict]:
    """Perplexity and bits per character of each text, in windows in order."""
    scores = {}
    for name, text in books.items():
        ids = torch.tensor(bpe.encode(text))
        scores[name] = book_score(heldout_nats(model, ids), len(ids), len(text))
    return scores


def book_score(nats: float, n_tokens: int, n_characters: int) -> dict:
    """One text's scores, from its nats per token; the first token is not a target."""
    n_tokens = validate.check_int("n_tokens", n_tokens, 2)
    bits = losses.bits_per_character(nats * (n_tokens - 1), n_characters)
    return {
        "tokens": n_tokens,
        "characters": n_characters,
        "nats_per_token": nats,
        "perplexity": losses.perplexity(nats),
        "bits_per_character": bits,
    }


def all_books(scores: dict[str, dict]) -> dict[str, float]:
    """Scores of `score_books` for all texts together: each counts by its length.

    Raises ValueError where there are none.
    """
    if not scores:
        raise ValueError("there are no scores of books to sum up")
    nats = sum(s["nats_per_token"] * (s["tokens"] - 1) for s in scores.values())
    tokens = sum(s["tokens"] - 1 for s in scores.values())
    characters = sum(s["characters"] for s in scores.values())
    return {
        "perplexity": losses.perplexity(nats / tokens),
        "bits_per_character": losses.bits_per_character(nats, characters),
    }

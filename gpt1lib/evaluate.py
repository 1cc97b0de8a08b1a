"""How well a language model predicts a text: nats per token, bits per character."""

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

from . import corpus, losses, validate
from .bpe import BPE
from .model import LanguageModel
from .rng import eval_mode


@torch.no_grad()
def nats_of_windows(
    loss: Callable[[Tensor], Tensor], ids: Tensor, n_ctx: int, n_windows: int | None = None
) -> list[Tensor]:
    """The loss in nats of every target, one tensor per window.

    With n_windows, only that many windows, evenly spaced. loss: from ids (1, T) to the losses
    (1, T - 1) of their targets.
    """
    windows = corpus.windows_in_order(ids, n_ctx)
    if n_windows is not None and validate.check_int("n_windows", n_windows, 1) < len(windows):
        pick = torch.linspace(0, len(windows) - 2, n_windows).long()
        windows = [windows[i] for i in pick]
    return [loss(window[None])[0].cpu() for window in windows]  # (T - 1,) each


def nats_by_position(nats: Sequence[Tensor], first: int = 8) -> dict[str, float]:
    """Mean loss of the targets at positions 1 to first - 1, first to 2 first - 1, and so on.

    nats: for each window the losses of its targets. A window's token at position 0 is not one
    of them, and the token at position i is predicted from i tokens.
    """
    means, begin, end = {}, 1, validate.check_int("first", first, 2)
    while begin <= (last := max(map(len, nats))):
        here = torch.cat([window[begin - 1 : end - 1] for window in nats])
        means[f"{begin} to {min(end - 1, last)}"] = here.mean().item()
        begin, end = end, 2 * end
    return means


def heldout_nats(model: LanguageModel, ids: Tensor, n_windows: int | None = None) -> float:
    """Mean loss in nats per token of a language model on a text, ids (N,)."""

    def loss(window: Tensor) -> Tensor:
        window = window.to(model.device)
        return -losses.token_log_probs(model(window), window)

    with eval_mode(model):
        nats = nats_of_windows(loss, ids, model.config.n_ctx, n_windows)
    return torch.cat(nats).cpu().double().mean().item()


def score_books(model: LanguageModel, bpe: BPE, books: dict[str, str]) -> dict[str, dict]:
    """Perplexity and bits per character of each text, in windows in order.

    Raises ValueError that names a book of fewer than 2 tokens.
    """
    scores = {}
    for name, text in books.items():
        ids = torch.tensor(bpe.encode(text))
        if len(ids) < 2:
            raise ValueError(f"the book {name!r} has {len(ids)} tokens, it needs at least 2")
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

"""Mean log P of what could follow, for any model that maps ids to logits."""

from collections.abc import Sequence
from itertools import groupby

import torch
import torch.nn.functional as F
from torch import Tensor

from gpt1lib import validate
from gpt1lib.finetune import pad
from gpt1lib.model import KVCache, LanguageModel

Question = tuple[list[int], list[list[int]]]
"""What is given, and the answers that could follow, as ids."""


@torch.no_grad()
def continuation_scores(
    model: LanguageModel, pairs: Sequence[tuple[list[int], list[int]]], batch: int = 32
) -> list[float]:
    """Mean log P of each token of `rest` given all before it; pairs: (given, rest).

    Where nothing is given, the first token of `rest` has nothing to be predicted from
    and is not counted. What is longer than the context loses its beginning.
    """
    n_ctx, out = model.config.n_ctx, [0.0] * len(pairs)
    for n, (given, rest) in enumerate(pairs, start=1):
        if not rest or len(given) + len(rest) < 2:
            raise ValueError(f"text {n} has no token that could be predicted")
    texts = [[*given, *rest][-n_ctx:] for given, rest in pairs]
    for part in by_length(texts, batch):
        ids = pad([texts[i] for i in part])[0].to(model.device)
        h = model.hidden(ids)  # (B, T, C)
        for row, i in enumerate(part):
            end = len(texts[i])
            first = max(1, end - len(pairs[i][1]))  # of the tokens that are scored
            logits = model.logits(h[row, first - 1 : end - 1])  # of those alone: faster
            out[i] = -F.cross_entropy(logits, ids[row, first:end]).item()
    return out


def answer_scores(
    model: LanguageModel, questions: Sequence[Question], batch: int = 16
) -> list[list[float]]:
    """Mean log P of the tokens of each answer to each question, as `continuation_scores`.

    Where the model has a cache, what a question gives is read once for all its answers, in
    half the time.
    """
    batch, by_question = validate.check_int("batch", batch, 1), {}
    apart = [i for i, question in enumerate(questions) if not _shares(model, *question)]
    pairs = [(questions[i][0], answer) for i in apart for answer in questions[i][1]]
    scores = iter(continuation_scores(model, pairs))
    for i in apart:
        by_question[i] = [next(scores) for _ in questions[i][1]]

    def sizes(i: int) -> tuple[int, int]:
        return len(questions[i][0]), len(questions[i][1])

    shared = sorted(set(range(len(questions))) - set(apart), key=sizes)
    for _, alike in groupby(shared, key=sizes):
        group = list(alike)
        for part in (group[start : start + batch] for start in range(0, len(group), batch)):
            together = _shared_scores(model, [questions[i] for i in part])
            by_question.update(zip(part, together, strict=True))
    return [by_question[i] for i in range(len(questions))]


def _shares(model: LanguageModel, given: list[int], answers: list[list[int]]) -> bool:
    """Whether the answers can go on from a cache of what is given."""
    fits = len(given) + max(map(len, answers), default=0) <= model.config.n_ctx
    return model.has_cache and bool(given) and all(answers) and fits


@torch.no_grad()
def _shared_scores(model: LanguageModel, questions: list[Question]) -> list[list[float]]:
    """Scores of questions that give as many tokens, and have as many answers, as each other."""
    cache, n = KVCache(model.config.n_layer), len(questions[0][1])
    given = torch.tensor([given for given, _ in questions]).to(model.device)
    before = model.hidden(given, cache)[:, -1:].repeat_interleave(n, dim=0)  # (B n, 1, C)
    cache.keys = [k.repeat_interleave(n, dim=0) for k in cache.keys if k is not None]
    cache.values = [v.repeat_interleave(n, dim=0) for v in cache.values if v is not None]
    answers = [answer for _, several in questions for answer in several]
    ids, mask = (x.to(model.device) for x in pad(answers))  # (B n, T)
    h = torch.cat([before, model.hidden(ids, cache)[:, :-1]], dim=1)  # each predicts its id
    loss = F.cross_entropy(model.logits(h[mask > 0]), ids[mask > 0], reduction="none")
    means = [-tokens.mean().item() for tokens in loss.split([len(a) for a in answers])]
    return [means[i : i + n] for i in range(0, len(means), n)]


@torch.no_grad()
def next_logits(model: LanguageModel, texts: Sequence[list[int]], batch: int = 32) -> Tensor:
    """Scores of what comes after each text: (N, V)."""
    texts = [text[-model.config.n_ctx :] for text in texts]
    out = torch.empty(len(texts), model.config.n_vocab)
    for part in by_length(texts, batch):
        ids, mask = (x.to(model.device) for x in pad([texts[i] for i in part]))
        last = mask.sum(dim=1).long() - 1
        out[part] = model.logits(model.hidden(ids)[torch.arange(len(ids)), last]).cpu()
    return out


def by_length(texts: Sequence[list[int]], batch: int) -> list[list[int]]:
    """Which texts to read at once: `batch` of about one length, so little is padded."""
    batch = validate.check_int("batch", batch, 1)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    return [order[start : start + batch] for start in range(0, len(order), batch)]

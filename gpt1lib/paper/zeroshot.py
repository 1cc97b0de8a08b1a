"""What pre-training alone knows: tasks without any training on them (section 5).

The paper turns four tasks into questions to the bare language model, each answered by
comparing probabilities; nothing is learned from labels. A fifth, the missing word, is
ours. Figure 2 (right) follows the scores along pre-training. Works for any model that maps
ids to logits.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby

import torch
import torch.nn.functional as F
from torch import Tensor

from .. import inputs, limits, metrics, tasks
from ..bpe import BPE
from ..model import KVCache, LanguageModel
from ..storage.paths import TASKS
from ..tasks import course_sets

Question = tuple[list[int], list[list[int]]]
"""What is given, and the answers that could follow, as ids."""
SENTIMENT_WORDS = ("bad", "good")  # the paper: negative, positive; ours rarely say those


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
    for part in _by_length(texts, batch):
        ids, _ = inputs.pad([texts[i] for i in part])
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
    batch, found = limits.whole("batch", batch, 1), {}
    apart = [i for i, question in enumerate(questions) if not _shares(model, *question)]
    pairs = [(questions[i][0], answer) for i in apart for answer in questions[i][1]]
    scores = iter(continuation_scores(model, pairs))
    for i in apart:
        found[i] = [next(scores) for _ in questions[i][1]]

    def sizes(i: int) -> tuple[int, int]:
        return len(questions[i][0]), len(questions[i][1])

    shared = sorted(set(range(len(questions))) - set(apart), key=sizes)
    for _, alike in groupby(shared, key=sizes):
        group = list(alike)
        for part in (group[start : start + batch] for start in range(0, len(group), batch)):
            together = _shared_scores(model, [questions[i] for i in part])
            found.update(zip(part, together, strict=True))
    return [found[i] for i in range(len(questions))]


def _shares(model: LanguageModel, given: list[int], answers: list[list[int]]) -> bool:
    """Whether the answers can go on from a cache of what is given."""
    fits = len(given) + max(map(len, answers), default=0) <= model.config.n_ctx
    return model.has_cache and bool(given) and all(answers) and fits


@torch.no_grad()
def _shared_scores(model: LanguageModel, questions: list[Question]) -> list[list[float]]:
    """Scores of questions that give as many tokens, and have as many answers, as each other."""
    cache, n = KVCache(model.config.n_layer), len(questions[0][1])
    given = torch.tensor([given for given, _ in questions])
    before = model.hidden(given, cache)[:, -1:].repeat_interleave(n, dim=0)  # (B n, 1, C)
    cache.keys = [k.repeat_interleave(n, dim=0) for k in cache.keys if k is not None]
    cache.values = [v.repeat_interleave(n, dim=0) for v in cache.values if v is not None]
    answers = [answer for _, several in questions for answer in several]
    ids, real = inputs.pad(answers)  # (B n, T)
    h = torch.cat([before, model.hidden(ids, cache)[:, :-1]], dim=1)  # each predicts its id
    loss = F.cross_entropy(model.logits(h[real > 0]), ids[real > 0], reduction="none")
    means = [-tokens.mean().item() for tokens in loss.split([len(a) for a in answers])]
    return [means[i : i + n] for i in range(0, len(means), n)]


@torch.no_grad()
def next_logits(model: LanguageModel, texts: Sequence[list[int]], batch: int = 32) -> Tensor:
    """Scores of what comes after each text: (N, V)."""
    texts = [text[-model.config.n_ctx :] for text in texts]
    out = torch.empty(len(texts), model.config.n_vocab)
    for part in _by_length(texts, batch):
        ids, real = inputs.pad([texts[i] for i in part])
        last = real.sum(dim=1).long() - 1
        out[part] = model.logits(model.hidden(ids)[torch.arange(len(ids)), last])
    return out


def _by_length(texts: Sequence[list[int]], batch: int) -> list[list[int]]:
    """Which texts to read at once: `batch` of about one length, so little is padded."""
    batch = limits.whole("batch", batch, 1)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    return [order[start : start + batch] for start in range(0, len(order), batch)]


# ---- the heuristics ---------------------------------------------------------


def sentence_scores(model: LanguageModel, bpe: BPE, texts: Sequence[str]) -> list[float]:
    """CoLA: the mean log-probability of a sentence's tokens; a threshold decides."""
    return continuation_scores(model, [([], bpe.encode(t)) for t in texts])


def likelier_word(
    model: LanguageModel, bpe: BPE, texts: Sequence[str], words: tuple[str, str], cue: str = ""
) -> list[int]:
    """Which of two words is the likelier next one after each text and the cue? 0 or 1.

    Raises ValueError for a word that is not one token.
    """
    sides = [bpe.encode(w) for w in words]
    for word, ids in zip(words, sides, strict=True):
        if len(ids) != 1:
            raise ValueError(f"{word!r} is {len(ids)} tokens, it must be 1")
    n_ctx, end = model.config.n_ctx, bpe.encode(cue)
    prompts = [bpe.encode(t)[: n_ctx - len(end)] + end for t in texts]
    scores = next_logits(model, prompts)[:, [ids[0] for ids in sides]]
    return scores.argmax(dim=1).tolist()


def sentiment(model: LanguageModel, bpe: BPE, texts: Sequence[str]) -> list[int]:
    """SST-2: append `very`; which of SENTIMENT_WORDS is the likelier next one? 0 or 1."""
    return likelier_word(model, bpe, texts, SENTIMENT_WORDS, cue="very")


def choices(
    model: LanguageModel, bpe: BPE, examples: Sequence[tuple[str, Sequence[str]]]
) -> list[int]:
    """RACE: the answer with the highest mean log-probability, given what is before."""
    questions = [(bpe.encode(given), [bpe.encode(o) for o in more]) for given, more in examples]
    return [scores.index(max(scores)) for scores in answer_scores(model, questions)]


def referents(
    model: LanguageModel, bpe: BPE, examples: Sequence[tuple[str, Sequence[str]]]
) -> list[int]:
    """Winograd: each candidate in the place of _; which makes the rest likelier?

    Raises ValueError for a text that has not exactly one _.
    """
    pairs = []
    for text, options in examples:
        if text.count("_") != 1:
            raise ValueError(f"{text!r} has {text.count('_')} places marked _, not 1")
        before, after = text.split("_")
        rest = bpe.encode(after)
        pairs += [(bpe.encode(before + option), rest) for option in options]
    return _best(continuation_scores(model, pairs), [len(o) for _, o in examples])


def _best(scores: list[float], sizes: list[int]) -> list[int]:
    """Where the highest score of each group is."""
    out, start = [], 0
    for size in sizes:
        group = scores[start : start + size]
        out.append(group.index(max(group)))
        start += size
    return out


# ---- the tests -------------------------------------------------------------------


@dataclass(frozen=True)
class Probe:
    """One zero-shot test: its name, the labels, how a model guesses, and among how many."""

    name: str
    labels: list[int]
    guess: Callable[[LanguageModel, BPE], list[int]]
    choices: int = 2  # answers to each question

    def score(self, model: LanguageModel, bpe: BPE) -> dict:
        """Accuracy with its interval, and each guess as a digit, to compare in pairs."""
        guesses = self.guess(model, bpe)
        written = "".join(map(str, guesses))
        return {**metrics.accuracy(guesses, self.labels), "guesses": written}


def above_median(scores: list[float]) -> list[int]:
    """1 for the upper half: a threshold that needs no label where classes are even."""
    if not scores or any(math.isnan(x) for x in scores):
        raise ValueError(f"scores are {scores}, they must be numbers, at least 1")
    middle = sorted(scores)[len(scores) // 2]
    return [int(x >= middle) for x in scores]


def probes() -> list[Probe]:
    """The missing word and the paper's four, on the course's sets; always their test splits."""
    gaps, cloze = course_sets.missing_word().test, course_sets.story_cloze().test
    cola, film = course_sets.acceptability().test, course_sets.film_snippets().test
    schemas = tasks.read_lines(TASKS / "schemas.jsonl", ("text", "choices", "label"))
    sentences = [e.texts[0] for e in cola]
    snippets = [e.texts[0] for e in film]
    stories, cut = ([(e.texts[0], e.texts[1:]) for e in part] for part in (cloze, gaps))
    places = [(r["text"], r["choices"]) for r in schemas]
    return [
        Probe("missing word", _labels(gaps), lambda m, b: choices(m, b, cut), choices=5),
        Probe(
            "acceptability",
            _labels(cola),
            lambda m, b: above_median(sentence_scores(m, b, sentences)),
        ),
        Probe("sentiment", _labels(film), lambda m, b: sentiment(m, b, snippets)),
        Probe("story cloze", _labels(cloze), lambda m, b: choices(m, b, stories)),
        Probe("schemas", [r["label"] for r in schemas], lambda m, b: referents(m, b, places)),
    ]


def _labels(examples: Sequence[tasks.Example]) -> list[int]:
    """The classes of examples; none of these sets has grades."""
    return [int(e.label) for e in examples]


def relative(accuracy: float, chance: float, best: float) -> float:
    """The paper's scale: 0 for guessing, 1 for the best model."""
    if not -math.inf < chance < best < math.inf:
        raise ValueError(f"the best score {best} is not above chance, {chance}")
    return (accuracy - chance) / (best - chance)

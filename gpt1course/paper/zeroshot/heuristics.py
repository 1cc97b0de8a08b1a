"""Tasks as questions to the bare language model, answered by comparing probabilities.

Four are the paper's (section 5), named there; those of two texts are ours.
"""

import math
import re
from collections.abc import Sequence

import torch
from torch import Tensor

from gpt1lib.bpe import BPE
from gpt1lib.model import LanguageModel

from .scores import answer_scores, continuation_scores, next_logits

SENTIMENT_WORDS = ("bad", "good")  # the paper: negative, positive; ours rarely say those
TURNED = {
    "he": ["she"], "him": ["her"], "his": ["her", "hers"], "himself": ["herself"],
    "she": ["he"], "her": ["his", "him"], "hers": ["his"], "herself": ["himself"],
}  # fmt: skip


def sentence_scores(model: LanguageModel, bpe: BPE, texts: Sequence[str]) -> list[float]:
    """CoLA: the mean log-probability of a sentence's tokens; a threshold decides."""
    return continuation_scores(model, [([], bpe.encode(t)) for t in texts])


def above_median(scores: list[float]) -> list[int]:
    """1 for the upper half: a threshold that needs no label where classes are even."""
    if not scores or any(math.isnan(x) for x in scores):
        raise ValueError(f"scores are {scores}, they must be numbers, at least 1")
    middle = sorted(scores)[len(scores) // 2]
    return [int(x >= middle) for x in scores]


def word_leads(
    model: LanguageModel, bpe: BPE, texts: Sequence[str], words: tuple[str, str], cue: str = ""
) -> Tensor:
    """Logit of the second word minus that of the first, after each text and the cue: (N,).

    A text that is too long loses its beginning. Raises ValueError for a word that is not one
    token.
    """
    sides = [bpe.encode(w) for w in words]
    for word, ids in zip(words, sides, strict=True):
        if len(ids) != 1:
            raise ValueError(f"{word!r} is {len(ids)} tokens, it must be 1")
    end = bpe.encode(cue)
    logits = next_logits(model, [bpe.encode(t) + end for t in texts])
    (first,), (second,) = sides
    return logits[:, second] - logits[:, first]


def likelier_word(
    model: LanguageModel, bpe: BPE, texts: Sequence[str], words: tuple[str, str], cue: str = ""
) -> list[int]:
    """Which of two words is the likelier next one after each text and the cue? 0 or 1."""
    return (word_leads(model, bpe, texts, words, cue) > 0).long().tolist()


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
    """Winograd: each candidate in place of _; which makes the rest likelier?

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


def pronoun_leads(model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]) -> Tensor:
    """Log P of the second text minus that of its likelier turned one, after the first: (N,).

    Ours, after Winograd's schemas: all pronouns are replaced.
    """
    questions = [
        (bpe.encode(first), [bpe.encode(x) for x in (second, *turned(second))])
        for first, second in pairs
    ]
    return torch.tensor([x - max(more) for x, *more in answer_scores(model, questions)])


def pronouns_as_they_stand(
    model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]
) -> list[int]:
    """1 where the second text follows the first at least as likely as with pronouns turned."""
    return (pronoun_leads(model, bpe, pairs) >= 0).long().tolist()


def turned(text: str) -> list[str]:
    """A text with he for she and so on; two where *her* or *his* has two counterparts."""

    def other(word: re.Match, way: int) -> str:
        ways = TURNED.get(word[0].lower(), [word[0]])
        new = ways[min(way, len(ways) - 1)]
        return new.capitalize() if word[0][0].isupper() else new

    both = (re.sub("[A-Za-z]+", lambda word, w=way: other(word, w), text) for way in (0, 1))
    return list(dict.fromkeys(both))


def raised_by(model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """By how much the first text of each pair raises log P of the second. Ours."""
    after, alone = (
        answer_scores(model, [(bpe.encode(a), [bpe.encode(b)]) for a, b in asked])
        for asked in (pairs, [(".", b) for _, b in pairs])
    )
    return [a - b for (a,), (b,) in zip(after, alone, strict=True)]


def raised_by_the_first(
    model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]
) -> list[int]:
    """1 in the half of the pairs whose first text raises log P of the second most."""
    return above_median(raised_by(model, bpe, pairs))


def _best(scores: list[float], sizes: list[int]) -> list[int]:
    """Where the highest score of each group is."""
    out, start = [], 0
    for size in sizes:
        group = scores[start : start + size]
        out.append(group.index(max(group)))
        start += size
    return out


def relative(accuracy: float, chance: float, best: float) -> float:
    """The paper's scale: 0 for guessing, 1 for the best model."""
    if not -math.inf < chance < best < math.inf:
        raise ValueError(f"the best score {best} is not above chance, {chance}")
    return (accuracy - chance) / (best - chance)

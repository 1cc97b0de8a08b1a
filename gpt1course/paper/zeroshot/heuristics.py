"""Tasks as questions to the bare language model, answered by comparing probabilities.

Four are the paper's (section 5), named there; those of two texts are ours.
"""

import math
import re
from collections.abc import Sequence

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


def pronouns_as_they_stand(
    model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]
) -> list[int]:
    """1 where the second text follows the first likelier than with its pronouns turned.

    Ours, after Winograd's schemas: all pronouns are replaced, and log P decides.
    """
    asked = [(first, [second, *turned(second)]) for first, second in pairs]
    return [int(choice == 0) for choice in choices(model, bpe, asked)]


def turned(text: str) -> list[str]:
    """A text with he for she and so on; two where *her* or *his* has two counterparts."""

    def other(word: re.Match, way: int) -> str:
        ways = TURNED.get(word[0].lower(), [word[0]])
        new = ways[min(way, len(ways) - 1)]
        return new.capitalize() if word[0][0].isupper() else new

    both = (re.sub("[A-Za-z]+", lambda word, w=way: other(word, w), text) for way in (0, 1))
    return list(dict.fromkeys(both))


def raised_by_the_first(
    model: LanguageModel, bpe: BPE, pairs: Sequence[tuple[str, str]]
) -> list[int]:
    """1 in the half of the pairs whose first text raises log P of the second most. Ours."""
    after, alone = (
        answer_scores(model, [(bpe.encode(a), [bpe.encode(b)]) for a, b in asked])
        for asked in (pairs, [(".", b) for _, b in pairs])
    )
    return above_median([a - b for (a,), (b,) in zip(after, alone, strict=True)])


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

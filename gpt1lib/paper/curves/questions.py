"""How a set is asked without any label: as a question to the bare language model.

All take (model, bpe, examples) and return a class per example. Four ask as the paper does
in section 5, or nearly so; those of two texts are ours.
"""

import re
from collections.abc import Sequence

from ...bpe import BPE
from ...model import LanguageModel
from ...tasks import Example
from .. import zeroshot

Examples = Sequence[Example]


def mark_at_the_end(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 where a question mark is likelier after the words than a period."""
    return zeroshot.likelier_word(model, bpe, [e.texts[0] for e in examples], (".", "?"))


def words_of_praise(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """SST-2's question of section 5."""
    return zeroshot.sentiment(model, bpe, [e.texts[0] for e in examples])


def likelier_half(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """CoLA's question of section 5."""
    texts = [e.texts[0] for e in examples]
    return zeroshot.above_median(zeroshot.sentence_scores(model, bpe, texts))


def likeliest_choice(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """RACE's question of section 5."""
    return zeroshot.choices(model, bpe, [(e.texts[0], e.texts[1:]) for e in examples])


def pronouns_as_they_stand(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 where the second text follows the first more likely than with its pronouns turned.

    As in Winograd's schemas (section 5), the pronouns are replaced and log P decides.
    """
    asked = [
        (first, [second, *turned(second)]) for first, second in (e.texts for e in examples)
    ]
    return [int(choice == 0) for choice in zeroshot.choices(model, bpe, asked)]


def raised_by_the_first(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 in the half of the pairs in which the first text raises log P of the second most."""
    texts = [e.texts for e in examples]
    after, alone = (
        zeroshot.answer_scores(model, [(bpe.encode(a), [bpe.encode(b)]) for a, b in pairs])
        for pairs in (texts, [(".", b) for _, b in texts])
    )
    return zeroshot.above_median([a - b for (a,), (b,) in zip(after, alone, strict=True)])


# ---- pronouns ---------------------------------------------------------------------------

TURNED = {
    "he": ["she"], "him": ["her"], "his": ["her", "hers"], "himself": ["herself"],
    "she": ["he"], "her": ["his", "him"], "hers": ["his"], "herself": ["himself"],
}  # fmt: skip


def turned(text: str) -> list[str]:
    """A text with he for she and so on; two where *her* or *his* has two counterparts."""

    def other(word: re.Match, way: int) -> str:
        ways = TURNED.get(word[0].lower(), [word[0]])
        new = ways[min(way, len(ways) - 1)]
        return new.capitalize() if word[0][0].isupper() else new

    both = (re.sub("[A-Za-z]+", lambda word, w=way: other(word, w), text) for way in (0, 1))
    return list(dict.fromkeys(both))

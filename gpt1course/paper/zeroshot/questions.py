"""How a set of the course is asked without any label: (model, bpe, examples) -> classes."""

from collections.abc import Callable, Sequence

from gpt1lib.bpe import BPE
from gpt1lib.model import LanguageModel
from gpt1lib.tasks import Example

from . import heuristics

Examples = Sequence[Example]
Ask = Callable[[LanguageModel, BPE, Examples], list[int]]


def mark_at_the_end(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 where a question mark is likelier after the words than a period."""
    return heuristics.likelier_word(model, bpe, [e.texts[0] for e in examples], (".", "?"))


def words_of_praise(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """SST-2's question of section 5."""
    return heuristics.sentiment(model, bpe, [e.texts[0] for e in examples])


def likelier_half(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """CoLA's question of section 5."""
    texts = [e.texts[0] for e in examples]
    return heuristics.above_median(heuristics.sentence_scores(model, bpe, texts))


def likeliest_choice(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """RACE's question of section 5."""
    return heuristics.choices(model, bpe, [(e.texts[0], e.texts[1:]) for e in examples])


def pronouns_that_fit(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 where both texts can speak of one person: the pronouns fit as they stand."""
    return heuristics.pronouns_as_they_stand(model, bpe, pairs(examples))


def same_time(model: LanguageModel, bpe: BPE, examples: Examples) -> list[int]:
    """1 in the half of the pairs whose first text raises log P of the second most."""
    return heuristics.raised_by_the_first(model, bpe, pairs(examples))


def pairs(examples: Examples) -> list[tuple[str, str]]:
    """The two texts of each example."""
    return [(first, second) for first, second in (e.texts for e in examples)]

"""The sets that have learning curves, and what is particular to each: one line per set."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache

from ... import tasks
from .. import zeroshot

SIZES = (10, 30, 100, 300, 1000, 3000)


@dataclass(frozen=True)
class LabelSet:
    """What a set's curves need beyond its name.

    seconds: of an update of eight examples on one quiet core, as measured. ask: guesses
    without any label, of (model, bpe, examples). longest: in words (Settings). chosen_at:
    where settings are chosen. least, most: numbers of labels; where an update takes most of
    a second, a whole curve would take a day.
    """

    seconds: float
    ask: Callable[..., list[int]] | None = None
    longest: int | None = None
    chosen_at: tuple[int, ...] = (100, 1000)
    least: int = 0
    most: int | None = None


def mark_at_the_end(model, bpe, examples) -> list[int]:
    """1 where a question mark is likelier after the words than a period."""
    return zeroshot.likelier_word(model, bpe, [e.texts[0] for e in examples], (".", "?"))


def words_of_praise(model, bpe, examples) -> list[int]:
    """SST-2's question of section 5."""
    return zeroshot.sentiment(model, bpe, [e.texts[0] for e in examples])


def likelier_half(model, bpe, examples) -> list[int]:
    """CoLA's question of section 5."""
    texts = [e.texts[0] for e in examples]
    return zeroshot.above_median(zeroshot.sentence_scores(model, bpe, texts))


def likeliest_choice(model, bpe, examples) -> list[int]:
    """RACE's question of section 5."""
    return zeroshot.choices(model, bpe, [(e.texts[0], e.texts[1:]) for e in examples])


SETS = {
    "question_or_statement": LabelSet(0.09, mark_at_the_end),
    "he_or_she": LabelSet(0.11, most=1000),
    "past_or_present": LabelSet(0.23, most=1000),
    "missing_word": LabelSet(0.8, likeliest_choice, chosen_at=(300,), least=100, most=300),
    "film_snippets": LabelSet(0.15, words_of_praise),
    "acceptability": LabelSet(0.11, likelier_half),
    "entailment": LabelSet(0.11),
    "verse_pairs": LabelSet(0.33, longest=32),
    "story_cloze": LabelSet(0.75, likeliest_choice, chosen_at=(300,), least=100, most=1000),
}
"""By a task's name, all that is particular to its curves; a new set is a new line."""


def known(names: Iterable[str] | None = None) -> list[str]:
    """Names of sets that have curves, or all that the course has; ValueError for another."""
    there = [name for name in SETS if name in tasks.TASKS_BY_NAME]
    if unknown := set(names or ()) - set(there):
        raise ValueError(
            f"no curves of {', '.join(sorted(unknown))}; known: {', '.join(there)}"
        )
    return [name for name in there if not names or name in names]


@cache
def facts(task: str) -> tuple[str, int]:
    """The kind of a task, and how many labels its training set has."""
    this = tasks.load(task)
    return this.kind, len(tasks.no_longer_than(this.train, SETS[task].longest))


def label_counts(task: str) -> list[int]:
    """Numbers of labels: those clearly below what the set has, then all that it has."""
    n, this = facts(task)[1], SETS[task]
    counts = [size for size in SIZES if 1.5 * size <= n] + [n]
    return [size for size in counts if this.least <= size <= (this.most or n)]

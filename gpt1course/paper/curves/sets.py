"""The sets that have learning curves, and what is particular to each: one line per set."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from gpt1lib import tasks

from ..word_baselines import FIRST_WORD, PAIRS, baselines
from ..zeroshot import questions

SIZES = (10, 30, 100, 300, 1000, 3000)


@dataclass(frozen=True)
class LabelSet:
    """What a set's curves need beyond its name.

    seconds: of an update of eight examples on one quiet core, as measured. ask: guesses
    without any label, of (model, bpe, examples). longest: in words (Settings). pairs: pairs of
    words are a baseline, too, because no single text decides. first_word: so are words with
    the first one named, because a question shows there. chosen_at: numbers of labels
    at which budgets are chosen. long: whether long runs are tried there, too. least, most:
    numbers of labels. Where an update is slow, a whole curve would take a day.
    """

    seconds: float
    ask: questions.Ask | None = None
    longest: int | None = None
    pairs: bool = False
    first_word: bool = False
    chosen_at: tuple[int, ...] = (100, 300, 1000)
    long: bool = True
    least: int = 0
    most: int | None = None


SETS = {
    "question_or_statement": LabelSet(0.09, questions.mark_at_the_end, first_word=True),
    "he_or_she": LabelSet(0.11, questions.pronouns_that_fit, pairs=True, most=1000),
    "past_or_present": LabelSet(0.23, questions.same_time, pairs=True, least=100, most=1000),
    "missing_word": LabelSet(
        0.8, questions.likeliest_choice, chosen_at=(300,), long=False, least=100, most=300
    ),
    "film_snippets": LabelSet(0.15, questions.words_of_praise, most=3000),
    "acceptability": LabelSet(0.11, questions.likelier_half),
    "entailment": LabelSet(0.11, most=3000),
    "verse_pairs": LabelSet(0.33, longest=32, long=False),
    "story_cloze": LabelSet(
        0.75,
        questions.likeliest_choice,
        chosen_at=(300, 1000),
        long=False,
        least=100,
        most=1000,
    ),
}
"""By a task's name, all that is particular to its curves; a new set is a new line."""


def known(names: Iterable[str] | None = None) -> list[str]:
    """These sets, or all that have curves. Raises ValueError for a set without."""
    every = [name for name in SETS if name in tasks.TASKS_BY_NAME]
    if unknown := set(names or ()) - set(every):
        raise ValueError(
            f"no curves of {', '.join(sorted(unknown))}; known: {', '.join(every)}"
        )
    return [name for name in every if not names or name in names]


def word_baselines(task: str) -> dict[str, dict]:
    """name -> options of `bag_of_words.guesses`, of all baselines that only read words."""
    more: dict[str, dict] = {}
    if SETS[task].pairs:
        more["pairs of words"] = {"features": PAIRS}
    if SETS[task].first_word:
        more["bag with first word"] = {"features": FIRST_WORD}
    return baselines(tasks.load(task).kind) | more


@cache
def n_labels(task: str) -> int:
    """How many labels a task's training set has."""
    return len(tasks.no_longer_than(tasks.load(task).train, SETS[task].longest))


def label_counts(task: str) -> list[int]:
    """Numbers of labels: those clearly below what the set has, then all that it has."""
    n, this = n_labels(task), SETS[task]
    counts = [size for size in SIZES if 1.5 * size <= n] + [n]
    return [size for size in counts if this.least <= size <= (this.most or n)]

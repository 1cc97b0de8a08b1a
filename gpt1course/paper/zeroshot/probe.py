"""The zero-shot tests of Figure 2 (right), on the course's sets."""

from collections.abc import Callable
from dataclasses import dataclass

from gpt1lib import metrics, tasks
from gpt1lib.bpe import BPE
from gpt1lib.io.paths import TASKS
from gpt1lib.model import LanguageModel

from . import heuristics, questions

SETS: dict[str, tuple[str, questions.Ask]] = {
    "missing word": ("missing_word", questions.likeliest_choice),
    "he or she": ("he_or_she", questions.pronouns_that_fit),
    "acceptability": ("acceptability", questions.likelier_half),
    "sentiment": ("film_snippets", questions.words_of_praise),
    "story cloze": ("story_cloze", questions.likeliest_choice),
}
"""Name of a test -> its set, and how it is asked. Two are ours, the others the paper's."""


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
        return {**metrics.rounded(metrics.accuracy(guesses, self.labels)), "guesses": written}


def probes() -> list[Probe]:
    """Two of ours and the paper's four, on the course's sets; always their test splits."""
    return [*(probe_of(name, *asked) for name, asked in SETS.items()), winograd()]


def probe_of(name: str, task_name: str, ask: questions.Ask) -> Probe:
    """A set of the course, asked by one of the questions."""
    task = tasks.load(task_name)
    labels = [int(e.label) for e in task.test]  # none of these sets has grades
    return Probe(name, labels, lambda m, b: ask(m, b, task.test), choices=task.n_classes)


def winograd() -> Probe:
    """The schemas, which are not a set to train on."""
    rows = tasks.read_lines(TASKS / "schemas.jsonl", ("text", "choices", "label"))
    places = [(r["text"], r["choices"]) for r in rows]
    labels = [r["label"] for r in rows]
    return Probe("schemas", labels, lambda m, b: heuristics.referents(m, b, places))

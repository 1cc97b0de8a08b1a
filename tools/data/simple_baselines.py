"""Score what needs no network on the sets made from all the books, and the novelist.

    python -m tools.data.simple_baselines [SET ...]

Writes data/results/simple_baselines.json, which data/README.md shows; scores of sets that are
not named stay. Nothing is chosen on the test rows.
"""

import argparse
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from gpt1course.paper import zeroshot
from gpt1course.paper.curves import SETS as SETS_WITH_CURVES
from gpt1course.paper.word_baselines import PAIRS, all_guesses
from gpt1lib import corpus, load_novelist, metrics, tasks
from gpt1lib.baselines import bag_of_words
from gpt1lib.io.files import read_json, write_json
from gpt1lib.io.paths import RESULTS
from gpt1lib.io.provenance import provenance
from tools.kneser_ney import KneserNey


def words(text: str) -> list[str]:
    """Lower-cased words and marks."""
    return re.findall(r"[a-z']+|[^\sa-z']", text.lower())


def first_words(task: tasks.Task) -> list[int]:
    """A question or not, from the first word alone."""

    def cut(examples: list[tasks.Example]) -> list[tasks.Example]:
        return [replace(e, texts=(e.texts[0].split()[0],)) for e in examples]

    return bag_of_words.guesses(replace(task, train=cut(task.train), test=cut(task.test)))


def most_frequent(task: tasks.Task) -> list[int]:
    """Of the five words the one that was right most often in training."""
    often = Counter(words(e.texts[1 + int(e.label)])[0] for e in task.train)
    return [
        max(range(5), key=lambda i, e=e: often[words(e.texts[1 + i])[0]]) for e in task.test
    ]


def by_counts(n: int, task: tasks.Task) -> list[int]:
    """n-grams counted in the twelve books, on both sides of the gap."""
    stream = [w for text in corpus.read_books().values() for w in words(text)]
    index = {w: i for i, w in enumerate(dict.fromkeys(stream))}
    model = KneserNey(n, len(index) + 1).fit([index[w] for w in stream])

    def ids(text: str) -> list[int]:
        return [index.get(w, len(index)) for w in words(text)]

    return [likeliest(model, ids(e.texts[0]), [ids(c) for c in e.texts[1:]]) for e in task.test]


def likeliest(model: KneserNey, before: Sequence[int], choices: Sequence[Sequence[int]]) -> int:
    """Which choice goes on best after `before`, by the n-grams that hold its first id.

    For choices that differ in that id alone: a bigram then reads one neighbor on each side.
    """
    near = [*before[len(before) - min(len(before), model.n - 1) :]]
    nats = [model.nats([*near, *choice[: model.n]]) for choice in choices]
    return nats.index(min(nats))


def zero_shot(task: tasks.Task) -> list[int]:
    """The novelist's log-probabilities. All words of the classes are one token each, so
    the mean over a choice, the paper's score, and the sum put the five in one order."""
    novelist = load_novelist()
    asked = [(e.texts[0], e.texts[1:]) for e in task.test]
    return zeroshot.choices(novelist.model, novelist.bpe, asked)


def question_or_statement() -> dict[str, dict]:
    task = tasks.load("question_or_statement")
    return scored(
        task,
        {
            "first word": first_words(task),
            "bag of words, 100 labels": bag_of_words.guesses(task, limit=100),
            "bag of words": bag_of_words.guesses(task),
        },
    )


def missing_word() -> dict[str, dict]:
    task = tasks.load("missing_word")
    return scored(
        task,
        {
            "most frequent word": most_frequent(task),
            "bag of words": bag_of_words.guesses(task),
            "bigrams": by_counts(2, task),
            "trigrams": by_counts(3, task),
            "novelist, zero-shot": zero_shot(task),
        },
    )


def two_texts(name: str) -> dict[str, dict]:
    """Readers of a set of pairs: those of every such set, and of pairs of words."""
    task = tasks.load(name)
    crossed = {
        f"pairs of words, {n} labels": bag_of_words.guesses(task, PAIRS, limit=n)
        for n in (100, 300, 1000)
    }
    novelist, ask = load_novelist(), SETS_WITH_CURVES[name].ask
    asked = {"novelist, zero-shot": ask(novelist.model, novelist.bpe, task.test)}
    return scored(task, all_guesses(task) | crossed | asked)


def scored(task: tasks.Task, guesses: dict[str, list[int]]) -> dict[str, dict]:
    """Accuracy of each reader with its interval."""
    labels = [int(e.label) for e in task.test]
    return {
        name: metrics.rounded(metrics.accuracy(found, labels))
        for name, found in guesses.items()
    }


SETS = {
    "question_or_statement": question_or_statement,
    "missing_word": missing_word,
    "he_or_she": lambda: two_texts("he_or_she"),
    "past_or_present": lambda: two_texts("past_or_present"),
}


def main(names: list[str]) -> None:
    """Score the readers of these sets, all of them by default, and print every score."""
    stored = read_json(RESULTS / "simple_baselines.json")
    origin = provenance(" ".join(["python -m tools.data.simple_baselines", *names]))
    names = names or [*SETS]
    sets = stored["sets"] | {name: SETS[name]() for name in names}
    made_by = stored.get("made_by", {}) | dict.fromkeys(names, origin)
    write_json(RESULTS / "simple_baselines.json", {"made_by": made_by, "sets": sets})
    for name in SETS:
        for reader, score in sets[name].items():
            low, high = score["interval"]
            print(f"| {name} | {reader} | {score['accuracy']:.3f} ({low:.3f}-{high:.3f}) |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("sets", nargs="*", metavar="SET", help=f"of {', '.join(SETS)}")
    args = parser.parse_args()
    if unknown := {*args.sets} - {*SETS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SETS)}")
    main(args.sets)

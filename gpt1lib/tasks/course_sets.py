"""The labeled sets that come with the course.

Small sets for learning; results on them are not benchmark results. See data/README.md.
"""

from collections.abc import Callable
from pathlib import Path

from ..io.paths import TASKS
from .task import NLI, Example, Task, by_split, read_lines, sort_out, split_of


def read_set(
    path: Path, kind: str, texts: tuple[str, ...], classes: tuple[str, ...], metric="accuracy"
) -> Task:
    """A set whose lines name the fields of their texts, a label and a split."""
    rows = read_lines(path, (*texts, "label", "split"))
    splits = sort_out(
        (row["split"], Example(tuple(row[name] for name in texts), row["label"]))
        for row in rows
    )
    return Task(path.stem, kind, len(classes), *splits, metric=metric, classes=classes)


def film_snippets(path: Path = TASKS / "film_snippets.jsonl") -> Task:
    """Is a critic's sentence positive? Ratings between -0.5 and 0.5 are left out."""
    rows = read_lines(path, ("id", "score", "text"))
    splits = sort_out(
        (split_of(row["text"]), Example((row["text"],), int(row["score"] > 0)))
        for row in rows
        if abs(row["score"]) >= 0.5
    )
    return Task("film_snippets", "classification", 2, *splits, classes=("negative", "positive"))


def entailment_set(path: Path = TASKS / "entailment.jsonl") -> Task:
    """Does the first sentence entail the second? Synthetic: tools/data/entailment.py.

    The test set has three parts: as in training, with new words, and by a new rule.
    """
    rows = read_lines(path, ("premise", "hypothesis", "label", "rule", "split"))
    splits = by_split((row["split"].split(",")[0], entailment_example(row)) for row in rows)
    return Task("entailment", "entailment", 3, *splits, classes=NLI)


def entailment_example(row: dict) -> Example:
    """One line of the entailment set; its group is the part of the test set."""
    texts = (row["premise"], row["hypothesis"])
    return Example(texts, NLI.index(row["label"]), group=row["split"])


def verse_pairs(path: Path = TASKS / "verse_pairs.jsonl") -> Task:
    """Do two sentences render the same verse? Split by whole book of the Bible."""
    rows = read_lines(path, ("a", "b", "label", "ref_a"))
    splits = sort_out(
        (split_of(row["ref_a"].rsplit(" ", 1)[0]), Example((row["a"], row["b"]), row["label"]))
        for row in rows
    )
    return Task("verse_pairs", "similarity", 2, *splits, classes=("different", "same"))


def story_cloze(path: Path = TASKS / "story_cloze.jsonl") -> Task:
    """Which sentence goes on with the story? tools/data/story_cloze.py.

    Neighboring stories share sentences, so each split is a part of each book.
    """
    rows = read_lines(path, ("story", "choices", "label", "split"))
    splits = sort_out(
        (row["split"], Example((row["story"], *row["choices"]), row["label"])) for row in rows
    )
    return Task("story_cloze", "choice", 2, *splits, classes=("first", "second"))


def acceptability(path: Path = TASKS / "acceptability.jsonl") -> Task:
    """Is this a sentence, or was it broken? tools/data/acceptability.py."""
    return read_set(path, "classification", ("text",), ("broken", "whole"), "matthews")


def question_or_statement(path: Path = TASKS / "question_or_statement.jsonl") -> Task:
    """Was there a question mark at the end? tools/data/question_or_statement.py.

    Training texts are from the books of the pre-training, the others from held-out books.
    """
    return read_set(path, "classification", ("text",), ("statement", "question"))


def missing_word(path: Path = TASKS / "missing_word.jsonl") -> Task:
    """Which of five words was taken out? tools/data/missing_word.py.

    A choice is the word and the rest of its sentence; the group is the class of the word.
    """
    rows = read_lines(path, ("context", "words", "rest", "label", "class", "split"))
    splits = by_split((row["split"], missing_word_example(row)) for row in rows)
    classes = ("first", "second", "third", "fourth", "fifth")
    return Task("missing_word", "choice", 5, *splits, classes=classes)


def missing_word_example(row: dict) -> Example:
    """One line of the set with missing words."""
    choices = (word + row["rest"] for word in row["words"])
    return Example((row["context"], *choices), row["label"], group=row["class"])


def he_or_she(path: Path = TASKS / "he_or_she.jsonl") -> Task:
    """Can both parts speak of the same person? tools/data/he_or_she.py.

    Test rows are from the held-out books, the others from the books of the pre-training.
    """
    return read_set(path, "entailment", ("first", "second"), ("another", "the same"))


def past_or_present(path: Path = TASKS / "past_or_present.jsonl") -> Task:
    """Are two sentences of the same time? tools/data/past_or_present.py.

    Test rows are from the held-out books, the others from the books of the pre-training.
    """
    return read_set(path, "similarity", ("a", "b"), ("different", "same"))


TASKS_BY_NAME: dict[str, Callable[[], Task]] = {
    "film_snippets": film_snippets,
    "entailment": entailment_set,
    "verse_pairs": verse_pairs,
    "story_cloze": story_cloze,
    "acceptability": acceptability,
    "question_or_statement": question_or_statement,
    "missing_word": missing_word,
    "he_or_she": he_or_she,
    "past_or_present": past_or_present,
}

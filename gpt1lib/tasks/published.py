"""The paper's own sets, read from disk in the formats they are published in.

GLUE's TSV files (CoLA, SST-2, MRPC, STS-B, QQP, MNLI, QNLI, RTE), SNLI and SciTail in
JSON lines, RACE's folders, the Story Cloze Test's CSV. None comes with the course:
you name the folder of your copy. GLUE keeps the labels of its test sets, so `test` is the
published development set here, and `valid` a tenth of the training set.
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ..io import files
from .custom import column_named
from .task import NLI, Example, Task, read_lines, split_of

TWO_WAY = ("entailment", "not_entailment")
YES_NO = ("0", "1")


@dataclass(frozen=True)
class Table:
    """How one GLUE set is laid out: names, or for CoLA numbers, of its columns."""

    kind: str
    texts: tuple[str | int, ...]
    label: str | int
    labels: tuple[str, ...]  # none: grades from 0 to 5
    metric: str = "accuracy"
    dev: str = "dev.tsv"
    header: bool = True
    skip_broken: bool = False  # leave out rows with too few columns or an empty text


GLUE = {
    "cola": Table("classification", (3,), 1, YES_NO, "matthews", header=False),
    "sst-2": Table("classification", ("sentence",), "label", YES_NO),
    "mrpc": Table("similarity", ("#1 String", "#2 String"), "Quality", YES_NO, "f1"),
    "sts-b": Table("similarity", ("sentence1", "sentence2"), "score", (), "pearson"),
    "qqp": Table("similarity", ("question1", "question2"), "is_duplicate", YES_NO,
                 "f1", skip_broken=True),
    "mnli": Table("entailment", ("sentence1", "sentence2"), "gold_label", NLI,
                  dev="dev_matched.tsv"),
    "qnli": Table("entailment", ("question", "sentence"), "label", TWO_WAY),
    "rte": Table("entailment", ("sentence1", "sentence2"), "label", TWO_WAY),
}  # fmt: skip
NLI_LINES = {
    "snli": ("snli_1.0_{}.jsonl", NLI),
    "scitail": ("scitail_1.0_{}.txt", ("entailment", "neutral")),
}
"""Sets in SNLI's format: how their files are named, and their labels."""


def read_published(name: str, folder: Path) -> Task:
    """A published set from the folder that has its files.

    Raises ValueError for an unknown set, and for a line in another format, which it
    names; FileNotFoundError for a missing file.
    """
    readers = dict.fromkeys(GLUE, glue) | dict.fromkeys(NLI_LINES, nli)
    readers |= {"race": race, "story-cloze": cloze}
    if name not in readers:
        raise ValueError(f"no published set {name!r}, there are {', '.join(readers)}")
    return readers[name](name, folder)


# ---- GLUE ------------------------------------------------------------------------


def glue(name: str, folder: Path) -> Task:
    """train.tsv and dev.tsv of one of GLUE's sets."""
    table = GLUE[name]
    train, valid = set_apart(list(rows_of(folder / "train.tsv", table)))
    test = list(rows_of(folder / table.dev, table))
    graded, n = not table.labels, len(table.labels) or 6
    return Task(name, table.kind, n, train, valid, test, table.labels, table.metric, graded)


def rows_of(path: Path, table: Table) -> Iterator[Example]:
    """The examples of one TSV file. Quotes are ordinary characters in these files.

    QQP's train.tsv as published has broken rows: they are left out, and their number printed.
    """
    lines = text_of(path).rstrip("\n").split("\n")
    header = lines.pop(0).split("\t") if table.header else []
    if not any(lines):
        raise ValueError(f"{path} has no examples")
    names = (*table.texts, table.label)
    columns = [c if isinstance(c, int) else column_named(path, header, c) for c in names]
    n_broken = 0
    for n, line in enumerate(lines, start=1 + table.header):
        cells = line.split("\t")
        texts = [cells[c] for c in columns[:-1] if c < len(cells) and cells[c].strip()]
        if len(cells) > max(columns) and len(texts) == len(table.texts):
            yield Example(tuple(texts), label_of(path, n, cells[columns[-1]], table.labels))
            continue
        if not table.skip_broken:
            few = f"{len(cells)} columns, {max(columns) + 1} are needed"
            problem = few if len(cells) <= max(columns) else "a text is empty"
            raise ValueError(f"{path}, line {n}: {problem}")
        n_broken += 1
    if n_broken:
        print(f"{path}: {n_broken} broken rows of {len(lines)} are left out")


def label_of(path: Path, n: int, label: str, labels: tuple[str, ...]) -> int | float:
    """A class by its name, or a grade from 0 to 5."""
    if labels:
        if label not in labels:
            raise ValueError(f"{path}, line {n}: label {label!r} is not in {[*labels]}")
        return labels.index(label)
    try:
        grade = float(label)
    except ValueError:
        grade = -1.0
    if not 0 <= grade <= 5:
        raise ValueError(f"{path}, line {n}: {label!r} is not a grade from 0 to 5")
    return grade


# ---- the others ------------------------------------------------------------------


def nli(name: str, folder: Path) -> Task:
    """SNLI's JSON lines, or SciTail's; pairs without a majority label ("-") are left out."""
    named, classes = NLI_LINES[name]
    train, valid, test = (
        nli_lines(folder / named.format(part), classes) for part in ("train", "dev", "test")
    )
    return Task(name, "entailment", len(classes), train, valid, test, classes)


def nli_lines(path: Path, labels: tuple[str, ...]) -> list[Example]:
    """Premise, hypothesis and gold label of each line."""
    examples = []
    needed = ("gold_label", "sentence1", "sentence2")
    for n, row in enumerate(read_lines(path, needed), start=1):
        if row["gold_label"] == "-":
            continue
        label = label_of(path, n, row["gold_label"], labels)
        with files.blame_file(f"{path}, line {n}"):
            example = Example((row["sentence1"], row["sentence2"]), label)
        if not all(text.strip() for text in example.texts):
            raise ValueError(f"{path}, line {n}: a text is empty")
        examples.append(example)
    return examples


def race(name: str, folder: Path) -> Task:
    """RACE's folders train, dev, test, each with middle and high: one file per article."""
    train, valid, test = (list(race_part(folder / part)) for part in ("train", "dev", "test"))
    return Task(name, "choice", 4, train, valid, test, tuple("ABCD"))


def race_part(folder: Path) -> Iterator[Example]:
    """The examples of one part; the group is the kind of school."""
    paths = sorted(folder.glob("*/*.txt"))
    if not paths:
        raise FileNotFoundError(f"{folder} has no middle/*.txt or high/*.txt")
    for path in paths:
        article = files.read_json(path)
        try:
            yield from questions(article, path.parent.name)
        except (ValueError, KeyError, TypeError) as error:
            raise ValueError(f"{path}: not in RACE's format ({error!r})") from error


def questions(article: dict, group: str) -> list[Example]:
    """The questions on one article, each with its four answers."""
    examples = []
    columns = (article[name] for name in ("questions", "options", "answers"))
    for question, options, answer in zip(*columns, strict=True):
        if not isinstance(options, list) or len(options) != 4:
            raise ValueError(f"options are {options!r}, they must be four")
        if answer not in [*"ABCD"]:
            raise ValueError(f"the answer is {answer!r}, it must be A, B, C or D")
        texts = (article["article"], *options)
        examples.append(Example(texts, "ABCD".index(answer), group, question))
    return examples


STORIES = "cloze_test_{}__spring2016 - cloze_test_ALL_{}.csv"
CLOZE_COLUMNS = [
    *(f"InputSentence{i}" for i in (1, 2, 3, 4)),
    "RandomFifthSentenceQuiz1",
    "RandomFifthSentenceQuiz2",
    "AnswerRightEnding",
]


def cloze(name: str, folder: Path) -> Task:
    """The Story Cloze Test of spring 2016; a fifth of its validation set is `valid`.

    GPT-1 trained on 1,497 of the 1,871 labeled stories; the released code picks them
    at random, so ours are different ones.
    """
    labeled = list(stories(folder / STORIES.format("val", "val")))
    n = len(labeled) // 5  # 374 of 1,871
    test = list(stories(folder / STORIES.format("test", "test")))
    classes = ("first", "second")
    return Task(name, "choice", 2, labeled[n:], labeled[:n], test, classes)


def stories(path: Path) -> Iterator[Example]:
    """The examples of one CSV file."""
    table = csv.DictReader(io.StringIO(text_of(path), newline=""))
    row = None
    try:
        for row in table:
            yield story_of(path, table.line_num, row)
        if row is None:
            raise ValueError(f"{path} has no examples")
    except csv.Error as error:
        raise ValueError(f"{path}, line {table.line_num}: {error}") from error


def story_of(path: Path, n: int, row: dict) -> Example:
    """Four sentences, two endings, and which is right."""
    missing = [c for c in CLOZE_COLUMNS if not row.get(c)]
    if missing:
        raise ValueError(f"{path}, line {n}: no field {', '.join(missing)}")
    *story, one, two, right = (row[c] for c in CLOZE_COLUMNS)
    if right not in ("1", "2"):
        raise ValueError(f"{path}, line {n}: ending {right!r} is not 1 or 2")
    return Example((" ".join(story), one, two), int(right) - 1)


# ---- common ----------------------------------------------------------------------


def text_of(path: Path) -> str:
    """A text file. If it is missing, FileNotFoundError names where such sets come from."""
    if not path.is_file():
        raise FileNotFoundError(
            f"{path} is missing; the paper's sets do not come with the course, "
            "data/README.md says where to ask for them. For a set of your own, see "
            "docs/own.md"
        )
    return files.read_text(path)


def set_apart(examples: list[Example]) -> tuple[list[Example], list[Example]]:
    """(train, valid): a tenth is set apart, by a checksum of its texts."""
    valid = [e for e in examples if split_of("\t".join(e.texts)) == "valid"]
    kept = [e for e in examples if split_of("\t".join(e.texts)) != "valid"]
    return kept, valid

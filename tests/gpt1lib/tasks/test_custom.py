"""A labeled set of one's own: what is read, and what is said of a file that is wrong."""

import csv
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpt1lib import tasks
from gpt1lib.baselines import bag_of_words
from gpt1lib.tasks import Example, Task, split_of

TEXTS = [f"letter {i} {end}" for i in range(20) for end in ("came", "was lost, again")]
LABELS = ["praise", "complaint"] * 20


def as_csv(rows):
    return "\n".join(["text,label", *(f'"{text}",{label}' for text, label in rows)])


def as_tsv(rows):
    return "\r\n".join(["\ufefftext\tlabel", *(f"{text}\t{label}" for text, label in rows), ""])


def as_jsonl(rows):
    return "\n".join(json.dumps({"text": text, "label": label}) for text, label in rows)


MAKE = {"csv": as_csv, "tsv": as_tsv, "jsonl": as_jsonl}
ROWS = list(zip(TEXTS, LABELS, strict=True))


def read(folder, kind, content):
    path = folder / f"mine.{kind}"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return tasks.read_own(path)


@pytest.mark.parametrize("kind", MAKE)
def test_three_kinds_of_file_one_set(kind, tmp_path):
    task = read(tmp_path, kind, MAKE[kind](ROWS))
    assert (task.name, task.kind, task.n_classes) == ("mine", "classification", 2)
    assert task.classes == ("complaint", "praise")
    found = [(e.texts[0], task.classes[e.label]) for e in task.train + task.valid + task.test]
    assert sorted(found) == sorted(ROWS)
    assert tasks.load(None, tmp_path / f"mine.{kind}") == task


def test_a_spreadsheets_csv(tmp_path):
    """Excel's byte order mark and line ends, cells in quotes, a column more."""
    rows = [f'{i},praise,"fine, ""{i}"",\r\nand on time"' for i in range(20)]
    rows += [f' {i} , complaint , "late, {i}"' for i in range(19)]
    rows += ["19,complaint,late", ", ,", ""]
    task = read(tmp_path, "csv", "\ufeff" + "\r\n".join(["Day,Label,Text", *rows, ""]))
    texts = {e.texts[0]: e.label for e in task.train + task.valid + task.test}
    assert task.classes == ("complaint", "praise") and len(texts) == 40
    assert texts['fine, "3",\nand on time'] == 1 and texts["late, 3"] == 0


def test_a_macintoshs_csv(tmp_path):
    (tmp_path / "MINE.CSV").write_text(as_csv(ROWS), newline="\r")
    assert len(tasks.load(None, tmp_path / "MINE.CSV").train) > 25


def test_quotes_of_a_tsv_are_letters(tmp_path):
    rows = [(f'"{t}', y) for t, y in ROWS]
    assert all(e.texts[0].startswith('"') for e in read(tmp_path, "tsv", as_tsv(rows)).train)


@given(st.integers(10, 200), st.integers(10, 200))
@settings(max_examples=30)
def test_a_small_file_is_split_class_by_class(tmp_path_factory, n, m):
    rows = [(f"{label} {i}", label) for label, k in (("a", n), ("b", m)) for i in range(k)]
    task = read(tmp_path_factory.mktemp("own"), "csv", as_csv(rows))
    for split in (task.valid, task.test):
        labels = [e.label for e in split]
        assert labels.count(0) == round(n / 10) and labels.count(1) == round(m / 10)


def test_a_large_file_is_split_by_checksums_so_that_no_text_ever_moves(tmp_path):
    rows = [(f"letter {i}", "ab"[i % 2]) for i in range(tasks.custom.SMALL)]
    task = read(tmp_path, "csv", as_csv(rows))
    for split in ("train", "valid", "test"):
        wanted = [(t, y) for t, y in rows if split_of(t) == split]
        assert [(e.texts[0], task.classes[e.label]) for e in task.split(split)] == wanted


@pytest.mark.parametrize("kind", MAKE)
def test_a_second_text_makes_pairs(kind, tmp_path):
    """Which stay together where they share their first text."""
    sep = {"csv": ",", "tsv": "\t"}.get(kind)
    rows = [(t, f"{end} {t}", y) for t, y in ROWS for end in ("they say", "no")]
    rows = [(a.replace(",", ""), b.replace(",", ""), y) for a, b, y in rows]
    names = ("text", "text2", "label")
    if sep:
        content = "\n".join(sep.join(row) for row in (names, *rows))
    else:
        content = "\n".join(json.dumps(dict(zip(names, row, strict=True))) for row in rows)
    task = read(tmp_path, kind, content)
    assert (task.kind, task.n_classes) == ("entailment", 2)
    firsts = [{e.texts[0] for e in task.split(split)} for split in ("train", "valid", "test")]
    assert all(firsts) and sum(map(len, firsts)) == len(TEXTS), "no text is in two splits"
    found = [(e.texts, task.classes[e.label]) for e in task.train + task.valid + task.test]
    assert sorted(found) == sorted(((a, b), y) for a, b, y in rows)


def test_labels_may_be_whole_numbers(tmp_path):
    rows = [(f"text {i}", i % 12 - 1) for i in range(400)]
    assert read(tmp_path, "csv", as_csv(rows)) == read(tmp_path, "jsonl", as_jsonl(rows))
    counted = [(t, n + 1) for t, n in rows]
    task = read(tmp_path, "jsonl", as_jsonl(counted))
    assert task.classes == tuple(map(str, range(12))), "2 comes before 10"


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text(st.characters(codec="utf-8")), min_size=60, max_size=60))
def test_what_pythons_csv_writes_is_read(tmp_path_factory, ends):
    path = tmp_path_factory.mktemp("own") / "mine.csv"
    odd = [(f"{i} {end}|", LABELS[i % 2]) for i, end in enumerate(ends)]
    rows = [*ROWS, *odd]  # of which some fall into every split
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("text", "label"), *rows])
    task = tasks.read_own(path)
    texts = {e.texts[0] for e in task.train + task.valid + task.test}
    assert texts == {text.replace("\r\n", "\n") for text, _ in rows}


GOOD = as_csv(ROWS)
FEW = as_csv([(f"text {i}", "ab"[i % 2]) for i in range(18)])
LATE = [f"late {i}" for i in range(600)]
IN_VALID = [text for text in LATE if split_of(text) == "valid"]
UNCHOSEN = as_csv([(t, "ab"[i % 2]) for i, t in enumerate(LATE) if t not in IN_VALID])
FOUND = [(text, "ab"[i % 2]) for i, text in enumerate(LATE)]
UNLEARNED = as_csv((t, "late" if t in IN_VALID else y) for t, y in FOUND)
WRONG = {  # name: kind of file, what it holds, what is said after the file's name
    "no header": ("csv", "a film,good", r"line 1: no column 'text' in \['a film', 'good'\]$"),
    "other header": (
        "tsv",
        "text\tclass",
        r"line 1: no column 'label' in \['text', 'class'\]$",
    ),
    "semicolons": ("csv", "text;label\na;b", "line 1: .* semicolons: save it again with comma"),
    "and in a tsv": ("tsv", "text;label\na;b", "line 1: .* semicolons: save it again with"),
    "tabs in csv": ("csv", "text\tlabel\na\tb", "line 1: .* tabs: let its name end in .tsv"),
    "commas in tsv": ("tsv", "text,label\na,b", "line 1: .* commas: let its name end in .csv"),
    "nothing": ("csv", "", r"line 1: no column 'text' in \[\]"),
    "header alone": ("csv", "text,label", r"labels are \[\], there must be two or more"),
    "bare comma": (
        "csv",
        f"{GOOD}\nfine, I say,good",
        "line 42: 3 cells, the first line has 2",
    ),
    "cell missing": ("tsv", "text\tlabel\na film", "line 2: 1 cell, the first line has 2"),
    "no text": ("csv", f"{GOOD}\n  ,praise", "line 42: the text is empty"),
    "no label": ("tsv", "text\tlabel\na film\t", "line 2: the label is empty"),
    "after line breaks": ("csv", 'text,label\n"a\n\nb",x\n,x', "line 5: the text is empty"),
    "open quote": ("csv", f'{GOOD}\n\n"fine,good\na,b', "line 43: its quotes are not in pairs"),
    "quote inside": ("csv", 'text,label\n"a "fine" one",x', "line 2: its quotes are not in"),
    "one class": ("csv", "text,label\na film,good", r"labels are \['good'\], there must be"),
    "rare class": ("csv", f"{GOOD}\nfine,prase", "of label 'prase': 1, each needs 10"),
    "few": ("csv", FEW, "examples of label 'a': 9, each needs 10"),
    "no choosing": ("csv", UNCHOSEN, "texts are too few, none falls into the valid set"),
    "no learning": ("csv", UNLEARNED, "no text of label 'late' is left to train on"),
    "not UTF-8": ("csv", b"text,label\ncaf\xe9,x", "not UTF-8 .* 0xe9, in line 2. Save it as"),
    "UTF-16": ("tsv", "text\tlabel".encode("utf-16"), "not UTF-8 text: byte 0 is 0x.*line 1"),
    "no JSON": ("jsonl", f"{as_jsonl(ROWS)}\ntext,label", "line 41 is damaged, not valid JSON"),
    "no field": ("jsonl", '{"text": "a", "class": 1}', "line 1: no field label"),
    "a list": ("jsonl", '["a", "b"]', "line 1 contains a list, not a dict"),
    "text a number": ("jsonl", '{"text": 5, "label": 1}', "line 1: the text is 5, it must be"),
    "label a share": ("jsonl", '{"text": "a", "label": 0.5}', "line 1: the label is 0.5, it"),
    "label true": ("jsonl", '{"text": "a", "label": true}', "line 1: the label is True, it"),
    "no second text": ("csv", "text,text2,label\na, ,x", "line 2: the text2 is empty"),
    "second text lost": (
        "jsonl",
        '{"text": "a", "text2": "b", "label": 1}\n{"text": "a", "label": 1}',
        "line 2: the text2 is None, it must be a string",
    ),
    "second text late": (
        "jsonl",
        '{"text": "a", "label": 1}\n{"text": "a", "text2": "b", "label": 1}',
        "line 1: the text2 is None, it must be a string",
    ),
    "half an emoji": (
        "jsonl",
        r'{"text": "\ud83d", "label": 1}',
        "line 1: .* half a character",
    ),
    "another kind": ("xlsx", "PK", "a set of your own must be one file: .csv, .tsv, .jsonl"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_file_is_named_with_its_line(case, tmp_path):
    kind, content, message = WRONG[case]
    with pytest.raises(ValueError, match=rf"mine\.{kind}[, :i].*{message}") as error:
        read(tmp_path, kind, content)
    assert len(str(error.value).splitlines()) == 1


def test_ten_examples_are_enough(tmp_path):
    late = [text for text in LATE if split_of(text) == "train"][:10]
    assert read(tmp_path, "csv", as_csv([*ROWS, *((t, "late") for t in late)])).n_classes == 3


def test_what_the_command_line_takes(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere.csv"):
        tasks.load(None, tmp_path / "nowhere.csv")
    read(tmp_path, "csv", GOOD)
    with pytest.raises(
        ValueError, match="is a set of your own: leave out the task name 'mrpc'"
    ):
        tasks.load("mrpc", tmp_path / "mine.csv")
    (tmp_path / "mine.txt").touch()
    with pytest.raises(
        ValueError, match="mine.txt: a set of your own must be one file: .csv, .tsv"
    ):
        tasks.load(None, tmp_path / "mine.txt")
    with pytest.raises(ValueError, match="name a task .*film_snippets.* or give --data"):
        tasks.load(None)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"metric": "auc"}, "metric is 'auc', it must be one of .*accuracy"),
        ({"metric": "pearson"}, "metric is 'pearson', it must be one of .*accuracy"),
        ({"classes": ("a", "b", "c")}, "classes are .*, n_classes is 2"),
    ],
)
def test_what_cannot_be_scored_or_named_is_refused_before_training(more, told):
    with pytest.raises(ValueError, match=told):
        Task("pair", "entailment", 2, [], [], [], **more)


def test_one_side_of_a_pair_or_of_a_context_and_its_choices():
    pair = Task("pair", "entailment", 2, [], [], [])
    choice = Task("choice", "choice", 2, [], [], [])
    example = Example(("so", "good", "bad"), 0)
    sides = [bag_of_words.feature_sets(choice, example, side) for side in (None, 0, 1)]
    assert sides[0] == [("so", "good"), ("so", "bad")]
    assert sides[1:] == [[("so",), ("so",)], [("good",), ("bad",)]]
    assert bag_of_words.feature_sets(pair, Example(("a", "b"), 0), 0) == [("a",)]


def test_a_bag_of_words_in_any_alphabet():
    """Umlauts are letters, and so is Greek; the course's own sets are read as ever."""
    assert bag_of_words.WORDS(("Öl it's",)) == ["0 l", "0 it's", "0 l it's"]
    assert bag_of_words.ANY_WORDS(("Öl ΝΑΙ 3",)) == ["0 öl", "0 ναι", "0 öl ναι"]


def test_the_kinds_of_tasks_are_those_that_make_sequences():
    from gpt1lib.inputs import N_TEXTS
    from gpt1lib.tasks.task import TASK_KINDS

    assert tuple(N_TEXTS) == TASK_KINDS

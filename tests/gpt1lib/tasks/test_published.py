"""The paper's sets in their published formats, from small files of each shape."""

import json

import pytest

from gpt1lib import tasks
from gpt1lib.finetune import data
from gpt1lib.tasks import published


def write(folder, **files):
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        stem, _, ending = name.rpartition("_")
        (folder / f"{stem}.{ending}").write_text(text, encoding="utf-8")
    return folder


GLUE_LINES = {  # header, one line, its texts and label
    "cola": (None, "gj04\t1\t\tOur friends won't buy it.", ("Our friends won't buy it.",), 1),
    "sst-2": ("sentence\tlabel", "a fine film \t1", ("a fine film ",), 1),
    "mrpc": (
        "Quality\t#1 ID\t#2 ID\t#1 String\t#2 String",
        '0\t7\t8\tHe "said so.\tNo.',
        ('He "said so.', "No."),
        0,
    ),
    "sts-b": (
        "index\tgenre\tfilename\tyear\told_index\tsource1\tsource2\tsentence1\t"
        "sentence2\tscore",
        "0\tg\tf\ty\t1\ta\tb\tA man.\tA person.\t3.600",
        ("A man.", "A person."),
        3.6,
    ),
    "qqp": (
        "id\tqid1\tqid2\tquestion1\tquestion2\tis_duplicate",
        "1\t2\t3\tWhy?\tHow?\t0",
        ("Why?", "How?"),
        0,
    ),
    "mnli": (
        "index\tsentence1\tsentence2\tlabel1\tgold_label",
        "0\tAll left.\tSome left.\tneutral\tentailment",
        ("All left.", "Some left."),
        0,
    ),
    "qnli": (
        "index\tquestion\tsentence\tlabel",
        "0\tWho?\tHe did.\tnot_entailment",
        ("Who?", "He did."),
        1,
    ),
    "rte": ("index\tsentence1\tsentence2\tlabel", "0\tA.\tB.\tentailment", ("A.", "B."), 0),
}


@pytest.mark.parametrize("name", published.GLUE)
def test_glue(tmp_path, name):
    header, line, texts, label = GLUE_LINES[name]
    lines = ([header] if header else []) + [line] * 3
    dev = published.GLUE[name].dev.removesuffix(".tsv")
    write(tmp_path, train_tsv="\n".join(lines), **{f"{dev}_tsv": "\n".join(lines)})
    task = tasks.load(name, tmp_path)
    assert task.test == [tasks.Example(texts, label)] * 3
    assert task.train + task.valid == task.test
    assert len(task.test[0].texts) == (1 if task.kind == "classification" else 2)
    bad = line.rsplit("\t", 1)[0] + "\tfoo" if header else line.replace("\t1\t", "\tx\t")
    if name == "mrpc":
        bad = "7" + line[1:]
    write(tmp_path, train_tsv="\n".join([*lines, bad]))
    with pytest.raises(ValueError, match=f"train.tsv, line {len(lines) + 1}: "):
        tasks.load(name, tmp_path)
    write(tmp_path, train_tsv="\n".join([*lines, "one"]))
    if name != "qqp":  # as published it has broken rows
        with pytest.raises(ValueError, match=f"line {len(lines) + 1}: 1 columns"):
            tasks.load(name, tmp_path)
    if header:
        write(tmp_path, train_tsv="some\tthing\n" + line)
        with pytest.raises(ValueError, match="line 1: no column"):
            tasks.load(name, tmp_path)


def test_odd_rows_of_a_table(tmp_path):
    """A byte order mark, a lone carriage return in a text, a very long text, an empty one."""
    long = "word " * 40_000
    rows = ["sentence\tlabel", f"one\rline{long}\t1", "two\u2028lines\t0"]
    for part in ("train", "dev"):
        (tmp_path / f"{part}.tsv").write_bytes(("\ufeff" + "\r\n".join(rows)).encode())
    assert [e.texts[0][:8] for e in tasks.load("sst-2", tmp_path).test] == [
        "one\rline",
        "two\u2028line",
    ]
    (tmp_path / "dev.tsv").write_text("\n".join([*rows, " \t1"]), newline="")
    with pytest.raises(ValueError, match="dev.tsv, line 4: a text is empty"):
        tasks.load("sst-2", tmp_path)
    (tmp_path / "dev.tsv").write_bytes(b"sentence\tlabel\ncaf\xe9\t1")
    with pytest.raises(ValueError, match="dev.tsv is not UTF-8 text: byte 18 is 0xe9"):
        tasks.load("sst-2", tmp_path)


def test_broken_rows_of_qqp_are_left_out_and_counted(tmp_path, capsys):
    header, good = "id\tq1\tq2\tquestion1\tquestion2\tis_duplicate", "1\t2\t3\tone\ttwo\t"
    broken = ["4\t5\t6", "7\t8\t9\tone\t\t0"]
    rows = [header, good + "1", *broken, good + "0"]
    for part in ("train", "dev"):
        (tmp_path / f"{part}.tsv").write_text("\n".join(rows))
    assert [e.label for e in tasks.load("qqp", tmp_path).test] == [1, 0]
    assert "dev.tsv: 2 broken rows of 4 are left out" in capsys.readouterr().out
    (tmp_path / "dev.tsv").write_text("\n".join([*rows, good + "maybe"]))
    with pytest.raises(ValueError, match="dev.tsv, line 6: label 'maybe'"):
        tasks.load("qqp", tmp_path)


def test_json_lines_end_at_new_lines_only(tmp_path):
    text = nli("neutral").replace("A.", "A\u2028B\x85C")
    (tmp_path / "some.jsonl").write_text(text + "\n" + nli("neutral"), encoding="utf-8")
    rows = tasks.read_lines(tmp_path / "some.jsonl", ("gold_label",))
    assert [row["sentence1"] for row in rows] == ["A\u2028B\x85C", "A."]


def nli(label, **more):
    return json.dumps({"gold_label": label, "sentence1": "A.", "sentence2": "B.", **more})


def test_snli_leaves_out_pairs_without_a_label(tmp_path):
    text = "\n".join([nli("neutral"), nli("-"), nli("entailment")])
    for part in ("train", "dev", "test"):
        (tmp_path / f"snli_1.0_{part}.jsonl").write_text(text)
    task = tasks.load("snli", tmp_path)
    assert [e.label for e in task.train] == [2, 0] and task.n_classes == 3
    (tmp_path / "snli_1.0_dev.jsonl").write_text(text + "\n" + nli("maybe"))
    with pytest.raises(ValueError, match="dev.jsonl, line 4: label 'maybe'"):
        tasks.load("snli", tmp_path)


def test_scitail_has_two_labels(tmp_path):
    for part in ("train", "dev", "test"):
        (tmp_path / f"scitail_1.0_{part}.txt").write_text(nli("neutral"))
    task = tasks.load("scitail", tmp_path)
    assert task.n_classes == 2 and task.test[0].label == 1


def test_race_has_articles_and_questions(tmp_path):
    article = {
        "article": "It rained.",
        "questions": ["Was it wet?", "Who _ ?"],
        "options": [["yes", "no", "so", "oh"]] * 2,
        "answers": ["A", "D"],
    }
    for part in ("train", "dev", "test"):
        for level in ("middle", "high"):
            folder = tmp_path / part / level
            folder.mkdir(parents=True)
            (folder / "1.txt").write_text(json.dumps(article))
    task = tasks.load("race", tmp_path)
    assert len(task.train) == 4 and {e.group for e in task.train} == {"middle", "high"}
    first = task.train[0]
    assert first.texts == ("It rained.", "yes", "no", "so", "oh")
    assert first.question == "Was it wet?"
    assert [e.label for e in task.train[:2]] == [0, 3]
    for answer in ("", "AB", "E"):
        changed = json.dumps({**article, "answers": ["A", answer]})
        (tmp_path / "dev/high/1.txt").write_text(changed)
        with pytest.raises(ValueError, match=f"answer is '{answer}', it must be A, B, C or D"):
            tasks.load("race", tmp_path)
    (tmp_path / "dev/high/1.txt").write_text(json.dumps({**article, "answers": ["A"]}))
    with pytest.raises(ValueError, match=r"high.1\.txt: not in RACE"):
        tasks.load("race", tmp_path)


def test_story_cloze(tmp_path):
    header = ",".join(["InputStoryid", *published.CLOZE_COLUMNS])
    row = 'id{},One.,"Two, yes.",Three.,Four.,Good.,Bad.,{}'
    rows = [row.format(i, 1 + i % 2) for i in range(10)]
    for part in ("val", "test"):
        path = tmp_path / published.STORIES.format(part, part)
        path.write_text("\n".join([header, *rows]))
    task = tasks.load("story-cloze", tmp_path)
    assert (len(task.train), len(task.valid), len(task.test)) == (8, 2, 10)
    assert task.test[1].texts == ("One. Two, yes. Three. Four.", "Good.", "Bad.")
    assert [e.label for e in task.test[:2]] == [0, 1]
    path.write_text("\n".join([header, rows[0], row.format(2, 3)]))
    with pytest.raises(ValueError, match="line 3: ending '3'"):
        tasks.load("story-cloze", tmp_path)


def test_unknown_or_missing(tmp_path):
    with pytest.raises(ValueError, match="no published set 'squad', there are cola"):
        tasks.load("squad", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"train.tsv is missing; the paper's sets"):
        tasks.load("rte", tmp_path)
    with pytest.raises(FileNotFoundError, match="has no middle"):
        tasks.load("race", tmp_path)


def test_released_settings_hold_for_stsb():
    """STS-B as in the released utils.py; see finetune.data.graded_target."""
    assert published.GLUE["sts-b"].labels == ()
    assert data.graded_target(3.6) == pytest.approx([0, 0, 0, 0.4, 0.6, 0])

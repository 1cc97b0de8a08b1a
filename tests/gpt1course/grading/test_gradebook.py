"""What comes from a learning platform, and what goes back to it."""

import csv
import io
import re
import zipfile
from pathlib import Path

import pytest

from gpt1course import notebooks
from gpt1course.__main__ import main
from gpt1course.checking.exercise import Verdict, diagnose
from gpt1course.checking.number_exercise import NumberExercise
from gpt1course.exercises import lesson05
from gpt1course.grading import class_view, gradebook, handed_in, report, worker
from gpt1course.grading.worker import Limits, Submitted
from gpt1lib.io.files import read_text
from gpt1lib.io.paths import ROOT

LESSON = ROOT / "notebooks/05_the_causal_mask.ipynb"
JOERG = "Jörg Müller_4711_assignsubmission_file"
UPPER = "That is the upper triangle."


def table(path: Path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(read_text(path))))


@pytest.fixture
def judge(monkeypatch):
    """A judge that finds what a comment in the cell of causal_mask says."""

    def mark(cell, *_):
        if cell.name != "causal_mask":
            return Verdict("not written yet.", status="TODO")
        told = cell.source.partition("# says ")[2].partition("\n")[0]
        return Verdict(told) if told else None

    monkeypatch.setattr(report, "mark_cell", mark)


def hand_in(path: Path, says: str = "") -> bytes:
    """The lesson with a comment for the judge, written there."""
    notebook = notebooks.read(LESSON)
    for cell in notebook.cells:
        if notebooks.mark(cell) == {"exercise": "causal_mask", "part": "stub"}:
            cell.source += f"\n# says {says}\n" if says else ""
    notebooks.write(notebook, path)
    return path.read_bytes()


def zipped(path: Path, members: dict[str, bytes | str]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return path


# ---- from the platform --------------------------------------------------------------------


def test_zips_are_read_and_what_is_not_looked_at_is_named(judge, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    right, wrong = hand_in(tmp_path / "a.ipynb"), hand_in(tmp_path / "b.ipynb", UPPER)
    inner = zipped(tmp_path / "inner.zip", {"mine/05.ipynb": wrong, "mine/notes.txt": "x"})
    members = {f"{JOERG}/05_abgabe.ipynb": right, "Ann Lee_12_assignsubmission_file/x.zip": ""}
    members["Ann Lee_12_assignsubmission_file/x.zip"] = inner.read_bytes()
    members |= {"Fay_13_assignsubmission_file/homework.docx": "x", "__MACOSX/._05": "x"}
    zipped(tmp_path / "all.zip", members)
    assert main(["grade", "all.zip"]) == 0
    rows = {row["student"]: row for row in table(tmp_path / "marks.csv")}
    assert {name: row["causal_mask"] for name, row in rows.items()} == {
        "Jörg Müller": "1",
        "Ann Lee": "0",
    }
    told = capsys.readouterr().out
    assert "homework.docx" in told and "notes.txt" in told and "MACOSX" not in told
    assert "1 of 2\n       once: That is the upper triangle." in told
    assert Path("marks.csv").read_bytes().startswith(b"\xef\xbb\xbf"), "as Excel wants it"


def test_zips_in_a_folder(judge, tmp_path):
    content = hand_in(tmp_path / "a.ipynb")
    zipped(tmp_path / "in/kim.zip", {"05.ipynb": content})
    hand_in(tmp_path / "in/lee/05.ipynb")
    assert main(["grade", str(tmp_path / "in"), "--out", str(tmp_path / "m.csv")]) == 0
    assert {row["student"] for row in table(tmp_path / "m.csv")} == {"kim", "lee"}


def test_a_zip_stays_in_its_folder_and_a_broken_one_is_named(tmp_path):
    outside = zipped(tmp_path / "x.zip", {"../../out.ipynb": "{}", "/etc/in.ipynb": "{}"})
    found, _ = handed_in.unpack([outside], tmp_path / "here")
    assert not (tmp_path / "out.ipynb").exists() and len([*found[0].rglob("*.ipynb")]) == 2
    (tmp_path / "y.zip").write_text("no zip")
    with pytest.raises(ValueError, match="y.zip cannot be unpacked"):
        handed_in.unpack([tmp_path / "y.zip"], tmp_path / "here")


def test_a_zip_that_would_fill_the_disk_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(handed_in, "LARGEST_ZIP", 9)
    told = "x.zip is too large to unpack: it has 10 bytes, at most 9 are unpacked"
    with pytest.raises(ValueError, match=told):
        handed_in.unpack([zipped(tmp_path / "x.zip", {"a": "0" * 10})], tmp_path / "here")
    monkeypatch.setattr(handed_in, "MOST_FILES", 1)
    with pytest.raises(ValueError, match="y.zip is .*: it has 2 files, at most 1 are unpacked"):
        handed_in.unpack([zipped(tmp_path / "y.zip", dict.fromkeys("ab", ""))], tmp_path)
    assert not (tmp_path / "here").exists()


def contents(folders: list[Path]) -> dict[str, str]:
    """What was unpacked: the work of each student, by the folder."""
    found = [path for folder in folders for path in sorted(folder.rglob("*.ipynb"))]
    return {path.read_text(): path.parent.name for path in found}


def test_zips_of_one_name_do_not_overwrite_each_other(tmp_path):
    zips = [zipped(tmp_path / f"{a}/lab.zip", {"Ann/05.ipynb": a}) for a in "ab"]
    zipped(tmp_path / "r1/sub/x.zip", {"Bob/05.ipynb": "c"})
    zipped(tmp_path / "r2/sub/x.zip", {"Bob/05.ipynb": "d"})
    roots = [tmp_path / "r1/sub", tmp_path / "r2/sub"]
    kept, _ = handed_in.unpack([*zips, *roots], tmp_path / "here")
    assert contents(kept) == {"a": "Ann", "b": "Ann", "c": "Bob", "d": "Bob"}
    again, _ = handed_in.unpack(zips[1:], tmp_path / "here")
    assert again == kept[1:2], "a zip keeps its folder, whatever else is given"


def test_zips_in_a_folder_or_in_a_zip_do_not_overwrite_each_other(tmp_path):
    inner = zipped(tmp_path / "inner.zip", {"05.ipynb": "inner"}).read_bytes()
    members = {"Ann/05.ipynb": "outer", "Ann.zip": inner}
    zipped(tmp_path / "in/kim.zip", members)
    zipped(tmp_path / "in/kim.ZIP", {"Ann/05.ipynb": "capital"})
    zipped(tmp_path / "in/kim/Ann.zip", {"05.ipynb": "deeper"})
    kept, others = handed_in.unpack([tmp_path / "in"], tmp_path / "here")
    assert contents(kept).keys() == {"inner", "outer", "capital", "deeper"} and not others


def test_zips_that_are_too_deep_are_named(tmp_path):
    members: dict[str, bytes | str] = {"05.ipynb": "{}"}
    for n in range(5):
        members = {f"{n}.zip": zipped(tmp_path / f"{n}.zip", members).read_bytes()}
    _, others = handed_in.unpack([tmp_path / "4.zip"], tmp_path / "here")
    assert [Path(other).name for other in others] == ["1.zip"]


def test_nothing_of_an_earlier_version_of_a_zip_stays(tmp_path):
    path, here = tmp_path / "lab.zip", tmp_path / "here"
    zipped(path, {"Ann/05.ipynb": "old", "Bob/05.ipynb": "withdrawn"})
    handed_in.unpack([path], here)
    zipped(path, {"Ann/05.ipynb": "new"})
    kept, _ = handed_in.unpack([path], here)
    assert contents(kept) == {"new": "Ann"}
    path.write_text("no zip")
    with pytest.raises(ValueError, match="lab.zip cannot be unpacked"):
        handed_in.unpack([path], here)
    assert contents(kept) == {"new": "Ann"} and len([*here.iterdir()]) == 2, "with the index"


@pytest.mark.parametrize("method", ["ZIP_STORED", "ZIP_DEFLATED", "ZIP_BZIP2", "ZIP_LZMA"])
@pytest.mark.parametrize("is_inner", [False, True])
def test_a_zip_with_damaged_contents_is_named(method, is_inner, tmp_path):
    path, noise = tmp_path / "x.zip", bytes(i * i % 251 for i in range(2000))
    with zipfile.ZipFile(path, "w", getattr(zipfile, method)) as archive:
        archive.writestr("05.ipynb", noise)
    damaged = bytearray(path.read_bytes())
    begin = 60 if method == "ZIP_LZMA" else 38  # of what is damaged, after header and name
    damaged[begin:100] = b"\xff" * (100 - begin)
    path.write_bytes(damaged)
    if is_inner:
        zipped(tmp_path / "all.zip", {"Ann/x.zip": bytes(damaged)})
    if is_inner:
        (kept,), (other,) = handed_in.unpack([tmp_path / "all.zip"], tmp_path / "here")
        assert re.fullmatch(rf"{kept}/Ann/x.zip \(cannot be unpacked: .+\)", other)
        assert [path.name for path in kept.rglob("*")] == ["Ann", "x.zip"], "no part of it"
    else:
        with pytest.raises(ValueError, match="x.zip cannot be unpacked: .+"):
            handed_in.unpack([path], tmp_path / "here")


def test_a_damaged_zip_of_one_student_stops_no_other(judge, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    work = hand_in(tmp_path / "a.ipynb")
    large = zipped(tmp_path / "large.zip", {str(n): "" for n in range(9)}).read_bytes()
    monkeypatch.setattr(handed_in, "MOST_FILES", 8)
    members: dict[str, bytes | str] = {
        "Ann/x.zip": b"no zip",
        "Bob/y.zip": b"",
        "Cid/05.ipynb": work,
        "Dan/z.zip": large,
    }
    members["Eve/e.zip"] = zipped(
        tmp_path / "e.zip", {"05.ipynb": work, "f/inner.zip": "no zip"}
    ).read_bytes()
    zipped(tmp_path / "in/all.zip", members)
    (tmp_path / "in/kim.zip").write_text("no zip")
    hand_in(tmp_path / "in/lee/05.ipynb")
    assert main(["grade", "in"]) == 0
    students = [row["student"] for row in table(tmp_path / "marks.csv")]
    assert len(students) == 3 and "lee" in students
    told = capsys.readouterr().out.partition("not looked at: ")[2]
    why = "cannot be unpacked: File is not a zip file"
    for name in ("Ann/x.zip", "Bob/y.zip", "Eve/e/f/inner.zip"):
        assert re.search(rf"marks_unzipped/in/all/{name} \({why}\)", told), told
    assert re.search(rf"in/kim.zip \({why}\)", told) and "Dan/z.zip (is too large" in told
    (tmp_path / "in2").mkdir()
    (tmp_path / "in2/kim.zip").write_text("no zip")
    with pytest.raises(SystemExit, match="no notebooks in"):
        main(["grade", "in2", "--out", "2.csv"])
    assert re.search(rf"not looked at: in2/kim.zip \({why}\)", capsys.readouterr().out)


@pytest.mark.parametrize(
    ("path", "student"),
    [
        (f"in/{JOERG}/05.ipynb", "Jörg Müller"),
        ("in/leeann_LATE_12_98765_05_the_causal_mask.ipynb", "leeann"),
        ("in/leeann_12_98765_05_the_causal_mask.ipynb", "leeann"),
        ("in/kim/deep/05.ipynb", "kim"),
        ("in/05_kim.ipynb", "05_kim"),
    ],
)
def test_whose_a_notebook_is(path, student, tmp_path):
    (tmp_path / "in").mkdir()
    assert handed_in.student_of(tmp_path / path, [tmp_path / "in"]) == student
    if path.count("/") == 1:
        assert handed_in.student_of(tmp_path / path, [tmp_path / path]) == student


# ---- numbers of one's own -----------------------------------------------------------------


def test_each_student_has_numbers_and_the_grader_knows_them(tmp_path, capsys):
    exercise = worker.exercise_of("05", "visible_scores")
    assert isinstance(exercise, NumberExercise)
    mine, yours = exercise.numbers(0, "Ann"), exercise.numbers(0, "Bob")
    assert len({exercise.first, mine, yours}) == 3 and mine == exercise.numbers(0, "Ann")
    cells = [report.CodeCell('# me\nlesson.check.numbers_for("Ann")')]
    assert report.numbers_for(cells) == "Ann" and report.numbers_for(cells[:0]) == ""
    told = {"answers": worker.serialize.packed([exercise(*mine)]), "raised": None}
    for student, right in (("Ann", True), ("Bob", False), ("", False)):
        cell = worker.Submitted("05", "visible_scores", "", student=student)
        assert (worker._numbers_judged(exercise, cell, told) is None) == right


CALL, LONG = "lesson.check.numbers_for", "A" * 81
NAMED = {  # the code of a notebook -> the name whose numbers it asks about
    f'{CALL}("YOUR NAME")': "YOUR NAME",
    f'# here\n%time\n{CALL}(student="Ann");': "Ann",
    f'{CALL}(" Ann\\t")': "Ann",
    f'{CALL}("  ")': "",
    f'{CALL}("Ann")\n{CALL}("")': "",
    f'{CALL}("\\u00c5sa")': "Åsa",
    f'{CALL}("{LONG}")': LONG,
    f'{CALL}("YOUR NAME")\n{CALL}("O\'Neil")': "O'Neil",
    f'ME = "Ann"\n{CALL}(ME)\nME = "Bob"': "Ann",
    f'# {CALL}("Bob")\ntext = """\n{CALL}("Bob")"""': "",
    f'{CALL}("Ann")\n{CALL}(input())': "Ann",
    f'{CALL}("Bob"': "",
    f'{"-" * 100_000}1\n{CALL}("Bob")': "",
    f'other.check.numbers_for("Bob")\n"\\d"\n{CALL}("Ann")': "Ann",
}


@pytest.mark.parametrize("source", NAMED, ids=range(len(NAMED)))
def test_whose_numbers_a_notebook_asks_about(source, recwarn):
    cells = [report.CodeCell(one) for one in ("1 +", source, "x = 2")]
    assert report.numbers_for(cells) == NAMED[source] and not recwarn.list


def test_the_notebook_and_the_grader_read_a_name_alike(capsys):
    asked = lesson05.visible_scores
    try:
        for source, name in NAMED.items():
            if source.startswith(CALL) and "\n" not in source and source.endswith(")"):
                exec(source, {"lesson": lesson05})
                assert asked.student == name == report.numbers_for([report.CodeCell(source)])
    finally:
        asked.student = ""


def test_a_learner_is_asked_about_numbers_of_their_own(capsys):
    exercise = lesson05.visible_scores
    try:
        lesson05.check.numbers_for(" Ann ")
        asked = capsys.readouterr().out
        numbers = exercise.numbers(0, "Ann")
        assert f"{numbers[0]:,}" in asked and exercise.numbers(0) == numbers
        exercise.check(exercise(*numbers))
        assert capsys.readouterr().out.startswith("PASS")
        exercise.check(exercise(*exercise.first))
        assert not capsys.readouterr().out.startswith("PASS")
    finally:
        exercise.student = ""


# ---- the class ----------------------------------------------------------------------------


def row(student: str, why: str = "", **more) -> dict:
    marks = {"causal_mask": "0" if why else "1", "total": "0" if why else "1", "of": "1"}
    told = {
        "mistakes": f"causal_mask: {why}" if why else "",
        "submission": f"{student}/05.ipynb",
    }
    return {"student": student, "lesson": "05"} | marks | told | more


CLASS = [row(str(i), "not written yet.") for i in range(6)]
CLASS += [row("a", "up"), row("b", "up"), row("c", "row"), row("d", "slow"), row("e", "odd")]
CLASS += [row("f"), row("g", "its cell is missing (or the notebook is of an older version).")]


def test_blanks_do_not_hide_the_mistakes():
    one = class_view.known(CLASS, "05", "causal_mask")
    assert (one.submissions, one.passed, one.blank) == (13, 1, 7)
    assert one.mistakes == (("up", 2), ("row", 1), ("slow", 1))
    assert class_view.in_words(one).split("\n") == [
        "05 causal_mask              1 of 13, 7 blank",
        "       2 times: up",
        "       once: row",
        "       once: slow",
    ]
    told = [*csv.DictReader(io.StringIO(class_view.as_csv([one])))]
    assert [line["mistake"] for line in told] == ["up", "row", "slow"]
    assert {line["blank"] for line in told} == {"7"}


def test_what_is_blank_is_what_the_checks_call_so():
    causal_mask, visible_scores = lesson05.causal_mask, lesson05.visible_scores
    empty = Submitted("05", "causal_mask", "")
    verdicts = [
        diagnose(causal_mask, lambda T: ...),
        visible_scores.diagnose((...,), visible_scores.numbers(0)),
        worker._no_function(empty, {"raised": None}),
    ]
    told = [verdict.message for verdict in verdicts if verdict]
    told.append(report.mistake_in([], "05", "causal_mask", Limits()))
    assert len(told) == len(class_view.BLANK) == 4
    assert all(why.startswith(class_view.BLANK) for why in told)
    source = Path(class_view.__file__).read_text("utf-8")
    assert not any(blank in source for blank in class_view.BLANK)


FORGED = "it raises E: | a | leaks_before: You are a cheat. | causal_mask: | |"


def test_a_student_cannot_speak_for_another_exercise():
    wrong = {"causal_mask": FORGED, "running_mean": "| b |", "leaks_before": "a|b"}
    one = row("a", mistakes=class_view.all_told(wrong))
    told = class_view.told_of(one)
    assert told.keys() == wrong.keys() and told["leaks_before"] == "a|b"
    assert told["causal_mask"] == FORGED.replace("|", "/")
    names = ("causal_mask", "running_mean", "leaks_before")
    assert report._totals(names, wrong, {}, "")["mistakes"] == one["mistakes"]


def test_a_mistake_is_no_formula_for_a_spreadsheet():
    link = '=HYPERLINK("http://a.example")'
    shown = class_view.as_csv([class_view.known([row("a", link)], "05", "causal_mask")])
    assert [*csv.DictReader(io.StringIO(shown))][0]["mistake"] == f"'{link}"


def test_a_long_mistake_is_cut_after_a_word():
    assert class_view.shortened("word " * 40).endswith("word ...")
    assert class_view.shortened("word " * 3) == "word word word"


# ---- to the platform ----------------------------------------------------------------------

HEADER = ",".join(report.FIRST + ["causal_mask"] + report.LAST)
WORKSHEET = """\ufeffIdentifier,Full name,Status,Grade,Maximum grade,Feedback comments
Participant 4711,Jörg Müller,Submitted,,100.00,
Participant 12,"Lee, Ann",Submitted,,100.00,old
Participant 99,Zoe Zed,No submission,,100.00,
"""
CANVAS = """Student,ID,SIS Login ID,Section,Lesson 05 (77),Final Score
    Points Possible,,,,10,(read only)
"Müller, Jörg",4711,jm,A,,
"Lee, Ann",12,al,A,,
"""


@pytest.fixture
def marks(tmp_path):
    rows = [
        row("Jörg Müller", submission=f"in/{JOERG}/05.ipynb", total="4", of="5"),
        row("Ann Lee", UPPER),
        row("Nobody Known", "not written yet."),
    ]
    rows = [dict.fromkeys(report.FIRST, "x") | one for one in rows]
    (tmp_path / "marks.csv").write_text(report.as_csv(rows), encoding="utf-8")
    return tmp_path / "marks.csv"


def book(marks: Path, *arguments: str) -> int:
    return main(["gradebook", str(marks), *arguments])


def filled(marks: Path, text: str, *arguments: str) -> list[dict]:
    given, out = marks.with_name("given.csv"), marks.with_name("filled.csv")
    given.write_text(text, encoding="utf-8")
    book(marks, arguments[0], str(given), "--out", str(out), *arguments[1:])
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    return table(out)


def test_moodles_worksheet_is_filled_in(marks, capsys):
    one, two, three = filled(marks, WORKSHEET, "--moodle")
    assert (one["Grade"], one["Feedback comments"]) == ("80.00", "All exercises passed.")
    assert (two["Grade"], two["Feedback comments"]) == ("0.00", f"causal_mask: {UPPER}")
    assert three["Grade"] == three["Feedback comments"] == ""
    told = capsys.readouterr().out
    assert "2 of 3 students filled in" in told
    assert "not found in" in told and "Nobody Known" in told


def test_a_worksheet_in_german_with_semicolons(marks):
    text = WORKSHEET.replace(",", ";").replace('"Lee; Ann"', '"Lee, Ann"')
    for there, here in (
        ("Grade", "Bewertung"),
        ("Feedback comments", "Feedback als Kommentar"),
    ):
        text = text.replace(f";{there};", f";{here};").replace(f";{there}\n", f";{here}\n")
    given = ["--grade-column", "Bewertung", "--feedback-column", "Feedback als Kommentar"]
    with pytest.raises(SystemExit, match="has no column 'Grade'"):
        filled(marks, text, "--moodle")
    filled_lines = marks.with_name("filled.csv")
    book(
        marks, "--moodle", str(marks.with_name("given.csv")), "--out", str(filled_lines), *given
    )
    assert ";80.00;" in read_text(filled_lines).split("\n")[1]


def test_canvas_gradebook_is_filled_in(marks):
    most, one, two = filled(marks, CANVAS, "--canvas", "--column", "lesson 05")
    assert most["Lesson 05 (77)"] == "10"
    assert one["Lesson 05 (77)"] == "8.00" and two["Lesson 05 (77)"] == "0.00"


def test_a_column_that_may_mean_several_is_not_guessed():
    def place(name: str) -> int:
        header = [
            "Student",
            "ID",
            "Lab 1 extra (9)",
            "Lab 1 (7)",
            "Lab 2 (8)",
            "Quiz",
            "Quiz (3)",
        ]
        return gradebook.Sheet(Path("c.csv"), header, [], ",").place(name)

    assert place("lab 1") == 3 and place("Lab 1 (7)") == 3 and place("Lab 1 e") == 2
    assert place("quiz") == 5 and place("ID") == 1
    with pytest.raises(
        ValueError, match=r"c.csv has several columns for 'Lab': \['Lab 1 extra"
    ):
        place("Lab")
    with pytest.raises(ValueError, match=r"c.csv has no column 'Lab \(7\)', it has"):
        place("Lab (7)")


OTHER_NUMBERS = """Student,ID,SIS User ID,SIS Login ID,Section,Lesson 05 (77)
"Ash, Amy",777,555,aa,A,
"Bee, Bob",555,888,bb,A,
"""


def test_only_the_number_that_the_platform_gave_finds_a_student(tmp_path, capsys):
    rows = [row("beebob", submission="in/beebob_555_9_05.ipynb", total="6", of="6")]
    (tmp_path / "marks.csv").write_text(
        report.as_csv([dict.fromkeys(report.FIRST, "x") | one for one in rows])
    )
    chosen = ["--canvas", "--column", "Lesson 05"]
    amy, bob = filled(tmp_path / "marks.csv", OTHER_NUMBERS, *chosen)
    assert (amy["Lesson 05 (77)"], bob["Lesson 05 (77)"]) == ("", "6")
    with pytest.raises(SystemExit, match=r"given.csv has two rows for beebob \(555\)"):
        filled(tmp_path / "marks.csv", OTHER_NUMBERS.replace("777", "555"), *chosen)
    with pytest.raises(SystemExit, match="has no column 'ID'"):
        filled(tmp_path / "marks.csv", OTHER_NUMBERS.replace(",ID,", ",No.,"), *chosen)
    worksheet = """Identifier,Full name,ID number,Grade,Feedback comments
Participant 21,Amy Ash,22,,
Participant 22,Bob Bee,21,,
"""
    for text in (worksheet, worksheet.replace("Participant ", "Teilnehmer/in")):
        assert filled_with([numbered("B. Bee", 22)], tmp_path, text) == ["", "1"]


def test_a_student_who_handed_in_twice_has_the_better_marks():
    best = gradebook.best_of_each([row("a"), row("a", UPPER), row("b", UPPER)], "")
    assert best["", "a"]["total"] == "1" and best["", "b"]["total"] == "0"
    with pytest.raises(ValueError, match="the lessons 05, 06: choose by --lesson"):
        gradebook.best_of_each([row("a"), row("a", lesson="06")], "")


def numbered(name: str, number: int, why: str = "", **more) -> dict:
    folder = more.pop("folder", "in")
    given = f"{folder}/{name}_{number}_assignsubmission_file/05.ipynb"
    return row(name, why, submission=given, **more)


NAMESAKES = """Identifier,Full name,Status,Grade,Feedback comments
Participant 11,Ann Lee,Submitted,,
Participant 12,Ann Lee,Submitted,,
Participant 13,Ann Lee,Submitted,,
"""


def filled_with(rows: list[dict], tmp_path: Path, text: str) -> list[str]:
    """The grades in Moodle's worksheet, of these marks."""
    rows = [dict.fromkeys(report.FIRST, "x") | one for one in rows]
    (tmp_path / "marks.csv").write_text(report.as_csv(rows), encoding="utf-8")
    return [line["Grade"] for line in filled(tmp_path / "marks.csv", text, "--moodle")]


def test_students_of_one_name_have_each_their_own_marks(tmp_path, capsys):
    rows = [numbered("Ann Lee", 12, UPPER), numbered("Ann Lee", 11), row("Ann Lee", UPPER)]
    assert filled_with(rows, tmp_path, NAMESAKES) == ["1", "0", ""]
    told = capsys.readouterr().out
    assert "2 of 3 students" in told and told.endswith("given.csv: Ann Lee\n")
    assert filled_with([numbered("Ann Lee", 14)], tmp_path, NAMESAKES) == ["", "", ""]
    assert capsys.readouterr().out.endswith("given.csv: Ann Lee (14)\n")


def test_a_name_finds_a_student_only_if_no_other_has_it(tmp_path):
    one = "\n".join(NAMESAKES.split("\n")[:2]) + "\n"
    assert filled_with([row("Ann Lee"), row("Bob")], tmp_path, one) == ["1"]
    assert filled_with([row("Ann Lee"), row("Lee, Ann")], tmp_path, one) == [""]
    assert filled_with([row("Ann Lee")], tmp_path, NAMESAKES) == ["", "", ""]
    assert filled_with([row("?")], tmp_path, one.replace("Ann Lee", "")) == [""]


def test_a_number_that_is_not_of_a_platform_is_not_a_students():
    given = [
        "in/{}_05_1_mask.ipynb",
        "in/{}/lab_12_1_mask.ipynb",
        "m_12_3_unzipped/{}/05.ipynb",
    ]
    for path in given:
        rows = [row(name, submission=path.format(name)) for name in ("kim", "lee")]
        assert gradebook.best_of_each(rows, "").keys() == {("", "kim"), ("", "lee")}
    rows = [row(name, submission=f"in/{name}_12_1_mask.ipynb") for name in ("kim", "lee")]
    cells = [["Lee", "12"], ["Kim", "13"]]
    sheet = gradebook.Sheet(Path("c.csv"), ["Student", "ID"], cells, ",")
    found = gradebook.rows_found(sheet, gradebook.best_of_each(rows, ""), lambda row: row[1])
    assert found == {("12", "lee"): cells[0], ("12", "kim"): cells[1]}


def test_students_of_one_name_have_each_their_own_page():
    found = gradebook.pages([numbered("Ann", 11), numbered("Ann", 12, UPPER), row("Bob")])
    assert found.keys() == {"Ann_11.html", "Ann_12.html", "Bob.html"}
    assert UPPER in found["Ann_12.html"] and UPPER not in found["Ann_11.html"]
    canvas = [row("leeann", submission=f"in/leeann_{n}_9_05.ipynb") for n in (11, 12)]
    assert len(gradebook.pages(canvas)) == 2
    assert len(gradebook.pages([numbered("Ann", 11), row("Ann")])) == 2


def test_moodles_numbers_of_several_assignments_are_of_one_student():
    two = [numbered("Ann", 11), numbered("Ann", 12, UPPER, lesson="06", folder="next")]
    assert gradebook.pages(two).keys() == {"Ann.html"}
    two[1]["lesson"] = "05"
    assert gradebook.pages(two).keys() == {"Ann_11.html", "Ann_12.html"}


def test_each_page_has_a_file_of_its_own_on_every_system():
    names = ["A?", "A*", "a_", "A__2", "aux", "Con.x", "nul .y", "COM1", "Lpt²", "console", "."]
    long = ["é" * 200 + "a", "é" * 200 + "b"]
    found = gradebook.pages([row(name) for name in names + long])
    files = [name.removesuffix(".html") for name in found]
    assert len({name.casefold() for name in files}) == len(names + long)
    assert files[:4] == ["A_", "A__2", "a__3", "A__2_2"]
    assert files[4:11] == ["_aux", "_Con.x", "_nul .y", "_COM1", "_Lpt²", "console", "unnamed"]
    assert all(len(name.encode()) <= 160 for name in files)


def test_a_page_for_each_student(marks, tmp_path):
    assert book(marks, "--feedback", str(tmp_path / "pages")) == 0
    pages = {path.name: path.read_text("utf-8") for path in (tmp_path / "pages").iterdir()}
    assert set(pages) == {"Jörg Müller.html", "Ann Lee.html", "Nobody Known.html"}
    assert "Lesson 05: 4 of 5" in pages["Jörg Müller.html"]
    assert f"<td>causal_mask</td><td>0</td><td>{UPPER}</td>" in pages["Ann Lee.html"]


def test_no_exercise_of_a_submission_that_was_refused_is_called_right(tmp_path):
    fifth = hand_in(tmp_path / "05.ipynb")
    refused = report.marks_of(tmp_path / "05.ipynb", "06", {}, Limits())
    assert fifth and refused["mistakes"] == "this is lesson 05, not 06."
    (page,) = gradebook.pages([{"student": "Ann", **refused}]).values()
    assert "Lesson 06: 0 of" in page and "<p>this is lesson 05, not 06.</p>" in page
    assert "right" not in page and "<td>right</td>" in gradebook.lesson_shown(row("Ann"))


def test_a_page_shows_names_as_text_and_has_a_name_on_every_system():
    page = gradebook.pages([row("a/<b>:", "it returns <x>")])
    assert page.keys() == {"a__b__.html"}
    assert "<h1>a/&lt;b&gt;:</h1>" in page["a__b__.html"]
    assert "&lt;x&gt;" in page["a__b__.html"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([], "name --moodle, --canvas or --feedback"),
        (["--canvas", "given.csv", "--out", "o.csv"], "--column"),
        (["--moodle", "given.csv"], "name another file by --out"),
        (["--moodle", "given.csv", "--out", "given.csv"], "name another file by --out"),
        (["--moodle", "empty.csv", "--out", "o.csv"], "empty.csv has no rows"),
    ],
)
def test_a_wrong_command_is_told_in_a_line(arguments, told, marks, monkeypatch):
    monkeypatch.chdir(marks.parent)
    Path("given.csv").write_text(CANVAS, encoding="utf-8")
    Path("empty.csv").write_text("Identifier\n")
    with pytest.raises(SystemExit, match=told):
        book(marks, *arguments)

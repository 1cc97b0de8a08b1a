"""Marks for submitted lessons: what is handed in, and what no submission gets away with."""

import contextlib
import copy
import csv
import io
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from gpt1course import notebooks
from gpt1course.__main__ import main
from gpt1course.checking.number_exercise import NumberExercise
from gpt1course.grading import bubblewrap, handed_in, report, sandbox, worker
from gpt1course.grading.report import CodeCell
from gpt1course.grading.worker import Limits, Submitted
from gpt1lib.io import paths
from gpt1lib.io.files import read_text

SHIPPED = paths.ROOT / "notebooks/05_the_causal_mask.ipynb"
UNTOUCHED = notebooks.read(SHIPPED)
SOLVED = copy.deepcopy(UNTOUCHED)
notebooks.solve(SOLVED, SHIPPED)
RIGHT = "torch.ones(T, T, dtype=torch.bool).tril()"
CHECK = "\n\ncausal_mask = lesson.check(causal_mask)"


def stub(notebook, name: str):
    parts = ({"exercise": name, "part": "stub"},)
    return next(c for c in notebook.cells if notebooks.mark(c) in parts)


def grade(arguments: list[str]) -> int:
    return main(["grade", *arguments])


def returning(value: str) -> str:
    return f"def causal_mask(T):\n    return {value}{CHECK}"


def submitted(path, cell: str, again: bool = False, name: str = "causal_mask"):
    """The solved lesson, but for one cell."""
    notebook = copy.deepcopy(SOLVED)
    stub(notebook, name).source = cell
    if again:
        notebook.cells[0] = copy.deepcopy(stub(notebook, name))
        notebook.cells[0] |= {
            "source": f"lesson.{name}.another()",
            "metadata": {},
            "id": "again",
        }
    notebooks.write(notebook, path)
    return path


@pytest.fixture
def here(monkeypatch):
    """Cells run in this process, and what they give goes through JSON all the same."""

    def ask(cell: Submitted, imports: str, limits: Limits):
        names = worker.names_before(cell.lesson, imports, cell.name)
        cases = worker.cases_of(cell.lesson, cell.name)
        return json.loads(json.dumps(worker.run_submitted(cases, cell, names, 60.0))), ""

    monkeypatch.setattr(worker, "ask", ask)


def mistakes(path, only: str = "05") -> str:
    row = report.marks_of(path, only, {}, Limits())
    assert float(row["total"]) + len(row["mistakes"].split(" | ")) * bool(row["mistakes"]) <= 6
    return row["mistakes"]


# ---- what is handed in --------------------------------------------------------------------

CELLS = {
    returning(RIGHT): "",
    f"causal_mask = lambda T: {RIGHT}{CHECK}": "",
    f"def mine(T):\n    return {RIGHT}\nmine = lesson.check(mine)": "",
    f"%%time\n!ls\n{returning(RIGHT)}\nprint(undefined)": "",
    f'lesson.check(lambda T: {RIGHT}, name="causal_mask")': "",
    returning("..."): "not written yet.",
    "causal_mask = lesson.check(lesson.causal_mask)": "its cell raises AttributeError",
    "def causal_mask(T)\n    return 1": "its cell raises SyntaxError: expected ':'",
    "causal_mask = 5": "causal_mask is of the type int, it must be a function.",
    "1 + 1": "its cell holds no function causal_mask.",
    returning("helper(T)"): "(Only the exercise's own cell is run here.)",
    returning("torch.ones(T, T, dtype=torch.bool).triu()"): "That is the upper triangle",
    returning("exit()"): "SystemExit",
    returning("type('Yes', (), {'__eq__': lambda s, o: True})()"): "it returns Yes, expected",
    returning("type('Zero', (list,), {'__iter__': 5})()"): "TypeError",
    returning("10 ** 5000"): "int, too long",
}


@pytest.mark.parametrize("cell", CELLS, ids=range(len(CELLS)))
def test_one_cell(here, cell):
    told = report.mistake_in([CodeCell(cell)], "05", "causal_mask", Limits())
    marked = report.mistake_in([CodeCell(cell, "causal_mask")], "05", "causal_mask", Limits())
    assert told == marked or "its cell is missing" in told
    assert CELLS[cell] in marked and bool(CELLS[cell]) == bool(marked)


def test_an_untouched_lesson_gets_nothing_and_a_solved_one_all(here):
    row = report.marks_of(SHIPPED, "", {"causal_mask": 3}, Limits())
    assert (row["lesson"], row["total"], row["of"]) == ("05", "0", "8")
    assert row["mistakes"].count("not written yet") == 5


def test_cells_that_moved_doubled_or_lost_their_marks(here, tmp_path):
    path, notebook = tmp_path / "a.ipynb", copy.deepcopy(SOLVED)
    wrong = copy.deepcopy(stub(notebook, "causal_mask"))
    wrong.source, wrong.id = returning("1"), "wrong"
    notebook.cells.append(wrong)
    for cell in notebook.cells:
        cell.metadata = {}
    notebook.cells.remove(next(c for c in notebook.cells if "def running_mean" in c.source))
    notebooks.write(notebook, path)
    assert mistakes(path).startswith("running_mean: its cell is missing")


def test_a_number_counts_for_the_question_that_was_asked(here, tmp_path):
    exercise = worker.exercise_of("05", "visible_scores")
    assert isinstance(exercise, NumberExercise)
    second = exercise(*exercise.numbers(2))
    for given, again, right in ((second, True, 1), (second, False, 0), ("...", True, 0)):
        cell = f"lesson.visible_scores.check({given})"
        path = submitted(tmp_path / "a.ipynb", cell, again, "visible_scores")
        assert (mistakes(path) == "") == right


NO_NOTEBOOKS = (
    "",
    "%PDF-1.7",
    "[1]",
    "[" * 100_000,
    '{"cells": [{"cell_type": "code"}]}',
    "\xff",
)


@pytest.mark.parametrize("text", NO_NOTEBOOKS, ids=range(6))
def test_what_is_not_a_notebook(tmp_path, text):
    (tmp_path / "05_a.ipynb").write_bytes(text.encode("latin-1"))
    assert mistakes(tmp_path / "05_a.ipynb").startswith("this is not a notebook")


def test_a_file_or_a_cell_that_is_too_large_is_told_with_the_limit(here, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "LARGEST_CELL", 9000)
    large = f"# {'x' * 9000}\n{returning(RIGHT)}"
    path = submitted(tmp_path / "a.ipynb", large)
    told = f"{len(large):,} letters, and at most 9,000 are read."
    assert mistakes(path) == f"causal_mask: its cell has {told}"
    notebook = notebooks.read(path)
    stub(notebook, "causal_mask").metadata = {}
    notebooks.write(notebook, path)
    assert mistakes(path) == f"causal_mask: a cell without a mark has {told}"
    monkeypatch.setattr(report, "LARGEST_FILE", 1000)
    size = path.stat().st_size
    assert mistakes(path) == f"this file has {size:,} bytes, and at most 1,000 are read."


def test_a_notebook_with_its_ending_in_capitals_is_a_submission(tmp_path):
    for name in ("a.ipynb", "B.IPYNB", "c.txt", "ipynb"):
        (tmp_path / name).touch()
    found = report.submissions([tmp_path])
    assert [path.name for path in found] == ["B.IPYNB", "a.ipynb"]
    assert [path.name for path in handed_in.zips_and_others(tmp_path)[1]] == ["c.txt", "ipynb"]


def test_what_a_mac_adds_to_a_zip_is_not_a_submission(tmp_path):
    given = ["Ann/05_x.ipynb", "Ann/._05_x.ipynb", "__MACOSX/Ann/._05_x.ipynb"]
    given += ["__MACOSX/05_x.ipynb", "Ann/.ipynb_checkpoints/05_x-checkpoint.ipynb"]
    for name in given:
        (tmp_path / ".kept" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / ".kept" / name).touch()
    assert report.submissions([tmp_path / ".kept"]) == [tmp_path / ".kept" / given[0]]


# ---- the table ----------------------------------------------------------------------------


def table(path) -> list[dict]:
    return list(csv.DictReader(io.StringIO(read_text(path))))


def test_what_is_marked_stays_and_only_what_changed_is_marked_again(
    here, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    submitted(tmp_path / "=a.ipynb", returning("1"))
    submitted(tmp_path / "in/b/05.ipynb", returning(RIGHT))
    marked = []
    once = report.marks_of
    monkeypatch.setattr(report, "marks_of", lambda p, *o: marked.append(p.name) or once(p, *o))
    for _ in range(2):
        assert grade(["=a.ipynb", "in", "--out", "m.csv"]) == 0
    (tmp_path / "=a.ipynb").write_text("{}")
    (tmp_path / "p.csv").write_text("exercise,points\ncausal_mask;2.5\n")
    monkeypatch.setenv("GPT1_STRICT", "1")
    assert grade(["=a.ipynb", "--out", "m.csv", "--points", "p.csv", "--lesson", "5"]) == 1
    assert marked == ["=a.ipynb", "05.ipynb", "=a.ipynb"]
    a, b = table(tmp_path / "m.csv")
    assert a["submission"] == "'=a.ipynb" and (a["total"], a["of"]) == ("0", "7.5")
    assert b["submission"] == "in/b/05.ipynb" and b["total"] == b["of"] == "6"
    assert grade(["=a.ipynb", "in", "--out", "m.csv", "--points", "p.csv"]) == 1
    assert marked[3:] == ["=a.ipynb", "05.ipynb"], "no lesson is asked for, and other points"
    assert [row["of"] for row in table(tmp_path / "m.csv")] == ["0", "7.5"]


def test_paths_that_are_shown_alike_have_each_their_own_row(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(report, "mistake_in", lambda cells, *_: cells[0].source.strip())
    long = "d/" * 250
    names = ["a b.ipynb", "a  b.ipynb", "a\nb.ipynb", "=c.ipynb", "'=c.ipynb"]
    names += [f"{long}1.ipynb", f"{long}2.ipynb"]
    Path(long).mkdir(parents=True)
    for i, name in enumerate(names):
        cells = [{"cell_type": "code", "source": source} for source in (f"{i} ", CHECK)]
        Path(name).write_text(json.dumps({"cells": cells}), encoding="utf-8")
    for _ in range(2):
        assert grade([*names, "--out", "m.csv"]) == 0
        rows = table(tmp_path / "m.csv")
        told = [row["mistakes"].partition(" | ")[0] for row in rows]
        assert told == [f"causal_mask: {i}" for i in range(7)]
        monkeypatch.setattr(report, "marks_of", None)  # nothing is marked again
    shown = [row["submission"] for row in rows]
    assert len({*shown}) == 7 and shown[0] == "a b.ipynb" and shown[3] == "'=c.ipynb"
    assert all("\n" not in name and name[0] != "=" and len(name) < 420 for name in shown)


def test_other_limits_mark_again_and_what_is_not_a_lesson_is_counted(
    here, tmp_path, monkeypatch, capsys
):
    monkeypatch.chdir(tmp_path)
    submitted(tmp_path / "a.ipynb", returning(RIGHT))
    (tmp_path / "b.ipynb").write_text("{}")
    assert grade(["a.ipynb", "b.ipynb"]) == 0
    assert "not readable as a lesson: 1; see" in capsys.readouterr().out
    full = table(tmp_path / "marks.csv")
    assert full[0]["total"] == "6" and full[0]["limits"] == "10 or more s, 2 GB"
    text = (tmp_path / "marks.csv").read_text()
    late = text.replace('"10 or more s', '"1 s', 1).replace(",6,6,", ",0,6,", 1)
    assert late != text
    (tmp_path / "marks.csv").write_text(late)
    assert grade(["a.ipynb"]) == 0 and table(tmp_path / "marks.csv") == full
    assert grade(["a.ipynb", "--seconds", "60"]) == 0
    assert [row["limits"] for row in table(tmp_path / "marks.csv")] == [
        "60 s, 2 GB",
        "10 or more s, 2 GB",
    ]


def test_what_was_marked_for_another_lesson_is_marked_again(here, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    submitted(tmp_path / "a.ipynb", returning(RIGHT))
    asked = [["--lesson", "5"], ["--lesson", "6"], ["--lesson", "05"], [], ["--lesson", "06"]]
    found = []
    for more in asked:
        assert grade(["a.ipynb", *more]) == 0
        row = table(tmp_path / "marks.csv")[0]
        found.append((row["asked_for"], row["lesson"], row["total"]))
    right, wrong = ("05", "6"), ("06", "0")
    assert [total for _, *total in found] == [
        [*one] for one in (right, wrong, right, right, wrong)
    ]
    assert [asked for asked, *_ in found] == ["05", "06", "05", "", "06"]
    assert "this is lesson 05, not 06." in row["mistakes"]
    monkeypatch.setattr(report, "marks_of", None)  # nothing is marked again
    assert grade(["a.ipynb", "--lesson", "6"]) == 0


def test_a_table_of_before_the_lesson_was_remembered(here, tmp_path):
    out, given = tmp_path / "m.csv", submitted(tmp_path / "a.ipynb", returning(RIGHT))
    for more in (["--lesson", "6"], []):
        assert grade([str(given), "--out", str(out), *more]) == 0
        rows = [{k: v for k, v in row.items() if k != "asked_for"} for row in table(out)]
        with out.open("w", newline="", encoding="utf-8") as f:
            writer = csv.DictWriter(f, rows[0])
            writer.writeheader()
            writer.writerows(rows)
    assert table(out)[0]["total"] == "6", "marked again"
    assert grade([str(SHIPPED), "--out", str(out)]) == 0
    assert [row["asked_for"] for row in table(out)] == ["?", ""]


def test_a_wrong_command_is_told_in_a_line(tmp_path):
    (tmp_path / "p.csv").write_text("causal_task,2\n")
    (tmp_path / "m.csv").write_text("name,grade\n")
    given = [str(SHIPPED), "--out", str(tmp_path / "m.csv")]
    for more, told in (
        (["--lesson", "77"], "there is no lesson '77'"),
        (["--points", str(tmp_path / "p.csv")], "line 1: no lesson has .* 'causal_task'"),
        ([], "is not a table of marks"),
        (["--seconds", "-3"], "--seconds is -3.0, it must be above 0 and at most 3600"),
        (["--seconds", "nan"], "--seconds is nan"),
        (["--gigabytes", "0"], "--gigabytes is 0.0, it must be .* >= 0.1 and <= 1024"),
        (["--out", str(tmp_path)], "a folder; name a file in it"),
    ):
        with pytest.raises(SystemExit, match=told):
            grade([*given, *more])
    assert (tmp_path / "m.csv").read_text() == "name,grade\n"
    (tmp_path / "m.csv").write_text(report.as_csv([]).replace("total", "comment,total"))
    with pytest.raises(SystemExit, match="has a column 'comment' of your own"):
        grade(given)
    with pytest.raises(SystemExit, match="no notebooks in"):
        grade([str(tmp_path)])
    with pytest.raises(SystemExit, match="there is no a.ipynb, no b.ipynb"):
        grade(["a.ipynb", str(SHIPPED), "b.ipynb"])


DAMAGED_TABLES = {
    "doubled": (lambda text: text + text, "row 3 names a lesson 'lesson', which there is not"),
    "cut off": (lambda text: text[: text.index(",6,6")], "row 2 has not as many fields"),
    "a field more": (lambda text: text[:-1] + ",7\n", "row 2 has not as many fields"),
    "a word": (lambda text: text.replace(",6,6,", ",six,6,"), "row 2 has 'six' for total"),
    "a long field": (lambda text: text[:-1] + "a" * 200_000, "is not a table of marks: field"),
}


@pytest.mark.parametrize("kind", DAMAGED_TABLES)
def test_a_damaged_table_is_told_and_stays(here, tmp_path, kind):
    damage, told = DAMAGED_TABLES[kind]
    out, given = tmp_path / "m.csv", submitted(tmp_path / "a.ipynb", returning(RIGHT))
    assert grade([str(given), "--out", str(out)]) == 0
    out.write_text(damage(out.read_text()))
    before = out.read_text()
    with pytest.raises(SystemExit, match=told) as stopped:
        grade([str(given), "--out", str(out)])
    assert str(out) in str(stopped.value) and out.read_text() == before


@pytest.mark.parametrize("ending", [b"\r", b"\r\n"])
def test_a_table_with_other_line_endings_is_read(here, tmp_path, monkeypatch, ending):
    out, given = tmp_path / "m.csv", submitted(tmp_path / "a.ipynb", returning(RIGHT))
    assert grade([str(given), "--out", str(out)]) == 0
    rows = table(out)
    out.write_bytes(b"".join(line + ending for line in out.read_bytes().splitlines()))
    monkeypatch.setattr(report, "marks_of", None)  # nothing is marked again
    assert grade([str(given), "--out", str(out)]) == 0 and table(out) == rows


# ---- the process --------------------------------------------------------------------------

HOSTILE = {
    "causal_mask": """
import builtins, gpt1course.grading.worker as a, gpt1course.checking.compare as c
a.compared = a._judged = lambda *_: None
c.same = a.serialize.packed = lambda *_, **__: True
builtins.all = lambda _: True
def causal_mask(T):
    return torch.zeros(T, T)""",
    "running_mean": "from gpt1course.exercises.lesson05 import running_mean",
    "masked_softmax": """
from pathlib import Path
def masked_softmax(scores):
    Path("FOLDER/owned").write_text("x")""",
    "leaks_before": """
import os
from dataclasses import replace
def leaks_before(*_):
    try:
        torch.save({}, "FOLDER/owned_by_native_code")
    finally:
        os._exit(0)""",
    "mask_with_cache": """
def mask_with_cache(*_):
    while True:
        try:
            while True:
                1 + 1
        except BaseException:
            pass""",
}


def limit_the_endless(monkeypatch, name):
    """Little time for one cell alone: the others may have to wait for the machine."""
    ask = worker.ask

    def limited(cell, imports, limits):
        endless = cell.name == name
        monkeypatch.setattr(worker, "GRACE", 0.5 if endless else 60.0)
        return ask(cell, imports, replace(limits, seconds=2.0 if endless else 60.0))

    monkeypatch.setattr(worker, "ask", limited)


def test_hostile_cells_are_marked_rightly_and_change_nothing(tmp_path, monkeypatch):
    limit_the_endless(monkeypatch, "mask_with_cache")
    forked = multiprocessing.get_context("fork")  # it has nothing to import
    monkeypatch.setattr(worker, "_context", lambda: forked)
    notebook = copy.deepcopy(SOLVED)
    for name, source in HOSTILE.items():
        stub(notebook, name).source = source.replace("FOLDER", str(tmp_path))
    notebooks.write(notebook, tmp_path / "a.ipynb")
    row = report.marks_of(tmp_path / "a.ipynb", "05", {}, Limits())
    told = dict(one.split(": ", 1) for one in row["mistakes"].split(" | "))
    assert row["visible_scores"] == row["total"] == "1" and told.keys() == HOSTILE.keys()
    assert not (tmp_path / "owned").exists()
    assert not (tmp_path / "owned_by_native_code").exists() or not sandbox.landlock_version()
    assert "ended Python itself (exit code 0)" in told["leaks_before"]
    assert "its cell holds no function running_mean" in told["running_mean"]
    assert "a submission may not write" in told["masked_softmax"]
    assert "was still running" in told["mask_with_cache"]


CHEATS = {
    "causal_mask": """
import json
def causal_mask(T):
    size = FILE_SIZE
    text = bytes(torch.from_file("NEIGHBOR", size=size, dtype=torch.uint8).tolist())
    names = {"torch": torch, "lesson": lesson}
    cells = [c for c in json.loads(text)["cells"] if "def causal_mask" in "".join(c["source"])]
    exec("".join(cells[0]["source"]), names)
    return names["causal_mask"](T)""",
    "running_mean": """
import os
def running_mean(*_):
    return os.listdir("FOLDER")""",
    "masked_softmax": """
import sys
def masked_softmax(scores):
    frame = sys._getframe()
    while frame:
        for value in frame.f_locals.values():
            if hasattr(value, "solution_text") and value.name == "masked_softmax":
                return value(scores)
        frame = frame.f_back""",
    "leaks_before": """
import gc
def leaks_before(*arguments):
    for thing in gc.get_objects():
        if type(thing).__name__ not in ("Exercise", "function"):
            continue
        name = getattr(thing, "name", getattr(thing, "__name__", ""))
        ours = "gpt1course" in str(getattr(thing, "__module__", ""))
        if ours and name == "leaks_before":
            return thing(*arguments)""",
    "mask_with_cache": """
import _posixsubprocess, os, sys, threading, time, gpt1course.exercises.lesson05 as l
def stay():
    os.setsid()
    open("stays", "w").close()
    time.sleep(60)
read, write = os.pipe()
program, none = [b"/bin/true"], [None] * 3
given = [program, program, True, (write,), None, None, *[-1] * 6, read, write, False, False, -1,
         *none, -1, stay, False]
def begin():
    for n in (len(given), len(given) - 1):  # a later Python has one argument less
        try:
            return _posixsubprocess.fork_exec(*given[:n])
        except TypeError:
            pass
threading.Thread(target=begin, daemon=True).start()
for _ in range(600):
    if not os.path.exists("stays"):
        time.sleep(0.1)
assert os.path.exists("stays")
def mask_with_cache(*arguments):
    names = {"__name__": "again"}
    exec(open(l.__file__).read(), names)
    return names["mask_with_cache"](*arguments)""",
}


def processes_in(folder) -> list[str]:
    """The processes that work in a folder, or in one below it that has been removed."""
    places = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            places.append(os.readlink(process / "cwd"))
        except OSError:  # it has ended
            pass
    return [place for place in places if place.startswith(str(folder))]


@pytest.mark.skipif(not sandbox.landlock_version(), reason="this kernel has no Landlock")
def test_nothing_leads_to_an_answer_and_nothing_outlives_its_marking(
    tmp_path, tmp_path_factory, monkeypatch
):
    short = tmp_path_factory.mktemp("c")  # the path of a socket has a limit of 108 characters
    monkeypatch.setattr(tempfile, "tempdir", str(short))
    neighbor = tmp_path / "in/neighbor.ipynb"
    neighbor.parent.mkdir()
    notebooks.write(SOLVED, neighbor)
    notebook = copy.deepcopy(SOLVED)
    names = {"FOLDER": neighbor.parent, "NEIGHBOR": neighbor}
    for name, source in CHEATS.items():
        for word, value in {**names, "FILE_SIZE": neighbor.stat().st_size}.items():
            source = source.replace(word, str(value))
        stub(notebook, name).source = source
    notebooks.write(notebook, tmp_path / "in/a.ipynb")
    limits = Limits(hidden=report.folders_of([neighbor]))
    row = report.marks_of(tmp_path / "in/a.ipynb", "05", {}, limits)
    told = dict(one.split(": ", 1) for one in row["mistakes"].split(" | "))
    assert row["visible_scores"] == row["total"] == "1" and told.keys() == CHEATS.keys(), told
    assert "Permission denied" in told["causal_mask"] + told["running_mean"], told
    assert "Permission denied" in told["mask_with_cache"], told
    assert "returns None" in told["masked_softmax"] and "returns None" in told["leaks_before"]
    assert row["isolation"] == "isolated" or "processes" in row["isolation"]
    assert not processes_in(tmp_path) or "processes" in row["isolation"]


@pytest.mark.skipif(sys.platform != "linux", reason="it looks into /proc")
def test_a_submission_has_no_file_of_its_parents(monkeypatch):
    """Else it could write into the pipes by which processes are started."""
    forked = multiprocessing.get_context("fork")
    monkeypatch.setattr(worker, "_context", lambda: forked)
    cell = returning(f"{RIGHT} if len(open_files) == 5 else open_files")  # its own, one pipe
    cell = f"import os\nopen_files = os.listdir('/proc/self/fd')\n{cell}"
    verdict = worker.mark_cell(
        Submitted("05", "causal_mask", cell), report.imports_in("05"), Limits(seconds=60.0)
    )
    assert verdict is None, verdict.message


def test_a_process_that_does_not_start_is_an_error(monkeypatch):
    """No mark: the answer may be right."""
    monkeypatch.setattr(worker, "_context", lambda: multiprocessing.get_context("fork"))
    monkeypatch.setattr(worker, "_unclosed", lambda pipe: None)
    cell = Submitted("05", "causal_mask", returning(RIGHT))
    with pytest.raises(RuntimeError, match="a process did not start"):
        worker.mark_cell(cell, report.imports_in("05"), Limits())
    assert "Raises RuntimeError" in (worker.mark_cell.__doc__ or "")


def test_a_process_that_has_just_ended_is_no_error():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    sandbox._kill(process.pid)


FILLS = {
    "a large file": """
with open("f", "wb") as f:
    while True:
        f.write(bytes(10**6))
""",
    "many large files": """
for n in range(10**6):
    with open(f"f{n}", "wb") as f:
        f.write(bytes(10**6))
""",
    "many small files": "for n in range(10**6):\n    open(f'f{n}', 'wb').close()",
    "files without a name": """
import os
kept = []
while True:
    kept.append(open("f", "wb"))
    kept[-1].write(bytes(10**6))
    os.remove("f")
""",
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limits are Linux's")
@pytest.mark.parametrize(
    ("kind", "why"),
    [
        ("a large file", "File too large"),
        ("many large files", "it wrote more than 20 MB to the disk and was stopped."),
        ("many small files", "it wrote more than 1,000 files and was stopped."),
        ("files without a name", "Too many open files"),
    ],
)
def test_a_submission_that_fills_the_disk_is_stopped_and_told_so(monkeypatch, kind, why):
    forked = multiprocessing.get_context("fork")
    monkeypatch.setattr(worker, "_context", lambda: forked)
    monkeypatch.setattr(sandbox, "LARGEST_FILE", 5_000_000)
    monkeypatch.setattr(sandbox, "MOST_WRITTEN", 20_000_000)
    monkeypatch.setattr(sandbox, "MOST_FILES", 1000)
    cell = Submitted("05", "causal_mask", f"{FILLS[kind]}\n{returning(RIGHT)}")
    verdict = worker.mark_cell(cell, report.imports_in("05"), Limits(seconds=60.0))
    assert verdict is not None and why in verdict.message


def test_the_limits_of_the_disk_are_told():
    told = (paths.ROOT / "teaching" / "README.md").read_text(encoding="utf-8")
    megabytes = sandbox.MOST_WRITTEN // 1_000_000
    assert f"{megabytes} MB and {sandbox.MOST_FILES:,} files" in " ".join(told.split())


def test_what_a_submission_has_written_is_counted(tmp_path, monkeypatch):
    monkeypatch.setattr(sandbox, "MOST_FILES", 50)
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "loop").symlink_to(tmp_path)
    (tmp_path / "a" / "b" / "f").write_bytes(bytes(100_000))
    assert sandbox.too_much_in(str(tmp_path)) == ""
    monkeypatch.setattr(sandbox, "MOST_WRITTEN", 90_000)
    assert "MB to the disk" in sandbox.too_much_in(str(tmp_path))
    monkeypatch.setattr(sandbox, "MOST_WRITTEN", 200_000)
    for n in range(50):
        (tmp_path / "a" / f"{n}").touch()
    assert sandbox.too_much_in(str(tmp_path)) == "it wrote more than 50 files"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no paths of that length")
def test_folders_thousands_deep_are_removed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with worker.own_folder() as folder:
        os.chdir(folder)
        for _ in range(3000):
            os.mkdir("a")
            os.chdir("a")
        os.chdir(tmp_path)
    assert not os.path.exists(folder)


ENDLESS = """
open("begun", "w").close()
while True:
    pass"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "killpg"), reason="Windows sends Ctrl-C otherwise")
def test_ctrl_c_is_one_sentence(tmp_path, tmp_path_factory):
    short = tmp_path_factory.mktemp("c")  # as above
    given = submitted(tmp_path / "a.ipynb", ENDLESS)
    command = [sys.executable, "-m", "gpt1course", "grade", given, "--out", tmp_path / "m.csv"]
    grading = subprocess.Popen(
        [*map(str, command)],
        env=os.environ | {"TMPDIR": str(short), "PYTHONPATH": str(paths.ROOT)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        while grading.poll() is None and not list(short.glob("*/*/begun")):
            time.sleep(0.1)
        os.killpg(grading.pid, signal.SIGINT)  # as a terminal does
        said = grading.communicate(timeout=300)[1]
    finally:
        with contextlib.suppress(ProcessLookupError):  # if all is well
            os.killpg(grading.pid, signal.SIGKILL)
    assert said.strip().splitlines()[-1] == "grade: stopped. To go on: the same command"
    assert "Traceback" not in said and not list(short.glob("*/*/begun"))


def test_bubblewrap_lets_nothing_be_changed(tmp_path):
    """Not even what Landlock does not know: the rights of a file."""
    if bubblewrap.python() is None:
        pytest.skip("no bubblewrap on this machine, or it may not make namespaces")
    kept = tmp_path / "marks.csv"
    kept.touch(0o644)
    process = worker._context().Process(target=os.chmod, args=(str(kept), 0o600))
    process.start()
    process.join(300)
    assert process.exitcode == 1 and kept.stat().st_mode & 0o777 == 0o644


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no fork server")
def test_the_walls_are_for_submissions_alone(tmp_path):
    """Another process of this program, by a server begun before or after ours, may write."""
    script = (
        "import multiprocessing, os, pathlib, sys\n"
        "from gpt1course.grading import worker\n"
        "if __name__ == '__main__':\n"
        "    for name in sys.argv[1:]:\n"
        "        others = multiprocessing.get_context('forkserver')\n"
        "        p = others.Process(target=pathlib.Path.touch, args=(pathlib.Path(name),))\n"
        "        ours = worker._context().Process(target=os.getcwd)\n"
        "        for process in (p, ours):\n"
        "            process.start()\n"
        "            process.join()\n"
        "            assert process.exitcode == 0\n"
    )
    made = [tmp_path / "one.txt", tmp_path / "two.txt"]
    program = tmp_path / "both.py"
    program.write_text(script)
    done = subprocess.run([sys.executable, program, *made], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert all(path.exists() for path in made)


def test_a_bubblewrap_that_may_do_nothing_is_not_used(tmp_path, monkeypatch):
    program = tmp_path / "bwrap"
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert bubblewrap.python() is None


def test_walls_that_stay_open_are_told_in_the_table(here, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(worker, "UNCLOSED", {"files", "network"})
    submitted(tmp_path / "a.ipynb", returning(RIGHT))
    assert grade([str(tmp_path), "--out", str(tmp_path / "m.csv")]) == 0
    assert table(tmp_path / "m.csv")[0]["isolation"] == "not isolated: network, files"
    assert "not isolated: network, files" in capsys.readouterr().out


@pytest.mark.skipif(sys.platform != "linux", reason="the calls are Linux's")
def test_every_refusal_of_the_kernel_is_noticed(tmp_path, monkeypatch):
    libc = SimpleNamespace(syscall=lambda *_: -1, prctl=lambda *_: -1, unshare=lambda *_: -1)
    monkeypatch.setattr(sandbox, "_libc", lambda: libc)
    assert not sandbox._restrict_files(str(tmp_path), ())
    monkeypatch.setattr("resource.setrlimit", lambda *_: (_ for _ in ()).throw(ValueError))
    assert not sandbox._limit_resources(1.0)


LIMITED = """
import os, resource, threading
from gpt1course.grading import sandbox
os.setuid(65534)
sandbox.MOST_TASKS = 20
assert sandbox._limit_resources(4.0)
begun, end = 0, threading.Event()
try:
    while begun < 2000:
        threading.Thread(target=end.wait).start()
        begun += 1
except RuntimeError:
    pass
end.set()
print(begun)
"""


@pytest.mark.skipif(sys.platform != "linux" or os.getuid() != 0, reason="it takes root")
def test_a_submission_has_only_so_many_threads():
    """Tried as the user nobody: the kernel does not count root's."""
    environment = os.environ | {"PYTHONPATH": str(paths.ROOT)}
    given = {"env": environment, "capture_output": True, "text": True, "cwd": "/"}
    done = subprocess.run([sys.executable, "-c", LIMITED], **given)
    assert done.returncode == 0, done.stderr
    assert 0 < int(done.stdout) <= 20


def test_one_broken_link_does_not_stop_the_others(here, tmp_path):
    submitted(tmp_path / "in/a.ipynb", returning(RIGHT))
    (tmp_path / "in/b.ipynb").symlink_to(tmp_path / "gone.ipynb")
    (tmp_path / "in/c.ipynb").symlink_to(tmp_path / "in/c.ipynb")
    assert grade([str(tmp_path / "in"), "--out", str(tmp_path / "m.csv")]) == 0
    rows = table(tmp_path / "m.csv")
    assert [row["total"] for row in rows] == ["6", "0", "0"]
    assert all(row["mistakes"].startswith("this is not a notebook") for row in rows[1:])


def test_the_walls_of_python(tmp_path):
    hook = sandbox.watch(str(tmp_path), (str(paths.DATA),))
    hook("open", (str(tmp_path / "x"), "w", os.O_WRONLY))
    hook("open", (__file__, "r", os.O_RDONLY))
    hook("os.remove", (str(tmp_path / "x"), -1))
    for event, arguments in (
        ("open", (f"{tmp_path}2", "w", os.O_WRONLY)),
        ("open", (str(tmp_path / "../x"), "a", os.O_CREAT)),
        ("open", (str(paths.DATA / "README.md"), "r", os.O_RDONLY)),
        ("os.remove", (__file__, -1)),
        ("os.rename", (str(tmp_path / "x"), __file__, -1, -1)),
        ("os.fork", ()),
        ("os.kill", (1, 9)),
        ("socket.connect", (None, ("localhost", 80))),
        ("ctypes.dlopen", (None,)),
    ):
        with pytest.raises(PermissionError, match="a submission may not"):
            hook(event, arguments)

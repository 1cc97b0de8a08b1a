"""Copies to hand out: what they leave out, and that they still run and are graded."""

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest

from gpt1course import handout, notebooks
from gpt1course.__main__ import main, parse
from gpt1course.grading import report
from gpt1course.grading.worker import Limits
from gpt1lib.io.paths import ROOT
from tools.notebooks import commands as tools

LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
LESSON = next(path for path in LESSONS if path.name.startswith("05"))
WANTED = [4, 5, 7]


def of_part(notebook, part: str) -> list:
    return [cell for cell in notebook.cells if notebooks.mark(cell).get("part") == part]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_no_copy_without_solutions_shows_one(path):
    known = notebooks.exercises_of(path)
    text = json.dumps(handout.copy_of(path, True, False, []).cells, ensure_ascii=False)
    assert "<summary>Solution" not in text
    whole = json.dumps(notebooks.read(path).cells, ensure_ascii=False)
    for exercise in known.values():
        shown = json.dumps(exercise.solution_shown(), ensure_ascii=False)[1:-1]
        assert shown in whole and shown not in text, exercise.name


@pytest.mark.parametrize(
    ("hints", "solutions", "summaries"),
    [
        (True, True, ["Hint 1", "Hint 2", "Solution"]),
        (True, False, ["Hint 1", "Hint 2"]),
        (False, True, ["Solution"]),
        (False, False, []),
    ],
)
def test_what_is_folded_below_an_exercise(hints, solutions, summaries):
    cells = of_part(handout.copy_of(LESSON, hints, solutions, []), "hints")
    shown = [c.source for c in cells if notebooks.mark(c)["exercise"] == "causal_mask"]
    found = [line for source in shown for line in source.split("<summary>")[1:]]
    assert [line.split("</summary>")[0] for line in found] == summaries


def test_a_copy_with_everything_is_the_lesson():
    assert handout.copy_of(LESSON, True, True, []) == notebooks.read(LESSON)


def sheet(path: Path, wanted: list[int]):
    return handout.copy_of(path, True, True, wanted)


def test_the_command_to_mark_it_can_be_typed(monkeypatch):
    command = ["/my folder/python", "-m", "gpt1course", "--sections", "4", "5"]
    monkeypatch.setattr(handout.os, "name", "posix")
    assert handout.as_typed(command) == "'/my folder/python' -m gpt1course --sections 4 5"
    monkeypatch.setattr(handout.os, "name", "nt")
    assert handout.as_typed(command) == '"/my folder/python" -m gpt1course --sections 4 5'


def test_a_lab_sheet_has_its_sections_and_their_exercises():
    made = sheet(LESSON, WANTED)
    headings = [c.source.split("\n")[0] for c in made.cells if c.source.startswith("## ")]
    numbers = [line[3] for line in headings if line[3].isdigit()]
    assert numbers == ["4", "5", "7"] and "## Recall" in headings
    asked = {notebooks.mark(cell)["exercise"] for cell in of_part(made, "stub")}
    assert asked == {"causal_mask", "masked_softmax"}
    assert asked == handout.exercises_on_sheet(LESSON, WANTED)
    assert "**Lab sheet:** sections 4, 5, 7 ·" in made.cells[0].source
    hidden = [c for c in made.cells if c.source.startswith("%%capture")]
    assert len(hidden) == 2 and all(c.metadata["jupyter"]["source_hidden"] for c in hidden)
    assert "leaks_before = lesson.leaks_before.solution" in hidden[1].source


def one_section_each() -> list[tuple[Path, int]]:
    return [
        (path, number)
        for path in LESSONS
        for number in handout.numbers_in(handout.sections(notebooks.read(path).cells))
    ]


def test_every_section_alone_has_all_names_that_it_needs(tmp_path):
    for path, number in one_section_each():
        notebooks.write(sheet(path, [number]), tmp_path / f"{path.name[:2]}_{number}.ipynb")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", tmp_path]
    done = subprocess.run(ruff, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_names_that_are_missing_are_found(tmp_path):
    made = sheet(LESSON, [5])
    made.cells = [c for c in made.cells if not c.source.startswith("%%capture")]
    notebooks.write(made, tmp_path / "a.ipynb")
    ruff = [sys.executable, "-m", "ruff", "check", "--isolated", "--select", "F821", tmp_path]
    assert "Undefined name" in subprocess.run(ruff, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_a_lab_sheet_runs_and_shows_nothing_of_its_set_up():
    made = sheet(LESSON, WANTED)
    tools.execute(made, LESSON.parent)
    hidden = [c for c in made.cells if c.source.startswith("%%capture")]
    assert [cell.outputs for cell in hidden] == [[], []]


def test_a_lab_sheet_is_graded_by_its_own_exercises(tmp_path, monkeypatch):
    monkeypatch.setattr(report, "mark_cell", lambda cell, *_: None)
    made = copy.deepcopy(sheet(LESSON, WANTED))
    notebooks.solve(made, LESSON)
    notebooks.write(made, tmp_path / "in/05_the_causal_mask_lab.ipynb")
    given = ["grade", str(tmp_path / "in"), "--out", str(tmp_path / "m.csv"), "--lesson", "5"]
    monkeypatch.setenv("GPT1_STRICT", "1")
    assert main(given) == 1, "the other exercises are missing"
    assert main([*given, "--sections", "4", "5", "7"]) == 0
    row = report.marked_before(tmp_path / "m.csv").popitem()[1]
    assert (row["total"], row["of"], row.get("mistakes", "")) == ("2", "2", "")
    assert row["causal_mask"] == "1" and "leaks_before" not in row
    again = report.worth_nothing("05", WANTED)
    assert report.is_marked(row, tmp_path / "in/05_the_causal_mask_lab.ipynb", again, Limits())


def test_the_command_writes_a_copy_and_says_how_it_is_graded(tmp_path, capsys):
    assert main(["handout", "5", "--no-solutions", "--out", str(tmp_path)]) == 0
    assert (tmp_path / LESSON.name).is_file()
    assert "grade submissions --lesson 05" in capsys.readouterr().out
    assert main(["handout", "05", "--sections", "4", "--out", str(tmp_path)]) == 0
    assert (tmp_path / f"{LESSON.stem}_lab.ipynb").is_file()
    said = capsys.readouterr().out.partition("python -m gpt1course ")[2]
    asked = parse(said.split())  # as it is printed
    assert (asked.lesson, asked.sections) == ("05", [4])
    assert asked.submissions == [Path("submissions")]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["handout", "77"], "there is no lesson '77'"),
        (["handout", "05", "--sections", "4", "99"], "no section 99; it has 1 to 16"),
        (["grade", "x.ipynb", "--sections", "4"], "--sections needs --lesson"),
    ],
)
def test_a_wrong_request_is_told_in_a_line(arguments, told, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("x.ipynb").write_text("{}")
    with pytest.raises(SystemExit, match=told):
        main(arguments)

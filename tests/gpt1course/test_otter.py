"""A lesson for otter-grader: marked for its commands, which grade it if installed."""

import json
import os
import subprocess
from pathlib import Path

import nbformat
import pytest

from gpt1course import notebooks, otter
from gpt1course.__main__ import main
from gpt1lib.io.paths import ROOT

LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
PROGRAM = os.environ.get("GPT1_OTTER")


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_each_exercise_is_a_question_with_a_test_that_prints_nothing(path):
    notebook, known = notebooks.read(path), notebooks.exercises_of(path)
    otter.convert(notebook, path)
    raw = [cell.source for cell in notebook.cells if cell.cell_type == "raw"]
    asked = [x.splitlines()[1] for x in raw if x.startswith("# BEGIN QUESTION")]
    assert sorted(asked) == sorted(f"name: {name}" for name in known)
    assert raw.count("# BEGIN TESTS") == raw.count("# END TESTS") == len(known)
    for mark, cell in zip(notebook.cells, notebook.cells[1:], strict=False):
        if mark.source == "# BEGIN SOLUTION":
            assert cell.source.count("# BEGIN SOLUTION") == 1
            compile(cell.source, "solution", "exec")
        if mark.source == "# BEGIN TESTS":
            assert "assert verdict is None" in cell.source and ".check(" not in cell.source
            compile(cell.source, "test", "exec")
    assert "<summary>Solution" not in json.dumps(notebook.cells)
    nbformat.validate(notebook)


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM, reason="GPT1_OTTER names no otter")
def test_otter_assigns_a_lesson_and_grades_it(tmp_path):
    main(["otter", "05", "--out", str(tmp_path)])
    name, environment = LESSONS[5].name, os.environ | {"PYTHONPATH": str(ROOT)}

    def ask(*arguments) -> None:
        done = subprocess.run(
            [PROGRAM, *arguments], cwd=tmp_path, env=environment, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    ask("assign", "--no-run-tests", name, "dist")
    student, known = tmp_path / "dist/student" / name, notebooks.exercises_of(LESSONS[5])
    handed_in = nbformat.read(student, as_version=4)
    stub = known["causal_mask"].stub_text
    (cell,) = (c for c in handed_in.cells if c.source == stub)
    assert known["causal_mask"].solution_text not in student.read_text()
    cell.source = known["causal_mask"].solution_text
    nbformat.write(handed_in, tmp_path / "ann.ipynb")
    (tmp_path / "out").mkdir()
    (marker,) = Path(tmp_path / "dist/autograder").glob("*.zip")
    ask("run", "-a", marker, "ann.ipynb", "-o", "out")
    tests = json.loads((tmp_path / "out/results.json").read_text())["tests"]
    assert {t["name"]: t["score"] for t in tests if t.get("max_score")} == {
        exercise: float(exercise == "causal_mask") for exercise in known
    }

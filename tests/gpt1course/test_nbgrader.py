"""A lesson for nbgrader: marked for its commands, which release and grade it if installed."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from gpt1course import nbgrader, notebooks
from gpt1course.__main__ import main
from gpt1lib.io.paths import ROOT

LESSONS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
OWN = shutil.which("nbgrader", path=ROOT / ".venv/nbgrader/bin")  # `make test-all` makes it
PROGRAM = os.environ.get("GPT1_NBGRADER") or OWN or shutil.which("nbgrader")
NAME = "lesson_05/05_the_causal_mask.ipynb"


def converted(path: Path):
    notebook = notebooks.read(path)
    nbgrader.convert(notebook, path)
    return notebook


def cleared(source: str) -> str:
    """A cell without its solution, as nbgrader leaves it."""
    kept, inside = [], False
    for line in source.splitlines():
        if nbgrader.BEGIN in line:
            kept.append(line.replace(nbgrader.BEGIN, "..."))
        inside = (inside or nbgrader.BEGIN in line) and nbgrader.END not in line
        if not inside and nbgrader.END not in line:
            kept.append(line)
    return "\n".join(kept)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.name[:2])
def test_what_students_get_is_the_stub_and_no_solution(path):
    notebook, known = converted(path), notebooks.exercises_of(path)
    written = {
        c.metadata.nbgrader.grade_id: c for c in notebook.cells if "nbgrader" in c.metadata
    }
    assert set(written) == {*known, *(f"{name}-test" for name in known)}
    for name, exercise in known.items():
        source = written[name].source
        compile(source, name, "exec")
        if isinstance(exercise, nbgrader.Exercise):
            assert cleared(source) == exercise.stub_text
        else:
            assert cleared(source) == "answers = [\n    ...\n]"
        test = written[f"{name}-test"].metadata.nbgrader
        assert (test.points, test.locked, test.grade) == (1, True, True)
        compile(written[f"{name}-test"].source, name, "exec")
    assert "<summary>Solution" not in json.dumps(notebook.cells)


def run_cells(*names: str, answer: str = "") -> dict:
    """Run cells of lesson 05 as nbgrader does, one of them with another answer."""
    cells = {c.metadata.nbgrader.grade_id: c for c in converted(LESSONS[5]).cells
             if "nbgrader" in c.metadata}  # fmt: skip
    space = {}
    exec("import torch, math\nfrom gpt1course.exercises import lesson05 as lesson", space)
    for name in names:
        exec(answer if answer and not name.endswith("-test") else cells[name].source, space)
    return space


def test_a_right_answer_passes_and_a_wrong_one_fails_with_its_mistake():
    run_cells("causal_mask", "causal_mask-test")
    run_cells("visible_scores", "visible_scores-test")
    upper = "def causal_mask(T):\n    return torch.ones(T, T, dtype=torch.bool).triu()"
    with pytest.raises(AssertionError, match="That is the upper triangle"):
        run_cells("causal_mask", "causal_mask-test", answer=upper)
    with pytest.raises(AssertionError, match="put your answer in place of the dots"):
        run_cells("visible_scores", "visible_scores-test", answer="answers = [...]")
    with pytest.raises(AssertionError, match="not written yet"):
        run_cells("causal_mask", "causal_mask-test", answer="def causal_mask(T):\n    ...")


def test_the_command_keeps_a_configuration(tmp_path):
    (tmp_path / "nbgrader_config.py").write_text("# mine\n")
    assert main(["nbgrader", "5", "--out", str(tmp_path)]) == 0
    assert (tmp_path / "source" / NAME).is_file()
    assert (tmp_path / "nbgrader_config.py").read_text() == "# mine\n"


# ---- with nbgrader ------------------------------------------------------------------------


def kernel(folder: Path) -> Path:
    """A folder for JUPYTER_PATH whose kernel python3 is this Python, with the course in it."""
    spec = folder / "kernels/python3/kernel.json"
    spec.parent.mkdir(parents=True)
    start = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    spec.write_text(json.dumps({"argv": start, "display_name": "x", "language": "python"}))
    return folder


@pytest.mark.slow
@pytest.mark.skipif(not PROGRAM, reason="no nbgrader: make .venv/nbgrader")
def test_nbgrader_releases_a_lesson_and_grades_it(tmp_path):
    main(["nbgrader", "05", "--out", str(tmp_path)])
    where = {"JUPYTER_PATH": str(kernel(tmp_path / "jupyter")), "PYTHONPATH": str(ROOT)}
    where["PATH"] = f"{Path(PROGRAM).parent}{os.pathsep}{os.environ['PATH']}"

    def ask(*arguments: str) -> None:
        command = [PROGRAM, *arguments]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | where, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr

    ask("generate_assignment", "lesson_05")
    released = nbformat.read(tmp_path / "release" / NAME, as_version=4)
    stubs = {c.metadata.nbgrader.grade_id: c.source for c in released.cells
             if c.metadata.get("nbgrader", {}).get("solution")}  # fmt: skip
    known = notebooks.exercises_of(LESSONS[5])
    assert stubs["causal_mask"] == known["causal_mask"].stub_text
    for cell in released.cells:
        if cell.metadata.get("nbgrader", {}).get("grade_id") == "causal_mask":
            cell.source = known["causal_mask"].solution_text
    (tmp_path / "submitted/ann/lesson_05").mkdir(parents=True)
    nbformat.write(released, tmp_path / "submitted/ann" / NAME)
    ask("autograde", "lesson_05")
    ask("export")
    row = (tmp_path / "grades.csv").read_text().splitlines()
    marks = dict(zip(row[0].split(","), row[1].split(","), strict=True))
    assert (float(marks["score"]), float(marks["max_score"])) == (1.0, float(len(known)))

"""The library without the course: what it needs, what a user of it sees, and its wheel."""

import importlib
import importlib.metadata
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import gpt1lib as g
from tools import lock

ROOT = Path(__file__).resolve().parents[2]


def modules_of_extras() -> set[str]:
    """The modules of all packages that the extras add to the library's own five."""
    wanted = {*lock.requirements("course", "released")} - {*lock.requirements()}
    extra = {Requirement(line).name for line in wanted}
    found = importlib.metadata.packages_distributions().items()
    modules = {module for module, names in found if {n.lower() for n in names} & extra}
    assert {"scipy", "sklearn", "matplotlib", "IPython", "anywidget"} <= modules
    return modules


WITHOUT = """
import importlib, pkgutil, sys
from dataclasses import replace
for name in {blocked}:
    sys.modules[name] = None  # importing it is an error, finding it says that it is missing
import gpt1lib as g
for module in pkgutil.walk_packages(g.__path__, "gpt1lib."):
    if module.name != "gpt1lib.paper":  # the old name of a command of the course
        importlib.import_module(module.name)
task = g.tasks.load("film_snippets")
g.finetune.evaluate.check_metric(task)
probs = [[0.1, 0.9]] * len(task.valid)
print(g.finetune.evaluate.scores(task, probs, task.valid)["examples"] == len(task.valid))
print(g.finetune.evaluate.bag_of_words_scores(task, task.train[:100], "valid"))
try:
    g.finetune.evaluate.check_metric(replace(task, metric="matthews"))
except ValueError as error:
    print(error)
"""


@pytest.mark.slow
def test_the_library_needs_five_packages():
    """Every module is imported, and a task is scored, as if no extra were installed."""
    code = WITHOUT.format(blocked=sorted(modules_of_extras()))
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    scored, bag, refused = run.stdout.splitlines()
    assert scored == "True" and bag == "{}"
    assert "scikit-learn, which is not installed" in refused


def test_scripts_lead_to_commands_that_return_an_exit_status():
    for target in lock.project()["scripts"].values():
        module, _, function = target.partition(":")
        command = getattr(importlib.import_module(module), function)
        assert command.__annotations__["return"] in (None, int, "None", "int"), target


# ---- what a user of the library sees ----------------------------------------------------


def test_completion_shows_what_is_loaded_when_first_used():
    assert {"finetune", "generate", "numpy_gpt", "GPT", "trace", "__version__"} <= {*dir(g)}
    assert not {"import_module", "iter_modules", "version", "paper"} & {*dir(g)}
    assert all(hasattr(g, name) for name in g.__all__)


def test_the_version_is_the_installed_one():
    assert g.__version__ == importlib.metadata.version("gpt1-course")


def test_type_checkers_may_read_the_annotations():
    for package in ("gpt1lib", "gpt1course"):
        assert (ROOT / package / "py.typed").exists()


# ---- the wheel --------------------------------------------------------------------------


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """The wheel, built from a copy of what belongs in it."""
    source = tmp_path_factory.mktemp("source")
    for name in ("gpt1lib", "gpt1course"):
        shutil.copytree(
            ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "-w", source / "dist"]
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", *options, source], check=True)
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """The commands of a clean environment with the wheel, and torch and the other four."""
    folder = tmp_path_factory.mktemp("clean")
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    commands = folder / ("Scripts" if os.name == "nt" else "bin")
    python = commands / "python"
    where = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([python, "-c", where], text=True).strip())
    pip = [sys.executable, "-m", "pip", "--python", python, "install", "-q", "--no-index"]
    subprocess.run([*pip, "--no-deps", wheel], check=True)
    missing = f"import sys; sys.modules.update(dict.fromkeys({sorted(modules_of_extras())}))"
    lines = f"{sysconfig.get_path('purelib')}\n{missing}\n"
    (packages / "others.pth").write_text(lines, encoding="utf-8")
    return commands


def run(folder: Path, *command) -> str:
    """What a command prints in a folder outside the course; it must succeed."""
    clean = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    end = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True)
    assert end.returncode == 0, end.stderr
    return end.stdout


@pytest.mark.slow
def test_the_wheel_trains_and_writes_outside_the_course(installed, tmp_path):
    python = installed / "python"
    said = run(tmp_path, python, "-c", "import gpt1lib as g; print(g.__file__, g.__version__)")
    assert str(installed.parent) in said and g.__version__ in said
    assert "usage" in run(tmp_path, python, "-m", "gpt1lib.sample", "--help")
    (tmp_path / "book.txt").write_text("the cat sat on the mat. " * 200)
    small = ["--steps", "3", "--n-merges", "20", "--device", "cpu"]
    train = [installed / "gpt1-pretrain", "--books", "book.txt", "--out", "run", *small]
    assert "run is finished, after 3 steps" in run(tmp_path, *train)
    said = run(tmp_path, installed / "gpt1-sample", "run", "the cat", "--n-tokens", "3")
    assert said.startswith("the cat")
    rows = [f"the cat {i},yes\na dog {i},no\n" for i in range(20)]
    (tmp_path / "mine.csv").write_text("text,label\n" + "".join(rows))
    tune = [installed / "gpt1-finetune", "--data", "mine.csv", "--checkpoint", "run"]
    said = run(tmp_path, *tune, "--out", "tuned", "--epochs", "1")
    assert "fine-tuned" in said and "bag of words" not in said


@pytest.mark.slow
def test_the_wheel_says_that_the_data_are_missing(installed, tmp_path):
    code = (
        "import gpt1lib as g\ntry: g.load_novelist()\nexcept FileNotFoundError as e: print(e)"
    )
    said = run(tmp_path, installed / "python", "-c", code)
    assert "gpt1lib was installed without its data" in said


@pytest.mark.slow
def test_the_wheel_has_what_is_not_python(wheel):
    with zipfile.ZipFile(wheel) as archive:
        names = {*archive.namelist()}
    for package in ("gpt1lib", "gpt1course"):
        wanted = {
            path.relative_to(ROOT).as_posix()
            for path in (ROOT / package).rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wanted <= names, wanted - names

"""What is shipped beside the course: ranges, lock, Makefile, CI, pages made by tools."""

import ast
import importlib.metadata
import json
import re
import subprocess
import sys
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from PIL import Image

from gpt1lib.io.files import sha256
from gpt1lib.io.paths import NOVELIST_DIR
from tools import check, lock

ROOT = Path(__file__).resolve().parents[2]
EXTRAS = tuple(lock.project()["optional-dependencies"])
BASE = {"filelock", "numpy", "safetensors", "torch", "tqdm"}
NEEDS = {  # folder -> the extras whose packages its files may import
    "gpt1lib": ("baselines", "released"),
    "gpt1course": ("course",),
    "tools": ("dev", "released"),
    "tests": ("dev", "released"),
    "benchmarks": ("dev", "released"),
}


def names_of(requirements) -> set[str]:
    """The packages of lines such as 'torch>=2.13,<3'."""
    return {Requirement(line).name for line in requirements}


def locked() -> dict[str, str]:
    """Package -> version of the lock."""
    text = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return dict(re.findall(r"^([\w-]+)==([\w.]+)", text, re.MULTILINE))


def test_every_requirement_has_both_bounds_and_the_lock_keeps_them():
    exact = locked()
    for requirement in map(Requirement, lock.requirements(*EXTRAS)):
        signs = {part.operator for part in requirement.specifier}
        assert signs == {">=", "<"}, requirement
        assert requirement.specifier.contains(exact[requirement.name]), requirement


def test_the_lock_brings_no_cuda():
    assert not [name for name in locked() if re.match("nvidia|cuda|triton", name)]
    text = "nvidia-nccl-cu13==2.3 ; sys_platform == 'linux'\ntriton==3.9\nnumpy==2.4.6\n"
    assert lock.without_cuda(text) == "numpy==2.4.6\n"


def test_extras_include_each_other():
    chosen = [(), ("baselines",), ("course",), ("dev",)]
    base, baselines, course, dev = (names_of(lock.requirements(*x)) for x in chosen)
    assert base == BASE and baselines == base | {"scipy", "scikit-learn"}
    assert baselines < course < dev


def test_a_lesson_is_checked_by_its_number_with_one_digit_or_two():
    assert check.lesson("5") == check.lesson("05")
    with pytest.raises(SystemExit, match="there is no lesson '77'; there are 00, 01"):
        check.lesson("77")


def test_the_lock_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "requirements.lock"
    lock.write_text(path, "a==1\nb==2\n")
    assert path.read_bytes() == b"a==1\nb==2\n"
    with pytest.raises(UnicodeEncodeError):
        lock.write_text(path, "a" * 10**6 + "\ud800")
    assert [x.read_bytes() for x in tmp_path.iterdir()] == [b"a==1\nb==2\n"]


@pytest.mark.parametrize("name", ["lock", "picture", "pipelines", "data.checksums"])
def test_a_tool_that_is_asked_for_help_or_misspelt_writes_nothing(name, monkeypatch, capsys):
    tool = import_module(f"tools.{name}")
    for option, code in (("--help", 0), ("--hlep", 2)):
        monkeypatch.setattr(sys, "argv", [name, option])
        with pytest.raises(SystemExit) as end:
            tool.main()
        told = capsys.readouterr()
        assert end.value.code == code and "usage:" in told.out + told.err


def test_the_lock_takes_the_newest_versions_only_if_asked(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(lock, "lock", asked.append)
    monkeypatch.setattr(lock, "ROOT", tmp_path)
    monkeypatch.setattr(lock, "environments", lambda: {"environment.yml": "a"})
    for options in ([], ["--upgrade"], ["--conda"]):
        monkeypatch.setattr(sys, "argv", ["lock", *options])
        lock.main()
    assert asked == [[], ["--upgrade"]] and (tmp_path / "environment.yml").read_text() == "a"


@pytest.mark.parametrize("name", lock.environments())
def test_conda_s_environments_are_what_the_tool_writes(name):
    """When this fails: python tools/lock.py --conda"""
    text = lock.environments()[name]
    assert (ROOT / name).read_text(encoding="utf-8") == text
    assert "pytorch-cpu >=2.13,<3" in text and "  - torch " not in text


# ---- imports ----------------------------------------------------------------------------


def imported(path: Path) -> set[str]:
    """The top-level modules that a file imports, in a function or above."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            modules |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            modules.add((node.module or "").split(".")[0])
    return modules


def third_party(folder: str) -> dict[str, Path]:
    """Package -> a file of the folder that imports it; not Python's own, not ours."""
    package_of = packages_of_modules()
    ours = {p.stem for name in ("tests", "benchmarks") for p in (ROOT / name).rglob("*.py")}
    ours |= set(NEEDS) | sys.stdlib_module_names
    return {
        re.sub("[-_.]+", "-", package_of.get(module, [module])[0]).lower(): path
        for path in sorted((ROOT / folder).rglob("*.py"))
        for module in imported(path) - ours
    }


@lru_cache  # it reads the list of files of every package
def packages_of_modules():
    return importlib.metadata.packages_distributions()


@pytest.mark.parametrize("folder", NEEDS)
def test_every_import_is_in_a_range(folder):
    """What merely comes along with another package may be gone tomorrow."""
    allowed = names_of(lock.requirements(*NEEDS[folder]))
    packages = third_party(folder)
    assert len(packages) > 2
    assert {p: str(path) for p, path in packages.items() if p not in allowed} == {}


# ---- Makefile, CI, pages ----------------------------------------------------------------


def test_make_help_lists_every_target():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True)
    targets = re.findall(r"^([a-z%-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"lab", "test", "quick", "help"} <= set(targets)
    for target in targets:
        assert f"make {target} " in listed.stdout


def test_every_file_of_tests_is_in_a_part():
    told = " ".join(word for part in check.parts(False, False).values() for word in part)
    for path in (ROOT / "tests").rglob("test_*.py"):
        folders = [p.relative_to(ROOT).as_posix() for p in path.parents if ROOT in p.parents]
        assert any(re.search(rf"(?<!=){folder}(?= |$)", told) for folder in folders[:-1]), path


def test_ci_runs_the_readme_s_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make test" in ci and "make test" in readme
    assert "|| true" not in ci


def test_what_a_lesson_corrects_is_on_the_page_of_errata():
    """By the quoted error, which begins each line of a lesson's box."""
    page = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        text = path.read_text(encoding="utf-8")
        assert f"](../notebooks/{path.name})" in page
        box = json.loads(text)["cells"]
        boxes = [
            "".join(c["source"]) for c in box if "## You may read else" in str(c["source"])
        ]
        for quoted in re.findall(r"^- (\*\*.*?\*\*)", "".join(boxes), re.MULTILINE):
            assert quoted in page, f"{path.name}: {quoted}"


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_readme_s_picture_shows_the_shipped_model(theme):
    """When this fails the model is newer: python tools/picture.py"""
    name = f"docs/what_you_see_{theme}.png"
    with Image.open(ROOT / name) as image:
        assert image.size == (1200, 630)
        assert image.info["checkpoint"] == sha256(NOVELIST_DIR / "model.safetensors")
    assert name in (ROOT / "README.md").read_text(encoding="utf-8")

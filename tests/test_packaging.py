"""What is shipped beside the course: ranges, lock, Makefile, CI, pages made by tools."""

import ast
import importlib.metadata
import importlib.util
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from PIL import Image

from gpt1lib.io.files import sha256
from gpt1lib.io.paths import NOVELIST_DIR

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
FOLDERS = ("gpt1lib", "tools", "tests", "benchmarks")


def pins(lines) -> dict[str, str]:
    """Package -> version of lines such as 'torch==2.13.0'."""
    found = (re.fullmatch(r"\s*-?\s*([\w-]+)\s*==\s*([\w.]+)\s*", x) for x in lines)
    return {m[1]: m[2] for m in found if m}


def names_of(requirements) -> set[str]:
    """The packages of lines such as 'torch>=2.13,<3'."""
    return {re.split("[<>=! ;]", line.strip())[0].lower() for line in requirements}


def locked() -> dict[str, str]:
    """Package -> version of the lock."""
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    return pins(line.split(" ;")[0] for line in lines)


def everything() -> list[str]:
    """All requirements, with those of the extras."""
    extras = PROJECT["optional-dependencies"].values()
    return PROJECT["dependencies"] + [x for extra in extras for x in extra]


def test_every_requirement_has_both_bounds_and_the_lock_keeps_them():
    exact = locked()
    assert exact["torch"] == "2.13.0" and len(exact) > 100
    for requirement in map(Requirement, everything()):
        signs = {part.operator for part in requirement.specifier}
        assert signs == {">=", "<"}, requirement
        assert requirement.specifier.contains(exact[requirement.name]), requirement


def test_the_lock_brings_no_cuda():
    assert not [name for name in locked() if re.match("nvidia|cuda|triton", name)]
    lock = tool("lock")
    text = "nvidia-nccl-cu13==2.3 ; sys_platform == 'linux'\ntriton==3.9\nnumpy==2.4.6\n"
    assert lock.without_cuda(text) == "numpy==2.4.6\n"


RENAMED = {
    "pytorch-cpu": "torch",
    "matplotlib-base": "matplotlib",
    "playwright-python": "playwright",
}


def conda(name: str) -> tuple[set[str], list[str]]:
    """(conda's own packages, named and written as pip does; pip's) of an environment file."""
    there = yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))["dependencies"]
    from_pip = [line for part in there if isinstance(part, dict) for line in part["pip"]]
    own = (x.split() for x in there if isinstance(x, str) and x != "pip")
    return {RENAMED.get(package, package) + bounds for package, bounds in own}, from_pip


@pytest.mark.parametrize(
    ("name", "extras", "wanted_from_pip"),
    [
        ("environment.yml", (), ["-e ."]),
        ("environment-dev.yml", ("dev", "real"), ["-e .", "axe-playwright-python>=0.1.4,<1"]),
        (".binder/environment.yml", (), []),
    ],
)
def test_conda_environments_name_what_pyproject_does(name, extras, wanted_from_pip):
    optional = PROJECT["optional-dependencies"]
    wanted = PROJECT["dependencies"] + [x for extra in extras for x in optional[extra]]
    own, from_pip = conda(name)
    python = {"python=3.13" if "binder" in name else f"python{PROJECT['requires-python']}"}
    assert from_pip == wanted_from_pip
    assert own == (set(wanted) - set(from_pip)) | python


def imported(folder: str) -> dict[str, str]:
    """Top-level module -> a file of the folder that imports it, in a function or above."""
    modules = {}
    for path in (ROOT / folder).rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                modules |= {alias.name.split(".")[0]: path.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules[node.module.split(".")[0]] = path.name
    return modules


def third_party(folder: str) -> dict[str, str]:
    """Package -> a file of the folder that imports it; not Python's own, not ours."""
    package_of = importlib.metadata.packages_distributions()
    ours = {"gpt1lib", *FOLDERS}
    ours |= {p.stem for name in FOLDERS[1:] for p in (ROOT / name).rglob("*.py")}
    return {
        re.sub("[-_.]+", "-", package_of.get(module, [module])[0]).lower(): file
        for module, file in imported(folder).items()
        if module not in sys.stdlib_module_names | ours
    }


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_import_is_pinned(folder):
    """What merely comes along with another package would change under our feet."""
    extras = PROJECT["optional-dependencies"]
    allowed = PROJECT["dependencies"] + extras["real"]
    if folder != "gpt1lib":
        allowed += extras["dev"]
    packages = third_party(folder)
    assert len(packages) > 2
    assert {p: file for p, file in packages.items() if p not in names_of(allowed)} == {}


def test_make_help_lists_every_target():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"lab", "test", "quick", "help"} <= set(targets)
    for target in targets:
        assert f"make {target} " in listed.stdout


def test_ci_runs_the_readme_s_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert "make test" in ci and "make test" in readme
    assert "|| true" not in ci


def tool(name: str):
    spec = importlib.util.spec_from_file_location(name, ROOT / f"tools/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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

"""The promises of the first two commands: pins, Makefile, setup, CI."""

import ast
import importlib.metadata
import importlib.util
import re
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

from gpt1lib.storage.files import sha256
from gpt1lib.storage.paths import NOVELIST_DIR

ROOT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SETUP = ROOT / "tools" / "setup.py"
FOLDERS = ("gpt1lib", "tools", "tests", "benchmarks")


def pins(lines) -> dict[str, str]:
    """Package -> version of lines such as 'torch==2.13.0'."""
    found = (re.fullmatch(r"\s*-?\s*([\w-]+)\s*==\s*([\w.]+)\s*", x) for x in lines)
    return {m[1]: m[2] for m in found if m}


def setup(*arguments):
    return subprocess.run([sys.executable, SETUP, *arguments], capture_output=True, text=True)


def test_conda_environment_has_the_same_pins():
    wanted = pins(PROJECT["dependencies"] + PROJECT["optional-dependencies"]["dev"])
    conda = pins((ROOT / "environment.yml").read_text().splitlines())
    conda["torch"] = conda.pop("pytorch-cpu")
    assert len(wanted) > 10
    assert conda == wanted


def test_every_requirement_is_pinned_exactly():
    extras = PROJECT["optional-dependencies"].values()
    everything = PROJECT["dependencies"] + [x for extra in extras for x in extra]
    assert len(pins(everything)) == len(everything)


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
    assert {p: file for p, file in packages.items() if p not in pins(allowed)} == {}


def test_make_help_lists_every_target():
    listed = subprocess.run(["make", "help"], cwd=ROOT, capture_output=True, text=True)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"lab", "test", "quick", "help"} <= set(targets)
    for target in targets:
        assert f"make {target} " in listed.stdout


def test_a_taken_port_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = setup("lab", "--port", str(port))
    assert result.returncode == 1
    assert f"Port {port} is taken" in result.stderr


@pytest.mark.parametrize("port", ["80", "70000"])
def test_an_impossible_port_is_named(port):
    result = setup("lab", "--port", port)
    assert result.returncode == 1
    assert f"Port {port} is not between" in result.stderr


def test_an_old_python_is_told(monkeypatch):
    module = tool("setup")
    monkeypatch.setattr(module.sys, "version_info", (3, 9, 1, "final", 0))
    with pytest.raises(SystemExit, match=r"Python 3\.9 is too old.*3\.11"):
        module.check_machine()


def test_a_full_disk_is_told(monkeypatch, tmp_path):
    module = tool("setup")
    monkeypatch.setattr(module, "VENV", tmp_path / "none")
    usage = type("Usage", (), {"free": 1.5e9})
    monkeypatch.setattr(module.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SystemExit, match=r"1\.5 GB free.*need about 3 GB"):
        module.check_machine()


def test_setup_reads_the_torch_pin():
    assert tool("setup").torch_pin() in PROJECT["dependencies"]


def test_setup_is_readable_by_an_old_python():
    """No f-strings or newer: an old Python must get as far as its message."""
    tree = ast.parse(SETUP.read_text(), feature_version=(3, 6))
    newer = (ast.JoinedStr, ast.NamedExpr, ast.Match)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]


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


def test_errata_page_is_the_notebooks_own():
    page = (ROOT / "docs/errata.md").read_text(encoding="utf-8")
    assert page == tool("errata").page() and page.count("- **") >= 15


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_readme_s_picture_shows_the_shipped_model(theme):
    """When this fails the model is newer: python tools/picture.py"""
    name = f"docs/what_you_see_{theme}.png"
    with Image.open(ROOT / name) as image:
        assert image.size == (1200, 630)
        assert image.info["checkpoint"] == sha256(NOVELIST_DIR / "model.safetensors")
    assert name in (ROOT / "README.md").read_text(encoding="utf-8")

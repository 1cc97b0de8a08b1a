"""tools/setup.py: an old Python, a full disk, half a .venv, no network are all told."""

import ast
import json
import re
import shlex
import socket
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from jupyterlab.labapp import LabApp
from packaging.specifiers import SpecifierSet

from tools import setup

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def run(*arguments):
    command = [sys.executable, setup.__file__, *arguments]
    return subprocess.run(command, capture_output=True, text=True)


@pytest.fixture
def commands(monkeypatch, tmp_path):
    """What setting up would run, in an empty folder; all of it succeeds."""
    ran = []
    monkeypatch.setattr(setup, "VENV", tmp_path / ".venv")
    monkeypatch.setattr(setup, "BIN", tmp_path / ".venv" / "bin")
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    monkeypatch.setattr(setup, "torch_index", lambda: None)
    monkeypatch.setattr(setup, "keep_jupyter_offline", lambda: None)
    monkeypatch.setattr(setup, "give_lab_our_boxes", lambda: None)

    def succeeds(*command):
        ran.append(shlex.join(str(c) for c in command))
        if "venv" in command:
            (tmp_path / ".venv").mkdir()
        return True

    monkeypatch.setattr(setup, "works", succeeds)
    return ran


# ---- the machine ------------------------------------------------------------------------


@pytest.mark.parametrize("minor", range(8, 18))
def test_python_s_bounds_are_those_of_the_project(monkeypatch, minor):
    monkeypatch.setattr(setup.sys, "version_info", (3, minor, 1, "final", 0))
    if f"3.{minor}.1" in SpecifierSet(PROJECT["requires-python"]):
        return setup.check_machine()
    word = "old" if minor < 11 else "new"
    with pytest.raises(SystemExit, match=rf"Python 3\.{minor} is too {word}.*3\.11 to 3\.14"):
        setup.check_machine()


def test_setup_is_readable_by_an_old_python():
    """No f-strings or newer: an old Python must get as far as its message."""
    tree = ast.parse(Path(setup.__file__).read_text(), feature_version=(3, 6))
    newer = (ast.JoinedStr, ast.NamedExpr, ast.Match)
    assert not [node for node in ast.walk(tree) if isinstance(node, newer)]


@pytest.mark.parametrize(("build", "needed"), [("cpu", 3), ("default", 7)])
def test_a_full_disk_is_told(monkeypatch, tmp_path, build, needed):
    monkeypatch.setattr(setup, "VENV", tmp_path / "none")
    usage = type("Usage", (), {"free": 1.5e9})
    monkeypatch.setattr(setup.shutil, "disk_usage", lambda path: usage)
    with pytest.raises(SystemExit, match=rf"1\.5 GB free.*need about {needed} GB"):
        setup.check_disk(build)


@pytest.mark.parametrize(
    ("system", "answers", "named", "build"),
    [
        ("linux", True, None, "cpu"),
        ("linux", False, None, "default"),
        ("linux", True, "https://pypi.example/simple", "default"),
        ("linux", False, "https://mirror.example/whl/cpu", "cpu"),
        ("darwin", True, None, "cpu"),
        ("win32", False, None, "cpu"),
    ],
)
def test_linux_gets_the_small_torch_where_it_can(monkeypatch, system, answers, named, build):
    monkeypatch.setattr(setup.sys, "platform", system)
    monkeypatch.setenv("TORCH_INDEX", named or "")

    def urlopen(address, timeout):
        if not answers:
            raise OSError("no network")
        return open(setup.__file__)

    monkeypatch.setattr(setup.urllib.request, "urlopen", urlopen)
    index = setup.torch_index()
    assert setup.build_of(index) == build
    found = setup.CPU_INDEX if answers and system == "linux" else None
    assert (index or None) == (named or found)


# ---- .venv ------------------------------------------------------------------------------


def test_a_half_made_venv_is_made_again(commands, tmp_path, capsys):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    setup.make_venv()
    assert [c.split()[1:3] for c in commands] == [["-m", "venv"]]
    assert not (tmp_path / ".venv" / "bin").exists() and "half made" in capsys.readouterr().out


def test_a_linked_venv_is_never_deleted(commands, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / ".venv").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(SystemExit, match="is a link"):
        setup.make_venv()
    assert (tmp_path / "elsewhere").exists() and not commands


def test_a_venv_without_pip_is_completed(commands, tmp_path):
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    python = tmp_path / ".venv" / "bin" / "python"
    python.write_text(
        f"#!/bin/sh\n[ $2 = ensurepip ] && touch {tmp_path}/pip\n[ -e {tmp_path}/pip ]\n"
    )
    python.chmod(0o755)
    setup.make_venv()
    assert not commands and python.exists()


def test_python_without_venv_names_the_package(commands, monkeypatch, tmp_path):
    def fails(*command):
        (tmp_path / ".venv" / "bin").mkdir(parents=True)
        return False

    monkeypatch.setattr(setup, "works", fails)
    with pytest.raises(SystemExit, match=r"apt install python3\.\d+-venv"):
        setup.make_venv()
    assert not (tmp_path / ".venv").exists()


# ---- packages ---------------------------------------------------------------------------


def test_what_is_installed_is_editable_and_locked(commands):
    setup.install(dev=True)
    course = commands[-1]
    assert course.endswith("-c requirements.lock --editable '.[dev,released]'")
    assert all("-c requirements.lock" in c for c in commands[2:])  # after venv and a first try
    assert {p.name for p in setup.VENV.iterdir()} >= {"lab", "dev"}
    ours = json.loads((ROOT / "package.json").read_text())
    theirs = json.loads((setup.VENV / "package.json").read_text())
    assert (ours["type"], theirs["type"]) == ("module", "commonjs")


def test_a_learner_gets_the_course_and_not_the_library_alone(commands):
    setup.install(dev=False)
    assert commands[-1].endswith("--editable '.[course]'")


@pytest.mark.parametrize("status", ["", " M notebooks/05_the_causal_mask.ipynb\n"])
def test_changes_that_the_zip_lacks_are_named(monkeypatch, tmp_path, capsys, status):
    monkeypatch.setattr(setup, "ROOT", tmp_path)
    monkeypatch.setattr(setup.subprocess, "check_output", lambda command: status.encode())
    (tmp_path / ".git").mkdir()
    setup.warn_of_changes()
    said = capsys.readouterr().out
    assert ("not committed" in said) == ("05_the_causal_mask" in said) == bool(status)


def test_torch_s_own_index_gives_nothing_but_torch(commands, monkeypatch):
    monkeypatch.setattr(setup, "torch_index", lambda: "https://index.example/cpu")
    setup.install(dev=False)
    (torch,) = [c for c in commands if "https://index.example/cpu" in c]
    assert " torch --no-deps " in torch and commands.index(torch) < len(commands) - 1


def test_a_room_without_network_takes_all_from_a_folder(commands, tmp_path):
    (tmp_path / "sticks").mkdir()
    setup.fetch_wheels(tmp_path / "sticks")
    fetched = [c for c in commands if " download " in c]
    assert fetched[-1].endswith("-c requirements.lock '.[course]' 'setuptools>=77'")
    commands.clear()
    setup.install(dev=False, wheels=tmp_path / "sticks")
    source = f"--no-index --find-links {tmp_path / 'sticks'}"
    assert len(commands) == 3 and all(source in c for c in commands[1:])  # after venv


def test_a_folder_without_the_packages_is_told(commands, monkeypatch, tmp_path):
    monkeypatch.setattr(setup, "works", lambda *command: False)
    with pytest.raises(SystemExit, match="does not hold the packages for this Python"):
        setup.installer(tmp_path)


def test_a_folder_that_is_not_there_is_told_before_anything_is_made(commands, tmp_path):
    with pytest.raises(SystemExit, match="There is no folder .*sticks"):
        setup.install(dev=False, wheels=tmp_path / "sticks")
    assert not commands and not setup.VENV.exists()


@pytest.mark.parametrize("source", [None, "sticks"])
def test_packages_that_fail_late_are_explained_too(commands, monkeypatch, tmp_path, source):
    (tmp_path / "sticks").mkdir()
    succeeds = setup.works
    monkeypatch.setattr(setup, "works", lambda *c: "--editable" not in c and succeeds(*c))
    told = "does not hold the packages" if source else "there is no network"
    with pytest.raises(SystemExit, match=f"Setting up failed at(.|\n)*{told}"):
        setup.install(dev=False, wheels=source and tmp_path / source)


@pytest.mark.parametrize("status", [0, 1])
def test_a_venv_of_another_python_is_told_and_left_alone(commands, tmp_path, status):
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\n[ $1 = -c ] && exit {status}\nexit 0\n")
    python.chmod(0o755)
    if not status:
        return setup.make_venv()
    with pytest.raises(SystemExit, match="was made by another Python(.|\n)*start again"):
        setup.make_venv()
    assert python.exists() and not commands


def test_pip_takes_over_where_uv_fails(commands, monkeypatch):
    monkeypatch.setattr(setup.shutil, "which", lambda name: "/bin/uv")
    assert setup.installer()[0] == "/bin/uv"
    monkeypatch.setattr(setup, "works", lambda *command: command[0] != "/bin/uv")
    assert setup.installer()[1:3] == ["-m", "pip"]


def test_no_network_is_told(commands, monkeypatch):
    monkeypatch.setattr(setup, "works", lambda *command: False)
    with pytest.raises(SystemExit, match="no network, or a proxy(.|\n)*HTTPS_PROXY"):
        setup.installer()


def test_every_pip_command_that_is_printed_installs_in_place():
    """Without -e the library would be copied away from the data beside it."""
    pages, code = (
        ("*.md", "docs/*.md", "teaching/*.md"),
        ("gpt1lib/**/*.py", ".github/**/*.yml"),
    )
    places = (*pages, *code, "notebooks/*.ipynb")
    texts = [p.read_text(encoding="utf-8") for place in places for p in ROOT.glob(place)]
    said = [
        c for text in texts for c in re.findall(r"pip install [^`\n]*?\.(?:\[|['\"` \n])", text)
    ]
    assert len(said) >= 4
    assert not [command for command in said if not re.search(r" (-e|--editable) ", command)]


# ---- JupyterLab -------------------------------------------------------------------------


def test_a_taken_port_is_named():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        result = run("lab", "--port", str(port))
    assert result.returncode == 1
    assert f"Port {port} is taken" in result.stderr


@pytest.mark.parametrize("port", ["80", "70000"])
def test_an_impossible_port_is_named(port):
    result = run("lab", "--port", port)
    assert result.returncode == 1
    assert f"Port {port} is not between" in result.stderr


def test_lab_without_setting_up_is_told(commands):
    with pytest.raises(SystemExit, match="Not set up yet"):
        setup.lab(49_151)


def test_each_folder_of_the_course_keeps_its_own_tabs(monkeypatch, tmp_path):
    """Two copies of the course, or a test's server, never open each other's notebooks."""
    places = []
    for name in ("one", "two with a space"):
        monkeypatch.setattr(setup, "ROOT", tmp_path / name)
        app = LabApp(argv=[])
        app.parse_command_line(setup.lab_command(8888)[1:])
        places.append(Path(app.workspaces_dir))
    assert places == [
        tmp_path / n / "work" / ".workspaces" for n in ("one", "two with a space")
    ]


def test_jupyterlab_knows_every_setting_that_it_is_started_with():
    known = {cls.__name__: cls.class_trait_names() for cls in (LabApp, LabApp.serverapp_class)}
    given = [
        option for option in setup.lab_command(8888) if option.count(".") and "--" in option
    ]
    names = [re.match(r"--(\w+)\.(\w+)=", option) for option in given]
    named = [name.groups() for name in names if name]
    assert len(named) >= 5 and all(trait in known[app] for app, trait in named)


def test_update_sets_up_again_only_what_is_old(commands, monkeypatch):
    monkeypatch.setattr(setup, "quiet", lambda *command: True)
    setup.VENV.mkdir()
    setup.update()
    pulled = ["git pull --ff-only"] if (ROOT / ".git").exists() else []  # not from a zip
    assert commands[: len(pulled)] == pulled and commands[-1].endswith("gpt1course update")
    assert any("--editable" in c for c in commands)
    commands.clear()
    setup.update()
    assert commands[:-1] == pulled and commands[-1].endswith("gpt1course update")


def test_windows_starts_lab_and_waits(monkeypatch):
    """There os.execv joins arguments without quotes: a folder with a space breaks it."""
    command = ["C:\\Users\\Max Muster\\jupyter-lab", "--port=1"]
    monkeypatch.setattr(setup, "WINDOWS", True)
    monkeypatch.setattr(setup.subprocess, "call", lambda given: given == command and 7)
    with pytest.raises(SystemExit, match="7"):
        setup.start(command)

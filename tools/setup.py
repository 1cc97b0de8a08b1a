"""Make .venv with the pinned packages, and say clearly why it cannot be made.

    python3 tools/setup.py install [--dev]     python3 tools/setup.py lab --port 8888

Only the standard library, and no syntax newer than Python 3.6, so that an old Python
reads far enough to print its own message. TORCH_INDEX may name a package index with
CPU builds of torch; without it pip takes the default build.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
NEEDED_PYTHON = (3, 11)
NEEDED_GB = 3.0  # torch's CPU build and JupyterLab take about 2


def check_machine():
    """Exit with a sentence if Python is too old or the disk too full."""
    if sys.version_info < NEEDED_PYTHON:
        have = "{}.{}".format(*sys.version_info[:2])
        sys.exit(
            "Python {} is too old: this course needs 3.11 or newer.\n"
            "Install one and name it: make lab PYTHON=python3.11".format(have)
        )
    free = shutil.disk_usage(str(ROOT)).free / 1e9
    if free < NEEDED_GB and not VENV.exists():
        sys.exit(
            "{:.1f} GB free in {}, but the packages need about {:.0f} GB.".format(
                free, ROOT, NEEDED_GB
            )
        )


def run(*command):
    """Run a command; its own output explains a failure."""
    if subprocess.call([str(c) for c in command], cwd=str(ROOT)) != 0:
        sys.exit("Setting up failed at: {}".format(" ".join(str(c) for c in command)))


def torch_pin():
    """The line of pyproject.toml that pins torch, such as torch==2.13.0."""
    for line in (ROOT / "pyproject.toml").read_text(encoding="utf-8").splitlines():
        if line.strip().startswith('"torch=='):
            return line.strip().strip('",')
    sys.exit("pyproject.toml pins no torch")


def install(dev):
    """Create .venv and install the pins; a stamp file tells make that it is done."""
    check_machine()
    if not BIN.exists():
        print("Making .venv (this needs the network once, and a few minutes) ...")
        run(sys.executable, "-m", "venv", VENV)
    pip = [BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    index = os.environ.get("TORCH_INDEX")
    run(*pip, *(["--index-url", index] if index else []), torch_pin())
    run(*pip, "--editable", ".[dev,real]" if dev else ".")
    keep_jupyter_offline()
    give_lab_our_boxes()
    for stamp in ["lab", "dev"] if dev else ["lab"]:
        (VENV / stamp).touch()


def keep_jupyter_offline():
    """No news, no update checks: defaults of this .venv, which a user may change."""
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    (settings / "overrides.json").write_text(json.dumps(overrides), encoding="utf-8")


def give_lab_our_boxes():
    """The course's CSS as the default of this .venv; a user's own custom.css goes first."""
    where = "import jupyter_server as j; print(j.DEFAULT_STATIC_FILES_PATH)"
    static = subprocess.check_output([str(BIN / "python"), "-c", where]).decode().strip()
    custom = Path(static) / "custom"
    custom.mkdir(exist_ok=True)
    shutil.copy(str(ROOT / "tools" / "lab" / "custom.css"), str(custom / "custom.css"))


def check_port(port):
    """Exit with a sentence if the port is no port or taken."""
    if not 1024 <= port <= 65535:
        sys.exit("Port {} is not between 1024 and 65535.".format(port))
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            sys.exit(
                "Port {} is taken. Choose another one: make lab PORT={}".format(port, port + 1)
            )


def lab(port):
    """Start JupyterLab on the first lesson, in this process's place."""
    check_port(port)
    first = "/lab/tree/notebooks/00_start_here.ipynb"
    print("Opening http://localhost:{}{}".format(port, first))
    print("If no browser opens, copy the address with the token that follows.")
    command = [str(BIN / "jupyter-lab"), "--port={}".format(port)]
    command += ["--ServerApp.port_retries=0", "--LabApp.default_url=" + first]
    command += ["--ServerApp.root_dir={}".format(ROOT)]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.custom_css=True"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers
    os.execv(command[0], command)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command")
    commands.required = True
    commands.add_parser("install").add_argument("--dev", action="store_true")
    commands.add_parser("lab").add_argument("--port", type=int, default=8888)
    args = parser.parse_args()
    if args.command == "install":
        install(args.dev)
    else:
        lab(args.port)


if __name__ == "__main__":
    main()

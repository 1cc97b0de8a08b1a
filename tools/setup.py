"""Make .venv with the versions of requirements.lock, and say clearly why it cannot be made.

    python3 tools/setup.py install [--dev]
    python3 tools/setup.py lab --port 8888
    python3 tools/setup.py update
    python3 tools/setup.py wheels --out FOLDER      then, where there is no network:
    python3 tools/setup.py install --wheels FOLDER

On Windows: py tools/setup.py install, and so on. Only the standard library, and no syntax
newer than Python 3.6, so that an old Python reads far enough to print its own message.

uv does it where it is installed, else pip. On Linux torch's default build brings gigabytes
of CUDA along, so the index of CPU builds is asked first; TORCH_INDEX names another one, such
as https://pypi.org/simple for a machine with a GPU.
"""

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
VENV = ROOT / ".venv"
WINDOWS = os.name == "nt"
BIN = VENV / ("Scripts" if WINDOWS else "bin")
LOCK = "requirements.lock"
OLDEST, NEWEST = (3, 11), (3, 14)  # as pyproject.toml has it
CPU_INDEX = "https://download.pytorch.org/whl/cpu"
NEEDED_GB = {"cpu": 3.0, "default": 7.0}  # they take 1.5 to 2.4, and about 5


def check_machine():
    """Exit with a sentence if Python is too old or too new for the packages."""
    have, version = "{}.{}".format(*sys.version_info[:2]), tuple(sys.version_info[:2])
    if OLDEST <= version <= NEWEST:
        return
    why = "old" if version < OLDEST else "new: torch has no build for it yet"
    sys.exit(
        "Python {} is too {}. This course needs 3.11 to 3.14.\n"
        "Install one and name it: make lab PYTHON=python3.13"
        " (Windows: py -3.13 tools/setup.py install)".format(have, why)
    )


def check_disk(build):
    """Exit with a sentence if the disk is too full for this build of torch."""
    free = shutil.disk_usage(str(ROOT)).free / 1e9
    if free < NEEDED_GB[build] and not VENV.exists():
        sys.exit(
            "{:.1f} GB free in {}, but the packages need about {:.0f} GB.".format(
                free, ROOT, NEEDED_GB[build]
            )
        )


def works(*command):
    """Whether a command succeeds; what it says of a failure is shown."""
    return subprocess.call([str(c) for c in command], cwd=str(ROOT)) == 0


def run(*command, hint=""):
    """Run a command; its own output explains a failure. hint: what else may be the reason."""
    if not works(*command):
        message = "Setting up failed at: {}\n{}".format(" ".join(str(c) for c in command), hint)
        sys.exit(message.rstrip())


def quiet(*command):
    """Whether a command succeeds, without a word."""
    nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    try:
        return subprocess.call([str(c) for c in command], **nowhere) == 0
    except OSError:
        return False


# ---- .venv ------------------------------------------------------------------------------


def make_venv():
    """Create .venv; one that was left half made is completed, or made again."""
    python = BIN / "python"
    if quiet(python, "-m", "pip", "--version"):
        fits = "import sys; sys.exit(not {} <= sys.version_info[:2] <= {})"
        if not quiet(python, "-c", fits.format(OLDEST, NEWEST)):
            sys.exit(
                "{} was made by another Python; this course needs 3.11 to 3.14.\n"
                "Delete it and start again.".format(VENV)
            )
        return
    if quiet(python, "-m", "ensurepip") and quiet(python, "-m", "pip", "--version"):
        return
    if VENV.is_symlink():
        sys.exit("{} is a link to a folder without a working Python.".format(VENV))
    if VENV.exists():
        print("The .venv here is half made: making it again.")
        shutil.rmtree(str(VENV))
    print("Making .venv and filling it: a few minutes, once ...")
    if not works(sys.executable, "-m", "venv", VENV):
        shutil.rmtree(str(VENV), ignore_errors=True)
        sys.exit(
            "Python could not make .venv. On Debian and Ubuntu one package is missing:\n"
            "sudo apt install python{}.{}-venv".format(*sys.version_info[:2])
        )


def torch_index():
    """The index to take torch from, None for the default one."""
    chosen = os.environ.get("TORCH_INDEX")
    if chosen or not sys.platform.startswith("linux"):
        return chosen
    try:
        urllib.request.urlopen(CPU_INDEX + "/torch/", timeout=5).close()
    except (OSError, ValueError):
        return None
    return CPU_INDEX


def build_of(index):
    """Which build of torch an index gives: on Linux the default one comes with CUDA."""
    linux = sys.platform.startswith("linux")
    return "default" if linux and not (index and "cpu" in index) else "cpu"


def installer(wheels=None):
    """The start of a command that installs into .venv: by uv where it works, else by pip.

    wheels: a folder to take all packages from, instead of the network. Tried with a small
    package that is needed anyway; exits with a sentence if neither does.
    """
    uv = [shutil.which("uv"), "pip", "install", "--quiet", "--python", BIN / "python"]
    pip = [BIN / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    source = ["--no-index", "--find-links", wheels] if wheels else []
    for command in [uv, pip + ["--retries", "1"]]:
        if command[0] and works(*command + source, "traitlets"):
            return command + source
    sys.exit(why_not(wheels))


def why_not(wheels=None):
    """Why packages are not to be had, in a sentence or two."""
    if wheels:
        return "{} does not hold the packages for this Python and system.".format(wheels)
    return (
        "No package could be downloaded: there is no network, or a proxy is in the way.\n"
        "Behind a proxy: HTTPS_PROXY=http://its.address:port make lab\n"
        "Without network: see docs/installing.md."
    )


def install(dev, wheels=None):
    """Make .venv with the versions of the lock; a stamp tells make that it is done."""
    check_machine()
    wheels = wheels and Path(wheels).expanduser().resolve()
    if wheels and not wheels.is_dir():
        sys.exit("There is no folder {}.".format(wheels))
    index = None if wheels else torch_index()
    check_disk("cpu" if wheels else build_of(index))
    make_venv()
    command = installer(wheels) + ["-c", LOCK]
    if index:
        run(*command, "torch", "--no-deps", "--index-url", index)
    hint = "If nothing above says more: " + why_not(wheels)
    run(*command, "--editable", ".[dev,released]" if dev else ".[course]", hint=hint)
    keep_jupyter_offline()
    keep_our_package_json_out()
    give_lab_our_boxes()
    for stamp in ["lab", "dev"] if dev else ["lab"]:
        (VENV / stamp).touch()


def fetch_wheels(folder):
    """Download what `install --wheels` needs, for this Python and system, into a folder."""
    check_machine()
    make_venv()
    index, torch = torch_index(), []
    download = [BIN / "python", "-m", "pip", "download", "--quiet"]
    download += ["--dest", folder, "-c", LOCK]
    if index:
        run(*download, "torch", "--no-deps", "--index-url", index)
        torch = ["--find-links", folder]
    run(*download + torch, ".[course]", "setuptools>=77")
    packages = [path for path in Path(folder).iterdir() if path.suffix == ".whl"]
    size = sum(path.stat().st_size for path in packages)
    print("{} packages, {:.0f} MB, are in {}".format(len(packages), size / 1e6, folder))
    warn_of_changes()


def warn_of_changes():
    """Say which files differ from the last commit: the zip beside the wheels has none of it."""
    if not (ROOT / ".git").exists():
        return
    changed = subprocess.check_output(["git", "-C", str(ROOT), "status", "--porcelain"])
    if changed:
        print("Not in the zip, because they are not committed:\n" + changed.decode().rstrip())


def keep_jupyter_offline():
    """No news, no update checks: defaults of this .venv, which a user may change."""
    settings = VENV / "share" / "jupyter" / "lab" / "settings"
    settings.mkdir(parents=True, exist_ok=True)
    quiet = {"fetchNews": "false", "checkForUpdates": False}
    overrides = {"@jupyterlab/apputils-extension:notification": quiet}
    (settings / "overrides.json").write_text(json.dumps(overrides), encoding="utf-8")


def keep_our_package_json_out():
    """JupyterLab's yarn.js is not a module: the "type" in package.json is not meant for it."""
    (VENV / "package.json").write_text('{"type": "commonjs"}\n', encoding="utf-8")


def give_lab_our_boxes():
    """The course's CSS as the default of this .venv; a user's own custom.css goes first."""
    where = "import jupyter_server as j; print(j.DEFAULT_STATIC_FILES_PATH)"
    static = subprocess.check_output([str(BIN / "python"), "-c", where]).decode().strip()
    custom = Path(static) / "custom"
    custom.mkdir(exist_ok=True)
    shutil.copy(str(ROOT / "tools" / "lab" / "custom.css"), str(custom / "custom.css"))


# ---- JupyterLab -------------------------------------------------------------------------


def check_port(port):
    """Exit with a sentence if the port is not a port, or is taken."""
    if not 1024 <= port <= 65535:
        sys.exit("Port {} is not between 1024 and 65535.".format(port))
    with socket.socket() as s:
        if not WINDOWS:  # there it would let two programs share a port
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            s.bind(("127.0.0.1", port))
        except OSError:
            sys.exit(
                "Port {} is taken. Choose another one: make lab PORT={}".format(port, port + 1)
            )


def lab_command(port):
    """JupyterLab on the first lesson of the learner's own copies."""
    first = "/lab/tree/work/00_start_here.ipynb"
    print("Opening http://localhost:{}{}".format(port, first))
    print("If no browser opens, copy the address with the token that follows.")
    command = [str(BIN / "jupyter-lab"), "--port={}".format(port)]
    command += ["--ServerApp.port_retries=0", "--LabApp.default_url=" + first]
    command += ["--ServerApp.root_dir={}".format(ROOT)]
    # its open tabs, which otherwise all copies of the course share in the user's home
    command += ["--LabApp.workspaces_dir={}".format(ROOT / "work" / ".workspaces")]
    command += ["--LabApp.extension_manager=readonly", "--LabApp.custom_css=True"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers
    return command


def start(command):
    """Go on as another program; on Windows, where exec breaks spaces, start it and wait."""
    if WINDOWS:
        sys.exit(subprocess.call(command))
    os.execv(command[0], command)


def lab(port):
    """Bring the learner's copies up to date and start JupyterLab."""
    check_port(port)
    if not (VENV / "lab").exists():
        sys.exit("Not set up yet. First: {} tools/setup.py install".format(sys.executable))
    bring_lessons()
    start(lab_command(port))


def bring_lessons():
    """Copy new lessons into the learner's folder, work."""
    run(BIN / "python", "-m", "gpt1course", "update")


def is_current(stamp):
    """Whether .venv is newer than what says what belongs in it, as make would ask."""
    asked = [ROOT / name for name in ("pyproject.toml", LOCK, "tools/setup.py")]
    return stamp.exists() and stamp.stat().st_mtime >= max(p.stat().st_mtime for p in asked)


def update():
    """Fetch what is new, where git knows from where, and bring it into work."""
    if (ROOT / ".git").exists() and quiet("git", "-C", ROOT, "remote", "get-url", "origin"):
        run("git", "pull", "--ff-only")
    dev = (VENV / "dev").exists()
    if not is_current(VENV / ("dev" if dev else "lab")):
        install(dev)
    bring_lessons()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command")
    commands.required = True
    install_it = commands.add_parser("install")
    install_it.add_argument("--dev", action="store_true")
    install_it.add_argument("--wheels", help="a folder with all packages, made by `wheels`")
    commands.add_parser("wheels").add_argument("--out", default="build/wheels")
    commands.add_parser("lab").add_argument("--port", type=int, default=8888)
    commands.add_parser("update")
    args = parser.parse_args()
    if args.command == "install":
        install(args.dev, args.wheels)
    elif args.command == "wheels":
        fetch_wheels(args.out)
    elif args.command == "update":
        update()
    else:
        lab(args.port)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit("Stopped. Run the same command to go on.")

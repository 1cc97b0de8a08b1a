"""Do the bounds in pyproject.toml hold? tools/check.py --short, in an environment of its own.

    python3 tools/bounds.py newest     what pip takes today, in build/newest
    python3 tools/bounds.py oldest     the lower bounds themselves, in build/oldest; needs uv

The environment is made anew each time. TORCH_INDEX is heard as in tools/setup.py.
"""

import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
from tools import setup  # noqa: E402


def install(python, bound):
    """The course and its tools without the lock, at one end of its ranges."""
    index = setup.torch_index() if bound == "newest" else os.environ.get("TORCH_INDEX")
    pip = [python, "-m", "pip", "install", "--quiet", "--upgrade"]
    if bound == "oldest":
        pip = ["uv", "pip", "install", "--resolution", "lowest-direct", "--python", python]
    if index:
        setup.run(*pip, "torch", "--no-deps", "--index-url", index)
    setup.run(*pip, "--editable", ".[dev,released]")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bound", choices=["newest", "oldest"])
    bound = parser.parse_args().bound
    setup.check_machine()
    folder = ROOT / "build" / bound
    shutil.rmtree(folder, ignore_errors=True)
    setup.run(sys.executable, "-m", "venv", folder)
    python = folder / setup.BIN.name / "python"
    install(python, bound)
    sys.exit(subprocess.call([str(python), "tools/check.py", "--short"], cwd=str(ROOT)))


if __name__ == "__main__":
    main()

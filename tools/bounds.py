"""Do the bounds in pyproject.toml hold? The short list of tests, in an environment of its own.

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

FILES = "model parity decode bpe corpus exercises finetune pretrain checkpoint metrics figures"
LESSONS = "00 05 09"  # one with everything, one with explorers, one in numpy


def short_list():
    """The arguments of pytest: the tests, and lessons cell by cell."""
    tests = [f"tests/test_{name}.py" for name in FILES.split()]
    notebooks = (ROOT / "notebooks").glob("[0-9]*.ipynb")
    lessons = [str(p) for p in sorted(notebooks) if p.name[:2] in LESSONS.split()]
    return [*tests, *lessons, "-q", "-m", "not slow and not browser", "--nbval-lax"]


def install(python, bound):
    """The course and its tools without the lock, at one end of its ranges."""
    index = setup.torch_index() if bound == "newest" else os.environ.get("TORCH_INDEX")
    pip = [python, "-m", "pip", "install", "--quiet", "--upgrade"]
    if bound == "oldest":
        pip = ["uv", "pip", "install", "--resolution", "lowest-direct", "--python", python]
    if index:
        setup.run(*pip, "torch", "--no-deps", "--index-url", index)
    setup.run(*pip, "--editable", ".[dev,real]")


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
    light = dict(os.environ, GPT1_LIGHT="1")
    sys.exit(subprocess.call([python, "-m", "pytest", *short_list()], cwd=ROOT, env=light))


if __name__ == "__main__":
    main()

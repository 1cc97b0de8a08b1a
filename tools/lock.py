"""Write requirements.lock: the exact version of every package, for every system.

    python tools/lock.py [--upgrade]

Versions that still fit pyproject.toml stay as they are; --upgrade takes the newest. CUDA's
packages are left out: they belong to one build of torch, which brings its own. Needs uv.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
HEAD = """\
# The versions that the course was tested with, by `python tools/lock.py`.
# pip install -c requirements.lock -e .
"""
COMPILE = ["uv", "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest"]
PLAIN = ["--all-extras", "--no-header", "--no-annotate", "pyproject.toml", "-o", LOCK.name]
CUDA = re.compile(r"(nvidia|cuda|triton)\b.*\n", re.MULTILINE)


def without_cuda(lock: str) -> str:
    """The lines of a lock but for what only a CUDA build of torch needs."""
    return "".join(line for line in lock.splitlines(True) if not CUDA.match(line))


if __name__ == "__main__":
    subprocess.run([*COMPILE, *PLAIN, *sys.argv[1:]], cwd=ROOT, check=True)
    LOCK.write_text(HEAD + without_cuda(LOCK.read_text(encoding="utf-8")), encoding="utf-8")

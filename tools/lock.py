"""Write what follows from pyproject.toml: requirements.lock and conda's environments.

    python tools/lock.py [--upgrade]     all of them; the lock needs uv
    python tools/lock.py --conda         conda's environments alone

The lock has the exact version of every package, for every system. Versions that still fit
stay as they are; --upgrade takes the newest. CUDA's packages are left out: they belong to
one build of torch, which brings its own.
"""

import argparse
import os
import re
import subprocess
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LOCK = ROOT / "requirements.lock"
HEAD = """\
# The versions that the course was tested with, by `python tools/lock.py`.
# pip install -c requirements.lock -e ".[course]"
"""
COMPILE = ["uv", "pip", "compile", "--quiet", "--universal", "--fork-strategy", "fewest"]
PLAIN = ["--all-extras", "--no-header", "--no-annotate", "pyproject.toml", "-o", LOCK.name]
CUDA = re.compile(r"(nvidia|cuda|triton)\b.*\n", re.MULTILINE)

# ---- conda ------------------------------------------------------------------------------

AT_CONDA_FORGE = {"torch": "pytorch-cpu", "matplotlib": "matplotlib-base"}
FOR_LEARNERS = """\
# For learners with conda; the packages and ranges of pyproject.toml, all from conda-forge.
# Written by tools/lock.py.
#
#   conda env create -f environment.yml
#   conda activate gpt1-course
#   python -m gpt1course update
#   jupyter lab work/00_start_here.ipynb
#
# torch comes as its CPU build, without CUDA. pip adds the course itself and nothing else.
"""
FOR_BINDER = """\
# For mybinder.org: environment.yml without the course itself, which postBuild installs.
# Written by tools/lock.py.
"""
ENVIRONMENT = """\
name: gpt1-course
channels:
  - conda-forge
  - nodefaults
dependencies:
  - {python}
  - pip
"""


def without_cuda(lock: str) -> str:
    """The lines of a lock but for what only a CUDA build of torch needs."""
    return "".join(line for line in lock.splitlines(True) if not CUDA.match(line))


def project() -> dict:
    """The table [project] of pyproject.toml."""
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def requirements(*extras: str) -> list[str]:
    """What pyproject.toml asks for with these extras, each by name; theirs are resolved."""
    tables, lines = project(), list(project()["dependencies"])
    own = re.compile(rf"{tables['name']}\[(.*)\]")
    for extra in extras:
        for line in tables["optional-dependencies"][extra]:
            inner = own.fullmatch(line)
            lines += requirements(*inner[1].split(",")) if inner else [line]
    return sorted({*lines}, key=str.lower)


def conda_line(requirement: str) -> str:
    """'torch>=2.13,<3' as conda-forge writes it."""
    name, bounds = re.findall(r"^([\w-]+)(.*)$", requirement)[0]
    return f"  - {AT_CONDA_FORGE.get(name, name)} {bounds}\n"


def environment(head: str, python: str) -> str:
    """The text of an environment of conda with what a learner needs."""
    packages = "".join(map(conda_line, requirements("course")))
    return head + ENVIRONMENT.format(python=f"python {python}") + packages


def environments() -> dict[str, str]:
    """File -> its text."""
    learners = environment(FOR_LEARNERS, project()["requires-python"])
    return {
        "environment.yml": f"{learners}  - pip:\n      - -e .\n",
        ".binder/environment.yml": environment(FOR_BINDER, "=3.13"),
    }


# ---- all of them ------------------------------------------------------------------------


def write_text(path: Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all, and with the same line ends on every system.

    gpt1lib has such a function, but this file also runs where gpt1lib is not installed.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        temporary.write_text(text, encoding="utf-8", newline="\n")
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def lock(options: list[str]) -> None:
    """Write requirements.lock; options: uv's own, such as --upgrade."""
    subprocess.run([*COMPILE, *PLAIN, *options], cwd=ROOT, check=True)
    write_text(LOCK, HEAD + without_cuda(LOCK.read_text(encoding="utf-8")))


def main() -> None:
    """Write what is asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--upgrade", action="store_true", help="take the newest versions")
    which.add_argument("--conda", action="store_true", help="conda's environments alone")
    args = parser.parse_args()
    for name, text in environments().items():
        write_text(ROOT / name, text)
    if not args.conda:
        lock(["--upgrade"] * args.upgrade)


if __name__ == "__main__":
    main()

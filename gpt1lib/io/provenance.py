"""Where a result comes from: the command, the commit and the machine that made it."""

import shlex
import subprocess
import sys
from contextlib import suppress

import torch

from .. import settings
from .paths import ROOT


def git_commit() -> str:
    """The commit of the course's working tree, or 'unknown' where there is none.

    Where git does not answer, the environment's GPT1_COMMIT counts.
    """
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    if (ROOT / ".git").exists():  # a repository around the copy is another one
        with suppress(OSError, subprocess.CalledProcessError):
            answer = subprocess.run(command, capture_output=True, text=True, check=True)
            return answer.stdout.strip()
    return settings.commit()


def command_line(module: str, argv: list[str] | None = None) -> str:
    """The command as one would type it again: python -m gpt1lib.MODULE and its options."""
    words = sys.argv[1:] if argv is None else argv
    return shlex.join(["python", "-m", f"gpt1lib.{module}", *words])


def provenance(command: str | None = None, commit: str | None = None) -> dict:
    """What is stored with a result.

    command: this process's own where none is given. commit: that of now, or the one that a
    long run began with.
    """
    return {
        "command": shlex.join(["python", *sys.argv]) if command is None else command,
        "commit": commit or git_commit(),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }

"""What every long run needs: its commit, its log, its folder for itself, its memory."""

import ctypes
import json
import shlex
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import torch

from . import files
from .paths import ROOT


def git_commit() -> str:
    """The commit of the working tree, or 'unknown' outside a repository."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def origin() -> dict:
    """What must stand beside a stored result: its command, its commit, its machine."""
    return {
        "command": shlex.join(["python", *sys.argv]),
        "commit": git_commit(),
        "torch": torch.__version__,
        "threads": torch.get_num_threads(),
    }


def keep_memory() -> None:
    """Ask the C library to keep freed buffers instead of handing them back.

    Each step frees and asks for the same large buffers; without this the kernel
    clears them anew each time, a tenth of the time of a step. Linux with glibc only.
    """
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-4, 0)  # M_MMAP_MAX: no buffer of its own mapping
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: never shrink
        libc.mallopt(-2, 256 << 20)  # M_TOP_PAD: grow in large steps
    except (OSError, AttributeError):
        return  # another C library: slower, not wrong


@contextmanager
def threads(n: int):
    """Let torch use n threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(n)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextmanager
def only_one(folder: Path):
    """Hold a folder for this process; the system lets go of it even if we are killed.

    Raises RuntimeError where another process holds it: two runs would overwrite each
    other. Not on Windows, which has no such lock.
    """
    try:
        import fcntl
    except ImportError:
        yield
        return
    folder.mkdir(parents=True, exist_ok=True)
    with open(folder / "lock", "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise RuntimeError(f"another run is writing to {folder}") from None
        yield


class Log:
    """JSON lines that each carry a step; a killed run may leave half a line."""

    def __init__(self, path: Path):
        self.path = path

    def lines(self) -> list[dict]:
        """All whole lines."""
        if not self.path.exists():
            return []
        found = []
        for line in self.path.read_text(encoding="utf-8").splitlines():
            try:
                found.append(json.loads(line))
            except json.JSONDecodeError:
                break  # cut short: nothing after it is whole
        return found

    def cut(self, step: int) -> None:
        """Forget what came after a step: the run is about to do it again."""
        kept = [x for x in self.lines() if x["step"] <= step]
        files.write_text(self.path, "".join(json.dumps(x) + "\n" for x in kept))

    def add(self, line: dict) -> None:
        """Append one line at once, for whoever watches."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8") as f:
            f.write(json.dumps(line, ensure_ascii=False) + "\n")

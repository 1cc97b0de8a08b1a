"""Where bubblewrap is installed, submissions run on a disk that nothing can change.

`bwrap` (https://github.com/containers/bubblewrap) starts Python with a file system of its own
in which everything but one folder is read-only, in a network of its own that leads nowhere.
sandbox.py closes reading and writing file by file; this closes also what Landlock does not
know, such as the rights and times of a file, and it holds on kernels without Landlock.
"""

import atexit
import shlex
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

SHARED = ("--ro-bind", "/", "/", "--dev", "/dev")
ALONE = ("--unshare-user", "--unshare-net", "--unshare-ipc", "--unshare-uts")
"""No PID namespace: each submission gets one of its own, and is ended by its number."""


@cache
def workplace() -> str:
    """The folder beneath which submissions get theirs; it goes when this process ends."""
    folder = tempfile.mkdtemp(prefix="gpt1-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def python() -> str | None:
    """A program that starts Python in bubblewrap; None where it is missing or may not."""
    bwrap = shutil.which("bwrap")
    if not bwrap or not sys.platform.startswith("linux"):
        return None
    walls = [bwrap, *SHARED, *_writable(), *ALONE, "--"]
    if subprocess.run([*walls, "true"], capture_output=True, check=False).returncode:
        return None  # a container without namespaces, say
    program = Path(workplace()) / "python"
    program.write_text(f'#!/bin/sh\nexec {shlex.join([*walls, sys.executable])} "$@"\n')
    program.chmod(0o500)
    return str(program)


def _writable() -> list[str]:
    """The options for what may be changed: the workplace, and where matplotlib keeps fonts."""
    import matplotlib  # only who marks needs it

    places = [workplace(), matplotlib.get_configdir(), matplotlib.get_cachedir()]
    return [word for place in places for word in ("--bind-try", place, place)]

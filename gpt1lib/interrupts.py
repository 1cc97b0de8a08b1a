"""Ctrl-C while a command still loads torch, which takes seconds: one line, no traceback.

`cli.one_line_errors` is at hand only when everything is imported; this is imported first.
"""

import sys
from pathlib import Path

from . import settings


def is_command(started: str) -> bool:
    """Whether sys.argv[0] is one of our commands: a learner's own program is left alone."""
    path = Path(started)
    ours = any(p.name.startswith("gpt1") for p in path.parents)
    of_ours = path.name == "__main__.py" and ours
    return started == "-m" or of_ours or path.stem.startswith(("gpt1-", "gpt1course"))


def stop_in_one_line() -> None:
    """Print one line for a Ctrl-C that no handler catches, instead of a traceback."""
    before = sys.excepthook

    def hook(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt) and not settings.debug():
            print("\nstopped", file=sys.stderr)
        else:
            before(kind, error, trace)

    sys.excepthook = hook


if is_command(sys.argv[0]):  # "-m" is its name while `python -m` loads a package
    stop_in_one_line()

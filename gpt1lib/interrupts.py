"""Ctrl-C while a command still loads torch, which takes seconds: one line, no traceback.

`cli.one_line_errors` is at hand only when everything is imported; this is imported first.
"""

import sys
from pathlib import Path

from . import settings


def is_command(started: list[str]) -> bool:
    """Whether sys.orig_argv is a command of ours: a learner's own program is left alone."""
    program = next((word for word in started[1:] if not word.startswith("-")), "")
    return Path(program).name.startswith(("gpt1-", "gpt1lib", "gpt1course"))


def stop_in_one_line() -> None:
    """Print one line for a Ctrl-C that no handler catches, instead of a traceback."""
    before = sys.excepthook

    def hook(kind, error, trace):
        if issubclass(kind, KeyboardInterrupt) and not settings.debug():
            print("\nstopped", file=sys.stderr)
        else:
            before(kind, error, trace)

    sys.excepthook = hook


if is_command(sys.orig_argv):  # sys.argv has no name while `python -m` loads a package
    stop_in_one_line()

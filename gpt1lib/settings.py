"""Environment variables that the library reads, each when it is asked for.

GPT1_DEBUG=1       commands that fail show the whole traceback, not one line
GPT1_COMMIT=HASH   the commit to store with results where git does not answer
"""

import os


def debug() -> bool:
    """Whether commands show whole tracebacks."""
    return os.environ.get("GPT1_DEBUG") == "1"


def commit() -> str:
    """The commit that the environment names, or 'unknown'."""
    return os.environ.get("GPT1_COMMIT") or "unknown"

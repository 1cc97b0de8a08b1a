"""A fork server for submissions alone: no other process of this program gets its walls.

Python's own module knows a single server. If marking used that one, whatever starts a
process later would start it behind the walls, and one that runs already has none.
"""

from multiprocessing import forkserver, popen_forkserver, resource_tracker, spawn
from multiprocessing.context import ForkServerContext, ForkServerProcess
from unittest.mock import patch

SERVER = forkserver.ForkServer()


class Popen(popen_forkserver.Popen):
    """A process that our server starts."""

    def _launch(self, process_obj):
        own = SERVER.connect_to_new_process
        with patch.object(forkserver, "connect_to_new_process", own):
            super()._launch(process_obj)  # pyrefly: ignore[missing-attribute]


class Process(ForkServerProcess):
    """The same, as those who start it see it."""

    @staticmethod
    def _Popen(process_obj):
        return Popen(process_obj)


class Context(ForkServerContext):
    """A context of multiprocessing, whose processes are ours."""

    Process = Process


def begin(preloaded: list[str], executable: str) -> Context:
    """Start the server, with these modules imported, by a program that starts Python."""
    SERVER.set_forkserver_preload(preloaded)
    resource_tracker.ensure_running()
    with patch.object(spawn, "_python_exe", executable.encode()):
        SERVER.ensure_running()
    return Context()

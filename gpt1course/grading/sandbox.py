"""Walls round a process that runs a stranger's code: no network, no writing, no programs.

Python's own calls are watched on every system, by an audit hook that cannot be taken out.
On Linux the kernel holds the same line against native code, as far as it lets us: a network
of its own, Landlock for files and programs, and a limit of memory. This is no prison: who
means harm needs a container around it.
"""

import ctypes
import os
import sys
from collections.abc import Callable

FORBIDDEN = (
    "socket.", "ctypes.", "subprocess.", "os.fork", "os.exec", "os.spawn", "os.posix_spawn",
    "os.system", "os.startfile", "os.kill", "signal.pthread_kill", "pty.spawn", "sqlite3.",
)  # fmt: skip
CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "os.setxattr", "shutil.",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def close_walls(folder: str, gigabytes: float, hidden: tuple[str, ...] = ()) -> None:
    """Shut this process in, for good. Call it before any stranger's code, in one thread.

    folder: the only one that may be written in. gigabytes: of memory, beyond what is in use
    (Linux). hidden: folders that Python may not read.
    """
    hide_terminal()
    if sys.platform.startswith("linux"):
        _limit_memory(gigabytes)
        _leave_the_network()
        _write_only_in(folder)
    kept = {k: v for k, v in os.environ.items() if k == "SYSTEMROOT"}  # Windows needs it
    os.environ.clear()
    os.environ.update(kept, HOME=folder, TMPDIR=folder)
    sys.addaudithook(watch(os.path.realpath(folder), tuple(map(os.path.realpath, hidden))))


def hide_terminal() -> None:
    """Nothing to read, and nowhere to print."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


# ---- on every system --------------------------------------------------------------------


def watch(folder: str, hidden: tuple[str, ...] = ()) -> Callable[[str, tuple], None]:
    """An audit hook: PermissionError for what a submission has no business doing."""

    def within(path, place: str) -> bool:
        found = os.path.realpath(os.fsdecode(path))
        return os.path.join(found, "").startswith(os.path.join(place, ""))

    def may_write(path) -> bool:
        return path is None or isinstance(path, int) or within(path, folder)

    def hook(event: str, arguments: tuple) -> None:
        if event.startswith(FORBIDDEN):
            raise PermissionError(f"a submission may not call {event}")
        if event.startswith(CHANGES):
            paths = [a for a in arguments[:2] if isinstance(a, str | bytes | os.PathLike)]
            if not all(map(may_write, paths)):
                raise PermissionError(f"a submission may not change files: {event}")
        if event == "open":
            path, _, flags = arguments
            if flags & WRITING and not may_write(path):
                raise PermissionError(f"a submission may not write {path}")
            if not isinstance(path, int) and any(within(path, place) for place in hidden):
                raise PermissionError("a submission may not read its neighbors")

    return hook


# ---- on Linux, as far as the kernel allows it ---------------------------------------------

NEW_USER, NEW_NETWORK, NO_NEW_RIGHTS = 0x10000000, 0x40000000, 38
CREATE, ADD, RESTRICT = 444, 445, 446  # Landlock's calls, the same on every processor
EXECUTE, WRITE, REMOVE_AND_MAKE, REFER, TRUNCATE = 1, 2, 0b1_1111_1111_0000, 1 << 13, 1 << 14


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _limit_memory(gigabytes: float) -> None:
    """What is asked for beyond it raises MemoryError."""
    import resource  # Unix alone has it

    with open("/proc/self/statm") as f:
        in_use = int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    most = in_use + int(gigabytes * 1e9)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _leave_the_network() -> None:
    """A network of one's own, with nobody in it; nothing where namespaces are forbidden."""
    _libc().unshare(NEW_USER | NEW_NETWORK)


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32)]


def landlock_version() -> int:
    """Of the kernel; 0 where it has none, or forbids it."""
    linux = sys.platform.startswith("linux")
    return max(0, _libc().syscall(CREATE, None, 0, 1)) if linux else 0


def _write_only_in(folder: str) -> None:
    """Write beneath one folder and execute nothing; no wall where there is no Landlock."""
    libc, version = _libc(), landlock_version()
    if not version:
        return
    writing = WRITE | REMOVE_AND_MAKE | REFER * (version >= 2) | TRUNCATE * (version >= 3)
    handled = ctypes.c_uint64(writing | EXECUTE)
    rules = libc.syscall(CREATE, ctypes.byref(handled), 8, 0)
    place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    beneath = _Beneath(writing, place)
    libc.syscall(ADD, rules, 1, ctypes.byref(beneath), 0)
    libc.prctl(NO_NEW_RIGHTS, 1, 0, 0, 0)
    libc.syscall(RESTRICT, rules, 0)
    os.close(rules)
    os.close(place)

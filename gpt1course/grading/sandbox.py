"""Isolation of a process that runs a stranger's code: no network, no writing, no programs.

An audit hook watches Python's own calls on every system, and cannot be taken out. On Linux
the kernel enforces the same against native code: namespaces of its own for network and
processes, Landlock for files and programs, and limits of memory and file size. What the
kernel refuses to close is reported, see `WALLS`. Against attackers who know the kernel a
container belongs around it.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from gpt1lib.io import paths

WALLS = ("network", "processes", "memory", "files")
"""What the kernel closes: no network; no process outlives its marking; no memory beyond the
limit; no file read but the library, none written but in one folder, and no program run."""

FORBIDDEN = (
    "socket.", "ctypes.", "subprocess.", "os.fork", "os.exec", "os.spawn", "os.posix_spawn",
    "os.system", "os.startfile", "os.kill", "signal.pthread_kill", "pty.spawn", "sqlite3.",
)  # fmt: skip
CHANGES = (
    "os.remove", "os.rename", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate",
    "os.chmod", "os.chown", "os.utime", "os.setxattr", "shutil.",
)  # fmt: skip
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
LARGEST_FILE = 50_000_000  # bytes that a submission may write into one file
MOST_OPEN = 64  # files that it may have open at a time, so also such as have no name any more
MOST_WRITTEN = 200_000_000  # bytes that it may have in its folder
MOST_FILES = 10_000  # files and folders in it
MOST_TASKS = 1000  # processes and threads that a submission may have at a time


def run_alone(task: Callable[[list[str]], None], waiting: Callable[[], None]) -> None:
    """Call task(walls that stayed open) in a process that ends with all that it started.

    On Linux that is the first process of a PID namespace, and this one waits for it, after
    calling `waiting`, and ends as it ended; SIGTERM ends both. Elsewhere it is this process.
    """
    if not sys.platform.startswith("linux"):
        return task(["network", "processes"])
    namespaces = CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID
    unclosed = [] if _libc().unshare(namespaces) == 0 else ["network", "processes"]
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    first = os.fork()
    if first == 0:
        _be_first(task, unclosed)
    signal.signal(signal.SIGTERM, lambda *_: _kill(first))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
    waiting()
    _end_as(os.waitstatus_to_exitcode(os.waitpid(first, 0)[1]))


def _be_first(task: Callable[[list[str]], None], unclosed: list[str]) -> None:
    """Do the task in a process group of its own, and end."""
    code = 1
    try:
        os.setsid()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})
        if _libc().prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) and not unclosed:
            unclosed = ["processes"]
        task(unclosed)
        code = 0
    finally:
        os._exit(code)


def _kill(process: int) -> None:
    with contextlib.suppress(ProcessLookupError):  # it has just ended
        os.kill(process, signal.SIGKILL)


def _end_as(code: int) -> None:
    """End with an exit code, or by the signal that a negative one names."""
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(abs(code))


def close_walls(folder: str, gigabytes: float, hidden: tuple[str, ...] = ()) -> list[str]:
    """Isolate this process for good; returns which of memory and files stayed open.

    Call it before any stranger's code, in one thread. folder: the only one that may be
    written in. gigabytes: of memory, beyond what is in use. hidden: folders that may not be
    read.
    """
    hide_terminal()
    hidden = tuple(map(os.path.realpath, hidden))
    unclosed = ["memory", "files"]
    if sys.platform.startswith("linux"):
        closed = {
            "memory": _limit_resources(gigabytes),
            "files": _restrict_files(folder, hidden),
        }
        unclosed = [wall for wall, is_closed in closed.items() if not is_closed]
    kept = {k: v for k, v in os.environ.items() if k == "SYSTEMROOT"}  # Windows needs it
    os.environ.clear()
    os.environ.update(kept, HOME=folder, TMPDIR=folder)
    sys.addaudithook(watch(os.path.realpath(folder), hidden))
    return unclosed


def close_inherited(kept: int) -> None:
    """Close all files but the standard streams and one: the others are its parents' pipes."""
    if sys.platform.startswith("linux"):
        os.closerange(3, kept)
        os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))


def hide_terminal() -> None:
    """Nothing to read, and nowhere to print."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    if nowhere > 2:
        os.close(nowhere)


def within(path, place: str) -> bool:
    """Whether a path is a folder or beneath it; links are followed."""
    resolved = os.path.realpath(os.fsdecode(path))
    return os.path.join(resolved, "").startswith(os.path.join(place, ""))


def too_much_in(folder: str) -> str:
    """What is too much of what a submission has written so far, in words; empty if nothing."""
    size, places = 0, [folder]
    for place in places:  # grows as folders are found
        try:
            with os.scandir(place) as entries:
                for entry in entries:
                    status = entry.stat(follow_symlinks=False)
                    size += getattr(status, "st_blocks", -(-status.st_size // 512)) * 512
                    places.append(entry.path if entry.is_dir(follow_symlinks=False) else "")
        except FileNotFoundError:  # "" is a file, and others come and go
            pass
        except PermissionError:
            return "it hides what it writes"
        except OSError:  # too deep to be looked into
            pass
        if size > MOST_WRITTEN:
            return f"it wrote more than {MOST_WRITTEN // 1_000_000} MB to the disk"
        if len(places) > MOST_FILES:
            return f"it wrote more than {MOST_FILES:,} files"
    return ""


# ---- on every system --------------------------------------------------------------------


def watch(folder: str, hidden: tuple[str, ...] = ()) -> Callable[[str, tuple], None]:
    """An audit hook: PermissionError for what a submission has no business doing."""

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

CLONE_NEWUSER, CLONE_NEWPID, CLONE_NEWNET = 0x10000000, 0x20000000, 0x40000000
PR_SET_PDEATHSIG, PR_SET_NO_NEW_PRIVS = 1, 38
SYS_landlock_create_ruleset = 444  # the same on every processor
SYS_landlock_add_rule = 445
SYS_landlock_restrict_self = 446
LANDLOCK_CREATE_RULESET_VERSION = 1
LANDLOCK_RULE_PATH_BENEATH = 1
LANDLOCK_ACCESS_FS_EXECUTE = 1 << 0
LANDLOCK_ACCESS_FS_WRITE_FILE = 1 << 1
LANDLOCK_ACCESS_FS_READ_FILE = 1 << 2
LANDLOCK_ACCESS_FS_READ_DIR = 1 << 3
LANDLOCK_ACCESS_FS_REMOVE_AND_MAKE = 0b1_1111_1111 << 4  # REMOVE_DIR to MAKE_SYM
LANDLOCK_ACCESS_FS_REFER = 1 << 13  # since version 2
LANDLOCK_ACCESS_FS_TRUNCATE = 1 << 14  # since version 3


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _limit_resources(gigabytes: float) -> bool:
    """Of memory, of files and of processes; returns whether the limits are set.

    Memory beyond its limit is a MemoryError. The kernel does not count root's processes.
    """
    import resource  # Unix alone has it

    with open("/proc/self/statm") as f:
        in_use = int(f.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    most = in_use + int(gigabytes * 1e9)
    try:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, LARGEST_FILE))
        resource.setrlimit(resource.RLIMIT_NOFILE, (MOST_OPEN, MOST_OPEN))
        tasks = tasks_of_user() + MOST_TASKS
        resource.setrlimit(resource.RLIMIT_NPROC, (tasks, tasks))
    except (OSError, ValueError):
        return False
    return True


def tasks_of_user() -> int:
    """How many processes and threads this user has on the whole machine."""
    n = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if process.stat().st_uid == os.getuid():
                n += len(os.listdir(process / "task"))
        except OSError:  # it has ended, or hides
            pass
    return n


def readable() -> list[str]:
    """What a submission may read: Python, the libraries, the course's data; no reference."""
    course = [paths.ROOT / name for name in ("gpt1lib", "gpt1course/viz", "gpt1course/paper")]
    packages = [path for path in sys.path if Path(path).name.endswith("-packages")]
    system = "/usr /lib /lib64 /proc /sys/devices/system /etc/ld.so.cache /etc/localtime"
    devices = ["/dev/null", "/dev/zero", "/dev/urandom"]
    python = [sys.prefix, sys.base_prefix, os.path.dirname(os.__file__)]
    every = [*system.split(), *devices, *python, *packages, *course, paths.DATA]
    return sorted({os.path.realpath(p) for p in every if os.path.exists(p)})


class _PathBeneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = [("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32)]


def landlock_version() -> int:
    """Of the kernel; 0 where it has none, or forbids it."""
    if not sys.platform.startswith("linux"):
        return 0
    version = LANDLOCK_CREATE_RULESET_VERSION
    return max(0, _libc().syscall(SYS_landlock_create_ruleset, None, 0, version))


def _restrict_files(folder: str, hidden: tuple[str, ...]) -> bool:
    """Read only what is `readable`, write beneath one folder, run no program.

    Returns whether the kernel does so, and lets nothing be read that is hidden.
    """
    libc, version = _libc(), landlock_version()
    reading = LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR
    writing = (
        LANDLOCK_ACCESS_FS_WRITE_FILE
        | LANDLOCK_ACCESS_FS_REMOVE_AND_MAKE
        | LANDLOCK_ACCESS_FS_REFER * (version >= 2)
        | LANDLOCK_ACCESS_FS_TRUNCATE * (version >= 3)
    )
    handled = ctypes.c_uint64(reading | writing | LANDLOCK_ACCESS_FS_EXECUTE)
    rules = libc.syscall(SYS_landlock_create_ruleset, ctypes.byref(handled), 8, 0)
    if not version or rules < 0:
        return False
    allowed = readable()
    added = [_allow(libc, rules, path, reading) for path in allowed]
    added.append(_allow(libc, rules, folder, reading | writing))
    private = libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
    restricted = libc.syscall(SYS_landlock_restrict_self, rules, 0) == 0
    os.close(rules)
    seen = [place for place in hidden if any(within(place, path) for path in allowed)]
    return all(added) and private and restricted and not seen


def _allow(libc, rules: int, path: str, access: int) -> bool:
    """Add a rule for a file, or for a folder and what is beneath it."""
    if not os.path.isdir(path):
        access &= LANDLOCK_ACCESS_FS_READ_FILE
    place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    rule = _PathBeneath(access, place)
    kind = LANDLOCK_RULE_PATH_BENEATH
    added = libc.syscall(SYS_landlock_add_rule, rules, kind, ctypes.byref(rule), 0) == 0
    os.close(place)
    return added

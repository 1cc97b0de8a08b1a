"""What every run that takes minutes keeps in its folder, so that it can be killed.

A run has a state (all that its next step depends on), a log, a lock, and the commit that it
began with. `RunFolder` writes and reads them for pre-training, for fine-tuning and for the
paper's trials alike: whole files only, and a state made with other settings is refused.
"""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from . import files
from .provenance import git_commit
from .tensors import read_state, write_state


class Log:
    """JSON lines; a killed run may leave half a line at the end, which is not read.

    counter: the field that numbers the lines, such as step or update.
    """

    def __init__(self, path: Path, counter: str = "step"):
        self.path, self.counter = path, counter

    def lines(self) -> list[dict]:
        """All whole lines; none where there is no file.

        Only the end may be cut short, in a character even. Raises ValueError, and names the
        line, for damage before it: to read on, or to write, would lose what comes after.
        """
        *pieces, end = self._bytes().split(b"\n")
        at = f"{self.path}, line "
        lines = [files.parse_json(piece, f"{at}{n}") for n, piece in enumerate(pieces, start=1)]
        with suppress(ValueError):  # all of the last line may be there but its end
            lines += [files.parse_json(end, self.path)] if end else []
        return lines

    def replace(self, lines: list[dict]) -> None:
        """Replace the file, whole or not at all."""
        files.write_text(self.path, "".join(map(as_line, lines)))

    def cut(self, last: int) -> None:
        """Forget what came after a step, or twice: the run is about to do it again."""
        kept, at = [], -1
        with files.blame_file(self.path):
            for line in self.lines():
                if at < line[self.counter] <= last:
                    kept.append(line)
                    at = line[self.counter]
        self.replace(kept)

    def _bytes(self) -> bytes:
        if not self.path.exists():
            return b""
        files.check_file(self.path)
        return self.path.read_bytes()

    def digest(self, length: int | None = None) -> tuple[int, str]:
        """How many bytes are written, up to a length, and their SHA-256."""
        written = self._bytes()[:length]
        return len(written), hashlib.sha256(written).hexdigest()

    def check(self, length: int, checksum: str) -> None:
        """Raise ValueError unless the file begins with the bytes of an earlier `digest`."""
        if self.digest(length)[1] != checksum:
            raise ValueError(
                f"{self.path} is not the one that the state was saved with. To begin anew, "
                "take another --out"
            )

    def add(self, line: dict) -> None:
        """Append one line at once, for those who watch."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with open(self.path, "a", encoding="utf-8", newline="\n") as f:
            f.write(as_line(line))


LOGS = ("log", "samples")
"""What a run may write line by line; a state has their lengths."""


def as_line(values: dict) -> str:
    """One record as JSON, and the new line after it."""
    return json.dumps(values, ensure_ascii=False) + "\n"


class RunFolder:
    """The folder of one run.

    state: where the state is kept, the folder itself unless another is named. counter: what
    the log's lines are numbered by. The commit is that of the tree when the run began: the
    tree may move on while it goes.
    """

    def __init__(self, folder: str | Path, state: str = "", counter: str = "step"):
        self.path = Path(folder)
        if self.path.is_file():
            raise ValueError(f"{folder} is a file, a run needs a folder")
        self.state_dir = self.path / state
        self.state_path = self.state_dir / "state.pt"
        self.counter, self.commit = counter, git_commit()
        self.saved: int | None = None  # the step of the last saved state
        self.log = self.log_of("log")

    def log_of(self, name: str) -> Log:
        """A log in this folder, NAME.jsonl."""
        return Log(self.path / f"{name}.jsonl", self.counter)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Lock the folder for this process; the system unlocks it even if we are killed.

        Raises RuntimeError where another process has it: two runs would overwrite each other.
        """
        self.state_dir.mkdir(parents=True, exist_ok=True)
        lock = FileLock(self.state_dir / "lock")
        try:
            lock.acquire(timeout=0)
        except Timeout:
            raise RuntimeError(
                f"another run is writing to {self.state_dir}: wait for it, or name another"
            ) from None
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """A failed write, on a full disk say, names what is kept and how to continue."""
        try:
            yield
        except BrokenPipeError:  # nobody reads what is printed: the disk is well
            raise
        except OSError as error:
            raise OSError(
                f"writing to {self.path} failed ({error}). {self.last_saved()}: make "
                "room there and start the same command again"
            ) from error

    def save(self, fingerprint: dict, step: int, state: dict) -> None:
        """Write the state, whole or not at all. fingerprint: what a resumed run must share."""
        for path in filter(Path.exists, (self.log_of(name).path for name in LOGS)):
            with open(path, "r+b") as f:  # no state may outlive the lines that it counts
                os.fsync(f.fileno())
        logs = {name: self.log_of(name).digest() for name in LOGS}
        stored = {"facts": json.dumps(fingerprint), "commit": self.commit, self.counter: step}
        write_state(self.state_path, {**stored, "logs": logs, **state})
        self.saved = step

    def load(self, fingerprint: dict) -> dict | None:
        """The last saved state, or None.

        Raises ValueError that names each difference of its fingerprint to this one.
        """
        if not self.state_path.exists():
            return None
        stored = read_state(self.state_path)
        with files.blame_file(self.state_path):
            self.saved, then = stored[self.counter], json.loads(stored["facts"])
            for name, (length, checksum) in stored["logs"].items():
                self.log_of(name).check(length, checksum)
        if changed := what_changed(then, fingerprint):
            self.saved = None
            raise ValueError(
                f"{self.state_path} was made with other settings: {'; '.join(changed)}. "
                "Use those again, or another --out: what an update does, its learning rate "
                "say, follows from all of them"
            )
        self.commit = stored.get("commit", self.commit)
        return stored

    def last_saved(self) -> str:
        """What is safe on disk, in a sentence."""
        if self.saved is None:
            return "Nothing was saved yet"
        return f"The state of {self.counter} {self.saved} is kept in {self.state_dir}"


def what_changed(then: dict, now: dict) -> list[str]:
    """What differs between two records, the earlier read from JSON, one sentence each.

    Nested dicts are compared, too.
    """
    changed = []
    for name in now | then:
        a, b = then.get(name), now.get(name)
        if isinstance(a, dict) and isinstance(b, dict):
            changed += what_changed(a, b)
        elif a != (list(b) if isinstance(b, tuple) else b):  # as JSON stores it
            changed.append(f"{name} was {a}, is {b}")
    return changed

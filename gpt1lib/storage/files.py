"""Write files so that an interruption never leaves half of one."""

import hashlib
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`; on success sync it and rename it there."""
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        yield temporary
        with open(temporary, "rb") as f:
            os.fsync(f.fileno())
        temporary.chmod(0o666 & ~umask())  # safetensors writes for its owner alone
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def umask() -> int:
    """The permissions that new files do not get; reading it takes setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def remove_unfinished(folder: str | Path) -> None:
    """Delete the temporary files that killed processes left anywhere in a folder."""
    for path in Path(folder).rglob(".*.*.tmp"):
        path.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write UTF-8 text, whole or not at all."""
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: str | Path, value: object, indent: int | None = 1) -> None:
    """Write JSON, whole or not at all."""
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    write_text(path, text + "\n")


def sha256(path: str | Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest()

"""checksums.json: the SHA-256 of each file of a folder, so that damage is named on reading.

What writes the files adds them here last; a folder that came from elsewhere has none.
"""

from pathlib import Path

from . import files
from .paths import DATA

NAME = "checksums.json"


def of(folder: str | Path) -> dict[str, str]:
    """File name -> SHA-256, as stored in a folder; empty where nothing is."""
    path = Path(folder) / NAME
    return files.read_json(path) if path.is_file() else {}


def write_checksums(folder: str | Path, *names: str) -> None:
    """Store the checksums of files that were just written, beside those already there."""
    folder = Path(folder)
    new = {name: files.sha256(folder / name) for name in names}
    files.write_json(folder / NAME, dict(sorted((of(folder) | new).items())))


def verify(folder: str | Path, *names: str) -> None:
    """Raise ValueError that names a file unless all are as they were written.

    A folder without checksums is not checked.
    """
    folder = Path(folder)
    if not (folder / NAME).is_file():
        return
    wanted = of(folder)
    for name in names:
        if name not in wanted:
            raise ValueError(f"{folder / NAME} does not name {name}")
        if files.sha256(folder / name) != wanted[name]:
            raise ValueError(
                f"{folder / name} is not the file that was written: its SHA-256 differs from "
                f"the one in {NAME}"
            )


def verify_shipped(path: Path) -> None:
    """`verify` for a file of the course's own data; other files are somebody's own."""
    path = path.resolve()
    if path.is_relative_to(DATA) and (name := path.relative_to(DATA).as_posix()) in of(DATA):
        verify(DATA, name)

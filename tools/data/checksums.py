"""Write the checksums of data/ again, after a file was changed on purpose.

    python tools/data/checksums.py

The library refuses to read a file of the course that is not as it was written.
"""

from pathlib import Path

from gpt1lib.checkpoints.checkpoint import FILES, HISTORY
from gpt1lib.io import checksums
from gpt1lib.io.paths import BOOKS, DATA, HELDOUT_BOOKS, LSTM_DIR, NOVELIST_DIR, TASKS


def bound() -> dict[Path, list[str]]:
    """folder with a checksums.json -> the files that it binds."""
    texts = [p for folder in (BOOKS, HELDOUT_BOOKS, TASKS) for p in folder.iterdir()]
    found = {DATA: [p.relative_to(DATA).as_posix() for p in texts]}
    for folder in (NOVELIST_DIR, LSTM_DIR):
        found[folder] = [name for name in (*FILES, *HISTORY) if (folder / name).is_file()]
    return found


def main() -> None:
    """Seal every folder; the stages of a model are sealed when they are made."""
    for folder, names in bound().items():
        checksums.write_checksums(folder, *names)
        print(f"{len(names)} files in {folder / checksums.NAME}")


if __name__ == "__main__":
    main()

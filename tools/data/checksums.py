"""Write the checksums of data/ again, after a file was changed on purpose.

    python tools/data/checksums.py

The library refuses to read a file of the course that is not as it was written.
"""

import argparse
from collections.abc import Iterable
from pathlib import Path

from gpt1lib.checkpoints.checkpoint import FILES, HISTORY
from gpt1lib.io import checksums
from gpt1lib.io.paths import CHECKPOINTS, DATA

TEXTS = ("books/*.txt", "heldout_books/*.txt", "tasks/*.jsonl")
PARTS = (*FILES, *HISTORY, "*.safetensors")  # of a checkpoint, or of a folder of weights


def matching(folder: Path, patterns: Iterable[str]) -> list[str]:
    """The names of the files of a folder that match, as its checksums.json has them."""
    found = {path for pattern in patterns for path in folder.glob(pattern)}
    return sorted(path.relative_to(folder).as_posix() for path in found)


def bound() -> dict[Path, list[str]]:
    """Each folder with a checksums.json -> the files that it binds."""
    sealed = sorted(path.parent for path in CHECKPOINTS.rglob(checksums.NAME))
    models = {folder: matching(folder, PARTS) for folder in sealed}
    return {DATA: matching(DATA, TEXTS)} | models


def main() -> None:
    """Seal every folder."""
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    for folder, names in bound().items():
        checksums.write_checksums(folder, *names)
        print(f"{len(names)} files in {folder / checksums.NAME}")


if __name__ == "__main__":
    main()

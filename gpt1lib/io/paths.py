"""Where the project keeps its files."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "data"
BOOKS = DATA / "books"
HELDOUT_BOOKS = DATA / "heldout_books"
TASKS = DATA / "tasks"
CHECKPOINTS = DATA / "checkpoints"
NOVELIST_DIR = CHECKPOINTS / "novelist"
LSTM_DIR = CHECKPOINTS / "lstm"
RESULTS = DATA / "results"
BENCHMARKS = RESULTS / "benchmarks"


def check_there(path: Path) -> None:
    """Raise FileNotFoundError for a path in `data` where gpt1lib was installed without it."""
    place = Path(os.path.realpath(path))  # resolve() would raise for a link to itself
    if place.is_relative_to(DATA) and not DATA.is_dir():
        raise FileNotFoundError(
            f"{DATA} is missing: gpt1lib was installed without its data. In the course's "
            "folder: python -m pip install -e ."
        )

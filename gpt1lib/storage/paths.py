"""Where the project keeps its files."""

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

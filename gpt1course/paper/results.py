"""The stored lines of all experiments, and the means of the tables."""

from functools import lru_cache
from pathlib import Path

from gpt1lib.io import files
from gpt1lib.io.paths import RESULTS
from gpt1lib.io.run_folder import Log

from .. import statistics
from .plan import EXPERIMENTS
from .trials import PARAMS, Trial

STORED = RESULTS / "paper"


def stored_lines(name: str) -> list[dict]:
    """The lines of data/results/paper/NAME.jsonl; none where there is no such file."""
    return whole_lines(STORED / f"{name}.jsonl")


def whole_lines(path: Path) -> list[dict]:
    """The lines of a file that is never written line by line: half a line is damage."""
    if path.is_file() and path.read_bytes()[-1:] not in (b"", b"\n"):
        raise ValueError(f"{path} is cut short: its last line does not end")
    return Log(path).lines()


def stored_state(name: str) -> tuple:
    """What changes whenever a file of results is written: its path, size and time."""
    path = STORED / f"{name}.jsonl"
    status = path.stat() if path.is_file() else None
    return (path, status.st_size, status.st_mtime_ns) if status else (path,)


def store(name: str, line: dict) -> None:
    """Add a line to a file of results, whole or not at all."""
    replace_lines(name, [*stored_lines(name), line])


def replace_lines(name: str, lines: list[dict]) -> None:
    """Write a file of results anew, whole or not at all."""
    Log(STORED / f"{name}.jsonl").replace(lines)


def stored_finetuning(task: str) -> dict:
    """What `python -m gpt1lib.finetune TASK` gave on all labels, as stored."""
    return files.read_json(RESULTS / f"finetune_{task}.json")


def stored_trials(experiment: str) -> dict[Trial, dict]:
    """The stored line of each trial of an experiment."""
    return _trials(experiment, stored_state(experiment))


@lru_cache(maxsize=len(PARAMS))  # lessons ask often, and a file has thousands of lines
def _trials(experiment: str, state: tuple) -> dict[Trial, dict]:
    """The trials of the file in this state."""
    return {Trial.from_line(experiment, line): line for line in stored_lines(experiment)}


def accuracies(experiment: str) -> dict[str, dict[str, dict[int, float]]]:
    """row -> task -> seed -> accuracy, of what is stored.

    Rows are compared seed by seed, so each accuracy keeps its seed: a run that was cut
    short may have left holes.
    """
    by_row, stored = {}, stored_trials("cells")
    for row, cell in EXPERIMENTS[experiment]():
        if cell.trial in stored:
            seeds = by_row.setdefault(row, {}).setdefault(cell.task, {})
            seeds[cell.seed] = stored[cell.trial]["accuracy"]
    return by_row


def summary(experiment: str) -> dict[str, dict[str, dict]]:
    """row -> task -> mean accuracy, half the width of its 95% interval, number of seeds."""
    return {
        row: {
            task: statistics.mean_with_ci(list(seeds.values()))
            for task, seeds in by_task.items()
        }
        for row, by_task in accuracies(experiment).items()
    }

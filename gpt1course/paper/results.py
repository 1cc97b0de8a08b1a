"""What is stored of the tables, cell by cell, and what it says."""

from dataclasses import asdict

from gpt1lib.finetune import Settings
from gpt1lib.io import files
from gpt1lib.io.options import with_field_names
from gpt1lib.io.paths import RESULTS
from gpt1lib.io.run_folder import Log

from . import statistics
from .plan import EXPERIMENTS, Cell

STORED = RESULTS / "paper"


def stored_lines(name: str) -> list[dict]:
    """The lines of data/results/paper/NAME.jsonl; none where there is no such file."""
    return Log(STORED / f"{name}.jsonl", always_whole=True).lines()


def stored_state(name: str) -> tuple:
    """What changes whenever a file of results is written: its path, size and time."""
    path = STORED / f"{name}.jsonl"
    facts = path.stat() if path.is_file() else None
    return (path, facts.st_size, facts.st_mtime_ns) if facts else (path,)


def store(name: str, line: dict) -> None:
    """Add a line to a file of results, whole or not at all."""
    replace_lines(name, [*stored_lines(name), line])


def replace_lines(name: str, lines: list[dict]) -> None:
    """Write a file of results anew, whole or not at all."""
    Log(STORED / f"{name}.jsonl").write(lines)


def stored_finetuning(task: str) -> dict:
    """What `python -m gpt1lib.finetune TASK` gave on all labels, as stored."""
    return files.read_json(RESULTS / f"finetune_{task}.json")


def key(cell: Cell) -> tuple:
    """What no two cells share: task, model and all settings."""
    return cell.task, cell.source, tuple(sorted(asdict(cell.settings).items()))


def stored_cells() -> dict[tuple, dict]:
    """The stored line of each cell; made with other settings, it is another cell."""
    cells = {}
    for line in stored_lines("cells"):
        settings = with_field_names(Settings, line["settings"])
        cells[line["task"], line["source"], tuple(sorted(settings.items()))] = line
    return cells


def accuracies(experiment: str) -> dict[str, dict[str, dict[int, float]]]:
    """row -> task -> seed -> accuracy, of what is stored.

    Rows are compared seed by seed, so each accuracy keeps its seed: a run that was cut
    short may have left holes.
    """
    by_row, stored = {}, stored_cells()
    for row, cell in EXPERIMENTS[experiment]():
        if key(cell) in stored:
            seeds = by_row.setdefault(row, {}).setdefault(cell.task, {})
            seeds[cell.seed] = stored[key(cell)]["accuracy"]
    return by_row


def summary(experiment: str) -> dict[str, dict[str, dict]]:
    """row -> task -> mean accuracy, half the width of its 95% interval, number of seeds."""
    return {
        row: {task: spread(list(seeds.values())) for task, seeds in by_task.items()}
        for row, by_task in accuracies(experiment).items()
    }


def spread(values: list[float]) -> dict:
    """Mean, half the width of its 95% interval (None for one seed), number of seeds."""
    if len(values) == 1:
        return {"mean": values[0], "half": None, "seeds": 1}
    mean, half = statistics.mean_interval(values)
    return {"mean": round(mean, 4), "half": round(half, 4), "seeds": len(values)}

"""Tables of short trials, for the pages in docs: see benchmarks/recipe_trials.py."""

from benchmarks.recipe_trials import STORED
from benchmarks.shared.by_clock import stored_runs
from tools.gpu_tables import table

NAMES = {"gpt": "Transformer", "lstm": "LSTM"}


def rates() -> str:
    """Learning rates for the Transformer and the LSTM, after the same number of updates."""
    tried = [run for run in stored_runs(STORED) if run.get("updates") and "kind" in run]
    tried.sort(key=lambda run: (run["kind"], run["lr"], run["warmup"]))
    rows = [
        [NAMES[run["kind"]], f"{run['lr']:g}", f"{round(run['warmup'] * run['updates'])}",
         f"{run['bits_per_character']:.3f}"]
        for run in tried
    ]  # fmt: skip
    return table(["model", "learning rate", "updates of warm-up", "bits per character"], rows)

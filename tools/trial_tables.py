"""Tables of trials, for the pages in docs: benchmarks/recipe_trials.py, novelist_trials.py."""

from benchmarks import novelist_trials
from benchmarks.recipe_trials import STORED
from benchmarks.shared.by_clock import stored_runs
from gpt1lib.pretrain import RECIPES
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


def whole_runs() -> str:
    """The same recipe to its end, with the novelist's learning rate and with others."""
    head = ["model", "learning rate", "training loss", "bits per character, held-out books"]
    rows = [
        [
            NAMES[kind],
            f"{rate:g}",
            f"{run['training_loss']:.2f}",
            f"{run['bits_per_character']:.3f}",
        ]
        for (kind, rate), run in sorted(runs_by_rate().items())
    ]
    return table(head, rows)


def runs_by_rate() -> dict[tuple[str, float], dict]:
    """(kind, learning rate) -> a whole run that differs from the novelist in nothing else."""
    shipped = RECIPES["novelist"]
    return {
        (run["changed"].get("kind", shipped.kind), run["changed"].get("lr", shipped.lr)): run
        for run in stored_runs(novelist_trials.STORED)
        if {*run["changed"]} <= {"kind", "lr"}
    }

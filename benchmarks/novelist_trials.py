"""What whole recipes for the novelist reach, each run to its end on two cores or fewer.

    python benchmarks/novelist_trials.py runs/a runs/b

Reads finished runs of `python -m gpt1lib.pretrain` and stores, run by run, the command, the
commit, what differs from the shipped model's recipe, the mean training loss of the last tenth
of the updates, and bits per character of the held-out books, on which nothing was chosen. The
same command at the same commit replaces its line.
"""

import argparse
import json
from dataclasses import asdict
from pathlib import Path

from gpt1lib import evaluate, metrics
from gpt1lib.io.files import read_json, write_json
from gpt1lib.io.paths import BENCHMARKS
from gpt1lib.io.run_folder import Log
from gpt1lib.pretrain import RECIPES

STORED = BENCHMARKS / "novelist_trials.json"


def changed(recipe: dict) -> dict:
    """What a stored recipe has otherwise than the shipped model's."""
    shipped = flat(asdict(RECIPES["novelist"]))
    return {k: v for k, v in flat(recipe).items() if k in shipped and as_json(shipped[k]) != v}


def flat(recipe: dict) -> dict:
    """Options and sizes in one dict; n_vocab follows from the books."""
    both = {**recipe, **recipe["model"]}
    return {k: v for k, v in both.items() if k not in ("model", "n_vocab")}


def as_json(value):
    """A value as it comes back from a file."""
    return json.loads(json.dumps(value))


def result(folder: Path) -> dict:
    """What is kept of a finished run."""
    meta = read_json(folder / "meta.json")
    scores = metrics.rounded(evaluate.all_books(meta["heldout"]))
    log = Log(folder / "log.jsonl").lines()
    late = [x["loss"] for x in log if x["step"] > 0.9 * log[-1]["step"]]
    return {
        **{name: meta[name] for name in ("command", "commit", "torch", "seconds")},
        "changed": changed(meta["recipe"]),
        "tokens": log[-1]["tokens"],
        "training_loss": round(sum(late) / len(late), 4),
        "bits_per_character": scores["bits_per_character"],
        "books": {name: s["bits_per_character"] for name, s in meta["heldout"].items()},
    }


def run_of(line: dict) -> tuple[str, str]:
    """A recipe's name may mean other options at another commit."""
    return line["command"], line["commit"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("runs", nargs="+", type=Path, help="folders of finished runs")
    stored = json.loads(STORED.read_text(encoding="utf-8")) if STORED.exists() else []
    for folder in parser.parse_args().runs:
        new = result(folder)
        print(json.dumps(new))
        stored = [*(x for x in stored if run_of(x) != run_of(new)), new]
    write_json(STORED, stored)


if __name__ == "__main__":
    main()

"""Fine-tune a pre-trained checkpoint on a labeled task; run it again to resume.

python -m gpt1lib.finetune film_snippets --out runs/film
python -m gpt1lib.finetune mrpc --data GLUE/MRPC --out runs/mrpc
python -m gpt1lib.finetune.classify runs/film "a fine and moving film"
"""

import argparse
import json
import time
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

from .. import tasks
from ..checkpoints import open_source
from ..fast.machine import keep_memory
from ..storage import files
from ..storage.options import add_options, given_options
from ..storage.paths import NOVELIST_DIR
from ..storage.run_folder import RunFolder, command_line, one_line_errors
from . import classifier
from .adapt import shortened
from .run import FineTuning, evaluated
from .settings import Settings


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.finetune", description=(__doc__ or "").split("\n")[0]
    )
    known = ", ".join(tasks.TASKS_BY_NAME)
    p.add_argument("task", help=f"{known}; or with --data a published set, such as mrpc")
    p.add_argument("--data", type=Path, help="folder with the files of a published set")
    p.add_argument(
        "--checkpoint",
        type=Path,
        default=NOVELIST_DIR,
        help="folder of a pre-trained model, ours or OpenAI's (default: the novelist)",
    )
    p.add_argument("--out", type=Path, required=True, help="folder for all that the run writes")
    add_options(p, Settings(), "how to train")
    return p


def train(args: argparse.Namespace, folder: RunFolder) -> FineTuning:
    """One run to its end, from the start or from where it was stopped."""
    task = tasks.load(args.task, args.data)
    source = shortened(open_source(args.checkpoint), task)
    run = FineTuning(source, task, Settings(**given_options(args, Settings)))
    if run.resume(folder):
        tqdm.write(f"going on from update {run.update}")
    with folder.writing():
        run.run(folder)
    return run


def write_results(folder: RunFolder, run: FineTuning, result: dict, probs: list) -> None:
    """Classifier, result and test predictions, each file whole or not at all."""
    out = folder.folder
    classifier.save(out, run.classifier, run.source.bpe, run.task)
    rows = [
        {"texts": e.texts, "label": e.label, "probs": [round(x, 5) for x in p]}
        for e, p in zip(run.task.test, probs, strict=True)
    ]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    files.write_text(out / "predictions.jsonl", "".join(lines))
    files.write_json(out / "result.json", result)
    folder.state.unlink(missing_ok=True)


def main(argv: list[str] | None = None) -> dict:
    """The command line; returns what result.json holds."""
    args, start = parser().parse_args(argv), time.perf_counter()
    keep_memory()
    folder = RunFolder(args.out, counter="update")
    with one_line_errors("finetune"), folder.held():
        run = train(args, folder)
        test, probs = evaluated(run, "test")
        split_scores = {"test": test}
        if run.task.valid:
            split_scores["valid"], _ = evaluated(run, "valid")
        result = {
            "task": run.task.name,
            "settings": asdict(run.settings),
            "seconds": round(time.perf_counter() - start),
            "command": command_line("finetune", argv),
            "commit": folder.commit,
        }
        write_results(folder, run, result | split_scores, probs)
    print(json.dumps(split_scores, indent=1))
    return result | split_scores


if __name__ == "__main__":
    main()

"""Fine-tune a pre-trained checkpoint on a labeled task; run it again to resume.

python -m gpt1lib.finetune film_snippets --out runs/film          # choose on its validation set
python -m gpt1lib.finetune film_snippets --out runs/film --test   # then ask the test set, once
python -m gpt1lib.finetune mrpc --data GLUE/MRPC --out runs/mrpc
python -m gpt1lib.finetune --data my.csv --out runs/mine          # columns text, label
python -m gpt1lib.finetune.predict runs/film "a fine and moving film"
"""

import argparse
import json
import shlex
import time
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

from .. import tasks
from ..checkpoints import open_source
from ..fast.machine import keep_memory
from ..io import files
from ..io.options import add_options, given_options
from ..io.paths import NOVELIST_DIR
from ..io.run_folder import RunFolder, command_line, one_line_errors, what_changed
from ..tasks import Task
from . import classifier
from .adapt import shortened
from .config import Settings
from .evaluate import bag_of_words_scores, check_metric, table
from .trainer import FineTuning, evaluated

RESULT = "result.json"  # written last: where it is, the run is finished


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.finetune",
        usage="%(prog)s TASK --out FOLDER [options]; --help explains them",
        description=(__doc__ or "").split("\n")[0],
    )
    known = ", ".join(tasks.TASKS_BY_NAME)
    p.add_argument(
        "task", nargs="?", help=f"{known}; or with --data a published set, such as mrpc"
    )
    p.add_argument(
        "--data",
        type=Path,
        help="folder with the files of a published set, or a file of your own: .csv or .tsv "
        "with the columns text and label, or .jsonl",
    )
    p.add_argument(
        "--checkpoint",
        type=Path,
        default=NOVELIST_DIR,
        help="folder of a pre-trained model, ours or OpenAI's (default: the novelist)",
    )
    p.add_argument("--out", type=Path, required=True, help="folder for all that the run writes")
    p.add_argument(
        "--test",
        action="store_true",
        help="score the test set, too: once, after all choices are made on the validation set",
    )
    add_options(p, Settings(), "how to train")
    return p


def train(args: argparse.Namespace, folder: RunFolder) -> tuple[FineTuning, dict]:
    """(a run at its end, its result): trained from the start, from where it stopped, or not.

    The result of a run that was finished before is what it stored; else it is empty.
    """
    settings = Settings(**given_options(args, Settings))  # what is quickly checked comes first
    source, task = open_source(args.checkpoint), tasks.load(args.task, args.data)
    check_metric(task)
    run = FineTuning(shortened(source, task), task, settings)
    if result := finished(folder.folder / RESULT, run):
        tqdm.write(f"{args.out} is finished, nothing is trained again")
        run.classifier, _, _ = classifier.load(args.out)
        return run, result
    if run.resume(folder):
        tqdm.write(f"going on from update {run.update}")
    with folder.writing():
        run.run(folder)
        classifier.save(args.out, run.classifier, run.source.bpe, run.task)
    return run, {}


def finished(path: Path, run: FineTuning) -> dict:
    """What a finished run stored; empty where there is none.

    ValueError where it was another task, other settings or another model.
    """
    if not path.is_file():
        return {}
    result, facts = files.read_json(path), run.facts()
    with files.naming(path):
        then = result.get("facts") or {k: result[k] for k in ("task", "settings")}
        now = json.loads(json.dumps({k: facts[k] for k in then}))
    if changed := what_changed(then, now):
        raise ValueError(
            f"{path.parent} holds a finished run with other settings: {'; '.join(changed)}. "
            "Take another --out"
        )
    return result


def write_scores(folder: RunFolder, run: FineTuning, split: str) -> dict:
    """Score a split, and store the predictions behind the scores."""
    result, probs = evaluated(run, split)
    if beside := bag_of_words_scores(run.task, run.examples, split):
        result["bag of words"] = beside
    rows = [
        {"texts": e.texts, "label": e.label, "probs": [round(x, 5) for x in p]}
        for e, p in zip(getattr(run.task, split), probs, strict=True)
    ]
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    files.write_text(folder.folder / f"predictions_{split}.jsonl", "".join(lines))
    return result


def tuned(
    args: argparse.Namespace, folder: RunFolder, argv: list[str] | None
) -> tuple[FineTuning, dict]:
    """(a run that was trained and scored, what result.json holds)."""
    start = time.perf_counter()
    files.remove_unfinished(args.out)
    run, result = train(args, folder)
    with folder.writing():
        for split in ["valid"] * bool(run.task.valid) + ["test"] * args.test:
            if split not in result:
                result[split] = write_scores(folder, run, split)
        described = {
            "task": run.task.name,
            "settings": asdict(run.settings),
            "facts": run.facts(),
            "seconds": round(time.perf_counter() - start),
            "command": command_line("finetune", argv),
            "commit": folder.commit,
        }
        files.write_json(args.out / RESULT, described | result)
    folder.state.unlink(missing_ok=True)
    return run, described | result


def main(argv: list[str] | None = None) -> dict:
    """The command line; returns what result.json holds."""
    args = parser().parse_args(argv)
    keep_memory()
    with one_line_errors("finetune", command_line("finetune", argv)):
        folder = RunFolder(args.out, counter="update")
        with folder.held():
            run, result = tuned(args, folder, argv)
    print(report(args.out, run.task, result))
    return result


def command() -> None:
    """The console script: a returned dictionary would be taken for an exit status."""
    main()


def report(out: Path, task: Task, result: dict) -> str:
    """The scores beside those of simpler readers, and what can be done next."""
    told = []
    for split, name in (("valid", "validation"), ("test", "test")):
        if found := result.get(split):
            readers = {"fine-tuned": found}
            if "bag of words" in found:
                readers["bag of words"] = found["bag of words"]
            told += [f"{name} set, {found['examples']} examples:", table(readers)]
    told.append(f"All scores: {out / RESULT}")
    if "test" not in result:
        told.append("Choose by these. When all is chosen, add --test to score the test set.")
    texts = " ".join('"a text"' for _ in task.train[0].texts)
    told.append(f"Ask it: python -m gpt1lib.finetune.predict {shlex.quote(str(out))} {texts}")
    return "\n".join(told)


if __name__ == "__main__":
    main()

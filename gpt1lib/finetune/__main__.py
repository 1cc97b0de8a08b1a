"""Fine-tune a pre-trained checkpoint on a labeled task; run it again to resume.

python -m gpt1lib.finetune film_snippets --out runs/film          # choose on its validation set
python -m gpt1lib.finetune film_snippets --out runs/film --test   # then ask the test set, once
python -m gpt1lib.finetune mrpc --data GLUE/MRPC --out runs/mrpc
python -m gpt1lib.finetune --data my.csv --out runs/mine          # columns text, label
torchrun --nproc-per-node 2 -m gpt1lib.finetune film_snippets --out runs/two
python -m gpt1lib.finetune.predict runs/film "a fine and moving film"
"""

import argparse
import shlex
import time
from contextlib import nullcontext
from dataclasses import asdict
from pathlib import Path

from tqdm import tqdm

from .. import checkpoints, metrics, tasks
from ..cli import add_device, add_options, given_options
from ..fast.distributed import SINGLE, Processes, check_bf16, joined
from ..fast.machine import keep_memory
from ..io import files
from ..io.paths import NOVELIST_DIR
from ..io.provenance import command_line, provenance
from ..io.run_folder import Log, RunFolder, what_changed
from ..tasks import Task
from . import classifier
from .config import Settings
from .data import fit_context
from .evaluate import bag_of_words_scores, check_metric, class_sizes, why_not_choose
from .trainer import FineTuning

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
        "--test", action="store_true", help="score the test set, too: once, after all choices"
    )
    add_device(p)
    add_options(p, Settings(), "how to train")
    return p


def train(
    args: argparse.Namespace, folder: RunFolder, world: Processes
) -> tuple[FineTuning, dict]:
    """(a run at its end, its result): trained from the start, from where it stopped, or not.

    The result of a run that was finished before is what it stored; else it is empty.
    """
    settings = Settings(**given_options(args, Settings))  # what is quickly checked comes first
    check_bf16(settings.bf16, world.device)
    source, task = checkpoints.load(args.checkpoint), tasks.load(args.task, args.data)
    check_metric(task)
    if args.data and not args.task and world.is_main:
        tqdm.write(class_sizes(task))
    source = fit_context(source, task)
    source.model.to(world.device)
    run = FineTuning(source, task, settings, world)
    if result := load_finished(folder.path / RESULT, run):
        if world.is_main:
            tqdm.write(f"{args.out} is finished, nothing is trained again")
        run.classifier = classifier.load(args.out)[0].to(world.device)
        return run, result
    if run.resume(folder) and world.is_main:
        tqdm.write(f"going on from update {run.update}")
    with folder.writing():
        run.run(folder)
        if world.is_main:
            classifier.save(args.out, run.classifier, run.source.bpe, run.task)
    return run, {}


def load_finished(path: Path, run: FineTuning) -> dict:
    """What a finished run stored; empty where there is none.

    Raises ValueError where it was another task, other settings or another model.
    """
    if not path.is_file():
        return {}
    result, fingerprint = files.read_json(path), run.fingerprint()
    with files.blame_file(path):
        changed = what_changed(result["facts"], fingerprint)
    if changed:
        raise ValueError(
            f"{path.parent} contains a finished run with other settings: {'; '.join(changed)}. "
            "Take another --out"
        )
    return result


def score(run: FineTuning, split: str) -> tuple[dict, list[dict]]:
    """Scores on a split beside those of a bag of words, and the prediction for each example."""
    result, probs = run.evaluate(split)
    if by_words := bag_of_words_scores(run.task, run.examples, split):
        result["bag of words"] = by_words
    predictions = [
        {"texts": e.texts, "label": e.label, "probs": [round(x, 5) for x in p]}
        for e, p in zip(run.task.split(split), probs, strict=True)
    ]
    return metrics.rounded(result), predictions


def train_and_score(
    args: argparse.Namespace, folder: RunFolder, command: str, world: Processes = SINGLE
) -> tuple[FineTuning, dict]:
    """(a run that was trained and scored, what result.json contains)."""
    start = time.perf_counter()
    if world.is_main:
        files.remove_unfinished(args.out)
    run, result = train(args, folder, world)
    splits = (["valid"] if run.task.valid else []) + (["test"] if args.test else [])
    with folder.writing():
        for split in splits:
            if split not in result:
                result[split], predictions = score(run, split)
                if world.is_main:
                    Log(args.out / f"predictions_{split}.jsonl").replace(predictions)
        result = {
            "task": run.task.name,
            "settings": asdict(run.settings),
            "facts": run.fingerprint(),
            "seconds": round(time.perf_counter() - start),
            **provenance(command, folder.commit),
        } | result
        if world.is_main:
            files.write_json(args.out / RESULT, result)
            folder.state_path.unlink(missing_ok=True)
    return run, result


def main(argv: list[str] | None = None) -> dict:
    """The command line; returns what result.json contains."""
    args = parser().parse_args(argv)
    keep_memory()
    again = command_line("finetune", argv)
    with joined("finetune", again, args.device) as world:
        folder = RunFolder(args.out, counter="update")
        with folder.lock() if world.is_main else nullcontext():
            run, result = train_and_score(args, folder, again, world)
        if world.is_main:
            print(report(args.out, run.task, result))
    return result


def command() -> None:
    """The console script: a returned dictionary would be taken for an exit status."""
    main()


def report(out: Path, task: Task, result: dict) -> str:
    """The scores beside those of a bag of words, and what can be done next."""
    lines = []
    for split, name in (("valid", "validation"), ("test", "test")):
        if scores := result.get(split):
            rows = {"fine-tuned": scores}
            if "bag of words" in scores:
                rows["bag of words"] = scores["bag of words"]
            lines += [f"{name} set, {scores['examples']} examples:", table(rows)]
    lines.append(f"All scores: {out / RESULT}")
    if "test" not in result:
        doubt = why_not_choose(task)
        advice = f"{doubt}: do not choose by them." if doubt else "Choose by these."
        lines.append(f"{advice} When all is chosen, add --test to score the test set.")
    texts = " ".join('"a text"' for _ in task.train[0].texts)
    lines.append(f"Ask it: python -m gpt1lib.finetune.predict {shlex.quote(str(out))} {texts}")
    return "\n".join(lines)


def table(scores: dict[str, dict]) -> str:
    """Each row's accuracy and its 95% interval, one line each, and the majority."""
    width = max(map(len, [*scores, "majority"]))
    lines = []
    for name, score in scores.items():
        low, high = (f"{100 * x:.1f}" for x in score["interval"])
        lines.append(f"  {name:{width}}  {score['accuracy']:6.1%}  ({low} to {high})")
    majority = next(iter(scores.values()))["majority"]
    return "\n".join([*lines, f"  {'majority':{width}}  {majority:6.1%}"])


if __name__ == "__main__":
    main()

"""Fine-tuning on a labeled task with L3 (Eq. 3 to 5, section 4.1).

    python -m gpt1lib.finetune film_snippets --out runs/film
    python -m gpt1lib.finetune mrpc --data GLUE/MRPC --out runs/mrpc
    python -m gpt1lib.classify runs/film "a fine and moving film"

As in the paper nothing is frozen, there is one learning rate for all and a fixed number
of epochs; other ways, which came from elsewhere, can be chosen (METHODS).
"""

import argparse
import json
import math
import random
import shlex
import sys
import time
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tqdm import tqdm

from . import checkpoint, files, inputs, metrics, objectives, optim, released, runs, tasks
from . import classifier as heads
from .classifier import Classifier
from .freezing import METHODS, groups_by_depth, lowest_depth
from .paths import NOVELIST_DIR
from .tasks import Task


@dataclass(frozen=True)
class Settings:
    """How to fine-tune; the paper's numbers (section 4.1) but for the learning rate."""

    epochs: int = 3  # "3 epochs of training was sufficient for most cases"
    batch: int = 32
    lr: float = 2.5e-4  # paper: 6.25e-5 for a model 22 times as large
    warmup: float = 0.002  # share of all updates
    lm_coef: float = 0.5  # lambda
    dropout: float = 0.1  # in the model and before the linear layer
    weight_decay: float = 0.01
    clip: float = 1.0  # released code; not in the paper
    seed: int = 0
    limit: int | None = None  # use only so many training examples
    longest: int | None = None  # of at most so many words, all texts together
    method: str = "full"  # one of METHODS
    patience: int | None = None  # stop after so many epochs without a better score

    def __post_init__(self):
        objectives.combined_loss(0, 0, self.lm_coef)  # ValueError for a bad lambda
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, it must be >= 1")
        for name in ("limit", "longest", "patience"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise ValueError(f"{name} is {value}, it must be >= 1")
        if self.lr <= 0:
            raise ValueError(f"lr is {self.lr}, it must be > 0")
        if self.method not in METHODS:
            raise ValueError(
                f"method {self.method!r} is unknown, there are {', '.join(METHODS)}"
            )


class FineTuning:
    """One run: the classifier, its data, its optimizer, and where it stands.

    Everything random in an update follows from the seed and the number of the update,
    so weights, optimizer and that number are all that a resumed run needs.
    """

    def __init__(self, source: checkpoint.Checkpoint, task: Task, settings: Settings):
        s, self.source = settings, source
        self.task, self.settings, self.update = task, settings, 0
        torch.manual_seed(s.seed)
        self.classifier = Classifier(source.model, task.kind, task.n_classes, s.dropout).train()
        examples = tasks.no_longer_than(task.train, s.longest)
        if s.limit and s.limit < len(examples):
            examples = random.Random(s.seed).sample(examples, s.limit)
        if not examples:
            raise ValueError(f"{task.name} has no training examples")
        n_ctx = source.model.config.n_ctx
        self.data = heads.prepare(source.bpe, task, examples, n_ctx)
        self.valid = heads.prepare(source.bpe, task, task.valid, n_ctx)
        self.per_epoch = math.ceil(len(self.data) / s.batch)
        self.total = s.epochs * self.per_epoch
        optimizer = optim.adamw(self.classifier, s.lr, weight_decay=s.weight_decay)
        optimizer.param_groups[:] = groups_by_depth(
            self.classifier, optimizer.param_groups, s.method
        )
        self.optimizer = optimizer
        self.log, self.best, self._order = [], None, None

    # ---- one update --------------------------------------------------------------

    def step(self) -> dict:
        """One update; returns what the log keeps of it."""
        s = self.settings
        batch = self._batch()
        torch.manual_seed(zlib.crc32(f"{s.seed} {self.update}".encode()))  # dropout
        self._set_rates()
        lm_coef = 0.0 if s.method == "frozen" else s.lm_coef
        task, lm = self.classifier.losses(*heads.collate(batch), lm_coef)
        loss = task if lm is None else objectives.combined_loss(task, lm, lm_coef)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optim.clip_gradients(self.classifier, s.clip)
        self.optimizer.step()
        self.update += 1
        epoch = 1 + (self.update - 1) // self.per_epoch
        line = {
            "update": self.update,
            "epoch": epoch,
            "loss": round(loss.item(), 4),
            "task": round(task.item(), 4),
        }
        if lm is not None:
            line["lm"] = round(lm.item(), 4)
        if not math.isfinite(line["loss"]):
            raise FloatingPointError(
                f"the loss is {line['loss']} at update {self.update}; a lower --lr often helps"
            )
        return line

    def _set_rates(self) -> None:
        """The learning rate of each group, and which of them learn now."""
        s = self.settings
        share = optim.warmup_linear(self.update, s.warmup * self.total, self.total)
        lowest = lowest_depth(self.classifier, s.method, self.update / self.total)
        for group in self.optimizer.param_groups:
            group["lr"] = s.lr * share * group["share"]
            for p in group["params"]:
                p.requires_grad_(group["depth"] >= lowest)

    def _batch(self) -> list:
        epoch, i = divmod(self.update, self.per_epoch)
        if i == 0 or self._order is None:
            shuffle = random.Random(f"{self.settings.seed} {epoch}")
            self._order = heads.shuffled(self.data, self.settings.batch, shuffle)
        return self._order[i]

    # ---- the run -----------------------------------------------------------------

    def run(self, out: Path | None = None, quiet: bool = False) -> Classifier:
        """Train to the end; with `out` a state is saved after each epoch.

        With patience the classifier of the best validation score is kept.
        """
        bar = tqdm(total=self.total, initial=self.update, unit="update", disable=quiet)
        while self.update < self.total and not self._stopped():
            line = self.step()
            if self.update % self.per_epoch == 0:
                line |= self._validated(bar)
            self.log.append(line)
            if out and self.update % self.per_epoch == 0:
                self.save_state(out)
            bar.set_postfix({k: line[k] for k in ("task", "lm") if k in line})
            bar.update()
        bar.close()
        if self.settings.patience and self.best:
            self.classifier.load_state_dict(self.best["weights"])
        return self.classifier.eval()

    def _validated(self, bar) -> dict:
        """The score on the validation set after an epoch."""
        if not self.valid:
            return {}
        probs = heads.predict(self.classifier, self.valid)
        self.classifier.train()
        score = scores(self.task, probs, self.task.valid)["accuracy"]
        if not bar.disable:
            tqdm.write(f"epoch {self.update // self.per_epoch}: {score:.1%} on validation")
        if self.best is None or score > self.best["score"]:
            keep = {k: v.clone() for k, v in self.classifier.state_dict().items()}
            self.best = {
                "score": score,
                "update": self.update,
                "weights": keep if self.settings.patience else {},
            }
        return {"valid": score}

    def _stopped(self) -> bool:
        if not (self.settings.patience and self.best):
            return False
        since = (self.update - self.best["update"]) // self.per_epoch
        return since >= self.settings.patience

    # ---- saving and going on -------------------------------------------------------

    def facts(self) -> dict:
        """What a resumed run must share with the one that was stopped."""
        weights = (p.detach().numpy() for p in self.source.model.parameters())
        checksum = zlib.crc32(b"".join(w.tobytes() for w in weights))
        return {
            "task": self.task.name,
            "settings": asdict(self.settings),
            "examples": len(self.data),
            "weights": checksum,
        }

    def save_state(self, out: Path) -> None:
        """Write all that the next update depends on, whole or not at all."""
        state = {
            "facts": json.dumps(self.facts()),
            "update": self.update,
            "log": json.dumps(self.log),
            "best": self.best,
            "classifier": self.classifier.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        with files.replacing(out / "state.pt") as temporary:
            torch.save(state, temporary)

    def resume(self, out: Path) -> bool:
        """Go on from the last saved state; False if there is none.

        Raises ValueError if it is of another task, other settings or another model.
        """
        path = out / "state.pt"
        if not path.is_file():
            return False
        state = torch.load(path, weights_only=True)
        then, now = json.loads(state["facts"]), self.facts()
        changed = [k for k in now if then.get(k) != now[k]]
        if changed:
            raise ValueError(
                f"{path} was made with other {', '.join(changed)}: take the same ones "
                "again, or another --out"
            )
        self.classifier.load_state_dict(state["classifier"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.update, self.best = state["update"], state["best"]
        self.log = json.loads(state["log"])
        return True


def finetune(
    source: checkpoint.Checkpoint, task: Task, settings: Settings, quiet: bool = False
) -> tuple[Classifier, list[dict]]:
    """Fine-tune on task.train; returns the classifier and a log, one dict an update."""
    run = FineTuning(source, task, settings)
    return run.run(quiet=quiet), run.log


def scores(task: Task, probs: list[list[float]], examples: list) -> dict:
    """Accuracy with interval, the task's own metric, and the accuracy of each group."""
    guesses = [max(range(len(p)), key=p.__getitem__) for p in probs]
    if task.graded:
        grades = [sum(k * x for k, x in enumerate(p)) for p in probs]
        gold = [e.label for e in examples]
        found = metrics.accuracy(guesses, [round(x) for x in gold])
        return found | {"pearson": round(metrics.pearson(grades, gold), 4)}
    labels = [e.label for e in examples]
    found = metrics.accuracy(guesses, labels)
    if task.metric != "accuracy":
        found[task.metric] = round(getattr(metrics, task.metric)(guesses, labels), 4)
    groups = sorted({e.group for e in examples})
    if len(groups) > 1:
        found["groups"] = {
            group: metrics.accuracy(
                *zip(
                    *(
                        (g, e.label)
                        for g, e in zip(guesses, examples, strict=True)
                        if e.group == group
                    ),
                    strict=True,
                )
            )
            for group in groups
        }
    return found


# ---- from a checkpoint, from the command line ------------------------------------


def open_source(folder: Path) -> checkpoint.Checkpoint:
    """Our own checkpoint, or the released GPT-1 in either of its layouts."""
    if (folder / "meta.json").is_file():
        return checkpoint.load(folder)
    return released.load_released(folder)


def shortened(source: checkpoint.Checkpoint, task: Task) -> checkpoint.Checkpoint:
    """The source with the context of the task's longest example, as in train.py."""
    if not hasattr(source.model, "blocks"):
        return source  # an LSTM has no positions to leave out
    examples = [*task.train, *task.valid, *task.test]
    data = heads.prepare(source.bpe, task, examples, source.model.config.n_ctx)
    longest = max(len(s) for sequences, _ in data for s in sequences)
    return replace(source, model=inputs.shorten_context(source.model, longest))


def evaluated(run: FineTuning, split: str) -> tuple[dict, list[list[float]]]:
    """Scores on a split of the task, and the probabilities behind them."""
    examples, n_ctx = getattr(run.task, split), run.source.model.config.n_ctx
    data = heads.prepare(run.source.bpe, run.task, examples, n_ctx)
    probs = heads.predict(run.classifier, data)
    return scores(run.task, probs, examples), probs


def parser() -> argparse.ArgumentParser:
    """The options of the command line."""
    p = argparse.ArgumentParser(
        prog="python -m gpt1lib.finetune",
        description="Fine-tune a pre-trained checkpoint on a labeled task with L3; "
        "start again to go on.",
    )
    known = ", ".join(tasks.TASKS_BY_NAME)
    p.add_argument("task", help=f"{known}; or with --data a published set")
    p.add_argument("--data", type=Path, help="the folder of a published set")
    p.add_argument(
        "--checkpoint",
        type=Path,
        default=NOVELIST_DIR,
        help="ours, or the folder of the released GPT-1",
    )
    p.add_argument("--out", type=Path, required=True)
    p.add_argument(
        "--method", choices=METHODS, help="; ".join(f"{k}: {v}" for k, v in METHODS.items())
    )
    for name, kind, text in (
        ("epochs", int, "passes over the training set (3)"),
        ("batch", int, "examples an update (32)"),
        ("lr", float, "highest learning rate (2.5e-4)"),
        ("lm-coef", float, "lambda, the weight of the language model in L3 (0.5)"),
        ("seed", int, "everything random follows from it"),
        ("limit", int, "use only so many training examples"),
        ("longest", int, "use only training examples of at most so many words"),
        ("patience", int, "stop after so many epochs without a better score"),
    ):
        p.add_argument(f"--{name}", type=kind, help=text)
    return p


def main(argv: list[str] | None = None) -> dict:
    """The command line; returns what result.json holds."""
    args = vars(parser().parse_args(argv))
    runs.keep_memory()
    out, commit, start = args["out"], runs.git_commit(), time.perf_counter()
    try:
        task = tasks.load(args["task"], args["data"])
        source = shortened(open_source(args["checkpoint"]), task)
        known = Settings.__dataclass_fields__
        given = {k: v for k, v in args.items() if k in known and v is not None}
        run = FineTuning(source, task, Settings(**given))
        with runs.only_one(out):
            if run.resume(out):
                tqdm.write(f"going on from update {run.update}")
            run.run(out)
            words = sys.argv[1:] if argv is None else argv
            result = {
                "task": task.name,
                "settings": asdict(run.settings),
                "seconds": round(time.perf_counter() - start),
                "command": "python -m gpt1lib.finetune " + shlex.join(words),
                "commit": commit,
            }
            test, probs = evaluated(run, "test")
            found = {"test": test}
            if task.valid:
                found["valid"], _ = evaluated(run, "valid")
            save(out, run, result | found, probs)
    except (ValueError, OSError, FloatingPointError, RuntimeError) as error:
        sys.exit(f"finetune: {error}")
    except KeyboardInterrupt:
        sys.exit("finetune: stopped; start the same command again to go on")
    print(json.dumps(found, indent=1))
    return result | found


def save(out: Path, run: FineTuning, result: dict, probs: list[list[float]]) -> None:
    """Classifier, result, log and test predictions, each file whole or not at all."""
    heads.save(out, run.classifier, run.source.bpe, run.task)
    files.write_text(out / "log.jsonl", "".join(json.dumps(x) + "\n" for x in run.log))
    rows = (
        {"texts": e.texts, "label": e.label, "probs": [round(x, 5) for x in p]}
        for e, p in zip(run.task.test, probs, strict=True)
    )
    lines = (json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    files.write_text(out / "predictions.jsonl", "".join(lines))
    files.write_json(out / "result.json", result)
    (out / "state.pt").unlink(missing_ok=True)


if __name__ == "__main__":
    main()

"""Fine-tuning: one linear layer on the Extract state, trained on L3 (Eq. 3 to 5).

    python -m gpt1lib.finetune film_snippets --out runs/film

As in the paper nothing is frozen and there is one learning rate for all. The released
code gives the linear layer a bias, which the paper's Eq. 3 has not; so do we. Its
language-model softmax also runs over the position rows, which lie in the same table
there; ours runs over tokens and specials.
"""

import argparse
import json
import math
import random
import shlex
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from . import checkpoint, files, inputs, objectives, optim, released, tasks
from .bpe import BPE
from .model import GPT
from .paths import NOVELIST_DIR
from .runs import git_commit, keep_memory


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

    def __post_init__(self):
        objectives.combined_loss(0, 0, self.lm_coef)  # ValueError for a bad lambda
        for name in ("epochs", "batch"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} is {getattr(self, name)}, it must be >= 1")
        if self.limit is not None and self.limit < 1:
            raise ValueError(f"limit is {self.limit}, it must be >= 1")


class Classifier(nn.Module):
    """A pre-trained GPT with three special tokens and a linear layer on Extract.

    kind: classification (n_classes logits), similarity (the two Extract vectors are
    added, then one layer), choice (one scalar a sequence, softmax over choices).
    """

    def __init__(self, model: GPT, kind: str, n_classes: int, dropout: float = 0.1):
        super().__init__()
        if kind not in ("classification", "similarity", "choice"):
            raise ValueError(f"kind {kind!r} is unknown")
        if n_classes < 2:
            raise ValueError(f"n_classes is {n_classes}, it must be >= 2")
        self.kind, self.n_classes = kind, n_classes
        self.model = inputs.add_special_tokens(model)
        self.specials = inputs.Specials.after(model.config.n_vocab)
        set_dropout(self.model, dropout)
        self.drop = nn.Dropout(dropout)
        n_out = 1 if kind == "choice" else n_classes
        self.head = nn.Linear(model.config.n_embd, n_out)
        nn.init.normal_(self.head.weight, std=0.02)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Tensor) -> tuple[Tensor, Tensor]:
        """Task logits (B, n_classes) and states (N, T, C) of ids (N, T).

        N is B for classification, 2 B for similarity, n_classes B for choice; the
        sequences of one example stand in a row.
        """
        h = self.model.hidden(ids)  # (N, T, C)
        where = inputs.extract_positions(ids, self.specials)
        read_out = h[torch.arange(len(ids)), where]  # (N, C)
        if self.kind == "similarity":
            read_out = read_out.view(-1, 2, h.shape[-1]).sum(dim=1)  # (B, C)
        logits = self.head(self.drop(read_out))
        return logits.view(-1, self.n_classes), h

    def loss(self, ids: Tensor, real: Tensor, labels: Tensor, lm_coef: float) -> Tensor:
        """-L3 on one batch: task loss + lambda x language-model loss, same inputs."""
        task_logits, h = self(ids)
        task = objectives.task_loss(task_logits, labels)
        if lm_coef == 0:
            return task  # the softmax over all tokens would cost time for nothing
        lm = objectives.lm_loss(self.model.logits(h), ids, real)
        return objectives.combined_loss(task, lm, lm_coef)


def set_dropout(model: GPT, rate: float) -> None:
    """Give every dropout of a model this rate."""
    model.config = replace(model.config, dropout=rate)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = rate
        elif hasattr(module, "dropout"):
            module.dropout = rate


def to_sequences(
    bpe: BPE, kind: str, example: tasks.Example, n_ctx: int
) -> list[list[int]]:
    """The token sequences of one example, by the task's input transformation."""
    first, *rest = example.texts
    if kind == "classification":
        return inputs.classification(bpe, first, n_ctx)
    if kind == "similarity":
        return inputs.similarity(bpe, first, rest[0], n_ctx)
    return inputs.multiple_choice(bpe, first, rest, n_ctx)


def batches(data: list, size: int, shuffle: random.Random | None = None) -> list[list]:
    """Batches of examples of similar length, in random order: little padding.

    data: pairs (sequences, label).
    """
    order = list(data)
    if shuffle:
        shuffle.shuffle(order)
    pools = [order[i : i + 16 * size] for i in range(0, len(order), 16 * size)]
    out = []
    for pool in pools:
        pool.sort(key=lambda item: max(map(len, item[0])))
        out += [pool[i : i + size] for i in range(0, len(pool), size)]
    if shuffle:
        shuffle.shuffle(out)
    return out


def collate(batch: list) -> tuple[Tensor, Tensor, Tensor]:
    """A batch of (sequences, label) to ids, real and labels."""
    ids, real = inputs.pad([s for sequences, _ in batch for s in sequences])
    return ids, real, torch.tensor([label for _, label in batch])


def prepare(bpe: BPE, task: tasks.Task, examples: list, n_ctx: int) -> list:
    """Examples to (sequences, label); ValueError for a label that is no class."""
    out = []
    for example in examples:
        if not 0 <= example.label < task.n_classes:
            raise ValueError(
                f"label {example.label} is not in 0 to {task.n_classes - 1}"
            )
        out.append((to_sequences(bpe, task.kind, example, n_ctx), example.label))
    return out


@torch.no_grad()
def predict(classifier: Classifier, data: list, batch: int = 64) -> list[list[float]]:
    """Probabilities of the classes for each item of `data`, in its order."""
    classifier.eval()
    numbered = [(sequences, i) for i, (sequences, _) in enumerate(data)]
    out = [None] * len(data)
    for part in batches(numbered, batch):
        ids, _, where = collate(part)
        probs = classifier(ids)[0].softmax(dim=-1)
        for i, p in zip(where.tolist(), probs.tolist(), strict=True):
            out[i] = p
    return out


def wilson(correct: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """95 % interval of a share of n trials (Wilson 1927)."""
    if n < 1:
        raise ValueError(f"n is {n}, an interval needs at least 1 trial")
    p, z2 = correct / n, z * z
    middle = (p + z2 / (2 * n)) / (1 + z2 / n)
    half = z / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    return middle - half, middle + half


def accuracy(probs: list[list[float]], data: list) -> dict:
    """Accuracy with its interval, and what always guessing the largest class gives."""
    labels = [label for _, label in data]
    guesses = [max(range(len(p)), key=p.__getitem__) for p in probs]
    correct = sum(a == b for a, b in zip(guesses, labels, strict=True))
    low, high = wilson(correct, len(labels))
    majority = max(labels.count(c) for c in set(labels)) / len(labels)
    return {"accuracy": round(correct / len(labels), 4),
            "interval": [round(low, 4), round(high, 4)],
            "majority": round(majority, 4), "examples": len(labels)}  # fmt: skip


def finetune(
    source: checkpoint.Checkpoint, task: tasks.Task, settings: Settings
) -> tuple[Classifier, list[dict]]:
    """Fine-tune on task.train; returns the classifier and a log, one dict an update."""
    torch.manual_seed(settings.seed)
    shuffle = random.Random(settings.seed)
    classifier = Classifier(
        source.model, task.kind, task.n_classes, settings.dropout
    ).train()
    examples = task.train
    if settings.limit:
        examples = shuffle.sample(examples, min(settings.limit, len(examples)))
    data = prepare(source.bpe, task, examples, source.model.config.n_ctx)
    optimizer = optim.adamw(classifier, settings.lr, weight_decay=settings.weight_decay)
    total = settings.epochs * math.ceil(len(data) / settings.batch)
    warmup, log = settings.warmup * total, []  # 0.276 updates in the release
    bar = tqdm(total=total, unit="update")
    for epoch in range(settings.epochs):
        for batch in batches(data, settings.batch, shuffle):
            share = optim.warmup_linear(len(log), warmup, total)
            optim.set_lr(optimizer, settings.lr * share)
            ids, real, labels = collate(batch)
            loss = classifier.loss(ids, real, labels, settings.lm_coef)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optim.clip_gradients(classifier, settings.clip)
            optimizer.step()
            log.append({"update": len(log) + 1, "epoch": epoch + 1,
                        "loss": round(loss.item(), 4)})  # fmt: skip
            bar.set_postfix(loss=log[-1]["loss"])
            bar.update()
    bar.close()
    return classifier.eval(), log


def classify(classifier: Classifier, bpe: BPE, *texts: str) -> list[float]:
    """Probabilities of the classes for one example given as text."""
    n_ctx = classifier.model.config.n_ctx
    example = tasks.Example(tuple(texts), 0)
    sequences = to_sequences(bpe, classifier.kind, example, n_ctx)
    return predict(classifier, [(sequences, 0)])[0]


def open_source(folder: Path) -> checkpoint.Checkpoint:
    """Our own checkpoint, or the released GPT-1 in either of its layouts."""
    if (folder / "meta.json").is_file():
        return checkpoint.load(folder)
    return released.load_released(folder)


def shortened(source: checkpoint.Checkpoint, task: tasks.Task) -> checkpoint.Checkpoint:
    """The source with the context of the task's longest example, as in train.py."""
    model = source.model
    examples = [*task.train, *task.valid, *task.test]
    data = prepare(source.bpe, task, examples, model.config.n_ctx)
    longest = max(len(s) for sequences, _ in data for s in sequences)
    return replace(source, model=inputs.shorten_context(model, longest))


def main(argv: list[str] | None = None) -> dict:
    """The command line; returns what result.json holds."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.finetune",
        description="Fine-tune a pre-trained checkpoint on a labeled task with L3.",
    )
    parser.add_argument("task", help=", ".join(tasks.TASKS_BY_NAME))
    parser.add_argument(
        "--checkpoint",
        type=Path,
        default=NOVELIST_DIR,
        help="a checkpoint, or the folder of the released GPT-1",
    )
    parser.add_argument("--out", type=Path, required=True)
    for name, kind in (("epochs", int), ("batch", int), ("lr", float),
                       ("lm-coef", float), ("seed", int), ("limit", int)):  # fmt: skip
        parser.add_argument(f"--{name}", type=kind)
    args = vars(parser.parse_args(argv))
    keep_memory()
    task = tasks.load(args["task"])
    source = shortened(open_source(args["checkpoint"]), task)
    known = Settings.__dataclass_fields__
    given = {k: v for k, v in args.items() if k in known and v is not None}
    settings, start, commit = Settings(**given), time.perf_counter(), git_commit()
    classifier, log = finetune(source, task, settings)
    seconds = round(time.perf_counter() - start)
    n_ctx = source.model.config.n_ctx
    result = {"task": task.name, "settings": asdict(settings), "seconds": seconds,
              "command": shlex.join(["python", "-m", "gpt1lib.finetune",
                                     *(sys.argv[1:] if argv is None else argv)]),
              "commit": commit}  # fmt: skip
    for split in ("valid", "test"):
        data = prepare(source.bpe, task, getattr(task, split), n_ctx)
        probs = predict(classifier, data)
        result[split] = accuracy(probs, data)
    save(args["out"], classifier, result, log, probs)
    print(json.dumps({k: result[k] for k in ("valid", "test", "seconds")}, indent=1))
    return result


def save(out: Path, classifier: Classifier, result: dict, log, probs) -> None:
    """Weights, result, log and test predictions, each file whole or not at all."""
    checkpoint.save_weights(out / "classifier.safetensors", classifier)
    files.write_text(out / "log.jsonl", "".join(json.dumps(x) + "\n" for x in log))
    rows = (json.dumps([round(x, 5) for x in p]) + "\n" for p in probs)
    files.write_text(out / "predictions.jsonl", "".join(rows))
    files.write_json(out / "result.json", result)


if __name__ == "__main__":
    main()

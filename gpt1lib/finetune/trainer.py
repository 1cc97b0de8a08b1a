"""One fine-tuning run with L3 (Eq. 3 to 5, section 4.1).

As in the paper nothing is frozen, there is one learning rate for all and a fixed number
of epochs; other ways, which came from elsewhere, can be chosen (config.METHODS).
"""

import hashlib
import math
import random
import zlib
from collections.abc import Callable
from dataclasses import asdict, replace

import torch
from tqdm import tqdm

from .. import optim, tasks
from ..checkpoints import Checkpoint
from ..checkpoints.checkpoint import check_finite
from ..cli import interrupted_between_steps
from ..fast.distributed import SINGLE, Processes
from ..io import files, tensors
from ..io.run_folder import RunFolder
from ..rng import fork_rng
from ..tasks import Task
from .classifier import Classifier, predict_probs
from .config import Settings
from .data import Encoded, EncodedTask, collate, shuffled
from .evaluate import scores
from .freezing import freeze_below, groups_by_depth, lowest_depth


class FineTuning:
    """One run: the classifier, its data, its optimizer, and its last update.

    Everything random in an update follows from the seed and the number of the update,
    so weights, optimizer and that number are all that a resumed run needs.
    """

    classifier_class: Callable[..., Classifier] = Classifier

    def __init__(
        self, source: Checkpoint, task: Task, settings: Settings, world: Processes = SINGLE
    ):
        s, build, self.world = settings, self.classifier_class, world
        self.source, self.task, self.settings, self.update = source, task, settings, 0
        with fork_rng(s.seed):
            self.classifier = build(source.model, task.kind, task.n_classes, s.dropout)
        self.classifier.train()
        self.examples = chosen_examples(task, s)
        chosen = replace(task, train=self.examples)
        self.encoded = EncodedTask(chosen, source.bpe, source.model.config.n_ctx)
        self.data = self.encoded.split("train")
        self.valid = self.encoded.split("valid")
        self.per_epoch = math.ceil(len(self.data) / s.batch)
        self.total = s.epochs * self.per_epoch
        groups = groups_by_depth(self.classifier, s)
        self.optimizer = optim.adamw(self.classifier, s.lr, groups=groups)
        self.stepper = optim.Stepper(
            self.classifier, [self.optimizer], self._lr_factor, s.grad_clip
        )
        self.log: list[dict] = []
        self.best: dict = {}
        self._order: list[list[Encoded]] = []

    def _lr_factor(self, update: int) -> float:
        return optim.warmup_linear(update, self.settings.warmup * self.total, self.total)

    # ---- one update --------------------------------------------------------------

    def train_step(self) -> dict:
        """One update; returns what the log keeps of it."""
        s, batch = self.settings, self._batch()
        progress = self.update / self.total
        freeze_below(self.classifier, lowest_depth(self.classifier, s.method, progress))
        losses, _ = self.stepper.step(lambda: self.backward(batch))
        self.update += 1
        line = {"update": self.update, "epoch": 1 + (self.update - 1) // self.per_epoch}
        line |= dict(zip(("loss", "task", "lm"), (round(x, 4) for x in losses), strict=False))
        if not math.isfinite(line["loss"]):
            raise FloatingPointError(
                f"the loss is {line['loss']} at update {self.update}; a lower --lr often helps"
            )
        return line

    def backward(self, batch: list[Encoded]) -> list[float]:
        """Compute the gradients of one batch, of which each process has a share, in parts.

        Returns the losses of the whole batch, see `Classifier.losses`; the last one may lack.
        """
        s, world, device = self.settings, self.world, self.classifier.model.device
        lm_coef = 0.0 if s.method == "frozen" else s.lm_coef
        mine = batch[world.rank :: world.size]
        total = torch.zeros(3 if lm_coef else 2, device=device)
        drawn = f"{s.seed} {self.update}" + (f" {world.rank}" if world.rank else "")
        with fork_rng(zlib.crc32(drawn.encode()), device):  # for dropout
            for part in (mine[i :: s.grad_accum] for i in range(min(s.grad_accum, len(mine)))):
                with torch.autocast(device.type, torch.bfloat16, enabled=s.bf16):
                    losses = self.classifier.losses(*collate(part, device), lm_coef)
                share = len(part) / len(batch)
                (losses[0] * share).backward()
                total += torch.stack([x.detach() for x in losses if x is not None]) * share
        world.sum_gradients(self.classifier)
        return (world.mean(total) * world.size).tolist()

    def _batch(self) -> list[Encoded]:
        epoch, i = divmod(self.update, self.per_epoch)
        if i == 0 or not self._order:
            shuffle = random.Random(f"{self.settings.seed} {epoch}")
            self._order = shuffled(self.data, self.settings.batch, shuffle)
        return self._order[i]

    # ---- the run -----------------------------------------------------------------

    def run(self, folder: RunFolder | None = None, quiet: bool = False) -> Classifier:
        """Train to the end; with a folder each epoch's state is saved, and the log kept.

        With patience the classifier of the best validation score is kept.
        """
        main = self.world.is_main
        quiet = quiet or not main
        bar = tqdm(total=self.total, initial=self.update, unit="update", disable=quiet)
        with bar, interrupted_between_steps(alone=self.world.size == 1) as interrupted:
            while self.update < self.total and not self._stopped():
                line = self.train_step()
                ends_epoch = self.update % self.per_epoch == 0
                if ends_epoch:
                    line |= self._validated(bar)
                stop = interrupted()  # asked once: it may change while the state is written
                self.log.append(line)
                if folder and main:
                    folder.log.add(line)
                    if ends_epoch or stop:
                        self.save_state(folder)
                if stop:
                    raise KeyboardInterrupt(folder.last_saved() if folder else "")
                losses = {k: line[k] for k in ("task", "lm") if k in line}
                bar.set_postfix(losses, refresh=False)
                bar.update()
        if self.settings.patience and self.best:
            self.classifier.load_state_dict(self.best["weights"])
        return self.classifier.eval()

    def _validated(self, bar: tqdm) -> dict:
        """The score on the validation set after an epoch."""
        if not self.valid:
            return {}
        probs = predict_probs(self.classifier, self.valid, world=self.world)
        score, epoch = scores(self.task, probs, self.task.valid), self.update // self.per_epoch
        score = score[self.task.metric]
        if not bar.disable:
            tqdm.write(f"epoch {epoch}: {self.task.metric} {score:.1%} on validation")
        if not self.best or score > self.best["score"]:
            copies = {k: v.clone() for k, v in self.classifier.state_dict().items()}
            weights = copies if self.settings.patience else {}
            self.best = {"score": score, "update": self.update, "weights": weights}
        return {"valid": round(score, 4)}

    def _stopped(self) -> bool:
        if not (self.settings.patience and self.best):
            return False
        since = (self.update - self.best["update"]) // self.per_epoch
        return since >= self.settings.patience

    def evaluate(self, split: str) -> tuple[dict, list[list[float]]]:
        """Scores on a split of the task, and the probabilities behind them."""
        examples = self.encoded.task.split(split)
        if not examples:
            raise ValueError(f"{self.task.name} has no {split} examples")
        probs = predict_probs(self.classifier, self.encoded.split(split), world=self.world)
        return scores(self.task, probs, examples), probs

    # ---- saving and going on -------------------------------------------------------

    def fingerprint(self) -> dict:
        """What a resumed run must share with the one that was stopped."""
        read = repr((self.encoded.task, self.source.bpe.checksum, self.source.bpe.pipeline))
        return {
            "task": self.task.name,
            "settings": asdict(self.settings),
            "examples": len(self.data),
            "data": hashlib.sha256(read.encode()).hexdigest()[:16],  # labels and all splits
            "weights": tensors.weights_fingerprint(self.source.model),
        }

    def save_state(self, folder: RunFolder) -> None:
        """Write all that the next update depends on, whole or not at all."""
        state = {
            "best": self.best,
            "classifier": self.classifier.state_dict(),
            "optimizer": self.optimizer.state_dict(),
        }
        check_finite(state["classifier"])
        folder.save(self.fingerprint(), self.update, state)

    def resume(self, folder: RunFolder) -> bool:
        """Go on from the last saved state; False if there is none.

        Raises ValueError if it is of another task, other settings or another model.
        """
        state = folder.load(self.fingerprint())
        if self.world.is_main:
            folder.log.cut(state["update"] if state else 0)
        if state is None:
            return False
        with files.blame_file(folder.state_path, RuntimeError):  # a tensor's shape
            self.classifier.load_state_dict(state["classifier"])
            self.optimizer.load_state_dict(state["optimizer"])
            self.update, self.best = state["update"], state["best"] or {}
        self.stepper.resume_at(self.update)
        self.log = folder.log.lines()
        return True


def chosen_examples(task: Task, settings: Settings) -> list:
    """The training examples that the settings ask for. Raises ValueError if none is left."""
    examples = tasks.no_longer_than(task.train, settings.longest)
    if settings.limit and settings.limit < len(examples):
        examples = random.Random(settings.seed).sample(examples, settings.limit)
    if not examples:
        if task.train:
            raise ValueError(
                f"{task.name}: each of the {len(task.train)} training examples has more than "
                f"{settings.longest} words, raise longest"
            )
        raise ValueError(f"{task.name} has no training examples")
    return examples

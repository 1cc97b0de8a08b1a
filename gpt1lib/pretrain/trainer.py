"""One pre-training run: windows of books, each next token predicted (Eq. 1).

Everything random in an update follows from the seed and the number of the update, so a
killed run goes on from its last saved state and ends where it would have ended.
"""

import math
import random
import shutil
import time
from contextlib import nullcontext
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import cast

import torch
from torch import Tensor, nn
from tqdm import tqdm

from .. import corpus, evaluate, induction, metrics, optim, sample
from ..bpe import BPE
from ..checkpoints import checkpoint, kinds, snapshots
from ..cli import interrupted_between_steps
from ..corpus import BookPaths
from ..fast.distributed import SINGLE, Processes, check_bf16, gradient_sync
from ..io import checksums, files
from ..io.paths import BOOKS, HELDOUT_BOOKS
from ..io.provenance import provenance
from ..io.run_folder import RunFolder
from ..model import LanguageModel
from ..rng import eval_mode, fork_rng
from .config import Recipe
from .data import TrainingData, load_data
from .init import init_from_counts, init_previous_token_heads
from .muon import build_optimizers
from .objective import Objective, checkpoint_activations, scale_blocks

LOG_EVERY = 10  # updates
DIVERGED_AT = 10  # times the loss of guessing
SCORED_WINDOWS = 64  # of the held-out books, while training
BYTES_PER_PARAMETER = 12  # of a saved state: a weight and Adam's two averages


def seed_of(recipe: Recipe, step: int, rank: int = 0) -> int:
    """The seed of one update; another for each process, whose dropout must differ."""
    seed = (recipe.seed * 1_000_003 + step) * 1009 + rank  # primes keep the seeds apart
    return seed % 2**63  # what torch can take


def check_machine(recipe: Recipe, world: Processes) -> None:
    """Raise ValueError, before minutes of reading, for what these processes cannot do."""
    r, device = recipe, world.device
    check_bf16(r.bf16, device)
    if r.matrix_lr and r.fsdp:
        raise ValueError("--matrix-lr needs whole matrices, --fsdp splits them")
    if r.batch < world.size * r.grad_accum:
        raise ValueError(
            f"a batch of {r.batch} windows cannot be shared by {world.size} "
            f"processes in {r.grad_accum} parts each: take a larger batch"
        )


class Pretraining:
    """One run: data, model, optimizer and log, saved so that it can go on."""

    command: str | None = None  # what began it, if not this process's own command

    def __init__(
        self, recipe: Recipe, data: TrainingData, out: str | Path, world: Processes = SINGLE
    ):
        self.data, self.folder, self.world = data, RunFolder(out, "state"), world
        self.recipe = replace(recipe, model=replace(recipe.model, n_vocab=data.bpe.n_vocab))
        with fork_rng(recipe.seed):
            self.model = kinds.build(recipe.kind, self.recipe.model)
        self.step, self.seen, self.seconds = 0, 0, 0.0
        read = {"books": data.books, "heldout": data.heldout}
        self.sources_sha256 = {k: corpus.checksum(v) for k, v in read.items()}  # slow: once
        self._prepare_model()
        self.optimizers = build_optimizers(self.model, self.recipe)
        self.stepper = optim.Stepper(
            self.model, self.optimizers, recipe.lr_factor, recipe.grad_clip
        )
        self.log, self.samples = self.folder.log, self.folder.log_of("samples")

    @classmethod
    def from_books(
        cls,
        recipe: Recipe,
        out: str | Path,
        books: BookPaths = BOOKS,
        heldout: BookPaths | None = HELDOUT_BOOKS,
        world: Processes = SINGLE,
        bpe: BPE | None = None,
    ) -> "Pretraining":
        """A run on these books at its beginning. heldout, bpe: see `data.load_data`."""
        check_machine(recipe, world)
        run = RunFolder(out, "state")
        with run.lock() if world.is_main else nullcontext():
            if world.is_main:
                for folder in (run.path, run.state_dir, run.path / snapshots.FOLDER):
                    files.remove_unfinished(folder)
            data = load_data(recipe, run.state_dir, books, heldout, bpe, world)
        return cls(recipe, data, out, world)

    def _prepare_model(self) -> None:
        """The fresh model with its loss, as this machine is to compute it."""
        r, on_cpu = self.recipe, self.world.device.type == "cpu"
        scale_blocks(self.model, r.block_std)
        if r.count_vectors:
            start = time.perf_counter()
            init_from_counts(self.model, self.data.ids, r.count_vectors, r.seed)
            self.seconds = time.perf_counter() - start  # it counts as training
        if r.previous_token_heads:
            init_previous_token_heads(self.model, r.seed)
        if r.activation_checkpointing:
            checkpoint_activations(self.model)
        objective = Objective(self.model, chunked=on_cpu and not r.compile)
        self.objective = self.world.wrap(objective, r.fsdp)
        if r.compile:  # a module becomes a module
            self.objective = cast(nn.Module, torch.compile(self.objective))

    # ---- one step ------------------------------------------------------------

    def _batch(self) -> tuple[Tensor, int]:
        """This process's windows of the next update (B, T), and how many all have."""
        r, world = self.recipe, self.world
        n, length = r.batch_shape(self.step)
        if r.even_windows:
            before, offset = r.windows_before(self.step), random.Random(r.seed).random()
            ids = corpus.even_windows(self.data.ids, length, n, before, offset)
        else:
            generator = torch.Generator().manual_seed(seed_of(r, self.step))
            ids = corpus.random_windows(self.data.ids, length, n, generator)
        return ids[world.rank :: world.size].to(world.device), n

    def backward(self, ids: Tensor, n_windows: int) -> float:
        """Add up the gradients of all parts; the mean loss over all processes."""
        with fork_rng(seed_of(self.recipe, self.step, self.world.rank), self.world.device):
            loss = float(self._add_gradients(ids, n_windows))  # dropout draws
        self._check_loss(loss)
        return loss

    def _add_gradients(self, ids: Tensor, n_windows: int) -> Tensor:
        r, world, total = self.recipe, self.world, torch.zeros((), device=ids.device)
        parts = ids.tensor_split(r.grad_accum)
        for i, part in enumerate(parts):
            share = len(part) / n_windows  # of this part in the whole batch
            last = i == len(parts) - 1
            with gradient_sync(self.objective, averaging=last):
                with torch.autocast(world.device.type, torch.bfloat16, enabled=r.bf16):
                    loss = self.objective(part)
                (loss * share * world.size).backward()  # torch averages over processes
            total = total + loss.detach() * share * world.size
        return world.mean(total)

    def train_step(self) -> dict:
        """One update on one batch; returns what the log keeps of it."""
        start, lr = time.perf_counter(), self.stepper.lr
        ids, n_windows = self._batch()
        loss, norm = self.stepper.step(lambda: self.backward(ids, n_windows))
        elapsed, n_tokens = time.perf_counter() - start, n_windows * ids.shape[1]
        self.step, self.seen = self.step + 1, self.seen + n_tokens
        self.seconds += elapsed
        return {
            "step": self.step,
            "tokens": self.seen,
            "loss": round(loss, 6),
            "lr": lr,
            "grad_norm": round(norm, 3),
            "tokens_per_s": round(n_tokens / elapsed),
            "seconds": round(self.seconds, 1),
        }

    def _check_loss(self, loss: float) -> None:
        """Raise FloatingPointError for a loss that is not a number, or far above guessing's."""
        guessing = math.log(self.data.bpe.n_vocab)
        if not loss < DIVERGED_AT * guessing:  # nan is not, either
            raise FloatingPointError(
                f"the loss is {loss:.4g} at step {self.step} "
                f"(learning rate {self.stepper.lr:.3g}), "
                f"guessing has {guessing:.3g}: the training diverged. "
                f"{self.folder.last_saved()}; a lower --lr or a longer --warmup often helps"
            )

    # ---- saving and going on -------------------------------------------------

    def fingerprint(self) -> dict:
        """What a resumed run must share with the one that was stopped."""
        return self.recipe.fingerprint() | self.sources_sha256

    def save_state(self) -> None:
        """Write all that the next step depends on, whole or not at all.

        With the seed, the step gives random state and place in the data, too.
        """
        weights, optimizer = self.world.whole_state(self.model, self.optimizers)
        if self.world.is_main:
            checkpoint.check_finite(weights)
            done = {"seen": self.seen, "seconds": self.seconds}
            parts = {"model": weights, "optimizer": optimizer}
            bound = {"tokenizer_sha256": self.data.bpe.checksum}
            self.folder.save(self.fingerprint(), self.step, done | parts | bound)

    def resume(self) -> bool:
        """Go on from the last saved step; False if there is none.

        Raises ValueError if the method, the books or the vocabulary are no longer the same,
        for a damaged state, and for a finished model without one, which would be overwritten.
        """
        state = self.folder.load(self.fingerprint())
        if state is None:
            if (meta := self.folder.path / "meta.json").exists():
                raise ValueError(f"{meta} is of a finished model: take another --out")
            return False
        with files.blame_file(self.folder.state_path, RuntimeError):  # a tensor's shape
            if state["tokenizer_sha256"] != self.data.bpe.checksum:
                raise ValueError("it was made with another vocabulary; take another --out")
            self.step, self.seen, self.seconds = (state[k] for k in ("step", "seen", "seconds"))
            self.world.load_whole_state(
                self.model, self.optimizers, state["model"], state["optimizer"]
            )
        self.stepper.resume_at(self.step)
        return True

    # ---- the run -------------------------------------------------------------

    def is_finished(self) -> bool:
        """Whether nothing is left to do: all steps done, and the checkpoint is whole."""
        out, parts = self.folder.path, checkpoint.FILES
        if self.step < self.recipe.steps or not checksums.of(out).keys() >= set(parts):
            return False
        try:
            checksums.verify(out, *parts)
        except (ValueError, OSError):  # `run` writes what is missing or damaged again
            return False
        return True

    def run(self) -> None:
        """Train to the last step, then write the checkpoint.

        Raises OSError where the disk is full; the last saved state is kept.
        """
        with self.folder.writing(), self.folder.lock() if self.world.is_main else nullcontext():
            self._run()

    def _run(self) -> None:
        r = self.recipe
        keep = snapshots.steps_to_keep(r.steps, r.snapshots)[:-1]  # the last: the checkpoint
        if self.world.is_main:
            self._check_room()
            self.log.cut(self.step)
            self.samples.cut(self.step)
        quiet = not self.world.is_main
        bar = tqdm(total=r.steps, initial=self.step, unit="step", disable=quiet)
        with bar, interrupted_between_steps(alone=self.world.size == 1) as interrupted:
            while self.step < r.steps:
                line = self.train_step()
                last = self.step == r.steps
                if self.step % r.evaluate_every == 0 or last:
                    line |= self._scores()
                if self.step in keep or self.step % r.sample_every == 0 or last:
                    self._show_progress(line, self.step in keep)
                logged = self.step % LOG_EVERY == 0 or "heldout" in line or self.step == 1
                if logged and self.world.is_main:
                    self.log.add(line)
                stop = interrupted()  # asked once: it may change while the state is written
                if self.step % r.save_every == 0 or last or stop:
                    self.save_state()
                if stop:
                    raise KeyboardInterrupt(self.folder.last_saved())
                bar.set_postfix(self._at_a_glance(line), refresh=False)
                bar.update()
        self.finish()

    def _at_a_glance(self, line: dict) -> dict:
        per_token = sum(map(len, self.data.books.values())) / len(self.data.ids)  # characters
        return {
            "loss": line["loss"],
            "ppl": round(math.exp(line["loss"])) if line["loss"] < 20 else "over 4.8e8",
            "bits/char": round(line["loss"] / math.log(2) / per_token, 2),
            "tok/s": line["tokens_per_s"],
        }

    def _scores(self) -> dict:
        """The loss on the held-out books, also by position, and whether the model copies.

        Through the wrapped objective: with split weights all processes must help.
        """
        ids, n_ctx = self.data.heldout_ids.to(self.world.device), self.recipe.model.n_ctx
        with eval_mode(self.objective):
            loss = partial(self.objective, each=True)
            nats = evaluate.nats_of_windows(loss, ids, n_ctx, SCORED_WINDOWS)
        model = self.whole_model() if self.recipe.fsdp else self.model
        scores = {
            "heldout": torch.cat(nats).double().mean().item(),
            "heldout_by_position": evaluate.nats_by_position(nats),
            **(induction.measures(model) if self.world.is_main else {}),
        }
        return metrics.rounded(scores, 6)

    def _show_progress(self, line: dict, keep: bool) -> None:
        """Store a stage of the model if it is to be kept, and show a text by it."""
        model = self.whole_model()
        if not self.world.is_main:
            return
        checkpoint.check_finite(model.state_dict())
        if keep:
            metadata = {k: line[k] for k in snapshots.LOGGED}
            snapshots.save_snapshot(self.folder.path, model, metadata)
        if model.has_cache:
            source = checkpoint.Checkpoint(model, self.data.bpe, {}, self.folder.path)
            text = sample.sample_text(source, n_tokens=60, seed=self.recipe.seed)
            self.samples.add({"step": self.step, "text": text})
            tqdm.write(f"step {self.step}: {text}")

    def whole_model(self) -> LanguageModel:
        """The model in one piece on the CPU; a copy unless it is already there."""
        if self.world.size == 1 and self.world.device.type == "cpu":
            return self.model
        with fork_rng(self.recipe.seed):
            model = kinds.build(self.recipe.kind, self.recipe.model)
        weights = self.world.whole_weights(self.model)
        if self.world.is_main:
            model.load_state_dict(weights)
        return model

    def _check_room(self) -> None:
        """Raise OSError before a long run rather than in it: two states must fit."""
        n = self.model.count_parameters()
        need, free = 2 * BYTES_PER_PARAMETER * n, shutil.disk_usage(self.folder.path).free
        if free < need:
            raise OSError(
                f"a saved state takes {need / 2e6:,.0f} MB and there must be room for "
                f"two, {free / 1e6:,.0f} MB are free"
            )

    def finish(self) -> None:
        """Score every held-out book and write the checkpoint with its history."""
        model = self.whole_model()
        if not self.world.is_main:
            return
        if self.recipe.save_fp16:  # the scores are those of the weights as stored
            for p in model.parameters():
                p.data = p.data.half().float()
        meta = {
            **provenance(self.command, self.folder.commit),
            "seconds": round(self.seconds),
            "recipe": asdict(self.recipe),
            "books": sorted(self.data.books),
            "heldout_books": sorted(self.data.heldout),
            "books_sha256": self.sources_sha256["books"],
            "heldout_books_sha256": self.sources_sha256["heldout"],
            "training_tokens": len(self.data.ids),
            "heldout": self._final_scores(model),
        }
        fp16 = self.recipe.save_fp16
        checkpoint.save_ours(self.folder.path, model, self.data.bpe, meta, fp16)

    def _final_scores(self, model: LanguageModel) -> dict[str, dict]:
        """Perplexity and bits per character of each held-out book."""
        if not self.recipe.fsdp:  # what was split may be too large for any one device
            model.to(self.world.device)
        scores = evaluate.score_books(model, self.data.bpe, self.data.heldout)
        if not all(math.isfinite(s["perplexity"]) for s in scores.values()):
            raise FloatingPointError(
                "the loss on the held-out books is too large for a perplexity: the training "
                "diverged. A lower --lr or a longer --warmup often helps; take another --out"
            )
        return metrics.rounded(scores)

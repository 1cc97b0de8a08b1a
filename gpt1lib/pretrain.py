"""Pre-training: read random windows of books, predict each next token (Eq. 1).

    python -m gpt1lib.pretrain --recipe novelist --out runs/novelist
    torchrun --nproc-per-node 2 -m gpt1lib.pretrain --recipe novelist --out runs/two

The recipes keep GPT-1's method and change its sizes. Everything random in an update
follows from the seed and the number of the update, so a run that was killed at any
moment goes on from its last saved state and ends where it would have ended.
"""

import argparse
import json
import math
import shlex
import shutil
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict, replace
from pathlib import Path

import torch
from torch import Tensor, nn
from tqdm import tqdm

from . import (
    checkpoint,
    corpus,
    decode,
    files,
    muon,
    objectives,
    optim,
    recipes,
    runs,
    snapshots,
    workers,
)
from .bpe import BPE
from .chunked_loss import chunked_lm_loss
from .paths import BOOKS, HELDOUT_BOOKS
from .recipes import Recipe


class Objective(nn.Module):
    """A model and its loss in one module: what is compiled, shared out or split."""

    def __init__(self, model: nn.Module, chunked: bool):
        super().__init__()
        self.model, self.chunked = model, chunked

    def forward(self, ids: Tensor) -> Tensor:
        """-L1 as a mean over the targets of ids (B, T)."""
        if self.chunked:
            h = self.model.hidden(ids)[:, :-1]  # the last state has no target
            return chunked_lm_loss(h, self.model.output_matrix, ids[:, 1:])
        return objectives.lm_loss(self.model(ids), ids)


@torch.no_grad()
def mean_nats(objective: nn.Module, ids: Tensor, n_ctx: int, n_windows=None) -> float:
    """Mean loss in nats a token over a text in order, or n_windows spread on it."""
    windows = corpus.windows_in_order(ids, n_ctx)
    if n_windows is not None and n_windows < len(windows):
        pick = torch.linspace(0, len(windows) - 2, n_windows).long()
        windows = [windows[i] for i in pick]
    training, total, n = objective.training, 0.0, 0
    objective.eval()
    for window in windows:
        total += float(objective(window[None])) * (len(window) - 1)
        n += len(window) - 1
    objective.train(training)
    return total / n


def heldout_nats(model: nn.Module, ids: Tensor, n_windows: int | None = None) -> float:
    """Mean loss in nats a token of a language model on a text."""
    return mean_nats(Objective(model, chunked=False), ids, model.config.n_ctx, n_windows)


def seed_of(recipe: Recipe, step: int, rank: int = 0) -> int:
    """The seed of one update; another for each process, whose dropout must differ."""
    return (recipe.seed * 1_000_003 + step) * 1009 + rank


class Pretraining:
    """One run: books, model, optimizer and log, saved so that it can go on."""

    def __init__(
        self,
        recipe: Recipe,
        out: str | Path,
        books: str | Path = BOOKS,
        heldout: str | Path = HELDOUT_BOOKS,
        team=workers.ALONE,
    ):
        self.out, self.state, self.team = Path(out), Path(out) / "state", team
        self.commit = runs.git_commit()  # now: the tree may move on while this runs
        self._read(recipe, books, heldout)
        self.recipe = replace(recipe, model=replace(recipe.model, n_vocab=self.bpe.n_vocab))
        self._check_machine()
        torch.manual_seed(recipe.seed)
        self.model = checkpoint.build(recipe.kind, self.recipe.model)
        scale_blocks(self.model, recipe.block_std)
        if recipe.recompute:
            recompute_activations(self.model)
        on_cpu = team.device.type == "cpu"
        objective = Objective(self.model, chunked=on_cpu and not recipe.compile)
        self.objective = team.wrap(objective, recipe.shard)
        if recipe.compile:
            self.objective = torch.compile(self.objective)
        self.optimizers = build_optimizers(self.model, recipe)
        self.step, self.seen, self.seconds, self.saved = 0, 0, 0.0, None
        self.log = runs.Log(self.out / "log.jsonl")
        self.samples = runs.Log(self.out / "samples.jsonl")

    def _read(self, recipe: Recipe, books, heldout) -> None:
        """Books, tokenizer and token stream; the chief makes what is missing."""
        self.books, self.heldout = corpus.read_books(books), corpus.read_books(heldout)
        both = self.books.keys() & self.heldout.keys()
        both |= corpus.same_texts(self.books, self.heldout)
        if both:
            raise ValueError(f"held-out books are among the training books: {both}")
        tokens = self.state / f"tokens-{corpus.checksum(self.books)[:16]}.npy"
        if self.team.chief:
            files.remove_unfinished(self.out)
            if not (self.state / "vocab.bpe").exists():
                BPE.learn(self.books.values(), recipe.n_merges).save(self.state)
            if not tokens.exists():
                stream = corpus.encode_books(self.books, BPE.load(self.state))
                corpus.write_tokens(tokens, stream)
        self.team.wait()
        self.bpe = BPE.load(self.state)
        self.ids = corpus.open_tokens(tokens)
        self.heldout_ids = corpus.encode_books(self.heldout, self.bpe)

    def _check_machine(self) -> None:
        r, device = self.recipe, self.team.device
        if r.bf16 and not (device.type == "cuda" and torch.cuda.is_bf16_supported()):
            raise ValueError(
                f"bf16 is on, but {device} computes 16-bit numbers by emulation, some "
                "hundred times slower: leave it off"
            )
        if r.matrix_lr and r.shard:
            raise ValueError("--matrix-lr needs whole matrices, --shard splits them")
        if r.batch < self.team.size * r.accumulate:
            raise ValueError(
                f"a batch of {r.batch} windows cannot be shared by {self.team.size} "
                f"processes in {r.accumulate} parts each"
            )

    # ---- one step ------------------------------------------------------------

    def batch(self) -> tuple[Tensor, int]:
        """This process's windows of the next update (B, T), and how many all have."""
        r, team = self.recipe, self.team
        n, length = r.windows_at(self.step)
        generator = torch.Generator().manual_seed(seed_of(r, self.step))
        ids = corpus.random_windows(self.ids, length, n, generator)
        return ids[team.rank :: team.size].to(team.device), n

    def backward(self, ids: Tensor, n_windows: int) -> Tensor:
        """Add up the gradients of all parts; the mean loss over all processes."""
        r, team, total = self.recipe, self.team, 0.0
        parts = ids.tensor_split(r.accumulate)
        for i, part in enumerate(parts):
            share = len(part) / n_windows  # of this part in the whole batch
            last = i == len(parts) - 1
            with workers.each_on_its_own(self.objective, averaging=last):
                with torch.autocast(team.device.type, torch.bfloat16, enabled=r.bf16):
                    loss = self.objective(part)
                (loss * share * team.size).backward()  # torch averages over processes
            total = total + loss.detach() * share * team.size
        return team.mean(total)

    def train_step(self) -> dict:
        """One update on one batch; returns what the log keeps of it."""
        r, start = self.recipe, time.perf_counter()
        rate = r.rate_at(self.step)
        set_rates(self.optimizers, r, rate)
        ids, n_windows = self.batch()
        torch.manual_seed(seed_of(r, self.step, self.team.rank))  # dropout
        self.objective.zero_grad(set_to_none=True)
        loss = float(self.backward(ids, n_windows))
        if not math.isfinite(loss):
            raise FloatingPointError(
                f"the loss is {loss} at step {self.step} "
                f"(learning rate {r.lr * rate:.3g}). "
                f"{self._last_state()}; a lower --lr or a longer --warmup often helps"
            )
        norm = optim.clip_gradients(self.model, r.clip)
        for optimizer in self.optimizers:
            optimizer.step()
        elapsed, n_tokens = time.perf_counter() - start, n_windows * ids.shape[1]
        self.step, self.seen = self.step + 1, self.seen + n_tokens
        self.seconds += elapsed
        return {
            "step": self.step,
            "tokens": self.seen,
            "loss": round(loss, 6),
            "lr": r.lr * rate,
            "grad_norm": round(norm, 3),
            "tokens_per_s": round(n_tokens / elapsed),
            "seconds": round(self.seconds, 1),
        }

    # ---- saving and going on -------------------------------------------------

    def save_state(self) -> None:
        """Write all that the next step depends on, whole or not at all."""
        weights, optimizer = self.team.whole_state(self.model, self.optimizers)
        if not self.team.chief:
            return
        state = {
            "method": json.dumps(self.recipe.method()),
            "books": corpus.checksum(self.books),
            "step": self.step,  # with the seed, also random state and data position
            "seen": self.seen,
            "seconds": self.seconds,
            "model": weights,
            "optimizer": optimizer,
        }
        with files.replacing(self.state / "state.pt") as temporary:
            try:
                torch.save(state, temporary)
            except RuntimeError as error:  # torch's way to say that a write failed
                raise OSError(f"could not write {temporary.name}: {error}") from error
        self.saved = self.step

    def resume(self) -> bool:
        """Go on from the last saved step; False if there is none.

        Raises ValueError if the method or the books are no longer the same.
        """
        path = self.state / "state.pt"
        if not path.exists():
            return False
        state = torch.load(path, weights_only=True, map_location="cpu")
        self._check_same(path, state)
        self.step = self.saved = state["step"]
        self.seen, self.seconds = state["seen"], state["seconds"]
        self.team.load_whole_state(
            self.model, self.optimizers, state["model"], state["optimizer"]
        )
        return True

    def _check_same(self, path: Path, state: dict) -> None:
        then = json.loads(state["method"])
        now = json.loads(json.dumps(self.recipe.method()))  # tuples become lists
        changed = [
            f"{k} was {then.get(k)}, is {now.get(k)}"
            for k in now | then
            if then.get(k) != now.get(k)
        ]
        if changed:
            raise ValueError(
                f"{path} was made with another recipe: {'; '.join(changed)}. "
                "Use that one again, or another --out"
            )
        if state["books"] != corpus.checksum(self.books):
            raise ValueError(f"the books have changed since {path} was written")

    def _last_state(self) -> str:
        if self.saved is None:
            return "Nothing was saved yet"
        return f"The state of step {self.saved} is kept in {self.state}"

    # ---- the run -------------------------------------------------------------

    def run(self) -> None:
        """Train to the last step, then write the checkpoint.

        Raises OSError where the disk is full; the last saved state is kept.
        """
        try:
            with runs.only_one(self.state) if self.team.chief else nullcontext():
                self._run()
        except OSError as error:
            raise OSError(
                f"writing to {self.out} failed ({error}). {self._last_state()}: make "
                "room there and start the same command again"
            ) from error

    def _run(self) -> None:
        r = self.recipe
        keep = snapshots.steps_to_keep(r.steps, r.snapshots)[:-1]  # the last: the checkpoint
        if self.team.chief:
            self._check_room()
            self.log.cut(self.step)
            self.samples.cut(self.step)
        with tqdm(
            total=r.steps, initial=self.step, unit="step", disable=not self.team.chief
        ) as bar:
            while self.step < r.steps:
                line = self.train_step()
                last = self.step == r.steps
                if self.step % r.evaluate_every == 0 or last:
                    line["heldout"] = round(self._heldout(self.heldout_ids, 64), 6)
                if self.step in keep or self.step % r.sample_every == 0 or last:
                    self._show_progress(line, self.step in keep)
                if self.step % 10 == 0 or "heldout" in line or self.step == 1:
                    self._chiefly(self.log.add, line)
                if self.step % r.save_every == 0 or last:
                    self.save_state()
                bar.set_postfix(self._at_a_glance(line))
                bar.update()
        self.finish()

    def _chiefly(self, act, *arguments) -> None:
        if self.team.chief:
            act(*arguments)

    def _at_a_glance(self, line: dict) -> dict:
        per_token = sum(map(len, self.books.values())) / len(self.ids)  # characters
        return {
            "loss": line["loss"],
            "ppl": round(math.exp(min(line["loss"], 20))),
            "bits/char": round(line["loss"] / math.log(2) / per_token, 2),
            "tok/s": line["tokens_per_s"],
        }

    def _heldout(self, ids: Tensor, n_windows: int | None = None) -> float:
        """Through the wrapped objective: with split weights all processes must help."""
        ids = ids.to(self.team.device)
        return mean_nats(self.objective, ids, self.recipe.model.n_ctx, n_windows)

    def _show_progress(self, line: dict, keep: bool) -> None:
        """A stage of the model on disk, and a text by it."""
        model = self.whole_model()
        if not self.team.chief:
            return
        if keep:
            facts = {k: line[k] for k in snapshots.FACTS}
            snapshots.save_snapshot(self.out, model, facts)
        if self.recipe.kind == "gpt":
            made = checkpoint.Checkpoint(model, self.bpe, {}, self.out)
            text = decode.write(made, n_tokens=60, seed=self.recipe.seed)
            self.samples.add({"step": self.step, "text": text})
            tqdm.write(f"step {self.step}: {text}")

    def whole_model(self) -> nn.Module:
        """The model in one piece on the CPU; a copy unless it is already there."""
        if self.team.size == 1 and self.team.device.type == "cpu":
            return self.model
        model = checkpoint.build(self.recipe.kind, self.recipe.model)
        weights = self.team.whole_weights(self.model)
        if self.team.chief:
            model.load_state_dict(weights)
        return model

    def _check_room(self) -> None:
        """OSError before a long run rather than in it: two states must fit."""
        n = sum(p.numel() for p in self.model.parameters())
        need, free = 2 * 12 * n, shutil.disk_usage(self.out).free
        if free < need:
            raise OSError(
                f"a saved state takes {need / 2e6:,.0f} MB and there must be room for "
                f"two, {free / 1e6:,.0f} MB are free"
            )

    def finish(self) -> None:
        """Score every held-out book and write the checkpoint with its history."""
        model = self.whole_model()
        if not self.team.chief:
            return
        if self.recipe.half:  # the scores are those of the weights as stored
            model.half().float()
        meta = {
            "command": shlex.join(["python", "-m", "gpt1lib.pretrain", *sys.argv[1:]]),
            "commit": self.commit,
            "torch": torch.__version__,
            "seconds": round(self.seconds),
            "recipe": asdict(self.recipe),
            "books": sorted(self.books),
            "heldout_books": sorted(self.heldout),
            "books_sha256": corpus.checksum(self.books),
            "heldout_books_sha256": corpus.checksum(self.heldout),
            "training_tokens": len(self.ids),
            "heldout": score_books(model, self.bpe, self.heldout),
        }
        checkpoint.save(self.out, model, self.bpe, meta, half=self.recipe.half)


def score_books(model: nn.Module, bpe: BPE, books: dict[str, str]) -> dict[str, dict]:
    """Perplexity and bits per character of each text, in windows in order."""
    scores = {}
    for name, text in books.items():
        ids = torch.tensor(bpe.encode(text))
        nats = heldout_nats(model, ids)
        bits = objectives.bits_per_character(nats * (len(ids) - 1), len(text))
        scores[name] = {
            "tokens": len(ids),
            "characters": len(text),
            "nats_per_token": round(nats, 4),
            "perplexity": round(objectives.perplexity(nats), 2),
            "bits_per_character": round(bits, 4),
        }
    return scores


def scale_blocks(model: nn.Module, std: float) -> None:
    """Give the fresh matrices inside the blocks another spread than 0.02.

    A state's numbers are of size 1 after each LayerNorm, so a sum over C of them times
    weights of spread s has the size s sqrt(C): 0.55 in GPT-1, with s = 0.02, C = 768.
    A narrower model needs a larger s to pass on as much. Embeddings stay at 0.02.
    """
    with torch.no_grad():
        for block in getattr(model, "blocks", []):
            for p in block.parameters():
                if p.dim() > 1:
                    p.mul_(std / 0.02)


def build_optimizers(model: nn.Module, recipe: Recipe) -> list[torch.optim.Optimizer]:
    """Adam for all, or for all but the blocks' matrices, and Muon for those."""
    r = recipe
    if not r.matrix_lr:
        return [optim.adamw(model, r.lr, r.betas, r.weight_decay)]
    inside = muon.matrices(model)
    if not inside:
        raise ValueError(f"matrix_lr is {r.matrix_lr}, kind {r.kind} has no blocks")
    return [
        optim.adamw(model, r.lr, r.betas, r.weight_decay, without=inside),
        muon.Muon(inside, r.matrix_lr, weight_decay=r.weight_decay),
    ]


def set_rates(optimizers: list, recipe: Recipe, rate: float) -> None:
    """Give each optimizer the share `rate` of its highest learning rate."""
    for optimizer, highest in zip(optimizers, (recipe.lr, recipe.matrix_lr), strict=False):
        optim.set_lr(optimizer, highest * rate)


def recompute_activations(model: nn.Module) -> None:
    """Keep only the input of each block and compute the rest again on the way back."""
    from torch.utils.checkpoint import checkpoint as again

    for block in getattr(model, "blocks", []):
        forward = block.forward
        block.forward = lambda *args, forward=forward: again(
            forward, *args, use_reentrant=False
        )


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.pretrain",
        description="Pre-train a GPT-1 on books; start again to go on.",
    )
    parser.add_argument("--out", type=Path, required=True, help="checkpoint folder")
    parser.add_argument("--books", type=Path, default=BOOKS, help="folder of .txt books")
    parser.add_argument(
        "--heldout", type=Path, default=HELDOUT_BOOKS, help="books only scored on"
    )
    parser.add_argument("--device", choices=["cpu", "cuda"], help="default: a GPU if any")
    recipes.add_options(parser)
    args = parser.parse_args(argv)
    runs.keep_memory()
    team = workers.join(args.device)
    try:
        recipe = recipes.from_options(args)
        run = Pretraining(recipe, args.out, args.books, args.heldout, team)
        if run.resume() and team.chief:
            tqdm.write(f"going on from step {run.step}")
        run.run()
        team.finish()
    except (ValueError, OSError, FloatingPointError, RuntimeError) as error:
        if team.size > 1:
            raise  # torchrun reports which process failed, and how
        sys.exit(f"pretrain: {error}")
    except KeyboardInterrupt:
        sys.exit("pretrain: stopped; start the same command again to go on")
    finally:
        team.leave()


if __name__ == "__main__":
    main()

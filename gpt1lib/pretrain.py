"""Pre-training: read random windows of books, predict each next token (Eq. 1).

    python -m gpt1lib.pretrain --recipe novelist --out data/checkpoints/novelist

The recipes keep GPT-1's method and change its sizes; each difference stands beside the
number. An interrupted run goes on from its last saved step when started again.
"""

import argparse
import ctypes
import json
import shlex
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
from tqdm import tqdm

from . import checkpoint, corpus, files, objectives, optim
from .bpe import BPE
from .config import GPT1, NOVELIST, TINY, GPTConfig
from .model import GPT
from .paths import BOOKS, HELDOUT_BOOKS, ROOT


@dataclass(frozen=True)
class Recipe:
    """How to pre-train one model; the defaults are GPT-1's (section 4.1)."""

    model: GPTConfig = GPT1
    n_merges: int = 40_000
    batch: int = 64  # windows a step
    steps: int = 1_000_000  # not in the paper: its Figure 2 ends at 10^6 updates
    lr: float = 2.5e-4
    warmup: int = 2000
    betas: tuple[float, float] = (0.9, 0.999)
    weight_decay: float = 0.01
    clip: float = 1.0  # from the released fine-tuning code
    seed: int = 0
    evaluate_every: int = 10_000
    save_every: int = 10_000


RECIPES = {
    "gpt1": Recipe(),
    # Four times the learning rate and quicker averages: 5 million parameters on short
    # batches of 2,048 tokens take and need larger steps than 117 million on 32,768.
    "novelist": Recipe(NOVELIST, 8000, batch=8, steps=5000, lr=1e-3, warmup=200,
                       betas=(0.9, 0.99), evaluate_every=500, save_every=100),
    "tiny": Recipe(TINY, 400, batch=16, steps=200, lr=3e-3, warmup=20,
                   evaluate_every=100, save_every=100),
}  # fmt: skip


def keep_memory() -> None:
    """Ask the C library to keep freed buffers instead of handing them back.

    Each step frees and asks for the same large buffers; without this the kernel
    clears them anew each time, a sixth of the time of a step. Linux with glibc only.
    """
    try:
        libc = ctypes.CDLL("libc.so.6")
        libc.mallopt(-4, 0)  # M_MMAP_MAX: no buffer of its own mapping
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: never shrink
        libc.mallopt(-2, 256 << 20)  # M_TOP_PAD: grow in large steps
    except (OSError, AttributeError):
        return  # another C library: slower, not wrong


@torch.no_grad()
def heldout_nats(model: GPT, ids: torch.Tensor, n_windows: int | None = None) -> float:
    """Mean loss in nats a token, over the text in order or n_windows spread on it."""
    windows = corpus.windows_in_order(ids, model.config.n_ctx)
    if n_windows is not None and n_windows < len(windows):
        pick = torch.linspace(0, len(windows) - 2, n_windows).long()
        windows = [windows[i] for i in pick]
    training, total, n = model.training, 0.0, 0
    model.eval()
    for window in windows:
        logits = model(window[None])
        total -= float(objectives.lm_log_likelihood(logits, window[None]))
        n += len(window) - 1
    model.train(training)
    return total / n


class Pretraining:
    """One run: model, optimizer, data and log, saved so that it can go on."""

    def __init__(self, recipe: Recipe, out: Path, books=BOOKS, heldout=HELDOUT_BOOKS):
        self.recipe, self.out = recipe, Path(out)
        self.books, self.heldout = corpus.read_books(books), corpus.read_books(heldout)
        both = self.books.keys() & self.heldout.keys()
        if both:
            raise ValueError(f"held-out books are among the training books: {both}")
        self.bpe = self._tokenizer()
        n_vocab = self.bpe.n_vocab
        self.recipe = recipe = replace(
            recipe, model=replace(recipe.model, n_vocab=n_vocab)
        )
        self.ids = corpus.encode_books(self.books, self.bpe)
        self.heldout_ids = corpus.encode_books(self.heldout, self.bpe)
        torch.manual_seed(recipe.seed)
        self.generator = torch.Generator().manual_seed(recipe.seed)
        self.model = GPT(recipe.model)
        self.optimizer = optim.adamw(
            self.model, recipe.lr, recipe.betas, recipe.weight_decay
        )
        self.step = 0
        self.commit = git_commit()  # now: the tree may move on while this runs

    def _tokenizer(self) -> BPE:
        folder = self.out / "state"
        if (folder / "vocab.bpe").exists():
            return BPE.load(folder)
        bpe = BPE.learn(self.books.values(), self.recipe.n_merges)
        bpe.save(folder)
        return bpe

    # ---- one step ------------------------------------------------------------

    def train_step(self) -> dict:
        """One update on one batch; returns what the log keeps of it."""
        r = self.recipe
        start = time.perf_counter()
        lr = r.lr * optim.warmup_cosine(self.step, r.warmup, r.steps)
        optim.set_lr(self.optimizer, lr)
        ids = corpus.random_windows(
            self.ids, r.model.n_ctx, r.batch, self.generator
        )  # (B, T)
        loss = objectives.lm_loss(self.model(ids), ids)
        if not torch.isfinite(loss):
            raise ValueError(f"the loss is {loss.item()} at step {self.step}")
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        norm = optim.clip_gradients(self.model, r.clip)
        self.optimizer.step()
        self.step += 1
        speed = ids.numel() / (time.perf_counter() - start)
        return {"step": self.step, "tokens": self.step * ids.numel(),
                "loss": round(loss.item(), 4), "lr": lr, "grad_norm": round(norm, 3),
                "tokens_per_s": round(speed)}  # fmt: skip

    # ---- saving and going on -------------------------------------------------

    def save_state(self) -> None:
        """Write all that the next step depends on, whole or not at all."""
        state = {
            "recipe": json.dumps(asdict(self.recipe)),
            "books": corpus.checksum(self.books),
            "step": self.step,
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "torch_rng": torch.get_rng_state(),
        }
        with files.replacing(self.out / "state" / "state.pt") as temporary:
            torch.save(state, temporary)

    def resume(self) -> bool:
        """Go on from the last saved step; False if there is none.

        Raises ValueError if the recipe or the books are no longer the same.
        """
        path = self.out / "state" / "state.pt"
        if not path.exists():
            return False
        state = torch.load(path, weights_only=True)
        if state["recipe"] != json.dumps(asdict(self.recipe)):
            raise ValueError(
                f"{path} was made with another recipe: {state['recipe']}; "
                "use it again, or another --out"
            )
        if state["books"] != corpus.checksum(self.books):
            raise ValueError(f"the books have changed since {path} was written")
        self.step = state["step"]
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        torch.set_rng_state(state["torch_rng"])
        return True

    # ---- the run -------------------------------------------------------------

    def run(self) -> None:
        """Train to the last step, then write the checkpoint."""
        log = self._open_log()
        bar = tqdm(total=self.recipe.steps, initial=self.step, unit="step")
        while self.step < self.recipe.steps:
            line = self.train_step()
            last = self.step == self.recipe.steps
            if self.step % self.recipe.evaluate_every == 0 or last:
                line["heldout"] = round(
                    heldout_nats(self.model, self.heldout_ids, 64), 4
                )
            if self.step % 10 == 0 or "heldout" in line or self.step == 1:
                log.append(line)
            if self.step % self.recipe.save_every == 0 or last:
                self._write_log(log)
                self.save_state()
            bar.set_postfix(loss=line["loss"], ppl=round(objectives.perplexity(
                min(line["loss"], 20))), tok_s=line["tokens_per_s"])  # fmt: skip
            bar.update()
        bar.close()
        self.finish()

    def _open_log(self) -> list[dict]:
        path = self.out / "log.jsonl"
        if not path.exists():
            return []
        lines = [json.loads(x) for x in path.read_text().splitlines()]
        return [line for line in lines if line["step"] <= self.step]

    def _write_log(self, log: list[dict]) -> None:
        files.write_text(
            self.out / "log.jsonl", "".join(json.dumps(x) + "\n" for x in log)
        )

    def finish(self) -> None:
        """Score every held-out book and write the checkpoint with its history."""
        scores = {}
        for name, text in self.heldout.items():
            ids = torch.tensor(self.bpe.encode(text))
            nats = heldout_nats(self.model, ids)
            bits = objectives.bits_per_character(nats * (len(ids) - 1), len(text))
            scores[name] = {"tokens": len(ids), "characters": len(text),
                            "nats_per_token": round(nats, 4),
                            "perplexity": round(objectives.perplexity(nats), 2),
                            "bits_per_character": round(bits, 4)}  # fmt: skip
        meta = {
            "command": shlex.join(["python", "-m", "gpt1lib.pretrain", *sys.argv[1:]]),
            "commit": self.commit,
            "torch": torch.__version__,
            "recipe": asdict(self.recipe),
            "books": sorted(self.books),
            "heldout_books": sorted(self.heldout),
            "books_sha256": corpus.checksum(self.books),
            "heldout_books_sha256": corpus.checksum(self.heldout),
            "training_tokens": len(self.ids),
            "heldout": scores,
        }
        checkpoint.save(self.out, self.model, self.bpe, meta)


def git_commit() -> str:
    """The commit of the working tree, or 'unknown' outside a repository."""
    command = ["git", "-C", str(ROOT), "rev-parse", "HEAD"]
    try:
        return subprocess.run(
            command, capture_output=True, text=True, check=True
        ).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m gpt1lib.pretrain",
        description="Pre-train a GPT-1 on books; start again to go on.",
    )
    parser.add_argument("--recipe", choices=RECIPES, default="tiny")
    parser.add_argument("--out", type=Path, required=True, help="checkpoint folder")
    parser.add_argument(
        "--books", type=Path, default=BOOKS, help="folder of .txt books"
    )
    parser.add_argument("--heldout", type=Path, default=HELDOUT_BOOKS)
    parser.add_argument("--steps", type=int, help="updates, instead of the recipe's")
    parser.add_argument("--seed", type=int, help="instead of the recipe's")
    args = parser.parse_args(argv)
    keep_memory()
    given = {k: v for k in ("steps", "seed") if (v := getattr(args, k)) is not None}
    recipe = replace(RECIPES[args.recipe], **given)
    if recipe.warmup > recipe.steps:  # a run cut short warms up over a tenth of it
        recipe = replace(recipe, warmup=recipe.steps // 10)
    run = Pretraining(recipe, args.out, args.books, args.heldout)
    if run.resume():
        tqdm.write(f"going on from step {run.step}")
    run.run()


if __name__ == "__main__":
    main()

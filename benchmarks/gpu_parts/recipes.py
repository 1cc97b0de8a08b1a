"""Whole recipes for the novelist, all at once: does it learn to copy, and does that help?

Each trial has the shipped model's shape and reads 2,048 tokens per update, as on two cores.
Recipes are chosen on ends of the training books that no trial reads; the held-out books are
scored too, and nothing is chosen by them. A trial that is said to repeat itself mixes windows
in which something is said twice among the books' (`repeats`). See `gpt1lib.induction` for what
copying is.
"""

import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from time import perf_counter as now

import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

from gpt1lib import (
    GPT,
    NOVELIST,
    TINY,
    corpus,
    evaluate,
    induction,
    losses,
    metrics,
    optim,
    pretrain,
)
from gpt1lib.baselines.variants import Sinusoids
from gpt1lib.bpe import BPE
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS, NOVELIST_DIR
from gpt1lib.pretrain.init import init_from_counts
from gpt1lib.rng import eval_mode, fork_rng

from . import repeats
from .measure import Machine, Report
from .together import Rates, Together, Training

TOKENS = 8 * 256  # per update
MOST_UPDATES = 24_000  # 49 million tokens: five to six hours on two cores
OVERHEAD = 0.3  # share of the minutes that goes to making data, recording and scores
SCORED = 12  # times in a run
FIRST = (16, 32, 128)  # windows of the phase before any book, a third of it each


@dataclass(frozen=True)
class Trial:
    """One recipe. shares of windows that repeat fall from `share` to 0 at `until` of the run.

    short: (share of the run, tokens per window), one after the other; the rest has 256.
    """

    name: str
    seed: int = 0
    shape: tuple[int, int, int] | None = None  # width, blocks, heads; None: the shipped one's
    updates: float = 1.0  # share of all updates
    dropout: float = 0.1
    lr: float = 2e-3
    matrix_lr: float = 2e-3
    weight_decay: float = 0.1
    warmdown: float = 0.6
    short: tuple[tuple[float, int], ...] = ((0.6, 128),)
    sines: bool = False
    counts: float = 0.0
    first: int = 0  # updates of repeats before any book
    lr_after: float = 1.0  # factor after that phase
    share: float = 0.0
    kind: str = "text"
    until: float = 0.0  # 0: the share does not fall
    keep: bool = False  # the weights, in --out


COUNTS = {"counts": 1.0}
FIRST_REPEATS = {"counts": 1.0, "first": 800, "lr": 4e-3, "matrix_lr": 4e-3, "lr_after": 0.5}
FALLING = {"until": 0.7}
TRIALS = (
    Trial("random embeddings"),
    Trial("word vectors", keep=True, **COUNTS),
    Trial("word vectors, seed 1", seed=1, **COUNTS),
    Trial("first repeats", **FIRST_REPEATS),
    Trial("first repeats, 2% random to the end", share=0.02, kind="random", **FIRST_REPEATS),
    Trial("first repeats, 5% random falling to 0", share=0.05, kind="random", keep=True,
          **FALLING, **FIRST_REPEATS),
    Trial("first repeats, 10% passages falling to 0", share=0.1, keep=True,
          **FALLING, **FIRST_REPEATS),
    Trial("sines, first repeats, 10% passages falling to 0", share=0.1, sines=True,
          **FALLING, **FIRST_REPEATS),
)  # fmt: skip
TINY_TRIALS = (
    Trial("base", short=((0.5, 8),), counts=0.1),
    Trial("copies", first=6, share=0.5, until=0.5, sines=True, short=(), keep=True),
    Trial("Adam", updates=0.5, short=(), lr=1e-3, matrix_lr=0.0),
)


# ---- data ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Texts:
    """Ids to train on and to score on, and the characters of what is scored."""

    n_vocab: int
    ids: np.ndarray  # (N,) of the first 96% of each book
    scored: dict[str, list[Tensor]]  # `ends` of the books, and `heldout` ones
    characters: dict[str, int]


def texts_of(machine: Machine) -> Texts:
    """The first 96% of the books, and 16,000 characters of the rest of each."""
    bpe = BPE.load(NOVELIST_DIR)
    books, heldout = corpus.read_books(BOOKS), corpus.read_books(HELDOUT_BOOKS)
    if machine.tiny:
        books = {k: v[:40_000] for k, v in list(books.items())[:1]}
        heldout = {k: v[:3000] for k, v in heldout.items()}
    n = machine.size(16_000, 1000)
    cuts = {k: int(len(v) * 0.96) for k, v in books.items()}
    ends = {k: v[cuts[k] : cuts[k] + n] for k, v in books.items()}
    ids = corpus.encode_books({k: v[: cuts[k]] for k, v in books.items()}, bpe)
    scored = {"ends": ends, "heldout": heldout}
    return Texts(
        bpe.n_vocab,
        ids.numpy(),
        {k: [torch.tensor(bpe.encode(t)) for t in v.values()] for k, v in scored.items()},
        {k: sum(map(len, v.values())) for k, v in scored.items()},
    )


# ---- a trial -------------------------------------------------------------------------


def phases(trial: Trial, updates: int, n_ctx: int) -> list[tuple[int, int, bool]]:
    """(updates, tokens per window, whether all of it repeats), one after the other."""
    found, begun = [], 0
    for length in FIRST if trial.first else ():
        found.append((trial.first // len(FIRST), min(length, n_ctx), True))
    for share, length in (*trial.short, (1.0, n_ctx)):
        end = round(share * updates)
        if end > begun:
            found.append((end - begun, min(length, n_ctx), False))
        begun = max(begun, end)
    return found


def rates_of(trial: Trial, n_first: int, updates: int) -> Rates:
    """The schedules of a trial: of its first phase, then of the books."""
    warmup, down = max(1, updates // 40), trial.warmdown
    after = [optim.warmup_flat(i, warmup, updates, down) for i in range(updates)]
    if n_first:  # the rates are up already
        after[:warmup] = [1.0] * warmup
    before = [min(1.0, (i + 1) / 100) for i in range(n_first)]
    factors = np.array(before + [trial.lr_after * x for x in after])
    return Rates(trial.lr, trial.matrix_lr, (0.9, 0.99), 0.95, trial.weight_decay, factors)


def fresh(trial: Trial, texts: Texts, machine: Machine) -> GPT:
    """The trial's model before its first update."""
    sizes = machine.size(NOVELIST, replace(TINY, n_ctx=16))
    if trial.shape and not machine.tiny:
        names = ("n_embd", "n_layer", "n_head")
        sizes = replace(sizes, **dict(zip(names, trial.shape, strict=True)))
    config = replace(sizes, n_vocab=texts.n_vocab, dropout=trial.dropout)
    with fork_rng(trial.seed):
        model = GPT(config)
    pretrain.scale_blocks(model, 0.04)
    if trial.counts:
        init_from_counts(model, texts.ids, trial.counts, trial.seed)
    if trial.sines:
        with torch.no_grad():
            table = Sinusoids(config.n_ctx, config.n_embd).table
            model.positions.weight.copy_(table / math.sqrt(config.n_embd / 2))  # of length 1
    return model.to(machine.device)


class Run:
    """A trial under way: its training, its phases, its scores. teachers: see `Training`."""

    def __init__(
        self,
        trial: Trial,
        texts: Texts,
        machine: Machine,
        total: int,
        teachers: Sequence[GPT] = (),
    ):
        self.trial, self.texts, self.machine = trial, texts, machine
        self.updates = max(2, round(trial.updates * total))
        model = fresh(trial, texts, machine)
        self.n_ctx, self.tokens = model.config.n_ctx, machine.size(TOKENS, 64)
        self.phases = phases(trial, self.updates, self.n_ctx)
        n_first = sum(n for n, _, repeated in self.phases if repeated)
        self.training = Training(model, rates_of(trial, n_first, self.updates), teachers)
        self.n_first, self.curve, self.step, self.windows_read = n_first, [], 0, 0

    @property
    def ends(self) -> list[int]:
        """The updates at which a phase ends."""
        return np.cumsum([n for n, *_ in self.phases]).tolist()

    def windows(self, begin: int, end: int) -> tuple[np.ndarray, bool]:
        """Windows of the updates begin to end, in one phase, and whether tokens are frozen."""
        i = int(np.searchsorted(self.ends, begin, side="right"))
        _, length, repeated = self.phases[i]
        n, trial, vocab = end - begin, self.trial, self.texts.n_vocab
        if repeated:
            return repeats.first_phase(n, self.tokens, length, vocab, trial.seed), True
        count, offset = n * (self.tokens // length), trial.seed / 7
        even = corpus.even_windows(self.texts.ids, length, count, self.windows_read, offset)
        made = even.numpy().reshape(n, -1, length)
        self.windows_read += count
        if trial.share:
            progress = (np.arange(begin, end) - self.n_first) / self.updates
            fall = np.clip(1 - progress / trial.until, 0, 1) if trial.until else 1.0
            shares = trial.share * fall * np.ones(n)
            made = repeats.mixed_in(made, shares, trial.kind, vocab, trial.seed + begin)
        return made, False

    def score(self) -> None:
        """One line of the curve."""
        since = self.curve[-1]["update"] if self.curve else 0
        loss = self.training.losses[since : self.step].mean().item()
        line = {"update": self.step, "training_loss": round(loss, 4)}
        self.curve.append(line | scores(self.training.model, self.texts, ["ends"]))

    def result(self) -> dict:
        """What is kept of a finished trial: of its weights and of their mean."""
        model, names = self.training.model, list(self.texts.scored)
        return {
            "recipe": asdict(self.trial),
            "updates": self.step,
            "tokens": self.step * self.tokens,
            "parameters": sum(p.numel() for p in model.parameters()),
            "training_loss": self.curve[-1]["training_loss"],
            **scores(model, self.texts, names),
            "mean_of_weights": scores(self.training.averaged(), self.texts, names),
            "nats_by_place": by_place(model, self.texts.scored["heldout"]),
            "curve": self.curve,
        }


# ---- scores --------------------------------------------------------------------------


@torch.no_grad()
def log_probs(model: GPT, text: list[Tensor]):
    """Of the targets of windows in order, all of one length at a time: (n, T - 1)."""
    sizes: dict[int, list[Tensor]] = {}
    for ids in text:
        for window in corpus.windows_in_order(ids, model.config.n_ctx):
            sizes.setdefault(len(window), []).append(window)
    with eval_mode(model):
        for windows in sizes.values():
            for part in torch.stack(windows).to(model.device).split(256):
                yield losses.token_log_probs(model(part), part)


def bits(model: GPT, texts: Texts, name: str) -> float:
    """Bits per character of the texts of that name, as `evaluate.all_books` counts them."""
    nats = -sum(x.double().sum() for x in log_probs(model, texts.scored[name])).item()
    return round(losses.bits_per_character(nats, texts.characters[name]), 4)


def scores(model: GPT, texts: Texts, names: list[str]) -> dict:
    """Bits per character, the loss of what is said twice, and the heads that copy."""
    copies = induction.measures(model, n_spans=32)
    return {f"bits_{x}": bits(model, texts, x) for x in names} | metrics.rounded(copies, 3)


def by_place(model: GPT, text: list[Tensor]) -> dict[str, float]:
    """Nats per token by the place of the target in its window, whole windows only."""
    whole = [x for x in log_probs(model, text) if x.shape[1] == model.config.n_ctx - 1]
    return metrics.rounded(evaluate.nats_by_position(-torch.cat(whole), first=16))


# ---- the part ------------------------------------------------------------------------


def boundaries(runs: list[Run]) -> list[int]:
    """Updates at which a run changes its windows, is scored, or ends."""
    longest = max(run.ends[-1] for run in runs)
    marks = {round(longest * i / SCORED) for i in range(1, SCORED + 1)}
    marks |= {end for run in runs for end in run.ends}
    return sorted({0, *marks})


def keep_weights(run: Run) -> None:
    """Write a model, 16 bits a number, to be looked into elsewhere."""
    name = re.sub(r"\W+", "_", run.trial.name)
    path = run.machine.out / "recipes" / f"{name}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({k: v.half().cpu() for k, v in run.training.model.state_dict().items()}, path)


def train_all(runs: list[Run], report: Report, table: str) -> None:
    """All updates of all runs; a run that is over is scored and reported."""
    end = max(run.ends[-1] for run in runs)
    every = end / SCORED
    for begin, stop in pairwise(boundaries(runs)):
        going = [run for run in runs if begin < run.ends[-1]]
        for run in going:
            run.training.read(*run.windows(begin, stop))
        Together([run.training for run in going]).updates(stop - begin)
        for run in going:
            run.step = stop
            over = stop == run.ends[-1]
            if over or stop // every != begin // every or run.n_first == stop:
                run.score()
            if over and run.trial.keep:
                keep_weights(run)
            if over:
                report.add(table, {"trial": run.trial.name, **run.result()})


def updates_in(machine: Machine, texts: Texts, trials: Sequence[Trial], report: Report) -> int:
    """How many updates of the longest of these trials fit into the minutes."""
    if machine.tiny:
        return 24
    runs = [Run(t, texts, machine, 2400) for t in trials]
    n, end = 40, max(run.phases[0][0] for run in runs)
    for run in runs:
        run.phases = [(end, run.n_ctx, False)]
        run.training.read(*run.windows(0, n))
    times: list[float] = []
    Together([run.training for run in runs]).updates(n, lambda: times.append(now()))
    machine.wait()
    begin, took = times[n // 4], now() - times[n // 4]
    each = took / (n - n // 4 - 1)
    report.keep(seconds_per_update=each, first_updates=begin - times[0])
    seconds = 60 * machine.minutes * (1 - OVERHEAD) / share_of_work(runs)
    return min(MOST_UPDATES, int(seconds / each))


def share_of_work(runs: list[Run]) -> float:
    """What runs of these lengths need, of what they would need if all were the longest."""
    sizes = [sum(p.numel() for p in run.training.params) for run in runs]
    needed = sum(n * run.trial.updates for n, run in zip(sizes, runs, strict=True))
    return needed / sum(sizes)


@contextmanager
def in_tf32(machine: Machine) -> Iterator[None]:
    """Multiply matrices as trainings on a GPU do."""
    torch.set_float32_matmul_precision("high")
    machine.settle()
    try:
        yield
    finally:
        torch.set_float32_matmul_precision("highest")


def measure(machine: Machine, report: Report) -> None:
    """Every trial, at the same time."""
    measure_trials(machine, report, machine.size(TRIALS, TINY_TRIALS), MOST_UPDATES)


def measure_trials(
    machine: Machine, report: Report, trials: Sequence[Trial], most_updates: int
) -> None:
    """These trials, at the same time."""
    with in_tf32(machine):
        texts = texts_of(machine)
        updates = min(most_updates, updates_in(machine, texts, trials, report))
        train_all([Run(t, texts, machine, updates) for t in trials], report, "recipes")
        report.keep(peak_memory_gb=machine.peak_memory_gb())

"""Whole recipes for the novelist, all at once: does it learn to copy, and does that help?

Each trial has the shipped model's shape and reads 2,048 tokens per update, as on two cores.
Recipes are chosen on ends of the training books that no trial reads; the held-out books are
scored too, and nothing is chosen by them. A trial that is said to repeat itself mixes windows
in which something is said twice among the books' (`repeats`). See `gpt1course.induction` for
what copying is.
"""

import math
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from itertools import pairwise
from time import perf_counter as now

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import save_file
from torch import Tensor

from gpt1course import induction
from gpt1lib import GPT, NOVELIST, TINY, corpus, losses, optim, pretrain
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
BINS = (1, 16, 32, 64, 128, 256)  # places in the window, for the loss by place


@dataclass(frozen=True)
class Trial:
    """One recipe. shares of windows that repeat fall from `share` to 0 at `until` of the run.

    short: (share of the run, tokens per window), one after the other; the rest has 256.
    """

    name: str
    seed: int = 0
    updates: float = 1.0  # share of all updates
    dropout: float = 0.1
    lr: float = 2e-3
    matrix_lr: float = 2e-3
    weight_decay: float = 0.1
    rising_decay: bool = False
    warmdown: float = 0.6
    cosine: bool = False
    short: tuple[tuple[float, int], ...] = ((0.6, 128),)
    sines: bool = False
    counts: float = 0.0
    first: int = 0  # updates of repeats before any book
    frozen: bool = True  # the token embeddings, in that phase
    lr_after: float = 1.0  # factor after that phase
    share: float = 0.0
    kind: str = "text"
    until: float = 0.0  # 0: the share does not fall
    all_books: bool = False
    teachers: tuple[str, ...] = field(default=())
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
    Trial("copies", first=6, share=0.5, until=0.5, sines=True, weight_decay=1.0, short=(),
          rising_decay=True),
    Trial("Adam", updates=0.5, cosine=True, all_books=True, short=(), teachers=("base",),
          lr=1e-3, matrix_lr=0.0),
)  # fmt: skip


# ---- data ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Texts:
    """Ids to train on and to score on, and the characters of what is scored."""

    n_vocab: int
    whole: np.ndarray  # (N,) of all the books
    parts: np.ndarray  # (M,) of their first 96%
    scored: dict[str, list[Tensor]]  # `ends` of the books, and `heldout` ones
    characters: dict[str, int]


def texts_of(machine: Machine) -> Texts:
    """The books, and their ends of 16,000 characters, which only `whole` holds."""
    bpe = BPE.load(NOVELIST_DIR)
    books, heldout = corpus.read_books(BOOKS), corpus.read_books(HELDOUT_BOOKS)
    if machine.tiny:
        books = {k: v[:40_000] for k, v in list(books.items())[:1]}
        heldout = {k: v[:3000] for k, v in heldout.items()}
    n = machine.size(16_000, 1000)
    cuts = {k: int(len(v) * 0.96) for k, v in books.items()}
    ends = {k: v[cuts[k] : cuts[k] + n] for k, v in books.items()}
    parts = corpus.encode_books({k: v[: cuts[k]] for k, v in books.items()}, bpe)
    scored = {"ends": ends, "heldout": heldout}
    return Texts(
        bpe.n_vocab,
        corpus.encode_books(books, bpe).numpy().astype(np.int32),
        parts.numpy().astype(np.int32),
        {k: [torch.tensor(bpe.encode(t)) for t in v.values()] for k, v in scored.items()},
        {k: sum(map(len, v.values())) for k, v in scored.items()},
    )


def starts_of(n: int, n_windows: int, before: int, offset: float) -> np.ndarray:
    """`corpus.even_windows`: where windows start that cover n places evenly."""
    k = np.arange(before, before + n_windows, dtype=np.float64)
    return ((offset + k * corpus.GOLDEN_RATIO) % 1 * n).astype(np.int64)


def windows_of(ids: np.ndarray, n: int, length: int, tokens: int, before: int, seed: int):
    """Windows of n updates (n, B, T), after `before` windows."""
    B = tokens // length
    starts = starts_of(len(ids) - length + 1, n * B, before, seed / 7)
    return ids[starts[:, None] + np.arange(length)].reshape(n, B, length)


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
    warmup = max(1, updates // 40)
    steps = range(updates)
    if trial.cosine:
        after = [optim.warmup_cosine(i, warmup, updates) for i in steps]
    else:
        after = [optim.warmup_flat(i, warmup, updates, trial.warmdown) for i in steps]
    if n_first:  # the rates are up already
        after[:warmup] = [1.0] * warmup
    before = [min(1.0, (i + 1) / 100) for i in range(n_first)]
    factors = np.array(before + [trial.lr_after * x for x in after])
    rising = np.linspace(0, 2, updates) if trial.rising_decay else np.ones(updates)
    decays = np.concatenate([np.full(n_first, 0.1 / max(trial.weight_decay, 0.1)), rising])
    momentum = 0.95
    return Rates(
        trial.lr, trial.matrix_lr, (0.9, 0.99), momentum, trial.weight_decay, factors, decays
    )


def waves(n_ctx: int, n_embd: int) -> Tensor:
    """Positions of sines and cosines (Vaswani et al. 2017), each row of length 1."""
    t, i = torch.arange(n_ctx)[:, None], torch.arange(n_embd // 2)
    angle = t / 10_000 ** (2 * i / n_embd)
    return torch.cat([angle.sin(), angle.cos()], dim=1) / math.sqrt(n_embd / 2)


def fresh(trial: Trial, texts: Texts, machine: Machine) -> GPT:
    """The trial's model before its first update."""
    sizes = machine.size(NOVELIST, replace(TINY, n_ctx=16))
    config = replace(sizes, n_vocab=texts.n_vocab, dropout=trial.dropout)
    with fork_rng(trial.seed):
        model = GPT(config)
    pretrain.scale_blocks(model, 0.04)
    if trial.counts:
        init_from_counts(model, texts.parts, trial.counts, trial.seed)
    if trial.sines:
        with torch.no_grad():
            model.positions.weight.copy_(waves(config.n_ctx, config.n_embd))
    return model.to(machine.device)


def loss_of(teachers: list[GPT]):
    """The mean loss of the targets; with teachers, half of it by their mean probabilities."""

    def plain(model: GPT, ids: Tensor) -> Tensor:
        logits = model.logits(model.hidden(ids)[:, :-1])
        return F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())

    def taught(model: GPT, ids: Tensor) -> Tensor:
        logits = model.logits(model.hidden(ids)[:, :-1]).flatten(0, 1)
        with torch.no_grad():
            said = [t.logits(t.hidden(ids)[:, :-1]).flatten(0, 1) for t in teachers]
            goal = torch.stack([x.softmax(-1) for x in said]).mean(0)
        soft = -(goal * logits.log_softmax(-1)).sum(-1).mean()
        return 0.5 * F.cross_entropy(logits, ids[:, 1:].flatten()) + 0.5 * soft

    return taught if teachers else plain


class Run:
    """A trial under way: its training, its phases, its scores."""

    def __init__(
        self, trial: Trial, texts: Texts, machine: Machine, total: int, done: dict[str, "Run"]
    ):
        self.trial, self.texts, self.machine = trial, texts, machine
        self.updates = max(2, round(trial.updates * total))
        model = fresh(trial, texts, machine)
        self.n_ctx, self.tokens = model.config.n_ctx, machine.size(TOKENS, 64)
        self.phases = phases(trial, self.updates, self.n_ctx)
        n_first = sum(n for n, _, repeated in self.phases if repeated)
        teachers = [done[name].training.averaged() for name in trial.teachers]
        rates = rates_of(trial, n_first, self.updates)
        self.training = Training(model, rates, loss_of(teachers))
        self.n_first, self.curve, self.step, self.windows_read = n_first, [], 0, 0

    @property
    def ends(self) -> list[int]:
        """The updates at which a phase ends."""
        return np.cumsum([n for n, *_ in self.phases]).tolist()

    def windows(self, begin: int, end: int) -> tuple[np.ndarray, bool]:
        """Windows of the updates begin to end, within one phase, and whether all repeats."""
        i = int(np.searchsorted(self.ends, begin, side="right"))
        _, length, repeated = self.phases[i]
        n, trial, vocab = end - begin, self.trial, self.texts.n_vocab
        if repeated:
            made = repeats.first_phase(n, self.tokens, length, vocab, trial.seed)
            return made, trial.frozen
        ids = self.texts.whole if trial.all_books else self.texts.parts
        made = windows_of(ids, n, length, self.tokens, self.windows_read, trial.seed)
        self.windows_read += n * (self.tokens // length)
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
        model, mean, names = (
            self.training.model,
            self.training.averaged(),
            list(self.texts.scored),
        )
        return {
            "recipe": asdict(self.trial),
            "updates": self.step,
            "tokens": self.step * self.tokens,
            "training_loss": self.curve[-1]["training_loss"],
            **scores(model, self.texts, names),
            "mean_of_weights": scores(mean, self.texts, names),
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


@cache
def repeated_tokens(n_vocab: int, length: int, device: torch.device) -> Tensor:
    """Rows of random tokens said twice, the same for all."""
    return induction.repeated_spans(n_vocab, 32, length).to(device)


def scores(model: GPT, texts: Texts, names: list[str]) -> dict:
    """Bits per character, the loss of what is said twice, and the heads that copy."""
    ids = repeated_tokens(texts.n_vocab, model.config.n_ctx // 8, model.device)
    copied = induction.copying(model, ids)
    weights = induction.mean_weights(model, ids[:8])
    return {
        **{f"bits_{name}": bits(model, texts, name) for name in names},
        "first_time": round(copied.first, 3),
        "second_time": round(copied.second, 3),
        "prefix_matching": round(induction.prefix_matching_scores(weights).max().item(), 3),
        "previous_token": round(induction.previous_token_scores(weights).max().item(), 3),
    }


def by_place(model: GPT, text: list[Tensor]) -> dict[str, float]:
    """Nats per token by the place of the target in its window, whole windows only."""
    n = model.config.n_ctx
    found = [x for x in log_probs(model, text) if x.shape[1] == n - 1]
    nats = -torch.cat(found).mean(0) if found else torch.zeros(0)
    bins = [b for b in pairwise(BINS) if b[0] < n]
    return {
        f"{a} to {min(b, n) - 1}": round(nats[a - 1 : b - 1].mean().item(), 4) for a, b in bins
    }


# ---- the part ------------------------------------------------------------------------


def boundaries(runs: list[Run]) -> list[int]:
    """Updates at which a run changes its windows, is scored, or ends."""
    longest = max(run.ends[-1] for run in runs)
    marks = {round(longest * i / SCORED) for i in range(1, SCORED + 1)}
    marks |= {end for run in runs for end in run.ends}
    return sorted({0, *marks})


def keep_weights(run: Run) -> None:
    """Write a model, 16 bits a number, to be looked into elsewhere."""
    path = run.machine.out / "recipes" / f"{run.trial.name.replace(' ', '_')}.safetensors"
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
        how = Together([run.training for run in going]).updates(stop - begin)
        for run in going:
            run.step = stop
            over = stop == run.ends[-1]
            if over or stop // every != begin // every or run.n_first == stop:
                run.score()
            if over and run.trial.keep:
                keep_weights(run)
            if over:
                report.add(table, {"trial": run.trial.name, "how": how, **run.result()})


def updates_in(machine: Machine, texts: Texts, trials: list[Trial], report: Report) -> int:
    """How many updates of these trials fit into the minutes."""
    if machine.tiny:
        return 24
    alone = [t for t in trials if not t.teachers]
    runs = [Run(t, texts, machine, 2400, {}) for t in alone]
    n, end = 40, max(run.phases[0][0] for run in runs)
    for run in runs:
        run.phases = [(end, run.n_ctx, False)]
        run.training.read(*run.windows(0, n))
    times: list[float] = []
    how = Together([run.training for run in runs]).updates(n, lambda: times.append(now()))
    machine.wait()
    begin, took = times[n // 4], now() - times[n // 4]
    each = took / (n - n // 4 - 1)
    report.keep(how=how, seconds_per_update=each, first_updates=begin - times[0])
    return min(MOST_UPDATES, int(60 * machine.minutes * (1 - OVERHEAD) / each))


def measure(machine: Machine, report: Report) -> None:
    """Every trial, at the same time."""
    torch.set_float32_matmul_precision("high")
    machine.settle()
    try:
        texts, done = texts_of(machine), {}
        trials = machine.size(TRIALS, TINY_TRIALS)
        updates = updates_in(machine, texts, trials, report)
        for waiting in (False, True):
            wave = [t for t in trials if bool(t.teachers) == waiting]
            if wave:
                runs = [Run(t, texts, machine, updates, done) for t in wave]
                train_all(runs, report, "recipes")
                done |= {run.trial.name: run for run in runs}
        report.keep(peak_memory_gb=machine.peak_memory_gb())
    finally:
        torch.set_float32_matmul_precision("highest")

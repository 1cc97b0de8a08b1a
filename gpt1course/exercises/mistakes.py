"""Twelve classic mistakes, each one part of a GPT-1 that can be exchanged.

`Parts` holds the twelve right parts, and `nats` reads a text with them. A `Bug` is one part
done wrong: what it does to a number (its symptom), and the test that sees it.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import cast

import torch
import torch.nn.functional as F
from torch import Tensor

import gpt1lib as g

# ---- the right parts, and below each the way it goes wrong ----------------------------


def who_sees_whom(T):
    """(T, T): True where a place may look, at itself and to the left."""
    return torch.ones(T, T, dtype=torch.bool).tril()


def mask_off_by_one(T):
    """Wrong: one place too far to the right."""
    return torch.ones(T, T, dtype=torch.bool).tril(diagonal=1)


def over_keys(scores):
    """Weights of each query; its keys stand in the last axis."""
    return scores.softmax(dim=-1)


def over_queries(scores):
    """Wrong: the axis of the queries."""
    return scores.softmax(dim=-2)


def root_of_size(D):
    """What scores are multiplied by."""
    return D**-0.5


def no_scale(D):
    """Wrong: nothing is divided."""
    return 1.0


def normalized(x):
    """LayerNorm before its gain and bias."""
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + 1e-5).sqrt()


def eps_beside_the_root(x):
    """Wrong: eps is added to the root."""
    variance = x.var(dim=-1, correction=0, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance.sqrt() + 1e-5)


def variance_by_c_minus_1(x):
    """Wrong: torch's own var, without correction=0."""
    variance = x.var(dim=-1, correction=1, keepdim=True)
    return (x - x.mean(dim=-1, keepdim=True)) / (variance + 1e-5).sqrt()


def norm_after_the_sum(x, attend, think, ln_1, ln_2):
    """One block of GPT-1."""
    n = ln_1(x + attend(x))
    return ln_2(n + think(n))


def norm_before_the_branch(x, attend, think, ln_1, ln_2):
    """Wrong here: a block of GPT-2."""
    n = x + attend(ln_1(x))
    return n + think(ln_2(n))


def same_matrix(model):
    """(V, C): what states are compared with, row by row."""
    return model.tokens.weight


def matrix_of_its_own(model):
    """Wrong: a second table, as random as a fresh one."""
    fresh = torch.Generator().manual_seed(0)
    return 0.02 * torch.randn(model.tokens.weight.shape, generator=fresh)


def every_row_there_is(model):
    """Wrong: positions as if they were tokens."""
    return torch.cat([model.tokens.weight, model.positions.weight])


def next_token(logits, ids):
    """Which row of logits is held against which id."""
    return logits[:-1], ids[1:]


def same_token(logits, ids):
    """Wrong: each place is asked for what it has read."""
    return logits, ids


def mean_of_real(losses, real):
    """The loss of a padded text. real: 1 for a token, 0 for padding."""
    return (losses * real).sum() / real.sum()


def mean_of_all(losses, real):
    """Wrong: padding counts as text."""
    return losses.mean()


def nothing_dropped(h):
    """Dropout while a model is used."""
    return h


def dropout_left_on(h):
    """Wrong: as if the model were in training."""
    return F.dropout(h, 0.1, training=True)


def up_to_the_crossing(probs, p):
    """Top-p of sorted probabilities (V,): what stays."""
    return probs.cumsum(0) - probs < p


def short_of_the_crossing(probs, p):
    """Wrong: the token that crosses p goes."""
    return probs.cumsum(0) <= p


# ---- a GPT-1 of exchangeable parts ----------------------------------------------------


@dataclass(frozen=True)
class Parts:
    """The parts that a mistake may hide in."""

    mask: Callable = who_sees_whom
    weights: Callable = over_keys
    scale: Callable = root_of_size
    norm: Callable = normalized
    order: Callable = norm_after_the_sum
    output: Callable = same_matrix
    pair: Callable = next_token
    average: Callable = mean_of_real
    drop: Callable = nothing_dropped
    nucleus: Callable = up_to_the_crossing


RIGHT = Parts()


def attended(x: Tensor, attention, parts: Parts) -> Tensor:
    """Self-attention of states x (T, C), by these parts."""
    q, k, v = (t[0] for t in attention.split_heads(x[None]))  # (H, T, D)
    scores = q @ k.transpose(-1, -2) * parts.scale(q.shape[-1])
    weights = parts.weights(scores.masked_fill(~parts.mask(len(x)), -1e9))
    return parts.drop(attention.project((weights @ v).transpose(0, 1).flatten(1)))


def read_by(model: g.GPT, ids: Tensor, parts: Parts) -> Tensor:
    """Logits (T, V) of ids (T,), by these parts; with the right ones those of the model."""

    def scaled(ln, x):
        return parts.norm(x) * ln.weight + ln.bias

    h = parts.drop(model.tokens.weight[ids] + model.positions.weight[: len(ids)])
    for block in model.blocks:
        norms = partial(scaled, block.ln_1), partial(scaled, block.ln_2)
        attend = partial(attended, attention=block.attention, parts=parts)
        h = parts.order(h, attend, block.mlp, *norms)
    return h @ parts.output(model).T


def loss_by(model: g.GPT, ids: Tensor, parts: Parts, padding: int = 0) -> Tensor:
    """Nats per token of ids (T,), by these parts, with padding (token 0) on its right."""
    padded = F.pad(ids, (0, padding))
    real = (torch.arange(len(padded)) < len(ids)).float()
    logits, targets = parts.pair(read_by(model, padded, parts), padded)
    losses = F.cross_entropy(logits, targets, reduction="none")
    return parts.average(losses, real[-len(losses) :])


# ---- what is measured -------------------------------------------------------------------


@lru_cache(maxsize=1)
def passage() -> tuple[g.GPT, Tensor]:
    """The novelist, and 64 tokens of a novel that it has never read."""
    novelist = g.load_novelist()
    novel = g.corpus.read_books(g.paths.HELDOUT_BOOKS)["austen_northanger_abbey"]
    ids = torch.tensor(novelist.bpe.encode(novel[9000:9500])[:64])
    return cast(g.GPT, novelist.model), ids


@lru_cache
@torch.no_grad()
def nats(parts: Parts, padding: int = 0) -> float:
    """Nats per token of the passage."""
    with g.rng.fork_rng(0):
        return loss_by(*passage(), parts, padding).item()


@torch.no_grad()
def moved(parts: Parts) -> float:
    """The largest change of a logit that the parts make."""
    model, ids = passage()
    return (read_by(model, ids, parts) - read_by(model, ids, RIGHT)).abs().max().item()


@lru_cache
def thrown(parts: Parts) -> float:
    """Nats per throw of a small model that was shown 200 rows of throws of an eight-sided die.

    Nobody can guess a throw: the best that is possible is ln 8 = 2.079.
    """
    model, throws = small(n_vocab=8, n_ctx=16), torch.Generator().manual_seed(1)
    # at twice the rate a last digit lost in rounding grows until it moves the first ones
    adam, losses = torch.optim.Adam(model.parameters(), lr=0.01), []
    for _ in range(200):
        loss = loss_by(model, torch.randint(8, (16,), generator=throws), parts)
        adam.zero_grad()
        loss.backward()
        adam.step()
        losses.append(loss.item())
    return round(sum(losses[-10:]) / 10, 3)  # the rest differs from processor to processor


def small(n_vocab: int = 27, n_ctx: int = 8) -> g.GPT:
    """A fresh model of one block and 16 numbers per token."""
    sizes = {"n_layer": 1, "n_head": 1, "n_embd": 16, "dropout": 0.0}
    with g.rng.fork_rng(0):
        model = g.GPT(g.GPTConfig(n_vocab=n_vocab, n_ctx=n_ctx, **sizes))
    g.pretrain.scale_blocks(model, 0.2)
    return model


def mass_kept(parts: Parts) -> float:
    """What top-p 0.6 keeps of 0.5, 0.3, 0.15, 0.05."""
    probs = torch.tensor([0.5, 0.3, 0.15, 0.05])
    return probs[parts.nucleus(probs, 0.6)].sum().item()


# ---- the tests: True for right parts ----------------------------------------------------


@torch.no_grad()
def later_tokens_change_nothing(parts: Parts) -> bool:
    """Another last token, and all rows but the last stay as they were."""
    model, ids = small(), torch.arange(8)
    rows = []
    for last in (7, 20):
        with g.rng.fork_rng(0):
            read = read_by(model, torch.cat([ids[:-1], torch.tensor([last])]), parts)
        rows.append(read[:-1])
    return torch.allclose(rows[0], rows[1], atol=1e-6)


def weights_sum_to_1(parts: Parts) -> bool:
    """Each query has one whole weight to give away."""
    scores = torch.randn(2, 5, 5, generator=torch.Generator().manual_seed(0))
    return torch.allclose(parts.weights(scores).sum(dim=-1), torch.ones(2, 5))


def scores_spread_by_1(parts: Parts) -> bool:
    """Of numbers that spread by 1, whatever the size of the head."""
    q, k = torch.randn(2, 200, 64, generator=torch.Generator().manual_seed(0))
    return 0.9 < (q @ k.T * parts.scale(64)).std().item() < 1.1


def a_flat_row_stays_small(parts: Parts) -> bool:
    """eps stands under the root, so it tames a row that hardly varies."""
    return parts.norm(torch.tensor([0.0, 1e-3])).abs().max().item() < 0.5


def one_to_four(parts: Parts) -> bool:
    """LayerNorm of 1 2 3 4, by hand."""
    last = parts.norm(torch.arange(1.0, 5))[-1].item()
    return abs(last - 1.341636) < 1e-5


@torch.no_grad()
def rows_leave_normalized(parts: Parts) -> bool:
    """A fresh block gives rows with a mean of 0: the last thing in it is a LayerNorm."""
    block, x = small().blocks[0], torch.randn(8, 16)
    h = parts.order(x, lambda y: y + 1, block.mlp, block.ln_1, block.ln_2)
    return bool(h.mean(dim=-1).abs().max() < 1e-4)


def unread_rows_learn(parts: Parts) -> bool:
    """A tied table learns from every output, so also rows of tokens that no text has."""
    model = small()
    F.cross_entropy(read_by(model, torch.arange(8), parts), torch.arange(8)).backward()
    gradient = model.tokens.weight.grad
    return gradient is not None and bool(gradient[20].abs().sum() > 0)


def only_words_are_possible(parts: Parts) -> bool:
    """As many logits as there are tokens."""
    return parts.output(small()).shape[0] == 27


def padding_changes_nothing(parts: Parts) -> bool:
    """The same loss with padding and without."""
    return abs(nats(parts, padding=32) - nats(parts)) < 1e-4


def a_fortune_teller_loses_nothing(parts: Parts) -> bool:
    """Logits that are sure of the token that comes next have a loss of 0."""
    ids = torch.arange(6)
    logits, targets = parts.pair(30.0 * F.one_hot(ids + 1, 7).float(), ids)
    return F.cross_entropy(logits, targets).item() < 1e-3


def twice_the_same(parts: Parts) -> bool:
    """One text, read twice, has one loss."""
    x = torch.ones(100)
    return torch.equal(parts.drop(x), parts.drop(x))


def enough_is_kept(parts: Parts) -> bool:
    """Top-p keeps at least p."""
    probs = torch.tensor([0.5, 0.3, 0.15, 0.05])
    return all(probs[parts.nucleus(probs, p)].sum() >= p for p in (0.3, 0.6, 0.9))


# ---- the twelve ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Bug:
    """One mistake. symptom: parts -> a number; test: parts -> whether all is well."""

    name: str
    part: str  # of Parts
    wrong: Callable
    test: Callable[[Parts], bool]
    lesson: str  # where it is taught
    symptom: Callable[[Parts], float] = nats
    unit: str = "nats per token of a novel"
    planted: Parts = field(init=False)

    def __post_init__(self):
        object.__setattr__(self, "planted", replace(RIGHT, **{self.part: self.wrong}))

    def show(self) -> None:
        """Print the wrong part under the right one, the symptom, and what the test says."""
        for function in (getattr(RIGHT, self.part), self.wrong):
            print(inspect.getsource(function).rstrip(), end="\n\n")
        right, wrong = (round(self.symptom(p), 4) for p in (RIGHT, self.planted))
        print(f"{self.unit}: {right:.4g}, with the mistake {wrong:.4g}")
        verdicts = ["passes" if self.test(p) else "FAILS" for p in (RIGHT, self.planted)]
        print(f"{self.test.__name__}: {verdicts[0]}, with the mistake it {verdicts[1]}")


THROWN = {"symptom": thrown, "unit": "nats per throw of a die, 2.079 at best"}
MOVED = {"symptom": moved, "unit": "largest change of a logit"}
PADDED = {"symptom": partial(nats, padding=32), "unit": "nats per token of a padded text"}
KEPT = {"symptom": mass_kept, "unit": "mass that top-p 0.6 keeps"}

BUGS = (
    Bug("mask off by one", "mask", mask_off_by_one, later_tokens_change_nothing, "05",
        **THROWN),
    Bug("softmax over the wrong axis", "weights", over_queries, weights_sum_to_1, "04"),
    Bug("no scale", "scale", no_scale, scores_spread_by_1, "04"),
    Bug("eps beside the root", "norm", eps_beside_the_root, a_flat_row_stays_small, "07",
        **MOVED),
    Bug("variance by C - 1", "norm", variance_by_c_minus_1, one_to_four, "07", **MOVED),
    Bug("LayerNorm before the branch", "order", norm_before_the_branch,
        rows_leave_normalized, "07"),
    Bug("output matrix of its own", "output", matrix_of_its_own, unread_rows_learn, "08"),
    Bug("targets not shifted", "pair", same_token, a_fortune_teller_loses_nothing, "10",
        **THROWN),
    Bug("a softmax over rows that are no words", "output", every_row_there_is,
        only_words_are_possible, "11"),
    Bug("top-p without the crossing token", "nucleus", short_of_the_crossing,
        enough_is_kept, "12", **KEPT),
    Bug("dropout left on", "drop", dropout_left_on, twice_the_same, "12"),
    Bug("loss on padding", "average", mean_of_all, padding_changes_nothing, "13", **PADDED),
)  # fmt: skip


def who_notices() -> list[list[bool]]:
    """For each bug, which of the twelve tests fail."""
    return [[not other.test(bug.planted) for other in BUGS] for bug in BUGS]


def hidden(seed: int) -> Parts:
    """Parts with one of the twelve in it, for a hunt."""
    drawn = torch.randint(len(BUGS), (1,), generator=torch.Generator().manual_seed(seed))
    return BUGS[int(drawn)].planted

"""Solutions at the edges of what their docstrings promise: ties, zeros, large numbers ..."""

import math
import random
from importlib import import_module

import numpy as np
import pytest
import torch

from gpt1course.checking.compare import same, with_gradients
from gpt1course.checking.execution import call, fresh
from gpt1course.checking.exercise import Exercise
from gpt1lib.bpe import characters

ALL = [
    e
    for n in range(18)
    for e in import_module(f"gpt1course.exercises.lesson{n:02}").EXERCISES
    if isinstance(e, Exercise)
]
SOLUTIONS = {e.name: e.solution for e in ALL}


def numbers(value):
    """All single numbers in a result."""
    if isinstance(value, torch.Tensor | np.ndarray):
        return np.asarray(value.detach() if isinstance(value, torch.Tensor) else value).ravel()
    if isinstance(value, dict | list | tuple):
        values = value.values() if isinstance(value, dict) else value
        return [x for v in values for x in numbers(v)]
    return [value] if isinstance(value, int | float) else []


def doubled(value):
    """The same arguments with float tensors in 64 bits."""
    if isinstance(value, torch.Tensor) and value.is_floating_point():
        return value.double()
    if isinstance(value, list | tuple):
        return type(value)(map(doubled, value))
    return value


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_no_case_makes_a_solution_raise_or_give_nan(e):
    for case in e.cases():
        result = call(e.solution, case)
        assert result.error is None and not result.changed_inputs
        assert not any(math.isnan(x) for x in numbers(result.value)), case


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_a_solution_gives_the_same_in_64_bits(e):
    for case in e.cases():
        single, double = (call(e.solution, c) for c in (case, doubled(fresh(case))))
        if double.error is None:  # functions among the arguments may take 32 bits only
            assert same(single.value, double.value, 1e-4), case


@pytest.mark.parametrize("e", ALL, ids=lambda e: e.name)
def test_a_solution_takes_tensors_that_need_a_gradient(e):
    for case in e.cases():
        result = call(e.solution, with_gradients(case))
        assert result.error is None and same(result.value, e.solution(*fresh(case)), 1e-5)


# ---- drawn at the edges, and held against another way to the answer -----------------------


def words(draw):
    return [draw.choice(["so", "sea", "so ", ""]) for _ in range(draw.randint(1, 6))]


def few(draw, n):
    """n numbers of which many are equal."""
    return [draw.choice([0.0, 0.25, 0.25, 0.5]) for _ in range(n)]


def large(draw, *shape):
    """Scores of any size, up to hundreds."""
    scale = draw.choice([0.0, 0.01, 1.0, 100.0])
    return scale * torch.randn(
        *shape, generator=torch.Generator().manual_seed(draw.getrandbits(30))
    )


def softmaxed(scores):
    """In 64 bits, by Python's own numbers; a row of tensors."""
    rows = []
    for row in scores.double().reshape(-1, scores.shape[-1]).tolist():
        powers = [math.exp(x - max(row)) for x in row]
        rows.append([x / math.fsum(powers) for x in powers])
    return torch.tensor(rows).reshape(scores.shape)


def draw_most_likely(draw):
    some = words(draw)
    return some, few(draw, len(some))


def draw_bigrams(draw):
    alphabet = draw.sample(["b", "a", " ", "A", "é"], 4)
    return "".join(draw.choices(alphabet, k=draw.randint(0, 9))), "".join(alphabet)


def draw_walk(draw):
    probs = np.array([[1.0, 0.0], [0.5, 0.5]])
    return np.array([draw.randint(0, 1) for _ in range(draw.randint(1, 5))]), probs


def log_of(x):
    return math.log(x) if x else -math.inf


def draw_pair(draw):
    symbols = draw.choices(["a", "b", "ab", "c</w>"], k=draw.randint(1, 7))
    return symbols, tuple(draw.choices(["a", "b", "ab"], k=2))


def merged(symbols, pair):
    """By a stack: join what has just been laid down with what comes."""
    out, free = [], False  # free: the top has not been joined yet
    for symbol in symbols:
        if free and (out[-1], symbol) == pair:
            out[-1], free = out[-1] + symbol, False
        else:
            out, free = [*out, symbol], True
    return out


def draw_ranks(draw):
    pairs = [("a", "b"), ("b", "a"), ("ab", "a"), ("a", "b</w>"), ("ab", "ab</w>")]
    draw.shuffle(pairs)
    ranks = dict(zip(pairs, draw.sample(range(9), len(pairs)), strict=True))
    return "".join(draw.choices("ab", k=draw.randint(1, 7))), ranks


def cut(word, ranks):
    symbols = characters(word)
    while known := [ranks[p] for p in zip(symbols, symbols[1:], strict=False) if p in ranks]:
        symbols = merged(symbols, next(p for p in ranks if ranks[p] == min(known)))
    return symbols


def draw_seen(draw):
    S = draw.randint(1, 5)
    return large(draw, 3), torch.eye(5, 3)[:S] * 7, torch.eye(S, 2), draw.randrange(S)


def draw_grads(draw):
    return [large(draw, 2, 3) * draw.choice([0, 1]), torch.zeros(2)], draw.choice([0.5, 1.0])


def draw_temperature(draw):
    return large(draw, 4).round(decimals=1), draw.choice([0, 0.0, 0.05, 0.5, 2])


def tempered(logits, temperature):
    if temperature:
        return softmaxed(logits.double() / temperature)
    best = logits.tolist().index(max(logits.tolist()))
    return torch.eye(len(logits))[best]


def draw_shape(draw):
    return tuple(draw.choice([1, 1, 2, 5]) for _ in range(draw.randint(1, 4)))


def draw_answers(draw):
    few_values = (-1.0, -2.0, -3.0)
    return ([torch.tensor(draw.choices(few_values, k=draw.choice([1, 2]))) for _ in range(4)],)


def first_best(answers):
    means = [sum(a.tolist()) / len(a) for a in answers]
    return min(i for i, m in enumerate(means) if m == max(means))


def draw_logits(draw):
    ids = torch.tensor([draw.randrange(3) for _ in range(4)])
    return large(draw, 4, 3), ids


def log_probs(logits, ids):
    pairs = zip(logits.double().tolist(), ids.tolist()[1:], strict=False)
    scores = [
        row[i] - max(row) - log_of(sum(math.exp(x - max(row)) for x in row)) for row, i in pairs
    ]
    return sum(scores) / len(scores)


EDGES = {  # exercise: (arguments at the edge, another way to the answer)
    "most_likely": (draw_most_likely, lambda w, p: w[min(range(len(p)), key=lambda i: -p[i])]),
    "share_of_top": (
        lambda d: (few(d, d.randint(1, 5)), d.randint(1, 7)),
        lambda p, k: math.fsum(sorted(p, key=lambda x: -x)[:k]),
    ),
    "count_bigrams": (
        draw_bigrams,
        lambda t, a: np.array(
            [[sum(t[i : i + 2] == x + y for i in range(len(t))) for y in a] for x in a]
        ),
    ),
    "log_likelihood": (
        draw_walk,
        lambda i, p: sum((log_of(p[a, b]) for a, b in zip(i, i[1:], strict=False)), 0.0),
    ),
    "perplexity": (
        lambda d: (torch.tensor(d.choices([0.0, -1.0, -9.0, -math.inf], k=3)),),
        lambda x: math.exp(-sum(x.tolist()) / 3),
    ),
    "merge_pair": (draw_pair, merged),
    "cut_word": (draw_ranks, cut),
    "softmax": (lambda d: (large(d, 2, 1, d.randint(1, 4)),), softmaxed),
    "look_up": (
        lambda d: (large(d, 3), torch.eye(4, 3) * 9, torch.eye(4)),
        lambda q, K, V: softmaxed((K @ q)[None])[0],
    ),
    "causal_mask": (
        lambda d: (d.randint(1, 90),),
        lambda T: torch.tensor([[j <= i for j in range(T)] for i in range(T)]),
    ),
    "masked_softmax": (
        lambda d: (large(d, 2, 3, 3),),
        lambda s: softmaxed(s.double().masked_fill(torch.ones(3, 3).triu(1) > 0, -1e9)),
    ),
    "leaks_before": (lambda d: (torch.flipud, large(d, 3, 2), 0), lambda f, x, t: False),
    "ablate_head": (
        lambda d: (large(d, 3, 2, 2), d.randrange(3)),
        lambda m, h: torch.stack([x if i != h else torch.zeros(2, 2) for i, x in enumerate(m)]),
    ),
    "gelu": (
        lambda d: (torch.tensor([d.uniform(-200, 200), d.uniform(-9, 9)]).double(),),
        lambda x: torch.tensor(
            [
                0.5 * y * (1 + math.tanh(math.sqrt(2 / math.pi) * (y + 0.044715 * y**3)))
                for y in x.tolist()
            ]
        ).double(),
    ),
    "layer_norm": (
        lambda d: (large(d, 2, 4).round() + 1000, torch.ones(4), torch.zeros(4)),
        lambda x, g, b: (
            (x.double() - x.double().mean(-1, keepdim=True))
            / (x.double().var(-1, keepdim=True, correction=0) + 1e-5) ** 0.5
        ),
    ),
    "mix_of_the_seen": (
        draw_seen,
        lambda q, K, V, t: softmaxed((K[: t + 1] @ q)[None].double() / 3**0.5)[0] @ V[: t + 1],
    ),
    "learning_rate": (
        lambda d: (d.randint(0, 9), 2.0, d.choice([0, 1, 5]), 9),
        lambda s, p, w, n: p * s / w if s < w else p * math.cos(math.pi * s / n / 2) ** 2,
    ),
    "clip_together": (
        draw_grads,
        lambda g, m: [
            x.double()
            / max(1.0, torch.cat([y.double().flatten() for y in g]).norm().item() / m)
            for x in g
        ],
    ),
    "decayed": (
        lambda d: ({str(i): draw_shape(d) for i in range(5)},),
        lambda s: [n for n in s if s[n][1:]],
    ),
    "linear_from_release": (
        lambda d: (large(d, 1, d.choice([1, 2]), d.choice([1, 3])),),
        lambda W: torch.stack([W[0, :, o] for o in range(W.shape[2])]),
    ),
    "parameters_of": (
        lambda d: ([draw_shape(d) for _ in range(4)],),
        lambda s: (sum(map(math.prod, s)), sum(math.prod(x) for x in s if x[1:])),
    ),
    "apply_temperature": (draw_temperature, tempered),
    "choice_probs": (
        lambda d: (large(d, 6), d.choice([1, 2, 3])),
        lambda s, n: softmaxed(s.view(-1, n)),
    ),
    "mean_log_prob": (draw_logits, log_probs),
    "likelier_choice": (draw_answers, first_best),
    "put_in_place": (
        lambda d: (f"it{d.choice(['', ' '])}_{d.choice(['', ' ', ','])}ran", ["he", "the dog"]),
        lambda t, c: [(t[: t.index("_")] + x, t[t.index("_") + 1 :]) for x in c],
    ),
}


@pytest.mark.parametrize("name", EDGES)
def test_a_solution_is_right_at_the_edges(name):
    at_the_edge, another_way = EDGES[name]
    for seed in range(40):
        arguments = at_the_edge(random.Random(seed))
        result = call(SOLUTIONS[name], arguments)
        assert result.error is None, arguments
        assert same(result.value, another_way(*arguments), 1e-4), arguments

"""Right answers of unusual kinds: they pass, or are told what to change in their container."""

import math
import statistics as st
from collections import Counter, defaultdict
from decimal import Decimal
from itertools import accumulate, pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from answers import by_name, cases, right

from gpt1course.checking.exercise import diagnose
from gpt1lib.bpe import characters


def recursive_merge(symbols, pair):
    if len(symbols) < 2:
        return list(symbols)
    if (symbols[0], symbols[1]) == tuple(pair):
        return ["".join(pair), *recursive_merge(symbols[2:], pair)]
    return [symbols[0], *recursive_merge(symbols[1:], pair)]


def counted(words, counts):
    pairs = defaultdict(int)
    for word, n in zip(words, counts, strict=True):
        for i in range(len(word) - 1):
            pairs[word[i], word[i + 1]] += n
    return pairs


def cut_recursively(word, ranks, symbols=None):
    symbols = symbols or characters(word)
    known = sorted((ranks[p], p) for p in pairwise(symbols) if p in ranks)
    if not known:
        return symbols
    return cut_recursively(word, ranks, recursive_merge(symbols, known[0][1]))


def heads_one_by_one(q, k, v, W_O, b_O):
    seen = torch.ones(q.shape[1], q.shape[1]).tril() == 1
    heads = [
        F.scaled_dot_product_attention(a[None], b[None], c[None], attn_mask=seen)[0]
        for a, b, c in zip(q, k, v, strict=True)
    ]
    return torch.cat(heads, dim=1) @ W_O + b_O


def top_p_by_a_loop(probs, p):
    kept, mass = [False] * len(probs), 0.0
    for i in probs.argsort(descending=True).tolist():
        if mass >= p - 1e-7:
            break
        kept[i], mass = True, mass + probs[i].item()
    return torch.tensor(kept)


def decoded(model, ids, n, n_ctx):
    ids = ids.tolist()
    for _ in range(n):
        ids.append(int(model(torch.tensor(ids[-n_ctx:]))[-1].argmax()))
    return torch.tensor(ids)


def holm_by_sorting(p_values):
    order, n = np.argsort(p_values, kind="stable"), len(p_values)
    raised = np.maximum.accumulate(np.array(p_values)[order] * np.arange(n, 0, -1)).clip(0, 1)
    out = np.empty(n)
    out[order] = raised
    return [float(x) for x in out]


def two_lines(x, y):
    """Least squares by its own formula."""
    mx, my = x.mean(), y.mean()
    slope = ((x - mx) * (y - my)).sum() / ((x - mx) ** 2).sum()
    return slope, my - slope * mx


def power_by_hand(sizes, losses):
    slope, start = two_lines(np.log(sizes), np.log(losses))
    return float(-slope), float(math.exp(start))


RIGHT = {
    "most_likely": {
        "sorted by minus p": lambda w, p: min(enumerate(w), key=lambda i: (-p[i[0]], i[0]))[1],
        "torch": lambda w, p: w[int(torch.tensor(p, dtype=torch.double).argmax())],
    },
    "share_of_top": {
        "accumulate": lambda p, k: [*accumulate(sorted(p)[::-1])][min(k, len(p)) - 1],
        "what is left": lambda p, k: sum(p) - sum(sorted(p)[: max(0, len(p) - k)]),
    },
    "count_bigrams": {
        "Counter": lambda t, a: np.array(
            [[Counter(pairwise(t))[x, y] for y in a] for x in a], dtype=np.int64
        ),
        "bincount": lambda t, a: np.bincount(
            [a.index(x) * len(a) + a.index(y) for x, y in pairwise(t)], minlength=len(a) ** 2
        ).reshape(len(a), len(a)),
    },
    "log_likelihood": {
        "fsum": lambda i, p: math.fsum(
            math.log(p[a, b]) if p[a, b] else -math.inf for a, b in pairwise(i)
        ),
        "torch": lambda i, p: torch.tensor(p)[i[:-1], i[1:]].log().sum().item(),
    },
    "perplexity": {
        "geometric mean": lambda x: (
            1 / math.exp(x.double().mean().item()) if x.isfinite().all() else math.inf
        ),
        "base 2": lambda x: 2 ** -(x.double().mean() / math.log(2)).item(),
    },
    "count_pairs": {"defaultdict": counted, "Counter": lambda w, c: Counter(counted(w, c))},
    "merge_pair": {
        "recursion": recursive_merge,
        "a generator": lambda s, p: [*recursive_merge(tuple(s), p)],
    },
    "cut_word": {"recursion": cut_recursively},
    "one_hot": {
        "index_put": lambda i, V: torch.zeros(len(i), V).index_put(
            (torch.arange(len(i)), i), torch.tensor(1.0)
        ),
        "rows of eye": lambda i, V: torch.stack([torch.eye(V)[x] for x in i]),
    },
    "nearest_rows": {
        "one row fewer": lambda W, i, n: (
            r := torch.tensor([x for x in range(len(W)) if x != i])
        )[F.cosine_similarity(W[r], W[i][None]).topk(n).indices],
        "argsort": lambda W, i, n: torch.tensor(
            [
                x
                for x in F.cosine_similarity(W, W[i][None]).argsort(descending=True).tolist()
                if x != i
            ][:n]
        ),
    },
    "embed": {
        "two matrices": lambda i, E, P: (
            F.one_hot(i, len(E)).float() @ E + P.narrow(0, 0, len(i))
        ),
        "embedding": lambda i, E, P: F.embedding(i, E) + F.embedding(torch.arange(len(i)), P),
    },
    "sinusoids": {
        "loop": lambda n, C: torch.tensor(
            [
                [
                    (math.cos if c % 2 else math.sin)(p / 10_000 ** ((c - c % 2) / C))
                    for c in range(C)
                ]
                for p in range(n)
            ]
        ),
        "complex": lambda n, C: (
            torch.view_as_real(
                torch.polar(
                    torch.ones(n, C // 2),
                    torch.outer(torch.arange(n).float(), 1e4 ** (-torch.arange(0, C, 2) / C)),
                )
            )
            .flip(-1)
            .flatten(1)
        ),
    },
    "softmax": {
        "log": lambda s: s.log_softmax(-1).exp(),
        "numpy": lambda s: torch.tensor(
            np.exp(s.numpy() - s.numpy().max(-1, keepdims=True))
            / np.exp(s.numpy() - s.numpy().max(-1, keepdims=True)).sum(-1, keepdims=True)
        ),
    },
    "attention": {
        "torch": lambda Q, K, V: F.scaled_dot_product_attention(Q[None], K[None], V[None])[0],
        "by query": lambda Q, K, V: torch.stack(
            [(K @ q / math.sqrt(len(q))).softmax(0) @ V for q in Q]
        ),
    },
    "causal_mask": {
        "lists": lambda T: torch.tensor([[s <= t for s in range(T)] for t in range(T)]),
        "cumsum": lambda T: torch.eye(T).cumsum(0).bool(),
    },
    "running_mean": {
        "recursion": lambda v: torch.stack(
            [v[: t + 1].sum(0) / (t + 1) for t in range(len(v))]
        ),
        "einsum": lambda v: (
            torch.einsum("ts,sd->td", torch.ones(len(v), len(v)).tril(), v)
            / torch.arange(1.0, len(v) + 1)[:, None]
        ),
    },
    "masked_softmax": {
        "added -inf": lambda s: (s + torch.full(s.shape[-2:], -math.inf).triu(1)).softmax(-1),
        "-1e9": lambda s: s.masked_fill(torch.ones(s.shape[-2:]).triu(1) == 1, -1e9).softmax(
            -1
        ),
        "GPT-1's own": lambda s: (
            s * torch.ones(s.shape[-2:]).tril() - 1e9 * (1 - torch.ones(s.shape[-2:]).tril())
        ).softmax(-1),
    },
    "mask_with_cache": {
        "rows of the full one": lambda q, k: torch.ones(k, k).tril().bool()[-q:],
        "compared": lambda q, k: torch.arange(k)[None] <= torch.arange(k - q, k)[:, None],
    },
    "split_heads": {
        "stack": lambda x, H: torch.stack(x.chunk(H, dim=1)),
        "unflatten": lambda x, H: x.unflatten(1, (H, -1)).permute(1, 0, 2),
    },
    "merge_heads": {
        "cat": lambda m: torch.cat([*m], dim=1),
        "einsum": lambda m: torch.einsum("htd->thd", m).reshape(m.shape[1], -1),
    },
    "multi_head": {"one by one": heads_one_by_one},
    "ablate_head": {
        "index_fill": lambda m, h: m.index_fill(0, torch.tensor(h), 0.0),
        "times 0": lambda m, h: m * (torch.arange(len(m)) != h)[:, None, None],
        "cat": lambda m, h: torch.cat([m[:h], torch.zeros_like(m[:1]), m[h + 1 :]]),
    },
    "last_k": {
        "unfold": lambda i, k, n: (i[n - k : -1].unfold(0, k, 1), i[n:]),
        "index": lambda i, k, n: (
            i[torch.arange(n, len(i))[:, None] - torch.arange(k, 0, -1)],
            i[-(len(i) - n) :],
        ),
    },
    "gelu": {
        "sigmoid of twice": lambda x: (
            x * torch.sigmoid(2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))
        ),
        "pow": lambda x: (
            0.5 * x * (1 + torch.tanh((2 / math.pi) ** 0.5 * (x + 0.044715 * x.pow(3))))
        ),
    },
    "dropout": {
        "where": lambda x, p, n, t: torch.where(n < p, 0.0, x / (1 - p)) if t else x.clone(),
        "masked_fill": lambda x, p, n, t: x.masked_fill(n < p, 0) / (1 - p) if t else x,
    },
    "tied_logits": {
        "linear": lambda h, E: F.linear(h, E),
        "by token": lambda h, E: torch.stack([E @ x for x in h]),
    },
    "find_the_bug": {
        "numpy": lambda r, w: next(
            (n for n in r if not np.all(np.abs((r[n] - w[n]).numpy()) <= 1e-4)), None
        ),
        "isclose": lambda r, w: next(
            (n for n in r if not torch.isclose(r[n], w[n], atol=1e-4).all()), None
        ),
    },
    "gelu_slope": {
        "1 / cosh": lambda x: (
            0.5 * (1 + np.tanh(u := math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
            + 0.5
            * x
            / np.cosh(np.clip(u, -300, 300)) ** 2
            * math.sqrt(2 / math.pi)
            * (1 + 3 * 0.044715 * x**2)
        ),
        "autograd": lambda x: (
            y := torch.tensor(np.asarray(x, float), requires_grad=True),
            F.gelu(y, approximate="tanh").sum().backward(),
            y.grad.numpy() if np.ndim(x) else y.grad.item(),
        )[2],
    },
    "tied_gradient": {
        "one-hot": lambda i, a, h, d: d.T @ h + np.eye(d.shape[1])[i].T @ a,
        "loop": lambda i, a, h, d: (
            d.T @ h
            + sum(
                np.outer(np.arange(d.shape[1]) == x, row) for x, row in zip(i, a, strict=True)
            )
        ),
    },
    "learning_rate": {
        "torch": lambda s, p, w, n: torch.tensor(
            p * s / w if s < w else p * (1 + math.cos(math.pi * s / n)) / 2, dtype=torch.double
        ),
        "square of a cosine": lambda s, p, w, n: (
            p * s / w if s < w else p * math.cos(math.pi * s / (2 * n)) ** 2
        ),
    },
    "clip_together": {
        "hypot": lambda g, m: [
            x * (m / max(m, math.hypot(*(v for y in g for v in y.flatten().tolist()))))
            for x in g
        ],
        "map": lambda g, m: list(map(lambda x: x.clone(), right("clip_together")(g, m))),
    },
    "decayed": {
        "removed": lambda s: [n for n in s if n not in {m for m in s if len(s[m]) == 1}],
        "try": lambda s: [n for n, x in s.items() if x[1:]],
    },
    "cut_stream": {
        "split": lambda x, s: [
            part.reshape(tuple(shape))
            for part, shape in zip(x.split([math.prod(y) for y in s]), s, strict=True)
        ],
        "numpy": lambda x, s: [
            torch.from_numpy(part.copy()).view(*shape)
            for part, shape in zip(
                np.split(x.numpy(), np.cumsum([math.prod(y) for y in s])), s, strict=False
            )
        ],
    },
    "apply_temperature": {
        "log-sum-exp": lambda x, T: (
            right("apply_temperature")(x, 0) if T == 0 else (x / T - (x / T).logsumexp(0)).exp()
        ),
        "in 64 bits": lambda x, T: (
            F.one_hot(x.argmax(), len(x)).double() if not T else (x.double() / T).softmax(0)
        ),
    },
    "top_k_mask": {
        "k-th largest": lambda p, k: p >= p.sort().values[max(0, len(p) - k)],
        "isin": lambda p, k: torch.isin(torch.arange(len(p)), p.argsort(descending=True)[:k]),
    },
    "top_p_mask": {"a loop": top_p_by_a_loop},
    "write_greedily": {
        "lists": decoded,
        "recursion": lambda f, i, n, c: (
            i
            if n == 0
            else RIGHT["write_greedily"]["recursion"](
                f, torch.cat([i, f(i[-c:])[-1:].argmax(dim=1)]), n - 1, c
            )
        ),
    },
    "choice_probs": {
        "chunks": lambda s, n: torch.stack([x.softmax(0) for x in s.chunk(len(s) // n)]),
        "log": lambda s, n: s.unflatten(0, (-1, n)).log_softmax(1).exp(),
    },
    "l3_loss": {
        "numpy": lambda a, b, c: -a.numpy().mean() - c * np.mean([x.numpy().mean() for x in b]),
        "padded": lambda a, b, c: (
            -a.mean()
            - c
            * torch.nested.nested_tensor(b)
            .to_padded_tensor(0)
            .sum(1)
            .div(torch.tensor([len(x) for x in b]))
            .mean()
        ),
    },
    "mean_log_prob": {
        "gather": lambda x, i: x[:-1].log_softmax(1).gather(1, i[1:, None]).mean(),
        "by token": lambda x, i: st.mean(
            (row[t] - row.logsumexp(0)).item() for row, t in zip(x, i[1:], strict=False)
        ),
    },
    "likelier_choice": {
        "sorted": lambda a: sorted(range(len(a)), key=lambda n: -a[n].mean().item())[0],
        "reduce": lambda a: max(range(len(a)), key=lambda n: a[n].double().mean().item()),
    },
    "put_in_place": {
        "replace": lambda t, c: [(t[: t.index("_")] + x, t[t.index("_") + 1 :]) for x in c],
        "lists": lambda t, c: [[t.split("_")[0] + x, t.split("_")[1]] for x in c],
    },
    "mean_and_half": {
        "statistics": lambda v, t: (st.fmean(v), t * st.stdev(v) / len(v) ** 0.5),
        "numpy": lambda v, t: [np.mean(v), t * np.std(v, ddof=1) / np.sqrt(len(v))],
    },
    "holm": {
        "numpy": holm_by_sorting,
        "each by itself": lambda p: [
            min(
                1.0,
                max((sum(z > y for z in p) + sum(z == y for z in p)) * y for y in p if y <= x),
            )
            for x in p
        ],
    },
    "points_and_percent": {
        "ratio": lambda a, b: (b - a, 100 * (b / a - 1)),
        "Decimal": lambda a, b: (b - a, float(100 * (Decimal(b) - Decimal(a)) / Decimal(a))),
    },
    "mlm_loss": {
        "nll": lambda x, y: F.nll_loss(x.log_softmax(-1).flatten(0, 1), y.flatten()),
        "python": lambda x, y: st.mean(
            -(x[b, t].log_softmax(0)[y[b, t]]).item() for b, t in (y != -100).nonzero().tolist()
        ),
    },
    "span_of": {
        "window": lambda q, p, a: (
            s := len(q) + 2 + [p[i : i + len(a)] for i in range(len(p))].index(a),
            s + len(a) - 1,
        ),
        "list": lambda q, p, a: list(right("span_of")(q, p, a)),
    },
    "fit_power": {
        "by hand": power_by_hand,
        "lstsq": lambda n, y: (
            x := np.linalg.lstsq(
                np.stack([np.log(n), np.ones(len(n))], 1), np.log(y), rcond=None
            )[0],
            (-x[0], np.exp(x[1])),
        )[1],
    },
    "few_shot_prompt": {
        "format": lambda e, q: "".join("{} : {}\n".format(*x) for x in e) + q + " :",
        "join": lambda e, q: "\n".join([*map(" : ".join, e), " ".join([q, ":"])]),
    },
}


@pytest.mark.parametrize(("name", "what"), cases(RIGHT))
def test_an_unusual_right_answer_passes(name, what):
    verdict = diagnose(by_name(name), RIGHT[name][what])
    assert verdict is None, verdict.message


OTHER_CONTAINERS = [  # right numbers, and what the message has to say
    ("count_bigrams", lambda t, a: right("count_bigrams")(t, a).tolist(), "np.array"),
    ("one_hot", lambda i, V: right("one_hot")(i, V).tolist(), "torch.tensor"),
    ("softmax", lambda s: right("softmax")(s).numpy(), "torch.tensor"),
    ("running_mean", lambda v: [*right("running_mean")(v)], "torch.stack"),
    ("causal_mask", lambda T: right("causal_mask")(T).numpy(), "torch.tensor"),
    ("merge_heads", lambda m: right("merge_heads")(m).numpy(), "torch.tensor"),
    ("holm", lambda p: np.array(right("holm")(p)), ".tolist()"),
    ("top_k_mask", lambda p, k: right("top_k_mask")(p, k).tolist(), "torch.tensor"),
    ("gelu_slope", lambda x: torch.as_tensor(right("gelu_slope")(x)), "np.array"),
    ("choice_probs", lambda s, n: right("choice_probs")(s, n).tolist(), "torch.tensor"),
    ("entailment_ids", lambda *a: torch.tensor(right("entailment_ids")(*a)), ".tolist()"),
]


@pytest.mark.parametrize(("name", "answer", "remedy"), OTHER_CONTAINERS)
def test_right_numbers_in_another_container_are_told_the_remedy(name, answer, remedy):
    verdict = diagnose(by_name(name), answer)
    assert verdict is not None and "the numbers are right" in verdict.message
    assert remedy in verdict.message

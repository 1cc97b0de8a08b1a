"""Answers that a student might write, listed in no lesson: wrong ones fail, right ones pass."""

import math
import statistics as st
from fractions import Fraction

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from answers import by_name, cases, right

from gpt1course.checking.exercise import diagnose
from gpt1lib.bpe import characters


def table(a, dtype=int):
    return np.zeros((len(a), len(a)), dtype)


def bigrams(text, alphabet):
    return right("count_bigrams")(text, alphabet)


def steps(ids, probs):
    return probs[ids[:-1], ids[1:]]


def hidden(scores, shift=1):
    T = scores.shape[-1]
    return torch.ones(T, T, dtype=torch.bool).triu(shift)


EIGHT = torch.ones(8, 8, dtype=torch.bool).tril()


def bumped(x, t):
    changed = x.clone()
    changed[t] += 1
    return changed


def split_first(function):
    """A function of before and after the first blank."""
    return lambda text, candidates: [
        function(*text.split("_"), candidate) for candidate in candidates
    ]


def by_dict_order(word, ranks):
    symbols = characters(word)
    for pair in ranks:
        symbols = right("merge_pair")(symbols, pair)
    return symbols


def greedy_by_probability(model, ids, n, n_ctx):
    for _ in range(max(1, n)):
        ids = torch.cat([ids, model(ids[-n_ctx:])[-1].argmax()[None]])
    return ids


def normal(x):
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, unbiased=False)


def masks(ids, draws, fates, other, mask_id, chosen):
    read = torch.where(chosen & (fates < 0.8), mask_id, ids)
    return torch.where(chosen & (fates >= 0.8) & (fates < 0.9), other, read)


def not_special(ids, specials):
    return ~torch.isin(ids, torch.tensor(specials, dtype=ids.dtype))


WRONG = {
    "most_likely": {
        "first place of a word": lambda w, p: max(w, key=lambda x: p[w.index(x)]),
        "a dict": lambda w, p: max(dict(zip(w, p, strict=True)).items(), key=lambda i: i[1])[0],
        "longest of the best": lambda w, p: max(zip(p, map(len, w), w, strict=True))[2],
        "above a half": lambda w, p: next(
            (x for x, q in zip(w, p, strict=True) if q > 0.5), w[0]
        ),
    },
    "share_of_top": {
        "two decimals": lambda p, k: round(sum(sorted(p)[::-1][:k]), 2),
        "at most the first half": lambda p, k: sum(sorted(p)[::-1][: min(k, len(p) // 2)]),
        "largest k times": lambda p, k: k * max(p),
        "above one over k": lambda p, k: sum(x for x in p if x >= 1 / (k + 1)),
    },
    "count_bigrams": {
        "sorted": lambda t, a: bigrams(t, "".join(sorted(a))),
        "lower": lambda t, a: bigrams(t.lower(), a),
        "strip": lambda t, a: bigrams(t.strip(), a),
        "own alphabet": lambda t, a: bigrams(t, "".join(sorted(set(t)))),
        "eight bits": lambda t, a: bigrams(t, a).astype(np.uint8),
        "shares": lambda t, a: bigrams(t, a) / max(1, len(t) - 1),
    },
    "to_probabilities": {
        "twice": lambda c, s: (c + 2 * s) / (c + 2 * s).sum(axis=1, keepdims=True),
        "rounded": lambda c, s: np.round(right("to_probabilities")(c, s), 3),
        "whole": lambda c, s: right("to_probabilities")(c, s).astype(int),
        "V in the sum": lambda c, s: (c + s) / (c.sum(axis=1, keepdims=True) + len(c)),
    },
    "log_likelihood": {
        "plus 1e-8": lambda i, p: float(np.log(steps(i, p) + 1e-8).sum()),
        "plus 1e-12": lambda i, p: float(np.log(steps(i, p) + 1e-12).sum()),
        "skips zeros": lambda i, p: float(sum(math.log(x) for x in steps(i, p) if x > 0)),
        "clipped": lambda i, p: float(np.log(np.clip(steps(i, p), 1e-9, 1)).sum()),
        "math.log of 0": lambda i, p: sum(math.log(x) for x in steps(i, p)),
    },
    "perplexity": {
        "without -inf": lambda x: math.exp(-float(x[x > -math.inf].mean())),
        "nan_to_num": lambda x: math.exp(-float(x.nan_to_num(neginf=-1e2).mean())),
        "rounded": lambda x: round(math.exp(-float(x.mean())), 1),
    },
    "count_pairs": {
        "break": lambda w, c: right("count_pairs")(
            *zip(*[(x, n) for x, n in zip(w, c, strict=True) if len(x) > 1][:1], strict=True)
        ),
        "words as a set": lambda w, c: right("count_pairs")(w, [min(n, 5) for n in c]),
    },
    "merge_pair": {
        "joined": lambda s, p: (
            [*s[:-2], "".join(p)]
            if "".join(s[-2:]) == "".join(p)
            else right("merge_pair")(s, p)
        ),
        "only twice": lambda s, p: right("merge_pair")(s[:4], p) + s[4:],
    },
    "learn": {
        "counts above 1": lambda w, k: right("learn")({x: n for x, n in w.items() if n > 1}, k),
        "never stops early": lambda w, k: (right("learn")(w, k) + [("", "")] * k)[:k],
    },
    "cut_word": {
        "order of the dict": by_dict_order,
        "lowest rank alone": lambda w, r: right("cut_word")(w, dict(list(r.items())[:5])),
    },
    "pieces_per_word": {
        "rounded": lambda w, p: round(right("pieces_per_word")(w, p), 2),
        "median": lambda w, p: float(st.median(len(p[x]) for x in w)),
    },
    "one_hot": {
        "starts at 1": lambda i, V: F.one_hot(i, V + 1)[:, 1:].float(),
        "float64 of equal ids": lambda i, V: F.one_hot(i.unique(), V).float(),
    },
    "nearest_rows": {
        "topk n + 1": lambda W, i, n: (
            (F.normalize(W) @ F.normalize(W)[i])
            .round(decimals=5)
            .sort(descending=True, stable=True)
            .indices[1 : n + 1]
        ),
        "all parallel out": lambda W, i, n: (
            (F.normalize(W) @ F.normalize(W)[i])
            .masked_fill(F.cosine_similarity(W, W[i][None]) > 0.9999, -9)
            .topk(n)
            .indices
        ),
        "closest": lambda W, i, n: (W - W[i]).norm(dim=1).argsort()[1 : n + 1],
    },
    "rows_that_learn": {
        "consecutive": lambda b: b[:, :-1].flatten().unique_consecutive(),
        "without 0": lambda b: (lambda x: x[x > 0])(b[:, :-1].unique()),
    },
    "embed": {
        "mean": lambda i, E, P: (E[i] + P[: len(i)]) / 2,
        "by rank of the id": lambda i, E, P: E[i] + P[i.argsort()],
    },
    "sinusoids": {
        "whole turns": lambda n, C: right("sinusoids")(n, C) * 2 * math.pi,
        "rounded rates": lambda n, C: right("sinusoids")(n, C).round(decimals=2),
    },
    "softmax": {
        "plus eps": lambda s: s.exp() / (s.exp().sum(-1, keepdim=True) + 1e-8),
        "clamped": lambda s: s.clamp(-50, 50).softmax(-1),
        "maximum of all": lambda s: (
            (s - s.max()).exp() / (s - s.max()).exp().sum(-1, keepdim=True)
        ),
        "maximum flat": lambda s: (s - s.amax(-1)).softmax(-1),
    },
    "look_up": {
        "overflows": lambda q, K, V: (K @ q).exp() / (K @ q).exp().sum() @ V,
        "squares": lambda q, K, V: (K @ q) ** 2 / ((K @ q) ** 2).sum() @ V,
    },
    "scaled_scores": {
        "each root": lambda Q, K: Q @ K.T / (len(Q) * Q.shape[1]) ** 0.5,
        "whole root": lambda Q, K: Q @ K.T / int(math.sqrt(Q.shape[1])),
    },
    "attention": {
        "argmax": lambda Q, K, V: V[(Q @ K.T).argmax(dim=1)],
        "transposed weights": lambda Q, K, V: right("scaled_scores")(Q, K).softmax(-1).T @ V,
    },
    "ignores_order": {
        "one row": lambda f, x, o: torch.allclose(f(x[o])[-1], f(x)[o][-1], atol=1e-5),
        "mean": lambda f, x, o: torch.allclose(f(x[o]).mean(), f(x).mean(), atol=1e-5),
        "sorted": lambda f, x, o: torch.allclose(
            f(x[o]).sort(dim=0).values, f(x).sort(dim=0).values, atol=1e-5
        ),
    },
    "causal_mask": {
        "a slice": lambda T: EIGHT[:T, :T],
        "not square": lambda T: torch.ones(T, T + 1, dtype=torch.bool).tril(),
        "up to 64": lambda T: torch.ones(64, 64, dtype=torch.bool).tril()[:T, :T],
    },
    "running_mean": {
        "T + 1": lambda v: v.cumsum(0) / (torch.arange(len(v)) + 2)[:, None],
        "last three": lambda v: torch.stack(
            [v[max(0, t - 2) : t + 1].mean(0) for t in range(len(v))]
        ),
    },
    "masked_softmax": {
        "overflows": lambda s: (e := s.double().exp().tril()) / e.sum(-1, keepdim=True),
        "-1e2": lambda s: s.masked_fill(hidden(s), -1e2).softmax(-1),
        "minus 1e2": lambda s: (s - 1e2 * hidden(s)).tril().softmax(-1),
    },
    "leaks_before": {
        "max": lambda f, x, t: bool((f(x)[:t] - f(bumped(x, t))[:t]).abs().max() > 0),
        "t at least 1": lambda f, x, t: (
            not torch.equal(f(x)[: max(t, 1)], f(bumped(x, t))[: max(t, 1)])
        ),
        "row before": lambda f, x, t: (
            not torch.equal(f(x)[t - 1 : t], f(bumped(x, t))[t - 1 : t])
        ),
    },
    "mask_with_cache": {
        "full": lambda q, k: torch.ones(k, k, dtype=torch.bool).tril(),
        "one row": lambda q, k: torch.ones(1, k, dtype=torch.bool).tril(k - q),
    },
    "split_heads": {
        "chunks stacked last": lambda x, H: torch.stack(x.chunk(H, dim=1), dim=-1),
        "two heads": lambda x, H: torch.stack(x.chunk(2, dim=1)),
    },
    "merge_heads": {
        "two heads": lambda m: torch.cat([m[0], m[-1]], dim=1),
        "reversed": lambda m: torch.cat(list(m.flip(0)), dim=1),
    },
    "multi_head": {
        "overflows": lambda q, k, v, W, b: (
            ((e := (q @ k.mT / q.shape[-1] ** 0.5).exp().tril()) / e.sum(-1, keepdim=True) @ v)
            .transpose(0, 1)
            .flatten(1)
            @ W
            + b
        ),
        "bias twice": lambda q, k, v, W, b: right("multi_head")(q, k, v, W, b) + b,
    },
    "ablate_head": {
        "up to the head": lambda m, h: torch.cat([torch.zeros_like(m[: h + 1]), m[h + 1 :]]),
        "from all heads": lambda m, h: m - m[h],
    },
    "last_k": {
        "k + 1": lambda i, k, n: (i[n - 1 :].unfold(0, k, 1)[: len(i) - n], i[n:]),
        "unfolded": lambda i, k, n: (i.unfold(0, k, 1)[: len(i) - n], i[n:]),
    },
    "gelu": {
        "beyond 3": lambda x: torch.where(x.abs() > 3, x.clamp(min=0), right("gelu")(x)),
        "beyond 6": lambda x: torch.where(x.abs() > 3.2, x.clamp(min=0), right("gelu")(x)),
        "clamped": lambda x: right("gelu")(x.clamp(-10, 10)),
        "rounded root": lambda x: 0.5 * x * (1 + torch.tanh(0.8 * (x + 0.044715 * x**3))),
    },
    "feed_forward": {
        "residual of the neurons": lambda x, A, a, B, b: right("gelu")(x @ A + a) @ B + 2 * b,
        "dropout left out": lambda x, A, a, B, b: 0.9 * right("feed_forward")(x, A, a, B, b),
    },
    "layer_norm": {
        "squares": lambda x, g, b, eps=1e-5: (
            (x - x.mean(-1, keepdim=True))
            / ((x**2).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2 + eps).sqrt()
            * g
            + b
        ),
        "no eps": lambda x, g, b, eps=1e-5: normal(x) * g + b,
        "variance of 1000": lambda x, g, b, eps=1e-5: x / (x.var(-1, keepdim=True) + eps) * g,
    },
    "post_ln_block": {
        "ln of x": lambda x, a, m, p, q: q(p(x + a(p(x))) + m(p(x + a(p(x))))),
        "three": lambda x, a, m, p, q: q(p(q(x + a(x))) + m(p(x + a(x)))),
    },
    "order_of": {
        "always post": lambda x, h, *parts: "post",
        "lax": lambda x, h, *p: (
            "post" if torch.allclose(h, right("post_ln_block")(x, *p), atol=0.1) else "pre"
        ),
    },
    "dropout": {
        "own dice": lambda x, p, n, t: F.dropout(x, p, t),
        "cut": lambda x, p, n, t: x[n >= p] / (1 - p) if t else x,
    },
    "tied_logits": {
        "own bias": lambda h, E: h @ E.T + E.mean(),
        "of the mean": lambda h, E: h.mean(0, keepdim=True) @ E.T,
    },
    "find_the_bug": {
        "above 1e-2": lambda r, w: next(
            (n for n in r if not torch.allclose(r[n], w[n], atol=1e-2)), None
        ),
        "nan": lambda r, w: next((n for n in r if w[n].isnan().any()), None),
        "largest": lambda r, w: max(r, key=lambda n: (r[n] - w[n]).abs().max()),
    },
    "mix_of_the_seen": {
        "overflows": lambda q, K, V, t: (
            (e := (K[: t + 1] @ q / len(q) ** 0.5).exp()) / e.sum() @ V[: t + 1]
        ),
        "the last one": lambda q, K, V, t: V[t],
    },
    "block_parameters": {
        "one LayerNorm": lambda C: 12 * C * C + 11 * C,
        "rounded": lambda C: round(12 * C * C + 13 * C, -2),
    },
    "gpt_parameters": {
        "blocks with C": lambda V, T, L, C: (V + T) * C + L * 12 * C * C + 13 * C,
        "fixed context": lambda V, T, L, C: (V + 512) * C + L * (12 * C * C + 13 * C),
    },
    "softmax_backward": {
        "both": lambda d, p: p * d - p * d.mean(-1, keepdims=True),
        "squared": lambda d, p: p**2 * (d - (d * p).sum(-1, keepdims=True)),
    },
    "gelu_slope": {
        "sigmoid form": lambda x: 1 / (1 + np.exp(-1.702 * x)),
        "beyond 2": lambda x: np.where(np.abs(x) > 2, x > 0, right("gelu_slope")(x)),
    },
    "layer_norm_backward": {
        "gain of means": lambda d, z, s, g: (
            right("layer_norm_backward")(d, z, s, g) | {"gain": (d * z).mean(0)}
        ),
        "only x": lambda d, z, s, g: {"x": right("layer_norm_backward")(d, z, s, g)["x"]},
    },
    "attention_backward": {
        "only v": lambda d, q, k, v, w: {"q": 0 * q, "k": 0 * k, "v": w.T @ d},
        "k of q": lambda d, q, k, v, w: right("attention_backward")(d, q, k, v, w) | {"k": q},
    },
    "tied_gradient": {
        "twice": lambda i, a, h, b: 2 * right("tied_gradient")(i, a, h, b),
        "sorted ids": lambda i, a, h, b: right("tied_gradient")(np.sort(i), a, h, b),
    },
    "descend": {
        "momentum": lambda w, g, lr: {n: w[n] - lr * 0.9 * g[n] for n in w},
        "normalized": lambda w, g, lr: {n: w[n] - lr * g[n] / np.linalg.norm(g[n]) for n in w},
    },
    "cut_window": {
        "one more": lambda i, s, n: (i[s : s + n + 1], i[s + 1 : s + n + 2]),
        "steps": lambda i, s, n: (i[s * n : s * n + n], i[s * n + 1 : s * n + n + 1]),
    },
    "adam_step": {
        "amsgrad": lambda w, g, m, v, t, lr, a=0.9, b=0.999, e=1e-8: right("adam_step")(
            w, g, m, torch.maximum(v, g**2), t, lr, a, b, e
        ),
        "t is 1": lambda w, g, m, v, t, lr, a=0.9, b=0.999, e=1e-8: right("adam_step")(
            w, g, m, v, 1, lr, a, b, e
        ),
    },
    "learning_rate": {
        "divides first": lambda s, p, w, n: (
            min(s / w, 1) * (p if s < w else p * (1 + math.cos(math.pi * s / n)) / 2)
        ),
        "warm-up of 1": lambda s, p, w, n: right("learning_rate")(s, p, max(1, w), n),
        "up to warmup": lambda s, p, w, n: (
            p * s / w if s <= w else right("learning_rate")(s, p, w, n)
        ),
    },
    "clip_together": {
        "0 / 0": lambda g, m: [
            x * min(1.0, m / math.sqrt(sum(float((y**2).sum()) for y in g))) for x in g
        ],
        "normalized": lambda g, m: [F.normalize(x, dim=-1) * m for x in g],
        "plus 1e-3": lambda g, m: [
            x * min(1.0, m / (math.sqrt(sum(float((y**2).sum()) for y in g)) + 1e-3)) for x in g
        ],
    },
    "decayed": {
        "two": lambda s: [n for n, x in s.items() if len(x) == 2],
        "last of the name": lambda s: [n for n in s if n.split(".")[-1] in ("weight", "w")],
        "no 1": lambda s: [n for n, x in s.items() if len(x) > 1 and 1 not in x],
    },
    "cut_stream": {
        "transposed": lambda x, s: [a.T for a in right("cut_stream")(x, s)],
        "equal parts": lambda x, s: list(x.chunk(len(s))),
    },
    "linear_from_release": {
        "squeezed": lambda W: W.squeeze().mT if W.squeeze().dim() > 1 else W.squeeze(),
        "by shape": lambda W: W.reshape(W.shape[2], W.shape[1]),
    },
    "parameters_of": {
        "two sides": lambda s: (
            sum(map(math.prod, s)),
            sum(math.prod(x) for x in s if sum(n > 1 for n in x) == 2),
        ),
        "three sides": lambda s: (
            sum(map(math.prod, s)),
            sum(math.prod(x) for x in s if len(x) == 3),
        ),
    },
    "table_row": {
        "backward": lambda p, V, s: V + s - p,
        "positions before": lambda p, V, s: V + p,
    },
    "apply_temperature": {
        "a whole 0": lambda x, T: (
            right("apply_temperature")(x, 0)
            if type(T) is int and T == 0
            else (x / T).softmax(0)
        ),
        "below a tenth": lambda x, T: right("apply_temperature")(x, T if T >= 0.1 else 0),
        "overflows": lambda x, T: (
            right("apply_temperature")(x, 0) if T == 0 else (x / T).exp() / (x / T).exp().sum()
        ),
        "1e-9": lambda x, T: (x / (T + 1e-9)).softmax(0),
        "at least a half": lambda x, T: right("apply_temperature")(x, T and max(T, 0.5)),
    },
    "top_k_mask": {
        "at least two": lambda p, k: right("top_k_mask")(p, max(2, k)),
        "places": lambda p, k: p.argsort(descending=True) < k,
    },
    "top_p_mask": {
        "argmax": lambda p, q: (
            p
            >= p.sort(descending=True).values[
                int((p.sort(descending=True).values.cumsum(0) >= q).int().argmax())
            ]
        ),
        "below": lambda p, q: p > p.sort(descending=True).values.cumsum(0)[0] - q,
        "one more": lambda p, q: right("top_k_mask")(
            p, int(right("top_p_mask")(p, q).sum()) + 1
        ),
    },
    "write_greedily": {
        "at least one": greedy_by_probability,
        "cut": lambda f, i, n, c: right("write_greedily")(f, i[-c:], n, c),
    },
    "entailment_ids": {
        "one delimiter less": lambda a, b, s, d, e, n: [s, *a[: n // 2 - 2], *b, e],
        "longest first": lambda a, b, s, d, e, n: right("entailment_ids")(
            *sorted([a, b], key=len), s, d, e, n
        ),
    },
    "multiple_choice_ids": {
        "sorted": lambda c, x, s, d, e, n: right("multiple_choice_ids")(
            c, sorted(x), s, d, e, n
        ),
        "without the last": lambda c, x, s, d, e, n: right("multiple_choice_ids")(
            c, x[:-1], s, d, e, n
        ),
    },
    "read_out": {
        "last": lambda h, i, e: h[torch.arange(len(i)), (i == e).int().flip(1).argmax(1)],
        "summed": lambda h, i, e: h.sum(dim=1),
    },
    "similarity_logits": {
        "maximum": lambda a, b, W, c: torch.maximum(a, b) @ W + c,
        "difference": lambda a, b, W, c: (a - b) @ W + c,
    },
    "choice_probs": {
        "overflows": lambda s, n: (e := s.view(-1, n).exp()) / e.sum(1, keepdim=True),
        "shares": lambda s, n: s.view(-1, n) / s.view(-1, n).sum(1, keepdim=True),
    },
    "l3_loss": {
        "by example": lambda a, b, c: (
            -(a + c * torch.stack([x.mean() for x in b])).mean().item()
        ),
        "over the examples": lambda a, b, c: float(
            -a.mean() - c * sum(map(torch.mean, b)) / len(a)
        ),
        "first sequence": lambda a, b, c: float(-a.mean() - c * b[0].mean()),
    },
    "mean_log_prob": {
        "log of softmax": lambda x, i: (
            x.softmax(-1).log()[torch.arange(len(i) - 1), i[1:]].mean().item()
        ),
        "clamped": lambda x, i: right("mean_log_prob")(x.clamp(-20, 20), i),
        "last": lambda x, i: x.log_softmax(-1)[-2, i[-1]].item(),
    },
    "likelier_choice": {
        "last of equals": lambda a: max((x.mean().item(), n) for n, x in enumerate(a))[1],
        "shortest": lambda a: min(range(len(a)), key=lambda n: len(a[n])),
    },
    "put_in_place": {
        "a space": split_first(lambda a, b, c: (a + c, " " + b.strip())),
        "both stripped": split_first(lambda a, b, c: ((a + c).strip(), b.strip())),
        "capital": split_first(lambda a, b, c: (a + c.capitalize(), b)),
    },
    "relative_score": {
        "of what is left": lambda a, c, b: (a - c) / (1 - c),
        "no chance": lambda a, c, b: a / b - c,
    },
    "mean_and_half": {
        "median": lambda v, t: (st.median(v), right("mean_and_half")(v, t)[1]),
        "rounded": lambda v, t: tuple(round(x, 2) for x in right("mean_and_half")(v, t)),
    },
    "paired_difference": {
        "relative": lambda a, b, t: right("mean_and_half")(
            [(x - y) / y for x, y in zip(a, b, strict=True)], t
        ),
        "means alone": lambda a, b, t: (st.mean(a) - st.mean(b), 0.0),
    },
    "holm": {
        "Sidak": lambda p: [1 - (1 - x) ** len(p) for p in [p] for x in p],
        "largest first": lambda p: right("holm")(p[::-1]),
    },
    "points_and_percent": {
        "ratio": lambda a, b: (b - a, 100 * b / a),
        "rounded": lambda a, b: (round(b - a), round(100 * (b - a) / a)),
    },
    "lstm_parameters": {
        "C + C": lambda C, n: 4 * n * (C + C + 2) + n * C + C,
        "no way back": lambda C, n: 4 * n * (C + n + 2),
    },
    "transferred_names": {
        "top blocks": lambda n, x: [
            y for y in x if not y.startswith("b") or int(y.split(".")[1]) >= 12 - n
        ],
        "tokens alone": lambda n, x: [
            y for y in right("transferred_names")(n, x) if not y.startswith("positions")
        ],
    },
    "mask_tokens": {
        "no tenth kept": lambda i, d, f, o, s, m: (
            torch.where((c := (d < 0.15) & not_special(i, s)), torch.where(f < 0.8, m, o), i),
            torch.where(c, i, -100),
        ),
        "at most 0.15": lambda i, d, f, o, s, m: (
            masks(i, d, f, o, m, (c := (d <= 0.15) & not_special(i, s))),
            torch.where(c, i, -100),
        ),
    },
    "mlm_loss": {
        "log of softmax": lambda x, y: (
            -(x[y != -100].softmax(1).log().gather(1, y[y != -100][:, None]).mean())
        ),
        "plus 1e-9": lambda x, y: (
            -((x[y != -100].softmax(1) + 1e-9).log().gather(1, y[y != -100][:, None]).mean())
        ),
    },
    "span_of": {
        "first word, last word": lambda q, p, a: (
            len(q) + 2 + p.index(a[0]),
            len(q) + 2 + p.index(a[-1]),
        ),
        "length for end": lambda q, p, a: (right("span_of")(q, p, a)[0], len(a)),
    },
    "fit_power": {
        "first and last": lambda n, y: (
            float(-np.log(y[-1] / y[0]) / np.log(n[-1] / n[0])),
            float(y[0]),
        ),
        "rounded": lambda n, y: tuple(round(float(x), 2) for x in right("fit_power")(n, y)),
    },
    "few_shot_prompt": {
        "arrows": lambda e, q: "\n".join([*(f"{a} -> {b}" for a, b in e), f"{q} ->"]),
        "no space": lambda e, q: "\n".join([*(f"{a}: {b}" for a, b in e), f"{q}:"]),
    },
}


@pytest.mark.parametrize(("name", "what"), cases(WRONG))
def test_a_plausible_wrong_answer_fails(name, what):
    verdict = diagnose(by_name(name), WRONG[name][what])
    assert verdict is not None and verdict.status == "FAIL" and verdict.message


RIGHT = {
    "most_likely": {
        "sorted": lambda w, p: [
            x for _, x in sorted(zip(p, w, strict=True), key=lambda i: -i[0])
        ][0],
        "numpy": lambda w, p: np.array(w)[np.argmax(p)],
        "loop": lambda w, p: w[max(range(len(p)), key=p.__getitem__)],
    },
    "share_of_top": {
        "numpy": lambda p, k: np.sort(p)[::-1][:k].sum(),
        "torch": lambda p, k: (
            torch.tensor(p, dtype=torch.double).topk(min(k, len(p))).values.sum()
        ),
        "fsum": lambda p, k: math.fsum(sorted(p)[max(0, len(p) - k) :]),
    },
    "count_bigrams": {
        "comprehension": lambda t, a: np.array(
            [
                [sum(x == y for x in zip(t, t[1:], strict=False)) for y in [(b, c) for c in a]]
                for b in a
            ]
        ),
        "add.at": lambda t, a: (
            c := table(a),
            np.add.at(
                c,
                tuple(
                    np.array([[a.index(x) for x in t[i : len(t) - 1 + i]] for i in (0, 1)], int)
                ),
                1,
            ),
        )[0],
    },
    "to_probabilities": {
        "transposed": lambda c, s: ((c + s).T / (c + s).sum(1)).T,
        "rows": lambda c, s: np.array([(r + s) / (r + s).sum() for r in c]),
        "longdouble": lambda c, s: right("to_probabilities")(c.astype(np.longdouble), s),
    },
    "log_likelihood": {
        "numpy scalar": lambda i, p: np.log(steps(i, p)).sum(),
        "loop": lambda i, p: sum((np.log(x) for x in steps(i, p)), 0.0),
    },
    "perplexity": {
        "torch": lambda x: (-x.mean()).exp(),
        "longdouble": lambda x: np.exp(-np.longdouble(x.double().mean().item())),
        "sum": lambda x: math.exp(-x.sum().item() / len(x)),
    },
    "merge_pair": {
        "from a list": lambda s, p: right("merge_pair")(list(s), tuple(p)),
        "tuple": lambda s, p: tuple(right("merge_pair")(s, p)),
    },
    "cut_word": {"tuple": lambda w, r: tuple(right("cut_word")(w, r))},
    "pieces_per_word": {
        "exact": lambda w, p: float(
            Fraction(sum(n * len(p[x]) for x, n in w.items()), sum(w.values()))
        )
    },
    "one_hot": {
        "eye": lambda i, V: torch.eye(V)[i],
        "compared": lambda i, V: (i[:, None] == torch.arange(V)).float(),
        "scatter": lambda i, V: torch.zeros(len(i), V).scatter(1, i[:, None], 1),
        "float64": lambda i, V: F.one_hot(i, V).double(),
    },
    "nearest_rows": {
        "python": lambda W, i, n: torch.tensor(
            sorted(
                (r for r in range(len(W)) if r != i),
                key=lambda r: -F.cosine_similarity(W[r], W[i], dim=0).item(),
            )[:n]
        )
    },
    "rows_that_learn": {
        "set": lambda b: torch.tensor(sorted(set(b[:, :-1].flatten().tolist())))
    },
    "embed": {"rows": lambda i, E, P: torch.stack([E[x] + P[t] for t, x in enumerate(i)])},
    "softmax": {
        "torch": lambda s: torch.softmax(s, -1),
        "log": lambda s: (s - s.logsumexp(-1, keepdim=True)).exp(),
        "float64": lambda s: s.double().softmax(-1),
    },
    "causal_mask": {
        "arange": lambda T: torch.arange(T)[:, None] >= torch.arange(T),
        "not triu": lambda T: ~torch.ones(T, T, dtype=torch.bool).triu(1),
    },
    "running_mean": {"cumsum": lambda v: v.cumsum(0) / torch.arange(1, len(v) + 1)[:, None]},
    "masked_softmax": {
        "loop": lambda s: torch.stack(
            [
                F.pad(s[..., t, : t + 1].softmax(-1), (0, s.shape[-1] - t - 1))
                for t in range(s.shape[-1])
            ],
            dim=-2,
        ),
        "lowest": lambda s: s.masked_fill(hidden(s), torch.finfo(s.dtype).min).softmax(-1),
    },
    "leaks_before": {
        "tensor": lambda f, x, t: (f(x)[:t] != f(bumped(x, t))[:t]).any(),
        "larger change": lambda f, x, t: (
            not torch.equal(
                f(x)[:t], f(torch.where(torch.arange(len(x))[:, None] == t, x + 1, x))[:t]
            )
        ),
    },
    "ablate_head": {
        "where": lambda m, h: torch.where((torch.arange(len(m)) == h)[:, None, None], 0.0, m),
        "stack": lambda m, h: torch.stack(
            [torch.zeros_like(x) if i == h else x for i, x in enumerate(m)]
        ),
    },
    "gelu": {"torch": lambda x: F.gelu(x, approximate="tanh")},
    "layer_norm": {
        "torch": lambda x, g, b, eps=1e-5: F.layer_norm(x, x.shape[-1:], g, b, eps),
        "correction": lambda x, g, b, eps=1e-5: (
            (x - x.mean(-1, keepdim=True))
            / (x.var(-1, keepdim=True, correction=0) + eps) ** 0.5
            * g
            + b
        ),
    },
    "tied_logits": {"einsum": lambda h, E: torch.einsum("tc,vc->tv", h, E)},
    "find_the_bug": {
        "largest": lambda r, w: next(
            (n for n in r if not (r[n] - w[n]).abs().max() <= 1e-4), None
        )
    },
    "learning_rate": {
        "numpy": lambda s, p, w, n: np.float64(right("learning_rate")(s, p, w, n))
    },
    "clip_together": {
        "torch": lambda g, m: [
            x * (m / torch.cat([y.flatten() for y in g]).norm()).clamp(max=1) for x in g
        ],
        "eps": lambda g, m: [
            x * min(1, m / (sum(float((y**2).sum()) for y in g) ** 0.5 + 1e-6)) for x in g
        ],
        "tuple": lambda g, m: tuple(right("clip_together")(g, m)),
    },
    "decayed": {"filter": lambda s: list(filter(lambda n: len(s[n]) >= 2, s))},
    "linear_from_release": {
        "squeeze 0": lambda W: W.squeeze(0).T,
        "mT": lambda W: W.mT[0],
        "einsum": lambda W: torch.einsum("kio->oi", W),
    },
    "apply_temperature": {
        "one hot": lambda x, T: (
            F.one_hot(x.argmax(), len(x)).float() if not T else F.softmax(x / T, dim=-1)
        ),
        "shifted": lambda x, T: (
            right("apply_temperature")(x, 0)
            if T == 0
            else (e := ((x - x.max()) / T).exp()) / e.sum()
        ),
    },
    "top_p_mask": {
        "loop": lambda p, q: torch.isin(
            torch.arange(len(p)),
            torch.tensor(
                [
                    i
                    for n, i in enumerate(p.argsort(descending=True).tolist())
                    if p.sort(descending=True).values[:n].sum() < q
                ]
            ),
        )
    },
    "choice_probs": {"rows": lambda s, n: torch.stack([x.softmax(0) for x in s.split(n)])},
    "l3_loss": {
        "tensor": lambda a, b, c: -a.mean() - c * torch.stack([x.mean() for x in b]).mean(),
        "python": lambda a, b, c: -float(a.mean()) - c * st.mean(float(x.mean()) for x in b),
    },
    "mean_log_prob": {"loss": lambda x, i: -F.cross_entropy(x[:-1], i[1:]).item()},
    "likelier_choice": {
        "numpy": lambda a: np.argmax([x.mean().item() for x in a]),
        "torch": lambda a: torch.stack([x.mean() for x in a]).argmax(),
    },
    "put_in_place": {
        "partition": lambda t, c: [(t.partition("_")[0] + x, t.partition("_")[2]) for x in c]
    },
    "holm": {"tensor numbers": lambda p: [torch.tensor(x) for x in right("holm")(p)]},
    "mlm_loss": {"torch": lambda x, y: F.cross_entropy(x.flatten(0, 1), y.flatten())},
}


ADVISED = [  # answers that a listed message must fit too, with a word of it, and one it has not
    (
        "ignores_order",
        lambda f, x, o: torch.allclose(f(x[o]), f(x)[o], atol=1e-2),
        ("Use atol=1e-5", "tenth"),
    ),
    (
        "find_the_bug",
        lambda r, w: next(
            (n for n in r if not torch.isclose(r[n], w[n], atol=1e-4).any()), None
        ),
        ("not .all()", "enough: .any()."),
    ),
]


@pytest.mark.parametrize(("name", "answer", "words"), ADVISED)
def test_the_advice_is_not_what_the_answer_has_already(name, answer, words):
    verdict = diagnose(by_name(name), answer)
    assert verdict and words[0] in verdict.message and words[1] not in verdict.message
    assert verdict.message in [wrong.message for wrong in by_name(name).wrong_answers]


@pytest.mark.parametrize(("name", "what"), cases(RIGHT))
def test_an_unusual_right_answer_passes(name, what):
    verdict = diagnose(by_name(name), RIGHT[name][what])
    assert verdict is None, verdict.message


def test_there_are_enough_of_both():
    assert len(cases(WRONG)) >= 133 and len(cases(RIGHT)) >= 40


NUMBERS = [  # answers to the notebook's own questions, and a word of the reply
    ("bits_and_perplexity", (2.83, 1.5), "Swapped"),
    ("bits_and_perplexity", (3, 2.83), "of both tokens"),
    ("bits_and_perplexity", (-1.5, 2.83), "sign"),
    ("bits_of_a_character", (1.02,), "Upside down"),
    ("vocabulary_size", (5121,), "twice"),
    ("finite_difference", (12.01,), "smaller step"),
    ("rate_at", (0.000213,), "plain units"),
    ("updates_of", (30055,), "rounded down"),
    ("nucleus_of", (47.1, 3), "Swapped"),
    ("nucleus_of", (3, 0.471), "percent"),
    ("head_numbers", (5380, 3072), "Swapped"),
    ("lead", (4.36, 5.61), "mean of all seven"),
    ("lead", (1.9, 2.37), "first in the list"),
]


@pytest.mark.parametrize(("name", "answer", "word"), NUMBERS)
def test_a_plausible_wrong_number_is_named(name, answer, word):
    e = by_name(name)
    verdict = e.diagnose(answer, e.first)
    assert verdict is not None and word in verdict.message

"""A second helping of answers that a student might write: three wrong ones per exercise."""

import bisect
import heapq
import math
import re
import statistics as st

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from answers import by_name, cases, right

from gpt1course.checking.exercise import diagnose
from gpt1lib.bpe import characters


def summed(words, probs):
    by_word = {}
    for word, p in zip(words, probs, strict=True):
        by_word[word] = by_word.get(word, 0) + p
    return max(by_word, key=by_word.get)


def counted_per_word(text, alphabet):
    return sum(right("count_bigrams")(word, alphabet) for word in re.split("( )", text))


def by_first_place(symbols, pair):
    """Joins at the first place of the left symbol, and stops where that is none."""
    out = list(symbols)
    while pair[0] in out:
        i = out.index(pair[0])
        if out[i + 1 : i + 2] != [pair[1]]:
            break
        out[i : i + 2] = ["".join(pair)]
    return out


def at_least_twice(word_counts, k):
    words, counts, merges = [characters(w) for w in word_counts], word_counts.values(), []
    for _ in range(k):
        pairs = right("count_pairs")(words, counts)
        pairs = {pair: n for pair, n in pairs.items() if n > 1}
        if not pairs:
            break
        merges.append(min(pairs, key=lambda pair: (-pairs[pair], pair)))
        words = [right("merge_pair")(word, merges[-1]) for word in words]
    return merges


def through_the_ranks_once(word, ranks):
    symbols = characters(word)
    for pair in sorted(ranks, key=ranks.get):
        symbols = right("merge_pair")(symbols, pair)
    return symbols


def first_place_merged(word, ranks):
    symbols = characters(word)
    while known := [p for p in zip(symbols, symbols[1:], strict=False) if p in ranks]:
        i = next(
            i
            for i, p in enumerate(zip(symbols, symbols[1:], strict=False))
            if p == min(known, key=ranks.get)
        )
        symbols = [*symbols[:i], symbols[i] + symbols[i + 1], *symbols[i + 2 :]]
        ranks = {p: n for p, n in ranks.items() if p != min(known, key=ranks.get)}
    return symbols


def cosines(W, i):
    return F.normalize(W, dim=1) @ F.normalize(W[i], dim=0)


def own_cosine(value):
    def nearest_rows(W, i, n):
        alike = cosines(W, i)
        alike[i] = value
        return alike.topk(n).indices

    return nearest_rows


def shared(scores, least=50.0):
    return scores.clamp(-least, least).softmax(-1)


def buffer(size):
    return torch.ones(size, size, dtype=torch.bool).tril()


def heads_of(q, k, v, W_O, b_O, weigh):
    T, D = q.shape[1:]
    scores = q @ k.transpose(-1, -2) / math.sqrt(D)
    return (weigh(scores, buffer(T)) @ v).transpose(0, 1).flatten(1) @ W_O + b_O


def norm(x, gain, bias, eps, take=lambda x: x.var(-1, keepdim=True, unbiased=False)):
    return (x - x.mean(-1, keepdim=True)) / (take(x) + eps).sqrt() * gain + bias


def compared(distance, limit=1e-4):
    def find_the_bug(right, wrong):
        return next((n for n in right if not distance(right[n], wrong[n]) <= limit), None)

    return find_the_bug


def blocks_of(close):
    def order_of(x, h, a, m, p, q):
        if close(h, right("post_ln_block")(x, a, m, p, q)):
            return "post"
        n = x + a(p(x))
        return "pre" if close(h, n + m(q(n))) else "neither"

    return order_of


def total_norm(grads):
    return math.sqrt(sum(float((g**2).sum()) for g in grads))


def cut_by_shape(stream, shapes):
    found, start = {}, 0
    for shape in map(tuple, shapes):
        found[shape] = stream[start : start + math.prod(shape)].view(shape)
        start += math.prod(shape)
    return list(found.values())


def adam(w, g, m, v, t, lr, a=0.9, b=0.999, e=1e-8, step=None, **changed):
    m, v = a * m + (1 - a) * g, b * v + (1 - b) * g**2
    return step(w, m, v, t, lr, a, b, e), m, v


def adam_with(step):
    return lambda w, g, m, v, t, lr, a=0.9, b=0.999, e=1e-8: adam(
        w, g, m, v, t, lr, a, b, e, step
    )


def reaching(probs, p):
    """As many of the likeliest as it takes, by their probabilities."""
    ranked = probs.sort(descending=True).values
    return ranked[: int((ranked.cumsum(0) < p).sum()) + 1]


def greedily(model, ids, n, n_ctx, pick=lambda logits: logits.argmax()):
    for _ in range(n):
        ids = torch.cat([ids, pick(model(ids[-n_ctx:])[-1])[None]])
    return ids


def after_the_candidate(text, candidate, find):
    whole = text.replace("_", candidate)
    end = find(whole, candidate) + len(candidate)
    return whole[:end], whole[end:]


def chosen(draws, ids, specials):
    return (draws < 0.15) & ~torch.isin(ids, torch.tensor(specials, dtype=ids.dtype))


def bumped(x, t):
    changed = x.clone()
    changed[t] += 1
    return changed


WRONG = {
    "most_likely": {
        "summed over equal words": summed,
        "the longest of the first three": lambda w, p: right("most_likely")(w[:3], p[:3]),
        "sorted by word first": lambda w, p: max(
            sorted(zip(w, p, strict=True)), key=lambda i: i[1]
        )[0],
    },
    "share_of_top": {
        "at least the k-th": lambda p, k: sum(x for x in p if x >= sorted(p)[-min(k, len(p))]),
        "three at most": lambda p, k: sum(heapq.nlargest(min(k, 2), p)),
    },
    "count_bigrams": {
        "word by word": counted_per_word,
        "letters alone": lambda t, a: right("count_bigrams")(
            "".join(x for x in t if x.isalpha()), a
        ),
        "eight bits with a sign": lambda t, a: right("count_bigrams")(t, a).astype(np.int8),
    },
    "to_probabilities": {
        "at most one": lambda c, s: (c + min(s, 1)) / (c + min(s, 1)).sum(1, keepdims=True),
        "rows without counts uniform": lambda c, s: np.where(
            c.sum(1, keepdims=True) == 0, 0, right("to_probabilities")(c, s)
        ),
        "sum of all columns": lambda c, s: (c + s) / (c.sum(0, keepdims=True).T + s * len(c)),
    },
    "log_likelihood": {
        "each pair once": lambda i, p: float(
            sum(
                np.log(p[a, b])
                for a, b in set(zip(i[:-1].tolist(), i[1:].tolist(), strict=True))
            )
        ),
        "mean times T": lambda i, p: (
            float(np.log(p[i[:-1], i[1:]]).mean() * len(i)) if len(i) > 1 else 0.0
        ),
        "half precision": lambda i, p: float(np.log(p[i[:-1], i[1:]].astype(np.float16)).sum()),
    },
    "perplexity": {
        "three decimals": lambda x: round(math.exp(-float(x.mean())), 3),
        "at most 1e6": lambda x: min(1e6, math.exp(-float(x.mean()))),
        "mean of the finite ones": lambda x: math.exp(-float(x[x.isfinite()].sum()) / len(x)),
    },
    "count_pairs": {
        "words as keys": lambda w, c: right("count_pairs")(
            *zip(*dict(zip(map(tuple, w), c, strict=True)).items(), strict=True)
        ),
        "across words": lambda w, c: right("count_pairs")([sum(w, [])], c[:1]),
        "seen twice": lambda w, c: {
            p: n for p, n in right("count_pairs")(w, c).items() if n > 1
        },
    },
    "merge_pair": {
        "the first left symbol": by_first_place,
        "in alphabetical order": lambda s, p: right("merge_pair")(s, tuple(sorted(p))),
        "merged again": lambda s, p: right("merge_pair")(
            right("merge_pair")(s, p), ("".join(p), p[1])
        ),
    },
    "learn": {
        "seen at least twice": at_least_twice,
        "three words": lambda w, k: right("learn")(dict(list(w.items())[:3]), k),
        "no pair twice in a word": lambda w, k: right("learn")(
            {x: n for x, n in w.items() if len(set(x)) == len(x)}, k
        ),
    },
    "cut_word": {
        "through the ranks once": through_the_ranks_once,
        "only the first place": first_place_merged,
        "lower case": lambda w, r: right("cut_word")(w.lower(), r),
    },
    "pieces_per_word": {
        "four decimals": lambda w, p: round(right("pieces_per_word")(w, p), 4),
        "weighted by letters": lambda w, p: (
            sum(n * len(x) * len(p[x]) for x, n in w.items())
            / sum(n * len(x) for x, n in w.items())
        ),
        "in the order of the pieces": lambda w, p: (
            sum(n * len(x) for n, x in zip(w.values(), p.values(), strict=False))
            / sum(w.values())
        ),
    },
    "one_hot": {
        "up to the largest id": lambda i, V: torch.eye(int(i.max()) + 1)[i],
        "counts": lambda i, V: F.one_hot(i, V).cumsum(0).clamp(max=1).float(),
        "in a batch": lambda i, V: F.one_hot(i, V).float()[None],
    },
    "nearest_rows": {
        "own cosine -1": own_cosine(-1.0),
        "own cosine 0": own_cosine(0.0),
        "not row 0": lambda W, i, n: (x := cosines(W, i).argsort(descending=True))[x != 0][:n],
    },
    "rows_that_learn": {
        "without the first": lambda b: b[:, 1:].unique(),
        "flat": lambda b: b.flatten()[:-1].unique(),
        "read and asked for": lambda b: torch.tensor(
            sorted(set(b[:, :-1].flatten().tolist()) & set(b[:, 1:].flatten().tolist()))
        ),
    },
    "embed": {
        "positions of the ids in order": lambda i, E, P: E[i] + P[i.argsort().argsort()],
        "positions once per id": lambda i, E, P: (
            E[i] + P[[i.tolist().index(x) for x in i.tolist()]]
        ),
        "padded": lambda i, E, P: F.pad(E[i], (0, 0, 0, len(P) - len(i))) + P,
    },
    "sinusoids": {
        "C minus 2": lambda n, C: (
            a := torch.arange(n)[:, None] * 1e4 ** (-torch.arange(0, C, 2) / max(C - 2, 1)),
            torch.stack([a.sin(), a.cos()], -1).flatten(1),
        )[1],
        "half of C": lambda n, C: (
            a := torch.arange(n)[:, None] * 1e4 ** (-torch.arange(0, C, 2) / (C // 2)),
            torch.stack([a.sin(), a.cos()], -1).flatten(1),
        )[1],
        "sine of both": lambda n, C: right("sinusoids")(n, C).abs(),
    },
    "softmax": {
        "held at 50": shared,
        "two axes": lambda s: (
            s.flatten(1).softmax(-1).view(s.shape) if s.dim() > 1 else s.softmax(-1)
        ),
        "half precision": lambda s: s.half().softmax(-1).float(),
    },
    "look_up": {
        "held at 50": lambda q, K, V: shared(K @ q) @ V,
        "one value per key": lambda q, K, V: (K @ q).softmax(0)[:, None] * V,
        "held at 10": lambda q, K, V: shared(K @ q, 10.0) @ V,
    },
    "scaled_scores": {
        "whole root": lambda Q, K: Q @ K.T / max(1, round(math.sqrt(Q.shape[1]))),
        "larger side": lambda Q, K: Q @ K.T / math.sqrt(max(Q.shape)),
        "D minus 1": lambda Q, K: Q @ K.T / math.sqrt(max(Q.shape[1] - 1, 1)),
    },
    "attention": {
        "powers overflow": lambda Q, K, V: (
            (e := (Q @ K.T / math.sqrt(Q.shape[1])).exp()) / e.sum(1, keepdim=True) @ V
        ),
        "held at 10": lambda Q, K, V: shared(Q @ K.T / math.sqrt(Q.shape[1]), 10.0) @ V,
        "with a residual": lambda Q, K, V: (
            right("attention")(Q, K, V) + (Q if Q.shape == V.shape else 0)
        ),
    },
    "ignores_order": {
        "sorted rows": lambda f, x, o: torch.allclose(f(x[o]).sum(0), f(x).sum(0), atol=1e-5),
        "relative": lambda f, x, o: torch.allclose(f(x[o]), f(x)[o], rtol=1e-2, atol=0),
        "back": lambda f, x, o: torch.allclose(f(x[o])[o], f(x), atol=1e-5),
    },
    "causal_mask": {
        "512 at most": lambda T: buffer(512)[:T, :T],
        "block by block": lambda T: (
            torch.block_diag(*[buffer(min(64, T - t)) for t in range(0, T, 64)]) > 0
        ),
        "eight bits": lambda T: torch.ones(T, T, dtype=torch.uint8).tril(),
    },
    "running_mean": {
        "last ten": lambda v: torch.stack(
            [v[max(0, t - 9) : t + 1].mean(0) for t in range(len(v))]
        ),
        "of means": lambda v: (
            torch.stack([v[: t + 1].mean(0) for t in range(len(v))]).cumsum(0)
            / torch.arange(1, len(v) + 1)[:, None]
        ),
        "exponential": lambda v: torch.stack(
            [*(v[:1]), *((v[t] + v[t - 1]) / 2 for t in range(1, len(v)))]
        ),
    },
    "masked_softmax": {
        "held at 50": lambda s: (
            s.clamp(-50, 50).masked_fill(~buffer(s.shape[-1]), -math.inf).softmax(-1)
        ),
        "minus 1e3 once more": lambda s: (
            s.masked_fill(~buffer(s.shape[-1]), -1e3).softmax(-1).tril()
        ),
        "nan to 0": lambda s: (
            w := s.softmax(-1).tril(),
            (w / w.sum(-1, keepdim=True)).nan_to_num(),
        )[1],
    },
    "leaks_before": {
        "a gradient": lambda f, x, t: bool(
            torch.autograd.functional.jacobian(f, x)[:t, :, t].abs().sum() > 0
        ),
        "less than 1e-6": lambda f, x, t: bool(
            ((f(x)[:t] - f(bumped(x, t))[:t]).abs() > 1e-6).any()
        ),
        "the same text": lambda f, x, t: not torch.equal(f(x)[:t], f(x[: t + 1])[:t]),
    },
    "mask_with_cache": {
        "512 at most": lambda q, k: buffer(512)[k - q : k, :k],
        "one query": lambda q, k: (
            torch.ones(q, k, dtype=torch.bool) if q == 1 else buffer(k)[:q]
        ),
        "flipped": lambda q, k: buffer(k)[-q:].flip(0),
    },
    "split_heads": {
        "unfolded": lambda x, H: x.unfold(1, x.shape[1] // H, 1)[:, :H].transpose(0, 1),
        "last head first": lambda x, H: right("split_heads")(x, H).flip(0),
        "by columns": lambda x, H: x.T.reshape(H, -1, len(x)).transpose(1, 2).flip(2),
    },
    "merge_heads": {
        "flat": lambda m: m.transpose(0, 1).flatten(),
        "tokens as heads": lambda m: m.transpose(0, 1).transpose(1, 2).flatten(1),
        "first head first only": lambda m: torch.cat([m[0], *m[1:].flip(0)], dim=1),
    },
    "multi_head": {
        "held at 50": lambda q, k, v, W, b: heads_of(
            q, k, v, W, b, lambda s, m: s.clamp(-50, 50).masked_fill(~m, -math.inf).softmax(-1)
        ),
        "held at 10": lambda q, k, v, W, b: heads_of(
            q, k, v, W, b, lambda s, m: s.clamp(-10, 10).masked_fill(~m, -math.inf).softmax(-1)
        ),
        "minus 100": lambda q, k, v, W, b: heads_of(
            q, k, v, W, b, lambda s, m: (s - 100 * ~m).softmax(-1)
        ),
    },
    "ablate_head": {
        "counted from the end": lambda m, h: torch.where(
            (torch.arange(len(m)) == len(m) - 1 - h)[:, None, None], 0.0, m
        ),
        "halved": lambda m, h: torch.where(
            (torch.arange(len(m)) == h)[:, None, None], m / 2, m
        ),
        "a small number": lambda m, h: torch.where(
            (torch.arange(len(m)) == h)[:, None, None], 1e-3, m
        ),
    },
    "last_k": {
        "padded": lambda i, k, n: (F.pad(right("last_k")(i, k, n)[0], (n - k, 0)), i[n:]),
        "k targets": lambda i, k, n: (right("last_k")(i, k, n)[0], i[k:]),
        "without the last": lambda i, k, n: tuple(x[:-1] for x in right("last_k")(i, k, n)),
    },
    "gelu": {
        "0 below -4": lambda x: torch.where(x < -4, 0.0, right("gelu")(x)),
        "x above 4": lambda x: torch.where(x > 4, x, right("gelu")(x)),
        "single precision": lambda x: right("gelu")(x.float()).round(decimals=4).to(x.dtype),
    },
    "feed_forward": {
        "gelu of the sigmoid form": lambda x, A, a, B, b: (
            (h := x @ A + a) * torch.sigmoid(1.702 * h) @ B + b
        ),
        "first bias outside": lambda x, A, a, B, b: (right("gelu")(x @ A) + a) @ B + b,
        "clamped neurons": lambda x, A, a, B, b: (
            right("gelu")((x @ A + a).clamp(-2, 2)) @ B + b
        ),
    },
    "layer_norm": {
        "median": lambda x, g, b, eps=1e-5: (
            (x - x.median(-1, keepdim=True).values)
            / (x.var(-1, keepdim=True, unbiased=False) + eps).sqrt()
            * g
            + b
        ),
        "no variance no change": lambda x, g, b, eps=1e-5: torch.where(
            x.var(-1, keepdim=True, unbiased=False) == 0, x, norm(x, g, b, eps)
        ),
        "mean absolute": lambda x, g, b, eps=1e-5: (
            (x - x.mean(-1, keepdim=True))
            / ((x - x.mean(-1, keepdim=True)).abs().mean(-1, keepdim=True) + eps)
            * g
            + b
        ),
    },
    "post_ln_block": {
        "ln_2 of both": lambda x, a, m, p, q: q(p(x + a(x)) + m(q(p(x + a(x))))),
        "halved": lambda x, a, m, p, q: q((p(x + a(x)) + m(p(x + a(x)))) / 2),
        "x after": lambda x, a, m, p, q: x + q(p(x + a(x)) + m(p(x + a(x)))),
    },
    "order_of": {
        "up to a thousandth": blocks_of(lambda a, b: torch.allclose(a, b, atol=2e-2)),
        "means": blocks_of(lambda a, b: torch.allclose(a.mean(-1), b.mean(-1), atol=1e-4)),
        "lengths": blocks_of(
            lambda a, b: torch.allclose(a.norm(dim=-1), b.norm(dim=-1), atol=1e-4)
        ),
        "the average difference": blocks_of(lambda a, b: (a - b).abs().mean() < 1e-3),
    },
    "dropout": {
        "share of the row": lambda x, p, n, t: (
            x * (n >= p) / (n >= p).float().mean().clamp(min=1e-9) if t else x
        ),
        "above 1 - p": lambda x, p, n, t: x * (n < 1 - p) / (1 - p) if t else x,
        "not at p above a half": lambda x, p, n, t: (
            x * (n >= p) / (1 - p) if t and p < 0.5 else x
        ),
    },
    "tied_logits": {
        "square only": lambda h, E: h @ (E if E.shape[0] == E.shape[1] else E.T),
        "softcap": lambda h, E: 30 * torch.tanh(h @ E.T / 30),
        "less the largest": lambda h, E: (x := h @ E.T) - x.amax(-1, keepdim=True),
    },
    "find_the_bug": {
        "5e-4": compared(lambda a, b: (a - b).abs().max(), 5e-4),
        "2e-5": compared(lambda a, b: (a - b).abs().max(), 5e-5),
        "mean difference": compared(lambda a, b: (a - b).abs().mean()),
        "nan to 0": compared(lambda a, b: (a - b).nan_to_num().abs().max()),
        "not the first": lambda r, w: right("find_the_bug")({k: r[k] for k in [*r][1:]}, w),
    },
    "mix_of_the_seen": {
        "held at 50": lambda q, K, V, t: (
            shared(K[: t + 1] @ q / math.sqrt(len(q))) @ V[: t + 1]
        ),
        "held at 10": lambda q, K, V, t: (
            shared(K[: t + 1] @ q / math.sqrt(len(q)), 10.0) @ V[: t + 1]
        ),
        "minus 100": lambda q, K, V, t: (
            (K @ q / math.sqrt(len(q)) - 100 * (torch.arange(len(K)) > t)).softmax(0) @ V
        ),
    },
    "block_parameters": {
        "bias of C in the middle": lambda C: 12 * C * C + 10 * C,
        "four biases more": lambda C: 12 * C * C + 13 * C + 4,
        "head sizes": lambda C: 12 * C * C + 13 * C if C % 64 == 0 else 0,
    },
    "gpt_parameters": {
        "one position": lambda V, T, L, C: (V + 1) * C + L * (12 * C * C + 13 * C),
        "eight C": lambda V, T, L, C: (V + T) * C + L * (8 * C * C + 13 * C),
        "T squared": lambda V, T, L, C: (V + T) * C + L * (12 * C * C + 13 * C) + T * T,
    },
    "softmax_backward": {
        "log softmax": lambda d, p: d - p * d.sum(-1, keepdims=True),
        "divided": lambda d, p: (
            p
            * (
                d
                - (d * p).sum(-1, keepdims=True)
                / p.sum(-1, keepdims=True).max() ** 2
                * p.max(-1, keepdims=True)
            )
        ),
        "two axes alone": lambda d, p: (
            p * (d - (d * p).sum(1, keepdims=True)) if d.ndim > 1 else p * (d - (d * p).sum())
        ),
    },
    "gelu_slope": {
        "step": lambda x: (
            (right("gelu_slope")(x) > 0.5) * 1.0
            if np.ndim(x) == 0
            else right("gelu_slope")(x).clip(0, 1)
        ),
        "between 0 and 1.1": lambda x: np.clip(right("gelu_slope")(x), -0.1, 1.1),
        "gate alone": lambda x: (
            0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 3 * 0.044715 * x**2)))
        ),
    },
    "layer_norm_backward": {
        "lists": lambda d, z, s, g: [*right("layer_norm_backward")(d, z, s, g).values()],
        "std plus eps": lambda d, z, s, g: right("layer_norm_backward")(d, z, s + 1e-3, g),
        "bias times gain": lambda d, z, s, g: (
            right("layer_norm_backward")(d, z, s, g) | {"bias": (d * g).sum(0)}
        ),
    },
    "attention_backward": {
        "scaled twice for k": lambda d, q, k, v, w: (
            (x := right("attention_backward")(d, q, k, v, w))
            | {"k": x["k"] / math.sqrt(q.shape[1])}
        ),
        "v for the largest": lambda d, q, k, v, w: (
            right("attention_backward")(d, q, k, v, w)
            | {"v": (w == w.max(1, keepdims=True)).T @ d}
        ),
        "only below": lambda d, q, k, v, w: (
            (x := right("attention_backward")(d, q, k, v, w)) | {"q": np.tril(x["q"])}
        ),
    },
    "tied_gradient": {
        "each id once": lambda i, a, h, d: (
            g := d.T @ h,
            [g.__setitem__(x, g[x] + a[i == x][0]) for x in set(i.tolist())],
        )[0],
        "sum of all": lambda i, a, h, d: d.T @ h + a.sum(0),
        "averaged over T": lambda i, a, h, d: right("tied_gradient")(i, a, h, d) / len(i),
    },
    "descend": {
        "decay": lambda w, g, lr: {n: w[n] * (1 - 0.01 * lr) - lr * g[n] for n in w},
        "clipped": lambda w, g, lr: {n: w[n] - lr * np.clip(g[n], -1, 1) for n in w},
        "at most 0.1": lambda w, g, lr: {n: w[n] - min(lr, 0.1) * g[n] for n in w},
    },
    "cut_window": {
        "held in the stream": lambda i, s, n: right("cut_window")(i, min(s, len(i) - n - 2), n),
        "last target padded": lambda i, s, n: (i[s : s + n], F.pad(i[s + 1 : s + n], (0, 1))),
        "even starts": lambda i, s, n: right("cut_window")(i, s // n * n, n),
    },
    "adam_step": {
        "AdamW": adam_with(
            lambda w, m, v, t, lr, a, b, e: (
                w * (1 - 0.01 * lr) - lr * (m / (1 - a**t)) / ((v / (1 - b**t)).sqrt() + e)
            )
        ),
        "eps before the correction": adam_with(
            lambda w, m, v, t, lr, a, b, e: (
                w - lr * math.sqrt(1 - b**t) / (1 - a**t) * m / (v.sqrt() + e)
            )
        ),
        "Nesterov": adam_with(
            lambda w, m, v, t, lr, a, b, e: (
                w - lr * (a * m / (1 - a**t)) / ((v / (1 - b**t)).sqrt() + e)
            )
        ),
    },
    "learning_rate": {
        "at least 1e-5": lambda s, p, w, n: max(1e-5, right("learning_rate")(s, p, w, n)),
        "line to the cosine": lambda s, p, w, n: (
            s / w * right("learning_rate")(w, p, 0, n)
            if s < w
            else right("learning_rate")(s, p, w, n)
        ),
        "whole share": lambda s, p, w, n: (
            p * (s // w) if s < w else right("learning_rate")(s, p, w, n)
        ),
    },
    "clip_together": {
        "two tensors": lambda g, m: [x * m / max(total_norm(g[:2]), m) for x in g],
        "small ones as they are": lambda g, m: [
            x if x.norm() < m else x * m / max(total_norm(g), m) for x in g
        ],
        "each different one": lambda g, m: [
            x * m / max(total_norm({float(y.sum()): y for y in g}.values()), m) for x in g
        ],
    },
    "decayed": {
        "more than one row": lambda s: [n for n, x in s.items() if len(x) > 1 and x[-1] > 1],
        "by a suffix": lambda s: [n for n in s if not n.endswith(("bias", "b", "g", "gain"))],
        "sides of two": lambda s: [n for n, x in s.items() if min(x) > 1 or len(x) > 2],
    },
    "cut_stream": {
        "by shape": cut_by_shape,
        "whole numbers": lambda x, s: [y.float() for y in right("cut_stream")(x, s)],
        "two sides": lambda x, s: [
            y.flatten(0, -2) if y.dim() > 2 else y for y in right("cut_stream")(x, s)
        ],
    },
    "linear_from_release": {
        "in times out": lambda W: W.reshape(W.shape[1], W.shape[2]),
        "two transposes": lambda W: W[0].T.T,
        "a batch of one": lambda W: W.transpose(1, 2)[:1],
    },
    "parameters_of": {
        "each shape once": lambda s: right("parameters_of")([*dict.fromkeys(map(tuple, s))]),
        "first side above 1": lambda s: (
            sum(map(math.prod, s)),
            sum(math.prod(x) for x in s if len(x) > 1 and x[-1] > 1),
        ),
        "product above the sum": lambda s: (
            sum(map(math.prod, s)),
            sum(math.prod(x) for x in s if math.prod(x) > sum(x)),
        ),
    },
    "table_row": {
        "next": lambda p, V, s: V + s + p + (s > 0),
        "at most 512": lambda p, V, s: V + s + p % 500,
        "after the last": lambda p, V, s: V + max(s, 1) + p,
    },
    "apply_temperature": {
        "held at 50": lambda x, T: (
            right("apply_temperature")(x, 0) if T == 0 else shared(x / T)
        ),
        "rounded": lambda x, T: right("apply_temperature")(x, T).round(decimals=3),
        "at most 2": lambda x, T: right("apply_temperature")(x, min(T, 2)),
    },
    "top_k_mask": {
        "never all": lambda p, k: right("top_k_mask")(p, min(k, len(p) - 1)),
        "at most 3": lambda p, k: right("top_k_mask")(p, min(k, 3)),
    },
    "top_p_mask": {
        "at least two": lambda p, q: right("top_k_mask")(
            p, max(2, int(right("top_p_mask")(p, q).sum()))
        ),
        "at most four": lambda p, q: right("top_k_mask")(
            p, min(4, int(right("top_p_mask")(p, q).sum()))
        ),
        "of what is rounded": lambda p, q: right("top_p_mask")(p.round(decimals=2), q),
    },
    "write_greedily": {
        "until the context is full": lambda f, i, n, c: greedily(
            f, i, min(n, max(0, c - len(i))), c
        ),
        "stops at a repetition": lambda f, i, n, c: greedily(f, i, min(n, 7), c),
    },
    "entailment_ids": {
        "one more for the second": lambda a, b, s, d, e, n: [
            s,
            *a[: n // 2 - 2],
            d,
            *b[: n - n // 2 - 2],
            e,
        ],
        "filled up": lambda a, b, s, d, e, n: (
            (x := right("entailment_ids")(a, b, s, d, e, n)) + [0] * (n - len(x))
        ),
        "three for each": lambda a, b, s, d, e, n: [
            s,
            *a[: n // 2 - 3],
            d,
            *b[: n // 2 - 3],
            e,
        ],
    },
    "multiple_choice_ids": {
        "delimiter first": lambda c, x, s, d, e, n: [
            [s, d, *c[: n // 2 - 2], *y[: n // 2 - 2], e] for y in x
        ],
        "each answer once": lambda c, x, s, d, e, n: [
            [s, *c[: n // 2 - 2], d, *dict.fromkeys(y[: n // 2 - 2]), e][:-1] for y in x
        ],
        "two answers": lambda c, x, s, d, e, n: right("multiple_choice_ids")(
            c, x[:2], s, d, e, n
        ),
    },
    "read_out": {
        "above the others": lambda h, i, e: h[torch.arange(len(i)), (i >= e).int().argmax(1)],
        "by length": lambda h, i, e: h[torch.arange(len(i)), (i > 0).sum(1) - 1],
        "after it": lambda h, i, e: h[
            torch.arange(len(i)), ((i == e).int().argmax(1) + 1).clamp(max=i.shape[1] - 1)
        ],
    },
    "similarity_logits": {
        "joined": lambda a, b, W, c: torch.cat([a, b], 1) @ torch.cat([W, W]) / 2 + c,
        "half the bias": lambda a, b, W, c: (a + b) @ W + c / 2,
        "normalized": lambda a, b, W, c: F.layer_norm(a + b, a.shape[-1:]) @ W + c,
    },
    "choice_probs": {
        "held at 50": lambda s, n: shared(s.view(-1, n)),
        "held at 10": lambda s, n: shared(s.view(-1, n), 10.0),
        "one maximum": lambda s, n: (
            (e := (s - s.max()).exp().view(-1, n)) / e.sum(1, keepdim=True)
        ),
    },
    "l3_loss": {
        "a half where lambda is 0": lambda a, b, c: right("l3_loss")(a, b, c or 0.5),
        "at most one": lambda a, b, c: right("l3_loss")(a, b, min(c, 1.0)),
        "as many sequences as labels": lambda a, b, c: right("l3_loss")(a, b[: len(a)], c),
    },
    "mean_log_prob": {
        "plus 1e-9": lambda x, i: (
            (x.softmax(-1)[torch.arange(len(i) - 1), i[1:]] + 1e-9).log().mean().item()
        ),
        "at least -100": lambda x, i: (
            x.log_softmax(-1)[torch.arange(len(i) - 1), i[1:]].clamp(min=-100).mean().item()
        ),
        "median": lambda x, i: (
            x.log_softmax(-1)[torch.arange(len(i) - 1), i[1:]].median().item()
        ),
    },
    "likelier_choice": {
        "three decimals": lambda a: (m := [round(x.mean().item(), 3) for x in a]).index(max(m)),
        "length to a power": lambda a: (
            m := [(x.sum() / len(x) ** 0.9).item() for x in a]
        ).index(max(m)),
        "half precision": lambda a: (m := [x.mean().half().item() for x in a]).index(max(m)),
    },
    "put_in_place": {
        "after the first": lambda t, c: [after_the_candidate(t, x, str.index) for x in c],
        "after the last": lambda t, c: [after_the_candidate(t, x, str.rindex) for x in c],
        "stripped": lambda t, c: right("put_in_place")(t.strip(), c),
        "lower case": lambda t, c: right("put_in_place")(t.lower(), c),
    },
    "relative_score": {
        "two decimals": lambda a, c, b: round((a - c) / (b - c), 2),
        "at least 0": lambda a, c, b: max(a - c, 0) / (b - c),
        "chance of the best": lambda a, c, b: (a - c * b) / (b - c * b),
    },
    "mean_and_half": {
        "absolute": lambda v, t: right("mean_and_half")([abs(x) for x in v], t),
        "trimmed": lambda v, t: right("mean_and_half")(sorted(v)[1:-1] if len(v) > 4 else v, t),
        "pairs": lambda v, t: (st.mean(v), t * st.pstdev(v) / math.sqrt(len(v))),
    },
    "paired_difference": {
        "of the means": lambda a, b, t: (
            st.mean(a) - st.mean(b),
            t * math.sqrt((st.variance(a) + st.variance(b)) / (2 * len(a))),
        ),
        "each once": lambda a, b, t: right("mean_and_half")(
            [*dict.fromkeys(round(x - y, 9) for x, y in zip(a, b, strict=True))], t
        ),
        "half of it": lambda a, b, t: tuple(x / 2 for x in right("paired_difference")(a, b, t)),
    },
    "holm": {
        "three decimals": lambda p: right("holm")([round(x, 3) for x in p]),
        "rank among the different": lambda p: (
            [
                min(
                    1.0,
                    max((len(p) - bisect.bisect_left(sorted(p), y)) * y for y in p if y <= x),
                )
                for x in map(float, p)
            ]
            if len(set(p)) == len(p)
            else [min(1.0, len(p) * x) for x in p]
        ),
    },
    "points_and_percent": {
        "mean of both": lambda a, b: (b - a, 100 * (b - a) / ((a + b) / 2)),
        "one decimal": lambda a, b: (round(b - a, 1), round(100 * (b - a) / a, 1)),
        "of the larger": lambda a, b: (b - a, 100 * (b - a) / max(a, b)),
    },
    "lstm_parameters": {
        "peepholes": lambda C, n: 4 * n * (C + n + 2) + 3 * n + n * C + C,
        "units back to units": lambda C, n: 4 * n * (C + n + 2) + n * n + n,
        "twice the way back": lambda C, n: 4 * n * (C + n + 2) + 2 * (n * C + C),
    },
    "transferred_names": {
        "one digit": lambda n, x: [
            y
            for y in x
            if not y.startswith("b") and n or y.startswith("b") and int(y[7]) < n - 1
        ],
        "as text": lambda n, x: [
            y for y in x if (n >= 1 if not y.startswith("b") else y.split(".")[1] < str(n - 1))
        ],
        "weights alone": lambda n, x: [
            y for y in right("transferred_names")(n, x) if "bias" not in y
        ],
    },
    "mask_tokens": {
        "other by rank": lambda i, d, f, o, s, m: (
            c := chosen(d, i, s),
            torch.where(c & (f < 0.8), m, torch.where(c & (f < 0.9), o.roll(1), i)),
            torch.where(c, i, -100),
        )[1:],
        "0.9 included": lambda i, d, f, o, s, m: (
            c := chosen(d, i, s),
            torch.where(c & (f < 0.8), m, torch.where(c & (f <= 0.9), o, i)),
            torch.where(c, i, -100),
        )[1:],
        "0.8 included": lambda i, d, f, o, s, m: (
            c := chosen(d, i, s),
            torch.where(c & (f <= 0.8), m, torch.where(c & (f < 0.9), o, i)),
            torch.where(c, i, -100),
        )[1:],
        "mask is 99": lambda i, d, f, o, s, m: right("mask_tokens")(i, d, f, o, s, 99),
    },
    "mlm_loss": {
        "at most 100": lambda x, y: (
            F.cross_entropy(x.flatten(0, 1), y.flatten(), reduction="none")[y.flatten() != -100]
            .clamp(max=100)
            .mean()
        ),
        "label 0 left out": lambda x, y: (
            F.cross_entropy(x.flatten(0, 1), y.flatten(), ignore_index=-100, reduction="sum")
            / (y > 0).sum()
        ),
        "smoothed": lambda x, y: F.cross_entropy(
            x.flatten(0, 1), y.flatten(), label_smoothing=0.01
        ),
    },
    "span_of": {
        "lower case": lambda q, p, a: right("span_of")(
            q, [x.lower() for x in p], [x.lower() for x in a]
        ),
        "question once": lambda q, p, a: tuple(
            x - (len(q) - len(set(q))) for x in right("span_of")(q, p, a)
        ),
        "last word found": lambda q, p, a: (
            right("span_of")(q, p, a)[0],
            len(q) + 2 + len(p) - 1 - p[::-1].index(a[-1]),
        ),
    },
    "fit_power": {
        "sorted": lambda n, y: (
            x := np.polyfit(np.log(np.sort(n)), np.log(np.sort(y)[::-1]), 1),
            (-x[0], np.exp(x[1])),
        )[1],
        "weighted": lambda n, y: (
            x := np.polyfit(np.log(n), np.log(y), 1, w=np.sqrt(n)),
            (-x[0], np.exp(x[1])),
        )[1],
        "never negative": lambda n, y: (
            max(0.0, right("fit_power")(n, y)[0]),
            right("fit_power")(n, y)[1],
        ),
    },
    "few_shot_prompt": {
        "lower case": lambda e, q: right("few_shot_prompt")(e, q).lower(),
        "sorted": lambda e, q: right("few_shot_prompt")(sorted(e), q),
        "three at most": lambda e, q: right("few_shot_prompt")(e[:2], q),
        "stripped": lambda e, q: right("few_shot_prompt")(
            [(a.strip(), b.strip()) for a, b in e], q.strip()
        ),
    },
}


@pytest.mark.parametrize(("name", "what"), cases(WRONG))
def test_a_plausible_wrong_answer_fails(name, what):
    verdict = diagnose(by_name(name), WRONG[name][what])
    assert verdict is not None and verdict.status == "FAIL" and verdict.message

"""Windows in which something is said twice, to learn copying from."""

from functools import cache

import numpy as np


def spans_of(rng: np.random.Generator, shortest: int, longest: int) -> int:
    """The length of a span: short ones are as frequent as long ones, by their logarithm."""
    return int(np.exp(rng.uniform(np.log(shortest), np.log(longest + 1))))


def random_repeats(
    rng: np.random.Generator, n_vocab: int, length: int, shortest: int, longest: int
) -> np.ndarray:
    """A window (length,) of spans of random tokens, each said twice."""
    parts, n = [], 0
    while n < length:
        span = rng.integers(n_vocab, size=spans_of(rng, shortest, longest))
        parts += [span, span]
        n += 2 * len(span)
    return np.concatenate(parts)[:length]


def passage_repeated(
    rng: np.random.Generator, window: np.ndarray, shortest: int, longest: int
) -> np.ndarray:
    """A window (T,) of a book in which one passage is said twice; its end is lost."""
    T = len(window)
    n = min(spans_of(rng, shortest, longest), T // 2)
    end = int(rng.integers(n, T - n + 1))
    return np.concatenate([window[:end], window[end - n : end], window[end:]])[:T]


def mixed_in(
    windows: np.ndarray, shares: np.ndarray, kind: str, n_vocab: int, seed: int
) -> np.ndarray:
    """windows (n, B, T) of which a share, by update (n,), repeats: `random` or `text`."""
    rng, new = np.random.default_rng(seed), windows.copy()
    chosen = rng.random(windows.shape[:2]) < shares[:, None]
    longest = min(64, windows.shape[-1] // 2)
    for i, b in np.argwhere(chosen):
        if kind == "random":
            new[i, b] = random_repeats(rng, n_vocab, windows.shape[-1], 6, longest)
        else:
            new[i, b] = passage_repeated(rng, windows[i, b], 8, longest)
    return new


@cache
def first_phase(n: int, tokens: int, length: int, n_vocab: int, seed: int) -> np.ndarray:
    """n updates of random repeats alone, in windows of that length: (n, tokens / T, T)."""
    rng, longest = np.random.default_rng([seed, length]), min(64, length // 2)
    count = n * (tokens // length)
    rows = [random_repeats(rng, n_vocab, length, 4, longest) for _ in range(count)]
    return np.stack(rows).reshape(n, -1, length)

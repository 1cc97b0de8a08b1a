"""Lesson 12, Decoding."""

import torch

from . import Exercise, Wrong, checker


def _logits(n, seed):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed)) * 1.5


def _probs(n, seed):
    return _logits(n, seed).softmax(dim=0)


apply_temperature = Exercise(
    name="apply_temperature",
    title="Temperature",
    task="Turn logits into probabilities at a temperature: divide the logits by it, then "
    "take the softmax. Temperature 0 means greedy: all probability on the first of the "
    "largest logits.",
    difficulty=2,
    importance=5,
    minutes=8,
    stub='''
def apply_temperature(logits, temperature):
    """Probabilities (V,) from logits (V,) at a temperature >= 0.

    apply_temperature(tensor([1., 3.]), 0) -> tensor([0., 1.])
    """
    ...
''',
    solution='''
def apply_temperature(logits, temperature):
    """Probabilities (V,) from logits (V,) at a temperature >= 0."""
    if temperature == 0:
        probs = torch.zeros_like(logits)
        probs[logits.argmax()] = 1.0
        return probs
    return (logits / temperature).softmax(dim=0)
''',
    wrong=(
        Wrong(
            "multiplies",
            "def apply_temperature(logits, temperature):\n"
            "    if temperature == 0:\n        p = torch.zeros_like(logits)\n"
            "        p[logits.argmax()] = 1.0\n        return p\n"
            "    return (logits * temperature).softmax(dim=0)",
            "You multiply by the temperature; divide. High temperature should flatten "
            "the distribution, yours sharpens it.",
        ),
        Wrong(
            "divides probabilities",
            "def apply_temperature(logits, temperature):\n"
            "    if temperature == 0:\n        p = torch.zeros_like(logits)\n"
            "        p[logits.argmax()] = 1.0\n        return p\n"
            "    p = logits.softmax(dim=0) / temperature\n    return p / p.sum()",
            "You divide probabilities, and renormalizing undoes that: nothing changes. "
            "Divide the logits, before the softmax.",
        ),
        Wrong(
            "no case for 0",
            "def apply_temperature(logits, temperature):\n"
            "    return (logits / temperature).softmax(dim=0)",
            "Right, but at temperature 0 you divide by zero and get nan. Treat 0 apart.",
        ),
        Wrong(
            "uniform at 0",
            "def apply_temperature(logits, temperature):\n"
            "    if temperature == 0:\n        return torch.ones_like(logits) / len(logits)\n"
            "    return (logits / temperature).softmax(dim=0)",
            "At temperature 0 you return the uniform distribution, which is the limit of "
            "a very high temperature. The limit of a low one is greedy.",
        ),
    ),
    cases=lambda: [(_logits(5, 0), 0.5), (_logits(7, 1), 2.0), (_logits(4, 2), 0)],
    hints=(
        "Two cases: `if temperature == 0`, and the rest.",
        "`logits.argmax()` is the first of the largest.",
    ),
)

top_k_mask = Exercise(
    name="top_k_mask",
    title="Top-k",
    task="Return which tokens are among the `k` likeliest, as booleans in the order of "
    "the vocabulary. If `k` exceeds the number of tokens, all are.",
    difficulty=2,
    importance=4,
    minutes=8,
    stub='''
def top_k_mask(probs, k):
    """Booleans (V,): True for the k largest of probs (V,); no two are equal here.

    top_k_mask(tensor([.1, .6, .3]), 2) -> tensor([False, True, True])
    """
    ...
''',
    solution='''
def top_k_mask(probs, k):
    """Booleans (V,): True for the k largest of probs (V,)."""
    best = probs.topk(min(k, len(probs))).indices
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[best] = True
    return mask
''',
    wrong=(
        Wrong(
            "first k",
            "def top_k_mask(probs, k):\n    return torch.arange(len(probs)) < k",
            "You keep the first k tokens of the vocabulary, not the k likeliest.",
        ),
        Wrong(
            "larger than the k-th",
            "def top_k_mask(probs, k):\n"
            "    return probs > probs.topk(min(k, len(probs))).values[-1]",
            "The k-th largest itself is missing: with > it is not larger than itself.",
        ),
        Wrong(
            "k above V fails",
            "def top_k_mask(probs, k):\n    m = torch.zeros(len(probs), dtype=torch.bool)\n"
            "    m[probs.topk(k).indices] = True\n    return m",
            "Right, unless k exceeds the number of tokens: then topk raises. min(k, V).",
        ),
        Wrong(
            "smallest k",
            "def top_k_mask(probs, k):\n    m = torch.zeros(len(probs), dtype=torch.bool)\n"
            "    m[probs.topk(min(k, len(probs)), largest=False).indices] = True\n    return m",
            "You keep the k least likely tokens.",
        ),
    ),
    cases=lambda: [(_probs(6, 3), 2), (_probs(9, 4), 4), (_probs(3, 5), 8)],
    hints=(
        "`probs.topk(k).indices` are the ids of the k largest.",
        "Start from a mask that is all False and set those ids to True.",
    ),
)

top_p_mask = Exercise(
    name="top_p_mask",
    title="Top-p",
    task="Keep the smallest set of likeliest tokens whose probabilities sum to at least "
    "`p`. The token that crosses `p` belongs to it. Booleans, in vocabulary order.",
    difficulty=4,
    importance=5,
    minutes=15,
    stub='''
def top_p_mask(probs, p):
    """Booleans (V,): the smallest set of likeliest tokens with mass >= p, 0 < p <= 1.

    top_p_mask(tensor([.15, .5, .05, .3]), 0.6) -> tensor([False, True, False, True])
    """
    ...
''',
    solution='''
def top_p_mask(probs, p):
    """Booleans (V,): the smallest set of likeliest tokens with mass >= p, 0 < p <= 1."""
    ranked, order = probs.sort(descending=True)
    before = ranked.cumsum(dim=0) - ranked  # mass of the likelier ones
    mask = torch.zeros(len(probs), dtype=torch.bool)
    mask[order] = before < p  # back to vocabulary order
    return mask
''',
    wrong=(
        Wrong(
            "the textbook bug",
            "def top_p_mask(probs, p):\n    ranked, order = probs.sort(descending=True)\n"
            "    mask = torch.zeros(len(probs), dtype=torch.bool)\n"
            "    mask[order] = ranked.cumsum(dim=0) <= p\n    return mask",
            "You drop the token that crosses p. If the first token alone exceeds p, you "
            "keep nothing at all, and drawing fails. Compare the mass before each token.",
        ),
        Wrong(
            "not carried back",
            "def top_p_mask(probs, p):\n    ranked, order = probs.sort(descending=True)\n"
            "    return (ranked.cumsum(dim=0) - ranked) < p",
            "Your mask is in sorted order. mask[order] = ... carries it back to the "
            "order of the vocabulary.",
        ),
        Wrong(
            "carried back the wrong way",
            "def top_p_mask(probs, p):\n    ranked, order = probs.sort(descending=True)\n"
            "    return ((ranked.cumsum(dim=0) - ranked) < p)[order]",
            "Almost: `kept[order]` shuffles once more. Assign on the left side: "
            "mask[order] = kept.",
        ),
        Wrong(
            "ascending",
            "def top_p_mask(probs, p):\n    ranked, order = probs.sort()\n"
            "    mask = torch.zeros(len(probs), dtype=torch.bool)\n"
            "    mask[order] = (ranked.cumsum(dim=0) - ranked) < p\n    return mask",
            "You sort the least likely first, and so collect the tail. descending=True.",
        ),
        Wrong(
            "a threshold",
            "def top_p_mask(probs, p):\n    return probs >= 1 - p",
            "p is no threshold on single probabilities; it is the mass that the kept "
            "tokens must reach together.",
        ),
    ),
    cases=lambda: [
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.6),
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.4),
        (torch.tensor([0.15, 0.5, 0.05, 0.3]), 0.9),
        (_probs(12, 6), 0.75),
        (_probs(12, 7), 0.3),
    ],
    hints=(
        "Sort, with the indices: `ranked, order = probs.sort(descending=True)`.",
        "`ranked.cumsum(dim=0) - ranked` is the mass that stands before each token. A "
        "token stays while that is below p.",
        "`mask[order] = kept` undoes the sorting.",
    ),
)


def _follow(ids):
    """A toy model: after token i comes (2 i + 1) mod 7; logits (T, 7)."""
    following = (2 * ids + 1) % 7
    return torch.nn.functional.one_hot(following, 7).float() * 3


write_greedily = Exercise(
    name="write_greedily",
    title="The writing loop",
    task="Write `n` tokens greedily: ask `model` for logits, append the likeliest next "
    "token, repeat. Give the model at most the last `n_ctx` ids.",
    difficulty=3,
    importance=4,
    minutes=12,
    stub='''
def write_greedily(model, ids, n, n_ctx):
    """ids with n more, each the likeliest after those before it.

    model: ids (T,) -> logits (T, V), for T <= n_ctx. ids: (T,) integers.
    Returns (T + n,) integers.
    """
    ...
''',
    solution='''
def write_greedily(model, ids, n, n_ctx):
    """ids with n more, each the likeliest after those before it."""
    for _ in range(n):
        logits = model(ids[-n_ctx:])  # (T, V)
        ids = torch.cat([ids, logits[-1].argmax()[None]])
    return ids
''',
    wrong=(
        Wrong(
            "first row",
            "def write_greedily(model, ids, n, n_ctx):\n    for _ in range(n):\n"
            "        ids = torch.cat([ids, model(ids[-n_ctx:])[0].argmax()[None]])\n"
            "    return ids",
            "You read the first row of the logits: the prediction of the second token. "
            "The next token is predicted by the last row, [-1].",
        ),
        Wrong(
            "only the new ones",
            "def write_greedily(model, ids, n, n_ctx):\n    start = len(ids)\n"
            "    for _ in range(n):\n"
            "        ids = torch.cat([ids, model(ids[-n_ctx:])[-1].argmax()[None]])\n"
            "    return ids[start:]",
            "You return the new tokens alone; asked for are all of them.",
        ),
        Wrong(
            "first n_ctx",
            "def write_greedily(model, ids, n, n_ctx):\n    for _ in range(n):\n"
            "        ids = torch.cat([ids, model(ids[:n_ctx])[-1].argmax()[None]])\n"
            "    return ids",
            "ids[:n_ctx] is the beginning. Past the context the model must read the end: "
            "ids[-n_ctx:].",
        ),
        Wrong(
            "no limit",
            "def write_greedily(model, ids, n, n_ctx):\n    for _ in range(n):\n"
            "        ids = torch.cat([ids, model(ids)[-1].argmax()[None]])\n"
            "    return ids",
            "You give the model more than n_ctx ids, and it refuses. Cut to the last ones.",
        ),
    ),
    cases=lambda: [
        (_refusing(4), torch.tensor([1, 4]), 1, 4),
        (_refusing(3), torch.tensor([0, 5, 2]), 6, 3),
    ],
    hints=(
        "`model(ids[-n_ctx:])[-1]` are the logits of what comes next.",
        "`torch.cat([ids, best[None]])` appends one id.",
    ),
)


def _refusing(n_ctx):
    """The toy model, refusing more than n_ctx ids as a GPT does."""

    def toy_model(ids):
        if len(ids) > n_ctx:
            raise ValueError(f"sequence has {len(ids)} tokens, the context is {n_ctx}")
        return _follow(ids)

    return toy_model


EXERCISES = (apply_temperature, top_k_mask, top_p_mask, write_greedily)
check = checker(EXERCISES)

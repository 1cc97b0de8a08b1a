"""Lesson 05, The causal mask."""

import torch

from . import Exercise, Wrong, checker


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


causal_mask = Exercise(
    name="causal_mask",
    title="Who may see whom",
    task="Return the causal mask of `T` tokens: a boolean matrix that is True where the "
    "row's token may see the column's token. A token may see itself and all earlier ones.",
    difficulty=1,
    importance=5,
    minutes=5,
    stub='''
def causal_mask(T):
    """Booleans (T, T): True where the column is not later than the row.

    causal_mask(2) -> tensor([[True, False], [True, True]])
    """
    ...
''',
    solution='''
def causal_mask(T):
    """Booleans (T, T): True where the column is not later than the row."""
    return torch.ones(T, T, dtype=torch.bool).tril()
''',
    wrong=(
        Wrong(
            "upper triangle",
            "def causal_mask(T):\n    return torch.ones(T, T, dtype=torch.bool).triu()",
            "That is the upper triangle: row 0 would see everything and the last row "
            "only itself. Earlier tokens stand to the left, so use the lower one.",
        ),
        Wrong(
            "inverted",
            "def causal_mask(T):\n    return ~torch.ones(T, T, dtype=torch.bool).tril()",
            "True and False are swapped: True means 'may be seen' here. (Some "
            "libraries use True for 'hidden'. Always look it up.)",
        ),
        Wrong(
            "hides itself",
            "def causal_mask(T):\n    return torch.ones(T, T, dtype=torch.bool).tril(-1)",
            "The diagonal is False: a token may see itself. With this mask the first "
            "row sees nothing, and its softmax is nan.",
        ),
        Wrong(
            "one ahead",
            "def causal_mask(T):\n    return torch.ones(T, T, dtype=torch.bool).tril(1)",
            "Each row sees one token too many: the very token that it should predict.",
        ),
        Wrong(
            "numbers",
            "def causal_mask(T):\n    return torch.ones(T, T).tril()",
            "The pattern is right, but the entries are floats. Asked for are booleans: "
            "dtype=torch.bool.",
        ),
    ),
    cases=lambda: [(1,), (3,), (6,)],
    hints=(
        "`torch.ones(T, T, dtype=torch.bool)` is all True.",
        "`.tril()` keeps the lower triangle, the diagonal included.",
    ),
)

running_mean = Exercise(
    name="running_mean",
    title="Running means without a loop",
    task="Row `t` of the result is the mean of rows `0` to `t` of `values`. Do it with "
    "one matrix product: a lower-triangular matrix of weights times `values`.",
    difficulty=2,
    importance=4,
    minutes=10,
    stub='''
def running_mean(values):
    """Means of rows 0..t for each t, as one matrix product. (T, D) -> (T, D)

    running_mean(tensor([[2.], [4.]])) -> tensor([[2.], [3.]])
    """
    ...
''',
    solution='''
def running_mean(values):
    """Means of rows 0..t for each t, as one matrix product. (T, D) -> (T, D)"""
    T = len(values)
    weights = torch.ones(T, T).tril()  # (T, T)
    weights = weights / weights.sum(dim=1, keepdim=True)  # each row sums to 1
    return weights @ values  # (T, D)
''',
    wrong=(
        Wrong(
            "sums",
            "def running_mean(values):\n"
            "    return torch.ones(len(values), len(values)).tril() @ values",
            "Those are running sums. Divide each row of the weights by its own sum.",
        ),
        Wrong(
            "divides by T",
            "def running_mean(values):\n    T = len(values)\n"
            "    return torch.ones(T, T).tril() / T @ values",
            "You divide every row by T. Row t holds t + 1 ones, so it needs its own sum.",
        ),
        Wrong(
            "mean of all",
            "def running_mean(values):\n    T = len(values)\n"
            "    return torch.ones(T, T) / T @ values",
            "Each row is the mean of all rows, later ones included: the lower triangle "
            "is missing.",
        ),
        Wrong(
            "columns normalized",
            "def running_mean(values):\n    T = len(values)\n"
            "    w = torch.ones(T, T).tril()\n    return w / w.sum(dim=0) @ values",
            "The columns of your weights sum to 1. The rows should: dim=1, keepdim=True.",
        ),
        Wrong(
            "from the end",
            "def running_mean(values):\n    T = len(values)\n"
            "    w = torch.ones(T, T).triu()\n"
            "    return w / w.sum(dim=1, keepdim=True) @ values",
            "Your means run from t to the end. The lower triangle, tril, looks back.",
        ),
    ),
    cases=lambda: [(_seeded(5, 3),), (_seeded(2, 7, seed=1),), (_seeded(1, 4, seed=2),)],
    hints=(
        "Start from `torch.ones(T, T).tril()`.",
        "Its row sums are 1, 2, 3, ...; with `keepdim=True` they divide row by row.",
    ),
)

masked_softmax = Exercise(
    name="masked_softmax",
    title="The masked softmax",
    task="Turn scores into causal attention weights: hide the later tokens, then take "
    "the softmax over each row.",
    difficulty=2,
    importance=5,
    minutes=10,
    stub='''
def masked_softmax(scores):
    """Attention weights of causal attention. (..., T, T) -> (..., T, T)

    Each row sums to 1 and is 0 to the right of the diagonal.
    masked_softmax(zeros(2, 2)) -> tensor([[1.0, 0.0], [0.5, 0.5]])
    """
    ...
''',
    solution='''
def masked_softmax(scores):
    """Attention weights of causal attention. (..., T, T) -> (..., T, T)"""
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()  # (T, T)
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)
''',
    wrong=(
        Wrong(
            "mask after the softmax",
            "def masked_softmax(scores):\n    return scores.softmax(dim=-1).tril()",
            "You hide the future after the softmax: it has taken its share of each row "
            "already, so the rows sum to less than 1.",
        ),
        Wrong(
            "zero instead of -inf",
            "def masked_softmax(scores):\n    return scores.tril().softmax(dim=-1)",
            "You set the hidden scores to 0, and exp(0) = 1 is a fair share of the row. "
            "The hidden score must be -inf, so that its exponential is 0.",
        ),
        Wrong(
            "no mask",
            "def masked_softmax(scores):\n    return scores.softmax(dim=-1)",
            "No score is hidden: row 0 already sees the whole future.",
        ),
        Wrong(
            "softmax over columns",
            "def masked_softmax(scores):\n    T = scores.shape[-1]\n"
            "    seen = torch.ones(T, T, dtype=torch.bool).tril()\n"
            "    return scores.masked_fill(~seen, -math.inf).softmax(dim=-2)",
            "Your columns sum to 1. A row is one token's attention, so the softmax runs "
            "over the last axis.",
        ),
        Wrong(
            "-inf on the allowed side",
            "def masked_softmax(scores):\n    T = scores.shape[-1]\n"
            "    seen = torch.ones(T, T, dtype=torch.bool).tril()\n"
            "    return scores.masked_fill(seen, -math.inf).softmax(dim=-1)",
            "You hide what may be seen; invert the mask with ~.",
        ),
        Wrong(
            "multiplying by -inf",
            "def masked_softmax(scores):\n    T = scores.shape[-1]\n"
            "    hidden = 1 - torch.ones(T, T).tril()\n"
            "    return (scores + hidden * -math.inf).softmax(dim=-1)",
            "0 times -inf is nan, and it spreads. Use masked_fill or torch.where.",
        ),
    ),
    cases=lambda: [(_seeded(4, 4),), (_seeded(2, 3, 5, 5, seed=1),)],
    hints=(
        "Hide first, softmax second.",
        "`scores.masked_fill(hidden, -math.inf)` puts -inf where `hidden` is True.",
    ),
)


def _leaks(kind):
    """A toy layer (T, D) -> (T, D) with a given mask, for the leak test."""
    shift = {"causal": 0, "none": 99, "ahead": 1, "itself": -1}[kind]

    def layer(x):
        w = torch.ones(len(x), len(x), dtype=x.dtype).tril(shift)
        return torch.tanh(w @ x)

    layer.__name__ = f"{kind}_layer"
    return layer


leaks_before = Exercise(
    name="leaks_before",
    title="The leak test",
    task="`layer` maps a sequence (T, D) to a sequence (T, D). Change row `t` of `x` by "
    "adding 1 to it, run `layer` on both versions, and return whether any output "
    "**before** `t` has moved, be it by the last bit.",
    difficulty=3,
    importance=5,
    minutes=10,
    stub='''
def leaks_before(layer, x, t):
    """True if a change of row t changes any output row before t.

    layer: function (T, D) -> (T, D). x: (T, D), must not be changed.
    A layer with a correct causal mask gives False for every t.
    """
    ...
''',
    solution='''
def leaks_before(layer, x, t):
    """True if a change of row t changes any output row before t."""
    changed = x.clone()
    changed[t] += 1
    return not torch.equal(layer(x)[:t], layer(changed)[:t])
''',
    wrong=(
        Wrong(
            "includes t",
            "def leaks_before(layer, x, t):\n    c = x.clone()\n    c[t] += 1\n"
            "    return not torch.equal(layer(x)[:t + 1], layer(c)[:t + 1])",
            "You compare row t too. It may move: a token sees itself. Rows before t: [:t].",
        ),
        Wrong(
            "after t",
            "def leaks_before(layer, x, t):\n    c = x.clone()\n    c[t] += 1\n"
            "    return not torch.equal(layer(x)[t + 1:], layer(c)[t + 1:])",
            "You look at the outputs after t, which should move. The leak is before t.",
        ),
        Wrong(
            "inverted",
            "def leaks_before(layer, x, t):\n    c = x.clone()\n    c[t] += 1\n"
            "    return torch.equal(layer(x)[:t], layer(c)[:t])",
            "Inverted: you return True when nothing has moved.",
        ),
        Wrong(
            "changes x",
            "def leaks_before(layer, x, t):\n    c = x\n    c[t] += 1\n"
            "    return not torch.equal(layer(x)[:t], layer(c)[:t])",
            "`changed = x` is the same tensor under a second name, so x changes along "
            "and nothing ever differs. Use x.clone().",
        ),
    ),
    cases=lambda: [
        (_leaks(kind), _seeded(5, 3, seed=3), t)
        for kind in ("causal", "none", "ahead", "itself")
        for t in (1, 3, 4)
    ],
    hints=(
        "`x.clone()` gives a copy that you may change.",
        "`torch.equal(a, b)` compares bit for bit; `[:t]` are the rows before t.",
    ),
)

mask_with_cache = Exercise(
    name="mask_with_cache",
    title="The mask of the last few tokens",
    task="While writing, the model computes only the newest tokens and keeps keys of the "
    "earlier ones (lesson 12). Return the mask of `n_query` newest tokens over all "
    "`n_key` tokens: the last `n_query` rows of the full causal mask.",
    difficulty=3,
    importance=3,
    minutes=10,
    stub='''
def mask_with_cache(n_query, n_key):
    """Booleans (n_query, n_key); query i stands at position n_key - n_query + i.

    mask_with_cache(1, 3) -> tensor([[True, True, True]])
    """
    ...
''',
    solution='''
def mask_with_cache(n_query, n_key):
    """Booleans (n_query, n_key); query i stands at position n_key - n_query + i."""
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(n_key - n_query)
''',
    wrong=(
        Wrong(
            "first rows",
            "def mask_with_cache(n_query, n_key):\n"
            "    return torch.ones(n_query, n_key, dtype=torch.bool).tril()",
            "Those are the first rows of the full mask: the newest tokens would stand at "
            "position 0 and see next to nothing. Shift the diagonal.",
        ),
        Wrong(
            "sees all",
            "def mask_with_cache(n_query, n_key):\n"
            "    return torch.ones(n_query, n_key, dtype=torch.bool)",
            "Right for one query. With two or more, the earlier of the new tokens would "
            "see the later ones.",
        ),
        Wrong(
            "off by one",
            "def mask_with_cache(n_query, n_key):\n"
            "    d = n_key - n_query - 1\n"
            "    return torch.ones(n_query, n_key, dtype=torch.bool).tril(d)",
            "Off by one: no query sees itself.",
        ),
        Wrong(
            "transposed",
            "def mask_with_cache(n_query, n_key):\n"
            "    return torch.ones(n_key, n_query, dtype=torch.bool).tril()",
            "The shape is turned: rows are queries, columns are keys.",
        ),
    ),
    cases=lambda: [(1, 4), (3, 5), (2, 2)],
    hints=(
        "Write down the full 4 x 4 mask and look at its last two rows.",
        "`tril(d)` moves the diagonal d columns to the right.",
    ),
)

EXERCISES = (causal_mask, running_mean, masked_softmax, leaks_before, mask_with_cache)
check = checker(EXERCISES)

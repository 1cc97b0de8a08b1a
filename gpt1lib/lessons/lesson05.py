"""Lesson 05, The causal mask."""

import math

import torch

from .claims import holds as holds  # for the notebook
from .exercise import Checker, exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "Who may see whom",
    difficulty=1,
    importance=5,
    minutes=5,
    cases=lambda: [(1,), (3,), (6,)],
    task=(
        "Return the causal mask of `T` tokens: a boolean matrix that is True where the "
        "row's token may see the column's token. A token may see itself and all earlier ones."
    ),
    hints=(
        "`torch.ones(T, T, dtype=torch.bool)` is all True.",
        "`.tril()` keeps the lower triangle, the diagonal included.",
    ),
)
def causal_mask(T):
    """Booleans (T, T): True where the column is not later than the row.

    causal_mask(2) -> tensor([[True, False], [True, True]])
    """
    return torch.ones(T, T, dtype=torch.bool).tril()


@causal_mask.wrong(
    "That is the upper triangle: row 0 would see everything and the last row "
    "only itself. Earlier tokens stand to the left, so use the lower one."
)
def upper_triangle(T):
    return torch.ones(T, T, dtype=torch.bool).triu()


@causal_mask.wrong(
    "True and False are swapped: True means 'may be seen' here. (Some "
    "libraries use True for 'hidden'. Always look it up.)"
)
def inverted_mask(T):
    return ~torch.ones(T, T, dtype=torch.bool).tril()


@causal_mask.wrong(
    "The diagonal is False: a token may see itself. With this mask the first "
    "row sees nothing, and its softmax is nan."
)
def hides_itself(T):
    return torch.ones(T, T, dtype=torch.bool).tril(-1)


@causal_mask.wrong("Each row sees one token too many: the very token that it should predict.")
def one_ahead(T):
    return torch.ones(T, T, dtype=torch.bool).tril(1)


@causal_mask.wrong(
    "The pattern is right, but the entries are floats. Asked for are booleans: "
    "dtype=torch.bool."
)
def numbers(T):
    return torch.ones(T, T).tril()


@exercise(
    "Running means without a loop",
    difficulty=2,
    importance=4,
    minutes=10,
    cases=lambda: [(_seeded(5, 3),), (_seeded(2, 7, seed=1),), (_seeded(1, 4, seed=2),)],
    task=(
        "Row `t` of the result is the mean of rows `0` to `t` of `values`. Do it with "
        "one matrix product: a lower-triangular matrix of weights times `values`."
    ),
    hints=(
        "Start from `torch.ones(T, T).tril()`.",
        "Its row sums are 1, 2, 3, ...; with `keepdim=True` they divide row by row.",
    ),
)
def running_mean(values):
    """Means of rows 0..t for each t, as one matrix product. (T, D) -> (T, D)

    running_mean(tensor([[2.], [4.]])) -> tensor([[2.], [3.]])
    """
    T = len(values)
    weights = torch.ones(T, T).tril()  # (T, T)
    weights = weights / weights.sum(dim=1, keepdim=True)  # each row sums to 1
    return weights @ values  # (T, D)


@running_mean.wrong("Those are running sums. Divide each row of the weights by its own sum.")
def sums(values):
    return torch.ones(len(values), len(values)).tril() @ values


@running_mean.wrong(
    "You divide every row by T. Row t holds t + 1 ones, so it needs its own sum."
)
def divides_by_t(values):
    T = len(values)
    return torch.ones(T, T).tril() / T @ values


@running_mean.wrong(
    "Each row is the mean of all rows, later ones included: the lower triangle is missing."
)
def mean_of_all(values):
    T = len(values)
    return torch.ones(T, T) / T @ values


@running_mean.wrong(
    "The columns of your weights sum to 1. The rows should: dim=1, keepdim=True."
)
def columns_normalized(values):
    T = len(values)
    w = torch.ones(T, T).tril()
    return w / w.sum(dim=0) @ values


@running_mean.wrong("Your means run from t to the end. The lower triangle, tril, looks back.")
def from_the_end(values):
    T = len(values)
    w = torch.ones(T, T).triu()
    return w / w.sum(dim=1, keepdim=True) @ values


@exercise(
    "The masked softmax",
    difficulty=2,
    importance=5,
    minutes=10,
    cases=lambda: [(_seeded(4, 4),), (_seeded(2, 3, 5, 5, seed=1),)],
    task=(
        "Turn scores into causal attention weights: hide the later tokens, then take "
        "the softmax over each row."
    ),
    hints=(
        "Hide first, softmax second.",
        "`scores.masked_fill(hidden, -math.inf)` puts -inf where `hidden` is True.",
    ),
)
def masked_softmax(scores):
    """Attention weights of causal attention. (..., T, T) -> (..., T, T)

    Each row sums to 1 and is 0 to the right of the diagonal.
    masked_softmax(zeros(2, 2)) -> tensor([[1.0, 0.0], [0.5, 0.5]])
    """
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()  # (T, T)
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "You hide the future after the softmax: it has taken its share of each row "
    "already, so the rows sum to less than 1."
)
def mask_after_the_softmax(scores):
    return scores.softmax(dim=-1).tril()


@masked_softmax.wrong(
    "You set the hidden scores to 0, and exp(0) = 1 is a fair share of the row. "
    "The hidden score must be -inf, so that its exponential is 0."
)
def zero_instead_of_inf(scores):
    return scores.tril().softmax(dim=-1)


@masked_softmax.wrong("No score is hidden: row 0 already sees the whole future.")
def no_mask(scores):
    return scores.softmax(dim=-1)


@masked_softmax.wrong(
    "Your columns sum to 1. A row is one token's attention, so the softmax runs "
    "over the last axis."
)
def softmax_over_columns(scores):
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-2)


@masked_softmax.wrong("You hide what may be seen; invert the mask with ~.")
def inf_on_the_allowed_side(scores):
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    return scores.masked_fill(seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong("0 times -inf is nan, and it spreads. Use masked_fill or torch.where.")
def multiplying_by_inf(scores):
    T = scores.shape[-1]
    hidden = 1 - torch.ones(T, T).tril()
    return (scores + hidden * -math.inf).softmax(dim=-1)


def _leaks(kind):
    """A toy layer (T, D) -> (T, D) with a given mask, for the leak test."""
    shift = {"causal": 0, "none": 99, "ahead": 1, "itself": -1}[kind]

    def layer(x):
        w = torch.ones(len(x), len(x), dtype=x.dtype).tril(shift)
        return torch.tanh(w @ x)

    layer.__name__ = f"{kind}_layer"
    return layer


@exercise(
    "The leak test",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        (_leaks(kind), _seeded(5, 3, seed=3), t)
        for kind in ("causal", "none", "ahead", "itself")
        for t in (1, 3, 4)
    ],
    task=(
        "`layer` maps a sequence (T, D) to a sequence (T, D). Change row `t` of `x` by "
        "adding 1 to it, run `layer` on both versions, and return whether any output "
        "**before** `t` has moved, be it by the last bit."
    ),
    hints=(
        "`x.clone()` gives a copy that you may change.",
        "`torch.equal(a, b)` compares bit for bit; `[:t]` are the rows before t.",
    ),
)
def leaks_before(layer, x, t):
    """True if a change of row t changes any output row before t.

    layer: function (T, D) -> (T, D). x: (T, D), must not be changed.
    A layer with a correct causal mask gives False for every t.
    """
    changed = x.clone()
    changed[t] += 1
    return not torch.equal(layer(x)[:t], layer(changed)[:t])


@leaks_before.wrong(
    "You compare row t too. It may move: a token sees itself. Rows before t: [:t]."
)
def includes_t(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[: t + 1], layer(c)[: t + 1])


@leaks_before.wrong("You look at the outputs after t, which should move. The leak is before t.")
def after_t(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[t + 1 :], layer(c)[t + 1 :])


@leaks_before.wrong("Inverted: you return True when nothing has moved.")
def inverted_verdict(layer, x, t):
    c = x.clone()
    c[t] += 1
    return torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "`changed = x` is the same tensor under a second name, so x changes along "
    "and nothing ever differs. Use x.clone()."
)
def changes_x(layer, x, t):
    c = x
    c[t] += 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@exercise(
    "The mask of the last few tokens",
    difficulty=3,
    importance=3,
    minutes=10,
    cases=lambda: [(1, 4), (3, 5), (2, 2)],
    task=(
        "While writing, the model computes only the newest tokens and keeps keys of the "
        "earlier ones (lesson 12). Return the mask of `n_query` newest tokens over all "
        "`n_key` tokens: the last `n_query` rows of the full causal mask."
    ),
    hints=(
        "Write down the full 4 x 4 mask and look at its last two rows.",
        "`tril(d)` moves the diagonal d columns to the right.",
    ),
)
def mask_with_cache(n_query, n_key):
    """Booleans (n_query, n_key); query i stands at position n_key - n_query + i.

    mask_with_cache(1, 3) -> tensor([[True, True, True]])
    """
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(n_key - n_query)


@mask_with_cache.wrong(
    "Those are the first rows of the full mask: the newest tokens would stand at "
    "position 0 and see next to nothing. Shift the diagonal."
)
def first_rows(n_query, n_key):
    return torch.ones(n_query, n_key, dtype=torch.bool).tril()


@mask_with_cache.wrong(
    "Right for one query. With two or more, the earlier of the new tokens would "
    "see the later ones."
)
def sees_all(n_query, n_key):
    return torch.ones(n_query, n_key, dtype=torch.bool)


@mask_with_cache.wrong("Off by one: no query sees itself.")
def off_by_one(n_query, n_key):
    d = n_key - n_query - 1
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(d)


@mask_with_cache.wrong("The shape is turned: rows are queries, columns are keys.")
def transposed(n_query, n_key):
    return torch.ones(n_key, n_query, dtype=torch.bool).tril()


EXERCISES = (causal_mask, running_mean, masked_softmax, leaks_before, mask_with_cache)
check = Checker(EXERCISES)
mine = check.mine

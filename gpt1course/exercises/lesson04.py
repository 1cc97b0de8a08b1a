"""Lesson 04, One query attends."""

import math

import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "The softmax",
    difficulty=2,
    importance=5,
    minutes=7,
    tolerance=1e-4,  # float32 at scores of 1000
    cases=lambda: [
        (torch.tensor([2.0, 1.0, 0.0]),),
        (torch.tensor([1000.0, 999.0]),),
        (_numbers(3, 3),),
        (_numbers(2, 3, 4, seed=1),),
        (torch.tensor([[0.0, -1.0], [2000.0, 2001.0]]),),
        (torch.tensor([0.0, 300.0]),),
        (torch.tensor([[0.0, -math.inf], [-2.0, -2.0]]),),
        (torch.tensor([3.0]),),
    ],
    task=(
        "Turn scores into weights over the last axis, for any number of axes in front, and for "
        "scores in the thousands. (`scores.softmax(dim=-1)` would do it; try it without.)"
    ),
    hints=(
        "Subtract each row's largest score first: `scores.amax(dim=-1, keepdim=True)`. Only "
        "differences count, so the weights stay what they are.",
        "Then `.exp()`, and divide by the sum over the last axis, with `keepdim=True`.",
    ),
)
def softmax(scores):
    """Weights over the last axis, each row summing to 1. (..., n) -> (..., n)

    Scores may be in the thousands, or -inf, which gets the weight 0.
    softmax(tensor([2., 1., 0.])) -> tensor([0.6652, 0.2447, 0.0900])
    """
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@softmax.wrong(
    "Right for small scores, but exp(1000) is too large for a float: inf / inf is nan. Take "
    "off each row's largest score first."
)
def overflows(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@softmax.wrong(
    "You divide by the sum of the whole array. Each row has a sum of its own: dim=-1, "
    "keepdim=True."
)
def one_sum_for_all_rows(scores):
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum()


@softmax.wrong(
    "You divide by the sum of the whole array, and exp(1000) is too large for a float. Take "
    "off each row's largest score first, then divide each row by its own sum."
)
def one_sum_and_no_maximum(scores):
    powers = scores.exp()
    return powers / powers.sum()


@softmax.wrong(
    "Your columns sum to 1, and exp(1000) is too large for a float. The last axis is dim=-1, "
    "and each row's largest score comes off first."
)
def columns_and_no_maximum(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=0, keepdim=True)


@softmax.wrong(
    "You take one maximum and one sum for the whole array. Each row has its own: dim=-1, "
    "keepdim=True."
)
def one_maximum_and_one_sum(scores):
    powers = (scores - scores.max()).exp()
    return powers / powers.sum()


@softmax.wrong(
    "You subtract one maximum from all rows. A row far below it becomes 0 / 0, which is nan: "
    "subtract each row's own."
)
def one_maximum_for_all_rows(scores):
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@softmax.wrong(
    "The largest weight in each of your rows is 1: those are powers, not yet divided by their "
    "sum. Divide each row by its own."
)
def divided_by_the_maximum(scores):
    return (scores - scores.amax(dim=-1, keepdim=True)).exp()


@softmax.wrong("Those are powers. Subtract each row's maximum first, divide by its sum last.")
def powers_alone(scores):
    return scores.exp()


@softmax.wrong(
    "You subtract the mean, or the smallest. What lies far above them overflows: subtract the "
    "largest."
)
def mean_taken_off(scores):
    powers = (scores - scores.mean(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@softmax.wrong("Your columns sum to 1. The last axis is dim=-1.")
def down_the_first_axis(scores):
    powers = (scores - scores.amax(dim=0, keepdim=True)).exp()
    return powers / powers.sum(dim=0, keepdim=True)


@softmax.wrong(
    "Without keepdim=True the sums have shape (n,), and each column is divided by another "
    "row's sum."
)
def sums_lie_flat(scores):
    powers = (scores - scores.amax(dim=-1, keepdim=True)).exp()
    return powers / powers.sum(dim=-1)


@softmax.wrong(
    "exp(1000) is too large for a float, so subtract each row's largest score first; and keep "
    "the sums a column with keepdim=True, or each column is divided by another row's sum."
)
def sums_lie_flat_and_no_maximum(scores):
    powers = scores.exp()
    return powers / powers.sum(dim=-1)


@softmax.wrong(
    "Scores divided by their sum: negative scores would get negative shares. Take exp first."
)
def without_exp(scores):
    return scores / scores.sum(dim=-1, keepdim=True)


@softmax.wrong("You take powers of 2. The softmax takes powers of e: .exp().")
def powers_of_two(scores):
    powers = 2 ** (scores - scores.amax(dim=-1, keepdim=True))
    return powers / powers.sum(dim=-1, keepdim=True)


@softmax.wrong("Those are the logarithms of the weights. Leave out the last log.")
def logarithms_of_weights(scores):
    return scores.log_softmax(dim=-1)


@softmax.wrong(
    "Without keepdim=True the maxima have shape (n,) and are taken off column by column. Where "
    "the table is square that is no error, but the numbers are wrong."
)
def maxima_lie_flat(scores):
    powers = (scores - scores.amax(dim=-1)).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@exercise(
    "A soft look-up",
    difficulty=2,
    importance=5,
    minutes=6,
    cases=lambda: [
        (torch.ones(2), torch.ones(2, 2), torch.tensor([[4.0], [6.0]])),
        (_numbers(3), _numbers(3, 3, seed=1), _numbers(3, 3, seed=2)),
        (_numbers(2, seed=3), _numbers(5, 2, seed=4), _numbers(5, 3, seed=5)),
        (_numbers(4, seed=6), _numbers(1, 4, seed=7), _numbers(1, 2, seed=8)),
        (100 * torch.ones(2), torch.tensor([[4.0, 4.0], [3.0, 3.0]]), torch.eye(2)),
        (100 * torch.ones(2), torch.tensor([[1.0, 1.0], [1.0, 1.01]]), torch.eye(2)),
    ],
    task=(
        "Return what one query brings back: score every key against it by a dot product, "
        "turn the scores into weights, and add up the values, each times its weight."
    ),
    hints=(
        "`keys @ query` has all the dot products at once, shape (n,).",
        "`weights @ values` is the sum of the values, each times its weight.",
    ),
)
def look_up(query, keys, values):
    """What a query brings back, a weighted sum of the values. (D,), (n, D), (n, M) -> (M,)

    Scores may be in the hundreds.
    look_up(ones(2), ones(2, 2), tensor([[4.], [6.]])) -> tensor([5.])
    """
    weights = softmax(keys @ query)  # (n,)
    return weights @ values  # (M,)


@look_up.wrong("You add up the keys. A key only makes a score; add up the values.")
def mixes_the_keys(query, keys, values):
    return (keys @ query).softmax(dim=0) @ keys


@look_up.wrong("You add all values up, each with weight 1. Weights say how much of each.")
def adds_all_values(query, keys, values):
    return values.sum(dim=0)


@look_up.wrong("That is the plain mean: every key counts the same, whatever is asked.")
def mean_of_the_values(query, keys, values):
    return values.mean(dim=0)


@look_up.wrong(
    "You take the best key's value and drop the rest. That is a hard look-up; the soft one "
    "adds them all up, each times its weight."
)
def takes_the_best_only(query, keys, values):
    return values[(keys @ query).argmax()]


@look_up.wrong("The values carry their weights, but they are not added up: one sum, (M,).")
def not_added_up(query, keys, values):
    return (keys @ query).softmax(dim=0)[:, None] * values


@look_up.wrong("You take the mean of the weighted values. The weights sum to 1: just add.")
def mean_of_the_weighted(query, keys, values):
    return ((keys @ query).softmax(dim=0)[:, None] * values).mean(dim=0)


@look_up.wrong(
    "You divide the scores by their sum. A negative score would get a negative weight: softmax."
)
def shares_of_the_scores(query, keys, values):
    scores = keys @ query
    return scores / scores.sum() @ values


@look_up.wrong(
    "You take cosines, so the length of query and key no longer counts. The score is the plain "
    "dot product."
)
def by_cosine(query, keys, values):
    return torch.cosine_similarity(keys, query[None]).softmax(dim=0) @ values


@look_up.wrong("You weight with raw scores. They need a softmax: positive, and summing to 1.")
def mixes_with_scores(query, keys, values):
    return (keys @ query) @ values


@look_up.wrong("You weight with exp(score), but do not divide by the sum: weights sum to 1.")
def mixes_with_powers(query, keys, values):
    return (keys @ query).exp() @ values


@look_up.wrong("You divide the scores by the root of D. That comes in section 4.")
def scaled_too_early(query, keys, values):
    return (keys @ query / math.sqrt(len(query))).softmax(dim=0) @ values


@look_up.wrong("Those are the weights. The weighted sum is still missing: weights @ values.")
def weights_alone(query, keys, values):
    return (keys @ query).softmax(dim=0)


@look_up.wrong(
    "You multiply from the wrong side: query @ keys runs down the columns of keys. One dot "
    "product per key is keys @ query."
)
def down_the_columns_of_keys(query, keys, values):
    return (query @ keys).softmax(dim=0) @ values


@look_up.wrong(
    "keys.T turns the rows of keys into columns. One dot product per key is keys @ query."
)
def keys_transposed(query, keys, values):
    return (keys.T @ query).softmax(dim=0) @ values


@look_up.wrong("You compare the query with the values. It is compared with the keys.")
def compares_with_the_values(query, keys, values):
    if values.shape != keys.shape:
        return values.mean(dim=0)
    return (values @ query).softmax(dim=0) @ values


@look_up.wrong(
    "You weigh by distance. Attention takes the dot product, so a long key counts for more."
)
def by_distance(query, keys, values):
    return (-(keys - query).norm(dim=1)).softmax(dim=0) @ values


@look_up.wrong("exp of a large score is inf: use your softmax, which takes the maximum off.")
def scores_overflow(query, keys, values):
    powers = (keys @ query).exp()
    return powers / powers.sum() @ values


@look_up.wrong(
    "You keep the scores below a limit, so that exp cannot overflow. Scores of 200 and 201 "
    "then look alike: use your softmax, which takes the maximum off."
)
def scores_held_at_50(query, keys, values):
    return softmax((keys @ query).clamp(-50, 50)) @ values


def _three_keys(random):
    """A query and three keys of four small numbers, with even products, not all alike."""
    while True:
        query, *keys = (tuple(random.choices((-1, 0, 1, 2), k=4)) for _ in range(4))
        products = [_product(query, key) for key in keys]
        if all(p % 2 == 0 for p in products) and 2 < max(products) - min(products) < 8:
            return query, *keys


def _product(query, key):
    return sum(x * y for x, y in zip(query, key, strict=True))


def _mixed(*scores):
    powers = [math.exp(score) for score in scores]
    return sum(p * v for p, v in zip(powers, (10, 20, 30), strict=True)) / sum(powers)


def _mixed_by_hand_worked(query, *keys):
    products = [_product(query, key) for key in keys]
    scores = [p / 2 for p in products]
    powers = [math.exp(s) for s in scores]
    shares = [p / sum(powers) for p in powers]
    numbers = [
        ", ".join(f"{x:{form}}" for x in xs)
        for xs, form in ((products, "d"), (scores, "g"), (powers, ".3f"), (shares, ".3f"))
    ]
    return (
        f"The dot products are {numbers[0]}; D is 4, so halve them: {numbers[1]}. Their powers "
        f"of e are {numbers[2]}, which sum to {sum(powers):.3f}; the weights are {numbers[3]}. "
        f"The weighted sum of 10, 20 and 30 is {_mixed(*scores):.2f}."
    )


@number_exercise(
    "By hand",
    question=(
        "A query {query} meets three keys: {a}, {b} and {c}. Their values are the single "
        "numbers 10, 20 and 30. With scores divided by the root of D, what does the query "
        "bring back? A calculator for exp is allowed."
    ),
    difficulty=2,
    importance=4,
    minutes=6,
    first=((1, 2, 1, 1), (2, 1, 1, 1), (0, 1, 1, 1), (1, -1, 2, 1)),
    draw=_three_keys,
    decimals=2,
    hints=(
        "First multiply the query with each key, number by number, and add up.",
        "D is 4, so divide each dot product by 2.",
        "Take e to the power of each score, divide by their sum, and add up 10, 20 and 30, "
        "each times its weight.",
    ),
    worked=_mixed_by_hand_worked,
)
def mixed_by_hand(query, a, b, c):
    """What the query brings back from the three values, a number between 10 and 30."""
    return _mixed(*(_product(query, key) / 2 for key in (a, b, c)))


@mixed_by_hand.wrong("You left out the root: the dot products are still to be divided by 2.")
def without_the_root(query, a, b, c):
    return _mixed(*(_product(query, key) for key in (a, b, c)))


@mixed_by_hand.wrong("You divided by D = 4. The root of D is 2.")
def divided_by_four(query, a, b, c):
    return _mixed(*(_product(query, key) / 4 for key in (a, b, c)))


@mixed_by_hand.wrong("You multiplied by the root of D. Divide: it makes scores smaller.")
def multiplied_by_the_root(query, a, b, c):
    return _mixed(*(_product(query, key) * 2 for key in (a, b, c)))


@mixed_by_hand.wrong(
    "You divided by the root of 3, the number of keys. D is how many numbers a key has, 4."
)
def root_of_three(query, a, b, c):
    return _mixed(*(_product(query, key) / math.sqrt(3) for key in (a, b, c)))


@mixed_by_hand.wrong("That is the best key's value alone. The others get their share, too.")
def the_best_alone(query, a, b, c):
    products = [_product(query, key) for key in (a, b, c)]
    return 10 * (1 + products.index(max(products)))


@mixed_by_hand.wrong(
    "That is the plain mean of the values: no weights yet, or a minus sign was lost."
)
def the_plain_mean(query, a, b, c):
    return 20


@mixed_by_hand.wrong(
    "You shared out by the scores themselves. The softmax takes powers of e first."
)
def shares_of_scores(query, a, b, c):
    products = [_product(query, key) for key in (a, b, c)]
    return sum(p * v for p, v in zip(products, (10, 20, 30), strict=True)) / sum(products)


@mixed_by_hand.wrong("Not yet divided by the sum of the powers: weights sum to 1.")
def powers_not_divided(query, a, b, c):
    powers = [math.exp(_product(query, key) / 2) for key in (a, b, c)]
    return sum(p * v for p, v in zip(powers, (10, 20, 30), strict=True))


@mixed_by_hand.wrong(
    "That is the first weight. Add up the three values, each times its weight."
)
def the_first_weight(query, a, b, c):
    powers = [math.exp(_product(query, key) / 2) for key in (a, b, c)]
    return powers[0] / sum(powers)


@exercise(
    "All the scores",
    difficulty=2,
    importance=5,
    minutes=6,
    cases=lambda: [
        (torch.tensor([[1.0, 0.0, 0.0, 3.0]]), torch.tensor([[4.0, 1.0, 1.0, 0.0]])),
        (_numbers(3, 3, seed=1), _numbers(3, 3, seed=2)),
        (_numbers(2, 8, seed=3), _numbers(5, 8, seed=4)),
        (_numbers(6, 2, seed=5), _numbers(4, 2, seed=6)),
    ],
    task=(
        "Return the scores of every query against every key, one row per query, each divided "
        "by the root of D."
    ),
    hints=(
        "Row i, column j is the dot product of row i of Q and row j of K.",
        "`K.T` is K with rows and columns swapped; `Q.shape[1]` is D.",
    ),
)
def scaled_scores(Q, K):
    """Scores q·k / sqrt(D), a row per query. (T, D), (S, D) -> (T, S)

    scaled_scores(tensor([[1., 0., 0., 3.]]), tensor([[4., 1., 1., 0.]])) -> tensor([[2.]])
    """
    return Q @ K.T / math.sqrt(Q.shape[1])


@scaled_scores.wrong("Rows are keys here, columns queries. A row is one query's: Q @ K.T.")
def keys_as_rows(Q, K):
    return K @ Q.T / math.sqrt(Q.shape[-1])


@scaled_scores.wrong(
    "You divide by D, either at once or by dividing both Q and K by its root. The scores "
    "grow only with the root of D, so divide by the root once."
)
def divided_by_d(Q, K):
    return Q @ K.T / Q.shape[-1]


@scaled_scores.wrong(
    "You divide by D and by 2, which is what `/ D ** 1/2` means. Write `/ D ** 0.5`."
)
def power_of_one_by_two(Q, K):
    return Q @ K.T / Q.shape[-1] / 2


@scaled_scores.wrong("You multiply by the root of D; the scores are to become smaller.")
def times_the_root(Q, K):
    return Q @ K.T * math.sqrt(Q.shape[-1])


@scaled_scores.wrong(
    "You divide by the root of the number of queries. D, how many numbers each of them has, is "
    "Q.shape[1]."
)
def root_of_the_queries(Q, K):
    return Q @ K.T / math.sqrt(len(Q))


@scaled_scores.wrong(
    "You divide by the root of the number of keys. D, how many numbers each of them has, is "
    "K.shape[1]."
)
def root_of_the_keys(Q, K):
    return Q @ K.T / math.sqrt(len(K))


@scaled_scores.wrong("The root of D is missing.")
def not_scaled(Q, K):
    return Q @ K.T


@scaled_scores.wrong(
    "You divide by 8, which is the root of 64. D is not always 64: it is Q.shape[1]."
)
def always_by_eight(Q, K):
    return Q @ K.T / 8


@scaled_scores.wrong("Those are weights already. Return the scores, before the softmax.")
def softmax_too_early(Q, K):
    return (Q @ K.T / math.sqrt(Q.shape[-1])).softmax(dim=-1)


@scaled_scores.wrong(
    "You divide by the lengths of the vectors. That is the cosine of lesson 03; attention "
    "keeps the lengths."
)
def cosines(Q, K):
    return torch.cosine_similarity(Q[:, None], K[None], dim=-1)


@exercise(
    "Attention, all queries at once",
    difficulty=3,
    importance=5,
    minutes=7,
    cases=lambda: [
        (torch.ones(1, 2), torch.ones(1, 2), torch.tensor([[3.0, 7.0]])),
        (_numbers(4, 4, seed=1), _numbers(4, 4, seed=2), _numbers(4, 4, seed=3)),
        (_numbers(2, 8, seed=4), _numbers(5, 8, seed=5), _numbers(5, 3, seed=6)),
        (_numbers(5, 2, seed=7), _numbers(5, 2, seed=8), _numbers(5, 2, seed=9)),
        (torch.tensor([[200.0]]), torch.tensor([[1.0], [1.005]]), torch.eye(2)),
        (torch.tensor([[300.0], [-300.0]]), torch.tensor([[1.0], [0.5]]), torch.eye(2)),
    ],
    task=(
        "Put it together: from the queries, keys and values of a text, return what each query "
        "brings back, one row per query. Use your `scaled_scores` and your `softmax`."
    ),
    hints=(
        "First come the scores, then the weights, then the weighted sum, with one line for "
        "each.",
        "Your `softmax` runs along the last axis, which are the keys, as it should.",
    ),
)
def attention(Q, K, V):
    """What each query brings back; no mask. (T, D), (S, D), (S, M) -> (T, M)

    Scores may be in the hundreds.
    attention(ones(1, 2), ones(1, 2), tensor([[3., 7.]])) -> tensor([[3., 7.]])
    """
    weights = softmax(scaled_scores(Q, K))  # (T, S)
    return weights @ V  # (T, M)


@attention.wrong(
    "Your softmax runs down the columns, so each key shares itself out among the queries. "
    "Each row, one query's, must sum to 1."
)
def softmax_down_the_columns(Q, K, V):
    return (Q @ K.T / math.sqrt(Q.shape[-1])).softmax(dim=0) @ V


@attention.wrong("You divide after the softmax: the weights no longer sum to 1. Divide before.")
def scaled_after_the_softmax(Q, K, V):
    return (Q @ K.T).softmax(dim=-1) / math.sqrt(Q.shape[-1]) @ V


@attention.wrong("Those are the weights. The weighted sum is still missing: weights @ V.")
def values_left_out(Q, K, V):
    return (Q @ K.T / math.sqrt(Q.shape[-1])).softmax(dim=-1)


@attention.wrong("The softmax is missing. Scores are not weights yet.")
def no_softmax(Q, K, V):
    return Q @ K.T / math.sqrt(Q.shape[-1]) @ V


@attention.wrong("The root of D is missing: use scaled_scores.")
def no_root(Q, K, V):
    return (Q @ K.T).softmax(dim=-1) @ V


@attention.wrong("You divide by D. The root of D is enough: use scaled_scores.")
def scaled_by_d(Q, K, V):
    return (Q @ K.T / Q.shape[-1]).softmax(dim=-1) @ V


@attention.wrong(
    "You divide by the root of the number of queries, not of D: use scaled_scores."
)
def scaled_by_the_queries(Q, K, V):
    return (Q @ K.T / math.sqrt(len(Q))).softmax(dim=-1) @ V


@attention.wrong("You add up the keys. A key only makes a score; add up the values.")
def keys_mixed(Q, K, V):
    return (Q @ K.T / math.sqrt(Q.shape[-1])).softmax(dim=-1) @ K


@attention.wrong("Keys and queries are swapped: a row must be one query's.")
def exchanged(Q, K, V):
    if len(Q) != len(K):
        return (K @ Q.T / math.sqrt(Q.shape[-1])).softmax(dim=-1)
    return (K @ Q.T / math.sqrt(Q.shape[-1])).softmax(dim=-1) @ V


@attention.wrong("You transpose the weights. A row already belongs to one query: weights @ V.")
def weights_turned_over(Q, K, V):
    return softmax(scaled_scores(Q, K)).T @ V


@attention.wrong("You take the softmax of the values, too. They are added up as they are.")
def values_through_a_softmax(Q, K, V):
    return (Q @ K.T / math.sqrt(Q.shape[-1])).softmax(dim=-1) @ V.softmax(dim=-1)


@attention.wrong(
    "That hides the later words. It is lesson 05's subject; here every query sees every key."
)
def masked_already(Q, K, V):
    scores = Q @ K.T / math.sqrt(Q.shape[-1])
    seen = torch.ones_like(scores, dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ V


@attention.wrong("exp of a large score is inf: use your softmax, which takes the maximum off.")
def powers_overflow(Q, K, V):
    powers = scaled_scores(Q, K).exp()
    return powers / powers.sum(dim=-1, keepdim=True) @ V


@attention.wrong(
    "You subtract one maximum from the scores of all queries. A query whose scores are far "
    "below it gets 0 / 0, which is nan: use your softmax, which subtracts each row's own."
)
def one_maximum_for_all_queries(Q, K, V):
    scores = scaled_scores(Q, K)
    powers = (scores - scores.max()).exp()
    return powers / powers.sum(dim=-1, keepdim=True) @ V


@attention.wrong(
    "You keep the scores below a limit, so that exp cannot overflow. Scores of 200 and 201 "
    "then look alike: use your softmax, which takes the maximum off."
)
def held_at_50_before_the_softmax(Q, K, V):
    return softmax(scaled_scores(Q, K).clamp(-50, 50)) @ V


def mixes_all(x):
    """A layer (T, D) -> (T, D): attention of the rows to each other, no positions."""
    return (x @ x.T / math.sqrt(x.shape[-1])).softmax(dim=-1) @ x


def row_by_row(x):
    """A layer (T, D) -> (T, D) in which rows do not meet."""
    return torch.tanh(x * torch.arange(1, x.shape[1] + 1))


def with_positions(x):
    """Attention after a number has been added to each row that says where it stands."""
    return mixes_all(x + torch.arange(len(x), dtype=x.dtype)[:, None] / 4)


def running_means(x):
    """Each row the mean of all rows up to it, as in lesson 05."""
    T = torch.arange(1, len(x) + 1, dtype=x.dtype)
    return x.cumsum(dim=0) / T[:, None]


def mean_of_all(x):
    """Every row the mean of all rows: it does not even matter which row asks."""
    return x.mean(dim=0).expand(len(x), -1) + 0.0


def neighbors_swapped(x):
    """Every row handed to the next place, the last one to the first."""
    return x.roll(1, dims=0)


def only_the_last_moves(x):
    """Rows as they are, but the last one in the list is doubled."""
    out = x.clone()
    out[-1] *= 2
    return out


def places_that_cancel(x):
    """Rows as they are, plus numbers by place that sum to 0."""
    places = torch.arange(len(x), dtype=x.dtype)
    return x + (places - places.mean())[:, None]


def slightly_by_place(x):
    """Rows as they are, but for a thousandth of the place at which they stand."""
    return x + torch.arange(len(x), dtype=x.dtype)[:, None] / 1000


def first_row_everywhere(x):
    """Every row is the one that comes first."""
    return x[:1].expand(len(x), -1)


def _order_cases():
    x, orders = _numbers(5, 3, seed=1), ([4, 3, 2, 1, 0], [1, 2, 0, 3, 4], [0, 4, 3, 1, 2])
    layers = (mixes_all, with_positions, row_by_row, running_means, mean_of_all)
    layers += (neighbors_swapped, only_the_last_moves, places_that_cancel, slightly_by_place)
    layers += (first_row_everywhere,)
    cases = [(layer, x, torch.tensor(order)) for layer in layers for order in orders]
    large, back = 10 * _numbers(64, 16, seed=2), torch.arange(63, -1, -1)
    return [*cases, (mixes_all, large, back), (mean_of_all, large - large.mean(dim=0), back)]


@exercise(
    "The shuffle test",
    difficulty=3,
    importance=4,
    minutes=9,
    cases=_order_cases,
    task=(
        "`layer` maps rows (T, D) to rows (T, D), and `order`, (T,), has the row numbers in "
        "another order: `x[order]` are the rows of `x` shuffled. Return True if the "
        "layer ignores order, that is, if shuffling its input merely shuffles its output."
    ),
    hints=(
        "Shuffle first and run the layer, or run the layer and shuffle: are the two the same?",
        "Sums in another order differ in the last digit: compare with `torch.allclose(a, b, "
        "atol=1e-5)`, which returns True or False.",
    ),
)
def ignores_order(layer, x, order):
    """True if shuffled rows in give the same rows out, shuffled alike.

    layer: function (T, D) -> (T, D). x: (T, D). order: (T,) row numbers.
    """
    return torch.allclose(layer(x[order]), layer(x)[order], atol=1e-5)


@ignores_order.wrong(
    "You compare with the unshuffled output. The rows come out in the order in which they "
    "went in: shuffle the output, too."
)
def output_not_shuffled(layer, x, order):
    return torch.allclose(layer(x[order]), layer(x), atol=1e-5)


@ignores_order.wrong(
    "You shuffle the output alone, and compare it with itself. Shuffle the input, too: "
    "layer(x[order])."
)
def input_not_shuffled(layer, x, order):
    return torch.allclose(layer(x)[order], layer(x), atol=1e-5)


@ignores_order.wrong(
    "You compare bit for bit. The sums run in another order, so the last digit may differ: "
    "torch.allclose."
)
def bit_for_bit(layer, x, order):
    return torch.equal(layer(x[order]), layer(x)[order])


@ignores_order.wrong(
    "You compare sums over all rows. Where rows are swapped, or changes cancel, the sum "
    "stays; compare row by row."
)
def sums_only(layer, x, order):
    return torch.allclose(layer(x[order]).sum(dim=0), layer(x).sum(dim=0), atol=1e-4)


@ignores_order.wrong("You look at row 0 alone. Compare all rows.")
def row_0_only(layer, x, order):
    return torch.allclose(layer(x[order])[0], layer(x)[order][0], atol=1e-5)


@ignores_order.wrong("Inverted: you return True when the order matters.")
def order_matters(layer, x, order):
    return not torch.allclose(layer(x[order]), layer(x)[order], atol=1e-5)


@ignores_order.wrong(
    "That is True for every layer. Is one side shuffled before the layer, the other after it?"
)
def never_shuffled(layer, x, order):
    return torch.allclose(layer(x), layer(x))


@ignores_order.wrong(
    "Too strict: by default torch.allclose forgives next to nothing around 0, where sums in "
    "another order may differ. Pass atol=1e-5."
)
def forgives_too_little(layer, x, order):
    return torch.allclose(layer(x[order]), layer(x)[order])


@ignores_order.wrong(
    "You forgive differences that are too large, so a layer that adds only a thousandth of "
    "each row's position passes. Use atol=1e-5."
)
def forgives_too_much(layer, x, order):
    return torch.allclose(layer(x[order]), layer(x)[order], atol=0.1)


@ignores_order.wrong(
    "That is False for every layer, even for those that ignore order. Compare "
    "layer(x[order]) with layer(x)[order]."
)
def always_false(layer, x, order):
    return False


@ignores_order.wrong(
    "You look for the same rows in any order. They must come out in the order in which they "
    "went in."
)
def any_order_will_do(layer, x, order):
    rows = [sorted(layer(y).sum(dim=1).tolist()) for y in (x[order], x)]
    return torch.allclose(torch.tensor(rows[0]), torch.tensor(rows[1]), atol=1e-4)


@ignores_order.wrong("You shuffle columns, the numbers within a row. Rows are x[order].")
def columns_shuffled(layer, x, order):
    columns = torch.arange(x.shape[1]).flip(0)
    return torch.allclose(layer(x[:, columns]), layer(x)[:, columns], atol=1e-5)


@ignores_order.wrong(
    "You shuffle twice, before and after. That restores the order only if the shuffle undoes "
    "itself. Compare with layer(x)[order]."
)
def shuffled_twice(layer, x, order):
    return torch.allclose(layer(x[order])[order], layer(x), atol=1e-5)


@ignores_order.wrong("That is a table of True and False. One verdict: torch.allclose.")
def a_table_of_verdicts(layer, x, order):
    return (layer(x[order]) - layer(x)[order]).abs() < 1e-5


@ignores_order.wrong(
    "You compare with the unshuffled output. The rows come out in the order in which they "
    "went in: shuffle the output, too. (And pass atol=1e-5.)"
)
def output_not_shuffled_and_strict(layer, x, order):
    return torch.allclose(layer(x[order]), layer(x))


@ignores_order.wrong(
    "You compare with the unshuffled output, and bit for bit. Shuffle the output, too, and "
    "compare with torch.allclose, atol=1e-5."
)
def output_not_shuffled_bit_for_bit(layer, x, order):
    return torch.equal(layer(x[order]), layer(x))


@ignores_order.wrong(
    "`==` makes a table of True and False, and you compare with the unshuffled output. One "
    "verdict is asked for: torch.allclose(layer(x[order]), layer(x)[order], atol=1e-5)."
)
def a_table_with_the_unshuffled(layer, x, order):
    return layer(x[order]) == layer(x)


@ignores_order.wrong("`==` makes a table of True and False, bit for bit: take torch.allclose.")
def a_table_bit_for_bit(layer, x, order):
    return layer(x[order]) == layer(x)[order]


@ignores_order.wrong(
    "The largest difference without its sign decides: .abs().max(). Where a row has only "
    "become smaller, .max() alone sees nothing."
)
def the_largest_with_its_sign(layer, x, order):
    return bool((layer(x[order]) - layer(x)[order]).max() < 1e-5)


EXERCISES = (softmax, look_up, mixed_by_hand, scaled_scores, attention, ignores_order)
check = Checker(EXERCISES)
mine = check.mine

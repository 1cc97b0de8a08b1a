"""Lesson 08, The whole GPT-1."""

import math

import numpy as np
import torch
import torch.nn.functional as F

from gpt1lib import numpy_gpt

from ..checking.exercise import Checker, exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "The tied softmax",
    difficulty=1,
    importance=5,
    minutes=3,
    cases=lambda: [
        (_seeded(3, 5), _seeded(8, 5, seed=1)),
        (_seeded(1, 4, seed=2), _seeded(6, 4, seed=3)),
        (_seeded(4, 4, seed=4), _seeded(4, 4, seed=5)),
    ],
    task=(
        "Compute the logits of every token from the last hidden states, with the token "
        "embedding as output matrix, as in Eq. 2."
    ),
    hints=("Which shapes must meet to give (T, V)?", "`W_e.T` has the shape (C, V)."),
)
def tied_logits(h, W_e):
    """Logits (T, V) from hidden states h (T, C) and token table W_e (V, C).

    Logit v at position t is the dot product of h[t] and row v of W_e.
    """
    return h @ W_e.T


@tied_logits.wrong(
    "(T, C) times (V, C) does not fit: transpose W_e, so that each row becomes "
    "a column to multiply with."
)
def not_transposed(h, W_e):
    return h @ W_e


@tied_logits.wrong(
    "Those are the probabilities already. Return the logits, before the softmax."
)
def probabilities(h, W_e):
    return (h @ W_e.T).softmax(dim=-1)


@tied_logits.wrong(
    "No scaling here: dividing by the square root of the width belongs to attention scores."
)
def with_scaling(h, W_e):
    return h @ W_e.T / math.sqrt(h.shape[1])


@tied_logits.wrong(
    "You normalize the rows of W_e. Their lengths matter: a long row wins more often."
)
def cosine(h, W_e):
    unit = W_e / W_e.norm(dim=1, keepdim=True)
    return h @ unit.T


@tied_logits.wrong(
    "You normalize both sides, so that only directions count. A logit is the plain dot product."
)
def cosine_of_both(h, W_e):
    return F.normalize(h, dim=1) @ F.normalize(W_e, dim=1).T


@tied_logits.wrong("`*` multiplies number by number. A dot product of rows is `@`.")
def number_by_number(h, W_e):
    return h * W_e.T


@tied_logits.wrong("Your result is (V, T). It needs one row per token of the text: (T, V).")
def rows_and_columns_exchanged(h, W_e):
    return W_e @ h.T


@tied_logits.wrong(
    "The shape fits, the numbers do not: reshape keeps the order of the numbers, a "
    "transpose exchanges rows and columns."
)
def reshaped(h, W_e):
    return h @ W_e.reshape(W_e.shape[1], W_e.shape[0])


@tied_logits.wrong("Those are log-probabilities. Return the logits, before the softmax.")
def log_probabilities(h, W_e):
    return (h @ W_e.T).log_softmax(dim=-1)


@tied_logits.wrong("You return the last position only. Every position has a row of logits.")
def last_position_only(h, W_e):
    return h[-1] @ W_e.T


@tied_logits.wrong(
    "You return the best token of each position. Return the logits of all tokens."
)
def best_token(h, W_e):
    return (h @ W_e.T).argmax(dim=-1)


@tied_logits.wrong(
    "You multiply with the pseudo-inverse. The same numbers are used again: transpose W_e."
)
def pseudo_inverse(h, W_e):
    return h @ torch.linalg.pinv(W_e)


@tied_logits.wrong("You put a LayerNorm before the logits. GPT-1 has none here.")
def normalized_first(h, W_e):
    return F.layer_norm(h, h.shape[1:]) @ W_e.T


def _pass(**changed):
    """The states of a made-up pass by name, in order; some of them changed."""
    names = ("h0", "block 0 weights", "block 0 n", "block 0 h", "block 1 weights", "logits")
    states = {name: _seeded(3, 4, seed=i) for i, name in enumerate(names)}
    for name, change in changed.items():
        states[name.replace("_", " ")] = change(states[name.replace("_", " ")].clone())
    return states


def _rounded(x):
    """As another order of the sums would leave it: some hundred-thousandths away."""
    return x + 2e-5 * torch.sign(_seeded(*x.shape, seed=9))


def _rounded_once(x):
    """The same, in one number."""
    x[1, 1] += 2e-5
    return x


def _last_digit(x):
    """The last digit that float32 holds."""
    return x * (1 + 2e-7)


def _moved(x):
    """Far from what it should be, most of all in the first row."""
    return x + torch.tensor([[0.9], [0.6], [0.5]])


def _far(x):
    """Further off than anything else."""
    return x - 3


def _nudged(x):
    """One number of the first row, a little."""
    x[0, 1] += 0.001
    return x


def _nudged_late(x):
    """One number of the last row, a little."""
    x[2, 3] -= 0.001
    return x


def _exchanged(x):
    """Two rows exchanged: the mean and the length stay as they are."""
    return x[[1, 0, 2]]


def _lost(x):
    """A row that is no number any more."""
    x[0] = math.nan
    return x


def _less_rounded(x):
    """Just within 1e-4: still rounding."""
    return x + 8e-5 * torch.sign(_seeded(*x.shape, seed=9))


def _nudged_less(x):
    """One number, by a little more than 1e-4: a mistake."""
    x[1, 2] += 0.00015
    return x


def _with_rounding(**changed):
    """A faulty pass: rounding moves every state a little, and some move a lot."""
    little = {name.replace(" ", "_"): _rounded for name in _pass()}
    little |= {"h0": _last_digit, "block_0_weights": _rounded_once}
    return _pass(**(little | changed))


@exercise(
    "Find the bug",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        (_pass(), _with_rounding(block_0_n=_moved, block_0_h=_nudged, logits=_far)),
        (_pass(), _with_rounding(block_0_weights=_nudged, block_0_n=_moved)),
        (_pass(), _with_rounding(block_0_n=_nudged_late, block_0_h=_moved)),
        (_pass(), _with_rounding(block_1_weights=_exchanged)),
        (_pass(), _with_rounding(logits=torch.neg)),
        (_pass(), _with_rounding(block_0_h=_lost, logits=_lost)),
        (_pass(), _with_rounding(h0=_moved)),
        (_pass(), _with_rounding()),
        (_pass(), _with_rounding(block_0_n=_less_rounded, block_0_h=_nudged_less, logits=_far)),
        ({"h0": torch.zeros(2)}, {"h0": torch.ones(2)}),
    ],
    task=(
        "You get the states of two forward passes over the same text with the same weights. "
        "One pass is right, and the other may have a mistake somewhere. Both are dicts from "
        "names to states, in the order in which the model computes them. Return the name of "
        "the first state in which the two differ by more than 1e-4, or None if there is none. "
        "(Smaller differences are rounding, and a mistake may turn numbers into nan.)"
    ),
    hints=(
        "A dict goes through its names in order: `for name in right:`.",
        "`torch.allclose(a, b, atol=1e-4)` is True if no two numbers are further apart, and "
        "False where one of them is nan.",
    ),
)
def find_the_bug(right, wrong):
    """Name of the first state in which two passes differ by more than 1e-4, else None.

    right, wrong: dicts, name -> tensor, with the same names and shapes, in order. Numbers are
    near 1, so torch.allclose with atol=1e-4 is as good as that limit.
    find_the_bug({"h0": zeros(2)}, {"h0": ones(2)}) -> "h0"
    """
    for name in right:
        if not torch.allclose(right[name], wrong[name], atol=1e-4):
            return name
    return None


def _differ(right, wrong, look=lambda state: state):
    """The names of all states in which two passes differ, in what one looks at."""
    pairs = {name: (look(right[name]), look(wrong[name])) for name in right}
    return [name for name, (a, b) in pairs.items() if not torch.allclose(a, b, atol=1e-4)]


def _first(names):
    """The first of some names, None if there is none."""
    return names[0] if names else None


def _distance(a, b):
    """The largest difference, 0 where it is nan."""
    return (a - b).abs().nan_to_num().max().item()


@find_the_bug.wrong(
    "Bit for bit is too strict: another order of the sums moves the last digits of every "
    "state. Up to 1e-4 is rounding."
)
def bit_for_bit(right, wrong):
    return next((n for n in right if not torch.equal(right[n], wrong[n])), None)


@find_the_bug.wrong(
    "Too strict: rounding alone moves these states. torch.allclose takes 1e-8 by default and "
    "1e-5 is too little as well; give it atol=1e-4."
)
def default_tolerance(right, wrong):
    return next((n for n in right if not torch.allclose(right[n], wrong[n])), None)


@find_the_bug.wrong(
    "You return the first state in which the two agree: a `not` is missing before allclose."
)
def first_that_agrees(right, wrong):
    return next((n for n in right if torch.allclose(right[n], wrong[n], atol=1e-4)), None)


@find_the_bug.wrong(
    "That is where the two differ most. A mistake grows on its way up: it was made where they "
    "differ first."
)
def largest_difference(right, wrong):
    found = _differ(right, wrong)
    return max(found, key=lambda n: _distance(right[n], wrong[n])) if found else None


@find_the_bug.wrong(
    "That is the last state in which they differ. All that follows a mistake is wrong, too; "
    "look for the first."
)
def the_last(right, wrong):
    return _first(_differ(right, wrong)[::-1])


@find_the_bug.wrong(
    "You return all states that differ. Return only the first, because it shows where to look."
)
def all_of_them(right, wrong):
    return _differ(right, wrong)


@find_the_bug.wrong("That is the last state that was right. Return the first wrong one.")
def the_one_before(right, wrong):
    names, found = list(right), _differ(right, wrong)
    return names[names.index(found[0]) - 1] if found else None


@find_the_bug.wrong("You return its number. Return its name.")
def its_number(right, wrong):
    found = _differ(right, wrong)
    return list(right).index(found[0]) if found else None


@find_the_bug.wrong("You return whether the two differ. Return where: the state's name.")
def whether(right, wrong):
    return bool(_differ(right, wrong))


@find_the_bug.wrong("You return the state itself. Return its name.")
def the_state(right, wrong):
    found = _differ(right, wrong)
    return wrong[found[0]] if found else None


@find_the_bug.wrong(
    "nan > 1e-4 is False, and so is every `<` or `>` with nan. A state of nan is wrong: ask "
    "whether the difference is *not* at most 1e-4."
)
def nan_overlooked(right, wrong):
    return next((n for n in right if (right[n] - wrong[n]).abs().max() > 1e-4), None)


@find_the_bug.wrong(
    "nan > 1e-4 is False, and so is every `<` or `>` with nan. A state of nan is wrong: ask "
    "whether the difference is *not* at most 1e-4."
)
def length_that_overlooks_nan(right, wrong):
    return next((n for n in right if (right[n] - wrong[n]).norm() > 1e-4), None)


@find_the_bug.wrong(
    "You let a small difference pass. One number that is 0.001 off is a mistake: ask for the "
    "largest difference, not for a mean or for squares, and compare it with 1e-4."
)
def too_lax(right, wrong):
    return next((n for n in right if not torch.allclose(right[n], wrong[n], atol=0.1)), None)


@find_the_bug.wrong(
    "You let a small difference pass. One number that is 0.00015 off is a mistake: compare "
    "with 1e-4."
)
def a_little_too_lax(right, wrong):
    return next((n for n in right if not torch.allclose(right[n], wrong[n], atol=2e-4)), None)


@find_the_bug.wrong(
    "Too strict: up to 1e-4 is rounding, number by number. Compare each number, not a length."
)
def a_little_too_strict(right, wrong):
    return next((n for n in right if not torch.allclose(right[n], wrong[n], atol=5e-5)), None)


@find_the_bug.wrong(
    "You ask whether all numbers differ. One is enough: .any() of those that differ, or not "
    ".all() of those that are close."
)
def only_where_all_differ(right, wrong):
    apart = {n: (right[n] - wrong[n]).abs() > 1e-4 for n in right}
    return next((n for n in apart if apart[n].all()), None)


@find_the_bug.wrong(
    "A difference can have either sign. Take `abs()` before the largest, and mind that "
    "`>` is False with nan."
)
def signed(right, wrong):
    return next((n for n in right if (right[n] - wrong[n]).max() > 1e-4), None)


@find_the_bug.wrong(
    "A difference can have either sign. Take `abs()` before the largest, and mind that "
    "`>` is False with nan."
)
def signed_the_other_way(right, wrong):
    return next((n for n in right if (wrong[n] - right[n]).max() > 1e-4), None)


@find_the_bug.wrong("You compare the first row only. A mistake may show in any row.")
def first_row_only(right, wrong):
    return _first(_differ(right, wrong, lambda state: state[:1]))


@find_the_bug.wrong(
    "You compare the last row only. A mistake may show in an earlier row first, and reach the "
    "last one a block later."
)
def last_row_only(right, wrong):
    return _first(_differ(right, wrong, lambda state: state[-1:]))


@find_the_bug.wrong(
    "You compare means. Differences of both signs cancel in a mean; look at the largest one."
)
def means_only(right, wrong):
    return _first(_differ(right, wrong, torch.mean))


@find_the_bug.wrong(
    "You compare lengths. Other numbers, or the same ones in another order, can have the same "
    "length."
)
def lengths_only(right, wrong):
    return _first(_differ(right, wrong, torch.linalg.norm))


@find_the_bug.wrong(
    "You add up the differences of a state. Rounding of many numbers adds up to more than "
    "1e-4; look at the largest one."
)
def sum_of_the_differences(right, wrong):
    return next((n for n in right if not (right[n] - wrong[n]).abs().sum() <= 1e-4), None)


@find_the_bug.wrong(
    "You go through the names alphabetically. Take them in the order of the dict, which is "
    "the model's."
)
def by_the_alphabet(right, wrong):
    return _first(sorted(_differ(right, wrong)))


@find_the_bug.wrong(
    "You look at the logits only. They tell you that something is wrong, but not where."
)
def logits_only(right, wrong):
    return "logits" if "logits" in _differ(right, wrong) else None


@find_the_bug.wrong(
    "The loop ends in its first round: `return None` belongs after the loop, not inside it."
)
def gives_up_after_the_first(right, wrong):
    first = next(iter(right))
    return first if first in _differ(right, wrong) else None


def _head(S, D, t, seed):
    """One query, and keys and values of S positions."""
    return _seeded(D, seed=seed), _seeded(S, D, seed=seed + 1), _seeded(S, D, seed=seed + 2), t


@exercise(
    "No mask at all",
    difficulty=2,
    importance=3,
    minutes=6,
    cases=lambda: [
        _head(6, 5, 2, seed=10),
        _head(4, 3, 0, seed=20),
        _head(5, 8, 4, seed=30),
        _head(9, 4, 6, seed=40),
        (
            torch.ones(2),
            torch.zeros(3, 2),
            torch.tensor([[1.0, 0.0], [3.0, 0.0], [9.0, 9.0]]),
            1,
        ),
        (200 * torch.ones(2), torch.tensor([[2.0, 1.0], [1.0, 1.0]]), torch.eye(2), 1),
        (200 * torch.ones(2), torch.tensor([[0.0, 1.0], [1.0, 1.0]]), torch.eye(2), 0),
        (torch.tensor([200.0]), torch.tensor([[1.0], [1.005]]), torch.eye(2), 1),
    ],
    task=(
        "Write JavaScript's attention in Python, for one head and one query. Compute scores "
        "only for the keys of positions 0 to `t`, divide them by the square root of D, take "
        "their softmax, and mix the values of the same positions."
    ),
    hints=(
        "`keys[: t + 1]` are the keys that may be seen.",
        "Scores: `keys[: t + 1] @ q / math.sqrt(len(q))`, one for each of them.",
    ),
)
def mix_of_the_seen(q, keys, values, t):
    """What the token at position t takes from positions 0 to t, in one head: (D,).

    q: (D,), its query; keys and values: (S, D), of all positions, later ones too. Scores
    may be in the hundreds, and those of later positions far above the others.
    mix_of_the_seen(ones(2), zeros(3, 2), tensor([[1., 0.], [3., 0.], [9., 9.]]), 1)
    -> tensor([2., 0.])
    """
    scores = keys[: t + 1] @ q / math.sqrt(len(q))  # (t + 1,)
    return scores.softmax(dim=0) @ values[: t + 1]  # (D,)


def _mixed(q, keys, values):
    """The mix of all keys and values that are given."""
    return (keys @ q / math.sqrt(len(q))).softmax(dim=0) @ values


@mix_of_the_seen.wrong(
    "You use one key too many: `keys[: t + 2]` includes the next position. That is a leak."
)
def asks_one_ahead(q, keys, values, t):
    return _mixed(q, keys[: t + 2], values[: t + 2])


@mix_of_the_seen.wrong("`keys[:t]` ends before position t. A token may see itself, too.")
def leaves_itself_out(q, keys, values, t):
    return _mixed(q, keys[:t], values[:t])


@mix_of_the_seen.wrong("You use all keys, later ones too. Only 0 to t may be seen.")
def asks_all_keys(q, keys, values, t):
    return _mixed(q, keys, values)


@mix_of_the_seen.wrong(
    "You take the softmax of all scores and leave the later ones out afterwards: what is left "
    "does not sum to 1. Leave them out before."
)
def cut_after_the_softmax(q, keys, values, t):
    weights = (keys @ q / math.sqrt(len(q))).softmax(dim=0)
    return weights[: t + 1] @ values[: t + 1]


@mix_of_the_seen.wrong(
    "You take the softmax of all scores, leave the later ones out, and divide by what is left. "
    "Where a later score is far above the others, nothing is left, and 0 / 0 is nan. Leave the "
    "later scores out before."
)
def divided_by_what_is_left(q, keys, values, t):
    left = (keys @ q / math.sqrt(len(q))).softmax(dim=0)[: t + 1]
    return left / left.sum() @ values[: t + 1]


@mix_of_the_seen.wrong(
    'A score of 0 is not "unseen": the softmax makes a weight of it, exp(0) = 1. Leave the '
    "later scores out, or set them to minus infinity."
)
def zero_for_the_unseen(q, keys, values, t):
    scores = keys @ q / math.sqrt(len(q))
    return torch.where(torch.arange(len(keys)) <= t, scores, 0.0).softmax(dim=0) @ values


@mix_of_the_seen.wrong("You do not divide the scores by the square root of D.")
def scores_not_scaled(q, keys, values, t):
    return (keys[: t + 1] @ q).softmax(dim=0) @ values[: t + 1]


@mix_of_the_seen.wrong("You divide by D. The scores are divided by its square root.")
def divides_by_the_width(q, keys, values, t):
    return (keys[: t + 1] @ q / len(q)).softmax(dim=0) @ values[: t + 1]


@mix_of_the_seen.wrong(
    "You divide by the square root of the number of keys. It is that of D, the length of q."
)
def scaled_by_the_keys(q, keys, values, t):
    return (keys[: t + 1] @ q / math.sqrt(t + 1)).softmax(dim=0) @ values[: t + 1]


@mix_of_the_seen.wrong("The softmax is missing: you mix the values with the scores themselves.")
def scores_as_weights(q, keys, values, t):
    return keys[: t + 1] @ q / math.sqrt(len(q)) @ values[: t + 1]


@mix_of_the_seen.wrong("You mix the keys. They give the weights; what is mixed are the values.")
def mixes_the_keys(q, keys, values, t):
    return _mixed(q, keys[: t + 1], keys[: t + 1])


@mix_of_the_seen.wrong("Those are the weights. Mix the values with them: `weights @ values`.")
def weights_alone(q, keys, values, t):
    return (keys[: t + 1] @ q / math.sqrt(len(q))).softmax(dim=0)


@mix_of_the_seen.wrong("You use the keys from t on. Those are the later ones: take 0 to t.")
def asks_the_later_keys(q, keys, values, t):
    return _mixed(q, keys[t:], values[t:])


@mix_of_the_seen.wrong(
    "You have t + 1 weights and all the values. Mix those of the same positions: "
    "values[: t + 1]."
)
def all_values(q, keys, values, t):
    scores = keys[: t + 1] @ q / math.sqrt(len(q))
    return scores.softmax(dim=0) @ values


@mix_of_the_seen.wrong(
    "exp of a large score is inf: use .softmax, which takes the maximum off."
)
def powers_overflow(q, keys, values, t):
    powers = (keys[: t + 1] @ q / math.sqrt(len(q))).exp()
    return powers / powers.sum() @ values[: t + 1]


@mix_of_the_seen.wrong(
    "You hold the scores below a limit, so that exp cannot overflow. Scores of 200 and 201 "
    "then look alike: use .softmax, which takes the maximum off."
)
def scores_held_at_50(q, keys, values, t):
    scores = keys[: t + 1] @ q / math.sqrt(len(q))
    return scores.clamp(-50, 50).softmax(dim=0) @ values[: t + 1]


@exercise(
    "Count one block",
    difficulty=2,
    importance=4,
    minutes=10,
    cases=lambda: [(768,), (256,), (10,)],
    task=(
        "How many parameters does one block of width `C` have? Attention has a fused layer "
        "from C to 3C and one from C to C, and the feed-forward part has one from C to 4C and "
        "one back. All four have biases, and each of the two LayerNorms has a gain and a bias."
    ),
    hints=(
        "A layer from a to b with bias has a * b + b parameters.",
        "Matrices: 3 C^2 + C^2 + 4 C^2 + 4 C^2.",
    ),
)
def block_parameters(C):
    """Number of parameters of one block of width C.

    block_parameters(768) -> 7087872
    """
    attention = C * 3 * C + 3 * C + C * C + C
    feed_forward = C * 4 * C + 4 * C + 4 * C * C + C
    return attention + feed_forward + 2 * 2 * C


@block_parameters.wrong("The biases of the four layers are missing: 3C + C + 4C + C of them.")
def no_biases(C):
    return 12 * C * C + 4 * C


@block_parameters.wrong(
    "The two LayerNorms are missing, with a gain and a bias of C numbers each."
)
def no_layernorm(C):
    return 12 * C * C + 9 * C


@block_parameters.wrong(
    "12 C^2 is the rule of thumb: matrices only. Add biases and LayerNorms."
)
def matrices_only(C):
    return 12 * C * C


@block_parameters.wrong(
    "The fused layer makes q, k and v: it has C x 3C weights and 3C biases."
)
def one_matrix_for_q_k_v(C):
    return 10 * C * C + 11 * C


@block_parameters.wrong(
    "2 C are missing. The two LayerNorms have 4 C together, and the fused layer has 3 C "
    "biases, one for each output."
)
def half_of_the_layernorms(C):
    return 12 * C * C + 11 * C


@block_parameters.wrong("A gain and a bias have C numbers each.")
def gain_and_bias_of_one_number(C):
    return 12 * C * C + 9 * C + 4


@block_parameters.wrong("The second layer of attention is missing, from C to C.")
def no_projection(C):
    return 11 * C * C + 12 * C


@block_parameters.wrong("3072 is 4 C for C = 768 only.")
def width_3072(C):
    return 4 * C * C + 4 * C + 2 * 3072 * C + 3072 + C + 4 * C


@block_parameters.wrong("That is right for C = 768 only. Compute it from C.")
def only_for_768(C):
    return 7087872


@block_parameters.wrong(
    "The two biases of the feed-forward part are 4 C and C numbers: as many as the layer "
    "has outputs."
)
def wide_bias_twice(C):
    return 12 * C * C + 16 * C


@block_parameters.wrong(
    "3 C are missing: the fused layer has 3 C biases, and the widening layer has 4 C."
)
def narrow_bias_twice(C):
    return 12 * C * C + 10 * C


@block_parameters.wrong(
    "The heads share the matrices of attention, each taking its part of them: do not "
    "multiply by the number of heads."
)
def matrices_per_head(C):
    return 12 * (4 * C * C + 4 * C) + 8 * C * C + 9 * C


@block_parameters.wrong("13 C, not 13: each bias and each gain has C numbers or more.")
def bias_without_width(C):
    return 12 * C * C + 13


@block_parameters.wrong("`^` is not a power in Python; write C * C or C**2.")
def exclusive_or(C):
    return (12 * C) ^ (2 + 13 * C)


@block_parameters.wrong("`^` is not a power in Python; write C * C or C**2.")
def exclusive_or_of_c(C):
    return 12 * (C ^ 2) + 13 * C


@block_parameters.wrong("The width of the feed-forward part is 4 C, not C.")
def feed_forward_not_wider(C):
    return 6 * C * C + 10 * C


@block_parameters.wrong(
    "You give each of the four layers C biases. A layer has a bias for each number that it "
    "puts out: 3C, C, 4C and C."
)
def c_biases_each(C):
    return 12 * C * C + 8 * C


@block_parameters.wrong("The feed-forward part has two layers: C to 4C, and back.")
def one_feed_forward_layer(C):
    return 8 * C * C + 12 * C


@block_parameters.wrong("That is twelve blocks. One is asked for.")
def twelve_blocks(C):
    return 12 * (12 * C * C + 13 * C)


@exercise(
    "Count the whole model",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [(40478, 512, 12, 768), (8120, 256, 4, 256), (50, 9, 3, 8), (20, 30, 1, 6)],
    task=(
        "Count the parameters of a GPT of any size, with the output matrix tied. A block of "
        "width C has `12 * C * C + 13 * C` parameters."
    ),
    hints=("Token table, position table, n_layer blocks, and nothing else.",),
)
def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):
    """Number of parameters of a tied GPT.

    gpt_parameters(40478, 512, 12, 768) -> 116534784
    """
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You count the output matrix a second time. It is tied: the same numbers as "
    "the token embedding."
)
def head_counted_too(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return 2 * n_vocab * n_embd + n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong("Each block has its 13 C: put the sum of a block in parentheses.")
def sum_of_a_block_without_parentheses(n_vocab, n_ctx, n_layer, n_embd):
    embeddings = n_vocab * n_embd + n_ctx * n_embd
    return embeddings + n_layer * 12 * n_embd * n_embd + 13 * n_embd


@gpt_parameters.wrong("The learned positions are missing: n_ctx rows.")
def positions_not_counted(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You count a LayerNorm after the last block. GPT-2 has one; GPT-1 does not "
    "need it, its blocks end with one."
)
def final_layernorm(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx + 2) * n_embd + n_layer * block


@gpt_parameters.wrong("You count a bias for the logits. GPT-1's softmax has none.")
def output_bias(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx) * n_embd + n_vocab + n_layer * block


@gpt_parameters.wrong("You count a single block.")
def one_block(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_ctx * n_embd + block


@gpt_parameters.wrong("The number of blocks is n_layer, not always 12.")
def always_12_blocks(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx) * n_embd + 12 * block


@gpt_parameters.wrong("The token table is missing: n_vocab rows.")
def tokens_not_counted(n_vocab, n_ctx, n_layer, n_embd):
    return n_ctx * n_embd + n_layer * (12 * n_embd * n_embd + 13 * n_embd)


@gpt_parameters.wrong("Both tables are missing: n_vocab rows of tokens, n_ctx of positions.")
def only_blocks(n_vocab, n_ctx, n_layer, n_embd):
    return n_layer * (12 * n_embd * n_embd + 13 * n_embd)


@gpt_parameters.wrong(
    "12 C^2 counts a block's matrices only; its biases and LayerNorms are 13 C more."
)
def matrices_of_blocks_only(n_vocab, n_ctx, n_layer, n_embd):
    return (n_vocab + n_ctx) * n_embd + n_layer * 12 * n_embd * n_embd


@gpt_parameters.wrong(
    "Positions are added once, before the first block; the blocks have no tables of their own."
)
def positions_in_every_block(n_vocab, n_ctx, n_layer, n_embd):
    block = n_ctx * n_embd + 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You multiply n_vocab by n_ctx. They are the rows of two tables: add them."
)
def one_table_for_pairs(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong(
    "That is right for GPT-1's own sizes only. Compute it from the arguments."
)
def only_for_gpt_1(n_vocab, n_ctx, n_layer, n_embd):
    return 116534784


@gpt_parameters.wrong("The token table has n_vocab rows of n_embd numbers each.")
def a_number_per_token(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab + n_ctx * n_embd + n_layer * block


# ---- five passes with a fault each, for find_the_bug --------------------------------

# pass -> (the line of the page, what stands there instead)
FAULTS = {
    "A": ("W_p[: len(ids)]", "W_p[1 : len(ids) + 1]"),
    "B": ("/ math.sqrt(q.shape[-1])", "/ math.sqrt(x.shape[-1])"),
    "C": (
        "scores.masked_fill(~seen, -math.inf).softmax(dim=-1)",
        "scores.softmax(dim=-1) * seen",
    ),
    "D": ("b.ln_2(n + mlp(n, b))", "b.ln_2(x + mlp(n, b))"),
    "E": ("tied_logits(h, W_e)", "tied_logits(F.layer_norm(h, (C,)), W_e)"),
}


@torch.no_grad()
def states(ids, model, fault=""):
    """Every state of one pass by name, in order. ids: (T,); fault: a key of FAULTS, or none."""
    W_e, W_p = model.tokens.weight, model.positions.weight
    first = 1 if fault == "A" else 0
    h = W_e[ids] + W_p[first : first + len(ids)]
    found = {"h0": h}
    for i, block in enumerate(model.blocks):
        inside = _inside(h, block, fault)
        found |= {f"block {i} {name}": state for name, state in inside.items()}
        h = inside["h"]
    last = F.layer_norm(h, h.shape[-1:]) if fault == "E" else h
    return found | {"logits": last @ W_e.T}


def _inside(x, block, fault):
    """The states within a block that reads x (T, C), in order."""
    q, k, v = (t[0] for t in block.attention.split_heads(x[None]))  # (H, T, D)
    scores = q @ k.transpose(1, 2) / math.sqrt((x if fault == "B" else q).shape[-1])
    seen = torch.ones(len(x), len(x), dtype=torch.bool).tril()
    hidden = scores.masked_fill(~seen, -math.inf).softmax(dim=-1)
    weights = scores.softmax(dim=-1) * seen if fault == "C" else hidden  # (H, T, T)
    brought = block.attention.project((weights @ v).transpose(0, 1).flatten(1))
    n = block.ln_1(x + brought)
    mlp = block.mlp(n)
    h = block.ln_2((x if fault == "D" else n) + mlp)
    return {
        "scores": scores,
        "weights": weights,
        "attention": brought,
        "n": n,
        "mlp": mlp,
        "h": h,
    }


# ---- the same model in three languages ----------------------------------------------

TEXT = "It is a truth universally acknowledged, that a single man"  # read in all three

# part -> words by which its line is found in model.py, numpy_gpt.py and gpt.js
LINES = {
    "n = LN(h + attention(h))": (
        "self.ln_1(x +",
        "layer_norm(x + a",
        "(h, attended, block.ln_1",
    ),
    "h = LN(n + mlp(n))": ("self.ln_2(n +", "layer_norm(n + m", "(n, mlp, "),
    "no key from later": ("is_causal=True", "np.where(later", "const seen ="),
    "LayerNorm's eps": ("self.ln_1 = ", "np.sqrt(x.var(", "const scale ="),
    "GELU": ("F.gelu(", "return 0.5 * x *", "x[i] = 0.5"),
    "the tied head": ("self.output_matrix.T", "softmax(h[:, :-1] @", "this.softmaxLayer, h"),
}


def states_in_numpy(ids, params, n_head):
    """As `states`, by numpy_gpt's functions: name -> array. ids: (T,), of numpy."""
    h = (params["tokens"]["weight"][ids] + params["positions"]["weight"][: len(ids)])[None]
    found = {"h0": h}
    for i, block in enumerate(params["blocks"]):
        h, kept = numpy_gpt.block(h, block, n_head)
        (_, q, k, _, weights, mixed), _, n, _, active, _ = kept
        inside = {
            "scores": q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1]),
            "weights": weights,
            "attention": numpy_gpt.linear(mixed, **block["attention"]["project"]),
            "n": n,
            "mlp": numpy_gpt.linear(active, **block["shrink"]),
            "h": h,
        }
        found |= {f"block {i} {name}": state for name, state in inside.items()}
    found["logits"] = h @ params["tokens"]["weight"].T
    return {name: state[0] for name, state in found.items()}


def apart(found, wanted):
    """The largest difference of each state of two passes, by name."""
    pairs = {name: (np.asarray(found[name]), np.asarray(wanted[name])) for name in wanted}
    return {name: float(np.abs(a.astype(float) - b).max()) for name, (a, b) in pairs.items()}


EXERCISES = (tied_logits, find_the_bug, mix_of_the_seen, block_parameters, gpt_parameters)
check = Checker(EXERCISES)
mine = check.mine

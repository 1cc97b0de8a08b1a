"""Lesson 09, The same in numpy."""

import math

import numpy as np

from gpt1lib import numpy_gpt

from .claims import holds as holds  # for the notebook
from .exercise import Checker, exercise


def _numbers(*shape, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(0, scale, shape)


@exercise(
    "Softmax",
    difficulty=2,
    importance=5,
    minutes=5,
    cases=lambda: [
        (_numbers(2, 3),),
        (_numbers(3, 3, seed=1),),
        (np.array([[1000.0, 1001.0], [0.0, -1000.0]]),),
        (np.array([[0.0, 12_000.0], [1.0, 0.0]]),),
        (_numbers(2, 3, 4, seed=25),),
        (_numbers(4, seed=26),),
    ],
    task=(
        "Turn scores into probabilities along the last axis. It must also work for "
        "scores in the thousands."
    ),
    hints=(
        "`np.exp`, then divide by the sum over the last axis, with `keepdims=True`.",
        "Against overflow: softmax does not change if all scores of a row shift.",
    ),
)
def softmax(scores):
    """Probabilities (..., n) from scores (..., n): positive, each row sums to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@softmax.wrong(
    "Right for small scores, but exp of 1000 overflows and you get nan. Take the "
    "maximum of each row off first; it cancels in the division."
)
def no_maximum_taken_off(scores):
    powers = np.exp(scores)
    return powers / powers.sum(axis=-1, keepdims=True)


@softmax.wrong(
    "Right for moderate scores, but 12,000 beside 0 still overflows and gives nan. Take the "
    "maximum of each row off (not its mean): then nothing can overflow."
)
def mean_taken_off(scores):
    powers = np.exp(scores - scores.mean(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@softmax.wrong(
    "You take off the maximum of the whole array. In a row far below it all powers are 0, "
    "and 0 / 0 is nan: take off the maximum of each row."
)
def one_maximum_for_all(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum(axis=-1, keepdims=True)


@softmax.wrong(
    "axis=1 is the last axis of a matrix only. The last axis of any array is axis=-1."
)
def axis_1(scores):
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@softmax.wrong(
    "Without keepdims=True the sums lie along the wrong axis: where the shapes happen to "
    "fit, each column is divided by another row's sum."
)
def no_keepdims(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1)


@softmax.wrong(
    "Without keepdims=True the maxima and the sums lie along the wrong axis: each row must "
    "have its own."
)
def no_keepdims_at_all(scores):
    powers = np.exp(scores - scores.max(axis=-1))
    return powers / powers.sum(axis=-1)


@softmax.wrong(
    "You divide by the sum of the whole array. Each row should sum to 1: sum "
    "over the last axis, with keepdims=True."
)
def one_sum_for_all(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@softmax.wrong(
    "You divide by the sum of the whole array, and exp of 1000 overflows. Each row should "
    "sum to 1, and its maximum be taken off first."
)
def one_sum_for_all_and_no_maximum(scores):
    powers = np.exp(scores)
    return powers / powers.sum()


@softmax.wrong("Each row should sum to 1: sum over the last axis only, with keepdims=True.")
def one_sum_but_a_maximum_per_row(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum()


@softmax.wrong("Your columns sum to 1. The last axis is axis=-1.")
def down_the_columns(scores):
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)


@softmax.wrong("These are powers, not probabilities yet: divide by their sum.")
def not_divided(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


@softmax.wrong("Those are log-probabilities. Return the probabilities: their exp.")
def log_probabilities(scores):
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


@softmax.wrong("You take powers of 2. The softmax takes powers of e: np.exp.")
def powers_of_2(scores):
    powers = 2.0 ** (scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@softmax.wrong("You divide the scores themselves by their sum. Raise e to them first: np.exp.")
def without_exp(scores):
    return scores / scores.sum(axis=-1, keepdims=True)


@exercise(
    "GELU",
    difficulty=1,
    importance=3,
    minutes=2,
    tolerance=1e-6,
    cases=lambda: [(np.linspace(-3, 3, 13),), (_numbers(2, 4, seed=2),), (1.0,)],
    task=(
        "GPT-1's activation, in the form of its released code: "
        r"$0.5\,x\,(1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\,x^3)))$."
    ),
    hints=("Only `np.tanh`, `math.sqrt(2 / math.pi)` and powers are needed.",),
)
def gelu(x):
    """GELU of each number, in the tanh form.

    gelu(1.0) -> 0.841192
    """
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong("That is ReLU: GELU is smooth, and slightly negative left of 0.")
def relu(x):
    return np.maximum(x, 0)


@gelu.wrong("That is the sigmoid form, another approximation. GPT-1's code uses tanh.")
def sigmoid_form(x):
    return x / (1 + np.exp(-1.702 * x))


@gelu.wrong(
    "That is the exact GELU, with erf. Close, but GPT-1's code has the tanh form, which "
    "differs in the fourth digit."
)
def erf_form(x):
    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


@gelu.wrong("The term 0.044715 x^3 inside tanh is missing.")
def no_cube(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x))


@gelu.wrong("You took the square inside tanh; it is the cube.")
def square_instead_of_cube(x):
    c = math.sqrt(2 / math.pi)
    return 0.5 * x * (1 + np.tanh(c * (x + 0.044715 * x**2)))


@gelu.wrong(
    "The factor sqrt(2/pi) multiplies the whole bracket, the cube as well: mind where the "
    "parenthesis closes."
)
def cube_outside_the_bracket(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3))


@gelu.wrong("The root goes over 2/pi as a whole: math.sqrt(2 / math.pi).")
def root_of_2_only(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2) / math.pi * (x + 0.044715 * x**3)))


@gelu.wrong("You forgot the root: it is sqrt(2/pi), not 2/pi.")
def no_root(x):
    return 0.5 * x * (1 + np.tanh(2 / math.pi * (x + 0.044715 * x**3)))


@gelu.wrong("That is the gate, a number between 0 and 1. GELU multiplies x by it.")
def only_the_gate(x):
    return 0.5 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong("The factor 0.5 is missing: for large x the bracket is 2, and GELU is x.")
def no_half(x):
    return x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong(
    "Nearly: one of your constants is rounded. Write math.sqrt(2 / math.pi), and 0.044715 "
    "in full."
)
def root_rounded(x):
    return 0.5 * x * (1 + np.tanh(0.7979 * (x + 0.044715 * x**3)))


@gelu.wrong(
    "Nearly: one of your constants is rounded. Write math.sqrt(2 / math.pi), and 0.044715 "
    "in full."
)
def cubic_rounded(x):
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.0447 * x**3)))


@exercise(
    "LayerNorm",
    difficulty=2,
    importance=5,
    minutes=8,
    tolerance=1e-7,
    cases=lambda: [
        (_numbers(3, 4, seed=3), _numbers(4, seed=4), _numbers(4, seed=5)),
        (_numbers(2, 5, seed=6, scale=0.01), np.ones(5), np.zeros(5)),
        (np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]]), np.ones(3), np.zeros(3)),
        (_numbers(2, 3, 4, seed=27), _numbers(4, seed=28), _numbers(4, seed=29), 0.1),
        (_numbers(3, seed=30), _numbers(3, seed=31), _numbers(3, seed=32)),
    ],
    task=(
        "Give each state (last axis) mean 0 and variance 1, then multiply by `gain` and "
        "add `bias`. The variance divides by C, and `eps` stands under the root."
    ),
    hints=(
        "`x.mean(axis=-1, keepdims=True)` and `x.var(axis=-1, keepdims=True)`.",
        "numpy's `var` divides by C unless told otherwise.",
    ),
)
def layer_norm(x, gain, bias, eps=1e-5):
    """Normalized states (..., C); gain and bias (C,)."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias


@layer_norm.wrong("Your variance divides by C - 1, as for a sample. LayerNorm divides by C.")
def unbiased_variance(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True, ddof=1)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias


@layer_norm.wrong("eps is added outside the root. It belongs under it: sqrt(variance + eps).")
def eps_outside_the_root(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    std = x.std(axis=-1, keepdims=True)
    return (x - mean) / (std + eps) * gain + bias


@layer_norm.wrong("Without eps a state of equal numbers divides 0 by 0.")
def no_eps(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    std = x.std(axis=-1, keepdims=True)
    with np.errstate(all="ignore"):
        return (x - mean) / std * gain + bias


@layer_norm.wrong(
    "You write 1e-5 into the formula. eps is an argument: use the one that you are given."
)
def eps_written_in(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + 1e-5) * gain + bias


@layer_norm.wrong(
    "You take eps as the least variance. It is added to the variance: sqrt(variance + eps)."
)
def eps_as_the_least(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(np.maximum(variance, eps)) * gain + bias


@layer_norm.wrong(
    "You take mean and variance over the whole array. Each state has its own: axis=-1, with "
    "keepdims=True."
)
def over_everything(x, gain, bias, eps=1e-5):
    return (x - x.mean()) / np.sqrt(x.var() + eps) * gain + bias


@layer_norm.wrong(
    "axis=1 is the last axis of a matrix only. The last axis of any array is axis=-1."
)
def over_axis_1(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=1, keepdims=True)
    variance = x.var(axis=1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias


@layer_norm.wrong(
    "Without keepdims=True mean and variance lie along the wrong axis: each state needs its "
    "own."
)
def without_keepdims(x, gain, bias, eps=1e-5):
    return (x - x.mean(axis=-1)) / np.sqrt(x.var(axis=-1) + eps) * gain + bias


@layer_norm.wrong(
    "You do not take the mean off: that is RMSNorm, which later models use. LayerNorm "
    "shifts each state to mean 0 first."
)
def root_mean_square(x, gain, bias, eps=1e-5):
    return x / np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.wrong("The mean stays in: subtract it before you divide.")
def mean_stays(x, gain, bias, eps=1e-5):
    return x / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * gain + bias


@layer_norm.wrong(
    "Mind the parentheses: subtract the mean first, then divide. `x - mean / root` divides "
    "the mean only."
)
def only_the_mean_divided(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean / np.sqrt(variance + eps)) * gain + bias


@layer_norm.wrong(
    "You normalize over the first axis: that is batch normalization. A state is "
    "normalized by itself, over its last axis."
)
def over_the_batch(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=0, keepdims=True)
    variance = x.var(axis=0, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias


@layer_norm.wrong("You divide by the variance; its root is the spread.")
def divides_by_the_variance(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / (variance + eps) * gain + bias


@layer_norm.wrong("The gain is missing: multiply before adding the bias.")
def gain_forgotten(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) + bias


@layer_norm.wrong("The bias is missing: add it last.")
def bias_forgotten(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain


@layer_norm.wrong("Gain and bias are missing: multiply by the one, then add the other.")
def gain_and_bias_forgotten(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps)


@layer_norm.wrong("You add the bias before you multiply by the gain. First the gain.")
def bias_before_the_gain(x, gain, bias, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return ((x - mean) / np.sqrt(variance + eps) + bias) * gain


@exercise(
    "Masked attention weights",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        (_numbers(4, 3, seed=7), _numbers(4, 3, seed=8)),
        (_numbers(6, 8, seed=9), _numbers(6, 8, seed=10)),
        (np.array([[200.0, 0.0], [0.0, 100.0]]), np.array([[-200.0, 0.0], [0.0, -300.0]])),
    ],
    task=(
        "From queries and keys of one head to its attention weights: scaled scores, "
        "minus infinity where the key is later than the query, softmax. You may call "
        "`softmax`."
    ),
    hints=(
        "`np.triu(np.ones((T, T), dtype=bool), 1)` is True where the key is later.",
        "`np.where(later, -np.inf, scores)`, then the softmax.",
    ),
)
def attention_weights(q, k):
    """(T, T) weights from q and k, both (T, D); row i may look at columns 0 to i."""
    T, D = q.shape
    scores = q @ k.T / math.sqrt(D)
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, scores))


@attention_weights.wrong("There is no mask: the first token attends to the last.")
def no_mask(q, k):
    return softmax(q @ k.T / math.sqrt(q.shape[1]))


@attention_weights.wrong(
    "The scores are not divided by the root of D, so the softmax is too sharp."
)
def not_scaled(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, q @ k.T))


@attention_weights.wrong("You divide by D; divide by its root.")
def divided_by_d(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, q @ k.T / D))


@attention_weights.wrong(
    "You divide by the root of T, the number of tokens; it is D, the width."
)
def divided_by_the_root_of_t(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(T)))


@attention_weights.wrong(
    "Rows belong to queries: q @ k.T. With k @ q.T each key asks all queries."
)
def queries_and_keys_exchanged(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, k @ q.T / math.sqrt(D)))


@attention_weights.wrong(
    "You set the hidden scores to 0. The softmax turns 0 into exp(0) = 1, a share like any "
    "other: set them to minus infinity."
)
def hidden_scores_of_0(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, 0.0, q @ k.T / math.sqrt(D)))


@attention_weights.wrong(
    "-10 hides a score badly: exp(-10) is small, not 0, and other scores may be smaller. "
    "Use -np.inf."
)
def hidden_scores_of_minus_10(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -10.0, q @ k.T / math.sqrt(D)))


@attention_weights.wrong(
    "-10,000 hides the usual scores, but in the last case the only visible score is smaller "
    "still. Use -np.inf."
)
def hidden_scores_of_minus_10_000(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -1e4, q @ k.T / math.sqrt(D)))


@attention_weights.wrong(
    "Infinity times 0 is nan. Do not multiply a mask by -np.inf: choose with np.where."
)
def infinity_times_0(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T)), 1)
    return softmax(q @ k.T / math.sqrt(D) + later * -np.inf)


@attention_weights.wrong(
    "The mask is the wrong way round: each token sees itself and later ones. Hide what is "
    "later."
)
def hides_the_past(q, k):
    T, D = q.shape
    earlier = np.tril(np.ones((T, T), dtype=bool), -1)
    return softmax(np.where(earlier, -np.inf, q @ k.T / math.sqrt(D)))


@attention_weights.wrong("Those are the masked scores. The softmax is still to come.")
def no_softmax(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return np.where(later, -np.inf, q @ k.T / math.sqrt(D))


@attention_weights.wrong(
    "Your columns sum to 1. A row holds what one token looks at: softmax over the last axis."
)
def softmax_down_the_columns(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(D)).T).T


@attention_weights.wrong(
    "The mask is one column too far right: each token sees the next one, the very "
    "one it has to predict."
)
def one_token_ahead(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 2)
    return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(D)))


@attention_weights.wrong(
    "A token may look at itself; otherwise the first has nothing to look at, and "
    "its row is nan."
)
def hides_itself(q, k):
    T, D = q.shape
    later = np.triu(np.ones((T, T), dtype=bool), 0)
    with np.errstate(invalid="ignore"):
        return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(D)))


@attention_weights.wrong(
    "You mask after the softmax: rows no longer sum to 1, and later tokens have "
    "already taken their share."
)
def mask_after_the_softmax(q, k):
    T, D = q.shape
    seen = np.tril(np.ones((T, T)))
    return softmax(q @ k.T / math.sqrt(D)) * seen


@exercise(
    "One block, forward",
    difficulty=2,
    importance=5,
    minutes=2,
    cases=lambda: [
        (_numbers(3, 4, seed=11), np.sin, np.cos, _norm(1), _norm(2)),
        (_numbers(2, 5, seed=12), np.tanh, np.sin, _norm(3), _norm(1)),
    ],
    task=(
        "Put a block together from its parts, in GPT-1's order: LayerNorm after each "
        "sum. `attend` and `mlp` are functions of the states, `ln_1` and `ln_2` are the two "
        "LayerNorms."
    ),
    hints=("Two lines, each a LayerNorm of a sum.",),
)
def block_forward(x, attend, mlp, ln_1, ln_2):
    """States (T, C) after one block of GPT-1."""
    n = ln_1(x + attend(x))
    return ln_2(n + mlp(n))


@block_forward.wrong(
    "You normalize before each part, as GPT-2 does. GPT-1 normalizes after the sum."
)
def normalizes_before(x, attend, mlp, ln_1, ln_2):
    n = x + attend(ln_1(x))
    return n + mlp(ln_2(n))


@block_forward.wrong("The residual sums are missing: x + attend(x), n + mlp(n).")
def no_way_past(x, attend, mlp, ln_1, ln_2):
    n = ln_1(attend(x))
    return ln_2(mlp(n))


@block_forward.wrong("The second sum starts from n, the normalized state, not from x.")
def sums_with_x_twice(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + attend(x))
    return ln_2(x + mlp(n))


@block_forward.wrong(
    "You add attention and MLP of the same x. In GPT-1 the MLP reads what the "
    "attention has written."
)
def side_by_side(x, attend, mlp, ln_1, ln_2):
    return ln_2(ln_1(x + attend(x) + mlp(x)))


@block_forward.wrong("The two LayerNorms are swapped; each has a gain and a bias of its own.")
def norms_swapped(x, attend, mlp, ln_1, ln_2):
    n = ln_2(x + attend(x))
    return ln_1(n + mlp(n))


@block_forward.wrong("The mlp reads n, the normalized state, not x.")
def mlp_of_x(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + attend(x))
    return ln_2(n + mlp(x))


@block_forward.wrong("You use ln_1 twice. ln_2 has a gain and a bias of its own.")
def the_same_norm_twice(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + attend(x))
    return ln_1(n + mlp(n))


@block_forward.wrong("The first LayerNorm is missing: n = ln_1(x + attend(x)).")
def no_first_norm(x, attend, mlp, ln_1, ln_2):
    n = x + attend(x)
    return ln_2(n + mlp(n))


@block_forward.wrong("The second LayerNorm is missing: ln_2(n + mlp(n)).")
def no_second_norm(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + attend(x))
    return n + mlp(n)


@block_forward.wrong("The first residual is missing: x + attend(x).")
def no_first_sum(x, attend, mlp, ln_1, ln_2):
    n = ln_1(attend(x))
    return ln_2(n + mlp(n))


@block_forward.wrong("The second residual is missing: n + mlp(n).")
def no_second_sum(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + attend(x))
    return ln_2(mlp(n))


@block_forward.wrong("The mlp comes first here. In GPT-1 attention comes first.")
def mlp_first(x, attend, mlp, ln_1, ln_2):
    n = ln_1(x + mlp(x))
    return ln_2(n + attend(n))


@block_forward.wrong("You normalize the output of each part. Normalize the sum.")
def norm_inside_the_sum(x, attend, mlp, ln_1, ln_2):
    n = x + ln_1(attend(x))
    return n + ln_2(mlp(n))


@block_forward.wrong("That is the first half. The same again with mlp and ln_2, from n on.")
def only_the_first_half(x, attend, mlp, ln_1, ln_2):
    return ln_1(x + attend(x))


def _norm(seed):
    """A LayerNorm with gains and biases of its own."""

    def norm(x):
        gain, bias = _numbers(2, x.shape[-1], seed=seed)
        return numpy_gpt.layer_norm(x, gain, bias)[0]

    return norm


@exercise(
    "The loss",
    difficulty=2,
    importance=5,
    minutes=5,
    cases=lambda: [
        (numpy_gpt.softmax(_numbers(4, 5, seed=13)), np.array([1, 4, 0, 2])),
        (numpy_gpt.softmax(_numbers(3, 3, seed=14)), np.array([2, 2, 0])),
    ],
    task=(
        "The mean loss of one sequence in nats. `probs[i]` are the probabilities after "
        "reading token i, so they are for token i + 1; the last row has nothing to predict."
    ),
    hints=("`probs[np.arange(T - 1), ids[1:]]` picks one number from each row.",),
)
def next_token_loss(probs, ids):
    """-mean log P(ids[i + 1]) from probs (T, V) and ids (T,); a number > 0."""
    chosen = probs[np.arange(len(ids) - 1), ids[1:]]
    return -np.log(chosen).mean()


@next_token_loss.wrong(
    "That is a log-likelihood, below 0, to be maximized. The loss is its negative."
)
def sign(probs, ids):
    return np.log(probs[np.arange(len(ids) - 1), ids[1:]]).mean()


@next_token_loss.wrong(
    "You ask row i for token i, which it has just read. It predicts token i + 1."
)
def predicts_itself(probs, ids):
    return -np.log(probs[np.arange(len(ids)), ids]).mean()


@next_token_loss.wrong("That is the sum; the loss is a mean over the targets.")
def sum_for_mean(probs, ids):
    return -np.log(probs[np.arange(len(ids) - 1), ids[1:]]).sum()


@next_token_loss.wrong("You measure in bits. Nats use the natural logarithm.")
def bits(probs, ids):
    return -np.log2(probs[np.arange(len(ids) - 1), ids[1:]]).mean()


@next_token_loss.wrong("T tokens have T - 1 targets: divide by these.")
def divided_by_t(probs, ids):
    chosen = probs[np.arange(len(ids) - 1), ids[1:]]
    return -np.log(chosen).sum() / len(ids)


@next_token_loss.wrong("You ask the later row for the earlier token: the wrong way round.")
def one_row_late(probs, ids):
    return -np.log(probs[np.arange(1, len(ids)), ids[:-1]]).mean()


@next_token_loss.wrong(
    "You average the probabilities and take the logarithm once. The loss is the mean of the "
    "logarithms."
)
def log_of_the_mean(probs, ids):
    return -np.log(probs[np.arange(len(ids) - 1), ids[1:]].mean())


@next_token_loss.wrong(
    "probs[:-1, ids[1:]] takes every row with every id. One number per row is asked for: "
    "index the rows with np.arange."
)
def every_row_with_every_id(probs, ids):
    return -np.log(probs[:-1, ids[1:]]).mean()


@next_token_loss.wrong("That is the perplexity, e to the loss. Return the loss.")
def perplexity(probs, ids):
    return np.exp(-np.log(probs[np.arange(len(ids) - 1), ids[1:]]).mean())


@next_token_loss.wrong(
    "The last row is asked for the first token. It has nothing to predict: leave it out."
)
def around_the_end(probs, ids):
    return -np.log(probs[np.arange(len(ids)), np.roll(ids, -1)]).mean()


@next_token_loss.wrong(
    "Row i predicts token i + 1, so the rows go from 0; you start at row 1 and ask it for "
    "the token that it has just read."
)
def rows_from_1(probs, ids):
    return -np.log(probs[np.arange(1, len(ids)), ids[1:]]).mean()


@next_token_loss.wrong("You take the mean probability. The loss is the mean of -log of them.")
def no_logarithm(probs, ids):
    return -probs[np.arange(len(ids) - 1), ids[1:]].mean()


@next_token_loss.wrong(
    "You put probabilities through a softmax again. They are probabilities already."
)
def softmax_twice(probs, ids):
    return -np.log(softmax(probs)[np.arange(len(ids) - 1), ids[1:]]).mean()


@next_token_loss.wrong("You return one number per target. The loss is their mean.")
def one_per_target(probs, ids):
    return -np.log(probs[np.arange(len(ids) - 1), ids[1:]])


@exercise(
    "Two roads into one matrix",
    difficulty=4,
    importance=5,
    minutes=12,
    cases=lambda: [
        (
            np.array([1, 3, 1, 0]),
            _numbers(4, 3, seed=15),
            _numbers(4, 3, seed=16),
            _numbers(4, 5, seed=17),
        ),
        (
            np.array([2, 2]),
            _numbers(2, 4, seed=18),
            _numbers(2, 4, seed=19),
            _numbers(2, 3, seed=20),
        ),
    ],
    task=(
        "$W_e$ is used twice: as the table of embeddings, where `d_h0` is the gradient with "
        "respect to the looked-up rows, and as the output matrix, `logits = h @ W_e.T`. Return "
        "its whole gradient. A token that stands twice in `ids` collects twice."
    ),
    hints=(
        "Output road: row v of $W_e$ makes logit v at every position t, so it collects "
        "`d_logits[t, v] * h[t]` from all of them. As one matrix product?",
        "Lookup road: row i of `d_h0` goes to row `ids[i]` of the gradient, and two go to the "
        "same row if an id occurs twice.",
        "`np.add.at(grad, ids, d_h0)` adds row i of d_h0 to row ids[i] of grad.",
    ),
)
def tied_gradient(ids, d_h0, h, d_logits):
    """Gradient with respect to W_e (V, C).

    ids (T,), d_h0 and h (T, C), d_logits (T, V).
    """
    grad = d_logits.T @ h
    np.add.at(grad, ids, d_h0)
    return grad


@tied_gradient.wrong("Only the output road. The rows that were looked up have a gradient too.")
def output_only(ids, d_h0, h, d_logits):
    return d_logits.T @ h


@tied_gradient.wrong(
    "Only the lookup road. As the output matrix W_e has the gradient d_logits.T @ h as well."
)
def lookup_only(ids, d_h0, h, d_logits):
    grad = np.zeros((d_logits.shape[1], h.shape[1]))
    np.add.at(grad, ids, d_h0)
    return grad


@tied_gradient.wrong(
    "grad[ids] += ... keeps only the last of equal ids. np.add.at adds every one."
)
def a_token_counts_once(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    grad[ids] += d_h0
    return grad


@tied_gradient.wrong("You overwrite the output road's gradient in the rows of ids; add to it.")
def overwrites(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    grad[ids] = d_h0
    return grad


@tied_gradient.wrong(
    "d_h0 and h are exchanged: the logits were made from h, the looked-up rows get d_h0."
)
def roads_exchanged(ids, d_h0, h, d_logits):
    grad = d_logits.T @ d_h0
    np.add.at(grad, ids, h)
    return grad


@tied_gradient.wrong(
    "Your gradient is (C, V). It has the shape of what it belongs to, W_e: (V, C)."
)
def transposed(ids, d_h0, h, d_logits):
    grad = h.T @ d_logits
    np.add.at(grad.T, ids, d_h0)
    return grad


@tied_gradient.wrong("You take the mean of the two roads. Uses of one matrix add up.")
def mean_of_the_roads(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    np.add.at(grad, ids, d_h0)
    return grad / 2


@tied_gradient.wrong("You subtract the lookup road. Uses of one matrix add up.")
def difference_of_the_roads(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    np.subtract.at(grad, ids, d_h0)
    return grad


@tied_gradient.wrong(
    "A token that stands twice collects twice: you take the mean of what it gets."
)
def equal_ids_averaged(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    for i in set(ids.tolist()):
        grad[i] += d_h0[ids == i].mean(axis=0)
    return grad


@tied_gradient.wrong("np.add.at works in place and returns None. Return grad after it.")
def what_add_at_returns(ids, d_h0, h, d_logits):
    return np.add.at(d_logits.T @ h, ids, d_h0)


@tied_gradient.wrong(
    "You add rows of d_h0 in the order of the text. Row i belongs to the token: row ids[i]."
)
def by_position(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    grad[: len(ids)] += d_h0[: len(grad)]
    return grad


@exercise(
    "The update",
    difficulty=1,
    importance=4,
    minutes=4,
    cases=lambda: [
        (
            {"W": _numbers(2, 3, seed=21), "b": _numbers(2, seed=22)},
            {"W": _numbers(2, 3, seed=23), "b": _numbers(2, seed=24)},
            0.1,
        ),
        (
            {"W": _numbers(3, 2, seed=33), "b": _numbers(3, 2, seed=34)},
            {"b": _numbers(3, 2, seed=35), "W": _numbers(3, 2, seed=36)},
            0.25,
        ),
    ],
    task=(
        "Plain gradient descent for a dict of weights: return new weights, each moved "
        "against its gradient by the learning rate. (Lesson 10 makes Adam of it.)"
    ),
    hints=("One line: a dict comprehension.",),
)
def descend(weights, grads, lr):
    """New weights, name -> array; weights and grads have the same names."""
    return {name: w - lr * grads[name] for name, w in weights.items()}


@descend.wrong("You climb. The gradient points to where the loss grows; go the other way.")
def uphill(weights, grads, lr):
    return {name: w + lr * grads[name] for name, w in weights.items()}


@descend.wrong("The learning rate is missing.")
def no_rate(weights, grads, lr):
    return {name: w - grads[name] for name, w in weights.items()}


@descend.wrong("Biases and gains learn too. Only weight decay leaves them out.")
def matrices_only(weights, grads, lr):
    return {name: w - lr * grads[name] if w.ndim > 1 else w for name, w in weights.items()}


@descend.wrong("You multiply each weight by its gradient. Subtract lr times the gradient.")
def shrinks(weights, grads, lr):
    return {name: w * (1 - lr * grads[name]) for name, w in weights.items()}


@descend.wrong(
    "You pair weights and gradients by their order. The two dicts may be in different orders: "
    "take the gradient by its name."
)
def by_order(weights, grads, lr):
    pairs = zip(weights.items(), grads.values())
    return {name: w - lr * d for (name, w), d in pairs}


@descend.wrong("You write 0.1 into the formula. The learning rate is the argument lr.")
def rate_of_a_tenth(weights, grads, lr):
    return {name: w - 0.1 * grads[name] for name, w in weights.items()}


@descend.wrong("You return the steps only. Return the new weights: w minus the step.")
def only_the_step(weights, grads, lr):
    return {name: -lr * grads[name] for name in weights}


@descend.wrong("You divide by the learning rate. Multiply: a smaller rate takes smaller steps.")
def divided_by_the_rate(weights, grads, lr):
    return {name: w - grads[name] / lr for name, w in weights.items()}


@descend.wrong(
    "You go by the sign of the gradient only. Plain gradient descent uses its size as well."
)
def only_the_sign(weights, grads, lr):
    return {name: w - lr * np.sign(grads[name]) for name, w in weights.items()}


@descend.wrong("Only the first weight is there: the `return` stands inside the loop.")
def returns_inside_the_loop(weights, grads, lr):
    for name, w in weights.items():
        return {name: w - lr * grads[name]}


@descend.wrong("You return a list. The new weights keep their names: a dict.")
def a_list(weights, grads, lr):
    return [w - lr * grads[name] for name, w in weights.items()]


# ---- what the lesson's claims are held to -------------------------------------------


def film_after_the() -> float:
    """The probability of "film" after "the" that the mean within each sentence asks for.

    Each of its sentences counts 1/3, as does each of "movie" but one, of two targets.
    """
    film, movie = 1 / 3 + 1 / 3, 1 / 3 + 1 / 3 + 1 / 2
    return film / (film + movie)


EXERCISES = (
    softmax,
    gelu,
    layer_norm,
    attention_weights,
    block_forward,
    next_token_loss,
    tied_gradient,
    descend,
)
check = Checker(EXERCISES)
mine = check.mine

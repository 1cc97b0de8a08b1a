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
    minutes=6,
    cases=lambda: [
        (_numbers(2, 3),),
        (_numbers(3, 3, seed=1),),
        (np.array([[1000.0, 1001.0], [0.0, -1000.0]]),),
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
    "You divide by the sum of the whole array. Each row should sum to 1: sum "
    "over the last axis, with keepdims=True."
)
def one_sum_for_all(scores):
    powers = np.exp(scores - scores.max())
    return powers / powers.sum()


@softmax.wrong("Your columns sum to 1. The last axis is axis=-1.")
def down_the_columns(scores):
    powers = np.exp(scores - scores.max(axis=0, keepdims=True))
    return powers / powers.sum(axis=0, keepdims=True)


@softmax.wrong("These are powers, not probabilities yet: divide by their sum.")
def not_divided(scores):
    return np.exp(scores - scores.max(axis=-1, keepdims=True))


@exercise(
    "GELU",
    difficulty=1,
    importance=3,
    minutes=4,
    tolerance=1e-6,
    cases=lambda: [(np.linspace(-3, 3, 13),), (_numbers(2, 4, seed=2),)],
    task=(
        "GPT-1's activation, in the form of its released code: "
        r"$0.5\,x\,(1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\,x^3)))$."
    ),
    hints=("Only `np.tanh`, `math.sqrt(2 / math.pi)` and powers are needed.",),
)
def gelu(x):
    """GELU of each number, in the tanh form; gelu(1.0) is 0.841192."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong("That is ReLU: GELU is smooth, and slightly negative left of 0.")
def relu(x):
    return np.maximum(x, 0)


@gelu.wrong("That is the sigmoid form, another approximation. GPT-1's code uses tanh.")
def sigmoid_form(x):
    return x / (1 + np.exp(-1.702 * x))


@gelu.wrong(
    "That is the exact GELU, with erf. Close, but GPT-1's weights were trained "
    "with the tanh form, which differs in the fourth digit."
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


@exercise(
    "Masked attention weights",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        (_numbers(4, 3, seed=7), _numbers(4, 3, seed=8)),
        (_numbers(6, 8, seed=9), _numbers(6, 8, seed=10)),
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
    minutes=6,
    cases=lambda: [
        (_numbers(3, 4, seed=11), np.sin, np.cos, _scaled(2.0), _scaled(0.5)),
        (_numbers(2, 5, seed=12), np.tanh, np.sin, _scaled(1.0), _scaled(3.0)),
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


def _scaled(gain):
    def norm(x):
        return numpy_gpt.layer_norm(x, gain, 0.1 * gain)[0]

    return norm


@exercise(
    "The loss",
    difficulty=2,
    importance=5,
    minutes=6,
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
        "$W_e$ is used twice: as the table of embeddings, where `d_h0` is the gradient "
        "by the looked-up rows, and as the output matrix, `logits = h @ W_e.T`. Return its "
        "whole gradient. A token that stands twice in `ids` collects twice."
    ),
    hints=(
        "The output road is the gradient of a matrix product: `d_logits.T @ h`.",
        "`np.add.at(grad, ids, d_h0)` adds row i of d_h0 to row ids[i] of grad.",
    ),
)
def tied_gradient(ids, d_h0, h, d_logits):
    """Gradient by W_e (V, C). ids (T,), d_h0 and h (T, C), d_logits (T, V)."""
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
        )
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

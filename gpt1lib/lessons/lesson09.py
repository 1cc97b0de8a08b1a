"""Lesson 09, The same in numpy."""

import numpy as np

from .. import numpy_gpt
from . import Exercise, Wrong, checker


def _numbers(*shape, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(0, scale, shape)


softmax = Exercise(
    name="softmax",
    title="Softmax",
    task="Turn scores into probabilities along the last axis. It must also work for "
    "scores in the thousands.",
    difficulty=2,
    importance=5,
    minutes=6,
    stub='''
def softmax(scores):
    """Probabilities (..., n) from scores (..., n): positive, each row sums to 1."""
    ...
''',
    solution='''
def softmax(scores):
    """Probabilities (..., n) from scores (..., n): positive, each row sums to 1."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
''',
    wrong=(
        Wrong(
            "no maximum taken off",
            "def softmax(scores):\n    powers = np.exp(scores)\n"
            "    return powers / powers.sum(axis=-1, keepdims=True)",
            "Right for small scores, but exp of 1000 overflows and you get nan. Take the "
            "maximum of each row off first; it cancels in the division.",
        ),
        Wrong(
            "one sum for all",
            "def softmax(scores):\n"
            "    powers = np.exp(scores - scores.max())\n    return powers / powers.sum()",
            "You divide by the sum of the whole array. Each row should sum to 1: sum "
            "over the last axis, with keepdims=True.",
        ),
        Wrong(
            "down the columns",
            "def softmax(scores):\n"
            "    powers = np.exp(scores - scores.max(axis=0, keepdims=True))\n"
            "    return powers / powers.sum(axis=0, keepdims=True)",
            "Your columns sum to 1. The last axis is axis=-1.",
        ),
        Wrong(
            "not divided",
            "def softmax(scores):\n"
            "    return np.exp(scores - scores.max(axis=-1, keepdims=True))",
            "These are powers, not probabilities yet: divide by their sum.",
        ),
    ),
    cases=lambda: [
        (_numbers(2, 3),),
        (_numbers(3, 3, seed=1),),
        (np.array([[1000.0, 1001.0], [0.0, -1000.0]]),),
    ],
    hints=(
        "`np.exp`, then divide by the sum over the last axis, with `keepdims=True`.",
        "Against overflow: softmax does not change if all scores of a row shift.",
    ),
)

gelu = Exercise(
    name="gelu",
    title="GELU",
    task="GPT-1's activation, in the form of its released code: "
    r"$0.5\,x\,(1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\,x^3)))$.",
    difficulty=1,
    importance=3,
    minutes=4,
    stub='''
def gelu(x):
    """GELU of each number, in the tanh form; gelu(1.0) is 0.841192."""
    ...
''',
    solution='''
def gelu(x):
    """GELU of each number, in the tanh form."""
    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
''',
    wrong=(
        Wrong(
            "relu",
            "def gelu(x):\n    return np.maximum(x, 0)",
            "That is ReLU: GELU is smooth, and slightly negative left of 0.",
        ),
        Wrong(
            "sigmoid form",
            "def gelu(x):\n    return x / (1 + np.exp(-1.702 * x))",
            "That is the sigmoid form, another approximation. GPT-1's code uses tanh.",
        ),
        Wrong(
            "erf form",
            "def gelu(x):\n    return 0.5 * x * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))",
            "That is the exact GELU, with erf. Close, but GPT-1's weights were trained "
            "with the tanh form, which differs in the fourth digit.",
        ),
        Wrong(
            "no cube",
            "def gelu(x):\n    return 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * x))",
            "The term 0.044715 x^3 inside tanh is missing.",
        ),
        Wrong(
            "square instead of cube",
            "def gelu(x):\n    c = math.sqrt(2 / math.pi)\n"
            "    return 0.5 * x * (1 + np.tanh(c * (x + 0.044715 * x**2)))",
            "You took the square inside tanh; it is the cube.",
        ),
    ),
    cases=lambda: [(np.linspace(-3, 3, 13),), (_numbers(2, 4, seed=2),)],
    hints=("Only `np.tanh`, `math.sqrt(2 / math.pi)` and powers are needed.",),
    tolerance=1e-6,
)

layer_norm = Exercise(
    name="layer_norm",
    title="LayerNorm",
    task="Give each state (last axis) mean 0 and variance 1, then multiply by `gain` and "
    "add `bias`. The variance divides by C, and `eps` stands under the root.",
    difficulty=2,
    importance=5,
    minutes=8,
    stub='''
def layer_norm(x, gain, bias, eps=1e-5):
    """Normalized states (..., C); gain and bias (C,)."""
    ...
''',
    solution='''
def layer_norm(x, gain, bias, eps=1e-5):
    """Normalized states (..., C); gain and bias (C,)."""
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps) * gain + bias
''',
    wrong=(
        Wrong(
            "unbiased variance",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=-1, keepdims=True)\n"
            "    variance = x.var(axis=-1, keepdims=True, ddof=1)\n"
            "    return (x - mean) / np.sqrt(variance + eps) * gain + bias",
            "Your variance divides by C - 1, as for a sample. LayerNorm divides by C.",
        ),
        Wrong(
            "eps outside the root",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=-1, keepdims=True)\n"
            "    std = x.std(axis=-1, keepdims=True)\n"
            "    return (x - mean) / (std + eps) * gain + bias",
            "eps is added outside the root. It belongs under it: sqrt(variance + eps).",
        ),
        Wrong(
            "no eps",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=-1, keepdims=True)\n"
            "    std = x.std(axis=-1, keepdims=True)\n"
            "    with np.errstate(all='ignore'):\n"
            "        return (x - mean) / std * gain + bias",
            "Without eps a state of equal numbers divides 0 by 0.",
        ),
        Wrong(
            "over the batch",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=0, keepdims=True)\n"
            "    variance = x.var(axis=0, keepdims=True)\n"
            "    return (x - mean) / np.sqrt(variance + eps) * gain + bias",
            "You normalize over the first axis: that is batch normalization. A state is "
            "normalized by itself, over its last axis.",
        ),
        Wrong(
            "divides by the variance",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=-1, keepdims=True)\n"
            "    variance = x.var(axis=-1, keepdims=True)\n"
            "    return (x - mean) / (variance + eps) * gain + bias",
            "You divide by the variance; its root is the spread.",
        ),
        Wrong(
            "gain forgotten",
            "def layer_norm(x, gain, bias, eps=1e-5):\n"
            "    mean = x.mean(axis=-1, keepdims=True)\n"
            "    variance = x.var(axis=-1, keepdims=True)\n"
            "    return (x - mean) / np.sqrt(variance + eps) + bias",
            "The gain is missing: multiply before adding the bias.",
        ),
    ),
    cases=lambda: [
        (_numbers(3, 4, seed=3), _numbers(4, seed=4), _numbers(4, seed=5)),
        (_numbers(2, 5, seed=6, scale=0.01), np.ones(5), np.zeros(5)),
        (np.array([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]]), np.ones(3), np.zeros(3)),
    ],
    hints=(
        "`x.mean(axis=-1, keepdims=True)` and `x.var(axis=-1, keepdims=True)`.",
        "numpy's `var` divides by C unless told otherwise.",
    ),
    tolerance=1e-7,
)

attention_weights = Exercise(
    name="attention_weights",
    title="Masked attention weights",
    task="From queries and keys of one head to its attention weights: scaled scores, "
    "minus infinity where the key is later than the query, softmax. You may call "
    "`softmax`.",
    difficulty=3,
    importance=5,
    minutes=10,
    stub='''
def attention_weights(q, k):
    """(T, T) weights from q and k, both (T, D); row i may look at columns 0 to i."""
    ...
''',
    solution='''
def attention_weights(q, k):
    """(T, T) weights from q and k, both (T, D); row i may look at columns 0 to i."""
    T, D = q.shape
    scores = q @ k.T / math.sqrt(D)
    later = np.triu(np.ones((T, T), dtype=bool), 1)
    return softmax(np.where(later, -np.inf, scores))
''',
    wrong=(
        Wrong(
            "no mask",
            "def attention_weights(q, k):\n    return softmax(q @ k.T / math.sqrt(q.shape[1]))",
            "There is no mask: the first token attends to the last.",
        ),
        Wrong(
            "not scaled",
            "def attention_weights(q, k):\n    T, D = q.shape\n"
            "    later = np.triu(np.ones((T, T), dtype=bool), 1)\n"
            "    return softmax(np.where(later, -np.inf, q @ k.T))",
            "The scores are not divided by the root of D, so the softmax is too sharp.",
        ),
        Wrong(
            "divided by D",
            "def attention_weights(q, k):\n    T, D = q.shape\n"
            "    later = np.triu(np.ones((T, T), dtype=bool), 1)\n"
            "    return softmax(np.where(later, -np.inf, q @ k.T / D))",
            "You divide by D; divide by its root.",
        ),
        Wrong(
            "one token ahead",
            "def attention_weights(q, k):\n    T, D = q.shape\n"
            "    later = np.triu(np.ones((T, T), dtype=bool), 2)\n"
            "    return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(D)))",
            "The mask is one column too far right: each token sees the next one, the very "
            "one it has to predict.",
        ),
        Wrong(
            "hides itself",
            "def attention_weights(q, k):\n    T, D = q.shape\n"
            "    later = np.triu(np.ones((T, T), dtype=bool), 0)\n"
            "    with np.errstate(invalid='ignore'):\n"
            "        return softmax(np.where(later, -np.inf, q @ k.T / math.sqrt(D)))",
            "A token may look at itself; otherwise the first has nothing to look at, and "
            "its row is nan.",
        ),
        Wrong(
            "mask after the softmax",
            "def attention_weights(q, k):\n    T, D = q.shape\n"
            "    seen = np.tril(np.ones((T, T)))\n"
            "    return softmax(q @ k.T / math.sqrt(D)) * seen",
            "You mask after the softmax: rows no longer sum to 1, and later tokens have "
            "already taken their share.",
        ),
    ),
    cases=lambda: [
        (_numbers(4, 3, seed=7), _numbers(4, 3, seed=8)),
        (_numbers(6, 8, seed=9), _numbers(6, 8, seed=10)),
    ],
    hints=(
        "`np.triu(np.ones((T, T), dtype=bool), 1)` is True where the key is later.",
        "`np.where(later, -np.inf, scores)`, then the softmax.",
    ),
    namespace={"softmax": numpy_gpt.softmax},
)

block_forward = Exercise(
    name="block_forward",
    title="One block, forward",
    task="Put a block together from its parts, in GPT-1's order: LayerNorm after each "
    "sum. `attend` and `mlp` are functions of the states, `ln_1` and `ln_2` are the two "
    "LayerNorms.",
    difficulty=2,
    importance=5,
    minutes=6,
    stub='''
def block_forward(x, attend, mlp, ln_1, ln_2):
    """States (T, C) after one block of GPT-1."""
    ...
''',
    solution='''
def block_forward(x, attend, mlp, ln_1, ln_2):
    """States (T, C) after one block of GPT-1."""
    n = ln_1(x + attend(x))
    return ln_2(n + mlp(n))
''',
    wrong=(
        Wrong(
            "normalizes before",
            "def block_forward(x, attend, mlp, ln_1, ln_2):\n"
            "    n = x + attend(ln_1(x))\n    return n + mlp(ln_2(n))",
            "You normalize before each part, as GPT-2 does. GPT-1 normalizes after the sum.",
        ),
        Wrong(
            "no way past",
            "def block_forward(x, attend, mlp, ln_1, ln_2):\n"
            "    n = ln_1(attend(x))\n    return ln_2(mlp(n))",
            "The residual sums are missing: x + attend(x), n + mlp(n).",
        ),
        Wrong(
            "sums with x twice",
            "def block_forward(x, attend, mlp, ln_1, ln_2):\n"
            "    n = ln_1(x + attend(x))\n    return ln_2(x + mlp(n))",
            "The second sum starts from n, the normalized state, not from x.",
        ),
        Wrong(
            "side by side",
            "def block_forward(x, attend, mlp, ln_1, ln_2):\n"
            "    return ln_2(ln_1(x + attend(x) + mlp(x)))",
            "You add attention and MLP of the same x. In GPT-1 the MLP reads what the "
            "attention has written.",
        ),
        Wrong(
            "norms swapped",
            "def block_forward(x, attend, mlp, ln_1, ln_2):\n"
            "    n = ln_2(x + attend(x))\n    return ln_1(n + mlp(n))",
            "The two LayerNorms are swapped; each has a gain and a bias of its own.",
        ),
    ),
    cases=lambda: [
        (_numbers(3, 4, seed=11), np.sin, np.cos, _scaled(2.0), _scaled(0.5)),
        (_numbers(2, 5, seed=12), np.tanh, np.sin, _scaled(1.0), _scaled(3.0)),
    ],
    hints=("Two lines, each a LayerNorm of a sum.",),
)


def _scaled(gain):
    def norm(x):
        return numpy_gpt.layer_norm(x, gain, 0.1 * gain)[0]

    return norm


next_token_loss = Exercise(
    name="next_token_loss",
    title="The loss",
    task="The mean loss of one sequence in nats. `probs[i]` are the probabilities after "
    "reading token i, so they are for token i + 1; the last row has nothing to predict.",
    difficulty=2,
    importance=5,
    minutes=6,
    stub='''
def next_token_loss(probs, ids):
    """-mean log P(ids[i + 1]) from probs (T, V) and ids (T,); a number > 0."""
    ...
''',
    solution='''
def next_token_loss(probs, ids):
    """-mean log P(ids[i + 1]) from probs (T, V) and ids (T,); a number > 0."""
    chosen = probs[np.arange(len(ids) - 1), ids[1:]]
    return -np.log(chosen).mean()
''',
    wrong=(
        Wrong(
            "sign",
            "def next_token_loss(probs, ids):\n"
            "    return np.log(probs[np.arange(len(ids) - 1), ids[1:]]).mean()",
            "That is a log-likelihood, below 0, to be maximized. The loss is its negative.",
        ),
        Wrong(
            "predicts itself",
            "def next_token_loss(probs, ids):\n"
            "    return -np.log(probs[np.arange(len(ids)), ids]).mean()",
            "You ask row i for token i, which it has just read. It predicts token i + 1.",
        ),
        Wrong(
            "sum",
            "def next_token_loss(probs, ids):\n"
            "    return -np.log(probs[np.arange(len(ids) - 1), ids[1:]]).sum()",
            "That is the sum; the loss is a mean over the targets.",
        ),
        Wrong(
            "bits",
            "def next_token_loss(probs, ids):\n"
            "    return -np.log2(probs[np.arange(len(ids) - 1), ids[1:]]).mean()",
            "You measure in bits. Nats use the natural logarithm.",
        ),
        Wrong(
            "divided by T",
            "def next_token_loss(probs, ids):\n"
            "    chosen = probs[np.arange(len(ids) - 1), ids[1:]]\n"
            "    return -np.log(chosen).sum() / len(ids)",
            "T tokens have T - 1 targets: divide by these.",
        ),
        Wrong(
            "one row late",
            "def next_token_loss(probs, ids):\n"
            "    return -np.log(probs[np.arange(1, len(ids)), ids[:-1]]).mean()",
            "You ask the later row for the earlier token: the wrong way round.",
        ),
    ),
    cases=lambda: [
        (numpy_gpt.softmax(_numbers(4, 5, seed=13)), np.array([1, 4, 0, 2])),
        (numpy_gpt.softmax(_numbers(3, 3, seed=14)), np.array([2, 2, 0])),
    ],
    hints=("`probs[np.arange(T - 1), ids[1:]]` picks one number from each row.",),
)

tied_gradient = Exercise(
    name="tied_gradient",
    title="Two roads into one matrix",
    task="$W_e$ is used twice: as the table of embeddings, where `d_h0` is the gradient "
    "by the looked-up rows, and as the output matrix, `logits = h @ W_e.T`. Return its "
    "whole gradient. A token that stands twice in `ids` collects twice.",
    difficulty=4,
    importance=5,
    minutes=12,
    stub='''
def tied_gradient(ids, d_h0, h, d_logits):
    """Gradient by W_e (V, C). ids (T,), d_h0 and h (T, C), d_logits (T, V)."""
    ...
''',
    solution='''
def tied_gradient(ids, d_h0, h, d_logits):
    """Gradient by W_e (V, C). ids (T,), d_h0 and h (T, C), d_logits (T, V)."""
    grad = d_logits.T @ h
    np.add.at(grad, ids, d_h0)
    return grad
''',
    wrong=(
        Wrong(
            "output only",
            "def tied_gradient(ids, d_h0, h, d_logits):\n    return d_logits.T @ h",
            "Only the output road. The rows that were looked up have a gradient too.",
        ),
        Wrong(
            "lookup only",
            "def tied_gradient(ids, d_h0, h, d_logits):\n"
            "    grad = np.zeros((d_logits.shape[1], h.shape[1]))\n"
            "    np.add.at(grad, ids, d_h0)\n    return grad",
            "Only the lookup road. As the output matrix W_e has the gradient "
            "d_logits.T @ h as well.",
        ),
        Wrong(
            "a token counts once",
            "def tied_gradient(ids, d_h0, h, d_logits):\n"
            "    grad = d_logits.T @ h\n    grad[ids] += d_h0\n    return grad",
            "grad[ids] += ... keeps only the last of equal ids. np.add.at adds every one.",
        ),
        Wrong(
            "overwrites",
            "def tied_gradient(ids, d_h0, h, d_logits):\n"
            "    grad = d_logits.T @ h\n    grad[ids] = d_h0\n    return grad",
            "You overwrite the output road's gradient in the rows of ids; add to it.",
        ),
    ),
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
    hints=(
        "The output road is the gradient of a matrix product: `d_logits.T @ h`.",
        "`np.add.at(grad, ids, d_h0)` adds row i of d_h0 to row ids[i] of grad.",
    ),
)

descend = Exercise(
    name="descend",
    title="The update",
    task="Plain gradient descent for a dict of weights: return new weights, each moved "
    "against its gradient by the learning rate. (Lesson 10 makes Adam of it.)",
    difficulty=1,
    importance=4,
    minutes=4,
    stub='''
def descend(weights, grads, lr):
    """New weights, name -> array; weights and grads have the same names."""
    ...
''',
    solution='''
def descend(weights, grads, lr):
    """New weights, name -> array; weights and grads have the same names."""
    return {name: w - lr * grads[name] for name, w in weights.items()}
''',
    wrong=(
        Wrong(
            "uphill",
            "def descend(weights, grads, lr):\n"
            "    return {name: w + lr * grads[name] for name, w in weights.items()}",
            "You climb. The gradient points to where the loss grows; go the other way.",
        ),
        Wrong(
            "no rate",
            "def descend(weights, grads, lr):\n"
            "    return {name: w - grads[name] for name, w in weights.items()}",
            "The learning rate is missing.",
        ),
        Wrong(
            "matrices only",
            "def descend(weights, grads, lr):\n"
            "    return {name: w - lr * grads[name] if w.ndim > 1 else w\n"
            "            for name, w in weights.items()}",
            "Biases and gains learn too. Only weight decay leaves them out.",
        ),
        Wrong(
            "shrinks",
            "def descend(weights, grads, lr):\n"
            "    return {name: w * (1 - lr * grads[name]) for name, w in weights.items()}",
            "You multiply each weight by its gradient. Subtract lr times the gradient.",
        ),
    ),
    cases=lambda: [
        (
            {"W": _numbers(2, 3, seed=21), "b": _numbers(2, seed=22)},
            {"W": _numbers(2, 3, seed=23), "b": _numbers(2, seed=24)},
            0.1,
        )
    ],
    hints=("One line: a dict comprehension.",),
)

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
check = checker(EXERCISES)

"""GPT-1 in numpy: every function, and its gradient by hand.

The same model as `model.py`, without torch: arrays in, arrays out, nothing hidden. A
function computes forward and returns its result with what the way back will need; its
twin with `_backward` takes the gradient of the loss by that result and returns the
gradients by its inputs. Tests hold all of them equal to torch's and to finite
differences. Dropout is left out: it multiplies by random zeros and adds nothing to see.

Weights are a dict from names to arrays, named and shaped as in `model.py`.
Letters: B sequences, T tokens, C n_embd, H heads, D = C / H, V vocabulary, K classes.
"""

import math

import numpy as np
from numpy import ndarray as Array

from .config import GPTConfig

# ---- the parts -----------------------------------------------------------------------


def softmax(scores: Array) -> Array:
    """exp(scores) / their sum, over the last axis; the maximum is taken off before."""
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def softmax_backward(d: Array, probs: Array) -> Array:
    """Each score raises its own probability and lowers all others."""
    return probs * (d - (d * probs).sum(axis=-1, keepdims=True))


def linear(x: Array, W: Array, b: Array) -> Array:
    """x W^T + b: (..., in) -> (..., out), W (out, in)."""
    return x @ W.T + b


def linear_backward(d: Array, x: Array, W: Array) -> tuple[Array, Array, Array]:
    """Gradients by x, W and b; W and b are used at every position, so sum over all."""
    flat_d, flat_x = d.reshape(-1, d.shape[-1]), x.reshape(-1, x.shape[-1])
    return d @ W, flat_d.T @ flat_x, flat_d.sum(axis=0)


SLOPE = math.sqrt(2 / math.pi)


def np_gelu(x: Array) -> Array:
    """GELU in the tanh form of the released code."""
    return 0.5 * x * (1 + np.tanh(SLOPE * (x + 0.044715 * x**3)))


def gelu_backward(d: Array, x: Array) -> Array:
    """Product rule: x / 2 times (1 + tanh), and tanh' = 1 - tanh^2."""
    t = np.tanh(SLOPE * (x + 0.044715 * x**3))
    inner = SLOPE * (1 + 3 * 0.044715 * x**2)
    return d * 0.5 * (1 + t + x * (1 - t**2) * inner)


def layer_norm(x: Array, gain: Array, bias: Array, eps: float = 1e-5):
    """Each state to mean 0 and variance 1 (divided by C), then gain and bias."""
    std = np.sqrt(x.var(axis=-1, keepdims=True) + eps)
    z = (x - x.mean(axis=-1, keepdims=True)) / std  # (..., C)
    return z * gain + bias, (z, std)


def layer_norm_backward(d: Array, kept, gain: Array) -> tuple[Array, Array, Array]:
    """Gradients by x, gain and bias.

    What would only shift or stretch a whole state is taken out again: the layer would
    undo it.
    """
    z, std = kept
    flat = (-1, d.shape[-1])
    d_gain, d_bias = (d * z).reshape(flat).sum(axis=0), d.reshape(flat).sum(axis=0)
    dz = d * gain
    shift = dz.mean(axis=-1, keepdims=True)
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)
    return (dz - shift - stretch) / std, d_gain, d_bias


# ---- attention -----------------------------------------------------------------------


def split(x: Array, n_head: int) -> Array:
    """(B, T, C) -> (B, H, T, D)"""
    B, T, C = x.shape
    return x.reshape(B, T, n_head, C // n_head).transpose(0, 2, 1, 3)


def merge(x: Array) -> Array:
    """(B, H, T, D) -> (B, T, C), the reverse of `split`."""
    B, H, T, D = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, H * D)


def np_attention(x: Array, weights: dict, name: str, n_head: int):
    """Masked multi-head self-attention, (B, T, C) -> (B, T, C)."""
    W, b = weights[f"{name}.qkv.weight"], weights[f"{name}.qkv.bias"]
    q, k, v = (split(t, n_head) for t in np.split(linear(x, W, b), 3, axis=-1))
    T, D = q.shape[2:]
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(D)  # (B, H, T, T)
    later = np.triu(np.ones((T, T), bool), 1)
    probs = softmax(np.where(later, -np.inf, scores))
    mixed = merge(probs @ v)  # (B, T, C)
    out = linear(mixed, weights[f"{name}.project.weight"], weights[f"{name}.project.bias"])
    return out, (x, q, k, v, probs, mixed)


def attention_backward(d: Array, kept, weights: dict, name: str, grads: dict) -> Array:
    """Gradient by x; those of the four matrices and biases go into `grads`."""
    x, q, k, v, probs, mixed = kept
    H, D = q.shape[1], q.shape[3]
    d, dW, db = linear_backward(d, mixed, weights[f"{name}.project.weight"])
    grads[f"{name}.project.weight"], grads[f"{name}.project.bias"] = dW, db
    d = split(d, H)  # (B, H, T, D)
    dv = probs.swapaxes(-1, -2) @ d
    # where the mask hid a score its probability is 0, and so is its gradient
    d_scores = softmax_backward(d @ v.swapaxes(-1, -2), probs) / math.sqrt(D)
    dq, dk = d_scores @ k, d_scores.swapaxes(-1, -2) @ q
    d_qkv = np.concatenate([merge(t) for t in (dq, dk, dv)], axis=-1)  # (B, T, 3 C)
    dx, dW, db = linear_backward(d_qkv, x, weights[f"{name}.qkv.weight"])
    grads[f"{name}.qkv.weight"], grads[f"{name}.qkv.bias"] = dW, db
    return dx


# ---- a block, and the whole model ----------------------------------------------------


def block(x: Array, weights: dict, name: str, n_head: int):
    """n = LN(x + np_attention(x)); h = LN(n + mlp(n)), as in Figure 1."""
    w = {k.removeprefix(name): a for k, a in weights.items() if k.startswith(name)}
    a, kept_a = np_attention(x, weights, f"{name}attention", n_head)
    n, kept_1 = layer_norm(x + a, w["ln_1.weight"], w["ln_1.bias"])
    wide = linear(n, w["expand.weight"], w["expand.bias"])  # (B, T, 4 C)
    active = np_gelu(wide)
    m = linear(active, w["shrink.weight"], w["shrink.bias"])
    h, kept_2 = layer_norm(n + m, w["ln_2.weight"], w["ln_2.bias"])
    return h, (kept_a, kept_1, n, wide, active, kept_2)


def block_backward(d: Array, kept, weights: dict, name: str, grads: dict) -> Array:
    """The way back through a block: at each sum the gradient takes both roads."""
    kept_a, kept_1, n, wide, active, kept_2 = kept

    def keep(part, dW, db):
        grads[f"{name}{part}.weight"], grads[f"{name}{part}.bias"] = dW, db

    d, dg, db = layer_norm_backward(d, kept_2, weights[f"{name}ln_2.weight"])
    keep("ln_2", dg, db)
    d_active, dW, db = linear_backward(d, active, weights[f"{name}shrink.weight"])
    keep("shrink", dW, db)
    d_wide = gelu_backward(d_active, wide)
    dn, dW, db = linear_backward(d_wide, n, weights[f"{name}expand.weight"])
    keep("expand", dW, db)
    d = d + dn  # past the MLP, and through it
    d, dg, db = layer_norm_backward(d, kept_1, weights[f"{name}ln_1.weight"])
    keep("ln_1", dg, db)
    return d + attention_backward(d, kept_a, weights, f"{name}attention", grads)


def initial_weights(config: GPTConfig, seed: int = 0, n_classes: int = 0) -> dict:
    """Fresh weights: N(0, 0.02), biases 0, LayerNorm 1 and 0; with a head if asked."""
    rng, C = np.random.default_rng(seed), config.n_embd
    shapes = {"tokens.weight": (config.n_vocab, C), "positions.weight": (config.n_ctx, C)}
    parts = {
        "attention.qkv": (3 * C, C),
        "attention.project": (C, C),
        "ln_1": (C,),
        "expand": (4 * C, C),
        "shrink": (C, 4 * C),
        "ln_2": (C,),
    }
    for i in range(config.n_layer):
        for part, shape in parts.items():
            shapes[f"blocks.{i}.{part}.weight"] = shape
            shapes[f"blocks.{i}.{part}.bias"] = shape[:1]
    if n_classes:
        shapes |= {"head.weight": (n_classes, C), "head.bias": (n_classes,)}
    made = {
        name: rng.normal(0, 0.02, shape) if len(shape) > 1 else np.zeros(shape)
        for name, shape in shapes.items()
    }
    return {
        k: np.ones_like(a) if ".ln_" in k and k.endswith("weight") else a
        for k, a in made.items()
    }


def states(weights: dict, ids: Array, config: GPTConfig):
    """h_n (B, T, C) after the last block, and what the way back needs."""
    h = weights["tokens.weight"][ids] + weights["positions.weight"][: ids.shape[1]]
    kept = []
    for i in range(config.n_layer):
        h, of_block = block(h, weights, f"blocks.{i}.", config.n_head)
        kept.append(of_block)
    return h, kept


def states_backward(d: Array, kept: list, weights: dict, ids: Array, grads: dict) -> None:
    """From the gradient by h_n down to both embeddings; all gradients into `grads`."""
    for i in reversed(range(len(kept))):
        d = block_backward(d, kept[i], weights, f"blocks.{i}.", grads)
    by_token = np.zeros_like(weights["tokens.weight"])
    np.add.at(by_token, ids, d)  # a token that stands twice collects twice
    grads["tokens.weight"] = grads.get("tokens.weight", 0) + by_token
    by_place = np.zeros_like(weights["positions.weight"])
    by_place[: ids.shape[1]] = d.sum(axis=0)
    grads["positions.weight"] = by_place


# ---- the losses ----------------------------------------------------------------------


def np_lm_loss(h: Array, W_e: Array, ids: Array, real: Array | None = None):
    """-L1, a mean over the real targets of a sequence, then over sequences.

    Returns the loss and its gradients by h and by W_e as the output matrix.
    """
    real = np.ones(ids.shape) if real is None else np.asarray(real, float)
    share = real[:, 1:] / real[:, 1:].sum(axis=1, keepdims=True) / len(ids)  # (B, T-1)
    targets = ids[:, 1:, None]
    probs = softmax(h[:, :-1] @ W_e.T)  # (B, T-1, V)
    chosen = np.take_along_axis(probs, targets, axis=-1)  # (B, T-1, 1)
    loss = -(np.log(chosen[..., 0]) * share).sum()
    d_logits = probs.copy()
    np.put_along_axis(d_logits, targets, chosen - 1, axis=-1)  # p - onehot
    d_logits *= share[..., None]
    dh = np.zeros_like(h)
    dh[:, :-1] = d_logits @ W_e  # the last state has no target
    dW_e = np.einsum("btv,btc->vc", d_logits, h[:, :-1])
    return loss, dh, dW_e


def np_task_loss(h: Array, where: Array, W_y: Array, b_y: Array, labels: Array):
    """-L2: cross-entropy of a linear layer on the states at `where` (B,).

    Returns the loss, its gradients by h, W_y and b_y, and the probabilities (B, K).
    """
    rows = np.arange(len(h))
    read = h[rows, where]  # (B, C)
    probs = softmax(linear(read, W_y, b_y))  # (B, K)
    loss = -np.log(probs[rows, labels]).mean()
    d_logits = probs.copy()
    d_logits[rows, labels] -= 1
    d_read, dW_y, db_y = linear_backward(d_logits / len(h), read, W_y)
    dh = np.zeros_like(h)
    dh[rows, where] = d_read
    return loss, dh, dW_y, db_y, probs


def pretraining_loss(weights: dict, ids: Array, config: GPTConfig, real=None):
    """-L1 of a batch and the gradients of all weights.

    W_e is used twice, so its gradient has two parts: as the output matrix, and as the
    table of embeddings.
    """
    grads = {}
    h, kept = states(weights, ids, config)
    loss, dh, grads["tokens.weight"] = np_lm_loss(h, weights["tokens.weight"], ids, real)
    states_backward(dh, kept, weights, ids, grads)
    return loss, grads


def finetuning_loss(
    weights: dict,
    ids: Array,
    where: Array,
    labels: Array,
    config: GPTConfig,
    lm_coef: float = 0.5,
    real=None,
):
    """-L3 = task loss + lambda x language-model loss (Eq. 5), and all gradients.

    Returns the two losses, the gradients, and the probabilities of the classes (B, K).
    """
    h, kept = states(weights, ids, config)
    task, dh, dW_y, db_y, probs = np_task_loss(
        h, where, weights["head.weight"], weights["head.bias"], labels
    )
    lm, dh_lm, dW_e = np_lm_loss(h, weights["tokens.weight"], ids, real)
    grads = {"head.weight": dW_y, "head.bias": db_y, "tokens.weight": lm_coef * dW_e}
    states_backward(dh + lm_coef * dh_lm, kept, weights, ids, grads)
    return (task, lm), grads, probs


# ---- Adam ----------------------------------------------------------------------------


class NumpyAdam:
    """Adam with bias correction, decoupled weight decay on matrices, and clipping."""

    def __init__(
        self,
        weights: dict,
        lr: float,
        betas=(0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        clip: float = 1.0,
    ):
        self.weights, self.lr, self.betas, self.eps = weights, lr, betas, eps
        self.weight_decay, self.clip, self.t = weight_decay, clip, 0
        self.m = {k: np.zeros_like(w) for k, w in weights.items()}
        self.v = {k: np.zeros_like(w) for k, w in weights.items()}

    def step(self, grads: dict, lr: float | None = None) -> float:
        """One update of all weights, in place; returns the norm of the gradients."""
        self.t += 1
        lr, (b1, b2) = self.lr if lr is None else lr, self.betas
        norm = math.sqrt(sum((g**2).sum() for g in grads.values()))
        scale = min(1.0, self.clip / (norm + 1e-6))
        for name, g in grads.items():
            w, g = self.weights[name], g * scale
            self.m[name] = b1 * self.m[name] + (1 - b1) * g
            self.v[name] = b2 * self.v[name] + (1 - b2) * g**2
            m_hat = self.m[name] / (1 - b1**self.t)
            v_hat = self.v[name] / (1 - b2**self.t)
            if w.ndim > 1:
                w -= lr * self.weight_decay * w
            w -= lr * m_hat / (np.sqrt(v_hat) + self.eps)
        return norm

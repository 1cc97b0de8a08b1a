"""GPT-1 in numpy: every function, and its gradient by hand.

The same model as `model.py`, without torch: arrays in, arrays out, nothing hidden. A
function of the forward pass returns its result, and where the backward pass needs more than
that, `kept`. Its twin with `_backward` takes `d`, the gradient of the loss with respect to
that result, and returns the gradient with respect to x and those of the parameters. Tests
compare all of them with torch's and with finite differences. Dropout is left out: it
multiplies by random zeros and adds nothing to see.

Parameters are a nested dict, named and shaped as in `model.py`, and so are their gradients:
`params["blocks"][0]["expand"]` is {"weight": array, "bias": array}, so that
`linear(x, **params["expand"])` reads as it is meant. `flatten` and `nested` lead to torch's
names with dots and back.

Letters: B sequences, T tokens, C n_embd, H heads, D = C / H, V vocabulary, K classes,
N all positions of a batch in one row. A comment at the end of a line gives the shape of
what the line computes.
"""

import math

import numpy as np
from numpy import ndarray as Array

from . import validate
from .config import INIT_STD, LN_EPS, GPTConfig

# ---- parameters ----------------------------------------------------------------------


def initial_params(config: GPTConfig, seed: int = 0, n_classes: int = 0) -> dict:
    """Fresh parameters: N(0, INIT_STD), biases 0, LayerNorm 1 and 0; with a head if asked."""
    validate.check_int("n_classes", n_classes, 0)
    rng = np.random.default_rng(validate.check_int("seed", seed, 0))
    C = config.n_embd
    layers = {"attention.qkv": (3 * C, C), "attention.project": (C, C), "ln_1": (C,)}
    layers |= {"expand": (4 * C, C), "shrink": (C, 4 * C), "ln_2": (C,)}
    flat = {
        "tokens.weight": rng.normal(0, INIT_STD, (config.n_vocab, C)),
        "positions.weight": rng.normal(0, INIT_STD, (config.n_ctx, C)),
    }
    shapes = [(f"blocks.{i}.{x}", layers[x]) for i in range(config.n_layer) for x in layers]
    for name, shape in shapes + ([("head", (n_classes, C))] if n_classes else []):
        is_gain = len(shape) == 1  # of a LayerNorm
        flat[f"{name}.weight"] = np.ones(C) if is_gain else rng.normal(0, INIT_STD, shape)
        flat[f"{name}.bias"] = np.zeros(shape[0])
    return nested(flat)


def flatten(params: dict | list | Array, name: str = "") -> dict[str, Array]:
    """Nested parameters in one row: {"blocks.0.attention.qkv.weight": array, ...}."""
    if isinstance(params, Array):
        return {name: params}
    parts = enumerate(params) if isinstance(params, list) else params.items()
    flat = {}
    for key, part in parts:
        flat |= flatten(part, f"{name}.{key}" if name else str(key))
    return flat


def nested(flat: dict[str, Array]) -> dict:
    """The reverse of `flatten`; a torch model's state_dict has such names.

    Raises ValueError unless the blocks are numbered 0, 1, ... without a gap.
    """
    params = {}
    for name, array in flat.items():
        *path, leaf = name.split(".")
        part = params
        for key in path:
            part = part.setdefault(key, {})
        part[leaf] = array
    blocks = params["blocks"]
    numbers = [str(i) for i in range(len(blocks))]
    if blocks.keys() != set(numbers):
        raise ValueError(f"blocks are {sorted(blocks)}, they must be {numbers}")
    return params | {"blocks": [blocks[i] for i in numbers]}


# ---- the parts -----------------------------------------------------------------------


def softmax(scores: Array) -> Array:
    """exp(scores) / their sum, over the last axis.

    The maximum is subtracted first: it cancels, and exp cannot overflow.
    """
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def log_softmax(scores: Array) -> Array:
    """log of `softmax`, also where a probability is too small for a float."""
    shifted = scores - scores.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def softmax_backward(d: Array, probs: Array) -> Array:
    """Gradient with respect to the scores; `probs` are what `softmax` returned.

    Each score raises its own entry and lowers all others.
    """
    mean = (d * probs).sum(axis=-1, keepdims=True)  # (..., 1)
    return probs * (d - mean)  # (..., n)


def linear(x: Array, weight: Array, bias: Array) -> Array:
    """x W^T + b: (..., in) -> (..., out), weight (out, in)."""
    return x @ weight.T + bias


def linear_backward(d: Array, x: Array, params: dict) -> tuple[Array, dict]:
    """Gradients with respect to x and the parameters.

    Weight and bias are used at every position, so theirs sum over all positions.
    """
    flat_d = d.reshape(-1, d.shape[-1])  # (N, out)
    flat_x = x.reshape(-1, x.shape[-1])  # (N, in)
    d_weight = flat_d.T @ flat_x  # (out, in)
    d_bias = flat_d.sum(axis=0)  # (out,)
    dx = d @ params["weight"]  # (..., in)
    return dx, {"weight": d_weight, "bias": d_bias}


SLOPE, CUBIC = math.sqrt(2 / math.pi), 0.044715
"""The two numbers in GELU's tanh form (train.py of the released code, gelu)."""


def gelu(x: Array) -> Array:
    """GELU in the tanh form of the released code."""
    return 0.5 * x * (1 + np.tanh(SLOPE * (x + CUBIC * x**3)))


def gelu_backward(d: Array, x: Array) -> Array:
    """Gradient with respect to x: the product rule, and tanh' = 1 - tanh^2."""
    t = np.tanh(SLOPE * (x + CUBIC * x**3))  # (..., n)
    inner = SLOPE * (1 + 3 * CUBIC * x**2)  # (..., n)
    return d * 0.5 * (1 + t + x * (1 - t**2) * inner)  # (..., n)


def layer_norm(x: Array, weight: Array, bias: Array) -> tuple[Array, tuple]:
    """Each state to mean 0 and variance 1 (divided by C), then weight (the gain) and bias."""
    std = np.sqrt(x.var(axis=-1, keepdims=True) + LN_EPS)  # (..., 1)
    z = (x - x.mean(axis=-1, keepdims=True)) / std  # (..., C)
    return z * weight + bias, (z, std)


def layer_norm_backward(d: Array, kept: tuple, params: dict) -> tuple[Array, dict]:
    """Gradients with respect to x and the parameters.

    What would only shift or stretch a whole state is taken out: the layer would undo it.
    """
    z, std = kept  # (..., C), (..., 1)
    d_weight = (d * z).reshape(-1, d.shape[-1]).sum(axis=0)  # (C,)
    d_bias = d.reshape(-1, d.shape[-1]).sum(axis=0)  # (C,)
    dz = d * params["weight"]  # (..., C)
    shift = dz.mean(axis=-1, keepdims=True)  # (..., 1)
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)  # (..., C)
    dx = (dz - shift - stretch) / std  # (..., C)
    return dx, {"weight": d_weight, "bias": d_bias}


# ---- attention -----------------------------------------------------------------------


def split(x: Array, n_head: int) -> Array:
    """(B, T, C) -> (B, H, T, D)"""
    B, T, C = x.shape
    return x.reshape(B, T, n_head, C // n_head).transpose(0, 2, 1, 3)


def merge(x: Array) -> Array:
    """(B, H, T, D) -> (B, T, C), the reverse of `split`."""
    B, H, T, D = x.shape
    return x.transpose(0, 2, 1, 3).reshape(B, T, H * D)


def attention(x: Array, params: dict, n_head: int) -> tuple[Array, tuple]:
    """Masked multi-head self-attention, (B, T, C) -> (B, T, C)."""
    qkv = linear(x, **params["qkv"])  # (B, T, 3 C)
    q, k, v = (split(t, n_head) for t in np.split(qkv, 3, axis=-1))  # (B, H, T, D)
    T, D = q.shape[2:]
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(D)  # (B, H, T, T)
    later = np.triu(np.ones((T, T), bool), 1)  # (T, T)
    weights = softmax(np.where(later, -np.inf, scores))  # (B, H, T, T)
    mixed = merge(weights @ v)  # (B, T, C)
    return linear(mixed, **params["project"]), (x, q, k, v, weights, mixed)


def attention_backward(d: Array, kept: tuple, params: dict) -> tuple[Array, dict]:
    """Gradients with respect to x and the parameters: `attention` from its end."""
    x, q, k, v, weights, mixed = kept
    H, D = q.shape[1], q.shape[3]
    d_mixed, grads_project = linear_backward(d, mixed, params["project"])  # (B, T, C)
    d_heads = split(d_mixed, H)  # (B, H, T, D)
    d_weights = d_heads @ v.swapaxes(-1, -2)  # (B, H, T, T)
    # where the mask hid a score its weight is 0, and so is its gradient
    d_scores = softmax_backward(d_weights, weights) / math.sqrt(D)  # (B, H, T, T)
    dq = d_scores @ k  # (B, H, T, D)
    dk = d_scores.swapaxes(-1, -2) @ q  # (B, H, T, D)
    dv = weights.swapaxes(-1, -2) @ d_heads  # (B, H, T, D)
    d_qkv = np.concatenate([merge(t) for t in (dq, dk, dv)], axis=-1)  # (B, T, 3 C)
    dx, grads_qkv = linear_backward(d_qkv, x, params["qkv"])  # (B, T, C)
    return dx, {"qkv": grads_qkv, "project": grads_project}


# ---- a block, and the whole model ----------------------------------------------------


def block(x: Array, params: dict, n_head: int) -> tuple[Array, tuple]:
    """n = LN(x + attention(x)); h = LN(n + mlp(n)), as in Figure 1."""
    a, kept_a = attention(x, params["attention"], n_head)  # (B, T, C)
    n, kept_1 = layer_norm(x + a, **params["ln_1"])  # (B, T, C)
    wide = linear(n, **params["expand"])  # (B, T, 4 C)
    active = gelu(wide)  # (B, T, 4 C)
    m = linear(active, **params["shrink"])  # (B, T, C)
    h, kept_2 = layer_norm(n + m, **params["ln_2"])  # (B, T, C)
    return h, (kept_a, kept_1, n, wide, active, kept_2)


def block_backward(d: Array, kept: tuple, params: dict) -> tuple[Array, dict]:
    """Gradients with respect to x and the parameters; at each sum d takes both branches."""
    kept_a, kept_1, n, wide, active, kept_2 = kept
    grads = {}
    d_sum, grads["ln_2"] = layer_norm_backward(d, kept_2, params["ln_2"])  # (B, T, C)
    d_active, grads["shrink"] = linear_backward(d_sum, active, params["shrink"])  # (B, T, 4 C)
    d_wide = gelu_backward(d_active, wide)  # (B, T, 4 C)
    dn, grads["expand"] = linear_backward(d_wide, n, params["expand"])  # (B, T, C)
    dn += d_sum  # (B, T, C), through the MLP and past it
    d_sum, grads["ln_1"] = layer_norm_backward(dn, kept_1, params["ln_1"])  # (B, T, C)
    dx, grads["attention"] = attention_backward(d_sum, kept_a, params["attention"])  # (B, T, C)
    dx += d_sum  # (B, T, C), through the attention and past it
    return dx, {name: grads[name] for name in params}


def states(params: dict, ids: Array, config: GPTConfig) -> tuple[Array, list]:
    """h_n (B, T, C) after the last block, and what the backward pass needs."""
    check_ids(ids, config)
    config.check_tied("the model in numpy")
    h = params["tokens"]["weight"][ids]  # (B, T, C)
    h = h + params["positions"]["weight"][: ids.shape[1]]  # (B, T, C)
    kept = []
    for block_params in params["blocks"]:
        h, kept_here = block(h, block_params, config.n_head)  # (B, T, C)
        kept.append(kept_here)
    return h, kept


def check_ids(ids: Array, config: GPTConfig) -> None:
    """Raise ValueError unless ids (B, T) can be read by a model of this config."""
    if not isinstance(ids, Array):
        kind = type(ids).__name__
        raise ValueError(f"ids are {kind}, they must be as np.array([bpe.encode(text)])")
    if ids.ndim != 2 or ids.size == 0 or ids.shape[1] > config.n_ctx:
        raise ValueError(f"ids have shape {ids.shape}, they need (B, T), T <= {config.n_ctx}")
    validate.check_indices("token id", ids, config.n_vocab)


def states_backward(d: Array, kept: list, params: dict, ids: Array) -> dict:
    """Gradients with respect to all parameters that h_n depends on, from `d` for h_n."""
    blocks = []
    for kept_here, block_params in zip(kept[::-1], params["blocks"][::-1], strict=True):
        d, grads = block_backward(d, kept_here, block_params)  # (B, T, C)
        blocks.insert(0, grads)
    d_tokens = np.zeros_like(params["tokens"]["weight"])  # (V, C)
    np.add.at(d_tokens, ids, d)  # (V, C), a token that occurs twice collects twice
    d_positions = np.zeros_like(params["positions"]["weight"])  # (n_ctx, C)
    d_positions[: ids.shape[1]] = d.sum(axis=0)  # (T, C)
    return {
        "tokens": {"weight": d_tokens},
        "positions": {"weight": d_positions},
        "blocks": blocks,
    }


# ---- the losses ----------------------------------------------------------------------


def lm_loss(
    h: Array, W_e: Array, ids: Array, mask: Array | None = None
) -> tuple[float, Array, Array]:
    """-L1, a mean over the targets of a sequence, then over sequences.

    Returns the loss and its gradients with respect to h and to W_e as the output matrix.
    """
    mask = np.ones(ids.shape) if mask is None else np.asarray(mask, float)  # (B, T)
    validate.check_indices("token id", ids, len(W_e))
    validate.check_mask(mask, ids)
    share = mask[:, 1:] / mask[:, 1:].sum(axis=1, keepdims=True) / len(ids)  # (B, T-1)
    targets = ids[:, 1:, None]  # (B, T-1, 1)
    log_probs = log_softmax(h[:, :-1] @ W_e.T)  # (B, T-1, V)
    chosen = np.take_along_axis(log_probs, targets, axis=-1)  # (B, T-1, 1)
    loss = -(chosen[..., 0] * share).sum()
    d_logits = np.exp(log_probs)  # (B, T-1, V)
    np.put_along_axis(d_logits, targets, np.exp(chosen) - 1, axis=-1)  # p - onehot
    d_logits *= share[..., None]  # (B, T-1, V)
    dh = np.zeros_like(h)  # (B, T, C), the last state has no target
    dh[:, :-1] = d_logits @ W_e  # (B, T-1, C)
    dW_e = np.einsum("btv,btc->vc", d_logits, h[:, :-1])  # (V, C)
    return loss, dh, dW_e


def task_loss(
    h: Array, head: dict, where: Array, labels: Array
) -> tuple[float, Array, dict, Array]:
    """-L2: cross-entropy of the head, a linear layer, on the states at `where` (B,).

    Returns the loss, its gradients with respect to h and to the head, and the
    probabilities (B, K).
    """
    if np.shape(where) != h.shape[:1] or np.shape(labels) != h.shape[:1]:
        raise ValueError(f"where and labels need one number for each of {len(h)} sequences")
    validate.check_indices("label", np.asarray(labels), len(head["bias"]))
    validate.check_indices("position", np.asarray(where), h.shape[1])
    rows = np.arange(len(h))  # (B,)
    read = h[rows, where]  # (B, C)
    log_probs = log_softmax(linear(read, **head))  # (B, K)
    loss = -log_probs[rows, labels].mean()
    probs = np.exp(log_probs)  # (B, K)
    d_logits = probs.copy()  # (B, K)
    d_logits[rows, labels] -= 1  # (B,), p - onehot
    d_logits /= len(h)  # (B, K)
    d_read, grads_head = linear_backward(d_logits, read, head)  # (B, C)
    dh = np.zeros_like(h)  # (B, T, C), only one state of each sequence is read
    dh[rows, where] = d_read  # (B, C)
    return loss, dh, grads_head, probs


def pretraining_loss(
    params: dict, ids: Array, config: GPTConfig, mask: Array | None = None
) -> tuple[float, dict]:
    """-L1 of a batch and the gradients of all parameters of the language model.

    W_e is used twice, so its gradient has two parts: as the table of embeddings, and as
    the output matrix.
    """
    h, kept = states(params, ids, config)  # (B, T, C)
    loss, dh, dW_e = lm_loss(h, params["tokens"]["weight"], ids, mask)  # dh (B, T, C)
    grads = states_backward(dh, kept, params, ids)
    grads["tokens"]["weight"] += dW_e  # (V, C)
    return loss, grads


def finetuning_loss(
    params: dict,
    ids: Array,
    where: Array,
    labels: Array,
    config: GPTConfig,
    lm_coef: float = 0.5,
    mask: Array | None = None,
) -> tuple[tuple[float, float], dict, Array]:
    """-L3 = task loss + lambda x language-model loss (Eq. 5), and all gradients.

    Returns the two losses, the gradients, and the probabilities of the classes (B, K).
    """
    validate.check_float("lm_coef (lambda)", lm_coef, ge=0)
    h, kept = states(params, ids, config)  # (B, T, C)
    task, dh, grads_head, probs = task_loss(h, params["head"], where, labels)  # dh (B, T, C)
    lm, dh_lm, dW_e = lm_loss(h, params["tokens"]["weight"], ids, mask)  # dh_lm (B, T, C)
    dh += lm_coef * dh_lm  # (B, T, C)
    grads = states_backward(dh, kept, params, ids)
    grads["tokens"]["weight"] += lm_coef * dW_e  # (V, C)
    return (task, lm), grads | {"head": grads_head}, probs


# ---- Adam ----------------------------------------------------------------------------


class NumpyAdam:
    """Adam with bias correction, decoupled weight decay on matrices, and clipping."""

    def __init__(
        self,
        params: dict,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
        clip: float = 1.0,
    ):
        for name, value in {"lr": lr, "eps": eps, "weight_decay": weight_decay}.items():
            validate.check_float(name, value, ge=0)
        for beta in betas:
            validate.check_float("beta", beta, ge=0, lt=1)
        validate.check_float("clip", clip, gt=0)
        self.params, self.lr, self.betas, self.eps = flatten(params), lr, betas, eps
        self.weight_decay, self.clip, self.t = weight_decay, clip, 0
        self.m = {name: np.zeros_like(p) for name, p in self.params.items()}
        self.v = {name: np.zeros_like(p) for name, p in self.params.items()}

    def step(self, grads: dict, lr: float | None = None) -> float:
        """One update of all parameters, in place; returns the norm of the gradients."""
        self.t += 1
        lr, (b1, b2) = self.lr if lr is None else lr, self.betas
        grads = flatten(grads)
        norm = math.sqrt(sum((g**2).sum() for g in grads.values()))
        scale = min(1.0, self.clip / (norm + 1e-6))
        for name, g in grads.items():
            p, g = self.params[name], g * scale
            self.m[name] = b1 * self.m[name] + (1 - b1) * g
            self.v[name] = b2 * self.v[name] + (1 - b2) * g**2
            m_hat = self.m[name] / (1 - b1**self.t)
            v_hat = self.v[name] / (1 - b2**self.t)
            if p.ndim > 1:
                p -= lr * self.weight_decay * p
            p -= lr * m_hat / (np.sqrt(v_hat) + self.eps)
        return norm

"""Lesson 10, Pre-training."""

import math

import torch

from .claims import holds as holds  # for the notebook
from .exercise import Checker, exercise


def _numbers(n, seed, scale=1.0):
    return torch.randn(n, generator=torch.Generator().manual_seed(seed)) * scale


def _tensors(seed, scale):
    return [_numbers((2, 3), seed, scale), _numbers(4, seed + 1, scale)]


@exercise(
    "One training window",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        (torch.arange(10, 30), 0, 4),
        (torch.arange(30, 60), 5, 8),
        (torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5]), 3, 2),
    ],
    task=(
        "Cut a window out of the stream of ids at `start`, and return what the model "
        "reads and what it must predict: `n_ctx` ids, and the `n_ctx` ids that each stand "
        "one place later."
    ),
    hints=(
        "Cut n_ctx + 1 ids: every id but the last is read, every id but the first is "
        "predicted.",
        "`window[:-1]` leaves out the last, `window[1:]` the first.",
    ),
)
def cut_window(ids, start, n_ctx):
    """(inputs, targets), both (n_ctx,); targets[i] follows inputs[i] in the stream.

    cut_window(tensor([5, 6, 7, 8, 9]), 1, 3) -> tensor([6, 7, 8]), tensor([7, 8, 9])
    """
    window = ids[start : start + n_ctx + 1]
    return window[:-1], window[1:]


@cut_window.wrong(
    "Inputs and targets are the same ids: the model would learn to copy the "
    "token it has just read. Targets stand one place later."
)
def targets_are_inputs(ids, start, n_ctx):
    window = ids[start : start + n_ctx]
    return window, window


@cut_window.wrong(
    "You get n_ctx - 1 pairs. To have n_ctx inputs and n_ctx targets, the window "
    "needs one id more."
)
def one_target_short(ids, start, n_ctx):
    window = ids[start : start + n_ctx]
    return window[:-1], window[1:]


@cut_window.wrong(
    "The wrong way round: your targets stand before the inputs. The model "
    "predicts what comes next."
)
def targets_before(ids, start, n_ctx):
    window = ids[start : start + n_ctx + 1]
    return window[1:], window[:-1]


@cut_window.wrong("You always cut the first window; use `start`.")
def always_the_first(ids, start, n_ctx):
    return ids[:n_ctx], ids[1 : n_ctx + 1]


@cut_window.wrong("Your targets stand two places later: the token in between is skipped.")
def two_places_later(ids, start, n_ctx):
    return ids[start : start + n_ctx], ids[start + 2 : start + n_ctx + 2]


@exercise(
    "Adam",
    difficulty=4,
    importance=5,
    minutes=15,
    cases=lambda: [
        (_numbers(4, 0), _numbers(4, 1), torch.zeros(4), torch.zeros(4), 1, 0.1),
        (
            _numbers(5, 2),
            _numbers(5, 3, 1e-3),
            _numbers(5, 4, 1e-3),
            _numbers(5, 5, 1e-3) ** 2,
            3,
            0.5,
            0.8,
            0.99,
            1e-4,
        ),
    ],
    task=(
        "Write one update of Adam for one tensor. Keep two running averages, of the "
        "gradient (`m`) and of its square (`v`); divide each by what it lacks because it "
        "started from 0; step along $\\hat m / (\\sqrt{\\hat v} + \\epsilon)$."
    ),
    hints=(
        "Five lines: m, v, their corrected forms, the step.",
        "`m = beta1 * m + (1 - beta1) * grad`, and v in the same way with grad ** 2.",
        "`m_hat = m / (1 - beta1**t)`; the step divides by `v_hat.sqrt() + eps`.",
    ),
)
def adam_step(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    """New (w, m, v) after update number t, which counts from 1.

    At t = 1, from m = v = 0, every weight moves by lr against the sign of its gradient.
    """
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat = m / (1 - beta1**t)
    v_hat = v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "The averages start at 0 and are too small at first. Divide m by 1 - beta1^t "
    "and v by 1 - beta2^t before you use them."
)
def no_correction(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * m / (v.sqrt() + eps), m, v


@adam_step.wrong(
    "eps is inside the root, where it weighs as much as its own root. Add it "
    "after taking the root."
)
def eps_in_the_root(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat + eps).sqrt(), m, v


@adam_step.wrong("v averages the size of the gradient; it should average its square.")
def no_square(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad.abs()
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong("You climb: a step against the gradient is minus lr times it.")
def uphill(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w + lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "You keep a tenth of the old average and take nine tenths of the new "
    "gradient: beta is the share of the old one."
)
def weights_swapped(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = (1 - beta1) * m + beta1 * grad
    v = (1 - beta2) * v + beta2 * grad**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "The step is right, but you hand back the corrected averages. Return m and "
    "v themselves: the next update averages on from them."
)
def stores_the_corrected(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = (beta1 * m + (1 - beta1) * grad) / (1 - beta1**t)
    v = (beta2 * v + (1 - beta2) * grad**2) / (1 - beta2**t)
    return w - lr * m / (v.sqrt() + eps), m, v


@exercise(
    "Warm-up, then a cosine",
    difficulty=3,
    importance=4,
    minutes=10,
    tolerance=1e-9,
    cases=lambda: [
        (0, 2.5e-4, 2000, 10_000),
        (5, 1.0, 10, 100),
        (10, 1.0, 10, 100),
        (60, 1.0, 10, 100),
        (100, 1.0, 10, 100),
    ],
    task=(
        "Write GPT-1's schedule as its released code does it: a straight line from 0 to "
        "`peak` over the first `warmup` updates, then the cosine that falls from `peak` to "
        "0, which runs over the whole of training."
    ),
    hints=(
        "Two cases: `if step < warmup`, and the rest.",
        "`0.5 * (1 + math.cos(math.pi * x))` falls from 1 to 0 while x goes from 0 to 1.",
    ),
)
def learning_rate(step, peak, warmup, total):
    """The learning rate of an update, 0 <= step <= total.

    learning_rate(5, 1.0, 10, 100) -> 0.5;  learning_rate(100, 1.0, 10, 100) -> 0.0
    """
    if step < warmup:
        return peak * step / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * step / total))


@learning_rate.wrong(
    "The cosine is right, the warm-up is missing: the first updates need a line from 0."
)
def no_warm_up(step, peak, warmup, total):
    return peak * 0.5 * (1 + math.cos(math.pi * step / total))


@learning_rate.wrong(
    "You fall along a straight line. That is GPT-1's fine-tuning; pre-training uses a cosine."
)
def a_line_down(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * (1 - step / total)


@learning_rate.wrong(
    "Your cosine starts when the warm-up ends, as in many libraries. In OpenAI's "
    "released code it runs over the whole of training, from step 0: use "
    "step / total."
)
def cosine_from_the_warm_up_on(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    part = (step - warmup) / (total - warmup)
    return peak * 0.5 * (1 + math.cos(math.pi * part))


@learning_rate.wrong(
    "You run through a whole wave, so the rate comes back up. Half a wave, pi, "
    "goes from 1 to -1."
)
def a_whole_wave(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * 0.5 * (1 + math.cos(2 * math.pi * step / total))


@learning_rate.wrong("The cosine goes down to -1, and your rate with it. Add 1 and halve.")
def goes_below_zero(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * math.cos(math.pi * step / total)


@exercise(
    "Clipping",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [(_tensors(0, 1.0), 1.0), (_tensors(2, 0.1), 5.0), (_tensors(4, 3.0), 0.5)],
    task=(
        "Scale a list of gradient tensors so that all of them together, as one long "
        "vector, have a norm of at most `max_norm`. If they are within it, change nothing."
    ),
    hints=(
        "The square of the total norm is the sum of the squares of all numbers.",
        "One factor for all: `min(1, max_norm / norm)`.",
    ),
)
def clip_together(grads, max_norm):
    """New gradients: same directions, one common factor, total norm <= max_norm.

    clip_together([tensor([3.]), tensor([4.])], 1.0) -> [tensor([.6]), tensor([.8])]
    """
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    factor = min(1.0, max_norm / norm)
    return [grad * factor for grad in grads]


@clip_together.wrong(
    "You cut each number on its own, which turns the gradient into another "
    "direction. Scale all of them by one factor."
)
def each_number(grads, max_norm):
    return [grad.clamp(-max_norm, max_norm) for grad in grads]


@clip_together.wrong(
    "You clip each tensor by its own norm. The released code takes the norm of "
    "all of them together."
)
def each_tensor(grads, max_norm):
    return [grad * min(1.0, max_norm / grad.norm().item()) for grad in grads]


@clip_together.wrong("You scale small gradients up too. Within max_norm nothing should change.")
def always_scales(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    return [grad * max_norm / norm for grad in grads]


@clip_together.wrong("That is the square of the norm; take its root.")
def no_root(grads, max_norm):
    norm = sum((grad**2).sum().item() for grad in grads)
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@clip_together.wrong(
    "Norms do not add up: squares do. Sum the squares of all numbers, then take the root."
)
def sum_of_norms(grads, max_norm):
    norm = sum(grad.norm().item() for grad in grads)
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@exercise(
    "What decays",
    difficulty=2,
    importance=3,
    minutes=6,
    cases=lambda: [
        (
            {
                "tokens.weight": (9, 4),
                "positions.weight": (5, 4),
                "ln_1.weight": (4,),
                "ln_1.bias": (4,),
                "expand.weight": (16, 4),
                "expand.bias": (16,),
            },
        ),
        ({"blocks.0.ln_2.weight": (8,), "blocks.0.attention.qkv.weight": (24, 8)},),
    ],
    task=(
        'GPT-1 applies weight decay to "all non bias or gain weights". From names and '
        "shapes of parameters, return the names of those that decay: matrices do, vectors "
        "(biases, and the gains of LayerNorm) do not."
    ),
    hints=("How many numbers does the shape of a bias have?",),
)
def decayed(shapes):
    """Names of the parameters that decay, in the given order. shapes: name -> tuple.

    decayed({"expand.weight": (8, 2), "expand.bias": (8,)}) -> ["expand.weight"]
    """
    return [name for name, shape in shapes.items() if len(shape) > 1]


@decayed.wrong(
    "The gain of a LayerNorm is called weight too (ln_1.weight), yet it is a "
    "gain. Go by the shape, not by the name."
)
def by_the_word_weight(shapes):
    return [name for name in shapes if name.endswith("weight")]


@decayed.wrong(
    "The embeddings are matrices and neither biases nor gains: in GPT-1 they decay too."
)
def not_the_embeddings(shapes):
    return [
        name
        for name, shape in shapes.items()
        if len(shape) > 1 and "tokens" not in name and "positions" not in name
    ]


@decayed.wrong("Biases and gains do not decay.")
def everything(shapes):
    return list(shapes)


@decayed.wrong("These are the ones that do not decay.")
def the_others(shapes):
    return [name for name, shape in shapes.items() if len(shape) == 1]


# ---- what the lesson's claims are held to -------------------------------------------


def ahead(losses: list[float], others: list[float]) -> bool:
    """Whether a curve lies below another, but for its first two points."""
    return all(a < b for a, b in zip(losses[2:], others[2:], strict=True))


def reached(runs: list[dict], who: str) -> dict[float, float]:
    """Minutes -> bits per character of one program's runs."""
    return {q["minutes"]: q["bits_per_character"] for q in runs if q["who"] == who}


def tokens_per_second(runs: list[dict], who: str) -> dict[float, float]:
    """Minutes -> speed of one program's runs."""
    return {q["minutes"]: q["tokens"] / q["seconds"] for q in runs if q["who"] == who}


EXERCISES = (cut_window, adam_step, learning_rate, clip_together, decayed)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 10, Pre-training."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from gpt1lib.io.paths import BENCHMARKS

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


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
        (torch.tensor([5, 6, 7, 8, 9]), 1, 3),
        (torch.arange(10, 30), 0, 4),
        (torch.arange(30, 60), 5, 8),
        (torch.tensor([3, 1, 4, 1, 5, 9, 2, 6, 5]), 3, 2),
    ],
    task=(
        "Cut a window out of the stream of ids at `start`. Return what the model reads, which "
        "is `n_ctx` ids, and what it must predict, which is the `n_ctx` ids that each come one "
        "position later."
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
    "token it has just read. Targets come one position later."
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
    "Your targets are one short, because a slice leaves out its end: they go up to "
    "ids[start + n_ctx]."
)
def last_target_missing(ids, start, n_ctx):
    return ids[start : start + n_ctx], ids[start + 1 : start + n_ctx]


@cut_window.wrong(
    "The wrong way around: your targets come before the inputs. The model "
    "predicts what comes next."
)
def targets_before(ids, start, n_ctx):
    window = ids[start : start + n_ctx + 1]
    return window[1:], window[:-1]


@cut_window.wrong("You always cut the first window; use `start`.")
def always_the_first(ids, start, n_ctx):
    return ids[:n_ctx], ids[1 : n_ctx + 1]


@cut_window.wrong(
    "You return one target, the id after the window. Every id that is read has one of its "
    "own: n_ctx targets, each one position later."
)
def one_target(ids, start, n_ctx):
    return ids[start : start + n_ctx], ids[start + n_ctx]


@cut_window.wrong("Your targets come two positions later: the token in between is skipped.")
def two_places_later(ids, start, n_ctx):
    return ids[start : start + n_ctx], ids[start + 2 : start + n_ctx + 2]


@cut_window.wrong(
    "Your window begins one position late: the first id that is read is ids[start]."
)
def begins_late(ids, start, n_ctx):
    window = ids[start + 1 : start + n_ctx + 2]
    return window[:-1], window[1:]


@cut_window.wrong(
    "Your targets are the window that follows. Each target comes one position after its "
    "own input, so the two overlap in all but one id."
)
def the_window_after(ids, start, n_ctx):
    return ids[start : start + n_ctx], ids[start + n_ctx : start + 2 * n_ctx]


@cut_window.wrong(
    "Your last target is the window's first id: roll puts it there. The last target is the "
    "id that follows the window in the stream."
)
def rolled_around(ids, start, n_ctx):
    window = ids[start : start + n_ctx]
    return window, window.roll(-1)


@cut_window.wrong("You return one tensor. Return two, as a tuple: inputs, targets.")
def stacked(ids, start, n_ctx):
    return torch.stack(cut_window.solution(ids, start, n_ctx))


@cut_window.wrong("You return the whole window. Return two tensors: inputs, targets.")
def the_window_alone(ids, start, n_ctx):
    return ids[start : start + n_ctx + 1]


@cut_window.wrong(
    "A slice ends at a position, not after a number of ids: ids[start : start + n_ctx]."
)
def ends_at_n_ctx(ids, start, n_ctx):
    return ids[start:n_ctx], ids[start + 1 : n_ctx + 1]


@exercise(
    "Adam",
    difficulty=4,
    importance=5,
    minutes=20,
    cases=lambda: [
        (*torch.tensor([[4.0, 1.0], [4.0, -50.0], [0.0, 0.0], [0.0, 0.0]]), 1, 0.3),
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
        "Write one update of Adam for one tensor, as above. Bring the two averages `m` and `v` "
        "up to date, correct both, make the step, and return the new `w`, `m` and `v`."
    ),
    hints=(
        "Five lines: m, v, their corrected forms, the step. What is kept for the next update "
        "is m and v, not the corrected ones.",
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


@adam_step.wrong("The step lacks the factor lr.")
def step_without_lr(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step(w, grad, m, v, t, 1.0, beta1, beta2, eps)


@adam_step.wrong("Return w first, then m and v.")
def averages_first(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    w, m, v = adam_step(w, grad, m, v, t, lr, beta1, beta2, eps)
    return m, v, w


@adam_step.wrong("You divide by 1 - beta. It is 1 - beta**t: the correction fades as t grows.")
def correction_without_t(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m, v = beta1 * m + (1 - beta1) * grad, beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1), v / (1 - beta2)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong("You multiply by 1 - beta**t. Divide by it.")
def multiplied_by_the_correction(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m, v = beta1 * m + (1 - beta1) * grad, beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m * (1 - beta1**t), v * (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "eps is inside the square root, where it counts as √eps, which is much more. Add it after "
    "taking the square root."
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
    "You keep 1 - beta of the old average and take beta of the new gradient: beta is the "
    "share of the old one."
)
def weights_swapped(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = (1 - beta1) * m + beta1 * grad
    v = (1 - beta2) * v + beta2 * grad**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "The step is right, but you hand back the corrected averages. Return m and "
    "v themselves: the next update goes on from them."
)
def stores_the_corrected(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = (beta1 * m + (1 - beta1) * grad) / (1 - beta1**t)
    v = (beta2 * v + (1 - beta2) * grad**2) / (1 - beta2**t)
    return w - lr * m / (v.sqrt() + eps), m, v


@adam_step.wrong(
    "beta1 and beta2 are exchanged: beta1 belongs to m, the gradient's average, beta2 to v, "
    "the average of its square."
)
def betas_exchanged(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t, lr, beta2, beta1, eps)


@adam_step.wrong("You correct m only. v starts at 0 too: divide it by 1 - beta2^t.")
def only_m_corrected(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * m / (1 - beta1**t) / (v.sqrt() + eps), m, v


@adam_step.wrong("You correct v only. m starts at 0 too: divide it by 1 - beta1^t.")
def only_v_corrected(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * m / ((v / (1 - beta2**t)).sqrt() + eps), m, v


@adam_step.wrong(
    "You divide by v; divide by its square root, which is of the gradient's own size."
)
def no_root_of_v(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * (m / (1 - beta1**t)) / (v / (1 - beta2**t) + eps), m, v


@adam_step.wrong("v averages the gradient itself; it should average its square.")
def gradient_in_v(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong("Right for the usual betas, which you have written in. Use beta1 and beta2.")
def usual_betas_written_in(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t, lr, eps=eps)


@adam_step.wrong(
    "Right for the usual betas and eps, which you have written in. Use beta1, beta2 and eps."
)
def usual_settings_written_in(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t, lr)


@adam_step.wrong("Right except for eps: divide by `v_hat.sqrt() + eps`, with the argument eps.")
def no_eps(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t, lr, beta1, beta2, 0.0)


@adam_step.wrong("eps is added to the step. Add it to the square root, in the brackets.")
def eps_behind_the_quotient(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - (lr * m / (1 - beta1**t) / (v / (1 - beta2**t)).sqrt() + eps), m, v


@adam_step.wrong("eps is added to w. Add it to the square root, in the brackets.")
def eps_added_to_w(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * m / (1 - beta1**t) / (v / (1 - beta2**t)).sqrt() + eps, m, v


@adam_step.wrong("t counts from 1 here: the powers are beta^t, not beta^(t + 1).")
def counts_from_0(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t + 1, lr, beta1, beta2, eps)


@adam_step.wrong("You correct by 1 - beta * t; it is a power, beta**t.")
def times_t(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1 * t), v / (1 - beta2 * t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong(
    "The new gradient comes in whole; it must come in with its share, 1 - beta. Else the "
    "averages are sums, ten and a thousand times too large."
)
def sums_for_averages(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m, v = beta1 * m + grad, beta2 * v + grad**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong("v averages the square of the gradient; yours averages the square of m.")
def square_of_m(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * m**2
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@adam_step.wrong("You step along the gradient; step along m, corrected.")
def along_the_gradient(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    return w - lr * grad / ((v / (1 - beta2**t)).sqrt() + eps), m, v


@adam_step.wrong("You step by the old averages; bring m and v up to date first.")
def steps_by_the_old_averages(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m_hat, v_hat = m / (1 - beta1**t), v / (1 - beta2**t)
    new_m, new_v = beta1 * m + (1 - beta1) * grad, beta2 * v + (1 - beta2) * grad**2
    return w - lr * m_hat / (v_hat.sqrt() + eps), new_m, new_v


@adam_step.wrong("The averages that you return are the old ones. Return the new m and v.")
def returns_the_old_averages(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    new_w, _, _ = adam_step.solution(w, grad, m, v, t, lr, beta1, beta2, eps)
    return new_w, m, v


@adam_step.wrong("The new w is right. Return m and v too: the next update needs them.")
def returns_w_alone(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    return adam_step.solution(w, grad, m, v, t, lr, beta1, beta2, eps)[0]


@adam_step.wrong("You return the step. Return the weight after it: w minus the step.")
def returns_the_step(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    new_w, m, v = adam_step.solution(w, grad, m, v, t, lr, beta1, beta2, eps)
    return w - new_w, m, v


@adam_step.wrong("t counts from 1, so the exponent is t: with t - 1 you divide by 0 at first.")
def exponent_one_less(w, grad, m, v, t, lr, beta1=0.9, beta2=0.999, eps=1e-8):
    m = beta1 * m + (1 - beta1) * grad
    v = beta2 * v + (1 - beta2) * grad**2
    m_hat, v_hat = m / (1 - beta1 ** (t - 1)), v / (1 - beta2 ** (t - 1))
    return w - lr * m_hat / (v_hat.sqrt() + eps), m, v


@exercise(
    "Warm-up, then a cosine",
    difficulty=3,
    importance=4,
    minutes=10,
    tolerance=1e-9,
    cases=lambda: [
        (0, 2.5e-4, 2000, 10_000),
        (1900, 2.5e-4, 2000, 10_000),
        (5, 1.0, 10, 100),
        (10, 1.0, 10, 100),
        (60, 1.0, 10, 100),
        (100, 1.0, 10, 100),
        (3, 2.0, 15, 60),
        (29, 3.0, 30, 100),  # a long warm-up: the line ends above the cosine
        (30, 3.0, 30, 100),
        (45, 0.5, 30, 90),
        (0, 1.0, 0, 100),  # no warm-up
    ],
    task=(
        "Write the schedule. While `step` is below `warmup`, it's a straight line from 0 "
        "toward `peak`. From then on it's the cosine that falls from `peak` to 0 over the "
        "whole of training, from step 0 to step `total`. (Where the cosine takes over, it has "
        "already come down a little, so the rate makes a tiny jump.)"
    ),
    hints=(
        "Two cases: `if step < warmup`, and the rest.",
        "`0.5 * (1 + math.cos(math.pi * x))` falls from 1 to 0 while x goes from 0 to 1.",
    ),
)
def learning_rate(step, peak, warmup, total):
    """The learning rate of an update, 0 <= step <= total. warmup may be 0.

    learning_rate(5, 1.0, 10, 100) -> 0.5
    learning_rate(100, 1.0, 10, 100) -> 0.0
    """
    if step < warmup:
        return peak * step / warmup
    return peak * 0.5 * (1 + math.cos(math.pi * step / total))


@learning_rate.wrong(
    "The cosine is right, the warm-up is missing: the first updates need a line from 0."
)
def no_warm_up(step, peak, warmup, total):
    return peak * 0.5 * (1 + math.cos(math.pi * step / total))


@learning_rate.wrong("1 + cos needs parentheses: 0.5 * (1 + cos(pi x)).")
def half_of_one_plus_cos(step, peak, warmup, total):
    falling = 0.5 * 1 + math.cos(math.pi * step / total)
    return peak * (step / warmup if step < warmup else falling)


@learning_rate.wrong("1 + cos needs parentheses: 0.5 * (1 + cos(pi x)).")
def one_plus_cos_without_parentheses(step, peak, warmup, total):
    falling = peak * 0.5 * 1 + math.cos(math.pi * step / total)
    return peak * step / warmup if step < warmup else falling


@learning_rate.wrong("3.14 is too rough: take math.pi.")
def pi_of_three_digits(step, peak, warmup, total):
    falling = 0.5 * (1 + math.cos(3.14 * step / total))
    return peak * (step / warmup if step < warmup else falling)


@learning_rate.wrong(
    "In the cosine, x is step / total: it begins at update 0, not after the warm-up."
)
def cosine_shifted_by_the_warm_up(step, peak, warmup, total):
    falling = 0.5 * (1 + math.cos(math.pi * (step - warmup) / total))
    return peak * (step / warmup if step < warmup else falling)


@learning_rate.wrong(
    "You take the smaller of line and cosine. Below `warmup` it's the line alone, and from "
    "there on the cosine alone."
)
def smaller_of_both(step, peak, warmup, total):
    cosine = peak * 0.5 * (1 + math.cos(math.pi * step / total))
    return min(peak * step / warmup, cosine) if warmup else cosine


@learning_rate.wrong(
    "You multiply line and cosine. Below `warmup` it's the line alone, and from there on the "
    "cosine alone."
)
def product_of_both(step, peak, warmup, total):
    line = min(1.0, step / warmup) if warmup else 1.0
    return line * peak * 0.5 * (1 + math.cos(math.pi * step / total))


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


@learning_rate.wrong("You have forgotten `peak`: your rate rises to 1, whatever the peak is.")
def no_peak(step, peak, warmup, total):
    return learning_rate.solution(step, 1.0, warmup, total)


@learning_rate.wrong("The cosine is right. The line of the warm-up lacks the factor `peak`.")
def no_peak_in_the_warm_up(step, peak, warmup, total):
    return learning_rate.solution(step, 1.0 if step < warmup else peak, warmup, total)


@learning_rate.wrong("The line is right. The cosine lacks the factor `peak`.")
def no_peak_in_the_cosine(step, peak, warmup, total):
    return learning_rate.solution(step, peak if step < warmup else 1.0, warmup, total)


@learning_rate.wrong(
    "You have written in the numbers of the example, 10 and 100. Use `warmup` and `total`."
)
def numbers_of_the_example(step, peak, warmup, total):
    return learning_rate.solution(step, peak, 10, 100)


@learning_rate.wrong("Your warm-up is curved; it is a straight line, peak * step / warmup.")
def curved_warm_up(step, peak, warmup, total):
    if step < warmup:
        return peak * (step / warmup) ** 2
    return learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong(
    "Your rate does not change during the warm-up. It should rise with each update, from 0."
)
def level_warm_up(step, peak, warmup, total):
    return peak / 2 if step < warmup else learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong(
    "Your rate is at its peak from the first update. During the warm-up it should rise with "
    "each update, from 0."
)
def at_its_peak_at_once(step, peak, warmup, total):
    return peak if step < warmup else learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong("The first update has the rate 0: count from step, not from step + 1.")
def one_step_ahead(step, peak, warmup, total):
    if step < warmup:
        return peak * (step + 1) / warmup
    return learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong(
    "You take the smaller of line and cosine. With a long warm-up the cosine is below the "
    "line before the warm-up is over. Decide by step < warmup."
)
def the_smaller_of_the_two(step, peak, warmup, total):
    cosine = peak * 0.5 * (1 + math.cos(math.pi * step / total))
    return min(peak * step / warmup, cosine)


@learning_rate.wrong(
    "You multiply the line by the curve that falls. During the warm-up there is only the line."
)
def both_at_once(step, peak, warmup, total):
    cosine = peak * 0.5 * (1 + math.cos(math.pi * step / total))
    return cosine * min(1.0, step / warmup)


@learning_rate.wrong(
    "One update late: step == warmup belongs to the cosine already, so `step < warmup`."
)
def one_update_late(step, peak, warmup, total):
    return peak if step == warmup else learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong(
    "One update late: step == warmup belongs to the cosine already, so `step < warmup`. (With "
    "a warm-up of 0 yours divides by 0.)"
)
def up_to_and_with_warmup(step, peak, warmup, total):
    if step <= warmup:
        return peak * step / warmup
    return learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong("The cosine lacks pi: 0.5 * (1 + cos(pi x)) falls from 1 to 0.")
def no_pi(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * 0.5 * (1 + math.cos(step / total))


@learning_rate.wrong(
    "A quarter of a wave, pi / 2, is another curve: take 0.5 * (1 + cos(pi x))."
)
def a_quarter_wave(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * math.cos(math.pi * step / total / 2)


@learning_rate.wrong("1 + cos runs from 2 to 0, so your rate is doubled. Halve it.")
def not_halved(step, peak, warmup, total):
    factor = 1 if step < warmup else 2
    return factor * learning_rate.solution(step, peak, warmup, total)


@learning_rate.wrong("math.cos takes radians: half a wave is math.pi, not 180.")
def in_degrees(step, peak, warmup, total):
    if step < warmup:
        return peak * step / warmup
    return peak * 0.5 * (1 + math.cos(180 * step / total))


@learning_rate.wrong(
    "Your rate ends at a tenth of its peak, as some recipes have it. GPT-1's falls to 0."
)
def down_to_a_tenth(step, peak, warmup, total):
    rate = learning_rate.solution(step, peak, warmup, total)
    return rate if step < warmup else 0.1 * peak + 0.9 * rate


@learning_rate.wrong(
    "// drops the digits after the point, so step // total is 0 until the end. Use /."
)
def whole_numbers(step, peak, warmup, total):
    if step < warmup:
        return peak * (step // warmup)
    return peak * 0.5 * (1 + math.cos(math.pi * (step // total)))


@learning_rate.wrong(
    "You divide by warmup before you ask whether there is one. With warmup = 0 the cosine "
    "holds from the start."
)
def divides_by_no_warm_up(step, peak, warmup, total):
    rising = peak * step / warmup
    return rising if step < warmup else learning_rate.solution(step, peak, warmup, total)


@exercise(
    "Clipping",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [
        ([torch.tensor([3.0]), torch.tensor([4.0])], 1.0),
        (_tensors(0, 1.0), 1.0),
        (_tensors(2, 0.1), 5.0),
        (_tensors(4, 3.0), 0.5),
        (_tensors(6, 0.2), 0.8),
        (_tensors(8, 1.0), 6.0),
        (_tensors(10, 0.2), 0.3),
        ([torch.zeros(2), torch.zeros(1)], 1.0),
        ([torch.tensor([x]) for x in (3.0, 3.0, 1.0, -9.0)], 5.0),  # four, two of them alike
        ([torch.tensor([3.0])], 1.0),
    ],
    task=(
        "Scale a list of gradient tensors so that all of them together, as one long "
        "vector, have a norm of at most `max_norm`. If they are within it, change nothing."
    ),
    hints=(
        "The square of the total norm is the sum of the squares of all numbers.",
        "One factor for all: `min(1, max_norm / norm)`. And if the norm is 0?",
    ),
)
def clip_together(grads, max_norm):
    """New gradients: same directions, one common factor, total norm <= max_norm.

    grads: a list of any length. If all gradients are 0, they stay 0.
    clip_together([tensor([3.]), tensor([4.])], 1.0) -> [tensor([.6]), tensor([.8])]
    """
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    factor = max_norm / max(norm, max_norm)
    return [grad * factor for grad in grads]


@clip_together.wrong(
    "You cut each number on its own, which turns the gradient in another "
    "direction. Scale all of them by one factor."
)
def each_number(grads, max_norm):
    return [grad.clamp(-max_norm, max_norm) for grad in grads]


@clip_together.wrong(
    "You add the norms up. The norm of all gradients together is the square root of the sum of "
    "all squares: norms of 3 and 4 make 5."
)
def norms_added_up(grads, max_norm):
    norm = sum(grad.norm().item() for grad in grads)
    return [grad * (max_norm / max(norm, max_norm)) for grad in grads]


@clip_together.wrong(
    "You clip each tensor by its own norm. The released code takes the norm of "
    "all of them together."
)
def each_tensor(grads, max_norm):
    return [grad * min(1.0, max_norm / grad.norm().item()) for grad in grads]


@clip_together.wrong(
    "You clip each tensor by its own norm. The released code takes the norm of "
    "all of them together."
)
def each_tensor_by_a_tensor(grads, max_norm):
    # a norm of 0 makes the factor inf and not an error
    return [grad * min(1.0, max_norm / grad.norm()) for grad in grads]


@clip_together.wrong("You scale small gradients up too. Within max_norm nothing should change.")
def always_scales(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    return [grad * max_norm / norm for grad in grads]


@clip_together.wrong("That is the square of the norm; take its square root.")
def no_root(grads, max_norm):
    norm = sum((grad**2).sum().item() for grad in grads)
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@clip_together.wrong(
    "Norms do not add up: squares do. Sum the squares of all numbers, then take the square "
    "root."
)
def sum_of_norms(grads, max_norm):
    norm = sum(grad.norm().item() for grad in grads)
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@clip_together.wrong("You compare the norm with 1. Compare it with `max_norm`.")
def compared_with_1(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    return [grad * max_norm / norm if norm > 1 else grad for grad in grads]


@clip_together.wrong("You clip at 1, whatever `max_norm` is.")
def always_at_1(grads, max_norm):
    return clip_together.solution(grads, 1.0)


@clip_together.wrong(
    "You measure by the largest number. The norm is the square root of the sum of all squares."
)
def the_largest_number(grads, max_norm):
    largest = max(grad.abs().max().item() for grad in grads)
    return [grad * min(1.0, max_norm / largest) for grad in grads]


@clip_together.wrong(
    "You add up absolute values. The norm is the square root of the sum of all squares."
)
def absolute_values(grads, max_norm):
    norm = sum(grad.abs().sum().item() for grad in grads)
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@clip_together.wrong("You take the mean of the squares; the norm takes their sum.")
def mean_of_squares(grads, max_norm):
    numbers = torch.cat([grad.flatten() for grad in grads])
    norm = (numbers**2).mean().sqrt().item()
    return [grad * min(1.0, max_norm / norm) for grad in grads]


@clip_together.wrong("Your factor is upside down: it is max_norm / norm, at most 1.")
def upside_down(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    return [grad * min(1.0, norm / max_norm) for grad in grads]


@clip_together.wrong(
    "You change nothing: `grad = ...` in a loop only gives a name to a new tensor, and torch's "
    "clip_grad_norm_ clips the .grad of parameters. Return new tensors, scaled down where the "
    "norm is above max_norm."
)
def as_it_came(grads, max_norm):
    return list(grads)


@clip_together.wrong("You return one long vector. Return a list, each tensor in its own shape.")
def one_long_vector(grads, max_norm):
    return torch.cat([grad.flatten() for grad in clip_together.solution(grads, max_norm)])


@clip_together.wrong("Gradients that are all 0 have a norm of 0: do not divide by it.")
def divides_by_a_norm_of_0(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads))
    factor = min(1.0, max_norm / norm)
    return [grad * factor for grad in grads]


@clip_together.wrong("Gradients that are all 0 have a norm of 0, and 0 / 0 is nan.")
def nan_at_a_norm_of_0(grads, max_norm):
    norm = torch.cat([grad.flatten() for grad in grads]).norm()
    return [grad / norm * norm.clamp(max=max_norm) for grad in grads]


@clip_together.wrong("You take the norm of the first two tensors. There may be more, or one.")
def norm_of_two(grads, max_norm):
    norm = math.sqrt(sum((grad**2).sum().item() for grad in grads[:2]))
    return [grad * max_norm / max(norm, max_norm) for grad in grads]


@exercise(
    "What decays",
    difficulty=2,
    importance=3,
    minutes=5,
    cases=lambda: [
        ({"expand.weight": (8, 2), "expand.bias": (8,)},),
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
        (
            {
                "wide.bias": (64,),
                "small.weight": (2, 3),
                "norm.weight": (9,),
                "scale": (8,),
                "head": (5, 3),
            },
        ),
        ({"mlp/w": (4, 6), "mlp/b": (6,), "last/g": (6,)},),  # as the released code names them
        ({"h0/attn/c_attn/w": (1, 4, 12), "h0/attn/c_attn/b": (12,)},),
        ({"row": (1, 8), "bias": (8,), "column": (8, 1), "gain": (1,), "one": (1, 1)},),
    ],
    task=(
        'GPT-1 applies weight decay to "all non bias or gain weights". From names and '
        "shapes of parameters, return the names of those that decay: matrices do, vectors "
        "(biases, and the gains of LayerNorm) do not. Names differ from model to model."
    ),
    hints=("How many numbers does the shape of a bias have?",),
)
def decayed(shapes):
    """Names of the parameters that decay, in the given order. shapes: name -> tuple.

    A released matrix has a shape of three numbers, (1, in, out): all but vectors decay. The
    number of axes decides, so a matrix of a single row, (1, 8), decays too.
    decayed({"expand.weight": (8, 2), "expand.bias": (8,)}) -> ["expand.weight"]
    """
    return [name for name, shape in shapes.items() if len(shape) > 1]


@decayed.wrong(
    "The gain of a LayerNorm is called weight too (ln_1.weight), yet it is a "
    "gain. Go by the shape, not by the name."
)
def by_the_word_weight(shapes):
    return [name for name in shapes if name.endswith("weight")]


@decayed.wrong("A shape is a plain tuple: the number of its axes is len(shape).")
def ndim_of_a_tuple(shapes):
    return [name for name, shape in shapes.items() if shape.ndim > 1]


@decayed.wrong("A shape is a plain tuple: the number of its axes is len(shape).")
def dim_of_a_tuple(shapes):
    return [name for name, shape in shapes.items() if shape.dim() > 1]


@decayed.wrong(
    "You go by parts of names, and this model's gain is called norm.weight. Go by the shape."
)
def by_parts_of_names(shapes):
    return [name for name in shapes if "bias" not in name and "ln_" not in name]


@decayed.wrong(
    "You go by parts of names, and the released code's are b for a bias and g for a gain. Go "
    "by the shape."
)
def by_more_parts_of_names(shapes):
    return [n for n in shapes if not any(part in n for part in ("bias", "ln", "norm"))]


@decayed.wrong("You leave out the biases. The gains of the LayerNorms do not decay either.")
def all_but_the_biases(shapes):
    return [name for name in shapes if not name.endswith("bias")]


@decayed.wrong("You go by how many numbers there are. Go by how many axes the shape has.")
def the_large_ones(shapes):
    return [name for name, shape in shapes.items() if math.prod(shape) > 16]


@decayed.wrong("The right names in alphabetical order; use the given order.")
def in_alphabetical_order(shapes):
    return sorted(decayed.solution(shapes))


@decayed.wrong("A set has no order. Return a list, in the given order.")
def a_set(shapes):
    return set(decayed.solution(shapes))


@decayed.wrong("You return names with shapes. Return a list of the names.")
def with_their_shapes(shapes):
    return {name: shapes[name] for name in decayed.solution(shapes)}


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


@decayed.wrong(
    "A shape of three numbers, (1, in, out), belongs to a matrix, too. Keep every parameter "
    "with more than one axis."
)
def exactly_two_numbers(shapes):
    return [name for name, shape in shapes.items() if len(shape) == 2]


@decayed.wrong(
    "You ask whether a shape has two sides longer than 1. A matrix of a single row or column "
    "is a matrix: go by how many axes the shape has."
)
def more_numbers_than_a_side(shapes):
    return [name for name, shape in shapes.items() if math.prod(shape) > max(shape)]


@number_exercise(
    "The rate at an update",
    question=(
        "A run of {total:,} updates has a warm-up of {warmup:,} and a highest rate of {peak} "
        "ten-thousandths. Its cosine is that of OpenAI's code. Which rate, in ten-thousandths, "
        "does update {step:,} have?"
    ),
    difficulty=2,
    importance=3,
    minutes=4,
    first=(250_000, 2.5, 2000, 1_000_000),
    draw=lambda random: (
        1000 * random.randint(15, 85),
        random.randint(2, 40) / 2,
        1000 * random.randint(2, 10),
        100_000,
    ),
    worked=lambda step, peak, warmup, total: (
        f"Warm-up is over. {step:,} of {total:,} updates are {step / total:.3f} of the way, so "
        f"the rate is {peak} · 0.5 · (1 + cos({step / total:.3f} π)) = "
        f"{0.5 * peak * (1 + math.cos(math.pi * step / total)):.3f}."
    ),
    hints=("Is that after the warm-up? Then it is your `learning_rate` of that update.",),
    decimals=3,
)
def rate_at(step, peak, warmup, total):
    """The rate of an update after the warm-up, in the units of the peak."""
    return 0.5 * peak * (1 + math.cos(math.pi * step / total))


@rate_at.wrong("Your cosine begins where the warm-up ends. Here it begins at update 0.")
def cosine_after_the_warm_up(step, peak, warmup, total):
    return 0.5 * peak * (1 + math.cos(math.pi * (step - warmup) / (total - warmup)))


@rate_at.wrong("That is the share of the highest rate. Multiply by it.")
def share_of_the_highest(step, peak, warmup, total):
    return 0.5 * (1 + math.cos(math.pi * step / total))


@rate_at.wrong("That is a straight line down. Pre-training has a cosine.")
def straight_down(step, peak, warmup, total):
    return peak * (1 - step / total)


@rate_at.wrong("You take a quarter of a wave. The rate falls along half a wave, from 1 to 0.")
def a_quarter_of_a_wave(step, peak, warmup, total):
    return peak * math.cos(0.5 * math.pi * step / total)


@rate_at.wrong("That is the highest rate. It is reached at the end of the warm-up only.")
def the_highest(step, peak, warmup, total):
    return peak


@rate_at.wrong(
    "That is the rate in plain units. In ten-thousandths it is 10,000 times as much."
)
def in_plain_units(step, peak, warmup, total):
    return 0.5 * peak * (1 + math.cos(math.pi * step / total)) / 10_000


@rate_at.wrong("1 + cos runs from 2 to 0, so your rate is doubled. Halve it.")
def doubled(step, peak, warmup, total):
    return peak * (1 + math.cos(math.pi * step / total))


@rate_at.wrong("That is the cosine alone, which goes down to -1. Add 1 to it and halve.")
def the_cosine_alone(step, peak, warmup, total):
    return peak * math.cos(math.pi * step / total)


@number_exercise(
    "A hundred epochs",
    question=(
        "A corpus has {tokens:,} tokens, and an update reads {batch} windows of {length} "
        "tokens. How many updates do {epochs} epochs take? (The last update may be smaller.)"
    ),
    difficulty=2,
    importance=3,
    minutes=4,
    first=(984_846_357, 64, 512, 100),  # BooksCorpus, if a word were a token
    draw=lambda random: (
        random.randint(100_000, 9_999_999),
        8 * random.randint(1, 8),
        64 * random.randint(1, 8),
        random.randint(2, 30),
    ),
    worked=lambda tokens, batch, length, epochs: (
        f"An update reads {batch} · {length} = {batch * length:,} tokens, and {epochs} epochs "
        f"have {epochs} · {tokens:,} of them: {epochs * tokens / (batch * length):,.1f}, so "
        f"{-(-epochs * tokens // (batch * length)):,} updates."
    ),
    hints=("How many tokens does an update read? And how many do all epochs have?",),
)
def updates_of(tokens, batch, length, epochs):
    """Updates that it takes to read all tokens so often."""
    return -(-epochs * tokens // (batch * length))


@updates_of.wrong("That is a single epoch.")
def one_epoch(tokens, batch, length, epochs):
    return -(-tokens // (batch * length))


@updates_of.wrong("An update reads windows, not tokens: divide by the length of a window, too.")
def tokens_in_place_of_windows(tokens, batch, length, epochs):
    return -(-epochs * tokens // batch)


@updates_of.wrong("Those are tokens. Divide by the tokens that an update reads.")
def tokens_times_epochs(tokens, batch, length, epochs):
    return epochs * tokens


@updates_of.wrong("An update reads a whole batch of windows, not a single one.")
def window_by_window(tokens, batch, length, epochs):
    return -(-epochs * tokens // length)


@updates_of.wrong("You round down. What is left over takes one more update, a smaller one.")
def without_the_rest(tokens, batch, length, epochs):
    return epochs * tokens // (batch * length)


@updates_of.wrong("That is a single epoch, and rounded down.")
def one_epoch_rounded_down(tokens, batch, length, epochs):
    return tokens // (batch * length)


@updates_of.wrong(
    "You round up in each epoch. The epochs follow each other, so only the last update of all "
    "is smaller."
)
def rounded_up_in_each_epoch(tokens, batch, length, epochs):
    return epochs * -(-tokens // (batch * length))


def five_minutes() -> dict[str, dict]:
    """Three stored trials of five minutes by name: Adam twice, then Muon."""
    stored = json.loads((BENCHMARKS / "recipe_trials.json").read_text(encoding="utf-8"))
    short = [t for t in stored if t["seconds"] == 300 and not t["warmdown"]]
    alike = [t for t in short if (t["batch"], t["n_merges"]) == (8, 8000)]

    def first(warmup: float, muon: bool) -> dict:
        return next(t for t in alike if t["warmup"] == warmup and bool(t["matrix_lr"]) == muon)

    return {
        "Adam, short warm-up": first(0.05, muon=False),
        "Adam, long warm-up": first(0.3, muon=False),
        "Muon, short warm-up": first(0.05, muon=True),
    }


@dataclass(frozen=True)
class Pass:
    """One way forward and back: its loss, all gradients (N,), what was kept in between."""

    loss: float
    gradient: Tensor
    megabytes: float


def one_pass(net: nn.Module, loss_of: Callable[[nn.Module], Tensor]) -> Pass:
    """Forward and back, with the memory counted that the forward pass keeps, weights apart."""
    weights = {p.untyped_storage().data_ptr() for p in net.parameters()}
    kept = {}

    def note(t: Tensor) -> Tensor:
        memory = t.untyped_storage()
        kept[memory.data_ptr()] = memory.nbytes()
        return t

    net.zero_grad()
    with torch.autograd.graph.saved_tensors_hooks(note, lambda t: t):
        loss = loss_of(net)
    loss.backward()
    gradient = torch.cat([p.grad.flatten() for p in net.parameters() if p.grad is not None])
    size = sum(n for place, n in kept.items() if place not in weights)
    return Pass(loss.item(), gradient, size / 1e6)


EXERCISES = (cut_window, adam_step, learning_rate, clip_together, decayed, rate_at, updates_of)
check = Checker(EXERCISES)
mine = check.mine

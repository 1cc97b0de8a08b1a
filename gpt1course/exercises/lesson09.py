"""Lesson 09, The same in numpy: what each part sends back."""

import math

import numpy as np

from gpt1lib import numpy_gpt

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def slope(f, x, step=1e-5):
    """Gradient of a function of an array, measured number by number."""
    x = np.asarray(x, float)
    out = np.zeros_like(x)
    for where in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[where] += step
        down[where] -= step
        out[where] = (f(up) - f(down)) / (2 * step)
    return out


def _numbers(*shape, seed=0, scale=1.0):
    return np.random.default_rng(seed).normal(0, scale, shape)


# ---- measured -----------------------------------------------------------------------


@number_exercise(
    "One finite difference",
    question=(
        "The loss is w³. Measure its slope at w = {w} with a step of {step} up and the same "
        "step down."
    ),
    difficulty=1,
    importance=4,
    minutes=4,
    first=(2, 0.2),
    draw=lambda random: (random.randint(1, 9), random.choice((0.2, 0.3, 0.4, 0.6))),
    decimals=2,
    hints=(
        "Compute both losses, and divide their difference by the distance between the two w.",
    ),
    worked=lambda w, step: (
        f"The losses at {w + step:g} and {w - step:g} are {(w + step) ** 3:.3f} and "
        f"{(w - step) ** 3:.3f}; their difference over {2 * step:g} is "
        f"{3 * w**2 + step**2:.3f}. The true slope is 3w² = {3 * w**2}: a smaller step comes "
        "nearer."
    ),
)
def finite_difference(w, step):
    """Slope of the cube, measured both ways."""
    return ((w + step) ** 3 - (w - step) ** 3) / (2 * step)


@finite_difference.wrong(
    "That is the exact slope, 3w², or what a smaller step gives. Measure with the whole "
    "step up and the whole step down, and divide by twice the step."
)
def true_slope(w, step):
    return 3 * w**2


@finite_difference.wrong("Up and down are two steps apart: divide by twice the step.")
def over_one_step(w, step):
    return ((w + step) ** 3 - (w - step) ** 3) / step


@finite_difference.wrong("You went up only. Go down as well; it cancels most of the error.")
def only_up(w, step):
    return ((w + step) ** 3 - w**3) / step


@finite_difference.wrong("You went down only. Go up as well; it cancels most of the error.")
def only_down(w, step):
    return (w**3 - (w - step) ** 3) / step


@finite_difference.wrong("That is the difference. Divide it by the distance between the two.")
def not_divided(w, step):
    return (w + step) ** 3 - (w - step) ** 3


@finite_difference.wrong("The sign: the loss above, minus the loss below.")
def the_wrong_way(w, step):
    return ((w - step) ** 3 - (w + step) ** 3) / (2 * step)


# ---- the softmax --------------------------------------------------------------------


def _measured_softmax(d, probs):
    with np.errstate(divide="ignore"):
        scores = np.log(probs)  # softmax of these is probs
    return slope(lambda s: (d * numpy_gpt.softmax(s)).sum(), scores)


@exercise(
    "The softmax, backward",
    difficulty=3,
    importance=5,
    minutes=12,
    measured=_measured_softmax,
    cases=lambda: [
        (_numbers(2, 3, seed=1), numpy_gpt.softmax(_numbers(2, 3, seed=2))),
        (_numbers(3, 3, seed=3), numpy_gpt.softmax(_numbers(3, 3, seed=4))),
        (_numbers(2, 3, 4, seed=5), numpy_gpt.softmax(_numbers(2, 3, 4, seed=6))),
        (np.array([[1.0, -2.0, 5.0]]), np.array([[0.6, 0.4, 0.0]])),
        (np.array([1.0, 0.0]), np.array([0.5, 0.5])),
    ],
    task=(
        "Write line 4 of the derivation as code, for any number of rows, without a loop or a "
        "Jacobian. It goes from `d`, the gradient with respect to the probabilities, to the "
        "gradient with respect to the scores."
    ),
    hints=(
        "The sum in the bracket is one number per row: sum over the last axis, and keep it "
        "as a column with `keepdims=True`.",
        "Take that number off `d`, then multiply by the probabilities.",
    ),
)
def softmax_backward(d, probs):
    """Gradient with respect to the scores; d, probs and the result are (..., n).

    softmax_backward(array([1., 0.]), array([0.5, 0.5])) -> array([0.25, -0.25])
    """
    mean = (d * probs).sum(axis=-1, keepdims=True)
    return probs * (d - mean)


@softmax_backward.wrong(
    "You have only the diagonal of the Jacobian: what a score does to its own probability. It "
    "moves all the others, too, and what comes from them must be added."
)
def only_its_own(d, probs):
    return d * probs * (1 - probs)


@softmax_backward.wrong("axis=1 is the last axis of a matrix only: take axis=-1.")
def mean_over_axis_1(d, probs):
    return probs * (d - (d * probs).sum(axis=1, keepdims=True))


@softmax_backward.wrong(
    "The mean is missing. A score that rises takes from all the others: subtract the sum of "
    "d * probs from d before you multiply."
)
def takes_nothing_away(d, probs):
    return d * probs


@softmax_backward.wrong("You forgot the last factor: each entry is multiplied by its probs.")
def last_factor_forgotten(d, probs):
    return d - (d * probs).sum(axis=-1, keepdims=True)


@softmax_backward.wrong(
    "You subtract the sum itself. In line 4 it is multiplied by p_j, too: the bracket comes "
    "first, then the factor probs."
)
def factor_for_d_only(d, probs):
    return d * probs - (d * probs).sum(axis=-1, keepdims=True)


@softmax_backward.wrong(
    "You take the plain mean of d. The mean is weighted by the probabilities: the sum of "
    "d * probs."
)
def plain_mean(d, probs):
    return probs * (d - d.mean(axis=-1, keepdims=True))


@softmax_backward.wrong(
    "You subtract the sum of d. Each summand has its weight: the sum of d * probs."
)
def plain_sum(d, probs):
    return probs * (d - d.sum(axis=-1, keepdims=True))


@softmax_backward.wrong(
    "You take the mean of d * probs. The probabilities are the weights already and sum to 1: "
    "take the sum."
)
def mean_of_the_products(d, probs):
    return probs * (d - (d * probs).mean(axis=-1, keepdims=True))


@softmax_backward.wrong(
    "You sum over the whole array. Each row is a softmax of its own: sum over the last axis, "
    "with keepdims=True."
)
def one_sum_for_all_rows(d, probs):
    return probs * (d - (d * probs).sum())


@softmax_backward.wrong(
    "You sum down the columns. The last axis is axis=-1, with keepdims=True."
)
def down_the_columns(d, probs):
    return probs * (d - (d * probs).sum(axis=0, keepdims=True))


@softmax_backward.wrong(
    "Without keepdims=True the sums lie along the wrong axis: they need to be a column."
)
def no_keepdims(d, probs):
    return probs * (d - (d * probs).sum(axis=-1))


@softmax_backward.wrong(
    "`probs` are probabilities already. You put them through a softmax again."
)
def softmax_again(d, probs):
    probs = numpy_gpt.softmax(probs)
    return probs * (d - (d * probs).sum(axis=-1, keepdims=True))


@softmax_backward.wrong("The sign is turned around: it is d minus the mean.")
def sign(d, probs):
    return probs * ((d * probs).sum(axis=-1, keepdims=True) - d)


@softmax_backward.wrong(
    "You add the mean. What one probability gains, the others lose: subtract."
)
def mean_added(d, probs):
    return probs * (d + (d * probs).sum(axis=-1, keepdims=True))


@softmax_backward.wrong(
    "That looks like p - onehot. It holds for softmax and loss together; here any gradient d "
    "may come in."
)
def probs_minus_d(d, probs):
    return probs - d


# ---- GELU ---------------------------------------------------------------------------


def _measured_gelu(x):
    return slope(lambda x: numpy_gpt.gelu(x).sum(), x)


@exercise(
    "GELU's slope",
    difficulty=3,
    importance=3,
    minutes=8,
    tolerance=1e-6,
    measured=_measured_gelu,
    cases=lambda: [
        (0.0,),
        (np.linspace(-3, 3, 13),),
        (_numbers(2, 4, seed=7),),
        (1.0,),
        (np.array([-100.0, -4.5, -4.1, 4.1, 4.5, 200.0]),),
    ],
    task=(
        "Compute the slope of GELU at each number, by the three lines above. (The gradient is "
        "then `d * gelu_slope(x)`.)"
    ),
    hints=(
        "Name the parts: `u`, then `t = np.tanh(u)`, then `u_slope`.",
        "The product rule has two summands: the slope of 0.5 x times the bracket, and 0.5 x "
        "times the slope of the bracket.",
    ),
)
def gelu_slope(x):
    """Slope of GELU (tanh form) at each number of x, which may be in the hundreds.

    gelu_slope(0.0) -> 0.5
    """
    c = math.sqrt(2 / math.pi)
    t = np.tanh(c * (x + 0.044715 * x**3))
    u_slope = c * (1 + 3 * 0.044715 * x**2)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * u_slope


def _tanh_and_inner(x):
    c = math.sqrt(2 / math.pi)
    return np.tanh(c * (x + 0.044715 * x**3)), c * (1 + 3 * 0.044715 * x**2)


@gelu_slope.wrong(
    "That is the slope of ReLU, 0 or 1. GELU bends smoothly from one to the other."
)
def slope_of_relu(x):
    return np.where(np.asarray(x) > 0, 1.0, 0.0)


@gelu_slope.wrong("That is GELU itself. Its slope is asked for.")
def gelu_itself(x):
    t, _ = _tanh_and_inner(x)
    return 0.5 * x * (1 + t)


@gelu_slope.wrong(
    "The second half of the product rule is missing: the bracket changes with x, too."
)
def bracket_held_still(x):
    t, _ = _tanh_and_inner(x)
    return 0.5 * (1 + t)


@gelu_slope.wrong("The first half of the product rule is missing: 0.5 times the bracket.")
def only_the_bracket_moves(x):
    t, u_slope = _tanh_and_inner(x)
    return 0.5 * x * (1 - t**2) * u_slope


@gelu_slope.wrong(
    "The chain rule goes one step further in: what is inside tanh has a slope, too."
)
def inner_slope_forgotten(x):
    t, _ = _tanh_and_inner(x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2)


@gelu_slope.wrong("The slope of tanh is 1 - t**2, with the square.")
def no_square(x):
    t, u_slope = _tanh_and_inner(x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t) * u_slope


@gelu_slope.wrong("The slope of tanh u is 1 - t**2, with t = tanh u; you wrote 1 - u**2.")
def square_of_u(x):
    t, u_slope = _tanh_and_inner(x)
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * (1 + t) + 0.5 * x * (1 - u**2) * u_slope


@gelu_slope.wrong("The slope of x^3 is 3 x^2: your factor 3 is missing.")
def no_three(x):
    t, _ = _tanh_and_inner(x)
    u_slope = math.sqrt(2 / math.pi) * (1 + 0.044715 * x**2)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * u_slope


@gelu_slope.wrong("The slope of x^3 is 3 x^2; you wrote 3 x.")
def no_square_of_x(x):
    t, _ = _tanh_and_inner(x)
    u_slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * u_slope


@gelu_slope.wrong("The factor sqrt(2/pi) belongs to the inner slope as well.")
def no_factor_inside(x):
    t, _ = _tanh_and_inner(x)
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * (1 + 3 * 0.044715 * x**2)


@gelu_slope.wrong(
    "The second half lacks the factor x: the product rule keeps the other factor, 0.5 x."
)
def other_factor_lost(x):
    t, u_slope = _tanh_and_inner(x)
    return 0.5 * (1 + t) + 0.5 * (1 - t**2) * u_slope


@gelu_slope.wrong("The factor 0.5 belongs in both halves; yours is twice the slope.")
def no_half(x):
    t, u_slope = _tanh_and_inner(x)
    return 1 + t + x * (1 - t**2) * u_slope


@gelu_slope.wrong("The second half lacks the factor 0.5.")
def half_of_the_second_forgotten(x):
    t, u_slope = _tanh_and_inner(x)
    return 0.5 * (1 + t) + x * (1 - t**2) * u_slope


@gelu_slope.wrong("That is the slope of the exact GELU, with erf. This one has the tanh form.")
def slope_of_the_erf_form(x):
    share = 0.5 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))
    return share + x * np.exp(-np.square(x) / 2) / math.sqrt(2 * math.pi)


@gelu_slope.wrong(
    "You cut the slope off beyond 3 or 4, as 0 and 1. It only comes close to them there."
)
def cut_off_beyond_3(x):
    return np.where(np.abs(x) > 3, np.greater(x, 0), gelu_slope(x))


@gelu_slope.wrong(
    "You cut the slope off beyond 3 or 4, as 0 and 1. It only comes close to them there."
)
def cut_off_beyond_4(x):
    return np.where(np.abs(x) > 4, np.greater(x, 0), gelu_slope(x))


@gelu_slope.wrong(
    "Your tanh is made of powers, and exp of a large number is inf: inf / inf is nan. Use "
    "np.tanh."
)
def powers_overflow(x):
    u, u_slope = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3), _tanh_and_inner(x)[1]
    t = (np.exp(u) - np.exp(-u)) / (np.exp(u) + np.exp(-u))
    return 0.5 * (1 + t) + 0.5 * x * (1 - t**2) * u_slope


# ---- LayerNorm ----------------------------------------------------------------------


def _norm_case(T, C, seed, scale=1.0):
    """Arguments as a forward pass leaves them."""
    x, gain = _numbers(T, C, seed=seed, scale=scale), _numbers(C, seed=seed + 1)
    _, (z, std) = numpy_gpt.layer_norm(x, gain, np.zeros(C))
    return _numbers(T, C, seed=seed + 2), z, std, gain


def _measured_norm(d, z, std, gain):
    x, bias = z * std, np.zeros_like(gain)  # x less its mean, which makes no difference

    def by(**changed):
        given = {"x": x, "weight": gain, "bias": bias} | changed
        return (d * numpy_gpt.layer_norm(**given)[0]).sum()

    return {
        "x": slope(lambda x: by(x=x), x),
        "gain": slope(lambda gain: by(weight=gain), gain),
        "bias": slope(lambda bias: by(bias=bias), bias),
    }


@exercise(
    "LayerNorm, backward",
    difficulty=4,
    importance=5,
    minutes=15,
    measured=_measured_norm,
    cases=lambda: [
        _norm_case(3, 4, seed=10),
        _norm_case(2, 5, seed=20, scale=0.01),
        _norm_case(3, 3, seed=30),
        _norm_case(1, 6, seed=40),
    ],
    task=(
        "Go back through $y = \\text{gain} \\cdot z + \\text{bias}$ with $z = (x - \\mu) / "
        "s$. From `d`, the gradient with respect to $y$, compute the gradients with respect "
        "to $x$, gain and bias. The forward pass kept `z` and `std`, which is $s$. Go first "
        "through the gain to $z$, and then use line 5, where $d$ is the gradient with "
        "respect to $z$. Gain and bias are used at every position."
    ),
    hints=(
        "`dz = d * gain` is the gradient with respect to z.",
        "Two means over the last axis, with `keepdims=True`: of `dz`, and of `dz * z`.",
        "For gain and bias sum over the positions, the first axis: of `d * z`, and of `d`.",
    ),
)
def layer_norm_backward(d, z, std, gain):
    """Gradients by name: {"x": (T, C), "gain": (C,), "bias": (C,)}.

    d (T, C): gradient with respect to y. z (T, C), std (T, 1), gain (C,).
    """
    dz = d * gain
    shift = dz.mean(axis=-1, keepdims=True)
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)
    dx = (dz - shift - stretch) / std
    return {"x": dx, "gain": (d * z).sum(axis=0), "bias": d.sum(axis=0)}


def _norm_answer(d, z, std, gain, /, **changed):
    """The right answer with some gradients replaced."""
    return layer_norm_backward(d, z, std, gain) | changed


@layer_norm_backward.wrong(
    "Only the last summand is divided by std: put parentheses around all three."
)
def only_the_last_is_divided(d, z, std, gain):
    dz = d * gain
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=dz - dz.mean(axis=-1, keepdims=True) - stretch / std)


@layer_norm_backward.wrong(
    "One path is missing, through the mean: x_j moves the mean, and the mean moves all z. "
    "Subtract the mean of dz."
)
def path_through_the_mean_forgotten(d, z, std, gain):
    dz = d * gain
    dx = (dz - z * (dz * z).mean(axis=-1, keepdims=True)) / std
    return _norm_answer(d, z, std, gain, x=dx)


@layer_norm_backward.wrong(
    "One path is missing, through the standard deviation: x_j moves it, and it moves all z. "
    "Subtract z times the mean of dz * z."
)
def path_through_the_spread_forgotten(d, z, std, gain):
    dz = d * gain
    return _norm_answer(d, z, std, gain, x=(dz - dz.mean(axis=-1, keepdims=True)) / std)


@layer_norm_backward.wrong(
    "You hold mean and standard deviation still. x moves them, too: two more paths."
)
def only_the_straight_path(d, z, std, gain):
    return _norm_answer(d, z, std, gain, x=d * gain / std)


@layer_norm_backward.wrong(
    "The gain is forgotten on the way to z: the gradient with respect to z is d * gain."
)
def gain_forgotten(d, z, std, gain):
    plain = layer_norm_backward(d, z, std, np.ones_like(gain))
    return _norm_answer(d, z, std, gain, x=plain["x"])


@layer_norm_backward.wrong(
    "The two means are taken of d. All of line 5 is about the gradient with respect to z: "
    "d * gain, in the means as well."
)
def gain_missing_in_the_means(d, z, std, gain):
    taken_out = d.mean(axis=-1, keepdims=True) + z * (d * z).mean(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=(d * gain - taken_out) / std)


@layer_norm_backward.wrong(
    "The gain comes last in your answer. On the way back it comes first: d * gain, and then "
    "line 5."
)
def gain_at_the_end(d, z, std, gain):
    plain = layer_norm_backward(d, z, std, np.ones_like(gain))
    return _norm_answer(d, z, std, gain, x=plain["x"] * gain)


@layer_norm_backward.wrong("The last division is missing: z was made by dividing by std.")
def not_divided_by_the_spread(d, z, std, gain):
    return _norm_answer(d, z, std, gain, x=layer_norm_backward(d, z, std, gain)["x"] * std)


@layer_norm_backward.wrong(
    "You multiply by std. z was made by dividing by it, so its slope divides, too."
)
def times_the_spread(d, z, std, gain):
    dx = layer_norm_backward(d, z, std, gain)["x"]
    return _norm_answer(d, z, std, gain, x=dx * std**2)


@layer_norm_backward.wrong("You divide by the variance; its root is std.")
def divided_by_the_variance(d, z, std, gain):
    dx = layer_norm_backward(d, z, std, gain)["x"]
    return _norm_answer(d, z, std, gain, x=dx / std)


@layer_norm_backward.wrong("You add what must be taken out. Both paths come with a minus.")
def paths_added(d, z, std, gain):
    dz = d * gain
    shift = dz.mean(axis=-1, keepdims=True)
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=(dz + shift + stretch) / std)


@layer_norm_backward.wrong(
    "The path through the standard deviation comes with a minus, like the other one."
)
def spread_added(d, z, std, gain):
    dz = d * gain
    shift = dz.mean(axis=-1, keepdims=True)
    stretch = z * (dz * z).mean(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=(dz - shift + stretch) / std)


@layer_norm_backward.wrong(
    "The path through the standard deviation ends at each z_j: multiply the mean of dz * z "
    "by z."
)
def stretch_without_z(d, z, std, gain):
    dz = d * gain
    shift = dz.mean(axis=-1, keepdims=True)
    dx = (dz - shift - (dz * z).mean(axis=-1, keepdims=True)) / std
    return _norm_answer(d, z, std, gain, x=dx)


@layer_norm_backward.wrong("You take sums where line 5 has means: both divide by C.")
def sums_for_means(d, z, std, gain):
    dz = d * gain
    shift = dz.sum(axis=-1, keepdims=True)
    stretch = z * (dz * z).sum(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=(dz - shift - stretch) / std)


@layer_norm_backward.wrong(
    "The gain multiplies z, so its gradient is d * z, and that of the bias is d. The gain "
    "itself appears only on the way to x."
)
def gain_in_all_three(d, z, std, gain):
    right = layer_norm_backward(d, z, std, gain)
    return right | {"gain": (d * gain * z).sum(axis=0), "bias": (d * gain).sum(axis=0)}


@layer_norm_backward.wrong(
    "Gain and bias have a number for each column, and each is used at every position: sum over "
    "the positions, axis=0."
)
def summed_along_the_state(d, z, std, gain):
    right = layer_norm_backward(d, z, std, gain)
    return right | {"gain": (d * z).sum(axis=1), "bias": d.sum(axis=1)}


@layer_norm_backward.wrong(
    "Without keepdims=True the two means are rows. Each position needs its own: a column."
)
def means_as_rows(d, z, std, gain):
    dz = d * gain
    dx = (dz - dz.mean(axis=-1) - z * (dz * z).mean(axis=-1)) / std
    return _norm_answer(d, z, std, gain, x=dx)


@layer_norm_backward.wrong(
    "You take the means over the whole array. Each state is normalized by itself: axis=-1, "
    "with keepdims=True."
)
def means_over_everything(d, z, std, gain):
    dz = d * gain
    return _norm_answer(d, z, std, gain, x=(dz - dz.mean() - z * (dz * z).mean()) / std)


@layer_norm_backward.wrong(
    "You take the means over the positions. Each state is normalized by itself: axis=-1."
)
def means_over_positions(d, z, std, gain):
    dz = d * gain
    dx = (dz - dz.mean(axis=0) - z * (dz * z).mean(axis=0)) / std
    return _norm_answer(d, z, std, gain, x=dx)


@layer_norm_backward.wrong(
    "The gradients of gain and bias are not summed. One gain serves all positions, so it "
    "collects from all of them, and has the shape (C,)."
)
def one_gain_per_position(d, z, std, gain):
    return _norm_answer(d, z, std, gain, gain=d * z, bias=d)


@layer_norm_backward.wrong(
    "You average gain and bias over the positions. What comes from several uses is added up."
)
def gain_and_bias_averaged(d, z, std, gain):
    return _norm_answer(d, z, std, gain, gain=(d * z).mean(axis=0), bias=d.mean(axis=0))


@layer_norm_backward.wrong("Moving the gain moves y by z: its gradient is the sum of d * z.")
def gain_without_z(d, z, std, gain):
    return _norm_answer(d, z, std, gain, gain=d.sum(axis=0))


@layer_norm_backward.wrong(
    "The gain itself has no place in the gradient of the gain: y = gain * z + bias moves by z."
)
def gain_times_gain(d, z, std, gain):
    return _norm_answer(d, z, std, gain, gain=(d * gain * z).sum(axis=0))


@layer_norm_backward.wrong("The gradients of gain and bias are exchanged.")
def gain_and_bias_exchanged(d, z, std, gain):
    return _norm_answer(d, z, std, gain, gain=d.sum(axis=0), bias=(d * z).sum(axis=0))


@layer_norm_backward.wrong("The bias is added after the gain: its gradient is the sum of d.")
def bias_before_the_gain(d, z, std, gain):
    return _norm_answer(d, z, std, gain, bias=(d * gain).sum(axis=0))


@layer_norm_backward.wrong("The second mean, of dz * z, has d in place of dz: use dz in both.")
def d_in_the_second_mean(d, z, std, gain):
    dz = d * gain
    taken_out = dz.mean(axis=-1, keepdims=True) + z * (d * z).mean(axis=-1, keepdims=True)
    return _norm_answer(d, z, std, gain, x=(dz - taken_out) / std)


@layer_norm_backward.wrong("Both means divide by C, as the forward pass does, not by C - 1.")
def means_over_c_less_1(d, z, std, gain):
    dz, less = d * gain, max(1, z.shape[1] - 1)
    shift = dz.sum(axis=-1, keepdims=True) / less
    stretch = z * (dz * z).sum(axis=-1, keepdims=True) / less
    return _norm_answer(d, z, std, gain, x=(dz - shift - stretch) / std)


# ---- one head -----------------------------------------------------------------------


def _hidden(T):
    """True where the key is later than the query."""
    return np.triu(np.ones((T, T), bool), 1)


def _weights(q, k):
    T, D = q.shape
    return numpy_gpt.softmax(np.where(_hidden(T), -np.inf, q @ k.T / math.sqrt(D)))


def _head_case(T, D, seed):
    """Arguments as a forward pass leaves them."""
    q, k, v, d = (_numbers(T, D, seed=seed + i) for i in range(4))
    return d, q, k, v, _weights(q, k)


def _measured_head(d, q, k, v, weights):
    def head(q, k, v):
        return (d * (_weights(q, k) @ v)).sum()

    return {
        "q": slope(lambda q: head(q, k, v), q),
        "k": slope(lambda k: head(q, k, v), k),
        "v": slope(lambda v: head(q, k, v), v),
    }


@exercise(
    "One head, backward",
    difficulty=4,
    importance=5,
    minutes=18,
    measured=_measured_head,
    cases=lambda: [
        _head_case(4, 3, seed=50),
        _head_case(2, 5, seed=60),
        _head_case(3, 3, seed=70),
    ],
    task=(
        "Go back through one head, from `d`, the gradient with respect to its mix "
        "`weights @ v`, to queries, keys and values. Use your `softmax_backward`. Four lines "
        "are enough."
    ),
    hints=(
        "The rule for a product of matrices, twice: for `weights @ v`, and for `q @ k.T`.",
        "`d_weights = d @ v.T`; `softmax_backward(d_weights, weights)`; the scores were "
        "divided by √D.",
        "k is transposed in `q @ k.T`, so its gradient comes out transposed: `d_scores.T @ q`.",
    ),
)
def attention_backward(d, q, k, v, weights):
    """Gradients by name: {"q": (T, D), "k": (T, D), "v": (T, D)}.

    d, q, k and v (T, D); weights (T, T) as the masked softmax gave them.
    """
    d_weights = d @ v.T
    d_scores = softmax_backward(d_weights, weights) / math.sqrt(q.shape[1])
    return {"q": d_scores @ k, "k": d_scores.T @ q, "v": weights.T @ d}


def _d_scores(d, q, v, weights):
    return softmax_backward(d @ v.T, weights) / math.sqrt(q.shape[1])


def _head_answer(d, q, k, v, weights, d_scores):
    """The right end of the walk from other gradients of the scores."""
    return {"q": d_scores @ k, "k": d_scores.T @ q, "v": weights.T @ d}


@attention_backward.wrong(
    "The division by √D is missing. The scores were divided by √D, so their gradient is, too."
)
def not_scaled(d, q, k, v, weights):
    return _head_answer(d, q, k, v, weights, softmax_backward(d @ v.T, weights))


@attention_backward.wrong(
    "You divide by D, or by √D twice. The scores were divided by √D once."
)
def divided_by_d(d, q, k, v, weights):
    d_scores = _d_scores(d, q, v, weights) / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong("You multiply by √D; the scores were divided by it.")
def times_the_root(d, q, k, v, weights):
    return _head_answer(d, q, k, v, weights, _d_scores(d, q, v, weights) * q.shape[1])


@attention_backward.wrong("You take √T. D is the width of a head: q.shape[1].")
def root_of_t(d, q, k, v, weights):
    d_scores = softmax_backward(d @ v.T, weights) / math.sqrt(len(q))
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "You go past the softmax: d @ v.T is the gradient of the weights, not of the scores. "
    "softmax_backward comes between them."
)
def past_the_softmax(d, q, k, v, weights):
    return _head_answer(d, q, k, v, weights, d @ v.T / math.sqrt(q.shape[1]))


@attention_backward.wrong(
    "You multiply entry by entry with weights * (1 - weights). A score moves all weights of "
    "its row: use softmax_backward."
)
def jacobian_s_diagonal(d, q, k, v, weights):
    d_scores = d @ v.T * weights * (1 - weights) / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "You multiply by the weights only. A score that rises takes from the others in its row: "
    "use softmax_backward."
)
def only_times_the_weights(d, q, k, v, weights):
    d_scores = d @ v.T * weights / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "The mask is lost: you compute the weights again without it, and blame goes to words that "
    "were never seen. Use the weights that you are given."
)
def mask_not_applied(d, q, k, v, weights):
    open_weights = numpy_gpt.softmax(q @ k.T / math.sqrt(q.shape[1]))
    return _head_answer(d, q, k, v, weights, _d_scores(d, q, v, open_weights))


@attention_backward.wrong(
    "You set the gradient of hidden scores to minus infinity. That is for the scores, forward. "
    "Behind the mask the weights are 0, and the gradient is 0 by itself."
)
def minus_infinity_backward(d, q, k, v, weights):
    d_scores = np.where(_hidden(len(q)), -np.inf, _d_scores(d, q, v, weights))
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "For v the weights must be transposed: word j collects from all that looked at it, column "
    "j of the weights."
)
def weights_not_transposed(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"v": weights @ d}


@attention_backward.wrong(
    "For k the gradient of the scores must be transposed: key j is read by all queries, column "
    "j of the scores."
)
def scores_not_transposed(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"k": _d_scores(d, q, v, weights) @ q}


@attention_backward.wrong(
    "That is the gradient of k transposed, (D, T). Turned around it is k's: d_scores.T @ q."
)
def k_left_transposed(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"k": q.T @ _d_scores(d, q, v, weights)}


@attention_backward.wrong("For q nothing is transposed: query i made row i of the scores.")
def scores_transposed_for_q(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"q": _d_scores(d, q, v, weights).T @ k}


@attention_backward.wrong(
    "Each factor gets the gradient times the *other* one: q gets it with k, and k with q."
)
def times_itself(d, q, k, v, weights):
    d_scores = _d_scores(d, q, v, weights)
    return {"q": d_scores @ q, "k": d_scores.T @ k, "v": weights.T @ d}


@attention_backward.wrong("The gradients of q and k are exchanged.")
def q_and_k_exchanged(d, q, k, v, weights):
    right = attention_backward(d, q, k, v, weights)
    return {"q": right["k"], "k": right["q"], "v": right["v"]}


@attention_backward.wrong(
    "softmax_backward takes the gradient first, then the probabilities: yours are exchanged."
)
def softmax_backward_s_arguments_exchanged(d, q, k, v, weights):
    d_scores = softmax_backward(weights, d @ v.T) / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong("For v take d, the gradient that comes in: weights.T @ d.")
def v_from_v(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"v": weights.T @ v}


@attention_backward.wrong("√D belongs to the scores. v was not divided by it.")
def values_scaled(d, q, k, v, weights):
    right = attention_backward(d, q, k, v, weights)
    return right | {"v": right["v"] / math.sqrt(q.shape[1])}


@attention_backward.wrong("The gradient of the weights is d @ v.T; yours is transposed.")
def d_weights_transposed(d, q, k, v, weights):
    d_scores = softmax_backward(v @ d.T, weights) / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "d @ v does not fit. The mix is weights @ v, so the weights get d times v transposed: "
    "d @ v.T."
)
def v_not_transposed(d, q, k, v, weights):
    d_scores = softmax_backward(d @ v, weights) / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong(
    "Your softmax runs back down the columns. A row of the weights is one query's."
)
def softmax_down_the_columns(d, q, k, v, weights):
    d_scores = softmax_backward((d @ v.T).T, weights.T).T / math.sqrt(q.shape[1])
    return _head_answer(d, q, k, v, weights, d_scores)


@attention_backward.wrong("v's gradient is not d itself: it comes back through the weights.")
def v_is_d(d, q, k, v, weights):
    return attention_backward(d, q, k, v, weights) | {"v": d}


# ---- one matrix, two paths ----------------------------------------------------------


def _measured_tied(ids, d_h0, h, d_logits):
    def paths(W_e):
        return (d_h0 * W_e[ids]).sum() + (d_logits * (h @ W_e.T)).sum()

    return slope(paths, np.zeros((d_logits.shape[1], h.shape[1])))


@exercise(
    "Two paths into one matrix",
    difficulty=4,
    importance=5,
    minutes=12,
    measured=_measured_tied,
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
        "Compute the whole gradient of $W_e$. As the table of embeddings it gets `d_h0`, the "
        "gradient with respect to the looked-up rows. As the output matrix it makes "
        "`logits = h @ W_e.T`. If a token occurs twice in `ids`, its row gets both gradients."
    ),
    hints=(
        "Output: row v of $W_e$ makes logit v at every position t, so it collects "
        "`d_logits[t, v] * h[t]` from all of them. As one matrix product?",
        "Look-up: row i of `d_h0` goes to row `ids[i]` of the gradient.",
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


@tied_gradient.wrong(
    "Row t of d_h0 belongs to position t, and goes to the row of its token, grad[ids[t]]."
)
def rows_by_token(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    for i in ids:
        grad[i] += d_h0[i]
    return grad


@tied_gradient.wrong("Only the output path. The rows that were looked up have a gradient too.")
def output_only(ids, d_h0, h, d_logits):
    return d_logits.T @ h


@tied_gradient.wrong(
    "Only the look-up path. As the output matrix W_e has the gradient d_logits.T @ h as well."
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


@tied_gradient.wrong("You overwrite the output path's gradient in the rows of ids; add to it.")
def overwrites(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    grad[ids] = d_h0
    return grad


@tied_gradient.wrong(
    "d_h0 and h are exchanged: the logits were made from h, the looked-up rows get d_h0."
)
def paths_exchanged(ids, d_h0, h, d_logits):
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


@tied_gradient.wrong(
    "d_logits @ h does not fit. Row v of the gradient collects from all positions: "
    "d_logits.T @ h."
)
def logits_not_transposed(ids, d_h0, h, d_logits):
    return d_logits @ h


@tied_gradient.wrong(
    "h.T @ d_logits is (C, V), and has no row for each token. Turned around it is "
    "d_logits.T @ h, with the shape (V, C) of W_e."
)
def added_to_the_transposed(ids, d_h0, h, d_logits):
    grad = h.T @ d_logits
    np.add.at(grad, ids, d_h0)
    return grad


@tied_gradient.wrong("You take the mean of the two paths. Uses of one matrix add up.")
def mean_of_the_paths(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    np.add.at(grad, ids, d_h0)
    return grad / 2


@tied_gradient.wrong("You subtract the look-up path. Uses of one matrix add up.")
def difference_of_the_paths(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    np.subtract.at(grad, ids, d_h0)
    return grad


@tied_gradient.wrong("If a token occurs twice, its gradients are added: you take their mean.")
def equal_ids_averaged(ids, d_h0, h, d_logits):
    grad = d_logits.T @ h
    for i in set(ids.tolist()):
        grad[i] += d_h0[ids == i].mean(axis=0)
    return grad


@tied_gradient.wrong("Your function returns None. Return grad (np.add.at works in place).")
def what_add_at_returns(ids, d_h0, h, d_logits):
    return np.add.at(d_logits.T @ h, ids, d_h0)


@tied_gradient.wrong(
    "You add rows of d_h0 in text order. Row i belongs in row ids[i] of the gradient."
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
        "Write plain gradient descent for a dict of weights. Return new weights, each moved "
        "against its gradient by the learning rate. (Lesson 10 turns it into Adam.)"
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


@descend.wrong(
    "You return the old weights. In a loop, w = ... only gives the name w to a new array: put "
    "the new arrays into a new dict."
)
def the_old_weights(weights, grads, lr):
    return dict(weights)


@descend.wrong("You divide by the learning rate. Multiply: a smaller rate takes smaller steps.")
def divided_by_the_rate(weights, grads, lr):
    return {name: w - grads[name] / lr for name, w in weights.items()}


@descend.wrong(
    "You go by the sign of the gradient only. Plain gradient descent uses its size as well."
)
def only_the_sign(weights, grads, lr):
    return {name: w - lr * np.sign(grads[name]) for name, w in weights.items()}


@descend.wrong("Only the first weight is there: the `return` is inside the loop.")
def returns_inside_the_loop(weights, grads, lr):
    for name, w in weights.items():
        return {name: w - lr * grads[name]}


@descend.wrong("You return a list. The new weights keep their names: a dict.")
def a_list(weights, grads, lr):
    return [w - lr * grads[name] for name, w in weights.items()]


EXERCISES = (
    finite_difference,
    softmax_backward,
    gelu_slope,
    layer_norm_backward,
    attention_backward,
    tied_gradient,
    descend,
)
check = Checker(EXERCISES)
mine = check.mine

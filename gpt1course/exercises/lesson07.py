"""Lesson 07, The post-LN block."""

import math

import torch
import torch.nn.functional as F

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _seeded(*shape, seed=0, scale=1.0):
    numbers = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, generator=numbers, dtype=torch.float64)


@exercise(
    "GELU",
    difficulty=1,
    importance=3,
    minutes=4,
    tolerance=1e-6,
    cases=lambda: [
        (torch.tensor([1.0]),),
        (torch.linspace(-3, 3, 13, dtype=torch.float64),),
        (torch.tensor([-100.0, -5.0, -3.5, 3.5, 5.0, 100.0], dtype=torch.float64),),
        (torch.tensor([-1000.0, -4.5, -4.1, 4.1, 4.5, 1000.0], dtype=torch.float64),),
        (_seeded(2, 4, seed=2),),
    ],
    task=(
        "Write GELU in the form of the code released with GPT-1: "
        r"$0.5\,x\,(1 + \tanh(\sqrt{2/\pi}\,(x + 0.044715\,x^3)))$."
    ),
    hints=(
        "`torch.tanh` takes the whole tensor; `math.sqrt(2 / math.pi)` is one number.",
        "The root multiplies the whole inner bracket, the cube included.",
    ),
)
def gelu(x):
    """GELU of each number of a tensor, in the tanh form. Numbers may be in the hundreds.

    gelu(tensor([1.0])) -> tensor([0.841192])
    """
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong("That is ReLU: GELU is smooth, and slightly negative left of 0.")
def relu(x):
    return x.clamp(min=0)


@gelu.wrong("That is the sigmoid form, a rougher shortcut. GPT-1's code uses tanh.")
def sigmoid_form(x):
    return x * torch.sigmoid(1.702 * x)


@gelu.wrong("That is SiLU, x times the sigmoid of x, which later models use. GELU is steeper.")
def silu(x):
    return x * torch.sigmoid(x)


@gelu.wrong(
    "That is the exact GELU, with erf. Close, but GPT-1's code has the tanh form, which "
    "differs in the fourth digit."
)
def erf_form(x):
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


@gelu.wrong("math.tanh takes one number only; torch.tanh takes the whole tensor.")
def tanh_of_one_number(x):
    inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + math.tanh(inner))


@gelu.wrong("The term 0.044715 x^3 inside tanh is missing.")
def no_cube(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x))


@gelu.wrong("You took the square inside tanh; it is the cube.")
def square_instead_of_cube(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**2)))


@gelu.wrong(
    "The factor sqrt(2/pi) multiplies the whole bracket, the cube as well: mind where the "
    "parenthesis closes."
)
def cube_outside_the_bracket(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x + 0.044715 * x**3))


@gelu.wrong("The root goes over 2/pi as a whole: math.sqrt(2 / math.pi).")
def root_of_2_only(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2) / math.pi * (x + 0.044715 * x**3)))


@gelu.wrong("You forgot the root: it is sqrt(2/pi), not 2/pi.")
def no_root(x):
    return 0.5 * x * (1 + torch.tanh(2 / math.pi * (x + 0.044715 * x**3)))


@gelu.wrong("That is the gate, a number between 0 and 1. GELU multiplies x by it.")
def only_the_gate(x):
    return 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong("The factor 0.5 is missing: for large x the bracket is 2, and GELU is x.")
def no_half(x):
    return x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


@gelu.wrong(
    "Nearly: one of your constants is rounded. Write math.sqrt(2 / math.pi), and 0.044715 "
    "in full."
)
def root_rounded(x):
    return 0.5 * x * (1 + torch.tanh(0.7979 * (x + 0.044715 * x**3)))


@gelu.wrong(
    "Nearly: one of your constants is rounded. Write math.sqrt(2 / math.pi), and 0.044715 "
    "in full."
)
def cubic_rounded(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.0447 * x**3)))


@gelu.wrong("Nearly: 3.14 is rounded. Write math.pi.")
def pi_rounded(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / 3.14) * (x + 0.044715 * x**3)))


@gelu.wrong("You cut GELU off beyond 3 on either side. It only comes close to 0 and x there.")
def cut_off_beyond_3(x):
    return torch.where(x > 3, x, torch.where(x < -3, torch.zeros_like(x), gelu(x)))


@gelu.wrong("You cut GELU off beyond 4 on either side. It only comes close to 0 and x there.")
def cut_off_beyond_4(x):
    return torch.where(x.abs() > 4, x.clamp(min=0), gelu(x))


@gelu.wrong("You hold x between -100 and 100. For a large x GELU is x, however large it is.")
def held_below_100(x):
    return gelu(x.clamp(-100, 100))


@gelu.wrong(
    "Your tanh is made of powers, and exp of a large number is inf: inf / inf is nan. Use "
    "torch.tanh."
)
def powers_overflow(x):
    u = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + (u.exp() - (-u).exp()) / (u.exp() + (-u).exp()))


@gelu.wrong(
    "Your tanh is made of powers, and exp of a large number is inf: inf / inf is nan. Use "
    "torch.tanh."
)
def powers_of_twice(x):
    u = 2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + (u.exp() - 1) / (u.exp() + 1))


@gelu.wrong(
    "Your tanh is made of powers, and exp of a large number is inf: inf / inf is nan. Use "
    "torch.tanh."
)
def powers_of_minus_twice(x):
    u = -2 * math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
    return 0.5 * x * (1 + (1 - u.exp()) / (1 + u.exp()))


@gelu.wrong("The `1 +` is missing: the gate runs from 0 to 1.")
def gate_without_1(x):
    return 0.5 * x * torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))


@gelu.wrong("You close the bracket too early: the factor multiplies x and its cube.")
def bracket_closed_early(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * x) + 0.044715 * x**3)


@gelu.wrong("A zero is missing: 0.044715.")
def a_zero_missing(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.44715 * x**3)))


def _layers(C, wide, seed):
    """Weights and biases of both layers of a feed-forward part, for the cases."""
    shapes = ((C, wide), (wide,), (wide, C), (C,))
    return tuple(_seeded(*shape, seed=seed + i) for i, shape in enumerate(shapes))


@exercise(
    "The feed-forward part",
    difficulty=2,
    importance=5,
    minutes=6,
    tolerance=1e-6,
    cases=lambda: [
        (_seeded(3, 2, seed=10), *_layers(2, 8, 11)),
        (_seeded(1, 3, seed=15), *_layers(3, 5, 16)),
        (_seeded(4, 4, seed=20), *_layers(4, 4, 21)),
        (_seeded(2, 3, 2, seed=25), *_layers(2, 3, 26)),
    ],
    task=(
        "Write the feed-forward part of a block, which is a layer that widens, GELU, and a "
        "layer that narrows again. A layer is a matrix product and a bias, `x @ W + b`, and "
        'GELU is `F.gelu(..., approximate="tanh")`.'
    ),
    hints=(
        "First the neurons: `x @ W_1 + b_1` has the shape (T, 4C).",
        "GELU comes between the two layers, and nowhere else.",
    ),
)
def feed_forward(x, W_1, b_1, W_2, b_2):
    """States (..., C) -> (..., C), each position by itself.

    W_1 (C, 4C), b_1 (4C,), W_2 (4C, C), b_2 (C,).
    """
    return F.gelu(x @ W_1 + b_1, approximate="tanh") @ W_2 + b_2


@feed_forward.wrong(
    "That is ReLU between the layers, as in the Transformer of 2017. GPT-1 has GELU."
)
def relu_between(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1).relu() @ W_2 + b_2


@feed_forward.wrong("Nearly: this is the exact GELU, F.gelu(x) without approximate='tanh'.")
def exact_gelu_between(x, W_1, b_1, W_2, b_2):
    return F.gelu(x @ W_1 + b_1) @ W_2 + b_2


@feed_forward.wrong(
    "There is no GELU: two matrices in a row are one matrix, and the width is wasted."
)
def no_bend(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1) @ W_2 + b_2


@feed_forward.wrong(
    "You apply GELU after each layer. The second layer's result goes out as it is: it must be "
    "able to push a number down as well as up."
)
def bends_twice(x, W_1, b_1, W_2, b_2):
    return gelu(gelu(x @ W_1 + b_1) @ W_2 + b_2)


@feed_forward.wrong(
    "You apply GELU to x itself. It comes between the two layers: gelu(x @ W_1 + b_1)."
)
def bends_at_the_start(x, W_1, b_1, W_2, b_2):
    return (gelu(x) @ W_1 + b_1) @ W_2 + b_2


@feed_forward.wrong("GELU comes between the two layers, not after the second.")
def bends_at_the_end(x, W_1, b_1, W_2, b_2):
    return gelu((x @ W_1 + b_1) @ W_2 + b_2)


@feed_forward.wrong("You apply GELU before the bias is added: gelu(x @ W_1 + b_1).")
def bias_after_the_bend(x, W_1, b_1, W_2, b_2):
    return (gelu(x @ W_1) + b_1) @ W_2 + b_2


@feed_forward.wrong("Both biases are missing. In GPT-1 every layer of a block has one.")
def no_bias_at_all(x, W_1, b_1, W_2, b_2):
    return gelu(x @ W_1) @ W_2


@feed_forward.wrong("The first bias is missing: x @ W_1 + b_1.")
def no_first_bias(x, W_1, b_1, W_2, b_2):
    return gelu(x @ W_1) @ W_2 + b_2


@feed_forward.wrong("The second bias is missing: ... @ W_2 + b_2.")
def no_second_bias(x, W_1, b_1, W_2, b_2):
    return gelu(x @ W_1 + b_1) @ W_2


@feed_forward.wrong(
    "You add x: that is the residual, which comes after this part. Return what the part adds."
)
def with_the_residual(x, W_1, b_1, W_2, b_2):
    return x + gelu(x @ W_1 + b_1) @ W_2 + b_2


@feed_forward.wrong("Those are the neurons. The second layer brings them back to C numbers.")
def only_the_neurons(x, W_1, b_1, W_2, b_2):
    return gelu(x @ W_1 + b_1)


@feed_forward.wrong(
    "Here the matrices have the shapes that `@` needs, (C, 4C) and (4C, C), so don't "
    "transpose them."
)
def matrices_transposed(x, W_1, b_1, W_2, b_2):
    return gelu(x @ W_1.T + b_1) @ W_2.T + b_2


@feed_forward.wrong(
    "Softmax makes neurons compete for a sum of 1; that belongs to attention. Here the "
    "activation function acts on each neuron by itself."
)
def softmax_between(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1).softmax(dim=-1) @ W_2 + b_2


def _normal(state, less=0):
    """State without its mean, over the root of its variance; less is taken from C."""
    mean = sum(state) / len(state)
    variance = sum((x - mean) ** 2 for x in state) / (len(state) - less)
    return [(x - mean) / math.sqrt(variance) for x in state]


@number_exercise(
    "LayerNorm by hand",
    question=(
        "What does LayerNorm make of the state {state}, with a gain of {gain} and a bias of "
        "{bias} in every column? Leave epsilon out."
    ),
    difficulty=1,
    importance=4,
    minutes=5,
    first=((0, 2, 2, 8), 2, 1),
    draw=lambda random: (
        tuple(random.sample(range(-6, 10), 4)),
        random.choice((2, 3, 4)),
        random.choice((-2, -1, 1, 2, 3)),
    ),
    decimals=2,
    hints=(
        "First compute the mean, then the mean of the squared distances from it, and the "
        "root of that.",
    ),
    worked=lambda state, gain, bias: (
        f"The mean is {sum(state) / 4:g} and the variance "
        f"{sum((x - sum(state) / 4) ** 2 for x in state) / 4:g}, so the normalized state is "
        f"({', '.join(f'{z:.3f}' for z in _normal(state))}). Multiplied by {gain}, and "
        f"with {bias} added, it becomes "
        f"({', '.join(f'{gain * z + bias:.2f}' for z in _normal(state))})."
    ),
)
def layer_norm_by_hand(state, gain, bias):
    """LayerNorm of four numbers."""
    return tuple(gain * z + bias for z in _normal(state))


@layer_norm_by_hand.wrong("You forgot the bias.")
def without_the_bias(state, gain, bias):
    return tuple(gain * z for z in _normal(state))


@layer_norm_by_hand.wrong("You forgot the gain.")
def without_the_gain(state, gain, bias):
    return tuple(z + bias for z in _normal(state))


@layer_norm_by_hand.wrong("Gain and bias are both missing.")
def only_normalized(state, gain, bias):
    return tuple(_normal(state))


@layer_norm_by_hand.wrong("The bias is added last; you multiplied it by the gain.")
def bias_before_gain(state, gain, bias):
    return tuple(gain * (z + bias) for z in _normal(state))


@layer_norm_by_hand.wrong("You divided the variance by C - 1 = 3. LayerNorm divides by C.")
def by_three(state, gain, bias):
    return tuple(gain * z + bias for z in _normal(state, less=1))


@layer_norm_by_hand.wrong("You divided by the variance. Take its root.")
def by_the_variance(state, gain, bias):
    mean = sum(state) / 4
    variance = sum((x - mean) ** 2 for x in state) / 4
    return tuple(gain * (x - mean) / variance + bias for x in state)


@layer_norm_by_hand.wrong("The mean is still in: subtract it before you divide.")
def with_its_mean(state, gain, bias):
    shift = sum(state) / 4 / math.sqrt(sum((x - sum(state) / 4) ** 2 for x in state) / 4)
    return tuple(gain * (z + shift) + bias for z in _normal(state))


@exercise(
    "LayerNorm",
    difficulty=2,
    importance=5,
    minutes=8,
    tolerance=1e-7,
    cases=lambda: [
        (_seeded(3, 4, seed=33), _seeded(4, seed=34), _seeded(4, seed=35)),
        (_seeded(2, 5, seed=36, scale=0.01), torch.ones(5).double(), torch.zeros(5).double()),
        (torch.tensor([[2.0, 2.0, 2.0], [1.0, 2.0, 3.0]]), torch.ones(3), torch.zeros(3)),
        (_seeded(2, 3, 4, seed=37), _seeded(4, seed=38), _seeded(4, seed=39), 0.1),
        (_seeded(3, seed=40), _seeded(3, seed=41), _seeded(3, seed=42)),
        (_seeded(3, 3, seed=43), _seeded(3, seed=44), _seeded(3, seed=45)),
        (torch.tensor([[1000.0, 1000.5, 1001.0]]), torch.ones(3), torch.zeros(3)),
    ],
    task=(
        "Give each state (last axis) mean 0 and variance 1, then multiply by `gain` and add "
        "`bias`. To get the variance, divide by C, not by C - 1. Then add `eps` to it, and "
        "take the root of the sum."
    ),
    hints=(
        "`x.mean(dim=-1, keepdim=True)` is a column of means, one per state.",
        "torch's `var` divides by C - 1 unless you ask for `unbiased=False`. Or take the "
        "mean of the squared distances yourself.",
    ),
)
def layer_norm(x, gain, bias, eps=1e-5):
    """Normalized states (..., C), also where their mean is 1,000; gain and bias (C,)."""
    mean = x.mean(dim=-1, keepdim=True)
    variance = x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + eps) * gain + bias


def _centered(x):
    return x - x.mean(dim=-1, keepdim=True)


def _variance(x):
    return x.var(dim=-1, keepdim=True, unbiased=False)


@layer_norm.wrong(
    "Your variance divides by C - 1, which is what torch's var does by itself. LayerNorm "
    "divides by C: unbiased=False."
)
def unbiased_variance(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(x.var(dim=-1, keepdim=True) + eps) * gain + bias


@layer_norm.wrong("eps is added outside the root. It belongs under it: sqrt(variance + eps).")
def eps_outside_the_root(x, gain, bias, eps=1e-5):
    return _centered(x) / (torch.sqrt(_variance(x)) + eps) * gain + bias


@layer_norm.wrong(
    "Two slips: torch's std divides by C - 1 (ask for unbiased=False), and eps belongs under "
    "the root, added to the variance."
)
def spread_by_std(x, gain, bias, eps=1e-5):
    return _centered(x) / (x.std(dim=-1, keepdim=True) + eps) * gain + bias


@layer_norm.wrong(
    "Mean and standard deviation need keepdim=True, so that each state gets its own. And "
    "torch's std divides by C - 1: ask for unbiased=False, and put eps under the root."
)
def std_without_keepdim(x, gain, bias, eps=1e-5):
    return (x - x.mean(-1)) / (x.std(-1) + eps) * gain + bias


@layer_norm.wrong(
    "Two slips: torch's std divides by C - 1 (ask for unbiased=False), and eps is missing "
    "under the root."
)
def std_without_eps(x, gain, bias, eps=1e-5):
    return _centered(x) / x.std(dim=-1, keepdim=True) * gain + bias


@layer_norm.wrong("Without eps a state of equal numbers gives 0 / 0: add eps to the variance.")
def no_eps(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x)) * gain + bias


@layer_norm.wrong(
    "You take 1e-5 whatever eps is. eps is an argument: use the one that you are given."
)
def eps_written_in(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x) + 1e-5) * gain + bias


@layer_norm.wrong(
    "You use eps as a lower limit of the variance. Add it instead: sqrt(variance + eps)."
)
def eps_as_the_least(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x).clamp(min=eps)) * gain + bias


@layer_norm.wrong(
    "You take mean and variance over the whole tensor. Each state has its own: dim=-1, with "
    "keepdim=True."
)
def over_everything(x, gain, bias, eps=1e-5):
    return (x - x.mean()) / torch.sqrt(x.var(unbiased=False) + eps) * gain + bias


@layer_norm.wrong(
    "dim=1 is the last axis of a matrix only. The last axis of any tensor is dim=-1."
)
def over_axis_1(x, gain, bias, eps=1e-5):
    mean = x.mean(dim=1, keepdim=True)
    variance = x.var(dim=1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + eps) * gain + bias


@layer_norm.wrong(
    "Without keepdim=True torch matches the means and variances with the columns: each state "
    "needs its own."
)
def without_keepdim(x, gain, bias, eps=1e-5):
    return (x - x.mean(-1)) / torch.sqrt(x.var(-1, unbiased=False) + eps) * gain + bias


@layer_norm.wrong(
    "You do not take the mean off: that is RMSNorm, which later models use. LayerNorm "
    "shifts each state to mean 0 first."
)
def root_mean_square(x, gain, bias, eps=1e-5):
    return x / torch.sqrt((x**2).mean(dim=-1, keepdim=True) + eps) * gain + bias


@layer_norm.wrong("The mean stays in: subtract it before you divide.")
def mean_stays(x, gain, bias, eps=1e-5):
    return x / torch.sqrt(_variance(x) + eps) * gain + bias


@layer_norm.wrong(
    "Python divides before it subtracts, so you divide the mean only: put x - mean in "
    "parentheses."
)
def without_parentheses(x, gain, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    return x - mean / torch.sqrt(_variance(x) + eps) * gain + bias


@layer_norm.wrong(
    "Mind the parentheses: subtract the mean first, then divide. `x - mean / root` divides "
    "the mean only."
)
def only_the_mean_divided(x, gain, bias, eps=1e-5):
    mean = x.mean(dim=-1, keepdim=True)
    return (x - mean / torch.sqrt(_variance(x) + eps)) * gain + bias


@layer_norm.wrong(
    "You normalize over the first axis: that is batch normalization. A state is "
    "normalized by itself, over its last axis."
)
def over_the_batch(x, gain, bias, eps=1e-5):
    mean = x.mean(dim=0, keepdim=True)
    variance = x.var(dim=0, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + eps) * gain + bias


@layer_norm.wrong("You divide by the variance. Divide by its root, the standard deviation.")
def divides_by_the_variance(x, gain, bias, eps=1e-5):
    return _centered(x) / (_variance(x) + eps) * gain + bias


@layer_norm.wrong(
    "You divide by the length of the state. The standard deviation is the root of the mean "
    "square, and so smaller by a factor of the root of C."
)
def to_length_1(x, gain, bias, eps=1e-5):
    squares = (_centered(x) ** 2).sum(dim=-1, keepdim=True)
    return _centered(x) / torch.sqrt(squares + eps) * gain + bias


@layer_norm.wrong("The gain is missing: multiply before adding the bias.")
def gain_forgotten(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x) + eps) + bias


@layer_norm.wrong("The bias is missing: add it last.")
def bias_forgotten(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x) + eps) * gain


@layer_norm.wrong("Gain and bias are missing: multiply by the one, then add the other.")
def gain_and_bias_forgotten(x, gain, bias, eps=1e-5):
    return _centered(x) / torch.sqrt(_variance(x) + eps)


@layer_norm.wrong("You add the bias before you multiply by the gain. First the gain.")
def bias_before_the_gain(x, gain, bias, eps=1e-5):
    return (_centered(x) / torch.sqrt(_variance(x) + eps) + bias) * gain


@layer_norm.wrong(
    "You use the gain before you normalize, and LayerNorm takes it out again in part. Gain "
    "and bias come last."
)
def gain_first(x, gain, bias, eps=1e-5):
    return _centered(x * gain) / torch.sqrt(_variance(x * gain) + eps) + bias


@layer_norm.wrong(
    "The mean of the squares less the square of the mean is right on paper. Where the mean "
    "is large, both are huge, and float32 loses their difference. Take the mean of (x - "
    "mean)**2 instead."
)
def squares_less_the_square(x, gain, bias, eps=1e-5):
    variance = (x**2).mean(-1, keepdim=True) - x.mean(-1, keepdim=True) ** 2
    return _centered(x) / torch.sqrt(variance + eps) * gain + bias


@layer_norm.wrong(
    "You divide by the length of x less its mean, which makes the length 1. LayerNorm makes "
    "the variance 1, so that the length is the root of C."
)
def divided_by_the_length(x, gain, bias, eps=1e-5):
    return _centered(x) / (_centered(x).norm(dim=-1, keepdim=True) + eps) * gain + bias


def mix(x):
    """Stands for attention in the cases: mixes each row with the one before."""
    return 0.5 * x + 0.7 * torch.roll(x, 1, dims=0)


def bend(x):
    """Stands for the feed-forward part in the cases."""
    return 0.3 * x * x - 0.2


def norm_a(x):
    """LayerNorm with gain 1 and bias 0."""
    return F.layer_norm(x, x.shape[-1:])


def norm_b(x):
    """LayerNorm with gains and a bias, so that the two cannot be exchanged."""
    return F.layer_norm(x, x.shape[-1:]) * torch.linspace(0.5, 2, x.shape[-1]) + 0.1


@exercise(
    "The post-LayerNorm block",
    difficulty=2,
    importance=5,
    minutes=4,
    cases=lambda: [
        (_seeded(4, 6), mix, bend, norm_a, norm_b),
        (_seeded(2, 5, seed=1), bend, mix, norm_b, norm_a),
        (_seeded(3, 4, seed=2), mix, bend, norm_b, norm_a),
    ],
    task=(
        "Without looking back at the formula, put one block together from its four parts, "
        "which you are given as functions. The figure shows the order."
    ),
    hints=(
        "Each half does the same. It computes a part, adds what the part has read, and "
        "normalizes the sum.",
        "The first line is `n = ln_1(x + attention(x))`, and the second has the same "
        "pattern with n in place of x.",
    ),
)
def post_ln_block(x, attention, mlp, ln_1, ln_2):
    """One GPT-1 block: (T, C) -> (T, C).

    attention, mlp, ln_1, ln_2: functions (T, C) -> (T, C).
    """
    n = ln_1(x + attention(x))
    return ln_2(n + mlp(n))


@post_ln_block.wrong(
    "That is the pre-LN block of GPT-2: it normalizes what goes into a layer. "
    "GPT-1 normalizes the sum."
)
def pre_ln(x, attention, mlp, ln_1, ln_2):
    x = x + attention(ln_1(x))
    return x + mlp(ln_2(x))


@post_ln_block.wrong("You normalize before you add the second time: ln_2(n + mlp(n)).")
def second_norm_before_the_part(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_2(n) + mlp(n)


@post_ln_block.wrong("The residual paths are missing: add the input before you normalize.")
def no_residual(x, attention, mlp, ln_1, ln_2):
    n = ln_1(attention(x))
    return ln_2(mlp(n))


@post_ln_block.wrong(
    "You normalize the output of each layer and add x unnormalized. Normalize the sum."
)
def ln_on_the_sublayer_only(x, attention, mlp, ln_1, ln_2):
    n = x + ln_1(attention(x))
    return n + ln_2(mlp(n))


@post_ln_block.wrong("The second residual starts from n, not from x.")
def second_residual_from_x(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_2(x + mlp(n))


@post_ln_block.wrong("One LayerNorm is missing: there is one after attention, too.")
def no_first_norm(x, attention, mlp, ln_1, ln_2):
    n = x + attention(x)
    return ln_2(n + mlp(n))


@post_ln_block.wrong("One LayerNorm is missing: the second sum is normalized, too, by ln_2.")
def no_second_norm(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return n + mlp(n)


@post_ln_block.wrong("Both LayerNorms are missing: each of the two sums is normalized.")
def no_norm(x, attention, mlp, ln_1, ln_2):
    n = x + attention(x)
    return n + mlp(n)


@post_ln_block.wrong(
    "That is the first half, the attention with its sum and its LayerNorm. The same again "
    "with mlp and ln_2, from n on."
)
def only_the_first_half(x, attention, mlp, ln_1, ln_2):
    return ln_1(x + attention(x))


@post_ln_block.wrong(
    "x is added a second time. The second sum consists of n and mlp(n), and nothing else."
)
def x_in_both_sums(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_2(x + n + mlp(n))


@post_ln_block.wrong("The mlp reads n, the normalized state, not x.")
def mlp_of_x(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_2(n + mlp(x))


@post_ln_block.wrong("You use ln_1 twice. ln_2 has a gain and a bias of its own.")
def the_same_norm_twice(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_1(n + mlp(n))


@post_ln_block.wrong("The first residual is missing: x + attention(x).")
def no_first_residual(x, attention, mlp, ln_1, ln_2):
    n = ln_1(attention(x))
    return ln_2(n + mlp(n))


@post_ln_block.wrong("The second residual is missing: n + mlp(n).")
def no_second_residual(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + attention(x))
    return ln_2(mlp(n))


@post_ln_block.wrong("The mlp comes first here. In GPT-1 attention comes first.")
def mlp_first(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x + mlp(x))
    return ln_2(n + attention(n))


@post_ln_block.wrong(
    "You feed attention and the mlp the same x, side by side, as GPT-J does. In GPT-1 the "
    "mlp reads what attention has written."
)
def in_parallel(x, attention, mlp, ln_1, ln_2):
    return ln_2(ln_1(x + attention(x) + mlp(x)))


@post_ln_block.wrong("You subtract the output of a layer. The residual is a sum.")
def minus(x, attention, mlp, ln_1, ln_2):
    n = ln_1(x - attention(x))
    return ln_2(n - mlp(n))


@post_ln_block.wrong(
    "You normalize with a LayerNorm of your own. Use ln_1 and ln_2: they have learned gains "
    "and biases."
)
def a_norm_of_its_own(x, attention, mlp, ln_1, ln_2):
    n = norm_a(x + attention(x))
    return norm_a(n + mlp(n))


@post_ln_block.wrong(
    "ln_1 belongs to attention and ln_2 to the feed-forward part; they are exchanged."
)
def norms_exchanged(x, attention, mlp, ln_1, ln_2):
    n = ln_2(x + attention(x))
    return ln_1(n + mlp(n))


def _pre_ln(x, attention, mlp, ln_1, ln_2):
    n = x + attention(ln_1(x))
    return n + mlp(ln_2(n))


def _made(order, *parts, seed=0, changed=None, digits=4, by=0.01):
    """A case of order_of: states before and after a block, the latter to a few digits.

    changed: the rows that are moved, by so much. A slice of columns with them moves two of
    the numbers against each other, which leaves the means as they are.
    """
    x = _seeded(4, 6, seed=seed).float()
    h = {"post": post_ln_block, "pre": _pre_ln}[order](x, *parts)
    if changed is not None:
        apart = torch.tensor([1.0, -1.0]) if isinstance(changed, tuple) else 1.0
        h[changed] = h[changed] + by * apart
    return x, h.round(decimals=digits) if digits else h, *parts


@exercise(
    "Which order was it?",
    difficulty=3,
    importance=4,
    minutes=8,
    cases=lambda: [
        _made("post", mix, bend, norm_a, norm_b, seed=50),
        _made("pre", mix, bend, norm_a, norm_b, seed=51),
        _made("post", mix, bend, norm_a, norm_a, seed=52),
        _made("post", mix, bend, norm_b, norm_a, seed=58, digits=0),
        _made("pre", bend, mix, norm_b, norm_a, seed=53),
        _made("post", mix, bend, norm_b, norm_a, seed=54, changed=3),
        _made("post", mix, bend, norm_b, norm_a, seed=55, changed=0),
        _made("pre", mix, bend, norm_a, norm_b, seed=56, changed=2),
        _made("post", mix, bend, norm_a, norm_b, seed=63, changed=3, by=-0.01),
        _made("post", mix, bend, norm_a, norm_b, seed=57, changed=slice(0, 4)),
        _made("post", mix, bend, norm_b, norm_a, seed=59, changed=(1, slice(2, 4))),
        _made("pre", mix, bend, norm_b, norm_a, seed=60, changed=(2, slice(0, 2))),
        _made("post", mix, bend, norm_a, norm_b, seed=61, changed=(1, slice(2, 4)), by=5e-4),
        _made("pre", mix, bend, norm_a, norm_b, seed=62, changed=(1, slice(2, 4)), by=5e-4),
    ],
    task=(
        "You are given the states `x` before a block, the states `h` after it, and the four "
        'parts. Which block made them? Compute both orders and compare: return `"post"`, '
        '`"pre"`, or `"neither"`. The states `h` are given to four decimals, so compare '
        "with `torch.allclose(..., atol=1e-4)`. You may call `post_ln_block`."
    ),
    hints=(
        "Pre-LN: `n = x + attention(ln_1(x))`, then the same pattern with mlp and ln_2.",
        'Make two comparisons with an early return each, and return `"neither"` at the end.',
    ),
)
def order_of(x, h, attention, mlp, ln_1, ln_2):
    """The order of the block that made h (T, C) from x (T, C): "post", "pre" or "neither".

    Every number of h has to agree, not only the mean of a row. The
    LayerNorms may have any gains and biases.
    attention, mlp, ln_1, ln_2: functions (T, C) -> (T, C).
    """
    if torch.allclose(h, post_ln_block(x, attention, mlp, ln_1, ln_2), atol=1e-4):
        return "post"
    n = x + attention(ln_1(x))
    if torch.allclose(h, n + mlp(ln_2(n)), atol=1e-4):
        return "pre"
    return "neither"


@order_of.wrong(
    "You go by the length of the rows. It is the root of C only while gains are 1 and biases "
    "0, and other blocks can have it too. Compute both orders and compare."
)
def by_length(x, h, attention, mlp, ln_1, ln_2):
    even = torch.allclose(h.norm(dim=-1), torch.tensor(h.shape[-1]).sqrt(), atol=1e-3)
    return "post" if even else "pre"


@order_of.wrong(
    "You go by the mean of the rows. It is 0 only while all biases are 0. Compute both "
    "orders and compare."
)
def by_mean(x, h, attention, mlp, ln_1, ln_2):
    return "post" if h.mean(dim=-1).abs().max() < 1e-3 else "pre"


@order_of.wrong(
    "You compare means or sums, which one or two wrong numbers hardly move, or not at all: "
    "compare all numbers."
)
def means_compared(x, h, attention, mlp, ln_1, ln_2):
    for name, block in (("post", post_ln_block), ("pre", _pre_ln)):
        made = block(x, attention, mlp, ln_1, ln_2)
        if torch.allclose(h.mean(dim=-1), made.mean(dim=-1), atol=1e-4):
            return name
    return "neither"


@order_of.wrong(
    "You go by the mean of the rows for post-LN, and compare for pre-LN alone. The mean is 0 "
    "only while all biases of ln_2 are 0. Compute both orders and compare."
)
def mean_0_or_pre(x, h, attention, mlp, ln_1, ln_2):
    if torch.allclose(h, _pre_ln(x, attention, mlp, ln_1, ln_2), atol=1e-4):
        return "pre"
    return "post" if h.mean(dim=-1).abs().max() < 1e-3 else "neither"


@order_of.wrong(
    "Your comparison is too strict, because the states are given to four decimals only: use "
    "torch.allclose with atol=1e-4."
)
def bit_for_bit(x, h, attention, mlp, ln_1, ln_2):
    if torch.equal(h, post_ln_block(x, attention, mlp, ln_1, ln_2)):
        return "post"
    return "pre" if torch.equal(h, _pre_ln(x, attention, mlp, ln_1, ln_2)) else "neither"


@order_of.wrong(
    "Your comparison is too strict, because the states are given to four decimals only: use "
    "torch.allclose with atol=1e-4. And what is not post-LN need not be pre-LN."
)
def bit_for_bit_never_neither(x, h, attention, mlp, ln_1, ln_2):
    post = post_ln_block(x, attention, mlp, ln_1, ln_2)
    return "post" if torch.equal(h, post) else "pre"


@order_of.wrong("You compare the first row alone. All rows must agree.")
def first_row_alone(x, h, attention, mlp, ln_1, ln_2):
    if torch.allclose(h[0], post_ln_block(x, attention, mlp, ln_1, ln_2)[0], atol=1e-4):
        return "post"
    pre = _pre_ln(x, attention, mlp, ln_1, ln_2)
    return "pre" if torch.allclose(h[0], pre[0], atol=1e-4) else "neither"


@order_of.wrong("You compare the last row alone. All rows must agree.")
def last_row_alone(x, h, attention, mlp, ln_1, ln_2):
    if torch.allclose(h[-1], post_ln_block(x, attention, mlp, ln_1, ln_2)[-1], atol=1e-4):
        return "post"
    pre = _pre_ln(x, attention, mlp, ln_1, ln_2)
    return "pre" if torch.allclose(h[-1], pre[-1], atol=1e-4) else "neither"


@order_of.wrong(
    "Too lax: one number that is 0.0005 off makes it another block. Compare every number with "
    "torch.allclose(..., atol=1e-4), not a mean or squares."
)
def a_thousandth_is_forgiven(x, h, attention, mlp, ln_1, ln_2):
    for name, block in (("post", post_ln_block), ("pre", _pre_ln)):
        if torch.allclose(h, block(x, attention, mlp, ln_1, ln_2), atol=1e-3):
            return name
    return "neither"


@order_of.wrong(
    "A difference can have either sign. Take `abs()` before the largest, or torch.allclose."
)
def the_largest_without_abs(x, h, attention, mlp, ln_1, ln_2):
    for name, block in (("post", post_ln_block), ("pre", _pre_ln)):
        if (block(x, attention, mlp, ln_1, ln_2) - h).max() < 1e-4:
            return name
    return "neither"


@order_of.wrong(
    "A difference can have either sign. Take `abs()` before the largest, or torch.allclose."
)
def the_largest_of_h_without_abs(x, h, attention, mlp, ln_1, ln_2):
    for name, block in (("post", post_ln_block), ("pre", _pre_ln)):
        if (h - block(x, attention, mlp, ln_1, ln_2)).max() < 1e-4:
            return name
    return "neither"


@order_of.wrong('What is not post-LN need not be pre-LN: check both, and say "neither".')
def never_neither(x, h, attention, mlp, ln_1, ln_2):
    post = post_ln_block(x, attention, mlp, ln_1, ln_2)
    return "post" if torch.allclose(h, post, atol=1e-4) else "pre"


@order_of.wrong("The two names are exchanged: post-LN normalizes after the sum.")
def names_exchanged(x, h, attention, mlp, ln_1, ln_2):
    other = {"post": "pre", "pre": "post", "neither": "neither"}
    return other[order_of(x, h, attention, mlp, ln_1, ln_2)]


@order_of.wrong("One row that agrees is not enough: all rows must.")
def any_row(x, h, attention, mlp, ln_1, ln_2):
    for name, block in (("post", post_ln_block), ("pre", _pre_ln)):
        if (h - block(x, attention, mlp, ln_1, ln_2)).abs().max(dim=1)[0].min() < 1e-4:
            return name
    return "neither"


@order_of.wrong(
    "You find the post-LN blocks, but no pre-LN block. Pre-LN normalizes what goes into a "
    "part: n = x + attention(ln_1(x)), and then n + mlp(ln_2(n))."
)
def norm_on_the_part(x, h, attention, mlp, ln_1, ln_2):
    if torch.allclose(h, post_ln_block(x, attention, mlp, ln_1, ln_2), atol=1e-4):
        return "post"
    n = x + ln_1(attention(x))
    return "pre" if torch.allclose(h, n + ln_2(mlp(n)), atol=1e-4) else "neither"


_NOISE = torch.tensor([[0.05, 0.95, 0.4, 0.1], [0.3, 0.02, 0.6, 0.25], [0.5, 0.9, 0.2, 0.7]])


@exercise(
    "Dropout",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        (torch.tensor([2.0, 3.0]), 0.5, torch.tensor([0.2, 0.7]), True),
        (_seeded(3, 4, seed=60).float(), 0.1, _NOISE.clone(), True),
        (_seeded(3, 4, seed=61).float(), 0.4, _NOISE.clone(), True),
        (_seeded(3, 4, seed=62).float(), 0.4, _NOISE.clone(), False),
        (_seeded(3, 4, seed=63).float(), 0.0, _NOISE.clone(), True),
        (_seeded(3, 4, seed=64).float(), 0.25, _NOISE.clone(), True),
        (_seeded(3, 4, seed=65).float(), 0.8, _NOISE.clone(), False),
        (_seeded(3, 4, seed=66).float(), 0.8, _NOISE.clone(), True),
    ],
    task=(
        "Write dropout with the random numbers already drawn. `noise` contains one random "
        "number, uniform between 0 and 1, for each number of `x`. In training we set a "
        "number to 0 where the noise is below `p`, and we divide the others by `1 - p`. "
        "Outside training nothing happens."
    ),
    hints=(
        "`noise >= p` is True for what stays; as a factor, True counts as 1 and False as 0.",
        "`if not training: return x` comes first.",
    ),
)
def dropout(x, p, noise, training):
    """x with a share of about p set to 0 and the rest divided by 1 - p, if in training.

    x, noise: tensors of one shape, noise uniform in [0, 1). p: in [0, 1). training: bool.
    If not in training, x as it is, whatever p is.
    dropout(tensor([2.0, 3.0]), 0.5, tensor([0.2, 0.7]), True) -> tensor([0.0, 6.0])
    """
    if not training:
        return x
    return x * (noise >= p) / (1 - p)


@dropout.wrong(
    "What stays must be divided by 1 - p; else every sum is smaller in training than "
    "afterwards."
)
def not_scaled(x, p, noise, training):
    return x * (noise >= p) if training else x


@dropout.wrong("You divide by 1 and then subtract p: put 1 - p in parentheses.")
def one_minus_p_without_parentheses(x, p, noise, training):
    return x * (noise >= p) / 1 - p if training else x


@dropout.wrong("You divide by p. What stays is the share 1 - p: divide by that.")
def divided_by_p(x, p, noise, training):
    return x * (noise >= p) / p if training else x


@dropout.wrong("You multiply by 1 - p in training. Dividing makes up for what was dropped.")
def multiplied(x, p, noise, training):
    return x * (noise >= p) * (1 - p) if training else x


@dropout.wrong("You keep the wrong numbers: those with noise below p go, the others stay.")
def keeps_the_dropped(x, p, noise, training):
    return x * (noise < p) / (1 - p) if training else x


@dropout.wrong("You drop outside training too. A model that is used should use all it has.")
def always_drops(x, p, noise, training):
    return x * (noise >= p) / (1 - p)


@dropout.wrong("Inverted: you drop outside training, and not while training.")
def drops_outside_training(x, p, noise, training):
    return x if training else x * (noise >= p) / (1 - p)


@dropout.wrong(
    "You use the first row of the noise for all rows. Every number has its own, so that the "
    "rows don't lose the same columns."
)
def one_mask_for_all(x, p, noise, training):
    kept = noise[:1] if noise.dim() > 1 else noise
    return x * (kept >= p) / (1 - p) if training else x


@dropout.wrong(
    "That is the first form of dropout (2012): plain zeros in training, times 1 - p "
    "afterwards. Here the scaling is done in training, so that nothing is left to do later."
)
def scaled_afterwards(x, p, noise, training):
    return x * (noise >= p) if training else x * (1 - p)


@dropout.wrong("You scale outside training too. There, x is returned as it is.")
def scaled_in_both(x, p, noise, training):
    return x * (noise >= p) / (1 - p) if training else x / (1 - p)


@dropout.wrong("You scale outside training where p is large. There, x is returned as it is.")
def scaled_where_p_is_large(x, p, noise, training):
    if training:
        return x * (noise >= p) / (1 - p)
    return x * (1 - p) if p >= 0.5 else x


@dropout.wrong("Nothing is dropped: where the noise is below p, the number becomes 0.")
def only_scaled(x, p, noise, training):
    return x / (1 - p) if training else x


@dropout.wrong("Below p means noise < p: a noise of exactly p stays.")
def drops_at_p_too(x, p, noise, training):
    return x * (noise > p) / (1 - p) if training else x


@dropout.wrong(
    "You drop numbers by their own size. Only the noise decides, whatever the number is."
)
def small_ones_dropped(x, p, noise, training):
    return x * (x.abs() >= p) / (1 - p) if training else x


@dropout.wrong("Don't draw random numbers of your own. `noise` has one for each number of x.")
def dice_of_its_own(x, p, noise, training):
    return F.dropout(x, p, training)


@dropout.wrong("Don't draw random numbers of your own. `noise` has one for each number of x.")
def numbers_drawn_again(x, p, noise, training):
    return x * (torch.rand(x.shape) >= p) / (1 - p) if training else x


EXERCISES = (
    gelu,
    feed_forward,
    layer_norm_by_hand,
    layer_norm,
    post_ln_block,
    order_of,
    dropout,
)
check = Checker(EXERCISES)
mine = check.mine

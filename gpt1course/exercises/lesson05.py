"""Lesson 05, The causal mask."""

import math

import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "Who may see whom",
    difficulty=1,
    importance=5,
    minutes=4,
    cases=lambda: [(2,), (3,), (1,), (6,), (70,), (600,)],
    task=(
        "Return the causal mask of `T` tokens: a boolean matrix that is True where the "
        "row's token may see the column's token. A token may see itself and all earlier ones."
    ),
    hints=(
        "`torch.ones(T, T, dtype=torch.bool)` is all True.",
        "`.tril()` keeps the lower triangle, the diagonal included.",
    ),
)
def causal_mask(T):
    """Booleans (T, T): True where the column is not later than the row. T has no limit.

    causal_mask(2) -> tensor([[True, False], [True, True]])
    """
    return torch.ones(T, T, dtype=torch.bool).tril()


@causal_mask.wrong(
    "That is the upper triangle: row 0 would see everything and the last row "
    "only itself. Earlier tokens are on the left, so use the lower one."
)
def upper_triangle(T):
    return torch.ones(T, T, dtype=torch.bool).triu()


@causal_mask.wrong(
    "True and False are swapped: True means 'may be seen' here. (Some "
    "libraries use True for 'hidden'. Always look it up.)"
)
def inverted_mask(T):
    return ~torch.ones(T, T, dtype=torch.bool).tril()


@causal_mask.wrong(
    "The diagonal is False, but a token may see itself. With this mask the first "
    "row sees nothing, and its softmax is nan."
)
def hides_itself(T):
    return torch.ones(T, T, dtype=torch.bool).tril(-1)


@causal_mask.wrong("Each row sees one token too many: the very token that it should predict.")
def one_ahead(T):
    return torch.ones(T, T, dtype=torch.bool).tril(1)


@causal_mask.wrong(
    "The pattern is right, but the entries are floats. You need booleans: dtype=torch.bool."
)
def numbers(T):
    return torch.ones(T, T).tril()


@causal_mask.wrong("Everything may be seen: no mask at all. Keep the lower triangle.")
def hides_nothing(T):
    return torch.ones(T, T, dtype=torch.bool)


@causal_mask.wrong("Each token sees itself alone; it may see all earlier ones too.")
def only_itself(T):
    return torch.eye(T, dtype=torch.bool)


@causal_mask.wrong(
    "The pattern is right, but the entries are whole numbers. You need booleans: "
    "dtype=torch.bool."
)
def whole_numbers(T):
    return torch.ones(T, T, dtype=torch.long).tril()


@causal_mask.wrong(
    "Those are the numbers that one adds to scores, 0 and -inf. Return the mask "
    "itself, True and False."
)
def numbers_to_add(T):
    return torch.full((T, T), -math.inf).triu(1)


@causal_mask.wrong("You cut your mask out of one of a fixed size, and T may be larger.")
def out_of_a_fixed_size(T):
    return torch.ones(64, 64, dtype=torch.bool).tril()[:T, :T]


@causal_mask.wrong("You cut your mask out of one of a fixed size, and T may be larger.")
def out_of_512(T):
    return torch.ones(512, 512, dtype=torch.bool).tril()[:T, :T]


@exercise(
    "Running means without a loop",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [
        (torch.tensor([[2.0], [4.0]]),),
        (_seeded(5, 3),),
        (_seeded(2, 7, seed=1),),
        (_seeded(1, 4, seed=2),),
        (_seeded(13, 2, seed=3),),  # rows may be many
    ],
    task=(
        "We typed the matrix above for five words. Make it for any number of rows and "
        "multiply, so that row `t` of the result is the mean of rows `0` to `t` of `values`."
    ),
    hints=(
        "`len(values)` is T. `torch.ones(T, T)` is a matrix of ones, and `.tril()` keeps its "
        "lower triangle, zeros elsewhere.",
        "Divide each row by its own sum: `weights.sum(dim=1, keepdim=True)` has the sums as a "
        "column, 1, 2, 3, ...",
        "`weights @ values` is the matrix product.",
    ),
)
def running_mean(values):
    """Means of rows 0..t for each t, as one matrix product. (T, D) -> (T, D)

    All rows up to t count, however many: nothing is forgotten.
    running_mean(tensor([[2.], [4.]])) -> tensor([[2.], [3.]])
    """
    T = len(values)
    weights = torch.ones(T, T).tril()  # (T, T)
    weights = weights / weights.sum(dim=1, keepdim=True)  # each row sums to 1
    return weights @ values  # (T, D)


@running_mean.wrong("Those are running sums. Divide each row of the weights by its own sum.")
def sums(values):
    return torch.ones(len(values), len(values)).tril() @ values


@running_mean.wrong("You divide every row by T. Row t has t + 1 ones, so it needs its own sum.")
def divides_by_t(values):
    T = len(values)
    return torch.ones(T, T).tril() / T @ values


@running_mean.wrong(
    "Each row is the mean of all rows, later ones included: the lower triangle is missing."
)
def mean_of_all(values):
    T = len(values)
    return torch.ones(T, T) / T @ values


@running_mean.wrong(
    "The columns of your weights sum to 1. The rows should: dim=1, keepdim=True."
)
def columns_normalized(values):
    T = len(values)
    w = torch.ones(T, T).tril()
    return w / w.sum(dim=0) @ values


@running_mean.wrong("Your means run from t to the end. The lower triangle, tril, looks back.")
def from_the_end(values):
    T = len(values)
    w = torch.ones(T, T).triu()
    return w / w.sum(dim=1, keepdim=True) @ values


@running_mean.wrong(
    "Without keepdim=True the row sums have shape (T,) and divide column by column. No error, "
    "wrong numbers: the classic."
)
def keepdim_forgotten(values):
    w = torch.ones(len(values), len(values)).tril()
    return w / w.sum(dim=1) @ values


@running_mean.wrong(
    "Row 0 of your result is nan, the mean of nothing: row t is left out of its own mean. "
    "Take rows 0 to t, so [: t + 1], or tril() without -1."
)
def itself_left_out(values):
    w = torch.ones(len(values), len(values)).tril(-1)
    return w / w.sum(dim=1, keepdim=True) @ values


@running_mean.wrong(
    "Row 0 of your result is infinite: you divide by t, which is 0 there. Rows 0 to t are "
    "t + 1 rows."
)
def divides_by_the_row_number(values):
    return values.cumsum(dim=0) / torch.arange(len(values))[:, None]


@running_mean.wrong(
    "A softmax of zeros and ones still gives the zeros a share, since exp(0) = 1. Divide by "
    "the row sums."
)
def softmax_of_the_triangle(values):
    return torch.ones(len(values), len(values)).tril().softmax(dim=1) @ values


@running_mean.wrong(
    "Your means forget: from row 8 on they are means of the last 8 rows. All rows from 0 to t "
    "count."
)
def of_the_last_eight(values):
    return torch.stack([values[max(0, t - 7) : t + 1].mean(dim=0) for t in range(len(values))])


@exercise(
    "The masked softmax",
    difficulty=2,
    importance=5,
    minutes=10,
    cases=lambda: [
        (torch.zeros(2, 2),),
        (_seeded(4, 4),),
        (_seeded(2, 3, 5, 5, seed=1),),
        (_seeded(3, 3, 3, seed=2),),
        (_seeded(4, 4, seed=3) - 200,),  # a hidden score of -100 would win here
        (_seeded(3, 3, seed=4) + 800,),
        (torch.tensor([[0.0, 300.0], [0.0, 0.0]]),),  # a hidden score far above the visible
        (torch.tensor([[-1000.0, 1000.0], [-1000.0, 1000.0]]),),
        (_seeded(600, 600, seed=5),),
    ],
    task=(
        "Turn scores into causal attention weights: hide the later tokens, then take the "
        "softmax over each row. In the shape `(..., T, T)` the dots are any axes in front, "
        "such as a batch, and every (T, T) matrix gets the same mask. Your mask must fit any T."
    ),
    hints=(
        "Hide first, and take the softmax second. T is `scores.shape[-1]`, your "
        "`causal_mask(T)` shows who may be seen, and `~` turns True into False.",
        "`scores.masked_fill(hidden, -math.inf)` puts -inf where `hidden` is True.",
        "`dim=-1` is the last axis, however many come before it.",
    ),
)
def masked_softmax(scores):
    """Attention weights of causal attention. (..., T, T) -> (..., T, T)

    Each row sums to 1 and is 0 to the right of the diagonal. Scores lie between -1,000 and
    1,000, and a hidden one has no influence, even if it is far above those that are visible.
    masked_softmax(zeros(2, 2)) -> tensor([[1.0, 0.0], [0.5, 0.5]])
    """
    seen = causal_mask(scores.shape[-1])  # (T, T)
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "You hide the future after the softmax: it has taken its share of each row "
    "already, so the rows sum to less than 1."
)
def mask_after_the_softmax(scores):
    return scores.softmax(dim=-1).tril()


@masked_softmax.wrong(
    "You set the hidden scores to 0, and exp(0) = 1 is a fair share of the row. "
    "The hidden score must be -inf, so that its exponential is 0."
)
def zero_instead_of_inf(scores):
    return scores.tril().softmax(dim=-1)


@masked_softmax.wrong("No score is hidden: row 0 already sees the whole future.")
def no_mask(scores):
    return scores.softmax(dim=-1)


@masked_softmax.wrong(
    "Your columns sum to 1. A row is one token's attention, so the softmax runs "
    "over the last axis."
)
def softmax_over_columns(scores):
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-2)


@masked_softmax.wrong("You hide what may be seen; invert the mask with ~.")
def inf_on_the_allowed_side(scores):
    T = scores.shape[-1]
    seen = torch.ones(T, T, dtype=torch.bool).tril()
    return scores.masked_fill(seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong("0 times -inf is nan, and it spreads. Use masked_fill or torch.where.")
def multiplying_by_inf(scores):
    T = scores.shape[-1]
    hidden = 1 - torch.ones(T, T).tril()
    return (scores + hidden * -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "Each row sees one token too many, the very one that it should predict: the diagonal "
    "of the mask is off by one."
)
def sees_one_ahead(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(1)
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "No token sees itself, so row 0 sees nothing and is nan. The diagonal belongs to what "
    "may be seen."
)
def does_not_see_itself(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1)
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "dim=0 is the first axis: the columns of a matrix, or the batch. The softmax runs over "
    "the last, dim=-1."
)
def softmax_over_the_first_axis(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=0)


@masked_softmax.wrong(
    "Right for one matrix. With axes in front dim=1 is not the last one; dim=-1 always is."
)
def softmax_over_the_second_axis(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=1)


@masked_softmax.wrong(
    "Right for one matrix. With axes in front len(scores) is the first of them, not T; "
    "scores.shape[-1] is T."
)
def length_for_t(scores):
    seen = torch.ones(len(scores), len(scores), dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "A visible score can be exactly 0, too; you hide it with the rest, and a row where all "
    "are 0 becomes nan. Ask the mask what is hidden, not the score."
)
def hides_every_zero(scores):
    kept = scores.tril()
    return kept.masked_fill(kept == 0, -math.inf).softmax(dim=-1)


@masked_softmax.wrong(
    "-10 is a low score, not a hidden one: the later tokens keep a small share. Use -inf."
)
def not_low_enough(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -10.0).softmax(dim=-1)


@masked_softmax.wrong(
    "-1,000 is a low score, not a hidden one. Where the visible scores are as low, the hidden "
    "ones keep a share. Use -inf."
)
def a_thousand_is_not_enough(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -1000.0).softmax(dim=-1)


@masked_softmax.wrong(
    "You take 1,000 off the hidden scores. A hidden score may be more than that above the "
    "visible ones, so it keeps a share. Use masked_fill with -inf."
)
def a_thousand_taken_off(scores):
    hidden = torch.ones(scores.shape[-2:]).triu(1)
    return (scores - 1000 * hidden).softmax(dim=-1)


@masked_softmax.wrong(
    "You take the softmax first, hide, and divide by what is left. On paper that is right. "
    "Where a hidden score is far above the visible ones, nothing is left, and 0 / 0 is nan: "
    "hide before the softmax."
)
def divided_by_what_is_left(scores):
    left = scores.softmax(dim=-1).tril()
    return left / left.sum(dim=-1, keepdim=True)


@masked_softmax.wrong("+inf where -inf belongs: every row with a hidden token becomes nan.")
def plus_infinity(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, math.inf).softmax(dim=-1)


@masked_softmax.wrong("Your mask has a fixed size, and T may be larger: T is scores.shape[-1].")
def mask_of_five(scores):
    T = scores.shape[-1]
    seen = torch.ones(5, 5, dtype=torch.bool).tril()[:T, :T]
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong("Your mask has a fixed size, and T may be larger: T is scores.shape[-1].")
def mask_of_512(scores):
    T = scores.shape[-1]
    seen = torch.ones(512, 512, dtype=torch.bool).tril()[:T, :T]
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1)


@masked_softmax.wrong("Those are logarithms of the weights: softmax, not log_softmax.")
def logarithms(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).log_softmax(dim=-1)


@masked_softmax.wrong(
    "The scores have been divided by the square root already, in the step before."
)
def scaled_again(scores):
    return masked_softmax(scores / math.sqrt(scores.shape[-1]))


@masked_softmax.wrong(
    "exp of a large score is inf (lesson 04): use .softmax, or take the largest score of each "
    "row off first."
)
def powers_overflow(scores):
    powers = scores.exp().tril()
    return powers / powers.sum(dim=-1, keepdim=True)


@masked_softmax.wrong("Those are the scores, masked. The softmax is still missing.")
def scores_not_weights(scores):
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf)


@masked_softmax.wrong(
    "Without keepdim=True the sums of the rows divide column by column: no row sums to 1."
)
def sums_lie_flat(scores):
    weights = scores.softmax(dim=-1).tril()
    return weights / weights.sum(dim=-1)


@masked_softmax.wrong(
    "exp of a large score is inf (lesson 04), and without keepdim=True the sums of the rows "
    "divide column by column."
)
def sums_of_powers_lie_flat(scores):
    powers = scores.exp().tril()
    return powers / powers.sum(dim=-1)


@number_exercise(
    "How much is left to see",
    question=(
        "A text has {T:,} tokens, and every token has a score for every token, which makes "
        "{T:,} × {T:,} scores. How many of them does the causal mask leave?"
    ),
    difficulty=1,
    importance=3,
    minutes=3,
    first=(512,),
    draw=lambda random: (random.randint(5, 2_048),),
    hints=("The first token sees 1, the second 2, and the last all of them. Add these up.",),
    worked=lambda T: (
        f"1 + 2 + ... + {T:,} = {T:,} × {T + 1:,} / 2 = {T * (T + 1) // 2:,}: a little more "
        "than half, because of the diagonal."
    ),
)
def visible_scores(T):
    """Pairs of a token and one that it may see."""
    return T * (T + 1) // 2


@visible_scores.wrong("Those are all scores. What lies above the diagonal is hidden.")
def all_scores(T):
    return T * T


@visible_scores.wrong(
    "That many are hidden. As many are visible, plus the diagonal: each token sees itself."
)
def hidden_scores(T):
    return T * (T - 1) // 2


@visible_scores.wrong("A little more than half: the whole diagonal is visible.")
def half_of_all(T):
    return T * T // 2


@visible_scores.wrong("Twice as many as there are: the sum 1 + 2 + ... is half of that.")
def not_halved(T):
    return T * (T + 1)


def _leaks(kind):
    """A toy layer (T, D) -> (T, D) with a given mask, for the leak test."""
    shift = {"causal": 0, "none": 99, "ahead": 1, "itself": -1}[kind]

    def layer(x):
        w = torch.ones(len(x), len(x), dtype=x.dtype).tril(shift)
        return torch.tanh(w @ x)

    layer.__name__ = f"{kind}_layer"
    return layer


def _leak_of(size):
    """Causal, but for a small part of the last row in all others."""

    def layer(x):
        return _leaks("causal")(x) + size * x[-1]

    layer.__name__ = f"layer_with_a_leak_of_{size:g}"
    return layer


def leak_into_row_0_only(x):
    """Causal, but for row 0, which sees a number of the last row."""
    out = _leaks("causal")(x).clone()
    out[0] += 0.5 * x[-1, -1]
    return out


def leak_that_cancels(x):
    """Row 0 sees a number of the last row twice, with plus and with minus."""
    out = torch.full_like(x, 100.0)
    out[0, 0], out[0, 1] = x[-1, 0], -x[-1, 0]
    return out


def small_outputs(x):
    """No mask, and all outputs small."""
    return 0.01 * _leaks("none")(x)


def leak_of_positive_numbers(x):
    """Row 0 sees what is positive in the last row."""
    out = _leaks("causal")(x).clone()
    out[0] += x[-1].relu()
    return out


def leak_of_whole_numbers(x):
    """Row 0 sees the last row without its decimals."""
    out = _leaks("causal")(x).clone()
    out[0] += x[-1].floor()
    return out


def tiny_leak(x):
    """No mask, and all outputs tiny."""
    return 1e-12 * _leaks("none")(x)


def leak_that_only_falls(x):
    """Row 0 is the last row with its sign turned, and the others are 0."""
    out = torch.zeros_like(x)
    out[0] = -x[-1]
    return out


def _leak_cases():
    x = _seeded(5, 3, seed=3)
    kinds = ("causal", "none", "ahead", "itself")
    cases = [(_leaks(kind), x, t) for kind in kinds for t in (1, 3, 4)]
    cases += [(leak_into_row_0_only, x, t) for t in (1, 3, 4)]
    cases += [(layer, x, 4) for layer in (_leak_of(1e-7), _leak_of(1e-3), small_outputs)]
    cases += [(layer, x, 4) for layer in (tiny_leak, leak_that_only_falls)]
    cases += [(leak_that_cancels, torch.arange(15.0).view(5, 3), 4)]
    rows = [torch.cat([_seeded(3, 2, seed=4), torch.full((1, 2), v)]) for v in (0.0, 1.0)]
    cases += [(_leaks("none"), last_row_the_same, 3) for last_row_the_same in rows]
    cases += [(leak_of_whole_numbers, x, 4), (_leaks("none"), x, 0)]
    return [*cases, (leak_of_positive_numbers, torch.full((5, 2), -50.0), 4)]


@exercise(
    "The leak test",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=_leak_cases,
    task=(
        "`layer` maps a sequence (T, D) to a sequence (T, D). Change row `t` of `x` by "
        "adding 1 to it, run `layer` on both versions, and return whether any output "
        "**before** `t` has moved, even by a single bit."
    ),
    hints=(
        "`x.clone()` gives a copy that you may change.",
        "`torch.equal(a, b)` compares bit for bit; `[:t]` are the rows before t.",
    ),
)
def leaks_before(layer, x, t):
    """True if adding 1 to row t changes any output row before t.

    layer: function (T, D) -> (T, D). x: (T, D), must not be changed.
    A layer with a correct causal mask gives False for every t; so does any layer for t = 0.
    """
    changed = x.clone()
    changed[t] += 1
    return not torch.equal(layer(x)[:t], layer(changed)[:t])


@leaks_before.wrong(
    "Nothing has ever moved. Is row t of your copy really changed (`changed[t] += 1`), and do "
    "you run `layer` on both and compare what comes out?"
)
def nothing_changed(layer, x, t):
    c = x.clone()
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "You compare row t too. It may move: a token sees itself. Rows before t: [:t]."
)
def includes_t(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[: t + 1], layer(c)[: t + 1])


@leaks_before.wrong("You look at the outputs after t, which should move. The leak is before t.")
def after_t(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[t + 1 :], layer(c)[t + 1 :])


@leaks_before.wrong("Row t and those after it should move. The leak is before t: [:t].")
def from_t_on(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[t:], layer(c)[t:])


@leaks_before.wrong("Inverted: you return True when nothing has moved.")
def inverted_verdict(layer, x, t):
    c = x.clone()
    c[t] += 1
    return torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "`changed = x` is the same tensor under a second name, so x changes too "
    "and nothing ever differs. Use x.clone()."
)
def changes_x(layer, x, t):
    c = x
    c[t] += 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "A leak of a ten-millionth escapes you. Compare bit for bit, with torch.equal, and change "
    "row t by 1, because the trace of a smaller change is lost in rounding."
)
def forgives_small_differences(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.allclose(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "You forgive differences below a threshold. Any leak is a leak: compare bit for bit, "
    "with torch.equal."
)
def forgives_up_to_a_tenth(layer, x, t):
    c = x.clone()
    c[t] += 1
    return bool((layer(x)[:t] - layer(c)[:t]).abs().max() > 0.1)


@leaks_before.wrong(
    "You forgive differences below a threshold. Any leak is a leak: compare bit for bit, "
    "with torch.equal."
)
def forgives_a_billionth(layer, x, t):
    c = x.clone()
    c[t] += 1
    return bool(((layer(x)[:t] - layer(c)[:t]).abs() > 1e-9).any())


@leaks_before.wrong(
    "A leak may also make a number smaller. Compare with torch.equal, or with != and .any()."
)
def sees_only_what_rises(layer, x, t):
    c = x.clone()
    c[t] += 1
    return bool((layer(c)[:t] > layer(x)[:t]).any())


@leaks_before.wrong("You change all rows. Change row t alone: changed[t] += 1.")
def changes_all_rows(layer, x, t):
    return not torch.equal(layer(x)[:t], layer(x + 1)[:t])


@leaks_before.wrong("Off by one: row t - 1 comes before t, too. The rows before t are [:t].")
def leaves_out_row_t_1(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[: t - 1], layer(c)[: t - 1])


@leaks_before.wrong("You look at row t - 1 alone. A leak may reach any row before t: [:t].")
def row_t_1_alone(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[t - 1], layer(c)[t - 1])


@leaks_before.wrong("You look at row 0 alone. A leak may reach any row before t: [:t].")
def row_0_alone(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x)[0], layer(c)[0])


@leaks_before.wrong("You compare all rows. Row t and those after it should move: [:t].")
def compares_all(layer, x, t):
    c = x.clone()
    c[t] += 1
    return not torch.equal(layer(x), layer(c))


@leaks_before.wrong(
    "You compare sums, or gradients of a sum. Two leaks can cancel in a sum, so compare number "
    "by number."
)
def compares_sums(layer, x, t):
    c = x.clone()
    c[t] += 1
    return layer(x)[:t].sum().item() != layer(c)[:t].sum().item()


@leaks_before.wrong(
    "You ask whether all numbers have moved. One that has is a leak: any, not all."
)
def only_if_all_move(layer, x, t):
    c = x.clone()
    c[t] += 1
    return bool((layer(x)[:t] != layer(c)[:t]).all())


@leaks_before.wrong(
    "A row of zeros stays what it is when it is multiplied, or set to 0. Add to it instead."
)
def doubles_the_row(layer, x, t):
    c = x.clone()
    c[t] *= 2
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "The change is so small that a weak leak is lost in rounding. Add 1, as the task says."
)
def changes_too_little(layer, x, t):
    c = x.clone()
    c[t] += 1e-6
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "You set the row to a value that it may have already. Add to it instead: += 1."
)
def sets_the_row_to_1(layer, x, t):
    c = x.clone()
    c[t] = 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "You change one number of row t. A leak may come from any of them: changed[t] += 1."
)
def changes_one_number(layer, x, t):
    c = x.clone()
    c[t, 0] += 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong("You change column t, one number of every row. Row t is changed[t].")
def changes_a_column(layer, x, t):
    c = x.clone()
    c[:, t] += 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "You change all rows from t on, and so blame t for what leaks from a later row. Change "
    "row t alone."
)
def changes_all_from_t_on(layer, x, t):
    c = x.clone()
    c[t:] += 1
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@leaks_before.wrong(
    "At t = 0 there is no row before t, and the largest of no numbers is an error. "
    "torch.equal returns True for two empty tensors, and .any() returns False."
)
def the_largest_of_nothing(layer, x, t):
    c = x.clone()
    c[t] += 1
    return bool((layer(x)[:t] - layer(c)[:t]).abs().max() > 0)


@leaks_before.wrong("So small a change may be lost on its way. Add 1.")
def a_thousandth(layer, x, t):
    c = x.clone()
    c[t] += 1e-3
    return not torch.equal(layer(x)[:t], layer(c)[:t])


@exercise(
    "The mask of the last few tokens",
    difficulty=3,
    importance=3,
    minutes=10,
    cases=lambda: [(1, 3), (3, 5), (2, 2), (1, 4), (5, 600)],
    task=(
        "While writing, the model computes only the newest tokens, and for the earlier ones it "
        "keeps what it needs (lesson 12). So we need mask rows only for the last `n_query` of "
        "the `n_key` tokens, and each may see everything up to itself. Return the last "
        "`n_query` rows of the full causal mask."
    ),
    hints=(
        "Write down the full 4 x 4 mask and look at its last two rows.",
        "`tril(d)` moves the diagonal d columns to the right.",
    ),
)
def mask_with_cache(n_query, n_key):
    """Booleans (n_query, n_key); query i is at position n_key - n_query + i.

    mask_with_cache(1, 3) -> tensor([[True, True, True]])
    """
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(n_key - n_query)


@mask_with_cache.wrong(
    "Those are the first rows of the full mask: the newest tokens would be at "
    "position 0 and see next to nothing. Shift the diagonal."
)
def first_rows(n_query, n_key):
    return torch.ones(n_query, n_key, dtype=torch.bool).tril()


@mask_with_cache.wrong(
    "Right for one query. With two or more, the earlier of the new tokens would "
    "see the later ones."
)
def sees_all(n_query, n_key):
    return torch.ones(n_query, n_key, dtype=torch.bool)


@mask_with_cache.wrong("Off by one: no query sees itself. Include its own place.")
def off_by_one(n_query, n_key):
    d = n_key - n_query - 1
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(d)


@mask_with_cache.wrong("The shape is turned: rows are queries, columns are keys.")
def transposed(n_query, n_key):
    return torch.ones(n_key, n_query, dtype=torch.bool).tril()


@mask_with_cache.wrong("Each query sees one token too many: shift the diagonal by one less.")
def one_ahead_with_cache(n_query, n_key):
    d = n_key - n_query + 1
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(d)


@mask_with_cache.wrong(
    "The diagonal moves the wrong way: query i is at n_key - n_query + i, so "
    "tril(n_key - n_query)."
)
def wrong_way(n_query, n_key):
    return torch.ones(n_query, n_key, dtype=torch.bool).tril(n_query - n_key)


@mask_with_cache.wrong("Those are the last columns of the full mask. Queries are rows.")
def last_columns(n_query, n_key):
    return torch.ones(n_key, n_key, dtype=torch.bool).tril()[:, -n_query:]


@mask_with_cache.wrong(
    "The pattern is right, but the entries are floats. You need booleans: dtype=torch.bool."
)
def floats_with_cache(n_query, n_key):
    return torch.ones(n_query, n_key).tril(n_key - n_query)


@mask_with_cache.wrong("You cut your mask out of one of a fixed size, and n_key may be larger.")
def out_of_512_with_cache(n_query, n_key):
    full = torch.ones(512, 512, dtype=torch.bool).tril()
    return full[n_key - n_query : n_key, :n_key]


EXERCISES = (
    causal_mask,
    running_mean,
    masked_softmax,
    visible_scores,
    leaks_before,
    mask_with_cache,
)
check = Checker(EXERCISES)
mine = check.mine

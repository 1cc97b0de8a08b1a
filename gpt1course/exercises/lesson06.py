"""Lesson 06, Many heads."""

import math

import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "Split into heads",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        (torch.tensor([[1.0, 2.0], [3.0, 4.0]]), 2),
        (torch.arange(36.0).view(3, 12), 4),
        (torch.arange(48.0).view(8, 6), 2),
        (_seeded(5, 6), 1),
        (_seeded(4, 3, seed=1), 3),
        (_seeded(6, 6, seed=2), 3),
    ],
    task=(
        "Write the careful way for any `x` and `n_head`. Cut each row into slices of D = C / H "
        "numbers, and give each head its own matrix, so that entry `[h]` contains slice `h` of "
        "all T tokens."
    ),
    hints=(
        "First cut each row: with `T, C = x.shape`, `x.view(T, n_head, C // n_head)` leaves "
        "every number with its token.",
        "Now the token is axis 0 and the head axis 1. `transpose(0, 1)` exchanges the two.",
    ),
)
def split_heads(x, n_head):
    """The slices of x, head by head. (T, C) -> (H, T, D), where D = C // H

    split_heads(tensor([[1., 2.], [3., 4.]]), 2) -> tensor([[[1.], [3.]], [[2.], [4.]]])
    """
    T, C = x.shape
    return x.view(T, n_head, C // n_head).transpose(0, 1)  # (H, T, D)


@split_heads.wrong(
    "The shape is right, the numbers are mixed: view(H, T, D) gives head 0 the first T x D "
    "numbers as they lie in memory, which belong to the first tokens. Cut the rows first, "
    "view(T, H, D), then exchange the axes."
)
def view_without_transpose(x, n_head):
    T, C = x.shape
    return x.reshape(n_head, T, C // n_head)


@split_heads.wrong(
    "The axes are still (T, H, D): each token with its heads. What is needed is each head "
    "with its tokens: transpose(0, 1)."
)
def no_transpose(x, n_head):
    T, C = x.shape
    return x.reshape(T, n_head, C // n_head)


@split_heads.wrong(
    "H and D are exchanged: n_head is the number of slices, C // n_head is how wide one is."
)
def heads_and_width_exchanged(x, n_head):
    T, C = x.shape
    return x.reshape(T, C // n_head, n_head).transpose(0, 1)


@split_heads.wrong(
    "Each head got every H-th number. A slice is D neighboring numbers: view(T, H, D)."
)
def every_nth_number(x, n_head):
    return torch.stack([x[:, h::n_head] for h in range(n_head)])


@split_heads.wrong(
    "Each of your heads is (D, T). Exchange the first two axes only, so that D stays last."
)
def transposed_within_a_head(x, n_head):
    T, C = x.shape
    return x.reshape(T, n_head, C // n_head).permute(1, 2, 0)


@split_heads.wrong(
    "You cut the tokens into groups. Every head keeps all tokens; what is cut is each row."
)
def cuts_the_tokens(x, n_head):
    return torch.stack(x.tensor_split(n_head))


@split_heads.wrong(
    "You exchanged the slices with the numbers in them. The token is axis 0 and the head "
    "axis 1: transpose(0, 1)."
)
def exchanged_the_last_two(x, n_head):
    T, C = x.shape
    return x.reshape(T, n_head, C // n_head).transpose(1, 2)


@split_heads.wrong(
    "view(H, T, D) mixes the numbers, and the transpose after it cannot undo that. Cut the "
    "rows first: view(T, H, D)."
)
def transposed_too_late(x, n_head):
    T, C = x.shape
    return x.reshape(n_head, T, C // n_head).transpose(0, 1)


@exercise(
    "Merge the heads",
    difficulty=2,
    importance=5,
    minutes=6,
    cases=lambda: [
        (torch.tensor([[[1.0], [3.0]], [[2.0], [4.0]]]),),
        (torch.arange(36.0).view(4, 3, 3),),
        (_seeded(2, 8, 3),),
        (_seeded(1, 5, 6, seed=1),),
        (_seeded(3, 1, 2, seed=2),),
    ],
    task=(
        "Put the slices of all heads side by side again, so that row `t` contains what head 0, "
        "head 1, ... have for token `t`."
    ),
    hints=(
        "The token's axis must come first: `transpose(0, 1)` gives (T, H, D).",
        "`flatten(1)` joins all axes from axis 1 on. (`view` would refuse: after a "
        "transpose the numbers no longer lie in that order in memory.)",
    ),
)
def merge_heads(mixed):
    """The slices of all heads side by side. (H, T, D) -> (T, H * D)

    merge_heads(tensor([[[1.], [3.]], [[2.], [4.]]])) -> tensor([[1., 2.], [3., 4.]])
    """
    return mixed.transpose(0, 1).flatten(1)  # (T, C)


@merge_heads.wrong(
    "The shape is right, the numbers are mixed: without the transpose a row holds D numbers "
    "of one head for several tokens. transpose(0, 1) first."
)
def merged_without_transpose(mixed):
    H, T, D = mixed.shape
    return mixed.reshape(T, H * D)


@merge_heads.wrong(
    "You add the heads up. Here their slices only lie side by side; the adding is W_O's work."
)
def sums_the_heads(mixed):
    return mixed.sum(0)


@merge_heads.wrong("That is the mean over the heads. Their slices lie side by side.")
def mean_of_the_heads(mixed):
    return mixed.mean(0)


@merge_heads.wrong(
    "The numbers of the heads alternate. Each head's D numbers stay together: (T, H, D)."
)
def alternating_heads(mixed):
    return mixed.permute(1, 2, 0).flatten(1)


@merge_heads.wrong("The heads lie one below the other. They belong side by side: (T, H * D).")
def one_below_the_other(mixed):
    return mixed.flatten(0, 1)


@merge_heads.wrong("Your result still has three axes: flatten(1) joins the last two.")
def transposed_only(mixed):
    return mixed.transpose(0, 1)


@merge_heads.wrong(
    "You joined the tokens of each head: a row per head. You need a row per token, so "
    "the token's axis must come first."
)
def a_row_per_head(mixed):
    return mixed.flatten(1)


@merge_heads.wrong("You exchanged the first axis with the last. It is transpose(0, 1).")
def exchanged_first_and_last(mixed):
    return mixed.transpose(0, 2).reshape(mixed.shape[1], -1)


def _parts(T, H, D, seed):
    """q, k, v (H, T, D), W_O (C, C) and b_O (C,), none of them near 0 or 1."""
    q, k, v = _seeded(3, H, T, D, seed=seed)
    C = H * D
    return q, k, v, _seeded(C, C, seed=seed + 10), _seeded(C, seed=seed + 20)


@exercise(
    "Multi-head attention",
    difficulty=4,
    importance=5,
    minutes=12,
    cases=lambda: [
        (
            torch.zeros(1, 2, 1),
            torch.zeros(1, 2, 1),
            torch.tensor([[[2.0], [4.0]]]),
            torch.tensor([[10.0]]),
            torch.tensor([0.5]),
        ),
        _parts(5, 2, 3, 1),
        _parts(4, 4, 2, 2),
        _parts(3, 3, 4, 3),
        _parts(6, 1, 4, 4),
        (100 * torch.ones(2, 3, 2), torch.ones(2, 3, 2), *_parts(3, 2, 2, 5)[2:]),
        (  # scores of 200 and 201
            torch.full((1, 2, 1), 200.0),
            torch.tensor([[[1.0], [1.005]]]),
            torch.tensor([[[2.0], [4.0]]]),
            torch.tensor([[10.0]]),
            torch.tensor([0.5]),
        ),
        (  # the hidden score is far above the visible one
            torch.full((1, 2, 1), 30.0),
            torch.tensor([[[-10.0], [10.0]]]),
            torch.tensor([[[2.0], [4.0]]]),
            torch.tensor([[10.0]]),
            torch.tensor([0.5]),
        ),
    ],
    task=(
        "Write attention for all heads at once. Given the queries, keys and values of every "
        "head, compute the scores, hide the future, take the softmax, and mix the values. Then "
        "merge the heads, multiply by W_O from the right, and add its bias `b_O`. You may call "
        "`merge_heads`."
    ),
    hints=(
        "`q @ k.transpose(-1, -2)` multiplies head by head and gives (H, T, T). (`k.T` would "
        "reverse all three axes.) Divide by the square root of D, the width of one head.",
        "`seen = g.causal_mask(T)` is True where a token may look. Hide the rest with "
        "`masked_fill(~seen, -math.inf)`, before the softmax over the last axis.",
        "`weights @ v` is (H, T, D). Merge it to (T, C), then `@ W_O + b_O`.",
    ),
)
def multi_head(q, k, v, W_O, b_O):
    """Masked attention in all heads, merged and multiplied by W_O. -> (T, C)

    q, k, v: (H, T, D). W_O: (C, C), C = H * D. b_O: (C,). Scores may be in the hundreds.
    One head, equal scores, W_O = 10, b_O = 0.5: values 2 and 4 become 20.5 and 30.5.
    """
    T, D = q.shape[1:]
    scores = q @ k.transpose(-1, -2) / math.sqrt(D)  # (H, T, T)
    seen = torch.ones(T, T, dtype=torch.bool).tril()  # (T, T)
    weights = scores.masked_fill(~seen, -math.inf).softmax(dim=-1)  # (H, T, T)
    merged = (weights @ v).transpose(0, 1).flatten(1)  # (T, C)
    return merged @ W_O + b_O


def _weights(q, k, scale):
    scores = q @ k.transpose(-1, -2) / scale
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return scores.masked_fill(~seen, -math.inf).softmax(-1)


def _written(weights, v, W_O, b_O):
    return (weights @ v).transpose(0, 1).flatten(1) @ W_O + b_O


@multi_head.wrong(
    "You take the root of T. Axis 1 is the token; D, the width of a head, is q.shape[2]."
)
def root_of_t(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(q.shape[1])), v, W_O, b_O)


@multi_head.wrong(
    "You divide by the root of C. A query and a key of one head have D numbers each, so it "
    "is the root of D = C / H."
)
def root_of_the_whole_width(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(len(W_O))), v, W_O, b_O)


@multi_head.wrong(
    "You merge the heads before the softmax, so there is one head of width C. Merge after "
    "`weights @ v`."
)
def one_wide_head(q, k, v, W_O, b_O):
    q, k, v = (x.transpose(0, 1).flatten(1)[None] for x in (q, k, v))  # (1, T, C) each
    return _written(_weights(q, k, math.sqrt(len(W_O))), v, W_O, b_O)


@multi_head.wrong("The scores are not divided by the root of D.")
def undivided_scores(q, k, v, W_O, b_O):
    return _written(_weights(q, k, 1), v, W_O, b_O)


@multi_head.wrong(
    "You divide by the root of 2, the D of an earlier cell. Here D is q.shape[2]."
)
def root_of_the_earlier_width(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(2)), v, W_O, b_O)


@multi_head.wrong("You divide by the root of H, the number of heads. D is q.shape[2].")
def root_of_the_heads(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(len(q))), v, W_O, b_O)


@multi_head.wrong("You divide by the root of 64. That is GPT-1's D; here D is q.shape[2].")
def root_of_64(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(64)), v, W_O, b_O)


@multi_head.wrong("You divide by D itself; it is the square root of D.")
def divided_by_the_width(q, k, v, W_O, b_O):
    return _written(_weights(q, k, q.shape[-1]), v, W_O, b_O)


@multi_head.wrong(
    "One softmax over all heads: they then share a single sum of 1. Each head has its own, "
    "over the last axis."
)
def one_softmax_over_all_heads(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    powers = scores.masked_fill(~seen, -math.inf).exp()
    return _written(powers / powers.sum((0, 2), keepdim=True), v, W_O, b_O)


@multi_head.wrong("W_O is missing: you return the merged heads as they are.")
def without_w_o(q, k, v, W_O, b_O):
    return (_weights(q, k, math.sqrt(q.shape[-1])) @ v).transpose(0, 1).flatten(1)


@multi_head.wrong("The bias b_O is missing.")
def without_the_bias(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(q.shape[-1])), v, W_O, 0)


@multi_head.wrong(
    "The bias is added once per head. It belongs to the sum, so it is added once."
)
def a_bias_for_each_head(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(q.shape[-1])), v, W_O, len(q) * b_O)


@multi_head.wrong(
    "Your columns sum to 1. A row is one token's attention: softmax over the last axis."
)
def softmax_over_the_queries(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-2), v, W_O, b_O)


@multi_head.wrong("You multiply by the transpose of W_O. Here it is merged @ W_O.")
def transposed_w_o(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(q.shape[-1])), v, W_O.T, b_O)


@multi_head.wrong(
    "You hide the future after the softmax, so the rows no longer sum to 1 (lesson 05)."
)
def mask_after_the_softmax(q, k, v, W_O, b_O):
    weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1).tril()
    return _written(weights, v, W_O, b_O)


@multi_head.wrong(
    "You take the softmax first, hide, and divide by what is left. Where a hidden score is far "
    "above the visible ones, nothing is left, and 0 / 0 is nan: hide before the softmax."
)
def divided_by_what_is_left(q, k, v, W_O, b_O):
    left = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1).tril()
    return _written(left / left.sum(-1, keepdim=True), v, W_O, b_O)


@multi_head.wrong("Nothing is hidden: every token sees the future. Mask before the softmax.")
def sees_the_future(q, k, v, W_O, b_O):
    weights = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).softmax(-1)
    return _written(weights, v, W_O, b_O)


@multi_head.wrong(
    "You hide what may be seen, and show the future: `seen` is True where a token may look, so "
    "hide the rest with ~seen."
)
def hides_the_past(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return _written(scores.masked_fill(seen, -math.inf).softmax(-1), v, W_O, b_O)


@multi_head.wrong(
    "k.T reverses all three axes, to (D, T, H). Only the last two should change places: "
    "k.transpose(-1, -2)."
)
def all_axes_reversed(q, k, v, W_O, b_O):
    scores = q @ k.permute(2, 1, 0) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-1), v, W_O, b_O)


@multi_head.wrong(
    "Your T is the number of heads. q is (H, T, D), so T and D are q.shape[1] and q.shape[2]."
)
def takes_the_heads_for_t(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[1])
    seen = torch.ones(len(q), len(q), dtype=torch.bool).tril()
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-1), v, W_O, b_O)


@multi_head.wrong(
    "The heads are merged without the transpose, so a row holds numbers of several tokens. "
    "Use merge_heads."
)
def merged_as_they_lie(q, k, v, W_O, b_O):
    mixed = _weights(q, k, math.sqrt(q.shape[-1])) @ v
    return mixed.reshape(q.shape[1], -1) @ W_O + b_O


@multi_head.wrong(
    "flatten(1) alone makes a row for each head: the token's axis must come first. Use "
    "merge_heads."
)
def flattened_by_head(q, k, v, W_O, b_O):
    return (_weights(q, k, math.sqrt(q.shape[-1])) @ v).flatten(1) @ W_O + b_O


@multi_head.wrong("You mix the keys. What is mixed is the values: weights @ v.")
def mixes_the_keys(q, k, v, W_O, b_O):
    return _written(_weights(q, k, math.sqrt(q.shape[-1])), k, W_O, b_O)


@multi_head.wrong("Queries and keys are exchanged: q @ k.transpose(-1, -2).")
def keys_ask(q, k, v, W_O, b_O):
    return _written(_weights(k, q, math.sqrt(q.shape[-1])), v, W_O, b_O)


@multi_head.wrong("Row 0 sees nothing. A token sees itself, so hide ~tril(), or triu(1).")
def hides_itself(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(-1)
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-1), v, W_O, b_O)


@multi_head.wrong("A token sees the one after it: .tril() and not .tril(1).")
def sees_one_ahead(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(1)
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-1), v, W_O, b_O)


@multi_head.wrong("A hidden score of 0 still gets a weight, e^0 = 1: hide with -inf.")
def zero_for_the_hidden(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    return _written(scores.tril().softmax(-1), v, W_O, b_O)


@multi_head.wrong("Your softmax runs over the heads (dim=0). Each row of each head sums to 1.")
def softmax_over_the_heads(q, k, v, W_O, b_O):
    scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return _written(scores.masked_fill(~seen, -math.inf).softmax(0), v, W_O, b_O)


@multi_head.wrong("exp of a large score is inf: use .softmax, which takes the maximum off.")
def powers_overflow(q, k, v, W_O, b_O):
    powers = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).exp().tril()
    return _written(powers / powers.sum(dim=-1, keepdim=True), v, W_O, b_O)


@multi_head.wrong(
    "You hold the scores below a limit, so that exp cannot overflow. Scores of 200 and 201 "
    "then look alike: use .softmax, which takes the maximum off."
)
def scores_held_at_50(q, k, v, W_O, b_O):
    scores = (q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])).clamp(-50, 50)
    seen = torch.ones(scores.shape[-2:], dtype=torch.bool).tril()
    return _written(scores.masked_fill(~seen, -math.inf).softmax(-1), v, W_O, b_O)


@exercise(
    "Ablate a head",
    difficulty=2,
    importance=4,
    minutes=7,
    cases=lambda: [
        (torch.ones(2, 1, 2), 1),
        (_seeded(3, 4, 2), 0),
        (_seeded(3, 4, 2, seed=1), 2),
        (_seeded(4, 2, 5, seed=2), 1),
        (_seeded(1, 3, 2, seed=3), 0),
    ],
    task=(
        "Return a copy of `mixed`, the mixed values of all heads before they are merged. In "
        "the copy, head `head` is 0 and all others are as they were. `mixed` itself must not "
        "change, because we'll need it again."
    ),
    hints=(
        "`mixed.clone()` is a copy that you may change.",
        "Axis 0 is the head: `copy[head] = 0` sets its whole (T, D) matrix.",
    ),
)
def ablate_head(mixed, head):
    """A copy of mixed with one head at 0. (H, T, D) -> (H, T, D)

    ablate_head(ones(2, 1, 2), 1) -> tensor([[[1., 1.]], [[0., 0.]]])
    """
    ablated = mixed.clone()
    ablated[head] = 0
    return ablated


@ablate_head.wrong(
    "The head is gone, and so are its D columns: W_O would not fit. Keep it, with zeros."
)
def removes_the_head(mixed, head):
    return torch.cat([mixed[:head], mixed[head + 1 :]])


@ablate_head.wrong(
    "You scaled the other heads up to fill the gap. They should stay exactly as they were."
)
def others_made_louder(mixed, head):
    ablated = mixed.clone()
    ablated[head] = 0
    return ablated * len(mixed) / max(1, len(mixed) - 1)


@ablate_head.wrong("The head now has its mean over the tokens. An ablated head has zeros.")
def writes_its_mean(mixed, head):
    ablated = mixed.clone()
    ablated[head] = mixed[head].mean(0)
    return ablated


@ablate_head.wrong("You set token `head` to 0 in all heads. The head is axis 0.")
def zeros_for_a_token(mixed, head):
    ablated = mixed.clone()
    ablated[:, head] = 0
    return ablated


@ablate_head.wrong("You set number `head` of every slice to 0. The head is axis 0.")
def zeros_for_a_number(mixed, head):
    ablated = mixed.clone()
    ablated[:, :, head] = 0
    return ablated


@ablate_head.wrong("You kept that head and set all others to 0. It is the other way around.")
def keeps_only_that_head(mixed, head):
    ablated = torch.zeros_like(mixed)
    ablated[head] = mixed[head]
    return ablated


@ablate_head.wrong("Heads are counted from 0: copy[head].")
def counts_from_one(mixed, head):
    ablated = mixed.clone()
    ablated[head - 1] = 0
    return ablated


@ablate_head.wrong(
    "Minus infinity belongs to scores, before a softmax. Mixed values are added up, so an "
    "ablated head must be 0."
)
def minus_infinity(mixed, head):
    ablated = mixed.clone()
    ablated[head] = -math.inf
    return ablated


@number_exercise(
    "How many weights, how many bytes?",
    question=(
        "To learn from a text of {T:,} tokens, a model of {n_layer} blocks with {n_head} heads "
        "each keeps all its attention weights. The matrices are stored whole, with the zeros "
        "above the diagonal. How many bytes is that, if a float32 number takes 4 bytes?"
    ),
    difficulty=2,
    importance=3,
    minutes=6,
    first=(12, 12, 512),  # GPT-1
    draw=lambda random: (
        random.randint(2, 48),
        random.randint(2, 32),
        2 ** random.randint(6, 13),
    ),
    hints=(
        "One head has a T x T matrix. How many heads are there in all?",
        "n_layer * n_head matrices of T * T numbers, 4 bytes each. Let Python count.",
    ),
    worked=lambda n_layer, n_head, T: (
        f"There are {n_layer} × {n_head} = {n_layer * n_head:,} matrices. Each has "
        f"{T:,} × {T:,} = {T * T:,} numbers, which makes {n_layer * n_head * T * T:,} in all. "
        f"At 4 bytes each, they take {4 * n_layer * n_head * T * T:,} bytes."
    ),
)
def weight_bytes(n_layer, n_head, T):
    """Bytes of all attention weights of one text of T tokens, in float32."""
    return n_layer * n_head * T * T * 4


@weight_bytes.wrong("Those are the numbers. Each takes 4 bytes in float32.")
def counts_numbers(n_layer, n_head, T):
    return n_layer * n_head * T * T


@weight_bytes.wrong(
    "You count what may be seen, T (T + 1) / 2 per head. The matrix is stored whole, zeros too."
)
def only_the_triangle(n_layer, n_head, T):
    return n_layer * n_head * T * (T + 1) // 2 * 4


@weight_bytes.wrong("A head weighs every token for every token: T times T numbers, not T.")
def linear_in_the_tokens(n_layer, n_head, T):
    return n_layer * n_head * T * 4


@weight_bytes.wrong(
    "Either the blocks or the heads are left out: each block has heads of its own, so there "
    "are blocks times heads matrices."
)
def one_block(n_layer, n_head, T):
    return n_head * T * T * 4


@weight_bytes.wrong("That would be float64 with its 8 bytes; float32 has 4.")
def eight_bytes(n_layer, n_head, T):
    return n_layer * n_head * T * T * 8


@weight_bytes.wrong("Those are bits. A byte has 8 of them: 4 bytes for each number.")
def bits(n_layer, n_head, T):
    return n_layer * n_head * T * T * 32


@weight_bytes.wrong("Those are megabytes. Give the bytes, a million times as many.")
def megabytes(n_layer, n_head, T):
    return round(n_layer * n_head * T * T * 4 / 1e6)


@exercise(
    "The last k tokens",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [
        (torch.tensor([5, 6, 7, 8, 9]), 2, 3),
        (torch.arange(20, 32), 1, 4),
        (torch.arange(20, 32), 4, 4),
        (torch.tensor([3, 1, 4, 1, 5, 9, 2, 6]), 3, 5),
        (torch.tensor([2, 7, 1, 8, 2, 8]), 1, 1),
    ],
    task=(
        "How well does a model predict if it sees only the last `k` tokens? For a fair "
        "comparison of several `k`, all of them must predict the same tokens. Take those from "
        "position `longest` on, which all have at least `longest` tokens before them. Return "
        "the contexts, one row of `k` ids for each of these tokens, and the tokens themselves."
    ),
    hints=(
        "The tokens to predict are `ids[longest:]`, whatever `k` is.",
        "For the token at position t, the context is `ids[t - k : t]`: k ids, the last of them "
        "just before t.",
        "`torch.stack([... for t in range(longest, len(ids))])` puts the contexts one below "
        "the other.",
    ),
)
def last_k(ids, k, longest):
    """Contexts of k ids, and what follows each. ids (N,) -> (N - longest, k), (N - longest,)

    last_k(tensor([5, 6, 7, 8, 9]), 2, 3) -> (tensor([[6, 7], [7, 8]]), tensor([8, 9]))
    """
    places = range(longest, len(ids))
    return torch.stack([ids[t - k : t] for t in places]), ids[longest:]


@last_k.wrong(
    "Your first token to predict is at position k, so each k has different tokens to "
    "predict, and the comparison is unfair. Begin at `longest` for every k."
)
def other_targets_for_each_k(ids, k, longest):
    return torch.stack([ids[t - k : t] for t in range(k, len(ids))]), ids[k:]


@last_k.wrong(
    "The last id of each context is the token to predict: the answer is part of the question. "
    "ids[t - k : t] ends just before t."
)
def answer_in_the_context(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t - k + 1 : t + 1] for t in places]), ids[longest:]


@last_k.wrong("You take the first k of the `longest` tokens before t. Take the last k.")
def first_k(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t - longest : t - longest + k] for t in places]), ids[longest:]


@last_k.wrong(
    "Your contexts do not overlap, so most tokens are never predicted: step by 1, not by k."
)
def steps_of_k(ids, k, longest):
    places = range(longest, len(ids), k)
    return torch.stack([ids[t - k : t] for t in places]), ids[longest::k]


@last_k.wrong("Your contexts end one token too early: the context of t is ids[t - k : t].")
def one_too_early(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t - k - 1 : t - 1] for t in places]), ids[longest:]


@last_k.wrong(
    "Your contexts are right, but your tokens to predict are one position too early: take "
    "ids[longest:]."
)
def targets_one_early(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t - k : t] for t in places]), ids[longest - 1 : -1]


@last_k.wrong(
    "There is one context more than tokens to predict: after the last id nothing follows."
)
def one_context_too_many(ids, k, longest):
    places = range(longest, len(ids) + 1)
    return torch.stack([ids[t - k : t] for t in places]), ids[longest:]


@last_k.wrong("The contexts alone are half of it: return them and ids[longest:].")
def contexts_alone(ids, k, longest):
    return torch.stack([ids[t - k : t] for t in range(longest, len(ids))])


@last_k.wrong("Your contexts have `longest` ids. The model sees the last k of them.")
def contexts_of_longest(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t - longest : t] for t in places]), ids[longest:]


@last_k.wrong("Swapped: the contexts come first, then the tokens to predict.")
def targets_first(ids, k, longest):
    return last_k(ids, k, longest)[::-1]


@last_k.wrong("Your contexts run backward. The newest token comes last.")
def newest_first(ids, k, longest):
    contexts, targets = last_k(ids, k, longest)
    return contexts.flip(1), targets


@last_k.wrong(
    "Your contexts begin with the token to predict. They end just before it: ids[t - k : t]."
)
def what_follows(ids, k, longest):
    places = range(longest, len(ids))
    return torch.stack([ids[t : t + k] for t in places]), ids[longest:]


EXERCISES = (split_heads, merge_heads, multi_head, ablate_head, weight_bytes, last_k)
check = Checker(EXERCISES)
mine = check.mine

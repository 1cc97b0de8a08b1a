"""Lesson 11, The real GPT-1."""

import math

import torch

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "Cut the stream",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [
        (torch.arange(11.0), [(2, 2), (3,), (1, 2, 2)]),
        (_numbers(20, seed=1), [(4, 3), (2, 4)]),
        (torch.arange(5), [(2,), (1, 3)]),
        (_numbers(10, seed=4), [[2, 3], [4]]),
        (_numbers(12, seed=7), [(2,), (3, 2), (2,), (2, 1)]),  # a shape twice
    ],
    task=(
        "The release stores all numbers in one row, and a list of shapes. Cut the row "
        "into arrays of these shapes, in order, where a shape may be a tuple or, as JSON gives "
        "it, a list."
    ),
    hints=(
        "`math.prod(shape)` numbers belong to a shape.",
        "Keep a variable `start` that moves on by the size of each array.",
    ),
)
def cut_stream(stream, shapes):
    """A list of tensors, one of each shape, that together use up stream (N,).

    A shape may come twice.
    cut_stream(arange(5), [(2,), (1, 3)]) -> [tensor([0, 1]), tensor([[2, 3, 4]])]
    """
    arrays, start = [], 0
    for shape in shapes:
        size = math.prod(shape)
        arrays.append(stream[start : start + size].view(shape))
        start += size
    return arrays


@cut_stream.wrong(
    "Every array is cut from the beginning of the stream. Go on from where the last one ended."
)
def always_from_the_start(stream, shapes):
    return [stream[: math.prod(s)].view(s) for s in shapes]


@cut_stream.wrong("You fill the arrays column by column. numpy and torch fill them row by row.")
def read_in_columns(stream, shapes):
    out, start = [], 0
    for s in shapes:
        n = math.prod(s)
        part = stream[start : start + n]
        out.append(part.view(s[::-1]).permute(*range(len(s))[::-1]))
        start += n
    return out


@cut_stream.wrong("The pieces are right but flat: give each its shape.")
def flat(stream, shapes):
    return list(stream.split([math.prod(s) for s in shapes]))


@cut_stream.wrong(
    "You cut from the end of the stream, but the first array is at its beginning."
)
def from_the_end(stream, shapes):
    out, end = [], len(stream)
    for s in shapes:
        n = math.prod(s)
        out.append(stream[end - n : end].view(s))
        end -= n
    return out


@cut_stream.wrong("You add the sides of a shape. (2, 3) takes 2 x 3 numbers: math.prod.")
def sums_of_sides(stream, shapes):
    out, start = [], 0
    for s in shapes:
        out.append(stream[start : start + sum(s)].view(s))
        start += sum(s)
    return out


@cut_stream.wrong(
    "You leave a number out after each array. A slice stops before its end, so the next array "
    "starts right there."
)
def one_left_out(stream, shapes):
    out, start = [], 0
    for s in shapes:
        out.append(stream[start : start + math.prod(s)].view(s))
        start += math.prod(s) + 1
    return out


@cut_stream.wrong(
    "The end of your slice is the size of the array. A slice ends at a position: "
    "stream[start : start + size]."
)
def ends_at_the_size(stream, shapes):
    out, start = [], 0
    for s in shapes:
        out.append(stream[start : math.prod(s)].view(s))
        start += math.prod(s)
    return out


@cut_stream.wrong("`start` must move on by the size of each array: start += size.")
def start_set_to_the_size(stream, shapes):
    out, start = [], 0
    for s in shapes:
        out.append(stream[start : start + math.prod(s)].view(s))
        start = math.prod(s)
    return out


@cut_stream.wrong("Keep dimensions of size 1: the shape (1, 2, 2) has three.")
def squeezed(stream, shapes):
    out, start = [], 0
    for s in shapes:
        out.append(stream[start : start + math.prod(s)].view(s).squeeze())
        start += math.prod(s)
    return out


@cut_stream.wrong("You return the first array only: the `return` is inside the loop.")
def first_array_only(stream, shapes):
    return [stream[: math.prod(shapes[0])].view(shapes[0])]


@cut_stream.wrong(
    "You use the shapes as keys. From JSON they are lists, which cannot be keys, and two "
    "arrays may have the same shape. Collect the arrays in a list."
)
def by_shape(stream, shapes):
    out, start = {}, 0
    for s in shapes:
        out[s] = stream[start : start + math.prod(s)].view(s)
        start += math.prod(s)
    return list(out.values())


@cut_stream.wrong(
    "You use the shapes as keys, and two arrays may have the same shape. Collect the arrays in "
    "a list."
)
def by_shape_as_a_tuple(stream, shapes):
    out, start = {}, 0
    for s in map(tuple, shapes):
        out[s] = stream[start : start + math.prod(s)].view(s)
        start += math.prod(s)
    return list(out.values())


@exercise(
    "A convolution of width 1",
    difficulty=2,
    importance=5,
    minutes=6,
    cases=lambda: [
        (_numbers(1, 3, 5, seed=2),),
        (_numbers(1, 4, 4, seed=3),),
        (_numbers(1, 1, 5, seed=5),),
        (_numbers(1, 4, 1, seed=6),),
    ],
    task=(
        "A released layer is $y = x W + b$ with $W$ of shape (1, in, out). Return the "
        "weight that torch's `nn.Linear` needs for the same layer: it computes "
        "$x\\,\\text{weight}^T + b$."
    ),
    hints=(
        "Which shape must the weight have? And how do you get rid of the leading 1?",
        "`W[0]` has the shape (in, out), and `.T` exchanges the two.",
    ),
)
def linear_from_release(W):
    """The weight (out, in) of nn.Linear from a released W (1, in, out); in or out may be 1."""
    return W[0].T


@linear_from_release.wrong(
    "This is (in, out). nn.Linear keeps (out, in): transpose. With square "
    "matrices nothing would warn you."
)
def not_transposed(W):
    return W[0]


@linear_from_release.wrong(
    "The shape is right, the numbers are not: reshape keeps the order of the "
    "numbers, a transpose exchanges rows and columns."
)
def reshaped(W):
    return W.reshape(W.shape[2], W.shape[1])


@linear_from_release.wrong("Transposed, but the leading 1 is still there.")
def one_dimension_left(W):
    return W.transpose(1, 2)


@linear_from_release.wrong(
    "You transpose only if the matrix is not square. A square one needs it as well: its "
    "rows and columns mean different things."
)
def not_if_square(W):
    return W[0] if W.shape[1] == W.shape[2] else W[0].T


@linear_from_release.wrong(
    "A transpose turns a matrix over its diagonal. flip reverses its axes, too: leave it out."
)
def flipped(W):
    return W[0].flip(0, 1).T


@linear_from_release.wrong(
    "You invert the matrix. The layer is to do the same thing, not to undo it: transpose."
)
def inverted(W):
    return torch.linalg.pinv(W[0])


@linear_from_release.wrong(
    "W.T reverses all three dimensions, to (out, in, 1). Take W[0] first."
)
def all_dimensions_turned(W):
    return W.permute(2, 1, 0)


@linear_from_release.wrong(
    "squeeze() drops each dimension of size 1, also in or out where one of them is 1: W[0]."
)
def all_ones_dropped(W):
    return W.squeeze().T


@linear_from_release.wrong(
    "squeeze() drops each dimension of size 1, also in or out where one of them is 1: W[0]."
)
def all_ones_dropped_and_transposed(W):
    return W.squeeze().transpose(0, 1)


@exercise(
    "Count the release",
    difficulty=2,
    importance=3,
    minutes=6,
    cases=lambda: [
        ([(5, 4), (9, 4), (1, 4, 12), (12,), (4,)],),
        ([(1, 2, 3), (7,)],),
        ([(1, 5), (3, 1), (2, 2)],),
        ([[1, 3, 4], [4]],),
        ([(2, 3, 4), (1, 1, 6)],),
        ([(4, 2), (4,), (4, 2), (4,)],),  # shapes twice
    ],
    task=(
        "From a list of shapes, count all numbers, and those that weight decay acts on. As in "
        "lesson 10, these are the numbers in arrays with more than one axis."
    ),
    hints=("`math.prod(shape)` is the number of numbers in an array.",),
)
def parameters_of(shapes):
    """(all numbers, numbers under weight decay) of a list of shapes.

    Weight decay acts on arrays with more than one axis, (1, 5) and (2, 3, 4) included.
    Two arrays of the same shape both count.
    """
    everything = sum(math.prod(s) for s in shapes)
    matrices = [s for s in shapes if len(s) > 1]
    return everything, sum(math.prod(s) for s in matrices)


@parameters_of.wrong("You add the sides of each array; multiply them.")
def adds_the_sides(shapes):
    big = [s for s in shapes if len(s) > 1]
    return sum(map(sum, shapes)), sum(map(sum, big))


@parameters_of.wrong("Biases and gains do not decay. They are the arrays with one axis.")
def all_decay(shapes):
    n = sum(math.prod(s) for s in shapes)
    return n, n


@parameters_of.wrong("You leave out the arrays of shape (1, in, out): they are matrices too.")
def only_the_embeddings(shapes):
    return (sum(math.prod(s) for s in shapes), sum(math.prod(s) for s in shapes if len(s) == 2))


@parameters_of.wrong("You count the arrays; count the numbers in them.")
def arrays_not_numbers(shapes):
    return len(shapes), len([s for s in shapes if len(s) > 1])


@parameters_of.wrong(
    "You leave out arrays such as (1, 5), which have two axes, so weight decay acts on them: "
    "a side of length 1 is an axis, too."
)
def only_sides_above_1(shapes):
    matrices = [s for s in shapes if len([n for n in s if n > 1]) > 1]
    return sum(math.prod(s) for s in shapes), sum(math.prod(s) for s in matrices)


@parameters_of.wrong("The other way around: first all numbers, then those under weight decay.")
def exchanged(shapes):
    matrices = [s for s in shapes if len(s) > 1]
    return sum(math.prod(s) for s in matrices), sum(math.prod(s) for s in shapes)


@parameters_of.wrong("The second number counts what does not decay. Count what does.")
def the_others(shapes):
    others = [s for s in shapes if len(s) < 2]
    return sum(math.prod(s) for s in shapes), sum(math.prod(s) for s in others)


@parameters_of.wrong("You return one number per array. Add them up.")
def not_added_up(shapes):
    matrices = [s for s in shapes if len(s) > 1]
    return [math.prod(s) for s in shapes], [math.prod(s) for s in matrices]


@parameters_of.wrong(
    "Equal shapes count as often as they come: go through the list, not a set."
)
def a_set_of_lists(shapes):
    return parameters_of([*set(shapes)])


@parameters_of.wrong("You count equal shapes once, as a set or a dict does. Each is an array.")
def equal_shapes_once(shapes):
    return parameters_of([*dict.fromkeys(map(tuple, shapes))])


@exercise(
    "One table for everything",
    difficulty=1,
    importance=3,
    minutes=2,
    cases=lambda: [(0, 40478, 3), (511, 40478, 3), (7, 100, 2), (1, 60, 0)],
    task=(
        "In OpenAI's fine-tuning code one table has the token rows, then the rows of "
        "the special tokens, then those of the positions. Which row is position `p`?"
    ),
    hints=("n_vocab rows of tokens come first, then n_special more.",),
)
def table_row(p, n_vocab, n_special):
    """The row of position p (from 0) in the table tokens, specials, positions."""
    return n_vocab + n_special + p


@table_row.wrong(
    "The special tokens come between: your position 0 would be the row of _start_."
)
def specials_forgotten(p, n_vocab, n_special):
    return n_vocab + p


@table_row.wrong("Rows are counted from 0, like positions: one too far.")
def from_1(p, n_vocab, n_special):
    return n_vocab + n_special + p + 1


@table_row.wrong("Rows are counted from 0, like positions: one too early.")
def one_too_early(p, n_vocab, n_special):
    return n_vocab + n_special + p - 1


@table_row.wrong("The token rows are missing: position 0 comes after n_vocab + n_special rows.")
def without_the_tokens(p, n_vocab, n_special):
    return n_special + p


@table_row.wrong(
    "That is row 0 of the positions, whatever p is. Position p is p rows further down."
)
def always_the_first(p, n_vocab, n_special):
    return n_vocab + n_special


@table_row.wrong("There are n_special special tokens, not always 3.")
def always_three(p, n_vocab, n_special):
    return n_vocab + 3 + p


@table_row.wrong(
    "The positions come last in this table. (In the released files they are the "
    "first array; the code moves them.)"
)
def positions_first(p, n_vocab, n_special):
    return p


@table_row.wrong("40,478 is GPT-1's own number of tokens; n_vocab may be another.")
def always_gpt_1_s_tokens(p, n_vocab, n_special):
    return 40478 + n_special + p


@number_exercise(
    "Parameters of a model",
    question=(
        "A GPT-1 of another size has {n_vocab:,} tokens, {n_ctx} positions, {n_layer} blocks, "
        "and {C} dimensions. How many numbers do its released files contain? You may add up "
        "the shapes or use your formula of lesson 08."
    ),
    difficulty=3,
    importance=3,
    minutes=6,
    first=(30_000, 256, 8, 512),
    draw=lambda random: (
        random.randint(1000, 60_000),
        2 ** random.randint(6, 10),
        random.randint(2, 24),
        64 * random.randint(1, 16),
    ),
    worked=lambda n_vocab, n_ctx, n_layer, C: (
        f"Two tables: {n_vocab + n_ctx:,} rows of {C} numbers. A block has twelve square "
        f"matrices' worth of weights, 12 · {C} · {C}, and 13 · {C} biases and gains. Together "
        f"{(n_vocab + n_ctx) * C:,} + {n_layer} · {12 * C * C + 13 * C:,} = "
        f"{(n_vocab + n_ctx) * C + n_layer * (12 * C * C + 13 * C):,}."
    ),
    hints=(
        "The list of section 1 has the twelve shapes of a block; put C in place of 768.",
        "For q, k and v it's 3 C · C + 3 C, for attention's output C · C + C, for the MLP 8 "
        "C · C + 5 C, and for the two LayerNorms 4 C. Then add the two tables.",
    ),
)
def released_numbers(n_vocab, n_ctx, n_layer, C):
    """All parameters of a GPT-1 of these sizes."""
    return (n_vocab + n_ctx) * C + n_layer * (12 * C * C + 13 * C)


@released_numbers.wrong("You count the token table twice. The output uses the same one.")
def not_tied(n_vocab, n_ctx, n_layer, C):
    return (2 * n_vocab + n_ctx) * C + n_layer * (12 * C * C + 13 * C)


@released_numbers.wrong("Biases and gains are missing: 13 C in each block.")
def matrices_alone(n_vocab, n_ctx, n_layer, C):
    return (n_vocab + n_ctx) * C + n_layer * 12 * C * C


@released_numbers.wrong("You add a LayerNorm after the last block. GPT-1 has none there.")
def with_a_final_norm(n_vocab, n_ctx, n_layer, C):
    return (n_vocab + n_ctx) * C + n_layer * (12 * C * C + 13 * C) + 2 * C


@released_numbers.wrong("Those are the blocks. The two tables are missing.")
def blocks_alone(n_vocab, n_ctx, n_layer, C):
    return n_layer * (12 * C * C + 13 * C)


@released_numbers.wrong("You count a single block.")
def a_single_block(n_vocab, n_ctx, n_layer, C):
    return (n_vocab + n_ctx) * C + 12 * C * C + 13 * C


@released_numbers.wrong("The three special tokens join in fine-tuning; the files have none.")
def with_specials(n_vocab, n_ctx, n_layer, C):
    return (n_vocab + 3 + n_ctx) * C + n_layer * (12 * C * C + 13 * C)


@released_numbers.wrong("The position table is missing: n_ctx rows of C numbers.")
def no_positions(n_vocab, n_ctx, n_layer, C):
    return n_vocab * C + n_layer * (12 * C * C + 13 * C)


@released_numbers.wrong("You count 12 blocks. This one has another number of them.")
def always_12_blocks(n_vocab, n_ctx, n_layer, C):
    return (n_vocab + n_ctx) * C + 12 * (12 * C * C + 13 * C)


EXERCISES = (cut_stream, linear_from_release, parameters_of, table_row, released_numbers)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 11, The real GPT-1."""

import torch

from . import Exercise, Wrong, checker


def _numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


cut_stream = Exercise(
    name="cut_stream",
    title="Cut the stream",
    task="The release stores all numbers in one row, and a list of shapes. Cut the row "
    "into arrays of these shapes, in order.",
    difficulty=3,
    importance=4,
    minutes=10,
    stub='''
def cut_stream(stream, shapes):
    """A list of tensors, one of each shape, that together use up stream (N,).

    cut_stream(arange(5), [(2,), (1, 3)]) -> [tensor([0, 1]), tensor([[2, 3, 4]])]
    """
    ...
''',
    solution='''
def cut_stream(stream, shapes):
    """A list of tensors, one of each shape, that together use up stream (N,)."""
    arrays, start = [], 0
    for shape in shapes:
        size = math.prod(shape)
        arrays.append(stream[start : start + size].view(shape))
        start += size
    return arrays
''',
    wrong=(
        Wrong(
            "always from the start",
            "def cut_stream(stream, shapes):\n"
            "    return [stream[: math.prod(s)].view(s) for s in shapes]",
            "Every array is cut from the beginning of the stream. Go on from where the "
            "last one ended.",
        ),
        Wrong(
            "read in columns",
            "def cut_stream(stream, shapes):\n    out, start = [], 0\n"
            "    for s in shapes:\n        n = math.prod(s)\n"
            "        part = stream[start : start + n]\n"
            "        out.append(part.view(s[::-1]).permute(*range(len(s))[::-1]))\n"
            "        start += n\n    return out",
            "You fill the arrays column by column. numpy and torch fill them row by row.",
        ),
        Wrong(
            "flat",
            "def cut_stream(stream, shapes):\n"
            "    return list(stream.split([math.prod(s) for s in shapes]))",
            "The pieces are right but flat: give each its shape.",
        ),
        Wrong(
            "from the end",
            "def cut_stream(stream, shapes):\n    out, end = [], len(stream)\n"
            "    for s in shapes:\n        n = math.prod(s)\n"
            "        out.append(stream[end - n : end].view(s))\n        end -= n\n"
            "    return out",
            "You cut from the end of the stream; its first array stands first.",
        ),
    ),
    cases=lambda: [
        (torch.arange(11.0), [(2, 2), (3,), (1, 2, 2)]),
        (_numbers(20, seed=1), [(4, 3), (2, 4)]),
    ],
    hints=(
        "`math.prod(shape)` numbers belong to a shape.",
        "Keep a variable `start` that moves on by the size of each array.",
    ),
)

linear_from_release = Exercise(
    name="linear_from_release",
    title="A convolution of width 1",
    task="A released layer is $y = x W + b$ with $W$ of shape (1, in, out). Return the "
    "weight that torch's `nn.Linear` needs for the same layer: it computes "
    "$x\\,\\text{weight}^T + b$.",
    difficulty=2,
    importance=5,
    minutes=6,
    stub='''
def linear_from_release(W):
    """The weight (out, in) of nn.Linear from a released W (1, in, out)."""
    ...
''',
    solution='''
def linear_from_release(W):
    """The weight (out, in) of nn.Linear from a released W (1, in, out)."""
    return W[0].T
''',
    wrong=(
        Wrong(
            "not transposed",
            "def linear_from_release(W):\n    return W[0]",
            "This is (in, out). nn.Linear keeps (out, in): transpose. With square "
            "matrices nothing would warn you.",
        ),
        Wrong(
            "reshaped",
            "def linear_from_release(W):\n    return W.reshape(W.shape[2], W.shape[1])",
            "The shape is right, the numbers are not: reshape keeps the order of the "
            "numbers, a transpose exchanges rows and columns.",
        ),
        Wrong(
            "one dimension left",
            "def linear_from_release(W):\n    return W.transpose(1, 2)",
            "Transposed, but the leading 1 is still there.",
        ),
    ),
    cases=lambda: [(_numbers(1, 3, 5, seed=2),), (_numbers(1, 4, 4, seed=3),)],
    hints=("`W[0]` is (in, out); `.T` exchanges the two.",),
)

parameters_of = Exercise(
    name="parameters_of",
    title="Count the release",
    task="From a list of shapes, count all numbers, and those that weight decay acts "
    "on: arrays that are matrices once dimensions of size 1 are dropped.",
    difficulty=2,
    importance=3,
    minutes=6,
    stub='''
def parameters_of(shapes):
    """(all numbers, numbers under weight decay) of a list of shapes."""
    ...
''',
    solution='''
def parameters_of(shapes):
    """(all numbers, numbers under weight decay) of a list of shapes."""
    everything = sum(math.prod(s) for s in shapes)
    matrices = [s for s in shapes if len([n for n in s if n > 1]) > 1]
    return everything, sum(math.prod(s) for s in matrices)
''',
    wrong=(
        Wrong(
            "adds the sides",
            "def parameters_of(shapes):\n    big = [s for s in shapes if len(s) > 1]\n"
            "    return sum(map(sum, shapes)), sum(map(sum, big))",
            "You add the sides of each array; multiply them.",
        ),
        Wrong(
            "all decay",
            "def parameters_of(shapes):\n    n = sum(math.prod(s) for s in shapes)\n"
            "    return n, n",
            "Biases and gains do not decay: arrays with one dimension.",
        ),
        Wrong(
            "only the embeddings",
            "def parameters_of(shapes):\n"
            "    return (sum(math.prod(s) for s in shapes),\n"
            "            sum(math.prod(s) for s in shapes if len(s) == 2))",
            "You leave out the arrays of shape (1, in, out): they are matrices too.",
        ),
        Wrong(
            "arrays, not numbers",
            "def parameters_of(shapes):\n"
            "    return len(shapes), len([s for s in shapes if len(s) > 1])",
            "You count the arrays; count the numbers in them.",
        ),
    ),
    cases=lambda: [([(5, 4), (9, 4), (1, 4, 12), (12,), (4,)],), ([(1, 2, 3), (7,)],)],
    hints=("`math.prod(shape)` is the number of numbers in an array.",),
)

table_row = Exercise(
    name="table_row",
    title="One table for everything",
    task="In OpenAI's fine-tuning code one table holds the token rows, then the rows of "
    "the special tokens, then those of the positions. Which row is position `p`?",
    difficulty=1,
    importance=3,
    minutes=4,
    stub='''
def table_row(p, n_vocab, n_special):
    """The row of position p (from 0) in the table tokens, specials, positions."""
    ...
''',
    solution='''
def table_row(p, n_vocab, n_special):
    """The row of position p (from 0) in the table tokens, specials, positions."""
    return n_vocab + n_special + p
''',
    wrong=(
        Wrong(
            "specials forgotten",
            "def table_row(p, n_vocab, n_special):\n    return n_vocab + p",
            "The special tokens stand between: position 0 would be the row of _start_.",
        ),
        Wrong(
            "from 1",
            "def table_row(p, n_vocab, n_special):\n    return n_vocab + n_special + p + 1",
            "Rows are counted from 0, like positions: one too far.",
        ),
        Wrong(
            "positions first",
            "def table_row(p, n_vocab, n_special):\n    return p",
            "The positions stand last in this table. (In the released files they are the "
            "first array; the code moves them.)",
        ),
    ),
    cases=lambda: [(0, 40478, 3), (511, 40478, 3), (7, 100, 2)],
    hints=("n_vocab rows of tokens come first, then n_special more.",),
)

EXERCISES = (cut_stream, linear_from_release, parameters_of, table_row)
check = checker(EXERCISES)

"""Lesson 08, The whole GPT-1."""

import torch
import torch.nn.functional as F

from . import Exercise, Wrong, checker


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


embed = Exercise(
    name="embed",
    title="Token plus position",
    task="Compute $h_0$ of Eq. 2 for one sequence: the row of `W_e` for each id, plus the "
    "row of `W_p` for each position.",
    difficulty=1,
    importance=5,
    minutes=5,
    stub='''
def embed(ids, W_e, W_p):
    """h_0 (T, C) from ids (T,), token table W_e (V, C), position table W_p (n_ctx, C).

    T may be smaller than n_ctx.
    """
    ...
''',
    solution='''
def embed(ids, W_e, W_p):
    """h_0 (T, C) from ids (T,), token table W_e (V, C), position table W_p (n_ctx, C)."""
    return W_e[ids] + W_p[: len(ids)]
''',
    wrong=(
        Wrong(
            "no positions",
            "def embed(ids, W_e, W_p):\n    return W_e[ids]",
            "The positions are missing: without them 'dog bites man' and 'man bites dog' "
            "would start from the same vectors.",
        ),
        Wrong(
            "positions by id",
            "def embed(ids, W_e, W_p):\n    return W_e[ids] + W_p[ids % len(W_p)]",
            "You look the position up by the token's id. Position 0 is the first token, "
            "whatever it is: W_p[:T].",
        ),
        Wrong(
            "all positions",
            "def embed(ids, W_e, W_p):\n    return W_e[ids] + W_p",
            "W_p has a row for every position of the context; take the first T of them.",
        ),
        Wrong(
            "the same position",
            "def embed(ids, W_e, W_p):\n    return W_e[ids] + W_p[0]",
            "Every token gets the vector of position 0. Each has its own row.",
        ),
    ),
    cases=lambda: [
        (torch.tensor([3, 0, 3, 6]), _seeded(7, 5), _seeded(6, 5, seed=1)),
        (torch.tensor([2, 5]), _seeded(7, 3, seed=2), _seeded(4, 3, seed=3)),
    ],
    hints=("Indexing a matrix with a tensor of ids gives rows: `W_e[ids]`.",),
)


def _shift(x):
    """Stands for attention in the cases: mixes each row with the one before."""
    return 0.5 * x + 0.7 * torch.roll(x, 1, dims=0)


def _square(x):
    """Stands for the feed-forward layer in the cases."""
    return 0.3 * x * x - 0.2


def _norm(x):
    """LayerNorm with gain 1 and bias 0."""
    return F.layer_norm(x, x.shape[-1:])


def _scaled_norm(x):
    """LayerNorm with another gain, so that the two can not be exchanged."""
    return 1.5 * F.layer_norm(x, x.shape[-1:]) + 0.1


post_ln_block = Exercise(
    name="post_ln_block",
    title="The post-LayerNorm block",
    task="Put one block together from its four parts. GPT-1 adds first and normalizes "
    "after, twice.",
    difficulty=2,
    importance=5,
    minutes=10,
    stub='''
def post_ln_block(x, attention, mlp, ln_1, ln_2):
    """One GPT-1 block: (T, C) -> (T, C).

    attention, mlp, ln_1, ln_2: functions (T, C) -> (T, C).
    n = LN1(x + attention(x)), and the same again with mlp and LN2 on n.
    """
    ...
''',
    solution='''
def post_ln_block(x, attention, mlp, ln_1, ln_2):
    """One GPT-1 block: (T, C) -> (T, C)."""
    n = ln_1(x + attention(x))
    return ln_2(n + mlp(n))
''',
    wrong=(
        Wrong(
            "pre-LN",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    x = x + attention(ln_1(x))\n    return x + mlp(ln_2(x))",
            "That is the pre-LN block of GPT-2: it normalizes what goes into a layer. "
            "GPT-1 normalizes the sum.",
        ),
        Wrong(
            "no residual",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    n = ln_1(attention(x))\n    return ln_2(mlp(n))",
            "The residual paths are missing: add the input before you normalize.",
        ),
        Wrong(
            "LN on the sublayer only",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    n = x + ln_1(attention(x))\n    return n + ln_2(mlp(n))",
            "You normalize the output of each layer and add x unnormalized. Normalize the sum.",
        ),
        Wrong(
            "second residual from x",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    n = ln_1(x + attention(x))\n    return ln_2(x + mlp(n))",
            "The second residual starts from n, not from x.",
        ),
        Wrong(
            "one norm",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    n = x + attention(x)\n    return ln_2(n + mlp(n))",
            "One LayerNorm is missing: there is one after attention, too.",
        ),
        Wrong(
            "norms exchanged",
            "def post_ln_block(x, attention, mlp, ln_1, ln_2):\n"
            "    n = ln_2(x + attention(x))\n    return ln_1(n + mlp(n))",
            "ln_1 belongs to attention and ln_2 to the feed-forward layer; they are exchanged.",
        ),
    ),
    cases=lambda: [
        (_seeded(4, 6), _shift, _square, _norm, _scaled_norm),
        (_seeded(2, 5, seed=1), _square, _shift, _scaled_norm, _norm),
    ],
    hints=(
        "First line: `n = ln_1(x + attention(x))`.",
        "Second line: the same pattern, with n in the place of x.",
    ),
)

tied_logits = Exercise(
    name="tied_logits",
    title="The tied softmax",
    task="Compute the logits of every token from the last hidden states, with the token "
    "embedding as output matrix, as in Eq. 2.",
    difficulty=1,
    importance=5,
    minutes=5,
    stub='''
def tied_logits(h, W_e):
    """Logits (T, V) from hidden states h (T, C) and token table W_e (V, C).

    Logit v at position t is the dot product of h[t] and row v of W_e.
    """
    ...
''',
    solution='''
def tied_logits(h, W_e):
    """Logits (T, V) from hidden states h (T, C) and token table W_e (V, C)."""
    return h @ W_e.T
''',
    wrong=(
        Wrong(
            "not transposed",
            "def tied_logits(h, W_e):\n    return h @ W_e",
            "(T, C) times (V, C) does not fit: transpose W_e, so that each row becomes "
            "a column to multiply with.",
        ),
        Wrong(
            "probabilities",
            "def tied_logits(h, W_e):\n    return (h @ W_e.T).softmax(dim=-1)",
            "Those are the probabilities already. Asked for are the logits, before the "
            "softmax.",
        ),
        Wrong(
            "with scaling",
            "def tied_logits(h, W_e):\n    return h @ W_e.T / math.sqrt(h.shape[1])",
            "No scaling here: dividing by the square root of the width belongs to "
            "attention scores.",
        ),
        Wrong(
            "cosine",
            "def tied_logits(h, W_e):\n"
            "    unit = W_e / W_e.norm(dim=1, keepdim=True)\n    return h @ unit.T",
            "You normalize the rows of W_e. Their lengths matter: a long row wins more often.",
        ),
    ),
    cases=lambda: [
        (_seeded(3, 5), _seeded(8, 5, seed=1)),
        (_seeded(1, 4, seed=2), _seeded(6, 4, seed=3)),
    ],
    hints=("Which shapes must meet to give (T, V)?", "`W_e.T` has the shape (C, V)."),
)

block_parameters = Exercise(
    name="block_parameters",
    title="Count one block",
    task="How many parameters has one block of width `C`? Attention: a fused layer from C "
    "to 3C and one from C to C. Feed-forward: C to 4C and back. All four with biases. "
    "Two LayerNorms, each with a gain and a bias.",
    difficulty=2,
    importance=4,
    minutes=10,
    stub='''
def block_parameters(C):
    """Number of parameters of one block of width C.

    block_parameters(768) -> 7087872
    """
    ...
''',
    solution='''
def block_parameters(C):
    """Number of parameters of one block of width C."""
    attention = C * 3 * C + 3 * C + C * C + C
    feed_forward = C * 4 * C + 4 * C + 4 * C * C + C
    return attention + feed_forward + 2 * 2 * C
''',
    wrong=(
        Wrong(
            "no biases",
            "def block_parameters(C):\n    return 12 * C * C + 4 * C",
            "The biases of the four layers are missing: 3C + C + 4C + C of them.",
        ),
        Wrong(
            "no LayerNorm",
            "def block_parameters(C):\n    return 12 * C * C + 9 * C",
            "The two LayerNorms are missing, with a gain and a bias of C numbers each.",
        ),
        Wrong(
            "matrices only",
            "def block_parameters(C):\n    return 12 * C * C",
            "12 C^2 is the rule of thumb: matrices only. Add biases and LayerNorms.",
        ),
        Wrong(
            "one matrix for q, k, v",
            "def block_parameters(C):\n    return 10 * C * C + 11 * C",
            "The fused layer makes q, k and v: it has C x 3C weights and 3C biases.",
        ),
        Wrong(
            "one LayerNorm",
            "def block_parameters(C):\n    return 12 * C * C + 11 * C",
            "There are two LayerNorms in a block; you counted one.",
        ),
    ),
    cases=lambda: [(768,), (256,), (10,)],
    hints=(
        "A layer from a to b with bias has a * b + b parameters.",
        "Matrices: 3 C^2 + C^2 + 4 C^2 + 4 C^2.",
    ),
)

gpt_parameters = Exercise(
    name="gpt_parameters",
    title="Count the whole model",
    task="Count a whole GPT-1 of any sizes, with the output matrix tied. You may use "
    "`block_parameters`, or `12 * C * C + 13 * C`.",
    difficulty=2,
    importance=4,
    minutes=8,
    stub='''
def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):
    """Number of parameters of a tied GPT.

    gpt_parameters(40478, 512, 12, 768) -> 116534784
    """
    ...
''',
    solution='''
def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):
    """Number of parameters of a tied GPT."""
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_ctx * n_embd + n_layer * block
''',
    wrong=(
        Wrong(
            "head counted too",
            "def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):\n"
            "    block = 12 * n_embd * n_embd + 13 * n_embd\n"
            "    return 2 * n_vocab * n_embd + n_ctx * n_embd + n_layer * block",
            "You count the output matrix a second time. It is tied: the same numbers as "
            "the token embedding.",
        ),
        Wrong(
            "no positions",
            "def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):\n"
            "    block = 12 * n_embd * n_embd + 13 * n_embd\n"
            "    return n_vocab * n_embd + n_layer * block",
            "The learned positions are missing: n_ctx rows.",
        ),
        Wrong(
            "final LayerNorm",
            "def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):\n"
            "    block = 12 * n_embd * n_embd + 13 * n_embd\n"
            "    return (n_vocab + n_ctx + 2) * n_embd + n_layer * block",
            "You count a LayerNorm after the last block. GPT-2 has one; GPT-1 does not "
            "need it, its blocks end with one.",
        ),
        Wrong(
            "output bias",
            "def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):\n"
            "    block = 12 * n_embd * n_embd + 13 * n_embd\n"
            "    return (n_vocab + n_ctx) * n_embd + n_vocab + n_layer * block",
            "You count a bias for the logits. GPT-1's softmax has none.",
        ),
        Wrong(
            "one block",
            "def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):\n"
            "    block = 12 * n_embd * n_embd + 13 * n_embd\n"
            "    return n_vocab * n_embd + n_ctx * n_embd + block",
            "You count a single block.",
        ),
    ),
    cases=lambda: [(40478, 512, 12, 768), (8120, 256, 4, 256), (50, 9, 3, 8)],
    hints=("Token table, position table, n_layer blocks, and nothing else.",),
)

EXERCISES = (embed, post_ln_block, tied_logits, block_parameters, gpt_parameters)
check = checker(EXERCISES)

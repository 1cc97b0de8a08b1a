"""Lesson 08, The whole GPT-1."""

import math

import torch
import torch.nn.functional as F

from .claims import holds as holds  # for the notebook
from .exercise import Checker, exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "Token plus position",
    difficulty=1,
    importance=5,
    minutes=5,
    cases=lambda: [
        (torch.tensor([3, 0, 3, 6]), _seeded(7, 5), _seeded(6, 5, seed=1)),
        (torch.tensor([2, 5]), _seeded(7, 3, seed=2), _seeded(4, 3, seed=3)),
    ],
    task=(
        "Compute $h_0$ of Eq. 2 for one sequence: the row of `W_e` for each id, plus the "
        "row of `W_p` for each position."
    ),
    hints=("Indexing a matrix with a tensor of ids gives rows: `W_e[ids]`.",),
)
def embed(ids, W_e, W_p):
    """h_0 (T, C) from ids (T,), token table W_e (V, C), position table W_p (n_ctx, C).

    T may be smaller than n_ctx.
    """
    return W_e[ids] + W_p[: len(ids)]


@embed.wrong(
    "The positions are missing: without them 'dog bites man' and 'man bites dog' "
    "would start from the same vectors."
)
def no_positions(ids, W_e, W_p):
    return W_e[ids]


@embed.wrong(
    "You look the position up by the token's id. Position 0 is the first token, "
    "whatever it is: W_p[:T]."
)
def positions_by_id(ids, W_e, W_p):
    return W_e[ids] + W_p[ids % len(W_p)]


@embed.wrong("W_p has a row for every position of the context; take the first T of them.")
def all_positions(ids, W_e, W_p):
    return W_e[ids] + W_p


@embed.wrong("Every token gets the vector of position 0. Each has its own row.")
def the_same_position(ids, W_e, W_p):
    return W_e[ids] + W_p[0]


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
    """LayerNorm with another gain, so that the two cannot be exchanged."""
    return 1.5 * F.layer_norm(x, x.shape[-1:]) + 0.1


@exercise(
    "The post-LayerNorm block",
    difficulty=2,
    importance=5,
    minutes=10,
    cases=lambda: [
        (_seeded(4, 6), _shift, _square, _norm, _scaled_norm),
        (_seeded(2, 5, seed=1), _square, _shift, _scaled_norm, _norm),
    ],
    task=(
        "Put one block together from its four parts. GPT-1 adds first and normalizes "
        "after, twice."
    ),
    hints=(
        "First line: `n = ln_1(x + attention(x))`.",
        "Second line: the same pattern, with n in the place of x.",
    ),
)
def post_ln_block(x, attention, mlp, ln_1, ln_2):
    """One GPT-1 block: (T, C) -> (T, C).

    attention, mlp, ln_1, ln_2: functions (T, C) -> (T, C).
    n = LN1(x + attention(x)), and the same again with mlp and LN2 on n.
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
def one_norm(x, attention, mlp, ln_1, ln_2):
    n = x + attention(x)
    return ln_2(n + mlp(n))


@post_ln_block.wrong(
    "ln_1 belongs to attention and ln_2 to the feed-forward layer; they are exchanged."
)
def norms_exchanged(x, attention, mlp, ln_1, ln_2):
    n = ln_2(x + attention(x))
    return ln_1(n + mlp(n))


@exercise(
    "The tied softmax",
    difficulty=1,
    importance=5,
    minutes=5,
    cases=lambda: [
        (_seeded(3, 5), _seeded(8, 5, seed=1)),
        (_seeded(1, 4, seed=2), _seeded(6, 4, seed=3)),
    ],
    task=(
        "Compute the logits of every token from the last hidden states, with the token "
        "embedding as output matrix, as in Eq. 2."
    ),
    hints=("Which shapes must meet to give (T, V)?", "`W_e.T` has the shape (C, V)."),
)
def tied_logits(h, W_e):
    """Logits (T, V) from hidden states h (T, C) and token table W_e (V, C).

    Logit v at position t is the dot product of h[t] and row v of W_e.
    """
    return h @ W_e.T


@tied_logits.wrong(
    "(T, C) times (V, C) does not fit: transpose W_e, so that each row becomes "
    "a column to multiply with."
)
def not_transposed(h, W_e):
    return h @ W_e


@tied_logits.wrong(
    "Those are the probabilities already. Asked for are the logits, before the softmax."
)
def probabilities(h, W_e):
    return (h @ W_e.T).softmax(dim=-1)


@tied_logits.wrong(
    "No scaling here: dividing by the square root of the width belongs to attention scores."
)
def with_scaling(h, W_e):
    return h @ W_e.T / math.sqrt(h.shape[1])


@tied_logits.wrong(
    "You normalize the rows of W_e. Their lengths matter: a long row wins more often."
)
def cosine(h, W_e):
    unit = W_e / W_e.norm(dim=1, keepdim=True)
    return h @ unit.T


@exercise(
    "Count one block",
    difficulty=2,
    importance=4,
    minutes=10,
    cases=lambda: [(768,), (256,), (10,)],
    task=(
        "How many parameters has one block of width `C`? Attention: a fused layer from C "
        "to 3C and one from C to C. Feed-forward: C to 4C and back. All four with biases. "
        "Two LayerNorms, each with a gain and a bias."
    ),
    hints=(
        "A layer from a to b with bias has a * b + b parameters.",
        "Matrices: 3 C^2 + C^2 + 4 C^2 + 4 C^2.",
    ),
)
def block_parameters(C):
    """Number of parameters of one block of width C.

    block_parameters(768) -> 7087872
    """
    attention = C * 3 * C + 3 * C + C * C + C
    feed_forward = C * 4 * C + 4 * C + 4 * C * C + C
    return attention + feed_forward + 2 * 2 * C


@block_parameters.wrong("The biases of the four layers are missing: 3C + C + 4C + C of them.")
def no_biases(C):
    return 12 * C * C + 4 * C


@block_parameters.wrong(
    "The two LayerNorms are missing, with a gain and a bias of C numbers each."
)
def no_layernorm(C):
    return 12 * C * C + 9 * C


@block_parameters.wrong(
    "12 C^2 is the rule of thumb: matrices only. Add biases and LayerNorms."
)
def matrices_only(C):
    return 12 * C * C


@block_parameters.wrong(
    "The fused layer makes q, k and v: it has C x 3C weights and 3C biases."
)
def one_matrix_for_q_k_v(C):
    return 10 * C * C + 11 * C


@block_parameters.wrong("There are two LayerNorms in a block; you counted one.")
def one_layernorm(C):
    return 12 * C * C + 11 * C


@exercise(
    "Count the whole model",
    difficulty=2,
    importance=4,
    minutes=8,
    cases=lambda: [(40478, 512, 12, 768), (8120, 256, 4, 256), (50, 9, 3, 8)],
    task=(
        "Count a whole GPT-1 of any sizes, with the output matrix tied. You may use "
        "`block_parameters`, or `12 * C * C + 13 * C`."
    ),
    hints=("Token table, position table, n_layer blocks, and nothing else.",),
)
def gpt_parameters(n_vocab, n_ctx, n_layer, n_embd):
    """Number of parameters of a tied GPT.

    gpt_parameters(40478, 512, 12, 768) -> 116534784
    """
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You count the output matrix a second time. It is tied: the same numbers as "
    "the token embedding."
)
def head_counted_too(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return 2 * n_vocab * n_embd + n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong("The learned positions are missing: n_ctx rows.")
def positions_not_counted(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You count a LayerNorm after the last block. GPT-2 has one; GPT-1 does not "
    "need it, its blocks end with one."
)
def final_layernorm(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx + 2) * n_embd + n_layer * block


@gpt_parameters.wrong("You count a bias for the logits. GPT-1's softmax has none.")
def output_bias(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx) * n_embd + n_vocab + n_layer * block


@gpt_parameters.wrong("You count a single block.")
def one_block(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_ctx * n_embd + block


# ---- what the lesson's claims are held to -------------------------------------------

# worked out by hand: section 1's states, and the last row of section 4
H0 = torch.tensor([[0.2, 0.0, 0.5, 0.2], [0.9, 0.4, -0.3, 0.2], [0.1, 0.6, 0.4, -0.4]])
LOGITS = torch.tensor([-0.54, 0.43, 0.19, 0.19, 0.06])
PROBS = torch.tensor([0.104056, 0.274494, 0.215924, 0.215924, 0.189602])


EXERCISES = (embed, post_ln_block, tied_logits, block_parameters, gpt_parameters)
check = Checker(EXERCISES)
mine = check.mine

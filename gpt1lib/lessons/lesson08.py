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
    minutes=3,
    cases=lambda: [
        (torch.tensor([3, 0, 3, 6]), _seeded(7, 5), _seeded(6, 5, seed=1)),
        (torch.tensor([2, 5]), _seeded(7, 3, seed=2), _seeded(4, 3, seed=3)),
        (torch.tensor([1, 0, 1]), _seeded(4, 3, seed=4), _seeded(3, 3, seed=5)),
    ],
    task=(
        "Compute $h_0$ of Eq. 2 for one sequence: the row of `W_e` for each id, plus the "
        "row of `W_p` for each position."
    ),
    hints=(
        "Indexing a matrix with a tensor of ids gives rows: `W_e[ids]`.",
        "Position 0 is the first token, whatever it is: of `W_p` you need the first rows.",
    ),
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
    return W_e[ids] + W_p[ids]


@embed.wrong("W_p has a row for every position of the context; take the first T of them.")
def all_positions(ids, W_e, W_p):
    return W_e[ids] + W_p


@embed.wrong("Every token gets the vector of position 0. Each has its own row.")
def the_same_position(ids, W_e, W_p):
    return W_e[ids] + W_p[0]


@embed.wrong("W_p[len(ids)] is a single row, that of the next position. A slice takes W_p[:T].")
def the_next_position(ids, W_e, W_p):
    return W_e[ids] + W_p[len(ids)]


@embed.wrong("Positions count from 0: the first token gets row 0 of W_p, not row 1.")
def positions_from_1(ids, W_e, W_p):
    return W_e[ids] + W_p[1 : len(ids) + 1]


@embed.wrong("You take the last T rows of W_p. A text starts at position 0: the first T.")
def the_last_positions(ids, W_e, W_p):
    return W_e[ids] + W_p[-len(ids) :]


@embed.wrong("You count the positions backward: the first token gets row 0 of W_p.")
def positions_backward(ids, W_e, W_p):
    return W_e[ids] + W_p[: len(ids)].flip(0)


@embed.wrong("You take the first T rows of W_e. The ids say which rows: W_e[ids].")
def first_tokens(ids, W_e, W_p):
    return W_e[: len(ids)] + W_p[: len(ids)]


@embed.wrong("A token's vector is a row of W_e, and you take columns: W_e[ids].")
def columns(ids, W_e, W_p):
    return W_e[:, ids].T + W_p[: len(ids)]


@embed.wrong("You multiply the two vectors. GPT-1 adds them.")
def product(ids, W_e, W_p):
    return W_e[ids] * W_p[: len(ids)]


@embed.wrong("You put the two vectors side by side. They are added, so the width stays C.")
def side_by_side(ids, W_e, W_p):
    return torch.cat([W_e[ids], W_p[: len(ids)]], dim=1)


@embed.wrong(
    "No LayerNorm yet: in GPT-1 the first one comes after attention. (BERT has one here.)"
)
def normalized(ids, W_e, W_p):
    return F.layer_norm(W_e[ids] + W_p[: len(ids)], W_e.shape[1:])


@embed.wrong(
    "You scale the embedding by the root of C, as the Transformer of 2017 does. "
    "GPT-1 adds the two as they are."
)
def scaled(ids, W_e, W_p):
    return W_e[ids] * math.sqrt(W_e.shape[1]) + W_p[: len(ids)]


@embed.wrong("You take the mean over the tokens. Each token keeps a vector of its own.")
def mean_of_the_tokens(ids, W_e, W_p):
    return W_e[ids].mean(dim=0) + W_p[: len(ids)]


def mix(x):
    """Stands for attention in the cases: mixes each row with the one before."""
    return 0.5 * x + 0.7 * torch.roll(x, 1, dims=0)


def bend(x):
    """Stands for the feed-forward layer in the cases."""
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
        "Put one block together from its four parts, which you are given as functions. "
        "GPT-1 adds first and normalizes after, twice."
    ),
    hints=(
        "First line: `n = ln_1(x + attention(x))`.",
        "Second line: the same pattern, with n in the place of x.",
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
    "ln_1 belongs to attention and ln_2 to the feed-forward layer; they are exchanged."
)
def norms_exchanged(x, attention, mlp, ln_1, ln_2):
    n = ln_2(x + attention(x))
    return ln_1(n + mlp(n))


@exercise(
    "The tied softmax",
    difficulty=1,
    importance=5,
    minutes=3,
    cases=lambda: [
        (_seeded(3, 5), _seeded(8, 5, seed=1)),
        (_seeded(1, 4, seed=2), _seeded(6, 4, seed=3)),
        (_seeded(4, 4, seed=4), _seeded(4, 4, seed=5)),
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


@tied_logits.wrong(
    "You normalize both sides, so that only directions count. A logit is the plain dot product."
)
def cosine_of_both(h, W_e):
    return F.normalize(h, dim=1) @ F.normalize(W_e, dim=1).T


@tied_logits.wrong("`*` multiplies number by number. A dot product of rows is `@`.")
def number_by_number(h, W_e):
    return h * W_e.T


@tied_logits.wrong("The result is (V, T): one row per token of the text is asked for, (T, V).")
def rows_and_columns_exchanged(h, W_e):
    return W_e @ h.T


@tied_logits.wrong(
    "The shape fits, the numbers do not: reshape keeps the order of the numbers, a "
    "transpose exchanges rows and columns."
)
def reshaped(h, W_e):
    return h @ W_e.reshape(W_e.shape[1], W_e.shape[0])


@tied_logits.wrong("Those are log-probabilities. Asked for are the logits, before the softmax.")
def log_probabilities(h, W_e):
    return (h @ W_e.T).log_softmax(dim=-1)


@tied_logits.wrong("You return the last position only. Every position has a row of logits.")
def last_position_only(h, W_e):
    return h[-1] @ W_e.T


@tied_logits.wrong(
    "You return the best token of each position. Return the logits of all tokens."
)
def best_token(h, W_e):
    return (h @ W_e.T).argmax(dim=-1)


@tied_logits.wrong(
    "You multiply with the pseudo-inverse. The same numbers are used again: transpose W_e."
)
def pseudo_inverse(h, W_e):
    return h @ torch.linalg.pinv(W_e)


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


@block_parameters.wrong(
    "You count 2 C numbers for the LayerNorms. There are two of them, each with a gain and "
    "a bias: 4 C."
)
def half_of_the_layernorms(C):
    return 12 * C * C + 11 * C


@block_parameters.wrong("The second layer of attention is missing, from C to C.")
def no_projection(C):
    return 11 * C * C + 12 * C


@block_parameters.wrong("3072 is 4 C for C = 768 only.")
def width_3072(C):
    return 4 * C * C + 4 * C + 2 * 3072 * C + 3072 + C + 4 * C


@block_parameters.wrong("That is right for C = 768 only. Compute it from C.")
def only_for_768(C):
    return 7087872


@block_parameters.wrong(
    "The two biases of the feed-forward layer are 4 C and C numbers: as many as the layer "
    "has outputs."
)
def wide_bias_twice(C):
    return 12 * C * C + 16 * C


@block_parameters.wrong(
    "The two biases of the feed-forward layer are 4 C and C numbers: as many as the layer "
    "has outputs."
)
def narrow_bias_twice(C):
    return 12 * C * C + 10 * C


@block_parameters.wrong(
    "The heads share the matrices of attention, each taking its part of them: do not "
    "multiply by the number of heads."
)
def matrices_per_head(C):
    return 12 * (4 * C * C + 4 * C) + 8 * C * C + 9 * C


@block_parameters.wrong("13 C, not 13: each bias and each gain has C numbers or more.")
def bias_without_width(C):
    return 12 * C * C + 13


@block_parameters.wrong("`^` is no power in Python; write C * C or C**2.")
def exclusive_or(C):
    return (12 * C) ^ (2 + 13 * C)


@block_parameters.wrong("`^` is no power in Python; write C * C or C**2.")
def exclusive_or_of_c(C):
    return 12 * (C ^ 2) + 13 * C


@block_parameters.wrong("The width of the feed-forward layer is 4 C, not C.")
def feed_forward_not_wider(C):
    return 6 * C * C + 10 * C


@exercise(
    "Count the whole model",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [(40478, 512, 12, 768), (8120, 256, 4, 256), (50, 9, 3, 8), (20, 30, 1, 6)],
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


@gpt_parameters.wrong("The number of blocks is n_layer, not always 12.")
def always_12_blocks(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return (n_vocab + n_ctx) * n_embd + 12 * block


@gpt_parameters.wrong("The token table is missing: n_vocab rows.")
def tokens_not_counted(n_vocab, n_ctx, n_layer, n_embd):
    return n_ctx * n_embd + n_layer * (12 * n_embd * n_embd + 13 * n_embd)


@gpt_parameters.wrong("Both tables are missing: n_vocab rows of tokens, n_ctx of positions.")
def only_blocks(n_vocab, n_ctx, n_layer, n_embd):
    return n_layer * (12 * n_embd * n_embd + 13 * n_embd)


@gpt_parameters.wrong(
    "12 C^2 counts a block's matrices only; its biases and LayerNorms are 13 C more."
)
def matrices_of_blocks_only(n_vocab, n_ctx, n_layer, n_embd):
    return (n_vocab + n_ctx) * n_embd + n_layer * 12 * n_embd * n_embd


@gpt_parameters.wrong(
    "Positions are added once, before the first block; the blocks have no tables of their own."
)
def positions_in_every_block(n_vocab, n_ctx, n_layer, n_embd):
    block = n_ctx * n_embd + 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_embd + n_layer * block


@gpt_parameters.wrong(
    "You multiply the two tables' sizes. They are two tables: n_vocab and n_ctx rows."
)
def one_table_for_pairs(n_vocab, n_ctx, n_layer, n_embd):
    block = 12 * n_embd * n_embd + 13 * n_embd
    return n_vocab * n_ctx * n_embd + n_layer * block


@gpt_parameters.wrong(
    "That is right for GPT-1's own sizes only. Compute it from the arguments."
)
def only_for_gpt_1(n_vocab, n_ctx, n_layer, n_embd):
    return 116534784


# ---- what the lesson's claims are held to -------------------------------------------

# worked out by hand: section 1's states, and the last row of section 4
H0 = torch.tensor([[0.2, 0.0, 0.5, 0.2], [0.9, 0.4, -0.3, 0.2], [0.1, 0.6, 0.4, -0.4]])
LOGITS = torch.tensor([-0.54, 0.43, 0.19, 0.19, 0.06])
PROBS = torch.tensor([0.104056, 0.274494, 0.215924, 0.215924, 0.189602])


EXERCISES = (embed, post_ln_block, tied_logits, block_parameters, gpt_parameters)
check = Checker(EXERCISES)
mine = check.mine

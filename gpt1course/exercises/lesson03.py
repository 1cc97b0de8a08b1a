"""Lesson 03, Embeddings and learned positions."""

import math

import torch
import torch.nn.functional as F

from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _seeded(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


@exercise(
    "One 1 in each row",
    difficulty=1,
    importance=4,
    minutes=5,
    cases=lambda: [
        (torch.tensor([2, 0]), 3),
        (torch.tensor([1, 4, 1]), 6),
        (torch.tensor([0, 3, 2, 2, 0]), 6),
        (torch.tensor([5]), 8),
    ],
    task=(
        "Write the ids as the matrix $U$ of the paper: one row per token of the text, one "
        "column per token of the vocabulary, all 0.0 but for a 1.0 at the token's id. "
        "(`F.one_hot` would do most of it; try it without.)"
    ),
    hints=(
        "`torch.zeros(len(ids), n_vocab)` is a matrix of the right shape.",
        "`U[t, ids[t]] = 1`, for each t. Or all at once: `U[torch.arange(len(ids)), ids] = 1`.",
    ),
)
def one_hot(ids, n_vocab):
    """U (T, V) of floats: row t is 1.0 in column ids[t], and 0.0 elsewhere.

    ids: (T,) whole numbers from 0 to n_vocab - 1.
    one_hot(tensor([2, 0]), 3) -> tensor([[0., 0., 1.], [1., 0., 0.]])
    """
    U = torch.zeros(len(ids), n_vocab)  # (T, V)
    U[torch.arange(len(ids)), ids] = 1
    return U


@one_hot.wrong("That is U transposed, (V, T). Each row belongs to a token of the text.")
def vocabulary_as_rows(ids, n_vocab):
    return F.one_hot(ids, n_vocab).float().T


@one_hot.wrong(
    "The places are right, but the entries are whole numbers, and torch does not multiply "
    "those with a matrix of floats. Add .float(), or start from torch.zeros."
)
def whole_numbers(ids, n_vocab):
    return F.one_hot(ids, n_vocab)


@one_hot.wrong("The places are right, but the entries are True and False: .float() them.")
def truth_values(ids, n_vocab):
    return F.one_hot(ids, n_vocab).bool()


@one_hot.wrong(
    "That is one row for the whole text: how often each token occurs, a bag. Each token of "
    "the text needs a row of its own."
)
def a_bag(ids, n_vocab):
    return F.one_hot(ids, n_vocab).float().sum(dim=0, keepdim=True)


@one_hot.wrong(
    "That is one row for the whole text, with a 1 for each token in it. Each token of the "
    "text needs a row of its own."
)
def all_in_one_row(ids, n_vocab):
    U = torch.zeros(1, n_vocab)
    U[0, ids] = 1
    return U


@one_hot.wrong(
    "That is a column of ids, (T, 1). It does not fit W_e, which has V rows: the id is a "
    "place in the row, not a number in it."
)
def a_column_of_ids(ids, n_vocab):
    return ids[:, None].float()


@one_hot.wrong("The id itself is in its column. Put a 1 there, whatever the id.")
def ids_instead_of_ones(ids, n_vocab):
    return F.one_hot(ids, n_vocab) * ids[:, None].float()


@one_hot.wrong("Columns count from 0: your id 0 is in the last one, as if it were -1.")
def one_column_too_far_left(ids, n_vocab):
    return F.one_hot(ids, n_vocab).float().roll(-1, dims=1)


@one_hot.wrong("Columns count from 0: id 0 belongs in the first column, not the second.")
def one_column_too_far_right(ids, n_vocab):
    return F.one_hot(ids, n_vocab).float().roll(1, dims=1)


@one_hot.wrong("You put the 1 at the token's place in the text. It belongs at the token's id.")
def places_for_ids(ids, n_vocab):
    U = torch.zeros(len(ids), n_vocab)
    U.fill_diagonal_(1)
    return U


@one_hot.wrong(
    "`U[:, ids] = 1` fills whole columns, so that every row has all the ones. Each row gets "
    "its own: U[torch.arange(len(ids)), ids] = 1."
)
def whole_columns(ids, n_vocab):
    U = torch.zeros(len(ids), n_vocab)
    U[:, ids] = 1
    return U


@one_hot.wrong(
    "Rows come first: U[torch.arange(len(ids)), ids]. Yours are the other way around."
)
def rows_and_columns_exchanged(ids, n_vocab):
    U = torch.zeros(len(ids), n_vocab)
    U[ids, torch.arange(len(ids))] = 1
    return U


@one_hot.wrong("All entries are 0: the ones are missing.")
def all_zeros(ids, n_vocab):
    return torch.zeros(len(ids), n_vocab)


@one_hot.wrong(
    "U[ids] addresses rows of U, but ids are its columns: give each row its own column, "
    "U[torch.arange(len(ids)), ids]."
)
def ids_as_rows(ids, n_vocab):
    U = torch.zeros(len(ids), n_vocab)
    U[ids] = 1
    return U


def _table():
    """Rows of which the longest is never the nearest by angle, nor the closest point."""
    return torch.tensor(
        [[1.0, 0.2], [0.9, 0.4], [4.0, 3.5], [-1.0, 0.3], [0.1, 0.05], [0.7, -0.9]]
    )


@exercise(
    "The nearest rows",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [
        (torch.tensor([[1.0, 0.0], [0.0, 2.0], [3.0, 1.0]]), 0, 1),
        (_table(), 0, 2),
        (_table(), 4, 3),
        (_seeded(9, 4) * torch.linspace(0.3, 3, 9)[:, None], 5, 4),
        (_seeded(7, 3, seed=1), 6, 6),
        (torch.tensor([[0.0, 1.0], [2.0, 0.0], [1.0, 0.0], [1.0, 1.0]]), 2, 2),  # parallel
        (torch.tensor([[1.0, 0.0], [0.0, 1.0], [2.0, 0.0], [1.0, 1.0]]), 0, 2),  # the same
        (torch.tensor([[1.0, 0.0], [-1.0, 0.5], [-1.0, 0.1]]), 0, 2),
        (torch.tensor([[1.0, 0.0], [-2.0, 0.0], [0.0, 1.0]]), 0, 2),  # the opposite direction
        (torch.tensor([[-2.0, 0.0], [0.0, 1.0], [1.0, 0.0]]), 2, 2),
    ],
    task=(
        "Find the `n` rows of a table that are nearest to row `i` by cosine, the most alike "
        "first, and leave out row `i` itself. (The list above was made in this way, except "
        "that it begins with the word itself.)"
    ),
    hints=(
        "Divide each row by its length, `W.norm(dim=1, keepdim=True)`. After that the dot "
        "product of two rows is their cosine.",
        "`unit @ unit[i]` are the cosines of all rows with row i.",
        "Set the cosine of row i with itself to `-torch.inf`, then take `.topk(n).indices`.",
    ),
)
def nearest_rows(W, i, n):
    """Ids (n,) of the rows of W (V, C) with the largest cosine to row i, without i.

    The most alike first; n is at most V - 1. Rows may be parallel or opposite to row
    i, but no row is all zeros.
    nearest_rows(tensor([[1., 0.], [0., 2.], [3., 1.]]), 0, 1) -> tensor([2])
    """
    unit = W / W.norm(dim=1, keepdim=True)  # (V, C)
    cosines = unit @ unit[i]  # (V,)
    cosines[i] = -torch.inf
    return cosines.topk(n).indices


def _order(score, i, n):
    """The n best of a score, without i."""
    score = score.clone()
    score[i] = -math.inf
    return score.topk(n).indices


def _cosines(W, i):
    return F.normalize(W, dim=1) @ F.normalize(W[i], dim=0)


@nearest_rows.wrong("The first of your rows is row i itself, with a cosine of 1. Leave it out.")
def finds_itself(W, i, n):
    return _cosines(W, i).topk(n).indices


@nearest_rows.wrong(
    "Those are the largest dot products, in which long rows win. Divide each row by its "
    "length first."
)
def dot_products(W, i, n):
    return _order(W @ W[i], i, n)


@nearest_rows.wrong(
    "Those are the largest dot products, the first of them dropped. In dot products long rows "
    "win, so the first need not be row i. Divide each row by its length first."
)
def dot_products_but_the_first(W, i, n):
    return (W @ W[i]).topk(n + 1).indices[1:]


@nearest_rows.wrong(
    "Those are the largest dot products, in which long rows win; dividing by the length of "
    "row i alone keeps the order. Divide every row by its own length, and leave out row i."
)
def only_row_i_divided(W, i, n):
    return (W @ F.normalize(W[i], dim=0)).topk(n).indices


@nearest_rows.wrong("Those are the rows that are least alike. Take the largest cosines.")
def least_alike(W, i, n):
    return _order(-_cosines(W, i), i, n)


@nearest_rows.wrong("The rows are right, in the wrong order: the most alike comes first.")
def from_the_back(W, i, n):
    return _order(_cosines(W, i), i, n).flip(0)


@nearest_rows.wrong(
    "Those are the closest points, by distance. Use the cosine, which looks at directions only."
)
def by_distance(W, i, n):
    return _order(-(W - W[i]).norm(dim=1), i, n)


@nearest_rows.wrong("Those are the cosines. Return the ids of the rows: .indices.")
def the_cosines_themselves(W, i, n):
    cosines = _cosines(W, i)
    cosines[i] = -math.inf
    return cosines.topk(n).values


@nearest_rows.wrong(
    "You divide the columns by their lengths: dim=0. A token is a row, so dim=1, with "
    "keepdim=True."
)
def columns_divided(W, i, n):
    unit = W / W.norm(dim=0)
    return _order(unit @ unit[i], i, n)


@nearest_rows.wrong(
    "You treat a cosine of -1 like a cosine of 1. Opposite directions are not near: no abs()."
)
def absolute_values(W, i, n):
    return _order(_cosines(W, i).abs(), i, n)


@nearest_rows.wrong(
    "You leave out one row too many: row i is gone already, and you drop the nearest as well."
)
def the_best_left_out(W, i, n):
    cosines = _cosines(W, i)
    cosines[i] = -math.inf
    return cosines.argsort(descending=True)[1 : n + 1]


@nearest_rows.wrong(
    "You drop the first of the list, and that is not always row i: a row parallel to it has "
    "the same cosine. Take row i out by its number."
)
def the_first_dropped(W, i, n):
    cosines = _cosines(W, i)
    order = sorted(range(len(W)), key=lambda row: (-round(cosines[row].item(), 5), row))
    return torch.tensor(order[1 : n + 1])


@nearest_rows.wrong(
    "You drop the last of the list, and that is not always row i: a row parallel to it has "
    "the same cosine. Take row i out by its number."
)
def the_last_dropped(W, i, n):
    cosines = _cosines(W, i)
    order = sorted(range(len(W)), key=lambda row: (round(cosines[row].item(), 5), row))
    return torch.tensor(order[-2::-1][:n])


@nearest_rows.wrong(
    "You leave out all rows that are parallel to row i. Only row i itself is left out."
)
def parallel_rows_left_out(W, i, n):
    cosines = _cosines(W, i)
    return cosines.masked_fill(cosines > 0.9999, -math.inf).topk(n).indices


@nearest_rows.wrong(
    "argsort() puts the smallest cosine first: descending=True. (And drop row i by its number.)"
)
def ascending(W, i, n):
    return _cosines(W, i).argsort()[1 : n + 1]


@nearest_rows.wrong(
    "You set the cosine of row i to 0, but others may be below 0: take -torch.inf."
)
def own_cosine_0(W, i, n):
    cosines = _cosines(W, i)
    cosines[i] = 0
    return cosines.topk(n).indices


@nearest_rows.wrong(
    "You set the cosine of row i to -1, and another may be as low: take -torch.inf."
)
def own_cosine_minus_1(W, i, n):
    cosines = _cosines(W, i)
    cosines[i] = -1
    return cosines.topk(n).indices


@nearest_rows.wrong("With row i cut out, the rows after it moved up: their ids are off by 1.")
def rows_moved_up(W, i, n):
    cosines = _cosines(W, i)
    return torch.cat([cosines[:i], cosines[i + 1 :]]).topk(n).indices


@exercise(
    "Which rows learn?",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        (torch.tensor([[5, 3, 5, 8]]),),
        (torch.tensor([[1, 2, 3], [0, 2, 9]]),),
        (torch.tensor([[7, 0, 7, 7], [4, 4, 0, 6]]),),
        (torch.tensor([[2, 6, 1, 0, 9]]),),
        (torch.tensor([[900, 3, 64, 8]]),),
    ],
    task=(
        "A batch of texts goes through the model once. Which rows of a token table that is "
        "used for reading only (not tied) get a gradient? Each state predicts the token "
        "that follows it, and the last state of a text predicts nothing."
    ),
    hints=(
        "A row learns if a prediction is made from its token's place, or from a later "
        "place in the same text. From which place is none made?",
        "`batch[:, :-1]` are all tokens but the last of each text; `.unique()` sorts, and "
        "drops what comes twice.",
    ),
)
def rows_that_learn(batch):
    """Ids, sorted, each once, of the input rows that a batch (B, T) trains, T > 1.

    rows_that_learn(tensor([[5, 3, 5, 8]])) -> tensor([3, 5])
    """
    return batch[:, :-1].unique()


@rows_that_learn.wrong(
    "The last token of each text is read, but no prediction comes after it that could be "
    "right or wrong: batch[:, :-1]."
)
def all_that_were_read(batch):
    return batch.unique()


@rows_that_learn.wrong(
    "Those are the targets. A target is what should come out; its input row is not touched "
    "by that."
)
def the_targets(batch):
    return batch[:, 1:].unique()


@rows_that_learn.wrong(
    "The right tokens, but some of them twice, and not in order. A row is one row however "
    "often it is read: .unique()."
)
def each_time_it_is_read(batch):
    return batch[:, :-1].flatten()


@rows_that_learn.wrong(
    "You leave out the last text. What is left out is the last token of each: batch[:, :-1]."
)
def without_the_last_text(batch):
    return batch[:-1].unique()


@rows_that_learn.wrong(
    "You leave out only the very last token of the batch. Each text has a last one of its own."
)
def only_the_very_last_left_out(batch):
    return batch.flatten()[:-1].unique()


@rows_that_learn.wrong(
    "You leave out the ids that come last anywhere. Such a token may come earlier in a "
    "text, too, and then its row learns."
)
def last_tokens_taken_away(batch):
    ids = batch.unique()
    return ids[~torch.isin(ids, batch[:, -1])]


@rows_that_learn.wrong("A set has no order. Sort its ids, or take .unique(), which sorts.")
def as_a_set(batch):
    return torch.tensor(list(set(batch[:, :-1].flatten().tolist())))


@rows_that_learn.wrong("That is how many rows learn. Return which ones.")
def how_many(batch):
    return len(batch[:, :-1].unique())


@rows_that_learn.wrong("You look at the first text only.")
def first_text_only(batch):
    return batch[0, :-1].unique()


@exercise(
    "Token plus position",
    difficulty=1,
    importance=5,
    minutes=4,
    cases=lambda: [
        (torch.tensor([3, 0, 3, 6]), _seeded(7, 5), _seeded(6, 5, seed=1)),
        (torch.tensor([2, 5]), _seeded(7, 3, seed=2), _seeded(4, 3, seed=3)),
        (torch.tensor([1, 0, 1]), _seeded(4, 3, seed=4), _seeded(3, 3, seed=5)),
    ],
    task=(
        "Compute $h_0$ of Eq. 2 for one sequence: the row of `W_e` for each id, plus the "
        "row of `W_p` for each position. The text may be shorter than `W_p` is long."
    ),
    hints=(
        "Indexing a matrix with a tensor of ids gives rows: `W_e[ids]`.",
        "Position 0 belongs to the first token, whichever that is, so you need the first rows "
        "of `W_p`.",
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
    "You look the position up by the token's id. Position 0 belongs to the first token, "
    "whichever that is: W_p[:T]."
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
    "You bring each sum to mean 0 and variance 1, which is called LayerNorm. BERT has one "
    "here; in GPT-1 the first comes after attention (lesson 07)."
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


@exercise(
    "Waves for positions",
    difficulty=3,
    importance=3,
    minutes=12,
    cases=lambda: [(2, 2), (3, 4), (5, 6), (7, 8), (1, 10)],
    task=(
        "Build the table of 2017, with no number learned. Columns go in pairs, and pair "
        "$k = 0, 1, 2, \\dots$ turns at its own rate $r_k = 10000^{-2k / C}$: at position "
        "$p$, column $2k$ is $\\sin(p \\, r_k)$ and column $2k + 1$ is "
        "$\\cos(p \\, r_k)$. `C` is even."
    ),
    hints=(
        "`torch.arange(0, C, 2) / C` are the numbers $2k / C$: 0, 2/C, 4/C, ...",
        "Positions as a column times rates as a row gives all angles at once: "
        "`torch.arange(n_ctx)[:, None] * rate`, (n_ctx, C / 2).",
        "`table[:, ::2]` are the columns 0, 2, 4, ..., and `table[:, 1::2]` the others.",
    ),
)
def sinusoids(n_ctx, C):
    """Table (n_ctx, C) of waves: a sine and a cosine for each pair of columns.

    sinusoids(2, 2) -> tensor([[0.0, 1.0], [0.8415, 0.5403]])
    """
    rate = 10_000.0 ** (-torch.arange(0, C, 2) / C)  # (C / 2,)
    angle = torch.arange(n_ctx)[:, None] * rate  # (n_ctx, C / 2)
    table = torch.zeros(n_ctx, C)
    table[:, ::2], table[:, 1::2] = angle.sin(), angle.cos()
    return table


def _angles(n_ctx, C):
    rate = 10_000.0 ** (-torch.arange(0, C, 2) / C)
    return torch.arange(n_ctx)[:, None] * rate


def _in_turn(angle_of_sine, angle_of_cosine):
    pairs = torch.stack([angle_of_sine.sin(), angle_of_cosine.cos()], dim=-1)
    return pairs.flatten(1)


@sinusoids.wrong(
    "Your rates fall half as fast as they should: the exponent is -2k / C, with k the number "
    "of the pair, and you have -k / C."
)
def exponent_without_the_2(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (-torch.arange(C // 2) / C)
    return _in_turn(angle, angle)


@sinusoids.wrong(
    "All sines are on the left and all cosines on the right. They take turns: sine, "
    "cosine, sine, cosine."
)
def in_two_halves(n_ctx, C):
    angle = _angles(n_ctx, C)
    return torch.cat([angle.sin(), angle.cos()], dim=1)


@sinusoids.wrong("Your rates fall twice as fast as they should: arange(0, C, 2) is 2k already.")
def doubled_twice(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (-2 * torch.arange(0, C, 2) / C)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1)


@sinusoids.wrong("You convert the angles from degrees; they are in radians already.")
def in_degrees(n_ctx, C):
    angle = torch.deg2rad(_angles(n_ctx, C))
    return _in_turn(angle, angle)


@sinusoids.wrong("Positions count from 0: the first row is 0, 1, 0, 1, ...")
def waves_from_position_1(n_ctx, C):
    angle = _angles(n_ctx + 1, C)[1:]
    return _in_turn(angle, angle)


@sinusoids.wrong("Sine and cosine have changed places: the sine belongs in column 2k.")
def cosine_first(n_ctx, C):
    angle = _angles(n_ctx, C)
    return torch.stack([angle.cos(), angle.sin()], dim=-1).flatten(1)


@sinusoids.wrong(
    "Each column has a rate of its own. The two columns of a pair share one: the exponents "
    "are 0, 0, 2/C, 2/C, 4/C, ..."
)
def a_rate_for_each_column(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (-torch.arange(C) / C)
    return _in_turn(angle[:, 0::2], angle[:, 1::2])


@sinusoids.wrong(
    "Your rates grow. They should fall, from 1 toward 1 / 10,000: mind the minus sign."
)
def rates_that_grow(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (torch.arange(0, C, 2) / C)
    return _in_turn(angle, angle)


@sinusoids.wrong("Every pair turns at the same rate. Pair k has the rate 10000 ** (-2k / C).")
def one_rate_for_all(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * torch.ones(C // 2)
    return _in_turn(angle, angle)


@sinusoids.wrong("The constant is 10,000; yours is 1,000.")
def a_thousand(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 1_000.0 ** (-torch.arange(0, C, 2) / C)
    return _in_turn(angle, angle)


@sinusoids.wrong("Those are sines alone. The second column of each pair is the cosine.")
def sines_alone(n_ctx, C):
    angle = _angles(n_ctx, C)
    return torch.stack([angle.sin(), angle.sin()], dim=-1).flatten(1)


@sinusoids.wrong("The table is transposed, (C, n_ctx). Each position is a row.")
def positions_as_columns(n_ctx, C):
    angle = _angles(n_ctx, C)
    return _in_turn(angle, angle).T


@sinusoids.wrong("// cuts the exponent down to whole numbers. Divide by C with /.")
def exponent_cut_down(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (-torch.arange(0, C, 2) // C)
    return _in_turn(angle, angle)


@sinusoids.wrong("k counts pairs of columns, and yours counts columns.")
def k_counts_columns(n_ctx, C):
    angle = torch.arange(n_ctx)[:, None] * 10_000.0 ** (-2 * torch.arange(C) / C)
    return _in_turn(angle[:, 0::2], angle[:, 1::2])


@number_exercise(
    "How large are the two tables?",
    question=(
        "A model knows {n_vocab:,} tokens and {n_ctx:,} positions, and its states have "
        "{n_embd:,} numbers. How many numbers do its token table and its position table have "
        "together?"
    ),
    difficulty=1,
    importance=3,
    minutes=4,
    first=(40_000, 512, 768),  # GPT-1 as it is often told
    draw=lambda random: (
        1_000 * random.randint(2, 60),
        2 ** random.randint(7, 11),
        64 * random.randint(2, 24),
    ),
    hints=("Each table has a row for each thing that it knows. How long is a row?",),
    worked=lambda n_vocab, n_ctx, n_embd: (
        f"{n_vocab:,} + {n_ctx:,} = {n_vocab + n_ctx:,} rows of {n_embd:,} numbers each: "
        f"{n_vocab + n_ctx:,} × {n_embd:,} = {(n_vocab + n_ctx) * n_embd:,}."
    ),
)
def embedding_parameters(n_vocab, n_ctx, n_embd):
    """How many numbers both tables have."""
    return (n_vocab + n_ctx) * n_embd


@embedding_parameters.wrong("The position table is missing: a row for each position.")
def tokens_alone(n_vocab, n_ctx, n_embd):
    return n_vocab * n_embd


@embedding_parameters.wrong(
    "You multiply the rows. The two tables are apart: add their rows, and multiply by the "
    "width."
)
def rows_multiplied(n_vocab, n_ctx, n_embd):
    return n_vocab * n_ctx


@embedding_parameters.wrong("The token table is missing: a row for each token.")
def positions_alone(n_vocab, n_ctx, n_embd):
    return n_ctx * n_embd


@embedding_parameters.wrong("Those are the rows. How many numbers does each have?")
def rows_of_both(n_vocab, n_ctx, n_embd):
    return n_vocab + n_ctx


@embedding_parameters.wrong(
    "That would be a row for every token at every position. The two are looked up apart and "
    "added, so the numbers of rows add up."
)
def a_row_for_every_pair(n_vocab, n_ctx, n_embd):
    return n_vocab * n_ctx * n_embd


@embedding_parameters.wrong(
    "That is with GPT-1's true 40,478 tokens. The model of this question knows another number."
)
def the_tokens_of_gpt1(n_vocab, n_ctx, n_embd):
    return (40_478 + n_ctx) * n_embd


@embedding_parameters.wrong("Those are bytes, 4 per number in float32. Count numbers.")
def bytes_of_both(n_vocab, n_ctx, n_embd):
    return 4 * (n_vocab + n_ctx) * n_embd


@embedding_parameters.wrong(
    "You count the token table a second time, for the output. GPT-1 uses the same numbers "
    "there (lesson 08)."
)
def output_matrix_too(n_vocab, n_ctx, n_embd):
    return (2 * n_vocab + n_ctx) * n_embd


EXERCISES = (one_hot, nearest_rows, rows_that_learn, embed, sinusoids, embedding_parameters)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 13, Input transformations and fine-tuning with L3."""

import csv
import io
from dataclasses import replace
from pathlib import Path

import torch

import gpt1lib as g
from gpt1lib.io import files

from .. import paper
from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise


def _numbers(*shape, seed, scale=1.0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


@exercise(
    "The sequence of a pair",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        ([1, 2], [3], 90, 91, 92, 16),
        (list(range(10, 30)), [5, 6, 7], 90, 91, 92, 12),
        ([4, 5], list(range(40, 60)), 90, 91, 92, 14),
        (list(range(10, 40)), list(range(50, 80)), 80, 81, 82, 20),
        (list(range(10, 19)), [5, 6], 90, 91, 92, 16),
        (list(range(10, 30)), list(range(50, 60)), 90, 91, 92, 15),
    ],
    task=(
        "Join the ids of two texts into one sequence: [Start] first [Delim] second [Extract]. "
        "Each text may take at most `n_ctx // 2 - 2` tokens, so cut a longer one at its end. "
        "No special token may ever be lost."
    ),
    hints=(
        "`first[:room]` is the whole text if it is shorter than room.",
        "Build the list from left to right, with a star before each text.",
    ),
)
def entailment_ids(first, second, start, delim, extract, n_ctx):
    """One list of ids. first, second: lists of ids; start, delim, extract: ids.

    entailment_ids([1, 2], [3], 90, 91, 92, 16) -> [90, 1, 2, 91, 3, 92]
    """
    room = n_ctx // 2 - 2
    return [start, *first[:room], delim, *second[:room], extract]


@entailment_ids.wrong(
    "You put each text into the sequence as a list of its own. Put its ids there, by a star: "
    "*first[:room]."
)
def lists_within_the_list(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [start, first[:room], delim, second[:room], extract]


@entailment_ids.wrong("There is one delimiter, between the texts; none before Extract.")
def delimiter_at_the_end(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [start, *first[:room], delim, *second[:room], delim, extract]


@entailment_ids.wrong(
    "You cut the finished sequence: with long texts Extract is lost, and with it "
    "the place where the answer is read. Cut each text before joining."
)
def whole_sequence_cut(first, second, start, delim, extract, n_ctx):
    return [start, *first, delim, *second, extract][:n_ctx]


@entailment_ids.wrong("You keep the end of a long text. The released code keeps its beginning.")
def beginning_cut(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [start, *first[-room:], delim, *second[-room:], extract]


@entailment_ids.wrong(
    "Two halves of the context leave no room for three special tokens: the "
    "sequence can be n_ctx + 3 long. Each text gets n_ctx // 2 - 2."
)
def half_the_context_each(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2
    return [start, *first[:room], delim, *second[:room], extract]


@entailment_ids.wrong(
    "You cut only where the two do not fit together. Each text has a limit of its own, "
    "n_ctx // 2 - 2 tokens, however short the other is."
)
def cut_only_when_too_long(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2 if len(first) + len(second) + 3 > n_ctx else n_ctx
    return [start, *first[:room], delim, *second[:room], extract]


@entailment_ids.wrong(
    "You share out all that three special tokens leave. With an odd n_ctx that is one "
    "token more than the released code gives each text: n_ctx // 2 - 2."
)
def half_of_what_is_left(first, second, start, delim, extract, n_ctx):
    room = (n_ctx - 3) // 2
    return [start, *first[:room], delim, *second[:room], extract]


@entailment_ids.wrong("Extract is missing, and with it the place where the answer is read.")
def no_extract_at_the_end(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [start, *first[:room], delim, *second[:room]]


@entailment_ids.wrong("The Start token is missing.")
def no_start(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [*first[:room], delim, *second[:room], extract]


@entailment_ids.wrong("The texts are in the wrong order: the premise comes first.")
def second_text_first(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    return [start, *second[:room], delim, *first[:room], extract]


@entailment_ids.wrong("You cut nothing. Each text may take n_ctx // 2 - 2 tokens at most.")
def nothing_cut(first, second, start, delim, extract, n_ctx):
    return [start, *first, delim, *second, extract]


@entailment_ids.wrong(
    "You cut the joined sequence and save its Extract. Cut each text by itself, before joining."
)
def cut_before_extract(first, second, start, delim, extract, n_ctx):
    return [*[start, *first, delim, *second][: n_ctx - 1], extract]


@entailment_ids.wrong("One token too many: n_ctx // 2 - 2 of each text.")
def one_token_more(first, second, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 1
    return [start, *first[:room], delim, *second[:room], extract]


@exercise(
    "One sequence per answer",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        ([1], [[3], [4]], 7, 8, 9, 16),
        ([1, 2, 3], [[4, 5], [6], [4, 5, 6, 7]], 90, 91, 92, 20),
        (list(range(10, 30)), [[5, 6], [40, 41, 42], [43], [44, 45]], 90, 91, 92, 12),
        ([4, 5], [list(range(40, 60)), [6], list(range(60, 67))], 80, 81, 82, 15),
        (list(range(10, 30)), [list(range(50, 70)), list(range(70, 90))], 90, 91, 92, 17),
        (list(range(10, 19)), [[5, 6], [7]], 90, 91, 92, 18),
    ],
    task=(
        "For multiple choice each answer gets a sequence of its own, with the whole context "
        "before it: [Start] context [Delim] answer [Extract]. Return these sequences, in the "
        "order of the answers. As for a pair, context and answer may take at most "
        "`n_ctx // 2 - 2` tokens each; cut what is too long at its end."
    ),
    hints=(
        "The context and one answer are a pair, so your `entailment_ids` can make its "
        "sequence.",
        "`[... for choice in choices]` is a list with one entry per answer.",
    ),
)
def multiple_choice_ids(context, choices, start, delim, extract, n_ctx):
    """A list of sequences, one per choice. context: ids; choices: a list of lists of ids.

    multiple_choice_ids([1], [[3], [4]], 7, 8, 9, 16) -> [[7, 1, 8, 3, 9], [7, 1, 8, 4, 9]]
    """
    return [entailment_ids(context, choice, start, delim, extract, n_ctx) for choice in choices]


def _each(choices, sequence, n_ctx):
    """sequence(choice, room) for each choice, with the released code's room."""
    return [sequence(choice, n_ctx // 2 - 2) for choice in choices]


@multiple_choice_ids.wrong(
    "You join all answers to one sequence, so that each is read with those before it in view. "
    "Each answer gets a sequence of its own, which knows nothing of the others."
)
def answers_in_one_sequence(context, choices, start, delim, extract, n_ctx):
    room = n_ctx // 2 - 2
    joined = [x for choice in choices for x in (delim, *choice[:room])]
    return [start, *context[:room], *joined, extract]


@multiple_choice_ids.wrong(
    "You return a list of one sequence that contains all answers. Each answer gets a "
    "sequence of its own, which knows nothing of the others."
)
def one_sequence_in_a_list(context, choices, start, delim, extract, n_ctx):
    return [answers_in_one_sequence(context, choices, start, delim, extract, n_ctx)]


@multiple_choice_ids.wrong(
    "You put all sequences into one list of ids. Return a list of lists, one per answer."
)
def sequences_end_to_end(context, choices, start, delim, extract, n_ctx):
    rows = multiple_choice_ids(context, choices, start, delim, extract, n_ctx)
    return [x for row in rows for x in row]


@multiple_choice_ids.wrong(
    "The delimiter is missing: nothing tells where the context ends and the answer begins."
)
def no_delimiter(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *context[:n], *c[:n], extract], n_ctx)


@multiple_choice_ids.wrong(
    "Only your first sequence has the context. The others are read by themselves, so each "
    "needs it again."
)
def context_once(context, choices, start, delim, extract, n_ctx):
    first = entailment_ids(context, choices[0], start, delim, extract, n_ctx)
    return [first, *no_context(context, choices[1:], start, delim, extract, n_ctx)]


@multiple_choice_ids.wrong(
    "The context is missing. Without it the model can only tell which answer is likelier alone."
)
def no_context(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *c[:n], extract], n_ctx)


@multiple_choice_ids.wrong(
    "You cut the finished sequences: with a long context the answer and Extract are lost. Cut "
    "context and answer before joining."
)
def sequences_cut(context, choices, start, delim, extract, n_ctx):
    return [[start, *context, delim, *choice, extract][:n_ctx] for choice in choices]


@multiple_choice_ids.wrong("You cut the answers, but not the context.")
def context_not_cut(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *context, delim, *c[:n], extract], n_ctx)


@multiple_choice_ids.wrong("You cut the context, but not the answers.")
def answers_not_cut(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *context[:n], delim, *c, extract], n_ctx)


@multiple_choice_ids.wrong(
    "Your context gets all the room that an answer leaves. It has a limit of its own, "
    "n_ctx // 2 - 2 tokens, however short the answer is."
)
def context_gets_the_rest(context, choices, start, delim, extract, n_ctx):
    def sequence(c, room):
        return [start, *context[: n_ctx - 3 - len(c[:room])], delim, *c[:room], extract]

    return _each(choices, sequence, n_ctx)


@multiple_choice_ids.wrong(
    "You share one window among context and answers. Each answer has its own window, and in "
    "it n_ctx // 2 - 2 tokens."
)
def window_shared_out(context, choices, start, delim, extract, n_ctx):
    room = n_ctx // (len(choices) + 1) - 2
    return [[start, *context[:room], delim, *c[:room], extract] for c in choices]


@multiple_choice_ids.wrong(
    "Two halves of the window leave no room for three special tokens: context and answer get "
    "n_ctx // 2 - 2 tokens each."
)
def half_the_window_each(context, choices, start, delim, extract, n_ctx):
    room = n_ctx // 2
    return [[start, *context[:room], delim, *c[:room], extract] for c in choices]


@multiple_choice_ids.wrong(
    "You keep the ends of long texts. The released code keeps beginnings."
)
def ends_kept(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *context[-n:], delim, *c[-n:], extract], n_ctx)


@multiple_choice_ids.wrong(
    "The answer comes before the context: the context has to come first."
)
def answer_first(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *c[:n], delim, *context[:n], extract], n_ctx)


@multiple_choice_ids.wrong("There is one delimiter, after the context; none before Extract.")
def two_delimiters(context, choices, start, delim, extract, n_ctx):
    return _each(
        choices, lambda c, n: [start, *context[:n], delim, *c[:n], delim, extract], n_ctx
    )


@multiple_choice_ids.wrong("Extract is missing, and with it the place where a score is read.")
def no_extract(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [start, *context[:n], delim, *c[:n]], n_ctx)


@multiple_choice_ids.wrong("Your sequences lack the Start token.")
def start_missing(context, choices, start, delim, extract, n_ctx):
    return _each(choices, lambda c, n: [*context[:n], delim, *c[:n], extract], n_ctx)


@multiple_choice_ids.wrong(
    "You fill up the shorter sequences. That is done later, for the whole batch: here each is "
    "as long as it is."
)
def filled_up(context, choices, start, delim, extract, n_ctx):
    rows = multiple_choice_ids(context, choices, start, delim, extract, n_ctx)
    return [row + [0] * (max(map(len, rows)) - len(row)) for row in rows]


@multiple_choice_ids.wrong("You cut nothing. Context and answer take n_ctx // 2 - 2 at most.")
def no_text_cut(context, choices, start, delim, extract, n_ctx):
    return [[start, *context, delim, *choice, extract] for choice in choices]


@multiple_choice_ids.wrong("Your loop ends after one answer: is the return indented too far?")
def the_first_answer_alone(context, choices, start, delim, extract, n_ctx):
    return multiple_choice_ids(context, choices[:1], start, delim, extract, n_ctx)


@exercise(
    "Where the answer is read",
    difficulty=3,
    importance=5,
    minutes=10,
    cases=lambda: [
        (
            _numbers(3, 6, 4, seed=1),
            torch.tensor([[7, 1, 2, 9, 0, 0], [7, 3, 9, 0, 0, 0], [7, 1, 2, 3, 4, 9]]),
            9,
        ),
        (_numbers(2, 5, 3, seed=2), torch.tensor([[7, 8, 9, 0, 0], [7, 8, 8, 9, 0]]), 9),
        (
            _numbers(3, 5, 2, seed=17),
            torch.tensor([[7, 0, 3, 0, 0], [7, 8, 0, 9, 3], [5, 7, 3, 0, 0]]),
            3,
        ),
    ],
    task=(
        "From the states of a padded batch, take for each sequence the state at its "
        "Extract token. Sequences have different lengths, so it is at different places."
    ),
    hints=(
        "`(ids == extract).int()` is 1 at one place of each row, and `.argmax(dim=1)` finds "
        "this place. (argmax doesn't take booleans.)",
        "`h[rows, places]` with two index tensors takes one vector for each pair.",
    ),
)
def read_out(h, ids, extract):
    """(N, C): the state at the Extract token of each sequence.

    h: (N, T, C) states; ids: (N, T), padded with 0 on the right; extract: its id.
    """
    where = (ids == extract).int().argmax(dim=1)
    return h[torch.arange(len(ids)), where]


@read_out.wrong(
    "You look for Extract down the columns (dim=0). It is at one place of each row: dim=1."
)
def extract_down_the_columns(h, ids, extract):
    where = (ids == extract).int().argmax(dim=0)
    return h[torch.arange(len(ids)), where]


@read_out.wrong(
    "You index only the rows of h. Each state needs its row and its place: "
    "h[torch.arange(len(ids)), where], or by the mask itself, h[ids == extract]."
)
def pairs_as_one_index(h, ids, extract):
    return h[(ids == extract).nonzero()]


@read_out.wrong(
    "You read the last column. In a padded sequence that is padding; find the "
    "Extract token by its id."
)
def last_column(h, ids, extract):
    return h[:, -1]


@read_out.wrong(
    "You read the first state, as BERT does. Under the causal mask it has seen "
    "nothing but Start."
)
def first_column(h, ids, extract):
    return h[:, 0]


@read_out.wrong("One place too early: that is the state of the last word, not of Extract.")
def one_before(h, ids, extract):
    where = (ids == extract).int().argmax(dim=1) - 1
    return h[torch.arange(len(ids)), where]


@read_out.wrong(
    "You count what is not 0. That finds the end only until a text contains the token 0, "
    "which is <unk>: look for Extract by its id."
)
def not_padding_counted(h, ids, extract):
    return h[torch.arange(len(ids)), (ids != 0).sum(dim=1) - 1]


@read_out.wrong(
    "You take the state before the first 0. A text may contain the token 0 itself, "
    "which is <unk>: look for Extract by its id."
)
def before_the_first_0(h, ids, extract):
    return h[torch.arange(len(ids)), (ids == 0).int().argmax(dim=1) - 1]


@read_out.wrong(
    "You look for the largest id. Extract has it only where it was the last to join the "
    "vocabulary: look for the id that is given."
)
def largest_id(h, ids, extract):
    return h[torch.arange(len(ids)), ids.argmax(dim=1)]


@read_out.wrong("You average over all places, padding included. GPT-1 reads one state.")
def mean_of_all(h, ids, extract):
    return h.mean(dim=1)


@read_out.wrong(
    "`h[:, where]` takes every place of `where` from every sequence: (N, N, C). "
    "Index rows and places together, with `torch.arange(len(ids))`."
)
def all_pairs(h, ids, extract):
    where = (ids == extract).int().argmax(dim=1)
    return h[:, where]


@exercise(
    "Two orders, one answer",
    difficulty=2,
    importance=4,
    minutes=4,
    cases=lambda: [
        (
            _numbers(3, 5, seed=3),
            _numbers(3, 5, seed=4),
            _numbers(5, 2, seed=5),
            _numbers(2, seed=6),
        ),
        (
            _numbers(1, 4, seed=7),
            _numbers(1, 4, seed=8),
            _numbers(4, 6, seed=9),
            _numbers(6, seed=10),
        ),
        (
            _numbers(2, 3, seed=18),
            _numbers(2, 3, seed=19),
            _numbers(3, 3, seed=20),
            _numbers(3, seed=21),
        ),
    ],
    task=(
        "For similarity the pair goes through the model in both orders. Add the two "
        "Extract states element by element, and apply the one linear layer to the sum."
    ),
    hints=("Element by element is what `+` does for tensors.",),
)
def similarity_logits(h_ab, h_ba, W, b):
    """Class logits (B, K) from the Extract states of both orders, each (B, C).

    W: (C, K); b: (K,).
    """
    return (h_ab + h_ba) @ W + b


@similarity_logits.wrong("@ comes before +: put the sum in parentheses, (h_ab + h_ba) @ W.")
def no_parentheses(h_ab, h_ba, W, b):
    return h_ab + h_ba @ W + b


@similarity_logits.wrong("You put the two states side by side. Add them: h_ab + h_ba.")
def side_by_side(h_ab, h_ba, W, b):
    return torch.cat([h_ab, h_ba], dim=1) @ W + b


@similarity_logits.wrong(
    "torch.cat puts one batch after the other. Add the two states of each pair: h_ab + h_ba."
)
def one_batch_after_the_other(h_ab, h_ba, W, b):
    return torch.cat([h_ab, h_ba]) @ W + b


@similarity_logits.wrong(
    "You use one order only: a pair and the same pair exchanged would get different answers."
)
def one_order(h_ab, h_ba, W, b):
    return h_ab @ W + b


@similarity_logits.wrong(
    "You apply the layer to each and add the results, so the bias counts twice. "
    "Add the states first, then apply the layer once."
)
def bias_twice(h_ab, h_ba, W, b):
    return (h_ab @ W + b) + (h_ba @ W + b)


@similarity_logits.wrong("You take the mean. The paper adds the two vectors (section 3.3).")
def mean(h_ab, h_ba, W, b):
    return (h_ab + h_ba) / 2 @ W + b


@similarity_logits.wrong("You multiply the two vectors; the paper adds them.")
def product(h_ab, h_ba, W, b):
    return (h_ab * h_ba) @ W + b


@similarity_logits.wrong(
    "You transpose W. It is (C, K) already, as in `h @ W`; only nn.Linear stores its weight "
    "the other way around."
)
def W_turned(h_ab, h_ba, W, b):
    return (h_ab + h_ba) @ W.T + b


@similarity_logits.wrong(
    "These are probabilities already. Logits are asked for; the loss takes the softmax."
)
def softmax_taken(h_ab, h_ba, W, b):
    return ((h_ab + h_ba) @ W + b).softmax(dim=-1)


@similarity_logits.wrong(
    "The bias is missing. Eq. 3 has none, the released code has one; here it is an argument."
)
def no_bias(h_ab, h_ba, W, b):
    return (h_ab + h_ba) @ W


@exercise(
    "A softmax over choices",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        (_numbers(6, seed=11), 2),
        (_numbers(12, seed=12), 4),
        (_numbers(4, seed=13, scale=3.0), 4),
        (100 * _numbers(6, seed=22), 3),
        (_numbers(3, seed=23), 1),
        (torch.tensor([800.0, 801.0, 0.0, 1.0]), 2),  # a row far below the other
    ],
    task=(
        "For multiple choice each answer is a sequence of its own, and each sequence gets "
        "one scalar. Turn the scalars of a batch into probabilities. The choices of one "
        "example come one after the other, and compete with each other, not with other "
        "examples'."
    ),
    hints=("`scalars.view(-1, n_choices)` puts each example into a row.",),
)
def choice_probs(scalars, n_choices):
    """(B, n_choices) probabilities; scalars: (B * n_choices,), example by example.

    Scalars may be in the hundreds.
    """
    return scalars.view(-1, n_choices).softmax(dim=-1)


@choice_probs.wrong(
    "view(n_choices, -1) has as many rows as there are choices, and mixes the examples. Each "
    "row should be one example: view(-1, n_choices)."
)
def choices_as_rows(scalars, n_choices):
    return scalars.view(n_choices, -1).softmax(dim=1)


@choice_probs.wrong(
    "e.sum(1) has the shape (B,), which can't divide (B, n_choices) row by row: keepdim=True. "
    "Or take .softmax, since exp of a large number is inf."
)
def sum_without_keepdim(scalars, n_choices):
    powers = scalars.view(-1, n_choices).exp()
    return powers / powers.sum(1)


@choice_probs.wrong(
    "All sequences of the batch compete: the rows do not sum to 1. Reshape "
    "first, then take the softmax along each row."
)
def all_compete(scalars, n_choices):
    return scalars.softmax(dim=0).view(-1, n_choices)


@choice_probs.wrong(
    "The softmax runs down the columns, over examples. It belongs along the rows: dim=-1."
)
def down_the_columns(scalars, n_choices):
    return scalars.view(-1, n_choices).softmax(dim=0)


@choice_probs.wrong(
    "A sigmoid judges each answer alone; exactly one is right, so use a softmax."
)
def each_alone(scalars, n_choices):
    return scalars.view(-1, n_choices).sigmoid()


@choice_probs.wrong("These are the logs of the probabilities. Take the softmax itself.")
def logs(scalars, n_choices):
    return scalars.view(-1, n_choices).log_softmax(dim=-1)


@choice_probs.wrong(
    "You read the batch as if all first choices came first. The choices of one "
    "example come one after the other."
)
def interleaved(scalars, n_choices):
    return scalars.view(n_choices, -1).T.softmax(dim=-1)


@choice_probs.wrong("exp of a large number is inf: use .softmax, which takes the maximum off.")
def powers_overflow(scalars, n_choices):
    powers = scalars.view(-1, n_choices).exp()
    return powers / powers.sum(dim=-1, keepdim=True)


@choice_probs.wrong(
    "You hold the scalars below a limit, so that exp cannot overflow. 200 and 201 then look "
    "alike: use .softmax, which takes the maximum off."
)
def held_at_50(scalars, n_choices):
    return scalars.clamp(-50, 50).view(-1, n_choices).softmax(dim=-1)


@choice_probs.wrong(
    "You take the maximum of the whole batch off. A row far below it becomes 0 / 0, which is "
    "nan: each row has a maximum of its own."
)
def one_maximum_for_all(scalars, n_choices):
    powers = (scalars - scalars.max()).exp().view(-1, n_choices)
    return powers / powers.sum(dim=-1, keepdim=True)


@exercise(
    "The loss of fine-tuning",
    difficulty=3,
    importance=5,
    minutes=12,
    cases=lambda: [
        (-_numbers(2, seed=14).abs(), [-_numbers(n, seed=n).abs() for n in (5, 3)], 0.5),
        (-_numbers(3, seed=15).abs(), [-_numbers(n, seed=n).abs() for n in (2, 9, 4)], 2.0),
        (-_numbers(1, seed=16).abs(), [-_numbers(n, seed=n).abs() for n in (4, 7)], 0.25),
        (-_numbers(2, seed=24).abs(), [-_numbers(n, seed=n).abs() for n in (4, 7, 2, 3)], 0.5),
        (-_numbers(2, seed=25).abs(), [-_numbers(n, seed=n).abs() for n in (4, 7)], 0.0),
    ],
    task=(
        "Write -L3 for a batch as the released code averages it: the mean over examples "
        "of -log P(label), plus lambda times the language-model loss, which is a mean over "
        "the tokens of each sequence and then a mean over sequences."
    ),
    hints=(
        "You need three means, over labels, over the tokens of each sequence, and over "
        "sequences.",
        "`torch.stack([row.mean() for row in token_log_probs])` has one number per sequence.",
    ),
)
def l3_loss(label_log_probs, token_log_probs, lm_coef):
    """-L3, a number to minimize.

    label_log_probs: (B,), log P(label) of each example; token_log_probs: a list of
    tensors, one per sequence, with log P of each of its targets; lm_coef: lambda, 0 or more.
    An example may have several sequences.
    """
    task = -label_log_probs.mean()
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (task + lm_coef * lm).item()


@l3_loss.wrong(
    "The sequences differ in length, so they can't be stacked. Take the mean of each sequence "
    "first, and stack the means."
)
def stacked_sequences(label_log_probs, token_log_probs, lm_coef):
    lm = torch.stack(token_log_probs).mean()
    return (-label_log_probs.mean() - lm_coef * lm).item()


@l3_loss.wrong(
    "zip stops at the shorter one, and there may be more sequences than examples. Take the "
    "two means one by one."
)
def zipped(label_log_probs, token_log_probs, lm_coef):
    pairs = list(zip(label_log_probs, token_log_probs, strict=False))
    return -sum((a + lm_coef * row.mean()).item() for a, row in pairs) / len(pairs)


@l3_loss.wrong("This is L3 itself, which is to be maximized. A loss is its negative.")
def likelihood(label_log_probs, token_log_probs, lm_coef):
    lm = torch.stack([row.mean() for row in token_log_probs]).mean()
    return (label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "You sum over the tokens of a sequence, as the paper's Eq. 1 reads: long "
    "texts would outweigh the labels many times over. The code takes the mean."
)
def sums_of_tokens(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.sum() for row in token_log_probs]).mean()
    return (-label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "You average over all tokens at once, so long sequences count more. The code "
    "averages each sequence first."
)
def mean_of_all_tokens(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.cat(token_log_probs).mean()
    return (-label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong("Lambda is missing: you add the language-model loss in full.")
def lambda_forgotten(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (-label_log_probs.mean() + lm).item()


@l3_loss.wrong(
    "You sum over the labels. The code takes their mean, so that a larger batch does not "
    "mean a larger loss."
)
def sum_over_labels(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (-label_log_probs.sum() + lm_coef * lm).item()


@l3_loss.wrong(
    "You sum over the sequences. After the mean over tokens comes a mean over sequences."
)
def sum_over_sequences(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).sum()
    return (-label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "You take the log of what is a log already: of a number below 0 it is nan, not a number."
)
def log_taken_again(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.log().mean() for row in token_log_probs]).mean()
    return (-label_log_probs.log().mean() + lm_coef * lm).item()


@l3_loss.wrong("The text is missing: this is the task's loss alone.")
def task_alone(label_log_probs, token_log_probs, lm_coef):
    return -label_log_probs.mean().item()


@l3_loss.wrong("Lambda is not a mixing weight. The task loss counts in full (Eq. 5).")
def a_mixture(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (-(1 - lm_coef) * label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "Lambda weighs the language-model loss alone, and the task loss counts in full (Eq. 5)."
)
def lambda_on_both(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (lm_coef * (lm - label_log_probs.mean())).item()


@l3_loss.wrong("Lambda belongs to the language-model loss, not to the task.")
def weight_on_the_task(label_log_probs, token_log_probs, lm_coef):
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (-lm_coef * label_log_probs.mean() + lm).item()


@l3_loss.wrong(
    "One term is a loss, the other a log-likelihood: the model would be rewarded "
    "for worse predictions of the text."
)
def signs_apart(label_log_probs, token_log_probs, lm_coef):
    lm = torch.stack([row.mean() for row in token_log_probs]).mean()
    return (-label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "Those are the paper's sums. The code takes means: over examples, and over the tokens of a "
    "sequence and then over sequences."
)
def sums_as_in_the_paper(label_log_probs, token_log_probs, lm_coef):
    lm = -sum(row.sum() for row in token_log_probs)
    return (-label_log_probs.sum() + lm_coef * lm).item()


@l3_loss.wrong(
    "You divide the sequences' means by the number of examples. There may be more sequences "
    "than examples: take their own mean."
)
def divided_by_the_examples(label_log_probs, token_log_probs, lm_coef):
    lm = -sum(row.mean() for row in token_log_probs) / len(label_log_probs)
    return (-label_log_probs.mean() + lm_coef * lm).item()


@l3_loss.wrong(
    "You add example by example, but there may be more sequences than examples. Average each "
    "of the two, then add."
)
def example_by_example(label_log_probs, token_log_probs, lm_coef):
    lm = torch.stack([row.mean() for row in token_log_probs])
    return -(label_log_probs + lm_coef * lm).mean().item()


@l3_loss.wrong(
    "A lambda of 0 counts as false, so `lm_coef or 0.5` is 0.5. Lambda may be 0: use it as it "
    "is."
)
def a_half_for_0(label_log_probs, token_log_probs, lm_coef):
    return l3_loss(label_log_probs, token_log_probs, lm_coef or 0.5)


@number_exercise(
    "The new numbers of a head",
    question=(
        "States have {C:,} dimensions, and a task has {classes} classes. How many weights does "
        "the matrix W_y have, and how many numbers in all are new in the released code, which "
        "adds biases and three rows of W_e?"
    ),
    difficulty=1,
    importance=3,
    minutes=3,
    first=(768, 4),
    draw=lambda random: (64 * random.randint(2, 20), random.randint(2, 9)),
    worked=lambda C, classes: (
        f"W_y has {C} · {classes} = {C * classes:,} weights. With {classes} biases that makes "
        f"{C * classes + classes:,}, and with the 3 · {C} numbers of Start, Delim and Extract, "
        f"{C * classes + classes + 3 * C:,}."
    ),
    hints=("A class takes one weight per dimension of the state, and one bias.",),
)
def head_numbers(C, classes):
    """(weights of W_y, all new numbers)."""
    return C * classes, C * classes + classes + 3 * C


@head_numbers.wrong("The second number lacks the biases, one per class.")
def no_biases(C, classes):
    return C * classes, C * classes + 3 * C


@head_numbers.wrong("The second number lacks the three new rows of W_e.")
def no_new_rows(C, classes):
    return C * classes, C * classes + classes


@head_numbers.wrong("The first number is the weights alone; biases belong to the second.")
def biases_in_both(C, classes):
    return C * classes + classes, C * classes + classes + 3 * C


@head_numbers.wrong("There is one bias for each class, not for each dimension of the state.")
def a_bias_per_number(C, classes):
    return C * classes, C * classes + C + 3 * C


@head_numbers.wrong(
    "Each of the three new rows of W_e has one number per dimension of the state."
)
def one_number_per_row(C, classes):
    return C * classes, C * classes + classes + 3


@head_numbers.wrong("Swapped: the weights of W_y come first, then all that is new.")
def exchanged(C, classes):
    return C * classes + classes + 3 * C, C * classes


@number_exercise(
    "L3 by hand",
    question=(
        "One example has L2 = {L2}, and the log-probabilities of its {n} tokens sum to "
        "{total}. Lambda is {lam}. How large is L3 with the paper's sums, and how large with "
        "the code's means?"
    ),
    difficulty=2,
    importance=4,
    minutes=4,
    first=(-0.45, -12.3, 25, 0.5),
    draw=lambda random: (
        -random.randint(10, 120) / 100,
        -random.randint(200, 900) / 10,
        random.randint(6, 40),
        random.choice((0.2, 0.25, 0.5, 0.75)),
    ),
    worked=lambda L2, total, n, lam: (
        f"Sums: {L2} + {lam} · ({total}) = {L2 + lam * total:.3f}, of which the second term "
        f"makes up {100 * lam * total / (L2 + lam * total):.2f}%. The mean of the tokens is "
        f"{total} / {n} = {total / n:.4f}, so with means {L2} + {lam} · ({total / n:.4f}) = "
        f"{L2 + lam * total / n:.3f}."
    ),
    hints=("The two differ only in the second term: the sum over all tokens, or their mean.",),
    decimals=3,
)
def l3_both_ways(L2, total, n, lam):
    """(L3 by sums, L3 by means)."""
    return L2 + lam * total, L2 + lam * total / n


@l3_both_ways.wrong("Lambda belongs before L1, in both.")
def without_lambda(L2, total, n, lam):
    return L2 + total, L2 + total / n


@l3_both_ways.wrong("Those are losses. L3 is to be maximized, so it is their negative.")
def as_losses(L2, total, n, lam):
    return -(L2 + lam * total), -(L2 + lam * total / n)


@l3_both_ways.wrong("You give L3 by means first. Sums come first, then means.")
def means_first(L2, total, n, lam):
    return L2 + lam * total / n, L2 + lam * total


@l3_both_ways.wrong("You subtract the second term. L3 is a sum, L2 + lambda · L1.")
def subtracted(L2, total, n, lam):
    return L2 - lam * total, L2 - lam * total / n


@l3_both_ways.wrong("Lambda belongs before L1, and L2 counts in full.")
def lambda_before_the_label(L2, total, n, lam):
    return lam * L2 + total, lam * L2 + total / n


@l3_both_ways.wrong(
    "You give the paper's sums twice. The code divides L1 by the number of tokens."
)
def sums_twice(L2, total, n, lam):
    return L2 + lam * total, L2 + lam * total


@l3_both_ways.wrong("One example has one label: there is nothing to average in L2.")
def label_averaged_too(L2, total, n, lam):
    return L2 + lam * total, (L2 + lam * total) / n


def on_short_stories(guesses: str, stories: list) -> float:
    """The accuracy of stored guesses on the stories that the second recipe is tested on."""
    short = g.tasks.no_longer_than(stories, paper.plan.second_recipe().longest)
    right = [
        int(guess) == e.label for guess, e in zip(guesses, stories, strict=True) if e in short
    ]
    return sum(right) / len(right)


def means_of(n: int, values: list[float]) -> list[float]:
    """Each value's mean with the n - 1 before it; at the start with as many as there are."""
    last = [values[max(0, i + 1 - n) : i + 1] for i in range(len(values))]
    return [sum(part) / len(part) for part in last]


LETTERS = {
    "request": (
        "Please send me two chairs and a table",
        "Would you be so kind as to answer soon",
        "Let me know when the parcel comes",
        "Tell your sister that I expect her on Monday",
        "Could you lend me ten pounds until the summer",
        "Come and see us, if you can",
        "I beg you to return my umbrella",
        "Do not forget the candles",
        "Give my love to the children",
        "May I keep your book for another week",
        "Pray write to my uncle, and thank him",
        "You must come to the wedding",
        "Will you take the boys to the sea",
        "Bring the old lamp with you",
    ),
    "news": (
        "We have moved into the new house",
        "My mother is well again",
        "The train was late and I missed the boat",
        "It has rained every day since Sunday",
        "Your uncle came to dinner, and stayed until ten",
        "I found the letter under the stairs",
        "The boys are at school and the house is quiet",
        "Nobody was at home when I called",
        "We sold both horses at the fair",
        "The garden is full of roses",
        "She married a doctor from Bath",
        "I have read all the books that you sent",
        "The cat has six kittens, all of them black",
        "Our neighbor lost his hat in the river",
    ),
}


def write_letters(path: Path) -> None:
    """A small set of one's own: a .csv file with the columns text and label."""
    rows = [(text, label) for label, texts in LETTERS.items() for text in texts]
    table = io.StringIO(newline="")
    csv.writer(table, lineterminator="\n").writerows([("text", "label"), *rows])
    files.write_text(path, table.getvalue())


# ---- worked out by hand ----------------------------------------------------------------

OLD_MAN = {  # a pair of MultiNLI's kind, as ids of the released vocabulary
    "premise": [481, 1122, 762, 1986, 485, 481, 1669, 1320],
    "hypothesis": [531, 9376, 1800, 2767, 485, 246, 2021],
}
CURIE = {
    "question": [5999, 2744, 243, 4013, 3066, 2013, 500, 8083, 31937, 239, 599, 10577, 626,
                 2744, 243, 6575, 257],
    "answers": [[543, 21078], [3066, 2013], [35295, 11334]],
}  # fmt: skip


# ---- what is stored ------------------------------------------------------------------


def as_stored(task):
    """A task as its stored runs had it: their first seed's labels, their test examples."""
    settings = paper.plan.Cell(task.name, seed=0).settings
    train = g.finetune.trainer.chosen_examples(task, settings)
    test = g.tasks.no_longer_than(task.test, settings.longest)
    test = paper.sample(test, paper.run.MAX_TEST)
    return replace(task, train=train, valid=[], test=test)


def parts_of_the_test(task: str) -> dict[str, float]:
    """Mean accuracy on each part of a test set over the stored seeds of "full"."""
    stored, by_part = paper.results.stored_trials("cells"), {}
    for row, cell in paper.plan.table5():
        if row == "full" and cell.task == task:
            for part, score in stored[cell.trial]["groups"].items():
                by_part.setdefault(part, []).append(score["accuracy"])
    return {part: sum(scores) / len(scores) for part, scores in by_part.items()}


EXERCISES = (
    entailment_ids,
    multiple_choice_ids,
    read_out,
    similarity_logits,
    choice_probs,
    l3_loss,
    head_numbers,
    l3_both_ways,
)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 13, Input transformations and fine-tuning with L3."""

import torch

from . import Exercise, Wrong, checker


def _numbers(*shape, seed, scale=1.0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)) * scale


entailment_ids = Exercise(
    name="entailment_ids",
    title="The sequence of a pair",
    task="Join the ids of two texts into one sequence: [Start] first [Delim] second "
    "[Extract]. Each text may take at most `n_ctx // 2 - 2` tokens; cut what is too long "
    "at its end. No special token may ever be lost.",
    difficulty=2,
    importance=5,
    minutes=8,
    stub='''
def entailment_ids(first, second, start, delim, extract, n_ctx):
    """One list of ids. first, second: lists of ids; start, delim, extract: ids.

    entailment_ids([1, 2], [3], 90, 91, 92, 16) -> [90, 1, 2, 91, 3, 92]
    """
    ...
''',
    solution='''
def entailment_ids(first, second, start, delim, extract, n_ctx):
    """One list of ids. first, second: lists of ids; start, delim, extract: ids."""
    room = n_ctx // 2 - 2
    return [start, *first[:room], delim, *second[:room], extract]
''',
    wrong=(
        Wrong(
            "delimiter at the end",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    room = n_ctx // 2 - 2\n"
            "    return [start, *first[:room], delim, *second[:room], delim, extract]",
            "There is one delimiter, between the texts; none before Extract.",
        ),
        Wrong(
            "whole sequence cut",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    return [start, *first, delim, *second, extract][:n_ctx]",
            "You cut the finished sequence: with long texts Extract is lost, and with it "
            "the place where the answer is read. Cut each text before joining.",
        ),
        Wrong(
            "beginning cut",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    room = n_ctx // 2 - 2\n"
            "    return [start, *first[-room:], delim, *second[-room:], extract]",
            "You keep the end of a long text. The released code keeps its beginning.",
        ),
        Wrong(
            "half the context each",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    room = n_ctx // 2\n"
            "    return [start, *first[:room], delim, *second[:room], extract]",
            "Two halves of the context leave no room for three special tokens: the "
            "sequence can be n_ctx + 3 long. Each text gets n_ctx // 2 - 2.",
        ),
        Wrong(
            "no start",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    room = n_ctx // 2 - 2\n"
            "    return [*first[:room], delim, *second[:room], extract]",
            "The Start token is missing.",
        ),
        Wrong(
            "second text first",
            "def entailment_ids(first, second, start, delim, extract, n_ctx):\n"
            "    room = n_ctx // 2 - 2\n"
            "    return [start, *second[:room], delim, *first[:room], extract]",
            "The texts stand in the wrong order: the premise comes first.",
        ),
    ),
    cases=lambda: [
        ([1, 2], [3], 90, 91, 92, 16),
        (list(range(10, 30)), [5, 6, 7], 90, 91, 92, 12),
        ([4, 5], list(range(40, 60)), 90, 91, 92, 14),
        (list(range(10, 40)), list(range(50, 80)), 90, 91, 92, 20),
    ],
    hints=(
        "`first[:room]` is the whole text if it is shorter than room.",
        "Build the list from left to right, with a star before each text.",
    ),
)

read_out = Exercise(
    name="read_out",
    title="Where the answer is read",
    task="From the states of a padded batch, take for each sequence the state at its "
    "Extract token. Sequences have different lengths, so it stands at different places.",
    difficulty=3,
    importance=5,
    minutes=10,
    stub='''
def read_out(h, ids, extract):
    """(N, C): the state at the Extract token of each sequence.

    h: (N, T, C) states; ids: (N, T), padded with 0 on the right; extract: its id.
    """
    ...
''',
    solution='''
def read_out(h, ids, extract):
    """(N, C): the state at the Extract token of each sequence."""
    where = (ids == extract).int().argmax(dim=1)
    return h[torch.arange(len(ids)), where]
''',
    wrong=(
        Wrong(
            "last column",
            "def read_out(h, ids, extract):\n    return h[:, -1]",
            "You read the last column. In a padded sequence that is padding; find the "
            "Extract token by its id.",
        ),
        Wrong(
            "first column",
            "def read_out(h, ids, extract):\n    return h[:, 0]",
            "You read the first state, as BERT does. Under the causal mask it has seen "
            "nothing but Start.",
        ),
        Wrong(
            "one before",
            "def read_out(h, ids, extract):\n"
            "    where = (ids == extract).int().argmax(dim=1) - 1\n"
            "    return h[torch.arange(len(ids)), where]",
            "One place too early: that is the state of the last word, not of Extract.",
        ),
        Wrong(
            "mean of all",
            "def read_out(h, ids, extract):\n    return h.mean(dim=1)",
            "You average over all places, padding included. GPT-1 reads one state.",
        ),
        Wrong(
            "all pairs",
            "def read_out(h, ids, extract):\n"
            "    where = (ids == extract).int().argmax(dim=1)\n    return h[:, where]",
            "`h[:, where]` takes every place of `where` from every sequence: (N, N, C). "
            "Index rows and places together, with `torch.arange(len(ids))`.",
        ),
    ),
    cases=lambda: [
        (
            _numbers(3, 6, 4, seed=1),
            torch.tensor([[7, 1, 2, 9, 0, 0], [7, 3, 9, 0, 0, 0], [7, 1, 2, 3, 4, 9]]),
            9,
        ),
        (_numbers(2, 5, 3, seed=2), torch.tensor([[7, 8, 9, 0, 0], [7, 8, 8, 9, 0]]), 9),
    ],
    hints=(
        "`(ids == extract)` is True at one place of each row; argmax finds it.",
        "`h[rows, places]` with two index tensors takes one vector for each pair.",
    ),
)

similarity_logits = Exercise(
    name="similarity_logits",
    title="Two orders, one answer",
    task="For similarity the pair goes through the model in both orders. Add the two "
    "Extract states element by element, and apply the one linear layer to the sum.",
    difficulty=2,
    importance=4,
    minutes=6,
    stub='''
def similarity_logits(h_ab, h_ba, W, b):
    """Class logits (B, K) from the Extract states of both orders, each (B, C).

    W: (C, K); b: (K,).
    """
    ...
''',
    solution='''
def similarity_logits(h_ab, h_ba, W, b):
    """Class logits (B, K) from the Extract states of both orders, each (B, C)."""
    return (h_ab + h_ba) @ W + b
''',
    wrong=(
        Wrong(
            "one order",
            "def similarity_logits(h_ab, h_ba, W, b):\n    return h_ab @ W + b",
            "You use one order only: a pair and the same pair exchanged would get "
            "different answers.",
        ),
        Wrong(
            "bias twice",
            "def similarity_logits(h_ab, h_ba, W, b):\n"
            "    return (h_ab @ W + b) + (h_ba @ W + b)",
            "You apply the layer to each and add the results, so the bias counts twice. "
            "Add the states first, then apply the layer once.",
        ),
        Wrong(
            "mean",
            "def similarity_logits(h_ab, h_ba, W, b):\n    return (h_ab + h_ba) / 2 @ W + b",
            "You take the mean. The paper adds the two vectors (section 3.3).",
        ),
        Wrong(
            "product",
            "def similarity_logits(h_ab, h_ba, W, b):\n    return (h_ab * h_ba) @ W + b",
            "You multiply the two vectors; the paper adds them.",
        ),
        Wrong(
            "no bias",
            "def similarity_logits(h_ab, h_ba, W, b):\n    return (h_ab + h_ba) @ W",
            "The bias is missing. Eq. 3 has none, the released code has one; here it is "
            "an argument.",
        ),
    ),
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
    ],
    hints=("Element by element is what `+` does for tensors.",),
)

choice_probs = Exercise(
    name="choice_probs",
    title="A softmax over choices",
    task="For multiple choice each answer is a sequence of its own, and each sequence gets "
    "one scalar. Turn the scalars of a batch into probabilities: the choices of one "
    "example stand in a row and compete with each other, not with other examples'.",
    difficulty=2,
    importance=4,
    minutes=6,
    stub='''
def choice_probs(scalars, n_choices):
    """(B, n_choices) probabilities; scalars: (B * n_choices,), example by example."""
    ...
''',
    solution='''
def choice_probs(scalars, n_choices):
    """(B, n_choices) probabilities; scalars: (B * n_choices,), example by example."""
    return scalars.view(-1, n_choices).softmax(dim=-1)
''',
    wrong=(
        Wrong(
            "all compete",
            "def choice_probs(scalars, n_choices):\n"
            "    return scalars.softmax(dim=0).view(-1, n_choices)",
            "All sequences of the batch compete: the rows do not sum to 1. Reshape "
            "first, then take the softmax along each row.",
        ),
        Wrong(
            "down the columns",
            "def choice_probs(scalars, n_choices):\n"
            "    return scalars.view(-1, n_choices).softmax(dim=0)",
            "The softmax runs down the columns, over examples. It belongs along the "
            "rows: dim=-1.",
        ),
        Wrong(
            "each alone",
            "def choice_probs(scalars, n_choices):\n"
            "    return scalars.view(-1, n_choices).sigmoid()",
            "A sigmoid judges each answer alone; exactly one is right, so use a softmax.",
        ),
        Wrong(
            "interleaved",
            "def choice_probs(scalars, n_choices):\n"
            "    return scalars.view(n_choices, -1).T.softmax(dim=-1)",
            "You took the first choices of all examples together. The choices of one "
            "example stand next to each other.",
        ),
    ),
    cases=lambda: [
        (_numbers(6, seed=11), 2),
        (_numbers(12, seed=12), 4),
        (_numbers(4, seed=13, scale=3.0), 4),
    ],
    hints=("`scalars.view(-1, n_choices)` puts each example into a row.",),
)

l3_loss = Exercise(
    name="l3_loss",
    title="The loss of fine-tuning",
    task="Write -L3 for a batch as the released code averages it: the mean over examples "
    "of -log P(label), plus lambda times the language-model loss, which is a mean over "
    "the tokens of each sequence and then a mean over sequences.",
    difficulty=3,
    importance=5,
    minutes=12,
    stub='''
def l3_loss(label_log_probs, token_log_probs, lm_coef):
    """-L3, a number to minimize.

    label_log_probs: (B,), log P(label) of each example; token_log_probs: a list of
    tensors, one a sequence, with log P of each of its targets; lm_coef: lambda.
    """
    ...
''',
    solution='''
def l3_loss(label_log_probs, token_log_probs, lm_coef):
    """-L3, a number to minimize."""
    task = -label_log_probs.mean()
    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()
    return (task + lm_coef * lm).item()
''',
    wrong=(
        Wrong(
            "likelihood",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = torch.stack([row.mean() for row in token_log_probs]).mean()\n"
            "    return (label_log_probs.mean() + lm_coef * lm).item()",
            "This is L3 itself, which is to be maximized. A loss is its negative.",
        ),
        Wrong(
            "sums of tokens",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = -torch.stack([row.sum() for row in token_log_probs]).mean()\n"
            "    return (-label_log_probs.mean() + lm_coef * lm).item()",
            "You sum over the tokens of a sequence, as the paper's Eq. 1 reads: long "
            "texts would outweigh the labels many times over. The code takes the mean.",
        ),
        Wrong(
            "mean of all tokens",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = -torch.cat(token_log_probs).mean()\n"
            "    return (-label_log_probs.mean() + lm_coef * lm).item()",
            "You average over all tokens at once, so long sequences count more. The code "
            "averages each sequence first.",
        ),
        Wrong(
            "a mixture",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()\n"
            "    return (-(1 - lm_coef) * label_log_probs.mean() + lm_coef * lm).item()",
            "Lambda is no mixing weight: the task loss counts in full (Eq. 5).",
        ),
        Wrong(
            "weight on the task",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = -torch.stack([row.mean() for row in token_log_probs]).mean()\n"
            "    return (-lm_coef * label_log_probs.mean() + lm).item()",
            "Lambda belongs to the language-model loss, not to the task.",
        ),
        Wrong(
            "signs apart",
            "def l3_loss(label_log_probs, token_log_probs, lm_coef):\n"
            "    lm = torch.stack([row.mean() for row in token_log_probs]).mean()\n"
            "    return (-label_log_probs.mean() + lm_coef * lm).item()",
            "One term is a loss, the other a log-likelihood: the model would be rewarded "
            "for worse predictions of the text.",
        ),
    ),
    cases=lambda: [
        (-_numbers(2, seed=14).abs(), [-_numbers(n, seed=n).abs() for n in (5, 3)], 0.5),
        (-_numbers(3, seed=15).abs(), [-_numbers(n, seed=n).abs() for n in (2, 9, 4)], 2.0),
        (-_numbers(1, seed=16).abs(), [-_numbers(n, seed=n).abs() for n in (4, 7)], 0.25),
    ],
    hints=(
        "Three means: over labels, over the tokens of each sequence, over sequences.",
        "`torch.stack([row.mean() for row in token_log_probs])` has one number a sequence.",
    ),
)

EXERCISES = (entailment_ids, read_out, similarity_logits, choice_probs, l3_loss)
check = checker(EXERCISES)

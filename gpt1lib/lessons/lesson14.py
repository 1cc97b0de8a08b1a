"""Lesson 14, Zero-shot: what pre-training knows before any label."""

import torch

from . import Exercise, Wrong, checker


def _logits(*shape, seed):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))


def _ids(n, top, seed):
    return torch.randint(top, (n,), generator=torch.Generator().manual_seed(seed))


mean_log_prob = Exercise(
    name="mean_log_prob",
    title="How likely is a sentence?",
    task="Score a sentence as the paper does for CoLA: the mean log-probability of its "
    "tokens. The first token has nothing before it, so it is given, not scored.",
    difficulty=3,
    importance=5,
    minutes=8,
    stub='''
def mean_log_prob(logits, ids):
    """Mean of log P of each token but the first, in nats.

    logits: (T, V), row i made after reading token i; ids: (T,).
    """
    ...
''',
    solution='''
def mean_log_prob(logits, ids):
    """Mean of log P of each token but the first, in nats."""
    log_probs = logits.log_softmax(dim=-1)
    return log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()
''',
    wrong=(
        Wrong(
            "no shift",
            "def mean_log_prob(logits, ids):\n"
            "    log_probs = logits.log_softmax(dim=-1)\n"
            "    return log_probs[torch.arange(len(ids)), ids].mean().item()",
            "You ask each state for the token that it has just read. Row i predicts "
            "token i + 1.",
        ),
        Wrong(
            "a sum",
            "def mean_log_prob(logits, ids):\n"
            "    log_probs = logits.log_softmax(dim=-1)\n"
            "    return log_probs[torch.arange(len(ids) - 1), ids[1:]].sum().item()",
            "You sum. Long sentences then always look worse than short ones; the paper "
            "takes the mean.",
        ),
        Wrong(
            "mean probability",
            "def mean_log_prob(logits, ids):\n"
            "    probs = logits.softmax(dim=-1)\n"
            "    return probs[torch.arange(len(ids) - 1), ids[1:]].mean().log().item()",
            "That is the log of the mean probability. Take the log of each probability "
            "first: the product of probabilities is what matters.",
        ),
        Wrong(
            "raw scores",
            "def mean_log_prob(logits, ids):\n"
            "    return logits[torch.arange(len(ids) - 1), ids[1:]].mean().item()",
            "Logits are not log-probabilities yet: log_softmax makes them comparable.",
        ),
        Wrong(
            "loss",
            "def mean_log_prob(logits, ids):\n"
            "    log_probs = logits.log_softmax(dim=-1)\n"
            "    return -log_probs[torch.arange(len(ids) - 1), ids[1:]].mean().item()",
            "That is the loss. A score should be higher for a likelier sentence.",
        ),
    ),
    cases=lambda: [
        (_logits(6, 9, seed=1), _ids(6, 9, 2)),
        (_logits(3, 20, seed=3), _ids(3, 20, 4)),
    ],
    hints=(
        "Row i of the logits predicts ids[i + 1].",
        "`log_probs[torch.arange(T - 1), ids[1:]]` takes one number a row.",
    ),
)

likelier_choice = Exercise(
    name="likelier_choice",
    title="Which ending?",
    task="For each question the log-probabilities of every answer's tokens are given. "
    "Return the index of the answer with the highest mean, as the paper does for RACE.",
    difficulty=2,
    importance=4,
    minutes=6,
    stub='''
def likelier_choice(answers):
    """The index of the best answer. answers: a list of tensors, log P of each token."""
    ...
''',
    solution='''
def likelier_choice(answers):
    """The index of the best answer. answers: a list of tensors, log P of each token."""
    means = [answer.mean().item() for answer in answers]
    return means.index(max(means))
''',
    wrong=(
        Wrong(
            "sum",
            "def likelier_choice(answers):\n"
            "    sums = [answer.sum().item() for answer in answers]\n"
            "    return sums.index(max(sums))",
            "You compare sums, which favor short answers: each further token can only "
            "lower a sum of logs. The paper compares means.",
        ),
        Wrong(
            "the least likely",
            "def likelier_choice(answers):\n"
            "    means = [answer.mean().item() for answer in answers]\n"
            "    return means.index(min(means))",
            "You take the lowest mean. Log-probabilities are negative: the best is the "
            "one nearest to 0.",
        ),
        Wrong(
            "first tokens",
            "def likelier_choice(answers):\n"
            "    firsts = [answer[0].item() for answer in answers]\n"
            "    return firsts.index(max(firsts))",
            "You look at each answer's first token only.",
        ),
        Wrong(
            "longest",
            "def likelier_choice(answers):\n"
            "    sizes = [len(answer) for answer in answers]\n"
            "    return sizes.index(max(sizes))",
            "You take the longest answer.",
        ),
    ),
    cases=lambda: [
        ([torch.tensor([-3.0]), torch.tensor([-1.0, -2.5, -1.5])],),
        ([torch.tensor([-2.5, -4.5]), torch.tensor([-2.0, -2.0]), torch.tensor([-4.0])],),
        ([torch.tensor([-2.0, -1.0]), torch.tensor([-0.9, -2.4, -2.6, -1.9])],),
    ],
    hints=("One mean an answer, then the index of the largest.",),
)

put_in_place = Exercise(
    name="put_in_place",
    title="Who is meant?",
    task="Prepare a Winograd question: put each candidate in the place of the `_` and "
    "return, for each, what is given to the model and what is scored. The paper scores "
    "the rest of the sentence, after the candidate, and not the candidate itself.",
    difficulty=2,
    importance=4,
    minutes=6,
    stub='''
def put_in_place(text, candidates):
    """A list of (given, rest), one a candidate.

    put_in_place("the dog saw the cat and _ ran", ["the dog", "the cat"])
    -> [("the dog saw the cat and the dog", " ran"), ("the dog ... the cat", " ran")]
    """
    ...
''',
    solution='''
def put_in_place(text, candidates):
    """A list of (given, rest), one a candidate."""
    before, after = text.split("_")
    return [(before + candidate, after) for candidate in candidates]
''',
    wrong=(
        Wrong(
            "candidate scored",
            "def put_in_place(text, candidates):\n"
            '    before, after = text.split("_")\n'
            "    return [(before, candidate + after) for candidate in candidates]",
            "You score the candidate too. A word that is frequent anyway would win; what "
            "tells is how well the rest follows.",
        ),
        Wrong(
            "whole sentence",
            "def put_in_place(text, candidates):\n"
            '    return [("", text.replace("_", candidate)) for candidate in candidates]',
            "Nothing is given and the whole sentence is scored. Give everything up to "
            "and with the candidate, score the rest.",
        ),
        Wrong(
            "no candidate",
            "def put_in_place(text, candidates):\n"
            '    before, after = text.split("_")\n'
            "    return [(before, after) for candidate in candidates]",
            "The candidate is missing: all your pairs are the same.",
        ),
    ),
    cases=lambda: [
        ("the dog saw the cat and _ ran", ["the dog", "the cat"]),
        ("because _ was ill.", ["the king", "the old servant", "she"]),
    ],
    hints=('`text.split("_")` gives what is before and after the place.',),
)

relative_score = Exercise(
    name="relative_score",
    title="From chance to the best",
    task="Put an accuracy on the scale of the paper's Figure 2: 0 for guessing, 1 for the "
    "best model. Below chance is below 0.",
    difficulty=1,
    importance=3,
    minutes=4,
    stub='''
def relative_score(accuracy, chance, best):
    """0 at chance, 1 at best, a straight line between and beyond."""
    ...
''',
    solution='''
def relative_score(accuracy, chance, best):
    """0 at chance, 1 at best, a straight line between and beyond."""
    return (accuracy - chance) / (best - chance)
''',
    wrong=(
        Wrong(
            "share of the best",
            "def relative_score(accuracy, chance, best):\n    return accuracy / best",
            "A share of the best gives guessing a good score. Subtract chance from both.",
        ),
        Wrong(
            "points above chance",
            "def relative_score(accuracy, chance, best):\n    return accuracy - chance",
            "These are points above chance. Divide by what the best model has above it.",
        ),
        Wrong(
            "cut at 0",
            "def relative_score(accuracy, chance, best):\n"
            "    return max(0.0, (accuracy - chance) / (best - chance))",
            "You cut at 0. A score below chance is news, and should be seen.",
        ),
        Wrong(
            "divided by best",
            "def relative_score(accuracy, chance, best):\n"
            "    return (accuracy - chance) / best",
            "The best model would not get 1: divide by what it has above chance.",
        ),
    ),
    cases=lambda: [(0.7, 0.5, 0.9), (0.25, 0.25, 0.6), (0.4, 0.5, 0.8), (0.8, 1 / 3, 0.8)],
    hints=("How far above chance is it, and how far could it be?",),
)

EXERCISES = (mean_log_prob, likelier_choice, put_in_place, relative_score)
check = checker(EXERCISES)

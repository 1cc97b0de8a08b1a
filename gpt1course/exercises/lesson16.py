"""Lesson 16, Ablations: what each part of the recipe is worth."""

from .. import statistics
from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise

NAMES = [
    "tokens.weight",
    "positions.weight",
    *(f"blocks.{i}.{part}" for i in range(12) for part in ("attention.weight", "ln_1.bias")),
]


@exercise(
    "Points or percent?",
    difficulty=1,
    importance=4,
    minutes=4,
    cases=lambda: [(80.0, 60.0), (50.0, 55.0), (74.7, 59.9)],
    task=(
        "The paper says that without pre-training the average falls by 14.8%. Return the "
        "change from one score to another, in points and in percent of the first score."
    ),
    hints=("Points are a difference, and percent is 100 times that over the first score.",),
)
def points_and_percent(before, after):
    """(points, percent): the change, and the change relative to before. Not rounded."""
    points = after - before
    return points, 100 * points / before


@points_and_percent.wrong(
    "Your second number is the difference again. Percent needs a base: divide by the score "
    "before."
)
def points_twice(before, after):
    return after - before, after - before


@points_and_percent.wrong(
    "You divide by the new score. A change is relative to where it started."
)
def relative_to_after(before, after):
    return after - before, 100 * (after - before) / after


@points_and_percent.wrong("You round. Return the numbers as they are.")
def rounded_to_one_decimal(before, after):
    return round(after - before, 1), round(100 * (after - before) / before, 1)


@points_and_percent.wrong("You round. Return the numbers as they are.")
def rounded_to_two_decimals(before, after):
    return round(after - before, 2), round(100 * (after - before) / before, 2)


@points_and_percent.wrong(
    "Your two numbers have different signs, but both describe one change. A fall is negative "
    "in both."
)
def percent_without_its_sign(before, after):
    return after - before, 100 * abs(after - before) / before


@points_and_percent.wrong(
    "Your two numbers have different signs, but both describe one change. A fall is negative "
    "in both."
)
def points_the_other_way(before, after):
    return before - after, 100 * (after - before) / before


@points_and_percent.wrong("You lose the sign: a fall must be negative.")
def unsigned(before, after):
    return abs(after - before), 100 * abs(after - before) / before


@points_and_percent.wrong(
    "Your signs are the other way around: a change is what comes after minus what was before."
)
def before_minus_after(before, after):
    return before - after, 100 * (before - after) / before


@points_and_percent.wrong(
    "You return percent first. Return the points first, and then percent."
)
def percent_first(before, after):
    return 100 * (after - before) / before, after - before


@points_and_percent.wrong("That is a share. Percent is a hundred times as much.")
def share(before, after):
    return after - before, (after - before) / before


@points_and_percent.wrong(
    "The second number is the new score in percent of the old one. Return the change in "
    "percent."
)
def what_is_left(before, after):
    return after - before, 100 * after / before


@exercise(
    "A fair opponent?",
    difficulty=2,
    importance=3,
    minutes=8,
    cases=lambda: [(256, 752), (768, 2048), (3, 2), (2, 3), (1, 1)],
    task=(
        "If you replace a part, you should say how large the new one is. An LSTM with some "
        "number of units reads C numbers per token. It has four gates, each with weights for "
        "the C numbers, weights for its own units (its output one token before), and two "
        "biases for each of its units. A linear layer with a bias takes its units back to C "
        "numbers. Return the number of parameters."
    ),
    hints=(
        "A gate has one row per unit, and a row has C + units + 2 numbers.",
        "The linear layer is a matrix of units times C, and C biases.",
    ),
)
def lstm_parameters(C, units):
    """Parameters of one LSTM layer that reads C numbers, and of its way back to C."""
    gates = 4 * units * (C + units + 2)
    return gates + units * C + C


@lstm_parameters.wrong(
    "Each of the four gates has two biases for each of its units: 8 biases per unit in all."
)
def two_biases_for_a_gate(C, units):
    return 4 * (C * units + units * units + 2) + units * C + C


@lstm_parameters.wrong(
    "Each of the four gates has two biases for each of its units: 8 biases per unit in all."
)
def two_biases_for_a_unit(C, units):
    return 4 * (C * units + units * units) + 2 * units + units * C + C


@lstm_parameters.wrong("That is one gate. An LSTM has four.")
def one_gate(C, units):
    return units * (C + units + 2) + units * C + C


@lstm_parameters.wrong("You count three gates, which make a GRU. An LSTM has four.")
def three_gates(C, units):
    return 3 * units * (C + units + 2) + units * C + C


@lstm_parameters.wrong(
    "An LSTM also reads its own output of one token before, so each unit has a weight for "
    "every unit."
)
def no_memory(C, units):
    return 4 * units * (C + 2) + units * C + C


@lstm_parameters.wrong("Each unit of a gate has two biases here; you count one.")
def one_bias(C, units):
    return 4 * units * (C + units + 1) + units * C + C


@lstm_parameters.wrong("The biases of the gates are missing: two per unit.")
def gates_without_biases(C, units):
    return 4 * units * (C + units) + units * C + C


@lstm_parameters.wrong("Those are the gates. The linear layer that leads back to C is missing.")
def gates_alone(C, units):
    return 4 * units * (C + units + 2)


@lstm_parameters.wrong("The linear layer has a bias for each of its C outputs.")
def no_bias_on_the_way_back(C, units):
    return 4 * units * (C + units + 2) + units * C


@lstm_parameters.wrong(
    "The linear layer's biases belong to its outputs: there are C of them, not one per unit."
)
def a_bias_per_unit_on_the_way_back(C, units):
    return 4 * units * (C + units + 2) + units * C + units


@exercise(
    "What moves at point n?",
    difficulty=3,
    importance=3,
    minutes=10,
    cases=lambda: [
        (0, NAMES),
        (1, NAMES),
        (4, NAMES),
        (13, NAMES),
        (3, ["blocks.2.mlp.bias", "blocks.1.mlp.bias", "tokens.weight", "blocks.0.ln_1.bias"]),
    ],
    task=(
        "On the axis of Figure 2 (left), 0 means that nothing is transferred, 1 means the "
        "embeddings, 2 the embeddings and the lowest block, and so on. Return the names of "
        "the parameters that are copied at point n, in the order given."
    ),
    hints=(
        "How many blocks are copied at point 2, and how many at point n?",
        "Block i is copied where i < n - 1.",
        '`int(name.split(".")[1])` is the number of a block.',
    ),
)
def transferred_names(n, names):
    """The names copied from the pre-trained model at point n of the axis.

    names: "tokens.weight", "positions.weight", "blocks.0.attention.weight", ...
    """

    def wanted(name):
        if not name.startswith("blocks."):
            return n >= 1
        return int(name.split(".")[1]) < n - 1

    return [name for name in names if wanted(name)]


@transferred_names.wrong(
    "You copy n blocks. The first point is for the embeddings, so n blocks come at point n + 1."
)
def n_blocks(n, names):
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else int(x.split(".")[1]) < n)
    ]


@transferred_names.wrong(
    "You copy the embeddings at point 1 alone. What is copied at one point is also copied "
    "at all later ones."
)
def embeddings_at_1_alone(n, names):
    return [
        x
        for x in names
        if (n == 1 if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 1)
    ]


@transferred_names.wrong(
    "You compare numbers as text, and '10' comes before '3': use int(...)."
)
def numbers_as_text(n, names):
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else x.split(".")[1] < str(n - 1))
    ]


@transferred_names.wrong(
    "You copy one block too few: at point 2 the lowest block is copied, too."
)
def a_block_too_few(n, names):
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 2)
    ]


@transferred_names.wrong(
    "These are the names that keep random weights. Return the copied ones."
)
def those_that_stay(n, names):
    moved = transferred_names(n, names)
    return [x for x in names if x not in moved]


@transferred_names.wrong("You sort the names. Keep them in the order given.")
def sorted_names(n, names):
    return sorted(transferred_names(n, names))


@transferred_names.wrong("The embeddings are missing: they come first, at point 1.")
def no_embeddings(n, names):
    return [x for x in names if x.startswith("blocks.") and int(x.split(".")[1]) < n - 1]


@transferred_names.wrong(
    "You copy blocks from the top. A block expects what the ones below it compute, so the "
    "copying starts at the bottom."
)
def from_the_top(n, names):
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else int(x.split(".")[1]) >= 13 - n)
    ]


@transferred_names.wrong(
    "`blocks.10` begins with `blocks.1`, so your comparison catches blocks that "
    "it should not. Compare whole numbers."
)
def beginnings_of_names(n, names):
    parts = [f"blocks.{i}" for i in range(n - 1)]
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else any(x.startswith(p) for p in parts))
    ]


@transferred_names.wrong(
    "You return what is new at point n. What is copied at one point is also copied at all "
    "later ones."
)
def what_is_new_at_n(n, names):
    before = transferred_names(n - 1, names) if n else []
    return [x for x in transferred_names(n, names) if x not in before]


@transferred_names.wrong("At point 0 nothing is transferred, not even the embeddings.")
def embeddings_at_0(n, names):
    return [
        x
        for x in names
        if (True if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 1)
    ]


@transferred_names.wrong(
    "On your axis 0 means the embeddings. In the paper nothing is copied at 0, the "
    "embeddings at 1, and the lowest block as well at 2."
)
def embeddings_and_n_blocks(n, names):
    return [x for x in names if not x.startswith("blocks.") or int(x.split(".")[1]) < n]


@transferred_names.wrong(
    "You copy the first n tensors. A point counts parts of the model, and the embeddings or a "
    "block are several tensors."
)
def first_n_names(n, names):
    return names[:n]


@transferred_names.wrong(
    "At point 1 only the embeddings are copied. The blocks begin at point 2, from below."
)
def the_top_n_blocks(n, names):
    return [x for x in names if not x.startswith("blocks.") or int(x.split(".")[1]) >= 12 - n]


# ---- what the cells take from here ---------------------------------------------------


def spans(found: dict, task: str) -> dict[str, tuple]:
    """row -> (mean, low, high) of one task, for plots.intervals.

    found: row -> task -> mean and half of the interval, as paper.summary gives it.
    """
    cells = {row: by_task[task] for row, by_task in found.items() if task in by_task}
    return {
        row: (c["mean"], c["mean"] - c["half"], c["mean"] + c["half"])
        for row, c in cells.items()
    }


def against(accuracies: dict, base: str) -> dict[tuple, statistics.PairedT]:
    """(row, task) -> the row minus the base, seed by seed, for all other rows of a table.

    accuracies: row -> task -> seed -> accuracy, as paper.accuracies gives it.
    """
    return {
        (row, task): statistics.paired_t_test(scores, accuracies[base][task])
        for row, by_task in accuracies.items()
        for task, scores in by_task.items()
        if row != base
    }


@number_exercise(
    "Does it lead?",
    question=(
        "Seven systems have {scores} points on a task, and the last of them is new. By how "
        "many points is the new system ahead of the best earlier one (negative if it's "
        "behind)? And what percentage of the earlier system's score is that lead?"
    ),
    difficulty=1,
    importance=3,
    minutes=3,
    first=((80.2, 80.6, 78.7, 71.4, 72.2, 79.0, 82.1),),  # Table 2, MNLI
    draw=lambda random: (tuple(random.randint(550, 899) / 10 for _ in range(7)),),
    worked=lambda scores: (
        f"The best earlier score is {max(scores[:-1])}. The lead is {scores[-1]} - "
        f"{max(scores[:-1])} = {scores[-1] - max(scores[:-1]):.2f} points, which is "
        f"{100 * (scores[-1] / max(scores[:-1]) - 1):.2f}% of it."
    ),
    hints=("Which system do you compare with? Neither the mean nor the first is right.",),
    decimals=2,
)
def lead(scores):
    """(points, percent) of the last against the best of the others."""
    best = max(scores[:-1])
    return scores[-1] - best, 100 * (scores[-1] - best) / best


@lead.wrong(
    "You divide by another score. The base of the percentage is the best earlier score, the "
    "one you compare with."
)
def percent_of_the_new(scores):
    best = max(scores[:-1])
    return scores[-1] - best, 100 * (scores[-1] - best) / scores[-1]


@lead.wrong("That is the lead over the mean of the others. Compare with the best of them.")
def against_the_mean(scores):
    mean = sum(scores[:-1]) / len(scores[:-1])
    return scores[-1] - mean, 100 * (scores[-1] - mean) / mean


@lead.wrong("The sign is the other way around. Take the new score minus the best earlier one.")
def sign_turned(scores):
    best = max(scores[:-1])
    return best - scores[-1], 100 * (best - scores[-1]) / best


@lead.wrong(
    "You give the points twice. A percentage needs a base, which is the best earlier score."
)
def no_base(scores):
    best = max(scores[:-1])
    return scores[-1] - best, scores[-1] - best


@lead.wrong("Your second number is a share of 1. Percent is a hundred times as much.")
def a_share_of_1(scores):
    best = max(scores[:-1])
    return scores[-1] - best, (scores[-1] - best) / best


@lead.wrong("You compare with the mean of all seven. Compare with the best of those before.")
def against_the_mean_of_all(scores):
    mean = sum(scores) / len(scores)
    return scores[-1] - mean, 100 * (scores[-1] - mean) / mean


@lead.wrong("You compare with the first in the list. Compare with the best of those before.")
def against_the_first(scores):
    return scores[-1] - scores[0], 100 * (scores[-1] - scores[0]) / scores[0]


@lead.wrong(
    "The points are right. The percentage should be that of the lead, not of the whole score."
)
def the_whole_in_percent(scores):
    best = max(scores[:-1])
    return scores[-1] - best, 100 * scores[-1] / best


EXERCISES = (points_and_percent, lstm_parameters, transferred_names, lead)
check = Checker(EXERCISES)
mine = check.mine

"""Lesson 16, Ablations: what each part of the recipe is worth."""

import itertools

import gpt1lib as g

from .. import paper, statistics
from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise
from .claims import holds as holds  # for the notebook
from .claims import leads as leads

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
        "The paper says that without pre-training the average falls by 14.8%. Return "
        "the change from one score to another in points and in percent of the first."
    ),
    hints=("Points are a difference; percent is that difference over the first score.",),
)
def points_and_percent(before, after):
    """(points, percent): the change, and the change relative to before."""
    points = after - before
    return points, 100 * points / before


@points_and_percent.wrong(
    "Your second number is the difference again. Percent is relative: of what?"
)
def points_twice(before, after):
    return after - before, after - before


@points_and_percent.wrong(
    "You divide by the new score. A change is relative to where it started."
)
def relative_to_after(before, after):
    return after - before, 100 * (after - before) / after


@points_and_percent.wrong("You lose the sign: a fall must be negative.")
def unsigned(before, after):
    return abs(after - before), 100 * abs(after - before) / before


@points_and_percent.wrong(
    "Your signs are the other way around: a change is what comes after minus what was before."
)
def before_minus_after(before, after):
    return before - after, 100 * (before - after) / before


@points_and_percent.wrong("You return percent first. Points first, then percent.")
def percent_first(before, after):
    return 100 * (after - before) / before, after - before


@points_and_percent.wrong("That is a share. Percent is a hundred times as much.")
def share(before, after):
    return after - before, (after - before) / before


@points_and_percent.wrong(
    "The second number is the new score in percent of the old one. The change is asked for."
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
        "Whoever replaces a part should say how large the new one is. An LSTM of some units "
        "reads C numbers per token. It has four gates, each with weights for the C numbers, "
        "weights for its own units (what it said one token before), and two biases per unit. A "
        "linear layer with a bias takes its units back to C numbers. Return the number of "
        "parameters."
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


@lstm_parameters.wrong("That is one gate. An LSTM has four.")
def one_gate(C, units):
    return units * (C + units + 2) + units * C + C


@lstm_parameters.wrong("Three gates make a GRU. An LSTM has four.")
def three_gates(C, units):
    return 3 * units * (C + units + 2) + units * C + C


@lstm_parameters.wrong(
    "An LSTM also reads what it said one token before: each unit has a weight for every unit."
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
        "On the axis of Figure 2 (left), 0 means that nothing is transferred, 1 the "
        "embeddings, 2 the embeddings and the lowest block, and so on. Return the names of "
        "the parameters that are copied at point n, in the order given."
    ),
    hints=(
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
    "Your embeddings move at point 1 alone. What moves at one point moves at all later ones."
)
def embeddings_at_1_alone(n, names):
    return [
        x
        for x in names
        if (n == 1 if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 1)
    ]


@transferred_names.wrong("You copy one block too few: at point 2 the lowest block moves, too.")
def a_block_too_few(n, names):
    return [
        x
        for x in names
        if (n >= 1 if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 2)
    ]


@transferred_names.wrong("These are the names that stay random. Return the copied ones.")
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
    "You copy blocks from the top. A block expects what the ones below it make: "
    "transfer starts at the bottom."
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


@transferred_names.wrong("At point 0 nothing is transferred, not even the embeddings.")
def embeddings_at_0(n, names):
    return [
        x
        for x in names
        if (True if not x.startswith("blocks.") else int(x.split(".")[1]) < n - 1)
    ]


@transferred_names.wrong(
    "On your axis 0 means the embeddings. In the paper nothing moves at 0, 1 is the "
    "embeddings, and 2 is the lowest block, too."
)
def embeddings_and_n_blocks(n, names):
    return [x for x in names if not x.startswith("blocks.") or int(x.split(".")[1]) < n]


@transferred_names.wrong("Point 1 is the embeddings alone: the blocks begin at 2, from below.")
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


def against(accuracies: dict, base: str) -> dict[tuple, dict]:
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
        "Seven systems have {scores} points on a task, the last one is new. By how many points "
        "is it ahead of the best before it (negative if behind), and what percentage of that "
        "one's score is this?"
    ),
    difficulty=1,
    importance=3,
    minutes=3,
    first=((80.2, 80.6, 78.7, 71.4, 72.2, 79.0, 82.1),),  # Table 2, MNLI
    draw=lambda random: (tuple(random.randint(550, 899) / 10 for _ in range(7)),),
    worked=lambda scores: (
        f"The best before is {max(scores[:-1])}. {scores[-1]} - {max(scores[:-1])} = "
        f"{scores[-1] - max(scores[:-1]):.2f} points, or "
        f"{100 * (scores[-1] / max(scores[:-1]) - 1):.2f}%."
    ),
    hints=("Whom do you compare with? Not with the mean, and not with the first.",),
    decimals=2,
)
def lead(scores):
    """(points, percent) of the last against the best of the others."""
    best = max(scores[:-1])
    return scores[-1] - best, 100 * (scores[-1] - best) / best


@lead.wrong("A percentage is taken of the best before, the one you compare with.")
def percent_of_the_new(scores):
    best = max(scores[:-1])
    return scores[-1] - best, 100 * (scores[-1] - best) / scores[-1]


@lead.wrong("That is against the mean of the others. A record is against the best.")
def against_the_mean(scores):
    mean = sum(scores[:-1]) / len(scores[:-1])
    return scores[-1] - mean, 100 * (scores[-1] - mean) / mean


@lead.wrong("The sign: the new one minus the best before it.")
def sign_turned(scores):
    best = max(scores[:-1])
    return best - scores[-1], 100 * (best - scores[-1]) / best


@lead.wrong("You give points twice. Percent needs a base: the best before.")
def no_base(scores):
    best = max(scores[:-1])
    return scores[-1] - best, scores[-1] - best


@lead.wrong("You compare with the mean of all seven. A record is against the best before.")
def against_the_mean_of_all(scores):
    mean = sum(scores) / len(scores)
    return scores[-1] - mean, 100 * (scores[-1] - mean) / mean


@lead.wrong("You compare with the first in the list. A record is against the best before.")
def against_the_first(scores):
    return scores[-1] - scores[0], 100 * (scores[-1] - scores[0]) / scores[0]


@lead.wrong("The points are right. The percentage is that of the lead, not of the whole score.")
def the_whole_in_percent(scores):
    best = max(scores[:-1])
    return scores[-1] - best, 100 * scores[-1] / best


# ---- what the lesson's claims are held to -------------------------------------------

THREE = ["entailment", "film_snippets", "verse_pairs"]
CLEAR_IN_TABLE5 = {("no pre-training", "film_snippets"), ("no pre-training", "verse_pairs")}
POINTS = {
    ("no pre-training", "film_snippets"): -5.1,
    ("no pre-training", "verse_pairs"): -6.8,
    ("no pre-training", "entailment"): -2.0,
    ("no auxiliary loss", "film_snippets"): 1.5,
    ("no auxiliary loss", "verse_pairs"): -4.2,
    ("LSTM", "film_snippets"): -2.1,
    ("LSTM", "verse_pairs"): -6.5,
    ("LSTM", "entailment"): -7.9,
}
UNTOLD = [("film_snippets", value) for value in ("2", "3", "5")]


def rising(changes) -> list[str]:
    """The tasks of the paper's Table 5 whose change is above 0."""
    return [t for t, x in zip(paper.paper_numbers.TABLE5_TASKS, changes, strict=True) if x > 0]


# rows of a table of section 3 are row -> (mean, low, high)


def ahead(table: dict, chance: dict) -> list[str]:
    """The tasks where the full recipe's mean beats random weights, and these guessing."""
    means = {t: (rows["full"][0], rows["no pre-training"][0]) for t, rows in table.items()}
    return [task for task, (full, random) in means.items() if full > random > chance[task]]


def apart(table: dict) -> list[str]:
    """The tasks where the full recipe's interval lies above that of random weights."""
    return [t for t, rows in table.items() if rows["full"][1] > rows["no pre-training"][2]]


def guess(rows: dict) -> bool:
    """Whether three rows hold one half and the fourth, the LSTM, begins a hair above."""
    lstm, others = rows["LSTM"], [row for name, row in rows.items() if name != "LSTM"]
    around = [low < 0.5 < high for _, low, high in others]
    return around == [True] * 3 and 0.5 < lstm[1] < 0.501


def reaches(rows: dict, lower: str, upper: str) -> bool:
    """Whether a lower mean's interval reaches into the one of an upper row."""
    mean, _, high = rows[lower]
    return mean < rows[upper][1] < high


# comparisons are key -> what statistics.paired_t_test gives


def alone(comparisons: dict) -> set:
    """The keys whose own interval leaves out 0, as if there were no other comparison."""
    return {key for key, d in comparisons.items() if abs(d["difference"]) > d["half_width"]}


def in_points(comparisons: dict) -> dict:
    """The same keys with the mean difference in points."""
    return {key: round(100 * d["difference"], 1) for key, d in comparisons.items()}


def places_where(sweep, met) -> list[tuple[str, str]]:
    """(task, value) of the places of a SweepExplorer that meet a condition."""
    return [
        (task, value)
        for task, places in sweep.tasks.items()
        for value, place in zip(sweep.values, places, strict=True)
        if met(place)
    ]


def lstm_between() -> int:
    """On how many of the paper's eight tasks the LSTM lies between two GPT-1 rows."""
    rows = (paper.paper_numbers.TABLE5[row][1] for row in ("no pre-training", "LSTM", "full"))
    return sum(low < lstm < high for low, lstm, high in zip(*rows, strict=True))


def figure2_gains(start: int) -> list[float]:
    """What RACE and MultiNLI gain from a point of Figure 2 (left) to its last."""
    curves = (paper.paper_numbers.FIGURE2_LEFT[task] for task in ("RACE", "MultiNLI"))
    return [round(curve[-1] - curve[start], 1) for curve in curves]


def steps() -> tuple[int, int]:
    """Updates of the short pre-trainings of section 8, and of the novelist."""
    return paper.plan.SHORT["steps"], g.pretrain.RECIPES["novelist"].steps


# ---- the claims themselves, a function per group; each raises AssertionError with the words


def hold_tables_2_to_4(ahead: dict[str, float]) -> None:
    """ahead: set -> GPT-1 minus the best before."""
    holds("GPT-1 leads on nine of twelve", sum(x > 0 for x in ahead.values()) == 9)
    holds("and is furthest behind on RTE", min(ahead, key=lambda k: ahead[k]) == "RTE")


def hold_sizes(ahead: dict[str, float], p: float) -> None:
    """ahead: set -> GPT-1 minus the best before; p: of a correlation with their sizes."""
    sizes = paper.paper_numbers.TRAINING_SETS
    order = sorted(sizes, key=lambda k: sizes[k])
    holds("no order is to be seen", p > 0.2)
    holds("the largest gains 0.6", (order[-1], ahead["SNLI"]) == ("SNLI", 0.6))
    holds("the smallest 8.9", (order[0], ahead["Story Cloze"]) == ("Story Cloze", 8.9))
    holds("two losses in the smallest four", sum(ahead[k] < 0 for k in order[:4]) == 2)
    holds("138 updates, and fifty thousand", 3 * (sizes[order[0]] // 32) == 138)
    holds("three epochs of SNLI", 3 * (sizes["SNLI"] // 32) > 50_000)


def hold_table5(change) -> None:
    """change (3, 8): the paper's Table 5, its lower rows minus the full recipe."""
    holds("without pre-training all fall", (change[0] < 0).all())
    biggest = paper.paper_numbers.TABLE5_TASKS[int(change[0].argmin())]
    holds("and STSB most", biggest == "STSB")
    holds("the LSTM gains on MRPC alone", rising(change[2]) == ["MRPC"])
    holds("the paper's LSTM lies between on six tasks", lstm_between() == 6)


def hold_our_table(table: dict, chance: dict) -> None:
    """table: task -> row -> (mean, low, high)."""
    holds("full beats random on three tasks", ahead(table, chance) == THREE)
    holds("apart on film and verse", apart(table) == ["film_snippets", "verse_pairs"])
    holds("three of four rows hold guessing", guess(table["story_cloze"]))
    holds("two film bars overlap", reaches(table["film_snippets"], "LSTM", "full"))


def hold_pairs(pairs: dict) -> None:
    """pairs: (row, task) -> the row minus the full recipe, by seed."""
    holds("there are twelve differences", len(pairs) == 12)
    holds("seven leave out 0 when taken alone", len(alone(pairs)) == 7)
    holds("two are clear among twelve", statistics.significant(pairs) == CLEAR_IN_TABLE5)
    holds("and have the smallest p", {*sorted(pairs, key=p_of(pairs))[:2]} == CLEAR_IN_TABLE5)
    holds("the table of section 7 has them", POINTS.items() <= in_points(pairs).items())
    third, raised = sorted(statistics.holm([d["p"] for d in pairs.values()]))[2], 0.051
    holds("the next one has a raised p of 5.1%", round(third, 3) == raised)
    hold_entailment(pairs["no pre-training", "entailment"])


def hold_entailment(lost: dict) -> None:
    """What question 7 says: two points here are not nothing, and elsewhere it was ten."""
    low, high = (lost["difference"] + side * lost["half_width"] for side in (-1, 1))
    holds("the interval holds 0, and four points", low < -0.04 < 0 < high)
    draws = paper.curves.draws("entailment")
    gaps = statistics.paired_t_tests(draws["pre-trained"], draws["random weights"])
    holds("worth ten with 300 labels", round(100 * gaps[300]["difference"]) == 10)


def p_of(pairs: dict):
    """What sorts the keys of comparisons by their p."""
    return lambda key: pairs[key]["p"]


def hold_opponents(paper_lstm: int, paper_gpt: int, ours: int, blocks: int) -> None:
    """Parameters without embeddings of tokens: an LSTM of 2,048 units, GPT-1; our two."""
    holds("GPT-1 has three and a half times as many", 3.4 < paper_gpt / paper_lstm < 3.6)
    holds("ours are equal to two thousandths", abs(ours / blocks - 1) < 0.002)


def hold_figure2() -> None:
    """The paper's curves, read from its picture."""
    curves = paper.paper_numbers.FIGURE2_LEFT.values()
    holds("both dip at 2", all(curve[2] < curve[1] for curve in curves))
    steps = [b - a for curve in curves for a, b in itertools.pairwise(curve[2:])]
    holds("no other part hurts, two steps are level", min(steps) == 0, steps.count(0) == 2)
    holds("gains from 0: 20.4 and 9.7 points", figure2_gains(0) == [20.4, 9.7])
    holds("MultiNLI gains 7.2 from 1", figure2_gains(1)[1] == 7.2)


def hold_parts(parts, from_1) -> None:
    """Two SweepExplorers of the transferred parts, compared with 0 and with 1."""
    holds("the curve has six points", len(parts.values) == 6)
    taken_alone = places_where(parts, lambda p: p["difference"] > p["difference_half"])
    holds("alone, film would be clear at 2, 3 and 5", taken_alone == UNTOLD)
    holds("none of ten is clear", places_where(parts, lambda p: p["clear"]) == [])
    holds("entailment: 1 leads on each seed", leads(parts, "entailment", "1", "0"))
    holds("no number of blocks beats 1", places_where(from_1, lambda p: p["clear"]) == [])


def hold_lambda(sweep, two_against_zero) -> None:
    """sweep: a SweepExplorer; two_against_zero: differences on entailment in points."""
    holds("no value differs clearly from 0", places_where(sweep, lambda p: p["clear"]) == [])
    taken_alone = places_where(sweep, lambda p: abs(p["difference"]) > p["difference_half"])
    holds(
        "alone, film would be clear at 0.5 and 1",
        taken_alone == [("film_snippets", "0.5"), ("film_snippets", "1")],
    )
    holds("two runs fall by more than thirteen points", sorted(two_against_zero)[1] < -13)
    holds("the third gains three", round(max(two_against_zero)) == 3)
    half = sweep.tasks["entailment"][-1]["difference_half"]
    holds("24 points either side", round(100 * half) == 24)


def hold_built(bits: dict[str, float], n_parameters: int) -> None:
    """bits: variant -> bits per character; n_parameters: of the novelist."""
    order = ["untied", "sinusoidal", "as GPT-1", "shuffled sentences", "pre-LayerNorm"]
    holds(
        "untied comes first, pre-LayerNorm last", sorted(bits, key=lambda k: bits[k]) == order
    )
    more = bits["shuffled sentences"] - bits["as GPT-1"]
    holds("0.01 bits more", 0.005 < more < 0.015)
    holds("600 updates each, the novelist had 8,000", steps() == (600, 8000))
    holds("39% more", round(8120 * 256 / n_parameters, 2) == 0.39)


def hold_variants(beside: dict) -> None:
    """beside: (variant, task) -> the variant minus as GPT-1, by seed."""
    holds("alone, one would be clear", alone(beside) == {("shuffled sentences", "entailment")})
    holds("none of eight is", len(beside) == 8 and statistics.significant(beside) == set())


EXERCISES = (points_and_percent, lstm_parameters, transferred_names, lead)
check = Checker(EXERCISES)
mine = check.mine

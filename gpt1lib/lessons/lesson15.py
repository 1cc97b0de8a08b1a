"""Lesson 15, Ablations: what each part of the recipe is worth."""

import re

import gpt1lib as g

from .claims import holds as holds  # for the notebook
from .claims import leads as leads
from .exercise import Checker, exercise

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
        "The paper says that without pre-training the average falls by 14.8 %. Return "
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
    "Your signs are the other way round: a change is what comes after minus what was before."
)
def before_minus_after(before, after):
    return before - after, 100 * (before - after) / before


@points_and_percent.wrong("You return percent first. Points first, then percent.")
def percent_first(before, after):
    return 100 * (after - before) / before, after - before


@points_and_percent.wrong("That is a share. Percent is a hundred times as much.")
def share(before, after):
    return after - before, (after - before) / before


@exercise(
    "How sure is a mean of five?",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        ([0.70, 0.74, 0.69, 0.77, 0.72], 2.776),
        ([0.5, 0.6, 0.52], 4.303),
        ([71.0, 75.5], 12.706),
    ],
    task=(
        "The same fine-tuning with other seeds gives other scores. Return their mean and "
        "half of its 95 % interval: t times the standard deviation (over n - 1) divided by "
        "the square root of n. t comes from Student's table and is given."
    ),
    hints=(
        "n - 1 under the squares, n under the root.",
        "`(variance / n) ** 0.5` is the standard error of the mean.",
    ),
)
def mean_and_half(values, t):
    """(mean, half): the interval is mean - half to mean + half. t: Student's point."""
    n = len(values)
    mean = sum(values) / n
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * (variance / n) ** 0.5


@mean_and_half.wrong(
    "You divide the squares by n. The mean was fitted to the same numbers, so "
    "they lie too near to it: divide by n - 1."
)
def over_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / n
    return mean, t * (variance / n) ** 0.5


@mean_and_half.wrong(
    "That is how far a single run strays. A mean of n runs strays less: divide by "
    "the square root of n."
)
def spread_of_one(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance**0.5


@mean_and_half.wrong(
    "1.96 holds for many values. With a handful the spread itself is uncertain: "
    "use the t that is given."
)
def large_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, 1.96 * (variance / n) ** 0.5


@mean_and_half.wrong(
    "You divide the spread by n. It is the variance that falls with n, so the "
    "spread falls with the square root."
)
def divided_by_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance**0.5 / n


@mean_and_half.wrong(
    "You multiply t by the variance of the mean. Its root is missing: the standard error."
)
def no_root(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance / n


@mean_and_half.wrong("That is the standard error. Times t, it is half of the interval.")
def t_forgotten(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, (variance / n) ** 0.5


@mean_and_half.wrong("You return the whole interval's width. Half of it is asked for.")
def whole_width(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, 2 * t * (variance / n) ** 0.5


@mean_and_half.wrong(
    "You return the interval's two ends. Asked for are its middle and half of its width."
)
def two_ends(values, t):
    n, mean = len(values), sum(values) / len(values)
    half = t * (sum((x - mean) ** 2 for x in values) / (n - 1) / n) ** 0.5
    return mean - half, mean + half


@mean_and_half.wrong(
    "Half of the range grows with every further seed. The interval of a mean shrinks."
)
def smallest_and_largest(values, t):
    return sum(values) / len(values), (max(values) - min(values)) / 2


@exercise(
    "The same seed on both sides",
    difficulty=2,
    importance=4,
    minutes=6,
    cases=lambda: [
        ([0.70, 0.74, 0.69, 0.77, 0.72], [0.66, 0.71, 0.67, 0.72, 0.70], 2.776),
        ([0.50, 0.58, 0.53], [0.52, 0.61, 0.50], 4.303),
    ],
    task=(
        "Seed k draws the same training examples in the same order for both rows of a "
        "table, so their scores rise and fall together. Return the mean of the differences, "
        "seed by seed, and half of its 95 % interval."
    ),
    hints=(
        "First one list of differences; your `mean_and_half` does the rest.",
        "`[x - y for x, y in zip(a, b, strict=True)]`",
    ),
)
def paired_difference(a, b, t):
    """(mean, half) of a - b, where a[k] and b[k] share their seed. t: Student's point."""
    return mean_and_half([x - y for x, y in zip(a, b, strict=True)], t)


def _differences(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


@paired_difference.wrong(
    "You add the two intervals. What both rows share, a lucky draw of examples, "
    "cancels in the differences: take those first."
)
def two_intervals_added(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, half + width


@paired_difference.wrong(
    "You add the variances, as one does for rows that have nothing to do with "
    "each other. These share their seeds: take the differences first."
)
def as_if_independent(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, (half**2 + width**2) ** 0.5


@paired_difference.wrong(
    "You subtract the two intervals. Spreads never cancel like that: take the differences "
    "first, then their spread."
)
def intervals_subtracted(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, half - width


@paired_difference.wrong(
    "You sort both rows, so that a number no longer meets the one of its own seed."
)
def sorted_rows(a, b, t):
    return mean_and_half(_differences(sorted(a), sorted(b)), t)


@paired_difference.wrong("Your sign is the other way round: it should be a - b.")
def the_other_way_round(a, b, t):
    return mean_and_half(_differences(b, a), t)


@paired_difference.wrong("You lose the sign of each difference, so that b can never be ahead.")
def absolute_differences(a, b, t):
    return mean_and_half([abs(d) for d in _differences(a, b)], t)


@paired_difference.wrong("You divide the squares by n. As before: by n - 1.")
def differences_over_n(a, b, t):
    return over_n(_differences(a, b), t)


@paired_difference.wrong("1.96 holds for many values. With a handful use the t that is given.")
def differences_of_many(a, b, t):
    return large_n(_differences(a, b), t)


@paired_difference.wrong(
    "That is how far a single difference strays. The mean of n strays less: divide by the "
    "square root of n."
)
def spread_of_one_difference(a, b, t):
    return spread_of_one(_differences(a, b), t)


@paired_difference.wrong(
    "The root is missing: t belongs to the standard error, not its square."
)
def no_root_of_differences(a, b, t):
    return no_root(_differences(a, b), t)


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


@transferred_names.wrong("These are the names that stay random. Asked for are the copied ones.")
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


# ---- what the cells take from here ---------------------------------------------------


def spans(found: dict, task: str) -> dict[str, tuple]:
    """row -> (mean, low, high) of one task, for plots.intervals.

    found: row -> task -> mean and half of the interval, as g.paper.summary gives it.
    """
    cells = {row: by_task[task] for row, by_task in found.items() if task in by_task}
    return {
        row: (c["mean"], c["mean"] - c["half"], c["mean"] + c["half"])
        for row, c in cells.items()
    }


def shared_words(story) -> list[int]:
    """How many different words each ending of a story shares with it."""
    first, *endings = ({*re.findall(r"[a-z']+", text.lower())} for text in story.texts)
    return [len(first & ending) for ending in endings]


def holm(differences: dict[tuple, list[float]]) -> set[tuple]:
    """The keys whose mean is clearly not 0, corrected for their number (Holm 1979).

    differences: key -> one difference per seed. From the smallest P on, each must lie below
    5 % divided by the number of those that are left; the first that does not ends it.
    """
    from scipy.stats import ttest_1samp

    # scipy makes the class of the result at run time
    tests = {key: ttest_1samp(d, 0.0) for key, d in differences.items()}
    ps = {key: float(t.pvalue) for key, t in tests.items()}  # pyright: ignore[reportAttributeAccessIssue]
    kept: set[tuple] = set()
    for key in sorted(ps, key=lambda k: ps[k]):
        if ps[key] > 0.05 / (len(ps) - len(kept)):
            break
        kept.add(key)
    return kept


# ---- what the lesson's claims are held to -------------------------------------------

THREE = ["entailment", "film_snippets", "verse_pairs"]
CLEAR_IN_TABLE5 = {
    *((row, "film_snippets") for row in ("no pre-training", "no auxiliary loss", "LSTM")),
    *((row, "verse_pairs") for row in ("no pre-training", "no auxiliary loss", "LSTM")),
    ("LSTM", "story_cloze"),
}
CORRECTED = {("no pre-training", "film_snippets"), ("no pre-training", "verse_pairs")}
CLEAR_PARTS = [("film_snippets", value) for value in ("2", "3", "5")]
CLEAR_BY_SIZE = {("film_snippets", "1000"), ("film_snippets", "2000")}
POINTS = {
    ("no pre-training", "film_snippets"): 5.1,
    ("no pre-training", "verse_pairs"): 6.8,
    ("no pre-training", "entailment"): 2.0,
    ("no auxiliary loss", "film_snippets"): -1.5,
    ("no auxiliary loss", "verse_pairs"): 4.2,
    ("LSTM", "film_snippets"): 2.1,
    ("LSTM", "verse_pairs"): 6.5,
    ("LSTM", "entailment"): 7.9,
}


def rising(changes) -> list[str]:
    """The tasks of the paper's Table 5 whose change is above 0."""
    return [
        t for t, x in zip(g.paper.paper_numbers.TABLE5_TASKS, changes, strict=True) if x > 0
    ]


# rows of a table of section 4 are row -> (mean, low, high)


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


def near_half(score: dict, accuracy: float) -> bool:
    """Whether a stored score rounds to an accuracy and its interval reaches below one half."""
    return round(score["accuracy"], 2) == accuracy and score["interval"][0] < 0.5


def asked(test: str) -> float:
    """The novelist's accuracy when it is asked without fine-tuning (lesson 14)."""
    lines = [x for x in g.paper.stored_lines("zeroshot") if x["model"] == "novelist"]
    return lines[-1]["scores"][test]["accuracy"]


# differences are key -> (mean, half of the interval), with keys (row or task, ...)


def clear(differences: dict) -> set:
    """The keys whose difference is larger than half its interval."""
    return {key for key, (mean, half) in differences.items() if abs(mean) > half}


def points(differences: dict, task: str) -> dict[str, int]:
    """Number of labels -> mean difference in whole points, of one task."""
    return {n: round(100 * mean) for (t, n), (mean, _) in differences.items() if t == task}


def percents(sizes: dict, task: str, labels: int) -> list[int]:
    """Mean accuracies, pre-trained and from nothing, in whole percent."""
    rows = (sizes[f"{labels}{suffix}"][task].values() for suffix in ("", " without"))
    return [round(100 * sum(runs) / len(runs)) for runs in rows]


def by_each_seed(a: dict[int, float], b: dict[int, float]) -> list[float]:
    """How many points a lies above b, for each seed that both have."""
    return [100 * (a[seed] - b[seed]) for seed in a if seed in b]


def clear_at(sweep) -> list[tuple[str, str]]:
    """All (task, value) of a SweepExplorer whose difference exceeds half its interval."""
    return [
        (task, value)
        for task, places in sweep.tasks.items()
        for value, place in zip(sweep.values, places, strict=True)
        if place["difference"] > place["difference_half"]
    ]


def lstm_between() -> int:
    """On how many of the paper's eight tasks the LSTM lies between two GPT-1 rows."""
    rows = (g.paper.paper_numbers.TABLE5[row][1] for row in ("no pre-training", "LSTM", "full"))
    return sum(low < lstm < high for low, lstm, high in zip(*rows, strict=True))


def figure2_gains(start: int) -> list[float]:
    """What RACE and MultiNLI gain from a point of Figure 2 (left) to its last."""
    curves = (g.paper.paper_numbers.FIGURE2_LEFT[task] for task in ("RACE", "MultiNLI"))
    return [round(curve[-1] - curve[start], 1) for curve in curves]


def updates(task: str, labels: int) -> int:
    """Updates of a fine-tuning run of section 7."""
    settings = g.paper.plan.Cell(task, 0).settings
    return labels * settings.epochs // settings.batch


def steps() -> tuple[int, int]:
    """Updates of the short pre-trainings of section 8, and of the novelist."""
    return g.paper.plan.SHORT["steps"], g.pretrain.RECIPES["novelist"].steps


# what reads the frozen states gives name -> (accuracy, low, high), the novelist first


def tells(rows: dict, accuracy: float) -> bool:
    """Whether our states reach an accuracy, and lie above three random ones that guess."""
    (_, ours), *others = rows.items()
    guessing = [low < 0.5 < high for _, (_, low, high) in others]
    above = ours[1] > max(high for _, (_, _, high) in others)
    return round(ours[0], 2) == accuracy and above and guessing == [True] * 3


def hardly_tells(rows: dict, accuracy: float) -> bool:
    """Whether our states reach an accuracy above one half, but not above all random ones."""
    others = [high for name, (_, _, high) in rows.items() if name != "pre-trained"]
    mean, low, _ = rows["pre-trained"]
    return round(mean, 2) == accuracy and 0.51 < low < 0.52 < min(others)


def second_recipe():
    """The settings of section 9 for story cloze."""
    return dict(g.paper.plan.other_recipes())["full"].settings


def four_times(stories, second) -> bool:
    """Whether the second recipe has four times the labels at a quarter of the rate."""
    first = g.paper.plan.Cell("story_cloze", 0).settings
    labels = len(g.tasks.no_longer_than(stories.train, second.longest))
    return round(labels / first.limit) == 4 and first.lr == 4 * second.lr


# ---- the claims themselves, a function per group; each raises AssertionError with the words


def hold_tables_2_to_4(ahead: dict[str, float]) -> None:
    """ahead: set -> GPT-1 minus the best before."""
    holds("GPT-1 leads on nine of twelve", sum(x > 0 for x in ahead.values()) == 9)
    holds("and is furthest behind on RTE", min(ahead, key=lambda k: ahead[k]) == "RTE")


def hold_table5(change) -> None:
    """change (3, 8): the paper's Table 5, its lower rows minus the full recipe."""
    holds("without pre-training all fall", (change[0] < 0).all())
    biggest = g.paper.paper_numbers.TABLE5_TASKS[int(change[0].argmin())]
    holds("and STSB most", biggest == "STSB")
    holds("the LSTM gains on MRPC alone", rising(change[2]) == ["MRPC"])
    holds("the paper's LSTM lies between on six tasks", lstm_between() == 6)


def hold_ten(seeds: list[float]) -> None:
    """seeds: ten accuracies of one cell of the table."""
    holds(
        "best and worst are 7.5 points apart", round(100 * (max(seeds) - min(seeds)), 1) == 7.5
    )


def hold_our_table(table: dict, chance: dict, all_labels: dict) -> None:
    """table: task -> row -> (mean, low, high); all_labels: the score with all labels."""
    holds("full beats random on three tasks", ahead(table, chance) == THREE)
    holds("apart on film and verse", apart(table) == ["film_snippets", "verse_pairs"])
    holds("three of four rows hold guessing", guess(table["story_cloze"]))
    holds("53 %, and one half is in the interval", near_half(all_labels, 0.53))
    holds("asked without fine-tuning, 59 %", round(asked("story cloze"), 2) == 0.59)
    holds("all labels are 1,686", len(g.tasks.load("story_cloze").train) == 1686)
    holds("two film bars overlap", reaches(table["film_snippets"], "LSTM", "full"))


def hold_pairs(gain: dict, per_seed: dict) -> None:
    """gain: (row, task) -> (mean, half) of full minus row; per_seed: the runs themselves."""
    holds("there are twelve differences", len(gain) == 12)
    holds("film and verse, stories once", clear(gain) == CLEAR_IN_TABLE5)
    holds("stories: LSTM ahead", round(100 * gain["LSTM", "story_cloze"][0], 1) == -2.4)
    rounded = {key: round(100 * mean, 1) for key, (mean, _) in gain.items()}
    holds("the table of section 10 has them", POINTS.items() <= rounded.items())
    full = per_seed["full"]
    runs = {(row, t): by_each_seed(full[t], per_seed[row][t]) for row, t in gain}
    holds("corrected for twelve, two are left", holm(runs) == CORRECTED)


def hold_looks(looks: dict[int, tuple[float, float]]) -> None:
    """looks: number of seeds -> (mean, half) of the difference on entailment."""
    points = {n: round(100 * mean, 1) for n, (mean, _) in looks.items()}
    holds("6.6, 4.3, 2.0 points", points == {5: 6.6, 10: 4.3, 20: 2.0})
    holds("clear before twenty, not after", clear(looks) == {5, 10})


def hold_figure2() -> None:
    """The paper's curves, read from its picture."""
    curves = g.paper.paper_numbers.FIGURE2_LEFT.values()
    holds("both dip at 2", all(curve[2] < curve[1] for curve in curves))
    holds("gains from 0: 20.4 and 9.7 points", figure2_gains(0) == [20.4, 9.7])
    holds("MultiNLI gains 7.2 from 1", figure2_gains(1)[1] == 7.2)


def hold_parts(parts, from_1) -> None:
    """Two SweepExplorers of the transferred parts, compared with 0 and with 1."""
    holds("the curve has six points", len(parts.values) == 6)
    holds("clear on film at 2, 3 and 5 alone", clear_at(parts) == CLEAR_PARTS)
    holds("entailment: 1 leads on each seed", leads(parts, "entailment", "1", "0"))
    holds("no number of blocks clearly beats 1", clear_at(from_1) == [])


def hold_lambda(sweep, two_against_zero) -> None:
    """sweep: a SweepExplorer; two_against_zero: differences on entailment in points."""
    holds("no value clearly beats 0", clear_at(sweep) == [])
    holds("two runs fall by more than thirteen points", sorted(two_against_zero)[1] < -13)
    holds("the third gains three", round(max(two_against_zero)) == 3)
    half = sweep.tasks["entailment"][-1]["difference_half"]
    holds("24 points either side", round(100 * half) == 24)


def hold_sizes(gaps: dict, sizes: dict) -> None:
    """gaps: (task, number of labels) -> (mean, half); sizes: the accuracies behind them."""
    film, logic = (points(gaps, task) for task in ("film_snippets", "entailment"))
    holds("film: three to six points", film == {"100": 3, "300": 5, "1000": 4, "2000": 6})
    holds("entailment: to and fro", logic == {"100": -5, "300": -4, "700": 5, "2000": -1})
    holds("clear on film, many labels", clear(gaps) == CLEAR_BY_SIZE)
    holds("2,000: 72 and 73 %", percents(sizes, "entailment", 2000) == [72, 73])
    holds("300 labels: 225 updates", updates("entailment", labels=300) == 225)


def hold_built(bits: dict[str, float], n_parameters: int) -> None:
    """bits: variant -> bits per character; n_parameters: of the novelist."""
    order = ["untied", "sinusoidal", "as GPT-1", "shuffled sentences", "pre-LayerNorm"]
    holds(
        "untied comes first, pre-LayerNorm last", sorted(bits, key=lambda k: bits[k]) == order
    )
    more = bits["shuffled sentences"] - bits["as GPT-1"]
    holds("0.01 bits more", 0.005 < more < 0.015)
    holds("600 updates each, the novelist had 8,000", steps() == (600, 8000))
    holds("39 % more", round(8120 * 256 / n_parameters, 2) == 0.39)


def hold_variants(beside: dict) -> None:
    """beside: (variant, task) -> (mean, half) against as GPT-1."""
    holds("one is clear", clear(beside) == {("shuffled sentences", "entailment")})


def hold_views(read: dict[str, dict]) -> None:
    """read: view -> weights -> (accuracy, low, high)."""
    holds("match: 64 %, random weights guess", tells(read["match"], 0.64))
    holds("last: 55 %, not far above them", hardly_tells(read["last"], 0.55))


def hold_match(among: dict[str, dict], counted: float, row: str) -> None:
    """among: where counting is right, wrong or undecided -> the score of `match`."""
    holds("the guesses are our model's", row == "novelist")
    holds("counting is right in 61 %", round(counted, 2) == 0.61)
    low, high = among["wrong"]["interval"]
    holds("55 %, and one half is in the interval", low < 0.5 < high)
    holds(
        "55 and 67 %",
        [round(among[k]["accuracy"], 2) for k in ("wrong", "undecided")] == [0.55, 0.67],
    )
    holds("undecided: above one half", among["undecided"]["interval"][0] > 0.5)


def hold_recipe(gains: dict, bars: dict, match_right, same, stories) -> None:
    """gains: number of seeds -> (mean, half); bars: row -> (mean, half) over ten seeds.

    match_right, same: per story of the test set, whether `match` is right and whether the
    second recipe tests it.
    """
    points = {n: round(100 * mean, 1) for n, (mean, _) in gains.items()}
    holds("three seeds promised more", points == {3: 4.8, 10: 2.9})
    holds("only ten are clear", clear(gains) == {10})
    (mean, half), (other, width) = bars.values()
    holds("the full recipe's bar holds guessing", mean - half < 0.5 < mean)
    holds("random weights lie below, the bars touch", mean - half < other + width < 0.5)
    holds("1.3 points below one half", round(100 * (0.5 - other), 1) == 1.3)
    holds("391 stories are tested", same.sum() == 391)
    holds("match is right in 61 % of them", round(match_right[same].mean(), 2) == 0.61)
    second = second_recipe()
    holds("four times the labels, a quarter of the rate", four_times(stories, second))


EXERCISES = (points_and_percent, mean_and_half, paired_difference, transferred_names)
check = Checker(EXERCISES)
mine = check.mine

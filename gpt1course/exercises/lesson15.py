"""Lesson 15, How many labels? One run is one draw, what is significant, learning curves."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import pstdev, stdev

from .. import paper, statistics
from ..checking.exercise import Checker, exercise
from ..checking.number_exercise import number_exercise
from ..paper.results import stored_trials


@exercise(
    "How sure is a mean of five?",
    difficulty=2,
    importance=5,
    minutes=8,
    cases=lambda: [
        ([0.70, 0.74, 0.69, 0.77, 0.72], 2.776),
        ([0.5, 0.6, 0.52], 4.303),
        ([71.0, 75.5], 12.706),
        ([-0.02, 0.03, -0.05], 4.303),  # differences are of both signs
        ([0.64, 0.62, 0.64], 4.303),  # a score twice
    ],
    task=(
        "The same fine-tuning with other seeds gives other scores. Return their mean and half "
        "of its 95% interval, which is t times the standard deviation (over n - 1) divided by "
        "the square root of n. The t from Student's table is given."
    ),
    hints=(
        "Divide the sum of the squared distances from the mean by n - 1, and this variance "
        "by n before you take the square root.",
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
    "You divide the squares by n. The mean was computed from the same numbers, so they are "
    "closer to it than to the true mean. That is why we divide by n - 1."
)
def over_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / n
    return mean, t * (variance / n) ** 0.5


@mean_and_half.wrong(
    "That is how much a single run varies. A mean of n runs varies less, so divide by the "
    "square root of n."
)
def spread_of_one(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance**0.5


@mean_and_half.wrong(
    "1.96 is right for many values. With a handful the standard deviation itself is "
    "uncertain, so use the t that is given."
)
def large_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, 1.96 * (variance / n) ** 0.5


@mean_and_half.wrong(
    "You divide the standard deviation by n. It is the variance that falls with n, so the "
    "standard deviation falls with the square root of n."
)
def divided_by_n(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance**0.5 / n


@mean_and_half.wrong(
    "You multiply t by the variance of the mean. Take its square root first, which is the "
    "standard error."
)
def no_root(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, t * variance / n


@mean_and_half.wrong(
    "That is the standard error. Multiply it by t to get half of the interval."
)
def t_forgotten(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, (variance / n) ** 0.5


@mean_and_half.wrong(
    "That is the standard deviation of single runs. Divide it by the square root of n, for the "
    "mean, and multiply it by t."
)
def standard_deviation_alone(values, t):
    n, mean = len(values), sum(values) / len(values)
    return mean, (sum((x - mean) ** 2 for x in values) / (n - 1)) ** 0.5


@mean_and_half.wrong("You return the whole interval's width. Return half of it.")
def whole_width(values, t):
    n, mean = len(values), sum(values) / len(values)
    variance = sum((x - mean) ** 2 for x in values) / (n - 1)
    return mean, 2 * t * (variance / n) ** 0.5


@mean_and_half.wrong(
    "You return the interval's two ends. Return its middle and half of its width."
)
def two_ends(values, t):
    n, mean = len(values), sum(values) / len(values)
    half = t * (sum((x - mean) ** 2 for x in values) / (n - 1) / n) ** 0.5
    return mean - half, mean + half


@mean_and_half.wrong(
    "You divide by n and by 2, which is what `/ n ** 1/2` means. Write `/ n ** 0.5`."
)
def half_of_n(values, t):
    return sum(values) / len(values), t * stdev(values) / len(values) / 2


@mean_and_half.wrong("You exchanged the two: first the mean, and then half of the interval.")
def half_first(values, t):
    mean, half = mean_and_half(values, t)
    return half, mean


@mean_and_half.wrong("A score may come twice, and a set keeps it once. Use all of them.")
def each_score_once(values, t):
    return mean_and_half(sorted(set(values)), t)


@mean_and_half.wrong(
    "You return half of the range, which can only grow with more seeds. Use t times the "
    "standard error."
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
        ([71.0, 75.5, 71.0, 70.0], [70.0, 73.0, 69.5, 69.0], 3.182),  # a score twice
    ],
    task=(
        "Seed k draws the same training examples in the same order for both rows of a table, "
        "so what both owe to luck cancels. Return the mean of the differences, taken "
        "seed by seed, and half of its 95% interval."
    ),
    hints=(
        "First make one list of differences. Your `mean_and_half` does the rest.",
        "`[x - y for x, y in zip(a, b, strict=True)]`",
    ),
)
def paired_difference(a, b, t):
    """(mean, half) of a - b, where a[k] and b[k] share their seed. t: Student's point."""
    return mean_and_half([x - y for x, y in zip(a, b, strict=True)], t)


def _differences(a, b):
    return [x - y for x, y in zip(a, b, strict=True)]


@paired_difference.wrong(
    "list.index finds the first place of a score, and a score may come twice. Use zip."
)
def by_the_first_place(a, b, t):
    return mean_and_half([x - b[a.index(x)] for x in a], t)


@paired_difference.wrong(
    "A dict or a set keeps equal numbers once, and all of them count. Use a list, as in "
    "[x - y for x, y in zip(a, b)]."
)
def by_a_dict(a, b, t):
    pairs = dict(zip(a, b, strict=True))
    return mean_and_half([x - y for x, y in pairs.items()], t)


@paired_difference.wrong(
    "You add the two intervals. What both rows share, a lucky draw of examples, cancels in "
    "the differences, so take those first."
)
def two_intervals_added(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, half + width


@paired_difference.wrong(
    "You add the variances, which is right for rows that have nothing in common. These "
    "share their seeds, so take the differences first."
)
def as_if_independent(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, (half**2 + width**2) ** 0.5


@paired_difference.wrong(
    "You subtract the two intervals, but intervals never cancel like that. Take the "
    "differences first, and then the interval of their mean."
)
def intervals_subtracted(a, b, t):
    (mean, half), (other, width) = mean_and_half(a, t), mean_and_half(b, t)
    return mean - other, half - width


@paired_difference.wrong(
    "You sort both rows, so that a number no longer meets the one with the same seed."
)
def sorted_rows(a, b, t):
    return mean_and_half(_differences(sorted(a), sorted(b)), t)


@paired_difference.wrong(
    "a and b are lists, and Python can't subtract a list from a list. Subtract number by "
    "number, with zip."
)
def list_minus_list(a, b, t):
    return mean_and_half(a - b, t)


@paired_difference.wrong("Your sign is the other way around: it should be a - b.")
def the_other_way_round(a, b, t):
    return mean_and_half(_differences(b, a), t)


@paired_difference.wrong("You lose the sign of each difference, so that b can never be ahead.")
def absolute_differences(a, b, t):
    return mean_and_half([abs(d) for d in _differences(a, b)], t)


@paired_difference.wrong("You divide the squares by n. Divide by n - 1, as before.")
def differences_over_n(a, b, t):
    return over_n(_differences(a, b), t)


@paired_difference.wrong(
    "1.96 is right for many values. With a handful use the t that is given."
)
def differences_of_many(a, b, t):
    return large_n(_differences(a, b), t)


@paired_difference.wrong(
    "That is how much a single difference varies. The mean of n varies less, so divide by "
    "the square root of n."
)
def spread_of_one_difference(a, b, t):
    return spread_of_one(_differences(a, b), t)


@paired_difference.wrong(
    "The square root is missing: t belongs to the standard error, not to its square."
)
def no_root_of_differences(a, b, t):
    return no_root(_differences(a, b), t)


@paired_difference.wrong("t is missing: half of the interval is t times the standard error.")
def differences_without_t(a, b, t):
    return t_forgotten(_differences(a, b), t)


@paired_difference.wrong("That is the interval's whole width. Return half of it.")
def whole_width_of_differences(a, b, t):
    return whole_width(_differences(a, b), t)


@paired_difference.wrong(
    "You return the two ends of the interval. Return its middle and half its width."
)
def two_ends_of_differences(a, b, t):
    return two_ends(_differences(a, b), t)


@exercise(
    "What may be called significant?",
    difficulty=3,
    importance=4,
    minutes=10,
    cases=lambda: [
        ([0.03, 0.002, 0.04],),
        ([0.011, 0.012, 0.2, 0.001],),
        ([0.2, 0.9, 0.01],),
        ([0.02, 0.02, 0.05],),
        ([0.04],),
        ([0.0, 1.0, 0.5, 0.6],),
        ([0.3, 0.1, 0.004, 0.35, 0.02],),
        ([0.0004, 0.03],),  # four decimals
    ],
    task=(
        "A table has n comparisons, each with its p-value. Correct the p-values as Holm "
        "did: multiply the smallest by n, the next by n - 1, and so on, down to the largest "
        "by 1. Go from the smallest to the largest. If a corrected value is below the one "
        "before it, set it to that one, and if it's above 1, set it to 1. Return them in "
        "the order in which they were given."
    ),
    hints=(
        "`sorted(range(n), key=lambda i: p_values[i])` is the order of their places, the "
        "smallest p first, and `enumerate` of it counts from 0.",
        "Keep the largest value so far: `so_far = max(so_far, (n - rank) * p)`.",
    ),
)
def holm(p_values):
    """Each p-value corrected for their number, a list in the order given (Holm 1979).

    They are not rounded.
    """
    n = len(p_values)
    corrected, so_far = [0.0] * n, 0.0
    for rank, i in enumerate(sorted(range(n), key=lambda i: p_values[i])):
        so_far = max(so_far, (n - rank) * p_values[i])
        corrected[i] = min(1.0, so_far)
    return corrected


@holm.wrong(
    "You multiply each p by n. That is Bonferroni's rule, which is safe but stricter than "
    "it needs to be: once the smallest is dealt with, only n - 1 are left."
)
def every_one_n_times(p_values):
    return [min(1.0, len(p_values) * p) for p in p_values]


def _raised(p_values, times, capped=True):
    """As holm, with another number of times for the p of a rank."""
    raised, least = [0.0] * len(p_values), 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=lambda i: p_values[i])):
        least = max(least, times(rank, len(p_values)) * p_values[i])
        raised[i] = min(1.0, least) if capped else least
    return raised


@holm.wrong("A p-value is a share of cases, so none may end above 1.")
def above_1(p_values):
    return _raised(p_values, lambda rank, n: n - rank, capped=False)


@holm.wrong(
    "Your factors start at n - 1, so the largest p is multiplied by 0. They go from n to 1."
)
def one_time_too_few(p_values):
    return _raised(p_values, lambda rank, n: n - rank - 1)


@holm.wrong("Your factors grow with p, but it is the smallest p that is multiplied by n.")
def the_largest_n_times(p_values):
    return _raised(p_values, lambda rank, n: rank + 1)


@holm.wrong(
    "You divide n by the rank. That is another rule (Benjamini and Hochberg), for "
    "tables in which a few false findings are allowed."
)
def n_by_rank(p_values):
    return _raised(p_values, lambda rank, n: n / (rank + 1))


@holm.wrong("One of yours is below that of a smaller p. Going up, keep the largest so far.")
def falling_again(p_values):
    n, raised = len(p_values), [0.0] * len(p_values)
    for rank, i in enumerate(sorted(range(n), key=lambda i: p_values[i])):
        raised[i] = min(1.0, (n - rank) * p_values[i])
    return raised


@holm.wrong(
    "You return them sorted, and one of yours is below that of a smaller p. Going up, keep the "
    "largest so far, and put each in the place where its p was given."
)
def sorted_and_falling_again(p_values):
    n = len(p_values)
    return [min(1.0, (n - rank) * p) for rank, p in enumerate(sorted(p_values))]


@holm.wrong(
    "Going up, keep the largest so far, because none may be below that of a smaller p. It "
    "does no harm that two equal p get the same value."
)
def first_of_equals(p_values):
    order, n = sorted(p_values), len(p_values)
    return [min(1.0, (n - order.index(p)) * p) for p in p_values]


@holm.wrong(
    "You multiply each p by n, and let it end above 1. Only the smallest is multiplied by "
    "n, and no share of cases is above 1."
)
def n_times_above_1(p_values):
    return [len(p_values) * p for p in p_values]


@holm.wrong(
    "That is the rule of Benjamini and Hochberg, for tables in which a few false findings "
    "are allowed. Holm's goes up from the smallest p, with the factors n, n - 1 and so on."
)
def few_false_findings(p_values):
    n, raised, most = len(p_values), [0.0] * len(p_values), 1.0
    for rank, i in reversed([*enumerate(sorted(range(n), key=lambda i: p_values[i]))]):
        raised[i] = most = min(most, n / (rank + 1) * p_values[i])
    return raised


@holm.wrong("You return them sorted. Each belongs in the place where its p was given.")
def sorted_by_size(p_values):
    return sorted(holm(p_values))


@holm.wrong("You multiply the first p of the list by n. The smallest should get that factor.")
def in_the_order_given(p_values):
    n, least, raised = len(p_values), 0.0, []
    for rank, p in enumerate(p_values):
        least = max(least, (n - rank) * p)
        raised.append(min(1.0, least))
    return raised


@holm.wrong("Return the corrected p-values, not which of them are below 5%.")
def below_5_percent(p_values):
    return [p < 0.05 for p in holm(p_values)]


@holm.wrong(
    "You go down from the largest p and take the smaller one each time, which is Hochberg's "
    "way. Holm goes up, and none may end below the one before it."
)
def going_down(p_values):
    n, raised, most = len(p_values), [0.0] * len(p_values), 1.0
    for rank, i in reversed([*enumerate(sorted(range(n), key=lambda i: p_values[i]))]):
        most = min(most, (n - rank) * p_values[i])
        raised[i] = most
    return raised


@holm.wrong("You round to three decimals. Return each corrected p as it is.")
def rounded_to_three(p_values):
    return [round(p, 3) for p in holm([round(p, 3) for p in p_values])]


# ---- what the cells take from here ---------------------------------------------------


def shared_words(story) -> list[int]:
    """How many different words each ending of a story shares with it."""
    first, *endings = ({*re.findall(r"[a-z']+", text.lower())} for text in story.texts)
    return [len(first & ending) for ending in endings]


def scored(cells: dict[str, dict]) -> dict[str, tuple]:
    """name -> (accuracy, low, high) of scores as they are stored, for plots.intervals."""
    return {name: (x["accuracy"], *x["interval"]) for name, x in cells.items()}


def labels_needed(places: Mapping[int, dict], score: float) -> int | None:
    """The fewest labels with which a row's mean reaches a score; None if it never does.

    places: number of labels -> a dict with mean, one row of paper.curves.curve.
    """
    enough = [size for size, place in places.items() if place["mean"] >= score]
    return min(enough, default=None)


def labels_between(places: Mapping[int, dict], score: float) -> str:
    """Between which numbers of labels a row's mean reaches a score, and where the line does."""
    most = labels_needed(places, score)
    if most is None:
        return f"more than {max(places):,}"
    fewer = [size for size in places if size < most]
    about = paper.curves.labels_to(places, score)
    if not fewer or about is None:
        return f"at most {most:,}"
    line = f"{round(about, -1):,.0f} on the line that joins them"
    return f"between {max(fewer):,} and {most:,}, at {line}"


def curve_table(task: str, size: int) -> str:
    """A learning curve as lines: means by labels, and what a row needs to reach ours.

    size: of labels, with which the pre-trained row sets the mark.
    """
    rows, levels = paper.curves.curve(task), paper.curves.levels(task)
    counts, mark = sorted(rows["pre-trained"]), rows["pre-trained"][size]["mean"]
    lines = [
        f"{'labels':<18}" + "".join(f"{n:>7}" for n in counts) + f"   reaches {mark:.2f} with"
    ]
    for row, places in rows.items():
        means = "".join(f"{places[n]['mean']:7.2f}" if n in places else " " * 7 for n in counts)
        lines.append(f"{row:<18}{means}   {labels_needed(places, mark) or 'none of these'}")
    return "\n".join([*lines, *(f"{name:<18}{y:7.2f}" for name, y in levels.items())])


def without_single_texts(task: str) -> dict[str, dict[int, dict]]:
    """A curve of two texts without the readers that guess: one text alone, shared words."""
    guessing = ("first text alone", "second text alone", "word overlap")
    rows = paper.curves.curve(task)
    return {row: places for row, places in rows.items() if row not in guessing}


TRAINED = tuple(paper.curves.MODELS)  # the other rows of a curve read words
RIVALS = tuple(row for row in TRAINED if row != "pre-trained")


def bar(place: dict) -> tuple[float, float, float]:
    """The mean of a place on a curve, and the ends of its interval."""
    return place["mean"], place["mean"] - place["half"], place["mean"] + place["half"]


def curve_in_words(task: str, rows: Mapping[str, Mapping[int, dict]] | None = None) -> str:
    """A curve as an alternative text. rows: only these, as paper.curves.curve has them."""
    rows, levels = rows or paper.curves.curve(task), paper.curves.levels(task)
    said = (
        f"{row}: " + ", ".join(f"{place['mean']:.2f} at {n}" for n, place in places.items())
        for row, places in rows.items()
    )
    flat = (f"{name}: {y:.2f} without labels" for name, y in levels.items())
    return f"Accuracy on {task} by the number of labels. " + "; ".join([*said, *flat]) + "."


def curve_gaps(task: str, row: str, other: str) -> dict[int, statistics.PairedT]:
    """Number of labels -> a row minus another, seed by seed, for statistics.significant."""
    draws = paper.curves.draws(task)
    return statistics.paired_t_tests(draws[row], draws[other])


@dataclass(frozen=True)
class Gap(statistics.PairedT):
    """The pre-trained row minus a rival on one set. both_guess: neither is above guessing."""

    labels: int
    both_guess: bool


def gaps_near(size: int) -> dict[tuple[str, str], Gap]:
    """(set, rival) -> the pre-trained row minus a rival, with about so many labels.

    Of each set the number of labels that is nearest by ratio.
    """
    found = {}
    for task in paper.curves.known():
        rows, guessing = paper.curves.curve(task), paper.curves.levels(task)["guessing"]
        n = min(rows["pre-trained"], key=lambda labels: abs(math.log(labels / size)))
        for rival in RIVALS:
            gap = curve_gaps(task, "pre-trained", rival)[n]
            lows = [bar(rows[row][n])[1] for row in ("pre-trained", rival)]
            found[task, rival] = Gap(**vars(gap), labels=n, both_guess=max(lows) <= guessing)
    return found


VERDICTS = SIGNIFICANT, NOT_SIGNIFICANT, GUESS = "significant", "not significant", "both guess"


def verdicts(table: Mapping[tuple[str, str], Gap], rival: str) -> dict[str, str]:
    """Set -> whether its gap to a rival is significant among all of the table."""
    sure = statistics.significant(table)
    return {
        task: GUESS
        if gap.both_guess
        else SIGNIFICANT
        if (task, other) in sure
        else NOT_SIGNIFICANT
        for (task, other), gap in table.items()
        if other == rival
    }


def gap_lines(table: Mapping[tuple[str, str], Gap], rival: str) -> str:
    """A line for each set: points ahead of a rival, labels, runs, and the verdict."""
    lines = []
    for task, verdict in verdicts(table, rival).items():
        gap = table[task, rival]
        points = f"{100 * gap.difference:+5.1f} +- {100 * gap.half_width:4.1f} points"
        name = f"{task.replace('_', ' ')}, {gap.labels:,} labels"
        lines.append(f"{name:<36}{points}, {gap.seeds:>2} runs, {verdict}")
    return "\n".join(lines)


def by_significance(table: Mapping[tuple[str, str], Gap], rival: str) -> dict[str, dict]:
    """Set -> verdict -> points (mean, low, high) ahead of a rival, for plots.intervals.

    The largest gain comes first.
    """
    found = verdicts(table, rival)
    order = sorted(found, key=lambda task: -table[task, rival].difference)
    gaps = {task: table[task, rival] for task in order}
    return {
        task: {found[task]: tuple(100 * x for x in (gap.difference, gap.low, gap.high))}
        for task, gap in gaps.items()
    }


def gaps_in_words(table: Mapping[tuple[str, str], Gap], rival: str) -> str:
    """The same as an alternative text."""
    said = (
        f"{task.replace('_', ' ')} {span[0]:+.1f} ({verdict})"
        for task, row in by_significance(table, rival).items()
        for verdict, span in row.items()
    )
    return "; ".join(said) + "."


def checkpoint_scores() -> dict[str, paper.pretraining_seeds.Scores]:
    """Set -> row -> seed of pre-training -> mean accuracy with about 1,000 labels."""
    return {
        task: paper.pretraining_seeds.fine_tuned_scores(task) for task in paper.curves.known()
    }


def score_lines(scores: Mapping[str, paper.pretraining_seeds.Scores]) -> str:
    """A line for each set or test: the accuracy of each pre-training, row by row."""
    names = {"pre-trained": "Transformer", "LSTM": "LSTM"}
    seeds = sorted(next(iter(scores.values()))["LSTM"])
    of_seeds = "".join(f"{f'seed {seed}':>8}" for seed in seeds)
    lines = [
        " " * 24 + "".join(f"{names[row]:<{8 * len(seeds)}}" for row in names).rstrip(),
        f"{'':<21}" + of_seeds * len(names),
    ]
    for name, by_row in scores.items():
        told = "".join(f"{by_row[row][seed]:8.3f}" for row in names for seed in seeds)
        lines.append(f"{name.replace('_', ' '):<21}{told}")
    return "\n".join(lines)


def checkpoint_gaps(
    scores: Mapping[str, paper.pretraining_seeds.Scores],
) -> dict[tuple[str, str], Gap]:
    """(set, "LSTM") -> the Transformer minus the LSTM, by the seed of pre-training."""
    found = {}
    for task, rows in scores.items():
        gap = statistics.paired_t_test(rows["pre-trained"], rows["LSTM"])
        means = [statistics.mean_interval([*row.values()]) for row in rows.values()]
        highest_low = max(mean - half for mean, half in means)
        found[task, "LSTM"] = Gap(
            **vars(gap),
            labels=paper.pretraining_seeds.labels_of(task),
            both_guess=highest_low <= paper.curves.levels(task)["guessing"],
        )
    return found


def choices_of_settings(task: str) -> str:
    """The scores by which the settings of a task's rows were chosen, a star at each choice."""
    plan, lines = paper.curves.plan, []
    for size in plan.choice_sizes(task):
        lines.append(f"validation accuracy with {size:,} labels")
        lines.append(f"{'rate':>33}" + "".join(f"{rate:>10g}" for rate in plan.RATES))
        for row in TRAINED:
            lines += choice_lines(task, row, size)
    return "\n".join(lines)


def choice_lines(task: str, row: str, size: int) -> list[str]:
    """A line for each number of updates that a row's choice was made from."""
    plan, stored, by_length = paper.curves.plan, stored_trials(paper.curves.plan.NAME), {}
    best = plan.best_budget(task, row, size, stored)
    for budget in plan.tried_budgets(task, row, size, stored):
        score = plan.validation_score(task, row, size, budget, stored)
        told = f"{score:.2f}{'*' if budget == best else ' '}"
        beyond = f"   ({told.strip()} with {budget.lr:g})"
        told = f"{told:>10}" if budget.lr in plan.RATES else beyond
        by_length.setdefault(budget.updates, []).append(told)
    return [
        f"  {row:<16}{updates:>7} updates{''.join(scores)}".rstrip()
        for updates, scores in by_length.items()
    ]


def gaps_to(task: str, rivals: Iterable[str]) -> dict[str, dict[int, statistics.PairedT]]:
    """Rival -> number of labels -> the pre-trained row minus this rival, run by run."""
    return {rival: curve_gaps(task, "pre-trained", rival) for rival in rivals}


def significant_lines(gaps: Mapping[str, Mapping[int, statistics.PairedT]]) -> str:
    """A line for each rival: with how many labels its gap is significant, and the points.

    Corrected for all comparisons together.
    """
    found, lines = significant_sizes(gaps), []
    for rival, sure in found.items():
        told = [f"{n:,} labels ({100 * gaps[rival][n].difference:+.0f})" for n in sure]
        lines.append(f"significant against {rival}: {', '.join(told) or 'nowhere'}")
    return "\n".join(lines)


def significant_sizes(
    gaps: Mapping[str, Mapping[int, statistics.PairedT]],
) -> dict[str, list[int]]:
    """Rival -> numbers of labels where its gap is significant among all of these gaps."""
    every = {(rival, n): gap for rival, by_size in gaps.items() for n, gap in by_size.items()}
    sure = statistics.significant(every)
    return {
        rival: sorted(n for n in by_size if (rival, n) in sure)
        for rival, by_size in gaps.items()
    }


@number_exercise(
    "A difference of three seeds",
    question=(
        "Seed by seed, one row of a table is ahead of another by {a}, {b} and {c} points. By "
        "how much on average, and how many points does the 95% interval reach to either side? "
        "Student's t is 4.303."
    ),
    difficulty=2,
    importance=4,
    minutes=5,
    first=(2.0, 5.0, 3.5),
    draw=lambda random: tuple(random.randint(-20, 90) / 10 for _ in range(3)),
    worked=lambda a, b, c: (
        f"The mean is {(a + b + c) / 3:.3f}. The standard deviation over n - 1 = 2 is "
        f"{stdev((a, b, c)):.3f}; divided by the square root of 3, times 4.303, it is "
        f"{4.303 * stdev((a, b, c)) / 3**0.5:.2f}."
    ),
    hints=("Call your `mean_and_half` with the three differences and 4.303.",),
    decimals=2,
)
def three_seeds(a, b, c):
    """(mean, half of the interval) of three differences."""
    return (a + b + c) / 3, 4.303 * stdev((a, b, c)) / 3**0.5


@three_seeds.wrong(
    "You divide the squares by n. For the standard deviation of so few values divide by n - "
    "1, here 2."
)
def spread_over_n(a, b, c):
    return (a + b + c) / 3, 4.303 * pstdev((a, b, c)) / 3**0.5


@three_seeds.wrong(
    "That is for a single seed. For the mean of three, divide by the square root of 3."
)
def of_one_seed(a, b, c):
    return (a + b + c) / 3, 4.303 * stdev((a, b, c))


@three_seeds.wrong("The mean comes first, and then half of the interval.")
def half_before_mean(a, b, c):
    mean, half = three_seeds.solution(a, b, c)
    return half, mean


@three_seeds.wrong("You divide by 3. The standard error falls with the square root of n.")
def half_by_three(a, b, c):
    return (a + b + c) / 3, 4.303 * stdev((a, b, c)) / 3


@three_seeds.wrong(
    "1.96 is for many seeds. From three you hardly know their standard deviation, so use 4.303."
)
def as_if_many(a, b, c):
    return (a + b + c) / 3, 1.96 * stdev((a, b, c)) / 3**0.5


@three_seeds.wrong("t is missing: half of the interval is 4.303 times the standard error.")
def standard_error_of_three(a, b, c):
    return (a + b + c) / 3, stdev((a, b, c)) / 3**0.5


@three_seeds.wrong(
    "That is the whole width of the interval. To either side it reaches half of that."
)
def both_sides(a, b, c):
    return (a + b + c) / 3, 2 * 4.303 * stdev((a, b, c)) / 3**0.5


@three_seeds.wrong(
    "That is the standard deviation of single seeds. Divide it by the square root of 3 and "
    "multiply by 4.303."
)
def deviation_of_three(a, b, c):
    return (a + b + c) / 3, stdev((a, b, c))


@three_seeds.wrong("Those are the two ends. Give the mean, and its distance to either end.")
def ends_of_three(a, b, c):
    mean, half = (a + b + c) / 3, 4.303 * stdev((a, b, c)) / 3**0.5
    return mean - half, mean + half


EXERCISES = (mean_and_half, paired_difference, holm, three_seeds)
check = Checker(EXERCISES)
mine = check.mine

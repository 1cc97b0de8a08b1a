"""What lesson 16, Ablations: which part does the work?, says."""

import itertools

from claim import after

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.viz import SweepExplorer

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
    return {key for key, d in comparisons.items() if abs(d.difference) > d.half_width}


def in_points(comparisons: dict) -> dict:
    """The same keys with the mean difference in points."""
    return {key: round(100 * d.difference, 1) for key, d in comparisons.items()}


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


def p_of(pairs: dict):
    """What sorts the keys of comparisons by their p."""
    return lambda key: pairs[key].p


def leads(sweep, task: str, value: str, other: str) -> bool:
    """Whether one value of a SweepExplorer beats another with every seed."""
    a, b = (sweep.tasks[task][sweep.values.index(v)]["seeds"] for v in (value, other))
    return all(x > y for x, y in zip(a, b, strict=True))


@after("cell-009")
def gpt_1_leads_on_nine_of_twelve(ahead):
    assert sum(x > 0 for x in ahead.values()) == 9


@after("cell-009")
def and_is_furthest_behind_on_rte(ahead):
    assert min(ahead, key=lambda k: ahead[k]) == "RTE"


@after("cell-013")
def no_order_is_to_be_seen(in_order):
    p = in_order.pvalue
    assert p > 0.2


@after("cell-013")
def gains_beside_the_sizes_of_the_sets(ahead):
    sizes = paper.paper_numbers.TRAINING_SETS
    order = sorted(sizes, key=lambda k: sizes[k])
    assert (order[-1], ahead["SNLI"]) == ("SNLI", 0.6), "the largest gains 0.6"
    assert (order[0], ahead["Story Cloze"]) == ("Story Cloze", 8.9), "the smallest 8.9"
    assert sum(ahead[k] < 0 for k in order[:4]) == 2, "two losses in the smallest four"
    assert 3 * (sizes[order[0]] // 32) == 138, "138 updates, and fifty thousand"
    assert 3 * (sizes["SNLI"] // 32) > 50_000, "three epochs of SNLI"


@after("cell-022")
def without_pre_training_all_fall(change):
    assert (change[0] < 0).all()


@after("cell-022")
def and_stsb_most(change):
    biggest = paper.paper_numbers.TABLE5_TASKS[int(change[0].argmin())]
    assert biggest == "STSB"


@after("cell-022")
def the_lstm_gains_on_mrpc_alone(change):
    assert rising(change[2]) == ["MRPC"]


@after("cell-022")
def the_papers_lstm_lies_between_on_six_tasks():
    assert lstm_between() == 6


@after("cell-028")
def as_a_share_it_would_lose_a_quarter(points, percent):
    assert round(1 - points / percent, 2) == 0.25


@after("cell-036")
def full_beats_random_on_three_tasks(table, chance):
    assert ahead(table, chance) == THREE


@after("cell-036")
def apart_on_film_and_verse(table):
    assert apart(table) == ["film_snippets", "verse_pairs"]


@after("cell-036")
def three_of_four_rows_hold_guessing(table):
    assert guess(table["story_cloze"])


@after("cell-036")
def two_film_bars_overlap(table):
    assert reaches(table["film_snippets"], "LSTM", "full")


@after("cell-039")
def there_are_twelve_differences(pairs):
    assert len(pairs) == 12


@after("cell-039")
def seven_leave_out_0_when_taken_alone(pairs):
    assert len(alone(pairs)) == 7


@after("cell-039")
def two_are_clear_among_twelve(pairs):
    assert statistics.significant(pairs) == CLEAR_IN_TABLE5


@after("cell-039")
def and_have_the_smallest_p(pairs):
    assert {*sorted(pairs, key=p_of(pairs))[:2]} == CLEAR_IN_TABLE5


@after("cell-039")
def the_table_of_section_7_has_them(pairs):
    assert POINTS.items() <= in_points(pairs).items()


@after("cell-039")
def the_next_one_has_a_raised_p_of_5_1_percent(pairs):
    third, raised = sorted(statistics.holm([d.p for d in pairs.values()]))[2], 0.051
    assert round(third, 3) == raised


@after("cell-039")
def the_interval_holds_0_and_four_points(pairs):
    lost = pairs["no pre-training", "entailment"]
    low, high = lost.low, lost.high
    assert low < -0.04 < 0 < high


@after("cell-039")
def worth_ten_with_300_labels():
    draws = paper.curves.draws("entailment")
    gaps = statistics.paired_t_tests(draws["pre-trained"], draws["random weights"])
    assert round(100 * gaps[300].difference) == 10


@after("cell-045")
def gpt_1_has_three_and_a_half_times_as_many(lstm_parameters, gpt1_rest):
    paper_lstm = lstm_parameters(768, 2048)
    assert 3.4 < gpt1_rest / paper_lstm < 3.6


@after("cell-045")
def ours_are_equal_to_two_thousandths(lstm_parameters, C, units, rest):
    ours = lstm_parameters(C, units)
    assert abs(ours / rest - 1) < 0.002


@after("cell-052")
def the_library_copies_what_you_name(moved, transferred_names, names):
    assert moved == transferred_names(2, names)


@after("cell-054")
def both_dip_at_2():
    curves = paper.paper_numbers.FIGURE2_LEFT.values()
    assert all(curve[2] < curve[1] for curve in curves), "both dip at 2"
    steps = [b - a for curve in curves for a, b in itertools.pairwise(curve[2:])]
    assert min(steps) == 0, "no other part hurts, two steps are level"
    assert steps.count(0) == 2, "no other part hurts, two steps are level"


@after("cell-054")
def gains_from_0_20_4_and_9_7_points():
    assert figure2_gains(0) == [20.4, 9.7]


@after("cell-054")
def multinli_gains_7_2_from_1():
    assert figure2_gains(1)[1] == 7.2


@after("cell-057")
def the_curve_has_six_points(parts):
    assert len(parts.values) == 6


@after("cell-057")
def alone_film_would_be_clear_at_2_3_and_5(parts):
    taken_alone = places_where(parts, lambda p: p["difference"] > p["difference_half"])
    assert taken_alone == UNTOLD


@after("cell-057")
def none_of_ten_is_clear(parts):
    assert places_where(parts, lambda p: p["clear"]) == []


@after("cell-057")
def entailment_1_leads_on_each_seed(parts):
    assert leads(parts, "entailment", "1", "0")


@after("cell-057")
def no_number_of_blocks_beats_1():
    from_1 = SweepExplorer(paper.accuracies("transfer"), chosen="2", compared="1")
    assert places_where(from_1, lambda p: p["clear"]) == []


@after("cell-063")
def no_value_differs_clearly_from_0(sweep):
    assert places_where(sweep, lambda p: p["clear"]) == []


@after("cell-063")
def alone_film_would_be_clear_at_0_5_and_1(sweep):
    taken_alone = places_where(sweep, lambda p: abs(p["difference"]) > p["difference_half"])
    assert taken_alone == [("film_snippets", "0.5"), ("film_snippets", "1")]


@after("cell-063")
def two_runs_fall_by_more_than_thirteen_points(two, zero):
    two_against_zero = 100 * (two - zero)
    assert sorted(two_against_zero)[1] < -13, "two runs fall by more than thirteen points"
    assert round(max(two_against_zero)) == 3, "the third gains three"


@after("cell-063")
def the_text_says_24_points_either_side(sweep):
    half = sweep.tasks["entailment"][-1]["difference_half"]
    assert round(100 * half) == 24


@after("cell-066")
def untied_comes_first_pre_layernorm_last(bits):
    order = ["untied", "sinusoidal", "as GPT-1", "shuffled sentences", "pre-LayerNorm"]
    assert sorted(bits, key=lambda k: bits[k]) == order


@after("cell-066")
def the_text_says_0_01_bits_more(bits):
    more = bits["shuffled sentences"] - bits["as GPT-1"]
    assert 0.005 < more < 0.015


@after("cell-066")
def the_text_says_600_updates_each_the_novelist_had_8_000():
    assert steps() == (600, 8000)


@after("cell-066")
def the_text_says_39_percent_more(novelist):
    n_parameters = novelist.count_parameters()
    assert round(8120 * 256 / n_parameters, 2) == 0.39


@after("cell-070")
def alone_one_would_be_clear(beside):
    assert alone(beside) == {("shuffled sentences", "entailment")}


@after("cell-070")
def none_of_eight_is(beside):
    assert len(beside) == 8 and statistics.significant(beside) == set()

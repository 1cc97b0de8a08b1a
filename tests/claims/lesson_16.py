"""What lesson 16, Ablations: which part does the work?, says."""

import itertools
import re

from claim import after
from scipy import stats

import gpt1lib as g
from gpt1course import paper, statistics
from gpt1course.viz import SweepExplorer

THREE = ["entailment", "film_snippets", "verse_pairs"]


CLEAR_IN_TABLE5 = {
    ("no pre-training", "film_snippets"),
    ("no pre-training", "verse_pairs"),
    ("LSTM", "entailment"),
    ("LSTM", "verse_pairs"),
}


POINTS = {
    ("no pre-training", "film_snippets"): -5.1,
    ("no pre-training", "verse_pairs"): -6.8,
    ("no pre-training", "entailment"): -2.0,
    ("no auxiliary loss", "film_snippets"): 1.5,
    ("no auxiliary loss", "verse_pairs"): -4.2,
    ("LSTM", "film_snippets"): -6.0,
    ("LSTM", "verse_pairs"): -6.9,
    ("LSTM", "entailment"): -28.6,
}


def rising(changes) -> list[str]:
    """The tasks of the paper's Table 5 whose change is above 0."""
    return [t for t, x in zip(paper.paper_numbers.TABLE5_TASKS, changes, strict=True) if x > 0]


# rows of the table of section 5 are row -> (mean, low, high)
def ahead(table: dict) -> list[str]:
    """The tasks where the full recipe's mean beats that of random weights."""
    return [t for t, rows in table.items() if rows["full"][0] > rows["no pre-training"][0]]


def apart(table: dict) -> list[str]:
    """The tasks where the full recipe's interval lies above that of random weights."""
    return [t for t, rows in table.items() if rows["full"][1] > rows["no pre-training"][2]]


def guess(rows: dict) -> bool:
    """Whether all rows hold one half."""
    return all(low < 0.5 < high for _, low, high in rows.values())


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


def figure2_gains(start: int) -> list[float]:
    """What RACE and MultiNLI gain from a point of Figure 2 (left) to its last."""
    curves = (paper.paper_numbers.FIGURE2_LEFT[task] for task in ("RACE", "MultiNLI"))
    return [round(curve[-1] - curve[start], 1) for curve in curves]


def steps() -> tuple[int, int]:
    """Updates of the short pre-trainings of section 12, and of the novelist."""
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


@after("cell-028")
def as_a_share_it_would_lose_a_quarter(points, percent):
    assert round(1 - points / percent, 2) == 0.25


@after("cell-036")
def full_beats_random_on_three_tasks(table):
    assert ahead(table) == THREE


@after("cell-036")
def random_weights_on_verses_and_the_lstm_on_entailment_hardly_beat_guessing(table, chance):
    for row, task in (("no pre-training", "verse_pairs"), ("LSTM", "entailment")):
        assert abs(table[task][row][0] - chance[task]) < 0.01


@after("cell-036")
def apart_on_film_and_verse(table):
    assert apart(table) == ["film_snippets", "verse_pairs"]


@after("cell-036")
def on_story_endings_all_rows_hold_one_half(table):
    assert guess(table["story_cloze"])


@after("cell-039")
def there_are_twelve_differences(pairs):
    assert len(pairs) == 12


@after("cell-039")
def eight_leave_out_0_when_taken_alone(pairs):
    assert len(alone(pairs)) == 8


@after("cell-039")
def four_are_significant_among_twelve(pairs):
    assert statistics.significant(pairs) == CLEAR_IN_TABLE5


@after("cell-039")
def and_have_the_smallest_p(pairs):
    assert {*sorted(pairs, key=p_of(pairs))[:4]} == CLEAR_IN_TABLE5


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
    assert min(steps) == 0, "no other part visibly hurts, two steps are level"
    assert steps.count(0) == 2, "no other part visibly hurts, two steps are level"


@after("cell-057")
def the_curve_has_six_points(parts):
    assert len(parts.values) == 6


@after("cell-057")
def none_of_ten_is_clear(parts):
    assert places_where(parts, lambda p: p["significant"]) == []


@after("cell-057")
def entailment_1_leads_on_each_seed(parts):
    assert leads(parts, "entailment", "1", "0")


@after("cell-063")
def no_value_differs_significantly_from_0(sweep):
    assert places_where(sweep, lambda p: p["significant"]) == []


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


# ---- what the main path adds --------------------------------------------------------


@after("cell-020")
def the_auxiliary_loss_cost_0_4_points_on_average(helped):
    assert round(-float(helped.mean()), 1) == 0.4


@after("cell-022")
def stsb_is_more_than_two_fifths_of_the_loss(change):
    assert 0.4 < change[0].min() / change[0].sum() < 0.45


@after("cell-022")
def of_the_falls_only_qnli_is_near_15_points(change):
    near = [abs(x + 15) < 3 for x in change[0]]
    assert [t for t, n in zip(paper.paper_numbers.TABLE5_TASKS, near, strict=True) if n] == [
        "QNLI"
    ]


@after("cell-054")
def gains_from_the_embeddings_on_18_1_and_7_2_points():
    assert figure2_gains(1) == [18.1, 7.2]


@after("cell-036")
def verse_pairs_60_against_54_percent(table):
    verse = {row: round(100 * values[0]) for row, values in table["verse_pairs"].items()}
    assert (verse["full"], verse["no pre-training"]) == (60, 54)


@after("cell-036")
def five_to_twenty_seeds_and_300_to_1_300_labels(ours):
    seeds = [cell["seeds"] for by_task in ours.values() for cell in by_task.values()]
    limits = [changes["limit"] for changes in paper.plan.CHOSEN.values()]
    assert (min(seeds), max(seeds)) == (5, 20) and (min(limits), max(limits)) == (300, 1300)


@after("settings-2")
def on_entailment_the_lstm_goes_from_29_behind_to_3_or_4_ahead(lead_by_settings):
    theirs, own = (round(v[0], 1) for v in lead_by_settings["entailment"].values())
    assert (theirs, own) == (-28.6, 3.5)


@after("settings-2")
def on_films_it_nearly_catches_up(lead_by_settings):
    theirs, own = (v[0] for v in lead_by_settings["film_snippets"].values())
    assert theirs < -5 and -1 < own < 0


@after("settings-2")
def on_verses_it_guesses_either_way_and_the_transformer_falls_from_60_to_57(per_seed, chance):
    own = paper.curves.draws("verse_pairs")

    def mean(accuracies: dict) -> float:
        return sum(accuracies.values()) / len(accuracies)

    for accuracies in (per_seed["LSTM"]["verse_pairs"], own["LSTM"][1330]):
        assert abs(mean(accuracies) - chance["verse_pairs"]) < 0.01
    falls = (per_seed["full"]["verse_pairs"], own["pre-trained"][1330])
    assert [round(100 * mean(accuracies)) for accuracies in falls] == [60, 57]


@after("settings-2")
def with_the_transformers_settings_it_is_behind_on_three(lead_by_settings):
    leads = [by["the Transformer's settings"][0] for by in lead_by_settings.values()]
    assert sum(lead < 0 for lead in leads) == 3


@after("settings-2")
def on_story_endings_both_are_close_to_guessing():
    at_300 = {
        row: paper.curves.draws("story_cloze")[row][300] for row in ("LSTM", "pre-trained")
    }
    means = [sum(seeds.values()) / len(seeds) for seeds in at_300.values()]
    assert all(abs(mean - 0.5) < 0.03 for mean in means)


@after("settings-2")
def gpt_1_has_22_times_as_many_parameters(novelist):
    assert round(116_534_784 / novelist.count_parameters()) == 22


@after("cell-013")
def gains_beside_the_sizes_of_the_sets(ahead):
    sizes = paper.paper_numbers.TRAINING_SETS
    order = sorted(sizes, key=lambda k: sizes[k])
    assert (order[-1], ahead["SNLI"]) == ("SNLI", 0.6), "the largest gains 0.6"
    assert (order[0], ahead["Story Cloze"]) == ("Story Cloze", 8.9), "the smallest 8.9"
    assert sum(ahead[k] < 0 for k in order[:4]) == 2, "two losses in the smallest four"


@after("cell-011")
def the_plotted_gain_is_9_7_points_from_0_and_7_2_from_1():
    assert (figure2_gains(0)[1], figure2_gains(1)[1]) == (9.7, 7.2)


@after("cell-039")
def the_table_of_section_6_has_these_points(pairs):
    assert POINTS.items() <= in_points(pairs).items()


@after("cell-039")
def six_points_on_film_snippets_and_the_lead_on_story_endings_are_not_significant(pairs):
    others = alone(pairs) - CLEAR_IN_TABLE5
    assert len(others) == 4 and {("LSTM", "film_snippets"), ("LSTM", "story_cloze")} < others


@after("cell-039")
def in_lesson_15_the_transformer_led_on_one_of_nine_sets_and_the_lstm_on_one():
    from gpt1course.exercises import lesson15

    table = lesson15.gaps_near(1000)
    sure = {task for task, rival in statistics.significant(table) if rival == "LSTM"}
    ahead = [table[task, "LSTM"].difference > 0 for task in sure]
    assert len(paper.curves.known()) == 9 and (sum(ahead), len(ahead)) == (1, 2)


@after("cell-039")
def in_lesson_15_entailment_gains_3_significantly_and_verse_pairs_3_with_9_to_either_side():
    from gpt1course.exercises import lesson15

    table = lesson15.gaps_near(1000)
    logic, verse = ((task, "random weights") for task in ("entailment", "verse_pairs"))
    sure = statistics.significant(table)
    assert round(100 * table[logic].difference) == 3 and logic in sure
    assert round(100 * table[verse].difference) == 3 and verse not in sure
    assert round(100 * table[verse].half_width) == 9


@after("cell-036")
def the_full_recipe_is_the_highest_row_on_verse_pairs_alone(ours):
    def mean(row, task):
        return ours[row][task]["mean"]

    best = {task: max(ours, key=lambda row: mean(row, task)) for task in ours["full"]}
    assert [task for task, row in best.items() if row == "full"] == ["verse_pairs"]
    for task in ("entailment", "film_snippets"):
        assert best[task] == "no auxiliary loss"
        assert 0.005 < mean(best[task], task) - mean("full", task) < 0.015
    assert best["story_cloze"] == "LSTM"
    assert 0.02 < mean("LSTM", "story_cloze") - mean("full", "story_cloze") < 0.03
    for task, row in best.items():
        low = ours[row][task]["mean"] - ours[row][task]["half"]
        assert row == "full" or low < mean("full", task) + ours["full"][task]["half"], "overlap"


@after("cell-070")
def to_be_significant_among_eight_takes_about_three_times_as_much(beside):
    assert len(beside) == 8 and {d.seeds for d in beside.values()} == {3}
    alone, first = (stats.t.ppf(1 - p / 2, df=2) for p in (0.05, 0.05 / 8))
    assert 2.8 < first / alone < 3.1


@after("cell-057")
def on_entailment_an_effect_needs_about_ten_points(parts):
    halves = [100 * place["difference_half"] for place in parts.tasks["entailment"][1:]]
    assert 8.5 < min(halves) and sorted(halves)[2] < 11


@after("cell-057")
def film_snippets_rise_up_to_2_and_no_later_point_is_above(parts):
    means = [place["mean"] for place in parts.tasks["film_snippets"]]
    assert means[0] < means[1] < means[2] == max(means)


@after("cell-070")
def none_of_eight_is_significant(beside):
    assert len(beside) == 8 and statistics.significant(beside) == set()


@after("cell-070")
def the_intervals_reach_two_to_fifteen_points(beside):
    halves = [100 * d.half_width for d in beside.values()]
    assert 1.5 < min(halves) < 2.5 and 14 < max(halves) < 15


# ---- what else the text says --------------------------------------------------------


def printed_means() -> dict[str, float]:
    """Row of the paper's Table 5 -> the mean that it prints."""
    return {row: mean for row, (mean, _) in paper.paper_numbers.TABLE5.items()}


def seeds_of(sweep) -> set[int]:
    """The numbers of seeds behind the places of a SweepExplorer."""
    return {len(place["seeds"]) for places in sweep.tasks.values() for place in places}


@after("cell-016")
def the_row_without_the_auxiliary_loss_has_the_highest_mean():
    means = printed_means()
    assert max(means, key=means.get) == "no auxiliary loss" == list(means)[2]
    assert (means["no auxiliary loss"], means["full"]) == (75.0, 74.7)


@after("cell-020")
def the_auxiliary_loss_helped_on_four_and_hurt_on_four(helped):
    assert ((helped > 0).sum(), (helped < 0).sum()) == (4, 4)


@after("cell-020")
def the_larger_sets_benefit_and_rte_does_which_is_the_smallest(helped):
    sizes = paper.paper_numbers.TRAINING_SETS
    by_size = sorted(paper.paper_numbers.TABLE5_TASKS, key=lambda task: sizes[task])
    gained = dict(zip(paper.paper_numbers.TABLE5_TASKS, helped > 0, strict=True))
    assert by_size[0] == "RTE"
    assert [gained[task] for task in by_size] == [True, *[False] * 4, *[True] * 3]


@after("cell-022")
def stsb_falls_by_51_1_points(change):
    assert round(change[0].min(), 1) == -51.1


@after("cell-022")
def the_mean_falls_by_about_15_points():
    means = printed_means()
    assert round(means["full"] - means["no pre-training"], 1) == 14.8


@after("cell-022")
def without_the_auxiliary_loss_no_score_moves_by_three_points(change):
    assert -3 < change[1].min() < 0 < change[1].max() < 3


@after("cell-028")
def they_are_14_8_points_and_19_8_percent_of_74_7(points, percent, points_and_percent):
    assert (round(points, 1), round(percent, 1)) == (-14.8, -19.8)
    assert points_and_percent(60, 45) == (-15, -25), "review question 1"


@after("cell-045")
def the_lstm_is_5_6_points_behind():
    means = printed_means()
    assert round(means["full"] - means["LSTM"], 1) == 5.6


@after("cell-054")
def the_axis_has_14_points_for_12_blocks():
    curves = paper.paper_numbers.FIGURE2_LEFT.values()
    assert {len(curve) for curve in curves} == {g.GPT1.n_layer + 2} == {14}


@after("cell-054")
def the_papers_curves_rise_up_to_the_end():
    curves = paper.paper_numbers.FIGURE2_LEFT.values()
    assert all(curve[-1] == max(curve) for curve in curves)


@after("cell-036")
def pre_training_helps_most_on_verses_and_next_on_films(table):
    gain = {task: rows["full"][0] - rows["no pre-training"][0] for task, rows in table.items()}
    assert sorted(gain, key=gain.get)[:1:-1] == ["verse_pairs", "film_snippets"]


@after("cell-036")
def five_seeds_and_ten_or_twenty_where_the_first_two_rows_overlapped(ours):
    seeds = {row: [cell["seeds"] for cell in by.values()] for row, by in ours.items()}
    assert seeds["full"] == seeds["no pre-training"] == [20, 10, 5, 5]
    assert seeds["no auxiliary loss"] == seeds["LSTM"] == [5, 5, 5, 5]


@after("settings-1")
def both_ways_have_about_the_same_number_of_labels():
    for task, changes in paper.plan.CHOSEN.items():
        sizes = paper.curves.draws(task)["LSTM"]
        assert min(max(n / changes["limit"], changes["limit"] / n) for n in sizes) < 1.5


@after("settings-2")
def the_intervals_on_entailment_are_apart(lead_by_settings):
    theirs, own = lead_by_settings["entailment"].values()
    assert theirs[2] < own[1] and own[1] > 0


@after("settings-2")
def twelve_books_and_far_more_labels_for_most_tasks():
    assert len(g.corpus.read_books()) == 12
    most = [n for n in paper.paper_numbers.TRAINING_SETS.values() if n > 5 * 1300]
    assert len(most) > 12 / 2


@after("cell-039")
def on_story_endings_pre_training_does_not_help(pairs):
    d = pairs["no pre-training", "story_cloze"]
    assert d.difference > 0 and d.low < 0


@after("cell-039")
def on_entailment_it_perhaps_does(pairs):
    d = pairs["no pre-training", "entailment"]
    assert d.difference < 0 < d.high


@after("cell-039")
def without_pre_training_film_loses_5_points_and_verse_nearly_7(pairs):
    lost = [
        -100 * pairs["no pre-training", t].difference for t in ("film_snippets", "verse_pairs")
    ]
    assert round(lost[0]) == 5 and 6.7 < lost[1] < 7


@after("cell-009")
def behind_on_rte_mrpc_and_sst2(ahead):
    assert {name for name, points in ahead.items() if points < 0} == {"RTE", "MRPC", "SST2"}


@after("cell-009")
def it_beat_ensembles_of_three_five_and_nine():
    systems = (name for _, rows in paper.paper_numbers.RESULTS.values() for name in rows)
    sizes = {int(n) for name in systems for n in re.findall(r"\((\d)x\)", name)}
    assert sizes == {3, 5, 9}


@after("cell-006")
def table_1_lists_twelve_sets_of_four_kinds():
    kinds = paper.paper_numbers.TABLE1
    assert (len(kinds), sum(map(len, kinds.values()))) == (4, 12)


@after("cell-013")
def labeled_1_497_stories_against_2_490_pairs():
    sizes = paper.paper_numbers.TRAINING_SETS
    assert (sizes["Story Cloze"], sizes["RTE"]) == (1_497, 2_490)


@after("cell-018")
def three_of_four_means_agree_and_the_lstms_rounds_to_69_2(means):
    off = {row for row, mean in printed_means().items() if abs(means[row] - mean) > 0.0501}
    assert off == {"LSTM"} and round(means["LSTM"], 1) == 69.2


@after("cell-011")
def neither_the_points_nor_the_percent_on_glue_is_5_5(before, gpt1):
    assert (round(gpt1 - before, 1), round(100 * (gpt1 / before - 1), 1)) == (3.9, 5.7)


@after("cell-057")
def two_tasks_with_three_seeds_at_each_point(parts):
    assert len(parts.tasks) == 2 and seeds_of(parts) == {3}


@after("cell-057")
def no_later_point_beats_the_first_block_or_the_embeddings():
    for start in ("1", "2"):
        sweep = SweepExplorer(paper.accuracies("transfer"), chosen="5", compared=start)
        assert places_where(sweep, lambda p: p["significant"]) == []


@after("cell-063")
def six_values_on_two_tasks_with_three_seeds(sweep):
    assert (len(sweep.values), len(sweep.tasks), seeds_of(sweep)) == (6, 2, {3})


@after("cell-066")
def five_variants_one_as_gpt_1(bits):
    assert len(bits) == 5 and "as GPT-1" in bits


@after("cell-066")
def the_second_matrix_has_2_1_million_parameters(C, novelist):
    assert round(novelist.config.n_vocab * C / 1e6, 1) == 2.1


@after("cell-068")
def the_intervals_of_all_variants_overlap(tuned):
    for rows in tuned.values():
        assert max(low for _, low, _ in rows.values()) < min(
            high for _, _, high in rows.values()
        )


@after("cell-070")
def three_seeds_of_each_variant():
    by_row = paper.accuracies("variants").values()
    assert {len(seeds) for by_task in by_row for seeds in by_task.values()} == {3}


@after("cell-039")
def on_entailment_the_full_recipe_is_ahead_over_the_five_shared_seeds(pairs):
    gap = pairs["no auxiliary loss", "entailment"]
    assert gap.seeds == 5 and gap.difference < 0


@after("settings-1")
def with_settings_of_its_own_the_lstm_is_at_most_6_points_behind_on_entailment():
    from gpt1course.exercises import lesson15

    gaps = lesson15.curve_gaps("entailment", "pre-trained", "LSTM")
    behind = {n: 100 * gap.difference for n, gap in gaps.items()}
    assert round(behind[300]) == 6 and max(behind, key=behind.get) == 300
    assert behind[1000] < 0, "ahead with 1,000 labels"

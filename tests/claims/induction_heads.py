"""What the deeper notebook on induction heads says."""

import math

import torch
from claim import after

from gpt1lib import induction
from gpt1lib.io import files, paths


@after("twice")
def the_novelist_does_not_copy(measured):
    assert round(measured.second, 1) == 13.2
    assert measured.first - measured.second < 0.5
    assert measured.second > math.log(8120), "worse than a uniform guess"
    assert measured.first > math.log(8120), "worse than a uniform guess"
    assert round(math.log(8120), 1) == 9.0


@after("twice")
def the_novelist_has_8_120_tokens(novelist, random_ids):
    assert novelist.bpe.n_vocab == 8_120 and random_ids.shape[1] == 2 * 16


@after("novelist-scores")
def no_head_matches_the_prefix(matching, even):
    assert matching.max() < 1.5 * induction.prefix_matching_scores(even)
    assert matching.numel() == 16


@after("novelist-scores")
def the_best_head_gives_the_token_before_nearly_three_times_the_weight(previous, even):
    assert 2.5 < previous.max() / induction.previous_token_scores(even) < 3


@after("form", full_run=True)
def it_learns_to_copy_late_and_quickly(copying):
    uniform = math.log(35)
    nats = {step: kept["copying"].second for step, kept in copying.items()}
    assert abs(nats[0] - uniform) < 0.05 and round(nats[0], 1) == 3.6
    assert min(nats[s] for s in range(0, 301, 25)) > 2.9 and nats[300] < 3.3
    assert nats[450] < 1 and nats[1000] < 1
    assert copying[1000]["matching"].max() > 0.6


@after("form", full_run=True)
def before_it_copies_it_bets_on_the_letters_that_have_occurred(g, config, train, repeated):
    torch.manual_seed(0)
    model = g.GPT(config)
    kept = train(model, repeated, 250, seed=0, every=250)[250]
    ids = induction.repeated_spans(config.n_vocab, n=32, length=12, seed=9)
    with torch.no_grad():
        chances = model(ids)[:, 12:-1].softmax(-1)  # (32, 11, V)
    occurred = torch.zeros(32, config.n_vocab).scatter(1, ids, 1.0)[:, None]
    by_chance = occurred.mean()  # the share of the letters that have occurred
    assert (chances * occurred).sum(-1).mean() > 1.3 * by_chance
    assert induction.copying(model, ids).second > 0.9 * math.log(12)
    assert kept["matching"].max() < 0.2


@after("scores-plot", full_run=True)
def both_heads_form_together_and_after_300_updates(scores, steps):
    matching, previous = (dict(zip(steps, values, strict=True)) for values in scores.values())
    for score in (matching, previous):
        assert max(score[step] for step in range(0, 276, 25)) < 0.2
        assert score[450] > 1.5 * score[275] and score[650] > 2 * score[0]


@after("scores-plot", full_run=True)
def the_first_block_looks_back_and_the_second_matches(scores, end):
    matching, previous = scores.values()
    assert matching[-1] == float(end["matching"].max())
    assert previous[-1] == float(end["previous"].max()) > 2.5 * previous[0]


@after("heads-plot", full_run=True)
def most_on_the_letter_itself_and_next_most_on_the_letter_before(weights):
    mean = [weights[0, 0].diagonal(-k).mean() for k in range(6)]
    assert sorted(mean, reverse=True)[:2] == mean[:2]


@after("heads-plot", full_run=True)
def the_second_head_looks_seven_places_to_the_left(weights):
    assert weights[1, 0, 8:].diagonal(1).mean() > 0.5


@after("erase", full_run=True)
def a_novel_erases_it(reading):
    before, chance = reading[0]["copying"].second, math.log(35)
    assert chance - reading[25]["copying"].second < 0.2 * (chance - before)
    assert abs(reading[0]["matching"].max() - 0.74) < 0.1
    assert reading[300]["matching"].max() < 0.1


@after("keep", full_run=True)
def a_few_repetitions_keep_most_of_it_at_a_price(results, end):
    (gone, none, novel), (kept, matching, mixed) = results.values()
    assert kept < 0.7 * math.log(35) < gone, "still copies"
    assert none < 0.1 < 0.45 < matching < float(end["matching"].max())
    assert 0.05 < mixed - novel < 0.3
    assert kept > 1.5 * end["copying"].second, "less well than before"


def by_name(stored: list[dict]) -> dict[str, dict]:
    """The trials by their names, without what all that began with repeats begin with."""
    return {x["trial"].removeprefix("first repeats, "): x for x in stored}


@after("larger")
def eight_models_of_which_six_began_with_repeats(stored):
    first = [x for x in stored if x["recipe"]["first"]]
    assert (len(stored), len(first)) == (8, 6)
    assert sum(x["recipe"]["until"] > 0 for x in first) == 2
    assert {x["updates"] for x in first} == {7798} and all(x["recipe"]["share"] for x in first)
    assert {x["updates"] for x in stored if x not in first} == {7000}
    for trial in first:
        taught = next(x for x in trial["curve"] if x["update"] == 798)
        assert taught["second_time"] < 0.95 and taught["prefix_matching"] > 0.85


@after("larger")
def copying_lasts_with_5_percent_to_the_end(stored):
    of = by_name(stored)
    for name, trial in of.items():
        if trial["recipe"]["first"]:
            assert (trial["second_time"] < 0.2) == ("5% random to the end" in name), name
    falling = of["5% random falling to 0"]
    assert falling["second_time"] > 9 and 0.25 < falling["prefix_matching"] < 0.35


@after("larger")
def copying_helps_and_learning_it_first_costs_more(stored):
    bits = {name: x["bits_heldout"] for name, x in by_name(stored).items()}
    books = [x for name, x in bits.items() if name.startswith("no dropout")]
    copied = [x for name, x in bits.items() if "5% random" in name]
    lost = [bits["2% random to the end"], bits["10% passages falling to 0"]]
    assert (len(books), len(copied), len(lost)) == (2, 4, 2)
    assert max(books) < min(copied) and max(copied) < min(lost)
    assert abs(books[0] - books[1]) < 0.006


@after("places")
def only_a_model_that_copies_gains_from_a_long_context(kinds, by_place):
    def nats(kind, place):
        return sum(by_place[name][place] for name in kinds[kind]) / 2

    middle, later, end = "32 to 63", "64 to 127", "128 to 255"
    assert nats("copies", middle) > nats("copies", later) > nats("copies", end) + 0.02
    for kind in ("books alone", "has lost it"):
        assert (
            nats(kind, later) > nats(kind, middle)
            and nats(kind, middle) - nats(kind, end) < 0.01
        )
    assert 0.01 < nats("copies", end) - nats("books alone", end) < 0.02, "nearly as good"
    assert nats("copies", end) < nats("has lost it", end)
    at_first = {kind: nats(kind, "1 to 15") for kind in kinds}
    assert max(at_first, key=at_first.get) == "copies"


@after("places")
def with_dropout_copying_is_lost():
    first = files.read_json(paths.BENCHMARKS / "gpu_recipes.json")["recipes"]
    of = {
        x["trial"]: x for x in files.read_json(paths.BENCHMARKS / "gpu_longer.json")["recipes"]
    }
    copied = [x for x in first if x["recipe"]["first"]]
    assert {x["recipe"]["dropout"] for x in first} == {0.1}
    for trial in copied:
        at = {x["update"]: x for x in trial["curve"]}
        assert at[798]["second_time"] < 1.4 and at[881]["second_time"] > 8.5
    pair = [of[f"first repeats, 5% random to the end{x}"] for x in ("", ", no dropout")]
    assert pair[0]["second_time"] > 8.9 and pair[1]["second_time"] < 0.2


@after("keep", full_run=True)
def after_50_updates_the_second_time_costs_3_65_nats(mixed, worst):
    assert worst == 50 and abs(mixed[50]["copying"].second - 3.65) < 0.1
    assert mixed[50]["copying"].second > math.log(35), "more than a uniform guess"


@after("keep", full_run=True)
def the_score_ends_above_0_6(results, end):
    _, (_, matching, _) = results.values()
    assert abs(float(end["matching"].max()) - 0.74) < 0.08 and matching > 0.6


@after("larger")
def what_2_percent_and_5_percent_falling_to_0_cost_both_times(stored):
    of = by_name(stored)
    two, falling = of["2% random to the end"], of["5% random falling to 0"]
    assert [round(two[x], 1) for x in ("second_time", "first_time")] == [9.0, 9.2]
    assert two["prefix_matching"] < 0.03, "it does not copy"
    assert round(falling["first_time"] - falling["second_time"], 1) == 2.8


@after("places")
def at_the_end_4_26_4_31_and_4_25(kinds, by_place):
    def at_the_end(kind):
        return round(sum(by_place[name]["128 to 255"] for name in kinds[kind]) / 2, 2)

    kinds_shown = ("copies", "has lost it", "books alone")
    assert [at_the_end(kind) for kind in kinds_shown] == [4.26, 4.31, 4.25]


@after("places")
def only_those_that_copy_fall_from_place_32_to_the_end(kinds, by_place, places):
    falls = {}
    for kind, names in kinds.items():
        late = [sum(by_place[n][p] for n in names) / len(names) for p in places[2:]]
        falls[kind] = late == sorted(late, reverse=True), round(late[0] - late[-1], 2)
    assert falls["copies"] == (True, 0.04)
    assert not falls["books alone"][0] and not falls["has lost it"][0]

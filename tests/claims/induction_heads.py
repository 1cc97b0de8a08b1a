"""What the deeper notebook on induction heads says."""

import math

from claim import after

from gpt1course import induction


@after("twice")
def the_novelist_does_not_copy(measured):
    assert round(measured.second, 1) == 13.2
    assert measured.first - measured.second < 0.5
    assert measured.first > math.log(8120), "worse than a uniform guess"


@after("novelist-scores")
def no_head_matches_the_prefix(matching, even):
    assert matching.max() < 1.5 * induction.prefix_matching_scores(even)
    assert matching.numel() == 16


@after("novelist-scores")
def one_head_looks_back_one_step(previous, even):
    assert previous.max() > 2 * induction.previous_token_scores(even)


@after("form", full_run=True)
def it_learns_to_copy_late_and_quickly(copying):
    uniform = math.log(35)
    assert copying[0]["copying"].second < 1.05 * uniform
    assert all(copying[s]["copying"].second > 0.9 * uniform for s in range(0, 301, 25))
    assert copying[1000]["copying"].second < 1
    assert copying[1000]["matching"].max() > 0.6


@after("scores-plot", full_run=True)
def the_first_block_looks_back_and_the_second_matches(scores, end):
    matching, previous = scores.values()
    assert matching[-1] == float(end["matching"].max())
    assert previous[-1] == float(end["previous"].max()) > 3 * previous[0]


@after("heads-plot", full_run=True)
def the_largest_share_goes_to_the_letter_before(weights):
    mean = [weights[0, 0].diagonal(-k).mean() for k in range(6)]
    assert max(mean) == mean[1]


@after("erase", full_run=True)
def a_novel_erases_it(reading):
    before, chance = reading[0]["copying"].second, math.log(35)
    assert reading[50]["copying"].second - before > 0.6 * (chance - before)
    assert reading[0]["matching"].max() > 0.7
    assert reading[300]["matching"].max() < 0.2


@after("keep", full_run=True)
def a_few_repetitions_keep_it_at_a_price(results):
    (gone, none, novel), (kept, matching, mixed) = results.values()
    assert kept < 0.7 * gone
    assert none < 0.2 < 0.3 < matching
    assert 0 < mixed - novel < 0.3

"""What lesson 05, The causal mask, says."""

import math

import torch
from claim import after

import gpt1lib as g


@after("striking-2")
def the_copy_is_right_100_percent_the_novelist_21(passage, likeliest, targets):
    assert abs((likeliest == targets).float().mean() - 0.21) < 0.01
    assert len(passage) == 200
    assert not torch.equal(likeliest, targets)


@after("cell-008")
def the_last_row_is_1_2_1_6(by_loop):
    assert torch.allclose(by_loop[-1], torch.tensor([1.2, 1.6]))


@after("cell-011")
def the_loop_and_the_product_agree(means, values, by_loop):
    assert torch.allclose(means @ values, by_loop)


@after("cell-018")
def it_is_the_loops_result(running_mean, values, by_loop):
    assert (running_mean(values) - by_loop).abs().max() < 1e-5


@after("cell-022")
def minus_infinity_and_cut_and_divide_agree(weights, renormalized):
    assert torch.allclose(weights, renormalized)


@after("cell-027")
def of_four_tokens_the_third_sees_three():
    assert g.causal_mask(4)[2].tolist() == [True, True, True, False]


@after("cell-027")
def the_text_says_62_percent_to_the_future(zeroed):
    assert abs(zeroed[0, 1:].sum() - 0.62) < 0.005
    assert abs(math.exp(0.9) - 2.5) < 0.05


@after("cell-027")
def with_0_for_hidden_scores_more_than_half_leaks(zeroed):
    assert zeroed[0, 1:].sum() > 0.5


@after("cell-037")
def equal_scores_make_running_means(equal, values, running_mean):
    apart = (equal @ values - running_mean(values)).abs().max()
    assert apart < 1e-5


@after("cell-037")
def yours_is_section_4s(masked_softmax, scores, weights):
    assert (masked_softmax(scores) - weights).abs().max() < 1e-5


@after("cell-047")
def nothing_to_learn_but_by_cheating(honest, cheating):
    assert abs(honest - math.log(10)) < 0.1
    assert cheating < 0.1


@after("cell-047")
def without_a_mask_the_loss_is_too_low_as_well(train):
    assert train(diagonal=11) < 0.1


@after("cell-049")
def there_is_a_nan(penalty, kept):
    assert (penalty * (1 - kept.half())).isnan().any()


@after("cell-059")
def no_later_row_has_a_gradient(reach):
    assert reach[3:].max() < 1e-6


@after("cell-061")
def the_past_stays_the_rest_moves(before, changed):
    for x, y in zip(before.blocks, changed.blocks, strict=True):
        moved = (x.h != y.h).any(dim=1)
        assert not moved[:5].any()
        assert moved[5:].all()


@after("cell-020")
def the_first_word_spends_80_percent_on_later_ones(stolen):
    assert abs(stolen[0] - 0.80) < 0.005
    assert stolen.argmax() == 0


@after("cell-043")
def row_sums_give_away_two_of_the_masks(masks, scores):
    sums = {name: weights_of(scores).sum(dim=1) for name, weights_of in masks.items()}
    assert sums["hides itself"][0].isnan()
    assert (sums["after the softmax"][:-1] < 1).all()
    for name in ("correct", "no mask", "sees one ahead"):
        assert torch.allclose(sums[name], torch.ones(5))


@after("cell-057")
def only_yours_passes_the_test(suspects, attention_with, leaks_before, six):
    leaky = {
        name: any(leaks_before(attention_with(weights_of), six, t) for t in range(6))
        for name, weights_of in suspects.items()
    }
    assert [name for name, leaks in leaky.items() if not leaks] == ["yours"]


@after("cell-057")
def one_ahead_leaks_from_all_but_the_first_and_what_hides_itself_is_no_equal_of_itself(
    masks, attention_with, leaks_before, six
):
    for name in ("sees one ahead", "hides itself"):
        layer = attention_with(masks[name])
        assert [t for t in range(6) if leaks_before(layer, six, t)] == [1, 2, 3, 4, 5]
    hidden = attention_with(masks["hides itself"])(six)  # (6, D)
    assert hidden[0].isnan().all() and not hidden[1:].isnan().any()


@after("cell-063")
def one_pass_or_many_the_same(apart):
    assert apart < 1e-4


@after("cell-065")
def padding_on_the_right_changes_nothing(apart_padded):
    assert apart_padded < 1e-4


@after("cell-049")
def in_float32_the_released_way_gives_the_same_bits(released, weights):
    assert torch.equal(released, weights)


@after("cell-071")
def they_are_the_last_rows(mask_with_cache, causal_mask):
    assert torch.equal(mask_with_cache(2, 5), causal_mask(5)[-2:])


@after("cell-074")
def one_step_back_in_six_of_the_ten_later_rows(steps_back):
    assert steps_back[1:].count(1) == 6


@after("cell-074")
def the_first_row_is_1(triangle):
    assert triangle[0, 0] == 1


@after("cell-074")
def the_text_says_69_percent_on_read_73_percent_on_from(steps_back, triangle):
    assert steps_back[9] == steps_back[5] == 1
    assert abs(triangle[9, 8] - 0.69) < 0.005
    assert abs(triangle[5, 4] - 0.73) < 0.005


@after("library-1")
def it_is_your_mask(causal_mask):
    assert torch.equal(g.causal_mask(6), causal_mask(6))


@after("library-1")
def and_the_one_for_a_cache(mask_with_cache):
    assert torch.equal(g.causal_mask(3, 5), mask_with_cache(3, 5))


@after("cell-004")
def before_token_300_come_299():
    assert len(range(1, 300)) == 299

"""What lesson 05, The causal mask, says."""

import math

import torch
from claim import after

import gpt1lib as g


@after("cell-008")
def the_last_row_is_1_2_1_6(by_loop):
    assert torch.allclose(by_loop[-1], torch.tensor([1.2, 1.6]))


@after("cell-011")
def the_loop_and_the_product_agree(means, values, by_loop):
    assert torch.allclose(means @ values, by_loop)


@after("cell-018")
def it_is_the_loops_result(running_mean, values, by_loop):
    assert (running_mean(values) - by_loop).abs().max() < 1e-5


@after("cell-024")
def minus_infinity_and_cut_and_divide_agree(weights, renormalized):
    assert torch.allclose(weights, renormalized)


@after("cell-027")
def of_four_tokens_the_third_sees_three():
    assert g.causal_mask(4)[2].tolist() == [True, True, True, False]


@after("cell-027")
def the_text_says_62_percent_to_the_future(zeroed):
    assert abs(zeroed[0, 1:].sum() - 0.62) < 0.005
    assert abs(math.exp(0.9) - 2.5) < 0.05


@after("cell-037")
def with_0_for_hidden_scores_more_than_half_leaks(zeroed):
    assert zeroed[0, 1:].sum() > 0.5


@after("cell-037")
def equal_scores_make_running_means(equal, values, running_mean):
    apart = (equal @ values - running_mean(values)).abs().max()
    assert apart < 1e-5


@after("cell-037")
def yours_is_section_4s(masked_softmax, scores, weights):
    assert (masked_softmax(scores) - weights).abs().max() < 1e-5


@after("cell-049")
def nothing_to_learn_but_by_cheating(honest, cheating):
    assert abs(honest - math.log(10)) < 0.1
    assert cheating < 0.1


@after("cell-049")
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


@after("cell-077")
def it_is_your_mask(causal_mask):
    assert torch.equal(g.causal_mask(6), causal_mask(6))


@after("cell-077")
def and_the_one_for_a_cache(mask_with_cache):
    assert torch.equal(g.causal_mask(3, 5), mask_with_cache(3, 5))

"""What lesson 06, Many heads, says."""

import math

import torch
from claim import after

import gpt1lib as g
from gpt1course.exercises import lesson06 as lesson


@after("cell-007")
def one_head_cannot_tell_them_apart(value):
    ann, ben = value["Ann"], value["Ben"]
    assert torch.equal(0.5 * ann + 0.5 * ben, 0.5 * ben + 0.5 * ann), (
        "one head cannot tell them apart"
    )
    assert not torch.equal(torch.cat([ann, ben]), torch.cat([ben, ann])), "two heads can"


@after("cell-015")
def same_shape(careful, at_once):
    assert careful.shape == at_once.shape


@after("cell-015")
def the_careful_way_is_wanted(careful, x, D):
    assert torch.equal(careful[0], x[:, :D])
    assert torch.equal(careful[1], x[:, D:])


@after("cell-015")
def row_1_of_head_0_comes_from_word_0(at_once):
    assert at_once[0, 1].max() < 10


@after("cell-023")
def as_in_the_library(split_heads, queries, steps):
    assert torch.equal(split_heads(queries, 4), steps.blocks[0].q)


@after("cell-026")
def each_head_moves(moved):
    assert (moved > 0.001).all()


@after("cell-030")
def the_same_for_every_h(attention_parameters):
    counts = [sum(attention_parameters(h).values()) for h in (1, 12, 16)]
    assert counts == [2_362_368] * 3, "the same for every H"
    assert 768 * 2304 + 2304 + 768 * 768 + 768 == counts[1], "1,769,472 + 2,304 + 589,824 + 768"


@after("cell-033")
def the_same_heads(q, steps, v):
    assert torch.equal(q, steps.blocks[0].q)
    assert torch.equal(v, steps.blocks[0].v)


@after("cell-039")
def there_and_back(merge_heads, split_heads, x):
    assert torch.equal(merge_heads(split_heads(x, 2)), x)


@after("cell-039")
def and_on_real_queries(merge_heads, split_heads, queries):
    assert torch.equal(merge_heads(split_heads(queries, 4)), queries)


@after("cell-041")
def the_heads_add_up_to_the_attention(apart):
    assert apart < 1e-5


@after("cell-044")
def the_text_says_20_and_12_7(lengths, written):
    assert abs(lengths.mean(1).sum() - 20) < 0.3
    assert abs(written.sum(0).norm(dim=1).mean() - 12.7) < 0.1


@after("cell-050")
def all_three_agree(by_loop, module, yours):
    assert torch.allclose(by_loop, module, atol=1e-5)
    assert torch.allclose(yours, module, atol=1e-5)


@after("cell-055")
def the_text_says_40_percent_in_block_2_head_0(previous):
    assert abs(previous.max() - 0.40) < 0.03
    assert int(previous.argmax()) == 8


@after("cell-055")
def sixteen_times(previous, even):
    assert 15 < previous.max() / even < 17


@after("cell-055")
def none_in_block_0(previous, even):
    assert previous[0].max() < 0.05
    assert abs(even - 0.025) < 0.001


@after("cell-055")
def the_text_says_3_percent_for_the_first_token_at_most(first_token):
    assert first_token.max() < 0.03


@after("cell-059")
def the_verb_head(shown):
    tops = shown[3, 3].argmax(dim=1).tolist()
    assert tops[2:8] == [1] * 6
    assert tops[9:13] == [8] * 4


@after("cell-059")
def one_step_back(shown):
    back = shown.diagonal(-1, dim1=-2, dim2=-1).mean(-1)  # (L, H)
    assert sorted(back.flatten().argsort()[-3:].tolist()) == [8, 11, 14]


@after("cell-062")
def block_0_looks_nearly_everywhere(entropy):
    assert entropy[0].min() > 6.8


@after("cell-062")
def block_2_chooses_most(entropy):
    assert int(entropy.mean(1).argmin()) == 2


@after("cell-069")
def the_same_cut(difference):
    assert difference < 1e-5


@after("cell-073", full_run=True)
def the_text_says_1_3_costs_most_3_1_least(rise, cost):
    order = [divmod(i, 4) for i in rise.mean(1).argsort(descending=True).tolist()]
    assert order[0] == (1, 3), "1.3 costs most, 3.1 least"
    assert order[-1] == (3, 1), "1.3 costs most, 3.1 least"
    assert order.index((0, 0)) < 8, "0.0 is missed more than most"
    assert cost[0, 0] > 0.05, "0.0 is missed more than most"


@after("cell-073", full_run=True)
def the_text_says_0_16_and_next_to_nothing(cost):
    assert abs(cost.max() - 0.155) < 0.01
    assert cost.min() < 0.015


@after("cell-073", full_run=True)
def differences_vary_far_less_than_losses(rise, whole):
    assert rise.std(dim=1).max() < whole.std() / 8


@after("cell-073", full_run=True)
def the_text_says_4_2_give_or_take_0_02(whole, margin):
    assert abs(whole.mean() - 4.2) < 0.05
    assert abs(margin[7] - 0.016) < 0.005


@after("cell-077", full_run=True)
def more_in_every_block(together, cost):
    assert (together > cost.sum(1)).all()


@after("cell-077", full_run=True)
def the_text_says_0_16_and_more_than_twice_that(cost, together):
    assert abs(cost[0].sum() - 0.16) < 0.005
    assert together[0] > 2.5 * cost[0].sum()


@after("cell-082")
def it_looks_at_captain(steps):
    assert steps.blocks[3].weights[1, 4, 1] > 0.9


@after("cell-082")
def the_text_says_33_percent_falls_below_1_percent(share, captain, shares):
    assert abs(share(captain) - 0.33) < 0.01
    assert shares[3, 1] < 0.01


@after("cell-082")
def no_other_head_does_that(shares):
    assert min(v for k, v in shares.items() if k != (3, 1)) > 0.15


@after("cell-082")
def sea_0_2_and_0_1_percent(share, sea):
    assert abs(share(sea) - 0.002) < 5e-4
    assert abs(share(sea, [(3, 1)]) - 0.001) < 5e-4


@after("cell-082")
def the_king_too(novelist):
    kings = (
        g.trace(novelist.model, novelist.bpe.encode("The king and the")).logits[-1].softmax(-1)
    )
    with g.tracing.ablate_heads(novelist.model, [(3, 1)]):
        without = (
            g.trace(novelist.model, novelist.bpe.encode("The king and the"))
            .logits[-1]
            .softmax(-1)
        )
    king = novelist.bpe.token_to_id("king</w>")
    assert abs(kings[king] - 0.41) < 0.01
    assert abs(without[king] - 0.05) < 0.01


@after("cell-085")
def the_order(shares):
    assert sorted(shares, key=shares.get)[:3] == [(3, 1), (0, 3), (3, 3)]


@after("cell-085")
def the_text_says_19_and_24_percent(shares):
    assert abs(shares[0, 3] - 0.19) < 0.01
    assert abs(shares[3, 3] - 0.24) < 0.01


@after("cell-085")
def the_text_says_2_1_works_most_against_it(shares):
    assert abs(shares[2, 1] - 0.48) < 0.01
    assert max(shares, key=shares.get) == (2, 1)


@after("cell-085")
def and_seven_others(share, captain, shares):
    assert sum(v > share(captain) for v in shares.values()) == 8


@after("cell-092")
def the_text_says_37_748_736_weights():
    assert lesson.weight_bytes(12, 12, 512) == 4 * 37_748_736


@after("cell-092")
def the_text_says_151_mb_604_mb_618_gb():
    assert round(lesson.weight_bytes(12, 12, 512) / 1e6) == 151
    assert round(lesson.weight_bytes(12, 12, 1024) / 1e6) == 604
    assert round(lesson.weight_bytes(12, 12, 32_768) / 1e9) == 618


@after("cell-095")
def the_ratio_is_t_over_6_c(operations):
    for T_long in (512, 1024, 4608, 32_768):
        ratio = operations(T_long, "weights") / operations(T_long, "matrices")
        assert math.isclose(ratio, T_long / (6 * 768))


@after("cell-097")
def the_weights_grow_faster(growth):
    assert growth["attention weights"] > growth["the block's matrices"]


@after("cell-105")
def the_first_eight_bring_most(ks, by_k):
    means = dict(zip(ks, by_k.mean(dim=1).tolist(), strict=True))
    assert means[1] - means[8] > 0.5
    assert means[8] - means[255] < 0.4 * (means[1] - means[255])


@after("cell-105", full_run=True)
def the_text_says_0_9_nats_then_a_tenth_of_that(ks, by_k, gain):
    means = dict(zip(ks, by_k.mean(dim=1).tolist(), strict=True))
    assert abs(means[1] - means[8] - 0.9) < 0.05, "0.9 nats, then a tenth of that"
    assert abs(gain.mean() - 0.09) < 0.02, "0.9 nats, then a tenth of that"
    assert abs(means[1] - 5.4) < 0.05, "5.4, 4.5, 4.4"
    assert abs(means[8] - 4.5) < 0.05, "5.4, 4.5, 4.4"
    assert abs(means[255] - 4.4) < 0.05, "5.4, 4.5, 4.4"


@after("cell-105", full_run=True)
def the_interval_reaches_zero(gain, half):
    assert gain.mean() - half < 0 < gain.mean() + half

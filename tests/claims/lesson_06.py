"""What lesson 06, Many heads, says."""

import math

import torch
from claim import after

import gpt1lib as g
from gpt1course.exercises import lesson06 as lesson


@after("striking-2")
def captain_is_likeliest(next_probs, novelist):
    assert int(next_probs().argmax()) == novelist.bpe.token_to_id("captain</w>")


@after("striking-2")
def the_text_says_33_percent_falls_below_1_percent(next_probs, likeliest):
    assert abs(next_probs()[likeliest] - 0.33) < 0.01
    assert next_probs([(3, 1)])[likeliest] < 0.01


@after("striking-2")
def it_looks_at_captain(novelist, ids):
    assert g.trace(novelist.model, ids).blocks[3].weights[1, 4, 1] > 0.9


@after("striking-2")
def the_king_too(novelist):
    ids = novelist.bpe.encode("The king and the")
    kings = g.trace(novelist.model, ids).logits[-1].softmax(-1)
    with g.tracing.ablate_heads(novelist.model, [(3, 1)]):
        without = g.trace(novelist.model, ids).logits[-1].softmax(-1)
    king = novelist.bpe.token_to_id("king</w>")
    assert abs(kings[king] - 0.41) < 0.01
    assert abs(without[king] - 0.05) < 0.01


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
def at_once_head_0_gets_all_of_ann_and_half_of_thanked(at_once):
    assert at_once[0].flatten().tolist() == [0, 1, 2, 3, 10, 11]


@after("cell-023")
def as_in_the_library(split_heads, queries, steps):
    assert torch.equal(split_heads(queries, 4), steps.blocks[0].q)


@after("cell-026")
def each_head_moves(moved):
    assert (moved > 0.001).all()


@after("cell-030")
def the_same_for_every_h(attention_parameters):
    assert [attention_parameters(h) for h in (1, 12, 16)] == [2_362_368] * 3


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


@after("cell-050")
def yours_is_the_module(module, yours):
    assert torch.allclose(yours, module, atol=1e-5)


@after("cell-055")
def the_text_says_40_percent_in_block_2_head_0(previous):
    assert abs(previous.max() - 0.40) < 0.03
    assert int(previous.argmax()) == 8


@after("cell-055")
def the_text_says_22_percent_in_block_3_head_2(previous):
    assert abs(previous[3, 2] - 0.22) < 0.01


@after("cell-055")
def sixteen_times(previous, even):
    assert 15 < previous.max() / even < 17


@after("cell-055")
def none_in_block_0(previous, even):
    assert previous[0].max() < 0.05
    assert abs(even - 0.025) < 0.001


@after("cell-059")
def the_verb_head(shown):
    tops = shown[3, 3].argmax(dim=1).tolist()
    assert tops[2:8] == [1] * 6
    assert tops[9:13] == [8] * 4


@after("cell-059")
def one_step_back(shown):
    back = shown.diagonal(-1, dim1=-2, dim2=-1).mean(-1)  # (L, H)
    assert sorted(back.flatten().argsort()[-3:].tolist()) == [8, 11, 14]
    assert all(abs(back.flatten()[i] - 0.40) < 0.04 for i in (8, 11, 14)), "about 40%"


@after("cell-069")
def the_same_cut(difference):
    assert difference < 1e-5


@after("average-1", full_run=True)
def the_text_says_4_2_nats_and_0_and_0_16_and_0_09(whole, rises):
    assert abs(whole.mean() - 4.2) < 0.05
    assert abs(rises[3, 1]) < 0.005
    assert abs(rises[1, 3] - 0.16) < 0.01
    assert abs(rises[0, 0] - 0.09) < 0.01


@after("cell-055")
def block_1_head_3_looks_mostly_at_the_last_ten_tokens(weights):
    t = torch.arange(weights.shape[-1])
    near = (t[:, None] - t < 10) & (t[:, None] >= t)
    assert (weights[1, 3] * near).sum(-1).mean() > 0.6


@after("average-1")
def same_2_5_and_without_the_head_4_percent(next_probs, novelist):
    same = novelist.bpe.token_to_id("same</w>")
    assert abs(next_probs()[same] - 0.025) < 5e-4
    assert abs(next_probs([(3, 1)])[same] - 0.040) < 5e-4


@after("cell-073", full_run=True)
def the_text_says_1_3_is_missed_most(rise, cost):
    order = [divmod(i, 4) for i in rise.mean(1).argsort(descending=True).tolist()]
    assert order[0] == (1, 3) and abs(cost.max() - 0.16) < 0.01
    assert order[-1] == (3, 1)


@after("cell-073", full_run=True)
def block_0_head_0_matters_more_than_most(rise):
    order = [divmod(i, 4) for i in rise.mean(1).argsort(descending=True).tolist()]
    assert order.index((0, 0)) == 3, "the fourth"
    assert all(rise.mean(1)[head] < 0.035 for head in (1, 2, 3)), "about 0.03 or less"


@after("cell-073", full_run=True)
def the_text_says_known_to_about_0_02(margin):
    assert abs(margin[7] - 0.016) < 0.005


@after("cell-073")
def block_0_looks_nearly_everywhere(entropy):
    assert entropy[0].min() > 6.8


@after("cell-073")
def block_2_is_the_most_focused(entropy):
    assert int(entropy.mean(1).argmin()) == 2


@after("cell-073")
def block_1_head_3_looks_more_widely_than_block_2(entropy):
    assert entropy[1, 3] > entropy[2].max()


@after("cell-077", full_run=True)
def more_in_every_block(together, cost):
    assert (together > cost.sum(1)).all()


@after("cell-077", full_run=True)
def the_text_says_0_16_and_more_than_twice_that(cost, together):
    assert abs(cost[0].sum() - 0.16) < 0.005
    assert together[0] > 2.5 * cost[0].sum()


@after("cell-077")
def the_other_heads_of_the_block_do_what_they_did(novelist, ids):
    before = g.trace(novelist.model, ids).blocks[0]
    with g.tracing.ablate_heads(novelist.model, [(0, 1)]):
        cut = g.trace(novelist.model, ids).blocks[0]
    others = [0, 2, 3]
    assert torch.equal((before.weights @ before.v)[others], (cut.weights @ cut.v)[others])


def shares_without_each(next_probs, word):
    return {divmod(i, 4): float(next_probs([divmod(i, 4)])[word]) for i in range(16)}


@after("cell-085")
def the_text_says_19_and_24_percent(next_probs, likeliest):
    shares = shares_without_each(next_probs, likeliest)
    assert sorted(shares, key=shares.get)[:3] == [(3, 1), (0, 3), (3, 3)]
    assert abs(shares[3, 1] - 0.003) < 0.001
    assert abs(shares[0, 3] - 0.19) < 0.01
    assert abs(shares[3, 3] - 0.24) < 0.01


@after("cell-085")
def block_2_head_1_and_seven_others_work_against_it(next_probs, likeliest):
    shares = shares_without_each(next_probs, likeliest)
    assert abs(shares[2, 1] - 0.48) < 0.01
    assert max(shares, key=shares.get) == (2, 1)
    assert sum(v > next_probs()[likeliest] for v in shares.values()) == 8


@after("cell-043")
def the_text_says_20_and_12_7_and_10_4(lengths, of_sum, square):
    assert abs(lengths.sum(dim=0).mean() - 20) < 0.3
    assert abs(of_sum - 12.7) < 0.1
    assert abs(square - 10.4) < 0.1


@after("cell-043")
def they_overlap_in_all_blocks(novelist, sea):
    for block, layer in zip(sea.blocks, novelist.model.blocks, strict=True):
        W_O = layer.attention.project.weight.detach().T
        mixed = block.weights @ block.v
        vectors = torch.stack([mixed[h] @ W_O[64 * h : 64 * h + 64] for h in range(4)])
        right_angles = vectors.norm(dim=2).square().sum(dim=0).sqrt().mean()
        assert vectors.sum(dim=0).norm(dim=1).mean() > right_angles


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


@after("linear-1")
def both_forms_of_linear_attention_agree(rows, by_table):
    assert torch.allclose(torch.stack(rows), by_table, atol=1e-4)


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


@after("cell-004")
def sixteen_heads_have_224_rows_for_14_tokens():
    assert 4 * 4 * 14 == 224


@after("cell-004")
def from_8_tokens_to_255_there_are_247_more():
    assert 255 - 8 == 247

"""What lesson 07, The post-LN block, says."""

import math

import torch
import torch.nn.functional as F
from claim import after

import gpt1lib as g
from gpt1course.viz.explorers.block import by_depth


@after("cell-006")
def all_positions_and_all_neurons_at_once(asked, x, W_1, b_1):
    for t in range(3):
        for j in range(4):
            assert asked[t, j] == x[t] @ W_1[:, j] + b_1[j]


@after("cell-011")
def these_are_all_numbers_of_a_block(parts):
    one_block = sum(p.numel() for p in g.model.Block(g.GPT1).parameters())
    assert sum(parts.values()) == one_block == 7_087_872


@after("cell-011")
def two_thirds(parts):
    assert parts["feed-forward"] == 4_722_432
    assert parts["LayerNorms"] == 3_072


@after("cell-014")
def two_layers_without_a_nonlinearity_are_one(in_two, in_one):
    assert torch.allclose(in_two, in_one, atol=1e-4)


@after("cell-014")
def an_eighth_of_the_numbers(parts):
    assert abs((768 * 768 + 768) / parts["feed-forward"] - 1 / 8) < 1e-3


@after("cell-019")
def minus_0_159_at_minus_1():
    assert abs(F.gelu(torch.tensor(-1.0), approximate="tanh") + 0.158808) < 1e-5


@after("cell-019")
def the_dip(axis, curves):
    lowest = axis[torch.from_numpy(curves["GELU"]).argmin()]
    assert abs(lowest + 0.75) < 0.02
    assert abs(curves["GELU"].min() + 0.17) < 1e-3


@after("cell-021")
def the_text_says_4_73e_4_at_2_699(apart, fine):
    assert abs(apart.max() - 4.73e-4) < 1e-6
    assert abs(fine[apart.argmax()].abs() - 2.699) < 1e-3


@after("cell-023")
def the_exact_form_changes_nothing_to_speak_of(exact, base, guesses):
    assert abs(exact[0] - base) < 1e-4
    assert torch.equal(exact[1], guesses)


@after("cell-023")
def relu_ruins_it(ReLU, base, guesses):
    assert abs(ReLU[0] - base - 3.1) < 0.3
    assert (ReLU[1] != guesses).float().mean() > 0.5


@after("cell-033")
def your_feed_forward_part_is_the_librarys(yours, states):
    assert torch.allclose(yours, states.mlp, atol=1e-4)


@after("cell-036")
def half_before_training(share):
    assert abs(share[0] - 0.5) < 0.01


@after("cell-036")
def one_in_ten_after_it(before_gelu, model, share):
    each = [float((n > 0).float().mean()) for n in before_gelu(model)]
    assert 0.08 < share[1] < 0.12
    assert abs(each[1] - 0.05) < 0.01
    assert min(each) == each[1]
    assert max(each) < 0.15


@after("cell-040")
def the_text_says_0_23_goes_in(bare):
    assert abs(bare[0].norm(dim=-1).mean() - 0.23) < 0.01


@after("cell-040")
def next_to_nothing_comes_out(bare):
    assert 1e-14 < bare[12].double().norm(dim=-1).mean() < 1e-12


@after("cell-040")
def by_seven_and_more_in_each_block(bare):
    assert all(
        a.double().norm() > 7 * b.double().norm() for a, b in zip(bare, bare[1:], strict=False)
    )


@after("cell-036")
def nearly_even_weights(fresh, passage):
    weights = g.trace(fresh, passage).weights  # (L, H, T, T)
    last_rows = weights[:, :, -1]  # (L, H, T)
    entropy = -(last_rows * last_rows.log()).sum(-1)
    assert entropy.min() > 0.97 * math.log(len(passage))


@after("cell-045")
def one_vector_for_all(cosines):
    assert min(cosines["LayerNorm, no sums"][6:]) > 0.99
    assert cosines["LayerNorm, no sums"][12] > 0.999


@after("cell-045")
def they_stay_apart_for_longer(cosines):
    assert cosines["GPT-1: sums and LayerNorm"][6] < 0.2
    assert cosines["GPT-1: sums and LayerNorm"][12] < 0.5


@after("cell-047")
def as_torch_has_it(by_hand, state):
    assert torch.allclose(by_hand, F.layer_norm(state, (4,)))


@after("cell-049")
def the_same(state, by_hand):
    assert torch.allclose(F.layer_norm(3 * state + 5, (4,)), by_hand, atol=1e-5)


@after("cell-049")
def of_length_2(by_hand):
    assert abs(by_hand.norm() - 2) < 1e-4


@after("cell-059")
def your_layernorm_is_the_librarys(normed, trace_0):
    assert torch.allclose(normed, trace_0.n, atol=1e-4)


@after("cell-059")
def a_variance_below_0_01(summed):
    assert summed.var(dim=-1, unbiased=False).mean() < 0.01


@after("cell-059")
def elevenfold(normed, summed):
    assert 10 < normed.norm(dim=-1).mean() / summed.norm(dim=-1).mean() < 12


@after("cell-069")
def length_1_goes_in_16_after_layernorm(sizes):
    assert abs(sizes(0)["x"] - 1) < 0.1
    assert abs(sizes(0)["LayerNorm"] - 16) < 0.5


@after("cell-069")
def as_much_as_was_there(sizes):
    assert abs(sizes(0)["feed-forward adds"] / sizes(0)["LayerNorm"] - 1) < 0.1


@after("cell-069")
def two_fifths_in_block_1(sizes):
    assert abs(sizes(1)["feed-forward adds"] / sizes(1)["LayerNorm"] - 0.4) < 0.03


@after("cell-073")
def the_text_says_0_07_is_like_gpt_1s_0_02(at_init):
    assert abs(0.07 * 8 - at_init) < 0.01


@after("cell-073")
def the_text_says_0_12_is_like_trained_weights(trained):
    assert min(trained) < 0.12 * 8 < max(trained)


@after("cell-076")
def always_8(signal):
    post_ends = [signal[f"post-LN, {s}"][-1] for s in (0.02, 0.07)]
    assert all(abs(v - 8) < 0.02 for v in post_ends)


@after("cell-076")
def below_1_at_0_02(signal):
    assert max(signal["pre-LN, 0.02"]) < 1
    assert signal["pre-LN, 0.02"][-1] > 2.5 * signal["pre-LN, 0.02"][0]


@after("cell-076")
def from_3_to_12(signal):
    assert abs(signal["pre-LN, 0.07"][-1] - 11.6) < 0.6
    assert abs(signal["pre-LN, 0.07"][0] - 2.9) < 0.3


@after("cell-080")
def the_text_says_0_55_at_0_12_with_post_ln(gradient):
    assert abs(gradient["post-LN, 0.12"][-1] - 0.55) < 0.01


@after("cell-080")
def from_half_to_twice_as_much_with_other_seeds():
    both = [by_depth(0.12, seed=seed)[1] for seed in range(8)]
    ratios = sorted(first / last for first, *_, last in both)
    assert 0.5 < ratios[0] < 0.6 and 1.9 < ratios[-1] < 2.1
    assert ratios[3] < 0.9 and ratios[4] > 1.2, "less in four and more in four"


@after("cell-080")
def even_with_post_ln(gradient):
    even = [v for s in (0.02, 0.07) for v in gradient[f"post-LN, {s}"]]
    assert min(even) > 0.9
    assert max(even) < 1.15


@after("cell-080")
def falling_with_pre_ln(gradient):
    assert abs(gradient["pre-LN, 0.02"][-1] - 2.8) < 0.3
    assert abs(gradient["pre-LN, 0.07"][-1] - 5.7) < 0.5


@after("cell-080")
def wider_models_alike():
    wide = [by_depth(0.035, pre_ln=pre, n_embd=256)[1] for pre in (False, True)]
    assert 0.8 < wide[0][0] / wide[0][-1] < 1.25
    assert wide[1][0] / wide[1][-1] > 3


@after("cell-086")
def the_two_orders_are_told_apart(order_of, x_2, b, functions, other_order):
    with torch.no_grad():
        assert order_of(x_2, b(x_2[None])[0], *functions) == "post"
        assert order_of(x_2, other_order(x_2[None])[0], *functions) == "pre"


@after("cell-088")
def the_text_says_13_in_block_1_one_for_both_the(model, steps):
    with torch.no_grad():
        strongest = [
            b.expand(t.n).argmax(-1).tolist()
            for b, t in zip(model.blocks[:2], steps.blocks[:2], strict=True)
        ]
    assert len(set(strongest[1])) == 13, "13 in block 1, one for both the"
    assert strongest[1][2] == strongest[1][5] == 977, "13 in block 1, one for both the"
    assert strongest[0].count(149) == 9, "one for nine in block 0"


@after("cell-088")
def from_0_06_on(pouring):
    crossing = [d["std"] for d in pouring.depths if d["pre"][0][-1] > d["post"][0][-1]]
    assert min(crossing) == 0.06


@after("cell-092")
def the_mean_stays(dropped):
    assert abs(dropped.mean() - 1) < 0.02


@after("cell-092")
def the_text_says_0_and_1_11(levels, counts):
    assert torch.allclose(levels, torch.tensor([0, 1 / 0.9]))
    assert abs(counts[0] / 10_000 - 0.1) < 0.01


@after("cell-099")
def its_books_about_five_times(novelist):
    read = novelist.log[-1]["tokens"] / novelist.meta["training_tokens"]
    assert 5 < read < 5.5


@after("cell-099")
def a_rate_of_0_1_here_none_in_the_novelist(model):
    assert g.TINY.dropout == 0.1
    assert model.config.dropout == 0


@after("cell-099")
def noise_in_training_only(training, using):
    assert not torch.equal(*training)
    assert torch.equal(*using)


@after("cell-099")
def each_blocks_module_serves_both_sums(places):
    assert places == ["drop", "blocks.0.drop", "blocks.1.drop"]


@after("cell-099")
def attention_has_a_rate_of_its_own(tiny):
    assert tiny.blocks[0].attention.dropout == 0.1


@after("cell-102")
def the_same_holes(of_the_table, of_the_states):
    assert torch.equal(of_the_table[0], of_the_table[2])
    assert not torch.equal(of_the_states[0], of_the_states[2])


@after("cell-104")
def the_encoder_layer_with_a_mask_is_gpt_1s_block(theirs, trace_0):
    assert torch.allclose(theirs, trace_0.h, atol=1e-4)


@after("cell-104")
def the_text_says_12_and_18(sizes_of, layers, block_0):
    counted = [len(list(layer(**sizes_of).parameters())) for layer in layers]
    assert counted == [12, 18]
    assert len(list(block_0.parameters())) == 12


@after("cell-108")
def it_is_your_block(model, steps, own_block):
    whole = g.model.Block(g.NOVELIST).eval()
    whole.load_state_dict(model.blocks[0].state_dict())
    with torch.no_grad():
        assert torch.equal(whole(steps.h0[None]), own_block(whole, steps.h0[None]))


@after("cell-110")
def the_order_is_part_of_the_model(losses, norm_last, norm_first):
    assert abs(losses[norm_last] - 4.6) < 0.06
    assert abs(losses[norm_first] - 11.1) < 0.06
    assert losses[norm_first] > math.log(8_120) > 9.0 - 0.006


@after("cell-110")
def the_text_says_7_5_with_one_more_layernorm(model, norm_first, passage):
    with torch.no_grad():
        h = model.embed(passage[None])
        for b in model.blocks:
            h = norm_first(h, b)
        logits = model.logits(F.layer_norm(h, h.shape[-1:]))
    assert abs(g.losses.lm_loss(logits, passage[None]) - 7.5) < 0.05


@after("cell-069")
def the_second_sum_is_nearly_that_of_a_right_angle(sizes):
    assert abs(sizes(0)["second sum"] - 24.5) < 0.1
    assert abs(16 * math.sqrt(2) - 23) < 0.5


@after("cell-067")
def a_block_of_ones_own_computes_what_the_librarys_does(gap):
    assert gap < 1e-3


@after("cell-004")
def the_root_of_768_is_27_7():
    assert round(math.sqrt(g.GPT1.n_embd), 1) == 27.7

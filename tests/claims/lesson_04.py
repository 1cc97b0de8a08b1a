"""What lesson 04, One query attends, says."""

import math

import torch
from claim import after

from gpt1course.exercises import lesson04 as lesson


@after("cell-006")
def the_weights_of_2_1_and_0(weights):
    wanted = torch.tensor([0.665241, 0.244728, 0.090031])
    assert torch.allclose(weights, wanted, atol=1e-6)


@after("cell-008")
def a_shift_changes_nothing(scores, weights):
    assert torch.allclose((scores + 100).softmax(0), weights)


@after("cell-008")
def times_10_all_to_the_first(scores):
    assert 1 - (scores * 10).softmax(0)[0] < 1 / 20_000


@after("cell-008")
def a_tenth_0_367(scores):
    assert abs((scores / 10).softmax(0)[0] - 0.367) < 5e-4


@after("cell-008")
def one_alone_1(scores):
    assert scores[:1].softmax(0).item() == 1


@after("cell-014")
def nan_the_first_way(large):
    assert (large.exp() / large.exp().sum()).isnan().all()


@after("cell-020")
def yours_is_torchs(softmax, many):
    assert torch.allclose(softmax(many), many.softmax(dim=-1), atol=1e-6)


@after("cell-024")
def the_mix_by_hand(mix, shares):
    assert torch.allclose(mix, torch.tensor([4 * shares[1], 4 * shares[0]]))


@after("cell-024")
def the_key_of_letter_is_longer_than_that_of_table_which_is_the_query(keys, query, shares):
    assert torch.equal(keys[2], query)
    assert keys[1].norm() > keys[2].norm()
    assert shares.argmax() == 1


@after("cell-027")
def all_inside(mixes):
    assert (mixes >= 0).all()
    assert (mixes.sum(dim=1) <= 4 + 1e-5).all()


@after("cell-033")
def no_wish_the_mean(look_up, keys, values):
    assert torch.allclose(look_up(torch.zeros(2), keys, values), values.mean(dim=0))


@after("cell-040")
def took_95_percent(words, attended):
    assert words[int(attended.argmax())] == "took"
    assert abs(attended[1] - 0.949) < 5e-4


@after("cell-040")
def no_other_above_3_percent(attended):
    assert (attended[torch.arange(8) != 1] < 0.03).all()


@after("cell-040")
def only_one_score_above_0(K, q):
    assert int((K @ q > 0).sum()) == 1


@after("cell-040")
def the_same_query_keys_values(kept, q, K, V):
    assert torch.allclose(kept.q[3, -1], q, atol=1e-4)
    assert torch.allclose(kept.k[3], K, atol=1e-4)
    assert torch.allclose(kept.v[3], V, atol=1e-4)


@after("cell-040")
def the_same_weights(kept, attended):
    assert torch.allclose(kept.weights[3, -1], attended, atol=1e-5)


@after("cell-052")
def unscaled_94_percent_at_256(without, sizes):
    assert sizes[-1] == 256
    assert abs(without - 0.94) < 0.01


@after("cell-045")
def everyone_at_itself(one_map):
    assert torch.equal(one_map.argmax(dim=1), torch.arange(8))


@after("cell-045")
def and_97_percent(one_map):
    assert abs(one_map[-1, -1] - 0.97) < 0.005


@after("cell-045")
def the_scores_are_symmetric(Q):
    assert torch.allclose(Q @ Q.T, (Q @ Q.T).T, atol=1e-3)


@after("cell-049")
def the_root_of_d(spreads, sizes):
    assert all(abs(s / math.sqrt(D) - 1) < 0.05 for s, D in zip(spreads, sizes, strict=True))


@after("cell-049")
def gpt_1_d_is_64_so_times_0_125():
    assert 768 // 12 == 64
    assert 1 / math.sqrt(64) == 0.125


@after("cell-052")
def some_94_percent_without_36_percent_with(without, with_root):
    assert abs(without - 0.945) < 0.015
    assert abs(with_root - 0.365) < 0.015


@after("cell-055")
def the_gradient_is_w_times_1_minus_w(scores):
    for factor in (0, 1, 3, 10):
        start = (factor * scores).requires_grad_()
        w = start.softmax(dim=0)[0]
        w.backward()
        assert abs(start.grad[0] - w * (1 - w)) < 1e-6


@after("cell-058")
def the_text_says_37_percent_and_91_percent(tops):
    assert abs(tops["with the root"].mean() - 0.37) < 0.01
    assert abs(tops["without"].mean() - 0.91) < 0.01


@after("cell-058")
def half_of_the_queries_and_none(tops):
    assert abs((tops["without"] > 0.99).float().mean() - 0.5) < 0.02
    assert tops["with the root"].max() < 0.99


@after("cell-065")
def by_hand_and_by_machine(by_machine):
    assert abs(by_machine.item() - lesson.mixed_by_hand(*lesson.mixed_by_hand.first)) < 1e-5


@after("cell-071")
def its_last_row_is_section_3s(all_scores, K, q):
    assert torch.allclose(all_scores[-1], K @ q / 8, atol=1e-4)


@after("cell-082")
def all_four_are_the_same(together, by_loop, by_torch):
    assert torch.allclose(together, by_loop, atol=1e-4)
    assert torch.allclose(together, by_torch, atol=1e-4)


@after("cell-087")
def only_the_last_row(equal):
    assert equal.tolist() == [False] * 7 + [True]


@after("cell-087")
def she_looks_ahead_73_percent(all_weights):
    assert abs(all_weights[0, 1] - 0.73) < 0.005


@after("cell-091")
def took_never_all_others(winner):
    assert winner.bincount(minlength=5).eq(0).tolist() == [False, True, False, False, False]


@after("cell-094")
def what_the_live_view_shows(plane, novelist, ids, directions):
    from gpt1course.viz.explorers import query as view

    asked_long = view.query_steps(
        [-2, 3], view.HAND["keys"], view.HAND["values"], 0, math.sqrt(2)
    )[2]
    assert asked_long[2] > 0.98, "twice as long: above 98%"
    assert torch.allclose(torch.tensor(view.HAND["keys"]), plane), "twice as long: above 98%"
    added, grid = (
        view.added_numbers(5, 64),
        [(x / 10, y / 10) for x in range(-30, 31) for y in range(-30, 31)],
    )
    frozen, free = (
        torch.tensor([view.query_steps(p, plane, plane, added, r)[2].tolist() for p in grid])
        for r in (1, 8)
    )
    assert (frozen.argmax(1) == 1).float().mean() > 0.9, "took nearly everywhere"
    assert ((frozen > 0.99).any(1)).float().mean() > 0.5, "took nearly everywhere"
    others = frozen[:, [0, 2, 3, 4]].max()
    assert others < 0.99 and others == frozen[grid.index((3.0, -3.0)), 4], "mother, 96%"
    assert round(others.item(), 2) == 0.96
    assert free.max() < 0.53, "no other word above 99%"
    head_keys = torch.tensor(view.head_plane(novelist.model, ids, 3, 3)["keys"])
    farthest = (directions @ head_keys.T).argmax(dim=1)  # at 0, 90, 180 and 270 degrees
    assert farthest[[0, 90, 180, 270]].tolist() == [1, 1, 5, 5], (
        "took ahead and up, the (5) down and left"
    )
    turned = [-29, -28, -27, 105, 106, 107]  # by degrees, and the word that wins
    assert farthest[turned].tolist() in ([5, 5, 1, 1, 3, 3], [5, 1, 1, 1, 3, 3])


@after("cell-100")
def rnn_ten_powers_of_ten_or_more(reach):
    assert reach["RNN"][1] / reach["RNN"][39] > 1e10


@after("cell-100")
def lstm_by_a_factor_of_more_than_a_million(reach):
    assert reach["LSTM"][1] / reach["LSTM"][39] > 1e6
    assert reach["LSTM"][39] > 1e3 * reach["RNN"][39]


@after("cell-100")
def other_starting_weights_make_them_forget_more_slowly(influence, texts, reach):
    torch.manual_seed(0)
    rnn, lstm = (chain(32, 32, batch_first=True) for chain in (torch.nn.RNN, torch.nn.LSTM))
    torch.nn.init.orthogonal_(rnn.weight_hh_l0)
    torch.nn.init.ones_(lstm.bias_hh_l0.data[32:64])  # of the forget gate
    for name, chain in (("RNN", rnn), ("LSTM", lstm)):
        slower = influence(lambda rows, c=chain: c(rows)[0], texts)
        assert slower[39] / slower[1] > 100 * reach[name][39] / reach[name][1], name


@after("cell-100")
def attention_level(reach):
    assert 1 / 3 < reach["attention"][1] / reach["attention"][39] < 3


@after("cell-102")
def shuffled_alike(shuffled, together, order):
    assert torch.allclose(shuffled, together[order], atol=1e-4)
    assert not torch.allclose(shuffled, together, atol=0.1)


@after("cell-109")
def positions_bring_in_the_order(ignores_order, words_only, embedded, order, words_and_places):
    assert ignores_order(words_only, embedded, order)
    assert not ignores_order(words_and_places, embedded, order)


@after("cell-111")
def the_last_row_is_yours(layer_3, states, together):
    with torch.no_grad():
        library = layer_3.attend(*layer_3.split_heads(states[None]))[0, 3]  # head 3: (T, D)
    assert torch.allclose(library[-1], together[-1], atol=1e-4), "the last row is yours"
    assert not torch.allclose(library[0], together[0], atol=0.1), (
        "the others are not: no mask here yet"
    )


@after("cell-004")
def a_standard_deviation_of_2_becomes_16_at_256_and_not_128():
    assert 2 * math.sqrt(256 / 4) == 16
    assert 2 * 256 / 4 == 128, "as if it grew like the variance"

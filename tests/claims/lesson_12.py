"""What lesson 12, Decoding: from probabilities to text, says."""

import math

import torch
from claim import after

import gpt1lib as g

WORKED_OUT = {
    0.5: [0.127712, 0.046983, 0.607759, 0.175876, 0.041670],
    1.0: [0.180743, 0.109626, 0.394285, 0.212104, 0.103242],
    2.0: [0.196277, 0.152860, 0.289897, 0.212624, 0.148343],
}


TOP_P_WORKED_OUT = {  # of 0.5, 0.3, 0.15, 0.05
    0.4: [1.0, 0.0, 0.0, 0.0],
    0.6: [0.625, 0.375, 0.0, 0.0],
    0.8: [0.625, 0.375, 0.0, 0.0],
    0.9: [0.526316, 0.315789, 0.157895, 0.0],
    0.95: [0.526316, 0.315789, 0.157895, 0.0],
}


def as_worked_out(probs, temperature: float) -> bool:
    """Whether the five probabilities of section 3 are those worked out by hand."""
    return torch.allclose(probs, torch.tensor(WORKED_OUT[temperature]), atol=1e-6)


def top_p_as_worked_out(kept, p: float) -> bool:
    """Whether what top-p keeps of section 5's four, divided by its sum, is as by hand."""
    return torch.allclose(kept / kept.sum(), torch.tensor(TOP_P_WORKED_OUT[p]), atol=1e-6)


@after("cell-014")
def greedy_repeats_itself_more_than_a_book(shares):
    assert shares["greedy"] < shares["Dubliners"]


@after("cell-014")
def each_of_the_first_makes_the_next_likelier(bpe, model):
    phrase = bpe.encode(", and who was a very old")
    costs = []
    for times in (1, 2, 3, 4):
        told = torch.tensor(bpe.encode("The old man") + times * phrase)
        costs.append(-g.generate.log_prob(model, told, start=len(told) - len(phrase)))
    assert costs == sorted(costs, reverse=True)


@after("77f72123")
def three_and_a_half_nats_then_less_than_one(cost):
    assert 3.3 < cost[0] < 3.7
    assert 0.4 < cost[1] < 1


@after("77f72123")
def then_hardly_anything(cost):
    assert cost[2:].mean() < 0.05
    assert cost[2:].max() < 0.2


@after("e6d8fb28")
def the_warmed_five_are_as_worked_out_by_hand(five):
    for T in (0.5, 1.0, 2.0):
        assert as_worked_out((five / T).softmax(dim=0), T)


@after("cell-042")
def what_is_kept_sums_to_1(cut):
    assert math.isclose(cut.sum().item(), 1.0, rel_tol=1e-5)


@after("cell-045")
def a_handful_is_enough_after_the_first(needed):
    assert needed["He was a very young"] < 10


@after("cell-045")
def hundreds_make_sense_after_the_second(needed):
    assert needed["He saw a"] > 200


@after("cell-052")
def top_p_keeps_what_was_worked_out_by_hand(four, top_p_mask):
    for p in (0.4, 0.6, 0.8, 0.9, 0.95):
        assert top_p_as_worked_out(four * top_p_mask(four, p), p)


@after("cell-052")
def the_two_agree_at_0_8_alone_and_rounding_parts_them_at_0_95(
    four, top_p_mask, textbook_top_p
):
    ps = (0.4, 0.6, 0.8, 0.9, 0.95)
    alike = [p for p in ps if torch.equal(top_p_mask(four, p), textbook_top_p(four, p))]
    assert alike == [0.8]
    three = four.cumsum(0)[2]
    assert three > torch.tensor(0.95) and abs(three.item() - 0.95) < 1e-6, "a hair above"


@after("cell-045")
def one_token_has_more_than_80_percent(needed):
    assert needed["He was a very young"] == 1


@after("cell-014")
def four_in_five_greedy_pieces_are_repeats(shares):
    assert 0.15 < shares["greedy"] < 0.25
    assert shares["Dubliners"] > 0.97


@after("cell-021")
def a_very_unlikely_token_will_probably_come_within_60(tail):
    assert 0.6 < 1 - (1 - tail) ** 60 < 0.8


@after("cell-018")
def a_part_of_extraordination_was_far_down_the_list(model, bpe):
    rng = torch.Generator().manual_seed(3)
    begun = torch.tensor([bpe.encode("The old man")])
    drawn = g.generate.generate(model, begun, 60, temperature=1.0, generator=rng)[0]
    pieces = bpe.pieces(drawn.tolist())
    place = next(i for i, piece in enumerate(pieces) if piece.startswith("extra"))
    assert bpe.decode(drawn[place : place + 3].tolist()).startswith("extraordination")
    with torch.no_grad():
        before = model(drawn[None, :place])[0, -1]
    assert (before > before[drawn[place]]).sum() > 1000


@after("cell-027")
def a_small_temperature_leaves_one_token_and_a_large_one_none(door_logits):
    assert (door_logits / 0.01).softmax(0).max() > 0.999
    assert (door_logits / 100).softmax(0).max() < 2 / len(door_logits)


@after("cell-059")
def about_four_times_as_many_at_temperature_2(saw_logits):
    kept = [
        int((g.generate.next_token_probs(saw_logits, T, top_p=0.9) > 0).sum()) for T in (1, 2)
    ]
    assert 3.5 < kept[1] / kept[0] < 4.5


@after("cell-059")
def before_temperature_top_p_keeps_1_075_tokens(saw_logits):
    assert int(g.generate.keep_top_p(saw_logits.softmax(dim=0), 0.9).sum()) == 1_075


@after("cell-062")
def the_text_says_1_and_117_tokens_reach_one_half(next_logits):
    nuclei = {}
    for opening_words in ("He was a very young", "It was a"):
        open_probs = next_logits(opening_words).softmax(dim=0)
        nuclei[opening_words] = int(g.generate.keep_top_p(open_probs, 0.5).sum())
    assert list(nuclei.values()) == [1, 117]


@after("cell-066")
def tale_and_sea_share_a_third_after_the(in_common):
    assert 0.25 < in_common["He went to the"]["sea"] < 0.4


@after("cell-066")
def the_subject_shows_in_the_next_word(next_logits, kinds, bpe):
    def likely(kind, words):
        best = next_logits(kinds[kind] + words).topk(6).indices.tolist()
        return [bpe.decode([i]) for i in best]

    assert "castle" in likely("tale", "He went to the")
    assert "ship" in likely("sea", "He went to the")
    assert {"added", "paused"} <= set(likely("talk", "He"))
    assert likely("manual", "He")[:2] == ["has", "is"]


@after("cfcf1b57")
def no_other_first_token_can_win(model, opening, truth):
    with torch.no_grad():
        first = model(opening[None])[0, -1].double().log_softmax(0)
    assert first.sort(descending=True).values[400] < truth


@after("cfcf1b57")
def be_has_more_than_half_after_to_and_no_word_has_much_after_the(model, bpe, opening):
    with torch.no_grad():
        first = model(opening[None])[0, -1].softmax(dim=0)
        assert bpe.decode([int(first.argmax())]).strip() == "the"
        second = {
            word: model(torch.cat([opening, torch.tensor(bpe.encode(word))])[None])[0, -1]
            for word in ("the", "to")
        }
    assert second["to"].softmax(dim=0)[bpe.encode("be")].item() > 0.5
    assert second["the"].softmax(dim=0).max() < 0.1


@after("2409ab31")
def sixteen_find_the_best(beam, truth):
    assert math.isclose(beam.log_prob, truth, abs_tol=1e-3)


@after("cell-069")
def the_text_says_16_beams_end_below_4(by_beams):
    assert by_beams[16] < by_beams[4]


@after("cell-075")
def a_draw_surprises_more_than_greedy(surprise):
    assert surprise["greedy"] < surprise["T = 0.8"]


@after("cell-075")
def a_real_book_surprises_more_than_these_three(surprise):
    *texts, book = surprise.values()
    assert len(texts) == 3 and max(texts) < book == surprise["a real book"]


@after("cell-078")
def the_text_says_1_950_positions_or_62(without, with_cache):
    assert (without, with_cache) == (1950, 62)


@after("cell-076")
def with_and_without_the_cache_the_text_is_the_same(by_loop, cached_greedy):
    assert torch.equal(by_loop, cached_greedy(60)[0])


@after("cell-081")
def the_same_120_tokens(library, cached_greedy):
    assert torch.equal(library(120), cached_greedy(120))


@after("cell-083")
def the_text_says_300_tokens_are_new(n_new):
    assert n_new == 300


@after("cell-083")
def the_last_row_has_only_shrunk(turned):
    assert turned[-1] > 0.9999
    assert turned[:-1].max() < 0.99


@after("cell-085")
def yours_and_the_librarys_agree(saw, apply_temperature, top_p_mask, top_k_mask):
    warm, saw_probs = g.generate.next_token_probs(saw, 0.7), saw.softmax(0)
    assert torch.allclose(warm, apply_temperature(saw, 0.7))
    assert torch.equal(g.generate.keep_top_p(saw_probs, 0.9), top_p_mask(saw_probs, 0.9))
    assert torch.equal(g.generate.keep_top_k(saw_probs, 40), top_k_mask(saw_probs, 40))


@after("cell-054")
def brute_force_agrees_on_300_distributions(n_right):
    assert n_right == 300


@after("cell-004")
def e_to_the_1_4_is_4_06():
    assert round(math.exp(2.4 - 1.0), 2) == 4.06

"""What lesson 01, Guessing the next token, says."""

import math

import numpy as np
import torch
from claim import after

import gpt1lib as g
from gpt1course import ngrams


def likeliest(novelist, beginning, n) -> list[str]:
    """The n likeliest pieces after a text."""
    ids = torch.tensor([novelist.bpe.encode(beginning)])
    with torch.no_grad():
        best = novelist.model(ids)[0, -1].topk(n).indices
    return novelist.bpe.pieces(best.tolist())


@after("cell-004")
def after_old_men_comes_were_and_one_goes_out_of_a_room(novelist):
    assert "were</w>" in likeliest(novelist, "These old men", 3)
    assert likeliest(novelist, "She opened the door and went out of the", 1) == ["room</w>"]


@after("cell-004")
def it_knows_no_capital_and_adds_no_hats(novelist):
    assert "paris</w>" not in likeliest(novelist, "The capital of France is", 100)
    counted = "He had one hat. He bought another. Now he had"
    assert "two</w>" not in likeliest(novelist, counted, 3)


@after("cell-012")
def the_text_says_846_267_letters_u_in_all_910_cases(sample, counts, q, alphabet):
    assert len(sample) == 846_267
    assert counts[q].sum() == counts[q, alphabet.index("u")] == 910


@after("cell-012")
def e_t_d_s_end_most_words(alphabet, ends):
    assert [alphabet[i] for i in ends[:4]] == list("etds")


@after("conditional-1")
def u_is_rare_but_after_q_nothing_else_occurs(counts, q, u):
    assert counts[:, u].sum() / counts.sum() < 1 / 27
    assert counts[q, u] == counts[q].sum()


@after("cell-018")
def each_row_sums_to_1(probs):
    assert np.allclose(probs.sum(axis=1), 1, atol=1e-4)


@after("table-2")
def the_library_computes_the_same(own_probs, counts):
    same = np.allclose(own_probs, ngrams.bigram_probs(counts, 1), atol=1e-4)
    assert same


@after("cell-020")
def the_text_says_0_31_1_06_and_4_14_bits(entropy, alphabet):
    told_bits = {"q": 0.31, "v": 1.06, " ": 4.14}
    assert all(abs(entropy[alphabet.index(c)] - x) < 0.006 for c, x in told_bits.items())


@after("cell-020")
def an_even_choice_of_27_has_4_75_bits():
    assert round(math.log2(27), 2) == 4.75


@after("cell-025")
def q_is_the_most_certain_the_space_the_least(by_entropy, q, space):
    assert by_entropy[0] == q
    assert by_entropy[-1] == space


@after("cell-027")
def the_text_says_0_after_316_letters(alphabet, letters_only, heldout, probs):
    longer = np.array([alphabet.index(c) for c in letters_only(heldout[5000:6000])])
    running = np.cumprod(probs[longer[:-1], longer[1:]])
    assert int((running > 0).sum()) + 1 == 316


@after("cell-033")
def the_product_is_tiny_in_float64(factors):
    assert 0 < np.prod(factors) < 1e-250


@after("cell-033")
def and_0_in_float32(factors):
    assert np.prod(factors.astype(np.float32)) == 0


@after("cell-033")
def it_is_the_products_logarithm(factors, score):
    log_of_product = math.log(np.prod(factors))
    assert math.isclose(score, log_of_product, rel_tol=1e-4)


@after("cell-035")
def minus_0_916291_and_minus_0_510826(two):
    assert np.allclose(two, [-0.916291, -0.510826], atol=1e-6)


@after("cell-035")
def l1_is_minus_1_427116(L1):
    assert abs(L1 + 1.427116) < 1e-6


@after("cell-035")
def perplexity_2_041241(mean):
    assert abs(math.exp(-mean) - 2.041241) < 1e-6


@after("cell-040")
def ln_40_478_is_10_608514(uniform):
    assert abs(uniform - 10.608514) < 1e-6


@after("cell-040")
def ln_18_4_is_2_912351(paper):
    assert abs(paper - 2.912351) < 1e-6


@after("cell-050")
def the_text_says_2_percent_of_the_single_words(shares):
    assert abs(shares[1] - 0.02) < 0.005


@after("cell-050")
def a_fifth_of_the_pairs_more_than_half_of_the_threes(shares):
    assert 0.18 < shares[2] < 0.25
    assert shares[3] > 0.5


@after("cell-050")
def and_nearly_all_fives(shares):
    assert shares[5] > 0.9


@after("cell-050")
def the_text_says_21_percent_of_the_pairs_94_percent_of_the_fives(shares):
    assert abs(shares[2] - 0.21) < 0.01
    assert abs(shares[5] - 0.94) < 0.01


@after("cell-052")
def from_one_word_to_two_a_large_gain(per_word):
    assert per_word[2] < per_word[1] - 0.5


@after("cell-052")
def from_two_to_three_next_to_none(per_word):
    assert abs(per_word[3] - per_word[2]) < 0.05


@after("cell-052")
def the_fourth_makes_it_worse(per_word):
    assert per_word[4] > per_word[3] + 0.1


@after("cell-040")
def knowing_nothing_is_a_perplexity_of_40_478():
    assert g.GPT1.n_vocab == 40_478


@after("cell-054")
def the_text_says_199_predictions_for_200_tokens(opening, log_probs):
    assert (opening.shape[1], len(log_probs)) == (200, 199)


@after("cell-054")
def l1_is_the_sum(total_nats, log_probs):
    assert math.isclose(total_nats, log_probs.sum().item(), rel_tol=1e-5)


@after("cell-056")
def the_library_agrees(by_hand, log_probs, t):
    assert math.isclose(by_hand, log_probs[t - 1].item(), rel_tol=1e-5)


@after("cell-059")
def catherine_surprises_most_with_20_bits(labels, order, surprise):
    assert labels[order[0]] == "catherine"
    assert round(surprise[order[0]].item()) == 20


@after("cell-059")
def then_born_would_both_pieces_of_morland_and_the_first_of_heroine(labels, order):
    assert {labels[i] for i in order[1:6]} == {"born", "land", "would", "mor", "hero"}


@after("cell-059")
def the_words_under_the_heading(novelist, passage):
    told = novelist.bpe.decode(passage)
    assert told.startswith("1\nno one who had ever seen")
    assert told.endswith("father and mother , her")


@after("cell-059")
def of_and_be_bring_little(labels, order):
    assert {"of", "be"} <= {labels[i] for i in order[-4:]}


@after("cell-059")
def no_and_who_bring_9_bits_each(surprise, labels):
    assert all(round(surprise[labels.index(w)].item()) == 9 for w in ("no", "who"))


@after("cell-062")
def the_network_needs_least(bits):
    assert min(bits, key=bits.get) == "novelist (GPT)"


@after("cell-062")
def the_text_says_3_20_and_1_43_bits(bits):
    told = {"letters, bigram": 3.20, "novelist (GPT)": 1.43}
    assert all(abs(bits[k] - x) < 0.006 for k, x in told.items())


@after("cell-062")
def less_than_half_of_what_the_letters_need(bits):
    assert bits["novelist (GPT)"] < bits["letters, bigram"] / 2


@after("counting-2")
def words_do_not_get_below_1_64_bits(with_words):
    words = [bits for name, bits in with_words.items() if name.startswith("words")]
    assert round(min(words), 2) == 1.64


@after("cell-062")
def the_text_says_2_352_nats_are_3_4_bits_per_letter(score, factors):
    assert round(-score / len(factors), 3) == 2.352
    assert round(2.352 / math.log(2), 1) == 3.4


@after("cell-065")
def a_good_guesser_packs_best(bits, packed):
    assert bits["novelist (GPT)"] < 0.6 * min(packed.values())


@after("cell-072")
def the_text_says_42_percent_of_the_help_is_lost(lost):
    assert abs(lost - 0.42) < 0.02


@after("cell-072")
def the_text_says_131_passages_and_95_percent_from_30_to_57_percent(losses):
    drawn = np.array(losses)[np.random.default_rng(1).integers(0, 131, (1000, 131))].mean(
        axis=1
    )  # (1000, 4)
    spread = np.percentile(
        (drawn[:, 1] - drawn[:, 0]) / (drawn[:, 3] - drawn[:, 0]), [2.5, 97.5]
    )
    assert len(losses) == 131
    assert np.allclose(spread, [0.30, 0.57], atol=0.02)


@after("cell-075")
def context_helps_in_order_most(in_order, shuffled, alone):
    assert in_order < shuffled < alone


@after("cell-075")
def no_other_book_does_shuffling_loses_a_part(foreign, alone, lost):
    assert foreign > alone - 0.05
    assert 0.2 < lost < 0.6


@after("cell-075")
def the_counts_are_yours(count_bigrams):
    theirs = ngrams.bigram_counts("abracadabra", "abcdr")
    assert np.array_equal(theirs, count_bigrams("abracadabra", "abcdr"))


@after("cell-075")
def so_is_the_perplexity(both):
    assert math.isclose(*both, rel_tol=1e-4)


@after("cell-077")
def the_mix_up_gives_7_5(H):
    assert abs(2**H - 7.528439) < 1e-6


@after("logits-2")
def the_logits_of_five_words(five_logits):
    assert np.allclose(five_logits, [0.38, -0.12, 1.16, 0.54, -0.18], atol=1e-9)


@after("logits-2")
def the_powers_and_their_sum(powers):
    assert np.allclose(powers, [1.462285, 0.886920, 3.189933, 1.716007, 0.835270], atol=1e-6)
    assert abs(powers.sum() - 8.090415) < 1e-6


@after("logits-2")
def garam_gets_39_percent_a_loss_of_0_931_nats(five_probs, loss):
    assert round(five_probs[2].item(), 2) == 0.39
    three = (loss, loss / math.log(2), math.exp(loss))
    assert np.allclose(three, [0.930680, 1.342688, 2.536233], atol=1e-6)


@after("logits-2")
def the_errata_say_0_931_from_the_rounded_0_394_too(loss):
    assert round(-math.log(0.394), 3) == round(loss, 3) == 0.931


@after("cell-077")
def the_errata_say_12_3_nats_are_a_perplexity_of_219_696():
    assert abs(math.exp(12.3) - 219695.988672) < 1e-5


@after("cell-077")
def the_text_says_4_2_and_15_3_bits(H, uniform):
    assert np.allclose(
        [H / math.log(2), uniform / math.log(2)], [4.201634, 15.304850], atol=1e-6
    )


@after("cell-077")
def the_text_says_1_03_bits_the_mix_up_would_give_1_64(mean):
    assert np.allclose([-mean / math.log(2), 2**-mean], [1.029447, 1.639844], atol=1e-6)

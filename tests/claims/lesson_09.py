"""What lesson 09, The same in numpy: every gradient by hand, says."""

import math

import numpy as np
from claim import after

from gpt1lib import numpy_gpt as ng


def film_after_the() -> float:
    """The probability of "film" after "the" that the mean within each sentence asks for.

    Each of its sentences counts 1/3, as does each of "movie" but one, of two targets.
    """
    film, movie = 1 / 3 + 1 / 3, 1 / 3 + 1 / 3 + 1 / 2
    return film / (film + movie)


def floor_of_that_mean() -> float:
    """Nats per target, of 14, of the model that the mean within each sentence asks for.

    Film or movie five times, was (1/3 each) or ended (1/2) three times, good or bad twice;
    all else is certain.
    """
    film, was = film_after_the(), (2 / 3) / (2 / 3 + 1 / 2)
    chances = [film] * 2 + [1 - film] * 3 + [was] * 2 + [1 - was] + [1 / 2] * 2
    return -sum(math.log(p) for p in chances) / 14


@after("cell-008")
def the_floor_is_0_475778_nats(FLOOR):
    assert round(FLOOR, 6) == 0.475778


@after("cell-008")
def perplexity_1_609266(FLOOR):
    assert round(math.exp(FLOOR), 6) == 1.609266


@after("cell-016")
def numpy_and_torch_agree(both):
    for name, (ours, theirs) in both.items():
        assert np.abs(ours - theirs.numpy()).max() < 1e-12, name


@after("cell-030")
def column_0_is_what_was_measured(jacobian, moved):
    assert np.allclose(jacobian[:, 0], moved / 2e-5)


@after("cell-037")
def p_onehot(d_z):
    assert np.allclose(d_z, [-0.8, 0.7, 0.1])
    assert np.isclose(d_z.sum(), 0)


@after("cell-045")
def x_2_gets_minus_9(d_small, x_small, W_small):
    by_hand, _ = ng.linear_backward(d_small, x_small, {"weight": W_small})
    assert by_hand[1] == -9


@after("cell-052")
def at_3_0_and_minus_2(gelu_slope, at):
    assert np.allclose(gelu_slope(at), [1.012, 0.5, -0.086], atol=5e-4)


@after("cell-061")
def no_shift_no_stretch(of_norm, z):
    zeros = of_norm["x"].sum(axis=-1), (of_norm["x"] * z).sum(axis=-1)
    assert np.allclose(zeros, 0, atol=1e-4)


@after("cell-061")
def a_spread_of_0_816_and_1_22(state):
    assert np.allclose([state.std(), 1 / state.std()], [0.816, 1.22], atol=5e-3)


@after("cell-061")
def the_3_above(z_up, z_down):
    assert np.allclose((z_up - z_down) / 2e-5, [0.204, -0.408, 0.204], atol=1e-3)


@after("cell-081")
def delim_gets_0_16(norms, TOKENS):
    assert abs(norms[TOKENS.index("[delim]")] - 0.16) < 0.005


@after("cell-081")
def the_sentences_words_1_2_to_1_3(norms, one):
    assert 1.19 < norms[one].min()
    assert norms[one].max() < 1.32


@after("cell-081")
def every_row_gets_one(norms):
    assert norms.min() > 0.1


@after("cell-090")
def the_keys_bias_gets_nothing(flat_grads):
    d_bias = flat_grads["blocks.0.attention.qkv.bias"]
    assert np.abs(d_bias[16:32]).max() < 1e-12


@after("cell-092")
def the_losses_are_equal(loss_np, loss_torch):
    assert abs(loss_np - loss_torch.item()) < 1e-10


@after("cell-092")
def so_are_all_gradients(gaps):
    assert max(gaps) < 1e-8


@after("cell-101")
def adam_ends_a_hair_above_the_floor(FLOOR, curve):
    assert FLOOR < curve[-1] < FLOOR + 0.03


@after("cell-101")
def plain_descent_does_not_reach_one_word_back(curve_plain, floor, SENTENCES):
    assert curve_plain[-1] > floor(SENTENCES, 1)


@after("cell-101")
def the_text_says_0_482_0_562_and_0_537(curve, curve_plain, floor, SENTENCES):
    ends = [curve[-1], curve_plain[-1], floor(SENTENCES, 1)]
    assert np.allclose(ends, [0.482, 0.562, 0.537], atol=2e-3)


@after("cell-103")
def adams_model_looks_back_at_film(next_words, trained):
    assert next_words(trained, "the film was")["good"] > 0.95


@after("cell-103")
def plain_descents_does_not(next_words, plain):
    film_was, movie_was = (
        next_words(plain, f"the {noun} was")["bad"] for noun in ("film", "movie")
    )
    assert np.allclose([film_was, movie_was], 1 / 4, atol=0.005)


@after("cell-103")
def half_and_twice_the_rate_alike(plain_descent, curve_plain, floor, SENTENCES):
    others = [plain_descent(lr)[1][-1] for lr in (0.05, 0.2)]
    assert np.allclose(others, curve_plain[-1], atol=0.03), "half and twice the rate: alike"
    assert min(others) > floor(SENTENCES, reads=1), "and above one word back"


@after("cell-103")
def it_overshoots_at_every_step(curve_plain):
    swings = np.sign(np.diff(curve_plain[100:]))
    assert (swings[1:] == -swings[:-1]).mean() > 0.95


@after("cell-107")
def film_got_its_weight_in_the_loss(after_the):
    film = film_after_the()
    assert abs(after_the["film"] - film) < 0.01


@after("cell-107")
def and_so_0_481_nats():
    assert abs(floor_of_that_mean() - 0.481) < 0.0005


@after("cell-107")
def no_sentence_is_in_both(TRAIN, TEST):
    assert not TRAIN.keys() & TEST.keys()


@after("cell-109")
def the_text_says_7_46_nats_three_times_ln_10(losses):
    assert abs(losses[0, 1] - 7.46) < 0.02


@after("cell-109")
def and_more(losses):
    assert 3 < losses[0, 1] / math.log(10) < 3.5


@after("cell-109")
def the_text_says_2_ln_2_5_is_0_277259(losses):
    lm_floor = 2 * math.log(2) / 5
    assert round(lm_floor, 6) == 0.277259, "2 ln 2 / 5 is 0.277259"
    assert lm_floor < losses[-1, 1] < lm_floor + 0.05, "the floor is near"


@after("cell-109")
def sure_and_wrong(next_words, trained):
    sure = next_words(trained, "[start]")
    assert sure["film"] + sure["movie"] > 0.98


@after("cell-109")
def the_text_says_3_568_without_these_biases(flat):
    n_biases = sum(
        p.size
        for name, p in flat.items()
        if name.startswith("head.bias") or ("attention" in name and "bias" in name)
    )
    assert sum(p.size for p in flat.values()) - n_biases == 3568


@after("cell-109")
def ln_10_ln_2_and_14_targets(n_targets):
    assert np.allclose([math.log(10), math.log(2)], [2.302585, 0.693147], atol=1e-6)
    assert sum(n_targets) == 14


@after("cell-114")
def the_task_is_learned_by_both(losses, losses_alone):
    assert max(losses[-1, 0], losses_alone[-1, 0]) < 0.001


@after("cell-114")
def worse_than_knowing_nothing(losses_alone, lost_five):
    assert min(losses_alone[-1, 1], lost_five) > math.log(10)


@after("cell-114")
def the_text_says_0_48_became_2_25(kept_five):
    assert abs(kept_five - 2.25) < 0.1


@after("cell-116")
def e_to_the_2_891_is_18_0():
    assert round(math.exp(2.891), 1) == 18.0


@after("cell-116")
def near_ln_2_with_small_weights(losses):
    assert abs(losses[0, 0] - math.log(2)) < 0.01


@after("cell-116")
def the_language_model_reaches_every_block(flat_grads):
    assert all(d.any() for d in flat_grads.values())

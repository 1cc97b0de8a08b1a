"""What lesson 09, The same in numpy: every gradient by hand, says."""

import math
from functools import partial
from unittest import mock

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


@after("striking-2")
def the_text_says_film_goes_on_with_good_and_movie_with_both(next_words, trained):
    assert next_words(trained, "the film was")["good"] > 0.95
    movie = next_words(trained, "the movie was")
    assert abs(movie["good"] - movie["bad"]) < 0.01


@after("cell-018")
def d_x_is_54_by_two_paths(tiny_loss):
    assert abs((tiny_loss(2, 3.00001) - tiny_loss(2, 2.99999)) / 0.00002 - 54) < 1e-3
    assert 18 + 18 * 2 == 54


@after("cell-028")
def the_text_says_0_14_against_0_02(moved):
    assert np.allclose(moved / 2e-5, [0.16, -0.14, -0.02])
    assert np.allclose([0.2 * 0.8, -0.2 * 0.7, -0.2 * 0.1], moved / 2e-5)


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
def all_gradients_are_torchs(flat_grads, named):
    gaps = [np.abs(d - named[name].grad.numpy()).max() for name, d in flat_grads.items()]
    assert max(gaps) < 1e-12


@after("yours-2")
def the_same_losses_with_your_gradients(my_losses, losses):
    assert np.allclose(my_losses, losses, atol=1e-6)


@after("yours-2")
def the_text_says_2_38_to_0_49(my_losses):
    assert abs(my_losses[0] - 2.38) < 0.006
    assert abs(my_losses[-1] - 0.49) < 0.006


@after("yours-2")
def they_say_the_same(next_words, trained, mine):
    for text in ("the film was", "the movie was"):
        assert next_words(trained, text).keys() == next_words(mine, text).keys()


@after("cell-092")
def the_losses_are_equal(loss_np, loss_torch):
    assert abs(loss_np - loss_torch.item()) < 1e-10


@after("cell-092")
def so_are_all_gradients(gaps):
    assert max(gaps) < 1e-8


@after("cell-101")
def the_text_says_0_544_and_adam_0_482(by_adam, curve_plain, floor, SENTENCES):
    ends = [by_adam, curve_plain[-1], floor(SENTENCES, 1)]
    assert np.allclose(ends, [0.482, 0.544, 0.537], atol=2e-3)


@after("cell-101")
def to_three_decimals_adams_end_is_not_the_floor(by_adam, FLOOR):
    assert (round(FLOOR, 3), f"{by_adam - FLOOR:.2f}") == (0.476, "0.01")
    assert round(by_adam, 3) > round(FLOOR, 3)


@after("cell-101")
def plain_descent_does_not_reach_one_word_back(curve_plain, floor, SENTENCES):
    assert curve_plain[-1] > floor(SENTENCES, 1)


@after("cell-101")
def plain_descents_model_has_the_shares_after_was(next_words, plain):
    film_was, movie_was = (
        next_words(plain, f"the {noun} was")["bad"] for noun in ("film", "movie")
    )
    assert np.allclose([film_was, movie_was], 1 / 4, atol=0.005)


@after("cell-101")
def half_and_twice_the_rate_alike(plain_descent, curve_plain, floor, SENTENCES):
    others = [plain_descent(lr)[1][-1] for lr in (0.05, 0.2)]
    assert np.allclose(others, curve_plain[-1], atol=0.03), "half and twice the rate: alike"
    assert min(others) > floor(SENTENCES, reads=1), "and above one word back"


@after("cell-101")
def it_overshoots_at_every_step(curve_plain):
    swings = np.sign(np.diff(curve_plain[100:]))
    assert (swings[1:] == -swings[:-1]).mean() > 0.95


@after("cell-101")
def ln_10_is_2_303(n_targets):
    assert round(math.log(10), 3) == 2.303
    assert sum(n_targets) == 14


@after("cell-105")
def film_got_its_weight_in_the_loss(after_the):
    film = film_after_the()
    assert abs(after_the["film"] - film) < 0.01
    assert round(film, 3) == 0.364


@after("cell-105")
def and_so_0_481_nats():
    assert abs(floor_of_that_mean() - 0.481) < 0.0005


@after("cell-107")
def no_sentence_is_in_both(TRAIN, TEST):
    assert not TRAIN.keys() & TEST.keys()


@after("cell-109")
def the_text_says_7_46_nats_three_times_ln_10(both_losses):
    assert abs(both_losses[0, 1] - 7.46) < 0.02


@after("cell-109")
def and_more(both_losses):
    assert 3 < both_losses[0, 1] / math.log(10) < 3.5


@after("cell-109")
def the_text_says_2_ln_2_5_is_0_277259(both_losses):
    lm_floor = 2 * math.log(2) / 5
    assert round(lm_floor, 6) == 0.277259, "2 ln 2 / 5 is 0.277259"
    assert lm_floor < both_losses[-1, 1] < lm_floor + 0.05, "the floor is near"


@after("cell-109")
def sure_and_wrong(next_words, trained):
    sure = next_words(trained, "[start]")
    assert sure["film"] + sure["movie"] > 0.98


@after("cell-114")
def the_task_is_learned_by_both(both_losses, losses_alone):
    assert max(both_losses[-1, 0], losses_alone[-1, 0]) < 0.001


@after("cell-114")
def worse_than_knowing_nothing_on_the_reviews(losses_alone):
    assert losses_alone[-1, 1] > math.log(10)


@after("cell-114")
def the_text_says_0_48_became_2_25(kept_five):
    assert abs(kept_five - 2.25) < 0.1


@after("cell-116")
def e_to_the_2_891_is_18_0():
    assert round(math.exp(2.891), 1) == 18.0


@after("cell-116")
def near_ln_2_with_small_weights(both_losses):
    assert abs(both_losses[0, 0] - math.log(2)) < 0.01


@after("cell-116")
def the_language_model_reaches_every_block(flat_grads):
    assert all(d.any() for d in flat_grads.values())


def tuned_from(seed: int, train, finetune, config) -> dict:
    """Parameters trained and fine-tuned as in the lesson, but begun by another seed."""
    drawn = partial(ng.initial_params, seed=seed)
    with mock.patch.object(ng, "initial_params", lambda sizes, seed: drawn(sizes)):
        trained, _ = train(lambda ids, w: ng.pretraining_loss(w, ids[None], config))
    with mock.patch.dict(finetune.__globals__, trained=trained):
        return finetune(lm_coef=0.5)[0]


@after("cell-114", full_run=True)
def how_much_is_forgotten_depends_on_the_seed(train, finetune, config, loss_on_five, FLOOR):
    others = [loss_on_five(tuned_from(seed, train, finetune, config)) for seed in (1, 2, 3)]
    assert FLOOR + 0.5 < min(others) and max(others) < 1.5, "and 2.25 here"


@after("cell-112")
def the_movie_ended_bad_goes_wrong(probs_t, TEST):
    said = dict(zip(TEST, probs_t.argmax(axis=1), strict=True))
    wrong = [text for text, label in TEST.items() if said[text] != label]
    assert wrong == ["the movie ended bad"]


@after("cell-114", full_run=True)
def with_other_seeds_another_review_fails_or_none(train, finetune, as_input, TEST, config):
    def wrong(seed: int) -> list[str]:
        tuned = tuned_from(seed, train, finetune, config)
        ids, _, where = as_input(TEST)
        h, _ = ng.states(tuned, ids, config)
        said = ng.linear(h[np.arange(len(TEST)), where], **tuned["head"]).argmax(axis=1)
        return [text for text, y in zip(TEST, said, strict=True) if y != TEST[text]]

    others = [wrong(seed) for seed in range(1, 10)]
    assert others.count(["the bad film"]) == 3
    assert not any("the movie ended bad" in texts for texts in others)


@after("cell-116")
def with_weights_of_glorots_size_the_first_loss_is_clearly_higher(config, sentences):
    params = ng.initial_params(config, seed=42)
    wide = ng.nested(
        {n: p * (0.25 / 0.02 if p.ndim > 1 else 1) for n, p in ng.flatten(params).items()}
    )
    losses = [ng.pretraining_loss(wide, ids[None], config)[0] for ids in sentences]
    assert np.mean(losses) > math.log(10) + 0.15


@after("cell-004")
def gelu_is_the_formula_with_0_044715():
    x, slope = np.linspace(-3, 3, 61), math.sqrt(2 / math.pi)
    assert np.allclose(ng.gelu(x), x / 2 * (1 + np.tanh(slope * (x + 0.044715 * x**3))))


@after("cell-004")
def two_classes_start_near_0_693():
    assert round(math.log(2), 3) == 0.693

"""What docs/training.md says of the learning rates that were tried."""

import pytest

from benchmarks.recipe_trials import STORED
from benchmarks.shared.by_clock import stored_runs
from gpt1lib.pretrain import RECIPES
from tools import trial_tables


@pytest.fixture(scope="module")
def tried():
    """(kind, learning rate, updates of warm-up) -> bits per character."""
    runs = [run for run in stored_runs(STORED) if run.get("updates") == 800]
    assert {(run["batch"], run["seed"], run["matrix_lr"]) for run in runs} == {(8, 0, 0.0)}
    return {
        (run["kind"], run["lr"], round(run["warmup"] * 800)): run["bits_per_character"]
        for run in runs
    }


def test_both_models_were_trained_with_one_rate_and_ten_times_as_long():
    recipe = RECIPES["novelist"]
    assert (recipe.lr, recipe.warmup, recipe.steps) == (1e-3, 200, 10 * 800)
    assert recipe.batch * recipe.model.n_ctx == 2048


def test_the_transformer_gains_4_hundredths_from_twice_the_rate(tried):
    gain = tried["gpt", 1e-3, 200] - tried["gpt", 2e-3, 200]
    assert round(gain, 2) == 0.04
    assert min(tried["gpt", 2e-3, 40], tried["gpt", 4e-3, 200]) > 2.1, "it hardly learns"


def test_the_lstm_gains_far_more_and_passes_the_transformer(tried):
    lstm = {rate: bits for (kind, rate, _), bits in tried.items() if kind == "lstm"}
    assert min(lstm, key=lstm.__getitem__) == 16 * RECIPES["novelist"].lr, "not at the edge"
    best = min(bits for (kind, *_), bits in tried.items() if kind == "gpt")
    assert {rate for rate, bits in lstm.items() if bits < best} == {8e-3, 1.6e-2, 3.2e-2}


def test_the_table_has_every_trial(tried):
    assert len(trial_tables.rates().splitlines()) == 2 + len(tried)

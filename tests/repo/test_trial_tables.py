"""What docs/training.md says of the learning rates that were tried."""

import pytest

from benchmarks.recipe_trials import STORED
from benchmarks.shared.by_clock import stored_runs
from gpt1course.paper import init_from
from gpt1lib.io.files import read_json
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR
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


def test_the_novelist_was_trained_with_that_rate_and_ten_times_as_long():
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


@pytest.fixture(scope="module")
def whole():
    """(kind, learning rate) -> a whole run."""
    runs = trial_tables.runs_by_rate()
    assert {run["tokens"] for run in runs.values()} == {8000 * 2048}
    return runs


@pytest.mark.parametrize(("rate", "loss", "bits"), [(4e-3, 3.44, 1.608), (1.6e-2, 3.55, 1.612)])
def test_after_8000_updates_the_lstm_knows_its_own_books_better_and_others_less_well(
    whole, rate, loss, bits
):
    lstm, gpt = whole["lstm", rate], whole["gpt", 1e-3]
    assert (round(lstm["training_loss"], 2), round(gpt["training_loss"], 2)) == (loss, 3.69)
    said = [round(run["bits_per_character"], 3) for run in (lstm, gpt)]
    assert said == [bits, 1.570]


def test_the_shipped_lstm_has_the_best_rate_of_three(whole):
    bits = {
        rate: run["bits_per_character"] for (kind, rate), run in whole.items() if kind == "lstm"
    }
    assert sorted(bits) == [1e-3, 4e-3, 1.6e-2]
    assert min(bits, key=bits.__getitem__) == read_json(LSTM_DIR / "meta.json")["recipe"]["lr"]
    assert init_from.LSTM_LR == min(bits, key=bits.__getitem__), "in every command"
    gpt = whole["gpt", 1e-3]["bits_per_character"]
    assert 2 / 5 < (bits[1e-3] - bits[4e-3]) / (bits[1e-3] - gpt) < 1 / 2, "of the distance"


def test_the_shipped_models_are_in_the_table(whole):
    for kind, folder in (("gpt", NOVELIST_DIR), ("lstm", LSTM_DIR)):
        meta = read_json(folder / "meta.json")
        assert whole[kind, meta["recipe"]["lr"]]["commit"] == meta["commit"]


def test_short_trials_ended_before_the_books_were_read_once():
    read = read_json(NOVELIST_DIR / "meta.json")["training_tokens"]
    assert 800 * 2048 < read and 5 < 8000 * 2048 / read < 5.5


def test_the_table_of_whole_runs_has_each_of_them(whole):
    assert len(trial_tables.whole_runs().splitlines()) == 2 + len(whole)


def test_the_table_has_every_trial(tried):
    assert len(trial_tables.rates().splitlines()) == 2 + len(tried)

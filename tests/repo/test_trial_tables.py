"""What docs/training.md says of the learning rates that were tried."""

import pytest

from benchmarks.recipe_trials import STORED
from benchmarks.shared.by_clock import stored_runs
from gpt1lib.io.files import read_json
from gpt1lib.io.paths import LSTM_DIR, NOVELIST_DIR, RESULTS
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


@pytest.fixture(scope="module")
def whole():
    """(kind, learning rate) -> a whole run."""
    runs = trial_tables.runs_by_rate()
    assert {run["tokens"] for run in runs.values()} == {8000 * 2048}
    return runs


def test_after_8000_updates_the_lstm_knows_its_own_books_better_and_others_less_well(whole):
    lstm, gpt = whole["lstm", 1.6e-2], whole["gpt", 1e-3]
    assert (round(lstm["training_loss"], 2), round(gpt["training_loss"], 2)) == (3.55, 3.69)
    bits = [round(run["bits_per_character"], 3) for run in (lstm, gpt)]
    assert bits == [1.612, 1.570]


def test_two_fifths_of_the_gap_came_from_the_rate(whole):
    first, own, gpt = (
        whole[run]["bits_per_character"]
        for run in (("lstm", 1e-3), ("lstm", 1.6e-2), ("gpt", 1e-3))
    )
    assert (first - own) / (first - gpt) == pytest.approx(2 / 5, abs=0.02)
    earlier = read_json(RESULTS / "language_models.json")
    assert round(earlier["all_books"]["lstm"]["bits_per_character"], 3) == 1.640
    assert earlier["lstm"]["command"] == whole["lstm", 1e-3]["command"]
    assert earlier["lstm"]["commit"] != whole["lstm", 1e-3]["commit"]


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

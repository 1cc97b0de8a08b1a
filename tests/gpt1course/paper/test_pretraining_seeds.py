"""Models from other seeds of pre-training: which they are, what is asked, what is stored."""

import pytest

from gpt1course.paper import curves, pretraining_seeds
from gpt1course.paper.curves import plan
from gpt1course.paper.pretraining_seeds import FINE_TUNED, FINE_TUNING_SEEDS
from gpt1course.paper.zeroshot.probe import Probe
from gpt1lib.io.paths import NOVELIST_DIR


@pytest.fixture
def runs(tmp_path, monkeypatch):
    """An empty folder of runs."""
    monkeypatch.setattr(pretraining_seeds, "ROOT", tmp_path)
    (tmp_path / "runs").mkdir()
    return tmp_path / "runs"


def test_a_missing_model_tells_its_command(runs, capsys):
    with pytest.raises(
        FileNotFoundError, match="--kind lstm --lr 0.004 --seed 2 --out runs/lstm_2"
    ):
        pretraining_seeds.pretrained("LSTM", 2)
    assert not pretraining_seeds.there("pre-trained", 1)
    assert "--recipe novelist --seed 1 --out runs/novelist_1" in capsys.readouterr().out
    assert pretraining_seeds.there("LSTM", 0)


def test_a_model_of_another_seed_is_refused(runs):
    (runs / "novelist_1").symlink_to(NOVELIST_DIR)
    with pytest.raises(ValueError, match="trained with seed 0, not 1"):
        pretraining_seeds.pretrained("pre-trained", 1)


def test_its_number_of_labels_is_the_nearest_to_a_thousand():
    numbers = {task: pretraining_seeds.labels_of(task) for task in curves.SETS}
    others = {"verse_pairs": 1330, "missing_word": 300}
    assert numbers == dict.fromkeys(numbers, 1000) | others


def test_it_learns_as_its_row_of_the_curves_does():
    for task in curves.SETS:
        for row in pretraining_seeds.ROWS:
            shipped = pretraining_seeds.test_of(task, row, 0, 2)
            other = pretraining_seeds.test_of(task, row, 1, 2)
            assert shipped.experiment == plan.NAME and other.experiment == FINE_TUNED
            assert shipped["settings"] == other["settings"] and shipped["row"] == other["row"]


def test_the_shipped_models_scores_are_the_curves(monkeypatch):
    with_curves = pretraining_seeds.stored_trials
    monkeypatch.setattr(
        pretraining_seeds,
        "stored_trials",
        lambda name: with_curves(name) if name == plan.NAME else {},
    )
    scores = pretraining_seeds.fine_tuned_scores("entailment")
    for row, by_seed in scores.items():
        mean = curves.curve("entailment", FINE_TUNING_SEEDS)[row][1000]["mean"]
        assert by_seed == {0: pytest.approx(mean, abs=1e-4)}


def test_a_model_with_a_missing_fine_tuning_has_no_mean(monkeypatch):
    stored = dict(pretraining_seeds.stored_trials(plan.NAME))
    for seed in (1, 2):
        for of_labels in FINE_TUNING_SEEDS[: 3 if seed == 1 else 2]:
            trial = pretraining_seeds.test_of("entailment", "LSTM", seed, of_labels)
            stored[trial] = {"accuracy": 0.5 + 0.1 * of_labels}
    monkeypatch.setattr(pretraining_seeds, "stored_trials", lambda name: stored)
    scores = pretraining_seeds.fine_tuned_scores("entailment")
    assert [*scores["LSTM"]] == [0, 1] and scores["LSTM"][1] == pytest.approx(0.6)
    assert [*scores["pre-trained"]] == [0]


def test_zero_shot_keeps_each_answer_and_where_the_model_is_from(monkeypatch):
    asked = Probe("always 1", [1, 1, 0, 1], lambda model, bpe: [1, 1, 1, 1])
    monkeypatch.setattr(pretraining_seeds.probe, "probes", lambda: [asked])
    trial = pretraining_seeds.zero_shot_trial("LSTM", 0)
    line = pretraining_seeds.run_zero_shot(trial)
    assert line["scores"]["always 1"]["guesses"] == "1111"
    assert 1.5 < line["bits_per_character"] < 1.9
    assert line["pretraining"]["command"].endswith("--kind lstm --lr 0.004 --out runs/lstm_lr4")
    monkeypatch.setattr(pretraining_seeds, "stored_trials", lambda name: {trial: line})
    assert pretraining_seeds.zero_shot_scores() == {"always 1": {"LSTM": {0: 0.75}}}

"""More labels for one set: what is run, once, and with what was chosen."""

import json
from dataclasses import replace

import pytest

from gpt1course.paper import more_labels, plan, stored_lines
from gpt1lib import tasks


@pytest.fixture
def quick(monkeypatch, tmp_path):
    """Stored in a folder of its own; accuracies by a formula, best at the middle rate."""
    from gpt1course.paper import results

    ran = []

    def run_trial(trial):
        ran.append(trial)
        return {"accuracy": 0.9 if trial["settings"].lr == more_labels.RATES[1] else 0.5}

    monkeypatch.setattr(results, "STORED", tmp_path)
    monkeypatch.setattr(more_labels, "run_trial", run_trial)
    monkeypatch.setattr(more_labels, "made_task", lambda: tasks.load("acceptability"))
    return ran


def test_each_cell_runs_once_with_the_rate_that_validation_chose(quick):
    more_labels.run_more_labels({"commit": "c"}, 1)
    longer = sum(more_labels.SEEDS[n] for n in more_labels.AS_LONG)
    n = 2 * (len(more_labels.RATES) + sum(more_labels.SEEDS.values())) + longer
    assert len(quick) == len({*quick}) == n
    tests = [trial["settings"] for trial in quick if trial["split"] == "test"]
    assert {settings.lr for settings in tests} == {more_labels.RATES[1]}
    assert more_labels.CHOICE_SEED not in {settings.seed for settings in tests}
    more_labels.run_more_labels({"commit": "d"}, 1)
    assert len(quick) == n, "all are stored"


def test_a_missing_file_is_named_with_the_command_that_makes_it(tmp_path):
    path = tmp_path / "none.jsonl"
    with pytest.raises(FileNotFoundError, match=r"tools\.data\.acceptability --train 50000"):
        more_labels.made_task(path)


def test_a_cell_learns_and_is_scored_on_the_split_that_it_names(monkeypatch):
    """Random weights learn to tell one word from another."""
    film = tasks.load("film_snippets")
    examples = [
        replace(film.train[0], texts=(t,), label=y) for t, y in (("good", 1), ("bad", 0))
    ]
    task = replace(film, train=examples * 16, valid=examples * 4, test=examples)
    monkeypatch.setattr(more_labels, "made_task", lambda: task)
    trial = more_labels.trial_of("random weights", "valid", 32, 1e-3, 0, passes=10)
    line = more_labels.run_trial(trial)
    assert line["accuracy"] == 1 and line["examples"] == 8
    assert trial.as_line()["settings"]["limit"] == 32
    json.dumps(line)


def test_fewer_labels_are_read_as_often_as_makes_the_same_updates():
    most, batch = max(more_labels.SEEDS), plan.SETTINGS.batch
    wanted = most * more_labels.PASSES / batch
    for n, passes in more_labels.AS_LONG.items():
        assert passes * n / batch == pytest.approx(wanted, rel=0.06)


def test_what_is_stored_was_run_with_the_chosen_rates():
    tested = [x for x in stored_lines("more_labels") if x["split"] == "test"]
    cells = {(x["row"], x["settings"]["limit"], x["settings"]["epochs"]) for x in tested}
    three = {
        (row, n, more_labels.PASSES) for row in more_labels.ROWS for n in more_labels.SEEDS
    }
    assert cells == three | {("pre-trained", *at) for at in more_labels.AS_LONG.items()}
    for x in tested:
        assert x["settings"]["lr"] == more_labels.best_rate(x["row"]) and x["examples"] == 518

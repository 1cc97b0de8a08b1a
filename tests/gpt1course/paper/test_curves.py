"""Learning curves: who learns from which labels, how settings are chosen, what is kept."""

import json
from dataclasses import replace

import pytest

from gpt1course.paper import curves, results, word_baselines
from gpt1course.paper.__main__ import main
from gpt1course.paper.curves import plan, run, sets
from gpt1course.paper.zeroshot import questions, turned
from gpt1lib import load_novelist, tasks
from gpt1lib.finetune import Settings

FILM, Budget = "film_snippets", curves.Budget
ROWS = [*curves.MODELS, "bag of words"]


@pytest.fixture
def small(monkeypatch, tmp_path):
    """Curves of 10 and 30 film snippets, few updates, 12 questions, in a folder of the test."""
    monkeypatch.setattr(results, "STORED", tmp_path)
    monkeypatch.setitem(sets.SETS, FILM, replace(sets.SETS[FILM], chosen_at=(10,), most=30))
    monkeypatch.setattr(plan, "budgets", lambda task, size: [Budget(1, 1e-4), Budget(1, 1e-3)])
    monkeypatch.setattr(plan, "BEYOND", {})
    monkeypatch.setattr(plan, "EPOCHS", 1)
    monkeypatch.setattr(run, "MAX_TEST", 12)
    return tmp_path / "curves.jsonl"


@pytest.fixture
def quick(small, monkeypatch):
    """The same without a model: cells that take no time, and a list of those that ran."""
    ran = []

    def run_trial(trial):
        ran.append(trial)
        settings, learns = trial["settings"], trial["row"] == "pre-trained"
        share = 0.5 + 0.01 * settings.seed + 400 * settings.lr * learns
        return {"accuracy": share, "majority": 0.5, "guesses": "01"}

    monkeypatch.setattr(run, "run_trial", run_trial)
    return ran


def go(*more: str) -> None:
    main(["curves", "--tasks", FILM, "--workers", "1", *more])


def lines_of(path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


# ---- labels ----------------------------------------------------------------------


def test_all_rows_of_a_seed_see_the_same_labels_and_questions():
    def seen(row, seed, size=30):
        settings = plan.trial_settings(FILM, size, seed, Budget(5, 1e-3))
        if row not in curves.MODELS:
            settings = plan.label_settings(FILM, size, seed)
        return run.curve_task(plan.curve_trial(FILM, row, settings))

    first = [seen(row, 0) for row in ROWS]
    assert len(first[0].train) == 30 and all(task == first[0] for task in first)
    other = seen("LSTM", 1)
    assert other.train != first[0].train and other.test == first[0].test


def test_what_settings_are_chosen_by_has_no_test_example():
    film = tasks.load(FILM)
    trials = plan.validation_trials_of(FILM, "LSTM", 100, Budget(5, 1e-3))
    assert [trial["settings"].seed for trial in trials] == [100, 101, 102], "not the curve's"
    for cell in map(run.curve_task, trials):
        assert set(cell.test) <= set(film.valid) and not cell.valid
        assert not {*cell.train, *cell.test} & {*film.test}


def test_numbers_of_labels_end_with_all_that_the_set_has(monkeypatch):
    many = [*sets.SIZES, 4700]
    monkeypatch.setitem(sets.SETS, FILM, sets.LabelSet(0.1))
    for n, wanted in ((7, [7]), (40, [10, 40]), (45, [10, 30, 45]), (4700, many)):
        monkeypatch.setattr(sets, "n_labels", lambda task, n=n: n)
        assert curves.label_counts(FILM) == wanted
    monkeypatch.setitem(sets.SETS, FILM, sets.LabelSet(0.1, least=30, most=300))
    assert curves.label_counts(FILM) == [30, 100, 300]


def test_few_labels_are_read_until_there_are_enough_updates():
    def updates(n, budget):
        s = plan.trial_settings(FILM, n, 0, budget)
        return s.epochs * -(-n // s.batch)

    short, *_, long = plan.budgets(FILM, 1000)
    assert [updates(n, short) for n in (10, 30, 100, 300, 1000)] == [100, 100, 104, 114, 375]
    assert updates(1000, long) == 1000 and updates(10, plan.budgets(FILM, 100)[-1]) == 400


def test_a_set_that_is_slow_to_learn_from_tries_short_runs_alone():
    slow = {name for name, this in sets.SETS.items() if not this.long}
    assert slow == {name for name, this in sets.SETS.items() if this.seconds > 0.3}
    for name in slow:
        sizes = plan.choice_sizes(name)
        assert all(plan.budgets(name, n) == [(100, rate) for rate in plan.RATES] for n in sizes)
        runs = sum(1 if size >= plan.MANY else len(plan.CHOICE_SEEDS) for size in sizes)
        n = runs * len(plan.RATES) * len(curves.MODELS)
        assert len(plan.validation_trials(name, {})) == n


# ---- the choice ------------------------------------------------------------------


class ValidationOnly(dict):
    """Stored lines that must not be asked for a test."""

    def __contains__(self, point):
        assert point["split"] == "valid"
        return super().__contains__(point)

    def __getitem__(self, point):
        assert point["split"] == "valid"
        return super().__getitem__(point)


def scored(row, size, budget, *accuracies):
    """The stored lines of a budget's trials: one accuracy for each, or the same for all."""
    trials = plan.validation_trials_of(FILM, row, size, budget)
    each = accuracies if len(accuracies) > 1 else accuracies * len(trials)
    return {t: {"accuracy": x} for t, x in zip(trials, each, strict=True)}


@pytest.fixture
def grid():
    """Every budget of RATES tried, all of them equally good."""
    return {trial: {"accuracy": 0.5} for trial in plan.validation_trials(FILM, {})}


def test_the_best_on_validation_is_chosen_for_each_row_and_its_neighbors(grid):
    best = {("LSTM", 100): Budget(400, 1e-3), ("LSTM", 300): Budget(100, 3.5e-4)}
    best["LSTM", 1000] = Budget(1000, 3.5e-4)
    best["random weights", 100] = Budget(100, 1e-3)
    for (row, size), budget in best.items():
        grid |= scored(row, size, budget, 0.6)
    grid = ValidationOnly(
        {trial: {"accuracy": 0.5} for trial in plan.validation_trials(FILM, grid)} | grid
    )
    for size, at in ((10, 100), (100, 100), (300, 300), (1000, 1000), (7423, 1000)):
        assert plan.best_budget(FILM, "LSTM", size, grid) == best["LSTM", at]
    assert plan.best_budget(FILM, "random weights", 30, grid) == (100, 1e-3)
    assert plan.best_budget(FILM, "pre-trained", 30, grid) == (100, 1.25e-4), (
        "the first of equals"
    )
    del grid[plan.validation_trials_of(FILM, "LSTM", 100, Budget(400, 1e-3))[2]]
    assert plan.best_budget(FILM, "LSTM", 30, grid) is None, "before all are tried"


def test_the_mean_of_the_seeds_decides_and_not_the_best_of_them(grid):
    grid |= scored("LSTM", 100, Budget(400, 3.5e-4), 0.9, 0.3, 0.3)
    grid |= scored("LSTM", 100, Budget(100, 3.5e-4), 0.6, 0.6, 0.4)
    assert plan.best_budget(FILM, "LSTM", 100, grid) == (100, 3.5e-4)


@pytest.mark.parametrize(("rate", "further"), [(1e-3, 2.8e-3), (1.25e-4, 4.5e-5)])
def test_a_rate_beyond_is_tried_where_the_best_is_at_an_end(grid, rate, further):
    grid |= scored("LSTM", 100, Budget(400, rate), 0.6)
    assert plan.best_budget(FILM, "LSTM", 100, grid) is None, "one is still to be tried"
    beyond = Budget(400, further)
    due = plan.validation_trials_of(FILM, "LSTM", 100, beyond)
    assert {*due} <= {*plan.validation_trials(FILM, grid)} - {*grid}
    for accuracy, chosen in ((0.61, further), (0.6, rate), (0.4, rate)):
        tried = grid | scored("LSTM", 100, beyond, accuracy)
        assert plan.best_budget(FILM, "LSTM", 100, tried) == (400, chosen)


def test_no_rate_beyond_is_tried_where_the_best_lies_between(grid):
    for row in curves.MODELS:
        for size in plan.choice_sizes(FILM):
            grid |= scored(row, size, Budget(100, 3.5e-4), 0.6)
    assert {*plan.validation_trials(FILM, grid)} == {*grid}
    assert plan.best_budget(FILM, "LSTM", 100, grid) == (100, 3.5e-4)


def test_a_curve_has_only_what_was_run_with_the_chosen_settings(quick, small):
    go()
    assert curves.curve(FILM)["pre-trained"][10] == {"mean": 0.91, "half": 0.0248, "seeds": 3}
    lines = lines_of(small)
    for line in lines:  # now the other rate is the better one
        if line["split"] == "valid":
            line["accuracy"] = 1 - line["accuracy"]
    small.write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert "pre-trained" not in curves.curve(FILM) and "bag of words" in curves.curve(FILM)


# ---- runs ------------------------------------------------------------------------


@pytest.mark.slow
def test_a_killed_run_goes_on_and_nothing_runs_twice(quick, small, monkeypatch):
    whole = run.run_trial

    def killed(point):
        if len(quick) == 9:
            raise KeyboardInterrupt
        return whole(point)

    monkeypatch.setattr(run, "run_trial", killed)
    with pytest.raises(SystemExit, match="To go on: "):
        go()
    assert len(lines_of(small)) == 9
    monkeypatch.setattr(run, "run_trial", whole)
    go()
    n = len(quick)
    assert n == len({*quick}) == len(lines_of(small)), "each cell once"
    go()
    assert len(quick) == n
    assert {line["commit"] for line in lines_of(small)} and {
        line["command"] for line in lines_of(small)
    } == {f"python -m gpt1course.paper curves --tasks {FILM}"}
    monkeypatch.setattr(plan, "SETTINGS", replace(plan.SETTINGS, dropout=0.2))
    go()
    assert len(quick) > n, "other settings, another cell"


@pytest.mark.slow
def test_more_seeds_are_run_where_bars_touch_and_that_is_stored(quick, small, monkeypatch):
    go("--seeds", "2")
    assert {x["seeds"] for x in results.stored_lines("curve_seeds")} == {2}
    whole = run.run_trial
    monkeypatch.setattr(
        run, "run_trial", lambda t: whole(t) | {"accuracy": 0.6 + 0.01 * t["settings"].seed}
    )
    for path in small.parent.glob("*.jsonl"):
        path.unlink()
    go("--seeds", "2")
    stored = results.stored_lines("curve_seeds")
    assert [(x["labels"], x["seeds"]) for x in stored] == [(10, 10), (30, 10)]
    assert stored[0]["pre-trained"]["seeds"] == 2 and stored[0]["command"].endswith("--seeds 2")
    for row in ROWS:
        assert {x["seeds"] for x in curves.curve(FILM)[row].values()} == {10}


def test_where_the_pre_trained_row_guesses_no_seeds_are_added():
    def bar(mean, half):
        return {"mean": mean, "half": half, "seeds": 3}

    assert not run.more_seeds_help(bar(0.51, 0.02), bar(0.52, 0.03), 0.5), "nobody has learned"
    assert run.more_seeds_help(bar(0.69, 0.22), bar(0.53, 0.06), 0.5), "a mean well above"
    assert not run.more_seeds_help(bar(0.50, 0.02), bar(0.56, 0.06), 0.5), "the other has"
    assert not run.more_seeds_help(bar(0.93, 0.03), bar(0.80, 0.03), 0.5), "apart already"


@pytest.mark.parametrize("row", [*ROWS, "zero-shot"])
def test_a_model_keeps_its_guesses(small, row):
    """A digit for each question; on validation none, and of a reader of words none."""
    settings = (
        Settings() if row == "zero-shot" else plan.label_settings(FILM, 8, 0, plan.SETTINGS)
    )
    settings = replace(settings, epochs=1)
    line = curves.run_trial(plan.curve_trial(FILM, row, settings))
    gold = [int(e.label) for e in curves.scored_examples(FILM)]
    assert line["examples"] == len(gold) == 12
    if row not in (*curves.MODELS, "zero-shot"):
        assert "guesses" not in line
        return
    right = sum(int(a) == b for a, b in zip(line["guesses"], gold, strict=True))
    assert line["accuracy"] == pytest.approx(right / 12, abs=1e-4)
    if row == "LSTM":
        assert "guesses" not in curves.run_trial(plan.curve_trial(FILM, row, settings, "valid"))


def test_labels_that_teach_words_nothing_make_a_baseline_predict_the_majority():
    film = tasks.load(FILM)
    alike = [e for e in film.train if e.label == 1]
    few = replace(film, train=alike[:10], test=film.test[:5])
    assert run.by_words(few, {}) == [1] * 5
    with pytest.raises(ValueError, match="class"):
        run.by_words(replace(few, train=alike[:100]), {})


@pytest.mark.slow
def test_the_estimate_falls_with_what_is_stored(quick, small, capsys):
    before = run.hours(FILM, 3)
    go("--seeds", "2")
    left = run.hours(FILM, 3)
    of_third = [p for p in run.first_tests(FILM, 3) if p["settings"].seed == 2]
    assert before > left == pytest.approx(sum(map(run.seconds, of_third)) / 3600)
    capsys.readouterr()
    main(["--estimate", "--tasks", FILM])
    assert f"{left:.2f} core-hours" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no curves of typo; known: .*film_snippets"):
        main(["--estimate", "--tasks", "typo"])


# ---- questions without labels ------------------------------------------------------------


def test_pronouns_are_turned_and_nothing_else():
    assert turned("She gave him The book") == ["He gave her The book"]
    assert turned("her hat") == ["his hat", "him hat"]
    assert turned("it was his, heroes") == ["it was her, heroes", "it was hers, heroes"]
    assert turned("Sheila ran") == ["Sheila ran"]


def test_who_is_meant_and_what_time_it_is_are_asked_without_labels():
    """The novelist knows who *mr* is; what is asked is not who stands in the second text."""
    novelist = load_novelist()
    texts = [("Mr. Darcy bowed, and", "she"), ("Mrs. Bennet sighed, and", "she"),
             ("Mrs. Bennet sighed, and", "he"), ("Mr. Darcy bowed, and", "he")]  # fmt: skip
    examples = [tasks.Example(pair, 0) for pair in texts]
    found = questions.pronouns_that_fit(novelist.model, novelist.bpe, examples)
    assert found == [0, 1, 0, 1]
    pairs = [("He went, he saw", "he went, he saw"), ("the cat", "he went, he saw")]
    examples = [tasks.Example(pair, 0) for pair in pairs]
    found = questions.same_time(novelist.model, novelist.bpe, examples)
    assert found == [1, 0], "what stood there already is raised most"


def test_pairs_of_words_are_a_reader_where_no_single_text_decides():
    assert "pairs of words" in sets.word_baselines("he_or_she")
    assert "pairs of words" not in sets.word_baselines("entailment")
    names = {trial["row"] for trial in plan.test_trials("he_or_she", {10: 1}, {})}
    assert "pairs of words" in names and "zero-shot" in names


def test_the_first_word_is_named():
    features = word_baselines.FIRST_WORD(("Where is he?",))
    assert features[-1] == "first where"
    assert set(features) > {"0 where", "0 where is", "0 ?"}
    assert "bag with first word" in sets.word_baselines("question_or_statement")
    assert "bag with first word" not in sets.word_baselines("film_snippets")

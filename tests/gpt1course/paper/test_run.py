"""The runner of the paper's tables: what is transferred, what is stored, what is skipped."""

import json
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch

import gpt1lib as g
from gpt1course import paper
from gpt1course.paper import init_from, paper_numbers, plan, results, run, tables
from gpt1course.paper.__main__ import main
from gpt1course.paper.after import scaling
from gpt1course.paper.trials import PARAMS, Trial
from gpt1course.paper.zeroshot import run as zeroshot_run
from gpt1lib.baselines import variants
from gpt1lib.checkpoints import kinds
from gpt1lib.config import GPTConfig

ROOT = Path(__file__).resolve().parents[3]
CONFIG = GPTConfig(n_vocab=50, n_ctx=16, n_layer=2, n_head=2, n_embd=16, dropout=0.0)


# ---- variants --------------------------------------------------------------------


def test_every_kind_can_be_built_and_read():
    ids = torch.randint(50, (2, 9))
    for kind in kinds.MODEL_KINDS:
        model = kinds.build(kind, CONFIG)
        assert model(ids).shape == (2, 9, 50) and kinds.kind_of(model) == kind


def test_pre_ln_by_hand():
    torch.manual_seed(0)
    model = variants.PreLNGPT(CONFIG).eval()
    ids = torch.randint(50, (1, 7))
    h = model.tokens(ids) + model.positions(torch.arange(7))
    for b in model.blocks:
        h = h + b.attention(b.ln_1(h))
        h = h + b.mlp(b.ln_2(h))
    wanted = model.ln_end(h) @ model.tokens.weight.T
    assert torch.allclose(model(ids), wanted, atol=1e-6)
    assert {
        m.weight.std().item() < 0.03
        for m in model.blocks[0].modules()
        if isinstance(m, torch.nn.Linear)
    } == {True}


def test_variants_begin_with_the_numbers_of_gpt1():
    def begun(kind, config):
        torch.manual_seed(3)
        model = kinds.build(kind, config)
        return model.state_dict(), torch.rand(4)

    theirs, later = begun("gpt", CONFIG)
    others = [("pre_ln", CONFIG), ("sinusoidal", CONFIG), ("gpt", replace(CONFIG, tied=False))]
    for kind, config in others:
        mine, after = begun(kind, config)
        shared = mine.keys() & theirs.keys()
        assert len(theirs) - len(shared) == (kind == "sinusoidal")  # the positions
        assert all(torch.equal(mine[name], theirs[name]) for name in shared), kind
        assert torch.equal(after, later), "what is drawn next is the same, too"
    assert 0.017 < mine["output.weight"].std() < 0.023
    assert not torch.equal(mine["output.weight"], theirs["tokens.weight"])


def test_sinusoids_are_those_of_the_transformer():
    waves = variants.Sinusoids(16, 6).table
    assert waves[3, 0].item() == pytest.approx(0.14112, abs=1e-5)  # sin 3
    assert waves[3, 1].item() == pytest.approx(-0.98999, abs=1e-5)  # cos 3
    assert waves[5, 2].item() == pytest.approx(torch.tensor(5 / 10000 ** (2 / 6)).sin().item())
    model = variants.SinusoidalGPT(CONFIG)
    assert "positions.weight" not in dict(model.named_parameters())
    shorter = g.finetune.truncate_context(model, 8).eval()
    ids = torch.randint(50, (1, 8))
    assert torch.allclose(shorter(ids), model.eval()(ids), atol=1e-6)


# ---- transfer --------------------------------------------------------------------


def test_parts_are_transferred_from_below():
    model = g.GPT(CONFIG)
    for n in range(4):
        made = init_from.transferred(model, n, seed=1)
        same = [
            torch.equal(a, b)
            for a, b in (
                (made.tokens.weight, model.tokens.weight),
                (made.positions.weight, model.positions.weight),
                (made.blocks[0].expand.weight, model.blocks[0].expand.weight),
                (made.blocks[1].expand.weight, model.blocks[1].expand.weight),
            )
        ]
        assert same == [n >= 1, n >= 1, n >= 2, n >= 3]
    a, b = init_from.transferred(model, 0, 1), init_from.transferred(model, 0, 2)
    assert not torch.equal(a.tokens.weight, b.tokens.weight)
    with pytest.raises(ValueError, match="n is 4, it must be in 0 to 3"):
        init_from.transferred(model, 4, 0)


# ---- the tables ------------------------------------------------------------------


def test_the_plan_covers_the_paper():
    cells = list(plan.table5())
    assert len({cell for _, cell in cells}) == len(cells) == 4 * 4 * 5 + 2 * (5 + 15)
    seeds = Counter((row, cell.task) for row, cell in cells)
    assert len(seeds) == 16 and min(seeds.values()) == 5
    rows = {row for row, _ in cells}
    assert rows == {"full", "no pre-training", "no auxiliary loss", "LSTM"}
    assert {row for row, _ in plan.transfer()} == {str(n) for n in range(6)}
    assert {cell.task for _, cell in cells} == set(plan.CHOSEN)


def test_the_whole_plan_is_stored_and_nothing_else():
    """Else a table would silently have fewer seeds than the lesson says."""
    trials = {c.trial for rows in plan.EXPERIMENTS.values() for _, c in rows()}
    trials |= {Trial.of("pretraining", init_from=variant) for variant in plan.VARIANTS}
    trials |= {*scaling.trials()}
    for experiment in ("cells", "pretraining", "scaling"):
        planned = {trial for trial in trials if trial.experiment == experiment}
        assert planned == set(results.stored_trials(experiment))
        assert len(paper.stored_lines(experiment)) == len(planned)


@pytest.mark.parametrize("experiment", PARAMS)
def test_a_stored_line_is_found_again_by_its_trial(experiment):
    """No two lines are results of one trial, and a new line would have the same fields."""
    stored = results.stored_trials(experiment)
    assert len(stored) == len(paper.stored_lines(experiment))
    for trial, line in stored.items():
        assert Trial.from_line(experiment, json.loads(json.dumps(trial.as_line()))) == trial
        assert trial.as_line().keys() <= line.keys()


def test_experiments_share_their_cells():
    full = plan.Cell("entailment", 0).trial
    for name in ("table5", "transfer", "lambda", "sizes"):
        assert full in {cell.trial for _, cell in plan.EXPERIMENTS[name]()}
    of_lm = dict(plan.weights_of_lm())
    assert of_lm["0"].trial in {cell.trial for _, cell in plan.table5()}
    same = replace(plan.SETTINGS, seed=2, **plan.CHOSEN["film_snippets"])
    assert of_lm["0.5"].settings == same


def test_the_paper_s_averages_are_those_of_its_rows():
    """The printed LSTM average is 69.1; its row gives 69.1625."""
    for average, scores in paper_numbers.TABLE5.values():
        assert len(scores) == len(paper_numbers.TABLE5_TASKS)
        assert sum(scores) / 8 == pytest.approx(average, abs=0.07)
    exact = {row: sum(scores) / 8 for row, (_, scores) in paper_numbers.TABLE5.items()}
    assert exact["full"] == pytest.approx(74.65)
    assert exact["no auxiliary loss"] == pytest.approx(75.025)
    assert {len(curve) for curve in paper_numbers.FIGURE2_LEFT.values()} == {14}


def test_the_paper_s_tables_name_the_same_sets_and_nine_records():
    sets = [name for names in paper_numbers.TABLE1.values() for name in names]
    assert sorted(sets) == sorted(paper_numbers.TABLES2_TO_4) and len(sets) == 12
    missed = {k for k, (best, gpt) in paper_numbers.TABLES2_TO_4.items() if gpt < best}
    assert missed == {"RTE", "SST2", "MRPC"}
    full = dict(zip(paper_numbers.TABLE5_TASKS, paper_numbers.TABLE5["full"][1], strict=True))
    for name in set(full) - {"MNLI"}:  # Table 5 has the mean of its two halves
        assert full[name] == paper_numbers.TABLES2_TO_4[name][1]
    assert full["MNLI"] == pytest.approx((82.1 + 81.4) / 2, abs=0.06)


def test_the_paper_s_results_agree_with_what_can_be_computed_from_them():
    """RACE is the mean of its 1,436 and 3,498 test questions; section 1 names four gains."""
    systems = paper_numbers.RESULTS["Table 3"][1]
    for _, middle, high, both in systems.values():
        if both is not None:
            assert (1436 * middle + 3498 * high) / 4934 == pytest.approx(both, abs=0.13)
    gains = {k: round(b - a, 1) for k, (a, b) in paper_numbers.TABLES2_TO_4.items()}
    stated = {"Story Cloze": 8.9, "RACE": 5.7, "MNLI": 1.5, "SciTail": 5.0, "QNLI": 5.8}
    assert stated.items() <= gains.items() and gains["SNLI"] == 0.6
    for columns, rows in paper_numbers.RESULTS.values():
        assert {len(row) for row in rows.values()} == {len(columns)}
        assert list(rows)[-1] == "GPT-1" and None not in rows["GPT-1"]
    assert [len(rows) for _, rows in paper_numbers.RESULTS.values()] == [7, 5, 6]
    assert set(paper_numbers.TRAINING_SETS) == set(paper_numbers.TABLES2_TO_4)


def only_experiment(monkeypatch, rows):
    for name in list(plan.EXPERIMENTS):
        monkeypatch.delitem(plan.EXPERIMENTS, name)
    monkeypatch.setitem(plan.EXPERIMENTS, "small", lambda: iter(rows))


@pytest.fixture
def small(monkeypatch, tmp_path, novelist):
    """One small experiment that stores its lines in a folder of the test."""
    changes = (("epochs", 1), ("batch", 4), ("limit", 8))
    rows = [
        (row, plan.Cell("entailment", seed, start, changes=changes))
        for seed in (0, 1)
        for row, start in (("full", "novelist"), ("none", "nothing"))
    ]
    monkeypatch.setattr(results, "STORED", tmp_path)
    monkeypatch.setattr(tables, "MAX_TEST", 12)
    only_experiment(monkeypatch, rows)
    return tmp_path / "cells.jsonl"


def test_a_stopped_experiment_goes_on(small, monkeypatch):
    run_cell, calls = tables.run_cell, []

    def stopped(trial):
        calls.append(trial)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return run_cell(trial)

    monkeypatch.setattr(tables, "run_cell", stopped)
    with pytest.raises(SystemExit, match="To go on: python -m gpt1course.paper small"):
        main(["small", "--workers", "1"])
    assert len(small.read_text().splitlines()) == 2
    (litter := small.with_name(".cells.jsonl.4711.tmp")).write_text("half a {")  # of a kill
    main(["small", "--workers", "1"])
    assert not litter.exists()
    lines = [json.loads(x) for x in small.read_text().splitlines()]
    assert len(calls) == 5 and len(lines) == 4
    for line in lines:
        assert line["examples"] == 12 and line["settings"]["limit"] == 8
        assert line["commit"] and line["command"] == "python -m gpt1course.paper small"
    found = paper.summary("small")
    assert found["full"]["entailment"]["seeds"] == 2
    assert "half" in found["none"]["entailment"]
    assert len(paper.accuracies("small")["full"]["entailment"]) == 2


def test_cells_made_with_other_settings_do_not_count(small):
    main(["small", "--workers", "1"])
    lines = [json.loads(x) for x in small.read_text().splitlines()]
    lines[0]["settings"]["lr"] = 1.0
    small.write_text("".join(json.dumps(x) + "\n" for x in lines))
    assert paper.summary("small")["full"]["entailment"]["seeds"] == 1


@pytest.mark.slow
def test_a_cell_gives_the_same_number_again(small, capsys):
    main(["small", "--workers", "1"])
    main(["--quick"])
    line = capsys.readouterr().out.strip().splitlines()[-1]
    now, stored = line.split("now ")[1].split(", stored ")
    assert now == stored


@pytest.mark.slow
def test_work_in_parallel_is_the_same_work():
    found = dict(run.in_parallel(abs, [-1, 2, -3], workers=2))
    assert found == dict(run.in_parallel(abs, [-1, 2, -3], workers=1))
    with pytest.raises(TypeError):
        list(run.in_parallel(abs, [1, "no number"], workers=2))


@pytest.mark.parametrize("workers", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_each_trial_runs_once_and_is_stored_once(monkeypatch, tmp_path, workers):
    monkeypatch.setattr(results, "STORED", tmp_path)
    trials = [Trial.of("twins", kind=kind, seed=n) for n in range(3) for kind in ("a", "b")]
    results.store("twins", trials[0].as_line() | {"name": "stored"})
    run.run_missing(trials + trials, name_of, {"commit": "c"}, workers)
    assert {*results.stored_trials("twins")} == {*trials}
    stored, *new = results.stored_lines("twins")
    assert len(new) == len(trials) - 1 and stored["name"] == "stored"
    for line in new:
        assert line["commit"] == "c" and line["name"] == line["kind"] * line["seed"]


def name_of(trial):
    return {"name": trial["kind"] * trial["seed"]}


def test_a_missing_lstm_is_named_before_anything_runs(small, monkeypatch, tmp_path):
    cell = plan.Cell("entailment", 0, "lstm")
    only_experiment(monkeypatch, [("a", cell)])
    monkeypatch.setattr(init_from, "LSTM_DIR", tmp_path)
    with pytest.raises(SystemExit, match="holds no LSTM. It is trained by: python -m"):
        main(["small", "--workers", "1"])


# ---- without fine-tuning ---------------------------------------------------------


def test_what_is_scored_zero_shot_is_not_scored_again(monkeypatch, capsys):
    monkeypatch.setattr(results, "replace_lines", lambda *line: pytest.fail("stored again"))
    zeroshot_run.run_zero_shot({"command": "a command"})
    assert capsys.readouterr().out == "", "no hole is told"


def test_zero_shot_scores_the_stages_that_are_there(monkeypatch, tmp_path, capsys):
    """The shipped ones; the end of a run is its model. What is missing is told."""
    probe = SimpleNamespace(name="parameters", score=lambda m, bpe: m.count_parameters())
    monkeypatch.setattr(results, "STORED", tmp_path)
    monkeypatch.setattr(zeroshot_run, "LSTM_DIR", tmp_path / "nothing")
    monkeypatch.setattr(zeroshot_run.probe, "probes", lambda: [probe])
    zeroshot_run.run_zero_shot({"command": "a command"})
    lines = paper.stored_lines("zeroshot")
    assert {1000, 8000} <= {line["step"] for line in lines}
    assert {line["model"] for line in lines} == {"novelist"}
    assert {line["scores"]["parameters"] for line in lines} == {5_303_296}
    assert lines[-1]["step"] == 8000 and lines[-1]["loss"] == 3.580321
    told = capsys.readouterr().out
    assert "no stages of the LSTM after [16, 31, 62, 125, 250" in told


def test_unknown_starts_are_named():
    with pytest.raises(ValueError, match="no start 'typo'; there are .'novelist', 'nothing'"):
        paper.starting_checkpoint("typo", 0)
    for n, message in ((None, "n_parts is None"), (99, "n is 99")):
        with pytest.raises(ValueError, match=message):
            paper.starting_checkpoint("transfer", 0, n)


def test_unknown_experiments_are_named():
    with pytest.raises(SystemExit, match="no experiment table6"):
        main(["table6"])


def test_shuffled_books_keep_their_sentences(monkeypatch, tmp_path):
    monkeypatch.setattr(init_from, "WORK", tmp_path)
    folder = init_from.shuffled_books()
    books = g.corpus.read_books(g.paths.BOOKS)
    shuffled = g.corpus.read_books(folder)
    assert shuffled.keys() == books.keys()
    name = "grimm_tales"
    assert sorted(shuffled[name].split()) == sorted(books[name].split())
    assert shuffled[name].split()[:50] != books[name].split()[:50]
    lines = [found[name].count("\n") for found in (books, shuffled)]
    assert lines[0] == lines[1] > 0, "only the order may differ, not the layout"


@pytest.mark.slow
def test_what_runs_beside_a_failure_is_not_lost(tmp_path):
    code = """
import time
from gpt1course.paper import run
def work(i):
    if i == 0:
        raise FloatingPointError("the loss is nan")
    time.sleep(2)
    return i
if __name__ == "__main__":
    try:
        for item, found in run.in_parallel(work, list(range(9)), 2):
            print("stored", item, found)
    except FloatingPointError as error:
        print("then", error)
"""
    (tmp_path / "run.py").write_text(code)
    done = subprocess.run(
        [sys.executable, tmp_path / "run.py"], cwd=ROOT, capture_output=True, text=True
    )
    *kept, last = done.stdout.splitlines()  # 1, and 2 if a worker had taken it as well
    assert "stored 1 1" in kept, done.stderr
    assert last == "then the loss is nan" and "stored 8 8" not in kept


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_workers_end_with_a_run_that_is_killed(tmp_path):
    """Otherwise each goes on computing for nobody, on a core of its own."""
    code = f"""
import os, pathlib, time
from gpt1course.paper import run
def work(i):
    pathlib.Path({str(tmp_path)!r}, str(os.getpid())).touch()
    time.sleep(300)
if __name__ == "__main__":
    list(run.in_parallel(work, [0, 1], 2))
"""
    (tmp_path / "run.py").write_text(code)
    parent = subprocess.Popen([sys.executable, tmp_path / "run.py"], cwd=ROOT)
    wait_for(lambda: len(list(tmp_path.glob("[0-9]*"))) == 2)
    workers = [int(path.name) for path in tmp_path.glob("[0-9]*")]
    parent.kill()
    parent.wait()
    wait_for(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def wait_for(what, seconds=300):
    end = time.time() + seconds
    while not what():
        assert time.time() < end, "waited in vain"
        time.sleep(0.05)


def test_a_missing_variant_is_pre_trained_once_before_the_cells(monkeypatch):
    order = []
    monkeypatch.setattr(init_from, "pretrain_variant", lambda x: order.append(x))
    monkeypatch.setattr(tables, "not_stored", lambda trials: trials)
    monkeypatch.setattr(tables, "run_missing", lambda trials, run, *_: order.append(run))
    tables.run_tables(["variants"], {}, workers=2)
    assert order[0] is tables.pretrain and order[-1] is tables.run_cell
    assert sorted(order[1:-1]) == sorted(plan.VARIANTS)

"""`make record` keeps its rules, stores whole runs only, and its table follows from them."""

import platform
import re
import signal
import subprocess
from dataclasses import asdict

import pytest
import torch

from benchmarks import record
from benchmarks.shared import by_clock
from gpt1lib import GPT, optim
from gpt1lib.io.files import read_json, write_json
from gpt1lib.pretrain.data import load_data

TEXT = "the old man and his dog went down to the sea, and the sea was calm. "
SMALL = "--n-layer 1 --n-embd 32 --n-head 2 --n-ctx 16 --batch 4 --lr 5e-3".split()
GOOD = {
    "seed": 0,
    "settings": asdict(record.Settings()),
    "minutes": 8,
    "seconds": 479.9,
    "threads": 2,
    "cores": 2,
    "torch": "2.13.0",
    "commit": "c0ffee",
    "text": record.fixed_text(),
    "tokens": 1_500_000,
    "parameters": 5_300_000,
    "bits_per_character": 1.7,
}


@pytest.fixture(autouse=True)
def small_text(tmp_path, monkeypatch):
    """Two short books in place of fifteen, and another place for what is stored."""
    for name, times in {"read": 60, "heldout": 5}.items():
        (tmp_path / f"{name}.txt").write_text(TEXT * times, encoding="utf-8")
    monkeypatch.setattr(record, "STORED", tmp_path / "stored" / "record.json")
    monkeypatch.setattr(
        record,
        "load_text",
        lambda recipe: load_data(
            recipe, tmp_path / "cache", tmp_path / "read.txt", tmp_path / "heldout.txt"
        ),
    )


def refused(argv, capsys) -> str:
    """What the command says where it ends without a run."""
    with pytest.raises(SystemExit) as end:
        record.main(argv)
    assert end.value.code not in (None, 0)
    return f"{end.value.code} {capsys.readouterr().err}"


# ---- a run --------------------------------------------------------------------------------


@pytest.fixture
def one_thread(monkeypatch):
    """Two would wait for each other where other tests share the cores."""
    monkeypatch.setattr(record, "THREADS", 1)


def test_a_run_has_two_threads_and_leaves_what_was():
    before = torch.get_num_threads()
    with record.two_threads():
        assert torch.get_num_threads() == record.THREADS == 2
    assert torch.get_num_threads() == before


def test_one_core_is_too_few(monkeypatch):
    monkeypatch.setattr(record.os, "cpu_count", lambda: 1)
    with pytest.raises(ValueError, match="this machine has 1"), record.two_threads():
        pass


def test_a_run_of_two_seconds_is_stored(tmp_path, capsys, one_thread):
    path = tmp_path / "runs" / "trial.json"
    asked = [*SMALL, "--minutes", str(2 / 60), "--results", str(path)]
    record.main([*asked, "--seed", "3"])
    (run,) = read_json(path, list)
    assert run["seed"] == 3 and run["threads"] == 1
    assert run["settings"] == asdict(
        record.Settings(n_layer=1, n_embd=32, n_head=2, n_ctx=16, batch=4, lr=5e-3)
    )
    assert run["updates"] > 3 and run["tokens"] == run["updates"] * 4 * 16
    assert 0 < run["seconds"] < 4
    assert {"commit", "torch", "cores", "day", "command"} <= run.keys()
    assert platform.node() not in map(str, run.values())
    assert run["bits_per_character"] == run["books"]["heldout"] < untrained(run)
    said = capsys.readouterr().out
    assert f"{run['bits_per_character']:.4f} bits per character" in said and str(path) in said


def untrained(run: dict) -> float:
    """Bits per character before the first update."""
    recipe = record.Settings(**run["settings"]).recipe(run["seed"])
    data = record.load_text(recipe)
    assert record.text_of(data) == run["text"]
    sizes = {**asdict(recipe.model), "n_vocab": data.bpe.n_vocab}
    torch.manual_seed(0)
    model = GPT(type(recipe.model)(**sizes))
    return by_clock.heldout_bits(model, data.bpe, data.heldout)["bits_per_character"]


def test_ctrl_c_says_what_was_done_and_stores_nothing(
    tmp_path, monkeypatch, capsys, one_thread
):
    clip = optim.clip_gradients

    def pressed(*args):
        signal.raise_signal(signal.SIGINT)
        return clip(*args)

    monkeypatch.setattr(optim, "clip_gradients", pressed)
    path = tmp_path / "trial.json"
    said = refused([*SMALL, "--minutes", "1", "--results", str(path)], capsys)
    wanted = r"record: stopped. 1 update was done, in \d of 60 seconds of training; nothing was"
    assert re.match(wanted, said) and not path.exists()


def test_a_run_that_diverges_is_not_stored(tmp_path, monkeypatch, capsys, one_thread):
    monkeypatch.setattr(by_clock.optim, "set_lr", lambda optimizer, lr: None)
    monkeypatch.setattr(by_clock, "build_optimizers", lambda model, recipe: [spoil(model)])
    path = tmp_path / "trial.json"
    said = refused([*SMALL, "--minutes", "1", "--results", str(path)], capsys)
    assert "diverged" in said and not path.exists()


def spoil(model):
    """An optimizer of steps that no model survives."""
    return torch.optim.SGD(model.parameters(), lr=1e38)


# ---- time ---------------------------------------------------------------------------------


def ticking(*seconds):
    """A clock by which updates take so many seconds, one after the other."""
    times = [0.0]
    for s in seconds:
        times += [times[-1] + s, times[-1] + s + 100]  # what is between updates does not count
    return iter(times).__next__


def test_an_update_that_would_not_fit_is_not_begun():
    clock = by_clock.Clock(10, ticking(3, 3, 3, 3))
    assert list(clock) == pytest.approx([0, 0.3, 0.6])
    assert (clock.seconds, clock.updates) == (9, 3)


def test_there_is_one_update_however_short_the_time():
    clock = by_clock.Clock(10, ticking(30))
    assert list(clock) == [0] and clock.seconds == 30


def test_schedules_follow_the_share_of_the_time():
    recipe = record.Settings(warmup=0.1, warmdown=0.5, warmup_ctx=64, warmup_ctx_share=0.2)
    recipe = recipe.recipe(seed=7)
    shares = [recipe.lr_factor(round(x * by_clock.WHOLE)) for x in (0, 0.05, 0.3, 0.75, 1)]
    assert shares == pytest.approx([0, 0.5, 1, 0.5, 0]) and recipe.seed == 7
    assert recipe.batch_shape(round(0.1 * by_clock.WHOLE)) == (32, 64)
    assert recipe.batch_shape(round(0.3 * by_clock.WHOLE)) == (8, 256)


# ---- rules --------------------------------------------------------------------------------


def test_the_model_and_the_method_are_fixed(capsys):
    recipe = record.Settings().recipe(0)
    assert recipe.kind == "gpt" and recipe.model.tied and not recipe.matrix_lr
    for typed in ("--matrix-lr 1e-3", "--no-tied", "--n-merges 99", "--warm 1"):
        words = typed.split()
        said = refused(words, capsys)
        assert f"{words[0]} is not among what the rules leave free: n_layer, " in said


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (["--minutes", "1"], "it has 1 minutes, not 8"),
        ([], "its books or its vocabulary are not the course's own"),
        (["--n-embd", "65"], "n_embd is 65"),
        (["--warmup", "1.5"], "warmup is 1.5"),
        (["--seed", "-1"], "seed is -1"),
        (["--minutes", "0"], "minutes"),
    ],
)
def test_what_is_refused_before_training(words, what, monkeypatch, capsys):
    monkeypatch.setattr(record, "train", None)
    assert what in refused([*SMALL, *words], capsys)


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({}, None),
        ({"minutes": 9}, "9 minutes"),
        ({"seconds": 490.0}, "490 s"),
        ({"threads": 4}, "4 threads"),
        ({"text": {}}, "books"),
        ({"commit": "unknown"}, "commit"),
        ({"settings": {"matrix_lr": 0.01}}, "matrix_lr"),
        ({"settings": {"n_head": 5}}, "n_head"),
    ],
)
def test_each_rule(change, what):
    wrong = record.broken_rules({**GOOD, **change})
    assert not wrong if what is None else len(wrong) == 1 and what in wrong[0]


def test_a_seed_counts_once(monkeypatch):
    monkeypatch.setattr(record, "code_is_changed", lambda: False)
    record.check_rules({**GOOD, "seed": 1}, [GOOD])
    other = {**GOOD, "settings": {**GOOD["settings"], "lr": 3e-3}}
    record.check_rules(other, [GOOD])
    with pytest.raises(ValueError, match="seed 0 already"):
        record.check_rules({**GOOD, "bits_per_character": 1.6}, [GOOD])


def test_code_that_is_not_committed_does_not_count(tmp_path, monkeypatch):
    def git(*words):
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", "-C", str(tmp_path), *who, *words]
        subprocess.run(command, check=True, capture_output=True)

    (tmp_path / "gpt1lib").mkdir()
    for name in ("gpt1lib/model.py", "notes.txt"):
        (tmp_path / name).write_text("a", encoding="utf-8")
    git("init")
    git("add", ".")
    git("commit", "-m", "Begin")
    monkeypatch.setattr(record, "ROOT", tmp_path)
    (tmp_path / "notes.txt").write_text("b", encoding="utf-8")
    assert not record.code_is_changed()
    (tmp_path / "gpt1lib/model.py").write_text("b", encoding="utf-8")
    assert record.code_is_changed()
    with pytest.raises(ValueError, match="not committed"):
        record.check_rules(GOOD, [])


# ---- the table ----------------------------------------------------------------------------


def entry(bits, **settings) -> list[dict]:
    """One run for each score, as they are stored."""
    all_settings = {**GOOD["settings"], **settings}
    return [
        {**GOOD, "seed": i, "bits_per_character": b, "settings": all_settings}
        for i, b in enumerate(bits)
    ]


def test_without_results_the_table_says_so(tmp_path):
    assert record.table([]) == "No result yet.\n"
    assert record.table(by_clock.stored_runs(tmp_path / "none.json")) == "No result yet.\n"


def test_the_table_by_hand(tmp_path):
    """Half the interval: 4.303 x 0.1 / sqrt(3), Student's t at 2 degrees of freedom."""
    runs = entry([1.6, 1.7, 1.8]) + entry([1.5, 1.5, 1.5], lr=2e-3) + entry([1.4, 1.4], lr=0.01)
    path = tmp_path / "runs.json"
    write_json(path, runs)
    *lines, blank, rest = record.table(by_clock.stored_runs(path)).splitlines()
    assert [line.split(" | ")[:3] for line in lines[2:]] == [
        ["| --lr 0.002", "1.5000 ± 0.0000", "3"],
        ["| the shipped model's settings", "1.7000 ± 0.2484", "3"],
    ]
    assert lines[3].endswith("| 5.3 | 1.50 | 2 cores, torch 2.13.0 |") and not blank
    assert rest == "1 entry has fewer than 3 seeds, and no place yet."


def test_two_seeds_or_another_machine_make_no_entry():
    other = [{**x, "cores": 8} for x in entry([1.6])]
    assert record.table(entry([1.6, 1.7]) + other).startswith("No result yet.\n\n2 entries")


def test_a_stored_run_that_breaks_a_rule_is_found():
    with pytest.raises(ValueError, match="seed 0: it has 9 minutes"):
        record.table([{**GOOD, "minutes": 9}])

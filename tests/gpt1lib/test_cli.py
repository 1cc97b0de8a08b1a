"""One record of options: on the command line and in a file."""

import argparse
import errno
import os
import re
import shlex
import subprocess
import sys
from dataclasses import asdict, dataclass, fields

import pytest
import torch

from gpt1course import paper
from gpt1course.__main__ import main as run_course
from gpt1course.paper.__main__ import main as run_paper
from gpt1lib import cli
from gpt1lib.cli import option
from gpt1lib.config import GPTConfig
from gpt1lib.finetune import Settings
from gpt1lib.finetune.__main__ import main as finetune
from gpt1lib.finetune.__main__ import parser as finetune_parser
from gpt1lib.io import run_folder
from gpt1lib.io.paths import ROOT
from gpt1lib.io.run_folder import RunFolder
from gpt1lib.pretrain import config
from gpt1lib.pretrain.__main__ import main as pretrain
from gpt1lib.pretrain.__main__ import parser as pretrain_parser
from gpt1lib.pretrain.config import RECIPES, SIZES
from tools.notebooks.commands import main as run_notebooks


@dataclass(frozen=True)
class Sample:
    """One option of each kind."""

    n_steps: int = option(5, "how many")
    rate: float = option(0.5, "100% of it", changes_result=False)
    loud: bool = option(False, "say it")
    pair: tuple[float, float] = option((0.1, 0.2), "two numbers")
    color: str = option("red", "which", choices=("red", "blue"))
    limit: int | None = option(None, "at most")


def typed(*argv, now=None):
    parser = argparse.ArgumentParser()
    cli.add_options(parser, now or Sample(), "options")
    return cli.given_options(parser.parse_args(argv), Sample)


# ---- the record ----------------------------------------------------------------------


def test_only_what_was_typed_is_given():
    assert typed() == {}
    assert typed("--n-steps", "5") == {"n_steps": 5}, "typed, though it is the default"
    assert typed("--loud") == {"loud": True} and typed("--no-loud") == {"loud": False}
    assert typed("--pair", "1", "2") == {"pair": (1.0, 2.0)}
    assert typed("--limit", "7", "--rate", "2") == {"limit": 7, "rate": 2.0}


def test_what_is_typed_must_be_of_the_kind(capsys):
    for argv, message in (
        (["--color", "green"], "invalid choice: 'green'"),
        (["--n-steps", "1.5"], "invalid int value: '1.5'"),
        (["--pair", "1"], "expected 2 arguments"),
    ):
        with pytest.raises(SystemExit):
            typed(*argv)
        assert message in capsys.readouterr().err


@pytest.mark.parametrize("command", [pretrain, finetune])
def test_a_wrong_option_is_named_at_once(command, capsys):
    """Not below a page of all that could have been typed."""
    for argv in ([], ["--out", "x", "film_snippets", "--stepz", "5"]):
        with pytest.raises(SystemExit):
            command(argv)
        assert len(capsys.readouterr().err.splitlines()) == 2


def test_a_bad_value_is_named_with_what_it_must_be():
    with pytest.raises(ValueError, match="n_steps is 5, it must be > 9"):
        cli.require(Sample(), "n_steps", False, "> 9")
    cli.require(Sample(), "n_steps", True, "> 4")


# ---- the values that help shows ---------------------------------------------------------


def shown(parser, monkeypatch):
    """option -> the value in the last words of its help."""
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setenv("NO_COLOR", "1")
    values, names = {}, []
    for line in parser.format_help().splitlines():
        if line.startswith("  --"):
            names = re.findall(r"--([a-z0-9-]+)", line.split("   ")[0])
        if default := re.search(r"\(default: (.*)\)$", line):
            values |= dict.fromkeys(names, default[1])
    return values


def as_shown(record, skipped=()):
    return {
        f.name.replace("_", "-"): " ".join(map(str, v)) if isinstance(v, tuple) else str(v)
        for f in fields(record)
        if f.name not in skipped
        for v in [getattr(record, f.name)]
        if v is not None  # no limit: nothing is shown
    }


@pytest.mark.parametrize("named", ["", "tiny", "quick", "gpt1", "file"])
def test_help_shows_the_values_of_the_recipe_that_was_named(named, tmp_path, monkeypatch):
    argv, recipe = ["--recipe", named], RECIPES.get(named or "tiny")
    if named == "file":
        path = tmp_path / "mine.toml"
        path.write_text('recipe = "quick"\nlr = 0.125\nwarmdown = 0.25\n[model]\nn_layer = 7\n')
        argv, recipe = ["--config", str(path)], config.read_toml(path)
        assert (recipe.lr, recipe.warmdown, recipe.model.n_layer) == (0.125, 0.25, 7)
    help_values = shown(pretrain_parser(argv if named else []), monkeypatch)
    wanted = as_shown(recipe, {"model"}) | as_shown(recipe.model, {"n_vocab"})
    assert wanted.items() <= help_values.items()
    assert set(SIZES) == {f.name for f in fields(GPTConfig)} - {"n_vocab"}


def test_help_survives_a_recipe_that_is_not_there(monkeypatch):
    for argv in (["--recipe", "huge"], ["--config", "nowhere.toml"], ["--recipe"]):
        values = shown(pretrain_parser(argv), monkeypatch)
        assert values["lr"] == str(RECIPES["tiny"].lr)


def test_the_help_of_fine_tuning_shows_the_settings(monkeypatch):
    assert as_shown(Settings()).items() <= shown(finetune_parser(), monkeypatch).items()
    assert "None" not in finetune_parser().format_help()


def test_what_changes_a_result_is_part_of_the_method():
    speed = {
        "grad_accum",
        "activation_checkpointing",
        "compile",
        "fsdp",
        "evaluate_every",
        "sample_every",
        "save_every",
    }
    recipe = RECIPES["tiny"]
    assert set(asdict(recipe)) - set(recipe.fingerprint()) == speed


# ---- what goes wrong is one line ------------------------------------------------------------


@pytest.fixture(scope="module")
def books(make_books, tmp_path_factory):
    return make_books(tmp_path_factory.mktemp("books"))


def test_pre_training_says_what_went_wrong_in_one_line(books, tmp_path, one_line):
    toml = tmp_path / "mine.toml"
    toml.write_text("stepz = 3")
    where = ["--books", str(books[0]), "--heldout", str(books[1])]
    where += ["--out", str(tmp_path), "--device", "cpu"]
    (tmp_path / "state").mkdir()
    small = ["--n-merges", "60", "--steps", "2", "--warmup", "1"]
    for argv, message in (
        (["--warmup", "500"], "warmup is 500, it must be <= steps, 200"),
        (["--n-ctx", "1"], "n_ctx is 1, it must be >= 2"),
        (["--lr", "inf"], "lr is inf, it must be a finite number"),
        ([*small, "--warmup", "0", "--steps", "9", "--lr", "100"], ", guessing has "),
        (["--seed", "-1"], "seed is -1, it must be an integer from 0 to"),
        (["--n-head", "5"], "n_embd is 32, it must be divisible by n_head, which is 5"),
        (["--config", str(toml)], "unknown options ['stepz']"),
        (["--steps", "50", "--warmup", "51"], "warmup is 51, it must be <= steps, 50"),
        (["--config", "nowhere.toml"], "nowhere.toml: No such file or directory"),
        (["--config", str(toml), "--recipe", "tiny"], "give --recipe or --config, not both"),
        ([*small, "--books", str(books[1])], "held-out books are among the training books"),
        ([*small, "--fsdp"], "--fsdp needs processes to split over: start with torchrun"),
    ):
        assert message in one_line(pretrain, [*where, *argv], "pretrain")
    with RunFolder(tmp_path, "state").lock():
        assert "another run is writing" in one_line(pretrain, [*where, *small], "pretrain")


def test_a_gpu_is_hidden_from_all_tests_but_its_own():
    assert os.environ["CUDA_VISIBLE_DEVICES"] == ""
    assert torch.cuda.is_available.__module__.endswith("conftest")  # not torch's own answer


def test_a_gpu_that_is_not_there_is_one_line(books, tmp_path, one_line):
    argv = ["--books", str(books[0]), "--heldout", str(books[1]), "--out", str(tmp_path)]
    said = one_line(pretrain, [*argv, "--n-merges", "60", "--device", "cuda"], "pretrain")
    assert said == "the device is cuda, but torch finds no such GPU on this machine"


def test_fine_tuning_says_what_went_wrong_in_one_line(tmp_path, one_line):
    out = ["--out", str(tmp_path / "out")]
    for argv, message in (
        (["nothing"], "no task 'nothing'"),
        (["my.csv"], "my.csv is a file, no task's name: give it as --data my.csv"),
        ([], "name a task (film_snippets, "),
        (["--data", str(tmp_path)], "is a folder: name the published set in it; a set of your"),
        (["--data", "nowhere.csv"], "nowhere.csv: No such file or directory"),
        (
            ["--data", "nowhere"],
            "nowhere is not there; a set of your own must be one file: .csv, .tsv",
        ),
        (["film_snippets", "--checkpoint", str(tmp_path)], "contains no model, neither one of"),
        (["film_snippets", "--lr", "nan"], "lr is nan, it must be a finite number"),
        (["film_snippets", "--seed", "-1"], "seed is -1, it must be an integer from 0"),
        (["film_snippets", "--epochs", "0"], "epochs is 0, it must be >= 1"),
        (["film_snippets", "--longest", "0"], "longest is 0, it must be >= 1, or left out"),
    ):
        assert message in one_line(finetune, [*argv, *out], "finetune")
    with RunFolder(tmp_path / "out").lock():
        said = one_line(finetune, ["film_snippets", *out], "finetune")
    assert said == (
        f"another run is writing to {tmp_path / 'out'}: wait for it, or name another"
    )


def fails(error):
    def failing(*_):
        raise error

    return failing


def test_the_paper_says_what_went_wrong_in_one_line(tmp_path, monkeypatch, one_line):
    monkeypatch.setattr(paper.results, "STORED", tmp_path)
    assert "no experiment tabel5; known: " in one_line(run_paper, ["tabel5"], "paper")
    assert (
        one_line(run_paper, ["--workers", "0"], "paper")
        == "--workers is 0, it must be at least 1"
    )
    with RunFolder(tmp_path).lock():
        assert "another run is writing" in one_line(run_paper, ["table5"], "paper")
    monkeypatch.setattr(paper.tables, "run_tables", fails(FileNotFoundError("no LSTM")))
    assert one_line(run_paper, ["table5"], "paper") == "no LSTM"
    monkeypatch.setattr(paper.tables, "run_tables", fails(KeyboardInterrupt()))
    said = one_line(run_paper, ["table5"], "paper")
    assert said == "stopped. To go on: python -m gpt1course.paper table5"
    monkeypatch.setattr(paper.tables, "run_cell", fails(FileNotFoundError("no LSTM")))
    assert one_line(run_paper, ["--quick"], "paper") == "no LSTM"


@pytest.mark.parametrize("command", [pretrain, finetune])
def test_a_command_that_is_stopped_says_how_to_go_on(
    command, tmp_path, monkeypatch, books, one_line
):
    module = __import__(command.__module__, fromlist=["train"])
    monkeypatch.setattr(module, "train", fails(KeyboardInterrupt()))
    argv = ["--out", str(tmp_path)] + (["film_snippets"] if command is finetune else [])
    name = command.__module__.split(".")[1]
    said = one_line(command, argv, name)
    assert (
        said == f"stopped. To go on: {shlex.join(['python', '-m', f'gpt1lib.{name}', *argv])}"
    )


def test_the_course_says_what_went_wrong_in_one_line(tmp_path, one_line):
    (tmp_path / "a.ipynb").write_text("text,label")
    solve = ["solve", str(tmp_path / "a.ipynb")]
    assert "a.ipynb is not a notebook" in one_line(run_course, solve, "gpt1course")
    assert "there is no lesson '99'" in one_line(run_course, ["again", "99"], "gpt1course")


def test_the_tools_of_lessons_say_what_went_wrong_in_one_line(tmp_path, one_line):
    for argv, message in (
        (["sync", "nowhere.ipynb"], "nowhere.ipynb: No such file or directory"),
        (["run", str(tmp_path)], "Is a directory"),
    ):
        assert message in one_line(run_notebooks, argv, "notebooks")


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        (run_course, ["again", "05", "06"]),
        (run_course, ["progress", "05"]),
        (run_notebooks, ["run"]),
    ],
)
def test_too_many_or_too_few_words_are_refused(command, argv):
    with pytest.raises(SystemExit) as end:
        command(argv)
    assert end.value.code == 2


def test_a_run_needs_a_folder_that_can_be_written(books, tmp_path, one_line, monkeypatch):
    (tmp_path / "notes.txt").touch()
    for command, name in ((pretrain, "pretrain"), (finetune, "finetune")):
        argv = ["film_snippets"] * (name == "finetune") + ["--out", str(tmp_path / "notes.txt")]
        said = one_line(command, argv, name)
        assert said == f"{tmp_path / 'notes.txt'} is a file, a run needs a folder"
    where = ["--books", str(books[0]), "--heldout", str(books[1]), "--device", "cpu"]
    where += ["--n-merges", "20", "--steps", "2", "--out", str(tmp_path / "out")]
    full = OSError(errno.ENOSPC, "No space left on device", "state.pt")
    monkeypatch.setattr(run_folder, "write_state", fails(full))
    said = one_line(pretrain, where, "pretrain")
    assert "No space left on device" in said and "Nothing was saved yet: make room" in said


def test_the_memory_may_be_too_small(monkeypatch, tmp_path, one_line):
    module = __import__(pretrain.__module__, fromlist=["train"])
    monkeypatch.setattr(module, "train", fails(MemoryError()))
    assert one_line(pretrain, ["--out", str(tmp_path)], "pretrain") == "the memory is full"


def test_the_traceback_is_shown_on_request(monkeypatch, capsys):
    for value, shown in (("", False), ("1", True)):
        monkeypatch.setenv("GPT1_DEBUG", value)
        with pytest.raises(SystemExit, match="^sample: no such token$"):
            with cli.one_line_errors("sample"):
                raise ValueError("no such token")
        assert ("Traceback" in capsys.readouterr().err) == shown


def test_a_package_that_is_missing_is_told_in_a_line():
    with pytest.raises(SystemExit, match="^sample: no spacy$"):
        with cli.one_line_errors("sample"):
            raise ImportError("no spacy")


def started(tmp_path, *command, **environment):
    """What a command says on stderr that is stopped by Ctrl-C while it loads torch."""
    (tmp_path / "torch.py").write_text("raise KeyboardInterrupt")
    found = os.pathsep.join([str(tmp_path), str(ROOT)])
    return subprocess.run(
        [sys.executable, *command],
        env={**os.environ, "PYTHONPATH": found, **environment},
        capture_output=True,
        text=True,
        check=False,
    ).stderr


@pytest.mark.parametrize("module", ["gpt1lib.sample", "gpt1lib.pretrain", "gpt1course"])
def test_ctrl_c_while_torch_loads_is_one_line(tmp_path, module):
    assert started(tmp_path, "-m", module) == "\nstopped\n"
    assert "Traceback" in started(tmp_path, "-m", module, GPT1_DEBUG="1")


def test_a_program_of_ones_own_keeps_its_traceback(tmp_path):
    assert "Traceback" in started(tmp_path, "-c", "import gpt1lib")
    mine = tmp_path / "gpt1-course" / "mine"
    mine.mkdir(parents=True)
    (mine / "__init__.py").write_text("import gpt1lib")
    (mine / "__main__.py").touch()
    found = os.pathsep.join(map(str, (tmp_path, ROOT, mine.parent)))
    assert "Traceback" in started(tmp_path, "-m", "mine", PYTHONPATH=found)

"""Options of a pre-training run: from a name, a file, the command line."""

import argparse
import dataclasses

import pytest

from gpt1lib import GPT1
from gpt1lib.pretrain import config
from gpt1lib.pretrain.config import RECIPES, Recipe


def parsed(*arguments):
    parser = argparse.ArgumentParser()
    config.add_recipe_options(parser, list(arguments))
    return config.from_options(parser.parse_args(list(arguments)))


def test_gpt1s_own_recipe_is_the_papers():
    r = RECIPES["gpt1"]
    assert r.model == GPT1 and (r.batch, r.model.n_ctx) == (64, 512)
    assert (r.lr, r.warmup, r.weight_decay, r.grad_clip) == (2.5e-4, 2000, 0.01, 1.0)
    assert r.model.dropout == 0.1 and r.n_merges == 40_000 and r.warmup_ctx == 0


def test_a_file_then_the_command_line_override_the_named_recipe(tmp_path):
    path = tmp_path / "run.toml"
    path.write_text('recipe = "tiny"\nsteps = 50\nlr = 1\n[model]\nn_layer = 3\n')
    r = parsed("--config", str(path), "--n-head", "4", "--betas", "0.8", "0.9", "--bf16")
    tiny = RECIPES["tiny"]
    assert (r.steps, r.lr, r.batch) == (50, 1.0, tiny.batch)
    assert (r.model.n_layer, r.model.n_head, r.model.n_embd) == (3, 4, tiny.model.n_embd)
    assert r.betas == (0.8, 0.9) and r.bf16 and not tiny.bf16
    assert not dataclasses.replace(r, bf16=False).bf16
    assert parsed("--config", str(path), "--no-bf16").bf16 is False


def test_without_a_name_it_is_tiny():
    assert parsed() == RECIPES["tiny"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('recipe = "huge"', "run.toml: unknown recipe 'huge'.*gpt1"),
        ("stepz = 5", "run.toml: unknown options.*stepz.*steps"),
        ("steps = 0", "run.toml: steps is 0, it must be >= 1"),
        ('steps = "many"', "run.toml: steps is 'many', it must be an integer"),
        ("[model]\nn_layers = 3", "run.toml: GPTConfig has no n_layers, it has n_vocab"),
        ("model = 3", "run.toml: model is 3, it must be a table of sizes"),
        ('recipe = ["x"]', r"run.toml: unknown recipe \['x'\]"),
        ("[model]\nn_embd = 31", "n_embd is 31, it must be divisible"),
        ("steps = ", "is not valid TOML"),
    ],
)
def test_a_bad_file_is_named_with_its_problem(tmp_path, text, problem):
    path = tmp_path / "run.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=problem):
        config.read_toml(path)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("batch", 0),
        ("lr", 0.0),
        ("grad_clip", -1.0),
        ("warmup", 2_000_000),
        ("kind", "rnn"),
        ("betas", (0.9, 1.0)),
        ("warmup_ctx_share", 1.5),
        ("warmup_ctx", 100),
        ("warmdown", -0.1),
        ("matrix_lr", -1.0),
        ("grad_accum", 0),
        ("weight_decay", -0.1),
        ("snapshots", -1),
    ],
)
def test_values_that_make_no_run_are_refused(name, value):
    with pytest.raises(ValueError, match=f"{name} is"):
        dataclasses.replace(Recipe(), **{name: value})


def test_a_run_cut_short_warms_up_over_a_tenth():
    assert parsed("--recipe", "gpt1", "--steps", "50").warmup == 5
    assert parsed("--recipe", "gpt1", "--steps", "5000").warmup == 2000


def test_a_warm_up_longer_than_the_run_is_refused_where_steps_are_not_given():
    with pytest.raises(ValueError, match="warmup is 5000, it must be <= steps, 200"):
        parsed("--warmup", "5000")


def test_name_and_file_together_are_refused(tmp_path):
    with pytest.raises(ValueError, match="not both"):
        parsed("--recipe", "tiny", "--config", str(tmp_path / "x.toml"))


def test_short_windows_at_first():
    r = dataclasses.replace(
        RECIPES["gpt1"], steps=100, warmup=0, batch=3, warmup_ctx=128, warmup_ctx_share=0.4
    )
    assert {r.batch_shape(step) for step in range(40)} == {(12, 128)}
    assert {r.batch_shape(step) for step in range(40, 100)} == {(3, 512)}
    assert RECIPES["gpt1"].batch_shape(0) == (64, 512)
    assert [r.windows_before(step) for step in (0, 1, 40, 41)] == [0, 12, 480, 483]
    for steps in (7, 99):  # a share that ends within an update
        r = dataclasses.replace(r, steps=steps)
        read = [sum(r.batch_shape(i)[0] for i in range(n)) for n in range(steps + 1)]
        assert read == [r.windows_before(n) for n in range(steps + 1)]
    assert RECIPES["gpt1"].windows_before(7) == 7 * 64 and not RECIPES["gpt1"].even_windows


def test_the_rates():
    gpt1 = RECIPES["gpt1"]
    short = dataclasses.replace(gpt1, steps=100, warmup=10, warmdown=0.5)
    assert [short.lr_factor(step) for step in (5, 50, 75, 100)] == [0.5, 1.0, 0.5, 0.0]
    assert gpt1.lr_factor(500_000) == pytest.approx(0.5)


def test_what_only_changes_speed_may_change_under_a_resume():
    r = RECIPES["tiny"]
    other = dataclasses.replace(r, grad_accum=2, save_every=7, activation_checkpointing=True)
    assert other.fingerprint() == r.fingerprint()
    assert dataclasses.replace(r, lr=1.0).fingerprint() != r.fingerprint()


def test_help_explains_every_option(capsys):
    with pytest.raises(SystemExit):
        parsed("--help")
    text = capsys.readouterr().out
    for f in dataclasses.fields(Recipe):
        if f.name != "model":
            assert "--" + f.name.replace("_", "-") in text and f.metadata["help"]
    assert "highest learning rate" in text and "--n-layer" in text

"""The benchmarks start, and their arithmetic holds; their numbers are not tested."""

import importlib.util
import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gpt1lib import TINY, pretrain, scoring

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
PATHS = sorted(FOLDER.glob("*.py"))


def script(name: str):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
@pytest.mark.parametrize("name", [p.stem for p in PATHS])
def test_each_explains_itself(name, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as end:
        script(name).main()
    assert end.value.code == 0 and "usage:" in capsys.readouterr().out


def test_flops_of_gpt1_by_hand():
    module = script("training_speed")
    config = module.SIZES["full"][0]
    attention = 6 * 12 * 768 * 512
    assert module.flops_per_token(config) == 6 * (84_934_656 + 31_087_104) + attention


def test_a_recipe_is_fitted_to_the_time():
    """1,536 tokens per update: 60 % of them at 3,072 per second, the rest at 1,536."""
    recipe = pretrain.RECIPES["quick"]
    fitted = script("quality_for_time").fitted(recipe, 7.001, [3072, 1536])
    assert (fitted.steps, fitted.warmup) == (600, 30)
    assert replace(fitted, steps=recipe.steps, warmup=recipe.warmup) == recipe


def test_nanogpt_is_scored_as_ours_is():
    model = script("quality_for_time").NanoGPT(TINY).eval()
    ids = torch.arange(50) % TINY.n_vocab
    assert 0 < scoring.heldout_nats(model, ids) < 2 * math.log(TINY.n_vocab)


@pytest.mark.parametrize("matrix_lr", [0.0, 5e-3])
def test_a_trial_follows_its_schedule(matrix_lr):
    recipe = replace(pretrain.RECIPES["tiny"], steps=10**6, warmup=50_000, matrix_lr=matrix_lr)
    ids = torch.arange(500) % recipe.model.n_vocab
    model, losses = script("recipe_trials").trial(recipe, ids, seconds=1.0)
    assert len(losses) > 3 and losses[-1] < losses[0] and not model.training

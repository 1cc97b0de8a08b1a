"""The benchmarks start, and their arithmetic holds; their numbers are not tested."""

import importlib.util
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from gpt1lib.recipes import RECIPES

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
PATHS = sorted(FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_each_explains_itself(path):
    done = subprocess.run(
        [sys.executable, path, "--help"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


@pytest.fixture(scope="module")
def quality():
    spec = importlib.util.spec_from_file_location(
        "quality", FOLDER / "quality_for_time.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("n_tokens", [3_000, 100_000, 2_345_678])
def test_the_updates_that_fit(quality, n_tokens):
    recipe = RECIPES["novelist"]
    steps = quality.updates_that_fit(recipe, n_tokens)
    used = [
        quality.tokens_of(replace(recipe, steps=n, warmup=0))
        for n in (steps, steps + 1)
    ]
    assert used[0] <= n_tokens < used[1]


def test_flops_of_gpt1_by_hand():
    path = FOLDER / "training_speed.py"
    spec = importlib.util.spec_from_file_location("training_speed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = module.SIZES["full"][0]
    attention = 6 * 12 * 768 * 512
    assert module.flops_per_token(config) == 6 * (84_934_656 + 31_087_104) + attention

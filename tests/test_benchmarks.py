"""The benchmarks start, and their arithmetic holds; their numbers are not tested."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"
PATHS = sorted(FOLDER.glob("*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS, ids=lambda p: p.stem)
def test_each_explains_itself(path):
    done = subprocess.run([sys.executable, path, "--help"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "usage:" in done.stdout


def test_flops_of_gpt1_by_hand():
    path = FOLDER / "training_speed.py"
    spec = importlib.util.spec_from_file_location("training_speed", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    config = module.SIZES["full"][0]
    attention = 6 * 12 * 768 * 512
    assert module.flops_per_token(config) == 6 * (84_934_656 + 31_087_104) + attention

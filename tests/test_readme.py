"""What the README says about costs is what the arithmetic says."""

from pathlib import Path

import torch

from gpt1lib import GPT, GPT1
from gpt1lib.pretrain.recipes import RECIPES

README = (Path(__file__).resolve().parents[1] / "README.md").read_text()


def test_the_costs_of_gpt1():
    with torch.device("meta"):
        n = GPT(GPT1).count_parameters()
    recipe = RECIPES["gpt1"]
    tokens = recipe.batch * GPT1.n_ctx
    update = 6 * n * tokens
    for said in (
        f"{n:,} parameters",
        f"= {tokens:,} tokens",
        f"{update:.2e}".replace("e+", "e"),
        f"needs {update / 1e14:.2f} s",
        f"{update * 1e6 / 1e14 / 3600:.0f} hours",
        f"{update * 1e6 / 1e14 / 3600 / 8:.0f} hours",
        f"{16 * n / 1e9:.1f} GB",
        f"{4 * tokens * GPT1.n_vocab / 1e9:.1f} GB",
        f"need {update * 1e6 / 0.18e12 / 3600 / 24 / 365:.0f}\nyears",
    ):
        assert said in README, said

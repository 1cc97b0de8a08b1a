"""The numbers by which the page on training says how to read the log."""

import math

import torch

from gpt1lib import induction
from gpt1lib.config import NOVELIST
from gpt1lib.io.paths import ROOT
from gpt1lib.pretrain.config import RECIPES


def test_what_guessing_and_even_attention_are_measured_as():
    page = " ".join((ROOT / "docs/training.md").read_text(encoding="utf-8").split())
    sizes = RECIPES["quick"].model
    n = 2 * (sizes.n_ctx // 8)  # a span is said twice: see induction.measures
    even = torch.tril(torch.ones(n, n))
    even /= even.sum(dim=1, keepdim=True)
    prefix = induction.prefix_matching_scores(even).item()
    before = induction.previous_token_scores(even).item()
    assert (
        f"a prefix-matching score of {prefix:.2f} and a previous-token score of {before:.2f}"
        in page
    )
    n_vocab = NOVELIST.n_vocab
    assert (
        f"a vocabulary of {n_vocab:,} tokens, `first_time` is about {math.log(n_vocab):.1f}"
        in page
    )

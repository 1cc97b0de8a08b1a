"""The formula sheet: its numbers are the library's, and it fits on two pages."""

import math
import re

import torch

import gpt1lib as g
from gpt1lib.io.paths import ROOT

SHEET = (ROOT / "docs/formulas.md").read_text(encoding="utf-8")


def test_sizes_and_parameters_are_gpt1_s():
    c = g.GPT1
    sizes = [f"C = {c.n_embd}", f"H = {c.n_head}", f"D = {c.n_embd // c.n_head}"]
    for said in (*sizes, f"V = {c.n_vocab:,}", f"T ≤ {c.n_ctx}", f"are {c.n_layer} blocks"):
        assert said in SHEET, said
    C = c.n_embd
    total = c.n_vocab * C + c.n_ctx * C + c.n_layer * (12 * C * C + 13 * C)
    assert f"{total:,} in GPT-1" in SHEET
    with torch.device("meta"):
        assert g.GPT(c).count_parameters() == total
    assert f"for GPT-1 {math.log(c.n_vocab):.1f} nats" in SHEET


def test_the_formulas_of_gelu_and_layernorm_are_the_model_s():
    x = torch.linspace(-3, 3, 13, dtype=torch.float64)
    gelu = 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    model = g.GPT(g.TINY)
    assert torch.allclose(gelu, torch.nn.functional.gelu(x, approximate="tanh"))
    assert model.blocks[0].ln_1.eps == 1e-5 and "10^{-5}" in SHEET and "0.044715" in SHEET


def test_it_fits_on_two_pages():
    words = re.sub(r"\]\([^)]*\)", "]", SHEET).split()
    assert len(words) < 900 and SHEET.count("\n") < 100

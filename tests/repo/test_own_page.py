"""The page for those who bring their own: its recipe shows what the model computed."""

import re
from pathlib import Path

import numpy as np
import pytest
import torch

PAGE = Path(__file__).resolve().parents[2] / "docs" / "own.md"


@pytest.mark.parametrize("kind", ["GPT2Config", "BertConfig"])
def test_the_attention_of_a_transformers_model(kind):
    text = PAGE.read_text(encoding="utf-8")
    [code] = [x for x in re.findall(r"```python\n(.*?)```", text, re.S) if "AutoModel" in x]
    if kind == "BertConfig":  # which names its sizes otherwise
        sizes = "vocab_size=100, hidden_size=32, num_hidden_layers=2, num_attention_heads=4"
        code = re.sub(r"= GPT2Config\(.*\)", f"= BertConfig({sizes})", code)
        code = code.replace("GPT2Config", "BertConfig")
    *setup, last = code.strip().split("\n")
    names: dict = {}
    torch.manual_seed(0)
    exec("\n".join(setup), names)
    view = eval(last, names)
    assert (view.n_layer, view.n_head, view.tokens) == (2, 4, names["tokens"])
    sums = view.weights.sum(-1)
    np.testing.assert_allclose(sums, 1, atol=1e-5)
    ahead = np.triu(view.weights[0, 0], 1).sum()
    assert (ahead == 0) == (kind == "GPT2Config"), "GPT looks back, BERT both ways"

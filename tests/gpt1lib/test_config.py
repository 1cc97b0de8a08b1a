"""Sizes that make a model, and sizes that do not."""

import copy
import pickle
from dataclasses import replace

import pytest

import gpt1lib as g


def test_defaults_are_the_paper_s():
    c = g.GPT1
    assert (c.n_layer, c.n_head, c.n_embd, c.n_ctx, c.n_vocab) == (12, 12, 768, 512, 40478)
    assert (c.head_dim, c.dropout, c.tied) == (64, 0.1, True)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ({"n_embd": 100, "n_head": 3}, "n_embd is 100.*divisible by n_head.*3"),
        ({"n_layer": 0}, "n_layer is 0"),
        ({"n_ctx": 2.5}, "n_ctx is 2.5"),
        ({"n_vocab": True}, "n_vocab is True"),
        ({"dropout": 1.0}, "dropout is 1.0"),
        ({"dropout": -0.1}, "dropout is -0.1"),
    ],
)
def test_bad_sizes_are_named(sizes, message):
    with pytest.raises(ValueError, match=message):
        g.GPTConfig(**sizes)


def test_a_config_can_not_change():
    with pytest.raises(AttributeError):
        g.GPT1.n_layer = 3


def test_a_name_that_is_no_size_is_answered_with_those_that_are():
    with pytest.raises(TypeError, match="GPTConfig has no layers, it has n_vocab, n_ctx,"):
        g.GPTConfig(layers=2)
    again = pickle.loads(pickle.dumps(replace(g.TINY, n_layer=3)))
    assert again == copy.deepcopy(again) == replace(g.TINY, n_layer=3)

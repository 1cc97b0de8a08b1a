"""What HeadsExplorer holds: measures by hand, and predictions without a head."""

from dataclasses import replace

import numpy as np
import pytest
import torch
import traitlets

import gpt1lib as g
from gpt1course.viz.explorers import HeadsExplorer, head_measures, heads
from gpt1course.viz.numbers import percent
from gpt1lib.tracing import scale_heads

TEXT = "The captain looked at the sea."


def test_measures_by_hand():
    found = head_measures([[[[1, 0, 0], [0.5, 0.5, 0], [0.25, 0.5, 0.25]]]])
    wanted = {"distance": 0.75, "entropy": 1.25, "previous": 0.5}
    wanted |= {"first": 0.375, "itself": 0.375}
    assert {k: v.item() for k, v in found.items()} == pytest.approx(wanted)


def test_the_likeliest_of_a_row_is_kept_where_other_rows_are_surer():
    probs = np.array([[[0.5, 0.45, 0.03, 0.02]], [[0.2, 0.2, 0.25, 0.35]]])
    assert heads._likely(probs, 1).tolist() == [[0, 3]]


@pytest.fixture(scope="module")
def explorer(novelist):
    cost = np.arange(16.0).reshape(4, 4) / 100
    return HeadsExplorer.from_checkpoint(novelist, TEXT, cost, head=13, row=4)


@torch.no_grad()
def test_predictions_are_the_model_s_with_a_head_as_it_is_and_turned_down(explorer, novelist):
    ids = torch.tensor([novelist.bpe.encode(TEXT)])
    for place, words in enumerate(explorer.words):
        assert len(set(words)) == len(words)
        picked = [novelist.bpe.token_to_id(w) for w in words]
        for factor in (1, 0, 0.25, 0.75):
            with scale_heads(novelist.model, {(3, 1): factor}):
                probs = novelist.model(ids)[0, place].softmax(-1)
            at = None if factor == 1 else heads.FACTORS.index(factor)
            held = explorer.probs[place] if at is None else explorer.scaled[at, 13, place]
            assert np.allclose(held, probs[picked], atol=1e-6)
            assert set(probs.topk(6).indices.tolist()) <= set(picked), "the likeliest are there"


def test_the_sentence_tells_what_moves(explorer):
    said = explorer.sentence()
    assert said.startswith("Block 3, head 1 looks ")
    assert "without it the loss changes by 0.130 nats" in said
    moved = "After 'the (4)', ablating it moves 'captain' most: from 32.6% to 0.26%."
    assert moved in said
    try:
        explorer.factor = 0
        assert moved in explorer.sentence()
        explorer.factor = 0.25
        at = explorer.words[4].index("captain</w>")
        p = percent(explorer.scaled[1, 13, 4, at])
        down = f"turning it down to 0.25 moves 'captain' most: from 32.6% to {p}."
        assert down in explorer.sentence() and p != "0.26%"
        with pytest.raises(traitlets.TraitError, match="0.3"):
            explorer.factor = 0.3
    finally:
        explorer.factor = 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"cost": np.zeros((4, 3))}, r"cost has shape \(4, 3\)"),
        ({"head": 16}, "head is 16"),
        ({"row": 9}, "row is 9"),
        ({"text": "the"}, "the number of tokens is 1"),
    ],
)
def test_bad_arguments_are_named(novelist, more, message):
    given = {"text": TEXT, "cost": np.zeros((4, 4))} | more
    with pytest.raises(ValueError, match=message):
        HeadsExplorer.from_checkpoint(novelist, **given)


def test_gpt_1_has_more_heads_than_four(novelist):
    model = g.GPT(g.GPTConfig(n_vocab=novelist.bpe.n_vocab, n_head=6, n_embd=12, n_layer=3))
    explorer = HeadsExplorer.from_checkpoint(
        replace(novelist, model=model), TEXT, -np.ones((3, 6))
    )
    assert explorer.figure() and len(explorer.measures["entropy"]) == 18

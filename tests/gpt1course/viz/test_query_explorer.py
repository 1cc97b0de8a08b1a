"""The plane of a query and its keys: what it shows is what the head computes."""

import itertools
import math

import numpy as np
import pytest
import torch
import traitlets
from node import evaluate

import gpt1lib as g
from gpt1course.viz import explorers
from gpt1course.viz.explorers import query as view

TEXT = "She took the letter from the table and"


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (1, 2), (3, 3)])
def test_weights_in_the_plane_are_the_head_s_own(novelist, layer, head):
    e = explorers.QueryExplorer.from_checkpoint(novelist, TEXT, layer, head, source="head")
    block = g.trace(novelist.model, novelist.bpe.encode(TEXT)).blocks[layer]
    _, _, weights, mix = e.steps()
    assert np.allclose(weights, block.weights[head, -1], atol=1e-3)
    values = block.v[head] - block.v[head].mean(dim=0)
    apart = (values[:, None] - values).norm(dim=-1)
    drawn = np.array(e.places["head"]["values"])
    shown = np.linalg.norm(drawn[:, None] - drawn, axis=-1)
    assert (shown <= apart.numpy() + 1e-3).all(), "a projection brings no two points apart"
    assert np.allclose(mix, weights @ drawn)


def test_a_query_elsewhere_in_the_plane_meets_all_64_numbers_of_the_keys(novelist):
    """Half the query, and a step across it: the dot products are those of whole vectors."""
    ids = novelist.bpe.encode(TEXT)
    block, plane = (
        g.trace(novelist.model, ids).blocks[3],
        view.head_plane(novelist.model, ids, 3, 3),
    )
    q, k = block.q[3, -1], block.k[3] - block.k[3].mean(dim=0)
    rest = k - torch.outer(k @ q, q) / (q @ q)
    step = torch.linalg.svd(rest).Vh[0]
    wanted = (k @ (q / 2 + 3 * step) / 8).softmax(dim=0)
    place = [q.norm() / 2, 3.0]
    found = view.query_steps(place, plane["keys"], plane["values"], 0, 8.0)[2]
    assert np.allclose(found, wanted, atol=1e-3)


def test_the_picture_says_how_much_weight_the_best_key_gets(novelist):
    """A soft look-up picks nothing: the title names the largest weight as one of several."""
    figure = explorers.QueryExplorer.from_checkpoint(novelist, TEXT, 3, 3).figure()
    assert figure.get_suptitle() == "The query gives most weight to 'letter', 82.3%"


def test_added_numbers_spread_as_the_root_of_d():
    sums = np.concatenate([view.added_numbers(5, 64, seed) for seed in range(400)])
    assert sums.std() == pytest.approx(math.sqrt(62), rel=0.06)
    assert not view.added_numbers(5, 2).any()


@pytest.mark.parametrize(
    ("trait", "value"),
    [
        ("query", [math.nan, 0]),
        ("query", [0]),
        ("query", [99, 0]),
        ("size", 3),
        ("source", "x"),
    ],
)
def test_what_cannot_be_is_refused(novelist, trait, value):
    e = explorers.QueryExplorer.from_checkpoint(novelist, TEXT, 3, 3)
    with pytest.raises(traitlets.TraitError):
        setattr(e, trait, value)


def test_a_head_that_is_not_there_is_named(novelist):
    with pytest.raises(ValueError, match="block 4, head 0"):
        explorers.QueryExplorer.from_checkpoint(novelist, TEXT, 4, 0)


def test_of_a_long_text_the_last_tokens_are_read(novelist):
    e = explorers.QueryExplorer.from_checkpoint(novelist, TEXT + " " + TEXT, 3, 3)
    assert len(e.places["head"]["tokens"]) == 12
    assert e.title == "block 3, head 3, the last 12 of 16 tokens"


def test_the_sentence_names_the_winner(novelist):
    e = explorers.QueryExplorer.from_checkpoint(novelist, TEXT, 3, 3)
    assert "'letter' gets the largest weight" in e.sentence()
    e.query, e.size, e.scaled = [0.0, 0.0], 64, False
    assert "'took' gets the largest weight" in e.sentence() and e.figure()


def test_the_page_s_steps_are_python_s(novelist):
    e = explorers.QueryExplorer.from_checkpoint(novelist, TEXT, 3, 3)
    cases, wanted = [], []
    for e.source, e.size, e.scaled in itertools.product(("hand", "head"), (2, 8, 64), (0, 1)):
        by_hand = e.source == "hand"
        size = e.size if by_hand else e.head_size
        extra = e.extra[str(size)] if by_hand else []
        root = math.sqrt(size) if e.scaled else 1
        cases.append([e.places[e.source], e.query, extra, root])
        wanted.append(e.steps())
    found = evaluate("query.steps", "cases.map(given => module.steps(...given))", cases=cases)
    for in_page, (raw, scores, weights, mix) in zip(found, wanted, strict=True):
        assert np.allclose(in_page["raw"], raw) and np.allclose(in_page["scores"], scores)
        assert np.allclose(in_page["weights"], weights, atol=1e-9)
        assert np.allclose(in_page["mix"], mix, atol=1e-6)
        assert in_page["best"] == weights.argmax()


def test_a_single_token_makes_no_plane(novelist):
    with pytest.raises(ValueError, match="the text has 1 token, the plane takes at least 2"):
        explorers.QueryExplorer.from_checkpoint(novelist, "she", 3, 3)
    two = explorers.QueryExplorer.from_checkpoint(novelist, "she said", 3, 3, source="head")
    assert np.isfinite(two.steps()[3]).all() and two.figure().axes

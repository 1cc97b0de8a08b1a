"""What the map of the model sends and says, against the model."""

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course.viz import explorers
from gpt1lib.generate import next_token_probs
from gpt1lib.tracing import scale_heads

TEXT = "She took the letter from the table and began to"


@pytest.fixture(scope="module")
def explorer(novelist):
    return explorers.ModelMapExplorer.from_checkpoint(novelist, TEXT)


def sent(explorer, name, *shape, kind="<f2"):
    return torch.tensor(np.frombuffer(getattr(explorer, name), kind).reshape(shape)).float()


def test_the_next_words_are_the_models(novelist, explorer):
    with torch.no_grad():
        logits = novelist.model(torch.tensor([explorer.ids]))[0]
    for t in (0, 9):
        probs = next_token_probs(logits[t])
        wanted, ids = probs.topk(8)
        pieces, given, p, whole = zip(*explorer.words[t], strict=True)
        assert list(pieces) == novelist.bpe.pieces(ids.tolist())
        assert p == whole == pytest.approx(wanted.tolist(), abs=1e-5)
        assert given == pytest.approx(logits[t, ids].tolist(), abs=1e-4)
        assert explorer.lens[-1][t][0] == explorer.whole[-1][t]
        assert explorer.lens[-1][t][0][1] == pytest.approx(wanted[0].item(), abs=1e-5)
    assert np.array(explorer.crowd["counts"]).sum(1).tolist() == 10 * [8120]
    assert explorer.crowd["high"] == pytest.approx(logits.max().item(), abs=1e-4)


@torch.no_grad()
def test_a_block_is_made_of_what_is_sent(novelist, explorer):
    """Each station follows from the ones before it, with a head off or turned down, too."""
    off, down = (
        explorers.ModelMapExplorer.from_checkpoint(novelist, TEXT, factors={14: factor})
        for factor in (0, 0.5)
    )
    block = novelist.model.blocks[3]
    for e in (explorer, off, down):
        mixed, attended, n, mlp, h = sent(e, "states", 4, 5, 10, 256)[3]
        x = sent(e, "states", 4, 5, 10, 256)[2, 4]
        brought = sent(explorer, "states", 4, 5, 10, 256)[3, 0, :, 128:192]
        assert torch.allclose(mixed[:, 128:192], e.factors.get("14", 1) * brought, atol=1e-3)
        assert torch.allclose(block.attention.project(mixed), attended, atol=0.02)
        assert torch.allclose(block.ln_1(x + attended), n, atol=0.02)
        neurons = sent(e, "neurons", 4, 10, 1024)[3]
        assert torch.allclose(block.shrink(neurons), mlp, atol=0.05)
        assert torch.allclose(block.ln_2(n + mlp), h, atol=0.05)
        logits = novelist.model.logits(h)[-1]
        assert e.words[-1][0][1] == pytest.approx(logits.max().item(), abs=0.05)
    for e, factor in ((off, 0), (down, 0.5)):
        with scale_heads(novelist.model, {(3, 2): factor}):
            probs = novelist.model(torch.tensor([e.ids]))[0, -1].softmax(-1)
        piece, _, p, whole = e.words[-1][0]
        assert piece == novelist.bpe.pieces([int(probs.argmax())])[0]
        assert p == pytest.approx(probs.max()) != explorer.words[-1][0][2]
        assert whole == pytest.approx(explorer.words[-1][0][2], abs=1e-6)
        assert [best for best, *_ in e.whole[-1]] == [row[0][0] for row in explorer.lens[-1]]
        assert "Heads turned down: 1." in e.sentence()


def test_a_head_is_made_of_what_is_sent(novelist, explorer):
    qkv = sent(explorer, "qkv", 4, 10, 3, 4, 64, kind="<f4")
    scores = sent(explorer, "scores", 4, 4, 10, 10, kind="<f4")
    steps = g.trace(novelist.model, explorer.ids)
    assert torch.allclose(scores[3, 3], qkv[3, :, 0, 3] @ qkv[3, :, 1, 3].T / 8, atol=1e-4)
    assert torch.allclose(sent(explorer, "weights", 4, 4, 10, 10, kind="<f4"), steps.weights)
    rows = sent(explorer, "rows", 2, 10, 256)
    assert torch.allclose(rows.sum(0), steps.h0, atol=1e-3)


def test_it_opens_where_a_head_looks_hard(explorer):
    weights = sent(explorer, "weights", 4, 4, 10, 10, kind="<f4")
    assert (explorer.block, explorer.head, explorer.place) == (3, 3, 9)
    assert explorer.other == weights[3, 3, 9, 1:].argmax() + 1
    assert explorer.sentence().startswith("A map of the model: 10 ids, 4 blocks, 8,120 logits.")
    assert explorer.finding() == "After “to”, “read” comes out of block 3"


def test_texts_and_heads_that_cannot_be_are_refused(novelist):
    e = explorers.ModelMapExplorer.from_checkpoint(novelist, "The old man")
    e.set_state({"text": "word " * 2000})
    assert "2000 tokens, this page shows 24" in e.message and len(e.tokens) == 3
    e.set_state({"factors": {"3": 0.5, "2": 1}})  # of the text that is shown
    assert e.factors == {"3": 0.5} and e.shown == "The old man" and not e.message
    for wrong in ({"16": 0}, {"3": 1.5}, {"3": "0"}, {"-1": 0}, {"x": 0}, [3]):
        e.set_state({"factors": wrong})
        assert e.factors == {"3": 0.5}
    e.factors = {11: 0.2, 2: 0}
    assert list(e.factors.items()) == [("2", 0.0), ("11", 0.2)]
    e.set_state({"text": "A"})
    assert (len(e.tokens), e.place, e.other) == (1, 0, 0) and e.figure()
    for wrong, message in (({16: 0}, "head 16, heads are 0 to 15"), ({3: 2}, "of head 3 is 2")):
        with pytest.raises(ValueError, match=message):
            explorers.ModelMapExplorer.from_checkpoint(novelist, "A", factors=wrong)

"""Embeddings that begin as word vectors: counted by hand, and what a run does with them."""

import math
from dataclasses import replace

import pytest
import torch

from gpt1lib import GPT, GPTConfig, induction, pretrain
from gpt1lib.checkpoints import kinds
from gpt1lib.pretrain import init
from gpt1lib.pretrain.init import positive_pmi


def test_the_counts_are_those_of_a_pencil():
    """0 1 0 2: at distance 1 three pairs, at 2 two (each half), at 3 one (a third)."""
    found = positive_pmi(torch.tensor([0, 1, 0, 2]), 3)
    n01, n00, n12, n02 = 2.0, 0.5 * 2, 0.5, 1 + 1 / 3
    table = torch.tensor([[n00, n01, n02], [n01, 0, n12], [n02, n12, 0]])
    each = table.sum(dim=1)
    wanted = (table * each.sum() / (each[:, None] * each)).clamp(min=1).log()
    torch.testing.assert_close(found, wanted)
    assert found[1, 0] == pytest.approx(math.log(2.0 * each.sum() / (each[0] * each[1])))


def test_tokens_of_like_company_get_like_vectors():
    """Tokens 2 and 3 stand between 0 and 1, token 5 between 4 and 6."""
    draws = torch.Generator().manual_seed(0)
    middle = torch.randint(2, 4, (400,), generator=draws)
    first = torch.stack([torch.zeros(400), middle, torch.ones(400)], dim=1).long().flatten()
    ids = torch.cat([first, torch.tensor([4, 5, 6] * 400)])
    v = init.count_vectors(ids, 8, 4)
    assert v[2] @ v[3] > 0.9 > 0.3 > v[2] @ v[5]
    torch.testing.assert_close(v.norm(dim=1), torch.ones(8))  # 7 never occurs
    torch.testing.assert_close(v, init.count_vectors(ids, 8, 4))
    assert not torch.equal(v, init.count_vectors(ids, 8, 4, seed=1))


def test_a_vocabulary_may_be_smaller_than_the_width_and_not_too_large():
    assert init.count_vectors(torch.tensor([0, 1, 2] * 9), 3, 8).shape == (3, 8)
    with pytest.raises(ValueError, match="n_vocab is 40478; .* must be <= 12000"):
        init.count_vectors(torch.tensor([0, 1]), 40_478, 8)


def test_a_run_starts_from_counts_and_the_time_is_counted(make_books, tmp_path):
    tiny, books = pretrain.RECIPES["tiny"], make_books(tmp_path)
    plain = pretrain.Pretraining.from_books(tiny, tmp_path / "a", *books)
    run = pretrain.Pretraining.from_books(
        replace(tiny, count_vectors=0.5), tmp_path / "b", *books
    )
    lengths = run.model.tokens.weight.norm(dim=1)
    torch.testing.assert_close(lengths, torch.full_like(lengths, 0.5))
    assert run.seconds > 0 == plain.seconds
    blocks = (r.model.blocks.parameters() for r in (plain, run))
    same = [torch.equal(a, b) for a, b in zip(*blocks, strict=True)]
    assert all(same), "nothing else is drawn anew"


def test_quick_starts_from_counts_and_the_paper_s_recipes_do_not():
    found = {name: recipe.count_vectors for name, recipe in pretrain.RECIPES.items()}
    assert found == {"gpt1": 0, "novelist": 0, "quick": 1.0, "tiny": 0}
    even = {name for name, recipe in pretrain.RECIPES.items() if recipe.even_windows}
    assert even == {"quick"}, "GPT-1 read windows drawn by chance"
    back = {name for name, recipe in pretrain.RECIPES.items() if recipe.previous_token_heads}
    assert back == {"quick"}, "and drew all its weights"
    for wrong in ({"count_vectors": -1.0}, {"matrix_momentum": 1.0}):
        with pytest.raises(ValueError, match=[*wrong][0]):
            replace(pretrain.RECIPES["tiny"], **wrong)


def test_heads_of_the_first_block_look_back_before_the_first_update():
    """Each head has nearly all of its weight on one token: the next head's is one further."""
    model = GPT(GPTConfig(n_vocab=50, n_ctx=64, n_layer=2, n_head=4, n_embd=256, dropout=0.0))
    later = model.blocks[1].attention.qkv.weight.clone()
    values = model.blocks[0].attention.qkv.weight[512:].clone()
    init.init_previous_token_heads(model, seed=3)
    ids = torch.arange(32)[None]
    weights = induction.mean_weights(model, ids)  # (L, H, T, T)
    for head in range(4):
        back = weights[0, head].diagonal(-1 - head)  # on the token head + 1 places back
        assert back.mean() > 0.8
        assert weights[1, head].diagonal(-1 - head).mean() < 0.3, "the next block does not"
    lengths = model.positions.weight.norm(dim=1)
    torch.testing.assert_close(lengths, torch.ones(64))
    assert torch.equal(model.blocks[1].attention.qkv.weight, later)
    assert torch.equal(model.blocks[0].attention.qkv.weight[512:], values)
    state = [p.clone() for p in model.parameters()]
    init.init_previous_token_heads(model, seed=3)
    assert all(map(torch.equal, state, model.parameters())), "the seed decides"


def test_the_score_of_the_token_looked_at_is_the_peak():
    """Of positions alone: with no token vectors, each query meets its key with PEAK."""
    model = GPT(GPTConfig(n_vocab=9, n_ctx=40, n_layer=1, n_head=2, n_embd=24, dropout=0.0))
    init.init_previous_token_heads(model)
    q, k, _ = model.blocks[0].attention.split_heads(model.positions.weight[None])
    scores = (q @ k.mT / math.sqrt(12))[0]  # (H, T, T)
    for head in range(2):
        there = scores[head].diagonal(-1 - head)
        torch.testing.assert_close(there, torch.full_like(there, init.PEAK))
        assert scores[head].argmax(dim=1)[head + 1 :].tolist() == [*range(39 - head)]


def test_heads_cannot_look_back_without_learned_positions(make_books, tmp_path):
    sizes = replace(pretrain.RECIPES["tiny"].model, n_embd=6, n_head=2)
    for kind in ("lstm", "sinusoidal"):
        with pytest.raises(ValueError, match="needs learned positions .*--no-previous-token"):
            init.init_previous_token_heads(kinds.build(kind, replace(sizes, n_embd=8)))
    with pytest.raises(ValueError, match="GPT with 3 channels per head"):
        init.init_previous_token_heads(GPT(sizes))
    recipe = replace(pretrain.RECIPES["tiny"], previous_token_heads=True)
    run = pretrain.Pretraining.from_books(recipe, tmp_path / "run", *make_books(tmp_path))
    assert run.model.positions.weight.norm(dim=1).min() > 0.99, "the trainer does it, too"

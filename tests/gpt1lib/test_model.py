"""GPT-1 as the paper and the released code have it, part by part."""

import math

import pytest
import torch
import torch.nn.functional as F

import gpt1lib as g
from gpt1lib.model import KVCache, gelu

SMALL = g.GPTConfig(n_vocab=37, n_ctx=12, n_layer=3, n_head=2, n_embd=8, dropout=0.0)


def bold(config, seed=0, dtype=torch.float32):
    """A model whose weights are large enough that a mistake shows."""
    torch.manual_seed(seed)
    model = g.GPT(config).to(dtype).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, mean=0.0 if p.dim() > 1 else 0.5, std=0.4)
    return model


def some_ids(n_rows, n_tokens, seed=0, n_vocab=37):
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(n_vocab, (n_rows, n_tokens), generator=generator)


# ---- counts ------------------------------------------------------------------


def test_parameter_counts():
    with torch.device("meta"):
        model = g.GPT(g.GPT1)
        untied = g.GPT(g.GPTConfig(tied=False))
    block = sum(p.numel() for p in model.blocks[0].parameters())
    assert model.count_parameters() == 116_534_784
    assert untied.count_parameters() == 147_621_888
    assert block == 7_087_872 and len(list(model.parameters())) == 146
    assert model.tokens.weight.numel() == 31_087_104
    assert model.positions.weight.numel() == 393_216
    sizes = {n: p.numel() for n, p in model.blocks[0].named_parameters()}
    assert sizes["attention.qkv.weight"] == 1_769_472
    assert sizes["attention.project.weight"] == 589_824
    assert sizes["expand.weight"] == sizes["shrink.weight"] == 2_359_296


def test_tied_is_the_same_memory():
    model = g.GPT(SMALL)
    assert model.output_matrix.data_ptr() == model.tokens.weight.data_ptr()
    untied = g.GPT(g.GPTConfig(n_vocab=37, n_ctx=4, n_layer=1, n_head=2, n_embd=8, tied=False))
    assert untied.output_matrix.data_ptr() != untied.tokens.weight.data_ptr()


def test_initialization():
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(n_vocab=900, n_ctx=64, n_layer=2, n_head=4, n_embd=64))
    for name, p in model.named_parameters():
        if p.dim() > 1:
            assert abs(p.std().item() - 0.02) < 1e-3 and abs(p.mean().item()) < 1e-3, name
        else:
            assert (p == (1.0 if name.endswith("weight") else 0.0)).all(), name


# ---- the parts ---------------------------------------------------------------


def test_gelu_is_the_tanh_form():
    table = {
        -3: -0.003637,
        -2: -0.045402,
        -1: -0.158808,
        -0.5: -0.154286,
        0: 0.0,
        0.5: 0.345714,
        1: 0.841192,
        2: 1.954598,
        3: 2.996363,
    }
    for x, y in table.items():
        assert gelu(torch.tensor(float(x))).item() == pytest.approx(y, abs=1e-6)


def test_layer_norm_has_biased_variance_and_eps_inside_the_root():
    x = torch.tensor([[1.0, 0.0, 0.0, 0.0]]) * 1e-2  # small, so that eps shows
    ln = g.GPT(g.GPTConfig(n_vocab=5, n_ctx=2, n_layer=1, n_head=1, n_embd=4)).blocks[0].ln_1
    mean = x.mean()
    wanted = (x - mean) / ((x - mean).pow(2).mean() + 1e-5).sqrt()
    assert torch.allclose(ln(x), wanted, atol=1e-6)


def test_the_block_is_post_ln():
    block = bold(SMALL).blocks[0]
    x = torch.randn(2, 5, 8)
    n = block.ln_1(x + block.attention(x))
    assert torch.allclose(block(x), block.ln_2(n + block.mlp(n)))
    pre = x + block.attention(block.ln_1(x))
    pre = pre + block.mlp(block.ln_2(pre))
    assert not torch.allclose(block(x), pre, atol=0.1)


def attention_by_hand(attention, x):
    """One head, one query, one key at a time."""
    B, T, C = x.shape
    H, D = attention.n_head, C // attention.n_head
    q, k, v = attention.qkv(x).split(C, dim=-1)
    out = torch.zeros(B, T, C, dtype=x.dtype)
    for b in range(B):
        for h in range(H):
            part = slice(h * D, (h + 1) * D)
            for t in range(T):
                scores = [q[b, t, part] @ k[b, s, part] / math.sqrt(D) for s in range(t + 1)]
                weights = torch.stack(scores).softmax(0)
                out[b, t, part] = weights @ v[b, : t + 1, part]
    return attention.project(out)


def test_attention_against_loops():
    attention = bold(SMALL).blocks[0].attention
    x = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(attention(x), attention_by_hand(attention, x), atol=1e-5)


def test_embed_adds_the_row_of_each_position():
    model = bold(SMALL)
    h = model.embed(torch.tensor([[3, 3, 5]]), start=2)
    wanted = model.tokens.weight[[3, 3, 5]] + model.positions.weight[2:5]
    assert torch.equal(h[0], wanted)


def test_dropout_acts_in_training_only():
    model = g.GPT(g.GPTConfig(n_vocab=37, n_ctx=12, n_layer=1, n_head=2, n_embd=8))
    ids = some_ids(2, 8)
    model.train()
    assert not torch.equal(model(ids), model(ids))
    model.eval()
    assert torch.equal(model(ids), model(ids))


# ---- the mask ----------------------------------------------------------------


def test_a_mask_has_a_key_for_each_query():
    with pytest.raises(ValueError, match="n_key is 2, it must be .*3"):
        g.causal_mask(3, 2)


def test_mask_by_definition():
    for n_query, n_key in ((1, 1), (4, 4), (1, 5), (3, 7)):
        mask = g.causal_mask(n_query, n_key)
        for i in range(n_query):
            for j in range(n_key):
                assert mask[i, j].item() == (j <= n_key - n_query + i)


@pytest.mark.parametrize("t", range(10))
def test_nothing_before_a_changed_token_moves(t):
    model, ids = bold(SMALL), some_ids(1, 10)
    other = ids.clone()
    other[0, t] = (other[0, t] + 1) % 37
    a, b = model(ids)[0], model(other)[0]
    assert torch.equal(a[:t], b[:t])
    assert (a[t:] != b[t:]).any(dim=1).all()


def test_no_gradient_reaches_the_future():
    model = bold(SMALL)
    h0 = model.embed(some_ids(1, 9)).detach().requires_grad_()
    h = h0
    for block in model.blocks:
        h = block(h)
    h[0, 4].sum().backward()
    assert (h0.grad[0, 5:] == 0).all() and (h0.grad[0, :5].abs().sum(1) > 0).all()


def test_right_padding_changes_nothing():
    model, ids = bold(SMALL), some_ids(2, 6)
    padded = F.pad(ids, (0, 5))
    assert torch.allclose(model(ids), model(padded)[:, :6], atol=1e-5)


# ---- three roads to the same numbers ----------------------------------------------


def test_trace_equals_the_forward_pass():
    model, ids = bold(SMALL), some_ids(1, 11)
    steps = g.trace(model, ids[0])
    assert torch.allclose(steps.logits, model(ids)[0], atol=1e-5)
    assert steps.weights.shape == (3, 2, 11, 11)
    assert torch.allclose(steps.weights.sum(-1), torch.ones(3, 2, 11), atol=1e-6)
    assert (steps.weights.triu(1) == 0).all()
    assert torch.allclose(steps.blocks[-1].h, model.hidden(ids)[0], atol=1e-5)
    model.train()
    g.trace(model, ids[0])
    assert model.training, "trace leaves the mode as it was"


@pytest.mark.parametrize("pieces", [[11], [1] * 11, [4, 3, 4], [1, 9, 1]])
def test_the_cache_changes_nothing(pieces):
    model, ids = bold(SMALL), some_ids(2, 11)
    cache = KVCache(3)
    parts = [model(part, cache) for part in ids.split(pieces, dim=1)]
    assert len(cache) == 11
    assert torch.allclose(torch.cat(parts, dim=1), model(ids), atol=1e-5)


def test_gradients_by_finite_differences():
    config = g.GPTConfig(n_vocab=7, n_ctx=5, n_layer=2, n_head=2, n_embd=4, dropout=0.0)
    model = bold(config, dtype=torch.float64)
    ids, real = (some_ids(2, 5, n_vocab=7), torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]]))

    def loss():
        return g.losses.lm_loss(model(ids), ids, real)

    loss().backward()
    generator = torch.Generator().manual_seed(0)
    for name, p in model.named_parameters():
        for _ in range(3):
            i = int(torch.randint(p.numel(), (1,), generator=generator))
            flat, eps = p.data.view(-1), 1e-6
            before = flat[i].item()
            flat[i] = before + eps
            up = loss().item()
            flat[i] = before - eps
            down = loss().item()
            flat[i] = before
            slope = (up - down) / (2 * eps)
            assert p.grad.view(-1)[i].item() == pytest.approx(slope, abs=1e-7), name


# ---- bad input ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ids", "message"),
    [
        (torch.zeros(1, 13, dtype=torch.long), "sequence has 13 tokens, the context is 12"),
        (torch.tensor([[37]]), "token id 37 is not in 0 to 36"),
        (torch.tensor([[-1]]), "token id -1"),
        (torch.zeros(1, 0, dtype=torch.long), r"shape \(1, 0\)"),
        (torch.zeros(4, dtype=torch.long), r"shape \(4,\)"),
        (torch.zeros(1, 3), "ids are torch.float32"),
        ([[1, 2]], "ids are list"),
    ],
)
def test_bad_ids_are_named(ids, message):
    with pytest.raises(ValueError, match=message):
        g.GPT(SMALL)(ids)


def test_a_full_cache_is_named():
    model, cache = bold(SMALL), KVCache(3)
    model(some_ids(1, 10), cache)
    with pytest.raises(ValueError, match="sequence has 13 tokens"):
        model(some_ids(1, 3), cache)

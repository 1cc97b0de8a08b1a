"""The same weights give the same numbers in transformers' OpenAIGPTLMHeadModel."""

import pytest
import torch
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

import gpt1lib as g
from gpt1lib.checkpoints import released


def twins(config, seed, std):
    """Our model and theirs, with the same random weights."""
    torch.manual_seed(seed)
    ours = g.GPT(config).eval()
    for p in ours.parameters():
        torch.nn.init.normal_(p, mean=0.0 if p.dim() > 1 else 0.3, std=std)
    theirs = OpenAIGPTLMHeadModel(
        OpenAIGPTConfig(
            vocab_size=config.n_vocab,
            n_positions=config.n_ctx,
            n_embd=config.n_embd,
            n_layer=config.n_layer,
            n_head=config.n_head,
        )
    ).eval()
    theirs.transformer.load_state_dict(released.to_hugging_face(ours))
    theirs.tie_weights()
    return ours, theirs


def largest_difference(ours, theirs, n_tokens, n_rows=2):
    ids = torch.randint(ours.config.n_vocab, (n_rows, n_tokens))
    with torch.no_grad():
        a, b = ours(ids), theirs(ids).logits
    assert a.abs().max() > 0.1, "logits near 0 would agree whatever the code does"
    return (a - b).abs().max().item()


@pytest.mark.parametrize("seed", [0, 1, 2])
@pytest.mark.parametrize("n_tokens", [1, 2, 17, 40])
def test_logits_at_small_size(seed, n_tokens):
    config = g.GPTConfig(n_vocab=101, n_ctx=40, n_layer=3, n_head=4, n_embd=48)
    assert largest_difference(*twins(config, seed, 0.15), n_tokens) < 1e-5


@pytest.mark.slow
def test_logits_at_full_size():
    ours, theirs = twins(g.GPT1, 0, 0.02)
    assert sum(p.numel() for p in theirs.parameters()) == 116_534_784
    for n_tokens in (1, 7, 64):
        assert largest_difference(ours, theirs, n_tokens, n_rows=1) < 1e-5


def test_hidden_states_block_by_block():
    config = g.GPTConfig(n_vocab=101, n_ctx=40, n_layer=3, n_head=4, n_embd=48)
    ours, theirs = twins(config, 3, 0.15)
    ids = torch.randint(101, (1, 23))
    steps = g.trace(ours, ids[0])
    with torch.no_grad():
        states = theirs(ids, output_hidden_states=True).hidden_states
    mine = [steps.h0, *(block.h for block in steps.blocks)]
    assert len(states) == len(mine) == 4
    for a, b in zip(mine, states, strict=True):
        assert torch.allclose(a, b[0], atol=1e-5)


def test_there_and_back():
    config = g.GPTConfig(n_vocab=11, n_ctx=6, n_layer=2, n_head=2, n_embd=8)
    ours, again = g.GPT(config), g.GPT(config)
    stored = released.to_hugging_face(ours)
    with torch.no_grad():
        released.copy_weights(again, stored.keys(), stored.__getitem__)
    for (name, a), b in zip(
        ours.state_dict().items(), again.state_dict().values(), strict=True
    ):
        assert torch.equal(a, b), name


def test_one_training_step_agrees():
    config = g.GPTConfig(n_vocab=101, n_ctx=40, n_layer=2, n_head=4, n_embd=48, dropout=0.0)
    ours, theirs = twins(config, 5, 0.1)
    ids = torch.randint(101, (3, 20))
    g.losses.lm_loss(ours(ids), ids).backward()
    theirs(ids, labels=ids).loss.backward()
    grad = theirs.transformer.tokens_embed.weight.grad
    assert torch.allclose(ours.tokens.weight.grad, grad, atol=1e-5)

"""What every kind of model keeps to (model.LanguageModel), and what only some can do."""

import re
import subprocess
import sys
from dataclasses import replace

import pytest
import torch

import gpt1lib as g
from gpt1course.paper.after.masked import MaskedGPT
from gpt1lib import generate
from gpt1lib.baselines.variants import PreLNBlock
from gpt1lib.checkpoints import kinds
from gpt1lib.finetune import Classifier, freezing
from gpt1lib.model import KVCache
from gpt1lib.rng import fork_rng

CONFIG = g.GPTConfig(n_vocab=23, n_ctx=12, n_layer=3, n_head=2, n_embd=8, dropout=0.5)
MODELS = {kind: (kind, CONFIG) for kind in kinds.MODEL_KINDS}
MODELS["untied"] = ("gpt", replace(CONFIG, tied=False))
WITH_GPT1S_STEPS = ("gpt", "sinusoidal", "untied")


def bold(name):
    """A model in eval mode, its weights so large that a mistake shows."""
    with fork_rng(0):
        model = kinds.build(*MODELS[name]).eval()
        for p in model.parameters():
            torch.nn.init.normal_(p, mean=0.0 if p.dim() > 1 else 0.5, std=0.4)
    return model


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return bold(request.param)


@pytest.fixture(scope="module")
def ids():
    return torch.randint(23, (2, 12), generator=torch.Generator().manual_seed(0))


def test_every_kind_of_model_is_here():
    assert set(MODELS) == {"gpt", "lstm", "pre_ln", "sinusoidal", "untied"}
    for kind in kinds.MODEL_KINDS:
        model = kinds.build(kind, CONFIG)
        assert kinds.kind_of(model) == kind and type(model) is kinds.model_class(kind)
    with pytest.raises(ValueError, match="unknown kind of model 'rnn', known:.*'gpt'"):
        kinds.build("rnn", CONFIG)
    with pytest.raises(ValueError, match="MaskedGPT is not a kind that can be stored"):
        kinds.kind_of(MaskedGPT(CONFIG))


@pytest.mark.slow
def test_gpt1_is_loaded_without_what_it_is_compared_with():
    code = (
        "import sys; from gpt1lib import checkpoints; checkpoints.load_novelist();"
        "print(*(name for name in sys.modules if 'baselines' in name))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout == "\n", run.stderr


# ---- hidden, logits, output_matrix, forward -------------------------------------------


@torch.no_grad()
def test_forward_is_states_times_the_output_matrix(model, ids):
    h, W = model.hidden(ids), model.output_matrix
    assert h.shape == (2, 12, 8) and W.shape == (23, 8)
    wanted = torch.einsum("btc,vc->btv", h, W)
    assert torch.allclose(model.logits(h), wanted, atol=1e-5)
    assert torch.equal(model(ids), model.logits(h))
    assert torch.allclose(model.logits(h[:, -1]), wanted[:, -1], atol=1e-5)


def test_the_output_matrix_is_the_embedding_where_it_is_tied(model):
    owners = [name for name, p in model.named_parameters() if p is model.output_matrix]
    assert owners == ["tokens.weight" if model.config.tied else "output.weight"]


@torch.no_grad()
@pytest.mark.parametrize("n", [1, 5, 11])
def test_states_do_not_depend_on_what_follows(model, ids, n):
    whole, other = model.hidden(ids), ids.clone()
    other[:, n:] = (other[:, n:] + 1) % 23
    assert torch.allclose(model.hidden(ids[:, :n]), whole[:, :n], atol=1e-5)
    assert torch.allclose(model.hidden(other)[:, :n], whole[:, :n], atol=1e-5)
    assert not torch.allclose(model.hidden(other)[:, n:], whole[:, n:], atol=1e-2)


def test_bad_ids_are_named_by_every_kind(model):
    for bad, message in (
        (torch.tensor([[23]]), "token id 23 is not in 0 to 22"),
        (torch.zeros(1, 13, dtype=torch.long), "13 tokens, the context is 12"),
        (torch.zeros(3, dtype=torch.long), r"shape \(3,\)"),
    ):
        with pytest.raises(ValueError, match=message):
            model(bad)


# ---- the cache ------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("pieces", [[12], [1] * 12, [5, 1, 6]])
def test_the_cache_changes_nothing_or_is_refused_by_name(model, ids, pieces):
    cache = KVCache(3)
    if not model.has_cache:
        with pytest.raises(ValueError, match="LSTM"):
            model(ids, cache)
        return
    h = torch.cat([model.hidden(part, cache) for part in ids.split(pieces, dim=1)], dim=1)
    assert len(cache) == 12
    assert torch.allclose(h, model.hidden(ids), atol=1e-5)


def test_only_the_lstm_has_no_cache(model):
    assert model.has_cache == (type(model).__name__ != "LSTM")


@pytest.mark.parametrize("n_texts", [1, 2])
def test_texts_are_continued_by_the_likeliest_token_or_refused_by_name(model, ids, n_texts):
    start = ids[:n_texts, :4]
    if not model.has_cache:
        for continued in (
            generate.generate,
            generate.greedy,
            lambda *a: list(generate.stream(*a)),
        ):
            with pytest.raises(ValueError, match="LSTM has no key-value cache"):
                continued(model, start, 3)
        return
    with torch.no_grad():
        wanted = start
        for _ in range(8):
            best = model(wanted)[:, -1].argmax(dim=-1, keepdim=True)
            wanted = torch.cat([wanted, best], dim=1)
    assert torch.equal(generate.greedy(model, start, 8), wanted)


# ---- how deep a parameter lies ----------------------------------------------------------

DEPTHS = {
    r"tokens\.weight": 0,
    r"positions\.(weight|scale)": 0,
    r"blocks\.0\..+": 1,
    r"blocks\.1\..+": 2,
    r"blocks\.2\..+": 3,
    r"ln_end\.(weight|bias)": 3,
    r"output\.weight": 3,
    r"lstm(_out)?\..+": 1,
}


def wanted_depth(name):
    (depth,) = [d for pattern, d in DEPTHS.items() if re.fullmatch(pattern, name)]
    return depth


def test_depth_of_every_parameter(model):
    names = [name for name, _ in model.named_parameters()]
    assert {n: model.depth_of(n) for n in names} == {n: wanted_depth(n) for n in names}


def test_what_follows_the_last_block_learns_with_it(model):
    """A pre-LN model's last LayerNorm once joined last of all, with the embeddings."""
    classifier = Classifier(model, "classification", 2)
    top = max(map(wanted_depth, dict(model.named_parameters())))
    freezing.freeze_below(classifier, top)
    learning = {n for n, p in classifier.model.named_parameters() if p.requires_grad}
    names = dict(classifier.model.named_parameters())
    assert learning == {name for name in names if wanted_depth(name) == top}
    assert classifier.head.weight.requires_grad
    freezing.freeze_below(classifier, top + 1)
    learning = {n for n, p in classifier.named_parameters() if p.requires_grad}
    assert learning == {"head.weight", "head.bias"}


# ---- the trace --------------------------------------------------------------------------


@torch.no_grad()
@pytest.mark.parametrize("name", WITH_GPT1S_STEPS)
def test_the_trace_ends_at_the_models_logits(name, ids):
    model = bold(name)
    steps = g.trace(model, ids[0])
    assert torch.allclose(steps.logits, model(ids[:1])[0], atol=1e-4)
    assert torch.allclose(steps.blocks[-1].h, model.hidden(ids[:1])[0], atol=1e-5)


@pytest.mark.parametrize("name", sorted(set(MODELS) - set(WITH_GPT1S_STEPS)))
def test_the_trace_refuses_other_steps_by_name(name, ids):
    with pytest.raises(ValueError, match={"lstm": "LSTM", "pre_ln": "PreLNGPT"}[name]):
        g.trace(bold(name), ids[0])


def test_the_trace_refuses_a_single_block_of_another_kind(ids):
    model = bold("gpt")
    model.blocks[1] = PreLNBlock(CONFIG)
    with pytest.raises(ValueError, match="PreLNBlock"):
        g.trace(model, ids[0])

"""numpy's GPT-1 against torch, float64 both, and against finite differences."""

import ast
import copy
import inspect
from dataclasses import replace

import numpy as np
import pytest
import torch

from gpt1lib import GPT, GPTConfig, losses, optim
from gpt1lib import numpy_gpt as ng
from gpt1lib.finetune.classifier import Classifier

CONFIGS = [
    GPTConfig(n_vocab=11, n_ctx=8, n_layer=1, n_head=1, n_embd=6, dropout=0.0),
    GPTConfig(n_vocab=13, n_ctx=9, n_layer=2, n_head=2, n_embd=8, dropout=0.0),
    GPTConfig(n_vocab=17, n_ctx=12, n_layer=3, n_head=4, n_embd=16, dropout=0.0),
]
IDS = "{0.n_layer}x{0.n_embd}".format


def random_params(config, n_classes=0, seed=0):
    """Larger than fresh ones, biases too, so that every gradient is worth comparing."""
    rng = np.random.default_rng(seed)
    fresh = ng.flatten(ng.initial_params(config, seed, n_classes))
    return ng.nested({k: p + rng.normal(0, 0.3, p.shape) for k, p in fresh.items()})


def as_torch(config, params):
    model = GPT(config).double()
    flat = ng.flatten(params)
    model.load_state_dict(
        {k: torch.tensor(p) for k, p in flat.items() if not k.startswith("head.")}
    )
    return model


def structure(params):
    """The keys on every level, and the shape and type of each array."""
    if isinstance(params, dict):
        return {key: structure(part) for key, part in params.items()}
    if isinstance(params, list):
        return [structure(part) for part in params]
    return params.shape, params.dtype


def batch(config, seed=0):
    """ids (3, T) of lengths T, T - 1 and 3, padded with id 0; real marks the rest."""
    T = config.n_ctx - 1
    rng = np.random.default_rng(seed)
    lengths = np.array([T, T - 1, 3])
    real = (np.arange(T) < lengths[:, None]).astype(float)
    ids = rng.integers(1, config.n_vocab, (3, T)) * real.astype(int)
    return ids, real, lengths


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_forward_equals_torch(config):
    params = random_params(config)
    ids, _, _ = batch(config)
    h, _ = ng.states(params, ids, config)
    model = as_torch(config, params)
    wanted = model.hidden(torch.tensor(ids)).detach().numpy()
    assert np.abs(h - wanted).max() < 1e-10
    logits = model.logits(torch.tensor(h)).detach().numpy()
    assert np.abs(h @ params["tokens"]["weight"].T - logits).max() < 1e-10


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
@pytest.mark.parametrize("padded", [False, True])
def test_every_pretraining_gradient_equals_autograd(config, padded):
    params = random_params(config)
    ids, real, _ = batch(config)
    real = real if padded else None
    loss, grads = ng.pretraining_loss(params, ids, config, real)
    model = as_torch(config, params)
    t = torch.tensor(ids)
    wanted = losses.lm_loss(model(t), t, None if real is None else torch.tensor(real))
    wanted.backward()
    assert loss == pytest.approx(wanted.item(), abs=1e-10)
    grads, named = ng.flatten(grads), dict(model.named_parameters())
    assert grads.keys() == named.keys()
    for name, p in named.items():
        assert np.abs(grads[name] - p.grad.numpy()).max() < 1e-8, name


def test_the_losses_are_finite_where_a_probability_is_too_small_for_a_float():
    h, W_e = np.full((1, 2, 1), 40.0), np.array([[40.0], [-40.0]])  # logits 1600 and -1600
    loss, _, _ = ng.lm_loss(h, W_e, np.array([[0, 1]]))
    logits = torch.tensor(h @ W_e.T)
    assert loss == losses.lm_loss(logits, torch.tensor([[0, 1]])).item() == 3200
    head = {"weight": W_e, "bias": np.zeros(2)}
    assert ng.task_loss(h, head, np.array([1]), np.array([1]))[0] == 3200


@pytest.mark.parametrize(("where", "labels"), [([1], [0, 1]), ([1, 1], [1]), ([1], [1])])
def test_each_sequence_needs_a_place_and_a_label(where, labels):
    head = {"weight": np.ones((2, 1)), "bias": np.zeros(2)}
    with pytest.raises(ValueError, match="one number for each of 2 sequences"):
        ng.task_loss(np.ones((2, 2, 1)), head, np.array(where), np.array(labels))


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
@pytest.mark.parametrize("lm_coef", [0.0, 0.5])
def test_every_finetuning_gradient_equals_autograd(config, lm_coef):
    params = random_params(config, n_classes=3)
    ids, real, lengths = batch(config)
    where, labels = lengths - 1, np.array([2, 0, 1])
    (task, lm), grads, probs = ng.finetuning_loss(
        params, ids, where, labels, config, lm_coef, real
    )
    model = as_torch(config, params)
    head = {k: torch.tensor(p, requires_grad=True) for k, p in params["head"].items()}
    t = torch.tensor(ids)
    h = model.hidden(t)
    read = h[torch.arange(3), torch.tensor(where)]
    logits = read @ head["weight"].T + head["bias"]
    wanted_task = losses.task_loss(logits, torch.tensor(labels))
    wanted_lm = losses.lm_loss(model.logits(h), t, torch.tensor(real))
    (wanted_task + lm_coef * wanted_lm).backward()
    assert (task, lm) == pytest.approx((wanted_task.item(), wanted_lm.item()), abs=1e-10)
    assert np.allclose(probs, logits.softmax(-1).detach().numpy(), atol=1e-12)
    named = dict(model.named_parameters()) | {f"head.{k}": p for k, p in head.items()}
    grads = ng.flatten(grads)
    assert grads.keys() == named.keys()
    for name, p in named.items():
        wanted = 0 if p.grad is None else p.grad.numpy()
        assert np.abs(grads[name] - wanted).max() < 1e-8, name


SOON = [*CONFIGS[:2], pytest.param(CONFIGS[2], marks=pytest.mark.slow)]


@pytest.mark.parametrize("config", SOON, ids=IDS)
def test_every_gradient_equals_finite_differences(config):
    params = random_params(config, n_classes=2)
    ids, real, lengths = batch(config)
    given = (ids, lengths - 1, np.array([1, 0, 1]), config, 0.5, real)
    _, grads, _ = ng.finetuning_loss(params, *given)
    grads, rng, step = ng.flatten(grads), np.random.default_rng(1), 1e-5
    for name, p in ng.flatten(params).items():
        for _ in range(4):
            where = tuple(rng.integers(n) for n in p.shape)
            if name == "tokens.weight":
                where = (ids[0, 1], where[1])  # a token that occurs
            old, ends = p[where], []
            for move in (step, -step):
                p[where] = old + move
                (task, lm), _, _ = ng.finetuning_loss(params, *given)
                ends.append(task + 0.5 * lm)
            p[where] = old
            slope = (ends[0] - ends[1]) / (2 * step)
            assert grads[name][where] == pytest.approx(slope, abs=1e-6), (name, where)


def test_twenty_updates_equal_torchs_adamw():
    config = CONFIGS[1]
    params = random_params(config)
    model = as_torch(config, params)
    optimizer = optim.adamw(model, lr=0.01)
    mine = ng.NumpyAdam(params, lr=0.01)
    for seed in range(20):
        ids, real, _ = batch(config, seed)
        _, grads = ng.pretraining_loss(params, ids, config, real)
        norm = mine.step(grads)
        t = torch.tensor(ids)
        loss = losses.lm_loss(model(t), t, torch.tensor(real))
        optimizer.zero_grad()
        loss.backward()
        assert norm == pytest.approx(optim.clip_gradients(model), abs=1e-9)
        optimizer.step()
    flat = ng.flatten(params)
    for name, p in model.named_parameters():
        assert np.abs(flat[name] - p.detach().numpy()).max() < 1e-8, name


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_gradients_have_exactly_the_structure_of_the_parameters(config):
    params = random_params(config, n_classes=2)
    ids, real, lengths = batch(config)
    before = copy.deepcopy(params)
    _, grads, _ = ng.finetuning_loss(
        params, ids, lengths - 1, np.array([1, 0, 1]), config, 0.5, real
    )
    assert structure(grads) == structure(params)
    assert list(ng.flatten(grads)) == list(ng.flatten(params))
    # nothing was written into the parameters, and no gradient is one of them
    for name, p in ng.flatten(params).items():
        assert np.array_equal(p, ng.flatten(before)[name]), name
        assert not np.shares_memory(p, ng.flatten(grads)[name]), name
    _, grads = ng.pretraining_loss(params, ids, config, real)
    del params["head"]  # the language model does not have it
    assert structure(grads) == structure(params)


@pytest.mark.parametrize("n_layer", [1, 3, 11])
def test_a_state_dict_of_torch_round_trips(n_layer):
    config = GPTConfig(n_vocab=11, n_ctx=8, n_layer=n_layer, n_head=2, n_embd=6)
    flat = {k: p.numpy() for k, p in GPT(config).state_dict().items()}
    params = ng.nested(flat)
    assert structure(params).keys() == structure(ng.initial_params(config)).keys()
    assert len(params["blocks"]) == n_layer
    back = ng.flatten(params)
    assert list(back) == list(flat)
    assert all(back[k] is flat[k] for k in flat)  # the arrays themselves, not copies
    GPT(config).load_state_dict({k: torch.tensor(p) for k, p in back.items()})
    shuffled = ng.nested(dict(reversed(flat.items())))
    assert all(ng.flatten(shuffled)[k] is flat[k] for k in flat)


def test_a_missing_block_is_named():
    flat = ng.flatten(ng.initial_params(CONFIGS[1]))
    kept = {k: p for k, p in flat.items() if not k.startswith("blocks.0.")}
    with pytest.raises(ValueError, match=r"blocks are \['1'\], they must be \['0'\]"):
        ng.nested(kept)


def test_every_line_of_the_backward_pass_says_its_shape():
    lines = inspect.getsource(ng).splitlines()
    functions = [
        f
        for f in ast.parse("\n".join(lines)).body
        if isinstance(f, ast.FunctionDef) and f.name.endswith("_backward")
    ]
    assert len(functions) == 7
    computing = [
        node
        for f in functions
        for node in ast.walk(f)
        if isinstance(node, ast.AugAssign)
        or isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Call | ast.BinOp) for part in ast.walk(node.value))
    ]
    assert len(computing) > 25
    for node in computing:
        assert "  # (" in lines[node.end_lineno - 1], lines[node.end_lineno - 1]


def test_fresh_parameters_are_gpt1s():
    config = GPTConfig(n_vocab=300, n_ctx=64, n_layer=2, n_head=2, n_embd=32)
    params = ng.flatten(ng.initial_params(config, n_classes=2))
    with torch.device("meta"):
        named = {k: tuple(p.shape) for k, p in GPT(config).named_parameters()}
    head = {"head.weight": (2, 32), "head.bias": (2,)}
    assert {k: p.shape for k, p in params.items()} == named | head
    for name, p in params.items():
        if p.ndim > 1:
            assert p.std() == pytest.approx(0.02, rel=0.15), name
        else:
            assert (p == (1 if ".ln_" in name and "weight" in name else 0)).all(), name


def test_the_head_is_read_where_finetune_reads_it():
    """The same numbers through classifier.Classifier, specials and padding included."""
    config = CONFIGS[1]
    torch.manual_seed(0)
    classifier = Classifier(GPT(config), "classification", 2, dropout=0.0)
    classifier = classifier.double().eval()
    s = classifier.specials
    ids = np.array([[s.start, 3, 4, 5, s.extract], [s.start, 7, s.extract, 0, 0]])
    real = (np.arange(5) < [[5], [3]]).astype(float)
    params = ng.nested(
        {k.removeprefix("model."): p.detach().numpy() for k, p in classifier.named_parameters()}
    )
    (task, lm), _, _ = ng.finetuning_loss(
        params, ids, np.array([4, 2]), np.array([1, 0]), classifier.model.config, 0.5, real
    )
    batch = [torch.tensor(x) for x in (ids, real, [4, 2], [1, 0])]
    wanted, _, _ = classifier.losses(*batch, 0.5)
    assert task + 0.5 * lm == pytest.approx(wanted.item(), abs=1e-10)


def test_huge_scores_do_not_overflow():
    with np.errstate(over="raise", invalid="raise"):
        probs = ng.softmax(np.array([[1e4, 0.0, -1e4]]))
    assert probs.tolist() == [[1.0, 0.0, 0.0]]


def test_an_untied_model_is_refused():
    config = replace(CONFIGS[0], tied=False)
    ids = np.array([[1, 2, 3]])
    with pytest.raises(ValueError, match="tied is False, but the model in numpy has no output"):
        ng.pretraining_loss(random_params(CONFIGS[0]), ids, config)

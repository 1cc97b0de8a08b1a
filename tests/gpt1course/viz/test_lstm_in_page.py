"""The LSTM in the page: its gradients and a run against torch's, faults planted in it."""

import numpy as np
import pytest
import torch
from learner_in_node import FOLDER, ask, ask_each
from node import node_or_skip
from planted_faults import faults_in, planted
from torch_beside import assert_same, told_by_torch, windows_of_emma

from gpt1lib.baselines.lstm import LSTM, matching_units
from gpt1lib.config import GPTConfig
from gpt1lib.losses import lm_loss

MODES = {"exact": 1e-10, "plain": 1e-5, "wasm": 1e-5}  # relative to the largest of a tensor
SEEN = 1e-6  # a fault in float64
SIZES = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_ctx": 12, "n_vocab": 11}
PANGRAM = "The quick brown fox jumps over the lazy dog."  # 29 characters


@pytest.fixture(scope="module")
def node():
    return node_or_skip()


def odd_lstm(seed=0, **sizes):
    """The library's, in float64, with parameters of which none is small by chance."""
    model = LSTM(GPTConfig(**SIZES | sizes, dropout=0)).double()
    rng = np.random.default_rng(seed)
    with torch.no_grad():
        for p in model.parameters():
            p.copy_(torch.tensor(rng.normal(0, 0.3, p.shape)))
    return model


def question(model, ids, mode):
    config = {name: getattr(model.config, name) for name in SIZES}
    params = {name: p.flatten().tolist() for name, p in model.state_dict().items()}
    given = {"model": "lstm", "config": config, "params": params}
    return ["gradients", given | {"ids": ids.tolist(), "mode": mode}]


def worst(found, model, ids):
    """The largest difference of the loss or a gradient from autograd's, and its name."""
    model.zero_grad()
    loss = lm_loss(model(torch.tensor(ids)), torch.tensor(ids))
    loss.backward()
    differences = {"loss": abs(found["loss"] - loss.item()) / loss.item()}
    for name, p in model.named_parameters():
        right = p.grad.numpy()
        off = np.abs(np.array(found["grads"][name], float).reshape(right.shape) - right).max()
        differences[name] = off / np.abs(right).max() if np.isfinite(off) else np.inf
    return max((off, name) for name, off in differences.items())


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "sizes", [{}, {"n_embd": 24, "n_vocab": 8}, {"n_layer": 1, "n_ctx": 20}, {"n_layer": 3}]
)
def test_gradients_are_those_of_autograd(node, mode, sizes):
    model = odd_lstm(**sizes)
    ids = np.random.default_rng(1).integers(0, model.config.n_vocab, (3, model.config.n_ctx))
    (found,) = ask(node, question(model, ids, mode))
    assert found["kernel"] == (mode == "wasm")
    off, name = worst(found, model, ids)
    assert off < MODES[mode], name


def test_numbers_of_units_leave_each_remainder_by_four():
    """So that the zeros behind a row of the state are tested, one to three of them."""
    every = [{}, {"n_embd": 24, "n_vocab": 8}, {"n_layer": 1, "n_ctx": 20}, {"n_layer": 3}]
    units = [matching_units(GPTConfig(**SIZES | sizes, dropout=0)) for sizes in every]
    assert len({u % 4 for u in units}) >= 3, units


def test_what_it_would_write_next_is_what_torch_says(node):
    model = odd_lstm()
    rows = [[i % 11 for i in range(3, 3 + n)] for n in (1, 3, 8, 11, 12, 30)]
    _, asked = question(model, np.array([rows[3]]), "exact")
    (found,) = ask(node, ["next", asked | {"ids": rows}])
    for row, logits in zip(rows, found, strict=True):
        right = model(torch.tensor([row[-11:]]))[0, -1].tolist()
        assert logits == pytest.approx(right, abs=1e-10)


@pytest.mark.parametrize(("n_layer", "n_embd"), [(1, 16), (2, 48), (4, 96)])
def test_it_begins_as_the_library_begins_with_as_many_units(node, n_layer, n_embd):
    sizes = {"n_layer": n_layer, "n_embd": n_embd}
    settings = sizes | {"model": "lstm", "batch": 1, "seed": 3}
    (run,) = ask(node, ["begun", {"text": PANGRAM, "settings": settings}])
    config = GPTConfig(**sizes, n_head=4, n_ctx=48, n_vocab=29, dropout=0)
    torch.manual_seed(0)
    right = LSTM(config)
    assert run["units"] == right.units
    assert run["parameters"] == right.count_parameters()
    for name, p in right.named_parameters():
        numbers = np.array(run["params"][name])
        assert numbers.size == p.numel()
        near = 5 / np.sqrt(p.numel())
        assert numbers.std() == pytest.approx(p.std().item(), rel=near), name
        assert abs(numbers.mean()) < 5 * numbers.std() / np.sqrt(numbers.size), name
        if name != "tokens.weight":
            assert np.abs(numbers).max() <= right.units**-0.5
    twice = [run["params"][f"lstm.bias_{part}_l0"] for part in ("ih", "hh")]
    assert twice[0] != twice[1]


@pytest.mark.parametrize(
    ("mode", "dtype", "near"),
    [
        ("wasm", torch.float32, 1e-4),
        pytest.param("exact", torch.float64, 1e-10, marks=pytest.mark.slow),
    ],
)
def test_200_updates_are_those_of_torch(node, mode, dtype, near):
    sizes = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_ctx": 16, "n_vocab": 30}
    lr, warmup, total, batch = 1e-2, 20, 250, 4
    torch.manual_seed(3)
    model = LSTM(GPTConfig(**sizes, dropout=0)).to(dtype)
    windows = windows_of_emma(200, batch, 16)
    _, asked = question(model, windows[0], mode)
    given = {"model": "lstm", "rate": lr, "warmup": warmup, "total": total, "batch": batch}
    asked |= {"settings": sizes | given, "windows": windows.tolist()}
    (found,) = ask(node, ["run", asked])
    losses, norms = told_by_torch(model, windows, lr, warmup, total)
    assert losses[0] > 3.3 and losses[-1] < losses[0] - 0.4, "it learns"
    assert_same(found["told"], losses, norms, near)


@pytest.mark.slow
def test_a_fault_in_each_gradient_is_found(node, tmp_path):
    faults = faults_in("lstm")
    ids = np.random.default_rng(1).integers(0, 11, (3, 12))
    model = odd_lstm()
    folders = [FOLDER, *(planted(tmp_path / str(i), *f) for i, f in enumerate(faults.values()))]
    right, *wrong = ask_each(node, folders, question(model, ids, "exact"))
    assert worst(right[0], model, ids)[0] < MODES["exact"]
    missed = [
        fault
        for fault, (found,) in zip(faults, wrong, strict=True)
        if not worst(found, model, ids)[0] > SEEN
    ]
    assert len(faults) > 20 and not missed

"""Training in the page: gradients against numpy's, a run against torch's, faults planted."""

import numpy as np
import pytest
import torch
from learner_in_node import FOLDER, ask, ask_each
from node import node_or_skip
from planted_faults import faults_in, planted
from torch_beside import assert_same, told_by_torch, windows_of_emma

import gpt1lib as g
from gpt1lib import numpy_gpt, optim
from gpt1lib.config import GPTConfig

MODES = {"exact": 1e-10, "plain": 1e-5, "wasm": 1e-5}  # relative to the largest of a tensor
SEEN = 1e-6  # a fault in float64
SIZES = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_ctx": 12, "n_vocab": 11}


@pytest.fixture(scope="module")
def node():
    return node_or_skip()


def as_lists(params):
    """Flat lists by name, as JSON takes them."""
    return {name: a.ravel().tolist() for name, a in numpy_gpt.flatten(params).items()}


def odd_params(seed=0, **sizes):
    """Parameters of which none is 0 or 1, so that no gradient is small by chance."""
    rng = np.random.default_rng(seed)
    flat = numpy_gpt.flatten(numpy_gpt.initial_params(GPTConfig(**SIZES | sizes, dropout=0)))
    for name, values in flat.items():
        middle = 1.0 if ".ln_" in name and name.endswith("weight") else 0.0
        values[...] = rng.normal(middle, 0.3, values.shape)
    return numpy_gpt.nested(flat)


def question(params, ids, mode, **sizes):
    given = {"config": SIZES | sizes, "params": as_lists(params), "ids": ids.tolist()}
    return ["gradients", given | {"mode": mode}]


def worst(found, params, ids, **sizes):
    """The largest difference of a loss or a gradient from numpy's, relative, and its name."""
    config = GPTConfig(**SIZES | sizes, dropout=0)
    loss, grads = numpy_gpt.pretraining_loss(params, ids, config)
    differences = {"loss": abs(found["loss"] - loss) / loss}
    for name, right in numpy_gpt.flatten(grads).items():
        off = np.abs(np.array(found["grads"][name], float).reshape(right.shape) - right).max()
        differences[name] = off / np.abs(right).max() if np.isfinite(off) else np.inf
    return max((off, name) for name, off in differences.items())


# ---- gradients ------------------------------------------------------------------------


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "sizes", [{}, {"n_head": 1}, {"n_layer": 1, "n_vocab": 8}, {"n_layer": 3, "n_ctx": 20}]
)
def test_gradients_are_those_of_numpy(node, mode, sizes):
    params = odd_params(**sizes)
    T = (SIZES | sizes)["n_ctx"]
    ids = np.random.default_rng(1).integers(0, (SIZES | sizes)["n_vocab"], (3, T))
    (found,) = ask(node, question(params, ids, mode, **sizes))
    assert found["kernel"] == (mode == "wasm")
    off, name = worst(found, params, ids, **sizes)
    assert off < MODES[mode], name


def test_a_sequence_may_be_shorter_than_the_context(node):
    params, ids = odd_params(), np.random.default_rng(1).integers(0, 11, (2, 8))
    (found,) = ask(node, question(params, ids, "wasm"))
    assert worst(found, params, ids)[0] < MODES["wasm"]
    positions = np.reshape(found["grads"]["positions.weight"], (12, 16))
    assert positions[:7].any(axis=1).all() and not positions[7:].any()  # no target at 7


def test_what_it_would_write_next_is_what_numpy_says(node):
    """Of any length; of a longer text it reads one token less than the context has."""
    params = odd_params()
    config = GPTConfig(**SIZES, dropout=0)
    rows = [[i % 11 for i in range(3, 3 + n)] for n in (1, 3, 8, 11, 12, 30)]
    asked = {"config": SIZES, "params": as_lists(params), "ids": rows, "mode": "exact"}
    (found,) = ask(node, ["next", asked])
    for row, logits in zip(rows, found, strict=True):
        h, _ = numpy_gpt.states(params, np.array([row[-11:]]), config)
        assert logits == pytest.approx(h[0, -1] @ params["tokens"]["weight"].T, abs=1e-10)


@pytest.mark.parametrize(
    ("M", "K", "N"), [(1, 1, 4), (3, 5, 4), (4, 8, 8), (6, 7, 12), (5, 600, 16), (13, 3, 20)]
)
def test_the_kernel_multiplies_any_rows_and_sums(node, M, K, N):
    rng = np.random.default_rng(M)
    A, B, C = (rng.normal(size=shape) for shape in ((M, K), (K, N), (M, N)))
    cases = [
        {"A": (A.T if turned else A).ravel().tolist(), "B": B.ravel().tolist()}
        | {"C": C.ravel().tolist(), "M": M, "K": K, "N": N}
        | {"transposed": turned, "add": add, "mode": mode}
        for turned in (0, 1)
        for add in (0, 1)
        for mode in ("wasm", "plain")
    ]
    (found,) = ask(node, ["products", cases])
    for case, numbers in zip(cases, found, strict=True):
        right = A @ B + case["add"] * C
        assert np.reshape(numbers, (M, N)) == pytest.approx(right, rel=1e-5, abs=1e-4)


# ---- a run beside torch's -------------------------------------------------------------


@pytest.mark.parametrize(
    ("mode", "dtype", "near"),
    [
        ("wasm", torch.float32, 1e-4),
        pytest.param("exact", torch.float64, 1e-10, marks=pytest.mark.slow),
    ],
)
def test_200_updates_are_those_of_torch(node, mode, dtype, near):
    sizes = {"n_layer": 2, "n_head": 2, "n_embd": 16, "n_ctx": 16, "n_vocab": 30}
    lr, warmup, total, batch = 3e-3, 20, 250, 4
    params = numpy_gpt.initial_params(GPTConfig(**sizes, dropout=0), seed=3)
    windows = windows_of_emma(200, batch, 16)
    given = {"rate": lr, "warmup": warmup, "total": total, "batch": batch}
    question = {"settings": sizes | given, "params": as_lists(params)}
    (found,) = ask(node, ["run", question | {"windows": windows.tolist(), "mode": mode}])
    flat = numpy_gpt.flatten(params)
    model = g.GPT(GPTConfig(**sizes, dropout=0)).to(dtype)
    model.load_state_dict({name: torch.tensor(a, dtype=dtype) for name, a in flat.items()})
    losses, norms = told_by_torch(model, windows, lr, warmup, total)
    assert losses[0] > 3.3 and losses[-1] < 2.95, "it learns"
    assert_same(found["told"], losses, norms, near)


# ---- planted faults -------------------------------------------------------------------


@pytest.mark.slow
def test_a_fault_in_each_gradient_is_found(node, tmp_path):
    faults = faults_in("gradients")
    ids = np.random.default_rng(1).integers(0, 11, (3, 12))
    params = odd_params()
    folders = [FOLDER, *(planted(tmp_path / str(i), *f) for i, f in enumerate(faults.values()))]
    right, *wrong = ask_each(node, folders, question(params, ids, "exact"))
    assert worst(right[0], params, ids)[0] < MODES["exact"]
    missed = [
        fault
        for fault, (found,) in zip(faults, wrong, strict=True)
        if not worst(found, params, ids)[0] > SEEN
    ]
    assert not missed


@pytest.mark.slow
def test_a_fault_in_each_part_of_an_update_is_found(node, tmp_path):
    faults = faults_in("updates")
    sizes = SIZES | {"n_layer": 1}
    params = odd_params(n_layer=1)
    ids = np.random.default_rng(4).integers(0, 11, (8, 3, 12))
    settings = sizes | {"rate": 0.01, "warmup": 3, "total": 9, "batch": 3}
    asked = {"settings": settings, "params": as_lists(params), "windows": ids.tolist()}
    folders = [planted(tmp_path / str(i), *f) for i, f in enumerate(faults.values())]
    right, *wrong = ask_each(node, [FOLDER, *folders], ["run", asked | {"mode": "exact"}])
    by_numpy = after_numpy_updates(params, ids, sizes)
    assert furthest(right[0]["params"], by_numpy) < 1e-10
    found = {f: furthest(x["params"], by_numpy) for f, (x,) in zip(faults, wrong, strict=True)}
    assert not {fault: off for fault, off in found.items() if not off > SEEN}


def after_numpy_updates(params, ids, sizes):
    config = GPTConfig(**sizes, dropout=0)
    adam = numpy_gpt.NumpyAdam(params, 0.01)
    for t, batch in enumerate(ids):
        _, grads = numpy_gpt.pretraining_loss(params, batch, config)
        adam.step(grads, 0.01 * optim.warmup_cosine(t, 3, 9))
    return numpy_gpt.flatten(params)


def furthest(found, right):
    """The largest difference of a parameter."""
    off = [np.abs(np.array(found[name], float) - a.ravel()).max() for name, a in right.items()]
    return max(np.nan_to_num(off, nan=np.inf))

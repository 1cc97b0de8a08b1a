"""Decoding against plain Python, brute force, and full recomputation."""

import itertools
import math
import random
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

import gpt1lib as g
from gpt1lib import generate, sample
from gpt1lib.baselines import variants
from gpt1lib.fast.session import FastSession, can_decode_fast

CONFIG = g.GPTConfig(n_vocab=11, n_ctx=16, n_layer=2, n_head=2, n_embd=8, dropout=0.0)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = g.GPT(CONFIG).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, mean=0.0 if p.dim() > 1 else 0.3, std=0.5)
    return model


# ---- filters ---------------------------------------------------------------------


def plain_top_p(probs: list[float], p: float) -> list[bool]:
    """The definition: go down the ranking until the mass reaches p."""
    kept, mass = [False] * len(probs), 0.0
    for i in sorted(range(len(probs)), key=lambda i: (-probs[i], i)):
        if mass >= p and p < 1:
            break
        kept[i] = True
        mass += probs[i]
    return kept


def plain_top_k(probs: list[float], k: int) -> list[bool]:
    best = sorted(range(len(probs)), key=lambda i: (-probs[i], i))[:k]
    return [i in best for i in range(len(probs))]


def random_distributions(n):
    """Distributions of many shapes, ties among them, in exact binary fractions."""
    rng = random.Random(0)
    for _ in range(n):
        parts = [rng.choice([1, 1, 2, 3, 8, 60]) for _ in range(rng.randint(1, 12))]
        yield (
            [x / 1024 for x in parts] + [(1024 - sum(parts)) / 1024]
            if sum(parts) < 1024
            else [1.0]
        )


def test_filters_against_plain_python():
    rng, n = random.Random(1), 0
    for probs in random_distributions(3000):
        tensor = torch.tensor(probs, dtype=torch.float64)
        k, p = (rng.randint(1, 14), rng.choice([1, 0.999, 0.5, 0.25, 1e-9, rng.random() or 1]))
        assert generate.keep_top_k(tensor, k).tolist() == plain_top_k(probs, k)
        assert generate.keep_top_p(tensor, p).tolist() == plain_top_p(probs, p)
        n += 1
    assert n == 3000


def test_filters_work_on_batches():
    probs = torch.rand(5, 3, 9, dtype=torch.float64).softmax(-1)
    for kept, one in (
        (generate.keep_top_k(probs, 4), lambda q: plain_top_k(q, 4)),
        (generate.keep_top_p(probs, 0.4), lambda q: plain_top_p(q, 0.4)),
    ):
        for i, j in itertools.product(range(5), range(3)):
            assert kept[i, j].tolist() == one(probs[i, j].tolist())


@pytest.mark.parametrize(
    ("p", "wanted"),
    [
        (0.4, [1, 0, 0, 0]),
        (0.6, [0.625, 0.375, 0, 0]),
        (0.8, [0.625, 0.375, 0, 0]),
        (0.9, [0.526316, 0.315789, 0.157895, 0]),
        (1.0, [0.5, 0.3, 0.15, 0.05]),
    ],
)
def test_top_p_worked_example(p, wanted):
    logits = torch.tensor([0.5, 0.3, 0.15, 0.05]).log()
    probs = generate.next_token_probs(logits, top_p=p)
    assert torch.allclose(probs, torch.tensor(wanted, dtype=torch.float32), atol=1e-6)


def test_the_textbook_bug_is_another_function():
    probs = torch.tensor([0.5, 0.3, 0.15, 0.05])
    textbook = probs.cumsum(0) <= 0.6
    assert textbook.tolist() != generate.keep_top_p(probs, 0.6).tolist()
    assert not (probs.cumsum(0) <= 0.4).any() and generate.keep_top_p(probs, 0.4).any()


@pytest.mark.parametrize(
    ("T", "wanted"),
    [
        (0.5, [0.127712, 0.046983, 0.607759, 0.175876, 0.041670]),
        (1, [0.180743, 0.109626, 0.394285, 0.212104, 0.103242]),
        (2, [0.196277, 0.152860, 0.289897, 0.212624, 0.148343]),
        (0, [0, 0, 1, 0, 0]),
    ],
)
def test_temperature_worked_example(T, wanted):
    logits = torch.tensor([0.38, -0.12, 1.16, 0.54, -0.18])
    assert torch.allclose(
        generate.next_token_probs(logits, T),
        torch.tensor(wanted, dtype=torch.float32),
        atol=1e-6,
    )


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.floats(-80, 80, width=32), min_size=1, max_size=20),
    st.floats(0.01, 50),
    st.integers(1, 25),
    st.floats(0.01, 1),
)
def test_always_a_distribution(logits, T, k, p):
    probs = generate.next_token_probs(torch.tensor(logits), T, k, p)
    assert math.isclose(probs.sum().item(), 1, rel_tol=1e-4) and (probs >= 0).all()
    assert 1 <= int((probs > 0).sum()) <= k


def test_tiny_temperatures_do_not_overflow():
    logits = torch.tensor([3e4, 3e4 - 1, -3e4])
    assert generate.next_token_probs(logits, 1e-6).tolist() == [1, 0, 0]


def test_order_is_temperature_then_k_then_p():
    logits = torch.tensor([2.0, 1.0, 0.5, 0.0, -1.0])
    probs = (logits / 2).softmax(0)
    probs = probs * generate.keep_top_k(probs, 4)
    probs = probs / probs.sum()
    probs = probs * generate.keep_top_p(probs, 0.7)
    assert torch.allclose(generate.next_token_probs(logits, 2, 4, 0.7), probs / probs.sum())


# ---- drawing -----------------------------------------------------------------------


def test_draws_follow_the_probabilities():
    probs = torch.tensor([0.5, 0.0, 0.3, 0.15, 0.05])
    n = 20_000
    drawn = generate.draw(probs.expand(n, -1), torch.Generator().manual_seed(0))[:, 0]
    counts = drawn.bincount(minlength=5)
    assert counts[1] == 0
    expected = probs * n
    chi2 = ((counts - expected) ** 2 / expected.clamp_min(1e-9))[probs > 0].sum()
    assert chi2 < 16.3  # 99.9% of a chi-square with 3 degrees of freedom


def test_a_token_is_drawn_where_the_probabilities_are():
    """A device without numbers stands for a GPU: tensors of two devices do not mix there."""
    assert generate.draw(torch.rand(2, 5, device="meta")).device.type == "meta"


def test_a_token_of_mass_0_is_never_drawn():
    probs = torch.tensor([[0.0, 1.0, 0.0]]).expand(2000, -1)
    assert (generate.draw(probs, torch.Generator().manual_seed(0)) == 1).all()
    least = 5e-324  # the smallest double: most numbers below 1 times this are rounded to it
    probs = torch.tensor([[0.0, least, 0.0, 0.0]], dtype=torch.float64).expand(200, -1)
    assert (generate.draw(probs, torch.Generator().manual_seed(0)) == 1).all()


def test_the_largest_number_that_can_be_drawn_takes_the_last_token_with_mass(monkeypatch):
    def largest(*shape, generator, dtype):
        one = torch.ones(shape, dtype=dtype)
        return one.nextafter(torch.zeros_like(one))

    monkeypatch.setattr(torch, "rand", largest)
    probs = torch.tensor([[0.5, 0.5, 0.0, 0.0], [0.2, 0.7, 0.1, 0.0], [1.0, 0.0, 0.0, 0.0]])
    for dtype in (torch.float32, torch.float64):
        assert generate.draw(probs.to(dtype)).flatten().tolist() == [1, 2, 0]


def test_the_seed_decides(model):
    ids = torch.tensor([[1, 2]])
    runs = [
        generate.generate(model, ids, 30, generator=torch.Generator().manual_seed(s))
        for s in (5, 5, 6)
    ]
    assert torch.equal(runs[0], runs[1]) and not torch.equal(runs[0], runs[2])


# ---- generation with a cache -----------------------------------------------------------


def slow_greedy(model, ids, n):
    """No cache; the window slides as `stream` says."""
    n_ctx, window, out = model.config.n_ctx, ids, ids
    for _ in range(n):
        if window.shape[1] > n_ctx:
            window = window[:, -(n_ctx // 2) :]
        best = model(window)[:, -1].argmax(-1, keepdim=True)
        window, out = torch.cat([window, best], 1), torch.cat([out, best], 1)
    return out


@pytest.mark.parametrize("n_texts", [1, 3])  # one text has a session of its own
@pytest.mark.parametrize("n_prompt", [1, 5, 16])
@pytest.mark.parametrize("n_tokens", [1, 11, 60])
def test_the_cache_changes_no_token_and_the_context_no_crash(
    model, n_texts, n_prompt, n_tokens
):
    seeded = torch.Generator().manual_seed(0)
    ids = torch.randint(11, (n_texts, n_prompt), generator=seeded)
    with torch.no_grad():
        wanted = slow_greedy(model, ids, n_tokens)
    got = generate.greedy(model, ids, n_tokens)
    assert got.shape == (n_texts, n_prompt + n_tokens) and torch.equal(got, wanted)


@pytest.mark.parametrize("tied", [True, False])
def test_the_session_of_one_text_computes_the_model(tied):
    config = g.GPTConfig(n_vocab=13, n_ctx=16, n_layer=3, n_head=2, n_embd=12, tied=tied)
    torch.manual_seed(3)
    model = g.GPT(config).eval()
    with torch.no_grad():
        for p in model.parameters():
            p.add_(torch.randn_like(p) / 3)  # biases and gains that differ
    ids = torch.randint(13, (1, 16))
    assert can_decode_fast(model, 1)
    for start in (1, 5):  # the second text must not see the first
        session = FastSession(model)
        found = [session.step(ids[:, :start])]
        found += [session.step(ids[:, i : i + 1]) for i in range(start, 16)]
        with pytest.raises(ValueError, match="2 new tokens, after a prompt there must be 1"):
            session.step(ids[:, :2])
        wanted = model(ids)[0, start - 1 :]
        assert torch.allclose(torch.cat(found), wanted, atol=1e-5)


def test_the_session_of_one_text_leaves_other_models_alone(model):
    assert can_decode_fast(model, 1) and not can_decode_fast(model, 2)
    config = model.config
    assert not can_decode_fast(variants.PreLNGPT(config), 1)
    assert not can_decode_fast(variants.SinusoidalGPT(config), 1)
    assert not can_decode_fast(g.GPT(config).double(), 1)
    hooked = g.GPT(config)
    hooked.blocks[1].register_forward_hook(lambda module, inputs, out: out * 0)
    assert not can_decode_fast(hooked, 1)


def test_the_mode_is_left_as_found(model):
    model.train()
    generate.greedy(model, torch.tensor([[1]]), 3)
    assert model.training
    model.eval()


def test_two_streams_at_once_leave_the_mode_of_the_model_alone(model):
    """Between two tokens the model is as it was, and no dropout is in any of them."""
    start, dropout = torch.tensor([[1]]), g.GPT(replace(CONFIG, dropout=0.9))
    wanted = generate.greedy(dropout, start, 6)[0, 1:].tolist()
    one, other = (generate.stream(dropout, start, 6, temperature=0) for _ in range(2))
    found = []
    for column, same in zip(one, other, strict=True):
        assert dropout.training
        found.append((int(column), int(same)))
    assert found == [(i, i) for i in wanted]


def test_a_hook_that_is_added_before_the_first_token_is_heeded(model):
    stream = generate.stream(model, torch.tensor([[1, 2]]), 4, temperature=0)
    hook = model.blocks[0].register_forward_hook(lambda module, inputs, out: -out)
    try:
        wanted = generate.greedy(model, torch.tensor([[1, 2]]), 4)[0, 2:].tolist()
        assert [int(column) for column in stream] == wanted
    finally:
        hook.remove()


def test_the_cache_has_the_type_of_the_model(model):
    wanted = generate.greedy(model, torch.tensor([[1]]), 3)
    torch.set_default_dtype(torch.float64)
    try:
        assert torch.equal(generate.greedy(model, torch.tensor([[1]]), 3), wanted)
    finally:
        torch.set_default_dtype(torch.float32)


def test_where_a_device_has_no_64_bits_the_cpu_has_them():
    x = torch.tensor([0.5])
    apple = SimpleNamespace(device=SimpleNamespace(type="mps"), cpu=lambda: x)  # no double
    assert generate.double(apple).dtype == generate.double(x).dtype == torch.float64


def test_stream_gives_one_token_at_a_time(model):
    steps = generate.stream(model, torch.tensor([[1]]), 4, temperature=0)
    assert [s.shape for s in steps] == [(1, 1)] * 4


# ---- beam search --------------------------------------------------------------------------


def test_beam_search_against_all_sequences(model):
    ids = torch.tensor([3, 7])
    scores = {}
    for new in itertools.product(range(11), repeat=2):
        text = torch.cat([ids, torch.tensor(new)])
        scores[new] = generate.log_prob(model, text, start=2)
    best = sorted(scores, key=scores.get, reverse=True)[:5]
    beams = generate.beam_search(model, ids, 2, n_beams=11)[:5]
    assert [tuple(b.ids[2:].tolist()) for b in beams] == best
    for beam, wanted in zip(beams, best, strict=True):
        assert beam.log_prob == pytest.approx(scores[wanted], abs=1e-4)


def test_one_beam_is_greedy(model):
    ids = torch.tensor([[3, 7]])
    beam = generate.beam_search(model, ids, 6, n_beams=1)[0]
    assert torch.equal(beam.ids, generate.greedy(model, ids, 6)[0])


# ---- text ------------------------------------------------------------------------------------


def test_write(novelist):
    text = sample.sample_text(novelist, "She looked at", n_tokens=20, seed=1)
    assert text.startswith("she looked at")
    assert text == sample.sample_text(novelist, "She looked at", n_tokens=20, seed=1)
    assert sample.sample_text(novelist, "", n_tokens=5)
    assert sample.sample_text(novelist, "word " * 400, n_tokens=2)


@pytest.mark.slow
def test_it_writes_words(novelist):
    """Recognizable English: nearly all words of a text at 0.8 are in the books."""
    from gpt1lib import corpus, text

    known = {
        w.lower()
        for t in corpus.read_books().values()
        for w in text.split_words(text.standardize(t))
    }
    raw = " ".join(sample.sample_text(novelist, "The", 200, 0.8, seed=s) for s in range(4))
    words = text.split_words(text.standardize(raw))
    assert len(words) > 500
    assert sum(w in known for w in words) / len(words) > 0.97


# ---- bad input ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temperature": -0.1}, "temperature is -0.1"),
        ({"temperature": float("nan")}, "temperature is nan"),
        ({"temperature": float("inf")}, "temperature is inf"),
        ({"temperature": "hot"}, "temperature is 'hot'"),
        ({"top_k": 0}, "top_k is 0"),
        ({"top_k": 2.5}, "top_k is 2.5"),
        ({"top_p": 0}, "top_p is 0"),
        ({"top_p": 1.01}, "top_p is 1.01"),
        ({"top_p": float("nan")}, "top_p is nan"),
    ],
)
def test_bad_options_are_named(model, options, message):
    with pytest.raises(ValueError, match=message):
        generate.next_token_probs(torch.zeros(4), **options)
    with pytest.raises(ValueError, match=message):
        generate.generate(model, torch.tensor([[1]]), 2, **options)


def test_bad_texts_are_named(model):
    with pytest.raises(ValueError, match=r"shape \(1, 0\)"):
        generate.greedy(model, torch.zeros(1, 0, dtype=torch.long), 2)
    with pytest.raises(ValueError, match="17 tokens, the context is 16"):
        generate.greedy(model, torch.zeros(1, 17, dtype=torch.long), 2)
    with pytest.raises(ValueError, match="n_tokens is -1"):
        generate.generate(model, torch.tensor([[1]]), -1)
    with pytest.raises(ValueError, match="n_beams is 0"):
        generate.beam_search(model, torch.tensor([1]), 2, 0)
    with pytest.raises(ValueError, match="context is 16"):
        generate.beam_search(model, torch.tensor([1]), 17, 2)


def test_a_beam_search_takes_one_text(model):
    with pytest.raises(ValueError, match="ids have 2 rows, they must be one text"):
        generate.beam_search(model, torch.tensor([[1, 2], [3, 4]]), 3, 2)

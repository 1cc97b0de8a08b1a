"""What the library leaves as it found it: a model's modes, everybody's random numbers."""

import random
import re
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course.paper import init_from
from gpt1lib import evaluate, finetune, generate, sample, tasks
from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import checkpoint, released, snapshots
from gpt1lib.finetune import classifier
from gpt1lib.io.run_folder import RunFolder
from gpt1lib.pretrain import RECIPES, Pretraining
from gpt1lib.rng import eval_mode, fork_rng

LIBRARY = Path(g.__file__).parent
BPE_SMALL = BPE.learn("a fine good film and a bad dull film the plot is thin", 40)
CONFIG = g.GPTConfig(
    n_vocab=BPE_SMALL.n_vocab, n_ctx=24, n_layer=2, n_head=2, n_embd=16, dropout=0.5
)
IDS = torch.tensor([[1, 5, 2, 7, 3, 3]])


def modes(*models):
    return [part.training for model in models for part in model.modules()]


def mixed(model):
    """Train mode, but one block in eval mode: a plain .train() would not bring it back."""
    model.train()
    model.blocks[0].eval()
    return model


@pytest.fixture
def model():
    with fork_rng(0):
        return mixed(g.GPT(CONFIG))


# ---- modes ---------------------------------------------------------------------------


def test_eval_mode_brings_back_each_parts_own_mode(model):
    other = g.GPT(CONFIG).eval()
    before = modes(model, other)
    assert True in before and False in before[: len(modes(model))]
    with eval_mode(model, other):
        assert not any(modes(model, other))
        with eval_mode(model):
            pass
        assert not any(modes(model, other)), "an inner one ends in the outer one's mode"
    assert modes(model, other) == before
    with pytest.raises(KeyError), eval_mode(other, model):
        raise KeyError
    assert modes(model, other) == before


def predicted(model):
    data = [finetune.Encoded([[CONFIG.n_vocab, 1, CONFIG.n_vocab + 2]], 0)]
    return finetune.predict_probs(model, data)


def closed_early(model):
    """One token of two texts, then no more."""
    texts = generate.stream(model, IDS.repeat(2, 1), 5, temperature=0)
    first = next(texts)
    texts.close()
    return first.tolist()


USES = {
    "beam_search": lambda m: [b.log_prob for b in generate.beam_search(m, IDS, 3, 2)],
    "stream": lambda m: generate.greedy(m, IDS.repeat(2, 1), 4).tolist(),
    "stream of one text": lambda m: generate.greedy(m, IDS, 4).tolist(),
    "stream closed early": closed_early,
    "log_prob": lambda m: generate.log_prob(m, IDS[0]),
    "trace": lambda m: g.trace(m, IDS[0]).logits.tolist(),
    "heldout_nats": lambda m: evaluate.heldout_nats(m, IDS[0]),
    "predict": predicted,
}


def model_for(use, model):
    """(what the use is given, the language model in it)."""
    if use != "predict":
        return model, model
    head = finetune.Classifier(model, "classification", 2, dropout=0.5).train()
    mixed(head.model)
    return head, head.model


@pytest.mark.parametrize("use", USES)
def test_a_use_is_without_dropout_and_leaves_the_modes(use, model):
    given, _ = model_for(use, model)
    before = modes(given)
    values = USES[use](given)
    assert modes(given) == before
    with eval_mode(given):
        assert values == USES[use](given), "dropout was on"


@pytest.mark.parametrize("use", [use for use in USES if use != "stream of one text"])
def test_a_use_that_raises_leaves_the_modes(use, model):
    given, inner = model_for(use, model)
    before, evaluated = modes(given), []

    def broken(*_):
        evaluated.append(not any(modes(given)))
        raise ArithmeticError("broken on purpose")

    inner.embed = broken
    with pytest.raises(ArithmeticError, match="on purpose"):
        USES[use](given)
    assert evaluated == [True] and modes(given) == before


def test_the_fast_session_that_raises_leaves_the_modes(model, monkeypatch):
    def broken(*_):
        raise ArithmeticError("broken on purpose")

    monkeypatch.setattr(generate.FastSession, "step", broken)
    before = modes(model)
    with pytest.raises(ArithmeticError, match="on purpose"):
        generate.greedy(model, IDS, 4)
    assert modes(model) == before


# ---- random numbers --------------------------------------------------------------------


def generators():
    return torch.get_rng_state(), random.getstate(), np.random.get_state()[1].tolist()


@contextmanager
def nothing_drawn():
    """All global generators, which stand somewhere in their sequence, stay there."""
    torch.manual_seed(987_654)
    torch.rand(7)
    state, *others = generators()
    yield
    after, *others_after = generators()
    assert torch.equal(state, after), "torch's generator has moved"
    assert others == others_after


def test_seeded_draws_apart():
    with nothing_drawn(), fork_rng(3):
        a = torch.rand(4)
    with nothing_drawn(), fork_rng(3):
        torch.testing.assert_close(torch.rand(4), a, rtol=0, atol=0)
    with nothing_drawn(), pytest.raises(KeyError), fork_rng(3):
        torch.rand(4)
        raise KeyError


def test_a_macs_gpu_is_seeded_and_left_as_it_was(monkeypatch):
    calls = []
    monkeypatch.setattr(torch.mps, "get_rng_state", lambda *_: "before")
    monkeypatch.setattr(torch.mps, "manual_seed", lambda seed: calls.append(seed))
    monkeypatch.setattr(torch.mps, "set_rng_state", lambda state, *_: calls.append(state))
    with pytest.raises(KeyError), fork_rng(3, torch.device("mps")):
        torch.rand(4)
        raise KeyError
    assert calls == [3, "before"]


RECIPE = replace(
    RECIPES["tiny"],
    n_merges=60,
    batch=4,
    steps=3,
    warmup=1,
    snapshots=2,
    evaluate_every=2,
    save_every=2,
    sample_every=2,
    model=replace(RECIPES["tiny"].model, dropout=0.1),
)


@pytest.fixture(scope="module")
def books(make_books, tmp_path_factory):
    return make_books(tmp_path_factory.mktemp("books"))


@pytest.mark.parametrize(
    "change", [{}, {"kind": "lstm"}, {"kind": "pre_ln", "model": replace(g.TINY, tied=False)}]
)
def test_pre_training_draws_nothing_of_ours(books, tmp_path, change):
    with nothing_drawn():
        run = Pretraining.from_books(replace(RECIPE, **change), tmp_path, *books)
    with nothing_drawn():
        run.train_step()
    with nothing_drawn():
        run.run()
    with nothing_drawn():
        checkpoint.load_ours(tmp_path)
        assert len(list(snapshots.stages(tmp_path))) == 2
    with nothing_drawn():
        assert Pretraining.from_books(run.recipe, tmp_path, *books).resume()


def test_a_pre_training_does_not_depend_on_our_numbers(books, tmp_path):
    weights = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        run = Pretraining.from_books(RECIPE, tmp_path / str(seed), *books)
        run.train_step()
        run.train_step()  # the first has a rate of 0
        weights.append(run.model.state_dict())
    assert all(torch.equal(weights[0][name], weights[1][name]) for name in weights[0])


def toy_task():
    texts = (("a fine good film", 1), ("a bad dull film", 0)) * 4
    examples = [tasks.Example((text,), label) for text, label in texts]
    return tasks.Task("toy", "classification", 2, examples, examples[:4], examples[:4])


def test_fine_tuning_draws_nothing_of_ours(model, tmp_path):
    source = checkpoint.Checkpoint(model.eval(), BPE_SMALL, {}, None)
    settings, folder = finetune.Settings(batch=4), RunFolder(tmp_path, counter="update")
    with nothing_drawn():
        run = finetune.FineTuning(source, toy_task(), settings)
    with nothing_drawn():
        run.train_step()
    with nothing_drawn():
        run.run(folder, quiet=True)
        run.evaluate("test")
    with nothing_drawn():
        assert finetune.FineTuning(source, toy_task(), settings).resume(folder)
    with nothing_drawn():
        classifier.save(tmp_path, run.classifier, BPE_SMALL, toy_task())
        classifier.load(tmp_path)


def test_what_is_made_from_a_model_draws_nothing_of_ours(model):
    with nothing_drawn():
        init_from.transferred(model, 2, seed=5)
        finetune.truncate_context(model, 8)
        released.empty(CONFIG)
        source = checkpoint.Checkpoint(model, BPE_SMALL, {}, None)
        sample.sample_text(source, "a fine", 5)
        finetune.fit_context(source, toy_task())


def test_only_fork_rng_sets_the_global_seed():
    """Everyone else has a torch.Generator or a random.Random of his own."""
    own = re.compile(r"Generator\(\)\.manual_seed\(|torch\.random\.fork_rng|default_rng")
    always = r"manual_seed|\.seed\(|set_rng_state|np\.random\.(seed|shuffle|sample|choice|rand)"
    module = r"\brandom\.(seed|shuffle|sample|random|choice)\b"  # else a name given to a Random
    lines = []
    for path in sorted(LIBRARY.rglob("*.py")):
        text = own.sub("", path.read_text(encoding="utf-8"))
        has_module = re.search(r"^(?:import|from) .*\brandom\b", text, re.M)
        shared = re.compile(f"{always}|{module}" if has_module else always)
        found = (line.strip() for line in text.splitlines() if shared.search(line))
        lines += [(path.relative_to(LIBRARY).as_posix(), line) for line in found]
    assert [path for path, _ in lines] == ["rng.py"]


def test_without_a_device_no_gpu_is_seeded(monkeypatch):
    seeded = []
    for place in (torch.cuda, torch.mps):
        for name in ("manual_seed", "manual_seed_all"):
            if hasattr(place, name):
                monkeypatch.setattr(place, name, seeded.append)
    with fork_rng(3):
        first = torch.rand(2)
    torch.default_generator.manual_seed(3)
    assert torch.equal(first, torch.rand(2)) and not seeded

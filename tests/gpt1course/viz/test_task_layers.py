"""What fine-tuning adds, learned alone: stored, bound to its model, and as good as is said."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

import gpt1lib as g
from gpt1course.viz import explorers, task_layers
from gpt1lib import finetune, tasks
from tools.task_layers import SETS, SETTINGS, AddedOnly


@pytest.fixture(scope="module")
def stored(novelist):
    return task_layers.load(novelist.model)


@pytest.fixture
def tiny(novelist):
    """The novelist's vocabulary on a model of few numbers."""
    torch.manual_seed(0)
    shape = {"n_layer": 1, "n_head": 2, "n_embd": 16, "n_ctx": 32}
    model = g.GPT(g.GPTConfig(n_vocab=novelist.bpe.n_vocab, **shape)).eval()
    return replace(novelist, model=model)


def test_the_files_are_small_and_say_where_they_come_from(stored):
    assert stored.keys() == SETS.keys()
    size = sum(path.stat().st_size for path in task_layers.FOLDER.iterdir())
    assert size < 20_000
    facts = json.loads((task_layers.FOLDER / task_layers.FACTS).read_text())
    assert facts["model"] == task_layers.weights_fingerprint(g.load_novelist().model)
    for kind, layer in stored.items():
        assert layer.facts["task"] == SETS[kind]
        assert layer.facts["command"] == f"python -m tools.task_layers {kind}"
        assert len(layer.facts["commit"]) == 40 and layer.facts["settings"]["seed"] == 0
        low, high = layer.facts["test"]["interval"]
        assert low < layer.facts["test"]["accuracy"] < high
        assert low > 1 / len(layer.facts["classes"]), f"{kind}: no better than guessing"


def test_the_stored_accuracy_is_that_of_the_stored_layer(novelist, stored):
    """Read as FormatsExplorer reads it, on the test set of the shortest texts."""
    layer, task = stored["classification"], tasks.load(SETS["classification"])
    model = finetune.add_special_tokens(novelist.model).eval()
    data = finetune.prepare(novelist.bpe, task, task.test, model.config.n_ctx)
    right = 0
    with torch.no_grad():
        model.tokens.weight[-3:] = layer.specials
        for i in range(0, len(data), 100):
            ids, _, at, labels = finetune.collate(data[i : i + 100])
            states = model.hidden(ids)[torch.arange(len(ids)), at]
            guesses = layer.read(states).view(len(ids), -1).argmax(1)
            right += (guesses == labels).sum().item()
    assert right / len(data) == pytest.approx(layer.facts["test"]["accuracy"], abs=0.003)
    assert len(data) == layer.facts["test"]["examples"]


def test_another_model_has_learned_nothing_and_guesses_evenly(tiny):
    assert task_layers.load(tiny.model) == {}
    e = explorers.FormatsExplorer.from_checkpoint(tiny)
    for kind, n in explorers.formats.N_CLASSES.items():
        assert e.formats[kind]["probs"] == pytest.approx([1 / n] * n, abs=1e-6)
        assert e.layers[kind].keys() == {"n_out", "classes"}


def test_layers_are_kept_for_the_model_that_they_were_learned_for(tiny, tmp_path):
    rows = torch.randn(3, 16).half().float()
    made = task_layers.TaskLayer(rows, rows[:2], rows[0, :2], {"task": "x"})
    fingerprint = task_layers.weights_fingerprint(tiny.model)
    task_layers.save(tmp_path, {"entailment": made}, {"model": fingerprint})
    (found,) = task_layers.load(tiny.model, tmp_path).values()
    assert torch.equal(found.numbers(), made.numbers()) and found.facts == made.facts
    path = tmp_path / task_layers.WEIGHTS
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(ValueError, match="is not the file that was written"):
        task_layers.load(tiny.model, tmp_path)


def test_nothing_learns_but_the_layer_and_three_rows(tiny):
    task = tasks.load(SETS["similarity"])
    few = {"train": task.train[:4], "valid": [], "test": []}
    task = tasks.Task(task.name, task.kind, 2, **few, classes=task.classes)
    run = AddedOnly(tiny, task, SETTINGS)
    before = {name: p.detach().clone() for name, p in run.classifier.named_parameters()}
    for _ in range(2):  # the first has a rate of 0
        run.train_step()
    changed = {
        name
        for name, p in run.classifier.named_parameters()
        if not torch.equal(p, before[name])
    }
    assert changed == {"model.tokens.weight", "head.weight", "head.bias"}
    moved = (run.table != before["model.tokens.weight"]).any(dim=1)
    assert moved.nonzero().flatten().tolist() == [len(moved) - 3 + i for i in range(3)]


def test_in_similarity_the_sum_is_read_and_the_order_does_not_matter(novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist)
    states = np.frombuffer(e.states, "<f2").reshape(8, -1).astype(float)
    a_first, b_first, both = states[2:5]
    assert np.allclose(a_first + b_first, both, atol=0.01)
    before = e.formats["similarity"]["probs"]
    e.texts = {**e.texts, "similarity": e.texts["similarity"][::-1]}
    assert e.formats["similarity"]["probs"] == pytest.approx(before, abs=1e-5)
    before = e.formats["entailment"]["probs"]
    e.texts = {**e.texts, "entailment": e.texts["entailment"][::-1]}
    assert e.formats["entailment"]["probs"] != pytest.approx(before, abs=1e-3)

"""What is saved is what is loaded, and what is damaged is named."""

import json

import pytest
import torch
from safetensors.torch import load_file, save_file

import gpt1lib as g
from gpt1lib.checkpoints import checkpoint


@pytest.fixture
def saved(tmp_path):
    bpe = g.BPE.learn("the cat sat on the mat", 12)
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(n_vocab=bpe.n_vocab, n_ctx=8, n_layer=2, n_head=2, n_embd=8))
    checkpoint.save(tmp_path, model, bpe, {"note": "small"})
    return tmp_path, model, bpe


def test_round_trip(saved):
    folder, model, bpe = saved
    again = checkpoint.load(folder)
    assert again.model.config == model.config and again.bpe.encoder == bpe.encoder
    assert again.meta["note"] == "small" and not again.model.training
    for a, b in zip(again.model.parameters(), model.parameters(), strict=True):
        assert torch.equal(a, b)


def test_others_may_read_what_is_saved(saved):
    """As far as the process allows it for any new file."""
    (saved[0] / "plain").touch()
    wanted = (saved[0] / "plain").stat().st_mode
    for path in saved[0].iterdir():
        assert path.stat().st_mode == wanted, path.name


@pytest.mark.parametrize("name", ["config.json", "meta.json", "model.safetensors", "vocab.bpe"])
def test_a_missing_file_is_named(saved, name):
    (saved[0] / name).unlink()
    with pytest.raises(FileNotFoundError, match=f"{name} is missing"):
        checkpoint.load(saved[0])


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_file_cut_short(saved, keep):
    path = saved[0] / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    with pytest.raises(ValueError, match="cut short or damaged"):
        checkpoint.load(saved[0])


def rewrite(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def test_wrong_keys_and_shapes_are_named(saved):
    folder = saved[0]
    whole = (folder / "model.safetensors").read_bytes()
    cases = [
        (lambda t: t.pop("positions.weight"), "'positions.weight' is missing"),
        (lambda t: t.update(extra=torch.zeros(1)), "'extra' that the model has not"),
        (
            lambda t: t.update({"positions.weight": torch.zeros(7, 8)}),
            r"'positions.weight' is \(7, 8\), expected \(8, 8\)",
        ),
    ]
    for change, message in cases:
        (folder / "model.safetensors").write_bytes(whole)
        rewrite(folder, change)
        with pytest.raises(ValueError, match=message):
            checkpoint.load(folder)


def test_another_vocabulary_is_refused(saved):
    folder, model, _ = saved
    other = g.BPE.learn("a dog ran to the red house over there", 12)
    other.save(folder)
    with pytest.raises(ValueError, match="not the one the weights were trained"):
        checkpoint.load(folder)
    with pytest.raises(ValueError, match="they do not belong together"):
        checkpoint.save(folder, model, g.BPE.learn("a b", 1))


def test_other_weights_of_the_same_shape_are_refused(saved):
    rewrite(saved[0], lambda t: t["positions.weight"].add_(1))
    with pytest.raises(ValueError, match="not the ones that meta.json describes"):
        checkpoint.load(saved[0])


def test_a_failed_write_loses_nothing(saved, monkeypatch):
    folder, model, bpe = saved
    before = (folder / "model.safetensors").read_bytes()

    def fail(tensors, path):
        path.write_bytes(b"half")
        raise OSError("no space left on device")

    monkeypatch.setattr(checkpoint, "save_file", fail)
    with pytest.raises(OSError, match="no space left"):
        checkpoint.save(folder, model, bpe)
    assert (folder / "model.safetensors").read_bytes() == before
    assert not list(folder.glob(".*tmp"))


def test_an_unknown_size_in_the_config(saved):
    path = saved[0] / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"n_experts": 8}))
    with pytest.raises(ValueError, match="n_experts"):
        checkpoint.load(saved[0])


def test_the_novelist_loads_once(novelist):
    assert g.load_novelist() is novelist
    assert novelist.model.count_parameters() == 5_303_296
    assert novelist.model.config == g.NOVELIST

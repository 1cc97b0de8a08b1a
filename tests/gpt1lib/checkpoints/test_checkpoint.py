"""What is saved is what is loaded, and what is damaged is named."""

import json

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

import gpt1lib as g
from gpt1lib.checkpoints import checkpoint
from gpt1lib.io import tensors


@pytest.fixture
def saved(tmp_path):
    bpe = g.BPE.learn("the cat sat on the mat", 12)
    torch.manual_seed(0)
    model = g.GPT(g.GPTConfig(n_vocab=bpe.n_vocab, n_ctx=8, n_layer=2, n_head=2, n_embd=8))
    checkpoint.save_ours(tmp_path, model, bpe, {"note": "small"})
    return tmp_path, model, bpe


def test_a_model_that_is_refused_leaves_what_was_saved(saved):
    class Other(g.GPT):
        pass

    folder, model, bpe = saved
    with pytest.raises(ValueError):
        checkpoint.save_ours(folder, Other(model.config), bpe)
    assert checkpoint.load_ours(folder).meta["note"] == "small"
    with pytest.raises(ValueError, match="pre_tokenize is .*, not one of"):
        checkpoint.save_ours(folder, model, g.BPE(bpe.encoder, bpe.merges, str.split))
    assert checkpoint.load_ours(folder).meta["note"] == "small"


@pytest.fixture
def unbound(saved):
    """A checkpoint without checksums, so that what else is wrong with it is seen."""
    (saved[0] / "checksums.json").unlink()
    return saved


@pytest.mark.parametrize("name", [*checkpoint.FILES, "log.jsonl"])
def test_one_changed_byte_is_named(saved, name):
    folder, model, bpe = saved
    (folder / "log.jsonl").write_text('{"step": 1, "loss": 7.5}\n')
    checkpoint.save_ours(folder, model, bpe)
    path = folder / name
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(ValueError, match=f"{name} is not the file that was written"):
        assert checkpoint.load_ours(folder).log


def test_checksums_that_leave_a_file_out_are_named(saved):
    path = saved[0] / "checksums.json"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in stored.items() if k != "config.json"}))
    with pytest.raises(ValueError, match="checksums.json does not name config.json"):
        checkpoint.load_ours(saved[0])


def test_round_trip(saved):
    folder, model, bpe = saved
    again = checkpoint.load_ours(folder)
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
        checkpoint.load_ours(saved[0])


@pytest.mark.parametrize("keep", [0, 5, 100, -1])
def test_a_file_cut_short(unbound, keep):
    path = unbound[0] / "model.safetensors"
    path.write_bytes(path.read_bytes()[:keep])
    named = "model.safetensors is (cut short or damaged|only .* bytes long)"
    with pytest.raises(ValueError, match=named):
        checkpoint.load_ours(unbound[0])


def rewrite(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


def test_wrong_keys_and_shapes_are_named(unbound):
    folder = unbound[0]
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
            checkpoint.load_ours(folder)


def test_another_vocabulary_is_refused(saved):
    folder, model, _ = saved
    other = g.BPE.learn("a dog ran to the red house over there", 12)
    other.save(folder)
    with pytest.raises(ValueError, match="not the one the weights were trained"):
        checkpoint.load_ours(folder)
    with pytest.raises(ValueError, match="they do not belong together"):
        checkpoint.save_ours(folder, model, g.BPE.learn("a b", 1))


def test_other_weights_of_the_same_shape_are_refused(unbound):
    rewrite(unbound[0], lambda t: t["positions.weight"].add_(1))
    with pytest.raises(ValueError, match="not the ones that meta.json describes"):
        checkpoint.load_ours(unbound[0])


def test_a_failed_write_loses_nothing(saved, monkeypatch):
    folder, model, bpe = saved
    before = (folder / "model.safetensors").read_bytes()

    def fail(tensors, path, metadata):
        path.write_bytes(b"half")
        raise OSError("no space left on device")

    monkeypatch.setattr(tensors, "save_file", fail)
    with pytest.raises(OSError, match="no space left"):
        checkpoint.save_ours(folder, model, bpe)
    assert (folder / "model.safetensors").read_bytes() == before
    assert not list(folder.glob(".*tmp"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_experts": 8}, "n_experts"),
        ({"n_layer": 2**63}, "n_layer is 9223372036854775808, it must be an integer from 1"),
        ({"n_ctx": 2**20}, "a model of these sizes has .* numbers, but"),
        ({"n_head": "2"}, "n_head is '2', it must be an integer"),
        ({"kind": ["gpt"]}, "unhashable"),
    ],
)
def test_a_config_that_makes_no_such_model_is_named(unbound, change, message):
    path = unbound[0] / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ValueError, match=f"config.json: .*{message}"):
        checkpoint.load_ours(unbound[0])


def test_a_full_disk_is_told_in_plain_words(saved, monkeypatch):
    def fail(*_, **__):
        raise SafetensorError("Error while serializing: I/O error: os error 28")

    monkeypatch.setattr(tensors, "save_file", fail)
    with pytest.raises(OSError, match="could not write .*model.safetensors, is the disk full"):
        checkpoint.save_ours(*saved)


def test_weights_that_are_not_numbers_are_not_written(saved):
    folder, model, bpe = saved
    before = {p.name: p.read_bytes() for p in folder.iterdir()}
    with torch.no_grad():
        model.positions.weight[3, 2] = float("nan")
    with pytest.raises(FloatingPointError, match="positions.weight contains nan"):
        checkpoint.save_ours(folder, model, bpe)
    assert {p.name: p.read_bytes() for p in folder.iterdir()} == before


def test_the_novelist_loads_once(novelist):
    assert g.load_novelist() is novelist
    assert novelist.model.count_parameters() == 5_303_296
    assert novelist.model.config == g.NOVELIST

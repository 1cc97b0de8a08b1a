"""The released layouts: files of the real shapes, filled with random numbers."""

import json
import math
import shutil
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import OpenAIGPTConfig, OpenAIGPTLMHeadModel

import gpt1lib as g
from gpt1lib import BPE, GPT, GPT1, TINY, GPTConfig, checkpoints, text
from gpt1lib.checkpoints import kinds, released
from gpt1lib.io import files

SMALL = GPTConfig(n_vocab=40, n_ctx=24, n_layer=3, n_head=2, n_embd=16, dropout=0.0)


def small_bpe():
    merges = [("t", "h"), ("th", "e</w>"), ("a", "t</w>")]
    alphabet = "abcdefghijklmnopt"  # 1 + 2 x 17 + 3 + 1 = 39
    encoder = g.bpe.build_encoder(alphabet, merges)
    encoder["z"] = len(encoder)
    return BPE(encoder, merges)


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(0)
    model = GPT(SMALL).eval()
    for p in model.parameters():
        torch.nn.init.normal_(p, std=0.3)
    return model


@pytest.fixture
def openai(model, tmp_path):
    """As OpenAI's own folder, which has no checksums."""
    folder = tmp_path / "openai"
    released.save_openai(folder, model, small_bpe())
    (folder / "checksums.json").unlink()
    return folder


@pytest.fixture
def hugging_face(model, tmp_path):
    folder = tmp_path / "hf"
    released.save_hugging_face(folder, model, small_bpe())
    (folder / "checksums.json").unlink()
    return folder


def same(a, b):
    return all(
        torch.equal(x, y)
        for x, y in zip(a.state_dict().values(), b.state_dict().values(), strict=True)
    )


def contents(folder):
    parts = sorted(p for p in folder.iterdir() if p.name != "checksums.json")
    return {p.name: p.read_bytes() for p in parts}


# ---- the shapes --------------------------------------------------------------------


def test_the_146_arrays_are_those_of_the_release(shared):
    shapes = json.loads((shared / "openai_gpt/params_shapes.json").read_text())
    assert [list(s) for _, s in released.arrays(GPT1)] == shapes
    assert released.config_of(shapes) == GPT1 and len(shapes) == 146


def test_they_hold_116_534_784_numbers():
    assert sum(int(np.prod(s)) for _, s in released.arrays(GPT1)) == 116_534_784


def test_the_order_of_the_stream_is_by_hand():
    """The first block by a reading of train.py, not by the code under test."""
    flat = np.arange(16 * 24 + 16 * 40 + 3 * (12 * 256 + 13 * 16), dtype=np.float32)
    names = [name for name, _ in released.arrays(SMALL)][:14]
    assert names[:4] == [
        "positions.weight",
        "tokens.weight",
        "blocks.0.attention.qkv.weight",
        "blocks.0.attention.qkv.bias",
    ]
    assert names[6:8] == ["blocks.0.ln_1.weight", "blocks.0.ln_1.bias"]
    assert names[12:] == ["blocks.0.ln_2.weight", "blocks.0.ln_2.bias"]
    found = list(released.slices([flat[:700], flat[700:701], flat[701:]], [384, 640, 768]))
    assert found[2][0] == 384 + 640 and len(found[2]) == 768
    assert np.array_equal(np.concatenate(found), flat[:1792])


# ---- there and back ------------------------------------------------------------------


def test_openai_to_ours_to_openai_is_byte_equal(model, openai, tmp_path):
    made = released.load_released(openai, n_head=2)
    assert same(made.model, model) and not made.model.training
    released.save_openai(tmp_path / "again", made.model, made.bpe)
    assert contents(tmp_path / "again") == contents(openai) and len(contents(openai)) == 13


def test_hugging_face_to_ours_to_hugging_face_is_byte_equal(model, hugging_face, tmp_path):
    made = released.load_released(hugging_face)
    assert same(made.model, model)
    released.save_hugging_face(tmp_path / "again", made.model, made.bpe)
    assert contents(tmp_path / "again") == contents(hugging_face)


@pytest.mark.parametrize(("name", "value"), [("afn", "relu"), ("layer_norm_epsilon", 1e-2)])
def test_another_activation_or_epsilon_is_refused(hugging_face, name, value):
    path = hugging_face / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    with pytest.raises(ValueError, match=f"{name} is {value!r}, GPT-1's is"):
        released.load_released(hugging_face)


def test_transformers_reads_what_we_write(model, hugging_face):
    theirs = OpenAIGPTLMHeadModel.from_pretrained(hugging_face).eval()
    ids = torch.randint(40, (2, 20))
    with torch.no_grad():
        assert torch.allclose(model(ids), theirs(ids).logits, atol=1e-5)


def test_we_read_what_transformers_writes(tmp_path):
    torch.manual_seed(1)
    config = OpenAIGPTConfig(vocab_size=40, n_positions=24, n_embd=16, n_layer=3, n_head=2)
    theirs = OpenAIGPTLMHeadModel(config).eval()
    theirs.save_pretrained(tmp_path)
    small_bpe().save(tmp_path, "vocab.json", "merges.txt")
    ours = released.load_released(tmp_path).model
    ids = torch.randint(40, (2, 20))
    with torch.no_grad():
        assert torch.allclose(ours(ids), theirs(ids).logits, atol=1e-5)


def test_a_pickled_file_is_read_by_the_safe_reader_only(model, hugging_face):
    tensors = load_file(hugging_face / "model.safetensors")
    (hugging_face / "model.safetensors").unlink()
    path = hugging_face / "pytorch_model.bin"
    masks = {f"h.{i}.attn.bias": torch.ones(1, 1, 24, 24) for i in range(3)}
    torch.save({**tensors, **masks}, path)
    assert same(released.load_released(hugging_face).model, model)

    class Evil:
        def __reduce__(self):
            return (print, ("code ran",))

    torch.save({**tensors, "h": Evil()}, path)
    with pytest.raises(ValueError, match="model.bin is .* damaged: no state that is safe"):
        released.load_released(hugging_face)


@pytest.mark.slow
def test_full_size_files_load_within_memory_and_agree_with_transformers(tmp_path):
    """Random numbers in the real shapes: 466 MB in ten files, logits and states."""
    torch.manual_seed(2)
    source = GPT(GPT1).eval()
    released.save_openai(tmp_path, source)
    code = (
        "import time\n"
        "from pathlib import Path\n"
        "from gpt1lib.checkpoints import released\n"
        "def peak():  # of this process alone, in bytes\n"
        "    status = Path('/proc/self/status').read_text()\n"
        "    return 1024 * int(status.split('VmHWM:')[1].split()[0])\n"
        "before, start = peak(), time.time()\n"
        f"model = released.read_openai(Path({str(tmp_path)!r}))\n"
        "print(peak() - before, time.time() - start)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    grown, seconds = map(float, done.stdout.split())
    size = 4 * 116_534_784
    print(f"loading grew memory by {grown / size:.2f} times the files, {seconds:.1f} s")
    assert size < grown < (1 + 1.3) * size  # the model, and at most 1.3 times the files
    loaded = released.read_openai(tmp_path).eval()
    assert same(loaded, source)
    theirs = OpenAIGPTLMHeadModel(OpenAIGPTConfig()).eval()
    theirs.transformer.load_state_dict(released.to_hugging_face(loaded))
    theirs.tie_weights()
    ids = torch.randint(40478, (1, 40))
    steps = g.trace(loaded, ids[0])
    with torch.no_grad():
        out = theirs(ids, output_hidden_states=True)
    assert (steps.logits - out.logits[0]).abs().max() < 1e-5
    states = [steps.h0, *(block.h for block in steps.blocks)]
    for mine, other in zip(states, out.hidden_states, strict=True):
        assert (mine - other[0]).abs().max() < 1e-5


# ---- what can be wrong with a folder -------------------------------------------------


def test_an_empty_folder_says_what_to_ask_for(tmp_path):
    with pytest.raises(FileNotFoundError, match="params_0.npy(.|\n)*openai-gpt"):
        released.load_released(tmp_path)


def test_missing_and_damaged_files_are_named(openai):
    (openai / "params_3.npy").unlink()
    with pytest.raises(FileNotFoundError, match="lacks params_3.npy"):
        released.load_released(openai, n_head=2)
    np.save(openai / "params_3.npy", np.zeros(5, np.float32))
    with pytest.raises(ValueError, match="contain .* numbers, params_shapes.json asks for"):
        released.load_released(openai, n_head=2)
    np.save(openai / "params_3.npy", np.zeros(5))
    with pytest.raises(ValueError, match="params_3.npy is float64"):
        released.load_released(openai, n_head=2)
    (openai / "params_3.npy").write_bytes(b"\x93NUMPY rubbish")
    with pytest.raises(ValueError, match="params_3.npy is cut short or damaged"):
        released.load_released(openai, n_head=2)


def test_a_pickled_array_is_refused(openai):
    np.save(openai / "params_3.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(ValueError, match="params_3.npy is cut short or damaged"):
        released.load_released(openai, n_head=2)


def test_other_shapes_are_refused(openai):
    path = openai / "params_shapes.json"
    shapes = json.loads(path.read_text())
    path.write_text(json.dumps(shapes[:-1]))
    with pytest.raises(ValueError, match="lists 37 arrays"):
        released.load_released(openai, n_head=2)
    shapes[4] = [1, 16, 17]
    path.write_text(json.dumps(shapes))
    with pytest.raises(ValueError, match=r"array 4 \(blocks.0.attention.project.weight\)"):
        released.load_released(openai, n_head=2)


def test_a_missing_or_misshapen_tensor_is_named(hugging_face):
    path = hugging_face / "model.safetensors"
    tensors = load_file(path)
    gone = tensors.pop("h.1.mlp.c_fc.weight")
    save_file(tensors, path)
    with pytest.raises(ValueError, match="lack 'h.1.mlp.c_fc.weight'"):
        released.load_released(hugging_face)
    save_file({**tensors, "h.1.mlp.c_fc.weight": gone.T.contiguous()}, path)
    with pytest.raises(ValueError, match="'h.1.mlp.c_fc.weight' is"):
        released.load_released(hugging_face)
    path.write_bytes(path.read_bytes()[:-500])
    with pytest.raises(ValueError, match="cut short or damaged"):
        released.load_released(hugging_face)


def test_another_vocabulary_under_the_released_name_is_refused(openai, shared):
    for name in released.OPENAI[1:]:
        shutil.copy(shared / "openai_gpt" / name, openai / name)
    with pytest.raises(ValueError, match="40478 tokens, the model 40"):
        released.load_released(openai, n_head=2)
    theirs = BPE.load(openai, *released.OPENAI[1:])
    released.check_released_vocabulary(theirs, GPT1, openai)  # the released one passes
    theirs.merges[:2] = theirs.merges[1::-1]
    with pytest.raises(ValueError, match="the vocabulary in .* is not the released one"):
        released.check_released_vocabulary(theirs, GPT1, openai)


@pytest.mark.parametrize("write", [released.save_openai, released.save_hugging_face])
def test_what_we_write_is_bound_by_checksums(model, tmp_path, write):
    write(tmp_path, model, small_bpe())
    parts = [p for p in tmp_path.iterdir() if p.name != "checksums.json"]
    for path in parts:
        whole = path.read_bytes()
        path.write_bytes(whole[:-3] + bytes([whole[-3] ^ 1]) + whole[-2:])
        with pytest.raises(ValueError, match=f"{path.name} is not the file that was written"):
            released.load_released(tmp_path)
        path.unlink()
        with pytest.raises(FileNotFoundError, match=f"(lacks {path.name}|no released GPT-1)"):
            released.load_released(tmp_path)
        path.write_bytes(whole)


def test_sizes_are_checked_before_memory_is_taken(hugging_face):
    path = hugging_face / "config.json"
    stored = json.loads(path.read_text())
    for change, message in (
        ({"n_layer": 2**63}, "n_layer is 9223372036854775808, it must be"),
        ({"n_layer": 900}, "a model of these sizes has"),
        ({"vocab_size": None}, "n_vocab is None"),
        ({"n_positions": 2**20}, "a model of these sizes has"),
    ):
        path.write_text(json.dumps(stored | change))
        with pytest.raises(ValueError, match=f"config.json: {message}"):
            released.load_released(hugging_face)
    path.write_text(json.dumps({"kind": "gpt"}))
    with pytest.raises(ValueError, match="config.json: it lacks 'vocab_size'"):
        released.load_released(hugging_face)


# ---- text ----------------------------------------------------------------------------


needs_pipeline = pytest.mark.skipif(
    not text.released_pipeline_installed(), reason="ftfy or spaCy is missing"
)


@pytest.fixture(scope="module")
def golden(shared):
    return files.read_json(shared / "reference/golden_bpe.json")["items"]


@pytest.fixture(scope="module")
def vocabulary(shared):
    return BPE.load(shared / "openai_gpt", "encoder_bpe_40000.json", "vocab_40000.bpe")


@needs_pipeline
def test_the_released_pipeline_gives_openais_ids_on_every_text(golden, vocabulary):
    vocabulary.pre_tokenize = text.released_words
    for item in golden:
        assert text.released_words(item["text"]) == item["pretokens"], item["text"]
        assert vocabulary.encode(item["text"]) == item["ids"], item["text"]
    vocabulary.pre_tokenize = text.pre_tokenize
    assert len(golden) == 40


def test_the_fallbacks_differences_are_counted(golden, vocabulary):
    vocabulary.pre_tokenize = text.pre_tokenize
    differ = [i["text"] for i in golden if vocabulary.encode(i["text"]) != i["ids"]]
    assert len(differ) <= 6, differ


@needs_pipeline
def test_the_loader_takes_the_released_pipeline_where_it_is(openai):
    made = released.load_released(openai, n_head=2)
    assert made.meta["pipeline"] == "released" and made.bpe.pre_tokenize is text.released_words


def test_without_the_packages_the_fallback_reads(openai, monkeypatch):
    monkeypatch.setattr(text, "released_pipeline_installed", lambda: False)
    made = released.load_released(openai, n_head=2)
    assert made.meta["pipeline"] == "fallback" and made.bpe.encode("the bat")
    with pytest.raises(ImportError, match="pip install"):
        text.released_words("the bat")


# ---- one door in and one out -------------------------------------------------------------


@pytest.mark.parametrize("layout", ["ours", "openai", "hugging_face"])
def test_what_is_saved_in_a_layout_is_loaded_by_the_same_name(layout, model, tmp_path):
    """With one head, which is what `load` takes for 16 dimensions in OpenAI's layout."""
    bpe, one_head = small_bpe(), GPT(replace(SMALL, n_head=1))
    one_head.load_state_dict(model.state_dict())
    checkpoints.save(tmp_path, one_head, bpe, layout=layout)
    made = checkpoints.load(tmp_path)
    assert made.bpe.checksum == bpe.checksum and made.model.config.n_head == 1
    for name, tensor in model.state_dict().items():
        assert torch.equal(made.model.state_dict()[name], tensor), name


def test_a_model_without_a_vocabulary_is_given_one(model, tmp_path):
    bpe = small_bpe()
    released.save_hugging_face(tmp_path, model)
    with pytest.raises(FileNotFoundError, match="vocab.json is missing"):
        checkpoints.load(tmp_path)
    assert checkpoints.load(tmp_path, bpe=bpe).bpe is bpe
    with pytest.raises(ValueError, match="they do not belong together"):
        checkpoints.load(tmp_path, bpe=g.BPE.learn("a b", 1))


def test_another_layout_and_another_order_are_named(model, tmp_path):
    bpe = small_bpe()
    with pytest.raises(ValueError, match="layout is 'onnx', it must be ours or openai or hug"):
        checkpoints.save(tmp_path, model, bpe, layout="onnx")
    with pytest.raises(TypeError, match=r"save\(folder, model, bpe\) got BPE, GPT"):
        checkpoints.save(tmp_path, bpe, model)
    for more in ({"meta": {}}, {"fp16": True}):
        with pytest.raises(ValueError, match="layout 'openai' stores no meta and no fp16"):
            checkpoints.save(tmp_path, model, bpe, layout="openai", **more)


def test_a_checkpoint_and_a_trace_are_shown_in_a_line(model, tmp_path):
    bpe = small_bpe()
    checkpoints.save(tmp_path, model, bpe)
    made = checkpoints.load(tmp_path)
    n = made.model.count_parameters()
    assert repr(made) == f"Checkpoint(GPT, {n:,} parameters, {str(tmp_path)!r})"
    steps = g.trace(made.model, [0, 1, 2])
    assert repr(steps).startswith("Trace(3 tokens, ") and "\n" not in repr(steps)


def test_a_text_or_a_model_in_the_wrong_place_is_named(novelist):
    with pytest.raises(ValueError, match="ids are str, they must be token ids"):
        g.trace(novelist.model, "the sea")
    with pytest.raises(TypeError, match="checkpoint is a GPT, it must be a Checkpoint"):
        g.sample_text(novelist.model, "the sea")


@pytest.mark.parametrize("layout", ["ours", "openai", "hugging_face"])
def test_no_layout_takes_what_could_not_be_loaded(layout, model, tmp_path):
    bpe, one_head = small_bpe(), GPT(replace(SMALL, n_head=1))
    with pytest.raises(ValueError, match="they do not belong together"):
        checkpoints.save(tmp_path, one_head, BPE.learn("a b", 1), layout=layout)
    with torch.no_grad():
        one_head.tokens.weight[0] = math.nan
    with pytest.raises(FloatingPointError, match="tokens.weight contains nan"):
        checkpoints.save(tmp_path, one_head, bpe, layout=layout)
    assert not [*tmp_path.iterdir()]


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_openais_layout_stores_32_bits_of_any_model(dtype, tmp_path):
    half = GPT(replace(SMALL, n_head=1)).to(dtype)
    checkpoints.save(tmp_path, half, small_bpe(), layout="openai")
    made = checkpoints.load(tmp_path).model
    assert torch.equal(made.tokens.weight, half.tokens.weight.float())


@pytest.mark.parametrize("layout", ["openai", "hugging_face"])
def test_a_published_layout_takes_no_other_model(layout, tmp_path):
    bpe = BPE.learn("a", 0)
    config = replace(TINY, n_vocab=bpe.n_vocab)
    for other in (kinds.build("pre_ln", config), GPT(replace(config, tied=False))):
        with pytest.raises(ValueError, match=f"layout '{layout}' is for GPT-1 as published"):
            checkpoints.save(tmp_path, other, bpe, layout=layout)
    assert not [*tmp_path.iterdir()]


def test_openais_layout_takes_no_heads_that_it_would_lose(tmp_path):
    bpe = BPE.learn("a", 0)
    two_heads = GPT(replace(TINY, n_vocab=bpe.n_vocab))
    with pytest.raises(ValueError, match="n_head is 2, but OpenAI's files do not store it"):
        checkpoints.save(tmp_path, two_heads, bpe, layout="openai")

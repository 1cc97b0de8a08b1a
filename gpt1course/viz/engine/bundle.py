"""The engine as text for a page: its modules in a bundle, its model in a script beside it.

A page opened from disk may neither import a module nor fetch a file, but it may load a
script. So tools/bundle.js joins the modules, and the model's bytes are letters (base64) in
a script that sets `gpt1Model`.
"""

import base64
import json
import zlib
from pathlib import Path

from gpt1lib.bpe import BPE
from gpt1lib.checkpoints import Checkpoint
from gpt1lib.io.tensors import weights_fingerprint
from gpt1lib.model import GPT, LanguageModel

from .identity import id_of, vocabulary_id
from .pack import exact_bits, pack

HERE = Path(__file__).parent
BUNDLES = HERE.parent / "bundles"  # made by tools/bundle.js
MODEL = "gpt1_model.js"  # beside the pages


def bundled(name: str) -> str:
    """A script that needs no other: an explorer, the engine's side of a page, or a worker."""
    return (BUNDLES / f"{name}.js").read_text(encoding="utf-8")


def engine_script(checkpoint: Checkpoint, address: str = MODEL) -> str:
    """JavaScript that sets `gpt1`, an engine; address: of the script with its model."""
    source = json.dumps(bundled("engine_worker")).replace("</", "<\\/")
    ids = json.dumps([weights_fingerprint(checkpoint.model), vocabulary_id(checkpoint.bpe)])
    checksum = checksum_of(*stored_parts(checkpoint))
    load = f"() => gpt1Engine.fromScript({json.dumps(address)}, {checksum})"
    start = f"globalThis.gpt1 = new gpt1Engine.Engine({ids}, {source}, {load});"
    return f"{bundled('engine')}{start}\n"


def training_parts() -> tuple[str, bytes]:
    """What a page needs to train a model: the worker's code, and products.wasm."""
    return bundled("training_worker"), (HERE / "train" / "products.wasm").read_bytes()


def parts_of(bpe: BPE, model: LanguageModel, bits: int = 8) -> tuple[dict, bytes]:
    """(what the engine must know of a model besides its bytes, the bytes)."""
    if not isinstance(model, GPT):
        raise ValueError(f"the engine reads a GPT, not {type(model).__name__}")
    names = ("n_layer", "n_head", "n_embd", "n_ctx", "n_vocab")
    header, content = pack(model, bits)
    config = {name: getattr(model.config, name) for name in names}
    return {"config": config, "header": header, **tables_of(bpe)}, content


def tables_of(bpe: BPE) -> dict:
    """What the engine must know of a vocabulary."""
    return {
        "pieces": bpe.pieces(range(bpe.n_vocab)),
        "merges": [list(pair) for pair in bpe.merges],
    }


def stored_parts(checkpoint: Checkpoint, bits: int = 8) -> tuple[str, bytes, bytes]:
    """(facts as JSON, the model's bytes, linear.wasm): all that a worker loads."""
    facts, content = parts_of(checkpoint.bpe, checkpoint.model, bits)
    return _with_kernel(facts, content)


def _with_kernel(facts: dict, content: bytes) -> tuple[str, bytes, bytes]:
    return json.dumps(facts), content, (HERE / "linear.wasm").read_bytes()


def checksum_of(facts: str, content: bytes, wasm: bytes) -> int:
    """What worker.js compares with what has arrived."""
    return zlib.crc32(wasm, zlib.crc32(content, zlib.crc32(facts.encode())))


def parcel(bpe: BPE, model: LanguageModel | None = None) -> tuple[dict, list[bytes]]:
    """What a page needs to make an engine: (ids, code and facts; the model's bytes, wasm).

    Without a model it is a tokenizer alone. No weight is changed, so that the page's
    answers are the kernel's.
    """
    tables, content = tables_of(bpe), b""
    if model is not None:
        tables, content = parts_of(bpe, model, exact_bits(model))
    facts, content, wasm = parts = _with_kernel(tables, content)
    told = {"ids": [id_of(bpe, model), vocabulary_id(bpe)], "source": bundled("engine_worker")}
    return told | {"facts": facts, "checksum": checksum_of(*parts)}, [content, wasm]


def model_script(checkpoint: Checkpoint, bits: int = 8) -> str:
    """JavaScript that sets `gpt1Model`: facts, the model's bytes, and linear.wasm's."""
    facts, content, wasm = stored_parts(checkpoint, bits)
    model = {
        "facts": facts,
        "bytes": base64.b64encode(content).decode(),
        "wasm": base64.b64encode(wasm).decode(),
    }
    return f"globalThis.gpt1Model = {json.dumps(model, separators=(',', ':'))};\n"

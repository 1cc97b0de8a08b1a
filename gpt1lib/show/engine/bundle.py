"""The engine as text for a page: its modules joined, its model in a script beside it.

A page opened from disk may neither import a module nor fetch a file, but it may load a
script. So the modules lie one after the other, without the lines that import, and the
model's bytes are letters (base64) in a script that sets `gpt1Model`.
"""

import base64
import json
import re
from pathlib import Path

from ...checkpoints import Checkpoint
from ...model import GPT
from .pack import fingerprint, pack

HERE = Path(__file__).parent
WORKER = (
    "numbers",
    "pieces",
    "text",
    "bpe",
    "arrays",
    "gpt",
    "weights",
    "sample",
    "write",
    "formats",
    "lens",
    "mind",
    "worker",
)
"""Modules of the worker, each after those it imports."""
MODEL = "gpt1_model.js"  # beside the pages


def one_script(*names: str) -> str:
    """Modules as one script: no line imports, nothing is exported."""
    texts = ((HERE / f"{name}.js").read_text(encoding="utf-8") for name in names)
    plain = (re.sub(r"^import .*\n", "", text, flags=re.M) for text in texts)
    return "\n".join(re.sub(r"^export ", "", text, flags=re.M) for text in plain)


def engine_script(checkpoint: Checkpoint, address: str = MODEL) -> str:
    """JavaScript that sets `gpt1`, an engine; address: of the script with its model."""
    source = json.dumps(one_script(*WORKER)).replace("</", "<\\/")
    id, place = json.dumps(fingerprint(checkpoint.model)), json.dumps(address)
    start = f"globalThis.gpt1 = new Engine({id}, {source}, () => fromScript({place}));"
    return f"{one_script('engine')}\n{start}\n"


def parts_of(checkpoint: Checkpoint, bits: int = 8) -> tuple[dict, bytes]:
    """(what the engine must know of a model besides its bytes, the bytes)."""
    model, bpe = checkpoint.model, checkpoint.bpe
    if not isinstance(model, GPT):
        raise ValueError(f"the engine reads a GPT, not {type(model).__name__}")
    names = ("n_layer", "n_head", "n_embd", "n_ctx", "n_vocab")
    header, content = pack(model, bits)
    return {
        "config": {name: getattr(model.config, name) for name in names},
        "header": header,
        "pieces": bpe.pieces(range(bpe.n_vocab)),
        "merges": [list(pair) for pair in bpe.merges],
    }, content


def model_script(checkpoint: Checkpoint, bits: int = 8) -> str:
    """JavaScript that sets `gpt1Model`: facts, the model's bytes, and linear.wasm's."""
    facts, content = parts_of(checkpoint, bits)
    model = {
        "facts": facts,
        "bytes": base64.b64encode(content).decode(),
        "wasm": base64.b64encode((HERE / "linear.wasm").read_bytes()).decode(),
    }
    return f"globalThis.gpt1Model = {json.dumps(model, separators=(',', ':'))};\n"

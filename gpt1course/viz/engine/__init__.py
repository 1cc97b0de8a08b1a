"""GPT-1 in the browser: tokenizer, forward pass and sampling, without a kernel.

Static pages and notebooks ask the same engine; bundle.py hands it out, client.js asks it.

Plain JavaScript with the names of `model.py`, `bpe.py` and `generate.py`; a kernel of some
700 bytes of WebAssembly multiplies matrices where the browser can (linear.wat).
"""

from .bundle import MODEL, engine_script, model_script, parcel, parts_of, training_parts
from .identity import LARGEST, id_of
from .pack import as_stored, pack
from .source import line_with, source_of

__all__ = [
    "LARGEST",
    "MODEL",
    "as_stored",
    "engine_script",
    "line_with",
    "id_of",
    "model_script",
    "pack",
    "parcel",
    "parts_of",
    "source_of",
    "training_parts",
]

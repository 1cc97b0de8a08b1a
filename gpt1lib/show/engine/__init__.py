"""GPT-1 in the browser: tokenizer, forward pass and sampling, without a kernel.

Plain JavaScript with the names of `model.py`, `bpe.py` and `decode.py`; a kernel of some
700 bytes of WebAssembly multiplies matrices where the browser can (linear.wat).
"""

from .bundle import engine_script, model_script, parts_of
from .pack import as_stored, pack

__all__ = ["engine_script", "parts_of", "model_script", "pack", "as_stored"]

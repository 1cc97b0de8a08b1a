"""Which models and vocabularies the engine can hold, and the ids by which a page knows them."""

import zlib

from gpt1lib import text
from gpt1lib.bpe import BPE
from gpt1lib.io.tensors import weights_fingerprint
from gpt1lib.model import GPT, LanguageModel
from gpt1lib.tracing import check_steps

LARGEST = 8_000_000
"""Parameters of a model that is sent to a page; a larger one answers through the kernel."""


def id_of(bpe: BPE, model: LanguageModel | None = None) -> str:
    """The id of a model, or of a vocabulary alone; "" where no engine can hold it."""
    if bpe.pre_tokenize is not text.pre_tokenize:
        return ""  # another pipeline than text.js
    if model is None:
        return vocabulary_id(bpe)
    return weights_fingerprint(model) if is_held(model) else ""


def is_held(model: LanguageModel) -> bool:
    """Does gpt.js compute what the model does, and has it room?"""
    try:
        check_steps(model)
    except ValueError:
        return False
    tied = isinstance(model, GPT) and model.config.tied
    return tied and model.count_parameters() <= LARGEST


def vocabulary_id(bpe: BPE) -> str:
    """Eight hexadecimal digits that tell a vocabulary: its pieces by id, and its merges."""
    told = repr((bpe.pieces(range(bpe.n_vocab)), bpe.merges))
    return f"{zlib.crc32(told.encode()):08x}"

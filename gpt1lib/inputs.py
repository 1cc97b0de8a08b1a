"""The four input transformations: every task becomes token sequences (section 3.3).

Figure 1, right: [Start] text [Extract] and its relatives. The three special tokens are
new rows of W_e, added at fine-tuning, in the order of the released code: _start_,
_delimiter_, _classify_ (which Figure 1 calls Extract).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from . import validate
from .bpe import BPE
from .model import LanguageModel

N_TEXTS = {
    "classification": (1, 1),
    "entailment": (2, 2),
    "similarity": (2, 2),
    "choice": (3, math.inf),  # a context and two choices
}
"""Kind of task -> the least and the greatest number of texts in an example."""


@dataclass(frozen=True)
class Specials:
    """Ids of the three special tokens; they follow the vocabulary."""

    start: int
    delimiter: int
    extract: int

    @classmethod
    def after(cls, n_vocab: int) -> "Specials":
        """40478, 40479, 40480 for GPT-1's vocabulary."""
        n_vocab = validate.whole("n_vocab", n_vocab, 1)
        return cls(n_vocab, n_vocab + 1, n_vocab + 2)


def add_special_tokens(
    model: LanguageModel, generator: torch.Generator | None = None
) -> LanguageModel:
    """The same model with three more rows of W_e, random, with the others' standard deviation.

    train.py draws them from N(0, 0.02), like all weights. A pre-trained W_e has grown
    (ours to a standard deviation of 0.07): next to it such rows are nearly zero, and our
    small sets, with a few hundred updates, are over before Extract can be told apart.
    """
    config = replace(model.config, n_vocab=model.config.n_vocab + 3)
    larger = type(model)(config)
    state = model.state_dict()
    for name in [k for k in state if k in ("tokens.weight", "output.weight")]:
        rows = torch.randn(3, config.n_embd, generator=generator) * state[name].std()
        state[name] = torch.cat([state[name], rows])
    larger.load_state_dict(state)
    return larger


def segment(bpe: BPE, text: str, room: int, what: str) -> list[int]:
    """Ids of one text, cut on the right to `room` tokens; ValueError if it is empty."""
    ids = bpe.encode(text)
    if not ids:
        raise ValueError(f"the {what} is empty")
    return ids[:room]


def one_segment(bpe: BPE, text: str, n_ctx: int) -> list[int]:
    """Classification: [Start] text [Extract], at most n_ctx tokens."""
    check_context(n_ctx, 3)
    s = Specials.after(bpe.n_vocab)
    return [s.start, *segment(bpe, text, n_ctx - 2, "text"), s.extract]


def two_segments(bpe: BPE, first: str, second: str, n_ctx: int) -> list[int]:
    """Two texts: [Start] first [Delim] second [Extract].

    Each is cut to n_ctx // 2 - 2 tokens, as in the released code (254 of 512), so no
    special token is ever lost.
    """
    check_context(n_ctx, 6)
    s, room = Specials.after(bpe.n_vocab), n_ctx // 2 - 2
    a = segment(bpe, first, room, "first segment")
    b = segment(bpe, second, room, "second segment")
    return [s.start, *a, s.delimiter, *b, s.extract]


def classification(bpe: BPE, text: str, n_ctx: int) -> list[list[int]]:
    """One sequence: [Start] text [Extract]."""
    return [one_segment(bpe, text, n_ctx)]


def entailment(bpe: BPE, premise: str, hypothesis: str, n_ctx: int) -> list[list[int]]:
    """One sequence: [Start] premise [Delim] hypothesis [Extract]."""
    return [two_segments(bpe, premise, hypothesis, n_ctx)]


def similarity(bpe: BPE, a: str, b: str, n_ctx: int) -> list[list[int]]:
    """Two sequences, one in each order: neither text comes first by nature."""
    return [two_segments(bpe, a, b, n_ctx), two_segments(bpe, b, a, n_ctx)]


def multiple_choice(
    bpe: BPE, context: str, choices: list[str], n_ctx: int, question: str = ""
) -> list[list[int]]:
    """One sequence per choice: [Start] context question [Delim] choice [Extract].

    Context and question are joined without a delimiter. ValueError for fewer than two
    choices.
    """
    if isinstance(choices, str):
        raise ValueError(f"choices are {choices!r}, they must be a list of texts")
    if len(choices) < 2:
        raise ValueError(f"there are {len(choices)} choices, at least 2 are needed")
    asked = " ".join([context, question]) if question else context
    return [two_segments(bpe, asked, choice, n_ctx) for choice in choices]


def to_sequences(bpe: BPE, kind: str, texts: Sequence[str], n_ctx: int) -> list[list[int]]:
    """The token sequences of one example, by the transformation of its kind of task.

    texts: (text,), (a, b), or (context, choice 1, choice 2, ...). ValueError for another
    kind, or another number of texts.
    """
    check_texts(kind, texts)
    first, *rest = texts
    if kind == "classification":
        return classification(bpe, first, n_ctx)
    if kind == "entailment":
        return entailment(bpe, first, rest[0], n_ctx)
    if kind == "similarity":
        return similarity(bpe, first, rest[0], n_ctx)
    return multiple_choice(bpe, first, rest, n_ctx)


def check_texts(kind: str, texts: Sequence[str]) -> None:
    """ValueError unless there are as many texts as this kind of task has."""
    if kind not in N_TEXTS:
        raise ValueError(f"kind {kind!r} is unknown, there are {tuple(N_TEXTS)}")
    low, high = N_TEXTS[kind]
    if isinstance(texts, str) or not low <= len(texts) <= high:
        wanted = low if low == high else f"at least {low}"
        raise ValueError(f"{kind} needs {wanted} texts in a tuple, it got {texts!r}")


def check_context(n_ctx: int, least: int) -> None:
    """ValueError where the context cannot hold the special tokens and some text."""
    if validate.whole("n_ctx", n_ctx) < least:
        raise ValueError(f"the context is {n_ctx} tokens, at least {least} are needed")


def pad(sequences: list[list[int]]) -> tuple[Tensor, Tensor]:
    """Sequences to one tensor: ids (N, T), padded with 0 on the right, and real (N, T).

    Under the causal mask padding on the right changes nothing; `real` hides it from
    the loss.
    """
    if not sequences or not all(sequences):
        raise ValueError("there is no sequence to pad, or one of them is empty")
    rows = [torch.as_tensor(sequence) for sequence in sequences]
    ids = pad_sequence(rows, batch_first=True)
    real = pad_sequence([torch.ones(len(row)) for row in rows], batch_first=True)
    return ids, real


def extract_positions(ids: Tensor, specials: Specials) -> Tensor:
    """Where each sequence's Extract token stands: ids (N, T) -> (N,)."""
    is_extract = ids == specials.extract  # (N, T)
    if ids.dim() != 2 or not bool(is_extract.any(dim=1).all()):
        raise ValueError("a sequence has no Extract token")
    return is_extract.int().argmax(dim=1)

"""The four input transformations: every task becomes token sequences (section 3.3).

Figure 1, right: [Start] text [Extract] and its relatives. The three special tokens are
new rows of W_e, added at fine-tuning. Figure 1 calls _classify_ Extract.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from . import validate
from .bpe import BPE

SPECIALS = ("_start_", "_delimiter_", "_classify_")
"""The released code's names of the three special tokens, in the order of their ids."""

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
        n_vocab = validate.check_int("n_vocab", n_vocab, 1)
        return cls(*range(n_vocab, n_vocab + len(SPECIALS)))


def segment(bpe: BPE, text: str, n_max: int, what: str) -> list[int]:
    """Ids of one text, cut on the right to n_max tokens.

    what: its name in the message of the ValueError that an empty text raises.
    """
    ids = bpe.encode(text)
    if not ids:
        raise ValueError(f"the {what} is empty")
    return ids[:n_max]


def one_segment(bpe: BPE, text: str, n_ctx: int) -> list[int]:
    """Classification: [Start] text [Extract], at most n_ctx tokens.

    Example, if 40478 is [Start], 40480 [Extract] and the text is tokens 5 and 6:
    [40478, 5, 6, 40480].
    """
    check_context(n_ctx, 3)
    s = Specials.after(bpe.n_vocab)
    return [s.start, *segment(bpe, text, n_ctx - 2, "text"), s.extract]


def two_segments(
    bpe: BPE, first: str, second: str, n_ctx: int, question: str = ""
) -> list[int]:
    """Two texts: [Start] first question [Delim] second [Extract].

    Each is cut to n_ctx // 2 - 2 tokens, as in the released code (254 of 512), so no
    special token is ever lost; for a question, which ends the first one, `first` makes room.
    """
    check_context(n_ctx, 6)
    s, n_max = Specials.after(bpe.n_vocab), n_ctx // 2 - 2
    asked = bpe.encode(question)[: n_max - 1]
    a = segment(bpe, first, n_max - len(asked), "first segment") + asked
    b = segment(bpe, second, n_max, "second segment")
    return [s.start, *a, s.delimiter, *b, s.extract]


def classification(bpe: BPE, text: str, n_ctx: int) -> list[list[int]]:
    """One sequence: [Start] text [Extract]."""
    return [one_segment(bpe, text, n_ctx)]


def entailment(bpe: BPE, premise: str, hypothesis: str, n_ctx: int) -> list[list[int]]:
    """One sequence: [Start] premise [Delim] hypothesis [Extract]."""
    return [two_segments(bpe, premise, hypothesis, n_ctx)]


def similarity(bpe: BPE, a: str, b: str, n_ctx: int) -> list[list[int]]:
    """Two sequences, one in each order: neither text comes first by nature.

    Example: a, b -> [Start] a [Delim] b [Extract] and [Start] b [Delim] a [Extract].
    """
    return [two_segments(bpe, a, b, n_ctx), two_segments(bpe, b, a, n_ctx)]


def multiple_choice(
    bpe: BPE, context: str, choices: list[str], n_ctx: int, question: str = ""
) -> list[list[int]]:
    """One sequence per choice: [Start] context question [Delim] choice [Extract].

    Context and question are joined without a delimiter. Raises ValueError for fewer than
    two choices.
    """
    if isinstance(choices, str):
        raise ValueError(f"choices are {choices!r}, they must be a list of texts")
    if len(choices) < 2:
        raise ValueError(f"there are {len(choices)} choices, at least 2 are needed")
    return [two_segments(bpe, context, choice, n_ctx, question) for choice in choices]


def to_sequences(
    bpe: BPE, kind: str, texts: Sequence[str], n_ctx: int, question: str = ""
) -> list[list[int]]:
    """The token sequences of one example, by the transformation of its kind of task.

    texts: (text,), (a, b), or (context, choice 1, choice 2, ...). Raises ValueError for
    another kind, another number of texts, or a question without choices.
    """
    check_texts(kind, texts)
    if question and kind != "choice":
        raise ValueError(f"the question {question!r} is for choices, the kind is {kind!r}")
    first, *rest = texts
    if kind == "classification":
        return classification(bpe, first, n_ctx)
    if kind == "entailment":
        return entailment(bpe, first, rest[0], n_ctx)
    if kind == "similarity":
        return similarity(bpe, first, rest[0], n_ctx)
    return multiple_choice(bpe, first, rest, n_ctx, question)


def check_texts(kind: str, texts: Sequence[str]) -> None:
    """Raise ValueError unless there are as many texts as this kind of task has."""
    if kind not in N_TEXTS:
        raise ValueError(f"kind {kind!r} is unknown, there are {tuple(N_TEXTS)}")
    low, high = N_TEXTS[kind]
    if isinstance(texts, str) or not low <= len(texts) <= high:
        wanted = low if low == high else f"at least {low}"
        raise ValueError(f"{kind} needs texts: {wanted}, each in quotes; it got {texts!r}")


def check_context(n_ctx: int, least: int) -> None:
    """Raise ValueError where the context is too short for the special tokens and some text."""
    if validate.check_int("n_ctx", n_ctx) < least:
        raise ValueError(f"the context is {n_ctx} tokens, at least {least} are needed")

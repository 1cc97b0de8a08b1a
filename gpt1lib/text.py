"""Text before BPE: punctuation made uniform, then cut into words.

GPT-1 ran `ftfy`, its own punctuation rules and spaCy's English tokenizer (paper,
section 4.1; released text_utils.py). `standardize` is those rules. `split_words` is a
fallback for spaCy that needs no package: one regular expression that keeps the habits
that matter (contractions apart, abbreviations whole, one token per punctuation mark).
Unlike spaCy it keeps "no." and "3.5." whole at the end of a sentence, and cuts 4th, a double
dash and a single initial (W.) in two. The shipped model was trained on such words: keep them.
"""

import re
from functools import lru_cache
from importlib.util import find_spec

_PADDED = re.compile(r'([-~!";?+,)(/*\[\]}{|_])\1*')  # a run of one character
_ASCII = str.maketrans(
    {"—": "-", "–": "-", "―": "-", "…": "...", "´": "'"}  # as in OpenAI's code
    | dict.fromkeys("“”„‟", '"')  # what ftfy does before it
    | dict.fromkeys("‘’‚‛ʼ", "'")
)


def standardize(text: str) -> str:
    """Make dashes, quotes, white space and punctuation uniform.

    OpenAI's text_standardize, with ftfy's curly quotes done here too. As there, a
    backslash is not padded: the original pattern is not a raw string. Raises TypeError for
    anything but a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"the text is {text!r}, it must be a string")
    text = text.translate(_ASCII)
    text = _PADDED.sub(r" \g<0> ", text)
    text = re.sub(r"[^\S\n]+", " ", text)  # all white space to one space
    text = re.sub(r" ?\n\s*", " \n ", text)  # in this order a long gap is read once
    return text.strip()


_WORD = re.compile(
    r"""
    \n                                        # the end of a paragraph
  | (?:mr|mrs|ms|dr|st|jr|sr|vs|co|no|rev|capt|col|gen|lt|messrs|prof|etc)\.(?!\w)
  | \w\.(?:\w\.)+                             # i.e.  U.S.A.  a.m.
  | can(?=not\b)                              # cannot: can, not
  | [^\W_]+?(?=n't\b) | n't\b                 # do n't
  | '(?:s|m|re|ve|ll|d)\b                     # 's  'll
  | \d+(?:[.,:]\d+)*                          # 3.50  10:30
  | [^\W_]+(?:[.@][^\W_]+)*(?:'(?!(?:s|m|re|ve|ll|d)\b)[^\W_]+)?   # words, O'Brien
  | \.{2,}                                    # ...
  | [^\w\s] | _                               # one character
    """,
    re.IGNORECASE | re.VERBOSE,
)


def split_words(text: str) -> list[str]:
    """Cut standardized text into words and punctuation; a new line stays as a token."""
    return _WORD.findall(text)


def pre_tokenize(raw: str) -> list[str]:
    """Raw text to words: `standardize`, then `split_words`.

    Between spaces, so that each different chunk is cut once.
    """
    return [word for chunk in standardize(raw).split(" ") for word in _words_of_chunk(chunk)]


@lru_cache(maxsize=1_000_000)
def _words_of_chunk(chunk: str) -> tuple[str, ...]:
    return tuple(split_words(chunk))


def released_pipeline_installed() -> bool:
    """Whether ftfy and spaCy, the [released] extra, are installed."""
    return all(find_spec(name) for name in ("ftfy", "spacy"))


@lru_cache(maxsize=1)
def _spacy_tokenizer():
    import spacy

    return spacy.blank("en").tokenizer


def released_words(raw: str) -> list[str]:
    """Words as OpenAI's code cuts them: ftfy, `standardize`, spaCy's English tokenizer.

    spaCy sees the whole text with its capitals; the vocabulary lower-cases each word
    afterwards. Raises ImportError where the [released] extra is not installed.
    """
    if not released_pipeline_installed():
        raise ImportError(
            "the released text pipeline needs ftfy and spaCy: "
            "python -m pip install -e '.[released]'"
        )
    import ftfy

    fixed = standardize(ftfy.fix_text(raw))
    return [token.text for token in _spacy_tokenizer()(fixed)] if fixed else []


PIPELINES = {"fallback": pre_tokenize, "released": released_words}  # names in checkpoints

_GLUE_LEFT = re.compile(r" ([.,;:!?)\]%]|\.\.\.|n't\b|'(?:s|m|re|ve|ll|d)\b)")
_GLUE_RIGHT = re.compile(r"([(\[$£]) ")


def tidy(text: str) -> str:
    """Decoded tokens as a reader expects them: no space before a comma.

    Only for the eye. Capitals are gone for good (GPT-1's vocabulary has none), and
    quotation marks are paired by counting, paragraph by paragraph.
    """
    text = _GLUE_RIGHT.sub(r"\1", _GLUE_LEFT.sub(r"\1", text))
    lines = [_pair_quotes(line.strip()) for line in text.split("\n")]
    return "\n".join(lines)


def _pair_quotes(line: str) -> str:
    parts = [part.strip() for part in line.split('"')]  # odd parts are inside quotes
    out = parts[0]
    for i, part in enumerate(parts[1:], start=1):
        opens = i % 2 == 1
        before = " " if opens and out else ""
        after = " " if not opens and part and part[0] not in ".,;:!?" else ""
        out += before + '"' + after + part
    return out.strip()

"""How three tokenizers cut the same texts into words, before BPE.

    python tools/pipelines.py

OpenAI's pipeline (ftfy, its punctuation rules, spaCy), the course's fallback that needs
no package, and the one in transformers' port, on texts picked for trouble and on sentences of
the held-out books. Needs the [released] and [dev] extras; writes data/results/pipelines.json,
which lesson 11 shows.
"""

import argparse
import re

from tokenizers.normalizers import BertNormalizer
from tokenizers.pre_tokenizers import BertPreTokenizer

from gpt1lib import corpus, load_novelist, text
from gpt1lib.cli import one_line_errors
from gpt1lib.io.files import write_json
from gpt1lib.io.paths import HELDOUT_BOOKS, RESULTS
from gpt1lib.io.provenance import provenance

TEXTS = (
    "The old man went out into the rain.",
    "I can't say whether we'll go.",
    "Dr. Moreau paid $3.50 in the U.S.A.",
    "He said “hello” — twice…",
    "a naïve café",
    "It's gonna rain, I cannot stay.",
    "the file C:\\books\\emma",
    "first line\nsecond line",
    "O'Brien's e-mail: a@b.com",
    "at 10:30 a.m., i.e. early",
    "well-known (so-called) facts/figures",
    "1,000,000 people",
    "What?! No!!!",
    "schÃ¶n, the encoding was wrong",
    "the ﬁne print",
    "a hidden soft\u00adhyphen",
    "see https://example.org/a?b=1 now",
    "He stopped -- and went on.",
)


def port_words(raw: str) -> list[str]:
    """Words as the fast tokenizer of transformers' port cuts them."""
    normal = BertNormalizer(lowercase=True).normalize_str(raw)
    return [word for word, _ in BertPreTokenizer().pre_tokenize_str(normal)]


def lowered(words: list[str]) -> list[str]:
    """Words as BPE meets them; a line break is one token."""
    return ["\n" if "\n" in word else word.lower() for word in words]


def differing_shares(novel: str) -> dict[str, float]:
    """Shares of a novel's first 1,500 sentences: cut otherwise than by OpenAI, or with a --."""
    sentences = re.findall(r"[^.!?]+[.!?]+", novel)[:1500]  # as lesson 11 finds them
    found = {"fallback": 0, "port": 0, "double dash": 0}
    for said in sentences:
        openai = without_gaps(text.released_words(said))
        found["fallback"] += openai != without_gaps(text.pre_tokenize(said))
        found["port"] += openai != port_words(said)
        found["double dash"] += "--" in said
    return {name: round(n / len(sentences), 6) for name, n in found.items()}


def without_gaps(words: list[str]) -> list[str]:
    """Words as BPE meets them, without line breaks, which the port drops."""
    return [word.lower() for word in words if word.strip()]


def unknown_share(bpe, raw: str) -> float:
    """Share of <unk> among the tokens of a text."""
    ids = bpe.encode(raw)
    return ids.count(bpe.token_to_id("<unk>")) / len(ids)


@one_line_errors("pipelines")
def main():
    argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0]).parse_args()
    rows = [
        {
            "text": raw,
            "openai": lowered(text.released_words(raw)),
            "fallback": lowered(text.split_words(text.standardize(raw))),
            "port": port_words(raw),
        }
        for raw in TEXTS
    ]
    bpe, novels = load_novelist().bpe, corpus.read_books(HELDOUT_BOOKS)
    unknown = {name: round(unknown_share(bpe, raw), 6) for name, raw in novels.items()}
    differing = {name: differing_shares(raw) for name, raw in novels.items()}
    write_json(
        RESULTS / "pipelines.json",
        {
            **provenance(),
            "rows": rows,
            "differing_shares": differing,
            "novelist_unknown_share": unknown,
        },
    )
    for name in ("fallback", "port"):
        differ = sum(row[name] != row["openai"] for row in rows)
        print(f"{name} differs on {differ} of {len(rows)} texts")
    for name, shares in differing.items():
        print(name, *(f"{kind} {share:.1%}" for kind, share in shares.items()))


if __name__ == "__main__":
    main()

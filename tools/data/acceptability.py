"""Make data/tasks/acceptability.jsonl: is this a sentence, or was it broken?

    python -m tools.data.acceptability [--out FILE] [--train N]

After CoLA, which does not come with the course. Sentences of the three held-out books,
half of them broken by one rule each: two neighboring words exchanged, a small word
left out, a verb or a pronoun in a form that does not agree. Splits are parts of each
book, as in the story cloze. A few broken sentences are sentences still. With
--train N the training rows are up to N others, from the books that the models were
pre-trained on. The same bytes each time.
"""

import random
import re
from collections.abc import Iterator
from functools import partial

from gpt1lib import corpus
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS
from tools.data.story_cloze import PARTS, sentences
from tools.data.write_set import write_any_size

SMALL = {"the", "a", "an", "of", "to", "in", "at", "with", "and", "for", "by", "from"}
FORMS = {
    "was": "were",
    "were": "was",
    "is": "are",
    "are": "is",
    "has": "have",
    "have": "has",
    "he": "him",
    "they": "them",
    "we": "us",
    "him": "he",
    "them": "they",
    "us": "we",
}


def exchanged(words: list[str], rng: random.Random) -> list[str] | None:
    """Two different neighbors in the middle of the sentence change places."""
    i = rng.randrange(1, len(words) - 2)
    if words[i] == words[i + 1]:
        return None
    return [*words[:i], words[i + 1], words[i], *words[i + 2 :]]


def without_a_small_word(words: list[str], rng: random.Random) -> list[str] | None:
    """A preposition, an article or "and" is left out."""
    places = [i for i, w in enumerate(words[:-1]) if i and w in SMALL]
    if not places:
        return None
    i = rng.choice(places)
    return words[:i] + words[i + 1 :]


def in_another_form(words: list[str], rng: random.Random) -> list[str] | None:
    """was for were, him for he."""
    places = [i for i, w in enumerate(words) if w in FORMS]
    if not places:
        return None
    i = rng.choice(places)
    return [*words[:i], FORMS[words[i]], *words[i + 1 :]]


BREAKS = (exchanged, without_a_small_word, in_another_form)


def plain(sentence: str) -> bool:
    """6 to 20 words of one voice: no quotation marks, no dashes."""
    return bool(re.fullmatch(r"[A-Z][a-z]*( [a-zA-Z']+[,;]?){5,19}[.!?]", sentence))


def judged(sentences: list[str], rng: random.Random) -> Iterator[dict]:
    """Plain sentences, one by one left as they are or broken."""
    for sentence in filter(plain, sentences):
        how = rng.choice(BREAKS) if rng.random() < 0.6 else None
        words = how(sentence.split(), rng) if how else sentence.split()
        if words:
            name = how.__name__ if how else ""
            yield {"text": " ".join(words), "label": int(how is None), "broken": name}


def make(train: int | None = None, seed: int = 0) -> list[dict]:
    """All rows, shuffled; with train, other training rows, from other books."""
    rng, rows = random.Random(seed), []
    for text in corpus.read_books(HELDOUT_BOOKS).values():
        flat = [s for paragraph in sentences(text) for s in paragraph]
        for split, (start, end) in PARTS.items():
            part = flat[int(start * len(flat)) : int(end * len(flat))]
            rows += [{**row, "split": split} for row in judged(part, rng)]
    rng.shuffle(rows)
    shipped = balanced(rows)
    if train is None:
        return shipped
    asked = [row for row in shipped if row["split"] != "train"]
    return more(train, {row["text"] for row in rows}, rng) + asked


def more(n: int, heldout: set[str], rng: random.Random) -> list[dict]:
    """Up to n training rows from the books that the models were pre-trained on."""
    books = corpus.read_books(BOOKS).values()
    flat = dict.fromkeys(s for text in books for p in sentences(text) for s in p)
    rows = [{**row, "split": "train"} for row in judged([*flat], rng)]
    rng.shuffle(rows)
    return balanced([row for row in rows if row["text"] not in heldout])[: n // 2 * 2]


def balanced(rows: list[dict]) -> list[dict]:
    """As many whole as broken sentences in each split: the surplus is left out."""
    kept = []
    for split in PARTS:
        classes = [[r for r in rows if r["split"] == split and r["label"] == y] for y in (0, 1)]
        n = min(map(len, classes))
        kept += [row for pair in zip(*(c[:n] for c in classes), strict=True) for row in pair]
    return kept


main = partial(write_any_size, "acceptability", make, __doc__)

if __name__ == "__main__":
    main()

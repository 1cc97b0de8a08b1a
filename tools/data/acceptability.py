"""Make data/tasks/acceptability.jsonl: is this a sentence, or was it broken?

    python -m tools.data.acceptability [--out FILE]

After CoLA, which does not come with the course. Sentences of the three held-out books,
half of them broken by one rule each: two neighboring words exchanged, a small word
left out, a verb or a pronoun in a form that does not agree. Splits are parts of each
book, as in the story cloze. A few broken sentences are sentences still. The same bytes
each time.
"""

import random
import re

from gpt1lib import corpus
from gpt1lib.storage.paths import HELDOUT_BOOKS

from .story_cloze import PARTS, sentences
from .write_set import write_set

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


def make(seed: int = 0) -> list[dict]:
    """All rows, shuffled; sentence by sentence left as it is or broken."""
    rng, rows = random.Random(seed), []
    for _, text in sorted(corpus.read_books(HELDOUT_BOOKS).items()):
        flat = [s for paragraph in sentences(text) for s in paragraph]
        for split, (start, end) in PARTS.items():
            for sentence in flat[int(start * len(flat)) : int(end * len(flat))]:
                if not plain(sentence):
                    continue
                how = rng.choice(BREAKS) if rng.random() < 0.6 else None
                words = how(sentence.split(), rng) if how else sentence.split()
                if words:
                    name = how.__name__ if how else ""
                    rows.append(
                        {
                            "text": " ".join(words),
                            "label": int(how is None),
                            "broken": name,
                            "split": split,
                        }
                    )
    rng.shuffle(rows)
    return balanced(rows)


def balanced(rows: list[dict]) -> list[dict]:
    """As many whole as broken sentences in each split: the surplus is left out."""
    kept = []
    for split in PARTS:
        classes = [[r for r in rows if r["split"] == split and r["label"] == y] for y in (0, 1)]
        n = min(map(len, classes))
        kept += [row for pair in zip(*(c[:n] for c in classes), strict=True) for row in pair]
    return kept


if __name__ == "__main__":
    write_set("acceptability", make, __doc__)

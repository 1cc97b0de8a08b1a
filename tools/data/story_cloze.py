"""Make data/tasks/story_cloze.jsonl: which sentence goes on with the story?

    python -m tools.data.story_cloze [--out FILE]

From the three held-out books, which no model of the course was pre-trained on: four
sentences in a row, the true fifth, and another one from 8 to 40 sentences away, of the
same length within three words, and spoken aloud or not like the true one. Each book is
cut into three parts, one per split, before any story is taken, so no sentence stands in
two of them. The same bytes each time.
"""

import random
import re
from functools import partial

from gpt1lib import corpus
from gpt1lib.io.paths import HELDOUT_BOOKS
from tools.data.write_set import write_set

PARTS = {"train": (0.0, 0.7), "valid": (0.7, 0.8), "test": (0.8, 1.0)}  # of each book
STEP = 1  # sentences from one story to the next
SHORT_FORMS = re.compile(r"\b(Mr|Mrs|Dr|St|Capt|Col|Rev|Hon|vols?|[A-Z])\.$")
END = re.compile(r"(?<=[.!?])(?=[\"']?\s)[\"']?\s+(?=[\"'A-Z])")


def cut(flat: str) -> list[str]:
    """The sentences of a text on one line."""
    spans, start = [], 0
    for match in END.finditer(flat):
        end = match.end()
        if not SHORT_FORMS.search(flat[start:end].strip()):
            spans.append(flat[start:end].strip())
            start = end
    return [*spans, flat[start:].strip()]


def sentences(text: str) -> list[list[str]]:
    """The sentences of each paragraph; headings (no full stop) are left out."""
    paragraphs = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return [cut(flat) for flat in paragraphs if flat and flat[-1] in ".!?\"'"]


def spoken(sentence: str) -> bool:
    """Whether somebody speaks in it."""
    return '"' in sentence


def words(sentence: str) -> int:
    return len(sentence.split())


def fits(sentence: str) -> bool:
    """6 to 30 words, from a capital letter to a full stop."""
    whole = re.match(r"[\"']?[A-Z]", sentence) and sentence[-1] in ".!?\"'"
    return bool(whole) and 6 <= words(sentence) <= 30


def story_at(part: list[str], i: int, rng: random.Random) -> dict | None:
    """The story of four sentences from i on with its two endings, or None."""
    story, true = part[i : i + 4], part[i + 4]
    if not all(map(fits, [*story, true])) or not 25 <= sum(map(words, story)) <= 110:
        return None
    away = [
        j for j in range(max(0, i - 40), min(len(part), i + 45)) if j <= i - 8 or j >= i + 12
    ]  # 8 to 40 from the nearest of the five
    others = [
        part[j]
        for j in away
        if fits(part[j])
        and part[j] != true
        and abs(words(part[j]) - words(true)) <= 3
        and spoken(part[j]) == spoken(true)
    ]
    if not others:
        return None
    choices, label = [true, rng.choice(others)], rng.randrange(2)
    return {"story": " ".join(story), "choices": choices[:: 1 - 2 * label], "label": label}


def make(seed: int = 0) -> list[dict]:
    """All rows, shuffled."""
    rng, rows = random.Random(seed), []
    for book, text in sorted(corpus.read_books(HELDOUT_BOOKS).items()):
        flat = [s for paragraph in sentences(text) for s in paragraph]
        for split, (start, end) in PARTS.items():
            part = flat[int(start * len(flat)) : int(end * len(flat))]
            for i in range(0, len(part) - 4, STEP):
                row = story_at(part, i, rng)
                if row:
                    rows.append({**row, "book": book, "split": split})
    rng.shuffle(rows)
    return rows


main = partial(write_set, "story_cloze", make, __doc__)

if __name__ == "__main__":
    main()

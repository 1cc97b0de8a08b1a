"""Make data/tasks/past_or_present.jsonl: are two sentences of the same time?

    python -m tools.data.past_or_present [--out FILE]

Two sentences of the same length, 4 to 12 words, whose verbs are all past or all present.
Both past and both present come equally often, and so do the two ways to differ: either
sentence alone says nothing. The two have no word in common, so counting common words does
not help. The past is mostly told and the present mostly spoken, which may help a reader
who has read books. Test rows come from the held-out books, the others from two parts of each
book that the models were pre-trained on. No sentence stands there twice. The same bytes
each time.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator

from gpt1lib import corpus
from gpt1lib.storage.paths import BOOKS, HELDOUT_BOOKS

from .question_or_statement import plain
from .write_set import write_set

PARTS = {"test": (0.0, 1.0), "valid": (0.9, 1.0), "train": (0.0, 0.9)}  # of each book
SIZES = {"test": 720, "valid": 300, "train": 2000}  # rows
MOST = 12  # words in a sentence
PAST = set(
    "was wasn't were weren't did didn't had hadn't knew hoped supposed believed wished "
    "wanted seemed looked went came said saw took made gave told felt found heard stood sat "
    "asked called liked loved got began kept turned answered cried".split()
)
PRESENT = set(
    "is isn't are aren't am do don't does doesn't has hasn't have haven't can can't cannot "
    "i'm it's that's he's she's you're we're they're there's here's what's who's where's i've "
    "you've we've they've know knows think thinks hope suppose believe want wants "
    "seems comes says makes gives".split()
)
UNCLEAR = set(
    "would could should might must may ought i'd you'd he'd she'd we'd they'd shall will i'll "
    "you'll he'll she'll it'll we'll they'll wouldn't couldn't shouldn't shan't won't".split()
)


def words(sentence: str) -> list[str]:
    """In lower case, without punctuation."""
    return re.findall(r"[a-z']+", sentence.lower())


def time_of(sentence: str) -> str | None:
    """past, present, or None where the verbs do not say, or say both."""
    told = {*words(sentence)}
    times = [t for t, verbs in (("past", PAST), ("present", PRESENT)) if told & verbs]
    return times[0] if len(times) == 1 and not told & UNCLEAR else None


def pairs(found: list[tuple[bool, str]], rng: random.Random) -> Iterator[list[dict]]:
    """Four pairs at a time, one of each two times, as long as there are sentences.

    Spoken sentences go first: the present is rarely told.
    """
    pools = defaultdict(lambda: {"past": [], "present": []})
    for _, sentence in sorted(rng.sample(found, len(found)), key=lambda v: not v[0]):
        if time := time_of(sentence):
            pools[len(sentence.split())][time].append(sentence)
    for pool in pools.values():
        while four := [pair(pool[a], pool[b], a == b) for a in pool for b in pool]:
            if not all(four):
                break
            yield [row for row in four if row]


def pair(firsts: list[str], seconds: list[str], same: bool) -> dict | None:
    """A sentence and another one that shares no word with it; both leave their lists."""
    for first in firsts:
        for second in seconds:
            if not {*words(first)} & {*words(second)}:
                firsts.remove(first)
                seconds.remove(second)
                return {"a": first, "b": second, "label": int(same)}
    return None


def part_of(split: str) -> Iterator[tuple[bool, str]]:
    """The sentences of a split: held-out books whole, or its part of each other book."""
    start, end = PARTS[split]
    for text in corpus.read_books(HELDOUT_BOOKS if split == "test" else BOOKS).values():
        found = [v for v in plain(text) if len(v[1].split()) <= MOST]
        yield from found[int(start * len(found)) : int(end * len(found))]


def make(seed: int = 0) -> list[dict]:
    """All rows, shuffled within each split; no sentence stands in two of them."""
    rng, rows, known = random.Random(seed), [], set()
    for split, n in SIZES.items():
        found = {s.lower(): (spoken, s) for spoken, s in part_of(split)}
        fours = [*pairs([v for s, v in found.items() if s not in known], rng)]
        known |= {*found}
        made = [row for four in rng.sample(fours, len(fours))[: n // 4] for row in four]
        rows += [{**row, "split": split} for row in rng.sample(made, len(made))]
    return rows


if __name__ == "__main__":
    write_set("past_or_present", make, __doc__)

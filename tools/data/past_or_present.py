"""Make data/tasks/past_or_present.jsonl: are two sentences of the same time?

    python -m tools.data.past_or_present [--out FILE]

Two sentences of the same length, 4 to 14 words, whose verbs are all past or all present.
Four sentences, two of each time, make four pairs, two of each label: every one of them
stands once with each label, in the same place, so either sentence alone says nothing. The
present is always spoken, one of the two pasts is spoken, one told, so it does not help to
hear whether two have the same voice. Two that are paired have no word in common. Test rows
come from the held-out books, the others from two parts of each book that the models were
pre-trained on. The same bytes each time.
"""

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from gpt1lib import corpus
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS
from tools.data.question_or_statement import plain
from tools.data.write_set import write_set

PARTS = {"test": (0.0, 1.0), "valid": (0.9, 1.0), "train": (0.0, 0.9)}  # of each book
SIZES = {"test": 720, "valid": 300, "train": 2000}  # rows
MOST = 14  # words in a sentence
PAST = set(
    "was wasn't were weren't did didn't had hadn't knew hoped supposed believed wished "
    "wanted seemed looked went came said saw took made gave told felt found heard stood sat "
    "asked called liked loved got began kept turned answered cried understood ran spoke wrote "
    "fell brought sent lost met drove sang ate paid grew drew threw fought taught caught "
    "bought forgot broke chose woke slept spent meant became drank swore struck lived happened "
    "noticed remembered married died tried promised forgave begged talked".split()
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


def fours(found: list[tuple[bool, str]], rng: random.Random) -> Iterator[tuple[str, ...]]:
    """Four sentences of one length at a time: two present ones, then two past ones."""
    pools = defaultdict(lambda: {"present": [], "told": [], "spoken": []})
    for spoken, sentence in rng.sample(found, len(found)):
        time, voice = time_of(sentence), "spoken" if spoken else "told"
        if time and (spoken or time == "past"):
            pool = pools[len(sentence.split())]
            pool["present" if time == "present" else voice].append(sentence)
    for pool in pools.values():
        while four := take_four(pool, *rng.sample(["told", "spoken"], 2)):
            yield four


def take_four(pool: dict[str, list[str]], one: str, two: str) -> tuple[str, ...] | None:
    """Four sentences leave their lists; those that will be paired share no word."""
    for third in pool[one]:
        fourth = stranger(pool[two], third)
        second = stranger(pool["present"], third)
        first = stranger(pool["present"], second, fourth) if second and fourth else None
        if first and second and fourth:
            for name, sentence in zip(
                ("present", "present", one, two), (first, second, third, fourth), strict=True
            ):
                pool[name].remove(sentence)
            return first, second, third, fourth
    return None


def stranger(sentences: list[str], *others: str) -> str | None:
    """The first of the sentences that shares no word with the others."""
    known = {*itertools.chain(*map(words, others))}
    return next((s for s in sentences if not known & {*words(s)}), None)


def rows_of(four: tuple[str, ...]) -> list[dict]:
    """Four pairs, in which each sentence has its place and stands once with each label."""
    now, also_now, past, also_past = four
    pairs = [(now, also_now, 1), (past, also_past, 1), (now, also_past, 0), (past, also_now, 0)]
    return [{"a": a, "b": b, "label": label} for a, b, label in pairs]


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
        there = [*fours([v for s, v in found.items() if s not in known], rng)]
        known |= {*found}
        chosen = rng.sample(there, min(n // 4, len(there)))
        made = [row for four in chosen for row in rows_of(four)]
        rows += [{**row, "split": split} for row in rng.sample(made, len(made))]
    return rows


main = partial(write_set, "past_or_present", make, __doc__)

if __name__ == "__main__":
    main()

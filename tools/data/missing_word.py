"""Make data/tasks/missing_word.jsonl: which of five words was taken out?

    python -m tools.data.missing_word [--out FILE] [--train N]

After Hill and others 2016, "The Goldilocks Principle" (Children's Book Test). A sentence
of 8 to 25 words with the one before it; one word is missing, and four others of its class
are offered. A class has five groups of words that often fit the same place, as on and
under, he and she, would and might. One word of each group is offered, and each group is
wanted equally often: that makes most gaps decidable, and the five words alone say nothing.
Training rows come from the books that the models were pre-trained on; the others from two
parts of each held-out book. No sentence with a gap stands there twice. --train N takes up
to N training rows. The same bytes each time.
"""

import itertools
import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from gpt1lib import corpus
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS
from tools.data.question_or_statement import PARTS
from tools.data.story_cloze import cut
from tools.data.write_set import write_any_size

SIZES = {"train": 2000, "valid": 300, "test": 800}  # rows
CLASSES = {
    "preposition": (
        "in at on into through over under",
        "of about",
        "with without by",
        "from towards against",
        "for after before",
    ),
    "pronoun": (
        "I he she we they",
        "me him us them",
        "my your his its our their",
        "myself himself herself itself themselves",
        "who which",
    ),
    "auxiliary": (
        "will would can could may might must should do does did",
        "am is was",
        "are were",
        "be been being",
        "has had",
    ),
    "verb": (
        "said thought hoped supposed",
        "told asked gave showed",
        "took saw found heard",
        "went came stood sat",
        "began seemed tried wanted",
    ),
}
GROUP_OF = {
    word: (name, i)
    for name, groups in CLASSES.items()
    for i, group in enumerate(groups)
    for word in group.split()
}
WHOLE = re.compile(r"\"?[A-Z][^\d_()\[\]*]*[.!?]\"?")
Gap = tuple[str, str, str]  # what stands before it, the word, the rest


def fits(sentence: str, least: int = 8, most: int = 25) -> bool:
    """A whole sentence of so many words, without headings and broken quotations.

    It may open a quotation that goes on after it, or close one.
    """
    loud = re.search(r"[A-Z]{2}", sentence)
    whole = WHOLE.fullmatch(sentence) and sentence[1:-1].count('"') % 2 == 0
    return bool(whole) and not loud and least <= len(sentence.split()) <= most


def gaps(before: str, sentence: str) -> Iterator[Gap]:
    """A sentence without each of its words that a class has; two stand on either side."""
    for match in re.finditer(r"(?<= )[A-Za-z]+(?=[ ,;])", sentence):
        left, right = sentence[: match.start()].rstrip(), sentence[match.end() :]
        if match[0] in GROUP_OF and min(len(left.split()), len(right.split())) >= 2:
            yield f"{before} {left}", match[0], right


def neighbors(text: str) -> list[tuple[str, str]]:
    """Every two sentences that follow each other in a book; headings count as sentences."""
    paragraphs = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return [*itertools.pairwise(s for p in paragraphs if p for s in cut(p))]


def by_group(
    pairs: list[tuple[str, str]], known: set[str], rng: random.Random
) -> dict[tuple[str, int], list[Gap]]:
    """One gap per sentence that is not known, in the group that has the fewest so far."""
    found = defaultdict(list)
    for before, sentence in rng.sample(pairs, len(pairs)):
        fresh = sentence not in known and fits(before, 1, 40) and fits(sentence)
        cuts = [*gaps(before, sentence)] if fresh else []
        if cuts:
            known.add(sentence)
            least = min(rng.sample(cuts, len(cuts)), key=lambda c: len(found[GROUP_OF[c[1]]]))
            found[GROUP_OF[least[1]]].append(least)
    return found


def in_turn(found: list[Gap]) -> list[Gap]:
    """The gaps of a group so that its words take turns, as long as there are some."""
    by_word = defaultdict(list)
    for gap in found:
        by_word[gap[1]].append(gap)
    turns = itertools.zip_longest(*by_word.values())
    return [gap for turn in turns for gap in turn if gap]


def questions(
    found: dict[tuple[str, int], list[Gap]], n: int, rng: random.Random
) -> list[dict]:
    """n rows, or fewer: the five groups of a class equally often."""
    rows = []
    for name, groups in CLASSES.items():
        wanted = [in_turn(found[name, i]) for i in range(len(groups))]
        size = min(n // (len(CLASSES) * len(groups)), *map(len, wanted))
        wanted = [gaps[:size] for gaps in wanted]
        words = [[word for _, word, _ in gaps] for gaps in wanted]
        for i, gap in ((i, gap) for i, gaps in enumerate(wanted) for gap in gaps):
            offered = [rng.choice(others) for others in words]
            offered[i] = gap[1]
            rows.append(question(gap, rng.sample(offered, len(offered)), name))
    return rows


def question(gap: Gap, offered: list[str], name: str) -> dict:
    """One row."""
    context, word, rest = gap
    return {
        "context": context,
        "words": offered,
        "rest": rest,
        "label": offered.index(word),
        "class": name,
    }


def all_gaps(rng: random.Random) -> dict[str, dict]:
    """The gaps of the books by split and group; the held-out books come first."""
    known: set[str] = set()
    found = defaultdict(list)
    for text in corpus.read_books(HELDOUT_BOOKS).values():
        book = neighbors(text)
        for split, (start, end) in PARTS.items():
            found[split] += book[int(start * len(book)) + 1 : int(end * len(book))]
    for text in corpus.read_books(BOOKS).values():
        found["train"] += neighbors(text)
    return {split: by_group(pairs, known, rng) for split, pairs in found.items()}


def make(train: int | None = None, seed: int = 0) -> list[dict]:
    """All rows, shuffled within each split."""
    rng, rows = random.Random(seed), []
    for split, found in all_gaps(rng).items():
        n = train if train and split == "train" else SIZES[split]
        made = questions(found, n, rng)
        rng.shuffle(made)
        rows += [{**row, "split": split} for row in made]
    return rows


main = partial(write_any_size, "missing_word", make, __doc__)

if __name__ == "__main__":
    main()

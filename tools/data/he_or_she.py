"""Make data/tasks/he_or_she.jsonl: can both parts speak of the same person?

    python -m tools.data.he_or_she [--out FILE]

A passage of a book is cut before a pronoun, he or her, say. What stands before it speaks
of one sex only: by a title, a word such as sister, or another pronoun. In half of the
pairs all pronouns of the second part are exchanged for those of the other sex. The first
part has none of the pronouns of the second, so the parts share no word that tells, and
either part alone says nothing. Test rows come from the held-out books, the others from two
parts of each book that the models were pre-trained on. The same bytes each time.
"""

import random
import re
from collections.abc import Iterator
from functools import cache, partial
from typing import NamedTuple

from gpt1course.paper.zeroshot import heuristics
from gpt1lib import corpus
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS
from tools.data.story_cloze import sentences
from tools.data.write_set import write_set

PARTS = {"test": (0.0, 1.0), "valid": (0.9, 1.0), "train": (0.0, 0.9)}  # of each book
SIZES = {"test": 700, "valid": 300, "train": 2000}  # rows
BEFORE, AFTER = range(3, 17), range(3, 9)  # words in the first part, in the second
SHE, HE = {"she", "her", "hers", "herself"}, {"he", "him", "his", "himself"}
WOMEN = SHE | set(
    "mrs miss lady ladies girl girls woman women mother mothers sister sisters wife wives "
    "daughter daughters aunt madam queen princess countess maid widow niece duchess mamma "
    "mama grandmother maiden nun governess mistress heroine bride nurse madame "
    "catherine isabella eleanor maria julia kate mary anne anna emma elizabeth jane fanny "
    "elinor marianne natasha sonya gerda harriet eliza louisa helen rachel".split()
)
MEN = HE | set(
    "mr sir man men boy boys father fathers brother brothers husband husbands son sons uncle "
    "gentleman gentlemen king prince count captain colonel lord nephew general papa "
    "grandfather emperor soldier officer sailor clergyman fellow priest monsieur "
    "henry james john peter pierre edward william frank charles george thomas joe jack harry "
    "andrew nicholas napoleon god jesus robert edmund ahab".split()
)
TURNED = {old: ways[0] for old, ways in heuristics.TURNED.items() if old != "her"}
NO_NOUN = set(
    "a about after again all and as at away back be because before by could down for from had "
    "here how if in into is it like might more not now of off on once or out over she should "
    "so than that the then there this through till to too under until up upon very was what "
    "when where which while who why will with would yet your".split()
)
"""Words before which "her" is as him is, not as his is."""


class Passage(NamedTuple):
    """The two parts, the second with exchanged pronouns, too."""

    first: str
    second: str
    exchanged: str
    sex: str


@cache
def bare(word: str) -> str:
    """In lower case, without what is not a letter, and without the 's of a name."""
    return re.sub("[^a-z]", "", word.lower().removesuffix("'s"))


def sexes(words: list[str]) -> set[str]:
    """Which of them the words speak of, f, m or both."""
    return {sex for sex, known in (("f", WOMEN), ("m", MEN)) if known & {*map(bare, words)}}


def exchanged(words: list[str]) -> list[str]:
    """All pronouns turned: she to he, her to him or his."""
    return [turned(*pair) for pair in zip(words, [*words[1:], ""], strict=True)]


def turned(word: str, following: str) -> str:
    """One word, its pronoun turned; her before a noun is his, else him."""
    old = bare(word)
    if old == "her":
        has_noun = word[-1].isalpha() and following and bare(following) not in NO_NOUN
        new = "his" if has_noun and not following.endswith("ly") else "him"
    else:
        new = TURNED.get(old, old)
    if new == old:
        return word
    return re.sub("[A-Za-z]+", new.capitalize() if word[0].isupper() else new, word, count=1)


def cut(words: list[str], start: int) -> Passage | None:
    """The passage cut before its first pronoun from `start` on that can be exchanged."""
    for k in range(max(start, BEFORE.start), min(len(words), BEFORE.stop)):
        sex = sexes(words[:k])
        if bare(words[k]) in SHE | HE and len(sex) == 1:
            second = words[k : k + length(words[k:], sex)]
            other = exchanged(words[k : k + len(second) + 1])[: len(second)]
            told = (HE | SHE) & {*map(bare, [*second, *other])}
            if len(second) in AFTER and not told & {*map(bare, words[:k])}:
                parts = (" ".join(part).rstrip(" ,;:.") for part in (words[:k], second, other))
                return Passage(*parts, *sex)
    return None


def length(words: list[str], sex: set[str]) -> int:
    """How many words the second part has: until somebody else may be meant."""
    for n, word in enumerate(words[: AFTER.stop - 1]):
        told = sexes([word])
        if told and (told != sex or bare(word) not in SHE | HE):
            return n
        if word[-1] in ";:":
            return n + 1
    return min(len(words), AFTER.stop - 1)


def passages(text: str, start: float, end: float) -> Iterator[Passage]:
    """Those of a part of a book: of one sentence, or of two, none in two of them."""
    paragraphs = sentences(text.replace("--", ", "))
    for paragraph in paragraphs[int(start * len(paragraphs)) : int(end * len(paragraphs))]:
        before: list[str] = []
        for sentence in paragraph:
            words = sentence.rstrip(".!?").split() if plain(sentence) else []
            found = cut(words, 0) or cut([*before, *words], len(before)) if words else None
            before = [] if found else sentence.split() if plain(sentence) else []
            if found:
                yield found


def plain(sentence: str) -> bool:
    """From a capital letter on, of one voice: without quotation marks and brackets."""
    return bool(re.fullmatch(r"[A-Z][a-z][^\"()\[\]_\d*]*[.!?;]", sentence))


def make(seed: int = 0) -> list[dict]:
    """All rows, shuffled within each split; no first part stands in two of them."""
    rng, rows, known = random.Random(seed), [], set()
    for split, n in SIZES.items():
        books = corpus.read_books(HELDOUT_BOOKS if split == "test" else BOOKS).values()
        found = {p.first: p for text in books for p in passages(text, *PARTS[split])}
        fresh = [p for first, p in found.items() if first not in known]
        known |= {*found}
        rows += [{**row, "split": split} for row in labeled(fresh, n, rng)]
    return rows


def labeled(found: list[Passage], n: int, rng: random.Random) -> list[dict]:
    """n rows: of each sex half of them, and of these every second one exchanged."""
    rows = []
    for sex in ("f", "m"):
        known = [p for p in found if p.sex == sex]
        if len(known) < n // 2:
            raise ValueError(f"{n // 2} passages are needed, there are {len(known)}")
        for i, p in enumerate(rng.sample(known, n // 2)):
            second = p.second if i % 2 else p.exchanged
            rows.append({"first": p.first, "second": second, "label": i % 2})
    return rng.sample(rows, len(rows))


main = partial(write_set, "he_or_she", make, __doc__)

if __name__ == "__main__":
    main()

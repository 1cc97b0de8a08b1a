"""Make data/tasks/question_or_statement.jsonl: was there a question mark?

    python -m tools.data.question_or_statement [--out FILE] [--train N]

Sentences of 4 to 18 words without their last mark. A question must ask by its words, "is
he" or "what": one in ten was a statement but for its mark ("You saw the captain?") and is
left out. To every question there is a statement
from the same book with as many words and as many commas, spoken aloud or not like the
question, so that only words and their order tell. Training rows come from the books that
the models were pre-trained on; the others from two parts of each held-out book. No
sentence stands there twice. --train N takes up to N training rows, as many as the books
have. The same bytes each time.
"""

import random
import re
from collections import defaultdict
from collections.abc import Iterator
from functools import partial

from gpt1lib import corpus
from gpt1lib.io.paths import BOOKS, HELDOUT_BOOKS
from tools.data.story_cloze import cut
from tools.data.write_set import write_any_size

PARTS = {"valid": (0.0, 0.25), "test": (0.25, 1.0)}  # of each held-out book
SIZES = {"train": 4000, "valid": 500, "test": 1000}  # rows
WORD = r"(Mrs?\.|[A-Z]?[a-z]+('[a-z]+)?(-[a-z]+)*|[A-Z]('[a-z]+)?)"
PLAIN = re.compile(rf"(?=[A-Z]){WORD}([,;]? {WORD}){{3,17}}[.?]")
HELPERS = (
    "am is are was were have has had do does did will would shall should can could may might "
    "must dare need ain't can't won't shan't"
)
FIRST_VERB = rf"(^|[,;] )((and|but|or|then|so|now|well) )?({HELPERS.replace(' ', '|')})(n't)? "
ASKS = re.compile(
    rf"\b(who|whom|whose|what|which|why|when|where|how)\b|{FIRST_VERB}", re.IGNORECASE
)
QUOTE = re.compile(r"(?<!\w)'|'(?!\w)")  # a single one, no apostrophe


def voices(paragraph: str) -> Iterator[tuple[bool, str]]:
    """The sentences of narrator and speakers, each with whether it is spoken."""
    for i, voice in enumerate(paragraph.split('"')):
        for sentence in cut(voice.strip()):
            yield i % 2 == 1, sentence


def plain(text: str) -> list[tuple[bool, str]]:
    """(spoken, sentence) for all sentences of words and commas that end in . or ?"""
    if len(QUOTE.findall(text)) > text.count('"'):
        text = QUOTE.sub('"', text)
    text = re.sub(r"(?<=[.?!])--", " ", text).replace("--", ", ")
    paragraphs = (" ".join(p.split()) for p in re.split(r"\n\s*\n", text))
    return [v for p in paragraphs for v in voices(p) if PLAIN.fullmatch(v[1])]


def looks(spoken: bool, sentence: str) -> tuple[bool, int, int]:
    """What question and statement must share: who speaks, the words, the commas."""
    return spoken, len(sentence.split()), len(re.findall("[,;]", sentence))


def pairs(text: list[tuple[bool, str]], known: set[str], rng: random.Random) -> list[dict]:
    """Questions, each with its statement; no sentence that is known, and each once."""
    by_words = {sentence[:-1].lower(): (spoken, sentence) for spoken, sentence in text}
    fresh = [v for words, v in by_words.items() if words not in known]
    known.update(by_words)
    questions, statements = [], defaultdict(list)
    for spoken, sentence in rng.sample(fresh, len(fresh)):
        if sentence.endswith("?"):
            questions += [(spoken, sentence)] if ASKS.search(sentence) else []
        else:
            statements[looks(spoken, sentence)].append(sentence)
    pools = ((sentence, statements[looks(spoken, sentence)]) for spoken, sentence in questions)
    return [{"question": q, "statement": pool.pop()} for q, pool in pools if pool]


def all_pairs(rng: random.Random) -> dict[str, list[dict]]:
    """Every pair that the books have, by split; the held-out books come first."""
    known: set[str] = set()
    found: dict[str, list[dict]] = {"test": [], "valid": [], "train": []}
    for book, text in corpus.read_books(HELDOUT_BOOKS).items():
        sentences = plain(text)
        for split, (start, end) in PARTS.items():
            part = sentences[int(start * len(sentences)) : int(end * len(sentences))]
            found[split] += [{**p, "book": book} for p in pairs(part, known, rng)]
    for book, text in corpus.read_books(BOOKS).items():
        found["train"] += [{**p, "book": book} for p in pairs(plain(text), known, rng)]
    return found


def make(train: int | None = None, seed: int = 0) -> list[dict]:
    """All rows, two for each pair; a larger file begins with the rows of a smaller one."""
    rng, rows = random.Random(seed), []
    for split, found in all_pairs(rng).items():
        n = train if train and split == "train" else SIZES[split]
        rng.shuffle(found)
        for pair in found[: n // 2]:
            for label, kind in enumerate(("statement", "question")):
                text = pair[kind][:-1]
                rows.append(
                    {"text": text, "label": label, "book": pair["book"], "split": split}
                )
    return rows


main = partial(write_any_size, "question_or_statement", make, __doc__)

if __name__ == "__main__":
    main()

"""The words: US spelling, and the house's idioms, in lessons, library, tools and pages."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PLACES = (
    "*.md",
    "docs/*.md",
    "teaching/*.md",
    "data/README.md",
    "notebooks/*.ipynb",
    "gpt1lib/**/*.py",
    "gpt1course/**/*.py",
    "gpt1course/**/*.js",
    "tools/**/*.py",
    "benchmarks/**/*.py",
)
FILES = sorted(path for place in PLACES for path in ROOT.glob(place))
UK = (
    r"\b(?:colou?r(?<!color)|behaviou?r(?<!behavior)|favourite|neighbour|honour|flavour|"
    r"(?:token|normal|maxim|minim|initial|recogn|optim|general|summar|organ|real|visual|"
    r"penal|regular|serial|random|vector|parallel|quant)is(?:e|ing|ation)|"
    r"(?:un)?labell(?:ed|ing)|modell(?:ed|ing)|cancell(?:ed|ing)|analys(?:ed|e|ing)\b|"
    r"centre|grey|learnt|spelt|whilst|amongst|licence|catalogue)\w*"
)
# what one counts, of what: "one line a class" for "one line per class"
COUNTED = "(?:line|row|column|file|number|paragraph|bar|cell|bit|byte|nat|token)s?"
EACH = (
    "(?:class|line|row|run|lesson|layer|head|block|sequence|cell|token|article|word|character|"
    "example|set|book|seed|task|stage|step|update|parameter|weight)"
)
HOUSE = {
    r"\bcan not\b": "cannot",
    rf"\b(?:an?|one|[\d.]+) {COUNTED} an? {EACH}\b(?! of)": "per",
    rf"\b(?:bits|bytes|nats|tokens) an? {EACH}\b": "per",
    r"\bthaw(?:s|ed|ing)?\b": "unfreeze",
    r"\bWho (?:has|wants) (?:one|it|them)\b": "if you have one",
    r"\bless that of\b": "minus that of",
    r"\bsome hour\b": "about an hour",
}


def words(path: Path, *kinds: str) -> str:
    """A file's text; of a notebook the sources of its cells of these kinds."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] in kinds)


def uses(patterns, text: str) -> list[str]:
    """Where a text uses one of the patterns, each place with its surroundings."""
    one = re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)
    return [text[max(0, m.start() - 30) : m.end() + 30] for m in one.finditer(text)]


def test_every_place_has_files():
    assert all(list(ROOT.glob(place)) for place in PLACES) and len(FILES) > 100


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_us_spelling(path):
    assert uses([UK], words(path, "markdown", "code")) == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_house_idioms(path):
    """Of a notebook only the prose: what its code prints is bound to stored outputs."""
    assert uses(HOUSE, words(path, "markdown")) == []


@pytest.mark.parametrize(
    "text",
    [
        "the tokeniser",
        "COLOURS",
        "it was learnt",
        "a grey cell",
        "this can not be",
        "one line a class",
        "0.01 bits a character",
        "16 bytes a parameter",
        "by thawing",
        "Who has one can name it",
    ],
)
def test_it_finds(text):
    assert uses([UK, *HOUSE], text)


@pytest.mark.parametrize(
    "text",
    [
        "a colored cell of the tokenizer",
        "what is learned, analysis by analysis",
        "it cannot; can nothing be done?",
        "one number a little up",
        "a token, a word",
        "Who has seen what?",
        "optimistic, generalist, organism",
    ],
)
def test_it_leaves(text):
    assert not uses([UK, *HOUSE], text)

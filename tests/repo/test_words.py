"""Turns of phrase that the pages, lessons and files avoid; codespell has the spelling."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
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


def test_lessons_have_us_spelling():
    """Of what is printed there, models write some: only cells are read."""
    text = "\n".join(words(p, "markdown", "code") for p in FILES if p.suffix == ".ipynb")
    command = [sys.executable, "-m", "codespell_lib", "--builtin", "en-GB_to_en-US", "-"]
    done = subprocess.run(command, input=text, text=True, cwd=ROOT, capture_output=True)
    assert text and done.returncode == 0, done.stdout


def test_every_place_has_files():
    assert all(list(ROOT.glob(place)) for place in PLACES)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_house_idioms(path):
    """Of a notebook only the prose: what its code prints is bound to stored outputs."""
    assert uses(HOUSE, words(path, "markdown")) == []


@pytest.mark.parametrize(
    "text",
    [
        "this can not be",
        "one line a class",
        "0.01 bits a character",
        "16 bytes a parameter",
        "by thawing",
        "Who has one can name it",
    ],
)
def test_it_finds(text):
    assert uses(HOUSE, text)


@pytest.mark.parametrize(
    "text",
    [
        "it cannot; can nothing be done?",
        "one number a little up",
        "a token, a word",
        "Who has seen what?",
    ],
)
def test_it_leaves(text):
    assert not uses(HOUSE, text)

"""The glossary: each term stands where its link leads, and no earlier section teaches it."""

import json
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
LINK = r"\[Lesson \d\d.*?\]\(\.\./notebooks/(.*?\.ipynb)(?:#(.*))?\)\."
ENTRIES = re.findall(rf"^- \*\*`?(.*?)`?\*\*: (.*) {LINK}$", PAGE, re.MULTILINE)
UNTAUGHT = ("Objectives", "Recall", "Summary", "Review questions", "7. The map of the course")


def prose(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] == "markdown")


@pytest.fixture(scope="module")
def sections() -> dict[tuple[str, str], str]:
    """(notebook, heading as a link names it) -> its text, in the order of reading.

    Without a heading: the beginning of a lesson.
    """
    found = {}
    for path in sorted((ROOT / "notebooks").glob("[0-9]*.ipynb")):
        for part in re.split(r"^(?=##? )", prose(path), flags=re.MULTILINE)[1:]:
            heading = part.partition("\n")[0].lstrip("# ")
            place = heading.replace("`", "").replace(" ", "-") if part[1] == "#" else ""
            if heading not in UNTAUGHT:
                found[path.name, place] = part
    return found


def stem(words: str) -> str:
    """What a term and its plural have in common, in lower case."""
    return re.sub(r"s$", "", " ".join(words.lower().removeprefix("the ").split()))


def taught(sections) -> dict[str, int]:
    """What stands in bold, and the number of the section where it does so first."""
    found = {}
    for number, text in enumerate(sections.values()):
        for words in re.findall(r"\*\*([^*]+)\*\*", text):
            found.setdefault(stem(words), number)
    return found


def test_each_entry_is_linked_and_in_its_order():
    lines = [line for line in PAGE.splitlines() if line.startswith("- ")]
    names = [re.sub(r"[^a-z0-9 ]", "", term.lower()) for term, *_ in ENTRIES]
    assert len(ENTRIES) == len(lines) > 0, "each has a link to its lesson"
    assert names == sorted(set(names))


def test_a_term_stands_where_its_link_leads(sections):
    elsewhere = []
    for term, _, lesson, heading in ENTRIES:
        # a heading with a formula has no name: then a link leads to its lesson
        near = [
            text
            for (name, place), text in sections.items()
            if name == lesson and (not heading or place == unquote(heading))
        ]
        words = re.escape(term).replace(r"\ ", r"\s+")
        term_there = re.compile(rf"(?<![\w-]){words}(?:s|es)?(?![\w-])", re.IGNORECASE)
        if not any(map(term_there.search, near)):
            elsewhere.append((term, lesson, heading))
    assert not elsewhere


def test_no_earlier_section_teaches_it(sections):
    first, places = taught(sections), list(sections)
    late = []
    for term, _, lesson, heading in ENTRIES:
        number = places.index((lesson, unquote(heading)))
        if first.get(stem(term), number) < number:
            late.append((term, lesson, heading, "taught in", places[first[stem(term)]]))
    assert not late

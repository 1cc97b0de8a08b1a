"""What a person may want to look at in prose and pages: the end of `make table`.

Each line is a budget that was missed or a turn of phrase that reads oddly. A page may have a
reason for either; no test holds it to them.
"""

import json
import re
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PLACES = (
    "*.md",
    "docs/*.md",
    "teaching/*.md",
    "data/README.md",
    "notebooks/**/*.ipynb",
    "gpt1lib/**/*.py",
    "gpt1course/**/*.py",
    "gpt1course/**/*.js",
    "tools/**/*.py",
    "benchmarks/**/*.py",
)
# what one counts, of what: "one line a class" for "one line per class"
COUNTED = "(?:line|row|column|file|number|paragraph|bar|cell|bit|byte|nat|token)s?"
EACH = (
    "(?:class|line|row|run|lesson|layer|head|block|sequence|cell|token|article|word|character|"
    "example|set|book|seed|task|stage|step|update|parameter|weight)"
)
IDIOMS = {
    r"\bcan not\b": "cannot",
    rf"\b(?:an?|one|[\d.]+) {COUNTED} an? {EACH}\b(?! of)": "per",
    rf"\b(?:bits|bytes|nats|tokens) an? {EACH}\b": "per",
    r"\bthaw(?:s|ed|ing)?\b": "unfreeze",
    r"\bWho (?:has|wants) (?:one|it|them)\b": "if you have one",
    r"\bless that of\b": "minus that of",
    r"\bsome hour\b": "about an hour",
}
"""Pattern -> what to write in its place."""

BUDGETS: dict[str, tuple[float, float]] = {
    "README.md: lines": (80, 104),
    "docs/glossary.md: entries": (80, 150),
    "docs/glossary.md: sentences of the longest entry": (1, 2),
    "teaching/plans.md: plans of an afternoon and longer": (10, 10),
    "teaching/plans.md: weeks": (15, 15),
    "teaching/plans.md: minutes of the longest week": (50, 90),
}
"""What is counted -> the least and the most that is aimed at."""


def report() -> str:
    """All that was missed or reads oddly, one line each."""
    lines = [*missed(counts(ROOT)), *questions(ROOT), *british(ROOT), *odd_phrases(ROOT)]
    return "\n".join(lines)


def missed(values: dict[str, float]) -> list[str]:
    """The budgets that counts miss."""
    return [
        f"{name} {values[name]:.0f}, aim {least:.0f} to {most:.0f}"
        for name, (least, most) in BUDGETS.items()
        if not least <= values[name] <= most
    ]


def counts(root: Path) -> dict[str, float]:
    """Everything that BUDGETS names."""
    entries = re.findall(
        r"^- \*\*.*?\*\*: (.*) \[Lesson", read(root / "docs/glossary.md"), re.M
    )
    plans = read(root / "teaching/plans.md")
    weeks: dict[str, int] = {}
    for week, minutes in re.findall(r"^\| (\d+) \|.*\| (\d+) \|$", plans, re.MULTILINE):
        weeks[week] = weeks.get(week, 0) + int(minutes)
    values = (
        read(root / "README.md").count("\n"),
        len(entries),
        max((len(re.findall(r"[.?](?= |$)", x)) for x in entries), default=0),
        len(re.findall(r"^### .* · \d+ minutes$", plans, re.MULTILINE)),
        len(weeks),
        max(weeks.values(), default=0),
    )
    return dict(zip(BUDGETS, values, strict=True))


def questions(root: Path) -> list[str]:
    """The teachers' pages with fewer than three questions to discuss, or more than five."""
    pages = sorted((root / "teaching").glob("[0-9]*.md"))
    asked = {page.name: read(page).count("<summary>") for page in pages}
    return [
        f"teaching/{name}: questions {n}, aim 3 to 5"
        for name, n in asked.items()
        if not 3 <= n <= 5
    ]


def british(root: Path) -> list[str]:
    """British spelling in the cells of lessons; what models print there may have any."""
    text = "\n".join(prose(p, "markdown", "code") for p in files(root, "notebooks/**/*.ipynb"))
    command = [sys.executable, "-m", "codespell_lib", "--builtin", "en-GB_to_en-US", "-"]
    done = subprocess.run(command, input=text, text=True, cwd=root, capture_output=True)
    return [f"spelling: {line.strip()}" for line in done.stdout.splitlines() if "==>" in line]


def odd_phrases(root: Path) -> list[str]:
    """Where a file uses one of IDIOMS; of a notebook the prose alone is read."""
    return [
        f"{path.relative_to(root).as_posix()}: ...{place}..."
        for path in files(root, *PLACES)
        if path != Path(__file__)
        for place in uses(IDIOMS, prose(path, "markdown"))
    ]


def uses(patterns: Iterable[str], text: str) -> list[str]:
    """Where a text uses one of the patterns, each place with its surroundings."""
    one = re.compile("|".join(f"(?:{p})" for p in patterns), re.IGNORECASE)
    around = (text[max(0, m.start() - 30) : m.end() + 30] for m in one.finditer(text))
    return [" ".join(place.split()) for place in around]


def prose(path: Path, *kinds: str) -> str:
    """A file's text; of a notebook the sources of its cells of these kinds."""
    text = read(path)
    if path.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n".join("".join(c["source"]) for c in cells if c["cell_type"] in kinds)


def files(root: Path, *places: str) -> list[Path]:
    """The files at these places."""
    return sorted(path for place in places for path in root.glob(place))


def read(path: Path) -> str:
    """The text of a file."""
    return path.read_text(encoding="utf-8")

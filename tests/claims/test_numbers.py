"""Every number of three digits or more in a lesson's text is one that its code or a claim has.

A typing error in a text, such as 81.1 for 18.1, would otherwise pass: a claim tests what
the code computes, and doesn't read the text.
"""

import re
from pathlib import Path

import nbformat
import pytest

import gpt1lib as g

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted(ROOT.glob("notebooks/[0-9]*.ipynb")) + sorted(
    ROOT.glob("notebooks/deeper/*.ipynb")
)
NUMBER = re.compile(r"(?<![\w.])\d[\d,_]*(?:\.\d+)?(?:e-?\d+)?")
OTHER_TEXT = re.compile(  # programs, addresses, years, and references
    r"```.*?```|\]\([^)]*\)|\b(?:1[89]|20)\d\d\b|arXiv:? ?[\d.]+", re.DOTALL
)
POWER = re.compile(r"(\d) *\\cdot 10\^\{?(-?\d+)\}?")  # 6.25 \cdot 10^{-5}
ELSEWHERE = ("### Exercise", "<summary>Solution</summary>", "## Further reading")
"""Cells of exercises, which are tested with them, and of page and volume numbers."""
SCALES = (1, 100, 1e3, 1e-3, 1e-6)  # a share in percent, a thousand, a million
FACTS = (116_534_784, *vars(g.GPT1).values(), *vars(g.load_novelist().model.config).values())


def digits(number: str) -> int:
    """How many digits count: 0.0610 has three."""
    return len(re.sub(r"[^\d]", "", number).lstrip("0"))


def numbers_of(text: str) -> list[str]:
    text = POWER.sub(r"\1e\2", text.replace("{,}", ","))
    return [x.rstrip(",_") for x in NUMBER.findall(text)]


def plain(number: str) -> float:
    return float(re.sub("[,_]", "", number))


def printed(cell: dict) -> str:
    """What a cell prints, with the texts in place of its figures and views."""
    texts = (x.get("text") or x.get("data", {}).get("text/plain", "") for x in cell["outputs"])
    return " ".join(texts)


def known(notebook: dict, claims: str) -> set[float]:
    """What a lesson's code, its outputs and its claims have, also rounded and in percent.

    And one less than that: n tokens have n - 1 targets, and the last of n rows is n - 1.
    """
    code = [c for c in notebook["cells"] if c["cell_type"] == "code"]
    text = claims + "".join(c["source"] + printed(c) for c in code)
    exact = {plain(x) for x in numbers_of(text)} | set(map(float, FACTS))
    exact |= {x - 1 for x in exact if x.is_integer()}
    return {round(x * scale, n) for x in exact for scale in SCALES for n in range(7)}


def unknown(notebook: dict, claims: str) -> list[tuple[str, str]]:
    """(cell, number) of each number in a text that is in no code, output or claim."""
    pool, missing = known(notebook, claims), []
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown" and not any(x in cell["source"] for x in ELSEWHERE):
            for number in numbers_of(OTHER_TEXT.sub(" ", cell["source"])):
                if digits(number) >= 3 and round(plain(number), 6) not in pool:
                    missing.append((cell["id"], number))
    return missing


def claims_of(path: Path) -> str:
    name = f"lesson_{path.name[:2]}.py" if path.name[0].isdigit() else f"{path.stem}.py"
    return (Path(__file__).parent / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_each_number_in_a_text_is_computed_or_claimed(path):
    assert unknown(nbformat.read(path, 4), claims_of(path)) == []


def test_a_typing_error_is_mostly_seen():
    """Two neighboring digits are exchanged in each number of three digits or more."""
    seen = []
    for path in NOTEBOOKS:
        notebook = nbformat.read(path, 4)
        pool = known(notebook, claims_of(path))
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                for number in numbers_of(OTHER_TEXT.sub(" ", cell["source"])):
                    mistyped = re.sub(r"(\d)(?!\1)(\d)", r"\2\1", number, count=1)
                    if digits(number) >= 3 and plain(mistyped) != plain(number):
                        seen.append(round(plain(mistyped), 6) not in pool)
    assert len(seen) > 500 and sum(seen) > 0.7 * len(seen)

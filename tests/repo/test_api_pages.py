"""The reference in the book: every public function is there, and no solution."""

import ast
import re

import pytest
from markdown_it import MarkdownIt

from gpt1course.exercises import lesson05
from gpt1lib.io.paths import ROOT
from tools.page import api

PAGES = api.pages()


def headings(pages) -> set[str]:
    """What the pages describe."""
    found = re.findall(r"^##+ (.*)$", "\n".join(pages), re.MULTILINE)
    return {name.replace("\\_", "_") for name in found}


def test_every_public_thing_of_the_library_has_a_place():
    there = headings(PAGES.values())
    for path in (ROOT / "gpt1lib").rglob("*.py"):
        for node in api.parsed(path).body:
            if isinstance(node, api.Definition) and not node.name.startswith("_"):
                assert path.stem == "__main__" or node.name in there, (path, node.name)
    assert {"GPT", "trace", "causal_mask", "GPTConfig.head_dim"} <= there


def test_no_page_shows_a_solution():
    shown = headings(page for name, page in PAGES.items() if "gpt1course" in name)
    assert not shown & {exercise.name for exercise in lesson05.EXERCISES}


def test_every_page_is_listed():
    for name in PAGES:
        assert name == "api" or f"({name}.md)" in PAGES["api"] and f"\n{name}\n" in PAGES["api"]


@pytest.mark.parametrize(
    "text", ["a * b * c", "<unk> and </w>", "[1](2)", "h_l $x$ a|b", "x _y_"]
)
def test_signs_stay_signs(text):
    shown = MarkdownIt().renderInline(api.escaped(text))
    plain = shown.replace("&lt;", "<").replace("&gt;", ">")
    assert plain == text


def test_code_and_indented_lines_stay_as_they_are():
    assert api.escaped("see `a_b[*]` and c_d") == "see `a_b[*]` and c\\_d"
    assert api.prose("One.\n\n    a_b * c\n") == "One.\n\n    a_b * c"


def test_a_signature_has_types_and_defaults():
    code = "def f(x: int, *, y: str = 'a') -> float:\n    ..."
    assert api.signature(ast.parse(code).body[0]) == "f(x: int, *, y: str='a') -> float"
    code = "class A(B):\n    n: int = 3\n    def __init__(self, m): ..."
    shown = "class A(B)\n    n: int = 3\n    __init__(self, m)"
    assert api.signature(ast.parse(code).body[0]) == shown

"""The book to print and for a reader: chapters that are XML, and formulas on two pages."""

import re
import xml.dom.minidom
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import nbformat
import pytest

from tools import book, site
from tools.notebooks import index
from tools.page.extension import AsXml

browser = pytest.mark.browser


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A build folder of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "BUILD", tmp_path_factory.mktemp("build"))
        yield site.BUILD


def write(kinds: list[str]) -> None:
    """What the command does, in a thread: the tests' own browser has the loop of this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(book.main, kinds).result()


def pages_of(pdf: Path) -> int:
    return len(re.findall(rb"/Type\s*/Page\b", pdf.read_bytes()))


@pytest.mark.parametrize(
    "text, said",
    [
        ('<p>a<br><img alt="<&"></p>', '<p>a<br /><img alt="&lt;&amp;" /></p>'),
        ("<ul class><li>a&nbsp;&lt;</ul>", '<ul class=""><li>a\xa0&lt;</li></ul>'),
        ("</p><b>a", "<b>a</b>"),
        ('<span id="11.-"Decoder"-x"></span>', '<span id="11.-"></span>'),
    ],
)  # fmt: skip
def test_html_becomes_xml(text, said):
    found = "".join(AsXml(text).written)
    assert found == said
    xml.dom.minidom.parseString(f"<a>{found}</a>")


def test_links_to_pages_that_the_book_lacks_become_words():
    text = (
        "[a](05_x.ipynb#1.-One) [b `c`](installing.md) [d](https://e.org) ![f](g.png) [h](#i)"
    )
    kept = book.without_lost_links(text, ["05_x"])
    assert kept == ("[a](05_x.ipynb#1.-One) b `c` [d](https://e.org) ![f](g.png) [h](#i)")


def test_a_chapter_shows_no_solution_and_no_code_that_only_draws():
    path = next(site.NOTEBOOKS.glob("05_*.ipynb"))
    before = nbformat.read(path, as_version=4)
    after = book.as_chapter(nbformat.read(path, as_version=4), [])
    assert len(after.cells) == len(before.cells)
    text = "\n".join(cell.source for cell in after.cells)
    hints = [c for c in before.cells if c.metadata.get("gpt1", {}).get("part") == "hints"]
    assert "<summary>Solution" not in text and "<summary>Hint" not in text
    assert text.count(book.HINTS) == len(hints) > 3 and "](04_" not in text
    plots = [c for c in after.cells if c.source.startswith("# plot:")]
    assert plots and all(c.metadata["tags"] == ["remove-input"] and c.outputs for c in plots)
    stubs = [c for c in after.cells if "lesson.check(" in c.source]
    assert stubs and not any(c.outputs for c in stubs)


@browser
def test_the_formulas_fit_on_two_pages(built):
    write(["formulas"])
    assert pages_of(built / "formulas.pdf") == 2


@browser
@pytest.mark.slow
def test_the_whole_book(built):
    write(["epub", "pdf"])
    with zipfile.ZipFile(built / "gpt1-course.epub") as epub:
        assert epub.namelist()[0] == "mimetype" and epub.testzip() is None
        chapters = {n: epub.read(n).decode() for n in epub.namelist() if n.endswith(".xhtml")}
    for name, text in chapters.items():
        xml.dom.minidom.parseString(text)
        assert "<iframe" not in text and "<script" not in text, name
        for link in re.findall(r'<a [^>]*href="([^"#]+)', text):
            assert ":" in link or link in chapters, (name, link)
    for lesson in index.lessons_of(site.NOTEBOOKS):
        chapter = chapters[f"{Path(lesson.name).stem}.xhtml"]
        assert "<math" in chapter or "<figure" in chapter, lesson.name
    assert 200 < pages_of(built / "gpt1-course.pdf") < 700

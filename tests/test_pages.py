"""The static pages: formulas drawn, answers folded, a way from page to page, no network."""

import re
from pathlib import Path

import nbformat
import pytest

from tools import site

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
CODE = re.compile(r"<(pre|code|script|style)\b.*?</\1>", re.DOTALL)


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """Name -> HTML of every page."""
    folder = tmp_path_factory.mktemp("site")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(site, "SITE", folder)
        site.main(["--still"])
    return {path.stem: path.read_text(encoding="utf-8") for path in folder.glob("*.html")}


def test_static_copies_load_nothing_remote(pages):
    assert pages.keys() == {path.stem for path in NOTEBOOKS} | {"index", "map"}
    for html in pages.values():
        assert "data:image/png;base64" in html
        assert not re.search(r"""https?://[^\s"'<>]+\.m?(?:js|css)\b""", html)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_every_formula_is_drawn(pages, path):
    prose = "".join(c.source for c in nbformat.read(path, 4).cells if c.cell_type == "markdown")
    shown = CODE.sub("", pages[path.stem])
    assert ("<math" in shown) == bool(re.search(r"(?<![\\`$])\$[^$`\n]+\$", prose))
    left = re.findall(r"\\(?:frac|lambda|sum|text|cdot|sqrt|log|mathbb|beta)\b|\$\$", shown)
    assert not left


def test_pages_lead_to_each_other(pages):
    for name, html in pages.items():
        for link in re.findall(r'href="([^"#:]+\.html)', html):
            assert Path(link).stem in pages, f"{name} leads to {link}"
    middle = re.search(r"<nav.*?</nav>", pages["05_the_causal_mask"], re.DOTALL)[0]
    here = [path.stem for path in NOTEBOOKS].index("05_the_causal_mask")
    beside = (NOTEBOOKS[here - 1].stem, NOTEBOOKS[here + 1].stem)
    assert re.findall('href="(.*?)"', middle) == [f"{stem}.html" for stem in beside]
    assert all(f'href="{path.stem}.html"' in pages["index"] for path in NOTEBOOKS)


def test_answers_and_plots_are_folded(tmp_path, monkeypatch):
    new, fold = nbformat.v4, "<details"
    said = new.new_output("stream", text="the answer")
    plot = new.new_code_cell("# plot", metadata={"jupyter": {"source_hidden": True}})
    cells = [
        new.new_code_cell("1", outputs=[said], metadata={"jupyter": {"outputs_hidden": True}}),
        new.new_code_cell("2", outputs=[said], metadata={"tags": ["predict"]}),
        plot,
        new.new_code_cell("3", outputs=[said]),
    ]
    monkeypatch.setattr(site, "SITE", tmp_path)
    lesson = site.Lesson(Path("one.ipynb"), "One", "why?", "5")
    site.write_page(lesson, [lesson], new.new_notebook(cells=cells))
    html = (tmp_path / "one.html").read_text(encoding="utf-8")
    assert html.count(fold) == 3 and html.count("Make your guess first, then open") == 2
    assert "In&nbsp;[" not in html and "jp-InputPrompt" not in CODE.sub("", html)
    assert site.style() in html and ".alert-info" in site.style()

"""The book to print and for a reader: build/gpt1-course.pdf, .epub, and build/formulas.pdf.

    python -m tools.book [epub] [pdf] [formulas]

The lessons, what goes deeper and what is looked up, as they are stored: the pictures stand for
the live views, and code that only draws is left out. Hints and solutions stay in the
notebooks. The PDF files are printed by Chromium.
"""

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import nbformat
from playwright.sync_api import sync_playwright
from sphinx.cmd.build import build_main
from tqdm import tqdm

from gpt1lib.io.files import write_text
from tools import release, site
from tools.notebooks import index

ROOT, PAGE = site.ROOT, site.PAGE
LOOKED_UP = ("formulas", "glossary", "paper", "errata", "differences")
LEFT_OUT = ("gallery", "mistakes")  # nothing to read without a kernel
LINK = re.compile(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\((?!\w+:|#)([^()\s]+)\)")
HINTS = "*Hints and a solution are in the notebook.*"
INDEX = """\
# GPT-1, taught and built exactly

A course in eighteen notebooks on the model that began the GPTs. This is their text, with what
their cells print and draw. To move the sliders, to write the functions and to have them
checked, open the notebooks.

```{{toctree}}
:caption: Lessons
:maxdepth: 1

{lessons}
```

```{{toctree}}
:caption: Go deeper
:maxdepth: 1

{deeper}
```

```{{toctree}}
:caption: Look up
:maxdepth: 1

{looked_up}
```
"""
SETTINGS = """
html_theme, html_theme_options, html_context = "basic", {}, {}
html_css_files = epub_css_files = ["print.css"]
html_js_files = []
html_static_path = ["_static"]
epub_title, epub_author, epub_show_urls = project, "The GPT-1 course authors", "no"
epub_copyright = "MIT license"
epub_exclude_files = ["_static/math.woff2"]
"""
FOOTER = (
    '<div style="width: 100%; font-size: 8px; text-align: center;">'
    '<span class="pageNumber"></span></div>'
)
OPEN = "document.querySelectorAll('details').forEach(fold => fold.open = true)"


def chapters() -> list[Path]:
    """The notebooks of the book, in their order."""
    return [path for path in site.shipped() if path.stem not in LEFT_OUT]


def without_lost_links(text: str, kept: Iterable[str]) -> str:
    """Links to pages that the book lacks become their words."""
    names = set(kept)

    def words(link: re.Match) -> str:
        return link[0] if Path(link[2].partition("#")[0]).stem in names else link[1]

    return LINK.sub(words, text)


def as_chapter(notebook, names: Iterable[str]):
    """A notebook as a chapter: what draws is hidden, what is to be written stays open."""
    for cell in notebook.cells:
        part = cell.metadata.get("gpt1", {}).get("part")
        if cell.cell_type == "markdown":
            text = (
                HINTS if part == "hints" else without_lost_links(site.flat(cell.source), names)
            )
            cell.source, cell.metadata = text, {}
        else:
            only_draws = cell.metadata.get("jupyter", {}).get("source_hidden")
            shown = [] if part == "stub" else cell.outputs  # they ask for an answer
            cell.outputs = [o for o in shown if not site.is_for_a_kernel(o)]
            cell.metadata = {"tags": ["remove-input"]} if only_draws else {}
    return notebook


def write_sources(folder: Path) -> None:
    """All that Sphinx reads, side by side."""
    paths = chapters()
    names = [*(path.stem for path in paths), *LOOKED_UP]
    for path in tqdm(paths):
        notebook = as_chapter(nbformat.read(path, as_version=4), names)
        write_text(folder / path.name, nbformat.writes(notebook))
    for name in LOOKED_UP:
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        write_text(folder / f"{name}.md", without_lost_links(site.flat(text), names))
    lessons = [Path(lesson.name).stem for lesson in index.lessons_of(site.NOTEBOOKS)]
    parts = {
        "lessons": lessons,
        "deeper": [path.stem for path in paths if path.stem not in lessons],
        "looked_up": LOOKED_UP,
    }
    lists = {name: "\n".join(stems) for name, stems in parts.items()}
    write_text(folder / "index.md", INDEX.format(**lists))


def write_settings(source: Path) -> None:
    """The site's settings without its theme and scripts, and the files that they name."""
    settings = (PAGE / "conf.py").read_text(encoding="utf-8")
    version = f'version = "{release.version()}"\n'
    write_text(source / "conf.py", settings + SETTINGS + version)
    shutil.copy(PAGE / "extension.py", source)
    (source / "_static").mkdir(exist_ok=True)
    for name in ("print.css", "math.woff2"):
        shutil.copy(PAGE / name, source / "_static")


def build(builder: str, source: Path, out: Path) -> None:
    """Run one of Sphinx's builders. Ends the program where a page is wrong."""
    shutil.rmtree(out, ignore_errors=True)
    checks = ["--quiet", "--keep-going", "--fresh-env", "--fail-on-warning"]
    folders = ["--doctree-dir", site.BUILD / f"doctrees_{builder}", source, out]
    if build_main(["--builder", builder, *checks, *map(str, folders)]):
        sys.exit("The book has broken pages, see above.")


def print_page(page: Path, out: Path, **options) -> None:
    """Print a page by Chromium, with all its folds open."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
        tab = browser.new_page()
        tab.goto(page.resolve().as_uri())
        tab.evaluate(OPEN)
        tab.pdf(path=out, format="A4", prefer_css_page_size=True, **options)
        browser.close()
    print(out)


def make_epub(source: Path) -> None:
    """build/gpt1-course.epub."""
    build("epub", source, site.BUILD / "epub")
    (made,) = (site.BUILD / "epub").glob("*.epub")
    print(shutil.copy(made, site.BUILD / "gpt1-course.epub"))


def make_pdf(source: Path) -> None:
    """build/gpt1-course.pdf, with its contents as bookmarks and a number on each page."""
    build("singlehtml", source, site.BUILD / "print")
    numbers = {"display_header_footer": True, "header_template": "<i></i>"}
    print_page(
        site.BUILD / "print/index.html", site.BUILD / "gpt1-course.pdf",
        footer_template=FOOTER, outline=True, tagged=True, **numbers,
    )  # fmt: skip


def make_formulas(source: Path) -> None:
    """build/formulas.pdf: the formula sheet, on two pages."""
    alone = site.BUILD / "formulas_source"
    shutil.rmtree(alone, ignore_errors=True)
    alone.mkdir()
    write_settings(alone)
    text = (source / "formulas.md").read_text(encoding="utf-8")
    text = f'<div class="sheet">\n\n{without_lost_links(text, ())}\n\n</div>\n'
    write_text(alone / "index.md", text)
    build("singlehtml", alone, site.BUILD / "formulas")
    print_page(site.BUILD / "formulas/index.html", site.BUILD / "formulas.pdf")


KINDS = {"epub": make_epub, "pdf": make_pdf, "formulas": make_formulas}


def main(argv: list[str] | None = None) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("kinds", nargs="*", help=f"{', '.join(KINDS)} (default: all)")
    kinds = parser.parse_args(argv).kinds or [*KINDS]
    if unknown := set(kinds) - set(KINDS):
        sys.exit(f"book: no kind {', '.join(unknown)}; known: {', '.join(KINDS)}")
    source = site.BUILD / "book_source"
    shutil.rmtree(source, ignore_errors=True)
    write_sources(source)
    write_settings(source)
    for kind in kinds:
        KINDS[kind](source)


if __name__ == "__main__":
    main()

"""The book: lessons and pages of the course as one website in build/site, all offline.

    python -m tools.site [NOTEBOOK ...] [--still]

Sphinx makes the pages, their contents and the search (tools/page/conf.py). Notebooks with
explorers are run once, so that these work in the page without a kernel, and are run again
when they, the library, or the models and results in data/ change; --still leaves that out,
and names leave out all others.
Beside the pages lies the shipped model: the front page, the map and the explorers ask it.
"""

import argparse
import html
import os
import re
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import cast

import nbformat
from sphinx.cmd.build import build_main
from tqdm import tqdm

from gpt1course.notebooks import execute
from gpt1course.settings import LIVE_PAGES
from gpt1course.viz import engine
from gpt1course.viz.explorers import LearningExplorer, ModelMapExplorer
from gpt1course.viz.explorers.base import CSS, LIVE
from gpt1course.viz.explorers.standalone import frame
from gpt1course.viz.figure import picture
from gpt1course.workspace import name_of, shipped
from gpt1lib.checkpoints import load_novelist
from gpt1lib.io.files import write_text
from gpt1lib.io.tensors import weights_fingerprint
from gpt1lib.model import GPT
from tools.notebooks import index, layout
from tools.page import api, cards, tour
from tools.policy import with_policy

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build"
PAGE = ROOT / "tools" / "page"
NOTEBOOKS = ROOT / "notebooks"
MODEL = f"_static/{engine.MODEL}"
LOOKED_UP = (
    "glossary", "formulas", "paper", "errata", "mistakes", "gallery", "differences", "data",
    "api",
)  # fmt: skip
GUESS = "Make your guess first, then open"
NO_SCRIPT = "<noscript><style>iframe { display: none; }</style></noscript>"
EMPTY_HEADING = re.compile(r"<th([^>]*)>(?:<p>)?\s*(?:</p>)?</th>")
SIDE_BAR = '<div id="pst-primary-sidebar"'  # no landmark in the theme
WAY = """
<div class="page-way">

This page is for reading; its live views work here. To write code and have it checked, open the
notebook: `make lab` in the course's folder ([how to set it up](installing.md)), or
<a href="notebooks/{place}" download>download it</a> into that folder.

</div>
"""


# ---- notebooks as pages -----------------------------------------------------------------


def live(path: Path):
    """The notebook, run so that its explorers bring their arrays along; kept in build/live."""
    notebook, kept = nbformat.read(path, as_version=4), BUILD / "live" / path.name
    sources = "".join(c.source for c in notebook.cells if c.cell_type == "code")
    if "Explorer" not in sources:
        return notebook
    if kept.exists() and kept.stat().st_mtime > last_change(path):
        return nbformat.read(kept, as_version=4)
    os.environ[LIVE_PAGES] = "1"  # the kernel inherits it
    try:
        execute(notebook, path.parent)
    finally:
        del os.environ[LIVE_PAGES]
    write_text(kept, nbformat.writes(notebook))
    return notebook


def last_change(path: Path) -> float:
    """When a notebook or what its outputs depend on was changed: the library, data/."""
    places = ("gpt1lib", "gpt1course", "data")
    needed = (p for f in places for p in (ROOT / f).rglob("*.*") if p.suffix != ".pyc")
    return max(p.stat().st_mtime for p in (path, *needed))


def as_page(notebook, path: Path):
    """A notebook as the book shows it: answers folded, with a way to the notebook itself."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = flat(cell.source)
        else:
            cell.outputs = [o for o in cell.outputs if not is_for_a_kernel(o)]
            tag, shown = fold(cell) or ("", "")
            cell.metadata = {"tags": [tag], "mystnb": {"code_prompt_show": shown}}
    first = notebook.cells[0]
    title, _, rest = first.source.partition("\n")
    first.source = f"{title}\n{WAY.format(place=name_of(path))}{rest}"
    return notebook


def fold(cell) -> tuple[str, str] | None:
    """What of a code cell is folded, as Sphinx's tag, and what stands there instead."""
    jupyter, first = cell.metadata.get("jupyter", {}), cell.source.partition("\n")[0]
    answer = jupyter.get("outputs_hidden") or "predict" in cell.metadata.get("tags", [])
    aside = jupyter.get("source_hidden")
    if answer and cell.outputs:
        return ("hide-cell" if aside else "hide-output"), GUESS
    return ("hide-input", first.lstrip("# ").capitalize()) if aside else None


def is_for_a_kernel(output) -> bool:
    """Whether an output only says what to run."""
    said = output.get("text", "") or output.get("data", {}).get("text/plain", "")
    return said in (layout.GUESS_FIRST, LIVE)


def flat(text: str) -> str:
    """Links as they are where all pages lie side by side; in Markdown they lead to pages."""
    text = text.replace("](../data/README.md", "](data.md")
    text = text.replace("](../teaching/", "](teaching_")
    text = re.sub(r"\]\((?:\.\./)+(docs|notebooks)/", "](", text)
    text = re.sub(r"\]\(((\.\./)+(?=\d\d_)|deeper/)", "](", text)  # from and to the deeper ones
    return re.sub(r"\.md#[\w-]+\)", ".md)", text)


# ---- the other pages --------------------------------------------------------------------


def documents() -> dict[str, str]:
    """Name -> Markdown of every page that is not a notebook."""
    paths = {path.stem: path for path in (ROOT / "docs").glob("*.md")}
    paths["data"] = ROOT / "data" / "README.md"
    pages = {name: flat(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    pages["glossary"] = as_terms(pages["glossary"])
    still = model_map()
    whole = {"index": home(sorted(pages), still), "map": filled("map.md", map=raw(still))}
    whole["tour"] = model_tour(still)
    whole["learn"] = learning()
    return pages | for_teachers() | api.pages() | whole


def for_teachers() -> dict[str, str]:
    """Name -> Markdown of the pages on teaching, which are called as the lessons are."""
    pages = {}
    for path in sorted((ROOT / "teaching").glob("*.md")):
        text = re.sub(r"\]\((\w+\.md)", r"](teaching_\1", path.read_text(encoding="utf-8"))
        title = re.sub(r"^# (?=\d\d)", "# Teaching ", text)
        pages[f"teaching_{path.stem}"] = flat(title)
    others = "\n".join(name for name in pages if name != "teaching_README")
    pages["teaching_README"] += f"\n```{{toctree}}\n:hidden:\n\n{others}\n```\n"
    return pages


def as_terms(glossary: str) -> str:
    """The glossary's list as Sphinx's: its search finds terms, and each has an address."""
    entry = re.compile(r"^- \*\*(.*?)\*\*: (.*)$", re.MULTILINE)
    terms = entry.sub(r"\1\n  \2\n", glossary)
    return (
        re.sub(r"(^## .*\n)", r"````\n\n\1\n````{glossary}\n", terms, flags=re.M).replace(
            "````\n", "", 1
        )
        + "````\n"
    )


def raw(content: str) -> str:
    """HTML as Markdown leaves it alone."""
    return f"``````{{raw}} html\n{content}\n``````\n"


def home(documents: list[str], model: str) -> str:
    """The page to begin with: the model as a map and to talk to, a card for each lesson."""
    lessons = index.lessons_of(NOTEBOOKS)
    others = [name for name in documents if name not in LOOKED_UP]
    return filled(
        "index.md",
        map=raw(model),
        cards=raw(f'<ul class="page-cards">{"".join(map(card, lessons))}</ul>'),
        lessons="\n".join(map(entry, lessons)),
        deeper="\n".join(path.stem for path in sorted(NOTEBOOKS.glob("deeper/*.ipynb"))),
        readers="\n".join(LOOKED_UP),
        others="\n".join(others),
    )


def entry(lesson: index.Lesson) -> str:
    """A lesson in the side bar: what stands before the colon of its title, on one line."""
    return f"{lesson.title.partition(':')[0]} <{Path(lesson.name).stem}>"


def card(lesson: index.Lesson) -> str:
    """A lesson on the front page: its drawing, its question, its time."""
    stem = Path(lesson.name).stem
    question = re.sub("`(.*?)`", r"<code>\1</code>", html.escape(lesson.question))
    title = html.escape(lesson.title)
    return (
        f'<li><a href="{stem}.html">{cards.drawing(stem)}<strong>{title}</strong>'
        f"<span>{question}</span><small>{lesson.time}</small></a></li>"
    )


def model_map() -> str:
    """The model as a map: live, and a picture where no script runs.

    Its first numbers are of the weights as the engine has them: no later one disagrees.
    """
    novelist = load_novelist()
    model = cast(GPT, novelist.model)
    stored = replace(novelist, model=engine.as_stored(model))
    explorer = ModelMapExplorer.from_checkpoint(stored, tour.TEXT)
    explorer.weights_id = weights_fingerprint(model)
    still = picture(explorer.figure(), explorer.sentence())["text/html"]
    return still + frame(explorer)


def model_tour(still: str) -> str:
    """The tour: the map in its place, the stops beside it; at its end the page that learns."""
    stops = tour.as_html(load_novelist())
    region = 'tabindex="0" role="region" aria-label="The map"'  # it scrolls, also by keys
    beside = f'<div class="tour-map" {region}>{still}</div>'
    box = f'<div class="page-tour"><div>{stops}</div>{beside}</div>'
    learn = ' Or <a href="learn.html">watch one learn</a> from a text of yours.'
    there = (PAGE / "learn.md").exists()
    return filled("tour.md", tour=raw(box), learn=learn if there else "")


def learning() -> str:
    """The page in which a model learns: live, and a stored run where no script runs."""
    explorer = LearningExplorer()
    still = picture(explorer.figure(), explorer.sentence())["text/html"]
    return filled("learn.md", learning=raw(still + frame(explorer)))


def filled(name: str, **contents: str) -> str:
    """A page of tools/page with these contents in place of marks."""
    page = (PAGE / name).read_text(encoding="utf-8")
    for mark, content in contents.items():
        page = page.replace(f"<!-- {mark} -->", content)
    return page


# ---- scripts, styles, and all together --------------------------------------------------


def static(name: str) -> Path:
    """Where a file lies that pages load."""
    return BUILD / "book" / "_static" / name


def write_static() -> None:
    """Styles, scripts and the shipped model."""
    novelist = load_novelist()
    front = (PAGE / "bundles" / "front.js").read_text(encoding="utf-8")
    write_text(static("front.js"), front)
    write_text(static("engine.js"), engine.engine_script(novelist, MODEL))
    write_text(static(engine.MODEL), engine.model_script(novelist))
    write_text(static("book.css"), (PAGE / "book.css").read_text(encoding="utf-8") + CSS)
    write_text(static("tour.js"), f"{{{(PAGE / 'tour.js').read_text(encoding='utf-8')}}}")
    write_text(static("book.js"), f"{{{(PAGE / 'book.js').read_text(encoding='utf-8')}}}")
    shutil.copy(PAGE / "math.woff2", static("math.woff2"))


def write_sources(run: set[str]) -> None:
    """All that Sphinx reads, side by side. run: names of the notebooks to run."""
    write_static()
    for path in tqdm(shipped()):
        read = live(path) if path.name in run else nbformat.read(path, as_version=4)
        page = nbformat.writes(as_page(read, path))
        write_text(BUILD / "book" / path.name, page)
    for name, text in documents().items():
        write_text(BUILD / "book" / f"{name}.md", text)


def finished(page: str) -> str:
    """A page as Sphinx wrote it, with its policy; light and still where no script runs."""
    page = page.replace('data-theme="auto"', 'data-theme="light"', 1)
    page = EMPTY_HEADING.sub(r"<td\1></td>", page)
    page = page.replace(SIDE_BAR, f'{SIDE_BAR} role="complementary" aria-label="The book"', 1)
    return with_policy(page.replace("</head>", f"{NO_SCRIPT}</head>", 1))


def main(argv: list[str] | None = None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="to run; default: all of them")
    parser.add_argument("--still", action="store_true", help="pictures only, no run")
    args = parser.parse_args(argv)
    source, site = BUILD / "book", BUILD / "site"
    for folder in (source, site):
        shutil.rmtree(folder, ignore_errors=True)
    asked = args.notebooks or shipped()
    write_sources(set() if args.still else {path.name for path in asked})
    checks = ["--quiet", "--fail-on-warning", "--keep-going", "--fresh-env"]
    places = ["--define", f"html_static_path={source / '_static'}", "--conf-dir", PAGE]
    folders = ["--doctree-dir", BUILD / "doctrees", source, site]
    if build_main([*checks, *map(str, places + folders)]):
        sys.exit("The book has broken links or pages, see above.")
    for path in site.glob("*.html"):
        write_text(path, finished(path.read_text(encoding="utf-8")))
    shutil.copytree(NOTEBOOKS, site / "notebooks", ignore=shutil.ignore_patterns(".*"))
    print(site / "index.html")


if __name__ == "__main__":
    main()

"""Static HTML copies of the lessons in build/site, for slides and for reading.

    python tools/site.py [NOTEBOOK ...] [--still]

One file per lesson, with its pictures inside, formulas as MathML and no remote script, and
an index. Lessons with explorers are run once, so that these work in the page without a
kernel; --still leaves that out. map.html is the model as a map. Beside the pages lies the
shipped model: the front page, the map and the explorers ask it there.
"""

import argparse
import html
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import cast

import nbformat
from latex2mathml import converter
from nbconvert import HTMLExporter
from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath
from tqdm import tqdm

from gpt1lib.checkpoints import load_novelist
from gpt1lib.lessons import layout, notebooks
from gpt1lib.model import GPT
from gpt1lib.show import engine
from gpt1lib.show.explorers import ModelMapExplorer
from gpt1lib.show.explorers.base import COMMON, CSS, LIVE_PAGES
from gpt1lib.show.explorers.standalone import frame
from gpt1lib.show.figure import picture
from gpt1lib.storage.files import write_text

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"
PAGE = ROOT / "tools" / "page"
MAP_TEXT = "She took the letter from the table and began to"
STYLES = (ROOT / "tools" / "lab" / "custom.css", PAGE / "page.css")


class MathML(IPythonRenderer):
    """Markdown with formulas that a browser draws by itself."""

    def inline_math(self, body: str) -> str:
        return converter.convert(body)

    def block_math(self, body: str) -> str:
        return converter.convert(body, display="block")


class LessonExporter(HTMLExporter):
    """nbconvert's HTML on the course's page."""

    def default_filters(self):
        yield from super().default_filters()
        yield "markdown2html", to_html


def to_html(source: str) -> str:
    """Markdown as HTML."""
    return MarkdownWithMath(renderer=MathML(escape=False)).render(source)


@dataclass(frozen=True)
class Lesson:
    """What the first cell of a notebook says of it."""

    path: Path
    title: str
    question: str
    minutes: str

    @property
    def href(self) -> str:
        return f"{self.path.stem}.html"


def described(path: Path) -> Lesson:
    """A notebook's title; question and minutes where it has them."""
    first = nbformat.read(path, as_version=4).cells[0].source
    found = (
        re.search(pattern, first)
        for pattern in (
            r"^# (.*)",
            r"\*\*The question:\*\* (.*)",
            r"\*\*Time:\*\* \D*(\d+) minutes",
        )
    )
    return Lesson(path, *(match[1] if match else "" for match in found))


def ways(path: Path, lessons: list[Lesson]) -> list[dict]:
    """To the lesson before, where we are, to the next one."""
    here = [lesson.path.name for lesson in lessons].index(path.name)
    index = {"text": "All lessons", "href": "index.html"}

    def to(i: int, text: str) -> dict:
        if not 0 <= i < len(lessons):
            return index
        return {"text": text.format(lessons[i].title), "href": lessons[i].href}

    this = {"text": lessons[here].title, "href": ""}
    return [to(here - 1, "‹ {}"), this, to(here + 1, "{} ›")]


def exporter() -> HTMLExporter:
    """From a notebook to its page."""
    made = LessonExporter(template_file=str(PAGE / "lesson.html.j2"))
    made.exclude_input_prompt = made.exclude_output_prompt = True
    return made


def style() -> str:
    """JupyterLab's boxes, then the page's own rules."""
    return "".join(path.read_text(encoding="utf-8") for path in STYLES)


def live(path: Path):
    """The notebook, run anew so that its explorers bring their arrays along."""
    notebook = nbformat.read(path, as_version=4)
    sources = "".join(c.source for c in notebook.cells if c.cell_type == "code")
    if "Explorer" not in sources:
        return notebook
    os.environ[LIVE_PAGES] = "1"  # the kernel inherits it
    try:
        notebooks.execute(notebook, path.parent)
    finally:
        del os.environ[LIVE_PAGES]
    return notebook


def write_page(lesson: Lesson, lessons: list[Lesson], notebook) -> None:
    """One notebook as HTML."""
    for cell in notebook.cells:
        if cell.cell_type == "code":  # nobody runs a cell here
            cell.outputs = [o for o in cell.outputs if o.get("text") != layout.GUESS_FIRST]
    course = {"style": style(), "ways": ways(lesson.path, lessons), "engine": engine_here()}
    resources = {"course": course, "metadata": {"name": lesson.title}}
    body, _ = exporter().from_notebook_node(notebook, resources)
    write_text(SITE / lesson.href, body.replace(".ipynb", ".html"))


@cache
def engine_here() -> str:
    """The script by which a page's views ask the shipped model."""
    return engine.engine_script(load_novelist())


def write_model() -> None:
    """The shipped model beside the pages, for the engine."""
    write_text(SITE / engine.MODEL, engine.model_script(load_novelist()))


def first_picture(path: Path) -> str:
    """The data of a notebook's first picture, or nothing."""
    for cell in nbformat.read(path, as_version=4).cells:
        for output in cell.get("outputs", []):
            if data := notebooks.stored_picture(output):
                return data
    return ""


def card(lesson: Lesson) -> str:
    """A lesson on the index: its picture, its question, its time."""
    data = first_picture(lesson.path)
    image = f'<img alt="" src="data:image/png;base64,{data}">' if data else ""
    time = f"{lesson.minutes} minutes" if lesson.minutes else ""
    return (
        f'<li><a href="{lesson.href}">{image}<strong>{html.escape(lesson.title)}</strong>'
        f"<span>{to_html(lesson.question)}</span><small>{time}</small></a></li>"
    )


def write_index(lessons: Iterable[Lesson]) -> None:
    """The page with a card for each lesson."""
    cards = "\n".join(card(lesson) for lesson in lessons)
    own = (PAGE / "front.js").read_text(encoding="utf-8")
    parts = COMMON, engine.bundle.one_script("sample"), engine.bundle.without_modules(own)
    front = "{\n" + "\n".join(parts) + "}"
    write_filled("index.html", {"<!-- cards -->": cards, "/* front */": front})


def write_map() -> None:
    """The page of the model as a map: live, and a picture where no script runs.

    Its first numbers are of the weights as the engine has them: no later one disagrees.
    """
    novelist = load_novelist()
    model = cast(GPT, novelist.model)
    explorer = ModelMapExplorer(engine.as_stored(model), novelist.bpe, MAP_TEXT)
    explorer.weights_id = engine.fingerprint(model)
    still = picture(explorer.figure(), explorer.sentence())["text/html"]
    write_filled("map.html", {"<!-- map -->": still + frame(explorer)})


def write_filled(name: str, contents: dict[str, str]) -> None:
    """A page of tools/page with style, engine and these contents in the place of marks."""
    page = (PAGE / name).read_text(encoding="utf-8")
    shared = {"/* style */": style() + CSS, "/* engine */": engine_here()}
    for mark, content in (shared | contents).items():
        page = page.replace(mark, content)
    write_text(SITE / name, page)


def main(argv: list[str] | None = None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all of them")
    parser.add_argument("--still", action="store_true", help="pictures only, no run")
    args = parser.parse_args(argv)
    lessons = [described(path) for path in sorted((ROOT / "notebooks").glob("*.ipynb"))]
    asked = {path.name for path in args.notebooks} or {x.path.name for x in lessons}
    for lesson in tqdm([x for x in lessons if x.path.name in asked]):
        path = lesson.path
        notebook = nbformat.read(path, as_version=4) if args.still else live(path)
        write_page(lesson, lessons, notebook)
    write_index(lessons)
    write_map()
    write_model()
    print(SITE)


if __name__ == "__main__":
    main()

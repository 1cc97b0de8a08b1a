"""Static HTML copies of the lessons in build/site, for slides and for reading.

    python tools/site.py [NOTEBOOK ...] [--still]

One file per lesson, with its pictures inside and no remote script: formulas stay as TeX.
Lessons with explorers are run once, so that these work in the page without a kernel;
--still leaves that out.
"""

import argparse
import os
import re
from pathlib import Path

import nbformat
from nbconvert import HTMLExporter
from tqdm import tqdm

from gpt1lib.lessons import notebooks
from gpt1lib.show.explorers.base import LIVE_PAGES
from gpt1lib.storage.files import write_text

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"


def exporter() -> HTMLExporter:
    """nbconvert's HTML without the scripts that it would load from elsewhere."""
    html = HTMLExporter()
    html.require_js_url = html.jquery_url = html.mathjax_url = ""
    html.mermaid_js_url = html.widget_renderer_url = ""
    return html


def without_mermaid(body: str) -> str:
    """Drop the scripts for diagrams that no lesson has; they would load from afar."""
    scripts = re.compile(
        r"<script type=\"module\">(?:(?!</script>).)*?mermaid.*?</script>", re.S
    )
    return scripts.sub("", body)


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
    notebook.metadata.pop("widgets", None)  # it would make the page load a script
    return notebook


def write_page(path: Path, notebook) -> None:
    """One notebook as HTML."""
    body, _ = exporter().from_notebook_node(notebook)
    body = without_mermaid(body)
    body = body.replace(".ipynb", ".html")  # links lead from lesson to lesson
    write_text(SITE / f"{path.stem}.html", body)


def main(argv: list[str] | None = None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: all of them")
    parser.add_argument("--still", action="store_true", help="pictures only, no run")
    args = parser.parse_args(argv)
    every = sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in tqdm(args.notebooks or every):
        notebook = nbformat.read(path, as_version=4) if args.still else live(path)
        write_page(path, notebook)
    print(SITE)


if __name__ == "__main__":
    main()

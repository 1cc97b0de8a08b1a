"""Static HTML copies of the lessons in build/site, for slides and for reading.

    python tools/site.py

One file a lesson, with its pictures inside and no remote script: formulas stay as TeX.
"""

import re
from pathlib import Path

from nbconvert import HTMLExporter

from gpt1lib.files import write_text

ROOT = Path(__file__).resolve().parents[1]
SITE = ROOT / "build" / "site"


def exporter() -> HTMLExporter:
    """nbconvert's HTML without the scripts that it would load from elsewhere."""
    made = HTMLExporter()
    made.require_js_url = made.jquery_url = made.mathjax_url = ""
    made.mermaid_js_url = made.widget_renderer_url = ""
    return made


def without_mermaid(body: str) -> str:
    """Drop the scripts for diagrams that no lesson has; they would load from afar."""
    scripts = re.compile(
        r"<script type=\"module\">(?:(?!</script>).)*?mermaid.*?</script>", re.S
    )
    return scripts.sub("", body)


def main():
    html = exporter()
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        body, _ = html.from_filename(str(path))
        body = without_mermaid(body)
        body = body.replace(".ipynb", ".html")  # links lead from lesson to lesson
        write_text(SITE / f"{path.stem}.html", body)
    print(SITE)


if __name__ == "__main__":
    main()

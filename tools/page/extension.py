"""What Sphinx lacks: formulas that need no script, JupyterLab's names of headings, and XML.

A reader of EPUB refuses a chapter that is not XML, and the HTML in our notebooks is not.
"""

import html
import re
from html.parser import HTMLParser

from docutils.nodes import SkipNode
from latex2mathml import converter

NAME = re.compile(r"[a-z][\w:.-]*")  # a heading with quotes makes attributes of its words
LOG = re.compile(
    r"(<msub><mi>log</mi><mn>\d+</mn></msub>|(?<!<msub>)<mi>(?:ln|log)</mi>)(?=<m[inf])"
)


def anchor(heading: str) -> str:
    """A heading's name in a link, as JupyterLab has it: the lessons' links are its own."""
    return heading.replace(" ", "-")


def mathml(formula: str, display: str) -> str:
    """A formula as a browser draws it and a screen reader speaks it; ln 2 with its space."""
    return LOG.sub(r'\1<mspace width="0.17em"/>', converter.convert(formula, display=display))


def inline(writer, node) -> None:
    """A formula in a line."""
    writer.body.append(mathml(node.astext(), "inline"))
    raise SkipNode


def block(writer, node) -> None:
    """A formula on a line of its own."""
    writer.body.append(mathml(node.astext(), "block"))
    raise SkipNode


class AsXml(HTMLParser):
    """HTML written again as XML: every tag is closed, every attribute has a value."""

    EMPTY = frozenset({"br", "col", "hr", "img", "input", "source", "wbr"})

    def __init__(self, text: str):
        super().__init__()
        self.written: list[str] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()
        self.end_all(0)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each <tag ...>."""
        named = {k: v or "" for k, v in attrs if NAME.fullmatch(k)}
        given = "".join(f' {k}="{html.escape(v)}"' for k, v in named.items())
        empty = tag in self.EMPTY
        self.written.append(f"<{tag}{given}{' /' if empty else ''}>")
        if not empty:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Called for each <tag ... />."""
        self.handle_starttag(tag, attrs)
        if tag not in self.EMPTY:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        """Called for each </tag>: what was left open inside ends with it."""
        if tag in self.open:
            self.end_all(len(self.open) - 1 - self.open[::-1].index(tag))

    def end_all(self, kept: int) -> None:
        """End all tags but the outermost ones."""
        while len(self.open) > kept:
            self.written.append(f"</{self.open.pop()}>")

    def handle_data(self, data: str) -> None:
        """Called for each text."""
        self.written.append(html.escape(data, quote=False))


def chapter_as_xml(app, pagename, templatename, context, doctree) -> None:
    """A page of an EPUB, as its readers can parse it."""
    if app.builder.name == "epub" and context.get("body"):
        context["body"] = "".join(AsXml(context["body"]).written)


def setup(app) -> dict:
    """Sphinx calls this."""
    app.connect("html-page-context", chapter_as_xml)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}

"""What Sphinx lacks: formulas that need no script, and JupyterLab's names of headings."""

import re

from docutils.nodes import SkipNode
from latex2mathml import converter

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


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}

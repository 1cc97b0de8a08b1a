"""What Sphinx lacks: formulas that need no script, and JupyterLab's names of headings."""

from docutils.nodes import SkipNode
from latex2mathml import converter


def anchor(heading: str) -> str:
    """A heading's name in a link, as JupyterLab has it: the lessons' links are its own."""
    return heading.replace(" ", "-")


def inline(writer, node) -> None:
    """A formula in a line, as MathML: a browser draws it, a screen reader speaks it."""
    writer.body.append(converter.convert(node.astext()))
    raise SkipNode


def block(writer, node) -> None:
    """A formula on a line of its own."""
    writer.body.append(converter.convert(node.astext(), display="block"))
    raise SkipNode


def setup(app) -> dict:
    """Sphinx calls this."""
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True}

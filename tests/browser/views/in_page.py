"""An explorer in a blank tab, for all tests of views."""

from gpt1course.viz.explorers import standalone


def show(page, explorer):
    """Render an explorer without a kernel; returns its root."""
    page.set_content(standalone.page(explorer))
    return page.locator(".gx")

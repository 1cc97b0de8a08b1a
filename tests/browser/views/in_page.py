"""An explorer in a blank tab, for all tests of views."""

import json
from pathlib import Path

from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone

VIZ = Path(explorers.__file__).parents[1]
PLACE = "http://views.test/"  # no request leaves the browser: see serve
KINDS = {".js": "text/javascript", ".json": "application/json"}


def show(page, explorer):
    """Render an explorer without a kernel; returns its root."""
    page.set_content(standalone.page(explorer))
    return page.locator(".gx")


def listen(root):
    """What a screen reader is told to speak from now on: words that were not there before."""
    root.evaluate(
        """root => {
        const regions = root.querySelectorAll("[aria-live], [role=status], output");
        const said = new Map([...regions].map(e => [e, e.textContent]));
        globalThis.spoken = [];
        new MutationObserver(() => {
          for (const [e, before] of said) {
            const isNew = e.textContent !== before;
            said.set(e, e.textContent);
            if (isNew && e.ariaLive !== "off") spoken.push(e.textContent);
          }
        }).observe(root, { childList: true, subtree: true }); }"""
    )
    return lambda: root.evaluate("() => spoken")


def load(page, name):
    """What a module of the explorers exports becomes global in the page."""
    page.route(f"{PLACE}**", serve)
    address = json.dumps(f"{PLACE}explorers/{name}.js")
    page.evaluate(f"async () => void Object.assign(globalThis, await import({address}))")


def serve(route):
    """Answer from viz, whose modules import each other by their places."""
    path = VIZ / route.request.url.removeprefix(PLACE)
    route.fulfill(
        body=path.read_text(encoding="utf-8"),
        content_type=KINDS[path.suffix],
        headers={"access-control-allow-origin": "*"},
    )

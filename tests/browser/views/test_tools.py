"""What stands below each view: its picture as a file, and its state in an address."""

import io

import numpy as np
import pytest
from in_page import show
from PIL import Image

from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone

pytestmark = pytest.mark.browser
TEXT = "She took the letter and began to"


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_view_is_saved_as_it_is_seen(page, novelist, theme, tmp_path):
    explorer = explorers.AttentionExplorer.from_checkpoint(novelist, TEXT, head=15)
    page.set_content(standalone.page(explorer, theme=theme))
    root = page.locator(".gx")
    box = root.bounding_box()
    with page.expect_download() as saved:
        root.get_by_role("button", name="Save as picture").press("Enter")
    assert saved.value.suggested_filename.startswith("in-block-3-head-3-")
    saved.value.save_as(tmp_path / "view.png")
    image = Image.open(io.BytesIO((tmp_path / "view.png").read_bytes())).convert("RGB")
    assert abs(image.width - 2 * box["width"]) <= 2 and image.height > 600
    pixels = np.asarray(image).astype(int)
    paper = {"light": 255, "dark": 17}[theme]
    assert (pixels[2, 2] == paper).all() and (pixels[-2, -2] == paper).all()
    # the matrix, which is drawn on a canvas, is in the picture: its colors are many
    big = root.locator("canvas.gx-big").last.bounding_box()
    x, y = (round(2 * (big[a] - box[a])) for a in "xy")
    part = pixels[y : y + 200, x : x + 200].reshape(-1, 3)
    assert len(np.unique(part, axis=0)) > 12


def test_a_state_is_taken_from_an_address_and_what_cannot_be_is_not(page, novelist):
    cost = np.arange(16).reshape(4, 4) / 100
    root = show(page, explorers.HeadsExplorer.from_checkpoint(novelist, TEXT, cost))
    chosen = "() => ['head', 'row', 'factor'].map(name => model.get(name))"
    page.evaluate("model.restore({ head: 6, row: 3, factor: 0 })")
    assert page.evaluate(chosen) == [6, 3, 0]
    assert root.locator(".gx-finding").inner_text().startswith("Without block 1, head 2,")
    page.evaluate("model.restore({ head: 999, row: 2 })")  # no such head: nothing is taken
    page.evaluate("model.restore({ factor: 0.3, row: 2 })")  # nor is it known at 0.3
    assert page.evaluate(chosen) == [6, 3, 0]
    page.evaluate("model.restore({ head: 'x', words: [], row: 2, nonsense: 1 })")
    assert page.evaluate(chosen) == [6, 2, 0], "of the right kinds, and controls alone"
    assert page.evaluate("model.get('words').length") > 0


def test_a_picture_is_saved_beside_styles_from_elsewhere_and_with_what_is_typed(page):
    page.route(
        "http://elsewhere.test/*",
        lambda route: route.fulfill(body="body {}", content_type="text/css"),
    )
    root = show(page, explorers.BigramExplorer(np.eye(2), list("ab")))
    page.add_style_tag(url="http://elsewhere.test/a.css")
    page.evaluate("""() => {
        const area = document.createElement('textarea');
        document.querySelector('.gx').append(area);
        area.value = 'what was typed';
        const write = XMLSerializer.prototype.serializeToString;
        XMLSerializer.prototype.serializeToString = function (e) {
          return (window.copied = write.call(this, e));
        };
    }""")
    with page.expect_download() as saved:
        root.get_by_role("button", name="Save as picture").press("Enter")
    assert saved.value.suggested_filename.endswith(".png")
    assert "what was typed</textarea>" in page.evaluate("copied")

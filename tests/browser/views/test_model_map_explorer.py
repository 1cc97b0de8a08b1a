"""The map of the model in a blank page: its zooms, its walk, its keys."""

import base64

import pytest
from in_page import load, show
from test_access import AXE, RUN

import gpt1lib as g
from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone

pytestmark = pytest.mark.browser
TEXT = "She took the letter from the table and began to"


@pytest.fixture(scope="module")
def explorer(novelist):
    return explorers.ModelMapExplorer.from_checkpoint(novelist, TEXT)


@pytest.fixture(scope="module")
def steps(novelist):
    return g.trace(novelist.model, novelist.bpe.encode(TEXT))


def said(root):
    """The sentence under the map, its minus signs as Python writes them."""
    return root.locator(".gx-live").inner_text().replace("−", "-")


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def test_every_zoom_says_the_models_numbers(page, explorer, steps):
    root = show(page, explorer)
    root.locator(".gx-map-stage").focus()
    assert "after “to” comes “read” with 43.4%" in said(root)
    press(page, "ArrowUp", "ArrowUp")  # over the logits, to block 3
    assert "“to” after block 3. If the model ended here, it would guess “read” 43.4%" in said(
        root
    )
    press(page, "Shift+ArrowRight", "Shift+ArrowDown", "Shift+ArrowRight")
    assert f"Number 33 of these: {steps.blocks[3].h[9, 33]:.3f}." in said(root)
    press(page, "Enter")
    best = steps.blocks[3].weights[3, 9].max().item()
    assert f"Head 3 mixes values into 64 numbers for “to”: {best:.1%}" in said(root)
    press(page, "ArrowLeft", "ArrowDown", "ArrowDown")
    total = (steps.blocks[2].h + steps.blocks[3].attended)[8]
    assert f"plus what was added: “began”, 256 numbers of length {total.norm():.1f}" in said(
        root
    )
    press(page, "ArrowUp", "ArrowUp", "Enter", "ArrowLeft")
    block = steps.blocks[3]
    other = page.evaluate("model.get('other')")
    assert f"q · k / √64 = {block.scores[3, 8, other]:.2f}." in said(root)
    press(page, "PageDown", "PageDown")
    assert f"the weight {block.weights[3, 8, other]:.3f}." in said(root)
    press(page, "Enter")
    products = (block.q[3, 8] * block.k[3, other]).numpy()
    assert f"the 64 products add up to {products.sum():.2f}; divided" in said(root)
    assert f"the score is {products.sum() / 8:.2f};" in said(root)
    press(page, "ArrowRight", "ArrowRight", "ArrowRight")
    assert f"= {products[2]:.2f}; the sum so far is {products[:3].sum():.2f}." in said(root)
    press(page, "Escape", "Escape", "Escape")
    assert page.evaluate("[model.get('zoom'), model.get('block'), model.get('place')]") == [
        "model",
        3,
        8,
    ]


FIND = """(canvas, color) => {
    const scale = canvas.width / parseFloat(canvas.style.width);
    const pen = canvas.getContext("2d");
    const { data, width } = pen.getImageData(0, 0, canvas.width, canvas.height);
    for (let i = 0; i < data.length; i += 4) {
        if (!color.every((v, j) => v === data[i + j])) continue;
        return [((i / 4) % width) / scale + 9, Math.floor(i / 4 / width) / scale + 9];
    } }"""


def test_a_click_zooms_to_what_is_under_it(page, explorer):
    """The cell's color is that of its probability, and it opens the block in its row."""
    root = show(page, explorer)
    load(page, "common.colors")
    color = page.evaluate("p => rgb(p, false)", explorer.lens[1][6][0][1])
    x, y = root.locator(".gx-map-base").evaluate(FIND, color)
    root.locator(".gx-map-top").click(position={"x": x, "y": y})
    where = "[model.get('zoom'), model.get('block'), model.get('place')]"
    assert page.evaluate(where) == ["block", 0, 6]
    root.get_by_role("button", name="model").click()
    assert page.evaluate("model.get('zoom')") == "model"


def test_the_walk_goes_through_nine_stations_by_space(page, explorer):
    root = show(page, explorer)
    step, seen = root.locator(".gx-map-step"), []
    root.locator(".gx-map-stage").focus()
    for i in range(9):
        press(page, "Space")
        assert step.inner_text().startswith(f"{i + 1} of 9")
        seen.append(page.evaluate("model.get('zoom')"))
    assert seen == [*3 * ["model"], "block", "head", "cell", "head", "block", "model"]
    assert "“read” leads with 43.4%" in step.inner_text()
    press(page, "Space")
    assert not step.is_visible()
    root.get_by_role("button", name="Walk through it").click()
    press(page, "Space")
    assert step.inner_text().startswith("2 of 9")
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []


def test_the_walk_of_a_short_text_says_a_true_weight(page, novelist):
    """Where no head can look back two tokens, the last one's look at the first is shown."""
    e = explorers.ModelMapExplorer.from_checkpoint(novelist, "She")
    root = show(page, e)
    root.locator(".gx-map-stage").focus()
    said = []
    for _ in range(9):
        press(page, "Space")
        said.append(root.locator(".gx-map-step").inner_text())
    assert "100%" in " ".join(said) and " 0%" not in " ".join(said)


@pytest.mark.parametrize("width", [390, 1100])
def test_nothing_is_wider_than_its_page(page, explorer, width):
    page.set_viewport_size({"width": width, "height": 900})
    root = show(page, explorer)
    for crumb in root.locator(".gx-map-crumb").all():
        crumb.click()
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_it_follows_the_width_of_its_page(page, explorer):
    root = show(page, explorer)
    root.evaluate("e => e.classList.add('gx-toured')")  # most of it is hidden then
    wide = root.locator(".gx-map-base").bounding_box()["width"]
    page.set_viewport_size({"width": 700, "height": 900})
    page.wait_for_function(
        "wide => document.querySelector('.gx-map-base').clientWidth < wide", arg=wide
    )
    page.set_viewport_size({"width": 1400, "height": 1000})


def test_what_the_kernel_answers_is_drawn(page, novelist):
    """Another text with fewer tokens, and a head off: all traits come in one message."""
    e = explorers.ModelMapExplorer.from_checkpoint(novelist, TEXT)
    root = show(page, e)
    root.get_by_label("text").fill("The old man")
    root.get_by_label("text").press("Enter")
    assert root.locator(".gx-hint").inner_text() == "The model reads ..."
    root.locator(".gx-map-top").hover(position={"x": 800, "y": 20})  # a token that goes away
    assert "“and”" in said(root)
    e.text, e.factors = "The old man", {5: 0}  # what the kernel does
    traits = {name: getattr(e, name) for name in ARRAYS + PLAIN}
    sent = {k: base64.b64encode(v).decode() for k, v in traits.items() if k in ARRAYS}
    plain = {k: v for k, v in traits.items() if k in PLAIN} | {"answers": 1}
    page.evaluate(TAKE, [plain, sent])
    piece, _, p, whole = e.words[2][0]
    wanted = f"“{piece[:-4]}” with {p:.1%} (with all heads {whole:.1%})"
    assert wanted in said(root)
    assert (
        root.get_by_role("button", name="block 1, head 1 off").get_attribute("aria-pressed")
        == "true"
    )
    assert root.locator(".gx-hint").inner_text().startswith("Type a text of up to 24")


def test_a_line_break_is_not_offered_to_be_written(page, explorer):
    root = show(page, explorer)
    write = root.locator(".gx-aside .gx-button")
    assert write.inner_text() == "Write “read” after “to”"
    page.evaluate("""() => {
        const words = structuredClone(model.get("words"));
        words.at(-1)[0][0] = "\\n</w>";
        model.take({ words, answers: 1 }); }""")
    assert not write.is_visible()


def test_without_an_engine_no_key_switches_a_head(page, explorer):
    page.set_content(standalone.page(explorer, still=True))
    page.evaluate("model.take({ zoom: 'head' })")
    page.locator(".gx-map-stage").focus()
    press(page, "x")
    assert page.evaluate("model.get('factors')") == {}


def test_the_zoom_that_is_shown_is_the_current_one(page, explorer):
    crumbs = show(page, explorer).locator(".gx-map-crumb")
    current = "es => es.map(e => e.getAttribute('aria-current'))"
    assert crumbs.evaluate_all(current) == ["step", None, None, None]
    crumbs.nth(2).click()
    assert crumbs.evaluate_all(current) == [None, None, "step", None]


def test_a_head_is_turned_down_by_its_slider(page, explorer):
    """The slider turns the head whose switch was last reached; 1 is as it was."""
    root = show(page, explorer)
    switch = root.get_by_role("button", name="block 0, head 2 off")
    opened = root.get_by_role("slider", name="block 3, head 3: output")
    assert opened.input_value() == "1", "it opens on the head that the headline names"
    switch.focus()
    knob = root.get_by_role("slider", name="block 0, head 2: output")
    knob.fill("0.4")
    assert page.evaluate("model.get('factors')") == {"2": 0.4}
    assert (switch.get_attribute("aria-pressed"), knob.get_attribute("aria-valuetext")) == (
        "mixed",
        "× 0.4",
    )
    for _ in range(4):
        knob.press("ArrowLeft")
    assert page.evaluate("model.get('factors')") == {"2": 0}
    assert switch.get_attribute("aria-pressed") == "true"
    switch.click()
    assert page.evaluate("model.get('factors')") == {} and knob.input_value() == "1"
    page.evaluate("model.take({ factors: { 9: 0.5 }, answers: 1 })")
    other = root.get_by_role("button", name="block 2, head 1 off")
    assert other.get_attribute("aria-pressed") == "mixed"
    assert "With 1 head turned down" in root.locator(".gx-map-heads .gx-note").inner_text()
    root.get_by_role("button", name="All heads on").press("Enter")
    assert page.evaluate("model.get('factors')") == {}
    assert switch.evaluate("e => e === document.activeElement"), "the button is hidden"


def test_it_has_its_colors_where_it_is_put_into_the_page_later(page, explorer):
    """As JupyterLab does; the chosen token's curves are then not as black as all others."""
    source = standalone.page(explorer)
    later = source.replace('el: document.querySelector("#here")', "el: late").replace(
        "gpt1View.default.render",
        'const late = document.createElement("div");\ngpt1View.default.render',
    )
    page.set_content(later.replace("</script></body>", ";document.body.append(late);</script>"))
    found = 'c => c.getContext("2d").getImageData(0, 0, c.width, c.height).data'
    hues = (
        f"c => {{ const d = ({found})(c); return d.some((v, i) => i % 4 === 2 && v > 150); }}"
    )
    page.wait_for_function(f"() => ({hues})(document.querySelector('.gx-map-top'))")


ARRAYS = ("rows", "states", "neurons", "qkv", "scores", "weights")
PLAIN = (
    *("place", "other", "factors", "tokens", "ids", "lens", "whole", "words", "crowd", "shown"),
    "message",
)
TAKE = """([plain, sent]) => {
    const code = text => Uint8Array.from(atob(text), c => c.charCodeAt(0));
    const arrays = Object.entries(sent).map(([k, v]) => [k, new DataView(code(v).buffer)]);
    model.take({ ...plain, ...Object.fromEntries(arrays) });
}"""


SEEN = "() => ['zoom', 'block', 'head', 'place', 'other'].map(name => model.get(name))"


def test_the_way_of_a_token_is_a_line_to_drag(page, explorer):
    root = show(page, explorer)
    line = root.get_by_role("slider", name="a token's path")
    tall = root.locator(".gx-map-stage").bounding_box()["height"]
    zooms = []
    began = root.locator(".gx-map-stage").inner_text(), page.evaluate(SEEN)
    for at in range(9):
        line.fill(str(at + 1))
        zooms.append(page.evaluate("model.get('zoom')"))
        assert root.locator(".gx-map-step b").inner_text().strip() == f"{at + 1} of 9"
        assert root.locator(".gx-map-stage").bounding_box()["height"] == tall, "no jump below"
    assert {*zooms} == {"model", "block", "head", "cell"} and zooms[0] == zooms[-1] == "model"
    line.fill("0")
    assert root.get_by_role("button", name="Walk through it").is_visible(), "no walk"
    assert (root.locator(".gx-map-stage").inner_text(), page.evaluate(SEEN)) == began


def test_a_zoom_flies_where_motion_is_wanted_and_ends_as_without(page, explorer):
    fly = "() => model.take({ zoom: 'head', block: 1, head: 2, place: 2, other: 1 })"
    for motion, plates in (("reduce", 1), ("no-preference", 2)):
        page.emulate_media(reduced_motion=motion)
        root = show(page, explorer)
        page.evaluate(fly)
        assert root.locator(".gx-map-plate").count() == plates
        page.evaluate("() => { for (const a of document.getAnimations()) a.finish(); }")
        root.locator(".gx-map-seen").wait_for(state="detached")
        assert root.locator(".gx-map-plate").count() == 1
        assert root.locator(".gx-map-crumb[aria-current]").inner_text() == "head 2"
        said = root.locator(".gx-live").inner_text()
        assert "asks" in said, said
    page.emulate_media(reduced_motion="reduce")

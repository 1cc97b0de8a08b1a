"""The explorers' own code in a blank page, against numpy and the library."""

import json
import math
import re

import numpy as np
import pytest
import torch
from in_page import listen, load, show

from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone
from gpt1lib import GPT1, NOVELIST
from gpt1lib.generate import next_token_probs

pytestmark = pytest.mark.browser


def cells(root):
    """The weights as they are written, with three digits."""
    texts = root.locator(".gx-matrix").last.locator(".gx-cell").all_inner_texts()
    n = math.isqrt(len(texts))
    return np.reshape([float(text) for text in texts], (n, n))


def shares(root, mark="fill"):
    """How far along their track the bars ("fill"), lines ("line") or rings ("ring") reach."""
    places = root.locator(".gx-track").evaluate_all(
        "(es, mark) => es.map(e => e.style.getPropertyValue('--' + mark))", mark
    )
    found = [re.search(r"(-?[\d.e-]+)%", place) for place in places]
    return [float(f[1]) / 100 if f else None for f in found]


def test_half_precision_is_read_as_numpy_reads_it(page):
    values = np.array([0, 1, -1, 0.1, 6e-8, -3e-5, 65504, np.inf, -np.inf, np.nan, 1 / 3])
    explorer = explorers.BigramExplorer([[0.25, 0.75], [1, 0]], list("ab"))
    show(page, explorer)
    load(page, "common.traits")
    bits = np.frombuffer(explorers.base.as_half(values), "<u2").tolist()
    found = page.evaluate(f"""() => [...halves({{ get: () =>
        new DataView(new Uint16Array({json.dumps(bits)}).buffer) }}, "x")].map(String)""")
    wanted = values.astype(np.float16).astype(np.float32)
    assert np.array_equal(
        np.float32([float(x.replace("Infinity", "inf")) for x in found]), wanted, equal_nan=True
    )


def test_many_equal_shares_are_one_row(page):
    few = np.full((20, 20), 0.5 / 18)
    few[:, :2] = 0.25
    root = show(page, explorers.BigramExplorer(few, list("abcdefghijklmnopqrst")))
    rows = [" ".join(text.split()) for text in root.locator(".gx-bars li").all_inner_texts()]
    assert rows == ["a 25.0%", "b 25.0%", "18 others 2.8% each"]
    root = show(
        page, explorers.BigramExplorer(np.full((14, 14), 1 / 14), list("abcdefghijklmn"))
    )
    assert root.locator(".gx-bars li").count() == 1


@pytest.mark.parametrize("kind", ["correct", "none", "ahead", "after"])
def test_mask_steps_equal_numpy(page, kind):
    scores = np.random.default_rng(0).normal(size=(5, 5)).round(2)
    root = show(page, explorers.MaskExplorer(scores, list("abcde"), kind=kind))
    wanted = explorers.masked_steps(scores, kind)[1]
    assert np.allclose(cells(root), wanted, atol=6e-4)
    head, *rows = np.reshape(root.locator(".gx-sum").all_inner_texts(), (6, 2))
    assert list(head) == ["sum", "should predict"]
    assert [row[1] for row in rows] == ["b", "c", "d", "e", "what follows"]
    assert np.allclose([float(row[0]) for row in rows], wanted.sum(1), atol=6e-4)
    leaks = root.locator(".gx-matrix").last.locator(".gx-leak").count()
    assert leaks == int((np.triu(wanted, 1) > 0).sum())


def test_a_mask_that_hides_itself_shows_nan(page):
    root = show(page, explorers.MaskExplorer(np.eye(3), list("abc"), kind="strict"))
    assert root.locator(".gx-sum").all_inner_texts()[2] == "nan"


def test_scores_are_edited_beside_the_weights_that_they_move(page):
    root = show(page, explorers.MaskExplorer(np.zeros((3, 3)), list("abc")))
    root.get_by_label("score from b to a").focus()
    for _ in range(4):
        page.keyboard.press("ArrowUp")
    wanted = explorers.masked_steps([[0, 0, 0], [1, 0, 0], [0, 0, 0]])[1]
    assert np.allclose(cells(root), wanted, atol=6e-4)
    assert "Your scores move the rows of “b”." in root.locator(".gx-live").inner_text()
    assert root.locator(".gx-moved").count() == 2
    root.get_by_role("button", name="Reset").click()
    assert not root.locator(".gx-moved").count()


@pytest.mark.parametrize(
    ("temperature", "top_k", "top_p"),
    [(1, 0, 1), (0, 0, 1), (0.5, 5, 1), (2, 0, 0.7), (1.3, 30, 0.4), (1, 1, 0.05)],
)
def test_sampling_equals_the_library(page, temperature, top_k, top_p):
    logits = np.random.default_rng(1).normal(size=500) * 2
    words = [f"w{i}</w>" for i in range(500)]
    root = show(
        page,
        explorers.SamplingExplorer(
            logits, words, temperature=temperature, top_k=top_k, top_p=top_p
        ),
    )
    wanted = next_token_probs(torch.tensor(logits), temperature, top_k or None, top_p)
    kept = int((wanted > 0).sum())
    assert root.locator(".gx-live").inner_text().startswith(f"{kept} of 500 tokens can be")
    order = np.argsort(-logits, kind="stable")[:16]
    names = root.locator("li:not(.gx-head) .gx-word").all_inner_texts()
    assert names[:16] == [f"w{i}" for i in order]
    own = torch.tensor(logits).softmax(-1)
    rest = [*(p[order].tolist() for p in (wanted, own))]
    bars, lines = ([*p, 1 - sum(p)] for p in rest)
    assert shares(root) == pytest.approx(bars, abs=1e-6), "one axis, 0 to 100%"
    assert shares(root, "line") == pytest.approx(lines, abs=1e-6), "temperature 1, uncut"
    root.get_by_role("radio", name="as far as the longest bar").click()
    end = float(root.locator(".gx-axis span").last.inner_text().rstrip("%")) / 100
    assert max(bars[:16]) <= end + 1e-9 and end < 2 * max(bars[:16])
    assert shares(root)[:16] == pytest.approx([p / end for p in bars[:16]], rel=0.02)
    assert root.locator(".gx-over").count() == int(bars[16] > end), "what is longer says so"


def test_others_under_top_k_are_those_that_can_be_drawn(page):
    words = [f"w{i}" for i in range(100)]
    root = show(page, explorers.SamplingExplorer(np.zeros(100), words, top_k=20))
    assert root.locator(".gx-rest").inner_text().split()[:2] == ["4", "others"]
    assert shares(root)[-1] == pytest.approx(4 / 20)
    page.evaluate("model.set('top_k', 5)")
    assert root.locator(".gx-rest").inner_text().split()[:3] == ["84", "others", "0%"]


def drawn(root):
    texts = [row.inner_text().split() for row in root.locator("li:not(.gx-rest)").all()]
    return [int(row[-2]) for row in texts[1:] if row[-1].endswith(")")]


def test_draws_stand_at_their_bars_until_a_control_moves(page):
    root = show(page, explorers.SamplingExplorer([3.0, 1.0, 0.0], list("abc")))
    root.get_by_role("button", name="Draw 100").click()
    counts = drawn(root)
    assert sum(counts) == 100 and counts[0] > 60
    rings = shares(root, "ring")
    assert [r or 0 for r in rings] == pytest.approx([*(n / 100 for n in counts), 0])
    page.evaluate("model.set('temperature', 0.5)")
    assert not drawn(root) and shares(root, "ring") == [None] * 4
    root.get_by_role("button", name="Draw 100").click()
    root.get_by_role("button", name="Reset").click()
    assert not drawn(root) and page.evaluate("model.get('temperature')") == 1


def test_two_pieces_that_look_alike_are_told_apart(page):
    pieces = ["e</w>", "e", "<unk>", "\n</w>"]
    root = show(page, explorers.SamplingExplorer([3.0, 2.0, 1.0, 0.0], pieces))
    names = root.locator("li:not(.gx-head) .gx-word").all_inner_texts()
    assert names[:4] == ["e", "e·", "<unk>", "⏎"]


def test_an_answer_that_changes_nothing_ends_the_waiting(page):
    logits = [3.0, 1.0, 0.0]
    e = explorers.SamplingExplorer(
        logits, ["sea</w>", "b", "c"], text="the", predict=lambda t: logits
    )
    root = show(page, e)
    status, box = root.locator(".gx-hint"), root.get_by_label("prompt")
    hint = status.inner_text()
    box.fill("THE")
    box.press("Enter")
    assert status.inner_text() == "The model reads ..."
    page.evaluate("model.set('answers', 1)")  # what an answer does
    assert status.inner_text() == hint and status.get_attribute("aria-live") == "off"
    page.evaluate("model.take({ message: 'no such word', answers: 2 })")
    assert status.inner_text() == "no such word", "and it is read aloud"
    assert status.get_attribute("aria-live") == "polite"


def test_without_an_answer_the_kernel_is_named(page):
    page.clock.install()
    e = explorers.SamplingExplorer(
        [1.0, 0.0], ["sea</w>", "b"], text="the", predict=lambda t: [1.0, 0.0]
    )
    root = show(page, e)
    root.get_by_label("prompt").fill("a")
    root.get_by_label("prompt").press("Enter")
    page.clock.fast_forward(11_000)
    assert "After a restart, run this cell again" in root.locator(".gx-hint").inner_text()
    assert root.locator(".gx-hint").get_attribute("aria-live") == "polite"


def test_shares_are_written_as_they_are(page):
    show(page, explorers.BigramExplorer(np.eye(2), list("ab")))
    load(page, "common.words")
    values = [0, 0.0004, 0.0025, 0.0496, 0.5, 0.995, 0.9995, 0.9997, 1]
    written = page.evaluate("values => values.map(percent)", values)
    small = ["0%", "<0.1%", "0.25%", "5.0%", "50.0%"]
    assert written == [*small, "99.5%", ">99.9%", ">99.9%", "100%"]
    written = page.evaluate("values => values.map(rounded)", values)
    assert written == ["0%", "<1%", "<1%", "5%", "50%", ">99%", ">99%", ">99%", "100%"]
    written = page.evaluate("['-0.00', '-0', '-0.05', '-2', '3'].map(minus)")
    assert written == ["0.00", "0", "−0.05", "−2", "3"]


def darkness(root):
    """The darkest cell of the first map, 0 black to 255."""
    return root.locator("canvas").first.evaluate("""c => {
        const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return Math.min(...d.filter((_, i) => i % 4 === 0 && d[i + 3])); }""")


def test_maps_keep_to_the_paper_and_follow_a_switch_of_theme(page):
    """0 is pale on white and dark on black, whatever the system prefers."""
    page.emulate_media(color_scheme="dark")
    root = show(page, explorers.BigramExplorer(np.full((2, 2), 0.5), list("ab")))
    assert "gx-dark" not in root.get_attribute("class") and darkness(root) < 10
    for light, darkest in (("false", 252), ("true", 0)):
        page.evaluate("light => { document.body.dataset.jpThemeLight = light; }", light)
        page.wait_for_function(
            "light => document.querySelector('.gx').matches('.gx-dark') !== (light === 'true')",
            arg=light,
        )
        assert darkness(root) == pytest.approx(darkest, abs=4)
    explorer = explorers.BigramExplorer(np.eye(2), list("ab"))
    page.set_content(standalone.page(explorer, theme="dark"))
    assert "gx-dark" in root.get_attribute("class")


def test_a_click_appends_a_word(page):
    e = explorers.SamplingExplorer(
        [3.0, 1.0, 0.0], ["sea</w>", "b", "c"], text="the", predict=lambda text: [0, 0, 0]
    )
    root = show(page, e)
    root.get_by_role("button", name="sea").click()
    assert page.evaluate("model.get('text')") == "the sea"


def prompted(**traits):
    pieces = ["sea</w>", "b", "c"]
    return explorers.SamplingExplorer(
        [3.0, 1.0, 0.0], pieces, predict=lambda _: [0] * 3, **traits
    )


def test_a_draw_waits_for_the_answer_to_the_one_before(page):
    """Until then the distribution is that of an older text."""
    write = show(page, prompted(text="the")).get_by_role("button", name="Draw and append")
    text = "model.get('text')"
    write.click()
    once = page.evaluate(text)
    write.click()
    assert page.evaluate(text) == once != "the"
    page.evaluate("model.set('answers', 1)")  # what an answer does
    write.click()
    assert page.evaluate(text) != once


def test_a_text_that_is_typed_ends_with_a_word(page):
    root = show(page, prompted(text="the la", joined=True))
    root.get_by_label("prompt").fill("the old")
    root.get_by_label("prompt").press("Enter")
    root.get_by_role("button", name="sea").click()
    assert page.evaluate("model.get('text')") == "the old sea"


def test_a_line_break_is_drawn_and_not_appended(page):
    e = explorers.SamplingExplorer(
        [3.0, 1.0], ["\n</w>", "sea</w>"], text="the", predict=lambda _: [0, 0], temperature=0
    )
    root = show(page, e)
    line, sea = root.locator("li button").all()
    assert line.is_disabled() and line.get_attribute("title") == "here the model ends the line"
    assert sea.get_attribute("tabindex") == "0", "Tab stops at what can be pressed"
    root.get_by_role("button", name="Draw and append").click()
    assert page.evaluate("model.get('text')") == "the"
    assert "here the model ends the line" in root.locator(".gx-live").inner_text()


def test_a_text_of_two_lines_is_shown_on_one(page, novelist):
    two = "The old\nman"
    for explorer in (
        prompted(text=two),
        explorers.JourneyExplorer.from_checkpoint(novelist, two),
        explorers.TokenExplorer.from_checkpoint(novelist, two),
    ):
        box = show(page, explorer).locator(".gx-prompt")
        assert box.input_value() == "The old man"
        page.evaluate("model.set('text', 'She\\r\\nsaw')")  # in a cell
        assert box.input_value() == "She saw"
    boxes = show(page, explorers.TwoTextsExplorer.from_checkpoint(novelist, two, two))
    page.evaluate("model.set('texts', ['She\\nsaw', 'He\\nsaw'])")
    shown = [box.input_value() for box in boxes.locator(".gx-prompt").all()]
    assert shown == ["She saw", "He saw"]


def causal(n_layer=2, n_head=3, n=4):
    w = np.tril(np.random.default_rng(2).random((n_layer, n_head, n, n)) + 0.1)
    return w / w.sum(-1, keepdims=True)


def test_attention_by_keyboard_alone(page):
    weights = causal()
    root = show(page, explorers.AttentionExplorer(weights, list("abcd"), head=0, row=3))
    root.get_by_role("radio", name="block 0, head 0").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    assert page.evaluate("model.get('head')") == 4
    root.get_by_label("from c").focus()
    row = weights[1, 1, 2]
    best = int(row.argmax())
    said = root.locator(".gx-live").inner_text()
    assert said.startswith(f"“c” attends {row[best]:.0%} to “{'abcd'[best]}”")
    assert "The 1 later token is masked" in said
    widths = root.locator(".gx-arcs path").evaluate_all(
        "es => es.map(e => +e.getAttribute('stroke-width'))"
    )
    assert widths == pytest.approx([1 + 9 * w for w in row[:3]], abs=0.06)


def test_a_new_text_draws_new_heads(page, novelist):
    e = explorers.AttentionExplorer.from_checkpoint(novelist, "The old man")
    root = show(page, e)
    assert root.locator(".gx-matrix .gx-row").all_inner_texts() == ["the", "old", "man"]
    box = root.get_by_label("text")
    box.fill("She looked at me")
    box.press("Enter")
    assert page.evaluate("model.get('text')") == "She looked at me"
    e.text = "She looked at me"  # what the kernel does
    data = np.frombuffer(e.data, "<u2").tolist()
    page.evaluate(f"""() => {{
        model.state.tokens = {json.dumps(e.tokens)};
        model.set('data', new DataView(new Uint16Array({json.dumps(data)}).buffer));
    }}""")
    assert root.locator(".gx-matrix .gx-row").all_inner_texts() == ["she", "looked", "at", "me"]
    root.get_by_label("from looked").focus()
    assert root.locator(".gx-live").inner_text().startswith("“looked” attends")


@pytest.mark.parametrize(
    ("name", "texts", "trait"),
    [
        ("AttentionExplorer", ["The old man"], "data"),
        ("JourneyExplorer", ["The old man"], "stages"),
        ("TwoTextsExplorer", ["The old man", "The old dog"], "two"),
        ("TyingExplorer", ["The old man"], "wins"),
    ],
)
def test_an_answer_leaves_the_text_that_is_being_typed(page, novelist, name, texts, trait):
    root = show(page, getattr(explorers, name).from_checkpoint(novelist, *texts))
    box, said = root.locator(".gx-prompt").first, root.locator(".gx-live").element_handle()
    box.fill("The old man we")
    page.evaluate("name => model.take({ [name]: model.get(name) })", trait)
    assert box.input_value() == "The old man we"
    assert box.evaluate("e => e === document.activeElement")
    assert said.evaluate("e => e.isConnected"), "a new one would not be read aloud"


# a view stands in a cell of a notebook
IN_A_CELL = """() => {
  const cell = document.createElement('div');
  Object.assign(cell, { className: 'jp-Cell', tabIndex: -1 });
  document.querySelector('#here').before(cell);
  cell.append(document.querySelector('#here')); }"""


def with_rows(novelist):
    """One of each explorer in which a click keeps a row."""
    e, text = explorers, "The old man"
    yield e.AttentionExplorer(causal(), list("abcd"))
    yield e.BigramExplorer(np.eye(3), list("abc"))
    yield e.HeadsExplorer.from_checkpoint(novelist, text, np.eye(4) / 10)
    yield e.TwoTextsExplorer.from_checkpoint(novelist, text, text)


def test_escape_lets_a_kept_row_go_before_it_leads_out(page, novelist):
    for explorer in with_rows(novelist):
        root = show(page, explorer)
        page.evaluate(IN_A_CELL)
        root.locator(".gx-wrap canvas").first.click(position={"x": 5, "y": 5})
        assert root.locator(".gx-locked").count() == 1
        page.keyboard.press("Escape")
        assert root.locator(".gx-locked").count() == 0
        assert page.evaluate("document.activeElement.matches('.gx-row')")
        page.keyboard.press("Escape")
        assert page.evaluate("document.activeElement.matches('.jp-Cell')")


def test_what_has_the_focus_says_that_keys_are_its_own(page, novelist):
    """Or Notebook 7, which takes keys before a view does, would cut its cell at an X."""
    e, text = explorers, "The old man"
    for explorer, place in (
        (e.BigramExplorer(np.eye(3), list("abc")), ".gx-row.gx-on"),
        (e.HeadsExplorer.from_checkpoint(novelist, text, np.eye(4) / 10), ".gx-dot"),
        (e.JourneyExplorer.from_checkpoint(novelist, text), ".gx-chosen"),
        (e.ModelMapExplorer.from_checkpoint(novelist, text), ".gx-map-stage"),
        (e.QueryExplorer.from_checkpoint(novelist, text, layer=3, head=3), ".gx-drag"),
        (e.ScalingExplorer({"all": [(10**n, 6 - n / 4) for n in range(4, 8)]}), ".gx-guess"),
    ):
        found = show(page, explorer).locator(place).first
        found.focus()
        assert found.get_attribute("data-lm-suppress-shortcuts") == "true", place


WATCHED = """() => {
  const observe = ResizeObserver.prototype.observe;
  const watched = [];
  window.watching = () => watched.filter(e => e.isConnected).length;
  ResizeObserver.prototype.observe = function (e) {
    watched.push(e);
    observe.call(this, e);
  }; }"""


def test_a_view_that_is_drawn_anew_leaves_nothing_behind_that_watches(page, novelist):
    page.evaluate(WATCHED)
    runs = {value: {"film": {0: 0.6, 1: 0.62}} for value in ("0", "1")}
    for explorer in (
        explorers.ModelMapExplorer.from_checkpoint(novelist, "The old man"),
        explorers.SweepExplorer(runs, "1", "0"),
    ):
        root = show(page, explorer)
        before = page.evaluate("watching()")
        page.evaluate("() => { document.body.dataset.jpThemeLight = 'false'; }")
        root.and_(page.locator(".gx-dark")).wait_for()
        assert page.evaluate("watching()") == before > 0


def test_masks_in_each_place_equal_numpy(page, novelist):
    e = explorers.AttentionExplorer.from_checkpoint(novelist, "The old man went home", head=9)
    root = show(page, e)
    scores = np.frombuffer(e.scores, "<f2").astype(float).reshape(16, 5, 5)[9]
    free = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    root.get_by_label("from old").focus()
    wanted = {
        "no mask": free[1],
        "after the softmax": free[1] * [1, 1, 0, 0, 0],
        "before the softmax (GPT-1)": e.weights[2, 1][1],
    }
    names = ["the", "old", "man", "went", "home"]
    for name, row in wanted.items():
        root.get_by_role("radio", name=name).click()
        best = int(row.argmax())
        said = root.locator(".gx-live").inner_text()
        assert said.startswith(f"“old” attends {row[best]:.0%} to “{names[best]}”")
        drawn = root.locator(".gx-arcs path").count()
        assert drawn == (row >= 0.005).sum()
        if name == "no mask":
            assert f"{free[1, 2:].sum():.0%} go to later tokens" in said
        if name == "after the softmax":
            assert f"adds up to {free[1, :2].sum():.0%} only" in said
    assert page.evaluate("model.get('mask')") == "before"


def bare_cells(root):
    """Of the difference of two heads, the cells with a bare line through them."""
    pixels = root.get_by_label("block 1, head 2 minus block 0, head 0").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    lines = np.reshape(pixels, (4, 3, 4, 3, 4))
    return (lines[:, 0] != lines[:, 1]).any((2, 3))


def test_a_head_is_kept_beside_another(page):
    weights = causal()
    root = show(page, explorers.AttentionExplorer(weights, list("abcd"), head=0, row=3))
    root.get_by_role("button", name="Keep this head to compare").press("Enter")
    root.get_by_role("radio", name="block 1, head 2").click()
    kept = root.get_by_label("block 0, head 0, kept for comparison")
    assert kept.is_visible()
    assert (bare_cells(root) == (np.tril(weights[1, 2] - weights[0, 0]) < 0)).all()
    titles = root.locator(".gx-title").all_inner_texts()
    assert {"Block 0, head 0, kept", "Shown minus kept"} <= {*titles}
    assert "Block 1, head 2: from each row to each column" in titles
    apart = np.abs(weights[1, 2, 3] - weights[0, 0, 3]).sum() / 2
    assert (
        f"differs by {apart:.0%} from block 0, head 0" in root.locator(".gx-live").inner_text()
    )
    root.get_by_role("button", name="Keep this head to compare").click()
    assert page.evaluate("model.get('pinned')") == 5 and not kept.is_visible()
    root.get_by_role("button", name="Let it go").click()
    assert page.evaluate("model.get('pinned')") == -1


def test_a_click_keeps_a_row_until_escape(page):
    root = show(page, explorers.AttentionExplorer(causal(), list("abcd"), head=0, row=3))
    said, big = root.locator(".gx-live"), root.locator("canvas.gx-big").last
    big = root.locator(".gx-wrap canvas")
    box = big.bounding_box()
    cell = {k: (k + 0.5) * box["height"] / 4 for k in range(4)}
    height = root.bounding_box()["height"]
    big.hover(position={"x": cell[0], "y": cell[1]})
    assert said.inner_text().startswith("“b” attends")
    assert root.bounding_box()["height"] == height, "the page below stays where it is"
    big.click(position={"x": cell[0], "y": cell[1]})
    big.hover(position={"x": cell[0], "y": cell[2]})
    assert said.inner_text().startswith("“b” attends")
    assert "c → a: 0." in root.inner_text(), "a weight can be read without a tooltip"
    page.keyboard.press("Escape")
    big.hover(position={"x": cell[0], "y": cell[3]})
    assert said.inner_text().startswith("“d” attends")


def test_rows_are_one_stop_for_tab_and_their_weights_are_read_by_arrow_key(page):
    weights = causal()
    root = show(page, explorers.AttentionExplorer(weights, list("abcd"), head=0, row=1))
    assert root.locator(".gx-row").evaluate_all("es => es.filter(e => !e.tabIndex).length") == 1
    root.get_by_label("from b").focus()
    page.keyboard.press("End")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert f"d → b: {weights[0, 0, 3, 1]:.3f}" in root.inner_text()


def test_a_long_text_is_shaded_in_place_of_arcs(page):
    weights = causal(1, 1, 30)
    root = show(page, explorers.AttentionExplorer(weights, ["a</w>"] * 30))
    assert root.locator(".gx-shaded span").count() == 30
    assert not root.locator(".gx-arcs path").count()


def test_two_texts_share_a_row_and_say_what_moves(page, novelist):
    texts = "She gave the man the letter and left.", "She gave the man a fine horse and left."
    e = explorers.TwoTextsExplorer.from_checkpoint(novelist, *texts)
    root = show(page, e)
    load(page, "common.words")
    place = [i for i, _ in e.pairs].index(e.row)
    wanted = page.evaluate("all => all.map(rounded)", e.moved[..., place].ravel().tolist())
    assert root.locator(".gx-moves").all_inner_texts() == wanted
    assert f"puts {wanted[e.head]} of its weight elsewhere" in root.inner_text()
    root.get_by_label("from she").first.focus()
    assert "“she” does not move: up to it the texts are the same" in root.inner_text()
    assert root.locator(".gx-on").all_inner_texts() == ["she", "she"]
    root.get_by_label("second", exact=True).fill("She gave the man the letter")
    root.get_by_label("second", exact=True).press("Enter")
    assert page.evaluate("model.get('texts')")[1] == "She gave the man the letter"
    page.evaluate("model.set('texts', ['He saw', 'She saw'])")  # a cell sets them
    assert root.get_by_label("first", exact=True).input_value() == "He saw"


def test_why_a_token_of_two_texts_does_not_move(page):
    """What differs may stand before it, and this head's row be the same all the same."""
    load(page, "two_texts")
    why = """row => whyStill(["abc", "axc"].map(
      names => ({ names: [...names], partner: new Map([0, 1, 2].entries()) })), row, row)"""
    said = [page.evaluate(why, row) for row in range(3)]
    assert said[0] == "up to it the texts are the same, and what comes later is masked"
    assert said[1] == said[2] == "what differs makes no difference to this head"


def test_ways_of_writing_side_by_side(page, novelist):
    e = explorers.WritingExplorer.from_checkpoint(novelist, "The old man", n_tokens=6)
    root = show(page, e)
    load(page, "common.words")
    assert root.locator(".gx-writings b").all_inner_texts() == [
        "greedy",
        "4 beams",
        "T = 0.5",
        "T = 0.8",
        "T = 1",
        "T = 1.3",
    ]
    for text, (_, _, pairs) in zip(root.locator(".gx-writings p").all(), e.rows, strict=True):
        assert text.locator("span").all_inner_texts() == [
            explorers.tokens.readable(piece) for piece, _ in pairs
        ]
        title = text.locator("span").first.get_attribute("title")
        assert title.endswith(page.evaluate("percent", pairs[0][1]))
    root.get_by_label("seed").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate("model.get('seed')") == 1
    before, e.seed = e.rows, 1  # what the kernel does
    assert [a == b for a, b in zip(before, e.rows, strict=True)][:2] == [True, True]
    assert before[3] != e.rows[3]
    page.evaluate(f"model.set('rows', {json.dumps(e.rows)})")
    assert root.locator(".gx-writings p").nth(3).locator("span").count() == 6


def test_bigrams_and_parameters(page):
    root = show(page, explorers.BigramExplorer([[0.25, 0.75], [1, 0]], list("ab"), row=0))
    assert "After a, most often b (75.0%)" in root.locator(".gx-live").inner_text()
    configs = {"GPT-1": vars(GPT1), "novelist": vars(NOVELIST)}
    root = show(page, explorers.ParameterExplorer(configs))
    said = root.locator(".gx-live")
    assert said.inner_text().startswith("116,534,784 parameters")
    root.get_by_role("radio", name="its own").click()
    assert said.inner_text().startswith("147,621,888 parameters")
    root.get_by_role("radio", name="novelist").click()
    assert said.inner_text().startswith("5,303,296 parameters")


def test_no_model_is_marked_that_has_other_sizes(page):
    configs = {"GPT-1": vars(GPT1), "novelist": vars(NOVELIST)}
    root = show(page, explorers.ParameterExplorer(configs))
    sizes = root.get_by_role("radiogroup", name="sizes of").get_by_role("radio")
    marked = "es => es.map(e => [e.getAttribute('aria-checked'), e.tabIndex])"
    assert sizes.evaluate_all(marked) == [["true", 0], ["false", -1]]
    root.get_by_label("n_layer").focus()
    page.keyboard.press("ArrowRight")
    assert sizes.evaluate_all(marked) == [["false", 0], ["false", -1]]
    page.keyboard.press("ArrowLeft")
    assert sizes.evaluate_all(marked) == [["true", 0], ["false", -1]]


LOG = [
    {"step": 1, "loss": 6.0},
    {"step": 10, "loss": 4.0, "heldout": 4.5},
    {"step": 100, "loss": 3.0, "heldout": 3.6},
]
WROTE = [{"step": 1, "text": "qqq"}, {"step": 100, "text": "the cat"}]


def test_a_training_run_is_read_step_by_step_by_keyboard(page):
    e = explorers.TrainingExplorer(LOG, WROTE, {"trigram": 5.0}, chosen=0)
    root = show(page, e)
    said, wrote = root.locator(".gx-live"), root.locator(".gx-wrote")
    assert "After 1 update the training loss is 6.00 nats" in said.inner_text()
    assert wrote.inner_text() == "qqq"
    root.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert "After 10 updates" in said.inner_text() and wrote.inner_text() == "qqq"
    page.keyboard.press("ArrowRight")
    assert wrote.inner_text() == "the cat"
    assert page.evaluate("model.get('chosen')") == 2
    root.get_by_role("radio", name="perplexity").click()
    assert f"perplexity is {np.exp(3):.0f}" in said.inner_text()
    root.get_by_role("radio", name="bits").click()
    assert f"is {3 / np.log(2):.2f} bits" in said.inner_text()


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_curve_is_drawn_where_its_numbers_are(page, scale):
    root = show(page, explorers.TrainingExplorer(LOG, scale=scale))
    path = root.locator("path").first.get_attribute("d").replace("L", "M")
    drawn = np.array([[float(v) for v in p.split()] for p in path.split("M")[1:]])
    steps, losses = np.array([1, 10, 100]), np.array([6.0, 4.0, 3.0])
    along = np.log(steps) / np.log(100) if scale == "log" else (steps - 1) / 99
    shares = (drawn[:, 0] - drawn[0, 0]) / (drawn[2, 0] - drawn[0, 0])
    assert np.allclose(shares, along, atol=1e-3)
    heights = (drawn[:, 1] - drawn[0, 1]) / (drawn[2, 1] - drawn[0, 1])
    assert np.allclose(heights, (6 - losses) / 3, atol=1e-3)


def test_a_click_on_the_curve_chooses_the_nearest_step(page):
    root = show(page, explorers.TrainingExplorer(LOG, scale="log"))
    box = root.locator("svg").bounding_box()
    page.mouse.click(box["x"] + 0.46 * box["width"], box["y"] + 0.4 * box["height"])
    assert "After 10 updates" in root.locator(".gx-live").inner_text()


@pytest.mark.parametrize(
    ("loss", "said"),
    [
        (4.0, "4.00, down from 9.00."),
        (9.001, "9.00, as at first."),
        (11.5, "11.50, up from 9.00."),
    ],
)
def test_the_headline_says_where_the_loss_has_risen(page, loss, said):
    log = [{"step": 1, "loss": 9.0}, {"step": 2, "loss": loss}]
    root = show(page, explorers.TrainingExplorer(log))
    assert root.locator(".gx-finding").inner_text() == f"After 2 updates the loss is {said}"


def test_a_run_that_is_played_is_spoken_at_its_end_only(page, stopped_clock):
    root = show(page, explorers.TrainingExplorer(LOG))
    stopped_clock.pause_at(3600)
    spoken = listen(root)
    tip = root.locator(".gx-tip")
    tip.click()
    stopped_clock.run_for(3000)
    assert "After 10 updates" in root.locator(".gx-live").inner_text() and not spoken()
    stopped_clock.run_for(6000)
    assert "After 100 updates" in spoken()[-1] and len(spoken()) == 1
    assert tip.inner_text() == "play the run from its first update"


def test_a_run_that_goes_on_grows_on_the_page(page):
    root = show(page, explorers.TrainingExplorer(total=100))
    assert root.locator(".gx-live").inner_text() == "The run has not begun."
    for n in (1, 2, 3):
        points = json.dumps([[x["step"], x["loss"]] for x in LOG[:n]])
        page.evaluate(f"model.set('points', {points})")
        assert f"After {LOG[n - 1]['step']} update" in root.locator(".gx-live").inner_text()


# ---- tokens, tying, journey, formats -------------------------------------------------


def pieces(root):
    """The pieces of each word as they are drawn, with the mark that ends a word."""
    return root.locator(".gx-word-box").evaluate_all(
        "words => words.map(word => [...word.querySelectorAll('.gx-piece')].map(piece => "
        "piece.firstChild.textContent + (piece.matches('.gx-ends') ? '</w>' : '')))"
    )


def test_bpe_in_the_browser_is_bpe_in_the_library(page, novelist):
    text = "the unbelievable shipwreck"
    e = explorers.TokenExplorer.from_checkpoint(novelist, text, step=0)
    root = show(page, e)
    root.locator("input[type=range]").focus()
    for step in range(len(e.merges) + 1):
        e.step = step
        assert pieces(root) == e.pieces(), step
        page.keyboard.press("ArrowRight")
    ids = [int(x) for x in root.locator(".gx-piece small").all_inner_texts()]
    assert ids == novelist.bpe.encode(text)
    page.keyboard.press("Home")
    assert pieces(root)[0] == ["t", "h", "e</w>"]


def test_a_piece_keeps_its_color_while_its_neighbors_merge(page, novelist):
    root = show(
        page, explorers.TokenExplorer.from_checkpoint(novelist, "the unbelievable é", step=0)
    )
    root.locator("input[type=range]").focus()
    seen = {}
    for _ in range(12):
        for piece, color in root.locator(".gx-piece").evaluate_all(
            "es => es.map(e => [e.className.includes('gx-ends') + e.innerText.split('\\n')[0], "
            "e.style.borderBottomColor])"
        ):
            assert seen.setdefault(piece, color) == color
        page.keyboard.press("ArrowRight")
    assert len(set(seen.values())) > 3
    page.keyboard.press("End")
    assert root.locator(".gx-piece small").last.inner_text() == "<unk>"
    assert "read as <unk>: é" in root.locator(".gx-hint").inner_text()


# the pixels above the middle line minus those below it, for each number of a strip
UP_AND_DOWN = """c => {
  const { data } = c.getContext('2d').getImageData(0, 0, c.width, c.height);
  return Array.from({ length: c.width / 3 }, (_, i) => {
    const isDrawn = (_, y) => data[4 * (y * c.width + 3 * i) + 3] > 0;
    const drawn = Array.from({ length: c.height }, isDrawn);
    const count = half => half.filter(is => is).length;
    return count(drawn.slice(0, c.height / 2)) - count(drawn.slice(c.height / 2));
  }); }"""


def test_tying_by_keyboard_and_its_counts(page, novelist):
    prompt = "The old man and the sea"
    e = explorers.TyingExplorer.from_checkpoint(novelist, prompt)
    root = show(page, e)
    said = root.locator(".gx-live")
    assert said.inner_text().startswith("“the” fits best after")
    heights = root.locator("canvas").evaluate(UP_AND_DOWN)
    row = np.frombuffer(e.data, "<f2").reshape(-1, 256)[0].astype(float)
    clear = abs(row) > 0.1 * abs(row).max()
    assert (np.sign(heights) == np.sign(row))[clear].all() and clear.sum() > 100
    root.get_by_role("radio", name="the", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert said.inner_text().startswith("“old” fits best after")
    assert "both jobs the model has 5,303,296 parameters" in root.inner_text()
    root.get_by_role("radio", name="a matrix of its own").click()
    assert f"its own the model has {5303296 + 8120 * 256:,} parameters" in root.inner_text()


def test_the_journey_by_keyboard(page, novelist):
    e = explorers.JourneyExplorer.from_checkpoint(novelist, "She looked at the")
    root = show(page, e)
    assert root.locator(".gx-lens .gx-cell").count() == 5 * 4
    root.locator(".gx-lens .gx-chosen").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowUp")
    stage, place = page.evaluate("[model.get('stage'), model.get('place')]")
    assert place == 2 and stage == 12  # LayerNorm 2 of block 2
    piece = e.stages[12]["top"][2][0][0].removesuffix("</w>")
    assert f"predicts “{piece}”" in root.locator(".gx-live").inner_text()
    root.get_by_role("radio", name="all, before and after each LayerNorm").click()
    assert root.locator(".gx-lens .gx-cell").count() == 17 * 4
    page.evaluate("model.take({ stages: model.get('stages') })")  # what an answer does
    assert root.locator(".gx-lens .gx-cell").count() == 17 * 4, "all are shown still"


def test_lambda_moves_the_mix_and_the_formats_have_their_rows(page, novelist):
    e = explorers.FormatsExplorer.from_checkpoint(novelist)
    root = show(page, e)
    for name, kind, n in (
        ("multiple choice", "choice", 3),
        ("similarity", "similarity", 2),
        ("entailment", "entailment", 1),
    ):
        root.get_by_role("radio", name=name).click()
        e.kind = kind
        assert root.locator(".gx-tokens").count() == n
        found = e.losses()
        wanted = [-found["L3 mean"], -found["L3 sum"]]
        assert losses_shown(root) == pytest.approx(wanted, abs=1e-3)
    root.locator("input[type=range]").focus()
    page.keyboard.press("Home")
    assert "the language model makes up 0%" in root.locator(".gx-fmt-share").inner_text()
    e.lm_coef = 0
    assert losses_shown(root)[0] == pytest.approx(-e.losses()["L3 mean"], abs=1e-3)


def losses_shown(root):
    """-L3 by means and by sums, from the table of the losses."""
    cells = root.locator(".gx-table td:nth-child(4)").all_inner_texts()
    return [float(cell.replace("−", "-")) for cell in cells]


def test_the_sweep_tells_of_the_chosen_value(page):
    found = {
        "0": {"film": [0.60, 0.62, 0.64], "logic": [0.4, 0.5, 0.6]},
        "0.5": {"film": [0.63, 0.66, 0.66], "logic": [0.5, 0.4, 0.6]},
        "1": {"film": [0.5, 0.5, 0.5], "logic": [0.3, 0.3, 0.3]},
    }
    accuracies = {
        value: {task: dict(enumerate(seeds)) for task, seeds in row.items()}
        for value, row in found.items()
    }
    e = explorers.SweepExplorer(accuracies, chosen="0.5", compared="0")
    root = show(page, e)
    said, band = root.locator(".gx-live"), root.locator(".gx-band")
    assert "film: 65.0% ± 4.3 points over 3 seeds" in said.inner_text()
    assert "against 0, seed by seed, +3.0 ± 2.5 points, not significant." in said.inner_text()
    assert "+0.0 ± 24.8 points, not significant." in said.inner_text()
    title = root.locator(".gx-finding").inner_text().rstrip(".")
    # +3.0 points would be significant alone, and are not among four differences
    wanted = "1 of 4 differences from λ = 0 is significant: film −12.0 points at 1"
    assert title == e.finding() == wanted
    place = band.get_attribute("x")
    root.get_by_role("radio", name="0.5").focus()
    page.keyboard.press("ArrowLeft")
    assert said.inner_text().startswith("λ = 0.") and "against" not in said.inner_text()
    assert page.evaluate("model.get('chosen')") == "0"
    assert float(band.get_attribute("x")) < float(place)
    page.keyboard.press("ArrowLeft")
    assert "−12.0 ± 5.0 points, significant" in said.inner_text()

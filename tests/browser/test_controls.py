"""The gallery in a real JupyterLab: in the dark, every control moved, after a restart.

It is opened and run once, which takes longer than to look at it. Each control is moved:
after the move the page must differ, and after the way back it must be what it was, pixel by
pixel. All of it is slow; quick tests run one lesson in JupyterLab, and each view in a page.
"""

import base64
import io
import re

import pytest
from in_lab import (
    GALLERY,
    IDLE,
    SHUTDOWN,
    everything_ran_and_lives,
    keep_screenshots,
    live_views,
    open_and_run,
    run_all,
    tab,
)
from PIL import Image, ImageChops

pytestmark = [pytest.mark.browser, pytest.mark.slow]
# what may differ although all is as it was: numbers of ids, tooltips of the mouse, where Tab
# stops and where the focus has been; where Python and then the page's engine answer, a color
# by one step, and digits that nobody sees
PASSING = re.compile(
    r' (id|for|title|tabindex|data-lm-suppress-shortcuts)="[^"]*"| style=""|'
    r"rgb\([\d, ]+\)|(?<=\d\.\d\d)\d+(e-\d+)?"
)
# the page of an explorer, and where it stands on the screen, once the kernel has nothing more
# to say: a widget holds back what it sends while the kernel is busy
SETTLED = """async e => {
  document.activeElement && document.activeElement.blur();
  const html = () =>
    e.innerHTML + [...e.querySelectorAll('input')].map(i => i.value).join('|');
  const frame = () => new Promise(r => requestAnimationFrame(r));
  const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
  const end = performance.now() + 90_000;
  for (let before = null, now = null; ; ) {
    // until it is idle again: by then all that it has sent before has come, in order
    await kernel.requestExecute({code: '', silent: true, store_history: false}).done;
    await frame();
    [before, now] = [now, html()];
    const waits = />(The (model|text) (reads|writes|is read) |No answer yet)/.test(now);
    if ((now === before && !waits) || performance.now() > end) break;
  }
  e.scrollIntoView({block: 'nearest'});
  const {x, y, width, height} = e.getBoundingClientRect();
  return [html(), {x, y, width, height}]; }"""
QUICK = {"format": "png", "optimizeForSpeed": True}  # quicker than page.screenshot
ALONE = """e => { for (const cell of document.querySelectorAll('.jp-Cell'))
  cell.style.display = !e || cell.contains(e) ? '' : 'none'; }"""


def look(page, explorer):
    """(page, picture as PNG) of an explorer when nothing is touched and computes."""
    page.mouse.move(1399, 999)
    html, place = explorer.evaluate(SETTLED)
    html = PASSING.sub("", html)
    said = page.chrome.send("Page.captureScreenshot", QUICK | {"clip": place | {"scale": 1}})
    return html, base64.b64decode(said["data"])


def where(a, b):
    """The first place at which two texts differ."""
    i = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), 0)
    return f"{a[i - 60 : i + 60]!r} became {b[i - 60 : i + 60]!r}"


def unlike(a, b):
    """Do two PNGs differ to the eye? Edges of letters may, by a few levels, and a
    pixel or two where an enlarged picture begins."""
    if a == b:
        return False
    a, b = (Image.open(io.BytesIO(png)).convert("RGB") for png in (a, b))
    if a.size != b.size:
        return True
    inside = (3, 3, a.width - 3, a.height - 3)
    red, green, blue = ImageChops.difference(a, b).crop(inside).split()
    most = ImageChops.lighter(ImageChops.lighter(red, green), blue)
    return sum(most.histogram()[31:]) > 3


def there_and_back(page, explorer, before, go, back):
    """(problem or None, last look): `go` must change what is seen, `back` undo it."""
    go()
    after = look(page, explorer)
    back()
    again = look(page, explorer)
    problem = None
    if after[0] == before[0]:
        problem = "the page stays as it is"
    elif not unlike(after[1], before[1]):
        problem = "no pixel changes"
    elif again[0] != before[0]:
        problem = "the page does not come back: " + where(before[0], again[0])
    elif unlike(again[1], before[1]):
        problem = "the pixels do not come back"
    return problem, again


def press(page, element, key):
    element.focus()
    page.keyboard.press(key)


def sliders(page, explorer):
    """By arrow key, and by a click on the other half of the track."""
    for i in range(explorer.locator("input[type=range]").count()):
        slider = explorer.locator("input[type=range]").nth(i)
        if slider.is_disabled():  # there is one stage before a model has learned
            continue
        value = slider.input_value()
        low, high = (float(slider.get_attribute(k) or 0) for k in ("min", "max"))
        keys = ["ArrowRight", "ArrowLeft"]
        if float(value) >= high:
            keys.reverse()
        yield (
            f"slider {i} by keyboard",
            lambda s=slider, k=keys[0]: press(page, s, k),
            lambda s=slider, k=keys[1]: press(page, s, k),
        )

        def click(s=slider, share=0.2 if float(value) > (low + high) / 2 else 0.8):
            box = s.bounding_box()
            s.click(position={"x": share * box["width"], "y": box["height"] / 2})

        yield f"slider {i} by mouse", click, lambda s=slider, v=value: s.fill(v)


def radios(page, explorer):
    """The next one by arrow key, the last one by a click."""
    for i in range(explorer.locator("[role=radiogroup]").count()):
        group = explorer.locator("[role=radiogroup]").nth(i)
        buttons = group.locator("[role=radio]")
        states = buttons.evaluate_all("es => es.map(e => e.ariaChecked)")
        at, n = states.index("true"), len(states)
        if n < 2 or not group.is_visible():  # of another source, say
            continue
        to, keys = (at + 1, ("Right", "Left")) if at + 1 < n else (at - 1, ("Left", "Right"))
        here, there = buttons.nth(at), buttons.nth(to)
        yield (
            f"choice {i} by keyboard",
            lambda b=here, k=keys[0]: press(page, b, f"Arrow{k}"),
            lambda b=there, k=keys[1]: press(page, b, f"Arrow{k}"),
        )
        other = n - 1 if at != n - 1 else 0
        yield f"choice {i} by mouse", buttons.nth(other).click, buttons.nth(at).click


def texts(page, explorer):
    """Another text and Enter; then the first one again."""
    fields = explorer.locator(".gx-prompt:visible")
    for i in range(fields.count()):
        old = fields.nth(i).input_value()

        def put(text, i=i):
            field = explorer.locator(".gx-prompt:visible").nth(i)
            field.click()
            field.fill(text)
            page.keyboard.press("Enter")

        yield (f"text {i}", lambda p=put: p("The king was very old"), lambda p=put, t=old: p(t))


def rows(page, explorer):
    """Rows that show themselves when the mouse or the focus comes over them."""
    matrix = explorer.locator(".gx-matrix:has(button.gx-row)").first
    buttons = matrix.locator("button.gx-row")
    if not buttons.count():
        return
    classes = buttons.evaluate_all("es => es.map(e => e.className)")
    at = next(i for i, c in enumerate(classes) if "gx-on" in c)
    other = 1 if at != 1 else 2
    yield "a row by mouse", buttons.nth(other).hover, buttons.nth(at).hover
    yield "a row by focus", buttons.nth(other).focus, buttons.nth(at).focus
    key, undo = ("ArrowUp", "ArrowDown") if at else ("ArrowDown", "ArrowUp")
    to = at - 1 if at else at + 1
    yield (
        "a row by arrow key",
        lambda: press(page, buttons.nth(at), key),
        lambda: press(page, buttons.nth(to), undo),
    )
    big = matrix.locator(".gx-wrap canvas")
    box = big.bounding_box()

    def over(row):
        big.hover(position={"x": 3, "y": (row + 0.5) * box["height"] / buttons.count()})

    yield "the large picture by mouse", lambda: over(other), lambda: over(at)


def cells(page, explorer):
    """Cells that can be chosen: the journey's."""
    chosen = explorer.locator(".gx-lens .gx-cell.gx-chosen")
    if not chosen.count():
        return
    place = chosen.get_attribute("data-at")
    first = explorer.locator(".gx-lens .gx-cell").first
    mine = explorer.locator(f".gx-lens .gx-cell[data-at='{place}']")
    yield "a cell by mouse", first.click, mine.click
    yield (
        "a cell by keyboard",
        lambda: press(page, mine, "ArrowLeft"),
        lambda: press(page, explorer.locator(".gx-lens .gx-cell.gx-chosen"), "ArrowRight"),
    )


def buttons(page, explorer):
    """Buttons and what undoes them."""
    undo = {"Draw one": "Reset", "Draw 100": "Reset", "Keep this head to compare": "Let it go"}
    for name in explorer.locator("button.gx-button").all_inner_texts():
        if name in undo:
            for way in ("click", "Enter"):

                def push(name, way=way):
                    b = explorer.get_by_role("button", name=name, exact=True)
                    b.click() if way == "click" else b.press("Enter")

                yield (
                    f"{name} by {way}",
                    lambda n=name, p=push: p(n),
                    lambda n=undo[name], p=push: p(n),
                )


def scores(page, explorer):
    """A score of the mask explorer, by arrow key and typed; Reset undoes it."""
    if not explorer.locator(".gx-sum").count():
        return  # another explorer
    cell = explorer.get_by_label("score from cat to the")
    reset = explorer.get_by_role("button", name="Reset")
    yield "a score by keyboard", lambda: press(page, cell, "ArrowUp"), reset.click

    def typed():
        cell.click()
        cell.fill("3")
        page.keyboard.press("Enter")

    yield "a score by typing", typed, reset.click


def clicks(page, explorer):
    """A word to append, and a place on a curve."""
    word = explorer.locator("button.gx-word")
    if word.count() and explorer.locator(".gx-prompt").count():
        old = explorer.locator(".gx-prompt").input_value()

        def put():
            explorer.locator(".gx-prompt").fill(old)
            explorer.locator(".gx-prompt").press("Enter")

        yield "a word by mouse", word.first.click, put
        yield "a word by keyboard", lambda: word.first.press("Enter"), put
    curve = explorer.locator("svg .gx-now, svg .gx-band")
    drag = explorer.locator("input[type=range]")
    chosen = explorer.locator("[role=radio][aria-checked=true]")
    if curve.count() and chosen.count() and drag.count() < 2:  # one slider: the place
        svg = explorer.locator("svg").first
        box = svg.bounding_box()
        name = chosen.first.inner_text()
        was = drag.input_value() if drag.count() else None
        yield (
            "a place on the curve by mouse",
            lambda: svg.click(position={"x": box["width"] / 5, "y": box["height"] / 3}),
            lambda: (
                (drag.fill(was), drag.press("Escape"))  # a click may keep its place
                if was
                else explorer.get_by_role("radio", name=name, exact=True).click()
            ),
        )


def offers(page, explorer):
    """A pair merged out of turn, by mouse and by keyboard."""
    pair = explorer.locator("button.gx-offer").nth(3)
    if not pair.count():
        return
    slider = explorer.locator("input[type=range]")
    was = slider.input_value()

    def back():
        slider.fill(was)
        explorer.get_by_role("button", name="Back to the rule").click()

    yield "a pair by mouse", pair.click, back
    yield "a pair by keyboard", lambda: pair.press("Enter"), back


def switches(page, explorer):
    """Switches of the map's heads: pressed again, a head is on."""
    heads = explorer.locator("button.gx-map-switch")
    if heads.count():
        yield "a head by mouse", heads.last.click, heads.last.click
        yield (
            "a head by keyboard",
            lambda: heads.last.press("Enter"),
            lambda: heads.last.press("Enter"),
        )


KINDS = (sliders, radios, texts, rows, cells, buttons, scores, clicks, offers, switches)


def moves(page, explorer):
    """(name, go, back) of all ways to move an explorer's controls."""
    return (move for kind in KINDS for move in kind(page, explorer))


def is_dark(explorer):
    """Bright text on dark paper."""
    text, paper = explorer.evaluate(
        """e => { const c = getComputedStyle(e).color,
        p = getComputedStyle(e).getPropertyValue('--gx-paper');
        const d = document.createElement('i'); d.style.color = p; e.append(d);
        const out = [c, getComputedStyle(d).color]; d.remove(); return out; }"""
    )
    bright, dark = (sum(map(int, c.strip("rgba()").split(",")[:3])) for c in (text, paper))
    return "gx-dark" in explorer.get_attribute("class") and bright > 500 > 250 > dark


def choose_theme(page, name):
    page.evaluate(
        """theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})""",
        f"JupyterLab {name}",
    )
    light = "true" if name == "Light" else "false"
    page.wait_for_function("light => document.body.dataset.jpThemeLight === light", arg=light)


@pytest.fixture(scope="module")
def gallery(lab, chromium):
    """The gallery's tab, opened in the dark, and its code cells, run."""
    with tab(lab, chromium) as page:
        page.set_viewport_size({"width": 1400, "height": 1500})  # each view in one picture
        page.chrome = page.context.new_cdp_session(page)
        page.goto(f"{lab}/lab")
        page.wait_for_function(
            """() => window.jupyterapp &&
            window.jupyterapp.commands.hasCommand('apputils:change-theme')"""
        )
        choose_theme(page, "Dark")
        yield page, open_and_run(page, lab, GALLERY)
        page.evaluate(SHUTDOWN)


def test_every_explorer_is_dark_in_the_dark(gallery):
    page, cells = gallery
    explorers = live_views(page, cells)
    assert explorers.count() >= 12 and not page.said
    assert all(is_dark(explorer) for explorer in explorers.all())
    keep_screenshots(page, "dark")


def test_every_control_moves_and_comes_back(gallery):
    page, cells = gallery
    choose_theme(page, "Light")
    explorers = live_views(page, cells)
    moved, wrong = {}, {}
    for i in range(explorers.count()):
        explorer = explorers.nth(i)
        assert not is_dark(explorer)
        explorer.evaluate(ALONE)  # the rest of the page costs time with every look
        explorer.scroll_into_view_if_needed()
        seen = look(page, explorer)
        for name, go, back in moves(page, explorer):
            problem, seen = there_and_back(page, explorer, seen, go, back)
            if problem:
                wrong[f"explorer {i}, {name}"] = problem
            moved[i] = moved.get(i, 0) + 1
    page.evaluate(ALONE)
    ours = [e for e in page.failed if "/static/lab/" not in e]
    assert not ours, ours[0]
    page.failed.clear()
    assert not wrong, "\n".join(f"{k}: {v}" for k, v in wrong.items())
    assert all(moved.get(i, 0) >= 3 for i in range(explorers.count())), moved


def test_after_a_restart_what_needs_no_kernel_moves_and_run_all_brings_the_rest(gallery):
    page, cells = gallery
    choose_theme(page, "Dark")
    everything_ran_and_lives(page, cells)
    explorers = live_views(page, cells)
    n = explorers.count()
    page.evaluate("""async () => {
        const s = window.jupyterapp.shell.currentWidget.sessionContext;
        await s.session.kernel.restart(); }""")
    page.evaluate(IDLE)
    assert explorers.count() == n
    tile = explorers.locator("[role=radio][aria-label='block 1, head 2']").first
    tile.click()
    assert tile.get_attribute("aria-checked") == "true"
    assert live_views(page, run_all(page)).count() == n
    assert all(is_dark(explorer) for explorer in explorers.all())

"""What axe-core says about every explorer, in both themes: nothing serious.

axe-core comes with the test package axe-playwright-python; nothing is fetched.
"""

from importlib.resources import files

import numpy as np
import pytest

from gpt1course.paper import curves
from gpt1course.paper.after import filling, twins
from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone
from gpt1lib import GPT1, TINY

pytestmark = pytest.mark.browser
TEXT = "She took the letter from the table."
AXE = (files("axe_playwright_python") / "axe.min.js").read_text(encoding="utf-8")
RUN = """() => axe.run('.gx', {resultTypes: ['violations']}).then(r => r.violations
  .filter(v => ['serious', 'critical'].includes(v.impact))
  .map(v => v.id + ': ' + v.help + ' ' + v.nodes.slice(0, 3).map(n => n.html.slice(0, 90))))"""


def all_explorers(n):
    """One of each, by name."""
    e, text = explorers, TEXT
    steps = [{"step": s, "loss": 9 / s, "heldout": 9.5 / s} for s in (1, 2, 4)]
    return {
        "attention": e.AttentionExplorer.from_checkpoint(n, text),
        "bigram": e.BigramExplorer(np.eye(3), list("abc")),
        "block": e.BlockExplorer.from_checkpoint(n, text),
        "few labels": e.FewLabelsExplorer(*curves.stored_sets()),
        "formats": e.FormatsExplorer.from_checkpoint(n),
        "heads": e.HeadsExplorer.from_checkpoint(n, text, np.eye(4) / 10),
        "heads over training": e.HeadsOverTrainingExplorer.from_file(),
        "journey": e.JourneyExplorer.from_checkpoint(n, text),
        "masked": e.MaskedExplorer(
            filling.covered_texts(*twins.load_twins(), [text + " ."]), place=2
        ),
        "learning": e.LearningExplorer(),
        "mask": e.MaskExplorer(np.arange(9.0).reshape(3, 3), list("abc")),
        "merge": e.MergeExplorer({"newest": 6, "low": 5, "lower": 2}, "newest", step=2),
        "model map": e.ModelMapExplorer.from_checkpoint(n, text),
        "parameters": e.ParameterExplorer({"GPT-1": GPT1, "tiny": TINY}),
        "position": e.PositionExplorer({"a": np.eye(60), "b": np.eye(60)[::-1]}),
        "query": e.QueryExplorer.from_checkpoint(n, text, layer=3, head=3),
        "scaling": e.ScalingExplorer({"all": [(10**n, 6 - n / 4) for n in range(4, 8)]}),
        "sampling": e.SamplingExplorer.from_checkpoint(n, text),
        "sweep": e.SweepExplorer(
            {"0": {"a": {0: 0.5, 1: 0.6}}, "1": {"a": {0: 0.7, 1: 0.6}}}, "1", "0"
        ),
        "tokens": e.TokenExplorer.from_checkpoint(n, "lighthouse keepers"),
        "training": e.TrainingExplorer(steps, [{"step": 4, "text": "so"}]),
        "two texts": e.TwoTextsExplorer.from_checkpoint(n, "He saw a dog.", "He saw a cat."),
        "tying": e.TyingExplorer.from_checkpoint(n, text),
        "writing": e.WritingExplorer.from_checkpoint(n, text, n_tokens=4),
    }


@pytest.fixture(scope="module")
def one_of_each(novelist):
    return all_explorers(novelist)


def test_none_is_forgotten(one_of_each):
    known = {name for name in explorers.__all__ if name.endswith("Explorer")}
    assert {type(e).__name__ for e in one_of_each.values()} == known - {"Explorer"}


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_axe_finds_nothing_serious(chromium, one_of_each, theme):
    page, found = chromium.new_page(), {}
    for name, explorer in one_of_each.items():
        page.set_content(standalone.page(explorer, theme=theme))
        page.evaluate(AXE)
        serious = page.evaluate(RUN)
        if serious:
            found[name] = serious
    page.close()
    assert not found


def test_axe_would_find_something(chromium):
    """The check can fail: a button without a name is serious."""
    page = chromium.new_page()
    page.set_content('<main class="gx"><button></button><img src="x"></main>')
    page.evaluate(AXE)
    assert len(page.evaluate(RUN)) == 2
    page.close()


@pytest.mark.parametrize("room", [620, 390])
def test_nothing_is_cut_off_where_there_is_little_room(chromium, one_of_each, room):
    """A page of 1,240 pixels at 200% zoom has room for 620, a telephone for 390."""
    page = chromium.new_page()
    page.set_viewport_size({"width": room, "height": 800})
    wide = {}
    for name, explorer in one_of_each.items():
        page.set_content(standalone.page(explorer))
        page.locator(".gx").wait_for()
        width = page.evaluate("() => document.documentElement.scrollWidth")
        cut = page.locator(".gx-control .gx-num").evaluate_all(
            "es => es.filter(e => e.getBoundingClientRect().right > innerWidth).length"
        )
        if width > room or cut:
            wide[name] = (width, cut)
    page.close()
    assert not wide


PLACES = """() => [...document.querySelectorAll('.gx *')].map(e => {
  const r = e.getBoundingClientRect(), name = e.className.baseVal ?? e.className;
  return [name, r.x, r.y, r.width, r.height, getComputedStyle(e).color].join(' '); })"""


LEARNS = "() => !document.querySelector('.gx-learn-primary').disabled"


def places(page) -> list[str]:
    """Where everything stands in a view, once it has drawn all that it draws by itself."""
    before, now = None, page.evaluate(PLACES)
    while now != before:
        page.wait_for_timeout(100)
        before, now = now, page.evaluate(PLACES)
    return now


def test_explorers_on_one_page_leave_each_other_as_they_are(chromium, one_of_each):
    """A notebook's page holds the styles of all its explorers, in whatever order."""
    page = chromium.new_page()
    others, moved = "\n".join(e._css for e in one_of_each.values()), {}
    for name, explorer in one_of_each.items():
        page.set_content(standalone.page(explorer))
        page.locator(".gx").wait_for()
        if name == "learning":  # its worker answers after it has been drawn
            page.wait_for_function(LEARNS)
        before = places(page)
        page.add_style_tag(content=others)
        pairs = zip(before, places(page), strict=True)
        if changed := [pair for pair in pairs if pair[0] != pair[1]]:
            moved[name] = changed[:2]
    page.close()
    assert not moved

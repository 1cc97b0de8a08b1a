"""The explorer of positions in a blank page, against numpy."""

import re

import numpy as np
import pytest
from in_page import show

from gpt1course.viz import explorers
from gpt1course.viz.explorers import standalone
from gpt1lib.baselines.variants import Sinusoids

pytestmark = pytest.mark.browser
N = 60
TABLES = {
    "waves": Sinusoids(N, 16).table.numpy(),
    "random": np.random.default_rng(0).normal(size=(N, 16)),
}


@pytest.fixture
def explorer():
    return explorers.PositionExplorer(TABLES, place=7)


@pytest.fixture
def page(page, explorer):
    show(page, explorer)
    return page


def said(page):
    return page.locator(".gx-live").inner_text()


def ring(page):
    """Where the ring stands, in units of the plane."""
    circle = page.locator(".gx-ring")
    return [float(circle.get_attribute(k)) for k in ("cx", "cy")]


def spots(page):
    return page.locator("svg circle:not(.gx-ring)").evaluate_all(
        "(es) => es.map(e => [+e.getAttribute('cx'), +e.getAttribute('cy')])"
    )


def test_it_says_and_draws_what_numpy_computes(page, explorer):
    for table, name in enumerate(TABLES):
        page.get_by_role("radio", name=name).click()
        for place in (0, 31, N - 1):
            page.evaluate(f"model.set('place', {place})")
            row = explorer.cosines[table, place].copy()
            away = int((row < 0).sum())
            row[place] = -2
            near, best = re.search(r"Most like position (\d+) \((.*?)\)", said(page)).groups()
            assert int(near) == row.argmax()
            assert float(best.replace("−", "-")) == pytest.approx(row.max(), abs=0.006)
            assert f"{away} of the {N - 1} others" in said(page)
            assert ring(page) == pytest.approx(spots(page)[place])
        drawn = np.array(spots(page)) * [1, -1]  # y grows downward there
        wanted = explorer.places[table]
        across = np.linalg.norm(drawn - drawn.mean(0), axis=1)
        assert np.allclose(
            across / across.max(),
            np.linalg.norm(wanted, axis=1) / np.linalg.norm(wanted, axis=1).max(),
            atol=5e-3,
        ), "the same shape, only larger"


def test_the_map_holds_the_cosines(page, explorer):
    alphas = page.locator("canvas").evaluate(
        "(c) => [...c.getContext('2d').getImageData(0, 0, c.width, c.height).data]"
    )
    shades = np.reshape(alphas, (N, N, 4))
    assert np.allclose(shades[..., 3], 255 * abs(explorer.cosines[0]), atol=1.5)
    clear = abs(explorer.cosines[0]) > 0.2
    red = shades[..., 0] > shades[..., 2]
    assert (red == (explorer.cosines[0] > 0))[clear].all()


def test_on_black_the_colors_of_the_map_are_light(page, explorer):
    page.set_content(standalone.page(explorer, theme="dark"))
    same = page.locator("canvas").evaluate(
        "c => [...c.getContext('2d').getImageData(0, 0, 1, 1).data]"
    )
    assert same == [255, 138, 101, 255]


def test_by_keyboard(page):
    page.get_by_role("slider", name="position").focus()
    page.keyboard.press("ArrowRight")
    assert "position 8:" in said(page)
    page.keyboard.press("End")
    assert f"position {N - 1}:" in said(page)
    page.get_by_role("radio", name="waves").focus()
    page.keyboard.press("ArrowRight")
    assert said(page).startswith("random, position 59")


def test_it_follows_the_mouse_until_a_click(page):
    box = page.locator("canvas").bounding_box()
    middle = box["x"] + box["width"] / 2

    def at(row):
        return middle, box["y"] + (row + 0.5) / N * box["height"]

    page.mouse.move(*at(30))
    assert "position 30:" in said(page)
    page.mouse.click(*at(15))
    assert "position 15:" in said(page) and "is kept" in page.locator("p.gx-note").inner_text()
    page.mouse.move(*at(50))
    assert "position 15:" in said(page)
    page.keyboard.press("ArrowRight")
    assert "Position 16 is kept" in page.locator("p.gx-note").inner_text()
    page.keyboard.press("Escape")
    page.mouse.move(*at(45))
    assert "position 45:" in said(page)


def test_pointing_at_the_plane_finds_the_nearest_position(page):
    svg = page.locator("svg").first
    box, places = svg.bounding_box(), spots(page)
    side = float(svg.get_attribute("viewBox").split()[2])

    def at(position):
        return [
            box[corner] + v / side * box["width"]
            for corner, v in zip("xy", places[position], strict=True)
        ]

    page.mouse.move(*at(40))
    assert "position 40:" in said(page)
    page.mouse.click(*at(20))
    page.mouse.move(*at(40))
    assert "position 20:" in said(page), "a click keeps it"


def test_the_curve_is_pointed_at_by_its_axis(page):
    curve = page.locator(".gx-likeness svg")
    line = curve.locator(".gx-row-line").bounding_box()
    page.mouse.move(line["x"] + line["width"] / 2, line["y"] + 5)
    assert re.search(r"position (29|30):", said(page))

"""Figures for a talk: the page names cells that are there, and a command draws them."""

import re
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import pytest
from IPython.core.events import EventManager, available_events

from gpt1course import figures, notebooks
from gpt1course.__main__ import main
from gpt1course.viz import figure as shown
from gpt1course.viz.plots import bars
from gpt1course.workspace import lesson_notebook
from gpt1lib.io.paths import ROOT

PAGE = (ROOT / "docs/figures.md").read_text(encoding="utf-8")


def test_the_page_and_the_command_name_the_same_figures():
    rows = re.findall(
        r"^\| `(\w+)` \| .* \| \[lesson (\d\d)\].*cell `([\w-]+)` \|$", PAGE, re.M
    )
    assert {name: figures.Place(*place) for name, *place in rows} == figures.FOR_A_TALK


@pytest.mark.parametrize("name", figures.FOR_A_TALK)
def test_each_figure_is_in_its_lesson(name):
    place = figures.FOR_A_TALK[name]
    assert place in figures.cells_with_figures(place.lesson).values()


def test_a_lesson_is_run_no_further_than_its_last_figure():
    notebook = notebooks.read(lesson_notebook("05"))
    figures.cut_after(notebook, {"cell-012": "a.svg", "cell-025": "b.svg"})
    assert notebook.cells[-1].id == "cell-012"
    assert sum("save_shown('a.svg')" in cell.source for cell in notebook.cells) == 1
    with pytest.raises(ValueError, match="the lesson has no cell nowhere"):
        figures.cut_after(notebook, {"nowhere": "x"})


def test_a_cell_saves_all_figures_that_it_shows_and_no_later_cell_does(tmp_path, monkeypatch):
    events = EventManager(None, available_events)
    monkeypatch.setattr(figures, "get_ipython", lambda: SimpleNamespace(events=events))
    once, drawn = shown.picture, bars(["a"], [1.0])

    def cell(name, *shows):
        figures.save_shown(str(tmp_path / f"{name}.svg"))
        for one in shows:
            shown.picture(one, "A bar.")
        events.trigger("post_run_cell", None)
        return [path.name for path in figures.written(tmp_path / f"{name}.svg")]

    assert cell("two", drawn, None, drawn) == ["two.svg", "two_2.svg"]
    assert cell("none") == [] and shown.picture is once
    shown.picture(drawn, "Of a cell that is not wanted.")
    assert cell("one", drawn) == ["one.svg"] and len([*tmp_path.iterdir()]) == 3


def test_a_cell_without_a_figure_is_named(tmp_path, monkeypatch):
    old = tmp_path / "causal_mask.svg"
    old.write_text("of an earlier run")
    monkeypatch.setattr(notebooks, "execute", lambda *_, **__: None)
    with pytest.raises(SystemExit, match="cell 'cell-025' of lesson 05 showed no figure"):
        main(["figures", "causal_mask", "--out", str(tmp_path)])


def test_a_name_a_lesson_or_all():
    assert list(figures.chosen(["table_5"])) == ["table_5"]
    assert "05_cell-012" in figures.chosen(["5"])
    assert figures.chosen([]) == figures.FOR_A_TALK
    with pytest.raises(ValueError, match="no figure is called 'table_6'; there are two_stages"):
        figures.chosen(["table_6"])


@pytest.mark.slow
def test_a_figure_is_written_as_svg_with_its_alt_text(tmp_path):
    assert main(["figures", "causal_mask", "--out", str(tmp_path)]) == 0
    root = ET.parse(tmp_path / "causal_mask.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "Three matrices side by side" in (tmp_path / "causal_mask.svg").read_text("utf-8")
    assert [path.name for path in tmp_path.iterdir()] == ["causal_mask.svg"]

"""Figures of the lessons as SVG, for slides: `python -m gpt1course figures`

    python -m gpt1course figures                    # those of docs/figures.md
    python -m gpt1course figures figure_1 table_5   # some of them
    python -m gpt1course figures 05                 # all of one lesson

A figure is drawn by running its lesson up to the cell that shows it, so it is what a reader
sees. A cell that shows several figures makes several files: NAME.svg, NAME_2.svg and so on.
Some lessons train a model on the way, which takes a minute or two.
"""

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from IPython import get_ipython

from . import notebooks
from .viz import figure as shown
from .workspace import lesson_notebook


@dataclass(frozen=True)
class Place:
    """Where a figure is: a lesson and the id of a cell."""

    lesson: str
    cell: str


FOR_A_TALK = {
    "two_stages": Place("00", "stages-1"),
    "positions": Place("03", "cell-076"),
    "query_key_value": Place("04", "diagram-1"),
    "causal_mask": Place("05", "cell-025"),
    "trained_triangle": Place("05", "cell-074"),
    "block": Place("07", "schematic-1"),
    "figure_1": Place("08", "cell-006"),
    "parameters": Place("08", "cell-094"),
    "figure_2_right": Place("14", "cell-100"),
    "learning_curve": Place("15", "cell-037"),
    "results": Place("16", "cell-009"),
    "table_5": Place("16", "cell-024"),
    "table_5_ours": Place("16", "cell-037"),
    "figure_2_left": Place("16", "cell-054"),
}
"""Name -> where it is, in the order of the lessons."""


def places(path: Path) -> Iterator[Path]:
    """Where the figures of a cell go, one after the other: x.svg, x_2.svg, x_3.svg, ..."""
    yield path
    yield from (path.with_stem(f"{path.stem}_{n}") for n in count(2))


def written(path: Path) -> list[Path]:
    """The files of a cell's figures; none where it has shown no figure."""
    return list(takewhile(Path.exists, places(path)))


# ---- in the lesson's own process --------------------------------------------------------


def save_shown(path: str) -> None:
    """Write the figures as SVG, too, that the running cell shows; none of a later cell."""
    once, free, events = shown.picture, places(Path(path)), get_ipython().events

    def picture(figure, alt, colors=256):
        if figure is not None:
            save(figure, next(free), alt)
        return once(figure, alt, colors)

    def end(_result):  # after the cell, also where it failed or showed no figure
        shown.picture = once
        events.unregister("post_run_cell", end)

    shown.picture = picture
    events.register("post_run_cell", end)


def save(figure, path: Path, alt: str) -> None:
    """Write a figure as SVG with its alt text as the description."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with shown.style():
        figure.savefig(path, format="svg", bbox_inches="tight", metadata={"Description": alt})


# ---- running a lesson up to its figures -------------------------------------------------


def cells_with_figures(lesson: str) -> dict[str, Place]:
    """Name -> place of every cell of a lesson that shows figures."""
    cells = notebooks.read(lesson_notebook(lesson)).cells
    ids = [c.id for c in cells if c.cell_type == "code" and "show_figure(" in c.source]
    return {f"{lesson}_{name}": Place(lesson, name) for name in ids}


def chosen(names: list[str]) -> dict[str, Place]:
    """What was asked for, by name or by lesson; all for a talk if nothing was."""
    found: dict[str, Place] = {}
    for name in names:
        if name.isdigit():
            found |= cells_with_figures(lesson_notebook(name).name[:2])
        elif name in FOR_A_TALK:
            found[name] = FOR_A_TALK[name]
        else:
            known = ", ".join(FOR_A_TALK)
            raise ValueError(f"no figure is called {name!r}; there are {known}, and lessons")
    return found or FOR_A_TALK


def cut_after(notebook, wanted: dict[str, str]) -> None:
    """Keep the cells up to the last one that is wanted, and let each save its figures.

    wanted: id of a cell -> where the SVG goes. ValueError for a cell that is not there.
    """
    ids = [cell.id for cell in notebook.cells]
    if missing := [name for name in wanted if name not in ids]:
        raise ValueError(f"the lesson has no cell {missing[0]}")
    notebook.cells = notebook.cells[: max(map(ids.index, wanted)) + 1]
    for cell in notebook.cells:
        if cell.id in wanted:
            call = f"__import__('gpt1course.figures').figures.save_shown({wanted[cell.id]!r})"
            cell.source = f"{call}\n{cell.source}"


def draw(lesson: str, wanted: dict[str, str]) -> list[Path]:
    """Run a lesson up to its last wanted figure; returns the files.

    wanted: id of a cell -> where the SVG goes. ValueError for a cell that shows no figure.
    """
    path = lesson_notebook(lesson)
    notebook = notebooks.read(path)
    cut_after(notebook, wanted)
    for old in [old for first in wanted.values() for old in written(Path(first))]:
        old.unlink()  # an earlier run's, which would pass for this one's
    notebooks.execute(notebook, path.parent, timeout=600)
    found = {cell: written(Path(first)) for cell, first in wanted.items()}
    if missing := [cell for cell, files in found.items() if not files]:
        raise ValueError(f"cell {missing[0]!r} of lesson {lesson} showed no figure")
    return [file for files in found.values() for file in files]


def add_options(parser: argparse.ArgumentParser) -> None:
    """What the command `figures` takes."""
    parser.add_argument("names", nargs="*", help="figures, or numbers of lessons")
    parser.add_argument("--out", type=Path, default=Path("build/figures"), help="the folder")


def run(args: argparse.Namespace) -> None:
    """Write the figures that were asked for, lesson by lesson."""
    asked, out = chosen(args.names), args.out.resolve()
    for lesson in sorted({place.lesson for place in asked.values()}):
        mine = {name: place for name, place in asked.items() if place.lesson == lesson}
        print(f"lesson {lesson} ...", flush=True)
        wanted = {place.cell: str(out / f"{name}.svg") for name, place in mine.items()}
        for file in draw(lesson, wanted):
            print(args.out / file.name)

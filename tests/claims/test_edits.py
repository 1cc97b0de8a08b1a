"""A learner may change any value: every later cell still runs, and its figures are drawn."""

import multiprocessing
import os
import traceback
from functools import lru_cache

import pytest
import runner
import torch
from edits import EDITS
from quick import PARAMETERS, QUICK, tags

from tools.notebooks import layout

LESSONS = {runner.label(path): path for path in runner.PATHS}
CASES = [(lesson, i) for lesson, edits in EDITS.items() for i in range(len(edits))]


def pictures(notebook) -> int:
    """How many figures the last cell has shown."""
    shown = notebook.shell.display_pub.outputs
    return sum("<img" in output["data"].get("text/html", "") for output in shown)


def stored_pictures(cell) -> int:
    return sum(bool(layout.stored_picture(output)) for output in cell.outputs)


def stopped(notebook, cells, edit, quick) -> list[str]:
    """What the cells say that raise or lack a figure, where a text in all of them is edited."""
    said = []
    for cell in cells:
        _, error = notebook.run(cell.source.replace(*edit))
        if error:
            said.append(f"{cell.id}: {error.strip().splitlines()[-1]}")
        elif pictures(notebook) < stored_pictures(cell):
            said.append(f"{cell.id}: a figure is missing")
        if PARAMETERS in tags(cell):
            notebook.values.update(quick)
    return said


def in_a_fork(function, *arguments):
    """What a function returns, called in a copy of this process."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = os.fork()
    if child == 0:
        try:
            there.send(function(*arguments))
        except BaseException:
            there.send([traceback.format_exc()])
        os._exit(0)
    there.close()
    try:
        return here.recv()
    except EOFError:
        return ["the process has ended"]
    finally:
        os.waitpid(child, 0)


def all_edits(lesson: str, end) -> None:
    """Send number of edit -> what stops; each edit begins in a copy made before its cell."""
    path, quick = LESSONS[lesson], QUICK.get(lesson, {})
    os.chdir(path.parent)
    torch.set_num_threads(1)
    torch.manual_seed(runner.FRESH_SEED)
    notebook, cells, found = runner.Notebook(), runner.code_cells(path), {}
    for at, cell in enumerate(cells):
        for number, edit in enumerate(EDITS[lesson]):
            if number not in found and edit[0] in cell.source:
                found[number] = in_a_fork(stopped, notebook, cells[at:], edit, quick)
        notebook.run(cell.source)
        if PARAMETERS in tags(cell):
            notebook.values.update(quick)
    end.send(found)


@lru_cache
def results(lesson: str) -> dict[int, list[str]]:
    here, there = multiprocessing.Pipe(duplex=False)
    process = multiprocessing.get_context("fork").Process(
        target=all_edits, args=(lesson, there)
    )
    process.start()
    there.close()
    try:
        return here.recv()
    finally:
        process.join()


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="copies of a process are Unix's")
@pytest.mark.parametrize(
    ("lesson", "number"),
    [pytest.param(*c, marks=pytest.mark.xdist_group(c[0]), id=f"{c[0]}-{c[1]}") for c in CASES],
)
def test_nothing_stops_after_an_edit(lesson, number):
    found = results(lesson)
    assert number in found, f"no cell of lesson {lesson} says {EDITS[lesson][number][0]!r}"
    assert found[number] == []


def test_every_lesson_is_edited_five_times():
    assert EDITS.keys() == {name for name in LESSONS if name.isdigit()}
    assert all(len(edits) >= 5 for edits in EDITS.values())

"""Code that a learner is told to try: it runs, and what the answer says comes out."""

import re
from pathlib import Path

import names
import nbformat
import pytest
from quick import QUICK

from gpt1course import statistics
from gpt1lib import metrics
from tools.notebooks import layout

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
PATHS = sorted([*NOTEBOOKS.glob("*.ipynb"), *NOTEBOOKS.glob("deeper/*.ipynb")])


def tries(path):
    """The lesson's code cells, and the blocks of code that its Trys show."""
    cells = nbformat.read(path, as_version=4).cells
    told = [c.source for c in cells if c.cell_type == "markdown" and layout.TRY in c.source]
    parts = [text.split(layout.TRY, 1)[1].split("<details>")[0] for text in told]
    blocks = re.findall(r"```python\n(.*?)```", "\n".join(parts), re.S)
    return [c.source for c in cells if c.cell_type == "code"], blocks


FOUND = {(path.stem, i): block for path in PATHS for i, block in enumerate(tries(path)[1])}


def needed(sources, block):
    """The cells, in their order, that bind what a block takes, and what these take."""
    wanted, chosen = names.free(block), []
    for source in reversed(sources):
        if names.bound(source) & wanted and not source.startswith(layout.ASIDE):
            wanted |= names.free(source)
            chosen.insert(0, source)
    return chosen


def other_stories(found):
    """Lesson 14, section 8: the difference, the score alone, and the endings alone.

    Of all 1,686 stories: .639, .538, .490; on a sixth of them a coin is not far from .538.
    """
    right = {k: metrics.accuracy(v, found["truth"]) for k, v in found["ways"].items()}
    between = {k: r["interval"] for k, r in right.items()}
    assert between["raised"][0] < 0.639 < between["raised"][1]
    assert between["plain"][0] < 0.538 < between["plain"][1] < right["raised"]["accuracy"]
    assert between["alone"][0] < 0.5 < between["alone"][1]
    ahead = statistics.mcnemar(found["ways"]["raised"], found["ways"]["plain"], found["truth"])
    assert ahead.difference > 0 and ahead.p < 0.01


# of the 1,686 stories every sixth: all of them take a minute
FEWER = {"14_zero_shot": (".train\n", ".train[::6]\n")}
HELD = {("14_zero_shot", 0): other_stories}


def test_every_block_has_a_test():
    assert FOUND.keys() == HELD.keys()


@pytest.mark.slow
@pytest.mark.parametrize("which", HELD, ids=lambda which: which[0])
def test_it_runs_and_says_so(which, monkeypatch):
    path = next(path for path in PATHS if path.stem == which[0])
    monkeypatch.chdir(path.parent)
    block, (all_of_them, fewer) = FOUND[which], FEWER[which[0]]
    assert all_of_them in block
    space = {}
    for source in needed(tries(path)[0], block):
        exec(source, space)
        space.update({k: v for k, v in QUICK[path.name[:2]].items() if k in space})
    exec(block.replace(all_of_them, fewer), space)
    HELD[which](space)

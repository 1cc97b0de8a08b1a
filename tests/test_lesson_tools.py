"""What the tools for notebooks promise to whoever writes a lesson."""

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from gpt1lib.lessons import notebooks as tools

LESSON = "05_the_causal_mask.ipynb"


@pytest.fixture
def small():
    """A first cell, an exercise that is only asked for, a cell as JupyterLab names it."""
    code = new_code_cell("1 + 1", id="0c2f9e5a-7d11-4f0e-9a44-5f1f0e0a2b3c")
    cells = [new_markdown_cell("# 05 · X"), new_markdown_cell("EXERCISE causal_mask"), code]
    return new_notebook(cells=cells)


def ids(notebook):
    return [cell.id for cell in notebook.cells]


def test_a_cell_keeps_the_id_it_was_born_with(small):
    first, last = small.cells[0].id, small.cells[-1].id
    tools.sync(small, LESSON)
    tools.normalize(small)
    exercise = ["causal_mask-task", "causal_mask-stub", "causal_mask-hints"]
    assert ids(small) == [first, *exercise, last]
    small.cells[1].id = "cell-017"  # as older lessons have it
    small.cells.insert(0, new_markdown_cell("a new one"))
    tools.sync(small, LESSON)
    tools.normalize(small)
    assert ids(small)[1:] == [first, "cell-017", *exercise[1:], last]


def test_two_cells_with_one_id_are_refused(small, tmp_path):
    small.cells[-1].id = small.cells[0].id
    with pytest.raises(ValueError, match="more than one cell has the id"):
        tools.write(small, tmp_path / LESSON)
    (tmp_path / LESSON).write_text(nbformat.v4.writes(small))
    with pytest.raises(ValueError, match="more than one cell has the id"):
        tools.read(tmp_path / LESSON)

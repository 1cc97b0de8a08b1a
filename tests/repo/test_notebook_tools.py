"""What the tools for notebooks promise to whoever writes a lesson."""

import importlib.util
import re

import nbformat
import pytest
import test_notebooks as rules
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from tools.notebooks import commands as tools
from tools.notebooks import index, layout, stats, template

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


# ---- a new lesson -------------------------------------------------------------------------


@pytest.fixture
def begun(tmp_path, monkeypatch, capsys):
    """A new lesson beside two old ones, brought in line: (path, notebook)."""
    for name in ("00_a.ipynb", "17_b.ipynb"):
        (tmp_path / name).write_text("")
    path = tools.begin("Words: as sums!", tmp_path, tmp_path)
    assert path.name == "18_words_as_sums.ipynb"
    spec = importlib.util.spec_from_file_location("lesson18", tmp_path / "lesson18.py")
    source = (tmp_path / "lesson18.py").read_text()
    source = source.replace("from ..", "from gpt1course.").replace(
        "from .", "from gpt1course.exercises."
    )
    (tmp_path / "lesson18.py").write_text(source)
    lesson = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(lesson)
    known = {e.name: e for e in lesson.EXERCISES}
    monkeypatch.setattr(tools, "exercises_of", lambda path: known)
    notebook = tools.read(path)
    tools.sync(notebook, path)
    return path, notebook


def test_a_new_lesson_keeps_the_template(begun, monkeypatch):
    path, notebook = begun
    rules.test_template(path, notebook)
    rules.test_boxes_are_the_four_kinds(notebook)
    rules.test_little_is_not_compared(notebook)
    rules.test_any_cell_can_be_run_again(notebook)
    assert [layout.is_prediction(c) for c in notebook.cells].count(True) == 3
    assert index.described(notebook, path.name).title == "18 · Words: as sums!"
    assert re.search(r"about \d+ minutes: \d+ to read", notebook.cells[0].source)
    with pytest.raises(AssertionError, match="FILL IN"):
        rules.test_nothing_is_left_to_fill_in(notebook)


def test_a_new_lesson_says_how_much_is_to_be_filled_in(begun, capsys, tmp_path):
    path, _ = begun
    assert template.left(path) > 20 and template.left(tmp_path / "lesson18.py") == 6
    with pytest.raises(ValueError, match="must have a letter"):
        tools.begin("...", tmp_path, tmp_path)


def test_the_table_marks_what_misses_its_aim(small):
    tools.sync(small, LESSON)
    found = stats.measures(small, tools.exercises_of(LESSON), 91.0)
    assert found.keys() == stats.AIMS.keys()
    assert (found["cells"], found["exercises"], found["seconds"]) == (5, 1, 91.0)
    fine = {name: least for name, (least, _) in stats.AIMS.items()}
    head, aims, bad, good = stats.beside_aims(
        [{"lesson": "05"} | found, {"lesson": "06"} | fine]
    ).splitlines()
    assert head.split() == list(stats.AIMS) and aims.split()[:2] == ["aim", "60-110"]
    assert bad.split()[:2] == ["05", "5*"] and "91*" in bad and "*" not in good


def test_the_command_tables_every_lesson(capsys):
    tools.main(["table", *map(str, rules.PATHS)])
    lines = capsys.readouterr().out.splitlines()
    rows = lines[2 : lines.index("")]
    assert [line.split()[0] for line in rows] == [p.name[:2] for p in rules.PATHS]


# ---- the main path and the deeper part ------------------------------------------------------


def test_the_border_says_how_long_the_deeper_part_takes(small):
    deep = new_markdown_cell("## 9. Deeper\n\n" + "word " * 1800)  # ten minutes
    first = new_markdown_cell("# 05 · X\n\n**Time:** ? · **Difficulty:** ...")
    small.cells[:] = [first, small.cells[1], new_markdown_cell("DEEPER"), deep]
    tools.sync(small, LESSON)
    border = next(c for c in small.cells if layout.mark(c).get("part") == "deeper")
    assert border.source.startswith("---\n\n## You can stop here")
    assert "about 10 minutes" in border.source
    assert re.search(r"about \d+ minutes: .*; 10 more for the deeper part ·", first.source)
    main, deeper = layout.main_and_deeper(small.cells)
    assert [c.source[:4] for c in deeper] == ["## 9"] and len(main) == 4
    assert layout.main_and_deeper(main) == (main, [])


def test_each_deeper_section_says_what_the_border_counts(small):
    texts = ("word " * 900, "word " * 180, "word " * 360)
    sections = [
        new_markdown_cell(f"## {i}. Deeper\n\n*About 99 minutes.* {text}")
        for i, text in enumerate(texts)
    ]
    last = new_markdown_cell("## Further reading\n\n" + "word " * 360)
    first = new_markdown_cell("# 05 · X\n\n**Time:** ? · **Difficulty:** ...")
    small.cells[:] = [first, new_markdown_cell("DEEPER"), *sections, last]
    tools.sync(small, LESSON)
    said = [re.search(r"About \d+ minutes?", cell.source)[0] for cell in sections]
    assert said == ["About 5 minutes", "About 1 minute", "About 2 minutes"]
    assert "about 10 minutes" in small.cells[1].source


def test_the_border_of_the_last_lesson_promises_no_next_one(small):
    ways_on = new_markdown_cell(f"{layout.LAST} Back to the map.")
    for cells, promised in (([], True), ([ways_on], False)):
        small.cells[:] = [
            new_markdown_cell("DEEPER"),
            new_markdown_cell("## 9. Deeper"),
            *cells,
        ]
        tools.sync(small, LESSON)
        assert ("The next lesson" in small.cells[0].source) == promised
    borders = {
        path.name[:2]: "The next lesson" in cell.source
        for path in rules.PATHS
        for cell in tools.read(path).cells
        if layout.mark(cell).get("part") == "deeper"
    }
    assert [number for number, promised in borders.items() if not promised] == ["17"]


def test_the_minutes_of_a_lesson_add_up():
    for path in rules.PATHS:
        first = tools.read(path).cells[0].source
        total, reading, doing = re.search(
            r"about (\d+) minutes.*?: (\d+) to read and try, (\d+) for the", first
        ).groups()
        assert int(total) == int(reading) + int(doing), path.name

"""Rules for the notebooks that a reader would otherwise trip over.

nbval passes some things that it should not (a compared cell without stored outputs,
unknown magics, errors in callbacks): these guards close the gaps.
"""

import ast
import json
import re
import runpy
from copy import deepcopy
from functools import lru_cache
from pathlib import Path
from types import SimpleNamespace

import names
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_output

from tools.notebooks import commands as tools
from tools.notebooks import layout, template
from tools.notebooks import outputs as outputs_of_runs

ROOT = Path(__file__).resolve().parents[2]
PATHS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
TAGS = {"answer", "nbval-ignore-output", "full-run", "parameters"}
HEADINGS = [
    "Objectives",
    "Recall",
    "Setup",
    "You may read elsewhere",
    "Summary",
    "Review questions",
    "Further reading",
]
IN_TWO_PARTS = ["Recall", "Summary", "Review questions", "You can stop here", "Further reading"]
MACHINE = re.compile(r"/root/|/home/|/tmp/|/work/|/Users/|site-packages")


@pytest.fixture(params=PATHS, ids=lambda p: p.stem)
def path(request):
    return request.param


@lru_cache
def stored(path):
    return nbformat.read(path, as_version=4)


@pytest.fixture
def notebook(path):
    return deepcopy(stored(path))


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def outputs(notebook):
    return [o for c in code_cells(notebook) for o in c.outputs]


def test_there_are_lessons():
    numbers = [p.name[:2] for p in PATHS]
    assert len(set(numbers)) == len(numbers) >= 12 and numbers[0] == "00"


def test_valid_and_small(path, notebook):
    nbformat.validate(notebook)
    assert path.stat().st_size < 1_500_000
    assert "widgets" not in notebook.metadata


def test_exercises_are_in_line_with_their_source(path, notebook):
    synced = deepcopy(notebook)
    tools.sync(synced, path)
    assert [c.source for c in synced.cells] == [c.source for c in notebook.cells]
    shown = [
        tools.mark(c)["exercise"] for c in notebook.cells if tools.mark(c).get("part") == "stub"
    ]
    assert sorted(shown) == sorted(tools.exercises_of(path)), "each exercise once"


def test_ran_from_top_to_bottom_without_error(notebook):
    counts = [c.execution_count for c in code_cells(notebook)]
    assert counts == list(range(1, len(counts) + 1))
    assert not [o for o in outputs(notebook) if o.output_type == "error"]
    assert not [o for o in outputs(notebook) if o.get("name") == "stderr"]


def tags(cell):
    return set(cell.metadata.get("tags", []))


def test_little_is_not_compared(notebook):
    """Only where a cell looks at the clock, makes sliders, or computes less in a quick run."""
    for cell in code_cells(notebook):
        assert "NBVAL" not in cell.source, "marks stand in the cell's tags"
        assert tags(cell) <= TAGS, tags(cell) - TAGS
        if "nbval-ignore-output" in tags(cell):
            assert "time." in cell.source or cell.source.startswith("@interact(")
    shortened = any("parameters" in tags(c) for c in notebook.cells)
    assert shortened or not any("full-run" in tags(c) for c in notebook.cells)


def test_nearly_all_cells_are_compared():
    cells = [c for path in PATHS for c in code_cells(stored(path))]
    never = [c for c in cells if "nbval-ignore-output" in tags(c)]
    in_full_runs = [c for c in cells if "full-run" in tags(c)]
    assert len(never) < 0.01 * len(cells)
    assert len(in_full_runs) < 0.07 * len(cells)


def test_no_magic_and_no_widget_that_nbval_can_not_see(notebook):
    for cell in code_cells(notebook):
        lines = cell.source.splitlines()
        assert not [x for x in lines if x.lstrip().startswith(("%", "!"))]
        assert not re.search(r"\bOutput\(|clear_output", cell.source)
        if re.search(r"\binteract\(", cell.source):
            assert "nbval-ignore-output" in tags(cell)


def test_outputs_name_no_machine_and_no_address(notebook):
    text = json.dumps(
        [
            {k: v for k, v in o.get("data", {}).items() if k.startswith("text/plain")}
            | {"text": o.get("text", "")}
            for o in outputs(notebook)
        ]
    )
    assert not MACHINE.search(text)
    assert not re.search(r"0x[0-9a-f]{6,}", text)
    assert not MACHINE.search("".join(c.source for c in notebook.cells))


def test_every_picture_has_an_alt_text(notebook):
    for output in outputs(notebook):
        data = output.get("data", {})
        assert "image/png" not in data, (
            "show figures with show_figure; a picture is stored once"
        )
        if "data:image/png" in data.get("text/html", ""):
            alt = re.search(r'<img alt="([^"]*)"', data["text/html"])
            assert alt and len(alt[1]) > 20
    assert not re.search(
        r"!\[\]\(|<img(?![^>]*alt=)", "".join(c.source for c in notebook.cells)
    )


def test_nothing_is_cut_off_in_the_stored_outputs(notebook):
    assert "widget-view+json" not in json.dumps([o.get("data", {}) for o in outputs(notebook)])


def test_template(path, notebook):
    first = notebook.cells[0].source
    assert re.match(rf"# {path.name[:2]} · ", first)
    for part in (
        "**The question:**",
        "**Time:**",
        "**Difficulty:**",
        "**Builds on:**",
        "**In the paper:**",
    ):
        assert part in first
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    deeper = layout.main_and_deeper(notebook.cells)[1]
    headings = IN_TWO_PARTS if deeper else HEADINGS
    positions = [text.find(f"## {h}\n") for h in headings]
    assert -1 not in positions and positions == sorted(positions)
    assert "After this lesson you can" in text
    assert text.count("<details>") == text.count("</details>") >= 6


def test_nothing_is_left_to_fill_in(notebook):
    """What `make new-lesson` leaves to the author."""
    left = [cell.source for cell in notebook.cells if template.TO_DO in cell.source]
    assert not left, "\n---\n".join(left)


def test_links_lead_somewhere(path, notebook):
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    for target in re.findall(r"\]\(([^)#]+\.ipynb)(?:#[^)]*)?\)", text):
        assert (path.parent / target).is_file(), target


def test_stored_outputs_of_stubs_are_todo(notebook):
    stubs = [c for c in notebook.cells if tools.mark(c).get("part") == "stub"]
    for cell in stubs:
        assert cell.outputs[0].text.startswith("TODO")


# ---- a lesson as one sits before it -------------------------------------------------


def paragraphs(source):
    return re.split(r"\n\n+", source)


def test_a_prediction_is_a_box_and_its_answer_is_folded(notebook):
    """The box; the code cell that answers it, folded; then the answer in words, folded."""
    cells = notebook.cells
    for i, cell in enumerate(cells):
        if not layout.is_prediction(cell):
            continue
        here = cell.source[-80:]
        assert '<div class="alert alert-info">\n\n' in cell.source, here
        after = cells[i + 1 :]
        shown = len(after)
        for n, below in enumerate(after):
            if below.cell_type == "markdown":
                shown = n
                break
            assert below.metadata.get("jupyter", {}).get("outputs_hidden"), here
            assert below.outputs[0].get("text") == layout.GUESS_FIRST, here
        assert after[shown].source.startswith("<details><summary>"), here


NBVAL = SimpleNamespace(**runpy.run_path(str(ROOT / "conftest.py")))


def collected(cell, compare=lambda test, ref, skip: test == ref):
    """A cell as nbval holds it, after our conftest.py beside the README has seen it."""
    item = SimpleNamespace(cell=cell, options={"check": True}, sanitize=str)
    item.compare_outputs = compare
    NBVAL.pytest_itemcollected(item)
    return item


def test_nbval_overlooks_the_neutral_line():
    """Folding stores it, no cell prints it."""
    said = ("", "a result\n")
    outputs = [new_output("stream", text=layout.GUESS_FIRST + text) for text in said]
    item = collected(new_code_cell(outputs=outputs))
    assert [output.text for output in item.cell.outputs] == ["a result\n"]


@pytest.mark.parametrize(
    "found, same",
    [
        ("loss 3.74 of  12", True),
        ("loss 3.71 of  12", False),
        ("loss 3.73 of  13", False),
        ("loss 3.7294 of  12", False),
        ("cost 3.73 of  12", False),
    ],
)
def test_one_in_the_last_place_is_forgiven_and_nothing_else(found, same):
    outputs = [[new_output("stream", text=text)] for text in (found, "loss 3.73 of  12")]
    assert collected(new_code_cell()).compare_outputs(*outputs) is same
    shown = [[new_output("display_data", {"text/plain": o[0].text})] for o in outputs]
    assert collected(new_code_cell()).compare_outputs(*shown) is same


@pytest.mark.parametrize(
    "a, b, same",
    [
        ("31 %", "32 %", True),
        ("31", "32", False),
        ("[-0.001,", "[ 0.000,", True),
        ("0.605", "0.6049", True),
        ("0.605", "0.6038", False),
    ],
)
def test_how_numbers_are_read(a, b, same):
    assert outputs_of_runs.nearly(a, b) is same


def test_what_is_in_order_stays_as_it_is(path, notebook):
    tools.normalize(notebook)
    assert notebook.cells == stored(path).cells


def test_whatever_is_to_be_tried_has_an_answer(notebook):
    cells = notebook.cells
    for i, cell in enumerate(cells):
        if cell.cell_type == "markdown" and layout.TRY in cell.source:
            after = cell.source.split(layout.TRY, 1)[1]
            below = next((c.source for c in cells[i + 1 :] if c.cell_type == "markdown"), "")
            assert "<details>" in after or below.startswith("<details>"), after[:80]


def test_boxes_are_the_four_kinds(notebook):
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    kinds = re.findall(r'<div class="alert alert-(\w+)">\n\n', text)
    assert set(kinds) <= {"info", "success", "warning"} and text.count("<div") == len(kinds)
    stubs = [c for c in notebook.cells if tools.mark(c).get("part") == "stub"]
    assert kinds.count("success") == len(stubs)
    assert not re.search(r"[^\n]\n</div>|<div[^>]*>\n[^\n]", text), "blank lines inside"


def test_nothing_in_the_text_is_taken_for_a_tag(notebook):
    """A bare <unk> or </w> is HTML to a browser, which shows nothing in its place."""
    known = {"div", "details", "summary", "i", "b", "br"}
    for cell in notebook.cells:
        if cell.cell_type != "markdown":
            continue
        text = re.sub(r"```.*?```|`[^`]*`|<!--.*?-->", "", cell.source, flags=re.DOTALL)
        assert set(re.findall(r"</?([A-Za-z]\w*)[^<>]*>", text)) <= known, text[:80]


def test_only_plotting_is_folded(notebook):
    """A cell that begins with `# plot` binds nothing that another cell uses."""
    sources = [c.source for c in code_cells(notebook)]
    for cell in code_cells(notebook):
        if layout.is_aside(cell):
            assert cell.metadata["jupyter"]["source_hidden"]
            kept = names.bound(cell.source) - {"figure", "axes"}
            used = set().union(*(names.free(s) for s in sources if s != cell.source))
            assert not kept & used, f"{kept & used} come from a folded cell"


def test_any_cell_can_be_run_again(notebook):
    """A name that a cell takes from elsewhere is bound in one cell alone."""
    sources = [c.source for c in code_cells(notebook)]
    owners = {}
    for number, source in enumerate(sources):
        for name in names.bound(source):
            owners.setdefault(name, []).append(number)
    shared = {n for n, cells in owners.items() if len(cells) > 1}
    for number, source in enumerate(sources):
        assert not names.free(source) & shared, (number, names.free(source) & shared)


def test_what_the_text_claims_is_asserted_elsewhere(notebook):
    """In tests/claims. A section may assert one thing, where to compare is what it teaches."""
    sections = [0]
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            sections += [0] * len(re.findall(r"^## ", cell.source, re.MULTILINE))
        else:
            tree = ast.parse(cell.source)
            sections[-1] += sum(isinstance(node, ast.Assert) for node in ast.walk(tree))
    assert max(sections) <= 1


def test_times_are_by_the_formula(path, notebook):
    known = tools.exercises_of(path)
    parts = layout.main_and_deeper(notebook.cells)
    (reading, doing), (_, later) = (layout.minutes(part, known) for part in parts)
    total = int(re.search(r"\*\*Time:\*\* about (\d+) minutes", notebook.cells[0].source)[1])
    assert abs(total - reading - doing) <= 8
    assert doing + later == sum(e.minutes for e in known.values()) > 0


def test_the_main_path_needs_nothing_of_the_deeper_part(notebook):
    """Each name that a main cell uses is bound in the main path."""
    main, _ = layout.main_and_deeper(notebook.cells)
    sources = [c.source for c in main if c.cell_type == "code"]
    bound = set().union(*map(names.bound, sources))
    everywhere = set().union(*(names.bound(c.source) for c in code_cells(notebook)))
    for source in sources:
        assert not names.free(source) & everywhere - bound

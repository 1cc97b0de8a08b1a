"""Rules for the notebooks that a reader would otherwise trip over.

nbval passes some things that it should not (a compared cell without stored outputs,
unknown magics, errors in callbacks): these guards close the gaps.
"""

import json
import re
from pathlib import Path

import nbformat
import pytest

from gpt1lib.lessons import notebooks as tools

ROOT = Path(__file__).resolve().parents[1]
PATHS = sorted((ROOT / "notebooks").glob("[0-9]*.ipynb"))
CHECKED = "# NBVAL_CHECK_OUTPUT"
HEADINGS = [
    "Objectives",
    "Recall",
    "Setup",
    "You may read elsewhere",
    "Summary",
    "Questionnaire",
    "Further reading",
]
# (cells, words, figures, exercises), each at least and at most; 00 is lighter, and 09
# is a project of many small parts
LIMITS = {
    "00": ((35, 110), (1500, 3500), (3, 10), (2, 6)),
    "09": ((50, 120), (1500, 4000), (4, 12), (6, 8)),
}
USUAL = ((50, 120), (1500, 4000), (4, 12), (3, 6))
MACHINE = re.compile(r"/root/|/home/|/tmp/|/work/|/Users/|site-packages")


@pytest.fixture(params=PATHS, ids=lambda p: p.stem)
def path(request):
    return request.param


@pytest.fixture
def notebook(path):
    return nbformat.read(path, as_version=4)


def code_cells(notebook):
    return [c for c in notebook.cells if c.cell_type == "code"]


def outputs(notebook):
    return [o for c in code_cells(notebook) for o in c.outputs]


def test_there_are_lessons():
    assert [p.name[:2] for p in PATHS] == [
        "00",
        "01",
        "05",
        "08",
        "09",
        "10",
        "11",
        "12",
        "13",
        "14",
        "15",
    ]


def test_valid_and_small(path, notebook):
    nbformat.validate(notebook)
    assert path.stat().st_size < 1_500_000
    assert "widgets" not in notebook.metadata


def test_exercises_are_in_line_with_their_source(path, notebook):
    synced = nbformat.read(path, as_version=4)
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


def test_compared_cells_have_something_to_compare(notebook):
    checked = [c for c in code_cells(notebook) if CHECKED in c.source]
    for cell in checked:
        assert cell.source.startswith(CHECKED + "\n")
        assert cell.outputs and cell.execution_count


def test_no_magic_and_no_widget_that_nbval_can_not_see(notebook):
    for cell in code_cells(notebook):
        lines = cell.source.splitlines()
        assert not [x for x in lines if x.lstrip().startswith(("%", "!"))]
        assert not re.search(r"\binteract\b|\bOutput\(|clear_output|NBVAL_SKIP", cell.source)


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
        if "image/png" in data:
            alt = re.search(r'<img alt="([^"]*)"', data.get("text/html", ""))
            assert alt and len(alt[1]) > 20, "show figures with show_figure"
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
        "**Stands on:**",
        "**In the paper:**",
    ):
        assert part in first
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    positions = [text.find(f"## {h}\n") for h in HEADINGS]
    assert -1 not in positions and positions == sorted(positions)
    if path.name[:2] != "00":
        assert "## From notebook to library\n" in text
    assert text.count("**Predict") >= 3 and "**Common mistakes:**" in text
    assert text.count("<details>") == text.count("</details>") >= 6


def test_rhythm(path, notebook):
    s = tools.stats(notebook)
    cells, words, figures, exercises = LIMITS.get(path.name[:2], USUAL)
    for name, (least, most) in (
        ("cells", cells),
        ("words", words),
        ("figures", figures),
        ("exercises", exercises),
    ):
        assert least <= s[name] <= most, (name, s[name])
    assert s["code run"] <= 2 and s["code p90"] <= 20 and s["code max"] <= 35
    assert s["after prose"] >= 0.9 and s["shows"] >= 0.85


def test_links_lead_somewhere(path, notebook):
    text = "\n".join(c.source for c in notebook.cells if c.cell_type == "markdown")
    for target in re.findall(r"\]\(([^)#]+\.ipynb)(?:#[^)]*)?\)", text):
        assert (path.parent / target).is_file(), target


def test_stored_outputs_of_stubs_are_todo(notebook):
    stubs = [c for c in notebook.cells if tools.mark(c).get("part") == "stub"]
    for cell in stubs:
        assert cell.outputs[0].text.startswith("TODO")

"""Each lesson, as it is shipped, prints what is stored, and what its text claims is true.

A lesson runs once, for both. `pytest tests/claims -k lesson05` runs one; `--full-run` trains
and asks as much as a reader's run does, where this takes long.
"""

import ast
import inspect
from functools import lru_cache

import pytest
import runner
import torch
from quick import PARAMETERS, QUICK, tags

from tools.notebooks import outputs


def pytest_generate_tests(metafunc):
    if "claim" not in metafunc.fixturenames:
        return
    full, cases = metafunc.config.getoption("full_run"), []
    for path in runner.PATHS:
        group = pytest.mark.xdist_group(runner.label(path))
        for cell in runner.code_cells(path):
            at = [c for c in runner.claims_of(path) if c.cell == cell.id]
            for claim in [None, *(c for c in at if full or not c.full_run)]:
                name = claim.name if claim else cell.id
                one = pytest.param(
                    path, cell, claim, id=f"{runner.label(path)}-{name}", marks=group
                )
                cases.append(one)
    metafunc.parametrize("path, cell, claim", cases)


@lru_cache
def run_of(path, quick):
    return runner.run_apart(path, quick)


def test_lesson(path, cell, claim, request):
    """A cell: it prints what is stored. A claim, in words: it is true right after its cell."""
    quick = not request.config.getoption("full_run")
    run = run_of(path, quick)
    if cell.id in run.errors and claim is None:
        pytest.fail(run.errors[cell.id], pytrace=False)
    if cell.id in run.errors or cell.id not in run.printed:
        pytest.skip("an error in its cell or in one before it")
    if claim is not None:
        if why := run.claims[claim.name]:
            pytest.fail(why, pytrace=False)
        return
    if "nbval-ignore-output" in tags(cell) or (quick and outputs.FULL_RUN in tags(cell)):
        return
    if told := runner.difference(run.printed[cell.id], runner.stored(cell)):
        pytest.fail(told, pytrace=False)


LESSONS = [
    pytest.param(p, id=runner.label(p), marks=pytest.mark.xdist_group(runner.label(p)))
    for p in runner.PATHS
]


@pytest.mark.parametrize("path", LESSONS)
def test_no_temporary_file_of_a_lesson_is_left(path, request):
    assert run_of(path, not request.config.getoption("full_run")).left == []


# ---- the files of claims ------------------------------------------------------------


@pytest.mark.parametrize("path", runner.PATHS, ids=runner.label)
def test_every_claim_has_its_cell_and_asserts(path):
    cells = {cell.id for cell in runner.code_cells(path)}
    for claim in runner.claims_of(path):
        assert claim.cell in cells, f"{claim.name} follows no cell: {claim.cell}"
        tree = ast.parse(inspect.getsource(claim.function))
        asserted = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]
        assert asserted, f"{claim.name} asserts nothing"
        assert not any(map(is_a_number, asserted)), (
            f"{claim.name} asserts a number, not a truth"
        )


def is_a_number(node) -> bool:
    """Whether an asserted expression is surely no truth value: `assert x - y`, `assert 3`."""
    return isinstance(node, (ast.BinOp, ast.Constant, ast.List, ast.Tuple, ast.JoinedStr))


@pytest.mark.parametrize("path", runner.PATHS, ids=runner.label)
def test_the_cell_of_parameters_binds_what_a_quick_run_changes(path):
    chosen = [cell for cell in runner.code_cells(path) if PARAMETERS in tags(cell)]
    bound = [ast.unparse(n.targets[0]) for c in chosen for n in ast.parse(c.source).body]
    assert bound == list(QUICK.get(runner.label(path), {})) and len(chosen) <= 1


# ---- the runner ---------------------------------------------------------------------


def test_a_false_claim_shows_its_values():
    def four_is_small(four):
        assert four < 3

    why = runner.why_false(runner.Claim(four_is_small, "a", False), {"four": 4})
    assert "assert 4 < 3" in why
    assert "KeyError" in runner.why_false(runner.Claim(four_is_small, "a", False), {})


@pytest.mark.parametrize(
    "found, same", [("loss 3.74", True), ("loss 3.75", False), ("0x7f, loss 3.73", False)]
)
def test_what_differs_is_shown(found, same):
    told = runner.difference({"stdout": found}, {"stdout": "loss 3.73"})
    assert (told == "") is same and (same or f"+{found}".replace("0x7f", "ADDRESS") in told)


def test_a_figure_whose_mark_is_not_the_stored_one_is_shown():
    html = '<figure class="color-scale" style="margin:0">', '<figure style="margin:0">'
    heat_map, drawing = (runner.compared({"text/html": text}) for text in html)
    assert runner.difference(heat_map, heat_map) == "" != runner.difference(drawing, heat_map)


def test_claims_draw_nothing_from_the_lesson():
    torch.manual_seed(1)
    expected = torch.rand(1)
    torch.manual_seed(1)
    with runner.same_chance():
        torch.rand(100)
    assert torch.equal(torch.rand(1), expected)

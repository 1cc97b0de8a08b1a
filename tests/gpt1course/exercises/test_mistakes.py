"""Twelve planted mistakes: the right parts pass, each mistake shows and is caught."""

from pathlib import Path

import nbformat
import pytest
import torch

from gpt1course.exercises import mistakes
from tools.notebooks import commands as tools

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "notebooks" / "mistakes.ipynb"
EACH = pytest.mark.parametrize("bug", mistakes.BUGS, ids=lambda b: b.name)


def test_the_right_parts_make_the_model_itself():
    model, ids = mistakes.passage()
    with torch.no_grad():
        ours, theirs = mistakes.read_by(model, ids, mistakes.RIGHT), model(ids[None])[0]
    assert torch.allclose(ours, theirs, atol=1e-3)
    assert mistakes.nats(mistakes.RIGHT) == pytest.approx(
        torch.nn.functional.cross_entropy(theirs[:-1], ids[1:]).item(), abs=1e-4
    )


@EACH
def test_a_mistake_changes_its_symptom_and_fails_its_test(bug):
    assert bug.test(mistakes.RIGHT) and not bug.test(bug.planted)
    right, wrong = bug.symptom(mistakes.RIGHT), bug.symptom(bug.planted)
    assert abs(wrong - right) > max(5e-3, 5e-3 * abs(right))


def test_what_is_cheated_lies_below_what_is_possible():
    fair = mistakes.thrown(mistakes.RIGHT)
    assert fair == pytest.approx(torch.tensor(8.0).log().item(), abs=0.03)
    cheats = [b for b in mistakes.BUGS if b.symptom is mistakes.thrown]
    assert len(cheats) == 2 and all(mistakes.thrown(b.planted) < fair - 1 for b in cheats)


@pytest.mark.parametrize("bug", [b for b in mistakes.BUGS if b.symptom is mistakes.thrown])
def test_what_training_ends_at_does_not_hang_on_rounding(bug, monkeypatch):
    """Another processor adds up in another order; the notebook prints the same number."""
    train = mistakes.thrown.__wrapped__  # nothing remembered
    before = train(bug.planted)
    monkeypatch.setattr(mistakes, "small", with_the_last_digits_changed(mistakes.small))
    assert train(bug.planted) == pytest.approx(before, abs=1.1e-3)


def with_the_last_digits_changed(small):
    def changed(**sizes):
        model, last = small(**sizes), torch.Generator().manual_seed(0)
        with torch.no_grad():
            for weights in model.parameters():
                weights *= 1 + 1e-7 * torch.randn(weights.shape, generator=last)
        return model

    return changed


def test_a_mistake_is_one_part_and_every_test_is_needed():
    """Without a bug's own test its mistake, or another one, would not be seen by that test."""
    assert len(mistakes.BUGS) == 12 == len({b.name for b in mistakes.BUGS})
    assert len({b.test for b in mistakes.BUGS}) == 12
    for bug in mistakes.BUGS:
        parts = vars(bug.planted).items() - vars(mistakes.RIGHT).items()
        assert {name for name, _ in parts} == {bug.part}


def test_a_hunt_has_one_mistake_and_is_another_for_another_seed():
    planted = {b.planted for b in mistakes.BUGS}
    hunts = [mistakes.hidden(seed) for seed in range(40)]
    assert set(hunts) <= planted and len(set(hunts)) > 8


def test_the_notebook_shows_each_of_them_with_its_lesson():
    cells = tools.read(NOTEBOOK).cells
    for number, bug in enumerate(mistakes.BUGS, start=1):
        at = next(i for i, c in enumerate(cells) if c.source == f'bugs["{bug.name}"].show()')
        title = f"## {number}. {bug.name[0].upper()}{bug.name[1:]}"
        assert cells[at - 1].source.startswith(title)
        assert f"(Lesson {bug.lesson})" in cells[at - 1].source
        assert "it FAILS" in cells[at].outputs[0].text
    counts = [c.execution_count for c in cells if c.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))
    nbformat.validate(tools.read(NOTEBOOK))

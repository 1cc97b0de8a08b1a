"""Each view begins with a sentence that states its finding, and one thing to try."""

import re

import numpy as np
import pytest
from in_page import show

from gpt1course import paper
from gpt1course.paper.after import filling, scaling, twins
from gpt1course.viz import explorers
from gpt1lib import GPT1, NOVELIST
from gpt1lib.bpe import count_words

pytestmark = pytest.mark.browser
TEXT = "She took the letter and began to"
COVERED = ["she opened the door and went down to the garden ."]
NO_ENGINE = {"WritingExplorer", "ModelMapExplorer"}  # what they try asks the model


def of_model(name, *given):
    return lambda model: getattr(explorers, name).from_checkpoint(model, *given)


MAKERS = [
    of_model("TokenExplorer", "The lighthouse keeper"),
    of_model("AttentionExplorer", TEXT),
    of_model("TwoTextsExplorer", "She took the letter to him", "She took the horse to him"),
    of_model("HeadsExplorer", TEXT, np.arange(16).reshape(4, 4) / 100),
    of_model("BlockExplorer", TEXT),
    of_model("TyingExplorer", TEXT),
    of_model("ModelMapExplorer", TEXT),
    of_model("JourneyExplorer", TEXT),
    of_model("SamplingExplorer", TEXT),
    of_model("WritingExplorer", TEXT),
    of_model("FormatsExplorer"),
    of_model("QueryExplorer", TEXT, 3, 3),
    lambda _: explorers.MergeExplorer(dict(count_words("the old man the sea old").items())),
    lambda _: explorers.BigramExplorer([[0.5, 0.5], [0.1, 0.9]], list("ab")),
    lambda m: explorers.PositionExplorer({"learned": m.model.positions.weight.detach()}),
    lambda _: explorers.MaskExplorer(np.eye(4), ["the", "cat", "sat", "down"]),
    lambda _: explorers.ParameterExplorer({"GPT-1": GPT1, "the novelist": NOVELIST}),
    lambda m: explorers.TrainingExplorer(m.log, m.samples, chosen=0),
    lambda _: explorers.LearningExplorer(),
    lambda _: explorers.HeadsOverTrainingExplorer.from_file(),
    lambda _: explorers.FewLabelsExplorer(*paper.curves.stored_sets(), "he_or_she"),
    lambda _: explorers.SweepExplorer(paper.accuracies("lambda"), chosen="0.5", compared="0"),
    lambda _: explorers.MaskedExplorer(filling.covered_texts(*twins.load_twins(), COVERED)),
    lambda _: explorers.ScalingExplorer({"all books": scaling.sweep_points(1)}, shown=True),
]


def test_each_explorer_states_its_finding_and_what_to_try(page, novelist):
    """All of them, at two widths: the height stays, the sentence is one, the tip is short."""
    page.emulate_media(reduced_motion="reduce")
    seen = set()
    for make in MAKERS:
        explorer = make(novelist)
        name = type(explorer).__name__
        seen.add(name)
        page.set_viewport_size({"width": 390, "height": 700})
        root = show(page, explorer)
        finding, tip = root.locator(".gx-finding"), root.locator(".gx-tip")
        said, tall = finding.inner_text(), finding.bounding_box()["height"]
        assert re.fullmatch(r"[^\n]{12,}[.?]", said), (name, said)
        assert float(finding.evaluate("e => parseFloat(getComputedStyle(e).fontSize)")) >= 15
        assert 1 <= len(tip.inner_text().split()) <= 10, (name, tip.inner_text())
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, name
        tip.focus()
        before = root.inner_html()
        tip.press("Enter")
        assert finding.bounding_box()["height"] == tall, (name, finding.inner_text())
        if name not in NO_ENGINE:
            assert root.inner_html() != before, f"{name}: {tip.inner_text()}"
    assert seen == {name for name in explorers.__all__ if name != "Explorer"}


def test_views_open_on_what_is_worth_seeing(novelist):
    letters = explorers.BigramExplorer([[0.5, 0.5], [0.03, 0.97]], list("eq"))
    assert letters.row == 1, "the row that is surest"
    cost = np.zeros((4, 4))
    cost[1, 3] = 0.2
    heads = explorers.HeadsExplorer.from_checkpoint(novelist, TEXT, cost)
    moved = np.abs(heads.scaled[0, 7] - heads.probs).sum(-1)
    assert heads.head == 7 and heads.row == moved.argmax()


def test_scores_are_read_as_they_are_typed_or_refused(page):
    root = show(page, explorers.MaskExplorer(np.zeros((2, 2)), list("ab")))
    box, said = root.get_by_label("score from b to a"), root.get_by_role("alert")
    for typed, kept, words in (
        ("1,5", "1.50", ""),
        ("-0.4", "−0.40", ""),
        ("abc", "−0.40", "“abc” is not a number"),
        ("1e9", "50.00", "Scores go from −50 to 50"),
    ):
        box.fill(typed)
        box.press("Enter")
        assert box.input_value() == kept and said.inner_text().startswith(words)
    other = root.get_by_label("score from a to b")
    root.get_by_role("button", name="Reset").click()
    other.fill("2")
    other.press("Enter")
    assert "Your scores move no row." in root.locator(".gx-live").inner_text()

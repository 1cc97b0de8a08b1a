"""Two lines over learning curves, in a blank page; what a level takes, against Python."""

import pytest
from in_page import show

from gpt1course.viz import explorers
from gpt1course.viz.explorers.few_labels import drawn_rows, words_of

pytestmark = pytest.mark.browser
OURS = {10: [0.5, 0.6, 0.55], 100: [0.8, 0.82, 0.84], 1000: [0.9, 0.92, 0.91]}
THEIRS = {10: [0.5, 0.5, 0.5], 100: [0.58, 0.64, 0.61], 1000: [0.91, 0.93, 0.92]}
WORDS = {10: [0.62, 0.5, 0.6], 100: [0.5, 0.6, 0.7], 1000: [0.7]}


def seeds(row):
    return {n: dict(enumerate(draws)) for n, draws in row.items()}


DRAWS = {"pre-trained": seeds(OURS), "LSTM": seeds(THEIRS), "words": seeds(WORDS)}
SHORT = {row: {n: by_size[n] for n in (10, 100)} for row, by_size in DRAWS.items()}


@pytest.fixture
def e():
    flat = {"one_set": {"asked": 0.8, "guessing": 0.5}}
    return explorers.FewLabelsExplorer({"one_set": DRAWS, "another": SHORT}, flat)


def agrees(page, root, e):
    """The page counts the labels that the library counts."""
    for name in ("chosen", "labels", "level"):
        setattr(e, name, page.evaluate(f"model.get('{name}')"))
    takes, _ = said(root)
    for row in e.rows[e.chosen]:
        words = f"{row['name']} {words_of(row['places'], e.level)}"
        assert words in takes and words in e.sentence()


def said(root):
    return root.locator(".gx-live").all_inner_texts()


def test_a_level_tells_how_many_labels_each_row_takes(page, e):
    root = show(page, e)
    agrees(page, root, e)
    assert "pre-trained about 770; LSTM about 860; words more than 1,000." in said(root)[0]
    height = root.get_by_role("slider", name="accuracy")
    for _ in range(10):
        height.press("ArrowLeft")
    agrees(page, root, e)
    # half-way from .55 to .82, by ratio of labels: 10 ** (1 + 25 / 27)
    assert "80%: pre-trained about 84; LSTM" in said(root)[0]
    assert said(root)[0].endswith("asked has it without any.")
    assert root.locator(".gx-reached").count() == 2
    height.fill("57")
    agrees(page, root, e)
    assert "words at most 10" in said(root)[0]


def test_a_number_of_labels_tells_how_far_the_rows_are_apart(page, e):
    root = show(page, e)
    wanted = (
        "With 100 labels (3 draws) pre-trained has 82.0 ± 5.0%; 21.0 ± 6.6 points ahead of "
        "LSTM, significant; 22.0 ± 19.9 points ahead of words, not significant."
    )
    assert said(root)[1] == wanted and root.locator(".gx-draw").count() == 9
    root.get_by_role("slider", name="labels").press("ArrowRight")
    assert "1.0 ± 0.0 points behind LSTM, significant." in said(root)[1], (
        "one draw of words: no pairs"
    )
    assert page.evaluate("model.get('labels')") == 1000
    root.get_by_role("radio", name="another").click()
    assert said(root)[1].startswith("With 100 labels"), "the nearest that this set has"
    agrees(page, root, e)


def test_the_headline_doubts_what_is_not_significant(page, e):
    root = show(page, e)
    for labels, gap in ((10, "5.0 points ahead of LSTM, which may be chance."),
                        (100, "21.0 points ahead of LSTM.")):  # fmt: skip
        page.evaluate(f"model.set('labels', {labels})")
        wanted = f"With {labels} labels, pre-trained is {gap}"
        assert root.locator(".gx-finding").inner_text() == wanted


def test_a_click_into_the_picture_moves_both_lines(page, e):
    root = show(page, e)
    box = root.locator("svg").bounding_box()
    page.mouse.click(box["x"] + 100, box["y"] + 250)
    assert page.evaluate("model.get('labels')") == 10
    low = page.evaluate("model.get('level')")
    agrees(page, root, e)
    page.mouse.move(box["x"] + 100, box["y"] + 40)
    assert page.evaluate("model.get('level')") == low, "the button is up"
    page.mouse.click(box["x"] + 100, box["y"] + 40)
    assert page.evaluate("model.get('level')") > low + 0.2


def test_significance_is_counted_over_all_rows_and_numbers_of_labels():
    pairs = [place.get("ahead") for place in drawn_rows(DRAWS)[1]["places"]]
    assert [said for *_, said in pairs] == ["not significant", "significant", "significant"]
    assert "ahead" not in drawn_rows(DRAWS)[2]["places"][2]
    ours, close = seeds({10: [0.8, 0.82, 0.84]}), seeds({10: [0.7, 0.74, 0.68]})
    for others, said in (({}, "significant"), ({"b": close, "c": close}, "not significant")):
        rows = drawn_rows({"ours": ours, "a": close} | others)
        assert rows[1]["places"][0]["ahead"][2] == said, f"{1 + len(others)} comparisons"


def test_no_difference_counts_between_two_rows_that_guess():
    guessing = {"ours": seeds({10: [0.349, 0.35, 0.351]}), "a": seeds({10: [0.333] * 3})}
    verdicts = {
        level: drawn_rows(guessing, level)[1]["places"][0]["ahead"][2]
        for level in (None, 0.345, 0.36)
    }
    assert verdicts == {None: "significant", 0.345: "significant", 0.36: "both guess"}


def test_a_set_without_curves_is_refused():
    with pytest.raises(ValueError, match="'empty' has no row"):
        explorers.FewLabelsExplorer({"empty": {"ours": {}}}, {})
    with pytest.raises(ValueError, match="there is no set 'films'; there are"):
        explorers.FewLabelsExplorer({"one_set": DRAWS}, {}, "films")

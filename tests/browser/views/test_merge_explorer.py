"""The race of merges in a blank page, against the library's learner."""

import re

import pytest
from in_page import show

from gpt1course.viz.explorers import MergeExplorer, merge_race
from gpt1lib import bpe
from gpt1lib.corpus import read_books

pytestmark = pytest.mark.browser
TOY = {"newest": 6, "low": 5, "widest": 3, "lower": 2}


def stands_at(root, step, counts=TOY, turns=()):
    """The page tells the last merge and the tokens that are left as Python has them."""
    merges, totals = merge_race(counts, step, turns)
    left, right = (f"{p.removesuffix('</w>')}{'' if '</w>' in p else '·'}" for p in merges[-1])
    of = "merge" if len(merges) == 1 else "merges"
    told = f"After {len(merges)} {of}, the last one {left} + {right}: {totals[-1]:,} tokens."
    assert told in root.locator(".gx-live").inner_text()
    return merges


def test_300_merges_in_the_browser_are_the_library_s(page):
    counts = bpe.count_words(read_books()["austen_emma"])
    emma = dict(counts.most_common(400))
    root = show(page, MergeExplorer(emma, "knightley", step=300))
    assert stands_at(root, 300, emma) == bpe.learn_merges(emma, 300)
    tree = root.locator(".gx-tree").get_attribute("aria-label")
    assert tree == "Tree of knightley: knightley (merge 169)."


def test_a_pair_out_of_turn_by_keyboard_and_back_to_the_rule(page):
    root = show(page, MergeExplorer(TOY))
    offers = root.locator(".gx-offers button")
    assert offers.first.inner_text() == "e· + s·"
    offers.first.focus()
    for _ in range(3):
        page.keyboard.press("ArrowDown")
    third = offers.nth(3).get_attribute("aria-label")
    page.keyboard.press("Enter")
    assert third.startswith("merge l· + o·, 7 times")
    assert stands_at(root, 1, turns=[(0, "l", "o")]) == [("l", "o")]
    slider = root.locator("input[type=range]")
    slider.focus()
    page.keyboard.press("ArrowRight")
    stands_at(root, 2, turns=[(0, "l", "o")])
    said = root.locator(".gx-live").inner_text()
    assert "63 tokens. That is 2 tokens more than by the rule, with 1 merge out of turn" in said
    root.get_by_text("Back to the rule").click()
    stands_at(root, 2)
    assert "out of turn" not in root.locator(".gx-live").inner_text()


def test_a_merge_in_turn_is_not_out_of_turn(page):
    root = show(page, MergeExplorer(TOY))
    for _ in range(3):
        root.locator(".gx-offers button").first.click()
    stands_at(root, 3)
    assert root.get_by_text("Back to the rule").is_disabled()


def test_the_tree_of_a_word_of_one_s_own(page):
    root = show(page, MergeExplorer(TOY, step=9))
    root.locator("input.gx-own").fill("Lowest")
    page.keyboard.press("Enter")
    tree = root.locator(".gx-tree").get_attribute("aria-label")
    merges = stands_at(root, 9)
    cutter = bpe.BPE(bpe.build_encoder("adeilnorstw", merges), merges)
    assert cutter.tokenize_word("lowest") == ["lo", "w", "est</w>"]
    assert tree == "Tree of lowest: lo· (merge 3), w·, est (merge 2)."
    root.locator(".gx-spelling").first.click()
    assert "Tree of newest: newest (merge 6)." in root.locator(".gx-tree").get_attribute(
        "aria-label"
    )


def test_a_long_word_is_cut_between_its_letters(page):
    box = show(page, MergeExplorer(TOY)).locator("input.gx-own")
    box.fill("a" + 30 * "😀")
    box.press("Enter")
    assert box.input_value() == "a" + 21 * "😀"


def test_the_pairs_are_one_stop_for_tab_however_few_are_left(page):
    root = show(page, MergeExplorer({"low": 5, "new": 2}))
    stops = """() => [...document.querySelectorAll('.gx-offer')].flatMap((e, i) =>
        e.tabIndex || e.disabled ? [] : [i])"""
    root.locator(".gx-offer").first.focus()
    for _ in range(6):
        page.keyboard.press("ArrowDown")
    assert page.evaluate(stops) == [3], "low and new have four pairs"
    page.keyboard.press("Enter")
    assert page.evaluate(stops) == [2]


def test_a_click_on_the_curve_goes_there(page):
    root = show(page, MergeExplorer(TOY))
    curve = root.locator(".gx-left svg")
    box = curve.bounding_box()
    curve.click(position={"x": box["width"] - 21, "y": box["height"] / 2})
    stands_at(root, 99)


def test_play_starts_when_asked_and_stops(page):
    """A timer that the test beats: a slow machine would play to the end before "Stop"."""
    root = show(page, MergeExplorer(TOY))
    page.evaluate("""() => {
      let beat = null;
      window.setInterval = heard => { beat = heard; return 1; };
      window.clearInterval = () => { beat = null; };
      window.beats = n => { while (n--) beat?.(); };
    }""")
    page.evaluate("beats(3)")
    assert re.match("The text|Before|After 0", root.locator(".gx-live").inner_text())
    spoken = root.locator(".gx-live")
    root.get_by_text("Play").click()
    page.evaluate("beats(3)")
    stands_at(root, 3)
    assert spoken.get_attribute("aria-live") == "off", "no screen reader keeps up"
    root.get_by_text("Stop").click()
    assert spoken.get_attribute("aria-live") == "polite"
    page.evaluate("beats(3)")
    stands_at(root, 3)
    root.get_by_text("Play").click()
    page.evaluate("beats(50)")
    stands_at(root, 50)
    assert root.get_by_text("Play").is_visible(), "it stops at the last merge"
    assert spoken.get_attribute("aria-live") == "polite"

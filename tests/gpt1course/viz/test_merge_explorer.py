"""The race of merges against the library's learner, and what it refuses."""

import pytest
from node import evaluate

from gpt1course.viz.explorers import MergeExplorer, merge_race
from gpt1lib import bpe
from gpt1lib.corpus import read_books

TOY = {"newest": 6, "low": 5, "widest": 3, "lower": 2}
STEPS = 12


def test_by_the_rule_the_merges_are_the_library_s():
    merges, totals = merge_race(TOY, STEPS)
    assert merges == bpe.learn_merges(TOY, STEPS)
    cut = bpe.BPE(bpe.build_encoder("adeilnorstw", merges), merges)
    assert totals[-1] == sum(n * len(cut.tokenize_word(word)) for word, n in TOY.items())
    assert totals[0] == sum(n * len(word) for word, n in TOY.items())


def test_a_merge_out_of_turn_is_followed_by_the_rule():
    merges, totals = merge_race(TOY, 3, [(0, "l", "o")])
    assert merges == [("l", "o"), ("e", "s"), ("es", "t</w>")]
    assert totals == [79, 72, 63, 54]


@pytest.mark.parametrize("turns", [[], [(0, "l", "o")], [(2, "q", "x"), (3, "w", "e")]])
def test_the_page_s_race_is_python_s(turns):
    emma = dict(bpe.count_words(read_books()["austen_emma"]).most_common(400))
    for counts, most in ((TOY, STEPS), (emma, 60), ({"to": 3}, 9)):
        race = "module.race(words, turns, most)"
        found = evaluate("merge.race", race, words=list(counts.items()), turns=turns, most=most)
        merges, totals = merge_race(counts, most, turns)
        assert [(left, right) for left, right, _ in found["merges"]] == merges
        assert found["totals"] == totals


def test_it_ends_where_no_pair_is_left():
    assert MergeExplorer({"to": 3}, step=1).most == 1
    assert merge_race({"to": 3}, 9) == ([("t", "o</w>")], [6, 3])


@pytest.mark.parametrize(
    ("counts", "step", "told"),
    [
        ({}, 0, "0 words"),
        (dict.fromkeys(map(str, range(401)), 1), 0, "401 words"),
        (TOY, 99, "step is 99"),
    ],
)
def test_what_is_refused_is_named(counts, step, told):
    with pytest.raises(ValueError, match=told):
        MergeExplorer(counts, step=step)


def test_the_sentence_and_the_picture_follow_the_turns():
    e = MergeExplorer(TOY, step=2)
    before = e.sentence()
    e.set_state({"turns": [[0, "l", "o"]]})
    assert before != e.sentence() and "last one e + s" in e.sentence()
    assert e.figure().axes[0].get_title(loc="left")

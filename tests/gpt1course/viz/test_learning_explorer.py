"""What a page says of a text that it learns, its lessons, and the stored run on Emma."""

import math
from collections import Counter

import numpy as np
import pytest
from learner_in_node import ask
from node import node_or_skip

from gpt1course.viz.explorers import LearningExplorer, learning

SMALL = {"n_layer": 1, "n_embd": 16, "n_ctx": 16, "batch": 4}
PANGRAM = "The quick brown fox jumps over the lazy dog. "


@pytest.fixture(scope="module")
def node():
    """Where Node.js is."""
    return node_or_skip()


def levels_of(text):
    """Nats per character, by numpy: guessing, letters, pairs (each pair's second letter)."""
    letters, pairs = Counter(text), Counter(zip(text, text[1:], strict=False))
    firsts = Counter(text[:-1])
    given = -sum(n * math.log(n / firsts[a]) for (a, _), n in pairs.items()) / (len(text) - 1)
    p = np.array(list(letters.values())) / len(text)
    return [math.log(len(letters)), -(p * np.log(p)).sum(), given]


# ---- the text -------------------------------------------------------------------------


def test_the_passage_is_the_beginning_of_emma():
    text = learning.emma()
    assert len(text) == 3000 and text.startswith("Emma Woodhouse, handsome, clever, and rich")
    assert "\n\n" not in text and LearningExplorer().text == text
    assert LearningExplorer("my own text").text == "my own text"


def test_characters_are_tokens_the_most_frequent_first(node):
    text = "banana bandana\n" * 20
    (found,) = ask(node, ["text", {"text": text}])
    assert found["characters"] == ["a", "n", "b", "\n", " ", "d"]
    assert found["ids"][:6] == [2, 0, 1, 0, 1, 0]


@pytest.mark.parametrize("text", [learning.emma(), PANGRAM * 9, "äß€😀 " * 60])
def test_the_levels_are_those_of_the_text(node, text):
    (found,) = ask(node, ["text", {"text": text}])
    names = ("uniform", "letters", "pairs")
    assert [found["levels"][n] for n in names] == pytest.approx(levels_of(text), abs=1e-9)


BAD = {
    "": "The text is empty, this page needs at least 200.",
    "Emma.": "The text has 5 characters, this page needs at least 200.",
    "a" * 1000: "only one character, over and over",
}
ODD = {
    "😀🎉 ha" * 60: "",
    "שלום עולם " * 40: "",
    "ab" * 600_000: "The text has 1,200,000 characters, the first 200,000 are read.",
    "".join(map(chr, range(0x4E00, 0x4E00 + 400))): "It has 400 different characters: the 159",
    "line\r\n" * 60: "",
}


@pytest.mark.parametrize("text", BAD, ids=range(len(BAD)))
def test_a_text_that_cannot_be_learned_is_refused_with_a_reason(node, text):
    (found,) = ask(node, ["text", {"text": text}])
    assert BAD[text] in found["refused"]


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_an_odd_text_is_learned(node, text):
    asked = {"text": text, "settings": SMALL, "updates": 3}
    seen, run = ask(node, ["text", {"text": text[:5000]}], ["observed", asked])
    assert run["note"].startswith(ODD[text]) and (ODD[text] or not run["note"])
    assert len(run["losses"]) == 3 and len(seen["characters"]) <= 160
    assert "\r" not in seen["characters"]
    assert abs(run["losses"][0][1] - run["levels"]["uniform"]) < 0.2


@pytest.mark.parametrize("n", [159, 160, 161])
def test_one_token_stands_for_the_rarest_characters_beyond_the_limit(node, n):
    signs = [chr(0x4E00 + i) for i in range(n)]
    text = "".join(sign * (n - i) for i, sign in enumerate(signs))
    (found,) = ask(node, ["text", {"text": text}])
    kept = signs if n <= 160 else [*signs[:159], "\ufffd"]
    assert found["characters"] == kept and bool(found["note"]) == (n > 160)


def test_real_words_are_those_of_the_text_and_of_four_letters(node):
    written = "the quickly QUICK, brow fox over, jumps lazy"
    (found,) = ask(node, ["text", {"text": PANGRAM * 9, "written": written}])
    assert found["words"] == ["quick", "over", "jumps"], "the last one may be cut off"


# ---- a run ---------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_run_and_another_one_another(node):
    asked = {"text": PANGRAM * 30, "updates": 40}
    seeds = [["observed", asked | {"settings": SMALL | {"seed": seed}}] for seed in (1, 1, 2)]
    one, again, other = ask(node, *seeds)
    assert one == again and one["losses"] != other["losses"]
    assert [s[0] for s in one["stages"]][:12] == [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]
    assert all(len(text) == (72 if step < 50 else 216) for step, text, _ in one["stages"])


def test_it_learns_what_it_reads(node):
    settings = SMALL | {"rate": 0.01, "total": 300, "n_embd": 32}
    asked = {"text": PANGRAM * 30, "settings": settings, "updates": 300}
    (run,) = ask(node, ["observed", asked])
    assert run["losses"][0][1] == pytest.approx(run["levels"]["uniform"], abs=0.1)
    assert run["losses"][-1][2] < run["levels"]["pairs"] < run["levels"]["letters"]
    assert list(run["crossed"]) == ["uniform", "letters", "pairs"]
    assert run["stages"][-1][2], "it writes words of the text"


def test_too_high_a_rate_is_seen_to_diverge(node):
    asked = {"text": PANGRAM * 30, "settings": SMALL | {"rate": 3, "warmup": 2}}
    (run,) = ask(node, ["observed", asked | {"updates": 100}])
    assert run["diverged"] and len(run["losses"]) < 100


def test_a_model_is_kept_and_restored(node):
    (found,) = ask(node, ["restored", {"text": PANGRAM * 30, "updates": 30}])
    before, trained, restored = found["texts"]
    assert before != trained == restored
    fewer, not_numbers = found["refused"]
    assert "weights, this model needs" in fewer
    assert not_numbers == "some of its weights are not numbers"


def test_positions_are_drawn_along_their_main_directions(node):
    rng = np.random.default_rng(0)
    table = rng.normal(size=(12, 16)) * np.linspace(3, 0.1, 16)
    asked = {"table": table.tolist(), "T": 12, "C": 16, "pictures": 60}
    (found,) = ask(node, ["directions", asked])
    centered = table - table.mean(axis=0)
    spread = np.linalg.svd(centered, compute_uv=False)
    lengths = np.linalg.norm(np.reshape(found["points"], (12, 2)), axis=0)
    assert lengths == pytest.approx(spread[:2], rel=1e-3)
    assert found["share"] == pytest.approx((spread[:2] ** 2).sum() / (spread**2).sum(), 1e-3)


# ---- the stored run -------------------------------------------------------------------


def test_the_stored_run_is_one_on_this_passage(node):
    run = learning.stored_run()
    names = ("uniform", "letters", "pairs")
    assert [run["levels"][n] for n in names] == pytest.approx(levels_of(learning.emma()))
    asked = {"text": learning.emma(), "settings": {"seed": run["seed"]}, "updates": 12}
    (again,) = ask(node, ["observed", asked])
    assert again["parameters"] == run["parameters"]
    for step, loss in run["losses"][:10]:
        assert again["losses"][step][2] == pytest.approx(loss, abs=1e-3)


def test_the_picture_says_what_the_run_did():
    e = LearningExplorer()
    assert "below letter pairs after" in e.sentence()
    title = e.figure().axes[0].get_title(loc="left")
    assert title == "The model falls below letter pairs after 253 updates"

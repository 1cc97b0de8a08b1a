"""Standardizing, cutting into words, and tidying for the eye."""

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpt1lib import text
from gpt1lib.io import files

RELEASED = re.compile(r"""(-+|~+|!+|"+|;+|\?+|\++|,+|\)+|\(+|/+|\*+|\[+|\]+|}+|{+|\|+|_+)""")


def released_standardize(s: str) -> str:
    """The released rules, one by one as OpenAI wrote them."""
    for old, new in (("—", "-"), ("–", "-"), ("―", "-"), ("…", "..."), ("´", "'")):
        s = s.replace(old, new)
    s = RELEASED.sub(r" \1 ", s)
    s = re.sub(r"\s*\n\s*", " \n ", s)
    return re.sub(r"[^\S\n]+", " ", s).strip()


@given(st.text(alphabet="ab -~!\";?+,)(/*[]}{|_\n\t\\.'\u00a0\u2003\r—…´", max_size=40))
def test_standardize_equals_the_released_rules(s):
    assert text.standardize(s) == released_standardize(s)


def test_backslashes_are_not_padded():
    assert text.standardize("C:\\me") == "C:\\me"


def test_curly_quotes_are_those_of_ftfy():
    """All that it makes straight, and no other; ftfy belongs to the [released] extra."""
    fixes = pytest.importorskip("ftfy.fixes")
    marks = "".join(map(chr, range(0x2000, 0x2070))) + "ʼʻʹ«»"
    straight = [c for c in marks if fixes.uncurl_quotes(c) != c]
    assert [c for c in marks if text.standardize(c) in "'\"" and c.strip()] == straight


def test_standardize_against_golden(shared):
    items = files.read_json(shared / "reference/golden_bpe.json")["items"]
    agree = [i for i in items if text.standardize(i["text"]) == i["standardized"]]
    assert len(items) == 40
    assert len(agree) >= 38  # the others need ftfy: ligatures, mojibake


def test_words_of_the_fallback():
    s = text.standardize("I can't say \"Mr. O'Brien's\" U.S.A. well-known 3.50...\nYes")
    assert text.split_words(s) == [
        "I",
        "ca",
        "n't",
        "say",
        '"',
        "Mr.",
        "O'Brien",
        "'s",
        '"',
        "U.S.A.",
        "well",
        "-",
        "known",
        "3.50",
        "...",
        "\n",
        "Yes",
    ]


@given(st.text(max_size=60))
def test_no_character_is_lost(s):
    s = text.standardize(s)
    assert "".join(text.split_words(s)) == re.sub(r"[^\S\n]", "", s).replace(" ", "")


def test_tidy():
    raw = '" i do n\'t know , " said mr. john \'s wife ( twice ) .\n" yes ! "'
    wanted = '"i don\'t know," said mr. john\'s wife (twice).\n"yes!"'
    assert text.tidy(raw) == wanted


@pytest.mark.parametrize("read", [text.standardize, text.tidy])
def test_a_long_gap_is_read_once(read):
    start = time.process_time()
    assert read("a" + " " * 100_000 + "b").split() == ["a", "b"]
    assert time.process_time() - start < 2  # it took ten seconds, all places tried again
